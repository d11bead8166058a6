#include "base/large.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>

#define LINE ((size_t)64)

static size_t rounded(size_t bytes, size_t unit)
{
    return (bytes + unit - 1) / unit * unit;
}

static void *new_lines(size_t bytes)
{
    size_t room = rounded(bytes ? bytes : 1, LINE);
    void *p = aligned_alloc(LINE, room);
    if (p)
        memset(p, 0, room);
    return p;
}

/* Maps one huge page more than needed and gives back what lies before and behind. */
static void *new_pages(size_t bytes)
{
    size_t room = rounded(bytes, THR_HUGE);
    char *map =
        mmap(NULL, room + THR_HUGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (map == MAP_FAILED)
        return NULL;
    size_t before = rounded((uintptr_t)map, THR_HUGE) - (uintptr_t)map;
    if (before)
        munmap(map, before);
    munmap(map + before + room, THR_HUGE - before);
#ifdef MADV_HUGEPAGE /* but not for a last part that would be mostly wasted */
    bool filled = room - bytes <= bytes / 8;
    madvise(map + before, filled ? room : room - THR_HUGE, MADV_HUGEPAGE);
#endif
    return map + before;
}

void *thr_large_new(size_t bytes)
{
    if (bytes > SIZE_MAX / 4)
        return NULL;
    return bytes < THR_HUGE ? new_lines(bytes) : new_pages(bytes);
}

void thr_large_free(void *p, size_t bytes)
{
    if (p && bytes >= THR_HUGE)
        munmap(p, rounded(bytes, THR_HUGE));
    else
        free(p);
}

void thr_large_release(void *p, size_t bytes)
{
    if (bytes)
        madvise(p, bytes, MADV_DONTNEED);
}

/* Address space costs nothing, unless somebody counts it. */
static bool is_counted(void)
{
    struct rlimit most;
    return getrlimit(RLIMIT_AS, &most) != 0 || most.rlim_cur != RLIM_INFINITY;
}

void *thr_reserve_new(size_t bytes)
{
    if (is_counted())
        return NULL;
    void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
                   -1, 0);
    return p == MAP_FAILED ? NULL : p;
}

void thr_reserve_free(void *p, size_t bytes)
{
    if (p)
        munmap(p, bytes);
}
