/* A store: resolved examples kept in memory, for several passes over an input that cannot be
 * read twice, and for visiting examples in a shuffled order.
 *
 * Only ids are kept, not keys: a store is bound to the lexicon that gave them, and becomes
 * useless if ids change. */
#ifndef THR_INPUT_STORE_H
#define THR_INPUT_STORE_H

#include "example/batch.h"

typedef struct thr_store {
    thr_batch all;      /* the columns start, id, value and about; labels and tags in its arena */
    const size_t *pick; /* the examples to visit, `picked` of them; NULL: all. Borrowed */
    size_t picked;
    bool sentences; /* examples are visited sentence by sentence: the first token of each stands for it */
    size_t *order;  /* filled in by thr_store_order */
    size_t ordered; /* how many places it has */
    size_t order_room;
} thr_store;

void thr_store_clear(thr_store *s);
/* Appends a copy of a resolved batch, whose block may then go. False: out of memory. */
bool thr_store_add(thr_store *s, const thr_batch *b);
size_t thr_store_size(const thr_store *s); /* the number of examples to visit */
/* Fills s->order with the examples to visit in pass `pass`: shuffled by a function of *seed and
 * pass alone, so that a resumed run continues with the same orders; or as stored if seed is
 * NULL. False: out of memory. */
bool thr_store_order(thr_store *s, const uint64_t *seed, uint64_t pass);

#endif
