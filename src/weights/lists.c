/* Lists (lists.h): made, widened, looked up and dropped. pool.c has their memory, and lists_dot.c
 * reads them. */
#include "weights/pool.h"

#include "base/wide.h"

#include <string.h>

#define EIGHT   8          /* functions that are compared at once */
#define SAMPLE  8          /* large tables: one segment of so many is looked at */
#define SAMPLED (64 << 10) /* rows of a large table */

/* ---- entries ------------------------------------------------------------------------------ */

/* Which entry function f has; l->n or more: none. */
static uint32_t entry_of(const thr_weights *w, const thr_entries *l, uint32_t f)
{
    if (l->dense)
        return f;
    const uint32_t *function = thr_list_functions(w, l);
    uint32_t k = 0;
    while (k < l->n && function[k] != f)
        k++;
    return k;
}

const char *thr_list_entry(const thr_weights *w, const thr_entries *l, uint32_t f)
{
    uint32_t k = l ? entry_of(w, l, f) : 0;
    return l && k < l->n ? thr_entry_at(w, l, k) : NULL;
}

/* Whether an entry has a number that is not the start value, to the bit: -0 is not 0. Entries begin
 * as copies of w->start, whose padding is zero. */
static bool entry_moved(const thr_weights *w, const char *entry)
{
    return memcmp(entry, w->start, w->entry) != 0;
}

/* The same of function f in a plain row. */
static bool plain_moved(const thr_weights *w, const char *plain, uint32_t width, uint32_t f)
{
    bool moved = false;
    for (unsigned s = 0; s < w->n_slots; s++) {
        const char *at = plain + thr_weights_offset(w, s, width);
        const char *start = w->start + thr_weights_offset(w, s, 1);
        if (s < w->n_wide)
            moved |= memcmp(at + f * sizeof(double), start, sizeof(double)) != 0;
        else
            moved |= memcmp(at + f * sizeof(float), start, sizeof(float)) != 0;
    }
    return moved;
}

/* Copies the numbers of function f in a plain row to an entry. */
static void take_entry(const thr_weights *w, const char *plain, uint32_t width, uint32_t f,
                       char *to)
{
    memcpy(to, w->start, w->entry);
    for (unsigned s = 0; s < w->n_slots; s++) {
        size_t size = s < w->n_wide ? sizeof(double) : sizeof(float);
        memcpy(to + thr_weights_offset(w, s, 1), plain + thr_weights_offset(w, s, width) + f * size,
               size);
    }
}

static bool too_many(const thr_weights *w, uint64_t n)
{
    return 2 * n > w->functions;
}

/* Adds an entry with start values. There is room. */
static char *append_entry(const thr_weights *w, thr_entries *l, uint32_t f)
{
    char *entry = thr_entry_at(w, l, l->n);
    memcpy(entry, w->start, w->entry);
    thr_list_functions(w, l)[l->n++] = f;
    return entry;
}

/* Gives an empty dense list all functions, with start values. */
static void start_entries(const thr_weights *w, thr_entries *l)
{
    char *end = thr_entry_at(w, l, w->functions);
    l->n = w->functions;
    for (char *at = thr_entry_at(w, l, 0); at < end; at += w->entry)
        memcpy(at, w->start, w->entry);
}

/* Copies the entries of one list to an empty one that has room for them: all functions if it is
 * dense, and otherwise those that were moved. */
static void fill_list(const thr_weights *w, thr_entries *to, const thr_entries *from)
{
    if (from && !from->dense && !to->dense) {
        memcpy(to + 1, from + 1, from->n * w->entry);
        memcpy(thr_list_functions(w, to), thr_list_functions(w, from), from->n * sizeof(uint32_t));
        to->n = from->n;
        return;
    }
    if (to->dense)
        start_entries(w, to);
    for (uint32_t k = 0; from && k < from->n; k++) {
        uint32_t f = from->dense ? k : thr_list_functions(w, from)[k], at = to->dense ? f : to->n;
        if (from->dense && !to->dense && !entry_moved(w, thr_entry_at(w, from, k)))
            continue;
        if (!to->dense)
            thr_list_functions(w, to)[to->n++] = f;
        memcpy(thr_entry_at(w, to, at), thr_entry_at(w, from, k), w->entry);
    }
}

/* Whether all of `most` more entries are at hand or have room, in a list of the row alone. */
static bool has_room(const thr_weights *w, const thr_entries *l, uint64_t most)
{
    return l && l->rows == 1 &&
           (l->dense ? l->n >= w->functions : l->n + most <= thr_list_room(l->class));
}

