/* Looking for large numbers among many, several at a time. NaN is greater than nothing, and nothing
 * is greater than NaN. */
#ifndef THR_BASE_ABOVE_H
#define THR_BASE_ABOVE_H

#include <stdint.h>

/* The greatest of n numbers; -infinity if there is none. */
double thr_greatest(const double *x, uint32_t n);
/* The first i with x[i] >= least; n if there is none. */
uint32_t thr_first_at_least(const double *x, uint32_t n, double least);
/* The first i from `from` on with x[i] > than; n if there is none. */
uint32_t thr_first_above(const double *x, uint32_t from, uint32_t n, double than);

#endif
