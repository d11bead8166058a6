/* thr_hash for names: short inputs are hashed by inlined code, without a call. Only for files
 * that hash names by the million: each gets the whole implementation of XXH3. */
#ifndef THR_BASE_HASH_NAME_H
#define THR_BASE_HASH_NAME_H

#include "base/hash.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

/* The same value as thr_hash. */
__attribute__((always_inline)) static inline uint64_t thr_hash_name(const char *p, size_t n,
                                                                    uint64_t seed)
{
    return n <= 16 ? XXH3_64bits_withSeed(p, n, seed) : thr_hash(p, n, seed);
}

#endif
