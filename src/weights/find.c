/* Finding the rows of an example's features, and prefetching them.
 *
 * A row's address is looked up once for each example and feature, in one of four ways. Each is
 * slower than the one before it, and is used where that one does not apply:
 *
 *   contiguous  The first segments of the tables are contiguous and their stride is a power of
 *               two: the address is a shift and an addition, and the loop is vectorised.
 *   by segment  The tables are even (see weights.h), so that one address serves all of them;
 *               but their segments are scattered.
 *   fitting     Every segment of every table has rows of the right width, but the tables do not
 *               lie side by side, as in a model that was read from a file. There is one list of
 *               addresses per table, and features that were never seen have none (NULL).
 *   one by one  Some segments are missing or have another width: the rows are copied to spare
 *               memory at the right width.
 *
 * The first three find rows that already exist, so they can run ahead: thr_weights_find_ahead is
 * called for the next example while the present one is still being worked on, and
 * thr_weights_prefetch prefetches the rows it found (step/prefetch.h says when). */
#include "base/wide.h"
#include "example/batch.h"
#include "weights/stored.h"

#include <stdint.h>
#include <string.h>

/* ---- tables side by side ------------------------------------------------------------------ */

/* Rows of more than three quarters of a cache line are padded to a whole line, and rows of at
 * least three quarters of half a line to half a line: otherwise many rows would straddle two
 * lines, and fetching the second line costs more than the padding. */
size_t thr_weights_stride(thr_weights *const *w, size_t n)
{
    const size_t half = THR_CACHE_LINE / 2;
    size_t stride = 0;
    if (n == 1)
        return w[0]->size;
    for (size_t k = 0; k < n; k++)
        stride += thr_weights_aligned(w[k]);
    if (stride >= half / 4 * 3 && stride < half)
        return half;
    return stride > THR_CACHE_LINE / 4 * 3 && stride < THR_CACHE_LINE ? THR_CACHE_LINE : stride;
}

const thr_weights *thr_weights_even(thr_weights *const *w, size_t n, bool *even)
{
    const thr_weights *first = NULL;
    if (n == 1) {
        *even = !w[0]->n_slots || (w[0]->stride == w[0]->size && !w[0]->unready);
        return w[0]->n_slots ? w[0] : NULL;
    }
    size_t stride = thr_weights_stride(w, n);
    *even = true;
    for (size_t k = 0; k < n && *even; k++) {
        if (w[k]->n_slots == 0)
            continue;
        first = first ? first : w[k];
        *even = w[k]->stride == stride && !w[k]->unready && w[k]->segments == first->segments &&
                w[k]->rows == first->rows;
    }
    return first;
}

bool thr_weights_covered(thr_weights *const *w, size_t n, uint32_t top, uint32_t later)
{
    bool even;
    const thr_weights *first = thr_weights_even(w, n, &even);
    for (size_t k = 0; k < n; k++)
        even &= !thr_weights_wants_lists(w[k]);
    return even && !thr_weights_foreign(w, n) &&
           (!first || (top < first->rows && later >> THR_SEGMENT_BITS < first->segments));
}

/* ---- finding ------------------------------------------------------------------------------ */

static bool fits(const thr_weights *w, const thr_segment *s)
{
    return s && s->width == w->width;
}

/* Whether every row can be used where it is. The last condition is what find_fitting_ahead
 * relies on when it looks at the segment of any id below `rows`. */
static bool all_fit(const thr_weights *w)
{
    return w->n_slots && !w->unreadable && w->rows <= w->segments << THR_SEGMENT_BITS;
}

/* If the tables are even and none has a guard, the first of them that has slots, else NULL. The
 * rows of the other tables then follow its own. */
static const thr_weights *first_of_even(thr_weights *const *w, size_t n)
{
    bool even;
    const thr_weights *first = thr_weights_even(w, n, &even);
    for (size_t k = 0; k < n; k++)
        even &= !w[k]->guard;
    return even ? first : NULL;
}

/* How many rows, from the first on, the guard has checked already. Mapped rows are contiguous,
 * so one number tells, and the loop over the features need not ask the guard about each. */
