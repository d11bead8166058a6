/* Which kept examples have a feature, so that the dot products of an example with all of them cost
 * only the lists of its own features.
 *
 *   list[i]     where the postings of feature i stand, oldest example first
 *   posting     (serial number of the example, value) ...
 *
 * Derived from a memory, never saved. Lists that outgrow their place move to the end. Serial
 * numbers do not change when the oldest example is forgotten: its place in the memory is its serial
 * number less the number of those gone. */
#ifndef THR_WEIGHTS_POSTINGS_H
#define THR_WEIGHTS_POSTINGS_H

#include "weights/memory.h"

typedef struct thr_posting {
    uint32_t serial;
    float x;
} thr_posting;

typedef struct thr_posting_list {
    size_t at;
    uint32_t n, room;
    uint32_t coming; /* while room is made: features of the example that belong here */
} thr_posting_list;

typedef struct thr_postings {
    thr_posting_list *list; /* per feature */
    size_t lists, list_room;
    thr_posting *posting;
    size_t used, room;
    uint32_t gone;
} thr_postings;

void thr_postings_clear(thr_postings *p);
/* The lists of all examples in m; `p` is empty. */
int thr_postings_build(thr_postings *p, const thr_memory *m, thr_error *err);
/* Room for adding e. */
int thr_postings_ready(thr_postings *p, const thr_example *e, thr_error *err);
/* e was kept as number `example` of its memory. */
void thr_postings_add(thr_postings *p, const thr_example *e, uint32_t example);
/* e, the oldest, is about to be forgotten. */
void thr_postings_forget(thr_postings *p, const thr_example *e);
/* Adds to out[k] the products of e's stored values with those of kept example k: scales are left
 * out. */
void thr_postings_dots(const thr_postings *p, const thr_example *e, double *out);
/* The kept example that is e, label included; THR_NONE where there is none. */
uint32_t thr_postings_find(const thr_postings *p, const thr_memory *m, const thr_example *e);

#endif
