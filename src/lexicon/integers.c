#include "lexicon/integers.h"

#include "base/large.h"
#include "base/share.h"

#include <stdlib.h>
#include <string.h>

#define BYTES   ((size_t)1 << 33) /* of addresses; some 5 10^8 numbers */
#define BUCKETS (BYTES / sizeof(uint64_t) / THR_INTEGERS)

thr_integers *thr_integers_new(void)
{
    thr_integers *t = calloc(1, sizeof *t);
    uint64_t *slot = t ? thr_reserve_new(BYTES) : NULL;
    if (!slot) {
        free(t);
        return NULL;
    }
    *t = (thr_integers){.owners = 1, .slot = slot, .buckets = 1};
    /* small pages at first: there may be few numbers */
    thr_reserve_large(slot + THR_HUGE / sizeof *slot, BYTES - THR_HUGE);
    return t;
}

thr_integers *thr_integers_share(thr_integers *t)
{
    if (t)
        thr_owners_add(&t->owners);
    return t;
}

void thr_integers_free(thr_integers *t)
{
    if (!t || !thr_owners_drop(&t->owners))
        return;
    thr_reserve_free(t->slot, BYTES);
    free(t);
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
    return free_slot(bucket_of(t, hash), hash);
}

/* With release: a reader that sees a slot as a split left it then sees that there was a split. */
static void store(uint64_t *place, uint64_t slot)
{
    __atomic_store_n(place, slot, __ATOMIC_RELEASE);
}

static size_t splits_of(const thr_integers *t)
{
    return __atomic_load_n(&t->splits, __ATOMIC_ACQUIRE);
}

/* As thr_integers_find, but no later load is done before those of the slots. */
static uint32_t find_in_order(const thr_integers *t, uint32_t number)
{
    uint64_t hash = thr_integer_hash(number), s;
    const uint64_t *bucket =
        t->slot + thr_integer_bucket(thr_integer_buckets(t), hash) * THR_INTEGERS;
    size_t at = thr_integer_at(hash), end = at + THR_INTEGERS;
    for (; at < end && (s = __atomic_load_n(&bucket[at % THR_INTEGERS], __ATOMIC_ACQUIRE)); at++)
        if (s >> 32 == number)
            return (uint32_t)s;
    return 0;
}

uint32_t thr_integers_sure(const thr_integers *t, uint32_t number)
{
    for (;;) {
        size_t before = splits_of(t);
        uint32_t id = find_in_order(t, number);
        if (id || (before % 2 == 0 && splits_of(t) == before))
            return id;
    }
}

/* Those that go are found in their new place before they are taken out of the old. */
static void split(thr_integers *t)
{
    size_t half = (size_t)1 << (63 - __builtin_clzll(t->buckets)), stays = 0;
    uint64_t *from = t->slot + (t->buckets - half) * THR_INTEGERS;
    uint64_t *to = t->slot + t->buckets * THR_INTEGERS, stay[THR_INTEGERS];
    __atomic_store_n(&t->splits, t->splits + 1, __ATOMIC_RELEASE);
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
    __atomic_store_n(&t->splits, t->splits + 1, __ATOMIC_RELEASE);
}

void thr_integers_put(thr_integers *t, uint64_t *place, uint32_t number, uint32_t id)
{
    store(place, (uint64_t)number << 32 | id);
    t->used++;
    if (t->used * 8 > t->buckets * THR_INTEGERS * 3 && t->buckets < BUCKETS)
        split(t);
}

thr_integers *thr_integers_copy(const thr_integers *from)
{
    thr_integers *t = thr_integers_new();
    if (!t)
        return NULL;
    memcpy(t->slot, from->slot, from->buckets * THR_INTEGERS * sizeof *t->slot);
    t->buckets = from->buckets;
    t->used = from->used;
    t->spilled = from->spilled;
    return t;
}