static size_t good_rows(const thr_weights *w)
{
    if (!w->guard || w->size == 0)
        return w->rows;
    if (!w->segments || thr_segment_at(w, 0)->block)
        return 0;
    return thr_guard_reach(w->guard, thr_segment_at(w, 0)->rows, w->rows * w->size) / w->size;
}

/* The addresses of rows in one table that all_fit, NULL for features that were never seen.
 * Returns whether there are any of these. */
static bool find_fitting_ahead(const thr_weights *w, const uint32_t *id, size_t n, char **row)
{
    bool unseen = false;
    size_t rows = w->rows, good = good_rows(w);
    for (size_t i = 0; i < n; i++) {
        row[i] = NULL;
        unseen |= id[i] >= rows;
        if (id[i] >= rows)
            continue;
        const thr_segment *s = thr_segment_at(w, id[i] >> THR_SEGMENT_BITS);
        row[i] = s->rows + (id[i] & (THR_SEGMENT - 1)) * s->stride;
        if (id[i] >= good && !s->block)
            thr_guard_touch(w->guard, row[i], s->stride);
    }
    return unseen;
}

/* A function that only prefetches has no side effect that the compiler knows of, so it may
 * remove the call where it sees both caller and callee. An empty asm statement keeps it. */
__attribute__((always_inline)) static inline void keep_call(void)
{
    __asm__ volatile("");
}

/* An address to prefetch. A row that was never seen is NULL, to which C allows no offset to be
 * added; prefetching any address is harmless. */
static inline const void *ahead_of(const char *row, size_t by)
{
    return (const void *)((uintptr_t)row + by);
}

/* Prefetches `lines` cache lines of each of n rows: consecutive lines, except that the last is
 * at offset `last`. Inlined for each number of lines, so that the inner loop is unrolled. They come
 * into the second-level cache: with many labels the rows at hand take up most of the first. */
__attribute__((always_inline)) static inline void bring_lines(char *const *row, size_t n,
                                                              size_t lines, size_t last)
{
    keep_call();
#pragma GCC unroll 8
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k + 1 < lines; k++)
            __builtin_prefetch(ahead_of(row[i], k * THR_CACHE_LINE), 0, 2);
        __builtin_prefetch(ahead_of(row[i], last), 0, 2);
    }
}

/* The same for rows of more than five lines, in steps of four. The last four lines end at
 * `last`, whatever the number of lines, so some may be prefetched twice. */
__attribute__((always_inline)) static inline void bring_many_lines(char *const *row, size_t n,
                                                                   size_t last)
{
    const size_t step = 4 * THR_CACHE_LINE;
    keep_call();
    for (size_t i = 0; i < n; i++) {
        size_t end = last - (step - THR_CACHE_LINE);
        for (size_t at = 0; at < end; at += step) {
            __builtin_prefetch(ahead_of(row[i], at));
            __builtin_prefetch(ahead_of(row[i], at + THR_CACHE_LINE));
            __builtin_prefetch(ahead_of(row[i], at + 2 * THR_CACHE_LINE));
            __builtin_prefetch(ahead_of(row[i], at + 3 * THR_CACHE_LINE));
        }
        __builtin_prefetch(ahead_of(row[i], end));
        __builtin_prefetch(ahead_of(row[i], end + THR_CACHE_LINE));
        __builtin_prefetch(ahead_of(row[i], end + 2 * THR_CACHE_LINE));
        __builtin_prefetch(ahead_of(row[i], end + 3 * THR_CACHE_LINE));
    }
}

