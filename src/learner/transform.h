/* Transformation-based learning (Brill 1995; Brill and Resnik 1994) of an ordered list of
 * clauses
 *     "if the example has FEATURE and its label so far is FROM, make it TO".
 * All examples start with the most frequent label. The next clause is always the one with the
 * greatest gain, the importance of the examples it corrects minus that of those it breaks:
 *     gain(f, a, b) = sum of importance over { f in x, now a, truth b }
 *                   - sum of importance over { f in x, now a, truth a }.
 * Among equal gains the lowest feature wins, then the lowest FROM, then the lowest TO. The list
 * ends when the best gain is below `least`, so every clause leaves fewer errors than it found.
 *
 * The result is a function of the examples alone. Importance is counted in whole units of
 * 2^-16, at most 2^14, so that sums are exact and the order of adding does not matter. */
#ifndef THR_LEARNER_TRANSFORM_H
#define THR_LEARNER_TRANSFORM_H

#include "learner/learner.h"

typedef struct thr_transform {
    double least; /* gain that a clause must have, above 0 */
    size_t most;  /* how many clauses the list may have */
    size_t first; /* the list is learned from this many kept examples, the first ones */
    uint32_t labels;
} thr_transform;

/* Learns r's list from its kept examples, whose labels are all below t->labels, and replaces
 * the old list (r->start, r->clause). */
int thr_transform_fit(thr_rule *r, const thr_transform *t, thr_error *err);

#endif
