/* Single names, life and death, readers, features of another lexicon. */
#include "lexicon/lexicon.h"

#include "base/hash.h"
#include "base/large.h"
#include "base/number.h"
#include "lexicon/keys.h"

#include <stdlib.h>
#include <string.h>

#define FEW_SPACES 8 /* namespaces that are searched without an index */

/* ---- single names ------------------------------------------------------------------------- */

/* The number of a namespace, THR_NONE if it is new. Few are compared one by one; from FEW_SPACES on
 * those that the index lacks are added to it first. False: out of memory. */
static bool find_space(thr_lexicon *x, thr_str name, uint32_t *number)
{
    *number = THR_NONE;
    for (size_t i = 0; i < x->n_spaces && x->n_spaces <= FEW_SPACES; i++)
        if (thr_str_eq(name, (thr_str){x->space[i].name, x->space[i].n}))
            *number = (uint32_t)i;
    if (x->n_spaces <= FEW_SPACES)
        return true;
    while (x->by_name.n < x->n_spaces) {
        const thr_space *s = &x->space[x->by_name.n];
        if (!thr_index_add(&x->by_name, (thr_str){s->name, s->n}, (uint32_t)x->by_name.n))
            return false;
    }
    *number = thr_index_find(&x->by_name, name);
    return true;
}

/* The number of namespaces is stored last, with release, for readers. */
int thr_lexicon_space(thr_lexicon *x, thr_str name, uint32_t *number, thr_error *err)
{
    if (!find_space(x, name, number))
        return thr_fail_memory(err);
    if (*number != THR_NONE)
        return 0;
    if (x->n_spaces == THR_MAX_NS)
        return thr_fail(err, THR_EDATA, "more than %u namespaces", THR_MAX_NS);
    char *copy = NULL;
    size_t room = 0;
    if (!thr_array_grow(&copy, &room, name.n + 1, 1) ||
        !thr_grow_beside(x, &x->space, &x->space_room, x->n_spaces + 1, sizeof *x->space)) {
        thr_array_free(copy);
        return thr_fail_memory(err);
    }
    memcpy(copy, name.p, name.n);
    copy[name.n] = '\0';
    *number = (uint32_t)x->n_spaces;
    x->space[*number] = (thr_space){.name = copy, .n = name.n};
    __atomic_store_n(&x->n_spaces, x->n_spaces + 1, __ATOMIC_RELEASE);
    return 0;
}

/* A name is wrapped in a batch of one feature, so that there is only one way from a name to an id:
 * the batch decides whether it is an integer. */
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

/* The number of a namespace, searched one by one. */
static uint32_t seek_space(const thr_lexicon *x, thr_str name)
{
    for (size_t i = 0; i < thr_spaces(x); i++)
        if (thr_str_eq((thr_str){x->space[i].name, x->space[i].n}, name))
            return (uint32_t)i;
    return THR_NONE;
}

uint32_t thr_lexicon_find_each(const thr_lexicon *x, const thr_str *ns, uint32_t *space, size_t n,
                               thr_str name, uint32_t *id)
{
    uint64_t integer = 0;
    thr_key k = {.name = name, .hash = thr_hash(name.p, name.n, x->seed)};
    k.integer = thr_batch_is_integer(name, 1, &integer);
    k.number = integer & (THR_SMALL - 1);
    if (x->readers)
        pthread_rwlock_rdlock(x->readers);
    uint32_t ids = thr_ids(x);
    for (size_t i = 0; i < n; i++) {
        if (id[i] != THR_NONE)
            continue;
        space[i] = space[i] == THR_NONE ? seek_space(x, ns[i]) : space[i];
        k.ns = space[i];
        id[i] = thr_key_find(x, &k, false);
    }
    if (x->readers)
        pthread_rwlock_unlock(x->readers);
    return ids;
}

/* An origin may come from a damaged file: a namespace that does not exist becomes the empty one. */
thr_str thr_lexicon_name(const thr_lexicon *x, uint32_t id, char *digits, thr_str *ns)
{
    uint64_t origin = thr_touch(x, &x->origin[id], sizeof *x->origin) ? x->origin[id] : 0;
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
        name = thr_heap_name(x, origin, &space);
    *ns = (thr_str){x->space[space].name, x->space[space].n};
    return name;
}

/* ---- all features of another lexicon ------------------------------------------------------ */

/* Finds or adds a feature of `from` in the hashed form, where slot and mark say all that is known
 * of its name. */
