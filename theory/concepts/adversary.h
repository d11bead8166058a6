/* An adversary of concept learners. It knows the state of the learner and chooses each point and
 * its label; its only constraint is that some concept agrees with all labels. It is greedy: of all
 * points on which it can make the learner err, it takes the one that leaves the most concepts (for
 * elimination, the one that costs the fewest literals), and the first of several equal ones. */
#ifndef THR_CONCEPTS_ADVERSARY_H
#define THR_CONCEPTS_ADVERSARY_H

#include "concepts/version_space.h"

#include "thresh_theory.h"

#define THR_ADVERSARY_VARIABLES 16 /* at most: it tries all 2^n points */

/* The number of mistakes that it forces on `consistent` or `halving` over the class c, whose
 * concepts use the first n <= THR_ADVERSARY_VARIABLES variables. */
int thr_adversary_of_class(const thr_concepts *c, size_t n, enum thr_version_rule rule,
                           uint64_t seed, uint64_t *mistakes, thr_error *err);
/* The same for elimination. */
int thr_adversary_of_eliminate(size_t n, bool disjunction, bool negated, uint64_t *mistakes,
                               thr_error *err);

#endif
