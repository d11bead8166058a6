/* Weight tables: the numbers that a rule has learned about every feature.
 *
 * Rows
 *
 * A table (thr_weights) has one row per feature; the row number is the feature's id in the
 * lexicon. A row holds one number for every pair of slot and function.
 *
 *   slot      one quantity that the rule keeps for each weight: the weight itself, the sum for
 *             averaging, a variance, a count. A slot is wide (f64) or narrow (f32) and has a
 *             start value, the number of a feature that the rule has not moved yet.
 *   function  what a label is scored by. Two labels share one function where the rule allows
 *             it; otherwise there is one per label, or one per pair of labels.
 *
 * Wide slots come first, so that every f64 is aligned. The functions of a slot are adjacent, so
 * that the scores of four labels are computed by one vector operation. With the slots `sum`
 * (wide) and `w` (narrow) and room for four functions a row is
 *
 *     0        8        16       24       32      36      40      44     48
 *     | sum[0] | sum[1] | sum[2] | sum[3] |  w[0] |  w[1] |  w[2] |  w[3] |
 *
 * `width` is the number of functions that a row has room for: `functions`, rounded up to one of
 * 1, 2, 3, 4, 6, 8, 12, 16, 20, ..., so that labels which arrive one at a time seldom make the
 * rows wider. The numbers from `functions` to `width` have the slot's start value.
 *
 * With many labels a row may be a pointer to a list instead: see lists.h, and stored.h for lists in
 * a mapped file.
 *
 * Segments and shelves
 *
 * Rows are stored in segments of 1024; the segments are listed on shelves of 256. A table never
 * moves as a whole: it grows, widens and is copied one segment (or group of segments) at a
 * time.
 *
 *     bits of an id:   | 31 ... 18 | 17 ... 10 | 9 ... 0 |
 *                        shelf       segment     row
 *
 *     w->shelf         thr_shelf           row memory
 *     +---+          +-------------+       +----------+
 *     | 0 | -------> | segment   0 | ----> | row    0 |
 *     +---+          | segment   1 | --.   | row    1 |
 *     | 1 | --.      |     ...     |   |   |   ...    |
 *     +---+   |      | segment 255 |   |   | row 1023 |
 *             v      +-------------+   |   +----------+
 *          next shelf                  '-> | row 1024 |
 *                                          |   ...    |
 *
 * A segment may lag behind its table. It may have no rows yet, or rows narrower than `width`;
 * the numbers it lacks have the start value. It is brought up to date before one of its rows is
 * written to. A table may also have fewer rows than the lexicon has names. Rows at and above
 * `rows` in a segment that has memory are filled with start values already.
 *
 * The rows of an example are looked up once (thr_weights_find, or thr_weights_find_ahead for the
 * next example), all at the width in use. Scoring and moving then use these addresses.
 *
 * The tables of a panel
 *
 * The members of a panel learn from the same features. Their tables therefore keep their rows
 * in one row memory, side by side: one look-up and one prefetch serve all members.
 *
 *     one stride: feature i              next stride: feature i + 1
 *     | table A | table B | table C |    | table A | table B | table C | ...
 *     ^ segment.rows of A
 *               ^ segment.rows of B
 *
 * Every table still has its own shelves and segments; only `rows`, `stride` and the row memory
 * they point to are arranged in this way. thr_weights_cover maintains it. Tables are called
 * even when it holds for all their segments (thr_weights_even in rows.h).
 *
 * Snapshots: copy on write
 *
 * A model and its snapshots share shelves, and so segments and rows. Every table has an
 * `epoch`, and every segment carries the epoch of the table that made it.
 *
 *   Taking a snapshot (thr_weights_share) copies the array of shelf pointers, which is one
 *   pointer for each 2^18 rows, and counts one more owner for each shelf. Both tables then have
 *   a new epoch that no segment carries. No row is read or copied.
 *
 *   Writing: a table may write to the rows of a segment only if the segment carries the table's
 *   epoch. Such a segment was made after the last snapshot and no other table lists it. Whoever
 *   is about to write must call thr_weights_cover, _own, _ready or _settle first; the moving
 *   functions below do not check. Addresses found before a snapshot must not be written to
 *   after it, or the snapshot would change.
 *
 *   The first write to a segment after a snapshot copies, in this order: the shelf, if it has
 *   another owner (256 segment headers, about 10 KB, no rows); then the 1024 rows of the
 *   segment, for all tables of the panel at once. The other table keeps the old shelf and the
 *   old rows.
 *
 *     model     shelf (copy)  segment 0 -----------------> row memory, users 2
 *                             segment 1 --> copied rows      ^
 *     snapshot  shelf         segment 0 ---------------------'
 *                             segment 1 --> old rows
 *
 *   `foreign` counts the segments with rows that carry an older epoch. It is 0 in a table that was
 *   never shared, and once all of them have been copied; the check then costs one comparison per
 *   example. Segments that were made ahead and had no rows when the table was shared (`shared` and
 *   up) are listed by this table alone, which goes on filling them: the other table lists the
 *   segments with rows only. A segment stays foreign when the
 *   other table is freed, and its rows are then still copied once: an epoch does not tell who
 *   is left.
 *
 *   Freeing: a shelf counts the tables that list it (`owners`), a row memory counts the
 *   segments, on any shelf, that lie in it (`users`). thr_weights_clear gives up the table's
 *   shelves; the last owner of a shelf gives up its segments; the last segment frees the row
 *   memory. The counts are atomic (base/share.h), so tables that share memory may be cleared by
 *   different threads.
 *
 * Rows of a model file are used where they are mapped. Such segments have no row memory
 * (`block` is NULL); the model owns the map. In training the map is private, and a full segment
 * of the right width is written to in place.
 *
 * Threads
 *
 * One thread at a time may write to a table or change it. Any number of threads may read a
 * table that is not being written to, and share it. A snapshot may be read while the table that
 * it was taken from is written to.
 *
 * Arithmetic
 *
 * Products and sums are double; a product of two floats is then exact. The order of addition is
 * fixed (kernels.c), so that every processor computes the same bits. Narrow weights stay within
 * +-THR_WEIGHT_MAX, so that no sum of them overflows. */
