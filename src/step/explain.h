/* The prediction of one example in the form that the public interface returns, and what each of its
 * features contributed to it. */
#ifndef THR_STEP_EXPLAIN_H
#define THR_STEP_EXPLAIN_H

#include "step/scratch.h"
#include "step/step.h"

/* Example e of a batch resolved against m. `with_probabilities`: with probabilities. What *out
 * points to is valid until the scratch is next used. */
int thr_predict_example(const thr_model *m, thr_scratch *s, const thr_batch *b, size_t e,
                        bool with_probabilities, thr_prediction *out, thr_error *err);
/* The same with the contribution of each feature. THR_EUSE for a rule that is neither linear nor
 * able to justify itself. */
int thr_explain_example(const thr_model *m, thr_scratch *s, const thr_batch *b, size_t e,
                        thr_explanation *out, thr_error *err);

/* Adds to *out the reasons of a rule that is not linear but gives learner->justify. x is the
 * example as the rule sees it, and must be the one that the scratch has predicted last. */
int thr_explain_justified(const thr_model *m, thr_scratch *s, const thr_rule *r,
                          const thr_example *x, thr_explanation *out, thr_error *err);

#endif
