/* The monotone disjunction that explains Boolean examples best, for Winnow's bound.
 *
 * Every set S of features gives a bound (bounds.h): it pays for each feature in S, for each
 * positive that has none of them, and for each time a negative has one. The least is hard to find
 * (it is a set cover); features are added one by one, each time the one that saves most, while one
 * saves anything. Where a disjunction is never wrong, that alone is what is paid. */
#ifndef THR_BOUNDS_DISJUNCTION_H
#define THR_BOUNDS_DISJUNCTION_H

#include "solve/points.h"

typedef struct thr_disjunction {
    uint32_t *feature; /* ids, in the order in which they were taken */
    size_t k;
    uint64_t missed; /* positives that have none of them */
    uint64_t stray;  /* of them in all negatives */
} thr_disjunction;

/* Two labels; feature `bias` is left out; values are taken for 1. `cost` is what a feature costs,
 * in missed positives. */
int thr_disjunction_find(const thr_points *p, uint32_t bias, double cost, thr_disjunction *out,
                         thr_error *err);
void thr_disjunction_clear(thr_disjunction *d);

#endif
