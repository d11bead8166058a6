/* Predictions and explanations as the public interface returns them. An explanation adds up to the
 * score of the predicted label or, where labels that exclude each other have functions of their
 * own, to its lead over the runner-up, which in a mixture is the score. In a mixture for
 * multi-label data the score is the label's log-odds:
 *
 *   total = rest + sum_i contribution_i,   contribution_i = value_i * weight_i
 *
 * (value_i is taken as 1 if it is above 0, else as 0, by a rule that sees presence only), with the
 * weights of the mixture (model/decision.h) or of one member: the only one, or of a panel that
 * votes the heaviest that agrees with the answer. */
#include "step/explain.h"

#include "measure/metrics.h"
#include "model/counts.h"
#include "model/decision.h"
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
static bool keep_texts(thr_scratch *s, const thr_batch *b, const thr_example_info *a)
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
static bool tell_sets(const thr_model *m, thr_scratch *s, const thr_batch *b,
                      const thr_example_info *a, thr_prediction *out)
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
    if (!a->label.p && !a->none)
        return true;
    out->truths = s->list + out->n_set;
    if (a->label.p) {
        s->list[out->n_set + out->n_truths++] = s->text.p;
        known += thr_labels_find(&m->labels, a->label) != THR_NONE;
    }
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
                        bool with_probabilities, thr_prediction *out, thr_error *err)
{
    const thr_example_info *a = &b->about[e];
    if (!keep_texts(s, b, a))
        return thr_fail_memory(err);
    uint32_t best;
    int code = thr_model_score(m, &s->work, b, e, &best, err);
    if (code)
        return code;
    with_probabilities = with_probabilities && m->labels.n > 0 && !thr_model_regression(m);
    if (with_probabilities)
        thr_case_probabilities(m, s->work.cases);
    *out = (thr_prediction){
        .truth = a->label.p ? s->text.p : NULL,
        .target = thr_model_regression(m) ? thr_label_number(a) : NAN,
        .tag = s->text.p + a->label.n + 1,
        .label = best == THR_NONE ? NULL : m->labels.name[best],
        .score = best != THR_NONE          ? s->work.cases->answer[best]
                 : thr_model_regression(m) ? s->work.cases->answer[0]
                                           : 0,
        .scores = s->work.cases->answer,
        .labels = m->labels.n,
        .candidates = s->work.cases->restricted ? s->work.cases->candidate : NULL,
        .probability = !with_probabilities ? NAN
                       : best == THR_NONE  ? 0
                                           : s->work.cases->probability[best],
        .probabilities = with_probabilities ? s->work.cases->probability : NULL,
        .lead =
            with_probabilities ? thr_lead_of(s->work.cases->probability, m->labels.n, best) : NAN,
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
    const thr_member *by; /* the member that speaks for the model; NULL: the mixture does */
    const double *score;  /* per label: the member's scores, or leads in the mixture */
    thr_example x;        /* the example as the one that speaks sees it */
    uint32_t best;        /* the label explained */
    uint32_t against;     /* its runner-up; THR_NONE if a single score decides */
} telling;

/* The best label but one; THR_NONE where a single score decides: two labels share a function, each
 * label decides for itself, or there is only one. A mixture decides between two, unless the data is
 * multi-label. */
static uint32_t runner_up(const telling *t)
{
    uint32_t n = t->m->labels.n;
    if (n < 2 || t->m->reader.multilabel || (t->by && thr_member_shares(t->by, &t->m->labels)))
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
    if (!t->by && t->against == THR_NONE && !t->m->reader.multilabel)
        return 0;
    if (!t->by)
        return thr_decision_difference(t->m, id, t->best, t->against);
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
    bool presence = t->by && t->by->rule.presence;
    s->part[s->names++] = (thr_contribution){
        .feature = name,
        .value = value,
        .weight = weight,
        .contribution = (presence ? value > 0 : value) * weight,
        .seen = t->x.id[i] != THR_NONE,
    };
    return true;
}

/* What no feature contributes to a mixture's decision, see model/decision.h. */
static double mixture_rest(const telling *t, const thr_case *c)
{
    const thr_model *m = t->m;
    bool lead = t->against != THR_NONE;
    double rest = thr_decision_constant(m, t->best);
    rest -= lead ? thr_decision_constant(m, t->against) : 0;
    for (uint32_t k = 0; k < m->members; k++) {
        double by = thr_decision_rest(m, k, t->best);
        by -= lead ? thr_decision_rest(m, k, t->against) : 0;
        rest += thr_decision_share(m, k) * by / thr_case_extent(m, c, k);
    }
    return rest;
}

/* A mixture's scores are leads already. */
static void tell_totals(const telling *t, const thr_case *c, thr_explanation *out)
{
    const thr_labels *labels = &t->m->labels;
    bool lead = t->against != THR_NONE;
    out->total = t->score[t->best];
    out->against = lead && (t->by || labels->n > 2) ? labels->name[t->against] : NULL;
    if (!t->by) {
        out->rest = lead || t->m->reader.multilabel ? mixture_rest(t, c) : 0;
        return;
    }
    out->rest = thr_member_rest(t->by, labels, &t->x, t->best);
    if (lead) {
        out->rest -= thr_member_rest(t->by, labels, &t->x, t->against);
        out->total -= t->score[t->against];
    }
}

/* The member that explains an answer. In a panel that votes it is the heaviest member that voted
 * for the answer. If no member did, or the heaviest of all has no weights, it is the heaviest of
 * all. */
static const thr_member *speaker(const thr_model *m, const thr_case *c, const char *answer)
{
    const thr_member *best = NULL, *heaviest = thr_model_explaining_member(m);
    if (m->members == 1 || thr_model_mixes(m) || !answer || !thr_model_linear(m))
        return heaviest;
    uint32_t label = thr_labels_find(&m->labels, thr_str_of(answer));
    for (uint32_t k = 0; k < m->members; k++) {
        bool agrees =
            c->predicted[k] == label && !(m->member[k].rule.learner->flags & THR_NOT_LINEAR);
        if (agrees && (!best || m->panel.log_weight[k] > m->panel.log_weight[best - m->member]))
            best = &m->member[k];
    }
    return best ? best : heaviest;
}

/* Fills t->by, t->x, t->score and the prediction. */
static int predict(telling *t, thr_scratch *s, const thr_batch *b, size_t e, thr_explanation *out,
                   thr_error *err)
{
    const thr_model *m = t->m;
    thr_case *c;
    int code = thr_predict_example(m, s, b, e, true, &out->prediction, err);
    if (code == 0 && !thr_model_is_one(m))
        t->by = speaker(m, s->work.cases, out->prediction.label);
    if (code == 0)
        code = thr_model_view(m, s->work.cases, b, e, t->by, &t->x, err);
    if (code == 0 && !thr_grow(&s->part, &s->part_room, t->x.n + 1, sizeof *s->part))
        code = thr_fail_memory(err);
    if (code)
        return code;
    c = s->work.cases;
    t->score = t->by ? thr_case_score_of(m, c, (uint32_t)(t->by - m->member)) : c->answer;
    return 0;
}

int thr_explain_example(const thr_model *m, thr_scratch *s, const thr_batch *b, size_t e,
                        thr_explanation *out, thr_error *err)
{
    bool one = thr_model_is_one(m), linear = thr_model_linear(m);
    telling t = {.m = m};
    thr_scratch_forget_names(s);
    if (!thr_model_explains(m))
        return thr_fail(err, THR_EUSE, "%s is not linear: no weights explain what it says",
                        thr_model_explaining_member(m)->rule.learner->name);
    *out = (thr_explanation){0};
    int code = predict(&t, s, b, e, out, err);
    out->learner = one || code ? "panel" : t.by->spec;
    if (code || (m->labels.n == 0 && !thr_model_regression(m)))
        return code;
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
    tell_totals(&t, s->work.cases, out);
    out->parts = s->part;
    out->n_parts = s->names;
    return 0;
}
