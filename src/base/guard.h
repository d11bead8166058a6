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
    uint8_t *state; /* per chunk: 0 not looked at, 1 good */
    bool failed;
} thr_guard;

/* Checks what [p, p+n) lies in, if anything. Returns false once anything has failed. */
bool thr_guard_check(thr_guard *g, const void *p, size_t n);

/* The same; mostly its one or two chunks have been looked at before. */
static inline bool thr_guard_touch(thr_guard *g, const void *p, size_t n)
{
    uintptr_t from = (uintptr_t)p - (uintptr_t)g->base; /* beyond size when p lies elsewhere */
    if (n && n <= THR_CHUNK && from < g->size && n <= g->size - from &&
        __atomic_load_n(&g->state[from / THR_CHUNK], __ATOMIC_RELAXED) &&
        __atomic_load_n(&g->state[(from + n - 1) / THR_CHUNK], __ATOMIC_RELAXED))
        return !__atomic_load_n(&g->failed, __ATOMIC_RELAXED);
    return thr_guard_check(g, p, n);
}

static inline size_t thr_chunks(size_t bytes)
{
    return bytes / THR_CHUNK + (bytes % THR_CHUNK != 0);
}

#endif