#ifndef THR_WEIGHTS_WEIGHTS_H
#define THR_WEIGHTS_WEIGHTS_H

#include "base/error.h"
#include "base/guard.h"
#include "base/mem.h"
#include "base/share.h"
#include "example/example.h"

#define THR_SEGMENT_BITS 10
#define THR_SEGMENT      (1u << THR_SEGMENT_BITS) /* rows */
#define THR_SHELF_BITS   8
#define THR_SHELF        (1u << THR_SHELF_BITS) /* segments */
#define THR_MAX_SLOTS    4
#define THR_WEIGHT_MAX   1e30
#define THR_LANES        8   /* partial sums of a dot product, see kernels.c */
#define THR_GATHERED     128 /* features in a thr_gathered; a multiple of four */

/* How the function of the second label is derived from a shared one when a third label arrives
 * and two labels that had one function get one each (multiclass/split.h). */
enum thr_mirror {
    THR_MIRROR_NEGATE, /* the negative: a weight */
    THR_MIRROR_SWAP,   /* the number in the other slot of the pair: balanced Winnow's p and n */
    THR_MIRROR_SAME,   /* the same number: a variance */
    THR_MIRROR_START,  /* the start value: the rule is not antisymmetric */
};

typedef struct thr_slot_spec {
    const char *name; /* as in the model file */
    bool wide;        /* f64, else f32 */
    double start;
    enum thr_mirror mirror;
} thr_slot_spec;

/* Memory for the rows of one segment, of a group of segments, or of the same segments of
 * several tables. */
typedef struct thr_row_memory {
    size_t users; /* segments, on any shelf, whose rows lie in it; the last one frees it */
    char *rows;   /* aligned to a cache line */
    size_t bytes;
} thr_row_memory;

typedef struct thr_segment {
    char *rows;    /* row 0 of the segment; NULL: it has no rows yet */
    size_t stride; /* bytes from row to row; more than `size` where tables lie side by side */
    uint32_t width;
    uint64_t epoch;         /* the table's epoch when the segment was made, see "Snapshots" */
    thr_row_memory *block;  /* NULL: the rows belong to a mapped model file */
    struct thr_pool *pool;  /* of a listed table (lists.h): where its lists are */
    struct thr_pool *fresh; /* while it is remade: its next pool */
} thr_segment;

typedef struct thr_shelf {
    size_t owners; /* tables that list this shelf */
    thr_segment segment[THR_SHELF];
} thr_shelf;

