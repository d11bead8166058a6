/* A feature named twice in one example is one feature. */
#ifndef THR_EXAMPLE_MERGE_H
#define THR_EXAMPLE_MERGE_H

#include "example/batch.h"

/* Scratch: an open-addressed table over one example's keys. */
typedef struct thr_merge {
    uint64_t *slot;
    size_t room, mask;
    uint64_t round;
} thr_merge;
void thr_merge_clear(thr_merge *m);

/* Sums features named twice from feature `from` on, keeping the first place of each; then
 * drops zeros. thr_batch_distinct keeps the first of each as it is. */
void thr_batch_merge(thr_batch *b, size_t from, thr_merge *scratch);
void thr_batch_distinct(thr_batch *b, size_t from, thr_merge *scratch);

#endif
