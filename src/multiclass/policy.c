/* The four policies for many labels.
 *
 * Moving four functions in one walk over the example (learner->move_quad) reads each row once and
 * not four times. It gives the same bits as one by one. It is not used while moves are recorded,
 * since each must be recorded alone. */
#include "multiclass/policy.h"

#include "base/above.h"
#include "multiclass/rule.h"
#include "weights/lists.h"

#include <string.h>

/* Whether a label is among the example's candidates. Functions of other labels are not taught: the
 * example says nothing about them. */
static bool may_be(const thr_example *e, uint32_t label)
{
    return !e->candidate || e->candidate[label];
}

/* ---- one function per label --------------------------------------------------------------- */

static uint64_t one_each(uint64_t labels)
{
    return labels ? labels : 1;
}

static uint32_t all_move(const thr_rule *r)
{
    return r->labels;
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

/* Whether function g should rise on e: its label is the true one, or one of several. */
static bool is_mine(const thr_example *e, uint32_t g, uint32_t label)
{
    return e->truth ? e->truth[g] : g == label;
}

/* Whether the four functions from that of label g on can be moved at once. Rows may be wider than
 * there are labels; steps of 0 leave the surplus places as they are. */
static bool by_quads(const thr_rule *r, const thr_weights *w, uint32_t g)
{
    return r->learner->move_quad && !r->moves && g < r->labels && !thr_weights_is_listed(w) &&
           g + THR_QUAD <= w->width;
}

/* One-vs-all for the functions of up to four labels from g on. If few of them move, one by one is
 * faster. */
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

/* One-vs-all (SNoW's winner takes all): every label's function learns "mine or not". For
 * multi-label data each true label is "mine". */
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

/* Adds label g to the n <= THR_RIVALS strongest so far, the strongest first. Of labels with the
 * same value the one added first stays in front. Returns the new n. */
static uint32_t rank_rival(const double *live, uint32_t g, uint32_t *rival, uint32_t n)
{
    uint32_t at = n < THR_RIVALS ? n : THR_RIVALS - 1;
    if (n == THR_RIVALS && !(live[g] > live[rival[at]]))
        return n;
    for (; at > 0 && live[g] > live[rival[at - 1]]; at--)
        rival[at] = rival[at - 1];
    rival[at] = g;
    return n < THR_RIVALS ? n + 1 : n;
}

/* The wrong labels with the greatest values, one label after another. The one that would be
 * predicted is the first of them: ties are decided as in best_wrong. */
static uint32_t rank_rivals(const thr_rule *r, const thr_example *e, uint32_t label,
                            const double *live, uint32_t *rival)
{
    uint32_t n = 0, first = r->first_at_ties;
    if (first < r->labels && first != label && may_be(e, first))
        n = rank_rival(live, first, rival, n);
    for (uint32_t g = 0; g < r->labels; g++) {
        if (n == THR_RIVALS)
            g = thr_first_above(live, g, r->labels, live[rival[n - 1]]);
        if (g < r->labels && g != label && g != first && may_be(e, g))
            n = rank_rival(live, g, rival, n);
    }
    return n;
}

/* The same, without a branch for each label where there are no ties: the right label may be one of
 * the greatest, so one more than the rivals is looked for. */
static uint32_t find_rivals(const thr_rule *r, const thr_example *e, uint32_t label,
                            const double *live, uint32_t *rival)
{
    uint32_t greatest[THR_RIVALS + 1], n = 0;
    if (e->candidate || !thr_places_of_greatest(live, r->labels, THR_RIVALS + 1, greatest))
        return rank_rivals(r, e, label, live, rival);
    for (uint32_t k = 0; n < THR_RIVALS; k++) {
        rival[n] = greatest[k];
        n += greatest[k] != label;
    }
    return n;
}

static uint32_t rivals_move(const thr_rule *r)
{
    return r->labels <= THR_RIVALS ? r->labels : THR_RIVALS + 1;
}

/* Teaches n functions, of which the first should rise and the others fall: as thr_rule_teach does
 * with one after another. */
static bool teach_several(thr_rule *r, thr_weights *w, const thr_example *e, const uint32_t *f,
                          uint32_t n, const double *live)
{
    _Static_assert(THR_RIVALS + 1 <= THR_TOGETHER, "all may move");
    uint32_t moving[THR_RIVALS + 1], moves = 0;
    double step[THR_RIVALS + 1];
    for (uint32_t k = 0; k < n; k++) {
        int sign = k == 0 ? 1 : -1, side = thr_rule_side(r, f[k]);
        double by = r->learner->step(r, e, sign * live[f[k]], sign * side, 1);
        moving[moves] = f[k];
        step[moves] = side * (sign * by);
        moves += by != 0;
    }
    r->learner->move_several(r, w, e, moving, step, moves);
    return moves > 0;
}

/* One-vs-all in which only the right label and its strongest rivals learn: a feature gets numbers
 * for these labels and no others, and the cost of learning does not grow with the number of
 * labels. */
static bool learn_rivals(thr_rule *r, thr_weights *w, const thr_example *e, uint32_t label,
                         const double *live)
{
    uint32_t taught[THR_RIVALS + 1] = {label};
    if (r->labels <= THR_RIVALS + 1)
        return learn_one_vs_all(r, w, e, label, live);
    uint32_t n = 1 + find_rivals(r, e, label, live, taught + 1);
    if (r->learner->move_several && !r->moves && !thr_weights_is_listed(w))
        return teach_several(r, w, e, taught, n, live);
    bool moved = false;
    for (uint32_t k = 0; k < n; k++)
        moved |= thr_rule_teach(r, w, e, taught[k], live[taught[k]], k == 0 ? 1 : -1);
    return moved;
}

/* For a rule that computes a step for every label at once (learner->steps). */
static bool learn_all_labels(thr_rule *r, thr_weights *w, const thr_example *e, uint32_t label,
                             const double *live)
{
    bool moved = false;
    uint32_t g = 0;
    r->learner->steps(r, e, label, live, e->room);
    for (; by_quads(r, w, g); g += THR_QUAD) {
        double step[THR_QUAD] = {0};
        bool moves = false;
        for (uint32_t k = 0; k < THR_QUAD && g + k < r->labels; k++) {
            step[k] = e->room[g + k];
            moves |= step[k] != 0;
        }
        if (moves)
            r->learner->move_quad(r, w, e, g, step);
        moved |= moves;
    }
    for (; g < r->labels; g++)
        if (e->room[g] != 0) {
            thr_rule_move(r, w, e, g, live[label] - live[g], e->room[g]);
            moved = true;
        }
    return moved;
}

static uint32_t two_move(const thr_rule *r)
{
    return r->learner->steps ? r->labels : 2;
}

/* The wrong label with the greatest value. Ties are decided as in predicting: by the positive
 * label, else the first (model/member.c). So the label that was predicted wrongly is the one that
 * falls. THR_NONE: there is no wrong label to choose. */
static uint32_t best_wrong(const thr_rule *r, const thr_example *e, uint32_t label,
                           const double *live)
{
    uint32_t best = r->first_at_ties;
    if (best >= r->labels || best == label || !may_be(e, best))
        best = THR_NONE;
    for (uint32_t g = 0; g < r->labels; g++) {
        if (best != THR_NONE)
            g = thr_first_above(live, g, r->labels, live[best]);
        if (g < r->labels && g != label && may_be(e, g))
            best = g;
    }
    return best;
}

/* True multi-class: the true label y rises and the best wrong one y' falls by the same step. The
 * margin is the difference of their values. The direction of the move, f(x,y) - f(x,y'), has the
 * squared length 2|x|^2; the argument `copies` = 2 tells the learner so. docs/THEORY.md says what
 * becomes of the bounds. */
static bool learn_direct(thr_rule *r, thr_weights *w, const thr_example *e, uint32_t label,
                         const double *live)
{
    if (r->learner->steps)
        return learn_all_labels(r, w, e, label, live);
    uint32_t wrong = best_wrong(r, e, label, live);
    if (wrong == THR_NONE)
        return false;
    double margin = live[label] - live[wrong], step = r->learner->step(r, e, margin, 1, 2);
    if (step == 0)
        return false;
    thr_rule_move(r, w, e, label, margin, step);
    thr_rule_move(r, w, e, wrong, margin, -step);
    return true;
}

/* ---- one function per pair of labels ------------------------------------------------------ */

/* The function of labels i < j, which is positive for i. A new label appends its pairs behind all
 * others, so no function changes its number. */
static uint32_t pair(uint32_t i, uint32_t j)
{
    return (uint32_t)((uint64_t)j * (j - 1) / 2 + i);
}

static uint64_t one_a_pair(uint64_t labels)
{
    return labels > 2 ? labels * (labels - 1) / 2 : 1;
}

/* The sum of a label's leads over every other label. Counting duels won would not be linear in the
 * functions, and could not be explained by weights. */
static double fold_pairs(thr_value_fn *value, const void *from, uint32_t label, uint32_t labels)
{
    double sum = 0;
    for (uint32_t i = 0; i < label; i++)
        sum -= value(from, pair(i, label));
    for (uint32_t j = label + 1; j < labels; j++)
        sum += value(from, pair(label, j));
    return sum;
}

/* The inverse of pair(). */
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

/* Only the functions of pairs that contain the true label are taught. */
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
    .moves = all_move,
    .learn = learn_one_vs_all,
};

const thr_policy thr_rivals = {
    .name = "rivals",
    .help = "as one-vs-all, but only the right label and its four strongest rivals learn",
    .splits = true,
    .functions = one_each,
    .fold = fold_own,
    .renumber = renumber_own,
    .sides = side_own,
    .moves = rivals_move,
    .learn = learn_rivals,
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
    .moves = two_move,
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
    .moves = all_move,
    .learn = learn_all_pairs,
};

const thr_policy *const thr_policies[] = {&thr_one_vs_all, &thr_rivals, &thr_direct, &thr_all_pairs,
                                          NULL};

const thr_policy *thr_policy_find(const char *name)
{
    for (size_t i = 0; thr_policies[i]; i++)
        if (strcmp(thr_policies[i]->name, name) == 0)
            return thr_policies[i];
    return NULL;
}
