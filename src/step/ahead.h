/* Prefetching: the rows of the next example are found, and brought into the cache, while the one
 * before it is worked out.
 *
 *   example      i                     i + 1
 *   rows         found, in the cache   found; fetched a portion at a time
 *
 * thr_ahead_to(i + 1) computes the addresses of the next example's rows. The step over example i
 * then calls thr_ahead_some before each member scores and before each member moves: processors drop
 * prefetches when more than some twenty cache lines are asked for at once, so a portion is fetched
 * while each piece of work is done. When the step comes to example i + 1 its rows are already
 * there, and thr_ahead_rows returns them.
 *
 * Addresses are good until rows move (a segment is made anew, a label is added, a snapshot is
 * taken) or the batch goes; then thr_ahead_forget must be called. */
#ifndef THR_STEP_AHEAD_H
#define THR_STEP_AHEAD_H

#include "example/batch.h"
#include "weights/weights.h"

/* Rows found before they are wanted, of the example whose features' ids begin at `id`. */
typedef struct thr_found_rows {
    char **row; /* [member][feature], or [feature] where members' rows are side by side */
    const uint32_t *id;
    size_t n, room;
    thr_listed how;
    size_t near, portion; /* rows fetched so far; so many at a time */
} thr_found_rows;

typedef struct thr_ahead {
    thr_found_rows found[2]; /* this example and the next take turns */
    unsigned turn;           /* the one found last */
    thr_weights **table;     /* of the members whose rows are wanted; the workspace's */
    size_t tables;
} thr_ahead;

void thr_ahead_clear(thr_ahead *a);
/* Finds the rows of example i of b in a->table, if there is such an example, and fetches the first
 * of them; thr_ahead_some will be called `times` times. In learning, rows of unseen features will
 * exist by the time they are wanted, so an example with any is left to be found then. */
void thr_ahead_to(thr_ahead *a, const thr_batch *b, size_t i, size_t times, bool learning);
void thr_ahead_fetch(thr_ahead *a);
void thr_ahead_forget(thr_ahead *a);
/* What was found of e, or NULL. */
thr_found_rows *thr_ahead_rows(thr_ahead *a, const thr_example *e);
/* The greatest of an example's ids, 0 if it has none. */
uint32_t thr_ahead_top(thr_ahead *a, const thr_example *e);

/* Fetches the next portion of the rows found last. */
static inline void thr_ahead_some(thr_ahead *a)
{
    if (a->found[a->turn].near < a->found[a->turn].n)
        thr_ahead_fetch(a);
}

#endif
