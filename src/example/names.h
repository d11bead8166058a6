/* Adding many names to a batch at once: words, n-grams, crosses, conjunctions.
 *
 * Names are collected and then get their keys and hashes together, which costs half of what it
 * costs one by one (names.c). Keys, names and hashes are those that thr_batch_named would give. */
#ifndef THR_EXAMPLE_NAMES_H
#define THR_EXAMPLE_NAMES_H

#include "example/batch.h"

#define THR_NAMES 64 /* names that are collected */

/* Features that the open example of `b` is about to get, in order, all in namespace `ns`. */
typedef struct thr_naming {
    thr_batch *b;
    uint32_t ns;
    size_t n;
    thr_str name[THR_NAMES];
    float value[THR_NAMES];
} thr_naming;

/* Adds the words text[edge[2i]..edge[2i + 1]) with value 1. From the start of each word
 * THR_NAME_ROOM bytes must be readable. */
void thr_batch_words(thr_batch *b, uint32_t ns, const char *text, const uint32_t *edge,
                     size_t words);

/* Adds what has been collected to the batch. To be called at the end, too. */
void thr_naming_flush(thr_naming *x);

static inline void thr_naming_begin(thr_naming *x, thr_batch *b, uint32_t ns)
{
    x->b = b;
    x->ns = ns;
    x->n = 0;
}

/* The name is not empty. It must last as long as the batch, and THR_NAME_ROOM bytes must be
 * readable from its start, as they are in an arena. */
static inline void thr_naming_add(thr_naming *x, thr_str name, float value)
{
    x->name[x->n] = name;
    x->value[x->n++] = value;
    if (x->n == THR_NAMES)
        thr_naming_flush(x);
}

#endif
