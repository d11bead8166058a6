/* XXH3 (64 bits), the only hash function of the project: names, hash slots and checksums. Its
 * values are part of the file formats, so they must be the same on every machine and in every
 * version. */
#ifndef THR_BASE_HASH_H
#define THR_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

uint64_t thr_hash(const void *p, size_t n, uint64_t seed);
uint64_t thr_hash_wide(const void *p, size_t n, uint64_t seed); /* needs AVX2 */

#endif
