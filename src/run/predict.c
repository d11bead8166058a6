/* Predicting a whole stream: one prediction for each example, metrics, or explanations.
 *
 * The three differ in what they do with an example (walk.use); the rest is the same: reject unusable examples,
 * prefetch the next example's weights, call `use`. */
#include "run/predict.h"

#include "input/reject.h"
#include "run/walk.h"
#include "step/explain.h"
#include "step/names.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* One run over a stream. */
typedef struct walk {
    thr_walk all; /* first: `check` and `use_batch` are given its address */
    thr_scratch *scratch;
    bool needs_label;  /* examples without a label are rejected */
    bool plain;        /* only scores are wanted, no probabilities */
    int (*use)(struct walk *w, const thr_batch *b, size_t e); /* what to do with example e */
    void *user;
    thr_metrics *metrics; /* of a test */
    union {
        thr_predict_fn *predict; /* of a test: called for wrong predictions; may be NULL */
        thr_explain_fn *explain;
    } fn; /* called with `user` */
} walk;

static int check_batch(thr_walk *all, thr_batch *b)
{
    walk *w = (walk *)all;
    return thr_reject_unusable(all->stream, all->m, b, w->needs_label, all->err);
}

static int use_batch(thr_walk *all, thr_batch *b)
{
    walk *w = (walk *)all;
    int code = 0;
    for (size_t e = 0; e < b->n && code == 0; e++) {
        thr_workspace_prefetch(&w->scratch->work, all->m, b, e + 1);
        all->told.examples++;
        code = w->use(w, b, e);
    }
    thr_workspace_forget(&w->scratch->work);
    return code;
}

static int walk_all(walk *w, thr_input *in, thr_reading *reading)
{
    if (thr_model_by_example(w->all.m, w->all.err))
        return THR_EUSE;
    w->all.check = check_batch;
    w->all.use = use_batch;
    w->scratch = thr_scratch_new();
    int code = w->scratch ? thr_walk_input(&w->all, in, reading) : thr_fail_memory(w->all.err);
    thr_scratch_free(w->scratch);
    return code;
}

/* ---- one line per example ----------------------------------------------------------------- */

static int use_predict(walk *w, const thr_batch *b, size_t e)
{
    thr_prediction p;
    int code = thr_predict_example(w->all.m, w->scratch, b, e, !w->plain, &p, w->all.err);
    if (code)
        return code;
    p.file = thr_stream_file(w->all.stream);
    p.line = thr_stream_line(w->all.stream, b, e);
    w->all.told.mistakes += p.wrong;
    return w->fn.predict(w->user, &p);
}

static int predict(const thr_model *m, thr_input *in, bool plain, thr_predict_fn *fn, void *user,
                   thr_progress_fn *progress, void *progress_user, thr_reading *reading,
                   thr_error *err)
{
    walk w = {.all.m = m,
              .all.err = err,
              .all.progress = progress,
              .all.progress_user = progress_user,
              .use = use_predict,
              .plain = plain,
              .user = user,
              .fn.predict = fn};
    return walk_all(&w, in, reading);
}

int thr_predict(const thr_model *m, thr_input *in, thr_predict_fn *fn, void *user,
                thr_progress_fn *progress, void *progress_user, thr_reading *reading,
                thr_error *err)
{
    return predict(m, in, false, fn, user, progress, progress_user, reading, err);
}

int thr_predict_scores(const thr_model *m, thr_input *in, thr_predict_fn *fn, void *user,
                       thr_progress_fn *progress, void *progress_user, thr_reading *reading,
                       thr_error *err)
{
    return predict(m, in, true, fn, user, progress, progress_user, reading, err);
}

/* ---- metrics ------------------------------------------------------------------------------ */

int thr_test_example(const thr_model *m, thr_scratch *s, const thr_batch *b, size_t e,
                     thr_metrics *t, thr_error *err)
{
    thr_answer a = {0};
    int code = thr_model_score(m, &s->work, b, e, &a.label, err);
    if (code)
        return code;
    if (!thr_model_regression(m)) {
        thr_case_probabilities(m, s->work.cases);
        a.score = thr_case_lead(m, s->work.cases);
        a.probability = s->work.cases->probability;
        return t->multilabel
                   ? thr_metrics_record_set(t, b, e, s->work.cases->chosen, a.probability, err)
                   : thr_metrics_record(t, b->about[e].label, &a, err);
    }
    thr_metrics_record_number(t, thr_label_number(&b->about[e]), s->work.cases->answer[0]);
    return 0;
}

static int use_test(walk *w, const thr_batch *b, size_t e)
{
    thr_metrics *t = w->metrics;
    uint64_t before = t->mistakes;
    int code = thr_test_example(w->all.m, w->scratch, b, e, t, w->all.err);
    if (code == 0 && t->numbers)
        w->all.told.mean_squared = t->squared / (double)t->examples;
    if (code == 0 && t->mistakes > before && w->fn.predict)
        code = use_predict(w, b, e);
    w->all.told.mistakes = t->mistakes;
    return code;
}

thr_metrics *thr_test(const thr_model *m, thr_input *in, thr_progress_fn *progress, void *user,
                      thr_reading *reading, thr_error *err)
{
    return thr_test_wrong(m, in, NULL, NULL, progress, user, reading, err);
}

thr_metrics *thr_test_wrong(const thr_model *m, thr_input *in, thr_predict_fn *wrong,
                            void *wrong_user, thr_progress_fn *progress, void *user,
                            thr_reading *reading, thr_error *err)
{
    thr_metrics *t = thr_metrics_new(thr_model_label_set(m), err);
    if (!t)
        return NULL;
    t->multilabel = thr_model_reader(m)->multilabel;
    walk w = {.all.m = m,
              .all.err = err,
              .all.progress = progress,
              .all.progress_user = user,
              .use = use_test,
              .needs_label = true,
              .metrics = t,
              .user = wrong_user,
              .fn.predict = wrong};
    int code = walk_all(&w, in, reading);
    if (code == 0 && t->examples == 0) {
        code = thr_fail(err, THR_EDATA, "there is no example in it");
        thr_fail_at(err, in->n_parts ? in->part[0].name : NULL, 0, 0);
    }
    if (code) {
        thr_metrics_free(t);
        return NULL;
    }
    thr_metrics_finish(t);
    return t;
}

/* ---- explanations ------------------------------------------------------------------------- */

static int use_explain(walk *w, const thr_batch *b, size_t e)
{
    thr_explanation x;
    int code = thr_explain_example(w->all.m, w->scratch, b, e, &x, w->all.err);
    if (code)
        return code;
    x.prediction.file = thr_stream_file(w->all.stream);
    x.prediction.line = thr_stream_line(w->all.stream, b, e);
    return w->fn.explain(w->user, &x);
}

int thr_explain(const thr_model *m, thr_input *in, thr_explain_fn *fn, void *user,
                thr_reading *reading, thr_error *err)
{
    walk w = {.all.m = m, .all.err = err, .use = use_explain, .user = user, .fn.explain = fn};
    return walk_all(&w, in, reading);
}
