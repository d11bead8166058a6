/* The separator of least norm: the hard-margin support vector machine without a separate offset,
 * and with an upper limit C on the multipliers the soft-margin one (for more than two labels that
 * of Weston and Watkins).
 *
 *   primal   min  |w|^2 / 2 + C sum_k c_k max(0, 1 - z_k.w)
 *   dual     max  sum a - |w|^2 / 2,   w = sum a_k z_k,   0 <= a_k <= C c_k
 *
 * With C infinite, every w and every a on the way bound gamma = max over w of min z.w / |w|:
 *
 *   min z.w / |w|  <=  gamma  <=  |sum a_k z_k| / sum a_k        any w; any a >= 0, not all 0
 *
 * (The upper bound holds because for a unit u the least u.z_k is at most the weighted mean of the
 * u.z_k, which is u . sum a_k z_k / sum a_k.) The search ends when the two bounds are close.
 *
 * Two methods take turns. Dual coordinate descent (Hsieh et al., ICML 2008) visits the examples in
 * random order and sets one multiplier at a time to its best value. It is fast on sparse data in
 * many dimensions, but slow in few dimensions with a small margin or none. There Wolfe's method
 * (wolfe.h) takes over. It ends after finitely many steps with a combination of few points; if no
 * separator exists, that combination is 0 up to rounding, and exact.h can make it exactly 0.
 *
 * The result depends on the points, the options and the seed, and on the clock only if `stop`
 * does. low and high are computed in double precision without regard to rounding; exact.h turns
 * w and alpha into guaranteed bounds. */
#ifndef THR_SOLVE_LEAST_NORM_H
#define THR_SOLVE_LEAST_NORM_H

#include "solve/points.h"

typedef struct thr_least_norm_options {
    double gap;         /* relative: stop when low >= (1 - gap) high; 0: 0.01 */
    double box;         /* C; 0: infinite */
    const double *cost; /* c, per example (number in the arrays); NULL: all 1 */
    double floor;       /* hard margin only: stop when high < floor; 0: 1e-9 of the greatest
                           length of an example */
    uint64_t seed;
    uint64_t epochs;          /* limit on the rounds of descent; 0: 10000 */
    bool (*stop)(void *user); /* called once a round or step; true ends the search. May be NULL */
    void *user;
} thr_least_norm_options;

enum thr_least_norm_end {
    THR_LEAST_NORM_GAP,     /* the gap is reached */
    THR_LEAST_NORM_FLOOR,   /* high is below the floor: very likely no separator exists */
    THR_LEAST_NORM_STOPPED, /* by `stop` or the number of rounds */
};

typedef struct thr_least_norm {
    double low, high; /* hard margin: bounds on gamma; low may be negative. Soft margin: the dual
                         and the primal objective */
    double *w;        /* thr_points_dims numbers with min z.w / |w| = low. Soft margin:
                         sum alpha_k z_k */
    double *alpha;    /* thr_points_count numbers with |sum alpha z| / sum alpha = high; many are 0.
                         Hard margin: w and alpha are the best seen, not necessarily a pair */
    uint64_t epochs;  /* rounds of descent */
    enum thr_least_norm_end end;
} thr_least_norm;

/* Fails only for want of memory. On success the caller clears `out`. */
int thr_least_norm_solve(const thr_points *p, const thr_least_norm_options *o, thr_least_norm *out,
                         thr_error *err);
void thr_least_norm_clear(thr_least_norm *out);

#endif