typedef struct thr_weights {
    thr_slot_spec slot[THR_MAX_SLOTS]; /* wide ones first */
    unsigned n_slots, n_wide;
    uint32_t functions;
    uint32_t width; /* functions that new rows have room for, >= functions; THR_LISTED_WIDTH: rows
                       are lists */
    size_t size;    /* bytes of a row of that width */
    size_t entry;   /* bytes of a row of one function */
    char start[THR_MAX_SLOTS * sizeof(double)]; /* such a row with start values */
    bool may_list;                /* the rule allows lists; set after thr_weights_init */
    size_t plain_most;            /* ... once plain rows would take more bytes than this */
    size_t offset[THR_MAX_SLOTS]; /* of each slot in such a row, or in an entry of a list */
    char **cell; /* of a listed table: the entries that thr_weights_open has found */
    size_t cell_room;
    uint32_t *opened; /* per function: k + 1 for the k-th that is being opened, else 0 */
    size_t opened_room;
    char *apart; /* the lists that thr_weights_open has begun */
    size_t apart_room;
    uint64_t entries;      /* of all its lists; those that rows share count once */
    struct thr_slab *slab; /* that the memory of lists is cut from; NULL: the table is small */
    const char *stored;    /* a section of a model file with lists that segments use (stored.h) */
    size_t stored_bytes;
    uint32_t stored_functions; /* that the table had in the file */
    size_t stride;             /* of new segments: the rows of all tables of the panel */
    size_t unready;            /* segments that must be remade before learning: see is_unready */
    size_t unreadable;         /* segments without rows, or with rows of another width */
    thr_shelf **shelf;
    size_t shelves, shelf_room, segments;
    size_t contiguous; /* how many segments, from the first on, are contiguous with one stride */
    size_t rows;       /* ids below this have a row */
    thr_guard *guard;  /* checks rows of a map when they are first touched; NULL: not needed */
    uint64_t epoch;    /* sharing a const table changes this and what follows, atomically */
    size_t shared;     /* segments below this had rows when the table was last shared */
    size_t foreign;    /* segments below `shared` of an older epoch: another table may list them */
} thr_weights;

/* An empty table with n slots, the wide ones first, and one function. */
void thr_weights_init(thr_weights *w, const thr_slot_spec *slots, unsigned n);
/* Gives up all memory of the table; what it shares with other tables stays. */
void thr_weights_clear(thr_weights *w);
/* Sets the number of functions, and the width that goes with it. A listed table stays as it is. No
 * row is touched: segments that are too narrow are remade when they are next made ready. */
void thr_weights_widen(thr_weights *w, uint32_t functions);
/* Sets the width alone. Called before thr_weights_settle, it makes all rows wide enough for
 * functions that are about to be added, so that adding them cannot fail. */
void thr_weights_make_wider(thr_weights *w, uint32_t functions);
/* Uses n rows of a mapped model file, each exactly `functions` wide, as the table's rows. The
 * table is empty. The map must live as long as the table and every table that shares it. */
int thr_weights_borrow(thr_weights *w, char *rows, size_t n, thr_error *err);
/* The greatest of n ids; 0 if n is 0. */
uint32_t thr_weights_top(const uint32_t *id, size_t n);
/* How thr_weights_find_ahead has listed the addresses of rows. */
typedef struct thr_listed {
    size_t beside; /* > 0: one list of addresses serves all tables, whose rows of a feature lie
                      side by side in so many bytes. 0: there is one list per table */
    bool unseen;   /* some addresses are NULL: those features have no row */
    uint32_t top;  /* the greatest id; 0 if there is none */
} thr_listed;

/* Finds rows before they are needed, so that they can be prefetched. Returns false if some row
 * would have to be built first; thr_weights_find does that. Otherwise the addresses are in
 * row[table * ids + feature], or in row[feature] if how->beside is set, and are valid until a
 * segment is remade. A feature without a row has the address NULL and sets how->unseen. */
bool thr_weights_find_ahead(thr_weights *const *w, size_t n, const uint32_t *id, size_t ids,
                            char **row, thr_listed *how);
/* Replaces these NULLs by rows of start values, one per table, built in `spare`. Returns the
 * number of bytes that `spare` must have; with spare NULL it does nothing else. */
size_t thr_weights_unseen(thr_weights *const *w, size_t n, size_t ids, char **row, char *spare);
/* Prefetches n rows, `bytes` of each. A processor can wait for some dozens of cache lines, so
 * callers should ask for a part of many rows at a time. */
void thr_weights_prefetch(char *const *row, size_t n, size_t bytes);
/* How many bytes of `spare` thr_weights_find needs for e. */
size_t thr_weights_spare(thr_weights *const *w, size_t n, const thr_example *e);
/* The rows of e's features, in row[table * e->n + feature]. Rows that are missing or have
 * another width are built in `spare`: they can be read, and what is written to them is lost.
 * `spare` has `room` bytes, as many as thr_weights_spare says, and is aligned to 8 bytes; it may be
 * NULL if no row has to be built. */
void thr_weights_find(thr_weights *const *w, size_t n, const thr_example *e, char **row,
                      char *spare, size_t room);
