/* The table of large integers: those of the empty namespace from THR_SMALL to below 2^32.
 *
 * To the rest of the lexicon they are names: their digits are in the heap, and model files know no
 * difference. But a word of 8 bytes says all that is needed to find one, where a name is read from
 * the table of names, `origin` and the heap.
 *
 *     slot[]   | bucket 0 | bucket 1 | ...  | bucket `buckets` - 1 | reserved addresses ...
 *
 *     bucket   512 words, one page of 4 KiB; searched from a number's place on, wrapping around
 *     word     number << 32 | id, or 0 if it is empty
 *
 * The table grows by linear hashing (Litwin 1980). Whenever more than 3/8 of all words are used,
 * one bucket, the next in turn, is split: its numbers whose hash has the next bit set move to a new
 * bucket behind the last. With 5 buckets, bucket 0 has been split and 1 is next:
 *
 *     low bits of the hash    000   100   01    10    11
 *     bucket                   0     4     1     2     3
 *
 * So memory grows with the numbers, bucket by bucket in one reserved range of addresses; nothing is
 * ever rehashed as a whole or moved to another address. Buckets that are still to be split in a
 * round hold twice as many numbers as those already split, up to 3/4 of their words.
 *
 * A number whose bucket is full goes to the table of names, and `spilled` is set so that look-ups
 * try there as well. Where the process has a limit on its address space there is no such table, and
 * all large integers are ordinary names.
 *
 * Numbers can be chosen so that they all come to the same place. The adding thread counts the words
 * that it passes over (`passed`). When these are too many for the numbers, a new table is made in
 * which a random key, 0 until then, takes part in the hash (thr_integers_rekeyed).
 *
 * Threads. One thread adds, others may look up at the same time without a lock. A word holds the
 * number and its id and is stored at once, so what a reader finds is right. While a bucket is split
 * a reader may miss numbers that are in it. Where a miss is the final answer, thr_integers_sure
 * repeats the search: `splits` is a sequence lock, odd during a split and increased by two
 * afterwards. */
#ifndef THR_LEXICON_INTEGERS_H
#define THR_LEXICON_INTEGERS_H

#include "base/number.h"
#include "base/random.h"
#include "base/scan.h"
#include "example/batch.h"

#define THR_INTEGERS_BITS 9
#define THR_INTEGERS      (1u << THR_INTEGERS_BITS) /* words in a bucket */

typedef struct thr_integers {
    size_t owners;        /* the lexicon and its views */
    uint64_t *slot;       /* the words of all buckets; never moves */
    size_t buckets, used; /* buckets so far; words in use, known to the adding thread only */
    size_t splits;        /* odd while a bucket is being split */
    size_t passed;        /* words passed over by the adding thread on the way to a free one */
    uint64_t key;         /* of the hash; 0 until numbers are made to collide */
    bool spilled;         /* some large integers are in the table of names */
} thr_integers;

/* The large integer that a name of the empty namespace spells, or 0 if it spells none. Always 0 on
 * big-endian machines, where large integers are ordinary names. */
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

/* The reverse: the name of a large integer, a slice of `digits`. No branch on its length, which the
 * processor would often mispredict. */
static inline thr_str thr_integer_name(uint32_t number, char digits[static 24])
{
    if (!THR_SCANS)
        return (thr_str){digits, thr_print_u64(number, digits)};
    thr_write_digits(number, digits);
    size_t n = 8u + (number > 99999999) + (number > 999999999);
    return (thr_str){digits + 10 - n, n};
}

static inline uint64_t thr_integer_hash(const thr_integers *t, uint32_t number)
{
    return thr_mix64(number + t->key);
}

/* The bucket of a hash is the number in its low bits: just as many bits as all buckets need, or one
 * bit less if there is no bucket of that number yet. */
static inline size_t thr_integer_bucket(size_t buckets, uint64_t hash)
{
    size_t half = (size_t)1 << (63 - __builtin_clzll(buckets));
    size_t bucket = hash & (2 * half - 1);
    return bucket < buckets ? bucket : bucket - half;
}

/* The place in the bucket where the search begins is the number in the high bits of the hash. */
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

/* The word where the search for a number begins; also the address to prefetch. */
static inline const uint64_t *thr_integer_home(const thr_integers *t, uint32_t number)
{
    uint64_t hash = thr_integer_hash(t, number);
    size_t bucket = thr_integer_bucket(thr_integer_buckets(t), hash);
    return t->slot + bucket * THR_INTEGERS + thr_integer_at(hash);
}

/* The id of a number, or 0 if it is not found. `home` is its thr_integer_home, computed before. */
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

static inline uint32_t thr_integers_find(const thr_integers *t, uint32_t number)
{
    return thr_integers_from(t, thr_integer_home(t, number), number);
}

/* The same, but a number that was in the table before the call is found even if another thread
 * splits buckets during the call. It waits for a split that is under way. */
uint32_t thr_integers_sure(const thr_integers *t, uint32_t number);

/* An empty table. NULL: out of memory, or address space is limited. */
thr_integers *thr_integers_new(void);
thr_integers *thr_integers_share(thr_integers *t); /* adds an owner; takes NULL */
void thr_integers_free(thr_integers *t);           /* drops an owner; the last one frees it */
/* The word where a number that is not in the table can be put; NULL: its bucket is full. */
uint64_t *thr_integers_place(thr_integers *t, uint32_t number);
/* Stores a number at its place and splits a bucket if it is time, after which other places are no
 * longer valid. */
void thr_integers_put(thr_integers *t, uint64_t *place, uint32_t number, uint32_t id);
/* Whether so many words were passed over that the numbers must be made to collide: more than
 * THR_PASSED for each number, where others need 4 at most. It is asked before a number is added. */
#define THR_PASSED 16
static inline bool thr_integers_strained(const thr_integers *t)
{
    return t->key == 0 && t->passed > THR_PASSED * (t->used + THR_INTEGERS);
}
/* A separate table with the same numbers and a random key, or NULL. */
thr_integers *thr_integers_rekeyed(const thr_integers *from);
/* A separate table with the same numbers, or NULL. No thread may add to `from` during the call. */
thr_integers *thr_integers_copy(const thr_integers *from);

#endif
