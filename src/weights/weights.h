/* Weights: one row per feature; in a row, for each slot in turn, one number per function.
 *
 *   row of feature i, two slots, width W:   f64 a[0..W)  f32 w[0..W)      (f64 slots first)
 *
 * A function is what one label (or, for two labels, both together) is scored by. Rows live in
 * segments of 1024. A segment may be narrower than the width in use: what it lacks still has the
 * slot's start value, and it is widened when a row of it is next made ready. So may the table be
 * shorter than the lexicon. The rows of an example are looked up once (thr_weights_find), all at
 * the width in use; scoring and moving then go by these.
 *
 * Tables that learn together, the members' of a panel, come to have their rows side by side, so
 * that a feature is looked up and fetched once for all of them:
 *
 *   row i of the first | row i of the second | ... | row i + 1 of the first | ...
 *
 * Tables can share memory, as a model and its snapshots do. Segments are listed on shelves of 256;
 * shelves and blocks of rows count their owners.
 *
 *   table A  shelf[0] ------------.
 *                                 v
 *   table B  shelf[0], copied   shelf: owners 1   segment 0 --> block: users 2
 *              segment 0 --------------------------------------^
 *              segment 1 --> block of its own: B has written there
 *
 * To share a table costs a pointer for each 2^18 rows. A row may be written to only if its segment
 * carries the table's `epoch`, which sharing moves on: the first write to a segment after that
 * copies its shelf (the list, not the rows), then the rows of this segment (thr_weights_cover), and
 * the other table keeps the old ones. A table that was never shared has one epoch, and `foreign`,
 * the number of its segments that may be somebody else's too, is 0.
 *
 * Arithmetic that repeats: products and sums are double (a product of two floats is exact), term
 * i of a dot product goes to lane i mod 8, lanes are added pairwise. Weights stay within
 * +-THR_WEIGHT_MAX, so no sum of them overflows. */
#ifndef THR_WEIGHTS_WEIGHTS_H
#define THR_WEIGHTS_WEIGHTS_H

#include "base/error.h"
#include "base/guard.h"
#include "base/mem.h"
#include "base/share.h"
#include "example/example.h"

#define THR_SEGMENT_BITS 10
#define THR_SEGMENT      (1u << THR_SEGMENT_BITS)
#define THR_SHELF_BITS   8
#define THR_SHELF        (1u << THR_SHELF_BITS)
#define THR_MAX_SLOTS    4
#define THR_WEIGHT_MAX   1e30
#define THR_LANES        8
#define THR_GATHERED     128 /* a multiple of four */

/* What happens to a slot when the one function of two labels becomes one for each. */
enum thr_mirror {
    THR_MIRROR_NEGATE, /* the other label has the negative */
    THR_MIRROR_SWAP,   /* ... has this slot and the next exchanged (balanced Winnow) */
    THR_MIRROR_SAME,   /* ... has the same (a variance) */
    THR_MIRROR_START,  /* ... has the start value: the rule is not antisymmetric */
};

typedef struct thr_slot_spec {
    const char *name;
    bool wide; /* f64, else f32 */
    double start;
    enum thr_mirror mirror;
} thr_slot_spec;

/* Memory of a segment, or of several, or of the segments of several tables. */
typedef struct thr_row_memory {
    size_t users; /* segments on shelves that lie in it */
    char *rows;   /* begin with a cache line */
    size_t bytes;
} thr_row_memory;

typedef struct thr_segment {
    char *rows;
    size_t stride; /* from row to row */
    uint32_t width;
    uint64_t epoch;        /* of the table, when its rows were made or found to be its alone */
    thr_row_memory *block; /* NULL: the rows belong to a map */
} thr_segment;

typedef struct thr_shelf {
    size_t owners;
    thr_segment segment[THR_SHELF];
} thr_shelf;

typedef struct thr_weights {
    thr_slot_spec slot[THR_MAX_SLOTS]; /* wide ones first */
    unsigned n_slots, n_wide;
    uint32_t functions;
    uint32_t width;               /* of rows in use: at least `functions` */
    size_t size;                  /* of a row of that width */
    size_t offset[THR_MAX_SLOTS]; /* of the slots in it */
    size_t stride;                /* from row to row where segments are made for learning */
    size_t odd;                   /* segments that are not as they are to be for learning */
    size_t misfits;               /* segments without rows, or with rows of another width */
    thr_shelf **shelf;
    size_t shelves, shelf_room, segments;
    size_t straight;  /* so many of the first segments lie one behind the other, at one stride */
    size_t rows;      /* made ready so far */
    thr_guard *guard; /* checks borrowed rows on first touch, or NULL */
    uint64_t epoch;   /* this and the next are changed when the table is shared */
    size_t foreign;   /* segments of another epoch: they may be somebody else's too */
} thr_weights;

