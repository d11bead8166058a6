/* Integers of the empty namespace that are too large for an array: from THR_SMALL to below 2^32.
 * They are names, and are kept as such; but eight bytes find one where a slot of the table of names
 * takes 32.
 *
 *   slot     number << 32 | id, or 0                buckets of 512, searched from the number's
 * place buckets  0 ... buckets - 1                      one after the other, in reserved address
 * space
 *
 * Linear hashing (Litwin 1980): whenever 3/8 of all slots are used, the next bucket in turn gives
 * the half of its numbers whose next bit is set to a new one behind the last. So memory grows with
 * the numbers, nothing is made anew, and a bucket that is about to be split is 3/4 full.
 *
 * A number whose bucket is full is among the other names; all are where address space is counted.
 *
 * Others may look up while one adds. A slot is one word, so what they find is right; while a bucket
 * is split they may miss what was in it. Where a miss must be certain (thr_integers_sure) `splits`
 * tells: it is odd during a split and another number afterwards (a sequence lock). */
#ifndef THR_LEXICON_INTEGERS_H
#define THR_LEXICON_INTEGERS_H

#include "base/number.h"
#include "base/random.h"
#include "base/scan.h"
#include "example/batch.h"

#define THR_INTEGERS_BITS 9 /* of the number of slots in a bucket */
#define THR_INTEGERS      (1u << THR_INTEGERS_BITS)

typedef struct thr_integers {
    size_t owners;
    uint64_t *slot;
    size_t buckets, used;
    size_t splits; /* odd while a bucket is split */
    bool spilled;  /* some are among the other names */
} thr_integers;

/* The number, of a name of the empty namespace that is one; else 0. */
static inline uint32_t thr_large_integer(thr_str name)
{
    if (!THR_SCANS || name.n < 8 || name.n > 10 || name.p[0] == '0' || thr_count_digits(name.p) < 8)
        return 0;
    uint64_t number = thr_join_digits(name.p, 8);
    for (size_t i = 8; i < name.n; i++) {
        unsigned digit = (unsigned char)name.p[i] - (unsigned)'0';
        if (digit > 9)
            return 0;
        number = number * 10 + digit;
    }
    return number >= THR_SMALL && number <= UINT32_MAX ? (uint32_t)number : 0;
}

/* The other way: its name, which lies in `digits`. No branch, since lengths are hard to foresee. */
static inline thr_str thr_integer_name(uint32_t number, char digits[static 24])
{
    if (!THR_SCANS)
        return (thr_str){digits, thr_print_u64(number, digits)};
    thr_write_digits(number, digits);
    size_t n = 8u + (number > 99999999) + (number > 999999999);
    return (thr_str){digits + 10 - n, n};
}

static inline uint64_t thr_integer_hash(uint32_t number)
{
    return thr_mix64(number);
}

/* The bucket of a hash is its low bits: as many as number all buckets, or one less where there is
 * none of that number yet. */
static inline size_t thr_integer_bucket(size_t buckets, uint64_t hash)
{
    size_t half = (size_t)1 << (63 - __builtin_clzll(buckets));
    size_t bucket = hash & (2 * half - 1);
    return bucket < buckets ? bucket : bucket - half;
}

/* Its place there is the high bits. */
static inline size_t thr_integer_at(uint64_t hash)
{
    return hash >> (64 - THR_INTEGERS_BITS);
}

static inline size_t thr_integer_buckets(const thr_integers *t)
{
    return __atomic_load_n(&t->buckets, __ATOMIC_ACQUIRE);
}

static inline bool thr_integers_spilled(const thr_integers *t)
{
    return __atomic_load_n(&t->spilled, __ATOMIC_RELAXED);
}

/* Where a number is looked for first. */
static inline const uint64_t *thr_integer_home(const thr_integers *t, uint32_t number)
{
    uint64_t hash = thr_integer_hash(number);
    size_t bucket = thr_integer_bucket(thr_integer_buckets(t), hash);
    return t->slot + bucket * THR_INTEGERS + thr_integer_at(hash);
}

/* The id of a number, or 0, looked for from its home on. */
static inline uint32_t thr_integers_from(const thr_integers *t, const uint64_t *home,
                                         uint32_t number)
{
    size_t at = (size_t)(home - t->slot), end = at + THR_INTEGERS;
    const uint64_t *bucket = t->slot + (at & ~(size_t)(THR_INTEGERS - 1));
    uint64_t s;
    for (; at < end && (s = __atomic_load_n(&bucket[at % THR_INTEGERS], __ATOMIC_RELAXED)); at++)
        if (s >> 32 == number)
            return (uint32_t)s;
    return 0;
}

/* The same. */
static inline uint32_t thr_integers_find(const thr_integers *t, uint32_t number)
{
    return thr_integers_from(t, thr_integer_home(t, number), number);
}

/* The same, however often buckets are split meanwhile: a number that was there before the call is
 * found. */
uint32_t thr_integers_sure(const thr_integers *t, uint32_t number);

/* A table, if it can be had; else NULL. */
thr_integers *thr_integers_new(void);
thr_integers *thr_integers_share(thr_integers *t); /* one owner more */
void thr_integers_free(thr_integers *t);           /* ... and one less */
/* Where a number that is not there may be put; NULL: nowhere. */
uint64_t *thr_integers_place(thr_integers *t, uint32_t number);
void thr_integers_put(thr_integers *t, uint64_t *place, uint32_t number, uint32_t id);
/* A table of its own with the same numbers, or NULL. Nobody may add meanwhile. */
thr_integers *thr_integers_copy(const thr_integers *from);

#endif
