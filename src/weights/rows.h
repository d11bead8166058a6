/* What keeping rows (weights.c) and finding those of an example (find.c) share. */
#ifndef THR_WEIGHTS_ROWS_H
#define THR_WEIGHTS_ROWS_H

#include "weights/weights.h"

#define THR_CACHE_LINE 64

/* From row to row of n tables side by side. */
size_t thr_weights_stride(thr_weights *const *w, size_t n);
/* *even: all segments of all tables are as they are to be. Returns the first table that has rows,
 * or NULL. */
const thr_weights *thr_weights_even(thr_weights *const *w, size_t n, bool *even);
/* The start values of functions from `from` on. */
void thr_row_start(const thr_weights *w, char *row, uint32_t width, uint32_t from);
/* A row as wide as wanted, from one of another width. */
void thr_row_copy(const thr_weights *w, char *to, uint32_t width, const char *from,
                  uint32_t old_width);
/* The segment a feature has its row in, which the guard has looked at; NULL: it has none. */
const thr_segment *thr_segment_of(const thr_weights *w, uint32_t id);
/* The first number of a slot in its row. */
char *thr_slot_at(const thr_weights *w, const thr_segment *s, uint32_t id, unsigned slot);

#endif
