/* Memory for tables that are read all over: zeros, on a cache line of its own, and in huge pages
 * from 2 MiB on, where the system has them, so that finding an address takes no walk of its own. It
 * costs nothing until it is touched, and then a whole page is zeroed: who touches all of it at once
 * waits for that. */
#ifndef THR_BASE_LARGE_H
#define THR_BASE_LARGE_H

#include <stddef.h>

#define THR_HUGE ((size_t)2 << 20)

void *thr_large_new(size_t bytes); /* NULL: out of memory */
/* The same: whole huge pages right behind those that end at `before`, if nothing is there yet; with
 * NULL, where much is free behind them. What cannot be had there is somewhere. */
void *thr_large_new_behind(void *before, size_t bytes);
void thr_large_free(void *p, size_t bytes);
/* Gives back whole huge pages of it, which may still be read: as zeros, or as they were. */
void thr_large_release(void *p, size_t bytes);
/* The same in small pages, where a huge one may begin, for what may be touched here and there only;
 * NULL also where a limit is set on address space, of which much more is taken than is used. */
void *thr_reserve_new(size_t bytes);
/* From here on it is touched from the front, and may come in huge pages. */
void thr_reserve_large(void *p, size_t bytes);
/* Whole huge pages of it, much of which has been touched: each becomes one, if the system can. */
void thr_reserve_join(void *p, size_t bytes);
void thr_reserve_free(void *p, size_t bytes);

#endif
