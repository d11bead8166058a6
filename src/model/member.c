/* One rule with its weights: from examples to scores of labels, and from labels to moves of
 * functions. The arithmetic is the learner's; this file knows which function serves which label. */
#include "model/member.h"

#include "base/above.h"
#include "example/batch.h"
#include "multiclass/split.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- life --------------------------------------------------------------------------------- */

/* In a panel the policy is meant for the members that can follow it; the others get their default
 * (NULL). */
int thr_member_init(thr_member *k, const char *spec, size_t n, const char *policy, unsigned rules,
                    bool in_panel, bool apart, thr_error *err)
{
    *k = (thr_member){.spec = strndup(spec, n), .apart = apart};
    thr_calibration_init(&k->calibration);
    k->calibration.sizes_rounding = rules < THR_RULES_TIES;
    k->calibration.in_order = rules < THR_RULES_LANES;
    if (!k->spec)
        return thr_fail_memory(err);
    const thr_learner *l = thr_learner_find(k->spec, strcspn(k->spec, ":"));
    const thr_policy *p = policy ? thr_policy_find(policy) : NULL;
    if (in_panel && l && p && (l->learn || (p->needs & l->flags) != p->needs))
        policy = NULL;
    int code = thr_rule_init_under(&k->rule, k->spec, policy, rules, err);
    if (code)
        return code;
    if (in_panel && (k->rule.learner->flags & (THR_PANEL | THR_REGRESSION)))
        return thr_fail(err, THR_EUSE, "%s cannot be a member of a panel", k->rule.learner->name);
    if (k->rule.learner->flags & THR_KEEPS)
        k->rule.memory = &k->memory;
    thr_weights_init(&k->weights, k->rule.slot, k->rule.n_slots);
    k->weights.may_list = k->rule.lists;
    return 0;
}

void thr_member_clear(thr_member *k)
{
    thr_weights_clear(&k->weights);
    thr_memory_clear(&k->memory);
    thr_calibration_clear(&k->calibration);
    thr_rule_clear(&k->rule);
    free(k->spec);
    *k = (thr_member){0};
}

/* rule.memory points into the member itself and must follow it. */
void thr_member_move(thr_member *from, thr_member *to)
{
    *to = *from;
    if (to->rule.memory)
        to->rule.memory = &to->memory;
    *from = (thr_member){0};
}

int thr_member_share(const thr_member *k, thr_member *out, bool keeps_learning, thr_error *err)
{
    *out = (thr_member){.spec = strdup(k->spec),
                        .anchor = k->anchor,
                        .mistakes = k->mistakes,
                        .updates = k->updates,
                        .slope = k->slope,
                        .scaled = k->scaled,
                        .apart = k->apart,
                        .at = k->at};
    int code = out->spec ? 0 : thr_fail_memory(err);
    if (code == 0)
        code = thr_weights_share(&k->weights, &out->weights, keeps_learning, err);
    if (code == 0)
        thr_memory_share(&k->memory, &out->memory);
    if (code == 0)
        code = thr_calibration_copy(&k->calibration, &out->calibration, err);
    if (code == 0)
        code = thr_rule_copy(&k->rule, &out->weights, k->rule.memory ? &out->memory : NULL,
                             &out->rule, err);
    if (code)
        thr_member_clear(out);
    return code;
}

/* ---- labels and functions ----------------------------------------------------------------- */

bool thr_member_shares(const thr_member *k, const thr_labels *labels)
{
    return !k->apart && (k->rule.learner->flags & (THR_SHARES | THR_REGRESSION)) && labels->n <= 2;
}

uint64_t thr_member_functions(const thr_member *k, const thr_labels *labels)
{
    return thr_member_shares(k, labels) ? 1 : k->rule.policy->functions(labels->n);
}

