/* Scoring: every member says its label, the panel is put to the vote, and scores become
 * probabilities. */
#include "model/model.h"

#include "base/mathx.h"
#include "model/counts.h"

#include <math.h>
#include <string.h>

#define CLEAR 1e-6 /* sums of logarithms are less than 300 a member */

/* A value that the one member cannot take; those of a panel sit out what they cannot. */
static int check_values(const thr_model *m, const thr_batch *b, size_t i, thr_error *err)
{
    size_t at;
    thr_example e;
    thr_model_outline(m, b, i, &e);
    if (thr_member_takes(&m->member[0], &e, &at))
        return 0;
    char digits[24];
    thr_str ns, name = thr_batch_name_of(b, b->start[i] + at, digits, &ns);
    return thr_fail(err, THR_EDATA,
                    "feature '%.*s' has the value %g, and %s with these options cannot take "
                    "negative values",
                    (int)(name.n < 64 ? name.n : 64), name.p, (double)e.x[at],
                    m->member[0].rule.learner->name);
}

/* Whether the values of a batch must be looked at. */
static bool minds_values(const thr_model *m, const thr_batch *b)
{
    return m->members == 1 && m->member[0].rule.nonnegative && b->has_values;
}

bool thr_model_checks(const thr_model *m, const thr_batch *b)
{
    return b->n_listed || thr_model_numbers(m) || minds_values(m, b);
}

int thr_model_check(const thr_model *m, const thr_batch *b, size_t i, thr_error *err)
{
    const thr_about *a = &b->about[i];
    if (a->more.n && !m->reader.multilabel)
        return thr_fail(err, THR_EDATA,
                        "several labels for one example: these need training with --multilabel on");
    if (thr_model_numbers(m) && a->label.p && isnan(thr_about_number(a)))
        return thr_fail(err, THR_EDATA, "the label '%.*s' is not a number, and %s predicts numbers",
                        (int)(a->label.n < 64 ? a->label.n : 64), a->label.p,
                        m->member[0].rule.learner->name);
    return minds_values(m, b) ? check_values(m, b, i, err) : 0;
}

double *thr_sheet_evidence(const thr_model *m, const thr_sheet *s, uint32_t k)
{
    return s->evidence + (size_t)k * m->labels.n;
}

static double *score_of(const thr_model *m, const thr_sheet *s, uint32_t k)
{
    return s->score + k * ((size_t)m->labels.n + 2);
}

double *thr_sheet_weigh(const thr_model *m, thr_sheet *s, uint32_t k)
{
    double *evidence = thr_sheet_evidence(m, s, k);
    thr_member_evidence(&m->member[k], &s->view[k], score_of(m, s, k), m->labels.n, evidence);
    return evidence;
}

/* A member that cannot take the example says nothing: to it all labels are alike. A panel's
 * probabilities are not yet made to add up. */
static void score_member(const thr_model *m, thr_sheet *s, uint32_t k)
{
    const thr_member *member = &m->member[k];
    size_t n = m->labels.n, at;
    double *score = score_of(m, s, k), *log_p = s->log_p + k * n;
    const thr_example *e = &s->view[k];
    thr_sheet_bring(s);
    if (!thr_member_takes(member, e, &at)) {
        s->said[k] = THR_NONE;
        memset(log_p, 0, n * sizeof *log_p);
        return;
    }
    s->said[k] = thr_member_score(member, &m->labels, e, s->live + member->at, s->shown, score);
    if (m->members > 1 && !m->race)
        thr_calibration_weigh(&member->calibration, thr_sheet_weigh(m, s, k), e->candidate, log_p);
}

static uint32_t likeliest(const double *log_p, const bool *candidate, uint32_t n)
{
    uint32_t best = THR_NONE;
    for (uint32_t l = 0; l < n; l++)
        if ((!candidate || candidate[l]) && (best == THR_NONE || log_p[l] > log_p[best]))
            best = l;
    return best;
}

