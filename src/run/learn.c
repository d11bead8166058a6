/* Learning from the caller's batches and arrays, and predicting them. Each function first checks
 * that a batch was made with the feature settings of the model, and looks its names up again, since
 * the batch may have been used with another model.
 *
 * Rows of arrays go through a batch of the scratch, portion by portion. A portion is small enough
 * that its columns, ids and values are still in the processor's cache when its rows are learned.
 * Where portions end does not show in what is learned (docs/ARCHITECTURE.md). */
#include "base/error.h"
#include "combine/ceiling.h"
#include "input/arrays.h"
#include "input/batches.h"
#include "step/explain.h"
#include "step/names.h"

#include <string.h>

/* ---- learning ----------------------------------------------------------------------------- */

/* Looks all names up, and learns example after example. Nothing is learned if the model would grow
 * beyond a ceiling. Addresses of rows that were found ahead are forgotten at the end: the caller
 * may change the model or the batch before the next call. */
static int learn_checked(thr_model *m, thr_workspace *w, thr_batch *b, int32_t *predicted,
                         thr_error *err)
{
    int code = thr_model_check_batch(m, b, NULL, err);
    if (code == 0)
        code = thr_model_resolve(m, b, err);
    for (size_t e = 0, n; e < b->n && code == 0; e += n) {
        thr_lesson lesson[THR_LESSONS];
        n = 0;
        code = thr_model_make_room(m, b, e, err);
        if (code == 0)
            code = thr_model_learn(m, w, b, NULL, e, b->n, lesson, &n, err);
        for (size_t i = 0; i < n && predicted; i++)
            predicted[e + i] = lesson[i].predicted == THR_NONE ? -1 : (int32_t)lesson[i].predicted;
    }
    thr_workspace_forget(w);
    return code;
}

/* Nothing is learned if one of the examples has no label (a set of labels may be empty). */
int thr_learn(thr_model *m, thr_scratch *s, thr_batch *b, int32_t *predicted, thr_error *err)
{
    thr_workspace own = {0};
    int code = thr_batch_usable(m, b, err);
    if (code == 0)
        code = thr_model_trainable(m, err);
    for (size_t e = 0; e < b->n && code == 0; e++)
        if (!b->about[e].label.p && !thr_model_reader(m)->multilabel)
            code = thr_fail(err, THR_EDATA, "example %zu of the batch has no label", e + 1);
    if (code == 0)
        code = learn_checked(m, s ? &s->work : &own, b, predicted, err);
    thr_workspace_clear(&own);
    return code;
}

/* Moves the function of a label up or down on one example, for thr_promote and thr_demote. */
static int push(thr_model *m, thr_scratch *s, thr_batch *b, size_t example, const char *label,
                int sign, thr_error *err)
{
    if (thr_model_regression(m))
        return thr_fail(err, THR_EUSE,
                        "%s predicts numbers: there is no label to promote or demote",
                        thr_model_setting(m, "learner"));
    int code = thr_batch_usable(m, b, err);
    if (code == 0)
        code = thr_model_trainable(m, err);
    if (code == 0 && example >= b->n)
        code = thr_fail(err, THR_EUSE, "the batch has only %zu examples", b->n);
    thr_str name = code == 0 ? thr_batch_label_as_read(b, label) : (thr_str){0};
    if (code == 0 && b->failed)
        code = thr_fail_memory(err);
    if (code == 0)
        code = thr_model_check_batch(m, b, &name, err);
    if (code == 0)
        code = thr_model_resolve(m, b, err);
    if (code == 0)
        code = thr_model_make_room(m, b, example, err);
    thr_workspace own = {0};
    if (code == 0)
        code = thr_model_push(m, s ? &s->work : &own, b, example, name, sign, err);
    thr_workspace_clear(&own);
    return code;
}

int thr_promote(thr_model *m, thr_scratch *s, thr_batch *b, size_t example, const char *label,
                thr_error *err)
{
    return push(m, s, b, example, label, 1, err);
}

int thr_demote(thr_model *m, thr_scratch *s, thr_batch *b, size_t example, const char *label,
               thr_error *err)
{
    return push(m, s, b, example, label, -1, err);
}

/* ---- predicting --------------------------------------------------------------------------- */

/* Predicts every example. Row e of `out` (may be NULL) gets its scores or, with
 * `with_probabilities`, its probabilities; predicted[e] (may be NULL) the label, -1 if there is
 * none. */
