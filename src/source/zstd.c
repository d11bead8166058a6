/* Zstandard frames and skippable frames (RFC 8878), decoded by libzstd. The second magic number is
 * that of skippable frames, whose lowest four bits may be anything. */
#include "source/codec.h"

#ifdef THR_HAVE_ZSTD
#include <zstd.h>
#include <zstd_errors.h>

static bool open_member(void **state)
{
    if (*state)
        return !ZSTD_isError(ZSTD_DCtx_reset(*state, ZSTD_reset_session_only));
    ZSTD_DCtx *z = ZSTD_createDCtx();
    if (!z)
        return false;
    ZSTD_DCtx_setParameter(z, ZSTD_d_windowLogMax, THR_WINDOW_LOG_MAX);
    *state = z;
    return true;
}

/* A result of 0 means that a frame is complete and all its output written. */
static enum thr_step step(void *state, thr_flow *flow)
{
    ZSTD_inBuffer in = {flow->in, flow->in_size, 0};
    ZSTD_outBuffer out = {flow->out, flow->out_room, 0};
    size_t result = ZSTD_decompressStream(state, &out, &in);
    flow->in += in.pos;
    flow->in_size -= in.pos;
    flow->out += out.pos;
    flow->out_room -= out.pos;
    if (!ZSTD_isError(result))
        return result == 0 ? THR_STEP_END : THR_STEP_MORE;
    switch (ZSTD_getErrorCode(result)) {
    case ZSTD_error_memory_allocation:
        return THR_STEP_MEMORY;
    case ZSTD_error_frameParameter_windowTooLarge:
        return THR_STEP_TOO_BIG;
    default:
        return THR_STEP_DAMAGED;
    }
}

static void close_all(void *state)
{
    ZSTD_freeDCtx(state);
}
#endif

const thr_codec thr_codec_zstd = {
    .name = "zstd",
    .magic = {{4, {0x28, 0xb5, 0x2f, 0xfd}, {0xff, 0xff, 0xff, 0xff}},
              {4, {0x50, 0x2a, 0x4d, 0x18}, {0xf0, 0xff, 0xff, 0xff}}},
#ifdef THR_HAVE_ZSTD
    .open = open_member,
    .step = step,
    .close = close_all,
#endif
};
