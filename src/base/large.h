/* Memory for large tables that are accessed at random.
 *
 * thr_large_*: zeroed blocks that begin on a cache line. Blocks of 2 MiB and more come in huge
 * pages where the system has them: one TLB entry then covers 2 MiB, and a random access needs
 * no page walk of its own. Physical memory of such a block is allocated when a page is first
 * touched, and the kernel zeroes that whole page first. A caller that touches a fresh table
 * from end to end therefore waits for all of it to be zeroed.
 *
 * thr_reserve_*: address space for a table of the largest possible size, of which mostly a
 * small part is ever touched. Such a table never moves, so readers need no lock while it grows.
 *
 * All advice to the kernel is optional: without huge pages the same memory is merely slower. */
#ifndef THR_BASE_LARGE_H
#define THR_BASE_LARGE_H

#include <stddef.h>

#define THR_HUGE ((size_t)2 << 20)

void *thr_large_new(size_t bytes); /* NULL: out of memory */
/* The same, for a caller that overwrites all of it: the contents are undefined. */
void *thr_large_new_unset(size_t bytes);
/* The same, but placed at the address `before` where a previous block ends, so that several
 * blocks form one array. With `before` NULL the block is placed where many addresses behind it
 * are free, for the blocks to come. If the address is taken, or `bytes` is not a whole number
 * of huge pages, the block lies elsewhere: compare the result with `before`. */
void *thr_large_new_behind(void *before, size_t bytes);
/* `bytes` as given to thr_large_new: the size tells which allocator the block came from. */
void thr_large_free(void *p, size_t bytes);
/* Returns the memory of [p, p + bytes), whole huge pages of a block, to the system. The
 * addresses stay readable, and read as zeros or as before. */
void thr_large_release(void *p, size_t bytes);

/* Address space of zeros that begins on a huge page. It comes in small pages, so that touching
 * a few scattered places does not cost 2 MiB each. NULL: out of memory, or the process has a
 * limit on its address space, which a reservation would use up. */
void *thr_reserve_new(size_t bytes);
/* Allows huge pages in [p, p + bytes), for a part that will be filled from front to back. */
void thr_reserve_large(void *p, size_t bytes);
/* Asks the system to replace the small pages of [p, p + bytes), whole huge pages of which much
 * has been touched, by huge ones. The contents stay. */
void thr_reserve_join(void *p, size_t bytes);
void thr_reserve_free(void *p, size_t bytes); /* `bytes` as given to thr_reserve_new */

#endif
