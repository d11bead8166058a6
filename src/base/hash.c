/* Chooses between the plain XXH3 and the one compiled for AVX2 (hash_wide.c). */
#include "base/hash.h"

#include "base/scan.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#define SHORT 240 /* bytes; up to here XXH3 uses scalar code, which AVX2 cannot speed up */

uint64_t thr_hash(const void *p, size_t n, uint64_t seed)
{
#if THR_WIDE && !defined(__clang__)
    if (n > SHORT && __builtin_cpu_supports("avx2"))
        return thr_hash_wide(p, n, seed);
#endif
    return XXH3_64bits_withSeed(p, n, seed);
}
