#include "lexicon/lexicon.h"

#include "base/hash.h"
#include "base/number.h"
#include "base/random.h"
#include "base/scan.h"

#include <stdlib.h>
#include <string.h>

#define HEAP_HEAD   6 /* namespace and length before each name in the heap */
#define LOOK_AHEAD  24
#define GROUP       32 /* names looked up together */
#define FIRST_SLOTS 1024

#define MOVED_AT_ONCE 4

/* ---- building blocks ---------------------------------------------------------------------- */

static uint64_t name_hash(uint64_t hash, uint32_t ns)
{
    return thr_mix64(hash + ns);
}

/* Arrays may come from a file, so what they say is never trusted. */
static bool touch(const thr_lexicon *x, const void *p, size_t n)
{
    return !x->guard || thr_guard_touch(x->guard, p, n);
}

static thr_str heap_name(const thr_lexicon *x, uint64_t at, uint32_t *ns)
{
    uint16_t space;
    uint32_t n;
    *ns = 0;
    if (x->heap.n < HEAP_HEAD || at > x->heap.n - HEAP_HEAD || !touch(x, x->heap.p + at, HEAP_HEAD))
        return (thr_str){"", 0};
    memcpy(&space, x->heap.p + at, sizeof space);
    memcpy(&n, x->heap.p + at + sizeof space, sizeof n);
    if (n > x->heap.n - HEAP_HEAD - at || space >= x->n_spaces ||
        !touch(x, x->heap.p + at + HEAP_HEAD, n))
        return (thr_str){"", 0};
    *ns = space;
    return (thr_str){x->heap.p + at + HEAP_HEAD, n};
}

/* The first n bytes, at most THR_SLOT_TEXT, in a few overlapping pieces. */
static inline bool same_bytes(const char *a, const char *b, size_t n)
{
    if (n >= 8)
        return thr_load8(a) == thr_load8(b) && thr_load8(a + n - 8) == thr_load8(b + n - 8) &&
               (n <= 16 || thr_load8(a + 8) == thr_load8(b + 8));
    if (n >= 4)
        return thr_load4(a) == thr_load4(b) && thr_load4(a + n - 4) == thr_load4(b + n - 4);
    return n == 0 || (a[0] == b[0] && a[n / 2] == b[n / 2] && a[n - 1] == b[n - 1]);
}

static inline bool slot_is(const thr_lexicon *x, const thr_slot *s, uint32_t tag, uint32_t ns,
                           thr_str name)
{
    if (s->tag != tag || s->ns != ns)
        return false;
    if (s->n != THR_LONG_NAME)
        return s->n == name.n && name.n <= THR_SLOT_TEXT && same_bytes(s->text, name.p, name.n);
    uint32_t same_ns;
    return name.n > THR_SLOT_TEXT && s->id < x->n &&
           touch(x, &x->origin[s->id], sizeof *x->origin) &&
           thr_str_eq(heap_name(x, x->origin[s->id], &same_ns), name);
}

/* The slot of a name, or the empty one where it would go. A table that a file says is full, which
 * none of ours is, has neither: x->slots. */
static inline size_t slot_find(const thr_lexicon *x, uint64_t hash, uint32_t ns, thr_str name)
{
    uint32_t tag = (uint32_t)hash;
    size_t mask = x->slots - 1, at = tag & mask;
    for (size_t tries = 0; tries < x->slots; tries++, at = (at + 1) & mask)
        if (!touch(x, &x->slot[at], sizeof x->slot[at]) || !x->slot[at].id ||
            slot_is(x, &x->slot[at], tag, ns, name))
            return at;
    return x->slots;
}

static void slot_fill(thr_slot *s, uint32_t id, uint64_t hash, uint32_t ns, thr_str name)
{
    *s = (thr_slot){.id = id, .tag = (uint32_t)hash, .ns = (uint16_t)ns, .n = THR_LONG_NAME};
    if (name.n <= THR_SLOT_TEXT) {
        s->n = (uint16_t)name.n;
        memcpy(s->text, name.p, name.n);
    }
}

static void slot_place(thr_slot *table, size_t slots, const thr_slot *s)
{
    size_t mask = slots - 1, at = s->tag & mask;
    while (table[at].id)
        at = (at + 1) & mask;
    table[at] = *s;
}

