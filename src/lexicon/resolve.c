/* Whole batches: the features of many examples get their ids, in stream order. */
#include "lexicon/keys.h"

#include "base/hash.h"

#include <stdlib.h>

#define LOOK_AHEAD 24
#define GROUP      32 /* names looked up together */

/* Namespaces of the batch -> those of the lexicon. */
static uint32_t *map_spaces(const thr_lexicon *x, const thr_batch *b)
{
    uint32_t *map = malloc((b->n_ns + 1) * sizeof *map);
    if (!map)
        return NULL;
    map[0] = 0;
    for (size_t i = 1; i < b->n_ns; i++) {
        map[i] = THR_NONE;
        for (size_t j = 0; j < x->n_spaces; j++)
            if (thr_str_eq(b->ns[i], (thr_str){x->space[j].name, x->space[j].n}))
                map[i] = (uint32_t)j;
    }
    return map;
}

static thr_key parts_of(const thr_lexicon *x, const thr_batch *b, const uint32_t *map, uint64_t key)
{
    if (key & THR_KEY_NAME) {
        const thr_name *name = &b->name[key & ~THR_KEY_NAME];
        uint64_t hash = b->hash_seed == x->seed ? name->hash : thr_hash(name->p, name->n, x->seed);
        return (thr_key){false, map[name->ns], 0, {name->p, name->n}, hash};
    }
    return (thr_key){true, map[key >> THR_SMALL_BITS], key & (THR_SMALL - 1), {0}, 0};
}

/* A page that is not there does no harm: nothing is read. */
__attribute__((always_inline)) static inline void bring_near(uint32_t *const *page, size_t pages,
                                                             uint64_t key)
{
    if (key >> THR_PAGE_BITS < pages)
        __builtin_prefetch((const void *)((uintptr_t)page[key >> THR_PAGE_BITS] +
                                          (key & (THR_PAGE - 1)) * sizeof **page));
}

/* Small integers of the empty namespace, the common case of svmlight, and the bias. Returns the
 * first feature that is something else, or not known. */
static size_t find_integers(const thr_lexicon *x, thr_batch *b, size_t from, size_t to)
{
    const thr_space *s = &x->space[0];
    uint32_t *const *page = s->page;
    const uint64_t *key = b->key;
    uint32_t *out = b->id, n = x->n;
    size_t pages = x->hash_bits ? 0 : s->pages, last = to - 1, i = from;
    for (; i < to; i++) {
        uint64_t now = key[i];
        bring_near(page, pages, key[i + LOOK_AHEAD < last ? i + LOOK_AHEAD : last]);
        if (now >> THR_PAGE_BITS >= pages) {
            if (now != THR_KEY_BIAS)
                break;
            out[i] = 0;
            continue;
        }
        const uint32_t *at = page[now >> THR_PAGE_BITS];
        if (!at)
            break;
        at += now & (THR_PAGE - 1);
        if ((x->guard && !thr_guard_touch(x->guard, at, sizeof *at)) || *at - 1 >= n - 1)
            break;
        out[i] = *at;
    }
    return i;
}

/* Numbers of a cache, whose names are known by now, and the bias. Returns the first feature that is
 * something else. */
static size_t find_cached(thr_batch *b, size_t from, size_t to)
{
    const uint32_t *ids = b->names->id;
    const uint64_t *key = b->key;
    uint32_t *out = b->id;
    size_t i = from;
    for (; i < to; i++) {
        uint64_t soon = key[i + LOOK_AHEAD < to ? i + LOOK_AHEAD : to - 1];
        __builtin_prefetch(ids + (uint32_t)soon);
        if (key[i] >> 32 == THR_KEY_CACHED >> 32)
            out[i] = ids[(uint32_t)key[i]];
        else if (key[i] == THR_KEY_BIAS)
            out[i] = 0;
        else
            break;
    }
    return i;
}

/* The names among the next features, as far as there are no others and their namespaces are known:
 * at most GROUP. Their slots are brought near, so that looking up then costs no waiting. */
