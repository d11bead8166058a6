/* The folds of cross-validation: which examples are tested together. Each fold is tested on a
 * model that has learned from all the other folds. */
#ifndef THR_COMPARE_FOLDS_H
#define THR_COMPARE_FOLDS_H

#include "base/error.h"
#include "example/batch.h"

typedef struct thr_folds {
    size_t k, n;  /* folds, examples */
    uint32_t *of; /* the fold of each example, below k */
} thr_folds;

/* Assigns the examples of b to folds as the plan says: by the first bytes of their tags, by
 * their position, or at random. A random assignment depends on plan->seed and `repeat` alone.
 * `labelled`: it is stratified, so that every fold gets its share of each label. */
int thr_folds_init(thr_folds *f, const thr_batch *b, const thr_fold_plan *plan, uint64_t repeat,
                   bool labelled, thr_error *err);
void thr_folds_clear(thr_folds *f);
size_t thr_folds_size(const thr_folds *f, size_t fold); /* examples in it */
/* Fills pick[0..n) with the examples to learn from, followed by those to test, each in the
 * order of the input. Returns how many are to be learned from. */
size_t thr_folds_part(const thr_folds *f, size_t fold, size_t *pick);

#endif
