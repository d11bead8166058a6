/* The decision of a mixture as one linear function of the features.
 *
 * A member's logits are  u_kl = a_k (e_kl - mean_j e_kj) / size_k + b_kl  with the evidence
 * e_kl = score_kl / extent (measure/calibration.h), the mixture's are  a sum_k v_k u_kl + b_l
 * (model/mixture.h). If every score is linear in the features, so is the sum:
 *
 *     d_l = sum_i W_il x_i / |x| + B_l / |x| + C_l,
 *     W_il = sum_k c_k (w_kil - mean_j w_kij),   c_k = a v_k a_k / size_k,
 *     C_l = a sum_k v_k b_kl + b_l + log of the label's class weight,
 *
 * where B_l has what a rule's score has beside its features, such as the prior of naive Bayes. Two
 * labels have one function, d_1 - d_0: the log-odds. For multi-label data every d_l is the log-odds
 * of its own label, and no mean is subtracted. Explanations, weights and lean models are all made
 * from this. */
#ifndef THR_MODEL_DECISION_H
#define THR_MODEL_DECISION_H

#include "model/model.h"

/* Whether the model is a mixture of rules that are all linear in the values of features. */
bool thr_model_is_one(const thr_model *m);
/* c_k. */
double thr_decision_share(const thr_model *m, uint32_t k);
/* C_l, and C_l without the class weight. */
double thr_decision_constant(const thr_model *m, uint32_t label);
double thr_decision_offset(const thr_model *m, uint32_t label);
/* Whether member k sees a feature; what its score has beside its features, not yet divided by the
 * extent of an example. */
bool thr_decision_sees(const thr_model *m, uint32_t k, uint32_t id);
double thr_decision_rest(const thr_model *m, uint32_t k, uint32_t label);
/* W_il of a feature for every label; of two labels each gets its lead over the other. `work` is
 * scratch for as many numbers as there are labels. */
void thr_decision_weights(const thr_model *m, uint32_t id, double *weight, double *work);
/* sum_k c_k (w_kil - w_kij) of a feature for two labels; without w_kij if `against` is THR_NONE. */
double thr_decision_difference(const thr_model *m, uint32_t id, uint32_t label, uint32_t against);

#endif
