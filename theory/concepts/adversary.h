/* An adversary of learners of concepts: it knows the learner, picks each point and its label, and
 * is bound only to leave some concept right. Greedy: of all points on which it can make the learner
 * err it takes the one that leaves the most concepts (literals), the first of equals. */
#ifndef THR_CONCEPTS_ADVERSARY_H
#define THR_CONCEPTS_ADVERSARY_H

#include "concepts/version_space.h"

#include "thresh_theory.h"

#define THR_ADVERSARY_VARIABLES 16 /* it walks over all points */

/* Mistakes that it forces on consistent or halving, over n variables. */
int thr_adversary_of_class(const thr_concepts *c, size_t n, enum thr_version_rule rule,
                           uint64_t seed, uint64_t *mistakes, thr_error *err);
/* ... and on elimination. */
int thr_adversary_of_eliminate(size_t n, bool disjunction, bool negated, uint64_t *mistakes,
                               thr_error *err);

#endif
