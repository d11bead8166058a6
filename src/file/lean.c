/* A lean model: a copy with only what predicting needs. Features on which no prediction depends are
 * removed; rules that were fitted to kept examples drop these. A mixture of linear rules becomes
 * the one function that it decides by (model/decision.h), in a panel of a single member, or of two
 * where that keeps it small. It predicts like the full model and cannot be trained further. */
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
    double *common; /* the same of a member in `kept` */
    double *room;
    const thr_member *kept; /* for each member of m, what stays of it beside the sum; or NULL */
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
    a->common = malloc(PORTION * (a->labels + 1) * sizeof *a->common);
    a->room = malloc(room * sizeof *a->room);
    return a->sum && a->weight && a->common && a->room ? 0 : thr_fail_memory(err);
}

static void end_adding(adding *a)
{
    free(a->sum);
    free(a->weight);
    free(a->common);
    free(a->room);
}

static bool is_kept(const adding *a, uint32_t k)
{
    return a->kept && a->kept[k].spec;
}

/* The weights of n features in member k, less those that stay in what is kept of it. */
static void weigh(adding *a, uint32_t k, uint32_t id, size_t n)
{
    const thr_model *m = a->m;
    thr_member_weigh(&m->member[k], &m->labels, id, n, m->known, a->weight, a->room);
    if (!is_kept(a, k))
        return;
    thr_member_weigh(&a->kept[k], &m->labels, id, n, m->known, a->common, a->room);
    for (size_t i = 0; i < n * a->labels; i++)
        a->weight[i] -= a->common[i];
}

/* The weights of n features from `id` on in the mixture, not centred over the labels. What a rule's
 * score has beside its features is added to the bias. */
static void add_members(adding *a, uint32_t id, size_t n)
{
    const thr_model *m = a->m;
    memset(a->sum, 0, n * a->labels * sizeof *a->sum);
    for (uint32_t k = 0; k < m->members; k++) {
        double share = thr_decision_share(m, k);
        weigh(a, k, id, n);
        for (size_t i = 0; i < n; i++)
            for (size_t l = 0; l < a->labels && thr_decision_sees(m, k, id + (uint32_t)i); l++)
                a->sum[i * a->labels + l] += share * a->weight[i * a->labels + l];
        for (size_t l = 0; l < a->labels && id == 0 && !is_kept(a, k); l++)
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
    end_adding(&a);
    return code;
}

/* The carrier's calibration makes logits of its scores: they are logits already, up to the
 * constants. It has a part of the weight in the mixture, which these numbers make up for. */
static int make_carrier(const thr_model *m, thr_member *to, double parts, thr_error *err)
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
        to->calibration.offset.value[l] = parts * thr_decision_offset(m, l);
    to->calibration.slope.value = parts;
    to->calibration.seen = m->panel.fit.seen;
    return code;
}

/* ---- ... as a sparse one --------------------------------------------------------------------- */

/* With many labels most weights of a feature are those of any other feature: for naive Bayes the
 * logarithm of the label's words, and otherwise 0. So a function of all members has a weight for
 * each label, but little to tell. Where all members have lists, the carrier's weights are what the
 * members' lists tell; and of a member that gives weights to any feature, all but its lists is
 * kept. */

#define SPARSE 4 /* lists are to take at most this part of plain rows */

/* What member k of m makes of features with start values, if anything. Else it is left empty. */
static int keep_common(const thr_model *m, uint32_t k, double parts, thr_member *out,
                       thr_error *err)
{
    const thr_member *from = &m->member[k];
    thr_calibration *c = &out->calibration;
    thr_weights *w = &out->weights;
    bool common = false;
    int code = thr_member_share(from, out, false, err);
    if (code)
        return code;
    thr_weights_clear(w);
    thr_weights_init(w, from->weights.slot, from->weights.n_slots);
    w->may_list = from->weights.may_list;
    thr_weights_widen(w, from->weights.functions);
    thr_weights_begin_lists(w);
    for (uint32_t l = 0; l < m->labels.n; l++)
        common |= thr_member_weight(out, &m->labels, 1, l, m->known) != 0;
    for (uint32_t l = 0; l < c->n; l++)
        c->offset.value[l] = 0;
    c->slope.value = parts * thr_decision_share(m, k) * thr_calibration_size(c);
    c->seen = m->panel.fit.seen;
    if (!common)
        thr_member_clear(out);
    return 0;
}

