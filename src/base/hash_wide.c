/* XXH3 compiled for AVX2, for inputs above 240 bytes, which XXH3 processes in stripes of 64.
 * The value is the same. It is a file of its own, because the pragma applies to all that
 * follows it. */
#include "base/hash.h"
#include "base/scan.h"

#if THR_WIDE && !defined(__clang__)

#pragma GCC target("avx2")
#define XXH_INLINE_ALL
#include <xxhash.h>

uint64_t thr_hash_wide(const void *p, size_t n, uint64_t seed)
{
    return XXH3_64bits_withSeed(p, n, seed);
}

#endif
