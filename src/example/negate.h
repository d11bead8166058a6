/* Negated literals over declared Boolean variables (L2): where a variable x is not active, the
 * feature `!|x` is, with the value 1. Rules without negative weights can then learn disjunctions,
 * conjunctions and decision lists with negations, and conjunctions of literals make k-DNF linear
 * for them. In an open feature space almost every feature is absent from an example, so the
 * variables must be named: the map depends on the settings and the example alone.
 *
 *     --negate 1-20              the integers from 1 to 20
 *     --negate 'red,shape|round' two names, the second in the namespace `shape`
 *
 * A backslash takes away the meaning of a comma, a bar or the dash of a range. */
#ifndef THR_EXAMPLE_NEGATE_H
#define THR_EXAMPLE_NEGATE_H

#include "example/features.h"

#define THR_MAX_NEGATED 65536u /* variables in a list, and so features added to an example */
#define THR_NEGATED_NS  "!"

/* Refuses a list that cannot be read, and copies one that can to f->negate. */
int thr_negate_set(thr_features *f, const char *list, thr_error *err);
/* Adds the negated literals of the open example, whose features are distinct. False: out of
 * memory. */
bool thr_negate(const thr_features *f, thr_feature_scratch *s, thr_batch *b);
void thr_negation_clear(thr_negation *n); /* frees */

#endif