/* The id of a name that may not have been moved yet, or 0. */
static uint32_t old_id(const thr_lexicon *x, uint64_t hash, uint32_t ns, thr_str name)
{
    uint32_t tag = (uint32_t)hash;
    size_t mask = x->olds - 1, at = tag & mask;
    for (; x->old[at].id; at = (at + 1) & mask)
        if (slot_is(x, &x->old[at], tag, ns, name))
            return x->old[at].id;
    return 0;
}

static void slots_move(thr_lexicon *x, size_t n)
{
    for (; n > 0 && x->moved < x->olds; n--, x->moved++)
        if (x->old[x->moved].id)
            slot_place(x->slot, x->slots, &x->old[x->moved]);
    if (x->moved < x->olds)
        return;
    free(x->old);
    x->old = NULL;
    x->olds = x->moved = 0;
}

/* Keeps the table at most two thirds full. When it grows nobody waits: until all slots are moved,
 * some with each new name, what is not in the new table is looked for in the old one. */
static bool slots_ready(thr_lexicon *x)
{
    if (x->old)
        slots_move(x, MOVED_AT_ONCE);
    if ((x->slots_used + 1) * 3 <= x->slots * 2)
        return true;
    size_t wanted = x->slots ? x->slots * 2 : FIRST_SLOTS;
    thr_slot *fresh = calloc(wanted, sizeof *fresh);
    if (!fresh)
        return false;
    if (x->old) /* long since empty, by the number of names that came */
        slots_move(x, x->olds);
    x->old = x->slot;
    x->olds = x->slots;
    x->moved = 0;
    x->slot = fresh;
    x->slots = wanted;
    return true;
}

static int new_id(thr_lexicon *x, uint64_t origin, uint32_t *id, thr_error *err)
{
    if (x->n == THR_NONE)
        return thr_fail(err, THR_EDATA, "more than %u different features", THR_NONE - 1);
    if (!thr_grow(&x->origin, &x->origin_room, (size_t)x->n + 1, sizeof *x->origin))
        return thr_fail_memory(err);
    *id = x->n++;
    x->origin[*id] = origin;
    return 0;
}

/* ---- the three ways to an id -------------------------------------------------------------- */

static uint32_t integer_id(const thr_lexicon *x, uint32_t ns, uint64_t number)
{
    const thr_space *s = &x->space[ns];
    size_t page = number >> THR_PAGE_BITS;
    if (page >= s->pages || !s->page[page])
        return THR_NONE;
    const uint32_t *id = &s->page[page][number & (THR_PAGE - 1)];
    return touch(x, id, sizeof *id) && *id && *id < x->n ? *id : THR_NONE;
}

static int integer_add(thr_lexicon *x, uint32_t ns, uint64_t number, uint32_t *id, thr_error *err)
{
    thr_space *s = &x->space[ns];
    size_t page = number >> THR_PAGE_BITS, old = s->pages;
    if (page >= old) {
        if (!thr_grow(&s->page, &s->pages, page + 1, sizeof *s->page))
            return thr_fail_memory(err);
        memset(s->page + old, 0, (s->pages - old) * sizeof *s->page);
    }
    if (!s->page[page] && !(s->page[page] = calloc(THR_PAGE, sizeof **s->page)))
        return thr_fail_memory(err);
    uint64_t origin = THR_FROM_INTEGER | (uint64_t)ns << THR_SMALL_BITS | number;
    int code = new_id(x, origin, id, err);
    if (code == 0)
        s->page[page][number & (THR_PAGE - 1)] = *id;
    return code;
}

static uint32_t name_id(const thr_lexicon *x, uint32_t ns, thr_str name, uint64_t hash)
{
    if (!x->slots)
        return THR_NONE;
    size_t at = slot_find(x, hash, ns, name);
    uint32_t id = at < x->slots ? x->slot[at].id : 0;
    if (!id && x->old)
        id = old_id(x, hash, ns, name);
    return id && id < x->n ? id : THR_NONE;
}

