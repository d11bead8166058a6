/* Whether a model was trained further from another one, its base. Only then is the difference of
 * the two what the model has learned since, which mixing with a base adds up.
 *
 * A model does not record where it comes from. But training only ever adds: examples and mistakes,
 * marks of examples met (model/repeats.h), labels and features behind those that were there, kept
 * examples, and what a rule has seen of a weight. If anything is less than in the base, or in
 * another place, the model does not descend from it. These checks are necessary, not sufficient.
 * All fail with THR_EUSE and a message that names what is missing. */
#ifndef THR_COMBINE_DESCENT_H
#define THR_COMBINE_DESCENT_H

#include "model/model.h"

/* Checks counters and labels. The models are compatible (compatible.h). `number` names m in
 * messages, from 1. */
int thr_model_descends(const thr_model *m, const thr_model *base, size_t number, thr_error *err);
/* Checks the marks of examples met, the kept examples and the notes about them. Both models have
 * the same labels by now. */
int thr_model_keeps(const thr_model *m, const thr_model *base, size_t number, thr_error *err);
/* The error that feature `id` of the base is missing in the model, or has another id there. */
int thr_fail_descent_feature(const thr_model *base, uint32_t id, bool missing, size_t number,
                             thr_error *err);
/* The error that the model has seen less of a feature than the base; m is a model that knows the
 * feature's name under this id. */
int thr_fail_descent_seen(const thr_model *m, uint32_t id, size_t number, thr_error *err);

#endif