/* A list of the row alone with the same entries and room for `more`, or for all functions. */
static thr_entries *widen_list(const thr_weights *w, thr_pool *p, thr_entries *l, uint32_t more)
{
    uint32_t n = more + (l && !l->dense ? l->n : 0);
    for (uint32_t k = 0; l && l->dense && k < l->n; k++)
        n += entry_moved(w, thr_entry_at(w, l, k));
    bool dense = too_many(w, n);
    thr_entries *now = thr_list_new(w, p, dense ? w->functions : n ? n : 1, dense);
    fill_list(w, now, l);
    if (l)
        thr_list_leave(p, l);
    return now;
}

/* The most bytes that widen takes from the pool. */
static size_t most_bytes(const thr_weights *w, const thr_entries *l, uint32_t moves)
{
    uint64_t n = (uint64_t)moves + (!l ? 0 : l->dense ? w->functions : l->n);
    if (has_room(w, l, moves))
        return 0;
    bool dense = too_many(w, n);
    size_t sparse =
        thr_class_bytes(w, thr_list_class(dense ? w->functions / 2 : (uint32_t)n), false);
    size_t all = dense ? thr_class_bytes(w, thr_list_class(w->functions), true) : 0;
    return all > sparse ? all : sparse;
}

/* ---- lists from elsewhere ----------------------------------------------------------------- */

thr_entries_view thr_list_look(const thr_weights *w, const thr_entries *l)
{
    return (thr_entries_view){.n = l ? l->n : 0,
                              .function = l && !l->dense ? thr_list_functions(w, l) : NULL,
                              .entry = l ? thr_entry_at(w, l, 0) : NULL,
                              .stride = w->entry};
}

static bool becomes_dense(const thr_weights *w, const thr_entries_view *v)
{
    return !v->function || too_many(w, v->n);
}

size_t thr_list_size(const thr_weights *w, const thr_entries_view *v)
{
    bool dense = becomes_dense(w, v);
    return thr_class_bytes(w, thr_list_class(dense ? w->functions : v->n), dense);
}

/* Copies entries to their places in a list, one by one; `function` has those of a sparse list. */
static bool place_entries(const thr_weights *w, const thr_entries_view *v, thr_entries *l,
                          const uint32_t *function)
{
    size_t packed = thr_weights_offset(w, w->n_slots, 1);
    for (uint32_t k = 0; k < v->n; k++) {
        uint32_t f = function ? function[k] : k;
        if (f >= w->functions)
            return false;
        char *to = thr_entry_at(w, l, l->dense ? f : k);
        memcpy(to, w->start, w->entry);
        memcpy(to, v->entry + k * v->stride, packed);
    }
    return true;
}

static bool all_below(const uint32_t *function, uint32_t n, uint32_t end)
{
    uint32_t most = 0;
    for (uint32_t k = 0; k < n; k++)
        most = function[k] > most ? function[k] : most;
    return most < end;
}

/* Fills an empty list that has room. The functions are looked at after they have been copied, since
 * somebody else may be writing to a mapped file. Entries without padding, or with the same, are
 * copied at once. */
static bool take_entries(const thr_weights *w, const thr_entries_view *v, thr_entries *l)
{
    if (v->n > w->functions)
        return false;
    if (l->dense && (v->function || v->n < w->functions))
        start_entries(w, l);
    l->n = l->dense ? w->functions : v->n;
    if (!l->dense)
        memcpy(thr_list_functions(w, l), v->function, v->n * sizeof *v->function);
    if (v->stride != w->entry || (l->dense && v->function))
        return place_entries(w, v, l, l->dense ? v->function : thr_list_functions(w, l));
    memcpy(thr_entry_at(w, l, 0), v->entry, v->n * w->entry);
    return l->dense || all_below(thr_list_functions(w, l), v->n, w->functions);
}

thr_entries *thr_list_build(const thr_weights *w, const thr_entries_view *v, char *at, size_t room)
{
    thr_entries *l = (thr_entries *)(void *)at;
    bool dense = becomes_dense(w, v);
    unsigned class = thr_list_class(dense ? w->functions : v->n);
    if (room < thr_class_bytes(w, class, dense))
        return NULL;
    *l = (thr_entries){.class = (uint8_t) class, .dense = dense, .rows = 1};
    return take_entries(w, v, l) ? l : NULL;
}

