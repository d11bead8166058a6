/* What structure-aware mutators share: a random choice, and a change of a few bytes that looks like
 * one of the numbers that code trips over. */
#ifndef FUZZ_MUTATE_H
#define FUZZ_MUTATE_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed);

/* A random number below n. */
static inline size_t mutate_pick(uint64_t *state, size_t n)
{
    *state = thr_mix64(*state);
    return n ? (size_t)(*state >> 11) % n : 0;
}

static inline uint64_t mutate_number(uint64_t *state, uint64_t old)
{
    static const uint64_t odd[] = {
        0,
        1,
        2,
        3,
        15,
        16,
        0x7f,
        0xff,
        0xffff,
        0x10000,
        0xffffff,
        0x1000000,
        0x7fffffff,
        0x80000000,
        0xfffffffe,
        0xffffffff,
        UINT64_C(1) << 32,
        UINT64_C(1) << 61,
        UINT64_C(1) << 62,
        UINT64_C(1) << 63,
        UINT64_MAX,
        UINT64_C(0x7ff0000000000000), /* infinity, f64 */
        UINT64_C(0x7ff8000000000000), /* NaN */
        UINT64_C(0xbff0000000000000), /* -1 */
        UINT64_C(0x7e37e43c8800759c), /* 1e300 */
        UINT64_C(0x0000000000000001), /* the least f64 */
        0x7f800000,                   /* infinity, f32 */
        0x7fc00000,                   /* NaN */
        0x7e967699,                   /* 1e38 */
        0xbf800000,                   /* -1 */
    };
    switch (mutate_pick(state, 6)) {
    case 0:
        return old + 1;
    case 1:
        return old - 1;
    case 2:
        return old ^ UINT64_C(1) << mutate_pick(state, 64);
    case 3:
        return mutate_pick(state, 64);
    default:
        return odd[mutate_pick(state, sizeof odd / sizeof *odd)];
    }
}

/* Changes a number of 2, 4 or 8 bytes in p[0 .. n). Numbers lie at multiples of 2 or 4. */
static inline void mutate_word(uint64_t *state, char *p, size_t n)
{
    static const size_t sizes[] = {2, 4, 4, 4, 8, 8, 8};
    size_t size = sizes[mutate_pick(state, sizeof sizes / sizeof *sizes)];
    if (n < size)
        return;
    size_t step = size == 2 ? 2 : 4, at = mutate_pick(state, (n - size) / step + 1) * step;
    uint64_t v = 0;
    memcpy(&v, p + at, size);
    v = mutate_number(state, v);
    memcpy(p + at, &v, size);
}

#endif
