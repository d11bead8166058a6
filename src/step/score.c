/* Scoring: every member predicts a label, the panel decides, and scores become probabilities.
 *
 *   scores of a member  -> evidence         divided by the example's extent
 *   evidence            -> log_p            the member's calibration (measure/calibration.h)
 *
 *   a panel that mixes (model/mixture.h)
 *   log_p of members    -> log_probability  their weighted sum, calibrated
 *   log_probability     -> answer           how far each label leads
 *
 *   a panel that mixes, with multi-label data
 *   log_p of members    -> answer           their weighted sum, calibrated: each label's log-odds
 *
 *   a panel that votes (model/panel.h)
 *   log_p of members    -> log_probability  the panel's blend
 *   predicted           -> answer           the weighted vote
 *
 * Normalising probabilities needs exponentials and logarithms, which cost more than the scores of a
 * short example. They are computed only when a result depends on them: a mixture adds up logits
 * that are not normalised, and a single member's probabilities are computed when they are asked
 * for, or when its calibration learns. Only a vote needs the members' probabilities at every
 * example, and normalises those of several members in one vectorised call. */
#include "base/above.h"
#include "base/mathx.h"
#include "base/wide.h"
#include "learner/history.h"
#include "measure/softmax.h"
#include "model/inside.h"
#include "step/step.h"

#include <math.h>
#include <string.h>

/* A lead in the blend that no rounding can reverse. A term of its sums is at most 300 in size: a
 * logarithm is cut off at -30 and its power at 10 (panel.c), so the rounding error of a sum is many
 * orders of magnitude below this. */
#define CLEAR 1e-6

double *thr_case_evidence(const thr_model *m, const thr_case *c, uint32_t k)
{
    return c->evidence + (size_t)k * m->labels.n;
}

double *thr_case_mixed(const thr_model *m, const thr_case *c)
{
    return c->log_p + (size_t)m->members * m->labels.n;
}

double *thr_case_score_of(const thr_model *m, const thr_case *c, uint32_t k)
{
    return c->score + k * ((size_t)m->labels.n + 2);
}

/* The linear members of a mixture divide by the same length, that of the whole example as it is
 * scaled for them. So a feature has the same value x_i / |x| for all of them, and their functions
 * add up to one. */
double thr_case_extent(const thr_model *m, const thr_case *c, uint32_t k)
{
    const thr_example *e = &c->view[k];
    bool linear = !(m->member[k].rule.learner->flags & THR_NOT_LINEAR);
    return thr_model_mixes(m) && linear ? e->scale * c->length
                                        : thr_member_extent(&m->member[k], e);
}

/* Many numbers are multiplied, which is faster, but by older rules. */
THR_CLONED static void divide_all(const double *x, uint32_t n, double by, bool exactly, double *out)
{
    double times = 1 / by;
    for (uint32_t i = 0; i < n && exactly; i++)
        out[i] = x[i] / by;
    for (uint32_t i = 0; i < n && !exactly; i++)
        out[i] = x[i] * times;
}

double *thr_case_weigh(const thr_model *m, thr_case *c, uint32_t k)
{
    double *evidence = thr_case_evidence(m, c, k), extent = thr_case_extent(m, c, k);
    bool exactly = m->labels.n <= 2 || m->member[k].calibration.in_order;
    divide_all(thr_case_score_of(m, c, k), m->labels.n, extent, exactly, evidence);
    return evidence;
}

static uint32_t likeliest(const double *log_p, const bool *candidate, uint32_t n)
{
    uint32_t best = THR_NONE;
    for (uint32_t l = 0; l < n; l++)
        if ((!candidate || candidate[l]) && (best == THR_NONE || log_p[l] > log_p[best]))
            best = l;
    return best;
}

/* A member that cannot take the example predicts nothing: log_p of 0 for every label adds the same
 * to all of them in the blend or mixture. The log_p of a panel's members are not normalised here:
 * for a vote thr_case_score does that, for all members at once, and for a mixture record.c, if at
 * all. A mixture leaves out the labels that are no candidates only when it decides. */
