/* Memory with several owners, for models and their snapshots: reference counts and copy on
 * write.
 *
 * SHARED ARRAYS. A shared array has the number of its owners in front of its first element:
 *
 *     | owners | element 0 | element 1 | ...
 *              ^ the pointer that its owners hold
 *
 * An owner is a struct that holds the pointer: a model, or a snapshot of it. Taking a snapshot
 * adds one to the count and copies nothing. The last owner frees the array.
 *
 *     model      n = 5, room = 8  ---+
 *                                    +--> | 2 | a b c d e . . . |
 *     snapshot   n = 3  -------------+          ^^^^^ all that the snapshot reads
 *
 * Each owner knows how many elements it may read and never reads beyond them. At most one
 * owner, the model that learns, appends: it writes behind what the others know, so neither side
 * needs a lock. All other owners treat the array as constant. The count does not enforce this.
 * The owners do, by a flag `view` in the struct that was made by sharing: a view must make the
 * array its own before it writes anything, even if it only appends.
 *
 * An owner that wants to change an element which others read, or to move the array because it
 * must grow, first gets a copy of its own (thr_array_own, thr_array_grow). The others keep the
 * old array:
 *
 *     model      thr_array_grow --> | 1 | a b c d e f . . . . |     copied, more room
 *     snapshot   -----------------> | 1 | a b c d e . . . |         as it was
 *
 * PAGED ARRAYS. Counters and lists change in place, anywhere. If a plain array were copied at
 * the first write after a snapshot, the learner would wait in proportion to the size of the
 * model. A paged array is copied by the page of 4096 elements. After a snapshot and one write
 * to page 2:
 *
 *                owners  pages               owners
 *     model      | 1 | p0 p1 q2 |        p0  | 2 | 4096 elements |    shared
 *     snapshot   | 1 | p0 p1 p2 |        p1  | 2 | 4096 elements |    shared
 *                                        p2  | 1 | 4096 elements |    the snapshot's
 *                                        q2  | 1 | 4096 elements |    the model's copy of p2
 *
 * The list of pages is itself a shared array. Sharing a paged array adds one owner to the list
 * and does not look at the pages. The first write afterwards copies the list, which adds an
 * owner to each page, and then copies the page that is written to. Later writes copy one page
 * each, at most once per page and snapshot.
 *
 * THREADS. Counts are atomic, so owners in different threads may add and drop owners at any
 * time. An owner itself is not protected: two threads must not change the same struct at once.
 */
#ifndef THR_BASE_SHARE_H
#define THR_BASE_SHARE_H

#include <stdbool.h>
#include <stddef.h>

/* ---- counts of owners ------------------------------------------------------------------------ */

/* Relaxed: the caller is an owner, so the memory cannot go away meanwhile, and the new owner
 * gets the pointer by some other way that synchronises. */
static inline void thr_owners_add(size_t *owners)
{
    __atomic_add_fetch(owners, 1, __ATOMIC_RELAXED);
}

/* Returns whether that was the last owner, which must then free the memory. Release and acquire
 * make all accesses by the other owners happen before that. */
static inline bool thr_owners_drop(size_t *owners)
{
    return __atomic_sub_fetch(owners, 1, __ATOMIC_ACQ_REL) == 0;
}

/* Whether the caller is the only owner and may write. Only an owner can add another, so the
 * answer "yes" stays true; "no" may be out of date, and costs a needless copy. Acquire makes
 * the reads of former owners happen before the caller's writes. */
static inline bool thr_owners_alone(const size_t *owners)
{
    return __atomic_load_n(owners, __ATOMIC_ACQUIRE) == 1;
}

/* ---- cache lines ----------------------------------------------------------------------------- */

#define THR_CACHE_LINE 64 /* bytes */
/* Keeps what stands before it in a struct apart from what stands behind it: a thread that writes
 * the one then takes no cache line from a thread that reads the other. */
#define THR_APART(name) char name[THR_CACHE_LINE]

/* ---- arrays ---------------------------------------------------------------------------------- */

/* As thr_grow (base/mem.h): room for `need` elements of `size` bytes in *array, which may be
 * NULL. If others own the array too, *array becomes a copy, and the old one loses an owner.
 * False: out of memory, nothing has changed. thr_array_grow_anew is the slow path of
 * thr_array_grow. */
bool thr_array_grow_anew(void *array, size_t *room, size_t need, size_t size);
static inline bool thr_array_grow(void *array, size_t *room, size_t need, size_t size)
{
    return need <= *room || thr_array_grow_anew(array, room, need, size);
}
/* An array of n elements, all bytes 0, with one owner; NULL: out of memory. Large ones come
 * from calloc as untouched pages, which take up no memory yet. */
void *thr_array_zeros(size_t n, size_t size);
/* A new array with a copy of n elements, and one owner; NULL: out of memory. */
void *thr_array_copy(const void *from, size_t n, size_t size);
/* Adds an owner and returns `array`. NULL is allowed, and stays NULL. */
void *thr_array_share(const void *array);
/* Removes an owner; the last one frees the array. NULL is allowed. */
void thr_array_free(void *array);
bool thr_array_alone(const void *array); /* see thr_owners_alone; not NULL */
/* Makes the caller the only owner of *array, by copying `room` elements if there are others.
 * False: out of memory, nothing has changed. */
bool thr_array_own(void *array, size_t room, size_t size);

/* ---- paged arrays ---------------------------------------------------------------------------- */

#define THR_PAGED_BITS 12
#define THR_PAGED      ((size_t)1 << THR_PAGED_BITS) /* elements in a page */

typedef struct thr_paged {
    char **page; /* a shared array of shared arrays of THR_PAGED elements; they begin as 0 */
    size_t pages, room;
} thr_paged;

void thr_paged_clear(thr_paged *p); /* removes an owner, and empties *p */
/* Makes *out, which is empty, a second owner of the list of pages. */
void thr_paged_share(const thr_paged *p, thr_paged *out);
/* Element i for reading; NULL if i is beyond the last page. */
static inline const void *thr_paged_at(const thr_paged *p, size_t i, size_t size)
{
    size_t page = i >> THR_PAGED_BITS;
    return page < p->pages ? p->page[page] + (i & (THR_PAGED - 1)) * size : NULL;
}
/* Adds pages of zeros until all elements below n exist. Existing pages may still be shared.
 * False: out of memory. */
bool thr_paged_reach(thr_paged *p, size_t n, size_t size);
/* Makes the page of element i, which exists, the caller's alone. The element may then be
 * written to until the array is shared again. False: out of memory. */
bool thr_paged_own(thr_paged *p, size_t i, size_t size);

#endif
