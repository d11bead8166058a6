/* Making, widening, sharing and copying rows; weights.h explains the data structure.
 *
 * Everything that gives a segment new memory goes through segments_make: a table that grows,
 * rows that become wider, tables that come to lie side by side, and the copy of a segment that
 * another table lists too. It makes a whole group of segments, for all tables of a panel, and
 * either succeeds for all or leaves every row as it was. The counters `odd`, `misfits`,
 * `straight` and `foreign` summarise all segments, so that the checks made for every example
 * need not look at them; whatever changes a segment keeps the counters right. */
#include "base/large.h"
#include "example/batch.h"
#include "weights/rows.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define READ_AHEAD 8 /* rows that thr_weights_read prefetches ahead */

void thr_weights_init(thr_weights *w, const thr_slot_spec *slots, unsigned n)
{
    *w = (thr_weights){.n_slots = n};
    for (unsigned i = 0; i < n; i++) {
        w->slot[i] = slots[i];
        w->n_wide += slots[i].wide;
    }
    thr_weights_widen(w, 1);
}

/* ---- row memory --------------------------------------------------------------------------- */

/* The address at which segment i must lie for the table to stay straight. NULL for segment 0,
 * which may lie anywhere. */
static char *place_of(const thr_weights *w, size_t i)
{
    const thr_segment *first = i ? thr_segment_at(w, 0) : NULL;
    return i ? first->rows + i * THR_SEGMENT * first->stride : NULL;
}

/* Memory for `segments` segments from number `first` on: zeroed, unless all of it is about to be
 * `overwritten`. If the segments before are contiguous, the memory is mapped right behind them
 * where these addresses are free. */
static thr_row_memory *row_memory_new(const thr_weights *w, size_t first, size_t stride,
                                      size_t segments, bool overwritten)
{
    thr_row_memory *b = calloc(1, sizeof *b);
    if (!b || __builtin_mul_overflow(stride, segments * THR_SEGMENT, &b->bytes) ||
        !(b->rows = overwritten           ? thr_large_new_unset(b->bytes)
                    : w->straight < first ? thr_large_new(b->bytes)
                                          : thr_large_new_behind(place_of(w, first), b->bytes))) {
        free(b);
        return NULL;
    }
    return b;
}

static void row_memory_free(thr_row_memory *b)
{
    thr_large_free(b->rows, b->bytes);
    free(b);
}

static void segment_release(thr_segment *s)
{
    if (s->block && thr_owners_drop(&s->block->users))
        row_memory_free(s->block);
    *s = (thr_segment){0};
}

/* ---- shelves ------------------------------------------------------------------------------ */

static void shelf_release(thr_shelf *s)
{
    if (!thr_owners_drop(&s->owners))
        return;
    for (size_t i = 0; i < THR_SHELF; i++)
        segment_release(&s->segment[i]);
    free(s);
}

void thr_weights_clear(thr_weights *w)
{
    for (size_t i = 0; i < w->shelves; i++)
        shelf_release(w->shelf[i]);
    free(w->shelf);
    *w = (thr_weights){0};
}

/* Makes shelf i the table's alone, so that its segment headers can be changed. A shared shelf
 * is copied; the copy lists the same rows, so each row memory gets one user more per
 * segment. */
static bool shelf_own(thr_weights *w, size_t i)
{
    thr_shelf *old = w->shelf[i], *fresh;
    if (thr_owners_alone(&old->owners))
        return true;
    if (!(fresh = malloc(sizeof *fresh)))
        return false;
    *fresh = *old;
    fresh->owners = 1;
    for (size_t k = 0; k < THR_SHELF; k++)
        if (fresh->segment[k].block)
            thr_owners_add(&fresh->segment[k].block->users);
    shelf_release(old);
    w->shelf[i] = fresh;
    return true;
}

static bool shelves_reach(thr_weights *w, size_t segments)
{
    size_t need = (segments + THR_SHELF - 1) >> THR_SHELF_BITS;
    if (!thr_grow(&w->shelf, &w->shelf_room, need, sizeof *w->shelf))
        return false;
    for (thr_shelf *fresh; w->shelves < need; w->shelf[w->shelves++] = fresh) {
        if (!(fresh = calloc(1, sizeof *fresh)))
            return false;
        fresh->owners = 1;
    }
    return true;
}

