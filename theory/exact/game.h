/* The l1 margin g, on which Winnow's bounds depend, as the value of a two-person zero-sum game:
 *
 *   g = max over |u|_1 = 1 of min_k z_k.u  =  min over a >= 0, sum a = 1 of |sum a_k z_k|_inf
 *
 * Any u gives a lower bound and any a an upper bound; at the optimum they meet. The linear program
 * (lp.h) finds both exactly up to rounding. Where the program is too large or CLP is missing, a
 * first-order iteration, which needs only products with the points, narrows the two bounds. */
#ifndef THR_EXACT_GAME_H
#define THR_EXACT_GAME_H

#include "solve/points.h"

typedef struct thr_game_options {
    double gap;               /* relative: stop when low >= (1 - gap) high; 0: 0.01 */
    double seconds;           /* time limit of the linear program; 0: no limit */
    bool iterate;             /* do not try the linear program */
    uint64_t seed;            /* not used: the iteration is deterministic */
    uint64_t rounds;          /* limit of the iteration; 0: 100000 */
    bool (*stop)(void *user); /* called once a round; true ends the iteration. May be NULL */
    void *user;
} thr_game_options;

typedef struct thr_matrix_game {
    double low, high; /* bounds on g, not rounded outward; low may be negative */
    double *u;        /* thr_points_dims numbers with min z.u / |u|_1 = low; all 0 if low is
                         -INFINITY */
    double *alpha;    /* thr_points_count numbers with |sum a z|_inf / sum a = high. If the linear
                         program finds no separator: its ray, and high is about 0 */
    bool by_program;  /* the bounds come from the linear program */
    int lp; /* enum thr_lp_end: how the linear program ended; THR_LP_BEYOND if not tried */
} thr_matrix_game;

/* start: a vector of thr_points_dims weights from which the iteration starts, or NULL to start from
 * 0. The least-norm separator is a good one; a vector that does not separate is ignored. On
 * success the caller clears `out`. */
int thr_game_solve(const thr_points *p, const thr_game_options *o, const double *start,
                   thr_matrix_game *out, thr_error *err);
void thr_game_clear(thr_matrix_game *out);

#endif