void thr_weights_prefetch(char *const *row, size_t n, size_t bytes)
{
    if (bytes <= THR_CACHE_LINE / 2) { /* the most frequent case, decided first */
        bring_lines(row, n, 1, 0);
        return;
    }
    size_t lines = (bytes + THR_CACHE_LINE - 1) / THR_CACHE_LINE;
    /* A row need not begin with a cache line, so its last part may reach into one line more. If
     * that part is at most half a line, this is rare enough to be ignored. */
    bool over = bytes % THR_CACHE_LINE > THR_CACHE_LINE / 2;
    size_t last = over ? bytes - 1 : (lines - 1) * THR_CACHE_LINE;
    switch (lines + over) {
    case 1:
        bring_lines(row, n, 1, 0);
        break;
    case 2:
        bring_lines(row, n, 2, last);
        break;
    case 3:
        bring_lines(row, n, 3, last);
        break;
    case 4:
        bring_lines(row, n, 4, last);
        break;
    case 5:
        bring_lines(row, n, 5, last);
        break;
    default:
        bring_many_lines(row, n, last);
    }
}

/* Addresses in contiguous segments with a stride of 2^bits. Returns the greatest id. The caller
 * checks it: an address beyond the last contiguous segment is computed too, but points
 * nowhere. */
THR_CLONED static uint32_t find_contiguous(char *rows, unsigned bits, const uint32_t *ids, size_t n,
                                           char **row)
{
    uint32_t top = 0;
    for (size_t i = 0; i < n; i++) {
        top = ids[i] > top ? ids[i] : top;
        row[i] = rows + ((size_t)ids[i] << bits);
    }
    return top;
}

static void find_by_segment(const thr_weights *w, size_t stride, const uint32_t *ids, size_t n,
                            char **row)
{
#pragma GCC unroll 4
    for (size_t i = 0; i < n; i++)
        row[i] = thr_segment_at(w, ids[i] >> THR_SEGMENT_BITS)->rows +
                 (ids[i] & (THR_SEGMENT - 1)) * stride;
}

/* Addresses in even tables. Returns the greatest id; the addresses are valid only if that id
 * lies in an existing segment, which the caller checks. */
static uint32_t find_even(const thr_weights *first, const uint32_t *ids, size_t n, char **row)
{
    size_t stride = first->stride;
    uint32_t top;
    if (first->contiguous) {
        top = find_contiguous(thr_segment_at(first, 0)->rows, (unsigned)__builtin_ctzll(stride),
                              ids, n, row);
        if (top >> THR_SEGMENT_BITS < first->contiguous)
            return top;
    } else
        top = thr_weights_top(ids, n);
    if (top >> THR_SEGMENT_BITS < first->segments)
        find_by_segment(first, stride, ids, n, row);
    return top;
}

THR_CLONED uint32_t thr_weights_top(const uint32_t *id, size_t n)
{
    uint32_t top = 0;
    for (size_t i = 0; i < n; i++)
        top = id[i] > top ? id[i] : top;
    return top;
}

bool thr_weights_find_ahead(thr_weights *const *w, size_t n, const uint32_t *id, size_t ids,
                            char **row, thr_listed *how)
{
    const thr_weights *first = first_of_even(w, n);
    uint32_t top = first ? find_even(first, id, ids, row) : thr_weights_top(id, ids);
    *how = (thr_listed){.top = top};
    if (first && top >> THR_SEGMENT_BITS < first->segments) {
        how->beside = first->stride;
        return true;
    }
    for (size_t k = 0; k < n; k++)
        if (!all_fit(w[k]))
            return false;
    for (size_t k = 0; k < n; k++)
        how->unseen |= find_fitting_ahead(w[k], id, ids, row + k * ids);
    return true;
}

size_t thr_weights_unseen(thr_weights *const *w, size_t n, size_t ids, char **row, char *spare)
{
    size_t bytes = 0;
    for (size_t k = 0; k < n; k++) {
        for (size_t i = 0; spare && i < ids; i++)
            if (!row[k * ids + i])
                row[k * ids + i] = spare + bytes;
        if (spare)
            thr_row_start(w[k], spare + bytes, w[k]->width, 0);
        bytes += thr_weights_aligned(w[k]);
    }
    return bytes;
}

/* The segment of a feature's row if that cannot be used where it is. */
static const thr_segment *unfit(const thr_weights *w, uint32_t id)
{
    const thr_segment *s = id == THR_NONE ? NULL : thr_segment_of(w, id);
    return fits(w, s) ? NULL : s;
}

static char *row_in(const thr_segment *s, uint32_t id)
{
    return s->rows + (id & (THR_SEGMENT - 1)) * s->stride;
}