/* Whether another table may list the rows of this segment too. The owners of the shelf cannot
 * tell: a shelf that belongs to this table alone may be a copy that lists rows of a shared
 * one. Segments that had no rows yet when the table was shared are not listed by the other
 * table. */
static bool is_foreign(const thr_weights *w, size_t segment)
{
    return segment < w->shared && thr_segment_at(w, segment)->epoch != w->epoch;
}

/* Rounded up to 8 if there is a wide slot, so that the f64 of the next row are aligned. */
size_t thr_weights_size(const thr_weights *w, uint32_t width)
{
    size_t bytes = thr_weights_offset(w, w->n_slots, width);
    return w->n_wide ? (bytes + 7) & ~(size_t)7 : bytes;
}

/* ---- widths ------------------------------------------------------------------------------- */

/* `functions`, rounded up to one of 1, 2, 3, 4, 6, 8, 12, 16, 20, 24, 28, 32, 40, ... Every
 * width that is passed costs a copy of all rows, so labels that arrive one at a time should
 * pass few; but from 16 on less than a fifth of a row is unused. */
static uint32_t roomy_width(uint32_t functions)
{
    uint32_t width = 1;
    while (width < functions) {
        uint32_t octave = UINT32_C(1) << (31 - __builtin_clz(width));
        width += octave < 4 ? 1 : octave < 16 ? octave / 2 : octave / 4;
    }
    return width;
}

/* How many rows of a segment are below w->rows. */
static size_t rows_in(const thr_weights *w, size_t segment)
{
    size_t first = segment << THR_SEGMENT_BITS;
    size_t n = w->rows > first ? w->rows - first : 0;
    return n < THR_SEGMENT ? n : THR_SEGMENT;
}

/* Whether a segment has rows of the width in use that may be written to where they are. Mapped
 * rows may, since the map is private; but not those of a partly filled segment, which could not
 * grow: other bytes of the file follow it. */
static bool is_usable(const thr_weights *w, size_t segment)
{
    const thr_segment *s = thr_segment_at(w, segment);
    return s->rows && s->width == w->width && (s->block || rows_in(w, segment) == THR_SEGMENT);
}

/* Whether a segment must be remade before it can be learned with beside other tables. */
static bool is_odd(const thr_weights *w, size_t segment)
{
    return w->n_slots &&
           (!is_usable(w, segment) || thr_segment_at(w, segment)->stride != w->stride);
}

/* Whether the rows of a segment cannot be read where they are. */
static bool is_misfit(const thr_weights *w, size_t segment)
{
    const thr_segment *s = thr_segment_at(w, segment);
    return !s->rows || s->width != w->width;
}

/* Sets the stride of new segments, and counts the existing ones that it does not suit. */
static void set_stride(thr_weights *w, size_t stride)
{
    w->stride = stride;
    w->odd = w->misfits = w->straight = 0;
    for (size_t i = 0; i < w->segments; i++) {
        w->odd += is_odd(w, i);
        w->misfits += is_misfit(w, i);
    }
}

static void set_width(thr_weights *w, uint32_t width)
{
    w->width = width;
    w->size = thr_weights_size(w, width);
    for (unsigned s = 0; s < w->n_slots; s++)
        w->offset[s] = thr_weights_offset(w, s, width);
    set_stride(w, w->size);
}

void thr_weights_make_wider(thr_weights *w, uint32_t functions)
{
    set_width(w, roomy_width(functions));
}

void thr_weights_widen(thr_weights *w, uint32_t functions)
{
    w->functions = functions;
    set_width(w, roomy_width(functions));
}

int thr_weights_borrow(thr_weights *w, char *rows, size_t n, thr_error *err)
{
    size_t segments = w->n_slots ? (n + THR_SEGMENT - 1) / THR_SEGMENT : 0;
    if (!shelves_reach(w, segments))
        return thr_fail_memory(err);
    set_width(w, w->functions);
    for (size_t i = 0; i < segments; i++)
        *thr_segment_at(w, i) = (thr_segment){.rows = rows + i * THR_SEGMENT * w->size,
                                              .stride = w->size,
                                              .width = w->width,
                                              .epoch = w->epoch};
    w->segments = segments;
    w->rows = segments ? n : 0;
    set_stride(w, w->size);
    return 0;
}

