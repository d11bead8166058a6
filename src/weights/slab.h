/* Slabs: huge pages of which a table cuts memory for its lists (pool.h).
 *
 * The lists of a large table are read at random, and in huge pages that costs far fewer TLB misses;
 * nor does the kernel have to hand out every small page by itself. A slab counts the pieces that
 * are in use, and the table that still cuts from it. Pieces may be given up by any thread, in any
 * order; the last user frees the slab. */
#ifndef THR_WEIGHTS_SLAB_H
#define THR_WEIGHTS_SLAB_H

#include <stdbool.h>
#include <stddef.h>

#define THR_SLAB_PIECE ((size_t)256 << 10) /* the largest piece, in bytes */

typedef struct thr_slab thr_slab;

/* Cuts a piece that begins with a cache line from *slab, or from a new one that takes its place.
 * NULL: out of memory. Whoever has the piece is a user of *slab. */
void *thr_slab_cut(thr_slab **slab, size_t bytes);
/* Gives up one use. Accepts NULL. */
void thr_slab_drop(thr_slab *s);

#endif