static int score_checked(const thr_model *m, thr_scratch *s, thr_batch *b, int32_t *predicted,
                         bool with_probabilities, double *out, thr_error *err)
{
    size_t columns = thr_model_columns(m);
    int code = thr_model_find(m, b, err);
    for (size_t e = 0; e < b->n && code == 0; e++) {
        uint32_t label;
        code = thr_model_score(m, &s->work, b, e, &label, err);
        if (code)
            break;
        if (predicted)
            predicted[e] = label == THR_NONE ? -1 : (int32_t)label;
        if (out && with_probabilities)
            thr_case_probabilities(m, s->work.cases);
        if (out && columns)
            memcpy(out + e * columns,
                   with_probabilities ? s->work.cases->probability : s->work.cases->answer,
                   columns * sizeof *out);
    }
    return code ? code : thr_model_intact(m, err);
}

static int score_batch(const thr_model *m, thr_scratch *s, thr_batch *b, int32_t *predicted,
                       bool with_probabilities, double *out, thr_error *err)
{
    int code = thr_batch_usable(m, b, err);
    return code ? code : score_checked(m, s, b, predicted, with_probabilities, out, err);
}

int thr_score(const thr_model *m, thr_scratch *s, thr_batch *b, int32_t *predicted, double *scores,
              thr_error *err)
{
    return score_batch(m, s, b, predicted, false, scores, err);
}

static int has_probabilities(const thr_model *m, thr_error *err)
{
    return thr_model_regression(m)
               ? thr_fail(err, THR_EUSE, "%s predicts numbers, which have no probabilities",
                          thr_model_learner(m)->name)
               : 0;
}

int thr_probabilities(const thr_model *m, thr_scratch *s, thr_batch *b, int32_t *predicted,
                      double *probabilities, thr_error *err)
{
    int code = has_probabilities(m, err);
    return code ? code : score_batch(m, s, b, predicted, true, probabilities, err);
}

int thr_classify(const thr_model *m, thr_scratch *s, const char *text, size_t n, const char **label,
                 double *probability, thr_error *err)
{
    *label = NULL;
    if (probability)
        *probability = 0;
    if (thr_model_regression(m) || thr_model_reader(m)->multilabel)
        return thr_fail(err, THR_EUSE, "%s: a text has one label only where one is predicted",
                        thr_model_setting(m, "learner"));
    if (!text && n)
        return thr_fail(err, THR_EUSE, "%zu bytes of text are given as NULL", n);
    int32_t best;
    thr_batch *b = &s->batch;
    thr_batch_reset(b);
    thr_batch_begin(b);
    const thr_features *f = thr_model_features_of(m);
    thr_str kept = thr_features_without_nul(f, b, thr_batch_keep(b, text ? text : "", n));
    thr_features_text(f, &s->features, b, 0, kept, false);
    thr_features_finish(f, &s->features, b);
    int code = thr_score(m, s, b, &best, NULL, err);
    if (code || best < 0)
        return code;
    *label = thr_model_label(m, (size_t)best);
    thr_case_probabilities(m, s->work.cases);
    if (probability)
        *probability = s->work.cases->probability[best];
    return 0;
}

int thr_predict_one(const thr_model *m, thr_scratch *s, thr_batch *b, size_t example,
                    thr_prediction *out, thr_error *err)
{
    int code = thr_model_find_one(m, b, example, err);
    if (code == 0)
        code = thr_predict_example(m, s, b, example, true, out, err);
    return code ? code : thr_model_intact(m, err);
}

int thr_explain_one(const thr_model *m, thr_scratch *s, thr_batch *b, size_t example,
                    thr_explanation *out, thr_error *err)
{
    int code = thr_model_find_one(m, b, example, err);
    if (code == 0)
        code = thr_explain_example(m, s, b, example, out, err);
    return code ? code : thr_model_intact(m, err);
}

/* ---- arrays ------------------------------------------------------------------------------- */

#define PORTION      8192 /* features, with those of the row that exceeds it */
#define PORTION_ROWS 2048

/* Whether the model can take the rows in a batch, of which the first is row number `first`. The
 * arrays have been checked, and with them all numbers. */
static int check_rows(const thr_model *m, const thr_batch *b, size_t first, bool learning,
                      thr_error *err)
{
    thr_error why;
    bool needed = thr_model_checks(m, b) || (learning && thr_model_may_refuse(m));
    for (size_t e = 0; needed && e < b->n; e++) {
        int code = thr_model_check(m, b, e, &why);
        if (code == 0 && learning)
            code = thr_model_fits(m, b, e, &why);
        if (code)
            return thr_fail(err, code, "row %zu: %s", first + e, why.message);
    }
    return 0;
}

