/* Is one rule better than another on the same examples, or was it luck?
 *
 * McNemar's test (1947) looks only at the examples that one of two had right and the other wrong.
 * If neither is better, each such example falls to either side like a fair coin. Few of them are
 * counted out,
 *     p = min(1, 2 sum_{i <= min(a, b)} C(a + b, i) / 2^(a + b));
 * of many, (max(0, |a - b| - 1))^2 / (a + b) is chi-square with one degree of freedom. */
#ifndef THR_MEASURE_SIGNIFICANCE_H
#define THR_MEASURE_SIGNIFICANCE_H

#include "thresh.h"

#define THR_EXACT_BELOW 25 /* disagreements; from here on chi-square is near enough */

double thr_mcnemar_exact(uint64_t only_a, uint64_t only_b);
double thr_mcnemar_chi_square(uint64_t only_a, uint64_t only_b);
/* Mean and standard deviation (of a sample: divided by n - 1) of n numbers; 0 where undefined. */
double thr_mean(const double *x, size_t n);
double thr_deviation(const double *x, size_t n);

#endif
