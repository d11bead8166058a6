/* The vote and the blend of a panel; panel.h has the equations. */
#include "model/panel.h"

#include "base/mathx.h"
#include "base/random.h"
#include "base/wide.h"
#include "example/batch.h"
#include "measure/hedge.h"
#include "model/review.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ETA, SHARE, VOTE, BLEND, SEED, DECIDE, PAUSE }; /* options, as in learner/panel.c */
enum { MIXES, VOTES };                                 /* values of DECIDE */

/* Constants of the blend. A member's log-probability counts as at least LEAST_LOG_P, so that one
 * that is certain cannot outvote all others for ever. */
#define LEAST_LOG_P (-30)
#define MEMORY      (1 - 1 / 4000.0) /* factor by which the past fades with each example */
#define PRIOR       10               /* curvature at the start: the first examples move little */
#define LONGEST     0.1              /* largest step of a power */
#define MOST_POWER  10               /* largest size of a power */
#define LEAST_PIVOT 1e-6             /* in the Cholesky factors: keeps the matrix definite */
/* The blend learns from each of the first ALL examples; from then on, when it hardly moves, from
 * one in EVERY, and forgets HASTE times as much at each of these. */
#define ALL   16384
#define EVERY 8
#define HASTE 2

int thr_panel_init(thr_panel *p, uint32_t members, const double *option, bool in_order,
                   thr_error *err)
{
    bool mixes = option[DECIDE] == MIXES, blend = !mixes && option[BLEND] != 0 && members > 1;
    *p = (thr_panel){.members = members,
                     .experts = members + blend,
                     .pauses = mixes && option[PAUSE] != 0,
                     .eta = option[ETA],
                     .share = option[SHARE],
                     .random = option[VOTE] != 0,
                     .seed = (uint64_t)option[SEED]};
    thr_calibration_init_logits(&p->fit);
    p->fit.in_order = in_order;
    p->log_weight = calloc(p->experts, sizeof *p->log_weight);
    p->weight = calloc(p->experts, sizeof *p->weight);
    p->mistakes = calloc(p->experts, sizeof *p->mistakes);
    p->loss = calloc(p->experts, sizeof *p->loss);
    p->power = calloc(members, sizeof *p->power);
    p->curvature = calloc((size_t)members * members, sizeof *p->curvature);
    p->work = calloc((size_t)members * (members + 1), sizeof *p->work);
    p->paused = calloc(members, sizeof *p->paused);
    p->reviewed = calloc(members, sizeof *p->reviewed);
    if (!p->log_weight || !p->weight || !p->mistakes || !p->loss || !p->power || !p->curvature ||
        !p->work || !p->paused || !p->reviewed)
        return thr_fail_memory(err);
    for (uint32_t k = 0; k < members; k++) {
        p->power[k] = 1.0 / members;
        p->curvature[(size_t)k * members + k] = PRIOR;
    }
    thr_panel_weigh(p);
    int code = mixes ? thr_mixture_init(&p->mixture, members, err) : 0;
    p->mixture.in_order = in_order;
    return code;
}

void thr_panel_clear(thr_panel *p)
{
    free(p->log_weight);
    free(p->weight);
    free(p->mistakes);
    free(p->loss);
    free(p->power);
    free(p->curvature);
    free(p->work);
    free(p->reviewed);
    for (uint32_t i = 0; i < p->n_paused; i++)
        free(p->paused[i].spec);
    free(p->paused);
    thr_mixture_clear(&p->mixture);
    thr_calibration_clear(&p->fit);
    thr_label_runs_clear(&p->order);
    *p = (thr_panel){0};
}

