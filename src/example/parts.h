/* The parts of crosses and conjunctions: the features of an example as they were before anything
 * was added, sorted by namespace and name, so that the order in which an example names its features
 * does not matter. Functions that return bool return false when memory runs out. */
#ifndef THR_EXAMPLE_PARTS_H
#define THR_EXAMPLE_PARTS_H

#include "example/features.h"
#include "example/names.h"

typedef struct thr_factor {
    thr_str ns, name;
    thr_str written; /* escaped, as it appears in the names being made */
    float value;
} thr_factor;

/* The parts of one namespace: n of them, from number `from` on. */
typedef struct thr_range {
    thr_str ns;
    size_t from, n;
} thr_range;

/* Fills s->part with the features of the open example, and s->space with their namespaces. */
bool thr_parts_collect(thr_feature_scratch *s, thr_batch *b);
/* The number of a namespace in s->space, or s->n_spaces if the example does not have it. */
size_t thr_parts_find(const thr_feature_scratch *s, thr_str ns);
/* Sets `written` of each part to its name, preceded by `ns|` if that is wanted and ns is not empty.
 * The characters of `special` are escaped. `written` lies in the batch's arena. */
bool thr_parts_write(thr_feature_scratch *s, thr_batch *b, bool with_ns, const char *special);
/* Adds to `to` the feature made of the parts index[0..k), whose names are joined by `between`. The
 * product is limited to the range of a float; if it underflows to 0, no feature is added. */
bool thr_parts_multiply(const thr_feature_scratch *s, thr_naming *to, const size_t *index, size_t k,
                        char between);
/* Names with a backslash before each character of `special`. */
size_t thr_escaped_length(thr_str name, const char *special);
char *thr_put_escaped(char *to, thr_str name, const char *special);

#endif
