/* The results: losses, bounds, and the best experts in hindsight. */
#include "experts/experts.h"
#include "measure/hedge.h"

#include <math.h>

/* Tolerance in comparing a loss with its bound: sums of many losses are rounded. */
#define ROUNDING 1e-9

static const char *const form_names[THR_FORMS] = {"vote", "mean", "expected", "drawn"};

/* There is no bound (INFINITY) for drawn answers, whose loss is random, nor for an algorithm
 * without share against a sequence with switches. */
double thr_experts_bound(const thr_experts *e, size_t row, unsigned k)
{
    if (row >= e->rows || k > e->sequence.limit)
        return INFINITY;
    const thr_player *p = &e->player[e->row[row].player];
    enum thr_form form = e->row[row].form;
    thr_sequence_found best = thr_sequence_best(&e->sequence, k);
    thr_sequence_cost cost = {best.cost, best.turns, e->rounds};
    if (form == THR_DRAWN || (best.turns && !p->algorithm->shares))
        return INFINITY;
    if (p->adapts)
        return thr_hedge_anytime_bound(best.cost, e->n, e->rounds);
    if (form == THR_VOTE)
        return thr_share_vote_bound(cost, e->n, p->eta, p->share);
    double bound = thr_share_bound(cost, e->n, p->eta, p->share);
    if (form == THR_MEAN && p->eta <= e->loss->concave)
        bound = fmin(bound, thr_share_concave_bound(cost, e->n, p->eta, p->share));
    return bound;
}

/* The bound is the least over all numbers of switches. */
bool thr_experts_result_at(const thr_experts *e, size_t row, thr_experts_result *out)
{
    if (row >= e->rows)
        return false;
    const thr_player *p = &e->player[e->row[row].player];
    *out = (thr_experts_result){
        .algorithm = p->algorithm->name,
        .form = form_names[e->row[row].form],
        .eta = p->adapts ? NAN : p->eta,
        .share = p->share,
        .loss = p->total[e->row[row].form],
        .bound = INFINITY,
    };
    for (unsigned k = 0; k <= e->sequence.limit; k++) {
        double bound = thr_experts_bound(e, row, k);
        if (bound < out->bound) {
            out->bound = bound;
            out->bound_switches = k;
        }
    }
    out->holds = out->loss <= out->bound * (1 + ROUNDING) + ROUNDING;
    if (isinf(out->bound))
        out->bound = NAN;
    return true;
}

size_t thr_experts_answer(const thr_experts *e, size_t row, double *mean)
{
    if (mean)
        *mean = NAN;
    if (row >= e->rows)
        return (size_t)-1;
    const thr_player *p = &e->player[e->row[row].player];
    enum thr_form form = e->row[row].form;
    size_t choice = p->choice[form];
    if (mean && form == THR_MEAN)
        *mean = p->mean;
    return choice < e->n ? choice : (size_t)-1;
}

size_t thr_experts_count(const thr_experts *e)
{
    return e->n;
}

uint64_t thr_experts_rounds(const thr_experts *e)
{
    return e->rounds;
}

bool thr_experts_expert(const thr_experts *e, size_t expert, thr_experts_entry *out)
{
    if (expert >= e->n)
        return false;
    *out = (thr_experts_entry){e->name[expert], e->total[expert], e->silences[expert]};
    return true;
}

/* ---- sequences ---------------------------------------------------------------------------- */

double thr_experts_best(const thr_experts *e, unsigned k, size_t *parts)
{
    k = k < e->sequence.limit ? k : e->sequence.limit;
    thr_sequence_found best = thr_sequence_best(&e->sequence, k);
    if (parts)
        *parts = best.turns + 1;
    return best.cost;
}

bool thr_experts_best_part(const thr_experts *e, unsigned k, size_t part, thr_experts_part *out)
{
    k = k < e->sequence.limit ? k : e->sequence.limit;
    thr_sequence_found best = thr_sequence_best(&e->sequence, k);
    if (part > best.turns)
        return false;
    bool is_last = part == best.turns;
    *out = (thr_experts_part){
        .expert = is_last ? best.last : best.turn[part].left,
        .from = part ? best.turn[part - 1].round : 1,
        .to = is_last ? e->rounds : best.turn[part].round - 1,
    };
    return true;
}
