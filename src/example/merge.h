/* Merging features that an example names twice. */
#ifndef THR_EXAMPLE_MERGE_H
#define THR_EXAMPLE_MERGE_H

#include "base/secret.h"
#include "example/batch.h"

/* Scratch: a hash table with open addressing over the keys of one example (merge.c). It is
 * reused from example to example by one thread. All zero is empty. */
typedef struct thr_merge {
    uint64_t *slot;
    size_t room, mask; /* slots allocated; those in use for the example at hand, less one */
    uint64_t round;    /* number of the merge, from 1 */
    thr_secret secret; /* drawn when it is first needed */
} thr_merge;
void thr_merge_clear(thr_merge *m); /* frees */

/* Among the features of the open example from number `from` on, replaces those with the same
 * name by one with the sum of their values, at the place of the first; then drops zeros, except
 * those of THR_NUMBERS if `numbers` is set. Counts the example in batch->repeated if there were
 * any. A sum that overflows is the greatest float. */
void thr_batch_merge(thr_batch *b, size_t from, thr_merge *scratch, bool numbers);
/* The same, but keeps the first feature of each name as it is, and no zeros are looked for. */
void thr_batch_distinct(thr_batch *b, size_t from, thr_merge *scratch);

#endif