/* Chooses the label that the shared function scores, when the first or second label arrives. An
 * antisymmetric rule scores label 0 always. Any other rule (Winnow, say) must score the positive
 * label. While one label is known, which is positive is a guess (multiclass/labels.h); if the
 * second label shows that the guess was wrong, what the rule has learned from examples of one label
 * only is thrown away, and it starts again. */
static void choose_anchor(thr_member *k, const thr_labels *labels)
{
    if (k->rule.learner->flags & THR_ANTISYMMETRIC)
        return;
    if (labels->n == 2 && k->anchor != labels->positive) {
        thr_weights_clear(&k->weights);
        thr_weights_init(&k->weights, k->rule.slot, k->rule.n_slots);
        thr_rule_forget(&k->rule);
    }
    k->anchor = labels->positive;
}

/* Whether the function that at most two labels have shared becomes one for each. With all-pairs it
 * does not: it stays the function of the first pair. */
static bool splits(const thr_member *k, uint32_t before)
{
    return !k->apart && (k->rule.learner->flags & THR_SHARES) && before <= 2 &&
           k->rule.policy->splits;
}

/* Whether the function of a label that comes after `before` others has numbers of its own to begin
 * with. */
static bool begins(const thr_member *k, uint32_t before)
{
    return k->rule.rules >= THR_RULES_SPLIT && k->rule.learner->begin && !k->apart && before >= 2;
}

/* Whether a number of the shared function differs from its start. */
static bool has_moved(const thr_member *k)
{
    const thr_weights *w = &k->weights;
    for (unsigned s = 0; s < k->rule.learner->function_state; s++)
        if (thr_rule_state(&k->rule, 0)[s] != 0)
            return true;
    for (uint32_t id = 0; id < w->rows; id++)
        for (unsigned s = 0; s < w->n_slots; s++)
            if (thr_weights_get(w, id, s, 0) != w->slot[s].start)
                return true;
    return false;
}

/* Whether the split leaves the other label a reversed function (multiclass/split.h): the rule has
 * no negative numbers for it, and has learned something that would be lost. Labels that were
 * declared beforehand have one plain function each. */
static bool reverses(const thr_member *k)
{
    return k->rule.rules >= THR_RULES_SPLIT && !(k->rule.learner->flags & THR_ANTISYMMETRIC) &&
           has_moved(k);
}

/* thr_split_ready widens the rows too; their new places hold start values until the split. */
int thr_member_widen_ready(thr_member *k, const thr_labels *labels, uint32_t before, uint32_t known,
                           thr_error *err)
{
    uint64_t functions = thr_member_functions(k, labels);
    int code = thr_calibration_reserve(&k->calibration, labels->n, err);
    if (code)
        return code;
    if (functions > THR_MOST_FUNCTIONS)
        return thr_fail(err, THR_EDATA, "too many labels for the policy '%s'",
                        k->rule.policy->name);
    if (thr_member_shares(k, labels))
        return 0;
    if (splits(k, before))
        code = thr_split_ready(&k->rule, &k->weights, err);
    else
        code = thr_rule_reserve(&k->rule, (uint32_t)functions, err);
    if (code || !begins(k, before))
        return code;
    /* A rule that began anew has rows only for what it has met since then. */
    thr_weights_make_wider(&k->weights, (uint32_t)functions);
    return thr_weights_settle(&k->weights, known > k->weights.rows ? known : k->weights.rows, err);
}

void thr_member_widen(thr_member *k, const thr_labels *labels, uint32_t before, uint32_t known)
{
    uint32_t functions = (uint32_t)thr_member_functions(k, labels);
    k->rule.labels = labels->n;
    thr_calibration_widen(&k->calibration, labels->n, NULL);
    if (thr_member_shares(k, labels))
        choose_anchor(k, labels);
    else if (splits(k, before)) {
        k->rule.reversed = reverses(k) ? 1 - k->anchor : THR_NONE;
        thr_split(&k->rule, &k->weights, k->anchor);
    } else {
        thr_weights_widen(&k->weights, functions);
        thr_rule_widen(&k->rule, functions, NULL);
    }
    thr_member_fix_slope(k, labels, k->slope);
    if (begins(k, before))
        for (uint32_t f = before; f < functions; f++)
            k->rule.learner->begin(&k->rule, &k->weights, f, known);
}

