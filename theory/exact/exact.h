/* Proofs about separability and margins, as opposed to estimates.
 *
 * Feature values are floats and weights are doubles. Both are integers times powers of two, so a
 * statement about them can be decided exactly with large integers (GMP), or bounded safely with
 * rounding errors counted in.
 *
 *   no separator   integers c_k >= 0, not all 0, with sum c_k z_k = 0 in every coordinate.
 *                  A separator u would give 0 = u . sum c_k z_k = sum c_k (u.z_k) > 0. (zero.c)
 *   a separator    a vector w with z_k.w > 0 for every k. Each sum is computed in double with a
 *                  bound on its rounding error; where the sign is in doubt, exactly. (exact.c)
 *
 * The first proof uses points without the scale of their example: scales are positive, so they
 * only change the c_k. The sign of z_k.w does not depend on scales either. The bounds on margins
 * below do depend on scales, and include them.
 *
 * GMP ends its process when memory is short. So combinations are sought and checked in a child
 * process (base/apart.h), and signs are computed in integers of fixed size. */
#ifndef THR_EXACT_EXACT_H
#define THR_EXACT_EXACT_H

#include "solve/points.h"

/* A combination of points. The point numbers ascend; coefficients are positive integers in decimal
 * digits, since they may have thousands of them. Owns both arrays and the strings. */
typedef struct thr_combination {
    size_t n; /* 0: no combination was found */
    size_t *point;
    char **coefficient;
} thr_combination;

/* Whether the build has GMP. Without it the only combination that can be proved zero is that of two
 * opposite points, and signs in doubt remain THR_EXACT_OPEN. */
bool thr_exact_available(void);

/* Looks for an exact combination of the n given points close to the approximate coefficients `near`
 * (>= 0, for points without scales), which come from least_norm.h or lp.h. Points with coefficient
 * 0 are left out; the fewer remain, the faster it is, and with more than 3000 it is not tried. If
 * no combination is found, the result is 0 and out->n is 0. */
int thr_exact_zero(const thr_points *p, const size_t *point, const double *near, size_t n,
                   thr_combination *out, thr_error *err);
/* The combination with coefficients 1 and 1 of two examples that have the same features and
 * different labels. `clash` holds their numbers in the arrays of p; out->n is 0 if one of them is
 * not picked. */
int thr_exact_clash(const thr_points *p, const size_t clash[2], thr_combination *out,
                    thr_error *err);
/* Checks a combination from scratch: point numbers ascend and exist, coefficients are digits, and
 * the sum is 0. */
bool thr_exact_is_zero(const thr_points *p, const thr_combination *z);
void thr_combination_clear(thr_combination *z);

/* OPEN: not decided, because there is no GMP or a sum overflows. */
enum thr_exact_answer { THR_EXACT_NO, THR_EXACT_YES, THR_EXACT_OPEN };

/* Whether z.w > 0 for every point. Otherwise *worst (may be NULL) is a point for which this is
 * false or, if the answer is OPEN, undecided; not necessarily the one with the least margin. */
enum thr_exact_answer thr_exact_separates(const thr_points *p, const double *w, size_t *worst);

/* Guaranteed bounds on the margins gamma (l2) and g (l1), rounded outward and including scales.
 *
 *   low    from any vector w:                gamma >= min z.w / |w|_2,  g >= min z.w / |w|_1
 *   high   from any a >= 0 that is not 0:    gamma <= |sum a z|_2 / sum a,
 *                                            g <= |sum a z|_inf / sum a
 *
 * low is -INFINITY and high is INFINITY where no bound can be given. */
typedef struct thr_margins {
    double gamma, g;
} thr_margins;
thr_margins thr_exact_low(const thr_points *p, const double *w);
int thr_exact_high(const thr_points *p, const double *a, thr_margins *out, thr_error *err);

#endif
