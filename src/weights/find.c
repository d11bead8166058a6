/* Finding the rows of an example's features, in one table or in several side by side: ahead, where
 * all of them can be used as they are, while they are brought near; else one by one, and what is
 * missing or too narrow is made in spare memory. */
#include "base/wide.h"
#include "example/batch.h"
#include "weights/rows.h"

#include <stdint.h>
#include <string.h>

static bool fits(const thr_weights *w, const thr_segment *s)
{
    return s && s->width == w->width;
}

/* Whether every row can be used as it is. */
static bool all_fit(const thr_weights *w)
{
    return w->n_slots && !w->misfits && w->rows <= w->segments << THR_SEGMENT_BITS;
}

/* Tables that are even, without a guard, and have rows: the first of these, or NULL. Then its rows
 * are followed by those of the others. */
static const thr_weights *first_of_even(thr_weights *const *w, size_t n)
{
    bool even;
    const thr_weights *first = thr_weights_even(w, n, &even);
    for (size_t k = 0; k < n; k++)
        even &= !w[k]->guard;
    return even ? first : NULL;
}

/* The first so many rows need not be looked at by the guard (any more). Borrowed ones lie in a row.
 */
static size_t good_rows(const thr_weights *w)
{
    if (!w->guard || w->size == 0)
        return w->rows;
    if (!w->segments || thr_segment_at(w, 0)->block)
        return 0;
    return thr_guard_reach(w->guard, thr_segment_at(w, 0)->rows, w->rows * w->size) / w->size;
}

/* The rows of one table whose segments are all as wide as they are to be, such as that of a map;
 * NULL for features never seen. Returns whether there are any. */
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

/* A list for each table, given that of the first, which the others lie beside. */
static void list_each(thr_weights *const *w, size_t n, size_t ids, char **row)
{
    size_t at = 0;
    for (size_t k = 1; k < n; k++) {
        at += thr_weights_aligned(w[k - 1]);
        for (size_t i = 0; i < ids; i++)
            row[k * ids + i] = row[i] + at;
    }
}

/* A function that only prefetches has no effect in the eyes of the compiler, which leaves the call
 * out where it sees both. This it must keep. */
__attribute__((always_inline)) static inline void keep_call(void)
{
    __asm__ volatile("");
}

/* Brings n rows near, `lines` of each: one after another, but the last at a place of its own.
 * Inlined for each number of lines. */
__attribute__((always_inline)) static inline void bring_lines(char *const *row, size_t n,
                                                              size_t lines, size_t last)
{
    keep_call();
#pragma GCC unroll 8
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k + 1 < lines; k++)
            __builtin_prefetch(row[i] + k * THR_CACHE_LINE);
        __builtin_prefetch(row[i] + last);
    }
}

/* The same of more lines, four at a time: the last four are counted from the end, and
 * maybe some of them brought twice. */
__attribute__((always_inline)) static inline void bring_many_lines(char *const *row, size_t n,
                                                                   size_t last)
{
    const size_t step = 4 * THR_CACHE_LINE;
    keep_call();
    for (size_t i = 0; i < n; i++) {
        const char *end = row[i] + last - (step - THR_CACHE_LINE);
        for (const char *at = row[i]; at < end; at += step) {
            __builtin_prefetch(at);
            __builtin_prefetch(at + THR_CACHE_LINE);
            __builtin_prefetch(at + 2 * THR_CACHE_LINE);
            __builtin_prefetch(at + 3 * THR_CACHE_LINE);
        }
        __builtin_prefetch(end);
        __builtin_prefetch(end + THR_CACHE_LINE);
        __builtin_prefetch(end + 2 * THR_CACHE_LINE);
        __builtin_prefetch(end + 3 * THR_CACHE_LINE);
    }
}

