/* Lists in a model file: read, and laid out to be written (stored.h). */
#include "weights/stored.h"

#include <stdlib.h>
#include <string.h>

#define LISTS_AHEAD 8 /* features whose lists are prefetched while one is packed */

/* Of a row of one function, without padding. */
static size_t packed_entry(const thr_weights *w)
{
    return thr_weights_offset(w, w->n_slots, 1);
}

/* Of a list in the file. One of all functions does not name them. */
static uint64_t stored_bytes(const thr_weights *w, uint32_t n, uint32_t functions)
{
    size_t named = n == functions ? 0 : sizeof(uint32_t);
    return sizeof(uint32_t) + (uint64_t)n * (named + packed_entry(w));
}

/* ---- reading ------------------------------------------------------------------------------ */

/* Checks chunks of a map, and says so if they are as they should be. */
static bool is_good(const thr_weights *w, const char *p, size_t n)
{
    return !w->guard || thr_guard_touch(w->guard, p, n);
}

static uint32_t u32_at(const char *p)
{
    uint32_t v;
    memcpy(&v, p, sizeof v);
    return v;
}

static bool ascends(const uint32_t *function, uint32_t n, uint32_t functions)
{
    for (uint32_t k = 1; k < n; k++)
        if (function[k - 1] >= function[k])
            return false;
    return function[n - 1] < functions;
}

/* The list `at` bytes behind the beginning of the section. */
static bool look_at(const thr_weights *w, uint64_t at, thr_entries_view *out)
{
    if (at > w->stored_bytes - sizeof(uint32_t) || !is_good(w, w->stored + at, sizeof(uint32_t)))
        return false;
    const char *list = w->stored + at;
    uint32_t n = u32_at(list), functions = w->stored_functions;
    if (n == 0 || n > functions)
        return false;
    uint64_t bytes = stored_bytes(w, n, functions);
    if (bytes > w->stored_bytes - at || !is_good(w, list, bytes))
        return false;
    *out = (thr_entries_view){.n = n, .entry = list + sizeof n, .stride = packed_entry(w)};
    if (n == functions)
        return true;
    out->function = (const uint32_t *)(const void *)(list + sizeof n);
    out->entry += n * sizeof *out->function;
    return ascends(out->function, n, functions);
}

bool thr_stored_look(const thr_weights *w, const char *place, thr_entries_view *out)
{
    uint32_t at = u32_at(place);
    *out = (thr_entries_view){0};
    if (at == 0 || look_at(w, (uint64_t)at * THR_STORED_UNIT, out))
        return true;
    *out = (thr_entries_view){0};
    if (w->guard)
        __atomic_store_n(&w->guard->failed, true, __ATOMIC_RELAXED);
    return false;
}

bool thr_stored_fits(const thr_weights *w, size_t bytes, size_t n)
{
    return w->may_list && w->functions >= THR_STORED_FROM && bytes % THR_STORED_UNIT == 0 &&
           bytes / THR_STORED_UNIT >= n && bytes / THR_STORED_UNIT <= UINT32_MAX;
}

static const char *row_of(const thr_weights *w, size_t id)
{
    const thr_segment *s = thr_segment_at(w, id >> THR_SEGMENT_BITS);
    return s->rows + (id & (THR_SEGMENT - 1)) * s->stride;
}

/* Lists follow one another, in the order of their features and without a gap, and only features of
 * one segment share any, as in memory. So what they take there is bounded by what they take in the
 * file, however many features there are. */
bool thr_weights_stored_sound(const thr_weights *w)
{
    uint64_t last = 0, next = w->rows * THR_STORED_UNIT;
    for (size_t id = 0; w->stored && id < w->rows; id++) {
        if (thr_segment_at(w, id >> THR_SEGMENT_BITS)->width != THR_STORED_WIDTH)
            continue; /* a clone has made it its own */
        thr_entries_view v;
        uint64_t at = (uint64_t)u32_at(row_of(w, id)) * THR_STORED_UNIT;
        last = id % THR_SEGMENT ? last : 0;
        if (at == 0 || at == last)
            continue;
        if (at != next || !thr_stored_look(w, row_of(w, id), &v))
            return false;
        last = at;
        next = at + stored_bytes(w, v.n, w->stored_functions);
    }
    return !w->stored || next == w->stored_bytes;
}

thr_entries_view thr_weights_entries(const thr_weights *w, uint32_t id)
{
    const thr_segment *s = thr_segment_of(w, id);
    thr_entries_view v = {0};
    if (s && s->width == THR_LISTED_WIDTH)
        return thr_list_look(w, thr_row_entries(row_of(w, id)));
    if (s)
        thr_stored_look(w, row_of(w, id), &v);
    return v;
}