static void score_by(const thr_model *m, thr_case *c, uint32_t k)
{
    const thr_member *member = &m->member[k];
    size_t n = m->labels.n, at;
    double *score = thr_case_score_of(m, c, k), *log_p = c->log_p + k * n;
    const thr_example *e = &c->view[k];
    double *shown = c->shown + member->at;
    c->seen[k] = member->calibration.seen;
    if (!thr_member_takes(member, e, &at)) {
        c->predicted[k] = THR_NONE;
        memset(log_p, 0, n * sizeof *log_p);
        return;
    }
    const thr_rule *rule = &member->rule;
    rule->learner->score(rule, &member->weights, e, c->live + member->at, shown);
    c->predicted[k] = thr_member_label(member, &m->labels, e->candidate, shown, score);
    if (thr_model_by_probability(m)) {
        thr_calibration_weigh_each(&member->calibration, thr_case_weigh(m, c, k), log_p);
        c->predicted[k] = likeliest(log_p, e->candidate, (uint32_t)n);
    } else if (thr_model_combines(m))
        thr_calibration_weigh(&member->calibration, thr_case_weigh(m, c, k),
                              thr_model_mixes(m) ? NULL : e->candidate, log_p);
}

void thr_case_score(const thr_model *m, thr_case *c, uint32_t first, uint32_t end,
                    thr_prefetch *ahead)
{
    for (uint32_t k = first; k < end; k++) {
        thr_prefetch_some(ahead);
        score_by(m, c, k);
    }
    if (thr_model_combines(m) && !thr_model_mixes(m))
        thr_log_normalize(c->log_p + (size_t)first * m->labels.n, m->labels.n, end - first);
}

/* Whether `best` leads by so much that normalising, which rounds, could not change the order. Where
 * it does not, blend() normalises before it decides, so that the decision is the same whether or
 * not probabilities are asked for. */
static bool is_clear(const double *log_p, uint32_t n, uint32_t best)
{
    bool clear = best != THR_NONE;
    for (uint32_t l = 0; l < n && clear; l++)
        clear = l == best || log_p[best] - log_p[l] > CLEAR;
    return clear;
}

static void normalize_blend(const thr_model *m, thr_case *c)
{
    if (c->unnormalised)
        thr_log_normalize(c->log_probability, m->labels.n, 1);
    c->unnormalised = false;
}

/* The label that the blend predicts. c->log_probability stay unnormalised if the label is clear
 * without. */
static uint32_t blend(const thr_model *m, thr_case *c, const bool *candidate)
{
    uint32_t n = m->labels.n;
    thr_panel_blend(&m->panel, c->log_p, candidate, n, c->log_probability);
    c->unnormalised = true;
    uint32_t best = likeliest(c->log_probability, candidate, n);
    if (is_clear(c->log_probability, n, best))
        return best;
    normalize_blend(m, c);
    return likeliest(c->log_probability, candidate, n);
}

THR_CLONED static void subtract_from_all(double *x, uint32_t n, double less)
{
    for (uint32_t i = 0; i < n; i++)
        x[i] -= less;
}

/* Replaces each label's number by its lead over the best other label: for two labels the log-odds.
 * Labels that are no candidates have -infinity. A label without a rival leads by 0. Returns the
 * label that leads; the positive one wins ties, as in single rules. THR_NONE: there is no
 * candidate. */
static uint32_t find_leads(const thr_model *m, double *of)
{
    uint32_t n = m->labels.n, best = m->labels.positive;
    double most = thr_greatest(of, n);
    if (!(most > -INFINITY))
        return THR_NONE;
    if (best >= n || of[best] < most)
        best = thr_first_at_least(of, n, most);
    of[best] = -INFINITY;
    double next = thr_greatest(of, n);
    subtract_from_all(of, n, most);
    of[best] = next > -INFINITY ? most - next : 0;
    return best;
}

/* With class weights w_l the answer is the label with the greatest w_l p_l, while the probabilities
 * stay as they are: they say how often a label is true. z_l stay in the last row of c->log_p, from
 * which the fit is learned. */
