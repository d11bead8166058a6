#include "base/large.h"

#include <stdint.h>
#include <sys/mman.h>

static size_t whole_pages(size_t bytes)
{
    return (bytes + THR_LARGE - 1) & ~(THR_LARGE - 1);
}

/* Maps one page too much and gives back what is before and behind. */
void *thr_large_new(size_t bytes)
{
    if (bytes > SIZE_MAX / 2)
        return NULL;
    size_t size = whole_pages(bytes), mapped = size + THR_LARGE;
    char *p = mmap(NULL, mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED)
        return NULL;
    size_t before = (THR_LARGE - (uintptr_t)p % THR_LARGE) % THR_LARGE;
    if (before)
        munmap(p, before);
    if (before < THR_LARGE)
        munmap(p + before + size, THR_LARGE - before);
#ifdef MADV_HUGEPAGE /* not of the last page, if little of it will be used */
    madvise(p + before, bytes & ~(THR_LARGE - 1), MADV_HUGEPAGE);
#endif
    return p + before;
}

void thr_large_free(void *p, size_t bytes)
{
    if (p)
        munmap(p, whole_pages(bytes));
}
