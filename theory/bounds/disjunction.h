/* The monotone disjunction that explains Boolean examples best, for Winnow's bound.
 *
 * Every set S of features gives a valid bound (bounds.h). It has a cost for each feature in S, for
 * each positive example that has none of them, and for each occurrence of one in a negative
 * example. Finding the least is a set cover problem, which is NP-hard. So S is built greedily: the
 * feature that lowers the cost most is added until none lowers it. The result is a valid bound,
 * though perhaps not the least. If the disjunction is never wrong, only its size counts. */
#ifndef THR_BOUNDS_DISJUNCTION_H
#define THR_BOUNDS_DISJUNCTION_H

#include "solve/points.h"

typedef struct thr_disjunction {
    uint32_t *feature; /* ids, in the order in which they were chosen. Owned */
    size_t k;
    uint64_t missed; /* positive examples that have none of the features */
    uint64_t stray;  /* occurrences of the features in negative examples */
} thr_disjunction;

/* p must have two labels and no `pick`. Values are ignored: a feature that an example has counts as
 * true. Feature `bias` is never chosen. `cost` is the cost of a feature in units of one missed
 * positive. Fails only if out of memory; on success the caller clears `out`. */
int thr_disjunction_find(const thr_points *p, uint32_t bias, double cost, thr_disjunction *out,
                         thr_error *err);
void thr_disjunction_clear(thr_disjunction *d);

#endif