static double number_of(const thr_weights *w, const char *entry, unsigned slot)
{
    double wide;
    float narrow;
    memcpy(&wide, entry + thr_weights_offset(w, slot, 1), slot < w->n_wide ? sizeof wide : 0);
    if (slot < w->n_wide)
        return wide;
    memcpy(&narrow, entry + thr_weights_offset(w, slot, 1), sizeof narrow);
    return (double)narrow;
}

double thr_stored_get(const thr_weights *w, const char *place, unsigned slot, uint32_t function)
{
    thr_entries_view v;
    thr_stored_look(w, place, &v);
    for (uint32_t k = 0; k < v.n; k++)
        if ((v.function ? v.function[k] : k) == function)
            return number_of(w, v.entry + k * v.stride, slot);
    return w->slot[slot].start;
}

void thr_stored_read(const thr_weights *w, const char *place, unsigned slot, double *out)
{
    thr_entries_view v;
    thr_stored_look(w, place, &v);
    for (uint32_t f = 0; f < w->functions; f++)
        out[f] = w->slot[slot].start;
    for (uint32_t k = 0; k < v.n; k++) {
        uint32_t f = v.function ? v.function[k] : k;
        if (f < w->functions)
            out[f] = number_of(w, v.entry + k * v.stride, slot);
    }
}

void thr_stored_expand(const thr_weights *w, const char *place, char *row, uint32_t functions)
{
    thr_entries_view v;
    thr_stored_look(w, place, &v);
    for (uint32_t k = 0; k < v.n; k++) {
        uint32_t f = v.function ? v.function[k] : k;
        for (unsigned s = 0; s < w->n_slots && f < functions; s++) {
            size_t size = s < w->n_wide ? sizeof(double) : sizeof(float);
            memcpy(row + thr_weights_offset(w, s, functions) + f * size,
                   v.entry + k * v.stride + thr_weights_offset(w, s, 1), size);
        }
    }
}

size_t thr_stored_bytes(const thr_weights *w, const thr_segment *s, size_t rows)
{
    size_t bytes = 0;
    uint32_t before = 0;
    for (size_t r = 0; r < rows; r++) {
        thr_entries_view v;
        const char *place = s->rows + r * s->stride;
        if (u32_at(place) != before && thr_stored_look(w, place, &v) && v.n) {
            bytes += thr_list_size(w, &v);
            before = u32_at(place);
        }
    }
    return bytes;
}

uint64_t thr_stored_copy(const thr_weights *w, const thr_segment *s, size_t rows, char *to,
                         size_t to_stride, thr_pool *pool)
{
    thr_entries *l = NULL;
    uint32_t before = 0;
    uint64_t entries = 0;
    for (size_t r = 0; r < rows; r++, to += to_stride) {
        thr_entries_view v;
        const char *place = s->rows + r * s->stride;
        uint32_t at = u32_at(place);
        if (at == 0)
            continue;
        if (l && at == before)
            l->rows++;
        else if (thr_stored_look(w, place, &v) && v.n && (l = thr_list_add(w, &v, pool)))
            entries += l->n;
        else
            continue;
        before = at;
        memcpy(to, &l, sizeof l);
    }
    return entries;
}

/* ---- writing ------------------------------------------------------------------------------ */

static bool begin_list(thr_packing *p, uint32_t n, bool all)
{
    p->now.n = 0;
    size_t most = (size_t)stored_bytes(p->w, n, all ? n : UINT32_MAX);
    return thr_grow(&p->now.p, &p->now.room, most, 1) && thr_bytes_add(&p->now, &n, sizeof n);
}

/* Whether it takes no more bytes to write numbers for all functions and not to name them. */
static bool packs_all(const thr_weights *w, uint32_t moved)
{
    return stored_bytes(w, w->functions, w->functions) <= stored_bytes(w, moved, UINT32_MAX);
}

/* Of a list in which so many entries have moved, as it is packed. */
static size_t packed_bytes(const thr_weights *w, uint32_t moved)
{
    return (size_t)(packs_all(w, moved) ? stored_bytes(w, w->functions, w->functions)
                                        : stored_bytes(w, moved, UINT32_MAX));
}

/* Sets p->order to the entries in the order of their functions. A few are sorted by insertion; for
 * many, each is noted under its function, and marks are read in turn. */
