/* The separator of least norm: the hard-margin support vector machine without an offset of its
 * own, and with a box on the multipliers the soft one (Weston and Watkins' for many labels).
 *
 *   primal   min  |w|^2 / 2 + C sum_k c_k max(0, 1 - z_k.w)
 *   dual     max  sum a - |w|^2 / 2,   w = sum a_k z_k,   0 <= a_k <= C c_k
 *
 * With C infinite both ends of gamma = max over w of min z.w / |w| are proved on the way:
 *
 *   min z.w / |w|  <=  gamma  <=  |sum a_k z_k| / sum a_k        any w; any a >= 0, not all 0
 *
 * First dual coordinate descent (Hsieh et al., ICML 2008): one multiplier at a time is set to its
 * best value, example after example in random order, those at their bound for a while being left
 * out. All multipliers of an example are set together. Where this crawls, in few dimensions with
 * a small margin or none, Wolfe's method for the point of least norm goes on (wolfe.h): it ends
 * with few points, and with none the sum of which is not 0 where there is no separator.
 *
 * The result depends on the points, the options and the seed, and on the clock only if `stop`
 * does. The numbers low and high are rounded; exact.h makes true bounds of w and a. */
#ifndef THR_SOLVE_LEAST_NORM_H
#define THR_SOLVE_LEAST_NORM_H

#include "solve/points.h"

typedef struct thr_least_norm_options {
    double gap;         /* relative: stop when low >= (1 - gap) high. 0: the default, 0.01 */
    double box;         /* C; 0: infinite */
    const double *cost; /* c, per example (number in the arrays); NULL: all 1 */
    double floor;       /* stop when high < floor; 0: 1e-9 of the greatest length */
    uint64_t seed;
    uint64_t epochs;          /* most rounds of descent; 0: 10000 */
    bool (*stop)(void *user); /* asked once a round; may be NULL */
    void *user;
} thr_least_norm_options;

enum thr_least_norm_end {
    THR_LEAST_NORM_GAP,     /* the gap is reached */
    THR_LEAST_NORM_FLOOR,   /* high is below the floor: very likely there is no separator */
    THR_LEAST_NORM_STOPPED, /* by `stop` or the number of rounds */
};

typedef struct thr_least_norm {
    double low, high; /* of gamma; low may be negative. With a box: of the objective, dual and
                         primal */
    double *w;        /* thr_points_dims, min z.w / |w| = low. With a box: sum a_k z_k */
    double *alpha;    /* thr_points_count; |sum a z| / sum a = high; many are 0 */
    uint64_t epochs;
    enum thr_least_norm_end end;
} thr_least_norm;

int thr_least_norm_solve(const thr_points *p, const thr_least_norm_options *o, thr_least_norm *out,
                         thr_error *err);
void thr_least_norm_clear(thr_least_norm *out);

#endif