/* Fills the batch of a scratch with rows from *from on: `features` of them, or a little more. */
static int next_portion(const thr_model *m, thr_batch *b, const thr_rows *rows, size_t *from,
                        size_t features, bool learning, thr_error *err)
{
    size_t first = *from, most = features < SIZE_MAX ? PORTION_ROWS : SIZE_MAX;
    thr_batch_reset(b);
    int code = thr_model_by_example(m, err);
    if (code == 0)
        code = thr_rows_append(rows, from, features, most, b, m, err);
    if (code == 0 && b->n_problems) /* a row of too many conjunctions, which was left out */
        code = thr_fail(err, THR_EDATA, "row %zu: %s", first + b->problem[0].line,
                        b->problem[0].message);
    return code ? code : check_rows(m, b, first, learning, err);
}

/* A model that may refuse rows is given all of them as one portion, so that nothing has been
 * learned when it does. */
static int learn_rows(thr_model *m, thr_scratch *s, const thr_rows *rows, int32_t *predicted,
                      thr_error *err)
{
    size_t features = thr_model_may_refuse(m) ? SIZE_MAX : PORTION;
    int code = thr_model_trainable(m, err);
    if (code == 0 && !thr_model_reader(m)->multilabel)
        code = thr_rows_labelled(rows, err);
    for (size_t from = 0, first = 0; from < rows->n && code == 0; first = from) {
        code = next_portion(m, &s->batch, rows, &from, features, true, err);
        if (code == 0)
            code = learn_checked(m, &s->work, &s->batch, predicted ? predicted + first : NULL, err);
    }
    return code;
}

static int learn_arrays(thr_model *m, thr_scratch *s, const thr_rows *rows, int32_t *predicted,
                        thr_error *err)
{
    thr_scratch *used = s ? s : thr_scratch_new();
    int code = used ? learn_rows(m, used, rows, predicted, err) : thr_fail_memory(err);
    if (used != s)
        thr_scratch_free(used);
    return code;
}

int thr_learn_csr(thr_model *m, thr_scratch *s, const thr_csr *c, int32_t *predicted,
                  thr_error *err)
{
    thr_rows rows;
    int code = thr_rows_sparse(c, &rows, err);
    return code ? code : learn_arrays(m, s, &rows, predicted, err);
}

int thr_learn_dense(thr_model *m, thr_scratch *s, const thr_dense *d, int32_t *predicted,
                    thr_error *err)
{
    thr_rows rows;
    int code = thr_rows_dense(d, &rows, err);
    return code ? code : learn_arrays(m, s, &rows, predicted, err);
}

static int score_rows(const thr_model *m, thr_scratch *s, const thr_rows *rows, int32_t *predicted,
                      bool with_probabilities, double *out, thr_error *err)
{
    size_t columns = thr_model_columns(m);
    int code = with_probabilities ? has_probabilities(m, err) : 0;
    for (size_t from = 0, first = 0; from < rows->n && code == 0; first = from) {
        code = next_portion(m, &s->batch, rows, &from, PORTION, false, err);
        if (code == 0)
            code = score_checked(m, s, &s->batch, predicted ? predicted + first : NULL,
                                 with_probabilities, out ? out + first * columns : NULL, err);
    }
    return code;
}

int thr_score_csr(const thr_model *m, thr_scratch *s, const thr_csr *c, int32_t *predicted,
                  double *scores, thr_error *err)
{
    thr_rows rows;
    int code = thr_rows_sparse(c, &rows, err);
    return code ? code : score_rows(m, s, &rows, predicted, false, scores, err);
}

int thr_score_dense(const thr_model *m, thr_scratch *s, const thr_dense *d, int32_t *predicted,
                    double *scores, thr_error *err)
{
    thr_rows rows;
    int code = thr_rows_dense(d, &rows, err);
    return code ? code : score_rows(m, s, &rows, predicted, false, scores, err);
}

int thr_probabilities_csr(const thr_model *m, thr_scratch *s, const thr_csr *c, int32_t *predicted,
                          double *probabilities, thr_error *err)
{
    thr_rows rows;
    int code = thr_rows_sparse(c, &rows, err);
    return code ? code : score_rows(m, s, &rows, predicted, true, probabilities, err);
}

int thr_probabilities_dense(const thr_model *m, thr_scratch *s, const thr_dense *d,
                            int32_t *predicted, double *probabilities, thr_error *err)
{
    thr_rows rows;
    int code = thr_rows_dense(d, &rows, err);
    return code ? code : score_rows(m, s, &rows, predicted, true, probabilities, err);
}
