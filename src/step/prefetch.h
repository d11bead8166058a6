/* Prefetching: while example i is worked out, the rows of example i + 1 are located and loaded into
 * the cache.
 *
 * A step over a sparse example touches one row of weights per feature, and these rows are scattered
 * over memory: waiting for one cache miss after another would take longer than the arithmetic. The
 * ids of a batch are known before its first example is learned, so the addresses of the next
 * example's rows can be computed one step early and the loads overlap with the work at hand.
 *
 * A lane (lane.c) announces example i + 1 and then works on example i; in predicting the caller's
 * loop (run/predict.c) does. A lane with two members, learning:
 *
 *   lane                               prefetcher, for example i + 1
 *   --------------------------------   ----------------------------------
 *   announce i + 1                     compute all addresses; portion 1
 *   find the rows of i: take the
 *     addresses computed a turn before
 *   score member 0                     portion 2
 *   score member 1                     portion 3
 *   fit the probabilities
 *   update member 0                    portion 4
 *   update member 1                    portion 5, the last
 *   announce i + 2                     compute all addresses; portion 1
 *   find the rows of i + 1
 *   score member 0: its rows are in
 *     the cache                        portion 2 of example i + 2
 *
 * Every lane has a prefetcher, for its own rows: they should come into the cache of the processor
 * that works on them. A portion is requested just before the piece of work in its line begins.
 * Predicting has members + 2 portions: one with the addresses, one at the start of the step and one
 * before each member scores.
 *
 * Why in portions: a processor can wait for some dozens of cache lines. With many labels or members
 * an example has hundreds, and requesting all of them at once would lose most, or hold the work up.
 * They are therefore spread over all calls of thr_prefetch_some that one step makes. Narrow rows
 * are fewer lines, of which most are in some cache: they are requested at once.
 *
 * Where rows are lists (weights/lists.h), the portions that follow those of the rows request the
 * beginnings of the lists, whose addresses the rows hold.
 *
 * Two lists of addresses take turns, because the views of the example at hand (thr_example.row)
 * point into the one list while the other is being filled.
 *
 * When addresses become invalid. A list is good until
 *
 *   - rows move: a label is added and rows become wider, the members' tables are laid side by side,
 *     a table grows into a larger block, or a segment that a snapshot also owns is copied before
 *     the first write to it (weights.h; thr_weights_cover and thr_weights_own report it);
 *   - a snapshot is taken: the rows found before can still be read, but writing to them would
 *     change the snapshot;
 *   - the list of tables changes: another model, another purpose, a member that is given rows;
 *   - the batch is reset or freed. A list is recognised by the address of its example's ids, which
 *     the next batch may reuse.
 *
 * The rows of a whole stretch are made before a lane finds the first of them (find.c), so they do
 * not move under it. The code that causes one of these must call thr_prefetch_forget. An example
 * whose list was forgotten is no error: its rows are found when its step begins, only without the
 * head start.
 *
 * Not everything can be announced. With max-features, and in training with --pac, names get their
 * ids example by example, so the next example has none yet. With min-count above 1 the step works
 * on a filtered copy of the ids; it does not recognise the list and finds its rows again, but the
 * cache lines are loaded all the same. */
#ifndef THR_STEP_PREFETCH_H
#define THR_STEP_PREFETCH_H

#include "example/batch.h"
#include "weights/weights.h"

/* The row addresses of one example. */
typedef struct thr_row_list {
    char **row;         /* [table][feature], or [feature] where all tables' rows lie side by side */
    const uint32_t *id; /* the batch's ids of the example, by which it is recognised; NULL: empty */
    size_t n, room;     /* features; addresses that `row` has room for */
    thr_listed how;     /* side by side or not; whether some features have no row */
    size_t near, portion; /* features whose rows were requested so far, and are in one portion */
    size_t lists;         /* features whose lists are still to be requested (weights/lists.h) */
} thr_row_list;

typedef struct thr_prefetch {
    thr_row_list found[2]; /* the example at hand and the next take turns */
    unsigned turn;         /* index of the list that was filled last: the next example's */
    thr_weights **table;   /* tables to look in; borrowed from the workspace */
    size_t tables;
} thr_prefetch;

void thr_prefetch_clear(thr_prefetch *a);
/* Computes the row addresses of example i of b and requests the first portion; does nothing if b
 * has no such example. `times` is the number of portions: how often the step will call
 * thr_prefetch_some, plus this call.
 *
 * In learning, segments that are shared with a snapshot are copied first, so that the addresses
 * will be writable. A learning step also creates the rows of unseen features before it uses them;
 * addresses of start values in their place would be wrong by then, so an example for which some
 * address cannot be given yet is left to be found at its step. */
void thr_prefetch_example(thr_prefetch *a, const thr_batch *b, size_t i, size_t times,
                          bool learning);
/* Requests the next portion; thr_prefetch_some is the same after an inlined test. */
void thr_prefetch_portion(thr_prefetch *a);
/* Drops both lists. Must be called before rows move, a snapshot is taken or the batch goes. */
void thr_prefetch_forget(thr_prefetch *a);
/* The list of example e, or NULL if none was made or it has been forgotten. */
thr_row_list *thr_prefetch_rows(thr_prefetch *a, const thr_example *e);

/* Requests the next portion of the next example's rows, if any are left. Called before each piece
 * of work of a step, so the test for "nothing left" is inlined. */
static inline void thr_prefetch_some(thr_prefetch *a)
{
    if (a->found[a->turn].near < a->found[a->turn].n || a->found[a->turn].lists)
        thr_prefetch_portion(a);
}

#endif
