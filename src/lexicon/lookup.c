/* Finding the features of a batch that the lexicon knows.
 *
 * find_now walks over the features and hands each run of one kind to a loop for that kind, which
 * returns the first feature that it cannot handle:
 *
 *     find_in_row       small integers of the empty namespace, in `flat`
 *     find_scattered    the same where pages come from reams or a file
 *     find_large        large integers, in their own table
 *     thr_find_names    names, in the table of names (lookup_names.c); integers may stand among
 *                       them
 *     find_repeated     names, in a batch that has few of them and many features
 *     find_hashed       all kinds, in the hashed form
 *
 * Any other feature (an integer in a namespace, a name of a namespace not met before) is looked up
 * by itself, with thr_search_one. Each loop prefetches memory for many features before it reads the
 * first. All of this may run beside a thread that adds names: ids are loaded atomically, and those
 * that a view or a damaged file should not show are replaced by THR_NONE. */
#include "lexicon/lookup.h"

#include "base/index.h"
#include "base/scan.h"

#include <stdlib.h>
#include <string.h>

#define RUN        8    /* small integers that are looked up with one test of what they are */
#define LOOK_AHEAD 128  /* features between prefetch and use, for small integers in `flat` */
#define FEW_NS     8    /* namespaces of a batch; more are looked up in an index of the lexicon's */
#define AHEAD      32   /* features between prefetch and use, for large integers */
#define FEW_NAMES  1024 /* names of a batch, each of which is looked up once */
#define REPEATED   8    /* ... if a batch has so many features for each */

uint32_t *thr_map_spaces(const thr_lexicon *x, const thr_batch *b)
{
    uint32_t *map = malloc((b->n_ns + 1) * sizeof *map);
    size_t spaces = thr_spaces(x);
    if (!map)
        return NULL;
    map[0] = 0;
    for (size_t i = 1; i < b->n_ns; i++)
        map[i] = THR_NONE;
    thr_index by_name = {0};
    bool ok = true, few = b->n_ns <= FEW_NS;
    for (size_t j = 0; j < spaces && ok; j++) {
        thr_str name = {x->space[j].name, x->space[j].n};
        for (size_t i = 1; few && i < b->n_ns; i++)
            map[i] = thr_str_eq(b->ns[i], name) ? (uint32_t)j : map[i];
        ok = few || thr_index_add(&by_name, name, (uint32_t)j);
    }
    for (size_t i = 1; ok && !few && i < b->n_ns; i++)
        map[i] = thr_index_find(&by_name, b->ns[i]);
    thr_index_clear(&by_name);
    if (!ok)
        free(map);
    return ok ? map : NULL;
}

/* If all chunks under the table of slots are checked already, the search needs no guard. */
thr_search thr_search_in(const thr_lexicon *x, const thr_batch *b, const uint32_t *map, bool known)
{
    size_t bytes = x->slots * sizeof *x->slot;
    bool good = !x->guard || thr_guard_reach(x->guard, x->slot, bytes) == bytes;
    return (thr_search){x, b, map, known, good ? NULL : x->guard};
}

uint32_t thr_search_one(const thr_search *s, uint64_t key)
{
    if (key == THR_KEY_BIAS)
        return 0;
    char digits[24];
    thr_key k = thr_key_of(s->x, s->b, s->map, key, digits);
    return thr_key_find(s->x, &k, s->known);
}

/* ---- small integers ----------------------------------------------------------------------- */

/* The place of the id of a small integer of the empty namespace, prefetched; the address of a zero
 * if there is no such page; NULL for any other feature. */
__attribute__((always_inline)) static inline const uint32_t *
integer_place(uint32_t *const *page, size_t pages, uint64_t key)
{
    static const uint32_t none;
    if (key >= THR_SMALL) /* the list of pages may be longer than small integers need */
        return NULL;
    if (key >> THR_PAGE_BITS >= pages)
        return &none;
    const uint32_t *ids = thr_page(&page[key >> THR_PAGE_BITS]);
    if (!ids)
        return &none;
    __builtin_prefetch(ids + (key & (THR_PAGE - 1)));
    return ids + (key & (THR_PAGE - 1));
}

