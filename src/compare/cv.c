/* Cross-validation: the input is read once into a corpus, each repetition draws its folds, and
 * each fold is a trial (trial.h). The trials are independent jobs for threads; each leaves its
 * result in its own thr_trial, so the report does not depend on the threads. */
#include "base/error.h"
#include "compare/trial.h"
#include "measure/metrics.h"
#include "measure/significance.h"
#include "run/defaults.h"

#include <math.h>
#include <stdlib.h>

struct thr_cv {
    thr_cv_fold *fold;
    double *result;       /* per fold: accuracy, or mean squared error */
    size_t n;             /* number of folds, over all repetitions */
    thr_metrics *metrics; /* of all trials together */
    thr_reading reading;
};

typedef struct run {
    const thr_settings *settings;
    const thr_cv_options *o;
    thr_corpus kept;
    thr_folds *folds; /* one for each repetition */
    unsigned repeats;
    thr_trial *trial; /* one for each repetition and fold */
    size_t n;
    bool numbers; /* numbers are predicted, not labels */
} run;

/* Draws the folds of every repetition and prepares a trial for each. */
static int plan(run *r, thr_error *err)
{
    int code = 0;
    r->repeats = r->o->repeat;
    r->folds = calloc(r->repeats, sizeof *r->folds);
    if (!r->folds)
        return thr_fail_memory(err);
    for (unsigned i = 0; i < r->repeats && code == 0; i++) {
        code = thr_folds_init(&r->folds[i], &r->kept.store.all, &r->o->plan, i, !r->numbers, err);
        r->n += r->folds[i].k;
    }
    if (code)
        return code;
    r->trial = calloc(r->n, sizeof *r->trial);
    for (size_t i = 0; r->trial && i < r->n; i++)
        r->trial[i] = (thr_trial){.settings = r->settings,
                                  .kept = &r->kept,
                                  .folds = &r->folds[i / r->folds[0].k],
                                  .fold = i % r->folds[0].k,
                                  .train = &r->o->train};
    return r->trial ? 0 : thr_fail_memory(err);
}

static int one_trial(void *user, size_t job, thr_jobs *jobs, thr_error *err)
{
    return thr_trial_run(&((run *)user)->trial[job], jobs, err);
}

static int all_trials(run *r, thr_error *err)
{
    thr_jobs jobs = {.n = r->n,
                     .threads = r->o->threads,
                     .run = one_trial,
                     .user = r,
                     .progress = r->o->train.progress,
                     .progress_user = r->o->train.user};
    for (size_t i = 0; i < r->n; i++)
        jobs.work += (r->kept.store.all.n - thr_folds_size(r->trial[i].folds, r->trial[i].fold)) *
                     r->o->train.passes;
    return thr_jobs_run(&jobs, err);
}

/* ---- results ------------------------------------------------------------------------------ */

/* The metrics of all trials together. Labels are numbered in the order of the input, so that
 * the table of confusions has the same order for any folds. */
static thr_metrics *pool(const run *r, thr_error *err)
{
    thr_labels labels;
    uint32_t label;
    const thr_batch *b = &r->kept.store.all;
    int code = thr_labels_init(&labels, thr_settings_get(r->settings, "positive"), err);
    for (size_t e = 0; e < b->n && code == 0 && !r->numbers; e++) {
        thr_list more = b->about[e].more;
        code = b->about[e].label.p ? thr_labels_add(&labels, b->about[e].label, &label, err) : 0;
        for (size_t i = 0; i < more.n && code == 0; i++)
            code = thr_labels_add(&labels, b->listed[more.from + i], &label, err);
    }
    thr_metrics *t = code ? NULL : thr_metrics_new(&labels, err);
    thr_labels_clear(&labels);
    for (size_t i = 0; i < r->n && t && code == 0; i++)
        code = thr_metrics_merge(t, r->trial[i].metrics, err);
    if (t && code == 0)
        thr_metrics_finish(t);
    if (code == 0)
        return t;
    thr_metrics_free(t);
    return NULL;
}

static thr_cv *report(const run *r, thr_error *err)
{
    thr_cv *cv = calloc(1, sizeof *cv);
    if (cv) {
        *cv = (thr_cv){.n = r->n, .reading = r->kept.reading};
        cv->fold = calloc(r->n, sizeof *cv->fold);
        cv->result = calloc(r->n, sizeof *cv->result);
    }
    if (!cv || !cv->fold || !cv->result)
        thr_fail_memory(err);
    else
        cv->metrics = pool(r, err);
    if (!cv || !cv->metrics) {
        thr_cv_free(cv);
        return NULL;
    }
    for (size_t i = 0; i < r->n; i++) {
        const thr_trial *t = &r->trial[i];
        thr_cv_fold *f = &cv->fold[i];
        *f = (thr_cv_fold){.repeat = (unsigned)(i / t->folds->k),
                           .fold = (unsigned)t->fold,
                           .examples = thr_metrics_examples(t->metrics),
                           .mistakes = thr_metrics_mistakes(t->metrics)};
        f->trained = r->kept.store.all.n - f->examples;
        f->accuracy = r->numbers ? NAN : 1 - (double)f->mistakes / (double)f->examples;
        f->mean_squared = r->numbers ? t->metrics->squared / (double)f->examples : NAN;
        cv->result[i] = r->numbers ? f->mean_squared : f->accuracy;
    }
    return cv;
}

thr_cv *thr_cross_validate(const thr_settings *s, thr_input *in, const thr_cv_options *o,
                           thr_error *err)
{
    thr_error local;
    err = err ? err : &local;
    thr_cv_options full;
    run r = {.settings = s, .o = &full};
    thr_cv *cv = NULL;
    if (thr_cv_complete(o, &full, err))
        return NULL;
    thr_model *m = thr_model_new(s, err);
    int code = m ? 0 : THR_EUSE;
    r.numbers = m && thr_model_regression(m);
    if (code == 0)
        code = thr_corpus_read(&r.kept, m, true, in, full.train.progress, full.train.user, err);
    if (code == 0)
        code = plan(&r, err);
    if (code == 0)
        code = all_trials(&r, err);
    if (code == 0)
        cv = report(&r, err);
    for (size_t i = 0; r.trial && i < r.n; i++)
        thr_metrics_free(r.trial[i].metrics);
    for (unsigned i = 0; r.folds && i < r.repeats; i++)
        thr_folds_clear(&r.folds[i]);
    free(r.trial);
    free(r.folds);
    thr_corpus_clear(&r.kept);
    thr_model_free(m);
    return cv;
}

void thr_cv_free(thr_cv *cv)
{
    if (!cv)
        return;
    thr_metrics_free(cv->metrics);
    free(cv->fold);
    free(cv->result);
    free(cv);
}

size_t thr_cv_folds(const thr_cv *cv)
{
    return cv->n;
}

bool thr_cv_fold_at(const thr_cv *cv, size_t i, thr_cv_fold *out)
{
    if (i >= cv->n)
        return false;
    *out = cv->fold[i];
    return true;
}

double thr_cv_mean(const thr_cv *cv)
{
    return thr_mean(cv->result, cv->n);
}

double thr_cv_deviation(const thr_cv *cv)
{
    return thr_deviation(cv->result, cv->n);
}

const thr_metrics *thr_cv_metrics(const thr_cv *cv)
{
    return cv->metrics;
}

void thr_cv_reading(const thr_cv *cv, thr_reading *out)
{
    *out = cv->reading;
}
