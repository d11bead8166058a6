/* The formulas of bounds.h. */
#include "bounds/bounds.h"

#include <math.h>

/* Without a margin there is no bound: infinity. */
static double over(double what, double margin)
{
    return margin > 0 ? what / margin : INFINITY;
}

static double squared(double x)
{
    return x * x;
}

double thr_bound_perceptron(double R, double gamma)
{
    return squared(over(R, gamma));
}

double thr_bound_perceptron_margin(double R, double gamma, double margin, double rate)
{
    return thr_bound_comparator(R, gamma, 0, margin, rate);
}

double thr_bound_comparator(double R, double gamma, double D, double margin, double rate)
{
    return squared(over(sqrt(R * R + 2 * margin / rate) + D, gamma));
}

double thr_bound_perceptron_disjunction(double k, double n)
{
    return (4 * k + 1) * (n + 1);
}

double thr_bound_pa(double R, double norm)
{
    return squared(R * norm);
}

double thr_bound_pa_soft(double R, double C, double norm, double loss)
{
    return fmax(R * R, 1 / C) * (norm * norm + 2 * C * loss);
}

double thr_bound_balanced(double X, double N, double g, double loss)
{
    return 2 * log(2 * N) * squared(over(X, g)) + (loss > 0 ? over(2 * loss, g) : 0);
}

double thr_bound_balanced_margin(double X, double N, double g, double margin)
{
    return 2 * log(2 * N) * squared(over(X, g - margin));
}

double thr_bound_promotions(thr_winnow_setting w, double k, double missed, double stray)
{
    double steps = log(w.theta / w.start) / log(w.promote);
    double back = stray > 0 ? stray * -log(w.demote) / log(w.promote) : 0;
    return k * (1 + steps) + missed + back;
}

double thr_bound_demotions(thr_winnow_setting w, double n, double promotions)
{
    return (n * w.start / w.theta + (w.promote - 1) * promotions) / (1 - w.demote);
}

double thr_bound_winnow(thr_winnow_setting w, double n, double k, double missed, double stray)
{
    double promotions = thr_bound_promotions(w, k, missed, stray);
    return promotions + thr_bound_demotions(w, n, promotions);
}

double thr_bound_eliminate(double n, bool negated)
{
    return n + negated;
}

double thr_bound_consistent(double size)
{
    return size - 1;
}

double thr_bound_halving(double size)
{
    return log2(size);
}

uint64_t thr_bound_survival(double eps, double delta, uint64_t i)
{
    double turns = (double)i;
    return (uint64_t)ceil(log(turns * (turns + 1) / delta) / eps);
}

uint64_t thr_bound_survival_uncorrected(double eps, double delta)
{
    return (uint64_t)ceil(log(1 / delta) / eps);
}
