/* gzip members (RFC 1952), decoded by zlib, which also checks their checksums. */
#include "source/codec.h"

#ifdef THR_HAVE_ZLIB
#include <limits.h>
#include <stdlib.h>
#include <zlib.h>

static bool open_member(void **state)
{
    if (*state)
        return inflateReset(*state) == Z_OK;
    z_stream *z = calloc(1, sizeof *z);
    if (!z)
        return false;
    if (inflateInit2(z, MAX_WBITS + 16) != Z_OK) { /* + 16: accept gzip headers only */
        free(z);
        return false;
    }
    *state = z;
    return true;
}

/* zlib counts in uInt, so one step handles at most UINT_MAX bytes. Z_BUF_ERROR is no failure: it
 * means that nothing could be done without more input or more room. */
static enum thr_step step(void *state, thr_flow *flow)
{
    z_stream *z = state;
    uInt in = flow->in_size < UINT_MAX ? (uInt)flow->in_size : UINT_MAX;
    uInt out = flow->out_room < UINT_MAX ? (uInt)flow->out_room : UINT_MAX;
    z->next_in = (Bytef *)(uintptr_t)flow->in; /* not const in zlib.h, but never written to */
    z->avail_in = in;
    z->next_out = flow->out;
    z->avail_out = out;
    int result = inflate(z, Z_NO_FLUSH);
    flow->in += in - z->avail_in;
    flow->in_size -= in - z->avail_in;
    flow->out += out - z->avail_out;
    flow->out_room -= out - z->avail_out;
    switch (result) {
    case Z_OK:
    case Z_BUF_ERROR:
        return THR_STEP_MORE;
    case Z_STREAM_END:
        return THR_STEP_END;
    case Z_MEM_ERROR:
        return THR_STEP_MEMORY;
    default:
        return THR_STEP_DAMAGED;
    }
}

static void close_all(void *state)
{
    if (state)
        inflateEnd(state);
    free(state);
}
#endif

const thr_codec thr_codec_gzip = {
    .name = "gzip",
    .magic = {{2, {0x1f, 0x8b}, {0xff, 0xff}}},
    .zero_padding = true,
#ifdef THR_HAVE_ZLIB
    .open = open_member,
    .step = step,
    .close = close_all,
#endif
};