int thr_panel_copy(const thr_panel *p, thr_panel *out, thr_error *err)
{
    if (p->members == 0) {
        *out = *p;
        return 0;
    }
    const double option[] = {p->eta,          p->share,
                             p->random,       p->experts > p->members,
                             (double)p->seed, thr_panel_mixes(p) ? MIXES : VOTES,
                             p->pauses};
    int code = thr_panel_init(out, p->members, option, p->fit.in_order, err);
    if (code)
        return code;
    memcpy(out->log_weight, p->log_weight, p->experts * sizeof *p->log_weight);
    memcpy(out->mistakes, p->mistakes, p->experts * sizeof *p->mistakes);
    memcpy(out->reviewed, p->reviewed, p->members * sizeof *p->reviewed);
    memcpy(out->power, p->power, p->members * sizeof *p->power);
    memcpy(out->curvature, p->curvature, (size_t)p->members * p->members * sizeof *p->curvature);
    out->examples = p->examples;
    out->wrong = p->wrong;
    out->expected = p->expected;
    thr_panel_weigh(out);
    thr_mixture_clear(&out->mixture);
    code = thr_mixture_copy(&p->mixture, &out->mixture, err);
    if (code == 0)
        code = thr_panel_copy_paused(p, out, err);
    if (code == 0)
        code = thr_calibration_copy(&p->fit, &out->fit, err);
    return code ? code : thr_label_runs_copy(&p->order, &out->order, err);
}

/* Adds what `from` has learned beyond `less` (NULL: all of it) to p: weights and the blend times
 * `share`, counts once. */
static void add_up(thr_panel *p, const thr_panel *from, const thr_panel *less, double share)
{
    for (uint32_t k = 0; k < p->experts; k++) {
        p->log_weight[k] += share * (from->log_weight[k] - (less ? less->log_weight[k] : 0));
        p->mistakes[k] += from->mistakes[k] - (less ? less->mistakes[k] : 0);
    }
    for (uint32_t k = 0; k < p->members; k++)
        p->power[k] += share * (from->power[k] - (less ? less->power[k] : 0));
    for (uint32_t i = 0; i < p->n_paused; i++) {
        p->paused[i].examples += from->paused[i].examples - (less ? less->paused[i].examples : 0);
        p->paused[i].mistakes += from->paused[i].mistakes - (less ? less->paused[i].mistakes : 0);
    }
    for (size_t i = 0; i < (size_t)p->members * p->members; i++)
        p->curvature[i] += share * (from->curvature[i] - (less ? less->curvature[i] : 0));
    p->examples += from->examples - (less ? less->examples : 0);
    p->wrong += from->wrong - (less ? less->wrong : 0);
    p->expected += from->expected - (less ? less->expected : 0);
}

int thr_panel_mix(thr_panel *p, const thr_panel *const *from, const double *share, size_t n,
                  const thr_panel *base, thr_error *err)
{
    const thr_mixture **mixture = malloc((n + 1) * sizeof *mixture);
    if (!mixture)
        return thr_fail_memory(err);
    for (size_t i = 0; i < n; i++)
        mixture[i] = &from[i]->mixture;
    if (thr_panel_mixes(p))
        thr_mixture_mix(&p->mixture, mixture, share, n, base ? &base->mixture : NULL);
    free(mixture);
    double most = -INFINITY;
    memset(p->power, 0, p->members * sizeof *p->power);
    memset(p->curvature, 0, (size_t)p->members * p->members * sizeof *p->curvature);
    if (base)
        add_up(p, base, NULL, 1);
    for (size_t i = 0; i < n; i++)
        add_up(p, from[i], base, share[i]);
    for (uint32_t k = 0; k < p->experts; k++)
        most = fmax(most, p->log_weight[k]);
    for (uint32_t k = 0; k < p->experts; k++)
        p->log_weight[k] -= most;
    for (uint32_t k = 0; k < p->members; k++) /* a sum of shares may exceed the range by rounding */
        p->power[k] = fmin(fmax(p->power[k], -MOST_POWER), MOST_POWER);
    memcpy(p->reviewed, p->mistakes, p->members * sizeof *p->reviewed);
    thr_panel_weigh(p);
    return 0;
}

bool thr_panel_sound(const thr_panel *p)
{
    bool ok = p->expected >= 0 && isfinite(p->expected);
    for (uint32_t k = 0; k < p->experts; k++)
        ok &= p->log_weight[k] <= 0 && isfinite(p->log_weight[k]);
    for (uint32_t k = 0; k < p->members; k++)
        ok &= fabs(p->power[k]) <= MOST_POWER;
    for (size_t i = 0; i < (size_t)p->members * p->members; i++)
        ok &= (bool)isfinite(p->curvature[i]);
    return ok && (!thr_panel_mixes(p) || thr_mixture_sound(&p->mixture));
}

