#include "lexicon/integers.h"

#include "base/large.h"

#include <string.h>

#define BYTES   ((size_t)1 << 33) /* of addresses; some 5 10^8 numbers */
#define BUCKETS (BYTES / sizeof(uint64_t) / THR_INTEGERS)

bool thr_integers_init(thr_integers *t)
{
    t->slot = thr_reserve_new(BYTES);
    t->refused = !t->slot;
    t->buckets = t->slot ? 1 : 0;
    if (t->slot) /* small ones at first: there may be few */
        thr_reserve_large(t->slot + THR_HUGE / sizeof *t->slot, BYTES - THR_HUGE);
    return t->slot;
}

void thr_integers_clear(thr_integers *t)
{
    thr_reserve_free(t->slot, BYTES);
    *t = (thr_integers){0};
}

static uint64_t *bucket_of(const thr_integers *t, uint64_t hash)
{
    return t->slot + thr_integer_bucket(t->buckets, hash) * THR_INTEGERS;
}

static uint64_t *free_slot(uint64_t *bucket, uint64_t hash)
{
    size_t at = thr_integer_at(hash), end = at + THR_INTEGERS;
    while (at < end && bucket[at % THR_INTEGERS])
        at++;
    return at < end ? &bucket[at % THR_INTEGERS] : NULL;
}

uint64_t *thr_integers_place(thr_integers *t, uint32_t number)
{
    uint64_t hash = thr_integer_hash(number);
    return t->slot ? free_slot(bucket_of(t, hash), hash) : NULL;
}

static void store(uint64_t *place, uint64_t slot)
{
    __atomic_store_n(place, slot, __ATOMIC_RELAXED);
}

/* Those that go are found in their new place before they are taken out of the old. */
static void split(thr_integers *t)
{
    size_t half = (size_t)1 << (63 - __builtin_clzll(t->buckets)), stays = 0;
    uint64_t *from = t->slot + (t->buckets - half) * THR_INTEGERS;
    uint64_t *to = t->slot + t->buckets * THR_INTEGERS, stay[THR_INTEGERS];
    for (size_t i = 0; i < THR_INTEGERS; i++) {
        uint64_t hash = thr_integer_hash((uint32_t)(from[i] >> 32));
        if (from[i] && hash & half)
            store(free_slot(to, hash), from[i]);
        else if (from[i])
            stay[stays++] = from[i];
    }
    __atomic_store_n(&t->buckets, t->buckets + 1, __ATOMIC_RELEASE);
    for (size_t i = 0; i < THR_INTEGERS; i++)
        store(&from[i], 0);
    for (size_t i = 0; i < stays; i++)
        store(free_slot(from, thr_integer_hash((uint32_t)(stay[i] >> 32))), stay[i]);
}

void thr_integers_put(thr_integers *t, uint64_t *place, uint32_t number, uint32_t id)
{
    store(place, (uint64_t)number << 32 | id);
    t->used++;
    if (t->used * 8 > t->buckets * THR_INTEGERS * 3 && t->buckets < BUCKETS)
        split(t);
}

bool thr_integers_copy(thr_integers *t, const thr_integers *from)
{
    if (!from->slot)
        return true;
    if (!t->slot && !thr_integers_init(t))
        return false;
    memcpy(t->slot, from->slot, from->buckets * THR_INTEGERS * sizeof *t->slot);
    t->buckets = from->buckets;
    t->used = from->used;
    t->spilled = from->spilled;
    return true;
}
