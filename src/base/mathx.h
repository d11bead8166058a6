/* exp, log and pow in plain arithmetic, so that every CPU gives the same bits. libm does not
 * promise that: it may choose another implementation for another CPU or version. Errors stay
 * within 2 units in the last place. */
#ifndef THR_BASE_MATHX_H
#define THR_BASE_MATHX_H

#include <stddef.h>

double thr_exp(double x); /* 0 below -745, infinity above 709.78 */
double thr_log(double x); /* x > 0; -infinity at 0 */
/* x[i] = thr_exp(x[i]) or thr_log(x[i]) for all i < n: the same bits, but vectorised. */
void thr_exp_many(double *x, size_t n);
void thr_log_many(double *x, size_t n);
double thr_pow(double x, double y); /* x > 0 */

#endif