static int name_add(thr_lexicon *x, uint32_t ns, thr_str name, uint64_t hash, uint32_t *id,
                    thr_error *err)
{
    uint16_t space = (uint16_t)ns;
    uint32_t n = (uint32_t)name.n;
    uint64_t at = x->heap.n;
    if (!slots_ready(x) || !thr_bytes_add(&x->heap, &space, sizeof space) ||
        !thr_bytes_add(&x->heap, &n, sizeof n) || !thr_bytes_add(&x->heap, name.p, n))
        return thr_fail_memory(err);
    int code = new_id(x, at, id, err);
    if (code)
        return code;
    slot_fill(&x->slot[slot_find(x, hash, ns, name)], *id, hash, ns, name);
    x->slots_used++;
    return 0;
}

static thr_bucket *bucket_of(const thr_lexicon *x, uint64_t hash)
{
    return &x->bucket[hash & ((UINT64_C(1) << x->hash_bits) - 1)];
}

static uint32_t bucket_mark(uint64_t hash)
{
    return (uint32_t)(hash >> 32);
}

static int bucket_add(thr_lexicon *x, uint64_t hash, uint32_t *id, thr_error *err)
{
    thr_bucket *b = bucket_of(x, hash);
    if (b->id) {
        *id = b->id;
        if (b->mark != bucket_mark(hash))
            x->shared[b->id] = 1;
        return 0;
    }
    size_t old = x->shared_room;
    if (!thr_grow(&x->shared, &x->shared_room, (size_t)x->n + 1, 1))
        return thr_fail_memory(err);
    memset(x->shared + old, 0, x->shared_room - old);
    int code = new_id(x, THR_FROM_HASH | (uint64_t)(b - x->bucket), id, err);
    if (code == 0)
        *b = (thr_bucket){*id, bucket_mark(hash)};
    return code;
}

/* Small integers of the empty namespace go to their own slot where there is one. */
static uint64_t integer_hash(const thr_lexicon *x, uint32_t ns, uint64_t number)
{
    if (ns == 0 && number < UINT64_C(1) << x->hash_bits)
        return number;
    return thr_mix64(x->seed ^ thr_mix64((uint64_t)ns << THR_SMALL_BITS | number));
}

/* ---- one key, found or added -------------------------------------------------------------- */

typedef struct key_parts {
    bool integer;
    uint32_t ns; /* of the lexicon */
    uint64_t number;
    thr_str name;
    uint64_t hash;
} key_parts;

static uint32_t find_key(const thr_lexicon *x, const key_parts *k)
{
    if (k->ns == THR_NONE)
        return THR_NONE;
    if (x->hash_bits) {
        uint64_t h = k->integer ? integer_hash(x, k->ns, k->number) : name_hash(k->hash, k->ns);
        uint32_t id = bucket_of(x, h)->id;
        return id ? id : THR_NONE;
    }
    return k->integer ? integer_id(x, k->ns, k->number)
                      : name_id(x, k->ns, k->name, name_hash(k->hash, k->ns));
}

static int add_key(thr_lexicon *x, const key_parts *k, uint32_t *id, thr_error *err)
{
    if (x->hash_bits)
        return bucket_add(
            x, k->integer ? integer_hash(x, k->ns, k->number) : name_hash(k->hash, k->ns), id, err);
    *id = find_key(x, k);
    if (*id != THR_NONE)
        return 0;
    if (x->borrowed) {
        int code = thr_lexicon_thaw(x, err);
        if (code)
            return code;
    }
    return k->integer ? integer_add(x, k->ns, k->number, id, err)
                      : name_add(x, k->ns, k->name, name_hash(k->hash, k->ns), id, err);
}

/* ---- whole batches ------------------------------------------------------------------------ */

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

static key_parts parts_of(const thr_lexicon *x, const thr_batch *b, const uint32_t *map,
                          uint64_t key)
{
    if (key & THR_KEY_NAME) {
        const thr_name *name = &b->name[key & ~THR_KEY_NAME];
        uint64_t hash = b->hash_seed == x->seed ? name->hash : thr_hash(name->p, name->n, x->seed);
        return (key_parts){false, map[name->ns], 0, {name->p, name->n}, hash};
    }
    return (key_parts){true, map[key >> THR_SMALL_BITS], key & (THR_SMALL - 1), {0}, 0};
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
        hash[n] = name_hash(name->hash, map[name->ns]);
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
            b->id[from + i] = name_id(x, map[name->ns], (thr_str){name->p, name->n}, hash[i]);
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
            *id = name_id(x, ns, text, hash[i]);
            int code = *id == THR_NONE ? name_add(x, ns, text, hash[i], id, err) : 0;
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
    key_parts k = parts_of(x, b, map, key);
    return add_key(x, &k, id, err);
}