void thr_member_fix_slope(thr_member *k, const thr_labels *labels, double slope)
{
    k->slope = slope;
    if (slope > 0)
        thr_calibration_fix(&k->calibration, thr_member_shares(k, labels) ? slope / 2 : slope);
}

/* ---- scoring ------------------------------------------------------------------------------ */

/* The bias is the last feature of `whole` and has the value 1: it is left out by counting one
 * feature less. */
void thr_member_view(const thr_member *k, const thr_example *whole, int unit, bool text,
                     thr_example *e)
{
    *e = *whole;
    if (!k->rule.bias && e->n) {
        e->n--;
        e->norm2 -= 1;
        e->length2 -= 1;
    }
    bool likes = k->rule.learner->flags & THR_LIKES_UNIT;
    if ((unit == 1 || (unit == -1 && text && likes)) && e->length2 > 0) {
        e->scale = 1 / sqrt(e->length2);
        e->norm2 *= e->scale * e->scale;
        e->length2 *= e->scale * e->scale;
    }
}

bool thr_member_takes(const thr_member *k, const thr_example *e, size_t *at)
{
    for (*at = 0; k->rule.nonnegative && !k->scaled && e->x && *at < e->n; ++*at)
        if (e->x[*at] < 0)
            return false;
    return true;
}

/* A thr_value_fn over an array of values. */
static double value_at(const void *from, uint32_t f)
{
    return ((const double *)from)[f];
}

/* The candidate with the best score. The positive label wins ties, as it did while two labels
 * shared a function, and a label with a reversed function (`loses`) loses them; so a third label
 * does not change how ties of the first two are decided. */
static uint32_t best_candidate(const thr_labels *labels, const bool *candidate, const double *label,
                               uint32_t loses)
{
    uint32_t best = labels->n > 1 ? labels->positive : 0;
    if (best < labels->n && !candidate[best])
        for (best = 0; best < labels->n && !candidate[best];)
            best++;
    if (best >= labels->n)
        return THR_NONE;
    for (uint32_t i = 0; i < labels->n; i++) {
        bool wins = label[i] > label[best] || (best == loses && label[i] == label[best]);
        if (wins && candidate[i])
            best = i;
    }
    return best;
}

/* The same of all labels. */
static uint32_t best_label(const thr_labels *labels, const double *label, uint32_t loses)
{
    uint32_t n = labels->n, first = n > 1 ? labels->positive : 0;
    if (first >= n)
        return THR_NONE;
    double most = thr_greatest(label, n);
    if (first != loses && !(label[first] < most))
        return first;
    uint32_t best = thr_first_at_least(label, n, most);
    uint32_t other =
        best == loses ? thr_first_above(label, best + 1, n, nextafter(most, -INFINITY)) : n;
    return other < n ? other : best;
}

/* A shared function predicts a side, 0 or 1; the label of that number may not be known yet. A value
 * of exactly 0 predicts the positive label. */
uint32_t thr_member_label(const thr_member *k, const thr_labels *labels, const bool *candidate,
                          const double *shown, double *score)
{
    bool shared = thr_member_shares(k, labels);
    if (k->rule.learner->flags & THR_REGRESSION) {
        score[0] = shown[0];
        return THR_NONE;
    }
    if (shared)
        for (uint32_t i = 0; i < labels->n; i++)
            score[i] = i == k->anchor ? shown[0] : -shown[0];
    else if (k->rule.policy->splits) /* one function per label */
        memcpy(score, shown, labels->n * sizeof *score);
    else
        for (uint32_t i = 0; i < labels->n; i++)
            score[i] = k->rule.policy->fold(value_at, shown, i, labels->n);
    if (candidate)
        return best_candidate(labels, candidate, score, k->rule.reversed);
    if (!shared)
        return best_label(labels, score, k->rule.reversed);
    bool antisymmetric = k->rule.learner->flags & THR_ANTISYMMETRIC;
    uint32_t tie = antisymmetric ? labels->positive : k->anchor;
    bool other = !(shown[0] > 0); /* no branch: a processor would guess it wrongly too often */
    return shown[0] == 0 ? tie : k->anchor ^ (uint32_t)other;
}