/* Makes `out` a table with the same rows, sharing all memory (see "Snapshots" above). Either
 * table may learn afterwards without the other seeing it. `keeps_learning` says that `w` may still
 * be written to; it then gets a new epoch, and rows found in it before must not be written to.
 * Without it `w` is not changed at all. Several threads may share the same `w` at once. */
int thr_weights_share(const thr_weights *w, thr_weights *out, bool keeps_learning, thr_error *err);
/* Removes the rows with id < n and keep[id] false, and moves the rows behind them down; row 0,
 * the bias, always stays. All rows must have been made ready by thr_weights_settle. */
void thr_weights_keep(thr_weights *w, const bool *keep, size_t n);
/* Makes the rows of an example ready to be written to: they exist, have the width in use, and
 * belong to this table alone. */
int thr_weights_ready(thr_weights *w, const thr_example *e, thr_error *err);
/* The same for n tables, whose rows come to lie side by side. `top` is the greatest of e's ids;
 * since ids are dense, all rows up to `top` are made to exist without looking at each id.
 * Memory is also allocated for rows up to `later`, the greatest id of the batch, which will be
 * needed soon. Sets *moved if addresses found before are no longer valid. */
int thr_weights_cover(thr_weights *const *w, size_t n, const thr_example *e, uint32_t top,
                      uint32_t later, bool *moved, thr_error *err);
/* Whether any of n tables has segments that another table may list too. */
static inline bool thr_weights_foreign(thr_weights *const *w, size_t n)
{
    size_t foreign = 0;
    for (size_t k = 0; k < n; k++)
        foreign |= w[k]->foreign;
    return foreign;
}
/* The copy-on-write part of thr_weights_cover alone: copies the shared segments that the given
 * ids lie in. Sets *moved if it copied any; addresses found before are then no longer valid. */
int thr_weights_own(thr_weights *const *w, size_t n, const uint32_t *id, size_t ids, bool *moved,
                    thr_error *err);
/* Whether thr_weights_cover would have nothing to do. A quick check, made for every example. */
bool thr_weights_covered(thr_weights *const *w, size_t n, uint32_t top, uint32_t later);
/* The rows from number `rows` on hold start values, since they were only made ahead. They do not
 * count as rows until they are asked for again. */
static inline void thr_weights_trim(thr_weights *w, size_t rows)
{
    w->rows = w->rows < rows ? w->rows : rows;
}
/* Makes all rows below n ready to be written to, as plain rows of the width in use: for an
 * operation that rewrites the whole table. */
int thr_weights_settle(thr_weights *w, size_t n, thr_error *err);
/* Copies one row to `to`, exactly `functions` wide and with zero padding, as the model file has
 * it. A feature without a row has start values. */
void thr_weights_export(const thr_weights *w, uint32_t id, char *to);
/* For a listed table. Makes room for moving `moves` functions on e, whose rows are ready. */
int thr_weights_reserve(thr_weights *w, const thr_example *e, uint32_t moves, thr_error *err);
/* Finds the entries of n different functions in the rows of e, and adds those that are missing,
 * with start values. Room was reserved. */
void thr_weights_open(thr_weights *w, const thr_example *e, const uint32_t *f, uint32_t n);
/* Makes `view` an example whose rows have function f alone, the k-th of those opened, and may be
 * written to until others are opened. */
void thr_weights_view(const thr_weights *w, const thr_example *e, uint32_t k, uint32_t f,
                      thr_example *view);
/* Keeps the lists that were begun when functions were opened. Features that e has met for the first
 * time share one where they are equal. Must follow thr_weights_open if a row had no list. */
void thr_weights_close(thr_weights *w, const thr_example *e);
/* What so many rows for so many functions take. Lists count by their entries, so that it is the
 * same wherever the same examples are learned. */
uint64_t thr_weights_bytes(const thr_weights *w, uint32_t functions, uint64_t rows);
/* Bytes of a row of a given width. */
size_t thr_weights_size(const thr_weights *w, uint32_t width);

/* v, kept within +-THR_WEIGHT_MAX. */
static inline double thr_weight_clamp(double v)
{
    double below = v > THR_WEIGHT_MAX ? THR_WEIGHT_MAX : v;
    return below < -THR_WEIGHT_MAX ? -THR_WEIGHT_MAX : below;
}

static inline thr_segment *thr_segment_at(const thr_weights *w, size_t segment)
{
    return &w->shelf[segment >> THR_SHELF_BITS]->segment[segment & (THR_SHELF - 1)];
}