thr_entries *thr_list_add(const thr_weights *w, const thr_entries_view *v, thr_pool *pool)
{
    thr_entries *l = thr_list_build(w, v, pool->at, pool->left);
    size_t bytes = l ? thr_class_bytes(w, l->class, l->dense) : 0;
    pool->at += bytes;
    pool->left -= bytes;
    return l;
}

/* ---- whole rows --------------------------------------------------------------------------- */

size_t thr_lists_bytes(const thr_weights *w, const char *rows, size_t stride, size_t n)
{
    const thr_entries *before = NULL, *l;
    size_t bytes = 0;
    for (size_t r = 0; r < n; r++, before = l) {
        l = thr_row_entries(rows + r * stride);
        if (l && l != before)
            bytes += thr_class_bytes(w, thr_list_class(l->dense ? w->functions : l->n), l->dense);
    }
    return bytes;
}

/* Rows that share a list mostly follow one another, and go on sharing it. */
void thr_lists_copy(const thr_weights *w, const char *from, size_t from_stride, char *to,
                    size_t to_stride, size_t n, thr_pool *pool)
{
    const thr_entries *before = NULL;
    thr_entries *copy = NULL;
    for (size_t r = 0; r < n; r++) {
        const thr_entries *l = thr_row_entries(from + r * from_stride);
        if (l && l == before)
            copy->rows++;
        else if (l) {
            copy = thr_list_new(w, pool, l->dense ? w->functions : l->n, l->dense);
            fill_list(w, copy, l);
        }
        before = l;
        memcpy(to + r * to_stride, l ? &copy : &(thr_entries *){NULL}, sizeof copy);
    }
}

void thr_list_expand(const thr_weights *w, const thr_entries *l, char *row, uint32_t functions)
{
    for (uint32_t k = 0; l && k < l->n; k++) {
        uint32_t f = l->dense ? k : thr_list_functions(w, l)[k];
        for (unsigned s = 0; s < w->n_slots && f < functions; s++) {
            size_t size = s < w->n_wide ? sizeof(double) : sizeof(float);
            memcpy(row + thr_weights_offset(w, s, functions) + f * size,
                   thr_entry_at(w, l, k) + thr_weights_offset(w, s, 1), size);
        }
    }
}

static uint32_t count_moved(const thr_weights *w, const char *plain, uint32_t width)
{
    uint32_t functions = width < w->functions ? width : w->functions, moved = 0;
    for (uint32_t f = 0; f < functions; f++)
        moved += plain_moved(w, plain, width, f);
    return moved;
}

/* The bytes of the list of a plain row; 0: nothing in it has moved. */
static uint64_t bytes_as_list(const thr_weights *w, const char *row, uint32_t width, bool *dense)
{
    uint32_t moved = count_moved(w, row, width);
    *dense = too_many(w, moved);
    return moved ? thr_class_bytes(w, thr_list_class(*dense ? w->functions : moved), *dense) : 0;
}

/* The bytes of the lists that the rows from `id` to `end` - 1, of one segment, would become. Equal
 * rows that follow one another share a list, unless it is dense. */
static uint64_t segment_as_lists(const thr_weights *w, size_t id, size_t end)
{
    uint64_t bytes = 0, each = 0;
    const char *before = NULL;
    bool dense = false;
    for (; id < end; id++) {
        const thr_segment *s = thr_segment_of(w, (uint32_t)id);
        const char *row = s ? thr_slot_at(w, s, (uint32_t)id, 0) : NULL;
        if (!s || !before || memcmp(row, before, thr_weights_size(w, s->width)) != 0)
            each = s ? bytes_as_list(w, row, s->width, &dense) : 0;
        else if (!dense)
            each = 0;
        bytes += each;
        before = row;
    }
    return bytes;
}

uint64_t thr_lists_would_take(const thr_weights *w)
{
    size_t step = w->rows < SAMPLED ? 1 : SAMPLE, looked_at = 0;
    uint64_t bytes = 0;
    for (size_t id = 0; id < w->rows; id += step * THR_SEGMENT) {
        size_t end = w->rows - id < THR_SEGMENT ? w->rows : id + THR_SEGMENT;
        bytes += segment_as_lists(w, id, end);
        looked_at += end - id;
    }
    double share = looked_at ? (double)w->rows / (double)looked_at : 1;
    return w->rows * sizeof(thr_entries *) + (uint64_t)((double)bytes * share);
}

