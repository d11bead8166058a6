/* Giving ids to all features of a batch, in two steps:
 *
 *     find the features that are known     lookup.c
 *     add the others                       here, in stream order
 *
 * The first step may have been done by another thread (thr_lookup_find). That thread may have
 * missed names that were added since, so the second step looks each unknown name up again before it
 * adds it. New names are met in the same order either way, and get the same ids. */
#include "lexicon/lookup.h"

#include <stdlib.h>
#include <string.h>

#define AT_ONCE 16 /* ids that unknown_among tests at once */
/* The first step is done for so many features before the second is done for them: few enough that
 * their ids are still in the processor's cache, and that a new name that is frequent is known to
 * the next first step. */
#define PIECE 4096

/* ---- adding the features that are new ----------------------------------------------------- */

/* Finds or adds one key. A namespace that the lexicon does not know is added with its first name,
 * and entered in the map. */
static int add_one(thr_lexicon *x, const thr_batch *b, uint32_t *map, uint64_t key, uint32_t *id,
                   thr_error *err)
{
    if (key == THR_KEY_BIAS) {
        *id = 0;
        return 0;
    }
    uint32_t ns = key & THR_KEY_NAME    ? b->name[key & ~THR_KEY_NAME].ns
                  : key & THR_KEY_LARGE ? 0
                                        : (uint32_t)(key >> THR_SMALL_BITS);
    if (map[ns] == THR_NONE) {
        int code = thr_lexicon_space(x, b->ns[ns], &map[ns], err);
        if (code)
            return code;
    }
    char digits[24];
    thr_key k = thr_key_of(x, b, map, key, digits);
    return thr_key_add(x, &k, id, err);
}

/* A bit for each of the next AT_ONCE ids: whether it is THR_NONE. */
static inline unsigned unknown_among(const uint32_t *id)
{
    unsigned among = 0;
#if THR_WIDE
    __m128i none = _mm_set1_epi32(-1), four[AT_ONCE / 4];
    memcpy(four, id, sizeof four);
    for (size_t i = 0; i < AT_ONCE / 4; i++)
        four[i] = _mm_cmpeq_epi32(four[i], none);
    __m128i low = _mm_packs_epi32(four[0], four[1]), high = _mm_packs_epi32(four[2], four[3]);
    among = (unsigned)_mm_movemask_epi8(_mm_packs_epi16(low, high));
#else
    for (size_t i = 0; i < AT_ONCE; i++)
        among |= (unsigned)(id[i] == THR_NONE) << i;
#endif
    return among;
}

/* Stores in `at` the next features that are not known, and returns how many: at least THR_GROUP of
 * them if there are, and less than THR_GROUP + AT_ONCE. *from becomes the first feature that was
 * not examined. */
static size_t next_unknown(const uint32_t *id, size_t *from, size_t to, size_t *at)
{
    size_t n = 0, i = *from;
    for (; to - i >= AT_ONCE && n < THR_GROUP; i += AT_ONCE) {
        unsigned among = unknown_among(id + i);
        for (size_t k = 0; among && k < AT_ONCE; k++) { /* which of them cannot be foreseen */
            at[n] = i + k;
            n += among >> k & 1;
        }
    }
    for (; i < to && n < THR_GROUP; i++)
        if (id[i] == THR_NONE)
            at[n++] = i;
    *from = i;
    return n;
}

/* Prefetches where the search for each of n keys will begin; without a table of names, any address
 * that may be read. */
static void prefetch_places(const thr_lexicon *x, const thr_batch *b, const uint32_t *map,
                            const uint64_t *key, size_t n)
{
    const void *place[THR_GROUP + AT_ONCE];
    for (size_t i = 0; i < n; i++) {
        place[i] = x;
        if (!(key[i] & THR_KEY_NAME))
            place[i] = thr_number_place(x, key[i]);
        else if (x->cell && !x->keyed) {
            const thr_name *name = &b->name[key[i] & ~THR_KEY_NAME];
            uint64_t hash = thr_name_hash(name->hash, map[name->ns]);
            thr_tables now = thr_tables_now(x);
            size_t mask;
            const uint64_t *cell = thr_table_of(&now, hash, &mask);
            place[i] = &cell[(uint32_t)hash & mask];
        }
    }
    thr_prefetch_all(place, n);
}

/* Finds or adds a key if it is a name of a namespace that the lexicon knows, hashed with its seed,
 * and names are kept. False: it is something else. */
