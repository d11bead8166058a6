/* Training on examples that are in memory: those of a view (input/corpus.h), and the public thr_data. */
#include "run/training.h"

#include "input/data.h"
#include "input/store.h"
#include "run/defaults.h"
#include "step/names.h"

#include <math.h>

/* Everything that can be refused is, before the model is touched. */
static int plan_stored(thr_run *r, const thr_train_options *o, thr_train_options *full)
{
    *r->report = (thr_train_report){0};
    r->o = full;
    int code = thr_train_complete(o, full, r->err);
    if (code == 0)
        code = thr_run_plan(r);
    return code ? code : thr_run_plan_stored(r);
}

int thr_train_view(thr_model *m, thr_view *v, const thr_train_options *o, const thr_watch *watch,
                   thr_train_report *report, thr_error *err)
{
    thr_train_options full;
    thr_run r = {
        .m = m, .report = report, .err = err, .watch = watch, .store = &v->store, .kept = v->kept};
    int code = plan_stored(&r, o, &full);
    if (code == 0)
        code = thr_run_passes(&r, true);
    thr_workspace_clear(&r.work);
    thr_label_runs_clear(&r.runs);
    return code;
}

/* What a stream rejects while it is read (input/reject.h): the data may have been read for another
 * rule. */
static int check_kept(const thr_model *m, const thr_batch *b, size_t e, thr_error *err)
{
    const thr_example_info *a = &b->about[e];
    const char *rule = thr_model_learner(m)->name;
    if (a->more.n && !thr_model_reader(m)->multilabel)
        return thr_fail(err, THR_EDATA,
                        "several labels for one example: these need training with --multilabel on");
    if (thr_model_regression(m) && isnan(thr_label_number(a)))
        return thr_fail(err, THR_EDATA, "the label is not a number, and %s predicts numbers", rule);
    if (thr_model_alone(m) && !thr_model_takes(m, 0, b, e))
        return thr_fail(err, THR_EDATA, "%s with these options cannot take negative values", rule);
    return 0;
}

/* A hypothesis may be accepted in the middle of the data, and names behind it would have ids. */
static int plan_data(thr_run *r, const thr_data *d, const thr_train_options *o, thr_train_options *full)
{
    const thr_batch *b = &d->kept.store.all;
    int code = plan_stored(r, o, full);
    if (code == 0 && (full->cache || r->promises))
        code = thr_fail(r->err, THR_EUSE,
                        full->cache ? "data in memory needs no cache"
                                    : "pac may stop in the middle of the data: train on the input");
    if (code)
        return code;
    for (size_t e = 0; e < b->n; e++)
        if (check_kept(r->m, b, e, r->err))
            return thr_fail_at(r->err, d->kept.place[e].file, d->kept.place[e].line, 0);
    return 0;
}

int thr_train_data(thr_model *m, const thr_data *d, const thr_train_options *o,
                   thr_train_report *report, thr_error *err)
{
    thr_error local;
    thr_train_report unused;
    thr_train_options full;
    thr_view v = {0};
    thr_run r = {.m = m,
             .report = report ? report : &unused,
             .err = err ? err : &local,
             .store = &v.store,
             .kept = &d->kept};
    int code = plan_data(&r, d, o, &full);
    if (code == 0)
        code = thr_view_open(&v, &d->kept, m, r.err);
    if (code == 0)
        code = thr_view_resolve(&v, m, NULL, 0, r.err);
    if (code == 0)
        code = thr_run_passes(&r, true);
    thr_data_reading(d, &r.report->reading);
    thr_workspace_clear(&r.work);
    thr_label_runs_clear(&r.runs);
    thr_view_close(&v);
    return code;
}
