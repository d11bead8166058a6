/* Laying a workspace out for a model, and finding the rows of an example in the members' tables. */
#include "step/workspace.h"

#include "base/crew.h"
#include "model/inside.h"
#include "step/trace.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void clear_lane(thr_lane *lane)
{
    thr_prefetch_clear(&lane->ahead);
    free(lane->row);
    free(lane->spare);
}

/* A lane once made keeps its memory, whether it is in use or not. */
void thr_workspace_clear(thr_workspace *w)
{
    for (size_t i = 0; i < w->n_cases; i++)
        thr_case_clear(&w->cases[i]);
    for (size_t i = 0; i < w->lane_room; i++)
        clear_lane(&w->lane[i]);
    free(w->cases);
    free(w->table);
    free(w->lane);
    free(w->gathered);
    free(w->fitted);
    thr_trace_free(w->trace);
    *w = (thr_workspace){0};
}

/* ---- tables ------------------------------------------------------------------------------- */

bool thr_model_sits_out(const thr_model *m, uint32_t k)
{
    const thr_member *member = &m->member[k];
    return m->members > 1 && member->rule.nonnegative && !member->scaled &&
           member->weights.rows == 0;
}

/* Predicting lists every member: one without rows still predicts, from start values. */
static bool is_listed(const thr_model *m, uint32_t k, bool learning)
{
    return !learning || !thr_model_sits_out(m, k);
}

static size_t count_listed(const thr_model *m, bool learning)
{
    size_t n = 0;
    for (uint32_t k = 0; k < m->members; k++)
        n += is_listed(m, k, learning);
    return n;
}

/* Into how many lanes the members are divided: two for each thread, so that all are busy although
 * members differ in their work. Where all numbers of a feature lie in one cache line (lists are
 * elsewhere), dividing them costs more than it gains, and the learning thread has as much work as a
 * lane (stretch.h): then it counts for none. */
static size_t count_lanes(const thr_workspace *w, const thr_model *m, bool learning)
{
    size_t threads = learning && w->crew ? thr_crew_size(w->crew) : 1, bytes = 0;
    for (uint32_t k = 0; k < m->members && threads > 1; k++)
        bytes += thr_weights_is_listed(&m->member[k].weights) ? THR_CACHE_LINE + 1
                                                              : m->member[k].weights.size;
    threads -= threads > 1 && bytes <= THR_CACHE_LINE;
    size_t lanes = threads > 1 ? 2 * threads : 1;
    return lanes < m->members ? lanes : m->members;
}

/* Whether the list of tables is the one for this model and purpose. A member that has been given
 * rows keeps them until a new label arrives, so while the layout is the same a full list stays full
 * and the members need not be counted. The last lane ends with the last member: where others sit
 * out, the list may be as long after members were paused as it was before. */
static inline bool is_listing(const thr_workspace *w, const thr_model *m, bool learning)
{
    return w->member == m->member && w->learning == learning &&
           w->lane[w->lanes - 1].end == m->members &&
           (w->tables == m->members || w->tables == count_listed(m, learning)) &&
           w->lanes == count_lanes(w, m, learning);
}

/* Zeroed, so that the lanes beyond `lanes` can be cleared too. */
static bool make_lanes(thr_workspace *w, size_t lanes)
{
    if (lanes <= w->lane_room)
        return true;
    thr_lane *grown = realloc(w->lane, lanes * sizeof *grown);
    if (!grown)
        return false;
    memset(grown + w->lane_room, 0, (lanes - w->lane_room) * sizeof *grown);
    w->lane = grown;
    w->lane_room = lanes;
    return true;
}

/* The members are divided evenly; the first lane gets the greater part. The threads of a crew begin
 * with it, and the learning thread takes what they have left. */
static void divide(thr_workspace *w, const thr_model *m, size_t lanes)
{
    uint32_t k = 0;
    size_t at = 0;
    w->lanes = lanes;
    for (size_t i = 0; i < lanes; i++) {
        thr_lane *lane = &w->lane[i];
        lane->first = k;
        lane->end = (uint32_t)(((i + 1) * m->members + lanes - 1) / lanes);
        lane->ahead.table = w->table + at;
        lane->ahead.tables = 0;
        for (; k < lane->end; k++)
            lane->ahead.tables += is_listed(m, k, w->learning);
        at += lane->ahead.tables;
    }
}

/* Rare, and kept out of line so that the test before it stays small. A new list invalidates the
 * addresses found so far. */
__attribute__((noinline)) static bool list_tables(thr_workspace *w, const thr_model *m,
                                                  bool learning)
{
    size_t lanes = count_lanes(w, m, learning);
    if (!thr_grow(&w->table, &w->table_room, m->members, sizeof *w->table) ||
        (learning && !thr_grow(&w->gathered, &w->gathered_room, m->members, sizeof *w->gathered)) ||
        !make_lanes(w, lanes))
        return false;
    w->tables = 0;
    for (uint32_t k = 0; k < m->members; k++)
        if (is_listed(m, k, learning))
            w->table[w->tables++] = &m->member[k].weights;
    thr_workspace_forget(w);
    w->member = m->member;
    w->learning = learning;
    divide(w, m, lanes);
    return true;
}

__attribute__((noinline)) static bool make_cases(thr_workspace *w, size_t cases)
{
    thr_case *grown = realloc(w->cases, cases * sizeof *grown);
    if (!grown)
        return false;
    memset(grown + w->n_cases, 0, (cases - w->n_cases) * sizeof *grown);
    w->cases = grown;
    w->n_cases = cases;
    return true;
}