/* ---- caches ------------------------------------------------------------------------------- */

/* The new names of a cache's block, of which only the first call for a batch finds any: what the
 * lexicon calls them, and whether that is still the number + 1 throughout. */
static bool fresh_ready(thr_names *names, const thr_batch *b)
{
    size_t need = names->n_ids + b->n_fresh + 1;
    if (names->n_ids < b->first_fresh ||
        !thr_grow(&names->id, &names->id_room, need, sizeof *names->id))
        return false;
    names->id[0] = 0;
    return true;
}

static void fresh_is(thr_names *names, uint32_t id)
{
    names->id[++names->n_ids] = id;
    names->apart |= id != names->n_ids;
}

static int resolve_fresh(thr_lexicon *x, thr_batch *b, uint32_t *map, thr_error *err)
{
    thr_names *names = b->names;
    if (!fresh_ready(names, b))
        return thr_fail_memory(err);
    for (size_t i = names->n_ids - b->first_fresh; i < b->n_fresh; i++) {
        uint32_t id;
        if (i + LOOK_AHEAD < b->n_fresh)
            bring_near(x->space[0].page, x->space[0].pages, b->fresh[i + LOOK_AHEAD]);
        int code = add_parts(x, b, map, b->fresh[i], &id, err);
        if (code)
            return code;
        fresh_is(names, id);
    }
    return 0;
}

