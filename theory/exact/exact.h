/* Proofs, not estimates. Values are floats and weights doubles: all are integers times powers of
 * two, so what is true of them can be decided exactly (GMP) or bounded from the safe side.
 *
 *   no separator   integers c_k >= 0, not all 0, with sum c_k z_k = 0 in every coordinate
 *   a separator    z_k.w > 0 for every k, sums bounded by their rounding errors, and in exact
 *                  arithmetic where this leaves a doubt
 *
 * In the first, z_k is without the example's scale: scales are above 0, so they only change the
 * c_k. In the second the sign does not depend on scales either. */
#ifndef THR_EXACT_EXACT_H
#define THR_EXACT_EXACT_H

#include "solve/points.h"

/* Coefficients in decimal digits, the point numbers rising. */
typedef struct thr_zero {
    size_t n; /* 0: nothing was found */
    size_t *point;
    char **coefficient;
} thr_zero;

/* Whether the build has GMP; without it only clashes are proved, and doubts stay. */
bool thr_exact_available(void);

/* Looks for a combination among the n points named, whose approximate coefficients `near` (>= 0;
 * the more of them are 0 or left out, the better) come from least_norm.h or lp.h. Nothing found is
 * not an error: out->n is 0. */
int thr_exact_zero(const thr_points *p, const size_t *point, const double *near, size_t n,
                   thr_zero *out, thr_error *err);
/* Two examples (numbers in the arrays) with the same features and different labels: 1 and 1. */
int thr_exact_clash(const thr_points *p, const size_t clash[2], thr_zero *out, thr_error *err);
/* Whether the combination is one: digits, signs and sums. */
bool thr_exact_is_zero(const thr_points *p, const thr_zero *z);
void thr_zero_clear(thr_zero *z);

enum thr_exact_answer { THR_EXACT_NO, THR_EXACT_YES, THR_EXACT_OPEN };

/* Whether z.w > 0 for every point; else *worst is one where it is not, or might not be. */
enum thr_exact_answer thr_exact_separates(const thr_points *p, const double *w, size_t *worst);

/* True bounds, rounded outward, scales counted in. From a vector: gamma >= min z.w / |w|_2 and
 * g >= min z.w / |w|_1. From a combination (a >= 0, not all 0): gamma <= |sum a z|_2 / sum a and
 * g <= |sum a z|_inf / sum a. -INFINITY, INFINITY where nothing can be said. */
typedef struct thr_ends {
    double gamma, g;
} thr_ends;
thr_ends thr_exact_low(const thr_points *p, const double *w);
int thr_exact_high(const thr_points *p, const double *a, thr_ends *out, thr_error *err);

#endif
