/* Learning from a view of the corpus, then testing on another part of the same view. */
#include "compare/trial.h"

#include "measure/metrics.h"
#include "run/predict.h"
#include "run/train.h"

#include <stdlib.h>

/* Counts the examples whose values the rule cannot take. Members of a panel sit out one by one, so
 * a panel as a whole never does. */
static int test(thr_trial *r, const thr_model *m, thr_view *v, thr_error *err)
{
    const thr_batch *b = &v->store.all;
    thr_scratch *s = thr_scratch_new();
    r->metrics = thr_metrics_new(thr_model_label_set(m), err);
    int code = s && r->metrics ? 0 : thr_fail_memory(err);
    if (code == 0)
        r->metrics->multilabel = thr_model_reader(m)->multilabel;
    for (size_t i = 0; i < v->store.picked && code == 0; i++) {
        size_t e = v->store.pick[i];
        uint64_t before = r->metrics->mistakes;
        code = thr_test_example(m, s, b, e, r->metrics, err);
        r->sat_out += thr_model_alone(m) && !thr_model_takes(m, 0, b, e);
        if (code || !r->outcome)
            continue;
        double loss = r->metrics->mistakes > before;
        if (thr_model_regression(m)) {
            double error = thr_label_number(&b->about[e]) - s->work.cases->answer[0];
            loss = error * error;
        }
        r->outcome(r->user, e, loss);
    }
    if (code == 0)
        thr_metrics_finish(r->metrics);
    thr_scratch_free(s);
    return code;
}

/* pick[0..first) are learned, the others tested. Ids are given to the examples to learn from
 * first, as if the file held nothing else; names that occur only in the test stay unknown. */
int thr_trial_run(thr_trial *r, thr_jobs *jobs, thr_error *err)
{
    thr_view v = {0};
    thr_job_progress t = {.jobs = jobs};
    thr_train_options o = *r->train;
    o.progress = thr_job_tell;
    o.user = &t;
    size_t *pick = malloc((r->folds->n + 1) * sizeof *pick);
    thr_model *m = pick ? thr_model_new(r->settings, err) : NULL;
    int code = m ? 0 : !pick ? thr_fail_memory(err) : err->code;
    size_t first = code == 0 ? thr_folds_part(r->folds, r->fold, pick) : 0;
    if (code == 0)
        code = thr_view_open(&v, r->kept, m, err);
    if (code == 0)
        code = thr_view_resolve(&v, m, pick, first, err);
    if (code == 0)
        code = thr_train_view(m, &v, &o, NULL, &r->report, err);
    if (code == 0) {
        thr_view_find(&v, m, pick + first, r->folds->n - first);
        code = test(r, m, &v, err);
    }
    if (code == 0)
        thr_jobs_progress(jobs, r->report.examples - t.told);
    thr_view_close(&v);
    thr_model_free(m);
    free(pick);
    return code;
}
