/* One example's prediction, and what each of its features contributed. */
#ifndef THR_STEP_EXPLAIN_H
#define THR_STEP_EXPLAIN_H

#include "step/scratch.h"
#include "step/step.h"

/* Example e of a batch resolved against m. Results are valid until the scratch is next used. */
int thr_predict_example(const thr_model *m, thr_scratch *s, const thr_batch *b, size_t e,
                        bool chances, thr_prediction *out, thr_error *err);
int thr_explain_example(const thr_model *m, thr_scratch *s, const thr_batch *b, size_t e,
                        thr_explanation *out, thr_error *err);

/* The part of it for a rule that is not linear and can justify itself. x is what the rule sees; the
 * scratch has been used to predict it. */
int thr_explain_justified(const thr_model *m, thr_scratch *s, const thr_rule *r,
                          const thr_example *x, thr_explanation *out, thr_error *err);

#endif
