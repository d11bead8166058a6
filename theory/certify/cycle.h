/* The perceptron in whole numbers, until it stands still or comes back.
 *
 * On data without a separator the perceptron repeats a weight vector (the cycling theorem; L1).
 * That is a proof: between two equal weights lies at least one update, and what was added in
 * between,
 *
 *     sum_k c_k z_k = 0,   c_k how often point k was added,
 *
 * is a combination of the points, none of it negative and not all of it zero, that is nothing. For
 * any u with u.z_k > 0 on all points it would have to be above 0. A pass without an update, on the
 * other hand, leaves a separator.
 *
 * Values are scaled by one power of two to be integers; lengths of examples, which decide nothing,
 * are left as they were read. The weights are compared by Brent's method: they are held against
 * those of one moment, which moves on after 1, 2, 4, 8, ... updates, and the number of places where
 * they differ is kept up to date, so that an update costs no more than its features. */
#ifndef THR_CERTIFY_CYCLE_H
#define THR_CERTIFY_CYCLE_H

#include "solve/points.h"

typedef struct thr_cycle_limits {
    uint64_t updates;         /* most */
    uint64_t visits;          /* features looked at, in all */
    bool (*stop)(void *user); /* asked now and then; may be NULL */
    void *user;
} thr_cycle_limits;

enum thr_cycle_end {
    THR_CYCLE_SEPARATED, /* a pass without an update: w separates */
    THR_CYCLE_FOUND,     /* the weights have come back */
    THR_CYCLE_LIMIT,     /* neither, within the limits */
    THR_CYCLE_UNFIT,     /* the values do not fit into integers, or the weights grew out of them */
};

typedef struct thr_cycle {
    enum thr_cycle_end end;
    uint64_t updates, passes; /* until then; the last pass may be incomplete */
    uint64_t length;          /* updates of the cycle */
    int64_t *w;   /* thr_points_dims; the weights at the end, in units of the scaled values */
    size_t terms; /* of the combination: points in ascending order, and c */
    size_t *point;
    uint64_t *count;
} thr_cycle;

int thr_cycle_run(const thr_points *p, const thr_cycle_limits *limits, thr_cycle *out,
                  thr_error *err);
void thr_cycle_clear(thr_cycle *c);

#endif
