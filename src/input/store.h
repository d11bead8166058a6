/* Examples kept in memory, resolved, for passes over what cannot be read twice and for visiting
 * them in another order. */
#ifndef THR_INPUT_STORE_H
#define THR_INPUT_STORE_H

#include "example/batch.h"

typedef struct thr_store {
    thr_batch all;      /* start, id, value, about; labels and tags in its arena */
    const size_t *pick; /* the examples to visit, `picked` of them; NULL: all. Not owned */
    size_t picked;
    size_t *order;
    size_t order_room;
} thr_store;

void thr_store_clear(thr_store *s);
bool thr_store_add(thr_store *s, const thr_batch *b); /* a resolved batch; false: memory */
size_t thr_store_size(const thr_store *s);            /* examples to visit */
/* The order of pass `pass`: a function of seed and pass; the stored order without a seed. */
bool thr_store_order(thr_store *s, const uint64_t *seed, uint64_t pass);

#endif
