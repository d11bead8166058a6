/* Making, widening and copying rows; weights.h explains the data structure, share.c who owns it.
 *
 * Everything that gives a segment new memory goes through thr_segments_make: a table that grows,
 * rows that become wider, tables that come to lie side by side, and the copy of a segment that
 * another table lists too. It makes a whole group of segments, for all tables of a panel, and
 * either succeeds for all or leaves every row as it was. The counters `unready`, `unreadable`,
 * `contiguous` and `foreign` summarise all segments, so that the checks made for every example
 * need not look at them; whatever changes a segment keeps the counters right. */
#include "base/large.h"
#include "example/batch.h"
#include "weights/stored.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

void thr_weights_init(thr_weights *w, const thr_slot_spec *slots, unsigned n)
{
    *w = (thr_weights){.n_slots = n, .plain_most = THR_PLAIN_MOST};
    for (unsigned i = 0; i < n; i++) {
        w->slot[i] = slots[i];
        w->n_wide += slots[i].wide;
    }
    w->entry = thr_weights_size(w, 1);
    thr_row_start(w, w->start, 1, 0);
    thr_weights_widen(w, 1);
}

/* ---- row memory --------------------------------------------------------------------------- */

/* The address at which segment i must lie for the table to stay contiguous. NULL for segment 0,
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
        !(b->rows = overwritten             ? thr_large_new_unset(b->bytes)
                    : w->contiguous < first ? thr_large_new(b->bytes)
                                            : thr_large_new_behind(place_of(w, first), b->bytes))) {
        free(b);
        return NULL;
    }
    return b;
}

/* Rounded up to 8 if there is a wide slot, so that the f64 of the next row are aligned. */
size_t thr_weights_size(const thr_weights *w, uint32_t width)
{
    if (width == THR_LISTED_WIDTH)
        return sizeof(thr_entries *);
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

size_t thr_segment_rows(const thr_weights *w, size_t segment)
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
    return s->rows && s->width == w->width &&
           (s->block || thr_segment_rows(w, segment) == THR_SEGMENT);
}

/* Whether a segment must be remade before it can be learned with beside other tables. */
static bool is_unready(const thr_weights *w, size_t segment)
{
    return w->n_slots &&
           (!is_usable(w, segment) || thr_segment_at(w, segment)->stride != w->stride);
}

/* Whether the rows of a segment cannot be read where they are. */
static bool is_unreadable(const thr_weights *w, size_t segment)
{
    const thr_segment *s = thr_segment_at(w, segment);
    return !s->rows || s->width != w->width;
}

void thr_weights_set_stride(thr_weights *w, size_t stride)
{
    w->stride = stride;
    w->unready = w->unreadable = w->contiguous = 0;
    for (size_t i = 0; i < w->segments; i++) {
        w->unready += is_unready(w, i);
        w->unreadable += is_unreadable(w, i);
    }
}

static void set_width(thr_weights *w, uint32_t width)
{
    w->width = width;
    w->size = thr_weights_size(w, width);
    for (unsigned s = 0; s < w->n_slots; s++)
        w->offset[s] = thr_weights_offset(w, s, width == THR_LISTED_WIDTH ? 1 : width);
    thr_weights_set_stride(w, w->size);
}

/* Segments that were made ahead and have no rows yet are not remade but made anew when they are
 * reached: as long as some segment is unready, none is found the fast way. */
static void drop_empty_segments(thr_weights *w)
{
    size_t used = (w->rows + THR_SEGMENT - 1) >> THR_SEGMENT_BITS;
    while (w->segments > used) {
        w->foreign -= thr_segment_is_foreign(w, --w->segments);
        if (thr_owners_alone(&w->shelf[w->segments >> THR_SHELF_BITS]->owners))
            thr_segment_release(thr_segment_at(w, w->segments));
    }
}

void thr_weights_make_wider(thr_weights *w, uint32_t functions)
{
    uint32_t width = roomy_width(functions);
    if (thr_weights_is_listed(w))
        return;
    if (width != w->width)
        drop_empty_segments(w);
    set_width(w, width);
}

void thr_weights_widen(thr_weights *w, uint32_t functions)
{
    w->functions = functions;
    thr_weights_make_wider(w, functions);
}

void thr_weights_begin_lists(thr_weights *w)
{
    set_width(w, THR_LISTED_WIDTH);
}

