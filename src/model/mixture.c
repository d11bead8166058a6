/* The mixture of a panel's members; mixture.h has the equations and the bound. */
#include "model/mixture.h"

#include "base/mathx.h"
#include "base/sum.h"
#include "base/wide.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define EVEN     0.5 /* part of the weight that is spread evenly */
#define TOGETHER 32  /* terms of a sum */
#define START    1   /* beside D in eta: the first examples move the weights little */
#define MOST     30  /* what the members' losses of an example may differ by and count in full */

int thr_mixture_init(thr_mixture *x, uint32_t members, thr_error *err)
{
    *x = (thr_mixture){.members = members, .log_members = thr_log((double)members), .most = MOST};
    x->lost = calloc(members, sizeof *x->lost);
    x->weight = calloc(members, sizeof *x->weight);
    x->gradient = calloc(members, sizeof *x->gradient);
    if (!x->lost || !x->weight || !x->gradient)
        return thr_fail_memory(err);
    thr_mixture_weigh(x);
    return 0;
}

void thr_mixture_clear(thr_mixture *x)
{
    free(x->lost);
    free(x->weight);
    free(x->gradient);
    *x = (thr_mixture){0};
}

/* Gives `out`, of as many members, the numbers of x. */
static void set(thr_mixture *out, const thr_mixture *x)
{
    memcpy(out->lost, x->lost, x->members * sizeof *x->lost);
    memcpy(out->weight, x->weight, x->members * sizeof *x->weight);
    out->log_members = x->log_members;
    out->gap = x->gap;
    out->loss = x->loss;
    out->counted = x->counted;
    out->beyond = x->beyond;
    out->most = x->most;
    out->in_order = x->in_order;
}

int thr_mixture_copy(const thr_mixture *x, thr_mixture *out, thr_error *err)
{
    *out = (thr_mixture){0};
    if (x->members == 0)
        return 0;
    int code = thr_mixture_init(out, x->members, err);
    if (code == 0)
        set(out, x);
    return code;
}

/* What `from` has learned beyond `less` is added to x: sums as they are, and the exponents of the
 * weights, -lost/(1 + gap), by `share`. x->lost has the exponents meanwhile. */
static void add_part(thr_mixture *x, const thr_mixture *from, const thr_mixture *less, double share)
{
    for (uint32_t k = 0; k < x->members; k++)
        x->lost[k] += share * (from->lost[k] / (START + from->gap) -
                               (less ? less->lost[k] / (START + less->gap) : 0));
    x->gap += from->gap - (less ? less->gap : 0);
    x->loss += from->loss - (less ? less->loss : 0);
    x->counted += from->counted - (less ? less->counted : 0);
    x->beyond += from->beyond - (less ? less->beyond : 0);
}

/* Whether a mixture has learned something since the base. */
static bool has_grown(const thr_mixture *x, const thr_mixture *base)
{
    return x->counted > (base ? base->counted : 0);
}

/* A mixture that has learned nothing since the base gets no share; the shares of the others are
 * scaled up to 1. If none has, x is the base. Each model's regret has its own START
 * (thr_mixture_regret), and differences to a base may be below 0 by rounding. */
void thr_mixture_mix(thr_mixture *x, const thr_mixture *const *from, const double *share, size_t n,
                     const thr_mixture *base)
{
    double all = 0, grown = 0;
    for (size_t i = 0; i < n; i++)
        if (has_grown(from[i], base)) {
            all += share[i];
            grown++;
        }
    if (base)
        set(x, base);
    if (!(all > 0))
        return;
    for (uint32_t k = 0; k < x->members; k++)
        x->lost[k] /= START + x->gap;
    for (size_t i = 0; i < n; i++)
        if (has_grown(from[i], base))
            add_part(x, from[i], base, share[i] / all);
    x->gap = fmax(x->gap, 0) + START * (grown - 1) / 2;
    x->loss = fmax(x->loss, 0);
    x->counted = fmax(x->counted, 0);
    x->beyond = fmax(x->beyond, 0);
    for (uint32_t k = 0; k < x->members; k++)
        x->lost[k] *= START + x->gap;
    thr_mixture_weigh(x);
}

bool thr_mixture_sound(const thr_mixture *x)
{
    bool ok = x->gap >= 0 && isfinite(x->gap) && x->loss >= 0 && isfinite(x->loss) &&
              x->counted >= 0 && isfinite(x->counted) && x->beyond >= 0 && isfinite(x->beyond);
    for (uint32_t k = 0; k < x->members; k++)
        ok &= x->lost[k] >= 0 && isfinite(x->lost[k]);
    return ok;
}

/* eta; 0 for a single member, which has the whole weight in any case. */
static double rate(const thr_mixture *x)
{
    return x->log_members / (START + x->gap);
}

void thr_mixture_weigh(thr_mixture *x)
{
    double eta = rate(x), least = INFINITY, sum = 0;
    for (uint32_t k = 0; k < x->members; k++)
        least = fmin(least, x->lost[k]);
    for (uint32_t k = 0; k < x->members; k++) {
        x->lost[k] -= least;
        x->weight[k] = -eta * x->lost[k];
    }
    thr_exp_many(x->weight, x->members);
    for (uint32_t k = 0; k < x->members; k++)
        sum += x->weight[k];
    for (uint32_t k = 0; k < x->members; k++)
        x->weight[k] = (1 - EVEN) * x->weight[k] / sum + EVEN / x->members;
}