/* Whether a label is far enough ahead of all others for no rounding of a norm to change it. */
static bool is_clear(const double *log_p, uint32_t n, uint32_t best)
{
    bool clear = best != THR_NONE;
    for (uint32_t l = 0; l < n && clear; l++)
        clear = l == best || log_p[best] - log_p[l] > CLEAR;
    return clear;
}

static void normalize_blend(const thr_model *m, thr_sheet *s)
{
    if (s->rough)
        thr_log_normalize(s->chances, m->labels.n, 1);
    s->rough = false;
}

/* The label that the blend says. Its probabilities are worked out when they are wanted. */
static uint32_t blend(const thr_model *m, thr_sheet *s, const bool *candidate)
{
    uint32_t n = m->labels.n;
    thr_panel_blend(&m->panel, s->log_p, candidate, n, s->chances);
    s->rough = true;
    uint32_t best = likeliest(s->chances, candidate, n);
    if (is_clear(s->chances, n, best))
        return best;
    normalize_blend(m, s);
    return likeliest(s->chances, candidate, n);
}

/* All members and the answer, which may be a label still unknown. */
uint32_t thr_model_score_all(const thr_model *m, thr_sheet *s, const thr_example *whole,
                             const uint64_t *round)
{
    uint32_t n = m->labels.n;
    for (uint32_t k = 0; k < m->members; k++)
        score_member(m, s, k);
    if (m->members == 1 || m->race) /* its scores are the answer */
        return s->said[0];
    thr_log_normalize(s->log_p, n, m->members);
    uint32_t said = blend(m, s, whole->candidate);
    if (m->panel.experts > m->members)
        s->said[m->members] = said;
    return thr_panel_vote(&m->panel, s->said, n + 2, s->answer, round);
}

int thr_model_score(const thr_model *m, thr_sheet *s, const thr_batch *b, size_t i, uint32_t *best,
                    thr_error *err)
{
    thr_example whole;
    thr_model_example(m, b, i, &whole);
    thr_sheet_bring(s);
    if (!thr_counts_filter(m, s, &whole) || !thr_sheet_ready(s, m, &whole, b, i))
        return thr_fail_memory(err);
    thr_sheet_restrict(m, s, b, i, &whole);
    *best = thr_model_score_all(m, s, &whole, NULL);
    if (*best >= m->labels.n)
        *best = m->labels.n && !s->restricted ? 0 : THR_NONE; /* the only label known */
    if (!m->reader.multilabel)
        return 0;
    thr_sheet_choose(m, s);
    thr_sheet_mark_truth(m, s, b, i);
    if (*best != THR_NONE && !s->chosen[*best])
        *best = THR_NONE;
    return 0;
}

/* Those of a panel have been found with its vote, all but their norm. */
void thr_model_log_chances(const thr_model *m, thr_sheet *s)
{
    const bool *candidate = s->restricted ? s->candidate : NULL;
    if (m->reader.multilabel)
        thr_calibration_each(&m->member[0].calibration, thr_sheet_weigh(m, s, 0), candidate,
                             s->chances);
    else if (m->members == 1)
        thr_calibration_one(&m->member[0].calibration, thr_sheet_weigh(m, s, 0), candidate,
                            s->chances);
    else
        normalize_blend(m, s);
}

void thr_model_chances(const thr_model *m, thr_sheet *s)
{
    if (thr_model_numbers(m))
        return;
    thr_model_log_chances(m, s);
    memcpy(s->probability, s->chances, m->labels.n * sizeof *s->probability);
    thr_exp_many(s->probability, m->labels.n);
    for (uint32_t l = 0; l < m->labels.n && s->restricted; l++)
        s->probability[l] = s->candidate[l] ? s->probability[l] : 0;
}

double thr_model_lead(const thr_model *m, const thr_sheet *s)
{
    if (m->labels.n != 2)
        return 0;
    const double *by = m->members > 1 ? s->chances : s->answer;
    return by[m->labels.positive] - by[1 - m->labels.positive];
}
