/* Transformation-based learning (Brill 1995; Brill and Resnik 1994): an ordered list of clauses
 *     "if the example has FEATURE and its label so far is FROM, make it TO",
 * begun from the most frequent label. Each clause is the one that mends most of the examples it was
 * made from, those it breaks taken off:
 *     gain(f, a, b) = sum of importance over { f in x, now a, truth b }
 *                   - sum of importance over { f in x, now a, truth a }.
 * Of equal gains the lowest feature, then the lowest FROM, then the lowest TO is taken. The list
 * ends when the best gain is below `least`, so every clause leaves fewer errors than it found.
 *
 * The outcome is a function of the examples and nothing else. Importance is counted in whole units
 * of 2^-16, up to 2^14, so that sums of it are exact and the order of adding does not matter. */
#ifndef THR_LEARNER_TRANSFORM_H
#define THR_LEARNER_TRANSFORM_H

#include "learner/learner.h"

typedef struct thr_transform {
    double least; /* gain of a clause, above 0 */
    size_t most;  /* clauses */
    size_t first; /* made from this many examples, the first ones */
    uint32_t labels;
} thr_transform;

/* Makes r's list anew from its memory, whose labels are all below t->labels. */
int thr_transform_fit(thr_rule *r, const thr_transform *t, thr_error *err);

#endif