/* Numbers become ids: by a plain array, or as they are. */
static void resolve_numbers(thr_batch *b, size_t from, size_t to)
{
    const uint32_t *id = b->names->id, *number = b->number;
    if (!b->names->apart && to > from)
        memcpy(b->id + from, number + from, (to - from) * sizeof *b->id);
    for (size_t i = from; i < to && b->names->apart; i++)
        b->id[i] = id[number[i]];
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
        resolve_numbers(b, from, to);
    for (size_t i = from; i < to && code == 0 && !b->names; i++) {
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
    key_parts k = parts_of(x, b, map, key);
    return find_key(x, &k);
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
        ok = fresh_ready(names, b);
        for (size_t i = names->n_ids - b->first_fresh; i < b->n_fresh && ok; i++)
            fresh_is(names, find_parts(x, b, map, b->fresh[i]));
        if (ok)
            resolve_numbers(b, 0, b->n_features);
    }
    for (size_t i = 0; i < b->n_features && !names; i++) {
        uint64_t key = b->key[i];
        if (key & THR_KEY_NAME)
            i = find_names(x, b, map, i, b->n_features);
        else if (key < THR_SMALL || key == THR_KEY_BIAS)
            i = find_integers(x, b, i, b->n_features);
        if (i == b->n_features)
            break;
        key = b->key[i];
        b->id[i] = find_parts(x, b, map, key);
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

/* ---- single names ------------------------------------------------------------------------- */

int thr_lexicon_space(thr_lexicon *x, thr_str name, uint32_t *number, thr_error *err)
{
    for (size_t i = 0; i < x->n_spaces; i++)
        if (thr_str_eq(name, (thr_str){x->space[i].name, x->space[i].n})) {
            *number = (uint32_t)i;
            return 0;
        }
    if (x->n_spaces == THR_MAX_NS)
        return thr_fail(err, THR_EDATA, "more than %u namespaces", THR_MAX_NS);
    char *copy = malloc(name.n + 1);
    if (!copy || !thr_grow(&x->space, &x->space_room, x->n_spaces + 1, sizeof *x->space)) {
        free(copy);
        return thr_fail_memory(err);
    }
    memcpy(copy, name.p, name.n);
    copy[name.n] = '\0';
    *number = (uint32_t)x->n_spaces;
    x->space[x->n_spaces++] = (thr_space){.name = copy, .n = name.n};
    return 0;
}

/* A batch of one feature does the work, so that there is one way from a name to an id. */
static int one_name(thr_batch *b, thr_str ns, thr_str name, thr_error *err)
{
    thr_batch_init(b);
    thr_batch_named(b, thr_batch_namespace(b, ns), name, 1);
    return b->failed ? thr_fail_memory(err) : 0;
}

int thr_lexicon_add(thr_lexicon *x, thr_str ns, thr_str name, uint32_t *id, thr_error *err)
{
    thr_batch b;
    int code = one_name(&b, ns, name, err);
    if (code == 0)
        code = thr_lexicon_resolve(x, &b, err);
    if (code == 0)
        *id = b.id[0];
    thr_batch_release(&b);
    return code;
}

uint32_t thr_lexicon_id(const thr_lexicon *x, thr_str ns, thr_str name)
{
    thr_batch b;
    uint32_t id = THR_NONE;
    if (one_name(&b, ns, name, NULL) == 0 && thr_lexicon_find(x, &b, NULL) == 0)
        id = b.id[0];
    thr_batch_release(&b);
    return id;
}

thr_str thr_lexicon_name(const thr_lexicon *x, uint32_t id, char *digits, thr_str *ns)
{
    uint64_t origin = touch(x, &x->origin[id], sizeof *x->origin) ? x->origin[id] : 0;
    uint32_t space = 0;
    thr_str name;
    if (origin & THR_FROM_INTEGER) {
        space = (uint32_t)((origin & ~THR_FROM_INTEGER) >> THR_SMALL_BITS);
        space = space < x->n_spaces ? space : 0;
        name = (thr_str){digits, thr_print_u64(origin & (THR_SMALL - 1), digits)};
    } else if (origin & THR_FROM_HASH) {
        digits[0] = '#';
        name = (thr_str){digits, 1 + thr_print_u64(origin & ~THR_FROM_HASH, digits + 1)};
    } else
        name = heap_name(x, origin, &space);
    *ns = (thr_str){x->space[space].name, x->space[space].n};
    return name;
}

/* ---- another lexicon ---------------------------------------------------------------------- */

static int adopt(thr_lexicon *x, const thr_lexicon *from, const uint32_t *space, uint32_t id,
                 uint32_t *fresh, thr_error *err)
{
    uint64_t origin = from->origin[id];
    if (origin & THR_FROM_HASH) {
        uint64_t slot = origin & ~THR_FROM_HASH;
        int code = bucket_add(x, (uint64_t)from->bucket[slot].mark << 32 | slot, fresh, err);
        if (code == 0 && from->shared[id])
            x->shared[*fresh] = 1;
        return code;
    }
    key_parts k = {.integer = origin & THR_FROM_INTEGER};
    if (k.integer) {
        k.number = origin & (THR_SMALL - 1);
        k.ns = (uint32_t)((origin & ~THR_FROM_INTEGER) >> THR_SMALL_BITS);
    } else {
        k.name = heap_name(from, origin, &k.ns);
        k.hash = thr_hash(k.name.p, k.name.n, x->seed);
    }
    k.ns = space[k.ns < from->n_spaces ? k.ns : 0];
    return add_key(x, &k, fresh, err);
}

static int unite_spaces(thr_lexicon *x, const thr_lexicon *from, uint32_t *space, thr_error *err)
{
    for (size_t i = 0; i < from->n_spaces; i++) {
        thr_str name = {from->space[i].name, from->space[i].n};
        int code = thr_lexicon_space(x, name, &space[i], err);
        if (code)
            return code;
        if (x->hash_bits && space[i] != i)
            return thr_fail(err, THR_EUSE,
                            "hashed features cannot be matched: the models met their namespaces "
                            "in different orders");
    }
    return 0;
}

int thr_lexicon_unite(thr_lexicon *x, const thr_lexicon *from, uint32_t *fresh, thr_error *err)
{
    uint32_t *space = malloc((from->n_spaces + 1) * sizeof *space);
    int code = space ? unite_spaces(x, from, space, err) : thr_fail_memory(err);
    fresh[0] = 0;
    for (uint32_t id = 1; id < from->n && code == 0; id++)
        code = adopt(x, from, space, id, &fresh[id], err);
    free(space);
    return code;
}

/* ---- life --------------------------------------------------------------------------------- */

int thr_lexicon_init(thr_lexicon *x, uint64_t seed, unsigned hash_bits, thr_error *err)
{
    *x = (thr_lexicon){.seed = seed, .hash_bits = hash_bits};
    uint32_t none, bias;
    int code = thr_lexicon_space(x, (thr_str){"", 0}, &none, err);
    if (code == 0)
        code = new_id(x, 0, &bias, err);
    if (code == 0 && hash_bits) {
        x->bucket = calloc((size_t)1 << hash_bits, sizeof *x->bucket);
        if (!x->bucket || !thr_grow(&x->shared, &x->shared_room, 1, 1))
            code = thr_fail_memory(err);
        else
            memset(x->shared, 0, x->shared_room);
    }
    if (code)
        thr_lexicon_clear(x);
    return code;
}

void thr_lexicon_clear(thr_lexicon *x)
{
    for (size_t i = 0; i < x->n_spaces; i++) {
        for (size_t p = 0; p < x->space[i].pages && !x->borrowed; p++)
            free(x->space[i].page[p]);
        free(x->space[i].page);
        free(x->space[i].name);
    }
    free(x->space);
    if (!x->borrowed) {
        free(x->slot);
        free(x->old);
        free(x->origin);
        thr_bytes_clear(&x->heap);
    }
    free(x->bucket);
    free(x->shared);
    *x = (thr_lexicon){0};
}

/* ---- a part of another one ---------------------------------------------------------------- */

/* Slots of the hashed form depend on the numbers of the namespaces. */
int thr_lexicon_init_like(thr_lexicon *x, const thr_lexicon *from, thr_error *err)
{
    int code = thr_lexicon_init(x, from->seed, from->hash_bits, err);
    uint32_t number;
    for (size_t i = 0; i < from->n_spaces && code == 0 && from->hash_bits; i++)
        code = thr_lexicon_space(x, (thr_str){from->space[i].name, from->space[i].n}, &number, err);
    return code;
}

static int take_bucket(thr_lexicon *x, const thr_lexicon *from, uint32_t id, uint32_t *fresh,
                       thr_error *err)
{
    uint64_t slot = from->origin[id] & ~THR_FROM_HASH;
    int code = bucket_add(x, (uint64_t)from->bucket[slot].mark << 32 | slot, fresh, err);
    if (code == 0)
        x->shared[*fresh] = from->shared[id];
    return code;
}

int thr_lexicon_take(thr_lexicon *x, const thr_lexicon *from, uint32_t id, uint32_t *fresh,
                     thr_error *err)
{
    if (x->hash_bits)
        return take_bucket(x, from, id, fresh, err);
    char digits[24];
    uint64_t origin = from->origin[id];
    thr_str ns, name = thr_lexicon_name(from, id, digits, &ns);
    uint32_t space;
    int code = thr_lexicon_space(x, ns, &space, err);
    if (code)
        return code;
    if (origin & THR_FROM_INTEGER)
        return integer_add(x, space, origin & (THR_SMALL - 1), fresh, err);
    uint64_t hash = name_hash(thr_hash(name.p, name.n, x->seed), space);
    return name_add(x, space, name, hash, fresh, err);
}

/* ---- the table of the model file ---------------------------------------------------------- */

size_t thr_lexicon_names(const thr_lexicon *x)
{
    size_t names = 0;
    for (uint32_t id = 1; id < x->n; id++)
        names += !(x->origin[id] & (THR_FROM_INTEGER | THR_FROM_HASH));
    return names;
}

size_t thr_lexicon_table_size(size_t names)
{
    size_t slots = names ? 16 : 0;
    while (slots * 2 < names * 3)
        slots *= 2;
    return slots;
}

void thr_lexicon_table_fill(const thr_lexicon *x, thr_slot *slot, size_t slots)
{
    memset(slot, 0, slots * sizeof *slot);
    for (uint32_t id = 1; id < x->n; id++) {
        if (x->origin[id] & (THR_FROM_INTEGER | THR_FROM_HASH))
            continue;
        uint32_t ns;
        thr_str name = heap_name(x, x->origin[id], &ns);
        thr_slot s;
        memset(&s, 0, sizeof s);
        slot_fill(&s, id, name_hash(thr_hash(name.p, name.n, x->seed), ns), ns, name);
        slot_place(slot, slots, &s);
    }
}