static bool pack_order(thr_packing *p, const thr_entries_view *v)
{
    enum { FEW = 12 };
    size_t words = p->w->functions / 64 + 1;
    bool few = v->n <= FEW;
    if (!thr_grow(&p->order, &p->order_room, few ? FEW : v->n + (size_t)p->w->functions,
                  sizeof *p->order))
        return false;
    for (uint32_t k = 0; few && k < v->n; k++) {
        uint32_t at = k;
        for (; at > 0 && v->function[p->order[at - 1]] > v->function[k]; at--)
            p->order[at] = p->order[at - 1];
        p->order[at] = k;
    }
    if (few)
        return true;
    if (p->marks < words) {
        free(p->mark);
        p->mark = calloc(words, sizeof *p->mark);
        p->marks = p->mark ? words : 0;
        if (!p->mark)
            return false;
    }
    uint32_t *under = p->order + v->n, n = 0;
    for (uint32_t k = 0; k < v->n; k++) {
        under[v->function[k]] = k;
        p->mark[v->function[k] / 64] |= UINT64_C(1) << v->function[k] % 64;
    }
    for (size_t i = 0; i < words; i++)
        for (; p->mark[i]; p->mark[i] &= p->mark[i] - 1)
            p->order[n++] = under[i * 64 + (size_t)__builtin_ctzll(p->mark[i])];
    return true;
}

static const char *entry_of(const thr_entries_view *v, uint32_t k)
{
    return v->entry + k * v->stride;
}

/* Whether an entry has a number that is not the start value. Inlined for two narrow slots and for
 * two wide ones, which most rules have. */
static inline bool has_moved(const thr_weights *w, const char *entry, size_t bytes)
{
    if (bytes == 8)
        return memcmp(entry, w->start, 8) != 0;
    if (bytes == 16)
        return memcmp(entry, w->start, 16) != 0;
    return memcmp(entry, w->start, bytes) != 0;
}

/* Packs all functions: start values, and what the list has in their places. */
static bool pack_all(thr_packing *p, const thr_entries_view *v)
{
    const thr_weights *w = p->w;
    size_t entry = packed_entry(w);
    if (!begin_list(p, w->functions, true))
        return false;
    char *to = p->now.p + sizeof(uint32_t);
    for (uint32_t f = 0; f < w->functions; f++)
        memcpy(to + f * entry, w->start, entry);
    for (uint32_t k = 0; k < v->n; k++)
        memcpy(to + (v->function ? v->function[k] : k) * entry, entry_of(v, k), entry);
    p->now.n += w->functions * entry;
    return true;
}

static uint32_t count_moved(const thr_packing *p, const thr_entries_view *v)
{
    size_t entry = packed_entry(p->w);
    uint32_t moved = 0;
    for (uint32_t k = 0; k < v->n; k++)
        moved += has_moved(p->w, entry_of(v, k), entry);
    return moved;
}

/* Packs the entries that have moved, so many of them. */
static bool pack_view(thr_packing *p, const thr_entries_view *v, uint32_t moved)
{
    size_t entry = packed_entry(p->w);
    uint32_t n = 0;
    p->now.n = 0;
    if (moved == 0)
        return true;
    if (packs_all(p->w, moved))
        return pack_all(p, v);
    if ((v->function && !pack_order(p, v)) || !begin_list(p, moved, false))
        return false;
    char *name = p->now.p + sizeof moved, *to = name + moved * sizeof(uint32_t);
    for (uint32_t i = 0; i < v->n; i++) {
        uint32_t k = v->function ? p->order[i] : i, f = v->function ? v->function[k] : k;
        if (!has_moved(p->w, entry_of(v, k), entry))
            continue;
        memcpy(name + n * sizeof f, &f, sizeof f);
        memcpy(to + n++ * entry, entry_of(v, k), entry);
    }
    p->now.n = sizeof moved + moved * (sizeof(uint32_t) + entry);
    return true;
}

/* The numbers of function f in a plain row as a packed entry. */
static void take_plain(const thr_weights *w, const char *row, uint32_t width, uint32_t f, char *to)
{
    for (unsigned s = 0; s < w->n_slots; s++) {
        size_t size = s < w->n_wide ? sizeof(double) : sizeof(float);
        memcpy(to, row + thr_weights_offset(w, s, width) + f * size, size);
        to += size;
    }
}

/* Packs a plain row by way of p->row, where its functions are entries. */
static bool pack_plain(thr_packing *p, const char *row, uint32_t width)
{
    const thr_weights *w = p->w;
    size_t entry = packed_entry(w);
    uint32_t functions = width < w->functions ? width : w->functions;
    if (!thr_grow(&p->row, &p->row_room, functions * entry, 1))
        return false;
    for (uint32_t f = 0; f < functions; f++)
        take_plain(w, row, width, f, p->row + f * entry);
    const thr_entries_view v = {.n = functions, .entry = p->row, .stride = entry};
    return pack_view(p, &v, count_moved(p, &v));
}

static bool pack_row(thr_packing *p, uint32_t id)
{
    const thr_segment *s = thr_segment_of(p->w, id);
    p->now.n = 0;
    return !s || pack_plain(p, row_of(p->w, id), s->width);
}