/* ---- making rows -------------------------------------------------------------------------- */

void thr_row_start(const thr_weights *w, char *row, uint32_t width, uint32_t from)
{
    for (unsigned s = 0; s < w->n_slots; s++) {
        char *at = row + thr_weights_offset(w, s, width);
        size_t size = s < w->n_wide ? sizeof(double) : sizeof(float);
        if (w->slot[s].start == 0) {
            memset(at + from * size, 0, (width - from) * size);
            continue;
        }
        for (uint32_t f = from; f < width; f++)
            if (s < w->n_wide)
                ((double *)(void *)at)[f] = w->slot[s].start;
            else
                ((float *)(void *)at)[f] = (float)w->slot[s].start;
    }
}

void thr_row_copy(const thr_weights *w, char *to, uint32_t width, const char *from,
                  uint32_t old_width)
{
    uint32_t shared = old_width < width ? old_width : width;
    for (unsigned s = 0; s < w->n_slots; s++)
        memcpy(to + thr_weights_offset(w, s, width), from + thr_weights_offset(w, s, old_width),
               (s < w->n_wide ? sizeof(double) : sizeof(float)) * shared);
    thr_row_start(w, to, width, shared);
}

static bool starts_at_zero(const thr_weights *w)
{
    for (unsigned s = 0; s < w->n_slots; s++)
        if (w->slot[s].start != 0)
            return false;
    return true;
}

/* Copies the row `first` to the n rows behind it. Inlined for a size of 8, where memcpy is one
 * instruction, and for any other. */
__attribute__((always_inline)) static inline void repeat_row(char *first, size_t stride,
                                                             size_t size, size_t n)
{
    for (size_t r = 1; r <= n; r++)
        memcpy(first + r * stride, first, size);
}

/* Fills a new segment, whose memory is zero, with the old rows at the new width, and the rest
 * of it with start values. */
static void copy_segment(const thr_weights *w, const thr_segment *old, size_t old_rows,
                         const thr_segment *to)
{
    for (size_t r = 0; r < old_rows; r++)
        thr_row_copy(w, to->rows + r * to->stride, to->width, old->rows + r * old->stride,
                     old->width);
    if (starts_at_zero(w) || old_rows == THR_SEGMENT)
        return;
    char *first = to->rows + old_rows * to->stride;
    size_t size = thr_weights_size(w, to->width), more = THR_SEGMENT - old_rows - 1;
    thr_row_start(w, first, to->width, 0);
    if (size == 8) /* mostly one function with two narrow slots */
        repeat_row(first, to->stride, 8, more);
    else
        repeat_row(first, to->stride, size, more);
}

/* Lists all segments up to this one. The new ones have no rows yet. */
static int segment_grow(thr_weights *w, size_t segment, thr_error *err)
{
    size_t old = w->segments;
    if (segment < old || w->n_slots == 0)
        return 0;
    if (!shelves_reach(w, segment + 1))
        return thr_fail_memory(err);
    for (size_t i = old >> THR_SHELF_BITS; i <= segment >> THR_SHELF_BITS; i++)
        if (!shelf_own(w, i))
            return thr_fail_memory(err);
    for (size_t i = old; i <= segment; i++) {
        segment_release(thr_segment_at(w, i)); /* another table's, left on a shelf it shared */
        thr_segment_at(w, i)->epoch = w->epoch;
    }
    w->segments = segment + 1;
    w->odd += w->segments - old;
    w->misfits += w->segments - old;
    return 0;
}

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

/* Replaces a segment header, and releases the old rows. The rows are copied from the old ones
 * unless `copied` says that they are in place. The shelf is the table's alone. */
static void segment_remake(thr_weights *w, size_t segment, thr_segment fresh, bool copied)
{
    thr_segment *s = thr_segment_at(w, segment);
    bool odd = is_odd(w, segment), misfit = is_misfit(w, segment);
    if (!copied)
        copy_segment(w, s, s->rows ? rows_in(w, segment) : 0, &fresh);
    w->foreign -= is_foreign(w, segment);
    segment_release(s);
    *s = fresh;
    s->epoch = w->epoch;
    thr_owners_add(&fresh.block->users);
    w->odd = w->odd - odd + is_odd(w, segment); /* one table remade alone leaves the others */
    w->misfits -= misfit && !is_misfit(w, segment);
}

