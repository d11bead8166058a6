/* A table from strings to numbers, by a secret hash (base/secret.h): for namespaces and other lists
 * of names that come from the input and may be long. */
#ifndef THR_BASE_INDEX_H
#define THR_BASE_INDEX_H

#include "base/mem.h"
#include "base/secret.h"

typedef struct thr_index { /* all zero is empty */
    struct thr_index_slot {
        thr_str name; /* borrowed; .p NULL: the slot is empty */
        uint32_t number;
    } * slot;
    size_t slots, n; /* slots: a power of two, at most half of them in use */
    thr_secret secret;
} thr_index;

void thr_index_clear(thr_index *x); /* frees */
void thr_index_empty(thr_index *x); /* keeps the memory */
/* The number of a name, or UINT32_MAX. */
uint32_t thr_index_find(const thr_index *x, thr_str name);
/* Adds a name that is not there yet, and whose bytes stay where they are. False: out of memory. */
bool thr_index_add(thr_index *x, thr_str name, uint32_t number);

#endif