static size_t hash_group(const thr_lexicon *x, const thr_batch *b, const uint32_t *map, size_t from,
                         size_t to, uint64_t *hash)
{
    size_t most = to - from < GROUP ? to - from : GROUP, n = 0;
    if (x->hash_bits || !x->slots || b->hash_seed != x->seed)
        return 0;
    for (; n < most && (b->key[from + n] & THR_KEY_NAME); n++) {
        const thr_name *name = &b->name[b->key[from + n] & ~THR_KEY_NAME];
        if (map[name->ns] == THR_NONE)
            break;
        hash[n] = thr_name_hash(name->hash, map[name->ns]);
        __builtin_prefetch(&x->slot[(uint32_t)hash[n] & (x->slots - 1)]);
    }
    return n;
}

/* Names from `from` on, a group at a time; returns the first feature that is something else. */
static size_t find_names(const thr_lexicon *x, thr_batch *b, const uint32_t *map, size_t from,
                         size_t to)
{
    uint64_t hash[GROUP];
    for (size_t n; from < to && (n = hash_group(x, b, map, from, to, hash)); from += n)
        for (size_t i = 0; i < n; i++) {
            const thr_name *name = &b->name[b->key[from + i] & ~THR_KEY_NAME];
            b->id[from + i] = thr_name_id(x, map[name->ns], (thr_str){name->p, name->n}, hash[i]);
        }
    return from;
}

/* The same; what is new gets an id. *from moves on. */
static int add_names(thr_lexicon *x, thr_batch *b, const uint32_t *map, size_t *from, size_t to,
                     thr_error *err)
{
    uint64_t hash[GROUP];
    for (size_t n; !x->borrowed && *from < to && (n = hash_group(x, b, map, *from, to, hash));
         *from += n)
        for (size_t i = 0; i < n; i++) {
            const thr_name *name = &b->name[b->key[*from + i] & ~THR_KEY_NAME];
            uint32_t ns = map[name->ns], *id = &b->id[*from + i];
            thr_str text = {name->p, name->n};
            *id = thr_name_id(x, ns, text, hash[i]);
            int code = *id == THR_NONE ? thr_name_add(x, ns, text, hash[i], id, err) : 0;
            if (code)
                return code;
        }
    return 0;
}

static bool ids_ready(thr_batch *b)
{
    return thr_grow(&b->id, &b->id_room, b->n_features + 1, sizeof *b->id);
}

static int add_parts(thr_lexicon *x, const thr_batch *b, uint32_t *map, uint64_t key, uint32_t *id,
                     thr_error *err)
{
    if (key == THR_KEY_BIAS) {
        *id = 0;
        return 0;
    }
    uint32_t ns =
        key & THR_KEY_NAME ? b->name[key & ~THR_KEY_NAME].ns : (uint32_t)(key >> THR_SMALL_BITS);
    if (map[ns] == THR_NONE) {
        int code = thr_lexicon_space(x, b->ns[ns], &map[ns], err);
        if (code)
            return code;
    }
    thr_key k = parts_of(x, b, map, key);
    return thr_key_add(x, &k, id, err);
}

/* A cache brings its new names first; after that its numbers are looked up in a plain array. */
static int resolve_fresh(thr_lexicon *x, thr_batch *b, uint32_t *map, thr_error *err)
{
    thr_names *names = b->names;
    if (!thr_grow(&names->id, &names->id_room, names->n_ids + b->n_fresh, sizeof *names->id))
        return thr_fail_memory(err);
    for (size_t i = 0; i < b->n_fresh; i++) {
        if (i + LOOK_AHEAD < b->n_fresh)
            bring_near(x->space[0].page, x->space[0].pages, b->fresh[i + LOOK_AHEAD]);
        int code = add_parts(x, b, map, b->fresh[i], &names->id[names->n_ids], err);
        if (code)
            return code;
        names->n_ids++;
    }
    return 0;
}