/* How many segments to make at a time in a table that has this many: one while the table is
 * below an eighth of a huge page (256 KiB), then the power of two that fills a huge page. The
 * first group begins with segment 0, so the first segments move to the huge page as well; they
 * hold the features met first, which are mostly the most frequent. */
static size_t group_of(size_t stride, size_t segments)
{
    size_t bytes = stride * THR_SEGMENT, group = 1;
    while (bytes && group * bytes < THR_HUGE)
        group *= 2;
    return segments * bytes >= THR_HUGE / 8 ? group : 1;
}

/* Updates `straight` after the segments from .. to - 1 have been remade. Segments can be
 * contiguous only if they fill whole huge pages, which they do only if the stride is a power of
 * two. */
static void straighten(thr_weights *w, size_t from, size_t to)
{
    const thr_segment *s = thr_segment_at(w, from);
    bool even = (s->stride & (s->stride - 1)) == 0;
    bool follows = from == 0 ? even
                             : (w->straight >= from && s->rows == place_of(w, from) &&
                                s->stride == thr_segment_at(w, 0)->stride);
    w->straight = follows ? to : w->straight < from ? w->straight : from;
}

/* Makes the headers of the segments first .. first + group - 1 exist, on shelves that belong to
 * this table alone. A table without slots has none. */
static int segments_listed(thr_weights *w, size_t first, size_t group, thr_error *err)
{
    int code = segment_grow(w, first + group - 1, err);
    size_t end = first + group < w->segments ? first + group : w->segments;
    for (size_t i = first >> THR_SHELF_BITS; first < end && i <= (end - 1) >> THR_SHELF_BITS; i++)
        if (code == 0 && !shelf_own(w, i))
            code = thr_fail_memory(err);
    return code;
}

/* The rows of a segment in n tables side by side, if one memcpy can copy them as they are: they
 * have the layout of the new rows and lie side by side already. This is the usual case of the first
 * write after a snapshot. NULL: they must be copied row by row. */
static const char *rows_as_they_are(thr_weights *const *w, size_t n, size_t segment, size_t stride)
{
    const char *rows = NULL, *next = NULL;
    for (size_t k = 0; k < n; k++) {
        if (w[k]->n_slots == 0)
            continue;
        const thr_segment *s = thr_segment_at(w[k], segment);
        if (!s->rows || !s->block || s->width != w[k]->width || s->stride != stride ||
            (next && s->rows != next))
            return NULL;
        rows = rows ? rows : s->rows;
        next = s->rows + thr_weights_aligned(w[k]);
    }
    return rows;
}

/* Gives new memory to the group of segments that `segment` belongs to, in n tables side by
 * side, and copies what rows they have. All that can fail comes before the first row is
 * touched. */
static int segments_make(thr_weights *const *w, size_t n, size_t segment, size_t group,
                         thr_error *err)
{
    thr_segment fresh = {.stride = thr_weights_stride(w, n)};
    size_t first = segment & ~(group - 1);
    int code = 0;
    for (size_t k = 0; k < n && code == 0; k++)
        code = segments_listed(w[k], first, group, err);
    if (code)
        return code;
    const char *rows = group == 1 ? rows_as_they_are(w, n, first, fresh.stride) : NULL;
    fresh.block = row_memory_new(w[0], first, fresh.stride, group, rows);
    if (!fresh.block)
        return thr_fail_memory(err);
    fresh.block->users = 1; /* ours, until every segment counts for itself */
    if (rows)
        memcpy(fresh.block->rows, rows, fresh.block->bytes);
    for (size_t i = 0; i < group; i++) {
        fresh.rows = fresh.block->rows + i * fresh.stride * THR_SEGMENT;
        for (size_t k = 0; k < n; k++) {
            fresh.width = w[k]->width;
            if (w[k]->n_slots)
                segment_remake(w[k], first + i, fresh, rows);
            fresh.rows += thr_weights_aligned(w[k]);
        }
    }
    if (thr_owners_drop(&fresh.block->users))
        row_memory_free(fresh.block);
    for (size_t k = 0; k < n; k++)
        if (w[k]->n_slots)
            straighten(w[k], first, first + group);
    return 0;
}