/* The bytes of the rows that are built in `spare`: one of start values, and those of other widths.
 * They begin at a multiple of 8. */
static size_t spare_rows(const thr_weights *w, const thr_example *e)
{
    size_t rows = 1;
    for (size_t i = 0; !all_fit(w) && i < e->n; i++)
        rows += unfit(w, e->id[i]) != NULL;
    return (rows * w->size + 7) & ~(size_t)7;
}

/* The bytes of the lists that are copied there from a file. */
static size_t spare_lists(const thr_weights *w, const thr_example *e)
{
    size_t bytes = 0;
    for (size_t i = 0; w->stored && i < e->n; i++) {
        thr_entries_view v;
        const thr_segment *s = unfit(w, e->id[i]);
        if (s && s->width == THR_STORED_WIDTH && thr_stored_look(w, row_in(s, e->id[i]), &v) && v.n)
            bytes += thr_list_size(w, &v);
    }
    return bytes;
}

size_t thr_weights_spare(thr_weights *const *w, size_t n, const thr_example *e)
{
    size_t bytes = 0;
    for (size_t k = 0; k < n; k++)
        bytes += spare_rows(w[k], e) + spare_lists(w[k], e);
    return bytes;
}

/* The free part of `spare`. It holds the rows of all tables first, and lists behind them. */
typedef struct spare_left {
    char *row, *list, *end;
} spare_left;

/* Makes a row that leads to a list in a file, and the list. There may be too little room if
 * somebody has just written to the file: then the feature has start values, and the file is known
 * to be changed (thr_model_intact). */
static void build_listed(spare_left *r, const thr_weights *w, const char *place)
{
    thr_entries_view v;
    thr_entries *l = NULL;
    if (thr_stored_look(w, place, &v) && v.n)
        l = thr_list_build(w, &v, r->list, (size_t)(r->end - r->list));
    if (l)
        r->list += thr_list_size(w, &v);
    memcpy(r->row, &l, sizeof l);
}

/* The addresses of rows in one table. The row of a feature that has none, or one of another width,
 * is built in `spare`; all features that were never seen share the first row there. */
static void find_one_by_one(const thr_weights *w, const thr_example *e, char **row, spare_left *r)
{
    char *unseen = r->row;
    for (size_t i = 0; i < e->n; i++) {
        const thr_segment *s = e->id[i] == THR_NONE ? NULL : thr_segment_of(w, e->id[i]);
        if (fits(w, s)) {
            row[i] = row_in(s, e->id[i]);
        } else if (s) {
            row[i] = r->row += w->size;
            if (s->width == THR_STORED_WIDTH)
                build_listed(r, w, row_in(s, e->id[i]));
            else
                thr_row_copy(w, row[i], w->width, thr_slot_at(w, s, e->id[i], 0), s->width);
        } else {
            row[i] = unseen;
            thr_row_start(w, row[i], w->width, 0);
        }
    }
}

void thr_weights_find(thr_weights *const *w, size_t n, const thr_example *e, char **row,
                      char *spare, size_t bytes)
{
    thr_listed how;
    if (thr_weights_find_ahead(w, n, e->id, e->n, row, &how)) {
        if (how.unseen)
            thr_weights_unseen(w, n, e->n, row, spare);
        /* Tables side by side: the other tables' rows follow those of the first. */
        for (size_t k = 1, at = 0; how.beside && k < n; k++) {
            at += thr_weights_aligned(w[k - 1]);
            for (size_t i = 0; i < e->n; i++)
                row[k * e->n + i] = row[i] + at;
        }
        return;
    }
    size_t rows = 0;
    for (size_t k = 0; k < n; k++)
        rows += spare_rows(w[k], e);
    spare_left r = {spare, spare ? spare + rows : NULL, spare ? spare + bytes : NULL};
    for (size_t k = 0; k < n; k++) {
        char *next = spare ? r.row + spare_rows(w[k], e) : NULL;
        find_one_by_one(w[k], e, row + k * e->n, &r);
        r.row = next;
    }
}
