/* Blocks by aligned_alloc below 2 MiB and by mmap from there on; advice by madvise. */
#include "base/large.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>

#if defined(__linux__) && !defined(MADV_COLLAPSE) /* kernels before 6.1 merely refuse it */
#define MADV_COLLAPSE 25
#endif

#define LINE ((size_t)64)
#define FREE ((size_t)1 << 34) /* bytes of address space wanted behind a first block */

static size_t rounded(size_t bytes, size_t unit)
{
    return (bytes + unit - 1) / unit * unit;
}

static char *map_at(void *wish, size_t bytes, int protection, int flags)
{
    char *map = mmap(wish, bytes, protection, MAP_PRIVATE | MAP_ANONYMOUS | flags, -1, 0);
    return map == MAP_FAILED ? NULL : map;
}

/* Maps `room` bytes, a multiple of THR_HUGE, at a multiple of THR_HUGE. mmap aligns to small
 * pages only, so one huge page more is mapped and the excess at both ends is unmapped. */
static char *map_huge(size_t room, int flags)
{
    char *map = map_at(NULL, room + THR_HUGE, PROT_READ | PROT_WRITE, flags);
    if (!map)
        return NULL;
    size_t before = rounded((uintptr_t)map, THR_HUGE) - (uintptr_t)map;
    if (before)
        munmap(map, before);
    munmap(map + before + room, THR_HUGE - before);
    return map + before;
}

void *thr_large_new_unset(size_t bytes)
{
    if (bytes > SIZE_MAX / 4)
        return NULL;
    if (bytes < THR_HUGE)
        return aligned_alloc(LINE, rounded(bytes ? bytes : 1, LINE));
    size_t room = rounded(bytes, THR_HUGE);
    char *map = map_huge(room, 0);
#ifdef MADV_HUGEPAGE /* the last huge page stays small pages if most of it would be wasted */
    bool filled = room - bytes <= bytes / 8;
    if (map)
        madvise(map, filled ? room : room - THR_HUGE, MADV_HUGEPAGE);
#endif
    return map;
}

void *thr_large_new(size_t bytes)
{
    void *p = thr_large_new_unset(bytes);
    if (p && bytes < THR_HUGE) /* pages of the system are zeroed */
        memset(p, 0, rounded(bytes ? bytes : 1, LINE));
    return p;
}

/* Whether the process has a limit on its address space (ulimit -v). If so, unused addresses are
 * not free of charge. */
static bool is_counted(void)
{
    struct rlimit most;
    return getrlimit(RLIMIT_AS, &most) != 0 || most.rlim_cur != RLIM_INFINITY;
}

/* The bottom of a hole of FREE bytes in the address space, found by mapping and unmapping it.
 * Linux places new mappings from the top of a hole downwards, so blocks that are mapped one
 * behind the other from its bottom upwards have it to themselves for a long time. */
static void *free_place(void)
{
    char *map = is_counted() ? NULL : map_at(NULL, FREE, PROT_NONE, MAP_NORESERVE);
    if (!map)
        return NULL;
    munmap(map, FREE);
    return map + (rounded((uintptr_t)map, THR_HUGE) - (uintptr_t)map);
}

void *thr_large_new_behind(void *before, size_t bytes)
{
    void *wish = bytes == 0 || bytes % THR_HUGE ? NULL : before ? before : free_place();
    char *map = NULL;
#ifdef MAP_FIXED_NOREPLACE
    if (wish)
        map = map_at(wish, bytes, PROT_READ | PROT_WRITE, MAP_FIXED_NOREPLACE);
#endif
    if (map && map != wish) { /* a kernel before 4.17 takes the address as a mere hint */
        munmap(map, bytes);
        map = NULL;
    }
    if (!map)
        return thr_large_new(bytes);
#ifdef MADV_HUGEPAGE
    madvise(map, bytes, MADV_HUGEPAGE);
#endif
    return map;
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

void *thr_reserve_new(size_t bytes)
{
    return is_counted() ? NULL : map_huge(rounded(bytes, THR_HUGE), MAP_NORESERVE);
}

void thr_reserve_large(void *p, size_t bytes)
{
#ifdef MADV_HUGEPAGE
    madvise(p, bytes, MADV_HUGEPAGE);
#else
    (void)p, (void)bytes;
#endif
}

void thr_reserve_join(void *p, size_t bytes)
{
#ifdef MADV_COLLAPSE
    madvise(p, bytes, MADV_COLLAPSE);
#else
    (void)p, (void)bytes;
#endif
}

void thr_reserve_free(void *p, size_t bytes)
{
    if (p)
        munmap(p, rounded(bytes, THR_HUGE));
}
