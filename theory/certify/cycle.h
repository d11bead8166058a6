/* The perceptron in whole numbers, run until a pass needs no update or the weights repeat.
 *
 * On data without a separator the perceptron repeats a weight vector (the cycling theorem; L1). The
 * repetition is a proof that there is no separator. At least one update lies between two equal
 * weight vectors, and each update adds a point, so what was added in between is
 *
 *     sum_k c_k z_k = 0,   c_k = how often point k was added,
 *
 * with all c_k >= 0 and not all 0. A separator u, with u.z_k > 0 for all points, would make u times
 * this sum positive. Where in the pass the equal weights occur does not matter. A pass without an
 * update, on the other hand, proves that the weights are a separator.
 *
 * Both proofs need exact arithmetic. All values are multiplied by one power of two that makes them
 * integers. The scales of examples are ignored: a positive factor changes neither the sign of z.w
 * nor the existence of a combination.
 *
 * Repetition is detected by Brent's method. The weights are compared with an anchor, a copy that is
 * renewed after 1, 2, 4, 8, ... further updates. Once the anchor lies in the cycle and the distance
 * to the next is at least the cycle's length, the weights meet it again. The number of coordinates
 * in which weights and anchor differ is kept up to date, so the comparison costs no more than the
 * update itself. */
#ifndef THR_CERTIFY_CYCLE_H
#define THR_CERTIFY_CYCLE_H

#include "solve/points.h"

typedef struct thr_cycle_limits {
    uint64_t updates;         /* limit on updates */
    uint64_t visits;          /* limit on weights read for scoring, over the whole run */
    bool (*stop)(void *user); /* called after each pass and every few thousand updates;
                                 true ends the run. May be NULL */
    void *user;
} thr_cycle_limits;

enum thr_cycle_end {
    THR_CYCLE_SEPARATED, /* a pass without an update: w separates */
    THR_CYCLE_FOUND,     /* the weights repeated: there is no separator */
    THR_CYCLE_LIMIT,     /* neither happened within the limits */
    THR_CYCLE_UNFIT,     /* the values do not fit into 31-bit integers, or the weights
                            overflowed 64 bits */
};

typedef struct thr_cycle {
    enum thr_cycle_end end;
    uint64_t updates, passes; /* in all; the last pass may be incomplete */
    uint64_t length;          /* if found: updates in the cycle, the sum of the counts */
    int64_t *w;   /* thr_points_dims weights at the end, in units of the integer values */
    size_t terms; /* if found: the combination. Points ascend */
    size_t *point;
    uint64_t *count; /* c_k, above 0 */
} thr_cycle;

/* Fails only if out of memory. On success the caller clears `out`. */
int thr_cycle_run(const thr_points *p, const thr_cycle_limits *limits, thr_cycle *out,
                  thr_error *err);
void thr_cycle_clear(thr_cycle *c);

#endif
