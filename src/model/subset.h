/* A model without some of its features: what lean models, pruning and the ceiling on the number of
 * features share. Ids are given anew, in the old order; the bias stays. */
#ifndef THR_MODEL_SUBSET_H
#define THR_MODEL_SUBSET_H

#include "model/model.h"

/* Names, rows and counts of the ids with keep[id], and nothing else: for features that no
 * prediction depends on. Hashed models keep their slots. On failure nothing has changed. */
int thr_model_keep(thr_model *m, const bool *keep, thr_error *err);
/* The same, and what the rules have learned from the others is taken out of their sums, so that
 * they are as good as never seen. */
int thr_model_drop(thr_model *m, const bool *keep, thr_error *err);
/* THR_EUSE with a sentence for a model whose features cannot be dropped. */
int thr_model_droppable(const thr_model *m, thr_error *err);

#endif
