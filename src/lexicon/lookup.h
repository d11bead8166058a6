/* Looking up the features of many examples at once. Private to the lexicon.
 *
 * lookup.c finds what is known; resolve.c numbers the rest. Both work with the pieces below. */
#ifndef THR_LEXICON_LOOKUP_H
#define THR_LEXICON_LOOKUP_H

#include "base/hash_name.h"
#include "lexicon/keys.h"

#define THR_GROUP 32 /* names looked up together */

/* A batch and where its features are looked up. */
typedef struct thr_search {
    const thr_lexicon *x;
    const thr_batch *b;  /* its ids are filled in */
    const uint32_t *map; /* namespaces of the batch -> those of the lexicon */
    bool known;          /* what thr_key_find is to find */
    thr_guard *guard;    /* of the slots; NULL where there is none, or all have been found good */
} thr_search;

/* The lexicon's number of each namespace of the batch, THR_NONE for one that it does not know; or
 * NULL. The caller frees it. */
uint32_t *thr_map_spaces(const thr_lexicon *x, const thr_batch *b);
thr_search thr_search_in(const thr_lexicon *x, const thr_batch *b, const uint32_t *map, bool known);
/* The id of one key, THR_NONE if it is not known. */
uint32_t thr_search_one(const thr_search *s, uint64_t key);
/* Fills in the ids of the features from `from` to `to` of the batch. */
void thr_search_some(const thr_search *s, size_t from, size_t to);

/* A batch from a cache brings the names that its block is the first to use. thr_fresh_ready makes
 * room for their ids, thr_fresh_number counts n more ids that have been written behind the others,
 * thr_numbers_to_ids then fills in the ids of the batch. False: memory. */
bool thr_fresh_ready(thr_names *names, const thr_batch *b);
void thr_fresh_number(thr_names *names, size_t n);
bool thr_numbers_to_ids(thr_batch *b, size_t from, size_t to);

/* Of a large integer's name: there is left of XXH3 what it does with those lengths. */
static inline uint64_t thr_hash_digits(thr_str name, uint64_t seed)
{
    if (name.n < 8 || name.n > 10)
        __builtin_unreachable();
    return thr_hash_name(name.p, name.n, seed);
}

/* A large integer is a name to the lexicon. It is written to `digits`, which has room for 24. */
static inline thr_key thr_key_of(const thr_lexicon *x, const thr_batch *b, const uint32_t *map,
                                 uint64_t key, char *digits)
{
    if (key & THR_KEY_LARGE) {
        thr_str name = thr_integer_name((uint32_t)key, digits);
        return (thr_key){false, 0, 0, name, thr_hash_digits(name, x->seed)};
    }
    if (key & THR_KEY_NAME) {
        const thr_name *name = &b->name[key & ~THR_KEY_NAME];
        uint64_t hash = b->hash_seed == x->seed ? name->hash : thr_hash(name->p, name->n, x->seed);
        return (thr_key){false, map[name->ns], 0, {name->p, name->n}, hash};
    }
    return (thr_key){true, map[key >> THR_SMALL_BITS], key & (THR_SMALL - 1), {0}, 0};
}

/* One right after the other: one that has to wait for its page's address holds up all that is begun
 * behind it, and the less that is, the more of them wait together. Inlined by force, since a
 * function that only prefetches has no effect in the eyes of the compiler. */
__attribute__((always_inline)) static inline void thr_prefetch_all(const void *const *place,
                                                                   size_t n)
{
#pragma GCC unroll 4
    for (size_t i = 0; i < n; i++)
        __builtin_prefetch(place[i]);
}

/* Where an integer that has an array or a table is looked for first, or anywhere. */
static inline const void *thr_number_place(const thr_lexicon *x, uint64_t key)
{
    if (key & THR_KEY_LARGE && x->integers)
        return thr_integer_home(x->integers, (uint32_t)key);
    return key < THR_SMALL && x->flat ? (const void *)(x->flat + key) : x;
}

#endif
