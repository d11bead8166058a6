/* A guard over the bytes of a mapped file: each chunk of 64 KiB is compared with its stored
 * hash when it is first used. Opening a large model therefore reads only what is needed, and
 * damage is still noticed before a damaged byte counts.
 *
 *   bytes   | chunk 0 | chunk 1 | chunk 2 | ...      mapped
 *   hash    |  u64    |  u64    |  u64    |          from the file
 *   good    |  bit    |  bit    |  bit    |          set once the chunk has matched its hash
 *
 * Any number of threads may call the functions below at once. Relaxed atomics are enough: bytes
 * that are not known to be good do not change, so a thread that misses a bit merely hashes the
 * chunk again. (Training writes into its private map; a model that is opened for training has
 * all its chunks checked first.) `failed` is never cleared. A caller may therefore use many
 * bytes and ask once at the end whether all of them were sound. */
#ifndef THR_BASE_GUARD_H
#define THR_BASE_GUARD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define THR_CHUNK ((size_t)1 << 16)

typedef struct thr_guard {
    const char *base;
    size_t size;          /* bytes covered */
    const uint64_t *hash; /* one per chunk; borrowed */
    uint64_t *good;       /* one bit per chunk: it has been hashed and matches; borrowed */
    bool failed;          /* some chunk did not match */
} thr_guard;

static inline size_t thr_guard_chunks(size_t bytes)
{
    return bytes / THR_CHUNK + (bytes % THR_CHUNK != 0);
}

/* The number of words that `good` needs for that many bytes. */
static inline size_t thr_guard_words(size_t bytes)
{
    return thr_guard_chunks(bytes) / 64 + 1;
}

static inline bool thr_guard_good(const thr_guard *g, size_t chunk)
{
    return __atomic_load_n(&g->good[chunk / 64], __ATOMIC_RELAXED) >> chunk % 64 & 1;
}

/* Checks the chunks that hold [p, p+n). Memory outside the map needs no check, so callers need
 * not know where a table comes from. Returns false once any chunk has failed. */
bool thr_guard_check(thr_guard *g, const void *p, size_t n);

/* How many of the n bytes from p on are known to be good already. A caller that gets n back can
 * do without the guard from now on. Checks nothing; 0 once any chunk has failed. */
size_t thr_guard_reach(const thr_guard *g, const void *p, size_t n);

/* thr_guard_check with an inlined fast path: the one or two chunks of a short range have mostly
 * been checked before. */
static inline bool thr_guard_touch(thr_guard *g, const void *p, size_t n)
{
    uintptr_t from = (uintptr_t)p - (uintptr_t)g->base; /* >= size if p is outside the map */
    if (n && n <= THR_CHUNK && from < g->size && n <= g->size - from &&
        thr_guard_good(g, from / THR_CHUNK) && thr_guard_good(g, (from + n - 1) / THR_CHUNK))
        return !__atomic_load_n(&g->failed, __ATOMIC_RELAXED);
    return thr_guard_check(g, p, n);
}

#endif
