/* Scoring: every member predicts a label, the panel votes, and scores become probabilities.
 *
 *   scores of a member  -> evidence     divided by the example's extent (thr_member_evidence)
 *   evidence            -> log_p        the member's calibration (measure/calibration.h)
 *   log_p of members    -> chances      the panel's blend (model/panel.h)
 *   said of experts     -> answer       the panel's weighted vote
 *
 * Normalising probabilities needs exponentials and logarithms, which cost more than the scores of a
 * short example. They are computed only when a result depends on them: a panel needs its members'
 * for every vote, and normalises all of them in one vectorised call; a single member's are computed
 * when they are asked for, or when its calibration learns. */
#include "base/mathx.h"
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

double *thr_case_score_of(const thr_model *m, const thr_case *c, uint32_t k)
{
    return c->score + k * ((size_t)m->labels.n + 2);
}

double *thr_case_weigh(const thr_model *m, thr_case *c, uint32_t k)
{
    double *evidence = thr_case_evidence(m, c, k);
    thr_member_evidence(&m->member[k], &c->view[k], thr_case_score_of(m, c, k), m->labels.n,
                        evidence);
    return evidence;
}

/* A member that cannot take the example predicts nothing: log_p of 0 for every label adds the same
 * to all of them in the blend. The log_p of a panel's members are not normalised here but in
 * thr_case_decide, all at once. */
void thr_case_score(const thr_model *m, thr_case *c, uint32_t k)
{
    const thr_member *member = &m->member[k];
    size_t n = m->labels.n, at;
    double *score = thr_case_score_of(m, c, k), *log_p = c->log_p + k * n;
    const thr_example *e = &c->view[k];
    if (!thr_member_takes(member, e, &at)) {
        c->said[k] = THR_NONE;
        memset(log_p, 0, n * sizeof *log_p);
        return;
    }
    c->said[k] = thr_member_score(member, &m->labels, e, c->live + member->at, c->shown, score);
    if (m->members > 1 && !m->race)
        thr_calibration_weigh(&member->calibration, thr_case_weigh(m, c, k), e->candidate, log_p);
}

static uint32_t likeliest(const double *log_p, const bool *candidate, uint32_t n)
{
    uint32_t best = THR_NONE;
    for (uint32_t l = 0; l < n; l++)
        if ((!candidate || candidate[l]) && (best == THR_NONE || log_p[l] > log_p[best]))
            best = l;
    return best;
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
        thr_log_normalize(c->chances, m->labels.n, 1);
    c->unnormalised = false;
}

/* The label that the blend predicts. c->chances stay unnormalised if the label is clear without. */
static uint32_t blend(const thr_model *m, thr_case *c, const bool *candidate)
{
    uint32_t n = m->labels.n;
    thr_panel_blend(&m->panel, c->log_p, candidate, n, c->chances);
    c->unnormalised = true;
    uint32_t best = likeliest(c->chances, candidate, n);
    if (is_clear(c->chances, n, best))
        return best;
    normalize_blend(m, c);
    return likeliest(c->chances, candidate, n);
}

uint32_t thr_case_decide(const thr_model *m, thr_case *c, const thr_example *whole,
                         const uint64_t *round)
{
    uint32_t n = m->labels.n;
    if (m->members == 1 || m->race) /* c->answer is c->score, the first member's */
        return c->said[0];
    thr_log_normalize(c->log_p, n, m->members);
    uint32_t said = blend(m, c, whole->candidate);
    if (m->panel.experts > m->members)
        c->said[m->members] = said;
    return thr_panel_vote(&m->panel, c->said, n + 2, c->answer, round);
}

/* A panel's were computed by its vote; only the normalisation may be missing. */
void thr_case_log_chances(const thr_model *m, thr_case *c)
{
    const bool *candidate = c->restricted ? c->candidate : NULL;
    if (m->reader.multilabel)
        thr_calibration_each(&m->member[0].calibration, thr_case_weigh(m, c, 0), candidate,
                             c->chances);
    else if (m->members == 1)
        thr_calibration_one(&m->member[0].calibration, thr_case_weigh(m, c, 0), candidate,
                            c->chances);
    else
        normalize_blend(m, c);
}

void thr_case_chances(const thr_model *m, thr_case *c)
{
    if (thr_model_numbers(m))
        return;
    thr_case_log_chances(m, c);
    memcpy(c->probability, c->chances, m->labels.n * sizeof *c->probability);
    thr_exp_many(c->probability, m->labels.n);
    for (uint32_t l = 0; l < m->labels.n && c->restricted; l++)
        c->probability[l] = c->candidate[l] ? c->probability[l] : 0;
}

/* A panel is ranked by its blend, not by its votes, which have few different values. The difference
 * is the same before and after normalising, up to rounding. */
double thr_case_lead(const thr_model *m, const thr_case *c)
{
    if (m->labels.n != 2)
        return 0;
    const double *by = m->members > 1 ? c->chances : c->answer;
    return by[m->labels.positive] - by[1 - m->labels.positive];
}
