/* Which examples are tested together: the folds of cross-validation. A fold is tested by a model
 * that learned from all the others. */
#ifndef THR_COMPARE_FOLDS_H
#define THR_COMPARE_FOLDS_H

#include "base/error.h"
#include "example/batch.h"

typedef struct thr_folds {
    size_t k, n;
    uint32_t *of; /* per example, below k */
} thr_folds;

/* As the plan says; `repeat` numbers the drawing. `labelled`: every fold gets its share of each
 * label. */
int thr_folds_init(thr_folds *f, const thr_batch *b, const thr_fold_plan *plan, uint64_t repeat,
                   bool labelled, thr_error *err);
void thr_folds_clear(thr_folds *f);
size_t thr_folds_size(const thr_folds *f, size_t fold); /* examples in it */
/* The examples to learn from, then those to test, each in order, in `pick`; returns how many come
 * first. */
size_t thr_folds_part(const thr_folds *f, size_t fold, size_t *pick);

#endif
