/* A pool: the memory of the lists of one segment (lists.h).
 *
 * Lists are taken from chunks, one behind the other, and what is dropped is kept by its class, for
 * the next list of that class. Memory is only given back with the whole pool. The chunks of a large
 * table, and the pools themselves, are cut from slabs (slab.h). */
#ifndef THR_WEIGHTS_POOL_H
#define THR_WEIGHTS_POOL_H

#include "weights/entries.h"
#include "weights/slab.h"

#define THR_LIST_CLASSES 48 /* classes whose lists are kept for reuse when they are dropped */

struct thr_pool { /* the first cache line is all that most lists need */
    size_t users; /* segments, on any shelf, that list it */
    struct thr_pool_chunk *chunks;
    char *at; /* what is free of the newest chunk: at least what has been reserved */
    size_t left;
    char *rest; /* what is free of an older one, and is used up before */
    size_t rest_left;
    size_t bytes;                           /* of all chunks */
    size_t wanted;                          /* what an update needs, while that is added up */
    thr_entries *free[2][THR_LIST_CLASSES]; /* dropped lists, sparse and dense, linked behind their
                                               heads */
    thr_slab *slab;                         /* that the pool is cut from; or NULL */
};

/* The least class with room for n entries. */
unsigned thr_list_class(uint32_t n);
/* The bytes of a list of a class. */
size_t thr_class_bytes(const thr_weights *w, unsigned class, bool dense);
/* An empty list that one row has. The memory was reserved. */
thr_entries *thr_list_new(const thr_weights *w, thr_pool *p, uint32_t room, bool dense);
/* One row less has the list. */
void thr_list_leave(thr_pool *p, thr_entries *l);

#endif
