/* Shared and paged arrays (share.h). Pointers are handed around as `void *`; where the address
 * of a caller's pointer is given, it is read and written by memcpy, since it may point to any
 * type. */
#include "base/share.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define LEAST 16 /* elements of the smallest array */

/* What stands in front of the elements. Its size is a multiple of the strictest alignment that
 * an element can need. */
typedef union head {
    size_t owners;
    long double align;
} head;

static head *head_of(const void *array)
{
    return (head *)(uintptr_t)array - 1;
}

static bool bytes_of(size_t n, size_t size, size_t *bytes)
{
    return !__builtin_mul_overflow(n, size, bytes) &&
           !__builtin_add_overflow(*bytes, sizeof(head), bytes);
}

/* A new array with one owner, room for `room` elements and a copy of the first n of `array`.
 * The others are not initialised. NULL: out of memory. */
static void *copied(const void *array, size_t n, size_t room, size_t size)
{
    size_t bytes;
    head *h = bytes_of(room, size, &bytes) ? malloc(bytes) : NULL;
    if (!h)
        return NULL;
    h->owners = 1;
    if (n)
        memcpy(h + 1, array, n * size);
    return h + 1;
}

bool thr_array_grow_anew(void *array, size_t *room, size_t need, size_t size)
{
    void *old, *fresh;
    memcpy(&old, array, sizeof old);
    size_t wanted = *room > SIZE_MAX / 2 ? need : *room * 2;
    wanted = wanted < need ? need : wanted;
    wanted = wanted < LEAST ? LEAST : wanted;
    bool alone = old && thr_array_alone(old); /* then it is reallocated, else copied */
    if (alone) {
        size_t bytes;
        head *h = bytes_of(wanted, size, &bytes) ? realloc(head_of(old), bytes) : NULL;
        fresh = h ? h + 1 : NULL;
    } else
        fresh = copied(old, old ? *room : 0, wanted, size);
    if (!fresh)
        return false;
    if (!alone)
        thr_array_free(old);
    memcpy(array, &fresh, sizeof fresh);
    *room = wanted;
    return true;
}

void *thr_array_zeros(size_t n, size_t size)
{
    size_t bytes;
    head *h = bytes_of(n, size, &bytes) ? calloc(1, bytes) : NULL;
    if (!h)
        return NULL;
    h->owners = 1;
    return h + 1;
}

void *thr_array_copy(const void *from, size_t n, size_t size)
{
    return copied(from, n, n, size);
}

void *thr_array_share(const void *array)
{
    if (array)
        thr_owners_add(&head_of(array)->owners);
    return (void *)(uintptr_t)array;
}

void thr_array_free(void *array)
{
    if (array && thr_owners_drop(&head_of(array)->owners))
        free(head_of(array));
}

bool thr_array_alone(const void *array)
{
    return thr_owners_alone(&head_of(array)->owners);
}

bool thr_array_own(void *array, size_t room, size_t size)
{
    void *old, *fresh;
    memcpy(&old, array, sizeof old);
    if (!old || thr_array_alone(old))
        return true;
    if (!(fresh = copied(old, room, room, size)))
        return false;
    thr_array_free(old);
    memcpy(array, &fresh, sizeof fresh);
    return true;
}

/* ---- paged arrays --------------------------------------------------------------------------- */

/* Removes an owner of the list. Only the last one removes an owner from each page: the pages
 * count the lists that they are in, not the models that share a list. */
static void drop_list(char **page, size_t pages)
{
    if (!page || !thr_owners_drop(&head_of(page)->owners))
        return;
    for (size_t i = 0; i < pages; i++)
        thr_array_free(page[i]);
    free(head_of(page));
}

void thr_paged_clear(thr_paged *p)
{
    drop_list(p->page, p->pages);
    *p = (thr_paged){0};
}

void thr_paged_share(const thr_paged *p, thr_paged *out)
{
    *out = *p;
    thr_array_share(p->page);
}

/* Makes the list the caller's alone. Its pages are then shared with the old list. */
static bool own_list(thr_paged *p)
{
    if (!p->page || thr_array_alone(p->page))
        return true;
    char **fresh = copied(p->page, p->pages, p->room, sizeof *fresh);
    if (!fresh)
        return false;
    for (size_t i = 0; i < p->pages; i++)
        thr_array_share(fresh[i]);
    drop_list(p->page, p->pages);
    p->page = fresh;
    return true;
}

bool thr_paged_reach(thr_paged *p, size_t n, size_t size)
{
    size_t need = (n + THR_PAGED - 1) >> THR_PAGED_BITS;
    if (need <= p->pages)
        return true;
    if (!own_list(p) || !thr_array_grow(&p->page, &p->room, need, sizeof *p->page))
        return false;
    while (p->pages < need) {
        char *fresh = copied(NULL, 0, THR_PAGED, size);
        if (!fresh)
            return false;
        memset(fresh, 0, THR_PAGED * size);
        p->page[p->pages++] = fresh;
    }
    return true;
}

/* Both the list and the page must be owned alone. A page in a shared list has one owner, the
 * list, and yet is read by every owner of that list. */
bool thr_paged_own(thr_paged *p, size_t i, size_t size)
{
    char **page = p->page ? &p->page[i >> THR_PAGED_BITS] : NULL;
    if (page && thr_array_alone(p->page) && thr_array_alone(*page))
        return true;
    return own_list(p) && thr_array_own(&p->page[i >> THR_PAGED_BITS], THR_PAGED, size);
}
