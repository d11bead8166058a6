/* Crosses of namespaces and conjunctions of active features: new features whose value is the
 * product of the values of their parts.
 *
 * The parts stand in the byte order of (namespace, name), so the order in which an example names
 * its features does not matter. Parts are escaped, so different parts never make the same name. */
#ifndef THR_EXAMPLE_CONJOIN_H
#define THR_EXAMPLE_CONJOIN_H

#include "example/features.h"

/* The most features one example may gain. */
#define THR_MAX_CONJUNCTIONS 4194304u

/* Adds what `f` asks for to the open example, whose features are distinct. Where that would be
 * too many, records a problem, adds nothing and returns false. */
bool thr_conjoin(const thr_features *f, thr_feature_scratch *s, thr_batch *b);

#endif
