/* The search for an exact combination of points that is zero, and its check, in this process. GMP
 * ends the process when memory is short, so only combination.c calls them, in a child process. */
#ifndef THR_EXACT_ZERO_H
#define THR_EXACT_ZERO_H

#include "exact/exact.h"

/* As thr_exact_zero and thr_exact_is_zero (exact.h). */
int thr_zero_find(const thr_points *p, const size_t *point, const double *near, size_t n,
                  thr_combination *out, thr_error *err);
bool thr_zero_check(const thr_points *p, const thr_combination *z);
/* Room for n coefficients. False: out of memory; the combination is to be cleared in any case. */
bool thr_combination_init(thr_combination *z, size_t n);

#endif
