/* Linear programs over points, by COIN-OR CLP's simplex methods. CLP is C++, so it is not
 * linked: its C interface is loaded when first asked for, and where it is missing callers go on
 * without, or say so. It prints nothing.
 *
 *   min  sum_j |u_j| + C sum_k c_k s_k    so that  z_k.u + s_k >= 1,  s_k >= 0
 *
 * With C infinite there are no s: u is the separator of least l1 norm, 1 / |u|_1 is the l1 margin
 * g, and the multipliers a (sum a = |u|_1, |sum a_k z_k| <= 1 in every coordinate) prove that no
 * other is better. Where there is none, Farkas: a ray a >= 0 with sum a_k z_k = 0, no more of them
 * above 0 than dimensions + 1. All up to rounding: exact.h makes proofs of it. */
#ifndef THR_SOLVE_LP_H
#define THR_SOLVE_LP_H

#include "solve/points.h"

typedef struct thr_lp_options {
    double box;         /* C; 0: infinite */
    const double *cost; /* c, per example (number in the arrays); NULL: all 1 */
    double seconds;     /* 0: no limit */
    size_t reach;       /* most non-zeros of the program; 0: THR_LP_REACH */
} thr_lp_options;

#define THR_LP_REACH 4000000

enum thr_lp_end {
    THR_LP_SOLVED,
    THR_LP_NONE,    /* no separator: alpha is the ray */
    THR_LP_LIMIT,   /* the time is over */
    THR_LP_BEYOND,  /* too large to try */
    THR_LP_ABSENT,  /* no CLP here */
    THR_LP_TROUBLE, /* it gave up */
};

typedef struct thr_lp {
    enum thr_lp_end end;
    double *w;        /* thr_points_dims; solved */
    double *alpha;    /* thr_points_count; solved, or none */
    double objective; /* solved */
    uint64_t steps;   /* of the simplex method */
} thr_lp;

/* Whether CLP can be loaded. */
bool thr_lp_available(void);
/* For messages: why a program was not solved. */
const char *thr_lp_why(enum thr_lp_end end);
/* An error only for memory; else see out->end. */
int thr_lp_solve(const thr_points *p, const thr_lp_options *o, thr_lp *out, thr_error *err);
void thr_lp_clear(thr_lp *out);

#endif