/* The slow path of thr_workspace_prepare: something has changed. */
__attribute__((noinline)) static bool prepare(thr_workspace *w, const thr_model *m, size_t cases,
                                              bool learning)
{
    size_t fitted;
    return (w->n_cases >= cases || make_cases(w, cases)) &&
           (is_listing(w, m, learning) || list_tables(w, m, learning)) &&
           !__builtin_mul_overflow(m->layout.labels, m->members, &fitted) &&
           (!learning || thr_grow(&w->fitted, &w->fitted_room, fitted, sizeof *w->fitted)) &&
           thr_case_lay_out(w->cases, m);
}

/* When labels are added, the first case is laid out again too: `fitted` grows with it. */
bool thr_workspace_prepare(thr_workspace *w, const thr_model *m, size_t cases, bool learning)
{
    bool prepared =
        w->n_cases >= cases && is_listing(w, m, learning) && thr_case_is_laid_out(w->cases, m);
    return prepared || prepare(w, m, cases, learning);
}

thr_case *thr_workspace_case(thr_workspace *w, const thr_model *m, size_t i)
{
    return thr_case_lay_out(&w->cases[i], m) ? &w->cases[i] : NULL;
}

/* ---- rows --------------------------------------------------------------------------------- */

/* `portions` is the number of parts that the next example's rows are divided into, one per call of
 * thr_prefetch_some in a step: before each member of the lane scores and, in learning, before it
 * moves; in predicting, at the start. thr_prefetch_example makes one call more. If a step gets or
 * loses a call, this must follow, or the last rows are not prefetched. */
void thr_lane_prefetch(thr_lane *lane, const thr_model *m, const thr_batch *b, size_t i,
                       bool learning)
{
    bool named = !learning || !m->max_features; /* else the next example has no ids yet */
    size_t members = lane->end - lane->first, portions = learning ? 2 * members + 1 : members + 2;
    if (i < b->n && named)
        thr_prefetch_example(&lane->ahead, b, i, portions, learning);
}

void thr_workspace_prefetch(thr_workspace *w, const thr_model *m, const thr_batch *b, size_t i)
{
    if (i < b->n && (is_listing(w, m, false) || list_tables(w, m, false)))
        thr_lane_prefetch(&w->lane[0], m, b, i, false);
}

void thr_workspace_forget(thr_workspace *w)
{
    for (size_t i = 0; i < w->lanes; i++)
        thr_prefetch_forget(&w->lane[i].ahead);
}

/* The addresses found ahead. Features that were never seen have none: they get rows of start values
 * in lane->spare. That memory is reused by the next example, so the list must not be found a second
 * time; it is made unrecognisable. This happens in predicting only. NULL: out of memory. */
static char **rows_ahead(thr_lane *lane, thr_row_list *f)
{
    thr_weights **table = lane->ahead.table;
    size_t tables = lane->ahead.tables;
    if (f->how.unseen) {
        size_t bytes = thr_weights_unseen(table, tables, f->n, f->row, NULL);
        if (!thr_grow(&lane->spare, &lane->spare_room, bytes + 1, 1))
            return NULL;
        thr_weights_unseen(table, tables, f->n, f->row, lane->spare);
        f->id = NULL;
    }
    return f->row;
}

/* The addresses of an example that was not announced. NULL: out of memory. */
static char **rows_now(thr_lane *lane, const thr_example *whole)
{
    thr_weights **table = lane->ahead.table;
    size_t rows, tables = lane->ahead.tables, spare = thr_weights_spare(table, tables, whole);
    if (__builtin_mul_overflow(whole->n + 1, tables, &rows) ||
        !thr_grow(&lane->row, &lane->row_room, rows + 1, sizeof *lane->row) || /* one at least */
        !thr_grow(&lane->spare, &lane->spare_room, spare + 1, 1))
        return NULL;
    thr_weights_find(table, tables, whole, lane->row, lane->spare, spare);
    return lane->row;
}

bool thr_lane_find(thr_lane *lane, const thr_example *whole)
{
    thr_row_list *f = thr_prefetch_rows(&lane->ahead, whole);
    lane->found = f ? rows_ahead(lane, f) : rows_now(lane, whole);
    lane->beside = f ? f->how.beside : 0;
    return lane->found != NULL;
}

/* Rows that lie side by side have one list of addresses, that of the lane's first table; the row of
 * each further member begins `at` bytes behind it. Else every listed member has a list of its own.
 * A member that sits out gets no rows: it cannot take the example, so they are never read. */
void thr_lane_give(thr_workspace *w, const thr_lane *lane, const thr_model *m, thr_case *c,
                   size_t n)
{
    size_t at = 0, t = 0;
    for (uint32_t k = lane->first; k < lane->end; k++) {
        const thr_weights *table = &m->member[k].weights;
        bool sits_out = t == lane->ahead.tables || lane->ahead.table[t] != table;
        thr_example *view = &c->view[k];
        view->row = sits_out ? NULL : lane->beside ? lane->found : lane->found + t * n;
        view->at = at;
        at += lane->beside && !sits_out ? thr_weights_aligned(table) : 0;
        t += !sits_out;
        view->gathered = w->learning ? &w->gathered[k] : NULL;
    }
}
