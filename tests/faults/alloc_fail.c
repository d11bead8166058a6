/* Preloaded into a program, this makes its n-th allocation fail, n given by ALLOC_FAIL: malloc,
 * calloc, realloc, aligned_alloc, posix_memalign, or mmap of anonymous memory, in the program and
 * all libraries. The count is shared with child processes, so one allocation fails in all. With
 * ALLOC_COUNT=FILE the number of allocations is written there at the end. */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

extern void *__libc_malloc(size_t n);
extern void *__libc_calloc(size_t n, size_t size);
extern void *__libc_realloc(void *p, size_t n);
extern void *__libc_memalign(size_t alignment, size_t n);

static struct counts {
    atomic_long made;
    long fails; /* 0: none */
} * counts;

static void *map(void *at, size_t n, int protection, int flags, int fd, off_t offset)
{
    return (void *)syscall(SYS_mmap, at, n, protection, flags, fd, offset);
}

__attribute__((constructor)) static void begin(void)
{
    const char *n = getenv("ALLOC_FAIL");
    struct counts *c =
        map(NULL, sizeof *c, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (c == MAP_FAILED)
        _exit(99);
    c->fails = n ? strtol(n, NULL, 10) : 0;
    counts = c;
}

__attribute__((destructor)) static void end(void)
{
    const char *path = getenv("ALLOC_COUNT");
    int fd = path && counts ? open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644) : -1;
    if (fd >= 0)
        dprintf(fd, "%ld\n", (long)counts->made);
}

static bool fails(void)
{
    if (!counts || atomic_fetch_add(&counts->made, 1) + 1 != counts->fails)
        return false;
    errno = ENOMEM;
    return true;
}

void *malloc(size_t n)
{
    return fails() ? NULL : __libc_malloc(n);
}

void *calloc(size_t n, size_t size)
{
    return fails() ? NULL : __libc_calloc(n, size);
}

void *realloc(void *p, size_t n)
{
    return fails() ? NULL : __libc_realloc(p, n);
}

void *aligned_alloc(size_t alignment, size_t n)
{
    return fails() ? NULL : __libc_memalign(alignment, n);
}

void *memalign(size_t alignment, size_t n)
{
    return fails() ? NULL : __libc_memalign(alignment, n);
}

int posix_memalign(void **to, size_t alignment, size_t n)
{
    void *p = fails() ? NULL : __libc_memalign(alignment, n);
    if (!p)
        return ENOMEM;
    *to = p;
    return 0;
}

void *mmap(void *at, size_t n, int protection, int flags, int fd, off_t offset)
{
    if ((flags & MAP_ANONYMOUS) && fails())
        return MAP_FAILED;
    return map(at, n, protection, flags, fd, offset);
}
