#include "base/guard.h"

#include "base/hash.h"

static bool check(thr_guard *g, size_t chunk)
{
    if (__atomic_load_n(&g->state[chunk], __ATOMIC_RELAXED))
        return true;
    size_t at = chunk * THR_CHUNK, left = g->size - at;
    if (thr_hash(g->base + at, left < THR_CHUNK ? left : THR_CHUNK, 0) != g->hash[chunk]) {
        __atomic_store_n(&g->failed, true, __ATOMIC_RELAXED);
        return false;
    }
    __atomic_store_n(&g->state[chunk], 1, __ATOMIC_RELAXED);
    return true;
}

bool thr_guard_check(thr_guard *g, const void *p, size_t n)
{
    uintptr_t from = (uintptr_t)p - (uintptr_t)g->base; /* beyond size when p lies elsewhere */
    if (n && from < g->size && n <= g->size - from)
        for (size_t c = from / THR_CHUNK; c <= (from + n - 1) / THR_CHUNK; c++)
            if (!check(g, c))
                return false;
    return !__atomic_load_n(&g->failed, __ATOMIC_RELAXED);
}