static int take_bucket(thr_lexicon *x, const thr_lexicon *from, uint32_t id, uint32_t *fresh,
                       thr_error *err)
{
    uint64_t slot = from->origin[id] & ~THR_FROM_HASH;
    int code = thr_bucket_add(x, (uint64_t)from->bucket[slot].mark << 32 | slot, fresh, err);
    return code || !thr_lexicon_collided(from, id) ? code : thr_set_collided(x, *fresh, err);
}

/* Finds or adds one feature of `from`. `space` maps the namespaces of `from` to those of x. */
static int adopt(thr_lexicon *x, const thr_lexicon *from, const uint32_t *space, uint32_t id,
                 uint32_t *fresh, thr_error *err)
{
    uint64_t origin = from->origin[id];
    if (from->hash_bits)
        return take_bucket(x, from, id, fresh, err);
    thr_key k = {.integer = origin & THR_FROM_INTEGER};
    if (k.integer) {
        k.number = origin & (THR_SMALL - 1);
        k.ns = (uint32_t)((origin & ~THR_FROM_INTEGER) >> THR_SMALL_BITS);
    } else {
        k.name = thr_heap_name(from, origin, &k.ns);
        k.hash = thr_hash(k.name.p, k.name.n, x->seed);
    }
    k.ns = space[k.ns < from->n_spaces ? k.ns : 0];
    return thr_key_add(x, &k, fresh, err);
}

/* Fills space[i] with the number here of namespace i of `from`. */
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
        code = thr_new_id(x, 0, &bias, err);
    if (code == 0 && hash_bits) {
        if (!thr_buckets_make(x) || !thr_paged_reach(&x->collided, 1, 1))
            code = thr_fail_memory(err);
    }
    if (code)
        thr_lexicon_clear(x);
    return code;
}

/* Each part is freed by its last owner. Where `borrowed` is set, slots, origin and heap belong to
 * the mapped file. */
void thr_lexicon_clear(thr_lexicon *x)
{
    for (size_t i = 0; i < x->n_spaces; i++) {
        thr_array_free(x->space[i].page);
        thr_array_free(x->space[i].name);
    }
    free(x->space);
    thr_index_clear(&x->by_name);
    thr_page_store_free(x->store);
    thr_integers_free(x->integers);
    thr_cells_free(x->cell, x->cells, x->cell_owners);
    thr_cells_free(x->old, x->old_cells, x->old_owners);
    thr_relief_free(x->relief);
    if (!x->borrowed) {
        thr_array_free(x->origin);
        thr_array_free(x->heap.p);
    }
    thr_array_free(x->bucket);
    thr_paged_clear(&x->collided);
    *x = (thr_lexicon){0};
}

/* ---- a lexicon from a file ---------------------------------------------------------------- */

static int damaged(const char *what, thr_error *err)
{
    return thr_fail(err, THR_EMODEL, "this model is damaged: %s", what);
}

/* Whether an entry of `origin` leads to a name. */
static bool has_name(const thr_lexicon *x, uint64_t origin)
{
    uint32_t space;
    if (x->hash_bits)
        return origin & THR_FROM_HASH && (origin & ~THR_FROM_HASH) >> x->hash_bits == 0;
    if (origin & THR_FROM_INTEGER)
        return (origin & ~THR_FROM_INTEGER) >> THR_SMALL_BITS < x->n_spaces;
    return thr_heap_find(x, origin, &space).p != NULL;
}

int thr_lexicon_check_names(const thr_lexicon *x, thr_error *err)
{
    if (x->origin[0])
        return damaged("the bias has a name", err);
    for (uint32_t id = 1; id < x->n; id++)
        if (!has_name(x, x->origin[id]))
            return damaged("a feature has no name", err);
    return 0;
}

/* Whether the page of an integer leads back to its id. */
static bool leads_back(const thr_lexicon *x, uint32_t id)
{
    uint64_t integer = x->origin[id] & ~THR_FROM_INTEGER, number = integer & (THR_SMALL - 1);
    const thr_space *s = &x->space[integer >> THR_SMALL_BITS];
    const uint32_t *page =
        number >> THR_PAGE_BITS < s->pages ? s->page[number >> THR_PAGE_BITS] : NULL;
    return page && page[number & (THR_PAGE - 1)] == id;
}

static bool page_in_range(const thr_lexicon *x, const uint32_t *page)
{
    uint32_t most = 0;
    for (size_t i = 0; page && i < THR_PAGE; i++)
        most = page[i] > most ? page[i] : most;
    return most < x->n;
}