double thr_mixture_learned(const thr_mixture *x, uint32_t k)
{
    return (x->weight[k] - EVEN / x->members) / (1 - EVEN);
}

void thr_mixture_take_out(thr_mixture *x, uint32_t k)
{
    x->members--;
    memmove(x->lost + k, x->lost + k + 1, (x->members - k) * sizeof *x->lost);
    thr_mixture_weigh(x);
}

/* Inlined for two labels and compiled for many. */
static inline void add_up(const thr_mixture *x, const double *logit, uint32_t n, double *z)
{
    for (uint32_t l = 0; l < n; l++)
        z[l] = 0;
    for (uint32_t k = 0; k < x->members; k++)
        for (uint32_t l = 0; l < n; l++)
            z[l] += x->weight[k] * logit[(size_t)k * n + l];
}

THR_CLONED static void add_up_many(const thr_mixture *x, const double *logit, uint32_t n, double *z)
{
    add_up(x, logit, n, z);
}

void thr_mixture_add_up(const thr_mixture *x, const double *logit, uint32_t n, double *z)
{
    if (n == 2)
        add_up(x, logit, 2, z);
    else
        add_up_many(x, logit, n, z);
}

/* If the losses of the members differ by more than x->most, they are multiplied so that they differ
 * by that. */
static void limit_losses(thr_mixture *x)
{
    double least = INFINITY, greatest = -INFINITY;
    for (uint32_t k = 0; k < x->members; k++) {
        least = fmin(least, x->gradient[k]);
        greatest = fmax(greatest, x->gradient[k]);
    }
    double range = greatest - least;
    if (!(range > x->most))
        return;
    x->beyond += range - x->most;
    for (uint32_t k = 0; k < x->members; k++)
        x->gradient[k] *= x->most / range;
}

/* One round of AdaHedge, in which member k loses gradient[k]. The loss of the weighted exponentials
 * is taken relative to the least of them, so that nothing overflows. */
static void weigh_losses(thr_mixture *x)
{
    double eta = rate(x), least = INFINITY, expected = 0, sum = 0;
    limit_losses(x);
    for (uint32_t k = 0; k < x->members; k++)
        least = fmin(least, x->gradient[k]);
    for (uint32_t k = 0; k < x->members; k++) {
        double learned = thr_mixture_learned(x, k);
        expected += learned * x->gradient[k];
        sum += learned * thr_exp(-eta * (x->gradient[k] - least));
        x->lost[k] += x->gradient[k];
    }
    if (eta > 0)
        x->gap += fmax(expected - least + thr_log(sum) / eta, 0);
    thr_mixture_weigh(x);
}

/* Adds the terms of n <= TOGETHER labels. A label that is no candidate has p = 0, and its logits
 * may be anything. Inlined for TOGETHER and for fewer. */
__attribute__((always_inline)) static inline void add_slopes(thr_total *sum, const double *u,
                                                             const double *p, uint32_t n)
{
    double term[TOGETHER];
    for (uint32_t k = 0; k < n; k++) {
        double by = p[k] * u[k];
        term[k] = p[k] > 0 ? by : 0;
    }
    thr_total_add(sum, term, n);
}

/* sum_l (p_l - [l = label]) u_l */
THR_CLONED static double loss_slope(const double *u, const double *p, uint32_t n, uint32_t label,
                                    bool in_order)
{
    thr_total sum = {.lane = {-u[label]}, .in_order = in_order};
    for (; n >= TOGETHER; n -= TOGETHER, u += TOGETHER, p += TOGETHER)
        add_slopes(&sum, u, p, TOGETHER);
    add_slopes(&sum, u, p, n);
    return thr_total_of(&sum);
}

void thr_mixture_learn(thr_mixture *x, const double *logit, double slope, const double *p,
                       double loss, uint32_t n, uint32_t label, double counts)
{
    x->loss += counts * loss;
    x->counted += counts;
    if (x->members == 1) /* it has the whole weight, and D would grow by 0 */
        return;
    for (uint32_t k = 0; k < x->members; k++) {
        double by = loss_slope(logit + (size_t)k * n, p, n, label, x->in_order);
        x->gradient[k] = (1 - EVEN) * counts * slope * by;
    }
    weigh_losses(x);
}

void thr_mixture_learn_each(thr_mixture *x, const double *logit, double slope, const double *p,
                            const bool *candidate, const bool *truth, double loss, uint32_t n)
{
    x->loss += loss;
    x->counted++;
    if (x->members == 1)
        return;
    for (uint32_t k = 0; k < x->members; k++) {
        const double *u = logit + (size_t)k * n;
        double sum = 0;
        for (uint32_t l = 0; l < n; l++)
            sum += candidate && !candidate[l] ? 0 : (p[l] - truth[l]) * u[l];
        x->gradient[k] = (1 - EVEN) * slope * sum;
    }
    weigh_losses(x);
}

double thr_mixture_regret(const thr_mixture *x)
{
    return 2 * x->gap + START + x->beyond;
}
