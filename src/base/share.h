/* Memory with several owners, for models and their snapshots.
 *
 * A shared array has a count of its owners in front of it:
 *
 *     | owners | element 0 | element 1 | ...
 *              ^ the pointer that its owners hold
 *
 * Each owner reads as many elements as it knows of. One of them may append: it writes behind what
 * the others know. To change what they do know, or to move the array because it must grow, the
 * owner first gets a copy of its own (thr_array_own, thr_array_grow); the others keep the old one.
 * The array goes with its last owner.
 *
 * A paged array is for elements that change in place: a snapshot shares its pages, and a page that
 * somebody else owns too is copied before the first write to it. */
#ifndef THR_BASE_SHARE_H
#define THR_BASE_SHARE_H

#include <stdbool.h>
#include <stddef.h>

/* ---- counts of owners ------------------------------------------------------------------------ */

static inline void thr_owners_add(size_t *owners)
{
    __atomic_add_fetch(owners, 1, __ATOMIC_RELAXED);
}

/* Whether that was the last one. What the others did with the memory then happened before. */
static inline bool thr_owners_drop(size_t *owners)
{
    return __atomic_sub_fetch(owners, 1, __ATOMIC_ACQ_REL) == 0;
}

/* Only an owner can make another, so one that is alone stays so while it looks. */
static inline bool thr_owners_alone(const size_t *owners)
{
    return __atomic_load_n(owners, __ATOMIC_ACQUIRE) == 1;
}

/* ---- arrays ---------------------------------------------------------------------------------- */

/* As thr_grow: room for `need` elements of `size` bytes in *array, which may be NULL. If others own
 * it too, *array becomes a copy. */
bool thr_array_grow_anew(void *array, size_t *room, size_t need, size_t size);
static inline bool thr_array_grow(void *array, size_t *room, size_t need, size_t size)
{
    return need <= *room || thr_array_grow_anew(array, room, need, size);
}
/* An array of n elements, all bytes 0 and untouched as far as the system allows; or NULL. */
void *thr_array_zeros(size_t n, size_t size);
/* A copy of n elements in an array of its own, or NULL. */
void *thr_array_copy(const void *from, size_t n, size_t size);
/* One owner more; NULL is its own copy. Returns `array`. */
void *thr_array_share(const void *array);
/* One owner less. */
void thr_array_free(void *array);
bool thr_array_alone(const void *array);
/* Makes *array the caller's alone, copying `room` elements if others own it too. */
bool thr_array_own(void *array, size_t room, size_t size);

/* ---- paged arrays ---------------------------------------------------------------------------- */

#define THR_PAGED_BITS 12
#define THR_PAGED      ((size_t)1 << THR_PAGED_BITS) /* elements in a page */

typedef struct thr_paged {
    char **page; /* a shared array of shared arrays; elements nobody wrote are 0 */
    size_t pages, room;
} thr_paged;

void thr_paged_clear(thr_paged *p);
/* A second owner of all pages. `out` is empty. */
void thr_paged_share(const thr_paged *p, thr_paged *out);
/* Element i, to read; NULL where there is none. */
static inline const void *thr_paged_at(const thr_paged *p, size_t i, size_t size)
{
    size_t page = i >> THR_PAGED_BITS;
    return page < p->pages ? p->page[page] + (i & (THR_PAGED - 1)) * size : NULL;
}
/* Elements below n exist, and the page of element i < n is the caller's alone: it can be written
 * to. False: out of memory. */
bool thr_paged_reach(thr_paged *p, size_t n, size_t size);
bool thr_paged_own(thr_paged *p, size_t i, size_t size);

#endif