/* Whether two lists have the same entries in the same order. */
static bool lists_equal(const thr_weights *w, const thr_entries *a, const thr_entries *b)
{
    return !a->dense && !b->dense && a->n == b->n &&
           memcmp(thr_list_functions(w, a), thr_list_functions(w, b), a->n * sizeof(uint32_t)) ==
               0 &&
           memcmp(a + 1, b + 1, a->n * w->entry) == 0;
}

/* Gives a row that has the list `*l` alone the list `before` of the same pool instead. */
static void share_list(thr_weights *w, thr_pool *p, thr_entries **l, thr_entries *before)
{
    w->entries -= (*l)->n;
    thr_list_leave(p, *l);
    *l = before;
    before->rows++;
}

bool thr_list_gather(thr_weights *w, const char *plain, uint32_t width, char *row,
                     thr_entries *before, thr_pool *pool)
{
    uint32_t functions = width < w->functions ? width : w->functions;
    uint32_t moved = count_moved(w, plain, width);
    if (moved == 0)
        return true;
    bool dense = too_many(w, moved);
    uint32_t room = dense ? w->functions : moved;
    if (!thr_pool_reserve(w, pool, thr_class_bytes(w, thr_list_class(room), dense)))
        return false;
    thr_entries *l = thr_list_new(w, pool, room, dense);
    fill_list(w, l, NULL);
    for (uint32_t f = 0; f < functions; f++) {
        if (!dense && !plain_moved(w, plain, width, f))
            continue;
        if (!dense)
            thr_list_functions(w, l)[l->n++] = f;
        take_entry(w, plain, width, f, thr_entry_at(w, l, dense ? f : l->n - 1));
    }
    w->entries += l->n;
    if (before && lists_equal(w, before, l))
        share_list(w, pool, &l, before);
    memcpy(row, &l, sizeof l);
    return true;
}

uint64_t thr_weights_bytes(const thr_weights *w, uint32_t functions, uint64_t rows)
{
    uint64_t plain;
    if (__builtin_mul_overflow((uint64_t)thr_weights_size(w, functions), rows, &plain))
        plain = UINT64_MAX;
    if (!w->may_list || functions < THR_LISTED_FROM ||
        plain <= thr_weights_plain_most(w, functions))
        return plain;
    uint64_t lists = rows * sizeof(thr_entries *) + w->entries * (w->entry + sizeof(uint32_t));
    return thr_weights_is_listed(w) ? lists : lists + thr_weights_plain_most(w, functions);
}

/* ---- learning ----------------------------------------------------------------------------- */

static thr_entries **list_of(const thr_example *e, size_t i)
{
    return (thr_entries **)(void *)(e->row[i] + e->at);
}

static thr_pool *pool_of(const thr_weights *w, const thr_example *e, size_t i)
{
    return thr_segment_at(w, e->id[i] >> THR_SEGMENT_BITS)->pool;
}

static bool opened_ready(thr_weights *w)
{
    size_t before = w->opened_room;
    if (!thr_grow(&w->opened, &w->opened_room, w->functions, sizeof *w->opened))
        return false;
    memset(w->opened + before, 0, (w->opened_room - before) * sizeof *w->opened);
    return true;
}

/* Prefetches the pools of rows whose lists have too little room. Features of one segment are
 * scattered over the example, and most pools are in no cache. */
static void prefetch_pools(const thr_weights *w, const thr_example *e, uint32_t moves)
{
    for (size_t i = 0; i < e->n; i++) {
        const thr_entries *l = *list_of(e, i);
        if (!l || has_room(w, l, moves))
            continue;
        const char *p = (const char *)pool_of(w, e, i);
        __builtin_prefetch(p);
        __builtin_prefetch(p + THR_CACHE_LINE);
    }
}

