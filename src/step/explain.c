/* Predictions and explanations as the public interface returns them. An explanation adds up to the
 * score of the predicted label or, where labels that exclude each other have functions of their
 * own, to its lead over the runner-up:
 *
 *   total = rest + sum_i contribution_i,   contribution_i = value_i * weight_i
 *
 * (value_i is taken as 1 if it is above 0, else as 0, by a rule that sees presence only), with the
 * weights of the member that speaks for the model (thr_model_speaker). */
#include "step/explain.h"

#include "measure/metrics.h"
#include "model/counts.h"
#include "model/inside.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- prediction --------------------------------------------------------------------------- */

static bool keep_text(thr_scratch *s, thr_str text)
{
    return thr_bytes_add(&s->text, text.p ? text.p : "", text.n) && thr_bytes_add(&s->text, "", 1);
}

/* Copies true label, tag and further true labels into the scratch, each with a NUL behind it, in
 * this order; the batch has them as slices. Pointers into s->text are taken only afterwards, since
 * adding to it may move it. */
static bool keep_texts(thr_scratch *s, const thr_batch *b, const thr_about *a)
{
    s->text.n = 0;
    bool ok = keep_text(s, a->label) && keep_text(s, a->tag);
    for (size_t i = 0; i < a->more.n && ok; i++)
        ok = keep_text(s, b->listed[a->more.from + i]);
    return ok;
}

/* For multi-label data: lists the predicted and the true labels by name, and replaces score,
 * probability and lead by those of the whole set. A true label that the model does not know makes
 * the prediction wrong; c->truth cannot show it. */
static bool tell_sets(const thr_model *m, thr_scratch *s, const thr_batch *b, const thr_about *a,
                      thr_prediction *out)
{
    size_t n = m->labels.n, known = 0;
    if (!thr_grow(&s->list, &s->list_room, n + a->more.n + 1, sizeof *s->list))
        return false;
    for (size_t l = 0; l < n; l++) {
        out->score = l == 0 ? s->work.cases->answer[0] : fmax(out->score, s->work.cases->answer[l]);
        if (s->work.cases->chosen[l])
            s->list[out->n_set++] = m->labels.name[l];
    }
    if (out->probabilities) {
        out->probability =
            thr_set_probability(out->probabilities, s->work.cases->chosen, m->labels.n);
        out->lead = thr_lead_of_set(out->probabilities, s->work.cases->chosen, m->labels.n);
    }
    out->multilabel = true;
    out->set = s->list;
    out->truths = s->list + out->n_set;
    if (!a->label.p)
        return true;
    s->list[out->n_set + out->n_truths++] = s->text.p;
    known += thr_labels_find(&m->labels, a->label) != THR_NONE;
    const char *at = out->tag + a->tag.n + 1;
    for (size_t i = 0; i < a->more.n; i++) {
        thr_str label = b->listed[a->more.from + i];
        known += thr_labels_find(&m->labels, label) != THR_NONE;
        s->list[out->n_set + out->n_truths++] = at;
        at += label.n + 1;
    }
    out->wrong =
        known < out->n_truths || memcmp(s->work.cases->chosen, s->work.cases->truth, n) != 0;
    return true;
}

int thr_predict_example(const thr_model *m, thr_scratch *s, const thr_batch *b, size_t e,
                        bool chances, thr_prediction *out, thr_error *err)
{
    const thr_about *a = &b->about[e];
    if (!keep_texts(s, b, a))
        return thr_fail_memory(err);
    uint32_t best;
    int code = thr_model_score(m, &s->work, b, e, &best, err);
    if (code)
        return code;
    chances = chances && m->labels.n > 0 && !thr_model_regression(m);
    if (chances)
        thr_case_chances(m, s->work.cases);
    *out = (thr_prediction){
        .truth = a->label.p ? s->text.p : NULL,
        .target = thr_model_regression(m) ? thr_about_number(a) : NAN,
        .tag = s->text.p + a->label.n + 1,
        .label = best == THR_NONE ? NULL : m->labels.name[best],
        .score = best != THR_NONE          ? s->work.cases->answer[best]
                 : thr_model_regression(m) ? s->work.cases->answer[0]
                                           : 0,
        .scores = s->work.cases->answer,
        .labels = m->labels.n,
        .candidates = s->work.cases->restricted ? s->work.cases->candidate : NULL,
        .probability = !chances           ? NAN
                       : best == THR_NONE ? 0
                                          : s->work.cases->probability[best],
        .probabilities = chances ? s->work.cases->probability : NULL,
        .lead = chances ? thr_lead_of(s->work.cases->probability, m->labels.n, best) : NAN,
    };
    out->wrong = !thr_model_regression(m) && out->truth &&
                 !(out->label && strcmp(out->truth, out->label) == 0);
    if (m->reader.multilabel && !tell_sets(m, s, b, a, out))
        return thr_fail_memory(err);
    return 0;
}

/* ---- explanation -------------------------------------------------------------------------- */

static char *name_of(const thr_batch *b, size_t feature)
{
    if (thr_batch_is_bias(b, feature))
        return strdup("(bias)");
    char digits[24], *out = NULL;
    thr_bytes text = {0};
    thr_str ns, name = thr_batch_name_of(b, feature, digits, &ns);
    if ((!ns.n || (thr_bytes_add(&text, ns.p, ns.n) && thr_bytes_add(&text, "|", 1))) &&
        thr_bytes_add(&text, name.p, name.n))
        out = strndup(text.p, text.n);
    thr_bytes_clear(&text);
    return out;
}

