/* A lean model: a copy with only what predicting needs. Features on which no prediction depends are
 * removed; rules that were fitted to kept examples drop these. A mixture of linear rules becomes
 * the one function that it decides by (model/decision.h), in a panel of a single member. It
 * predicts like the full model and cannot be trained further. */
#include "file/file.h"
#include "model/decision.h"
#include "model/inside.h"
#include "model/subset.h"
#include "weights/stored.h"

#include <stdlib.h>
#include <string.h>

/* Whether a number in a list differs from its start value. */
static bool list_matters(const thr_weights *w, uint32_t id)
{
    thr_entries_view v = thr_weights_entries(w, id);
    size_t entry = thr_weights_offset(w, w->n_slots, 1);
    for (uint32_t k = 0; k < v.n; k++)
        if (memcmp(v.entry + k * v.stride, w->start, entry) != 0)
            return true;
    return false;
}

/* Whether a member's predictions depend on a feature. A feature whose numbers are all at their
 * start values is scored like one never seen. */
static bool matters_to(const thr_member *k, uint32_t id)
{
    const thr_weights *w = &k->weights;
    const thr_learner *l = k->rule.learner;
    if (l->flags & THR_LISTS) /* leave_out keeps the features of its clauses */
        return false;
    if (l->learn && !l->fit) /* it may treat a known feature and an unseen one differently */
        return true;
    if (l->settle) { /* its slots also hold bookkeeping: the effective weight decides */
        for (uint32_t f = 0; f < w->functions; f++)
            if (l->weight(&k->rule, w, id, f, id + 1) != 0)
                return true;
        return false;
    }
    if (thr_weights_is_listed(w) && !list_matters(w, id))
        return false;
    for (unsigned s = 0; s < w->n_slots; s++)
        for (uint32_t f = 0; f < w->functions; f++)
            if (thr_weights_get(w, id, s, f) != w->slot[s].start)
                return true;
    return false;
}

static bool matters(const thr_model *m, uint32_t id)
{
    if (m->min_count > 1) /* an eligible feature changes an example's length, even with weight 0 */
        return thr_model_count(m, id) >= m->min_count;
    for (uint32_t k = 0; k < m->members; k++)
        if (matters_to(&m->member[k], id))
            return true;
    return false;
}

/* Removes the features that matter to no member and that no clause of a list asks for. */
static int leave_out(thr_model *m, thr_error *err)
{
    uint32_t n = m->lexicon.n, kept = 0;
    bool *keep = malloc(n * sizeof *keep);
    uint32_t *fresh = malloc(n * sizeof *fresh);
    int code = keep && fresh ? 0 : thr_fail_memory(err);
    if (code == 0) {
        for (uint32_t id = 0; id < n; id++)
            keep[id] = id == 0 || matters(m, id);
        for (uint32_t k = 0; k < m->members; k++)
            for (size_t i = 0; i < m->member[k].rule.clauses; i++)
                keep[m->member[k].rule.clause[i].feature] = true;
        for (uint32_t id = 0; id < n; id++)
            fresh[id] = keep[id] ? kept++ : THR_NONE;
        code = thr_model_keep(m, keep, err);
    }
    /* Clauses refer to features by id, and ids have changed. */
    for (uint32_t k = 0; k < m->members && code == 0; k++)
        for (size_t i = 0; i < m->member[k].rule.clauses; i++) {
            uint32_t *feature = &m->member[k].rule.clause[i].feature;
            *feature = fresh[*feature];
        }
    free(keep);
    free(fresh);
    return code;
}

/* ---- a mixture as one function --------------------------------------------------------------- */

/* The rule that carries the weights. Nothing of it is used but its score, which is their product
 * with the example. */
#define CARRIER "perceptron"
#define PORTION 256 /* features whose weights are computed at a time */

/* Weights of the members while they are added up. */
typedef struct adding {
    const thr_model *m;
    size_t labels;
    double *sum;    /* [feature][label] of a portion */
    double *weight; /* the same of one member */
    double *room;
} adding;

static int begin_adding(adding *a, const thr_model *m, thr_error *err)
{
    size_t room = 1;
    *a = (adding){.m = m, .labels = m->labels.n};
    for (uint32_t k = 0; k < m->members; k++) {
        size_t need = thr_member_weigh_room(&m->member[k], PORTION);
        room = need > room ? need : room;
    }
    a->sum = malloc(PORTION * (a->labels + 1) * sizeof *a->sum);
    a->weight = malloc(PORTION * (a->labels + 1) * sizeof *a->weight);
    a->room = malloc(room * sizeof *a->room);
    return a->sum && a->weight && a->room ? 0 : thr_fail_memory(err);
}

/* The weights of n features from `id` on in the mixture, not centred over the labels. What a rule's
 * score has beside its features is added to the bias. */
static void add_members(adding *a, uint32_t id, size_t n)
{
    const thr_model *m = a->m;
    memset(a->sum, 0, n * a->labels * sizeof *a->sum);
    for (uint32_t k = 0; k < m->members; k++) {
        const thr_member *of = &m->member[k];
        double share = thr_decision_share(m, k);
        thr_member_weigh(of, &m->labels, id, n, m->known, a->weight, a->room);
        for (size_t i = 0; i < n; i++)
            for (size_t l = 0; l < a->labels && thr_decision_sees(m, k, id + (uint32_t)i); l++)
                a->sum[i * a->labels + l] += share * a->weight[i * a->labels + l];
        for (size_t l = 0; l < a->labels && id == 0; l++)
            a->sum[l] += share * thr_decision_rest(m, k, (uint32_t)l);
    }
}