void thr_weights_bring(char *const *row, size_t n, size_t bytes)
{
    if (bytes <= THR_CACHE_LINE / 2) { /* as below, sooner */
        bring_lines(row, n, 1, 0);
        return;
    }
    size_t lines = (bytes + THR_CACHE_LINE - 1) / THR_CACHE_LINE;
    bool over = bytes % THR_CACHE_LINE > /* smaller ones rarely reach into one more line */
                THR_CACHE_LINE / 2;
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

/* Segments that fill huge pages have a stride of 2^bits. Returns the greatest id: beyond the last
 * of these segments there is nothing at these places. */
THR_CLONED static uint32_t find_straight(char *rows, unsigned bits, const uint32_t *ids, size_t n,
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

/* Of even tables. Returns the greatest id; it is for the caller to see whether there are as many
 * rows. */
static uint32_t find_even(const thr_weights *first, const uint32_t *ids, size_t n, char **row)
{
    size_t stride = first->stride;
    uint32_t top;
    if (first->straight) {
        top = find_straight(thr_segment_at(first, 0)->rows, (unsigned)__builtin_ctzll(stride), ids,
                            n, row);
        if (top >> THR_SEGMENT_BITS < first->straight)
            return top;
    } else
        top = thr_weights_top(ids, n);
    if (top >> THR_SEGMENT_BITS < first->segments)
        find_by_segment(first, stride, ids, n, row);
    return top;
}

static bool can_look_ahead(thr_weights *const *w, size_t n)
{
    for (size_t k = 0; k < n; k++)
        if (!all_fit(w[k]))
            return false;
    return true;
}

THR_CLONED uint32_t thr_weights_top(const uint32_t *id, size_t n)
{
    uint32_t top = 0;
    for (size_t i = 0; i < n; i++)
        top = id[i] > top ? id[i] : top;
    return top;
}

bool thr_weights_ahead(thr_weights *const *w, size_t n, const uint32_t *id, size_t ids, char **row,
                       thr_listed *how)
{
    const thr_weights *first = first_of_even(w, n);
    uint32_t top = first ? find_even(first, id, ids, row) : thr_weights_top(id, ids);
    *how = (thr_listed){.top = top};
    if (first && top >> THR_SEGMENT_BITS < first->segments) {
        how->beside = first->stride;
        return true;
    }
    if (!can_look_ahead(w, n))
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

static size_t spare_of(const thr_weights *w, const thr_example *e)
{
    size_t rows = 1;
    for (size_t i = 0; !all_fit(w) && i < e->n; i++)
        rows += e->id[i] != THR_NONE && !fits(w, thr_segment_of(w, e->id[i]));
    return rows * w->size + 7; /* rows begin at multiples of 8 */
}

size_t thr_weights_spare(thr_weights *const *w, size_t n, const thr_example *e)
{
    size_t bytes = 0;
    for (size_t k = 0; k < n; k++)
        bytes += spare_of(w[k], e);
    return bytes;
}

/* The row of a feature that has none of its own, or one of another width. The first spare row is
 * that of features never seen. */
static char *made_row(const thr_weights *w, const thr_segment *s, uint32_t id, char *spare,
                      size_t *made)
{
    char *row = s ? spare + ++*made * w->size : spare;
    if (s)
        thr_row_copy(w, row, w->width, thr_slot_at(w, s, id, 0), s->width);
    else
        thr_row_start(w, row, w->width, 0);
    return row;
}

static void find_one(const thr_weights *w, const thr_example *e, char **row, char *spare)
{
    size_t made = 0;
    for (size_t i = 0; i < e->n; i++) {
        const thr_segment *s = e->id[i] == THR_NONE ? NULL : thr_segment_of(w, e->id[i]);
        row[i] = fits(w, s) ? s->rows + (e->id[i] & (THR_SEGMENT - 1)) * s->stride
                            : made_row(w, s, e->id[i], spare, &made);
    }
}

void thr_weights_find(thr_weights *const *w, size_t n, const thr_example *e, char **row,
                      char *spare)
{
    thr_listed how;
    if (thr_weights_ahead(w, n, e->id, e->n, row, &how)) {
        if (how.unseen)
            thr_weights_unseen(w, n, e->n, row, spare);
        if (how.beside)
            list_each(w, n, e->n, row);
        return;
    }
    for (size_t k = 0; k < n; k++) {
        find_one(w[k], e, row + k * e->n, spare);
        spare += spare_of(w[k], e) & ~(size_t)7;
    }
}
