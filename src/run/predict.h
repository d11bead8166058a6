/* One example of a test. */
#ifndef THR_RUN_PREDICT_H
#define THR_RUN_PREDICT_H

#include "measure/metrics.h"
#include "step/scratch.h"
#include "step/step.h"

/* Predicts example e of a batch resolved against m, and records it beside its true label. */
int thr_test_example(const thr_model *m, thr_scratch *s, const thr_batch *b, size_t e,
                     thr_metrics *t, thr_error *err);

#endif