/* Two labels share a function: half the lead of the label that it scores. What all labels have in
 * common is subtracted, except for multi-label data. */
static void put_row(thr_member *to, uint32_t id, const double *sum, size_t labels)
{
    float *row = thr_weights_row(&to->weights, id, 0);
    double mean = 0;
    for (size_t l = 0; l < labels && !to->apart; l++)
        mean += sum[l] / (double)labels;
    for (size_t l = 0; l < to->weights.functions; l++) {
        size_t label = to->weights.functions == 1 ? to->anchor : l;
        row[l] = (float)thr_weight_clamp(sum[label] - mean);
    }
}

static int put_rows(const thr_model *m, thr_member *to, thr_error *err)
{
    adding a;
    uint32_t features = m->lexicon.n;
    int code = begin_adding(&a, m, err);
    if (code == 0)
        code = thr_weights_settle(&to->weights, features, err);
    for (uint32_t id = 0; id < features && code == 0; id += PORTION) {
        size_t n = features - id < PORTION ? features - id : PORTION;
        add_members(&a, id, n);
        for (size_t i = 0; i < n; i++)
            put_row(to, id + (uint32_t)i, a.sum + i * a.labels, a.labels);
    }
    free(a.sum);
    free(a.weight);
    free(a.room);
    return code;
}

/* The carrier's calibration makes logits of its scores: they are logits already, up to the
 * constants. */
static int put_member(const thr_model *m, thr_member *to, thr_error *err)
{
    int code = thr_member_init(to, CARRIER, strlen(CARRIER), NULL, thr_settings_rules(m->settings),
                               true, m->reader.multilabel, err);
    if (code == 0)
        code = thr_member_widen_ready(to, &m->labels, 0, 0, err);
    if (code)
        return code;
    to->scaled = m->units.on;
    to->rule.labels = m->labels.n;
    thr_weights_widen(&to->weights, (uint32_t)thr_member_functions(to, &m->labels));
    code = thr_rule_widen(&to->rule, to->weights.functions, err);
    if (code == 0)
        code = thr_calibration_widen(&to->calibration, m->labels.n, err);
    for (uint32_t l = 0; l < m->labels.n && code == 0; l++)
        to->calibration.offset[l].value = thr_decision_offset(m, l);
    to->calibration.seen = m->panel.fit.seen;
    return code ? code : put_rows(m, to, err);
}

/* Replaces the members of `lean`, a clone of m, by one. */
static int become_one(const thr_model *m, thr_model *lean, thr_error *err)
{
    thr_member one = {0};
    static const double mixes[THR_MAX_OPTIONS] = {0};
    int code = put_member(m, &one, err);
    if (code == 0)
        code = thr_settings_set(lean->settings, "learner", "panel", err);
    if (code == 0)
        code = thr_settings_set(lean->settings, "members", CARRIER, err);
    if (code) {
        thr_member_clear(&one);
        return code;
    }
    for (uint32_t k = 0; k < lean->members; k++)
        thr_member_clear(&lean->member[k]);
    thr_member_move(&one, &lean->member[0]);
    lean->members = 1;
    uint64_t examples = lean->panel.examples, wrong = lean->panel.wrong;
    thr_panel_clear(&lean->panel);
    code = thr_panel_init(&lean->panel, 1, mixes, err);
    if (code == 0)
        code = thr_calibration_widen(&lean->panel.fit, m->labels.n, err);
    lean->panel.fit.seen = m->panel.fit.seen;
    lean->panel.examples = examples;
    lean->panel.wrong = wrong;
    thr_model_lay_out(lean);
    return code;
}

thr_model *thr_model_lean(const thr_model *m, thr_error *err)
{
    thr_model *lean = thr_model_clone(m, err);
    if (!lean)
        return NULL;
    lean->lean = true;
    thr_repeats_clear(&lean->repeats); /* marks of examples serve training only */
    if (thr_model_is_one(m) && become_one(m, lean, err)) {
        thr_model_free(lean);
        return NULL;
    }
    /* In the hashed form the slot is the name, and rules that predict from kept examples refer to
     * features by id there: then no feature can be removed. */
    bool keeps_all = m->lexicon.hash_bits != 0;
    for (uint32_t k = 0; k < lean->members; k++)
        keeps_all |= lean->member[k].rule.memory && !lean->member[k].rule.learner->fit;
    int code = keeps_all ? 0 : leave_out(lean, err);
    /* A rule that was fitted to all kept examples does not need them to predict. */
    for (uint32_t k = 0; k < lean->members && code == 0; k++) {
        thr_member *member = &lean->member[k];
        if (!member->rule.learner->fit)
            continue;
        thr_memory_clear(&member->memory);
        code = member->rule.learner->rebuild(&member->rule, &member->weights, err);
    }
    if (code == 0)
        return lean;
    thr_model_free(lean);
    return NULL;
}