/* Offset in bytes of a slot in a row of a given width. */
static inline size_t thr_weights_offset(const thr_weights *w, unsigned slot, uint32_t width)
{
    size_t wide = slot < w->n_wide ? slot : w->n_wide;
    return ((size_t)wide * 8 + (size_t)(slot - wide) * 4) * width;
}

/* Bytes that the table's part of a row takes up where tables lie side by side: the next table's
 * part begins there, and may hold an f64. */
static inline size_t thr_weights_aligned(const thr_weights *w)
{
    return (w->size + 7) & ~(size_t)7;
}

/* Offset in bytes, from e->row[i], of a function's number in a slot: the same for all
 * features. */
static inline size_t thr_place(const thr_weights *w, const thr_example *e, unsigned slot,
                               uint32_t function)
{
    size_t bytes = slot < w->n_wide ? sizeof(double) : sizeof(float);
    return e->at + w->offset[slot] + (function - e->first) * bytes;
}

/* A function's number of one slot in the row of feature i of an example. thr_row is for narrow
 * slots, thr_row_wide for wide ones. */
static inline float *thr_row(const thr_weights *w, const thr_example *e, size_t i, unsigned slot,
                             uint32_t function)
{
    return (float *)(void *)(e->row[i] + thr_place(w, e, slot, function));
}

static inline double *thr_row_wide(const thr_weights *w, const thr_example *e, size_t i,
                                   unsigned slot, uint32_t function)
{
    return (double *)(void *)(e->row[i] + thr_place(w, e, slot, function));
}

/* The same by id. The row must have been made ready before. */
float *thr_weights_row(const thr_weights *w, uint32_t id, unsigned slot);
double *thr_weights_row_wide(const thr_weights *w, uint32_t id, unsigned slot);
/* One number, read without preparation: the start value where there is no row, or where it is
 * too narrow. `id` may be THR_NONE. */
double thr_weights_get(const thr_weights *w, uint32_t id, unsigned slot, uint32_t function);
/* The numbers of all functions, read in the same way. */
void thr_weights_read(const thr_weights *w, uint32_t id, unsigned slot, double *out);

/* out[f] += sum_i x_i w_i[f] for every function f, over the features that were known before
 * this example: those with id < e->known. */
void thr_weights_dot_known(const thr_weights *w, unsigned slot, const thr_example *e, double *out);
/* out[f] = the same sum over all features. */
void thr_weights_dot(const thr_weights *w, unsigned slot, const thr_example *e, double *out);
/* thr_weights_dot of a wide slot and of a narrow slot, in one pass over the rows. */
void thr_weights_dot_both(const thr_weights *w, unsigned wide, unsigned narrow,
                          const thr_example *e, double *wide_out, double *narrow_out);
/* w_i[f] += step x_i. A narrow slot is kept within +-THR_WEIGHT_MAX. The rows are ready. */
void thr_weights_add(thr_weights *w, unsigned slot, const thr_example *e, uint32_t function,
                     double step);
/* The same for a narrow slot, and clock (w_i after - w_i before) is added to the wide slot: the
 * sum from which additive.c computes the mean of w over time. */
void thr_weights_move(thr_weights *w, unsigned wide, unsigned narrow, const thr_example *e,
                      uint32_t function, double step, double clock);
/* Some features of an example, gathered into dense arrays so that a rule can update several at
 * once: their values x, and the numbers of one function in slot 0 (a) and slot 1 (b), both
 * narrow. The arrays are padded to `round`, a multiple of four, with x = 0 and a = b = 1. */
typedef struct thr_gathered {
    char *const *row;      /* set by scoring, while a and b equal what is in these rows */
    size_t from, n, round; /* features from .. from + n - 1 of the example */
    double x[THR_GATHERED], a[THR_GATHERED], b[THR_GATHERED];
} thr_gathered;

/* thr_weights_dot of slot 0 and, unless `second` is NULL, of slot 1. If the example has one
 * function, at most THR_GATHERED features and distinct rows, the numbers that were read are
 * left in e->gathered (unless that is NULL), so that an update need not read the rows again. */
void thr_gathered_dot(const thr_weights *w, const thr_example *e, double *first, double *second);
/* Gathers at most THR_GATHERED features from number `from` on. Returns where they are: in `s`,
 * or in e->gathered if scoring has left them there. */
thr_gathered *thr_gathered_take(thr_gathered *s, const thr_weights *w, const thr_example *e,
                                uint32_t function, size_t from);
/* Writes a and b back to the rows, rounded to float. The rows must be ready, and distinct: of
 * two features with the same row one update would be lost. */
void thr_gathered_put(thr_gathered *s, thr_weights *w, const thr_example *e, uint32_t function);
#endif