static inline bool add_name(thr_lexicon *x, const thr_batch *b, const uint32_t *map, uint64_t key,
                            uint32_t *id, int *code, thr_error *err)
{
    if (!(key & THR_KEY_NAME) || x->hash_bits || b->hash_seed != x->seed)
        return false;
    const thr_name *name = &b->name[key & ~THR_KEY_NAME];
    uint32_t ns = map[name->ns];
    if (ns == THR_NONE)
        return false;
    *code = thr_name_settle(x, ns, (thr_str){name->p, name->n}, name->hash, id, err);
    return true;
}

/* Finds or adds n keys in their order: names and runs of small integers quickly, others one by one.
 */
static int add_keys(thr_lexicon *x, const thr_batch *b, uint32_t *map, const uint64_t *key,
                    size_t n, uint32_t *id, thr_error *err)
{
    int code = 0;
    for (size_t i = 0; i < n && code == 0;) {
        if (add_name(x, b, map, key[i], &id[i], &code, err)) {
            i++;
            continue;
        }
        size_t integers = thr_smalls_add(x, key + i, n - i, id + i);
        i += integers;
        if (integers == 0) {
            code = add_one(x, b, map, key[i], &id[i], err);
            i++;
        }
    }
    return code;
}

/* The second step: adds the features from..to whose ids are still THR_NONE. If this thread has done
 * the first step, the places are still in the processor's cache. */
static int add_unknown(thr_lexicon *x, thr_batch *b, uint32_t *map, size_t from, size_t to,
                       thr_error *err)
{
    size_t at[THR_GROUP + AT_ONCE];
    uint64_t key[THR_GROUP + AT_ONCE];
    uint32_t id[THR_GROUP + AT_ONCE];
    int code = 0;
    while (from < to && code == 0) {
        size_t n = next_unknown(b->id, &from, to, at);
        for (size_t i = 0; i < n; i++)
            key[i] = b->key[at[i]];
        if (b->looked_up)
            prefetch_places(x, b, map, key, n);
        code = add_keys(x, b, map, key, n, id, err);
        for (size_t i = 0; i < n && code == 0; i++)
            b->id[at[i]] = id[i];
    }
    return code;
}

/* Gives ids to the names that a cache's block brings, unless an earlier call for the batch has. */
static int resolve_fresh(thr_lexicon *x, thr_batch *b, uint32_t *map, thr_error *err)
{
    thr_names *names = b->names;
    int code = thr_fresh_ready(names, b) ? 0 : thr_fail_memory(err);
    size_t from = names->n_ids - b->first_fresh;
    thr_strain_searches(x, b->n_fresh);
    for (size_t n; from < b->n_fresh && code == 0; from += n) {
        n = b->n_fresh - from < THR_GROUP ? b->n_fresh - from : THR_GROUP;
        prefetch_places(x, b, map, b->fresh + from, n);
        code = add_keys(x, b, map, b->fresh + from, n, names->id + names->n_ids + 1, err);
        if (code == 0)
            thr_fresh_number(names, n);
    }
    return code;
}

int thr_lexicon_resolve_some(thr_lexicon *x, thr_batch *b, size_t from, size_t to, thr_error *err)
{
    uint32_t *map = thr_map_spaces(x, b);
    thr_search s = thr_search_in(x, b, map, true);
    int code = map && (b->names || thr_batch_own_ids(b)) ? 0 : thr_fail_memory(err);
    if (code == 0 && b->names)
        code = resolve_fresh(x, b, map, err);
    if (code == 0 && b->names && !thr_numbers_to_ids(b, from, to))
        code = thr_fail_memory(err);
    for (size_t end; from < to && code == 0 && !b->names; from = end) {
        end = b->looked_up || to - from < PIECE ? to : from + PIECE;
        if (!b->looked_up)
            thr_search_some(&s, from, end);
        code = add_unknown(x, b, map, from, end, err);
    }
    free(map);
    return code;
}

int thr_lexicon_resolve(thr_lexicon *x, thr_batch *b, thr_error *err)
{
    return thr_lexicon_resolve_some(x, b, 0, b->n_features, err);
}

int thr_lexicon_add_feature(thr_lexicon *x, const thr_batch *b, uint32_t *spaces, size_t i,
                            uint32_t *id, thr_error *err)
{
    return add_one(x, b, spaces, b->key[i], id, err);
}
