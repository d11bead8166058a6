#include "multiclass/policy.h"

#include "multiclass/rule.h"

#include <string.h>

static bool may_be(const thr_example *e, uint32_t label)
{
    return !e->candidate || e->candidate[label];
}

/* ---- a function for each label ------------------------------------------------------------ */

static uint64_t one_each(uint64_t labels)
{
    return labels ? labels : 1;
}

static double fold_own(thr_value_fn *value, const void *from, uint32_t label, uint32_t labels)
{
    (void)labels;
    return value(from, label);
}

static uint32_t renumber_own(uint32_t f, const uint32_t *label, bool *turned)
{
    *turned = false;
    return label[f];
}

static void side_own(uint32_t f, uint32_t *label, uint32_t *against)
{
    *label = f;
    *against = UINT32_MAX;
}

static bool is_mine(const thr_example *e, uint32_t g, uint32_t label)
{
    return e->truth ? e->truth[g] : g == label;
}

/* Whether there are four functions side by side from that of label g on, to be moved at once. */
static bool by_quads(const thr_rule *r, const thr_weights *w, uint32_t g)
{
    return r->learner->move_quad && !r->moves && g < r->labels && g + THR_QUAD <= w->width;
}

/* The functions of four labels, or of as many as there are, from g on. */
static bool teach_quad(thr_rule *r, thr_weights *w, const thr_example *e, uint32_t g,
                       uint32_t label, const double *live)
{
    double step[THR_QUAD] = {0};
    unsigned moving = 0, few = r->learner->few;
    for (uint32_t k = 0; k < THR_QUAD && g + k < r->labels; k++) {
        int sign = is_mine(e, g + k, label) ? 1 : -1;
        if (sign > 0 || may_be(e, g + k))
            step[k] = sign * r->learner->step(r, e, sign * live[g + k], sign, 1);
        moving += step[k] != 0;
    }
    if (moving > few)
        r->learner->move_quad(r, w, e, g, step);
    for (uint32_t k = 0; k < THR_QUAD && moving <= few; k++)
        if (step[k] != 0)
            r->learner->move(r, w, e, g + k, step[k]);
    return moving > 0;
}

/* One-vs-all (SNoW's winner takes all): every label's function learns "mine or not". With several
 * true labels each of them is "mine". */
static bool learn_one_vs_all(thr_rule *r, thr_weights *w, const thr_example *e, uint32_t label,
                             const double *live)
{
    bool moved = false;
    uint32_t g = 0;
    for (; by_quads(r, w, g); g += THR_QUAD)
        moved |= teach_quad(r, w, e, g, label, live);
    for (; g < r->labels; g++)
        if (is_mine(e, g, label) || may_be(e, g))
            moved |= thr_rule_teach(r, w, e, g, live[g], is_mine(e, g, label) ? 1 : -1);
    return moved;
}

/* The functions of four labels, or of as many as there are, from g on, by the steps given. */
static bool push_quad(thr_rule *r, thr_weights *w, const thr_example *e, uint32_t g,
                      const double *steps)
{
    double step[THR_QUAD] = {0};
    bool moves = false;
    for (uint32_t k = 0; k < THR_QUAD && g + k < r->labels; k++) {
        step[k] = steps[g + k];
        moves |= step[k] != 0;
    }
    if (moves)
        r->learner->move_quad(r, w, e, g, step);
    return moves;
}

/* A rule with a step for every label. */
static bool learn_all_labels(thr_rule *r, thr_weights *w, const thr_example *e, uint32_t label,
                             const double *live)
{
    bool moved = false;
    uint32_t g = 0;
    r->learner->steps(r, e, label, live, e->room);
    for (; by_quads(r, w, g); g += THR_QUAD)
        moved |= push_quad(r, w, e, g, e->room);
    for (; g < r->labels; g++)
        if (e->room[g] != 0) {
            thr_rule_move(r, w, e, g, live[label] - live[g], e->room[g]);
            moved = true;
        }
    return moved;
}

/* True multi-class: the right label rises, the best wrong one falls, by the same step; the margin
 * is their difference, the direction f(x,y) - f(x,y') has squared length 2|x|^2. */