/* Uses n rows of a file, which have a width and a stride, as the rows of an empty table. */
static int borrow_rows(thr_weights *w, char *rows, uint32_t width, size_t stride, size_t n,
                       thr_error *err)
{
    size_t segments = w->n_slots ? (n + THR_SEGMENT - 1) / THR_SEGMENT : 0;
    if (!thr_shelves_reach(w, segments))
        return thr_fail_memory(err);
    for (size_t i = 0; i < segments; i++)
        *thr_segment_at(w, i) = (thr_segment){.rows = rows + i * THR_SEGMENT * stride,
                                              .stride = stride,
                                              .width = width,
                                              .epoch = w->epoch};
    w->segments = segments;
    w->rows = segments ? n : 0;
    thr_weights_set_stride(w, w->size);
    return 0;
}

int thr_weights_borrow(thr_weights *w, char *rows, size_t n, thr_error *err)
{
    set_width(w, w->functions);
    return borrow_rows(w, rows, w->width, w->size, n, err);
}

int thr_weights_borrow_lists(thr_weights *w, const char *section, size_t bytes, size_t n,
                             thr_error *err)
{
    set_width(w, THR_LISTED_WIDTH);
    w->stored = section;
    w->stored_bytes = bytes;
    w->stored_functions = w->functions;
    return borrow_rows(w, (char *)(uintptr_t)section, THR_STORED_WIDTH, THR_STORED_UNIT, n, err);
}

/* ---- making rows -------------------------------------------------------------------------- */

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
static void copy_segment(thr_weights *w, const thr_segment *old, size_t old_rows,
                         const thr_segment *to)
{
    bool start_is_zero = true;
    if (old->width == THR_STORED_WIDTH) {
        w->entries += thr_stored_copy(w, old, old_rows, to->rows, to->stride, to->pool);
        return;
    }
    if (to->width == THR_LISTED_WIDTH) {
        if (to->pool != old->pool)
            thr_lists_copy(w, old->rows, old->stride, to->rows, to->stride, old_rows, to->pool);
        for (size_t r = 0; to->pool == old->pool && r < old_rows; r++)
            memcpy(to->rows + r * to->stride, old->rows + r * old->stride, sizeof(thr_entries *));
        return;
    }
    for (size_t r = 0; r < old_rows; r++)
        thr_row_copy(w, to->rows + r * to->stride, to->width, old->rows + r * old->stride,
                     old->width);
    for (unsigned s = 0; s < w->n_slots; s++)
        start_is_zero &= w->slot[s].start == 0;
    if (start_is_zero || old_rows == THR_SEGMENT)
        return;
    char *first = to->rows + old_rows * to->stride;
    size_t size = thr_weights_size(w, to->width), more = THR_SEGMENT - old_rows - 1;
    thr_row_start(w, first, to->width, 0);
    if (size == 8) /* mostly one function with two narrow slots */
        repeat_row(first, to->stride, 8, more);
    else
        repeat_row(first, to->stride, size, more);
}

/* Replaces a segment header, and releases the old rows. The rows are copied from the old ones
 * unless `copied` says that they are in place. The shelf is the table's alone. */
