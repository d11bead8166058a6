/* One trial: a model learns from all folds but one and is tested on that one. */
#ifndef THR_COMPARE_TRIAL_H
#define THR_COMPARE_TRIAL_H

#include "base/jobs.h"
#include "compare/folds.h"
#include "input/corpus.h"

typedef struct thr_trial {
    const thr_settings *settings;
    const thr_corpus *kept;
    const thr_folds *folds;
    size_t fold;
    const thr_train_options *train; /* its progress is not used */
    /* each test example and its loss: 1 if it was wrong, or the square of the error; may be NULL */
    void (*outcome)(void *user, size_t example, double loss);
    void *user;
    /* what comes out */
    thr_metrics *metrics; /* finished, the caller's */
    thr_train_report report;
    uint64_t sat_out; /* test examples that the rule cannot take */
} thr_trial;

int thr_trial_run(thr_trial *r, thr_jobs *jobs, thr_error *err);

#endif
