/* The same hash by AVX2, for inputs of which XXH3 takes 64 bytes at a time. */
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