void thr_weights_init(thr_weights *w, const thr_slot_spec *slots, unsigned n);
void thr_weights_clear(thr_weights *w);
/* From now on there are this many functions. */
void thr_weights_widen(thr_weights *w, uint32_t functions);
/* Rows made or settled from now on have room for so many, which do not exist yet. */
void thr_weights_make_wider(thr_weights *w, uint32_t functions);
/* Takes over n rows of a map, as wide as there are functions. */
int thr_weights_borrow(thr_weights *w, char *rows, size_t n, thr_error *err);
/* The greatest id; 0 of none. */
uint32_t thr_weights_top(const uint32_t *id, size_t n);
/* How rows found ahead are listed. */
typedef struct thr_listed {
    size_t beside; /* all tables' rows of a feature are side by side, so many bytes, and there is
                      one list. 0: a list for each table */
    bool unseen;   /* some are NULL, of features that were never seen */
    uint32_t top;  /* the greatest id, 0 of none */
} thr_listed;

/* Of n tables: the rows that will be wanted soon. True: they stand in row[table * ids + feature],
 * or in row[feature] if how->beside, and stay there until a segment is made anew. Where some are
 * unseen, thr_weights_unseen puts rows of start values in `spare` there, as many bytes as it says
 * when it is given none. */
bool thr_weights_ahead(thr_weights *const *w, size_t n, const uint32_t *id, size_t ids, char **row,
                       thr_listed *how);
size_t thr_weights_unseen(thr_weights *const *w, size_t n, size_t ids, char **row, char *spare);
/* Brings n rows nearer, `bytes` of each. Processors drop what they are asked to bring when they are
 * asked for more than some twenty cache lines at once: a few rows at a time. */
void thr_weights_bring(char *const *row, size_t n, size_t bytes);
/* How many bytes of spare thr_weights_find needs for e. */
size_t thr_weights_spare(thr_weights *const *w, size_t n, const thr_example *e);
/* The rows of e's features, row[table * e->n + feature]; missing and narrow ones are copies in
 * `spare`. */
void thr_weights_find(thr_weights *const *w, size_t n, const thr_example *e, char **row,
                      char *spare);
/* A second owner of all rows, as they are now: either table can be learned with, and what one does
 * to its rows the other does not see. `goes_on`: somebody will still learn with `w`; rows found in
 * it before must not be written to any more. */
int thr_weights_share(const thr_weights *w, thr_weights *out, bool goes_on, thr_error *err);
/* Leaves out the rows below n without keep[id], the others closing up; row 0 stays. All rows there
 * are were made ready by thr_weights_settle. */
void thr_weights_keep(thr_weights *w, const bool *keep, size_t n);
/* Makes the rows of an example exist, owned and wide enough. */
int thr_weights_ready(thr_weights *w, const thr_example *e, thr_error *err);
/* The same for n tables side by side, and all rows up to `top`, the greatest of e's ids: ids are
 * dense, so this costs no more and need not look at each. There is then memory for rows up to
 * `later`, whose time is still to come. *moved: rows found before are no longer where they were. */
int thr_weights_cover(thr_weights *const *w, size_t n, const thr_example *e, uint32_t top,
                      uint32_t later, bool *moved, thr_error *err);
/* Whether some rows of n tables may be somebody else's too. */
static inline bool thr_weights_foreign(thr_weights *const *w, size_t n)
{
    size_t foreign = 0;
    for (size_t k = 0; k < n; k++)
        foreign |= w[k]->foreign;
    return foreign;
}
/* The part of it that concerns rows shared with others: those of so many ids become the tables'
 * alone. Rows found before may then have moved. */
int thr_weights_own(thr_weights *const *w, size_t n, const uint32_t *id, size_t ids, bool *moved,
                    thr_error *err);
/* Whether it has nothing to do. */
bool thr_weights_covered(thr_weights *const *w, size_t n, uint32_t top, uint32_t later);
/* All rows below n, as wide as `functions`: before saving or a change of all rows. */
int thr_weights_settle(thr_weights *w, size_t n, thr_error *err);
/* One row as wide as `functions`, as the model file has it. */
void thr_weights_export(const thr_weights *w, uint32_t id, char *to);
/* Bytes of a row of a given width. */
size_t thr_weights_size(const thr_weights *w, uint32_t width);