/* Lists are scattered in memory. */
static void prefetch_list(const thr_weights *w, uint32_t id)
{
    const thr_segment *s = id < w->rows ? thr_segment_at(w, id >> THR_SEGMENT_BITS) : NULL;
    if (s && s->rows && s->width == THR_LISTED_WIDTH)
        __builtin_prefetch(thr_row_entries(row_of(w, id)));
}

/* Places a list of so many bytes behind the others. */
static uint32_t place_list(thr_packing *p, size_t bytes)
{
    p->last = (uint32_t)(p->bytes / THR_STORED_UNIT);
    p->bytes += bytes;
    p->last_bytes = bytes;
    return p->last;
}

/* The list that was packed becomes the one before the next. */
static void keep_packed(thr_packing *p)
{
    thr_bytes now = p->now;
    p->now = p->before;
    p->before = now;
}

/* Lays out the row of a feature, which is packed, unless it equals the one before. */
static uint32_t lay_out_packed(thr_packing *p)
{
    size_t bytes = p->now.n;
    if (bytes == 0)
        return 0;
    if (bytes == p->before.n && memcmp(p->now.p, p->before.p, bytes) == 0)
        return p->last;
    keep_packed(p);
    return place_list(p, bytes);
}

/* Lays out a list. Most have another length than the one before: then they are not packed until
 * they are written. */
static bool lay_out_list(thr_packing *p, const thr_entries_view *v, uint32_t *place)
{
    uint32_t moved = count_moved(p, v);
    size_t bytes = packed_bytes(p->w, moved);
    bool begins = true;
    *place = 0;
    if (moved == 0)
        return true;
    if (bytes == p->last_bytes) {
        if (p->before.n == 0 && !pack_view(p, &p->last_view, count_moved(p, &p->last_view)))
            return false;
        if (p->before.n == 0)
            keep_packed(p);
        if (!pack_view(p, v, moved))
            return false;
        begins = memcmp(p->now.p, p->before.p, bytes) != 0;
        keep_packed(p);
    } else
        p->before.n = 0;
    p->last_view = *v;
    *place = begins ? place_list(p, bytes) : p->last;
    return true;
}

/* Lays out what a feature has. A list that is where that of a feature before is, in memory, has the
 * same place. */
static bool lay_out(thr_packing *p, uint32_t id, uint32_t *place)
{
    const thr_weights *w = p->w;
    if (!thr_weights_is_listed(w)) {
        bool packed = pack_row(p, id);
        *place = packed ? lay_out_packed(p) : 0;
        return packed;
    }
    prefetch_list(w, id + LISTS_AHEAD);
    thr_entries_view v = thr_weights_entries(w, id);
    *place = v.n ? p->from_place : 0;
    if (v.n == 0 || v.entry == p->from)
        return true;
    p->from = v.entry;
    bool laid = lay_out_list(p, &v, place);
    p->from_place = *place;
    return laid;
}

bool thr_packing_init(thr_packing *p, const thr_weights *w, size_t n, bool *listed)
{
    *p = (thr_packing){.w = w, .rows = n, .bytes = n * THR_STORED_UNIT};
    *listed = false;
    if (!w->may_list || w->functions < THR_STORED_FROM)
        return true;
    uint64_t plain = (uint64_t)thr_weights_size(w, w->functions) * n;
    if (!(p->place = malloc((n ? n : 1) * sizeof *p->place)))
        return false;
    for (size_t id = 0; id < n; id++) {
        if (id % THR_SEGMENT == 0) { /* no list of the segment before is shared */
            p->before.n = p->last_bytes = 0;
            p->from = NULL;
        }
        if (p->bytes >= plain / 2 || p->bytes / THR_STORED_UNIT > UINT32_MAX)
            return true;
        if (!lay_out(p, (uint32_t)id, &p->place[id]))
            return false;
    }
    *listed = p->bytes < plain / 2;
    return true;
}

void thr_packing_clear(thr_packing *p)
{
    free(p->place);
    thr_bytes_clear(&p->now);
    thr_bytes_clear(&p->before);
    free(p->row);
    free(p->order);
    free(p->mark);
    *p = (thr_packing){0};
}

static bool pack_feature(thr_packing *p, uint32_t id)
{
    if (!thr_weights_is_listed(p->w))
        return pack_row(p, id);
    prefetch_list(p->w, id + LISTS_AHEAD);
    thr_entries_view v = thr_weights_entries(p->w, id);
    return pack_view(p, &v, count_moved(p, &v));
}

bool thr_packing_next(thr_packing *p, uint32_t id, uint64_t *at)
{
    p->now.n = 0;
    if (p->place[id] && p->place[id] == *at && !pack_feature(p, id))
        return false;
    *at += p->now.n / THR_STORED_UNIT;
    return true;
}
