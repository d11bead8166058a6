#include "base/hash.h"

#include "base/scan.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#define SHORT 240 /* up to here there is nothing to be done side by side */

uint64_t thr_hash(const void *p, size_t n, uint64_t seed)
{
#if THR_WIDE && !defined(__clang__)
    if (n > SHORT && __builtin_cpu_supports("avx2"))
        return thr_hash_wide(p, n, seed);
#endif
    return XXH3_64bits_withSeed(p, n, seed);
}