/* `wanted` of a pool is 0 except here. The pools are noted where cells will be. */
int thr_weights_reserve(thr_weights *w, const thr_example *e, uint32_t moves, thr_error *err)
{
    size_t cells, apart = 0, pools = 0, first = most_bytes(w, NULL, moves);
    if (__builtin_mul_overflow(e->n + 1, (size_t)moves, &cells) ||
        !thr_grow(&w->cell, &w->cell_room, cells, sizeof *w->cell) || !opened_ready(w))
        return thr_fail_memory(err);
    thr_pool **pool = (thr_pool **)(void *)w->cell;
    prefetch_pools(w, e, moves);
    for (size_t i = 0; i < e->n; i++) {
        const thr_entries *l = *list_of(e, i);
        size_t bytes = l ? most_bytes(w, l, moves) : first;
        if (bytes == 0)
            continue;
        thr_pool *p = pool_of(w, e, i);
        if (p->wanted == 0)
            pool[pools++] = p;
        p->wanted += bytes;
        apart += l ? 0 : bytes;
    }
    bool ok = thr_grow(&w->apart, &w->apart_room, apart, 1);
    for (size_t k = 0; k < pools; k++) {
        ok = ok && thr_pool_reserve(w, pool[k], pool[k]->wanted);
        __builtin_prefetch(pool[k]->rest_left ? pool[k]->rest : pool[k]->at, 1);
        pool[k]->wanted = 0;
    }
    return ok ? 0 : thr_fail_memory(err);
}

/* Whether one of eight functions is among n others. */
__attribute__((always_inline)) static inline bool is_any_of(const uint32_t *eight,
                                                            const uint32_t *f, uint32_t n)
{
    typedef uint32_t functions __attribute__((vector_size(32)));
    typedef uint64_t halves __attribute__((vector_size(32)));
    functions these, equal = {0};
    memcpy(&these, eight, sizeof these);
    for (uint32_t k = 0; k < n; k++) {
        const functions other = {f[k], f[k], f[k], f[k], f[k], f[k], f[k], f[k]};
        equal |= (functions)(these == other);
    }
    const halves any = (halves)equal;
    return (any[0] | any[1] | any[2] | any[3]) != 0;
}

/* Notes the entries of the functions that are opened among `entries` entries of a sparse list, of
 * which `first` is the first. Returns how many it found. */
static uint32_t note_entries(const thr_weights *w, char *first, const uint32_t *function,
                             uint32_t entries, char **cell, size_t stride)
{
    uint32_t found = 0;
    for (uint32_t at = 0; at < entries; at++) {
        uint32_t k = w->opened[function[at]];
        if (k) {
            cell[(k - 1) * stride] = first + at * w->entry;
            found++;
        }
    }
    return found;
}

/* Most blocks of eight entries have none of a few functions. */
THR_CLONED static uint32_t note_few(const thr_weights *w, const thr_entries *l, const uint32_t *f,
                                    uint32_t n, char **cell, size_t stride)
{
    const uint32_t *function = thr_list_functions(w, l);
    char *first = thr_entry_at(w, l, 0);
    uint32_t found = 0, at = 0;
    for (; at + EIGHT <= l->n && found < n; at += EIGHT)
        if (is_any_of(function + at, f, n))
            found += note_entries(w, first + at * w->entry, function + at, EIGHT, cell, stride);
    if (found < n)
        found += note_entries(w, first + at * w->entry, function + at, l->n - at, cell, stride);
    return found;
}

/* The entries of n different functions in a list, `stride` cells apart; NULL for those that it
 * lacks. Returns how many these are. */
static uint32_t look_up_entries(const thr_weights *w, const thr_entries *l, const uint32_t *f,
                                uint32_t n, char **cell, size_t stride)
{
    uint32_t lacking = 0;
    for (uint32_t k = 0; k < n; k++) {
        bool here = l->dense && f[k] < l->n;
        cell[k * stride] = here ? thr_entry_at(w, l, f[k]) : NULL;
        lacking += !here;
    }
    if (l->dense)
        return lacking;
    if (l->n >= EIGHT && n <= EIGHT)
        return lacking - note_few(w, l, f, n, cell, stride);
    return lacking -
           note_entries(w, thr_entry_at(w, l, 0), thr_list_functions(w, l), l->n, cell, stride);
}

/* The list of a row with room for the entries that it lacks; `lacking` of n functions have none.
 * Entries of a dense list that were not moved are left out if it becomes sparse, so they are looked
 * up again. */
static thr_entries *list_with_room(const thr_weights *w, thr_pool *p, thr_entries *l,
                                   const uint32_t *f, uint32_t n, uint32_t lacking, char **cell,
                                   size_t stride)
{
    if (has_room(w, l, lacking))
        return l;
    l = widen_list(w, p, l, l && l->dense ? n : lacking);
    look_up_entries(w, l, f, n, cell, stride);
    return l;
}

/* Makes a list with entries for n functions at the beginning of the table's own memory. Returns its
 * bytes. */
