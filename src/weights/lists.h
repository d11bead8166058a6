/* Rows as lists: for many labels, of which a feature is seen under few.
 *
 * With a thousand labels a row of the table has a thousand numbers in each slot, and for most
 * features almost all of them are start values. So from THR_LISTED_FROM functions on, once plain
 * rows would take more than THR_PLAIN_MOST bytes (long rows: a sixteenth of that), a table whose
 * rule allows it (`may_list`) is listed: a row is a pointer to a list, NULL at first, and a list
 * has an entry for each function that was moved. An entry is a row of one function: its number in
 * each slot, wide ones first. (Small tables stay plain: with some twenty labels that is faster.)
 *
 *     row memory         list
 *     +--------+         +---+-------+---------+---------+---------+-----+---+---+---+---+
 *     |   o----|-------> | n | class | entry 0 | entry 1 | entry 2 |  .  | 7 | 3 | 9 | . |
 *     |  NULL  |         +---+-------+---------+---------+---------+-----+---+---+---+---+
 *     |   o----|-.                     numbers of function 7, of 3, of 9     functions
 *     +--------+  '--> dense list: entry f belongs to function f, and no functions are named
 *
 * A list with entries for more than half of the functions becomes dense, which takes less memory
 * and time; if labels arrive and it has entries for fewer than that, it becomes sparse again.
 *
 * None of this changes what is computed. For each function the terms of a sum are added
 * in the order of the example, as in tables of plain rows; functions that a list lacks have the
 * start value, and a term of 0 changes no sum. So models have the same bytes, and tables are turned
 * from plain into listed and back (thr_weights_convert) whenever one form suits better.
 *
 * A rule never sees lists. Before a function is moved, its entries are looked up in the lists of
 * the example, or added (thr_weights_open); the rule is given a view of the example in which a row
 * has this one function (thr_example.first).
 *
 * Equal lists. Features that are met for the first time in the same example with the same value
 * have equal numbers, in text most of them. While they are learned their lists are in memory of the
 * table's own, which stays in the cache. Then they get one list together (thr_weights_close);
 * whoever is moved alone gets a copy first. A feature that is seen once thereby costs little more
 * than its pointers.
 *
 * Memory. The lists of a segment lie in a pool of its own (thr_pool), so that a copy of the
 * segment, which the first write after a snapshot makes, copies nothing else. Pools of a large
 * table get their memory from huge pages (slab.h). Room for all entries
 * that an update may add is reserved before it (thr_weights_reserve); from then on nothing can
 * fail. */
#ifndef THR_WEIGHTS_LISTS_H
#define THR_WEIGHTS_LISTS_H

#include "weights/rows.h"

#ifndef THR_LISTED_FROM   /* builds for tests may define less, see CONTRIBUTING.md */
#define THR_LISTED_FROM 8 /* functions */
#endif
#ifndef THR_PLAIN_MOST
#define THR_PLAIN_MOST (32 << 20) /* bytes of plain rows */
#endif
/* From so many functions on rows are so long that a sixteenth of that is the limit: rows of start
 * values would have to be made and widened, and be searched for what has moved. */
#define THR_LONG_ROWS    64
#define THR_LISTED_WIDTH UINT32_MAX /* the width of segments whose rows are lists */

typedef struct thr_entries {
    uint32_t n;    /* entries; in a dense list those of the functions below n */
    uint8_t class; /* how many entries it has room for */
    bool dense;    /* whether entry f belongs to function f */
    uint16_t rows; /* rows that have this list; if several, it may not be written to */
} thr_entries;

/* The memory of the lists of one segment. */
typedef struct thr_pool thr_pool;

thr_pool *thr_pool_new(thr_weights *w); /* of that table; NULL: out of memory */
void thr_pool_release(thr_pool *p);
void thr_pool_share(thr_pool *p);
bool thr_pool_alone(const thr_pool *p);

static inline bool thr_weights_is_listed(const thr_weights *w)
{
    return w->width == THR_LISTED_WIDTH;
}

/* The bytes from which on plain rows of so many functions may become lists. */
static inline size_t thr_weights_plain_most(const thr_weights *w, uint32_t functions)
{
    return functions < THR_LONG_ROWS ? w->plain_most : w->plain_most / 16;
}

/* Whether the table is so large that its form has to be chosen before the next row is written to.
 */
static inline bool thr_weights_wants_lists(const thr_weights *w)
{
    return w->may_list && w->functions >= THR_LISTED_FROM && !thr_weights_is_listed(w) &&
           w->size > thr_weights_plain_most(w, w->functions) / (w->rows + 1);
}

