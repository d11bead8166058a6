/* A trial: a new model learns from all folds but one and is tested on that one. Trials share
 * the corpus and the folds, which are const, and nothing else, so they may run in different
 * threads. */
#ifndef THR_COMPARE_TRIAL_H
#define THR_COMPARE_TRIAL_H

#include "base/jobs.h"
#include "compare/folds.h"
#include "input/corpus.h"

typedef struct thr_trial {
    const thr_settings *settings;
    const thr_corpus *kept;
    const thr_folds *folds;
    size_t fold;                    /* the one to test */
    const thr_train_options *train; /* its progress callback is not called; jobs report */
    /* Called for each test example with its loss: 1 if the prediction was wrong, or the square
     * of the error. May be NULL. */
    void (*outcome)(void *user, size_t example, double loss);
    void *user;
    /* results */
    thr_metrics *metrics; /* finished; freed by the caller */
    thr_train_report report;
    uint64_t sat_out; /* test examples that the rule cannot take */
} thr_trial;

/* Runs the trial as a job, and reports its progress to `jobs`. */
int thr_trial_run(thr_trial *r, thr_jobs *jobs, thr_error *err);

#endif
