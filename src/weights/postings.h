/* Postings: for every feature, the list of kept examples that have it, as in a search engine.
 * The dot products of an example with all kept ones then cost only the lists of its own
 * features.
 *
 *   list[i]     where the postings of feature i begin, and how many there are
 *   posting[]   (serial number of the example, value), ... oldest example first
 *
 *     list[7] = {at 2, n 3, room 4}
 *                   |
 *     posting  . .  (0, 1) (4, .5) (9, 1) free  . . .
 *
 * All lists lie in one array. A list that outgrows its room moves to the end of the array, with
 * twice the room; its old place is not used again.
 *
 * An example is named by its serial number, which does not change when the oldest example is
 * forgotten. Its number in the memory is the serial number minus `gone`, the number of examples
 * forgotten so far.
 *
 * Postings are derived from a memory (memory.h) and never saved. A snapshot shares them: the
 * array is only appended to, and the lists' headers are pages copied on first write
 * (base/share.h). */
#ifndef THR_WEIGHTS_POSTINGS_H
#define THR_WEIGHTS_POSTINGS_H

#include "weights/memory.h"

typedef struct thr_posting {
    uint32_t serial;
    float x;
} thr_posting;

typedef struct thr_posting_list {
    size_t at; /* of its first posting in the array */
    uint32_t n, room;
    uint32_t coming; /* scratch of thr_postings_ready: postings that the example will add */
} thr_posting_list;

typedef struct thr_postings {
    thr_paged list; /* a thr_posting_list per feature */
    size_t lists;
    thr_posting *posting; /* a shared array; a snapshot reads no list beyond the n it knows */
    size_t used, room;
    uint32_t gone; /* examples forgotten */
    bool view;     /* made by thr_postings_share: the other owner may still add to the lists */
} thr_postings;

void thr_postings_clear(thr_postings *p);
/* Makes `out` a second owner of all lists. Only `p` may add to the shared array; `out` gets a
 * copy before it adds (thr_postings_ready sees to it). */
void thr_postings_share(const thr_postings *p, thr_postings *out);
/* Makes all lists belong to p alone. Needed before thr_postings_forget. */
int thr_postings_own(thr_postings *p, thr_error *err);
/* The list of feature i, for i < p->lists. */
static inline const thr_posting_list *thr_postings_list(const thr_postings *p, size_t i)
{
    return thr_paged_at(&p->list, i, sizeof(thr_posting_list));
}
/* Builds the lists of all examples in m. `p` is empty. */
int thr_postings_build(thr_postings *p, const thr_memory *m, thr_error *err);
/* Makes room for adding e. */
int thr_postings_ready(thr_postings *p, const thr_example *e, thr_error *err);
/* Adds e, which was kept as number `example` of the memory. There is room. */
void thr_postings_add(thr_postings *p, const thr_example *e, uint32_t example);
/* Removes e, the oldest example. Call it before the memory forgets e. */
void thr_postings_forget(thr_postings *p, const thr_example *e);
/* out[k] += the dot product of e with kept example k, for every k, without their scales. */
void thr_postings_dots(const thr_postings *p, const thr_example *e, double *out);
/* The number of a kept example equal to e, label included; THR_NONE if there is none. */
uint32_t thr_postings_find(const thr_postings *p, const thr_memory *m, const thr_example *e);

#endif