static int segment_ready(thr_weights *w, size_t segment, thr_error *err)
{
    if (segment < w->segments && is_usable(w, segment) && !is_foreign(w, segment))
        return 0;
    return segments_make(&w, 1, segment, 1, err);
}

int thr_weights_ready(thr_weights *w, const thr_example *e, thr_error *err)
{
    if (w->n_slots == 0) /* a rule without weights: it keeps examples */
        return 0;
    for (size_t i = 0; i < e->n; i++) {
        int code = segment_ready(w, e->id[i] >> THR_SEGMENT_BITS, err);
        if (code)
            return code;
        if (e->id[i] >= w->rows)
            w->rows = (size_t)e->id[i] + 1;
    }
    return 0;
}

/* ---- side by side ------------------------------------------------------------------------- */

const thr_weights *thr_weights_even(thr_weights *const *w, size_t n, bool *even)
{
    const thr_weights *first = NULL;
    size_t stride = thr_weights_stride(w, n);
    *even = true;
    for (size_t k = 0; k < n && *even; k++) {
        if (w[k]->n_slots == 0)
            continue;
        first = first ? first : w[k];
        *even = w[k]->stride == stride && !w[k]->odd && w[k]->segments == first->segments &&
                w[k]->rows == first->rows;
    }
    return first;
}

/* Whether the tables are even and have memory for rows up to `later`. Segments that another
 * table lists too are a separate matter. */
static bool is_roomy(thr_weights *const *w, size_t n, uint32_t later)
{
    bool even;
    const thr_weights *first = thr_weights_even(w, n, &even);
    return even && (!first || later >> THR_SEGMENT_BITS < first->segments);
}

bool thr_weights_covered(thr_weights *const *w, size_t n, uint32_t top, uint32_t later)
{
    bool even;
    const thr_weights *first = thr_weights_even(w, n, &even);
    return even && !thr_weights_foreign(w, n) &&
           (!first || (top < first->rows && later >> THR_SEGMENT_BITS < first->segments));
}

static bool any_odd(thr_weights *const *w, size_t n, size_t segment)
{
    for (size_t k = 0; k < n; k++)
        if (w[k]->n_slots && (segment >= w[k]->segments || is_odd(w[k], segment)))
            return true;
    return false;
}

/* Remakes a segment, with the group that it belongs to at the present size of the tables. */
static int group_make(thr_weights *const *w, size_t n, size_t segment, thr_error *err)
{
    size_t segments = segment;
    for (size_t k = 0; k < n; k++)
        segments = w[k]->segments > segments ? w[k]->segments : segments;
    return segments_make(w, n, segment, group_of(thr_weights_stride(w, n), segments), err);
}

/* Remakes the segments of e's features that are odd. Others stay as they are until an example
 * needs them, so that a new label does not copy the whole table at once. */
static int make_even(thr_weights *const *w, size_t n, size_t stride, const thr_example *e,
                     thr_error *err)
{
    int code = 0;
    for (size_t k = 0; k < n; k++)
        if (w[k]->stride != stride)
            set_stride(w[k], stride);
    for (size_t i = 0; i < e->n && code == 0; i++)
        if (any_odd(w, n, e->id[i] >> THR_SEGMENT_BITS))
            code = group_make(w, n, e->id[i] >> THR_SEGMENT_BITS, err);
    return code;
}

/* Makes the segments of e's features even, and memory for rows up to `later`. */
static int make_room(thr_weights *const *w, size_t n, const thr_example *e, uint32_t later,
                     bool *moved, thr_error *err)
{
    size_t stride = thr_weights_stride(w, n), segments = SIZE_MAX;
    bool even;
    thr_weights_even(w, n, &even);
    *moved = !even;
    int code = *moved ? make_even(w, n, stride, e, err) : 0;
    for (size_t k = 0; k < n; k++)
        if (w[k]->n_slots && w[k]->segments < segments)
            segments = w[k]->segments;
    for (size_t group; segments <= later >> THR_SEGMENT_BITS && code == 0; segments += group) {
        group = group_of(stride, segments);
        *moved |= segments & (group - 1); /* the group includes segments that exist already */
        segments &= ~(group - 1);
        code = segments_make(w, n, segments, group, err);
    }
    return code;
}