double thr_member_extent(const thr_member *k, const thr_example *e)
{
    const thr_learner *l = k->rule.learner;
    if (k->slope > 0) /* it is the slope in the score itself */
        return 1;
    if (l->extent)
        return l->extent(&k->rule, e);
    return (l->flags & THR_NOT_LINEAR) || !(e->length2 > 0) ? 1 : sqrt(e->length2);
}

/* ---- learning ----------------------------------------------------------------------------- */

/* Whether e moves the one function that two labels share. Examples with a set of true labels never
 * do. */
static bool is_shared(const thr_member *k, const thr_labels *labels, const thr_example *e)
{
    return thr_member_shares(k, labels) && !e->truth;
}

/* Rules that are fitted to all kept examples at once are fitted again whenever the number of these
 * has doubled, which keeps the total cost within a constant factor of the last fit. The fit to the
 * first 2^j examples is made just before the next one is learned. So while example t is predicted,
 * the rule is that of the first 2^j, the largest power of two with 2^j < t - 1. Returns that number
 * for a member that keeps `examples` (t - 1 of them); 0: no fit yet. */
static size_t last_doubling(size_t examples)
{
    size_t n = 1;
    while (n * 2 < examples)
        n *= 2;
    return examples > 1 ? n : 0;
}

static int fit(thr_member *k, size_t n, thr_error *err)
{
    return k->rule.learner->fit(&k->rule, &k->weights, n, err);
}

/* An example of importance 0 is not kept, and must not trigger the fit a second time. */
int thr_member_ready(thr_member *k, const thr_labels *labels, const thr_example *e, thr_error *err)
{
    const thr_learner *l = k->rule.learner;
    uint32_t f = is_shared(k, labels, e) || e->label == THR_NONE ? 0 : e->label;
    size_t n = k->memory.n;
    bool doubled = n && (n & (n - 1)) == 0;
    int code = l->fit && doubled && thr_learner_counts(e) ? fit(k, n, err) : 0;
    if (code == 0 && e->row)
        code = thr_rule_ready(&k->rule, &k->weights, e, err);
    return code || !l->ready ? code : l->ready(&k->rule, e, f, err);
}

/* Fits the rule to all kept examples, unless that has been done since the last update. */
int thr_member_finish(thr_member *k, thr_error *err)
{
    thr_rule *r = &k->rule;
    int code = 0;
    if (!r->finished && r->learner->fit)
        code = fit(k, k->memory.n, err);
    if (!r->finished && r->learner->finish && code == 0)
        code = r->learner->finish(r, err);
    r->finished = code == 0;
    return code;
}

int thr_member_resume(thr_member *k, thr_error *err)
{
    thr_rule *r = &k->rule;
    bool finished = r->finished;
    r->finished = false;
    return finished && r->learner->fit ? fit(k, last_doubling(k->memory.n), err) : 0;
}

/* `sign`: a shared function should rise on examples of its anchor and fall on those of the other
 * label. `mirrored` tells rules with a margin per side which side the function is on. */
bool thr_member_learn(thr_member *k, const thr_labels *labels, const thr_example *e,
                      const double *live)
{
    bool shared = is_shared(k, labels, e);
    k->rule.mirrored = shared && labels->positive != k->anchor;
    k->rule.first_at_ties = k->rule.rules >= THR_RULES_TIES ? labels->positive : THR_NONE;
    int sign = 1 - 2 * (int)(shared & (e->label != k->anchor));
    bool moved = thr_rule_learn(&k->rule, &k->weights, e, shared, sign, live);
    k->updates += moved;
    return moved;
}