static uint32_t mix_members(const thr_model *m, thr_case *c, const bool *candidate)
{
    uint32_t n = m->labels.n;
    double *z = thr_case_mixed(m, c);
    thr_mixture_add_up(&m->panel.mixture, c->log_p, n, z);
    thr_calibration_weigh(&m->panel.fit, z, candidate, c->log_probability);
    memcpy(c->answer, c->log_probability, n * sizeof *c->answer);
    c->unnormalised = true;
    for (uint32_t l = 0; l < n && thr_classes_differ(&m->classes); l++)
        c->answer[l] += c->favour[l];
    return find_leads(m, c->answer);
}

/* For multi-label data: c->answer are the labels' own log-odds, and the likeliest label stands for
 * the set (thr_case_choose). */
static uint32_t mix_sets(const thr_model *m, thr_case *c, const bool *candidate)
{
    double *z = thr_case_mixed(m, c);
    thr_mixture_add_up(&m->panel.mixture, c->log_p, m->labels.n, z);
    thr_calibration_weigh_each(&m->panel.fit, z, c->answer);
    return likeliest(c->answer, candidate, m->labels.n);
}

uint32_t thr_case_decide(const thr_model *m, thr_case *c, const thr_example *whole,
                         const uint64_t *round)
{
    uint32_t n = m->labels.n;
    if (thr_model_mixes(m) && m->reader.multilabel)
        return mix_sets(m, c, whole->candidate);
    if (thr_model_mixes(m))
        return mix_members(m, c, whole->candidate);
    if (!thr_model_combines(m)) /* c->answer is c->score, the first member's */
        return c->predicted[0];
    uint32_t predicted = blend(m, c, whole->candidate);
    if (m->panel.experts > m->members)
        c->predicted[m->members] = predicted;
    return thr_panel_vote(&m->panel, c->predicted, n + 2, c->answer, round);
}

/* A panel's were computed when it decided; only the normalisation may be missing. */
void thr_case_log_probabilities(const thr_model *m, thr_case *c)
{
    const bool *candidate = c->restricted ? c->candidate : NULL;
    if (m->reader.multilabel && thr_model_mixes(m))
        thr_calibration_each(&m->panel.fit, thr_case_mixed(m, c), candidate, c->log_probability);
    else if (m->reader.multilabel)
        thr_calibration_each(&m->member[0].calibration, thr_case_weigh(m, c, 0), candidate,
                             c->log_probability);
    else if (!thr_model_combines(m))
        thr_calibration_one(&m->member[0].calibration, thr_case_weigh(m, c, 0), candidate,
                            c->log_probability);
    else
        normalize_blend(m, c);
}

void thr_case_fitted(const thr_model *m, thr_case *c)
{
    if (thr_model_numbers(m))
        return;
    thr_case_log_probabilities(m, c);
    for (uint32_t l = 0; l < m->labels.n; l++)
        c->probability[l] = c->restricted && !c->candidate[l] ? -INFINITY : c->log_probability[l];
    thr_exp_many(c->probability, m->labels.n);
}

const thr_calibration *thr_model_tempers(const thr_model *m)
{
    if (thr_model_numbers(m) || m->member[0].rule.rules == THR_RULES_FIRST ||
        m->member[0].calibration.fixed)
        return NULL;
    return thr_model_mixes(m) ? &m->panel.fit : &m->member[0].calibration;
}

void thr_case_probabilities(const thr_model *m, thr_case *c)
{
    const thr_calibration *by = thr_model_tempers(m);
    thr_case_fitted(m, c);
    if (by)
        thr_calibration_temper(by, c->restricted ? c->candidate : NULL, m->reader.multilabel,
                               c->probability);
}

/* A panel is ranked by its probabilities, not by its votes, which have few different values. The
 * difference
 * is the same before and after normalising, up to rounding. */
double thr_case_lead(const thr_model *m, const thr_case *c)
{
    if (m->labels.n != 2)
        return 0;
    const double *by = thr_model_combines(m) ? c->log_probability : c->answer;
    return by[m->labels.positive] - by[1 - m->labels.positive];
}
