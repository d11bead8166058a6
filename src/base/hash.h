/* XXH3, the one hash function of the project (names, slots, checksums). */
#ifndef THR_BASE_HASH_H
#define THR_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

uint64_t thr_hash(const void *p, size_t n, uint64_t seed);
uint64_t thr_hash_wide(const void *p, size_t n, uint64_t seed); /* only where there is AVX2 */

#endif