int thr_weights_own(thr_weights *const *w, size_t n, const uint32_t *id, size_t ids, bool *moved,
                    thr_error *err)
{
    int code = 0;
    *moved = false;
    for (size_t i = 0; i < ids && code == 0 && thr_weights_foreign(w, n); i++) {
        size_t segment = id[i] >> THR_SEGMENT_BITS;
        bool foreign = false;
        for (size_t k = 0; k < n; k++)
            foreign |= segment < w[k]->segments && is_foreign(w[k], segment);
        if (!foreign)
            continue;
        *moved = true;
        code = segments_make(w, n, segment, 1, err);
    }
    return code;
}

int thr_weights_cover(thr_weights *const *w, size_t n, const thr_example *e, uint32_t top,
                      uint32_t later, bool *moved, thr_error *err)
{
    size_t rows = (size_t)top + 1;
    *moved = false;
    int code = is_roomy(w, n, later) ? 0 : make_room(w, n, e, later, moved, err);
    bool copied = false;
    if (code == 0 && thr_weights_foreign(w, n))
        code = thr_weights_own(w, n, e->id, e->n, &copied, err);
    *moved |= copied;
    for (size_t k = 0; k < n; k++)
        rows = w[k]->rows > rows ? w[k]->rows : rows;
    for (size_t k = 0; k < n && code == 0; k++)
        w[k]->rows = w[k]->n_slots ? rows : 0;
    return code;
}

int thr_weights_settle(thr_weights *w, size_t n, thr_error *err)
{
    if (w->n_slots == 0)
        return 0;
    for (size_t s = 0; s << THR_SEGMENT_BITS < n; s++) {
        int code = segment_ready(w, s, err);
        if (code)
            return code;
    }
    for (size_t i = 0; i < w->shelves; i++) /* thr_weights_keep may change any segment */
        if (!shelf_own(w, i))
            return thr_fail_memory(err);
    if (n > w->rows)
        w->rows = n;
    return 0;
}

/* ---- sharing ------------------------------------------------------------------------------ */

/* Gives the table a new epoch, so that no segment may be written to before it is copied.
 * Returns the epoch. The table is const to those who share it, and several threads may do so at
 * once, so epoch and `foreign` are changed atomically, as a count of owners is. No thread
 * writes to the table meanwhile, and the order of these changes does not matter: hence
 * relaxed. */
static uint64_t next_epoch(const thr_weights *shared, size_t used)
{
    thr_weights *w = (thr_weights *)(uintptr_t)shared;
    __atomic_store_n(&w->shared, used, __ATOMIC_RELAXED);
    __atomic_store_n(&w->foreign, used, __ATOMIC_RELAXED);
    return __atomic_add_fetch(&w->epoch, 1, __ATOMIC_RELAXED);
}

/* Leaves the table the segments that have rows. Those made ahead, for rows to come, stay with the
 * table it was shared from, which goes on filling them. */
static void list_used(thr_weights *w, size_t used)
{
    size_t straight = w->straight < used ? w->straight : used;
    w->segments = used;
    if (w->odd || w->misfits)
        set_stride(w, w->stride);
    w->straight = straight;
}

int thr_weights_share(const thr_weights *w, thr_weights *out, bool goes_on, thr_error *err)
{
    size_t used = w->n_slots ? (w->rows + THR_SEGMENT - 1) >> THR_SEGMENT_BITS : 0;
    memcpy(out, w, offsetof(thr_weights, epoch)); /* other threads may be changing the rest */
    out->shelf_room = w->shelves;
    out->shelf = malloc((w->shelves ? w->shelves : 1) * sizeof *out->shelf);
    if (!out->shelf) {
        *out = (thr_weights){0};
        return thr_fail_memory(err);
    }
    for (size_t i = 0; i < w->shelves; i++) {
        out->shelf[i] = w->shelf[i];
        thr_owners_add(&w->shelf[i]->owners);
    }
    out->epoch = goes_on ? next_epoch(w, used) : w->epoch + 1;
    out->shared = out->foreign = used;
    list_used(out, used);
    return 0;
}

/* ---- reading rows ------------------------------------------------------------------------- */

