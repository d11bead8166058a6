/* Looking up the features of a whole batch. Private to the lexicon.
 *
 * lookup.c, with lookup_names.c, finds the features that are known, and resolve.c gives ids to the
 * others. The time for a
 * look-up in a large table is mostly that of a cache miss and a TLB miss. All of them therefore
 * work on groups of features: they compute the addresses of a group, prefetch them all, and read
 * them afterwards, so that the misses overlap. */
#ifndef THR_LEXICON_LOOKUP_H
#define THR_LEXICON_LOOKUP_H

#include "base/hash_name.h"
#include "lexicon/keys.h"

#define THR_GROUP 32 /* features looked up together */

/* A batch and the lexicon that its features are looked up in. */
typedef struct thr_search {
    const thr_lexicon *x;
    const thr_batch *b;  /* the search writes to the array b->id */
    const uint32_t *map; /* namespaces of the batch -> those of the lexicon */
    bool known;          /* as in thr_key_find */
    thr_guard *guard;    /* checks the file's slots; NULL: there are none, or all are checked */
} thr_search;

/* The lexicon's number of each namespace of the batch, THR_NONE for one that it does not know. The
 * caller frees the array. NULL: out of memory. */
uint32_t *thr_map_spaces(const thr_lexicon *x, const thr_batch *b);
thr_search thr_search_in(const thr_lexicon *x, const thr_batch *b, const uint32_t *map, bool known);
/* The id of one key of the batch, THR_NONE if it is not known. */
uint32_t thr_search_one(const thr_search *s, uint64_t key);
/* Stores the ids of the features f with from <= f < to in b->id, THR_NONE for those not known. */
void thr_search_some(const thr_search *s, size_t from, size_t to);

/* Looks up names, and features that may stand among them, from `from` on, where the lexicon has a
 * table of names and the parser has hashed with its seed. Ends at the first feature of another kind
 * (small integers in `flat`, large integers that are names, and the bias may stand among them), or
 * at once if the table has a secret hash. Returns the first feature not looked up. */
size_t thr_find_names(const thr_search *s, size_t from, size_t to);

/* The id at a place in `flat`. A place that is still 0 gives THR_NONE, which is 0 - 1, without a
 * branch. */
static inline uint32_t thr_flat_id(const uint32_t *place)
{
    uint32_t id = __atomic_load_n(place, __ATOMIC_RELAXED);
    return id - (id == 0);
}

/* Batches from a cache have no keys: their features are numbers in the cache's own list of names,
 * and names->id maps these numbers to ids. A block brings the names that it is the first to use
 * (b->fresh). thr_fresh_ready makes room for their ids in names->id. After the caller has written
 * n of them behind the others, thr_fresh_number counts them in. thr_numbers_to_ids then stores the
 * ids of the features from..to of the batch. False: out of memory, or a block was left out. */
bool thr_fresh_ready(thr_names *names, const thr_batch *b);
void thr_fresh_number(thr_names *names, size_t n);
bool thr_numbers_to_ids(thr_batch *b, size_t from, size_t to);

/* The hash of a large integer's name, which has 8 to 10 digits. Told so, the compiler keeps only
 * the branches of XXH3 for these lengths. */
static inline uint64_t thr_hash_digits(thr_str name, uint64_t seed)
{
    if (name.n < 8 || name.n > 10)
        __builtin_unreachable();
    return thr_hash_name(name.p, name.n, seed);
}

/* The lexicon's form of a key of a batch. A large integer becomes a name; its digits are written to
 * `digits`, which has room for 24 bytes. The hash that the parser has computed is used if it was
 * made with the lexicon's seed. */
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

/* Prefetches n addresses, back to back. A prefetch that misses the TLB waits for its page walk, and
 * instructions pile up behind it; the fewer other instructions lie between two prefetches, the more
 * page walks are under way at once. Always inlined: the compiler sees no effect in a function that
 * only prefetches and may remove a call of it. */
__attribute__((always_inline)) static inline void thr_prefetch_all(const void *const *place,
                                                                   size_t n)
{
#pragma GCC unroll 4
    for (size_t i = 0; i < n; i++)
        __builtin_prefetch(place[i]);
}

/* The address to prefetch for an integer: where its id is, or where the search for it begins. If
 * neither is known, any address that may be read. */
static inline const void *thr_number_place(const thr_lexicon *x, uint64_t key)
{
    if (key & THR_KEY_LARGE && x->integers)
        return thr_integer_home(x->integers, (uint32_t)key);
    return key < THR_SMALL && x->flat ? (const void *)(x->flat + key) : x;
}

#endif