/* Turns plain rows into lists, or lists into plain rows. On failure nothing has changed. */
int thr_weights_convert(thr_weights *w, bool listed, thr_error *err);
/* Turns the rows into lists if the table wants them and they take much less memory. */
int thr_weights_choose_form(thr_weights *w, bool *converted, thr_error *err);
/* The bytes of the lists that hold what plain rows hold; of a large table an estimate. */
uint64_t thr_lists_would_take(const thr_weights *w);

/* Makes the rows of an empty table lists, to be filled by thr_weights_append: for an operation that
 * makes a whole table anew, one row after the other. */
void thr_weights_begin_lists(thr_weights *w);
/* Appends a row to it, given as a plain row that is exactly `functions` wide. */
int thr_weights_append(thr_weights *w, const char *plain, thr_error *err);
/* Makes `out` a copy of a listed table without the rows with id < n and keep[id] false; row 0, the
 * bias, always stays. */
int thr_weights_subset(const thr_weights *w, const bool *keep, size_t n, thr_weights *out,
                       thr_error *err);

/* The list of a row; NULL: all functions have start values. */
static inline thr_entries *thr_row_entries(const char *row)
{
    return *(thr_entries *const *)(const void *)row;
}

/* Prefetches the beginning of a row's list. */
static inline void thr_list_prefetch(const char *row)
{
    const char *l = row ? (const char *)thr_row_entries(row) : NULL;
    if (!l)
        return;
    __builtin_prefetch(l);
    __builtin_prefetch(l + THR_CACHE_LINE);
}

/* The entry of function f, or NULL. */
const char *thr_list_entry(const thr_weights *w, const thr_entries *l, uint32_t f);

/* Copies the lists of n rows, of which no two in `from` and `to` overlap, into the pool, which has
 * thr_lists_bytes free. */
size_t thr_lists_bytes(const thr_weights *w, const char *rows, size_t stride, size_t n);
bool thr_pool_reserve(thr_weights *w, thr_pool *p, size_t bytes);
void thr_lists_copy(const thr_weights *w, const char *from, size_t from_stride, char *to,
                    size_t to_stride, size_t n, thr_pool *pool);

/* The entries of a list, wherever it is: in a pool, or in a model file (stored.h). */
typedef struct thr_entries_view {
    uint32_t n;
    const uint32_t *function; /* that each entry belongs to; NULL: entry f belongs to function f */
    const char *entry;        /* the first; in a file not aligned */
    size_t stride;            /* bytes from one to the next: w->entry, or less without padding */
} thr_entries_view;

thr_entries_view thr_list_look(const thr_weights *w, const thr_entries *l);
/* The bytes of a list with these entries. */
size_t thr_list_size(const thr_weights *w, const thr_entries_view *v);
/* Makes that list at `at`, or in a pool that has room for it. NULL: there is too little room, or a
 * function that the table does not have. */
thr_entries *thr_list_build(const thr_weights *w, const thr_entries_view *v, char *at, size_t room);
thr_entries *thr_list_add(const thr_weights *w, const thr_entries_view *v, thr_pool *pool);

/* Makes the list of a row from a plain row, if a number in it has moved; if it equals `before`, a
 * list of the same pool, or NULL, the row shares that. False: out of memory. */
bool thr_list_gather(thr_weights *w, const char *plain, uint32_t width, char *row,
                     thr_entries *before, thr_pool *pool);
/* Gives a new row, which equals the one before, the list of that one. False: it is dense, and dense
 * lists are not shared. */
static inline bool thr_list_again(thr_entries *before, char *row)
{
    if (before && before->dense)
        return false;
    if (before)
        before->rows++;
    memcpy(row, &before, sizeof before);
    return true;
}
/* Writes a plain row of `functions` functions, which holds start values, from a list. */
void thr_list_expand(const thr_weights *w, const thr_entries *l, char *row, uint32_t functions);
/* out[f] = the number of every function in a slot. */
void thr_list_read(const thr_weights *w, const thr_entries *l, unsigned slot, double *out);
/* out[f] += sum_i x_i w_i[f] for every function, where rows are lists: without the example's scale,
 * or over its `known` features with it (kernels.c). With a start value that is not 0 in the slot,
 * e->room has a number for each function. */
void thr_lists_dot(const thr_weights *w, unsigned slot, const thr_example *e, bool known,
                   double *out);

#endif
