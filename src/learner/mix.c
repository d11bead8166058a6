/* The means and sums of mix.h. */
#include "learner/mix.h"

#include "base/mathx.h"

static double of(const double *in, size_t model, unsigned slot)
{
    return in[model * THR_MAX_SLOTS + slot];
}

double thr_mix_base(const thr_mixing *x, const double *in, unsigned slot)
{
    return x->base ? of(in, x->n, slot) : 0;
}

double thr_mix_mean(const thr_mixing *x, const double *in, unsigned slot)
{
    double base = thr_mix_base(x, in, slot), sum = 0;
    for (size_t i = 0; i < x->n; i++)
        sum += x->share[i] * (of(in, i, slot) - base);
    return base + sum;
}

double thr_mix_sum(const thr_mixing *x, const double *in, unsigned slot)
{
    double base = thr_mix_base(x, in, slot), sum = 0;
    for (size_t i = 0; i < x->n; i++)
        sum += x->times[i] * (of(in, i, slot) - base);
    return base + sum;
}

double thr_mix_geometric(const thr_mixing *x, const double *in, unsigned slot)
{
    double base = x->base ? thr_mix_base(x, in, slot) : 1;
    double start = base > 0 ? base : 1, log_start = x->base ? thr_log(start) : 0, sum = 0;
    for (size_t i = 0; i < x->n; i++) {
        double v = of(in, i, slot);
        if (x->share[i] > 0 && !(v > 0))
            return 0;
        sum += x->share[i] > 0 ? x->share[i] * (thr_log(v) - log_start) : 0;
    }
    return start * thr_exp(sum);
}

double thr_mix_base_clock(const thr_mixing *x)
{
    return x->base ? x->base->clock : 0;
}

double thr_mix_clock(const thr_mixing *x, size_t model)
{
    return x->from[model]->clock - thr_mix_base_clock(x);
}

/* Let S = T w - sum be the sum of w over all T examples. The mean since the base is
 *     (S - S_base) / (T - T_base) = w - (sum - sum_base - T_base (w - w_base)) / (T - T_base).
 * The second form does not multiply w itself by T, which would lose digits. */
double thr_mix_mean_since(const thr_mixing *x, size_t model, thr_averaged_weight v,
                          thr_averaged_weight base)
{
    double clock = thr_mix_clock(x, model);
    double sum = v.sum - base.sum - thr_mix_base_clock(x) * (v.w - base.w);
    return clock > 0 ? v.w - sum / clock : v.w;
}

/* T w - S with S = S_base + (T - T_base) since, rearranged in the same way:
 *     sum = sum_base + T_base (w - w_base) + (T - T_base) (w - since). */
double thr_mix_averaging_sum(const thr_mixing *x, double clock, double w, double since,
                             thr_averaged_weight base)
{
    double before = thr_mix_base_clock(x);
    return base.sum + before * (w - base.w) + (clock - before) * (w - since);
}

#define FAINT 1e-9 /* weight of a share beside what a model has seen */

void thr_mean_add(thr_mean *m, double value, double seen, double share)
{
    double weight = seen + FAINT * share;
    m->sum += weight * value;
    m->weight += weight;
    m->seen += seen;
}

double thr_mean_of(const thr_mean *m)
{
    return m->weight > 0 ? m->sum / m->weight : 0;
}

double thr_mix_rounded(double v)
{
    return v == v ? (double)(float)thr_weight_clamp(v) : 0;
}

const thr_mixer thr_memory_mixer = {0};
