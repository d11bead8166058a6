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
    thr_paged list; /* per feature: a thr_posting_list */
    size_t lists;
    thr_posting *posting; /* a shared array: lists grow behind what others know of them */
    size_t used, room;
    uint32_t gone;
    bool view; /* somebody else adds to the lists */
} thr_postings;

void thr_postings_clear(thr_postings *p);
/* A second owner of all lists. `p` may add; `out` makes them its own before it does, and so must
 * either before it forgets. */
void thr_postings_share(const thr_postings *p, thr_postings *out);
int thr_postings_own(thr_postings *p, thr_error *err);
/* Feature i's list, for i < p->lists. */
static inline const thr_posting_list *thr_postings_list(const thr_postings *p, size_t i)
{
    return thr_paged_at(&p->list, i, sizeof(thr_posting_list));
}
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
