/* Is a Boolean function of a few variables a threshold of its variables, or of conjunctions of up
 * to k of them? Decided by the perceptron in whole numbers, with a proof either way:
 *
 *   linear   weights w with y w.x > 0 on every point
 *   not      the weights came back after some updates (the cycling theorem, L1). What was added in
 *            between, sum of times_i y_i x_i, is therefore 0: a convex combination of the points
 *            y x that is zero, so no w has y w.x > 0 on all of them */
#ifndef THR_LAB_LINEAR_H
#define THR_LAB_LINEAR_H

#include <stdbool.h>
#include <stdint.h>

enum { THR_LINEAR_VARS = 4, THR_LINEAR_POINTS = 1 << THR_LINEAR_VARS };

typedef struct thr_linear {
    bool decided; /* false: more passes would be needed */
    bool is_linear;
    unsigned updates, passes;          /* in all */
    int64_t weight[THR_LINEAR_POINTS]; /* by the set of variables conjoined; 0: the bias */
    uint64_t times[THR_LINEAR_POINTS]; /* if it is not: how often each point counts */
    unsigned cycle_passes;             /* ... and after how many passes the weights came back */
} thr_linear;

/* Bit p of `table` is the value at point p, of which bit v is the value of variable v. */
thr_linear thr_linear_decide(unsigned n, uint32_t table, unsigned degree);
/* One pass of that perceptron over all points, in order; returns its updates. */
unsigned thr_linear_pass(thr_linear *p, unsigned n, uint32_t table, unsigned degree);
/* Checks either proof anew; nothing but the table is believed. */
bool thr_linear_check(unsigned n, uint32_t table, unsigned degree, const thr_linear *proof);

#endif
