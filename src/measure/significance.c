/* McNemar's test; significance.h has the equations. */
#include "measure/significance.h"

#include <math.h>

/* The first term is 2^-n; each further one is the one before times (n - i) / (i + 1). The sum is
 * made in logarithms, because for n above some thousand 2^-n underflows. */
double thr_mcnemar_exact(uint64_t only_a, uint64_t only_b)
{
    double n = (double)only_a + (double)only_b, sum = 0, log_term = -n * log(2);
    uint64_t least = only_a < only_b ? only_a : only_b;
    for (uint64_t i = 0; i <= least; i++) {
        sum += exp(log_term);
        log_term += log((n - (double)i) / ((double)i + 1));
    }
    return fmin(1, 2 * sum);
}

/* The tail of chi-square with one degree of freedom at x is erfc(sqrt(x / 2)). */
double thr_mcnemar_chi_square(uint64_t only_a, uint64_t only_b)
{
    double a = (double)only_a, b = (double)only_b;
    if (a + b == 0)
        return 1;
    double apart = fmax(0, fabs(a - b) - 1);
    return erfc(sqrt(apart * apart / (a + b) / 2));
}

/* Both counts are compared before they are added, since the sum might overflow. */
double thr_mcnemar(uint64_t only_a, uint64_t only_b, bool *exact)
{
    bool few =
        only_a < THR_EXACT_BELOW && only_b < THR_EXACT_BELOW && only_a + only_b < THR_EXACT_BELOW;
    if (exact)
        *exact = few;
    return few ? thr_mcnemar_exact(only_a, only_b) : thr_mcnemar_chi_square(only_a, only_b);
}

double thr_mean(const double *x, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += x[i];
    return n ? sum / (double)n : 0;
}

double thr_deviation(const double *x, size_t n)
{
    double mean = thr_mean(x, n), sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += (x[i] - mean) * (x[i] - mean);
    return n > 1 ? sqrt(sum / (double)(n - 1)) : 0;
}