static void segment_remake(thr_weights *w, size_t segment, thr_segment fresh, bool copied)
{
    thr_segment *s = thr_segment_at(w, segment);
    bool unready = is_unready(w, segment), unreadable = is_unreadable(w, segment);
    fresh.pool = s->fresh;
    s->fresh = NULL;
    if (!copied)
        copy_segment(w, s, s->rows ? thr_segment_rows(w, segment) : 0, &fresh);
    w->foreign -= thr_segment_is_foreign(w, segment);
    thr_segment_release(s);
    *s = fresh;
    s->epoch = w->epoch;
    thr_owners_add(&fresh.block->users);
    w->unready = w->unready - unready +
                 is_unready(w, segment); /* one table remade alone leaves the others */
    w->unreadable -= unreadable && !is_unreadable(w, segment);
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

/* Updates `contiguous` after the segments from .. to - 1 have been remade. Segments can be
 * contiguous only if they fill whole huge pages, which they do only if the stride is a power of
 * two. */
static void update_contiguous(thr_weights *w, size_t from, size_t to)
{
    const thr_segment *s = thr_segment_at(w, from);
    bool even = (s->stride & (s->stride - 1)) == 0;
    bool follows = from == 0 ? even
                             : (w->contiguous >= from && s->rows == place_of(w, from) &&
                                s->stride == thr_segment_at(w, 0)->stride);
    w->contiguous = follows ? to : w->contiguous < from ? w->contiguous : from;
}

/* Makes the headers of the segments first .. first + group - 1 exist, on shelves that belong to
 * this table alone. New segments have no rows yet. A table without slots has no segments. */
static int segments_listed(thr_weights *w, size_t first, size_t group, thr_error *err)
{
    size_t old = w->segments, end = first + group;
    if (end > old && w->n_slots) {
        if (!thr_shelves_reach(w, end))
            return thr_fail_memory(err);
        for (size_t i = old >> THR_SHELF_BITS; i <= (end - 1) >> THR_SHELF_BITS; i++)
            if (!thr_shelf_own(w, i))
                return thr_fail_memory(err);
        for (size_t i = old; i < end; i++) {
            thr_segment_release(thr_segment_at(w, i)); /* another table's, left on a shared shelf */
            thr_segment_at(w, i)->epoch = w->epoch;
        }
        w->segments = end;
        w->unready += end - old;
        w->unreadable += end - old;
    }
    end = end < w->segments ? end : w->segments;
    for (size_t i = first >> THR_SHELF_BITS; first < end && i <= (end - 1) >> THR_SHELF_BITS; i++)
        if (!thr_shelf_own(w, i))
            return thr_fail_memory(err);
    return 0;
}

/* The rows of a segment in n tables side by side, if one memcpy can copy them as they are: they
 * have the layout of the new rows and lie side by side already. This is the usual case of the first
 * write after a snapshot. NULL: they must be copied row by row. */
static const char *rows_to_memcpy(thr_weights *const *w, size_t n, size_t segment, size_t stride)
{
    const char *rows = NULL, *next = NULL;
    for (size_t k = 0; k < n; k++) {
        if (w[k]->n_slots == 0)
            continue;
        const thr_segment *s = thr_segment_at(w[k], segment);
        if (s->pool || !s->rows || !s->block || s->width != w[k]->width || s->stride != stride ||
            (next && s->rows != next))
            return NULL;
        rows = rows ? rows : s->rows;
        next = s->rows + thr_weights_aligned(w[k]);
    }
    return rows;
}

/* Makes the pool that a segment of a listed table has when it is remade. The lists of a segment
 * that no other table lists stay where they are; others are copied. */
static bool pool_ready(thr_weights *w, size_t segment)
{
    thr_segment *s = thr_segment_at(w, segment);
    size_t rows = thr_segment_rows(w, segment);
    if (s->pool && thr_pool_alone(s->pool)) {
        thr_pool_share(s->pool);
        s->fresh = s->pool;
        return true;
    }
    size_t bytes = s->pool                        ? thr_lists_bytes(w, s->rows, s->stride, rows)
                   : s->width == THR_STORED_WIDTH ? thr_stored_bytes(w, s, rows)
                                                  : 0;
    s->fresh = thr_pool_new(w);
    return s->fresh && (bytes == 0 || thr_pool_reserve(w, s->fresh, bytes));
}

static void pools_forget(thr_weights *const *w, size_t n, size_t first, size_t group)
{
    for (size_t k = 0; k < n; k++)
        for (size_t i = 0; thr_weights_is_listed(w[k]) && i < group; i++) {
            thr_pool_release(thr_segment_at(w[k], first + i)->fresh);
            thr_segment_at(w[k], first + i)->fresh = NULL;
        }
}

/* The same for a group of segments in n tables. False: out of memory, and nothing was made. */
static bool pools_ready(thr_weights *const *w, size_t n, size_t first, size_t group)
{
    bool ok = true;
    for (size_t k = 0; k < n; k++)
        for (size_t i = 0; thr_weights_is_listed(w[k]) && i < group && ok; i++)
            ok = pool_ready(w[k], first + i);
    if (!ok)
        pools_forget(w, n, first, group);
    return ok;
}

int thr_segments_make(thr_weights *const *w, size_t n, size_t segment, size_t group, thr_error *err)
{
    thr_segment fresh = {.stride = thr_weights_stride(w, n)};
    size_t first = segment & ~(group - 1);
    int code = 0;
    for (size_t k = 0; k < n && code == 0; k++)
        code = segments_listed(w[k], first, group, err);
    if (code)
        return code;
    const char *rows = group == 1 ? rows_to_memcpy(w, n, first, fresh.stride) : NULL;
    if (!pools_ready(w, n, first, group))
        return thr_fail_memory(err);
    fresh.block = row_memory_new(w[0], first, fresh.stride, group, rows);
    if (!fresh.block) {
        pools_forget(w, n, first, group);
        return thr_fail_memory(err);
    }
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
    thr_row_memory_release(fresh.block);
    for (size_t k = 0; k < n; k++)
        if (w[k]->n_slots)
            update_contiguous(w[k], first, first + group);
    return 0;
}

static int segment_ready(thr_weights *w, size_t segment, thr_error *err)
{
    if (segment < w->segments && is_usable(w, segment) && !thr_segment_is_foreign(w, segment))
        return 0;
    return thr_segments_make(&w, 1, segment, 1, err);
}

int thr_weights_ready(thr_weights *w, const thr_example *e, thr_error *err)
{
    if (w->n_slots == 0) /* a rule without weights: it keeps examples */
        return 0;
    bool converted;
    if (thr_weights_choose_form(w, &converted, err))
        return THR_EMEM;
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

/* Remakes the segments of e's features that are not ready, each with the group that it belongs to
 * at the present size of the tables. Others stay as they are until an example needs them, so that a
 * new label does not copy the whole table at once. */
static int make_even(thr_weights *const *w, size_t n, size_t stride, const thr_example *e,
                     thr_error *err)
{
    int code = 0;
    for (size_t k = 0; k < n; k++)
        if (w[k]->stride != stride)
            thr_weights_set_stride(w[k], stride);
    for (size_t i = 0; i < e->n && code == 0; i++) {
        size_t segment = e->id[i] >> THR_SEGMENT_BITS, segments = segment;
        bool ready = true;
        for (size_t k = 0; k < n && ready; k++)
            ready = !w[k]->n_slots || (segment < w[k]->segments && !is_unready(w[k], segment));
        if (ready)
            continue;
        for (size_t k = 0; k < n; k++)
            segments = w[k]->segments > segments ? w[k]->segments : segments;
        code = thr_segments_make(w, n, segment, group_of(stride, segments), err);
    }
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
        code = thr_segments_make(w, n, segments, group, err);
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
            foreign |= segment < w[k]->segments && thr_segment_is_foreign(w[k], segment);
        if (!foreign)
            continue;
        *moved = true;
        code = thr_segments_make(w, n, segment, 1, err);
    }
    return code;
}

int thr_weights_cover(thr_weights *const *w, size_t n, const thr_example *e, uint32_t top,
                      uint32_t later, bool *moved, thr_error *err)
{
    size_t rows = (size_t)top + 1;
    bool even, copied = false, converted = false;
    for (size_t k = 0; k < n; k++) {
        bool now;
        if (thr_weights_choose_form(w[k], &now, err))
            return THR_EMEM;
        converted |= now;
    }
    const thr_weights *first = thr_weights_even(w, n, &even);
    bool has_room = !first || later >> THR_SEGMENT_BITS < first->segments;
    *moved = false;
    int code = even && has_room ? 0 : make_room(w, n, e, later, moved, err);
    if (code == 0 && thr_weights_foreign(w, n))
        code = thr_weights_own(w, n, e->id, e->n, &copied, err);
    *moved |= copied | converted;
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
    if (thr_weights_is_listed(w) && thr_weights_convert(w, false, err))
        return THR_EMEM;
    for (size_t s = 0; s << THR_SEGMENT_BITS < n; s++) {
        int code = segment_ready(w, s, err);
        if (code)
            return code;
    }
    for (size_t i = 0; i < w->shelves; i++) /* thr_weights_keep may change any segment */
        if (!thr_shelf_own(w, i))
            return thr_fail_memory(err);
    if (n > w->rows)
        w->rows = n;
    return 0;
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
    for (size_t left = (kept + THR_SEGMENT - 1) >> THR_SEGMENT_BITS; w->segments > left;) {
        w->foreign -= thr_segment_is_foreign(w, w->segments - 1);
        thr_segment_release(thr_segment_at(w, --w->segments));
    }
    /* A segment of a map that is no longer full is not ready. */
    thr_weights_set_stride(w, w->stride);
    for (size_t id = kept; id < rows && id >> THR_SEGMENT_BITS < w->segments; id++)
        thr_row_start(w, thr_slot_at(w, thr_segment_at(w, id >> THR_SEGMENT_BITS), (uint32_t)id, 0),
                      w->width, 0);
}