/* Largest contribution first. */
static int by_size(const void *a, const void *b)
{
    double x = fabs(((const thr_contribution *)a)->contribution);
    double y = fabs(((const thr_contribution *)b)->contribution);
    return x == y ? 0 : x < y ? 1 : -1;
}

/* One explanation while it is made. */
typedef struct telling {
    const thr_model *m;
    const thr_member *by;   /* the member that speaks for the model */
    const double *score;    /* its scores, per label */
    thr_example x;          /* the example as it sees it */
    uint32_t best, against; /* the label explained, and its runner-up or THR_NONE */
} telling;

/* The best label but one; THR_NONE where a single score decides: two labels share a function, each
 * label decides for itself, or there is only one. */
static uint32_t runner_up(const telling *t)
{
    uint32_t n = t->m->labels.n;
    if (thr_member_shares(t->by, &t->m->labels) || t->by->apart || n < 2)
        return THR_NONE;
    uint32_t second = t->best == 0 ? 1 : 0;
    for (uint32_t l = 0; l < n; l++)
        if (l != t->best && t->score[l] > t->score[second])
            second = l;
    return second;
}

/* The predicted label; if there is none, the one with the best score. */
static uint32_t best_of(const thr_model *m, const telling *t, const char *predicted)
{
    uint32_t best = 0;
    for (uint32_t l = 1; l < m->labels.n; l++)
        if (t->score[l] > t->score[best])
            best = l;
    return predicted ? thr_labels_find(&m->labels, thr_str_of(predicted)) : best;
}

static double weight_of(const telling *t, uint32_t id)
{
    const thr_labels *labels = &t->m->labels;
    double weight = thr_member_weight(t->by, labels, id, t->best, t->m->known);
    if (t->against != THR_NONE)
        weight -= thr_member_weight(t->by, labels, id, t->against, t->m->known);
    return weight;
}

/* Adds feature i of the example, which is number `feature` in the batch. */
static bool tell_part(const telling *t, thr_scratch *s, const thr_batch *b, size_t feature,
                      size_t i)
{
    char *name = name_of(b, feature);
    if (!name || !thr_grow(&s->name, &s->name_room, s->names + 1, sizeof *s->name)) {
        free(name);
        return false;
    }
    s->name[s->names] = name;
    double value = thr_example_value(&t->x, i), weight = weight_of(t, t->x.id[i]);
    s->part[s->names++] = (thr_contribution){
        .feature = name,
        .value = value,
        .weight = weight,
        .contribution = (t->by->rule.presence ? value > 0 : value) * weight,
        .seen = t->x.id[i] != THR_NONE,
    };
    return true;
}

static void tell_totals(const telling *t, thr_explanation *out)
{
    const thr_labels *labels = &t->m->labels;
    out->rest = thr_member_rest(t->by, labels, &t->x, t->best);
    out->total = t->score[t->best];
    if (t->against == THR_NONE)
        return;
    out->against = labels->name[t->against];
    out->rest -= thr_member_rest(t->by, labels, &t->x, t->against);
    out->total -= t->score[t->against];
}

int thr_explain_example(const thr_model *m, thr_scratch *s, const thr_batch *b, size_t e,
                        thr_explanation *out, thr_error *err)
{
    telling t = {.m = m, .by = thr_model_speaker(m)};
    thr_scratch_forget_names(s);
    bool linear = !(t.by->rule.learner->flags & THR_NOT_LINEAR);
    if (!thr_model_explains(m))
        return thr_fail(err, THR_EUSE, "%s is not linear: no weights explain what it says",
                        t.by->rule.learner->name);
    *out = (thr_explanation){.learner = t.by->spec};
    int code = thr_predict_example(m, s, b, e, true, &out->prediction, err);
    if (code == 0)
        code = thr_model_view(m, s->work.cases, b, e, &t.x, err);
    if (code == 0 && !thr_grow(&s->part, &s->part_room, t.x.n + 1, sizeof *s->part))
        code = thr_fail_memory(err);
    if (code || (m->labels.n == 0 && !thr_model_regression(m)))
        return code;
    t.score = s->work.cases->score + (size_t)(t.by - m->member) * (m->labels.n + 2);
    if (!out->prediction.label && !m->reader.multilabel && m->labels.n)
        return 0; /* the example's candidates are all unknown to the model */
    if (m->labels.n)
        t.best = best_of(m, &t, out->prediction.label);
    if (!linear)
        return thr_explain_justified(m, s, &t.by->rule, &t.x, out, err);
    if (m->reader.multilabel) { /* one label is explained: the one with the best score */
        out->prediction.label = m->labels.name[t.best];
        out->prediction.score = t.score[t.best];
    }
    t.against = runner_up(&t);
    for (size_t i = 0; i < t.x.n; i++)
        if (!tell_part(&t, s, b, b->start[e] + thr_case_place(s->work.cases, i), i))
            return thr_fail_memory(err);
    qsort(s->part, s->names, sizeof *s->part, by_size);
    tell_totals(&t, out);
    out->parts = s->part;
    out->n_parts = s->names;
    return 0;
}
