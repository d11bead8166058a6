/* Helpers that weights.c (makes and copies rows) shares with find.c (looks them up). */
#ifndef THR_WEIGHTS_ROWS_H
#define THR_WEIGHTS_ROWS_H

#include "weights/weights.h"

#define THR_CACHE_LINE 64

/* Bytes from row to row when n tables lie side by side. */
size_t thr_weights_stride(thr_weights *const *w, size_t n);
/* Sets *even if every segment of every table is ready for learning side by side with the
 * others: the same stride, the width in use, and as many segments and rows in each table.
 * Whether another table lists the segments too is not checked. Returns the first table that has
 * slots, or NULL. */
const thr_weights *thr_weights_even(thr_weights *const *w, size_t n, bool *even);
/* Fills the functions from number `from` on, up to `width`, with start values. */
void thr_row_start(const thr_weights *w, char *row, uint32_t width, uint32_t from);
/* Copies a row to one of another width; functions that the old row lacks get start values. */
void thr_row_copy(const thr_weights *w, char *to, uint32_t width, const char *from,
                  uint32_t old_width);
/* The segment that a feature's row lies in, checked by the guard if it is mapped. NULL: the
 * feature has no row. */
const thr_segment *thr_segment_of(const thr_weights *w, uint32_t id);
/* The first function's number of a slot in a feature's row. */
char *thr_slot_at(const thr_weights *w, const thr_segment *s, uint32_t id, unsigned slot);

#endif