/* Small integers of the empty namespace where there is no `flat`, a group at a time. Returns the
 * first feature that is something else. */
static size_t find_scattered(const thr_search *s, size_t from, size_t to)
{
    uint32_t *const *page = s->x->space[0].page;
    size_t pages = s->x->space[0].pages, n = THR_GROUP;
    const uint64_t *key = s->b->key;
    const uint32_t *place[THR_GROUP];
    uint32_t *out = s->b->id, ids = thr_ids(s->x) - 1;
    thr_guard *guard = s->x->guard;
    for (; n == THR_GROUP; from += n) {
        size_t most = to - from < THR_GROUP ? to - from : THR_GROUP;
        for (n = 0; n < most && (place[n] = integer_place(page, pages, key[from + n]));)
            n++;
        for (size_t i = 0; i < n; i++) {
            bool sound = !guard || thr_guard_touch(guard, place[i], sizeof *place[i]);
            uint32_t id = sound ? __atomic_load_n(place[i], __ATOMIC_RELAXED) : 0;
            out[from + i] = id - 1 < ids ? id : THR_NONE;
        }
    }
    return from;
}

/* The bits that any key of a run has. */
static inline uint64_t key_bits(const uint64_t *key)
{
    uint64_t all = 0;
#pragma GCC unroll 8
    for (size_t i = 0; i < RUN; i++)
        all |= key[i];
    return all;
}

/* The keys may be of another kind; prefetching is then useless but harmless. */
static inline void prefetch_run(const uint32_t *flat, const uint64_t *key)
{
#pragma GCC unroll 8
    for (size_t i = 0; i < RUN; i++)
        __builtin_prefetch(flat + (uint32_t)key[i] % THR_SMALL);
}

/* Small integers of the empty namespace, and the bias, where all pages lie in `flat`: the common
 * case of svmlight and of arrays. A run is looked up with one test of what its keys are, and each
 * step prefetches for a run LOOK_AHEAD features further on. The bias ends most examples; behind it
 * a run begins anew, so that runs lie in the same way in all examples of one length. Returns the
 * first feature that is something else. */
static size_t find_in_row(const thr_search *s, size_t from, size_t to)
{
    const uint32_t *flat = s->x->flat;
    const uint64_t *key = s->b->key;
    uint32_t *out = s->b->id;
    while (from < to) {
        if (to - from >= LOOK_AHEAD + RUN)
            prefetch_run(flat, key + from + LOOK_AHEAD);
        if (to - from >= RUN && key_bits(key + from) < THR_SMALL) {
#pragma GCC unroll 8
            for (size_t i = 0; i < RUN; i++)
                out[from + i] = thr_flat_id(&flat[key[from + i]]);
            from += RUN;
            continue;
        }
        size_t end = to - from < RUN ? to : from + RUN;
        for (; from < end && key[from] < THR_SMALL; from++)
            out[from] = thr_flat_id(&flat[key[from]]);
        if (from == end)
            continue;
        if (key[from] != THR_KEY_BIAS)
            break;
        out[from++] = 0;
    }
    return from;
}

/* ---- large integers ----------------------------------------------------------------------- */

/* The id of a large integer, searched from its prefetched home on. In a lexicon that is open to
 * readers a miss during a split is harmless, as the batch is resolved later. In a view the answer
 * is final, so the search must be certain. */
static inline uint32_t large_id(const thr_search *s, const uint64_t *home, uint64_t key,
                                uint32_t ids)
{
    const thr_integers *t = s->x->integers;
    uint32_t id = thr_integers_from(t, home, (uint32_t)key);
    if (!id && s->x->view)
        id = thr_integers_sure(t, (uint32_t)key);
    if (!id && thr_integers_spilled(t))
        id = thr_search_one(s, key);
    return id - 1 < ids - 1 ? id : THR_NONE;
}

/* Large integers in their own table, with small ones in `flat` and the bias among them. `place` is
 * a ring of the addresses of the next AHEAD features, computed when they were prefetched. Returns
 * the first feature that is something else. */
