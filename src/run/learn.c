/* Learning from batches that the caller has filled, and predicting them. Each function first
 * checks that the batch was made with the feature settings of the model, and looks its names up
 * again, since the batch may have been used with another model. */
#include "base/error.h"
#include "combine/ceiling.h"
#include "input/batches.h"
#include "step/explain.h"
#include "step/names.h"

#include <string.h>

/* Nothing is learned if one of the examples has no label (a set of labels may be empty), or if the
 * model would grow beyond a ceiling. Addresses of rows that were found ahead are
 * forgotten at the end: the caller may change the model or the batch before the next call. */
int thr_learn(thr_model *m, thr_scratch *s, thr_batch *b, int32_t *predicted, thr_error *err)
{
    thr_workspace own = {0}, *w = s ? &s->work : &own;
    int code = thr_batch_usable(m, b, err);
    if (code == 0)
        code = thr_model_trainable(m, err);
    for (size_t e = 0; e < b->n && code == 0; e++)
        if (!b->about[e].label.p && !thr_model_reader(m)->multilabel)
            code = thr_fail(err, THR_EDATA, "example %zu of the batch has no label", e + 1);
    if (code == 0)
        code = thr_model_check_batch(m, b, NULL, err);
    if (code == 0)
        code = thr_model_resolve(m, b, err);
    for (size_t e = 0; e < b->n && code == 0; e++) {
        thr_lesson lesson;
        code = thr_model_make_room(m, b, e, err);
        thr_workspace_prefetch(w, m, b, e + 1, true);
        if (code == 0)
            code = thr_model_learn(m, w, b, e, &lesson, err);
        if (predicted && code == 0)
            predicted[e] = lesson.predicted == THR_NONE ? -1 : (int32_t)lesson.predicted;
    }
    thr_workspace_forget(w);
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

/* Predicts every example. Row e of `out` (may be NULL) gets its scores or, with
 * `with_probabilities`, its probabilities; predicted[e] (may be NULL) the label, -1 if there is
 * none. */
static int score_batch(const thr_model *m, thr_scratch *s, thr_batch *b, int32_t *predicted,
                       bool with_probabilities, double *out, thr_error *err)
{
    size_t columns = thr_model_columns(m);
    int code = thr_batch_usable(m, b, err);
    if (code == 0)
        code = thr_model_find(m, b, err);
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

int thr_score(const thr_model *m, thr_scratch *s, thr_batch *b, int32_t *predicted, double *scores,
              thr_error *err)
{
    return score_batch(m, s, b, predicted, false, scores, err);
}

int thr_probabilities(const thr_model *m, thr_scratch *s, thr_batch *b, int32_t *predicted,
                      double *probabilities, thr_error *err)
{
    if (thr_model_regression(m))
        return thr_fail(err, THR_EUSE, "%s predicts numbers, which have no probabilities",
                        thr_model_learner(m)->name);
    return score_batch(m, s, b, predicted, true, probabilities, err);
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
