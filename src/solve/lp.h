/* Linear programs over points, solved by the simplex methods of COIN-OR CLP.
 *
 *   min  sum_j |u_j| + C sum_k c_k s_k    so that  z_k.u + s_k >= 1,  s_k >= 0
 *
 * With C infinite there are no slacks s: u is the separator of least l1 norm, and the l1 margin is
 * g = 1 / |u|_1. The multipliers a of the constraints (sum a = |u|_1, and |sum a_k z_k| <= 1 in
 * every coordinate) prove that no other vector is better. If no separator exists, the simplex
 * method delivers a Farkas ray instead: a >= 0, not all 0, with sum a_k z_k = 0, of which at most
 * dims + 1 are above 0. All this holds up to rounding; exact.h makes proofs of it.
 *
 * CLP is written in C++, so it is not linked. Its C interface is loaded with dlopen on each call,
 * in a child process (base/apart.h): it throws when memory is short, which would end this one. If
 * it is missing, thr_lp_solve ends with THR_LP_ABSENT, and callers use another method or report it.
 * CLP is told to print nothing. */
#ifndef THR_SOLVE_LP_H
#define THR_SOLVE_LP_H

#include "solve/points.h"

typedef struct thr_lp_options {
    double box;         /* C; 0: infinite */
    const double *cost; /* c, per example (number in the arrays); NULL: all 1 */
    double seconds;     /* time limit; 0: none */
    size_t reach;       /* programs with more non-zeros are not tried; 0: THR_LP_REACH */
} thr_lp_options;

#define THR_LP_REACH 4000000

enum thr_lp_end {
    THR_LP_SOLVED,  /* w, alpha and objective are set */
    THR_LP_NONE,    /* no separator exists, up to rounding: alpha is the Farkas ray */
    THR_LP_LIMIT,   /* the time limit was reached */
    THR_LP_BEYOND,  /* the program is too large to try */
    THR_LP_ABSENT,  /* CLP is not installed, or the build has no support for it */
    THR_LP_TROUBLE, /* CLP failed for another reason, mostly numerical */
};

typedef struct thr_lp {
    enum thr_lp_end end;
    double *w;        /* thr_points_dims numbers: u, if solved. Owned */
    double *alpha;    /* thr_points_count numbers >= 0: the multipliers or the ray. Owned */
    double objective; /* the least value, if solved */
    uint64_t steps;   /* simplex iterations */
} thr_lp;

/* Whether CLP can be loaded. */
bool thr_lp_available(void);
/* For messages: why a program was not solved. */
const char *thr_lp_why(enum thr_lp_end end);
/* Fails if memory is short or no child process can be had; everything else is told by out->end. On
 * success the caller clears `out`. */
int thr_lp_solve(const thr_points *p, const thr_lp_options *o, thr_lp *out, thr_error *err);
void thr_lp_clear(thr_lp *out);

#endif
