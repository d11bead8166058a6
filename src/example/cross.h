/* Crosses of namespaces: each feature of one namespace with each of another, and so on for any
 * number of namespaces. As written in the setting:
 *
 *     user*item        two namespaces by name; user*item*hour three of them
 *     u*i              by their first letter; a namespace that is called `u` comes first
 *     ui               the same, letters only
 *     u**              u with every namespace; *** every pair of namespaces
 *     *b, a*, *        a part that is left out is the empty namespace
 *
 * Several crosses are separated by commas. Models of thresh 0.1.0 know only A*B by name. */
#ifndef THR_EXAMPLE_CROSS_H
#define THR_EXAMPLE_CROSS_H

#include "example/features.h"

/* Reads the setting into f->cross. With `by_name` as in models that were made before there were
 * letters: what stands before and behind the first star are two names. */
int thr_crosses_parse(const char *text, bool by_name, thr_features *f, thr_error *err);
/* Whether the crosses mean the same by the rules of earlier versions: pairs of names. */
bool thr_crosses_are_pairs(const thr_features *f);
bool thr_cross_same(const thr_cross *a, const thr_cross *b);
/* The cross as text, with a star between its parts. False: out of memory. */
bool thr_cross_print(const thr_cross *c, thr_bytes *out);

/* How many features thr_cross_add will make at most. Counting stops when there are more than
 * `most`, and *more is set. Notes in b->crossed which crosses the example matches. */
uint64_t thr_cross_count(const thr_features *f, thr_feature_scratch *s, thr_batch *b, uint64_t most,
                         bool *more);
/* Adds the features of all crosses, each combination of namespaces once. *clash is set if the
 * example has features of its own in the namespace of a cross. False: out of memory. */
bool thr_cross_add(const thr_features *f, thr_feature_scratch *s, thr_batch *b, bool *clash);

#endif