/* Appends the rows of the carrier; *fits becomes false if they would take too much. */
static int append_rows(adding *a, thr_member *to, bool *fits, thr_error *err)
{
    thr_weights *w = &to->weights;
    uint32_t features = a->m->lexicon.n;
    size_t size = thr_weights_size(w, w->functions);
    float *row = malloc(size);
    int code = row ? 0 : thr_fail_memory(err);
    for (uint32_t id = 0; id < features && code == 0 && *fits; id += PORTION) {
        size_t n = features - id < PORTION ? features - id : PORTION;
        add_members(a, id, n);
        for (size_t i = 0; i < n && code == 0; i++) {
            for (size_t l = 0; l < a->labels; l++)
                row[l] = (float)thr_weight_clamp(a->sum[i * a->labels + l]);
            code = thr_weights_append(w, (const char *)row, err);
        }
        *fits = w->entries * (w->entry + sizeof(uint32_t)) <= (uint64_t)size * features / SPARSE;
    }
    free(row);
    return code;
}

static bool may_be_sparse(const thr_model *m)
{
    bool lists = m->labels.n >= THR_STORED_FROM && m->members < THR_MOST_MEMBERS && m->known > 1;
    for (uint32_t k = 0; k < m->members && lists; k++)
        lists = m->member[k].weights.may_list;
    return lists;
}

/* Makes the carrier, to[0], and behind it for each member of m what is kept of it. Leaves to[0]
 * empty if weights are not sparse. */
static int make_sparse(const thr_model *m, thr_member *to, thr_error *err)
{
    adding a;
    uint32_t parts = 1;
    bool fits = true;
    int code = begin_adding(&a, m, err);
    a.kept = to + 1;
    for (int again = 0; again < 2; again++) { /* to know how many parts there are */
        double all = parts;
        for (uint32_t k = 0; k < m->members && code == 0; k++) {
            thr_member_clear(&to[k + 1]);
            code = keep_common(m, k, all, &to[k + 1], err);
            parts += again == 0 && to[k + 1].spec;
            fits &= !to[k + 1].spec || thr_calibration_sound(&to[k + 1].calibration);
        }
    }
    fits &= parts <= m->members; /* a lean model has room for no more */
    if (code == 0)
        code = make_carrier(m, &to[0], parts, err);
    if (code == 0)
        thr_weights_begin_lists(&to[0].weights);
    if (code == 0)
        code = append_rows(&a, &to[0], &fits, err);
    end_adding(&a);
    for (uint32_t k = 0; k <= m->members && (code || !fits); k++)
        thr_member_clear(&to[k]);
    return code;
}

/* ---- the panel of a lean mixture ------------------------------------------------------------- */

/* Sets the members to the n that are there. */
static int set_members(thr_model *lean, const thr_member *to, uint32_t n, thr_error *err)
{
    thr_bytes names = {0};
    bool ok = true;
    for (uint32_t k = 0; k < n && ok; k++)
        if (to[k].spec)
            ok = thr_bytes_printf(&names, names.n ? "+%s" : "%s", to[k].spec);
    int code =
        ok ? thr_settings_set(lean->settings, "learner", "panel", err) : thr_fail_memory(err);
    if (code == 0)
        code = thr_settings_set(lean->settings, "members", names.p, err);
    thr_bytes_clear(&names);
    return code;
}

/* Replaces the members of `lean` by those in `to`, which are as many or fewer. */
static void take_members(thr_model *lean, thr_member *to)
{
    uint32_t n = lean->members + 1;
    for (uint32_t k = 0; k < lean->members; k++)
        thr_member_clear(&lean->member[k]);
    lean->members = 0;
    for (uint32_t k = 0; k < n; k++)
        if (to[k].spec)
            thr_member_move(&to[k], &lean->member[lean->members++]);
}

/* Makes one member of those of m, or two if it is sparse. `to` has room for one more than m has. */
static int make_members(const thr_model *m, thr_member *to, thr_error *err)
{
    int code = may_be_sparse(m) ? make_sparse(m, to, err) : 0;
    if (code || to[0].spec)
        return code;
    code = make_carrier(m, &to[0], 1, err);
    return code ? code : put_rows(m, &to[0], err);
}

/* Replaces the members of `lean`, a clone of m. */
static int become_one(const thr_model *m, thr_model *lean, thr_error *err)
{
    static const double mixes[THR_MAX_OPTIONS] = {0};
    uint32_t n = m->members + 1;
    thr_member *to = calloc(n, sizeof *to);
    int code = to ? make_members(m, to, err) : thr_fail_memory(err);
    if (code == 0)
        code = set_members(lean, to, n, err);
    if (code == 0)
        take_members(lean, to);
    for (uint32_t k = 0; to && k < n; k++)
        thr_member_clear(&to[k]);
    free(to);
    if (code)
        return code;
    uint64_t examples = lean->panel.examples, wrong = lean->panel.wrong;
    thr_panel_clear(&lean->panel);
    code = thr_panel_init(&lean->panel, lean->members, mixes, m->panel.fit.in_order, err);
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