const thr_segment *thr_segment_of(const thr_weights *w, uint32_t id)
{
    size_t segment = id >> THR_SEGMENT_BITS;
    if (id >= w->rows || segment >= w->segments)
        return NULL;
    const thr_segment *s = thr_segment_at(w, segment);
    if (!s->rows)
        return NULL;
    if (w->guard && !s->block)
        thr_guard_touch(w->guard, s->rows + (id & (THR_SEGMENT - 1)) * s->stride, s->stride);
    return s;
}

char *thr_slot_at(const thr_weights *w, const thr_segment *s, uint32_t id, unsigned slot)
{
    return s->rows + (id & (THR_SEGMENT - 1)) * s->stride + thr_weights_offset(w, slot, s->width);
}

float *thr_weights_row(const thr_weights *w, uint32_t id, unsigned slot)
{
    return (float *)(void *)thr_slot_at(w, thr_segment_at(w, id >> THR_SEGMENT_BITS), id, slot);
}

double *thr_weights_row_wide(const thr_weights *w, uint32_t id, unsigned slot)
{
    return (double *)(void *)thr_slot_at(w, thr_segment_at(w, id >> THR_SEGMENT_BITS), id, slot);
}

double thr_weights_get(const thr_weights *w, uint32_t id, unsigned slot, uint32_t function)
{
    const thr_segment *s = id == THR_NONE ? NULL : thr_segment_of(w, id);
    if (!s || function >= s->width)
        return w->slot[slot].start;
    const char *at = thr_slot_at(w, s, id, slot);
    return slot < w->n_wide ? ((const double *)(const void *)at)[function]
                            : ((const float *)(const void *)at)[function];
}

void thr_weights_read(const thr_weights *w, uint32_t id, unsigned slot, double *out)
{
    const thr_segment *s = id == THR_NONE ? NULL : thr_segment_of(w, id);
    uint32_t n = !s ? 0 : s->width < w->functions ? s->width : w->functions;
    const char *at = s ? thr_slot_at(w, s, id, slot) : NULL;
    size_t ahead = s ? READ_AHEAD * s->stride : 0; /* callers mostly read all rows in order */
    for (size_t line = 0; line < n * sizeof *out && s; line += THR_CACHE_LINE)
        __builtin_prefetch(at + ahead + line);
    if (slot < w->n_wide)
        for (uint32_t f = 0; f < n; f++)
            out[f] = ((const double *)(const void *)at)[f];
    else
        for (uint32_t f = 0; f < n; f++)
            out[f] = (double)((const float *)(const void *)at)[f];
    for (uint32_t f = n; f < w->functions; f++)
        out[f] = w->slot[slot].start;
}

/* Removes the segments from number `left` on. */
static void drop_segments(thr_weights *w, size_t left)
{
    for (; w->segments > left; w->segments--) {
        w->foreign -= is_foreign(w, w->segments - 1);
        segment_release(thr_segment_at(w, w->segments - 1));
    }
    set_stride(w, w->stride); /* a segment of a map that is no longer full has become odd */
}

void thr_weights_keep(thr_weights *w, const bool *keep, size_t n)
{
    size_t rows = w->rows, kept = 0;
    for (size_t id = 0; id < rows; id++)
        if (id == 0 || id >= n || keep[id]) {
            if (kept < id)
                memcpy(
                    thr_slot_at(w, thr_segment_at(w, kept >> THR_SEGMENT_BITS), (uint32_t)kept, 0),
                    thr_slot_at(w, thr_segment_at(w, id >> THR_SEGMENT_BITS), (uint32_t)id, 0),
                    w->size);
            kept++;
        }
    w->rows = kept;
    drop_segments(w, (kept + THR_SEGMENT - 1) >> THR_SEGMENT_BITS);
    for (size_t id = kept; id < rows && id >> THR_SEGMENT_BITS < w->segments; id++)
        thr_row_start(w, thr_slot_at(w, thr_segment_at(w, id >> THR_SEGMENT_BITS), (uint32_t)id, 0),
                      w->width, 0);
}

void thr_weights_export(const thr_weights *w, uint32_t id, char *to)
{
    const thr_segment *s = thr_segment_of(w, id);
    memset(to, 0, thr_weights_size(w, w->functions));
    if (s)
        thr_row_copy(w, to, w->functions, thr_slot_at(w, s, id, 0), s->width);
    else
        thr_row_start(w, to, w->functions, 0);
}
