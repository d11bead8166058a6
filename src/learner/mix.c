#include "learner/mix.h"

#include "base/mathx.h"

static double of(const double *in, size_t model, unsigned slot)
{
    return in[model * THR_MAX_SLOTS + slot];
}

double thr_mix_mean(const thr_mixing *x, const double *in, unsigned slot)
{
    double sum = 0;
    for (size_t i = 0; i < x->n; i++)
        sum += x->share[i] * of(in, i, slot);
    return sum;
}

double thr_mix_sum(const thr_mixing *x, const double *in, unsigned slot)
{
    double sum = 0;
    for (size_t i = 0; i < x->n; i++)
        sum += x->times[i] * of(in, i, slot);
    return sum;
}

double thr_mix_geometric(const thr_mixing *x, const double *in, unsigned slot)
{
    double sum = 0;
    for (size_t i = 0; i < x->n; i++) {
        double v = of(in, i, slot);
        if (x->share[i] > 0 && !(v > 0))
            return 0;
        sum += x->share[i] > 0 ? x->share[i] * thr_log(v) : 0;
    }
    return thr_exp(sum);
}

#define FAINT 1e-9

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
