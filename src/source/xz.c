/* xz streams, decoded by liblzma, which also checks their checksums. */
#include "source/codec.h"

#ifdef THR_HAVE_LZMA
#include <lzma.h>
#include <stdlib.h>

/* lzma_stream_decoder on a stream that was used before reuses the stream's memory. */
static bool open_member(void **state)
{
    lzma_stream *z = *state;
    if (!z) {
        z = malloc(sizeof *z);
        if (!z)
            return false;
        *z = (lzma_stream)LZMA_STREAM_INIT;
        *state = z;
    }
    /* liblzma's limit covers the window and the decoder's own memory, for which 1 MiB is added. */
    const uint64_t limit = ((uint64_t)1 << THR_WINDOW_LOG_MAX) + ((uint64_t)1 << 20);
    return lzma_stream_decoder(z, limit, 0) == LZMA_OK;
}

static enum thr_step step(void *state, thr_flow *flow)
{
    lzma_stream *z = state;
    z->next_in = flow->in;
    z->avail_in = flow->in_size;
    z->next_out = flow->out;
    z->avail_out = flow->out_room;
    lzma_ret result = lzma_code(z, LZMA_RUN);
    flow->in = z->next_in;
    flow->in_size = z->avail_in;
    flow->out = z->next_out;
    flow->out_room = z->avail_out;
    switch (result) {
    case LZMA_OK:
    case LZMA_BUF_ERROR:
        return THR_STEP_MORE;
    case LZMA_STREAM_END:
        return THR_STEP_END;
    case LZMA_MEM_ERROR:
        return THR_STEP_MEMORY;
    case LZMA_MEMLIMIT_ERROR:
        return THR_STEP_TOO_BIG;
    default:
        return THR_STEP_DAMAGED;
    }
}

static void close_all(void *state)
{
    if (state)
        lzma_end(state);
    free(state);
}
#endif

const thr_codec thr_codec_xz = {
    .name = "xz",
    .magic = {{6, {0xfd, '7', 'z', 'X', 'Z', 0}, {0xff, 0xff, 0xff, 0xff, 0xff, 0xff}}},
    .zero_padding = true,
#ifdef THR_HAVE_LZMA
    .open = open_member,
    .step = step,
    .close = close_all,
#endif
};
