/* The public batches: examples from the caller's own data, learned and scored. */
#include "base/error.h"
#include "base/number.h"
#include "model/ceiling.h"
#include "model/explain.h"
#include "model/names.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

thr_batch *thr_batch_new(void)
{
    thr_batch *b = malloc(sizeof *b);
    if (b)
        thr_batch_init(b);
    return b;
}

void thr_batch_free(thr_batch *b)
{
    if (b)
        thr_batch_release(b);
    free(b);
}

void thr_batch_clear(thr_batch *b)
{
    thr_batch_reset(b);
}

size_t thr_batch_size(const thr_batch *b)
{
    return b->n;
}

/* ---- filling ------------------------------------------------------------------------------ */

static thr_str kept(thr_batch *b, const char *text, size_t n)
{
    const char *copy = thr_arena_copy(&b->arena, text, n);
    b->failed |= !copy;
    return (thr_str){copy ? copy : "", copy ? n : 0};
}

void thr_batch_begin(thr_batch *b)
{
    thr_batch_open(b, (uint32_t)b->n);
}

void thr_batch_set_label(thr_batch *b, const char *label)
{
    thr_batch_label(b, kept(b, label, strlen(label)));
}

void thr_batch_add_label(thr_batch *b, const char *label)
{
    thr_batch_also_label(b, kept(b, label, strlen(label)));
}

void thr_batch_add_candidate(thr_batch *b, const char *label)
{
    thr_batch_candidate(b, kept(b, label, strlen(label)));
}

void thr_batch_set_importance(thr_batch *b, float importance)
{
    if (b->is_open)
        b->about[b->n].importance = importance;
}

void thr_batch_set_tag(thr_batch *b, const char *tag)
{
    if (b->is_open)
        b->about[b->n].tag = kept(b, tag, strlen(tag));
}

static uint32_t space(thr_batch *b, const char *ns)
{
    return ns && *ns ? thr_batch_namespace(b, kept(b, ns, strlen(ns))) : 0;
}

void thr_batch_add(thr_batch *b, const char *ns, const char *name, float value)
{
    thr_batch_named(b, space(b, ns), kept(b, name, strlen(name)), value);
}

void thr_batch_add_key(thr_batch *b, uint64_t key, float value)
{
    thr_batch_integer(b, 0, key, value);
}

void thr_batch_add_text(thr_batch *b, const thr_model *m, const char *ns, const char *text,
                        size_t n)
{
    thr_feature_scratch s = {0};
    thr_batch_made_for(b, m);
    thr_features_text(thr_model_features_of(m), &s, b, space(b, ns), kept(b, text, n), false);
    thr_feature_scratch_clear(&s);
}

void thr_batch_end(thr_batch *b, const thr_model *m)
{
    thr_feature_scratch s = {0};
    thr_batch_made_for(b, m);
    thr_features_close(thr_model_features_of(m), &s, b);
    thr_feature_scratch_clear(&s);
}

bool thr_batch_labelled(const thr_batch *b, size_t example)
{
    return example < b->n && b->about[example].label.p;
}

/* As the format of the batch reads labels. */
static thr_str label_as_read(thr_batch *b, const char *label)
{
    double number;
    const char *end, *limit = label + strlen(label);
    bool numeric =
        b->numeric_labels && thr_parse_double(label, limit, &end, &number) == 0 && end == limit;
    char text[32];
    size_t n = numeric ? thr_print_double(number == 0 ? 0 : number, text) : strlen(label);
    return kept(b, numeric ? text : label, n);
}

void thr_batch_relabel(thr_batch *b, size_t example, const char *label)
{
    if (example >= b->n)
        return;
    b->about[example].label = label_as_read(b, label);
    b->about[example].more.n = 0;
    b->about[example].target = NAN; /* to be read from the label when it is asked for */
}

void thr_batch_relabel_also(thr_batch *b, size_t example, const char *label)
{
    if (example < b->n && b->about[example].label.p)
        thr_batch_append(b, &b->about[example].more, label_as_read(b, label));
    else
        thr_batch_relabel(b, example, label);
}

