/* Whether one rule is better than another on the same examples, or was lucky.
 *
 * McNemar's test (1947) looks only at the examples on which one of the two was right and the other
 * wrong: a to the one side, b to the other. If neither rule is better, each such example falls to
 * either side like a fair coin. The p-value is the probability of a result at least as uneven. If
 * there are few such examples it is exact,
 *     p = min(1, 2 sum_{i <= min(a, b)} C(a + b, i) / 2^(a + b));
 * if there are many, (max(0, |a - b| - 1))^2 / (a + b) is close to chi-square with one degree of
 * freedom. */
#ifndef THR_MEASURE_SIGNIFICANCE_H
#define THR_MEASURE_SIGNIFICANCE_H

#include "thresh.h"

/* The exact sum is used for fewer disagreements than this, chi-square from there on. */
#define THR_EXACT_BELOW 25

double thr_mcnemar_exact(uint64_t only_a, uint64_t only_b);
double thr_mcnemar_chi_square(uint64_t only_a, uint64_t only_b);
/* Mean and sample standard deviation (divided by n - 1) of n numbers; 0 where undefined. */
double thr_mean(const double *x, size_t n);
double thr_deviation(const double *x, size_t n);

#endif