static size_t find_large(const thr_search *s, size_t from, size_t to)
{
    const thr_lexicon *x = s->x;
    const uint64_t *key = s->b->key;
    uint32_t *out = s->b->id, ids = thr_ids(x);
    const void *place[AHEAD];
    for (size_t i = from; i < to && i < from + AHEAD; i++) {
        place[i % AHEAD] = thr_number_place(x, key[i]);
        __builtin_prefetch(place[i % AHEAD]);
    }
    for (; from < to; from++) {
        const void *at = place[from % AHEAD];
        if (to - from > AHEAD) {
            place[from % AHEAD] = thr_number_place(x, key[from + AHEAD]);
            __builtin_prefetch(place[from % AHEAD]);
        }
        if (key[from] & THR_KEY_LARGE)
            out[from] = large_id(s, at, key[from], ids);
        else if (key[from] == THR_KEY_BIAS)
            out[from] = 0;
        else if (key[from] < THR_SMALL && x->flat)
            out[from] = thr_flat_id(at);
        else
            break;
    }
    return from;
}

/* ---- the hashed form ---------------------------------------------------------------------- */

/* Features of any kind, a group at a time: first the hashes of a group, then its slots. The bias
 * has no slot (NULL), and neither has a name of a namespace that is not known. */
static void find_hashed(const thr_search *s, size_t from, size_t to)
{
    uint64_t hash[THR_GROUP];
    const void *place[THR_GROUP];
    for (size_t n; from < to; from += n) {
        const uint64_t *key = s->b->key + from;
        uint32_t *out = s->b->id + from;
        n = to - from < THR_GROUP ? to - from : THR_GROUP;
        for (size_t i = 0; i < n; i++) {
            char digits[24];
            place[i] = NULL;
            if (key[i] == THR_KEY_BIAS)
                continue;
            thr_key k = thr_key_of(s->x, s->b, s->map, key[i], digits);
            hash[i] = k.ns == THR_NONE ? 0 : thr_bucket_hash(s->x, &k);
            if (k.ns != THR_NONE)
                place[i] = thr_bucket_of(s->x, hash[i]);
        }
        thr_prefetch_all(place, n);
        for (size_t i = 0; i < n; i++)
            if (place[i])
                out[i] = thr_bucket_id(s->x, hash[i], s->known);
            else
                out[i] = key[i] == THR_KEY_BIAS ? 0 : THR_NONE;
    }
}

/* ---- names that repeat -------------------------------------------------------------------- */

/* A block of a table has one name for each column of numbers, in every row again. */
static bool names_repeat(const thr_batch *b)
{
    return b->n_names <= FEW_NAMES && b->n_names * REPEATED <= b->n_features;
}

/* Names, with the bias among them. known[i] is the id of name i, plus 1, or 0: it was not looked up
 * yet, or is unknown (THR_NONE + 1). */
static size_t find_repeated(const thr_search *s, uint32_t *known, size_t from, size_t to)
{
    const uint64_t *key = s->b->key;
    uint32_t *id = s->b->id;
    for (; from < to; from++) {
        if (key[from] & THR_KEY_NAME) {
            uint32_t *name = &known[key[from] & ~THR_KEY_NAME];
            if (*name == 0)
                *name = thr_search_one(s, key[from]) + 1;
            id[from] = *name - 1;
        } else if (key[from] == THR_KEY_BIAS)
            id[from] = 0;
        else
            break;
    }
    return from;
}

/* Names can be looked up in groups if there is a table, and if the parser hashed them with the
 * lexicon's seed. */
static void find_now(const thr_search *s, size_t from, size_t to)
{
    const thr_lexicon *x = s->x;
    if (x->hash_bits) {
        find_hashed(s, from, to);
        return;
    }
    bool by_group = (x->cell || x->slots) && s->b->hash_seed == x->seed;
    bool repeated = names_repeat(s->b);
    uint32_t known[FEW_NAMES];
    if (repeated)
        memset(known, 0, s->b->n_names * sizeof *known);
    for (size_t i = from; i < to;) {
        uint64_t key = s->b->key[i];
        size_t start = i;
        if (key < THR_SMALL && x->flat)
            i = find_in_row(s, i, to);
        else if (key < THR_SMALL)
            i = find_scattered(s, i, to);
        else if (key & THR_KEY_LARGE && x->integers)
            i = find_large(s, i, to);
        else if (key & THR_KEY_NAME && repeated)
            i = find_repeated(s, known, i, to);
        else if (key & (THR_KEY_NAME | THR_KEY_LARGE) && by_group)
            i = thr_find_names(s, i, to);
        if (i == start) {
            s->b->id[i] = thr_search_one(s, key);
            i++;
        }
    }
}