bool thr_member_can_push(const thr_member *k, const thr_labels *labels)
{
    const thr_learner *l = k->rule.learner;
    return l->step && l->move && !(l->flags & THR_REGRESSION) &&
           (thr_member_shares(k, labels) || k->rule.policy->splits);
}

bool thr_member_push(thr_member *k, const thr_labels *labels, const thr_example *e,
                     const double *live, int sign)
{
    bool shared = thr_member_shares(k, labels);
    k->rule.mirrored = shared && labels->positive != k->anchor;
    uint32_t f = shared ? 0 : e->label;
    sign = shared && e->label != k->anchor ? -sign : sign;
    bool moved = thr_rule_push(&k->rule, &k->weights, e, f, live[f], sign);
    k->updates += moved;
    return moved;
}

/* ---- what is in it ------------------------------------------------------------------------ */

/* What weight_of and rest_at need to give the value of any function. */
typedef struct at_feature {
    const thr_member *k;
    uint32_t id, known;
    const thr_example *e;
} at_feature;

static double weight_of(const void *from, uint32_t f)
{
    const at_feature *a = from;
    return a->k->rule.learner->weight(&a->k->rule, &a->k->weights, a->id, f, a->known);
}

static double rest_at(const void *from, uint32_t f)
{
    const at_feature *a = from;
    return a->k->rule.learner->rest(&a->k->rule, a->e, f);
}

static double fold(const thr_member *k, const thr_labels *labels, thr_value_fn *value,
                   const at_feature *a, uint32_t label)
{
    if (!thr_member_shares(k, labels))
        return k->rule.policy->fold(value, a, label, labels->n);
    bool other = label != k->anchor && !(k->rule.learner->flags & THR_REGRESSION);
    return other ? -value(a, 0) : value(a, 0);
}

double thr_member_weight(const thr_member *k, const thr_labels *labels, uint32_t id, uint32_t label,
                         uint32_t known)
{
    at_feature a = {.k = k, .id = id, .known = known};
    return k->rule.learner->weight ? fold(k, labels, weight_of, &a, label) : 0;
}

size_t thr_member_weigh_room(const thr_member *k, size_t n)
{
    return (n + 1) * k->weights.functions;
}

/* The weights of n features for every function are computed first, feature after feature. If every
 * label has its own function, they are the result, and go straight to `out`. Otherwise they are
 * computed in `room` and folded. */
void thr_member_weigh(const thr_member *k, const thr_labels *labels, uint32_t id, size_t n,
                      uint32_t known, double *out, double *room)
{
    const thr_learner *l = k->rule.learner;
    bool number = l->flags & THR_REGRESSION;
    uint32_t functions = k->weights.functions, scores = number || labels->n == 0 ? 1 : labels->n;
    bool shared = thr_member_shares(k, labels), each = !shared && k->rule.policy->splits;
    double *own = each && functions == scores ? out : room + functions;
    if (l->weigh_many)
        l->weigh_many(&k->rule, &k->weights, id, n, known, own, room);
    else
        for (size_t i = 0; i < n; i++)
            for (uint32_t f = 0; f < functions; f++)
                own[i * functions + f] =
                    l->weight(&k->rule, &k->weights, id + (uint32_t)i, f, known);
    for (size_t i = 0; i < n && own != out; i++)
        for (uint32_t label = 0; label < scores; label++) {
            const double *of = own + i * functions;
            out[i * scores + label] = shared ? (label != k->anchor && !number ? -of[0] : of[0])
                                             : k->rule.policy->fold(value_at, of, label, labels->n);
        }
}

double thr_member_rest(const thr_member *k, const thr_labels *labels, const thr_example *e,
                       uint32_t label)
{
    at_feature a = {.k = k, .e = e};
    return k->rule.learner->rest ? fold(k, labels, rest_at, &a, label) : 0;
}