static size_t begin_apart(thr_weights *w, const uint32_t *f, uint32_t n)
{
    bool dense = too_many(w, n);
    unsigned class = thr_list_class(dense ? w->functions : n);
    thr_entries *l = (thr_entries *)(void *)w->apart;
    *l = (thr_entries){.class = (uint8_t) class, .dense = dense, .rows = 1};
    if (dense)
        start_entries(w, l);
    for (uint32_t k = 0; k < n && !dense; k++)
        append_entry(w, l, f[k]);
    return thr_class_bytes(w, class, dense);
}

/* Notes the entries of n functions in such a list. */
static void note_apart(const thr_weights *w, const thr_entries *l, const uint32_t *f, uint32_t n,
                       char **cell, size_t stride)
{
    for (uint32_t k = 0; k < n; k++)
        cell[k * stride] = thr_entry_at(w, l, l->dense ? f[k] : k);
}

static bool is_apart(const thr_weights *w, const thr_entries *l)
{
    return (uintptr_t)l - (uintptr_t)w->apart < w->apart_room;
}

/* Opens the functions in a row that has a list. */
static void open_list(thr_weights *w, const thr_example *e, size_t i, const uint32_t *f, uint32_t n)
{
    thr_entries **l = list_of(e, i);
    char **cell = w->cell + i;
    uint32_t lacking = look_up_entries(w, *l, f, n, cell, e->n);
    if (lacking == 0 && (*l)->rows == 1)
        return;
    w->entries -= (*l)->rows == 1 ? (*l)->n : 0;
    *l = list_with_room(w, pool_of(w, e, i), *l, f, n, lacking, cell, e->n);
    for (uint32_t k = 0; k < n; k++)
        if (!cell[k * e->n])
            cell[k * e->n] = append_entry(w, *l, f[k]);
    w->entries += (*l)->n;
}

/* Rows without a list get one in memory of the table's own, until thr_weights_close: most of these
 * lists are equal then. */
void thr_weights_open(thr_weights *w, const thr_example *e, const uint32_t *f, uint32_t n)
{
    char *end = NULL;
    size_t bytes = 0;
    for (uint32_t k = 0; k < n; k++)
        w->opened[f[k]] = k + 1;
    for (size_t i = 0; i < e->n; i++) {
        thr_entries **l = list_of(e, i);
        if (*l) {
            open_list(w, e, i, f, n);
            continue;
        }
        if (!end) {
            bytes = begin_apart(w, f, n);
            end = w->apart;
        } else
            memcpy(end, w->apart, bytes);
        *l = (thr_entries *)(void *)end;
        note_apart(w, *l, f, n, w->cell + i, e->n);
        end += bytes;
    }
    for (uint32_t k = 0; k < n; k++)
        w->opened[f[k]] = 0;
}

void thr_weights_view(const thr_weights *w, const thr_example *e, uint32_t k, uint32_t f,
                      thr_example *view)
{
    *view = *e;
    view->row = w->cell + k * e->n;
    view->at = 0;
    view->first = f;
    view->gathered = NULL;
}

/* Whether two lists that were begun for the same functions have the same numbers. */
static bool apart_equal(const thr_weights *w, const thr_entries *a, const thr_entries *b)
{
    return !a->dense && memcmp(a + 1, b + 1, a->n * w->entry) == 0;
}

/* Memory was reserved. */
static thr_entries *list_kept(thr_weights *w, thr_pool *p, const thr_entries *l)
{
    thr_entries *kept = thr_list_new(w, p, l->dense ? w->functions : l->n, l->dense);
    fill_list(w, kept, l);
    w->entries += kept->n;
    return kept;
}

void thr_weights_close(thr_weights *w, const thr_example *e)
{
    const thr_entries *last = NULL; /* of a feature met for the first time, before it was kept */
    thr_entries *kept = NULL;
    thr_pool *pool = NULL; /* that `kept` is in */
    for (size_t i = 0; i < e->n; i++) {
        thr_entries **l = list_of(e, i), *apart = *l;
        if (!is_apart(w, apart))
            continue;
        thr_pool *p = pool_of(w, e, i);
        if (last && pool == p && e->id[i] >= e->known && apart_equal(w, last, apart)) {
            *l = kept;
            kept->rows++;
            continue;
        }
        *l = list_kept(w, p, apart);
        if (e->id[i] < e->known)
            continue;
        last = apart;
        kept = *l;
        pool = p;
    }
}
