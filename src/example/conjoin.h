/* Crosses of namespaces and conjunctions of active features: new features whose value is the
 * product of the values of their parts.
 *
 *   cross of A and B             each feature of A with each of B: two parts (cross.h)
 *   conjunctions of up to k      each set of 2 to k features of the example
 *
 * The parts of a name are in the byte order of (namespace, name), so the order in which an
 * example names its features does not matter. Parts are escaped, so different parts never make
 * the same name. features.h shows the names. */
#ifndef THR_EXAMPLE_CONJOIN_H
#define THR_EXAMPLE_CONJOIN_H

#include "example/features.h"

/* The greatest number of features that may be added to one example, unless the scratch says
 * another. n features have n(n-1)/2 pairs, so a long line could otherwise use up all memory. */
#define THR_MAX_ACTIVE 1048576u

/* Adds the crosses and conjunctions that `f` asks for to the open example, whose features are
 * distinct. If they would be too many, records a problem, adds nothing and returns false; the
 * caller drops the example. */
bool thr_conjoin(const thr_features *f, thr_feature_scratch *s, thr_batch *b);

#endif
