/* The mutator of caches. It changes a frame, its numbers or its bytes, or the order of the frames,
 * and then makes the checksums right. */
#include "base/hash.h"
#include "format/cache.h"
#include "mutate.h"

#include <stdbool.h>

#define HEAD 16u /* bytes before the text of the head, and before the body of a frame */
#define MOST 64u /* frames that are told apart */

typedef struct piece {
    size_t at, n; /* of a frame, its 16 bytes included */
} piece;

static uint32_t length_at(const uint8_t *p)
{
    uint32_t n;
    memcpy(&n, p, sizeof n);
    return n;
}

/* Lists the frames; 0 if it is no cache. */
static size_t find_frames(const uint8_t *p, size_t size, piece *out)
{
    size_t n = 0;
    if (size < HEAD + sizeof(uint64_t) || memcmp(p, THR_CACHE_MAGIC, 8) != 0)
        return 0;
    size_t at = HEAD + (size_t)length_at(p + 12) + sizeof(uint64_t);
    while (n < MOST && at <= size && size - at >= HEAD && length_at(p + at) <= size - at - HEAD) {
        out[n] = (piece){at, HEAD + length_at(p + at)};
        at += out[n++].n;
    }
    return n;
}

static void put_hash(uint8_t *to, const uint8_t *p, size_t n)
{
    uint64_t hash = thr_hash(p, n, 0);
    memcpy(to, &hash, sizeof hash);
}

/* Replaces a frame by n bytes of body; `room` is what the cache may grow to. Returns its size. */
static size_t replace(uint8_t *data, size_t size, size_t room, piece f, const uint8_t *body,
                      size_t n)
{
    size_t behind = size - f.at - f.n, fresh = size - f.n + HEAD + n;
    uint32_t length = (uint32_t)n;
    if (fresh > room)
        return size;
    memmove(data + f.at + HEAD + n, data + f.at + f.n, behind);
    memset(data + f.at, 0, HEAD);
    memcpy(data + f.at, &length, sizeof length);
    memcpy(data + f.at + HEAD, body, n);
    put_hash(data + f.at + 8, body, n);
    return fresh;
}

/* Doubles a frame or leaves it out. */
static size_t change_order(uint64_t *state, uint8_t *data, size_t size, size_t room, piece f)
{
    size_t behind = size - f.at - f.n;
    if (mutate_pick(state, 2)) {
        memmove(data + f.at, data + f.at + f.n, behind);
        return size - f.n;
    }
    if (size + f.n > room)
        return size;
    memmove(data + f.at + f.n, data + f.at, f.n + behind);
    return size + f.n;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed)
{
    piece frame[MOST];
    uint64_t state = seed;
    size_t n = find_frames(data, size, frame);
    if (!n || mutate_pick(&state, 32) == 0)
        return LLVMFuzzerMutate(data, size, max_size);
    piece f = frame[mutate_pick(&state, n)];
    size_t what = mutate_pick(&state, 8), length = f.n - HEAD, room = length + 64;
    if (what == 0)
        return change_order(&state, data, size, max_size, f);
    uint8_t *body = calloc(room, 1);
    if (!body)
        abort();
    memcpy(body, data + f.at + HEAD, length);
    if (what == 1)
        length = LLVMFuzzerMutate(body, length, room);
    for (size_t times = 1 + mutate_pick(&state, 3); what > 1 && times; times--) {
        bool in_head = mutate_pick(&state, 2) && length > 64; /* where the counts are */
        mutate_word(&state, (char *)body, in_head ? 64 : length);
    }
    size = replace(data, size, max_size, f, body, length);
    free(body);
    return size;
}