int thr_batch_parse(thr_batch *b, const thr_model *m, const char *format, bool labelled,
                    const char *line, size_t n, thr_error *err)
{
    thr_str text = kept(b, line, n);
    if (b->failed)
        return thr_fail_memory(err);
    if (b->is_open)
        return thr_fail(err, THR_EUSE, "the last example of the batch has not been ended");
    thr_batch_made_for(b, m);
    const thr_format *f = format ? thr_format_find(format) : NULL;
    if (!f && !format)
        f = thr_format_detect(text.p, n, labelled, thr_model_format(m));
    if (!f && format)
        return thr_format_unknown(format, err);
    if (!f || f->header)
        return thr_fail(err, f || format ? THR_EUSE : THR_EDATA,
                        f ? "format '%s' does not work line by line"
                          : "cannot tell what format this is; name it with -f%s",
                        f ? f->name : "");
    thr_reader_settings settings = *thr_model_reader(m);
    settings.labelled = labelled;
    settings.on_error = THR_STOP;
    thr_parser p = {.settings = &settings, .batch = b};
    size_t before = b->n_problems, examples = b->n;
    thr_format_parse(f, &p, text.p, text.p + n);
    thr_feature_scratch_clear(&p.scratch);
    thr_bytes_clear(&p.buffer);
    if (b->failed)
        return thr_fail_memory(err);
    if (b->n_problems > before) {
        thr_fail(err, THR_EDATA, "%s", b->problem[before].message);
        b->n_problems = before; /* said; the batch is as it was */
        return thr_fail_at(err, "", 0, b->problem[before].column);
    }
    return b->n == examples + 1 ? 0 : thr_fail(err, THR_EDATA, "this is not one example");
}

/* ---- using -------------------------------------------------------------------------------- */

static int learn(thr_model *m, thr_workspace *w, thr_batch *b, int32_t *predicted, thr_error *err)
{
    int code = thr_batch_usable(m, b, err);
    if (code == 0)
        code = thr_model_trainable(m, err);
    for (size_t e = 0; e < b->n && code == 0; e++)
        if (!b->about[e].label.p)
            code = thr_fail(err, THR_EDATA, "example %zu of the batch has no label", e + 1);
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
    return code;
}

int thr_learn(thr_model *m, thr_scratch *s, thr_batch *b, int32_t *predicted, thr_error *err)
{
    thr_workspace own = {0};
    int code = learn(m, s ? &s->work : &own, b, predicted, err);
    thr_workspace_clear(&own);
    return code;
}

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
    if (code == 0)
        code = thr_model_resolve(m, b, err);
    if (code == 0)
        code = thr_model_make_room(m, b, example, err);
    thr_str name = code == 0 ? label_as_read(b, label) : (thr_str){0};
    if (code == 0 && b->failed)
        code = thr_fail_memory(err);
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

/* Copies one array of the case, of every example, to the caller. */
static int score_batch(const thr_model *m, thr_scratch *s, thr_batch *b, int32_t *predicted,
                       bool chances, double *out, thr_error *err)
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
        if (out && chances)
            thr_case_chances(m, s->work.cases);
        if (out && columns)
            memcpy(out + e * columns, chances ? s->work.cases->probability : s->work.cases->answer,
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
    thr_features_text(thr_model_features_of(m), &s->features, b, 0, kept(b, text ? text : "", n),
                      false);
    thr_features_close(thr_model_features_of(m), &s->features, b);
    int code = thr_score(m, s, b, &best, NULL, err);
    if (code || best < 0)
        return code;
    *label = thr_model_label(m, (size_t)best);
    thr_case_chances(m, s->work.cases);
    if (probability)
        *probability = s->work.cases->probability[best];
    return 0;
}

int thr_explain_one(const thr_model *m, thr_scratch *s, thr_batch *b, size_t example,
                    thr_explanation *out, thr_error *err)
{
    int code = thr_batch_usable(m, b, err);
    if (code == 0 && example >= b->n)
        code = thr_fail(err, THR_EUSE, "the batch has only %zu examples", b->n);
    if (code == 0)
        code = thr_model_find(m, b, err);
    if (code == 0)
        code = thr_explain_example(m, s, b, example, out, err);
    return code ? code : thr_model_intact(m, err);
}
