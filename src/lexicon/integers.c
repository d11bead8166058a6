/* Growing the table of large integers, and searching it with certainty while it grows. */
#include "lexicon/integers.h"

#include "base/large.h"
#include "base/secret.h"
#include "base/share.h"

#include <stdlib.h>
#include <string.h>

/* Address space reserved for a table: 2^30 words, or 4 10^8 numbers at a load of 3/8. When it is
 * used up, buckets are no longer split but fill up. */
#define BYTES   ((size_t)1 << 33)
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
    /* Huge pages only from the second 2 MiB on: a table of few numbers stays in small pages. */
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

/* The first empty word from the hash's place on; NULL: the bucket is full. */
static uint64_t *free_slot(thr_integers *t, uint64_t *bucket, uint64_t hash)
{
    size_t at = thr_integer_at(hash), end = at + THR_INTEGERS;
    while (at < end && bucket[at % THR_INTEGERS])
        at++;
    t->passed += at - thr_integer_at(hash);
    return at < end ? &bucket[at % THR_INTEGERS] : NULL;
}

uint64_t *thr_integers_place(thr_integers *t, uint32_t number)
{
    uint64_t hash = thr_integer_hash(t, number);
    size_t bucket = thr_integer_bucket(t->buckets, hash);
    return free_slot(t, t->slot + bucket * THR_INTEGERS, hash);
}

/* With release: a reader whose acquire load sees a word written by a split then also sees that
 * `splits` has changed. */
static void store(uint64_t *place, uint64_t slot)
{
    __atomic_store_n(place, slot, __ATOMIC_RELEASE);
}

static size_t splits_of(const thr_integers *t)
{
    return __atomic_load_n(&t->splits, __ATOMIC_ACQUIRE);
}

/* A number found is right in any case. Not finding it counts only if no split was under way before
 * the search and none has begun since. The loads are acquire loads, so that the load of `splits`
 * that follows cannot be done before the loads of the words. */
uint32_t thr_integers_sure(const thr_integers *t, uint32_t number)
{
    uint64_t hash = thr_integer_hash(t, number), s;
    for (;;) {
        size_t before = splits_of(t), at = thr_integer_at(hash), end = at + THR_INTEGERS;
        const uint64_t *bucket =
            t->slot + thr_integer_bucket(thr_integer_buckets(t), hash) * THR_INTEGERS;
        for (; at < end && (s = __atomic_load_n(&bucket[at % THR_INTEGERS], __ATOMIC_ACQUIRE));
             at++)
            if (s >> 32 == number)
                return (uint32_t)s;
        if (before % 2 == 0 && splits_of(t) == before)
            return 0;
    }
}

/* Splits the next bucket, `from`, into itself and the new last bucket, `to`. `half` is the largest
 * power of two that is at most `buckets`, and the bit of the hash that decides. Numbers that move
 * are stored in `to` and made reachable, by the new number of buckets, before `from` is cleared.
 * Numbers that stay are cleared, too, and put back, since the words before them may have become
 * empty: a search must not meet an empty word between a number's place and its word. */
static void split(thr_integers *t)
{
    size_t half = (size_t)1 << (63 - __builtin_clzll(t->buckets)), stays = 0;
    uint64_t *from = t->slot + (t->buckets - half) * THR_INTEGERS;
    uint64_t *to = t->slot + t->buckets * THR_INTEGERS, stay[THR_INTEGERS];
    __atomic_store_n(&t->splits, t->splits + 1, __ATOMIC_RELEASE);
    for (size_t i = 0; i < THR_INTEGERS; i++) {
        uint64_t hash = thr_integer_hash(t, (uint32_t)(from[i] >> 32));
        if (from[i] && hash & half)
            store(free_slot(t, to, hash), from[i]);
        else if (from[i])
            stay[stays++] = from[i];
    }
    __atomic_store_n(&t->buckets, t->buckets + 1, __ATOMIC_RELEASE);
    for (size_t i = 0; i < THR_INTEGERS; i++)
        store(&from[i], 0);
    for (size_t i = 0; i < stays; i++)
        store(free_slot(t, from, thr_integer_hash(t, (uint32_t)(stay[i] >> 32))), stay[i]);
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
    t->passed = from->passed;
    t->key = from->key;
    t->spilled = from->spilled;
    return t;
}

/* The words are added one by one. A bucket that is full by chance is left to the caller's old
 * table. */
thr_integers *thr_integers_rekeyed(const thr_integers *from)
{
    thr_integers *t = thr_integers_new();
    thr_secret secret = {0};
    if (!t)
        return NULL;
    thr_secret_draw(&secret);
    t->key = secret.key[1] | 1; /* never 0 */
    t->spilled = from->spilled;
    for (size_t i = 0; i < from->buckets * THR_INTEGERS; i++) {
        uint32_t number = (uint32_t)(from->slot[i] >> 32);
        uint64_t *place = from->slot[i] ? thr_integers_place(t, number) : NULL;
        if (from->slot[i] && !place) {
            thr_integers_free(t);
            return NULL;
        }
        if (place)
            thr_integers_put(t, place, number, (uint32_t)from->slot[i]);
    }
    return t;
}
