/* Predicting a whole stream: one prediction for each example, metrics, or explanations.
 *
 * The three differ in what they do with an example (walk.use); the rest is the same: read
 * batches, reject unusable examples, prefetch the next example's weights, call `use`. The model
 * is const throughout, so the threads that parse also look names up, and unknown names have
 * THR_NONE. A damaged model file may be noticed only while its weights are read;
 * thr_model_intact is therefore asked after each batch. */
#include "run/predict.h"

#include "input/reject.h"
#include "input/stream.h"
#include "step/explain.h"
#include "step/names.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* One run over a stream. */
typedef struct walk {
    const thr_model *m;
    thr_stream *stream;
    thr_scratch *scratch;
    thr_error *err;
    thr_progress_fn *progress;
    void *progress_user;
    thr_progress told; /* the counts so far, as they are reported */
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

/* Batches of a cache have not been looked up yet. */
static int use_batch(walk *w, thr_batch *b)
{
    int code = thr_reject_unusable(w->stream, w->m, b, w->needs_label, w->err);
    if (code == 0 && !b->looked_up)
        code = thr_model_find(w->m, b, w->err);
    for (size_t e = 0; e < b->n && code == 0; e++) {
        thr_workspace_prefetch(&w->scratch->work, w->m, b, e + 1);
        w->told.examples++;
        code = w->use(w, b, e);
    }
    thr_workspace_forget(&w->scratch->work);
    if (code == 0)
        code = thr_model_intact(w->m, w->err);
    if (code || !w->progress)
        return code;
    thr_stream_progress(w->stream, &w->told.bytes, &w->told.total_bytes);
    w->told.pass = 1;
    return w->progress(w->progress_user, &w->told) ? thr_fail(w->err, THR_ECANCEL, "stopped") : 0;
}

static int walk_all(walk *w, thr_input *in, thr_reading *reading)
{
    if (thr_model_by_example(w->m, w->err))
        return THR_EUSE;
    w->scratch = thr_scratch_new();
    w->told.mean_squared = NAN;
    thr_lookup names = thr_model_lookup(w->m);
    w->stream = thr_stream_open_known(in, thr_model_reader(w->m), &names, thr_model_format(w->m),
                                      NULL, w->err);
    int code = w->stream && w->scratch ? 0 : thr_fail_memory(w->err);
    thr_batch *b;
    while (code == 0 && (code = thr_stream_next(w->stream, &b, w->err)) > 0)
        code = use_batch(w, b);
    if (reading && w->stream)
        thr_stream_reading(w->stream, reading);
    thr_stream_close(w->stream);
    thr_scratch_free(w->scratch);
    return code;
}

/* ---- one line per example ----------------------------------------------------------------- */

static int use_predict(walk *w, const thr_batch *b, size_t e)
{
    thr_prediction p;
    int code = thr_predict_example(w->m, w->scratch, b, e, !w->plain, &p, w->err);
    if (code)
        return code;
    p.file = thr_stream_file(w->stream);
    p.line = thr_stream_line(w->stream, b, e);
    w->told.mistakes += p.wrong;
    return w->fn.predict(w->user, &p);
}

static int predict(const thr_model *m, thr_input *in, bool plain, thr_predict_fn *fn, void *user,
                   thr_progress_fn *progress, void *progress_user, thr_reading *reading,
                   thr_error *err)
{
    walk w = {.m = m,
              .err = err,
              .progress = progress,
              .progress_user = progress_user,
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
    int code = thr_test_example(w->m, w->scratch, b, e, t, w->err);
    if (code == 0 && t->numbers)
        w->told.mean_squared = t->squared / (double)t->examples;
    if (code == 0 && t->mistakes > before && w->fn.predict)
        code = use_predict(w, b, e);
    w->told.mistakes = t->mistakes;
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
    walk w = {.m = m,
              .err = err,
              .progress = progress,
              .progress_user = user,
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
    int code = thr_explain_example(w->m, w->scratch, b, e, &x, w->err);
    if (code)
        return code;
    x.prediction.file = thr_stream_file(w->stream);
    x.prediction.line = thr_stream_line(w->stream, b, e);
    return w->fn.explain(w->user, &x);
}

int thr_explain(const thr_model *m, thr_input *in, thr_explain_fn *fn, void *user,
                thr_reading *reading, thr_error *err)
{
    walk w = {.m = m, .err = err, .use = use_explain, .user = user, .fn.explain = fn};
    return walk_all(&w, in, reading);
}
