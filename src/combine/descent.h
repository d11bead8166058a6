/* Was a model trained further from another, its base? What it has learned since then is then the
 * difference of the two, which is what mixing with a base adds up.
 *
 * Nothing in a model says where it comes from. But training only ever adds: examples and mistakes,
 * marks of examples met (model/repeats.h), labels and features behind those that were there, kept
 * examples, what has been seen of a weight. Where anything is less, the sentence says what. */
#ifndef THR_COMBINE_DESCENT_H
#define THR_COMBINE_DESCENT_H

#include "model/model.h"

/* Counters and labels; both models are of one kind. `number` is that of m, from 1. */
int thr_model_descends(const thr_model *m, const thr_model *base, size_t number, thr_error *err);
/* Examples met, those that are kept and the notes on them. Both have the same labels by now. */
int thr_model_keeps(const thr_model *m, const thr_model *base, size_t number, thr_error *err);
/* THR_EUSE: feature `id` of the base is not in the model, or has another number there. */
int thr_fail_descent_feature(const thr_model *base, uint32_t id, bool missing, size_t number,
                             thr_error *err);
/* THR_EUSE: the model has seen less of a feature than the base; `m` knows its name. */
int thr_fail_descent_seen(const thr_model *m, uint32_t id, size_t number, thr_error *err);

#endif
