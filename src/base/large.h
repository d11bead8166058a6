/* Large blocks of zeros. Tables that are read here and there miss the processor's address
 * translation more often than its caches; pages of 2 MiB, where the system has them, spare that. */
#ifndef THR_BASE_LARGE_H
#define THR_BASE_LARGE_H

#include <stddef.h>

#define THR_LARGE ((size_t)1 << 21) /* what a large block is aligned to and a multiple of */

/* At least `bytes`, or NULL; freed with the same number. */
void *thr_large_new(size_t bytes);
void thr_large_free(void *p, size_t bytes);

#endif