/* ---- the blend ---------------------------------------------------------------------------- */

static double clipped_log(double log_p)
{
    return log_p > LEAST_LOG_P ? log_p : LEAST_LOG_P;
}

/* out[l] = sum_k c_k log p_kl. Inlined for two labels and compiled for many. */
static inline void multiply(const thr_panel *p, const double *log_p, uint32_t n, double *out)
{
    for (uint32_t l = 0; l < n; l++)
        out[l] = 0;
    for (uint32_t k = 0; k < p->members; k++)
        for (uint32_t l = 0; l < n; l++)
            out[l] += p->power[k] * clipped_log(log_p[(size_t)k * n + l]);
}

THR_CLONED static void multiply_many(const thr_panel *p, const double *log_p, uint32_t n,
                                     double *out)
{
    multiply(p, log_p, n, out);
}

void thr_panel_blend(const thr_panel *p, const double *log_p, const bool *candidate, uint32_t n,
                     double *out)
{
    if (n == 2)
        multiply(p, log_p, 2, out);
    else
        multiply_many(p, log_p, n, out);
    for (uint32_t l = 0; l < n && candidate; l++)
        out[l] = candidate[l] ? out[l] : -INFINITY;
}

bool thr_panel_listens(const thr_panel *p)
{
    return p->examples <= ALL || p->examples % EVERY == 0;
}

/* Adds one example to the decayed second derivatives and computes the gradient. With z_kl = log
 * p_kl the loss -log p_y has the gradient d/dc_k = sum_l (p_l - [l = y]) z_kl and the second
 * derivatives are the covariances of z_k and z_j under p: d2/dc_k dc_j = sum_l p_l (z_kl - mean
 * z_k) z_jl. The prior is decayed and renewed, so the diagonal never fades below it. */
static void see_curvature(thr_panel *p, const double *log_p, uint32_t n, const double *chance,
                          uint32_t label, double *gradient)
{
    uint32_t members = p->members;
    double keep = p->examples > ALL ? 1 - HASTE * (1 - MEMORY) : MEMORY;
    for (size_t i = 0; i < (size_t)members * members; i++)
        p->curvature[i] *= keep;
    for (uint32_t k = 0; k < members; k++) {
        p->curvature[(size_t)k * members + k] += (1 - keep) * PRIOR;
        gradient[k] = -clipped_log(log_p[(size_t)k * n + label]);
    }
    for (uint32_t l = 0; l < n; l++)
        for (uint32_t k = 0; k < members; k++)
            gradient[k] += chance[l] * clipped_log(log_p[(size_t)k * n + l]);
    for (uint32_t l = 0; l < n; l++)
        for (uint32_t k = 0; k < members; k++) {
            double mean = gradient[k] + clipped_log(log_p[(size_t)k * n + label]);
            double d = chance[l] * (clipped_log(log_p[(size_t)k * n + l]) - mean);
            for (uint32_t j = 0; j <= k; j++)
                p->curvature[(size_t)k * members + j] += d * clipped_log(log_p[(size_t)j * n + l]);
        }
}

/* Solves curvature * step = gradient by a Cholesky factorisation. x is the gradient and becomes the
 * step; `factor` is scratch for the lower triangle. */
static void solve(const thr_panel *p, double *factor, double *x)
{
    uint32_t n = p->members;
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = 0; j <= i; j++) {
            double sum = p->curvature[(size_t)i * n + j];
            for (uint32_t k = 0; k < j; k++)
                sum -= factor[i * n + k] * factor[j * n + k];
            factor[i * n + j] = i == j ? sqrt(fmax(sum, LEAST_PIVOT)) : sum / factor[j * n + j];
        }
    for (uint32_t i = 0; i < n; i++) {
        for (uint32_t k = 0; k < i; k++)
            x[i] -= factor[i * n + k] * x[k];
        x[i] /= factor[i * n + i];
    }
    for (uint32_t i = n; i-- > 0;) {
        for (uint32_t k = i + 1; k < n; k++)
            x[i] -= factor[k * n + i] * x[k];
        x[i] /= factor[i * n + i];
    }
}

