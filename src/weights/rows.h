/* What the files of this folder share: weights.c makes and copies rows, forms.c turns them into
 * lists and back, share.c owns them, find.c looks them up, read.c reads them. */
#ifndef THR_WEIGHTS_ROWS_H
#define THR_WEIGHTS_ROWS_H

#include "weights/weights.h"

/* Makes shelf i the table's alone, so that its segment headers can be changed. A shared shelf
 * is copied; the copy lists the same rows, so each row memory gets one user more per
 * segment. */
bool thr_shelf_own(thr_weights *w, size_t i);
/* Makes shelves for so many segments. False: out of memory. */
bool thr_shelves_reach(thr_weights *w, size_t segments);
/* Gives up the rows of a segment, and empties its header. The shelf is the table's alone. */
void thr_segment_release(thr_segment *s);
/* Gives up one use of row memory; the last one frees it. NULL is allowed. */
void thr_row_memory_release(thr_row_memory *b);
/* Whether another table may list the rows of this segment too. The owners of the shelf cannot
 * tell: a shelf that belongs to this table alone may be a copy that lists rows of a shared
 * one. Segments that had no rows yet when the table was shared are not listed by the other
 * table. */
static inline bool thr_segment_is_foreign(const thr_weights *w, size_t segment)
{
    return segment < w->shared && thr_segment_at(w, segment)->epoch != w->epoch;
}
/* How many rows of a segment are below w->rows. */
size_t thr_segment_rows(const thr_weights *w, size_t segment);
/* Gives new memory to the group of segments that `segment` belongs to, in n tables side by
 * side, and copies what rows they have. All that can fail comes before the first row is
 * touched. */
int thr_segments_make(thr_weights *const *w, size_t n, size_t segment, size_t group,
                      thr_error *err);
/* Sets the stride of new segments, and counts the existing ones that it does not suit. */
void thr_weights_set_stride(thr_weights *w, size_t stride);
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