int thr_lexicon_check(const thr_lexicon *x, thr_error *err)
{
    size_t used = 0;
    int code = thr_lexicon_check_names(x, err);
    if (code)
        return code;
    for (uint32_t id = 1; id < x->n; id++)
        if (x->origin[id] & THR_FROM_INTEGER && !leads_back(x, id))
            return damaged("the name of a feature leads to another one", err);
    for (size_t i = 0; i < x->slots; i++) {
        if (x->slot[i].id >= x->n)
            return damaged("a name has no row", err);
        used += x->slot[i].id != 0;
    }
    if (x->slots && used == x->slots)
        return damaged("its table of names is full", err);
    for (size_t i = 0; i < x->n_spaces; i++)
        for (size_t p = 0; p < x->space[i].pages; p++)
            if (!page_in_range(x, x->space[i].page[p]))
                return damaged("a name has no row", err);
    return 0;
}

/* ---- memory ------------------------------------------------------------------------------- */

/* Pages of ids of small integers, and the lists of pages. Those of a file are counted one by one.
 */
static uint64_t pages_bytes(const thr_lexicon *x)
{
    uint64_t pages = 0, listed = 0;
    for (size_t i = 0; i < x->n_spaces && x->borrowed; i++)
        for (size_t p = 0; p < x->space[i].pages; p++)
            pages += x->space[i].page[p] != NULL;
    for (size_t i = 0; i < THR_FLAT_HUGE; i++)
        pages += x->flat_used[i];
    for (size_t i = 0; x->store && i < x->store->reams; i++)
        pages += x->store->ream[i].used;
    for (size_t i = 0; i < x->n_spaces; i++)
        listed += x->space[i].pages;
    return pages * THR_PAGE * sizeof **x->space->page + listed * sizeof *x->space->page;
}

/* The pages of the empty namespace that both have. */
static uint64_t common_bytes(const thr_lexicon *x, const thr_lexicon *y)
{
    uint64_t pages = 0;
    for (size_t p = 0; p < x->space[0].pages && p < y->space[0].pages; p++)
        pages += x->space[0].page[p] && y->space[0].page[p];
    return pages * THR_PAGE * sizeof **x->space->page;
}

/* All but the table of names. */
static uint64_t plain_bytes(const thr_lexicon *x)
{
    uint64_t bytes = x->heap.n + (uint64_t)x->n * sizeof *x->origin + pages_bytes(x);
    if (x->integers)
        bytes += (uint64_t)x->integers->buckets * THR_INTEGERS * sizeof *x->integers->slot;
    return bytes + (x->bucket ? (uint64_t)sizeof *x->bucket << x->hash_bits : 0);
}

uint64_t thr_lexicon_bytes(const thr_lexicon *x, const thr_lexicon *more)
{
    uint64_t now = (uint64_t)(x->cells + x->old_cells) * sizeof *x->cell +
                   (uint64_t)x->slots * sizeof *x->slot;
    size_t names = x->slots ? x->n : x->cells_used; /* those of a file are not counted */
    uint64_t then = more ? thr_cells_bytes(names + more->cells_used) : 0;
    uint64_t bytes = plain_bytes(x) + (now > then ? now : then);
    return more ? bytes + plain_bytes(more) - common_bytes(x, more) : bytes;
}

/* ---- readers ------------------------------------------------------------------------------ */

/* The lock is allocated apart from the lexicon, because thr_lexicon_thaw replaces all of its
 * fields at once. */
int thr_lexicon_open_to_readers(thr_lexicon *x, thr_lookup *out, thr_error *err)
{
    x->readers = malloc(sizeof *x->readers);
    if (!x->readers)
        return thr_fail_memory(err);
    pthread_rwlock_init(x->readers, NULL);
    *out = (thr_lookup){x, x->readers};
    return 0;
}

void thr_lexicon_close_to_readers(thr_lexicon *x)
{
    if (!x->readers)
        return;
    pthread_rwlock_destroy(x->readers);
    free(x->readers);
    x->readers = NULL;
}

/* ---- some features of another lexicon ----------------------------------------------------- */

/* In the hashed form all namespaces are added at once, because slots depend on their numbers. */
int thr_lexicon_init_like(thr_lexicon *x, const thr_lexicon *from, thr_error *err)
{
    int code = thr_lexicon_init(x, from->seed, from->hash_bits, err);
    uint32_t number;
    for (size_t i = 0; i < from->n_spaces && code == 0 && from->hash_bits; i++)
        code = thr_lexicon_space(x, (thr_str){from->space[i].name, from->space[i].n}, &number, err);
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
        return thr_integer_add(x, space, origin & (THR_SMALL - 1), fresh, err);
    return thr_name_add(x, space, name, thr_hash(name.p, name.n, x->seed), fresh, err);
}
