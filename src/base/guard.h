/* A guard over mapped bytes: each chunk of 64 KiB is checked against its hash when it is first
 * touched. Threads may touch at once; a failure is remembered. */
#ifndef THR_BASE_GUARD_H
#define THR_BASE_GUARD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define THR_CHUNK ((size_t)1 << 16)

typedef struct thr_guard {
    const char *base;
    size_t size; /* bytes covered */
    const uint64_t *hash;
    uint64_t *good; /* a bit per chunk: looked at, and found to be as it was written */
    bool failed;
} thr_guard;

static inline size_t thr_chunks(size_t bytes)
{
    return bytes / THR_CHUNK + (bytes % THR_CHUNK != 0);
}

/* Of `good`, for so many bytes. */
static inline size_t thr_guard_words(size_t bytes)
{
    return thr_chunks(bytes) / 64 + 1;
}

static inline bool thr_guard_good(const thr_guard *g, size_t chunk)
{
    return __atomic_load_n(&g->good[chunk / 64], __ATOMIC_RELAXED) >> chunk % 64 & 1;
}

/* Checks what [p, p+n) lies in, if anything. Returns false once anything has failed. */
bool thr_guard_check(thr_guard *g, const void *p, size_t n);

/* How many of the n bytes from p on have been found good: touching those would tell nothing new. */
size_t thr_guard_reach(const thr_guard *g, const void *p, size_t n);

/* thr_guard_check; mostly its one or two chunks have been looked at before. */
static inline bool thr_guard_touch(thr_guard *g, const void *p, size_t n)
{
    uintptr_t from = (uintptr_t)p - (uintptr_t)g->base; /* beyond size when p lies elsewhere */
    if (n && n <= THR_CHUNK && from < g->size && n <= g->size - from &&
        thr_guard_good(g, from / THR_CHUNK) && thr_guard_good(g, (from + n - 1) / THR_CHUNK))
        return !__atomic_load_n(&g->failed, __ATOMIC_RELAXED);
    return thr_guard_check(g, p, n);
}

#endif
