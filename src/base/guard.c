/* Hashing chunks, and finding the first that has not been hashed yet. */
#include "base/guard.h"

#include "base/hash.h"

bool thr_guard_check(thr_guard *g, const void *p, size_t n)
{
    uintptr_t from = (uintptr_t)p - (uintptr_t)g->base; /* >= size if p is outside the map */
    bool inside = n && from < g->size && n <= g->size - from;
    for (size_t c = from / THR_CHUNK; inside && c <= (from + n - 1) / THR_CHUNK; c++) {
        if (thr_guard_good(g, c))
            continue;
        size_t at = c * THR_CHUNK, left = g->size - at;
        if (thr_hash(g->base + at, left < THR_CHUNK ? left : THR_CHUNK, 0) != g->hash[c]) {
            __atomic_store_n(&g->failed, true, __ATOMIC_RELAXED);
            return false;
        }
        __atomic_fetch_or(&g->good[c / 64], UINT64_C(1) << c % 64, __ATOMIC_RELAXED);
    }
    return !__atomic_load_n(&g->failed, __ATOMIC_RELAXED);
}

/* The first chunk in [first, end) that is not known to be good, or `end`. Looks at 64 chunks at
 * a time; `before` masks the chunks of the first word that come before `first`. */
static size_t first_unknown(const thr_guard *g, size_t first, size_t end)
{
    uint64_t before = ~(~UINT64_C(0) << first % 64);
    for (size_t c = first - first % 64; c < end; c += 64, before = 0) {
        uint64_t unknown = ~(__atomic_load_n(&g->good[c / 64], __ATOMIC_RELAXED) | before);
        if (unknown) {
            c += (size_t)__builtin_ctzll(unknown);
            return c < end ? c : end;
        }
    }
    return end;
}

size_t thr_guard_reach(const thr_guard *g, const void *p, size_t n)
{
    uintptr_t from = (uintptr_t)p - (uintptr_t)g->base;
    if (__atomic_load_n(&g->failed, __ATOMIC_RELAXED))
        return 0;
    if (n == 0 || from >= g->size)
        return n;
    size_t within = n < g->size - from ? n : g->size - from, end = (from + within - 1) / THR_CHUNK;
    size_t reach = first_unknown(g, from / THR_CHUNK, end + 1) * THR_CHUNK;
    return reach <= from ? 0 : reach - from < within ? reach - from : within;
}
