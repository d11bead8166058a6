/* Rows as lists in a model file.
 *
 * A table of many labels has few numbers that differ from the start values, in memory and in the
 * file. The writer stores it as lists where these take less than half of the bytes of plain rows;
 * docs/model-format.md specifies them. Whether they do, and every byte of them, follows from the
 * numbers alone, not from the form that the table has in memory:
 *
 *     place     one u32 for each feature: where its list begins, in units of four bytes from the
 *     |         beginning of the section on; 0: the feature has start values
 *     v
 *     +---+---+---+---+-- ... --+---+----------------+-----------------+
 *     | 0 | o | o | 0 |         | n | functions: u32 | entries, packed | next list ...
 *     +---+-|-+-|-+---+-- ... --+---+----------------+-----------------+
 *           '---'-----------------^      equal lists of neighbours are one
 *
 * Functions are ascending; a list of all functions does not name them. An entry is a row of one
 * function without padding.
 *
 * When a file is opened in memory, its lists become those of lists.h, or plain rows, at once
 * (thr_weights_take). In a mapped file they stay where they are: a segment of the width
 * THR_STORED_WIDTH has the places for rows, and the lists of an example are copied beside its rows
 * when these are looked up.
 *
 * A file may hold anything in the place of lists. So each one is checked when it is looked at
 * (thr_stored_look): it costs no more than a plain row, whatever the file says. */
#ifndef THR_WEIGHTS_STORED_H
#define THR_WEIGHTS_STORED_H

#include "weights/lists.h"

#define THR_STORED_FROM  8 /* functions; tables of fewer are stored as plain rows */
#define THR_STORED_WIDTH (UINT32_MAX - 1)
#define THR_STORED_UNIT  sizeof(uint32_t)

/* ---- reading ---- */

/* Uses a section of a model file, which holds the lists of n features, as the table's rows. The
 * table is empty. The section must live as long as the table, or until thr_weights_take. False: its
 * size makes no sense. */
bool thr_stored_fits(const thr_weights *w, size_t bytes, size_t n);
int thr_weights_borrow_lists(thr_weights *w, const char *section, size_t bytes, size_t n,
                             thr_error *err);
/* Whether all lists make sense. Any other function below takes one that does not for a feature
 * with start values, and tells the guard. */
bool thr_weights_stored_sound(const thr_weights *w);
/* Makes rows that no longer need the section: lists or plain rows, whichever suits learning. */
int thr_weights_take(thr_weights *w, thr_error *err);
/* The list of the row at `place`; n is 0 if it has none. False: it makes no sense. */
bool thr_stored_look(const thr_weights *w, const char *place, thr_entries_view *out);
/* The list of a feature in a listed table, wherever it is; n is 0 if it has none. */
thr_entries_view thr_weights_entries(const thr_weights *w, uint32_t id);

/* One number, those of all functions, and a plain row that holds start values, as thr_weights_get,
 * thr_weights_read and thr_list_expand have them. */
double thr_stored_get(const thr_weights *w, const char *place, unsigned slot, uint32_t function);
void thr_stored_read(const thr_weights *w, const char *place, unsigned slot, double *out);
void thr_stored_expand(const thr_weights *w, const char *place, char *row, uint32_t functions);

/* The bytes that the lists of a segment take in memory, and these lists in a pool that has room
 * for them. Returns how many entries they have. */
size_t thr_stored_bytes(const thr_weights *w, const thr_segment *s, size_t rows);
uint64_t thr_stored_copy(const thr_weights *w, const thr_segment *s, size_t rows, char *to,
                         size_t to_stride, thr_pool *pool);

/* ---- writing ---- */

/* The lists of a table as they are going to be written. */
typedef struct thr_packing {
    const thr_weights *w;
    size_t rows;
    uint32_t *place;  /* of the list of each feature, as in the file; owned */
    uint64_t bytes;   /* of the section */
    const char *from; /* the entries in memory that were laid out last, and their place */
    uint32_t from_place;
    uint32_t last; /* the place of the last list, and its bytes, 0 if none may be equal to it */
    size_t last_bytes;
    thr_entries_view last_view; /* where it is in memory, if rows are lists */
    thr_bytes now, before;      /* a list as in the file, and the last list; empty if not packed */
    char *row;                  /* a plain row as packed entries */
    size_t row_room;
    uint32_t *order; /* entries in the order of their functions, see pack_order */
    size_t order_room;
    uint64_t *mark; /* one bit for each function; 0 between two calls */
    size_t marks;
} thr_packing;

/* Lays out the lists of n features, of which the last may have no row yet. Sets *listed if the
 * table is to be stored as lists. False: out of memory. After either, thr_packing_clear. */
bool thr_packing_init(thr_packing *p, const thr_weights *w, size_t n, bool *listed);
void thr_packing_clear(thr_packing *p);
/* Makes p->now the list of feature `id`, or nothing if that was made for a feature before. To be
 * called for all features in their order; *at is the place of the first list, rows, at first.
 * False: out of memory. */
bool thr_packing_next(thr_packing *p, uint32_t id, uint64_t *at);

#endif
