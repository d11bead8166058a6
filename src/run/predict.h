/* Testing one example, for whole streams (predict.c) and for trials (compare/trial.c). */
#ifndef THR_RUN_PREDICT_H
#define THR_RUN_PREDICT_H

#include "measure/metrics.h"
#include "step/scratch.h"
#include "step/step.h"

/* Predicts example e of b, whose ids are those of m, and records the prediction together with
 * the true label in *t. What was predicted is left in the scratch. */
int thr_test_example(const thr_model *m, thr_scratch *s, const thr_batch *b, size_t e,
                     thr_metrics *t, thr_error *err);

#endif