static bool learn_direct(thr_rule *r, thr_weights *w, const thr_example *e, uint32_t label,
                         const double *live)
{
    if (r->learner->steps)
        return learn_all_labels(r, w, e, label, live);
    uint32_t wrong = UINT32_MAX;
    double most = 0;
    for (uint32_t g = 0; g < r->labels; g++)
        if (g != label && may_be(e, g) && (wrong == UINT32_MAX || live[g] > most)) {
            wrong = g;
            most = live[g];
        }
    if (wrong == UINT32_MAX)
        return false;
    double margin = live[label] - live[wrong], step = r->learner->step(r, e, margin, 1, 2);
    if (step == 0)
        return false;
    thr_rule_move(r, w, e, label, margin, step);
    thr_rule_move(r, w, e, wrong, margin, -step);
    return true;
}

/* ---- a function for each pair of labels --------------------------------------------------- */

/* Labels i < j; a label that comes later only appends. */
static uint32_t pair(uint32_t i, uint32_t j)
{
    return (uint32_t)((uint64_t)j * (j - 1) / 2 + i);
}

static uint64_t one_a_pair(uint64_t labels)
{
    return labels > 2 ? labels * (labels - 1) / 2 : 1;
}

/* The sum of a label's leads over each other one: linear, so that it can be explained. */
static double fold_pairs(thr_value_fn *value, const void *from, uint32_t label, uint32_t labels)
{
    double sum = 0;
    for (uint32_t i = 0; i < label; i++)
        sum -= value(from, pair(i, label));
    for (uint32_t j = label + 1; j < labels; j++)
        sum += value(from, pair(label, j));
    return sum;
}

static void sides_of_pair(uint32_t f, uint32_t *label, uint32_t *against)
{
    uint32_t j = 1;
    while (pair(0, j + 1) <= f)
        j++;
    *label = f - pair(0, j);
    *against = j;
}

static uint32_t renumber_pair(uint32_t f, const uint32_t *label, bool *turned)
{
    uint32_t i, j;
    sides_of_pair(f, &i, &j);
    uint32_t a = label[i], b = label[j];
    *turned = a > b;
    return a < b ? pair(a, b) : pair(b, a);
}

static bool learn_all_pairs(thr_rule *r, thr_weights *w, const thr_example *e, uint32_t label,
                            const double *live)
{
    bool moved = false;
    for (uint32_t other = 0; other < r->labels; other++) {
        if (other == label || !may_be(e, other))
            continue;
        uint32_t f = label < other ? pair(label, other) : pair(other, label);
        moved |= thr_rule_teach(r, w, e, f, live[f], label < other ? 1 : -1);
    }
    return moved;
}

/* ---- the table ---------------------------------------------------------------------------- */

const thr_policy thr_one_vs_all = {
    .name = "one-vs-all",
    .help = "each label learns to tell itself from all others",
    .splits = true,
    .functions = one_each,
    .fold = fold_own,
    .renumber = renumber_own,
    .sides = side_own,
    .learn = learn_one_vs_all,
};

const thr_policy thr_direct = {
    .name = "direct",
    .help = "the right label moves up, the best wrong one down",
    .needs = THR_DIRECT,
    .in_pairs = true,
    .splits = true,
    .functions = one_each,
    .fold = fold_own,
    .renumber = renumber_own,
    .sides = side_own,
    .learn = learn_direct,
};

const thr_policy thr_all_pairs = {
    .name = "all-pairs",
    .help = "each pair of labels has a function of its own",
    .needs = THR_SHARES | THR_ANTISYMMETRIC,
    .functions = one_a_pair,
    .fold = fold_pairs,
    .renumber = renumber_pair,
    .sides = sides_of_pair,
    .learn = learn_all_pairs,
};

const thr_policy *const thr_policies[] = {&thr_one_vs_all, &thr_direct, &thr_all_pairs, NULL};

const thr_policy *thr_policy_find(const char *name)
{
    for (size_t i = 0; thr_policies[i]; i++)
        if (strcmp(thr_policies[i]->name, name) == 0)
            return thr_policies[i];
    return NULL;
}