void thr_search_some(const thr_search *s, size_t from, size_t to)
{
    thr_strain_searches(s->x, to - from);
    find_now(s, from, to);
    uint32_t n = s->x->n, *id = s->b->id;
    if (s->x->view) /* names that were added after it was taken are unknown to it */
        for (size_t i = from; i < to; i++)
            id[i] = id[i] < n ? id[i] : THR_NONE;
}

/* ---- caches ------------------------------------------------------------------------------- */

/* names->n_ids counts the names that have their ids. It is below first_fresh only if an earlier
 * block was left out. In a second call for the same batch it is already beyond the batch's new
 * names, and the callers' loops find nothing to do. */
bool thr_fresh_ready(thr_names *names, const thr_batch *b)
{
    size_t need = names->n_ids + b->n_fresh + 1;
    if (names->n_ids < b->first_fresh ||
        !thr_grow(&names->id, &names->id_room, need, sizeof *names->id))
        return false;
    names->id[0] = 0;
    return true;
}

/* Also notes whether every id is still the name's number + 1. Then ids need no translation. */
void thr_fresh_number(thr_names *names, size_t n)
{
    const uint32_t *id = names->id + names->n_ids + 1;
    uint32_t number = (uint32_t)names->n_ids + 1, differ = 0;
    for (size_t i = 0; i < n; i++)
        differ |= id[i] ^ (number + (uint32_t)i);
    names->n_ids += n;
    names->renumbered |= differ != 0;
}

/* Numbers become ids by one load from an array each, or are used as ids if both are the same. */
bool thr_numbers_to_ids(thr_batch *b, size_t from, size_t to)
{
    const uint32_t *id = b->names->id, *number = b->number;
    if (!b->names->renumbered) {
        thr_batch_ids_are_numbers(b);
        return true;
    }
    if (!thr_batch_own_ids(b))
        return false;
    for (size_t i = from; i < to; i++)
        b->id[i] = id[number[i]];
    return true;
}

/* ---- batches ------------------------------------------------------------------------------ */

/* In a batch of a cache only the names that it brings are looked up. */
static int find_all(const thr_lexicon *x, thr_batch *b, bool known, thr_error *err)
{
    uint32_t *map = thr_map_spaces(x, b);
    thr_search s = thr_search_in(x, b, map, known);
    thr_names *names = b->names;
    bool ok = map && (names ? thr_fresh_ready(names, b) : thr_batch_own_ids(b));
    if (ok && names) {
        thr_strain_searches(x, b->n_fresh);
        for (size_t i = names->n_ids - b->first_fresh; i < b->n_fresh; i++) {
            names->id[names->n_ids + 1] = thr_search_one(&s, b->fresh[i]);
            thr_fresh_number(names, 1);
        }
        ok = thr_numbers_to_ids(b, 0, b->n_features);
    } else if (ok)
        thr_search_some(&s, 0, b->n_features);
    free(map);
    return ok ? 0 : thr_fail_memory(err);
}

int thr_lexicon_find(const thr_lexicon *x, thr_batch *b, thr_error *err)
{
    return find_all(x, b, false, err);
}

int thr_lookup_find(const thr_lookup *l, thr_batch *b, thr_error *err)
{
    if (!l->readers)
        return thr_lexicon_find(l->lexicon, b, err);
    pthread_rwlock_rdlock(l->readers);
    int code = find_all(l->lexicon, b, true, err);
    pthread_rwlock_unlock(l->readers);
    return code;
}

uint32_t *thr_lexicon_spaces(const thr_lexicon *x, const thr_batch *b)
{
    return thr_map_spaces(x, b);
}

uint32_t thr_lexicon_find_feature(const thr_lexicon *x, const thr_batch *b, const uint32_t *spaces,
                                  size_t i)
{
    thr_search s = {x, b, spaces, false, x->guard};
    thr_strain_searches(x, 1);
    return thr_search_one(&s, b->key[i]);
}