/* Features that a cache names by number. Returns the first that is something else. */
static size_t resolve_numbers(thr_batch *b, size_t from, size_t to)
{
    const uint32_t *id = b->names->id;
    for (; from < to; from++) {
        uint64_t key = b->key[from];
        if (key >> 61 == THR_KEY_CACHED >> 61)
            b->id[from] = id[key & ~THR_KEY_CACHED];
        else if (key == THR_KEY_BIAS)
            b->id[from] = 0;
        else
            break;
    }
    return from;
}

int thr_lexicon_resolve_some(thr_lexicon *x, thr_batch *b, size_t from, size_t to, thr_error *err)
{
    uint32_t *map = map_spaces(x, b);
    if (!map || !ids_ready(b)) {
        free(map);
        return thr_fail_memory(err);
    }
    int code = b->names ? resolve_fresh(x, b, map, err) : 0;
    if (code == 0 && b->names)
        from = resolve_numbers(b, from, to);
    for (size_t i = from; i < to && code == 0; i++) {
        uint64_t key = b->key[i];
        if (key < THR_SMALL || key == THR_KEY_BIAS) {
            i = find_integers(x, b, i, to);
            if (i == to)
                break;
            key = b->key[i];
        }
        if (key & THR_KEY_NAME) {
            code = add_names(x, b, map, &i, to, err);
            if (code || i == to)
                break;
            key = b->key[i];
        }
        if ((key & THR_KEY_CACHED) && !(key & THR_KEY_NAME)) {
            i = find_cached(b, i, to);
            if (i == to)
                break;
            key = b->key[i];
        }
        code = add_parts(x, b, map, key, &b->id[i], err);
    }
    free(map);
    return code;
}

int thr_lexicon_resolve(thr_lexicon *x, thr_batch *b, thr_error *err)
{
    return thr_lexicon_resolve_some(x, b, 0, b->n_features, err);
}

static uint32_t find_parts(const thr_lexicon *x, const thr_batch *b, const uint32_t *map,
                           uint64_t key)
{
    if (key == THR_KEY_BIAS)
        return 0;
    thr_key k = parts_of(x, b, map, key);
    return thr_key_find(x, &k);
}

int thr_lexicon_find(const thr_lexicon *x, thr_batch *b, thr_error *err)
{
    uint32_t *map = map_spaces(x, b);
    if (!map || !ids_ready(b)) {
        free(map);
        return thr_fail_memory(err);
    }
    thr_names *names = b->names;
    bool ok = true;
    if (names) {
        ok = thr_grow(&names->id, &names->id_room, names->n_ids + b->n_fresh, sizeof *names->id);
        for (size_t i = 0; i < b->n_fresh && ok; i++)
            names->id[names->n_ids++] = find_parts(x, b, map, b->fresh[i]);
    }
    for (size_t i = 0; i < b->n_features && ok; i++) {
        uint64_t key = b->key[i];
        if (key & THR_KEY_NAME)
            i = find_names(x, b, map, i, b->n_features);
        else if (key < THR_SMALL || key == THR_KEY_BIAS)
            i = find_integers(x, b, i, b->n_features);
        if (i == b->n_features)
            break;
        key = b->key[i];
        b->id[i] = (key & THR_KEY_CACHED) && !(key & THR_KEY_NAME)
                       ? names->id[key & ~THR_KEY_CACHED]
                       : find_parts(x, b, map, key);
    }
    free(map);
    return ok ? 0 : thr_fail_memory(err);
}

uint32_t *thr_lexicon_spaces(const thr_lexicon *x, const thr_batch *b)
{
    return map_spaces(x, b);
}

int thr_lexicon_add_feature(thr_lexicon *x, const thr_batch *b, uint32_t *spaces, size_t i,
                            uint32_t *id, thr_error *err)
{
    return add_parts(x, b, spaces, b->key[i], id, err);
}

uint32_t thr_lexicon_find_feature(const thr_lexicon *x, const thr_batch *b, const uint32_t *spaces,
                                  size_t i)
{
    return find_parts(x, b, spaces, b->key[i]);
}