void thr_panel_learn_blend(thr_panel *p, const double *log_p, uint32_t n, const double *chance,
                           uint32_t label)
{
    double *factor = p->work, *step = p->work + (size_t)p->members * p->members;
    see_curvature(p, log_p, n, chance, label, step);
    solve(p, factor, step);
    for (uint32_t k = 0; k < p->members; k++) {
        double by = fmin(fmax(step[k], -LONGEST), LONGEST);
        p->power[k] = fmin(fmax(p->power[k] - by, -MOST_POWER), MOST_POWER);
    }
}

/* ---- the vote ----------------------------------------------------------------------------- */

void thr_panel_weigh(thr_panel *p)
{
    p->total = 0;
    for (uint32_t k = 0; k < p->experts; k++)
        p->weight[k] = p->log_weight[k];
    thr_exp_many(p->weight, p->experts);
    for (uint32_t k = 0; k < p->experts; k++)
        p->total += p->weight[k];
}

double thr_panel_weight(const thr_panel *p, uint32_t expert)
{
    return thr_panel_mixes(p) ? p->mixture.weight[expert] : p->weight[expert] / p->total;
}

/* Draws an expert with probability proportional to its weight. The draw is a function of seed and
 * round, so a resumed model draws as if it had never stopped. */
static uint32_t draw(const thr_panel *p, uint64_t round)
{
    thr_random r;
    thr_random_init(&r, thr_mix64(p->seed) + round);
    double left = thr_random_real(&r) * p->total;
    for (uint32_t k = 0; k + 1 < p->experts; k++)
        if ((left -= p->weight[k]) < 0)
            return k;
    return p->experts - 1;
}

/* Experts are asked in order, so of labels with equal votes the one named first wins. */
uint32_t thr_panel_vote(const thr_panel *p, const uint32_t *predicted, uint32_t n, double *vote,
                        const uint64_t *round)
{
    uint32_t best = THR_NONE;
    for (uint32_t l = 0; l < n; l++)
        vote[l] = 0;
    for (uint32_t k = 0; k < p->experts; k++)
        if (predicted[k] < n)
            vote[predicted[k]] += thr_panel_weight(p, k);
    for (uint32_t k = 0; k < p->experts; k++)
        if (predicted[k] < n && (best == THR_NONE || vote[predicted[k]] > vote[best]))
            best = predicted[k];
    return p->random && round ? predicted[draw(p, *round)] : best;
}

/* If no expert was wrong and nothing is shared, weights stay as they are and the exponentials are
 * saved. */
static void weigh_voters(thr_panel *p, const bool *wrong)
{
    double lost = 0;
    bool changed = p->share > 0;
    for (uint32_t k = 0; k < p->experts; k++) {
        p->loss[k] = wrong[k];
        lost += p->loss[k] * p->weight[k];
        changed |= wrong[k];
    }
    p->expected += lost / p->total;
    if (changed) {
        thr_hedge_update(p->log_weight, p->experts, p->loss, p->eta, p->share);
        thr_panel_weigh(p);
    }
}

void thr_panel_learn(thr_panel *p, const bool *wrong, bool answer_wrong)
{
    for (uint32_t k = 0; k < p->experts; k++)
        p->mistakes[k] += wrong[k];
    p->examples++;
    p->wrong += answer_wrong;
    if (!thr_panel_mixes(p))
        weigh_voters(p, wrong);
}

/* ---- what is promised --------------------------------------------------------------------- */

uint32_t thr_panel_best(const thr_panel *p, uint32_t among)
{
    uint32_t best = 0;
    for (uint32_t k = 1; k < among; k++)
        if (p->mistakes[k] < p->mistakes[best])
            best = k;
    return best;
}

/* The best single expert: a sequence without switches. */
static thr_sequence_cost best_of(const thr_panel *p)
{
    return (thr_sequence_cost){.loss = (double)p->mistakes[thr_panel_best(p, p->experts)],
                               .rounds = p->examples};
}

double thr_panel_bound(const thr_panel *p)
{
    return thr_share_vote_bound(best_of(p), p->experts, p->eta, p->share);
}

double thr_panel_expected_bound(const thr_panel *p)
{
    return thr_share_bound(best_of(p), p->experts, p->eta, p->share);
}