static inline double thr_weight_clamp(double v)
{
    double below = v > THR_WEIGHT_MAX ? THR_WEIGHT_MAX : v;
    return below < -THR_WEIGHT_MAX ? -THR_WEIGHT_MAX : below;
}

static inline thr_segment *thr_segment_at(const thr_weights *w, size_t segment)
{
    return &w->shelf[segment >> THR_SHELF_BITS]->segment[segment & (THR_SHELF - 1)];
}

/* Place of a slot in a row of a given width. */
static inline size_t thr_weights_offset(const thr_weights *w, unsigned slot, uint32_t width)
{
    size_t wide = slot < w->n_wide ? slot : w->n_wide;
    return ((size_t)wide * 8 + (size_t)(slot - wide) * 4) * width;
}

/* What a row takes up in memory. */
static inline size_t thr_weights_aligned(const thr_weights *w)
{
    return (w->size + 7) & ~(size_t)7;
}

/* Where a function's number in a slot is, from e->row[i] on. */
static inline size_t thr_place(const thr_weights *w, const thr_example *e, unsigned slot,
                               uint32_t function)
{
    return e->at + w->offset[slot] + function * (slot < w->n_wide ? sizeof(double) : sizeof(float));
}

/* The numbers of one slot in the row of feature i of an example. */
static inline float *thr_row(const thr_weights *w, const thr_example *e, size_t i, unsigned slot)
{
    return (float *)(void *)(e->row[i] + thr_place(w, e, slot, 0));
}

static inline double *thr_row_wide(const thr_weights *w, const thr_example *e, size_t i,
                                   unsigned slot)
{
    return (double *)(void *)(e->row[i] + thr_place(w, e, slot, 0));
}

/* The same by id; only for rows made ready before. */
float *thr_weights_row(const thr_weights *w, uint32_t id, unsigned slot);
double *thr_weights_row_wide(const thr_weights *w, uint32_t id, unsigned slot);
/* One number as it stands, start value where there is no row. */
double thr_weights_get(const thr_weights *w, uint32_t id, unsigned slot, uint32_t function);
/* The same of all functions. */
void thr_weights_read(const thr_weights *w, uint32_t id, unsigned slot, double *out);

/* out[f] = sum_i x_i w_i[f] for every function; thr_weights_dot_known leaves out the features that
 * were not known before the example, and adds to out. */
void thr_weights_dot_known(const thr_weights *w, unsigned slot, const thr_example *e, double *out);
void thr_weights_dot(const thr_weights *w, unsigned slot, const thr_example *e, double *out);
/* thr_weights_dot of a wide slot and of a narrow one. */
void thr_weights_dot_both(const thr_weights *w, unsigned wide, unsigned narrow,
                          const thr_example *e, double *wide_out, double *narrow_out);
/* w_i[f] += step x_i, kept within +-THR_WEIGHT_MAX. The rows are ready. */
void thr_weights_add(thr_weights *w, unsigned slot, const thr_example *e, uint32_t function,
                     double step);
/* The same with the mean of w over time kept in a wide slot beside it: what w went by, times
 * `clock`, is added there. */
void thr_weights_move(thr_weights *w, unsigned wide, unsigned narrow, const thr_example *e,
                      uint32_t function, double step, double clock);
/* Some features of an example, with the numbers one function has in two narrow slots: what is to be
 * done to them is then done to several at once. Beyond the last one they are filled up to a
 * multiple of four, `round`, with values of 0 and numbers of 1. */
typedef struct thr_gathered {
    char *const *row; /* of scoring: whose numbers these are, while they are as in the rows */
    size_t from, n, round;
    double x[THR_GATHERED], a[THR_GATHERED], b[THR_GATHERED];
} thr_gathered;

/* thr_weights_dot of the first slot, and of the second unless it is NULL, both narrow; what was
 * taken out of the rows is left in e->gathered where there is one, and where it can be had all at
 * once.
 */
void thr_gathered_dot(const thr_weights *w, const thr_example *e, double *first, double *second);
/* The features from `from` on, THR_GATHERED at most; `a` is of the first slot, `b` of the second.
 * Returns where they are: in `s`, or where scoring left them. */
thr_gathered *thr_gathered_take(thr_gathered *s, const thr_weights *w, const thr_example *e,
                                uint32_t function, size_t from);
/* Puts a and b back, rounded to float. The rows are ready and distinct. */
void thr_gathered_put(thr_gathered *s, thr_weights *w, const thr_example *e, uint32_t function);
#endif
