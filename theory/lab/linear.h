/* Is a Boolean function of a few variables a threshold function of its variables, or of
 * conjunctions of up to `degree` of them? The perceptron in whole numbers decides it, with a proof
 * in both cases:
 *
 *   linear   weights w with y w.x > 0 on every point
 *   not      the weights repeat after some updates (the cycling theorem, L1). The sum of what was
 *            added in between, times_i y_i x_i, is then 0: a convex combination of the points y x
 *            that is zero, so no w has y w.x > 0 on all of them */
#ifndef THR_LAB_LINEAR_H
#define THR_LAB_LINEAR_H

#include <stdbool.h>
#include <stdint.h>

enum { THR_LINEAR_VARS = 4, THR_LINEAR_POINTS = 1 << THR_LINEAR_VARS };

typedef struct thr_linear {
    bool decided; /* false: more passes would be needed */
    bool is_linear;
    unsigned updates, passes;          /* in all */
    int64_t weight[THR_LINEAR_POINTS]; /* by set of conjoined variables; set 0 is the bias */
    uint64_t times[THR_LINEAR_POINTS]; /* if not linear: the coefficient of each point */
    unsigned cycle_passes;             /* if not linear: passes between the equal weights */
} thr_linear;

/* Bit p of `table` is the value of the function at point p; bit v of p is the value of variable
 * v. */
thr_linear thr_linear_decide(unsigned n, uint32_t table, unsigned degree);
/* One pass of that perceptron over all points, in order; returns its updates. */
unsigned thr_linear_pass(thr_linear *p, unsigned n, uint32_t table, unsigned degree);
/* Checks either proof from scratch, against the table alone. */
bool thr_linear_check(unsigned n, uint32_t table, unsigned degree, const thr_linear *proof);

#endif
