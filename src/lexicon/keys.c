#include "lexicon/keys.h"

#include <stdlib.h>
#include <string.h>

#define HEAP_HEAD   6 /* namespace and length before each name in the heap */
#define FIRST_SLOTS 1024

#define MOVED_AT_ONCE 4
#define KEPT          (THR_HUGE / sizeof(thr_slot)) /* of a table that is given back bit by bit */
#define PIECES        64                            /* at most, in which it is */
#define FIRST_PAGES   4u
#define MOST_PAGES    512u /* in a ream: 2 MiB */
#define JOINED_AT     2    /* a huge page becomes one when one in so many of its pages is in use */

/* ---- building blocks ---------------------------------------------------------------------- */

bool thr_grow_beside(thr_lexicon *x, void *array, size_t *room, size_t need, size_t size)
{
    if (need <= *room)
        return true;
    thr_readers_out(x);
    bool ok = thr_grow(array, room, need, size);
    thr_readers_in(x);
    return ok;
}

bool thr_array_grow_beside(thr_lexicon *x, void *array, size_t *room, size_t need, size_t size)
{
    if (need <= *room)
        return true;
    thr_readers_out(x);
    bool ok = thr_array_grow(array, room, need, size);
    thr_readers_in(x);
    return ok;
}

thr_str thr_heap_name(const thr_lexicon *x, uint64_t at, uint32_t *ns)
{
    uint16_t space;
    uint32_t n;
    size_t end = __atomic_load_n(&x->heap.n, __ATOMIC_RELAXED);
    *ns = 0;
    if (end < HEAP_HEAD || at > end - HEAP_HEAD || !thr_touch(x, x->heap.p + at, HEAP_HEAD))
        return (thr_str){"", 0};
    memcpy(&space, x->heap.p + at, sizeof space);
    memcpy(&n, x->heap.p + at + sizeof space, sizeof n);
    if (n > end - HEAP_HEAD - at || space >= thr_spaces(x) ||
        !thr_touch(x, x->heap.p + at + HEAP_HEAD, n))
        return (thr_str){"", 0};
    *ns = space;
    return (thr_str){x->heap.p + at + HEAP_HEAD, n};
}

static bool heap_add(thr_lexicon *x, uint32_t ns, thr_str name)
{
    uint16_t space = (uint16_t)ns;
    uint32_t n = (uint32_t)name.n;
    size_t end;
    if (__builtin_add_overflow(x->heap.n, HEAP_HEAD + (size_t)n, &end) ||
        !thr_array_grow_beside(x, &x->heap.p, &x->heap.room, end, 1))
        return false;
    char *to = x->heap.p + x->heap.n;
    memcpy(to, &space, sizeof space);
    memcpy(to + sizeof space, &n, sizeof n);
    if (n)
        memcpy(to + HEAP_HEAD, name.p, n);
    __atomic_store_n(&x->heap.n, end, __ATOMIC_RELAXED);
    return true;
}

thr_slot *thr_slots_new(size_t slots)
{
    size_t bytes;
    return __builtin_mul_overflow(slots, sizeof(thr_slot), &bytes) ? NULL : thr_large_new(bytes);
}

void thr_slots_free(thr_slot *table, size_t slots)
{
    thr_large_free(table, slots * sizeof *table);
}

void thr_table_free(thr_slot *table, size_t slots, size_t *owners)
{
    if (!owners || !thr_owners_drop(owners))
        return;
    thr_slots_free(table, slots);
    free(owners);
}

thr_slot thr_slot_of(uint32_t id, uint64_t hash, uint32_t ns, thr_str name)
{
    thr_slot s = {.id = id, .tag = (uint32_t)hash, .ns = (uint16_t)ns, .n = THR_LONG_NAME};
    if (name.n <= THR_SLOT_TEXT) {
        s.n = (uint16_t)name.n;
        memcpy(s.text, name.p, name.n);
    }
    return s;
}

size_t thr_slot_place(thr_slot *table, size_t slots, const thr_slot *s)
{
    size_t mask = slots - 1, at = s->tag & mask;
    while (table[at].id)
        at = (at + 1) & mask;
    table[at].tag = s->tag;
    table[at].ns = s->ns;
    table[at].n = s->n;
    memcpy(table[at].text, s->text, sizeof s->text);
    __atomic_store_n(&table[at].id, s->id, __ATOMIC_RELEASE);
    return at;
}

/* ---- a table that grows ------------------------------------------------------------------- */

/* The names whose homes are below `end`. They lie from there on without a gap, with others among
 * them: names of later homes, and those at the front that had to go round, whose turn is last. */
static void move_homes(thr_lexicon *x, size_t end)
{
    size_t mask = x->olds - 1;
    for (size_t at = x->moved; at < end || x->old[at & mask].id; at++) {
        const thr_slot *s = &x->old[at & mask];
        size_t home = s->tag & mask;
        if (s->id && home >= x->moved && home < end)
            thr_slot_place(x->slot, x->slots, s);
    }
    __atomic_store_n(&x->moved, end, __ATOMIC_RELEASE);
}

/* Memory of slots that nobody looks at any more. Readers that do not know yet how many were moved
 * are waited for, so this is done rarely. A view knows no more than what was moved when it was
 * taken: while there is one of this table, all of it stays. */
static void release_moved(thr_lexicon *x)
{
    if (!thr_owners_alone(x->old_owners))
        return;
    size_t piece = x->olds / PIECES > KEPT ? x->olds / PIECES : KEPT;
    size_t from = x->released > KEPT ? x->released : KEPT;
    if (x->moved < from + piece || x->released == x->olds)
        return;
    thr_readers_out(x);
    thr_readers_in(x);
    x->released = x->moved / KEPT * KEPT;
    thr_large_release(x->old + from, (x->released - from) * sizeof *x->old);
}

static void move_some(thr_lexicon *x, size_t homes)
{
    if (!x->old)
        return;
    move_homes(x, homes < x->olds - x->moved ? x->moved + homes : x->olds);
    release_moved(x);
    if (x->moved < x->olds)
        return;
    thr_readers_out(x);
    thr_table_free(x->old, x->olds, x->old_owners);
    x->old = NULL;
    x->old_owners = NULL;
    x->olds = x->moved = x->released = 0;
    thr_readers_in(x);
}

static bool slots_grow(thr_lexicon *x)
{
    size_t wanted = x->slots ? x->slots * 2 : FIRST_SLOTS;
    size_t *owners = malloc(sizeof *owners);
    thr_slot *fresh = owners ? thr_slots_new(wanted) : NULL;
    if (!fresh) {
        free(owners);
        return false;
    }
    *owners = 1;
    move_some(x, x->olds); /* long since done, by the number of names that came */
    thr_readers_out(x);
    x->old = x->slot;
    x->old_owners = x->slot_owners;
    x->olds = x->slots;
    x->moved = x->released = 0;
    x->slot = fresh;
    x->slot_owners = owners;
    x->slots = wanted;
    thr_readers_in(x);
    bool crowded = x->slots_used * 3 > x->olds * 2; /* a file said so */
    if (crowded)
        move_some(x, x->olds); /* it could not take what comes meanwhile */
    return true;
}

/* A table starts to grow when it is 4/9 full. With MOVED_AT_ONCE for each new name, what is left of
 * it is never fuller than 7/10. */
static bool slots_ready(thr_lexicon *x)
{
    move_some(x, MOVED_AT_ONCE);
    return x->slots_used * 9 < x->slots * 4 || slots_grow(x);
}

static void slots_add(thr_lexicon *x, const thr_slot *s)
{
    thr_tables now = thr_tables_now(x);
    size_t mask;
    bool stays = thr_table_of(&now, s->tag, &mask) != now.slot;
    size_t at = thr_slot_place(stays ? x->old : x->slot, mask + 1, s);
    if (stays && at >= KEPT && at < (s->tag & mask)) /* it went round, to where it would be lost */
        x->released = x->olds;
    x->slots_used++;
}

int thr_new_id(thr_lexicon *x, uint64_t origin, uint32_t *id, thr_error *err)
{
    if (x->n == THR_NONE)
        return thr_fail(err, THR_EDATA, "more than %u different features", THR_NONE - 1);
    if (!thr_array_grow_beside(x, &x->origin, &x->origin_room, (size_t)x->n + 1, sizeof *x->origin))
        return thr_fail_memory(err);
    *id = x->n;
    x->origin[*id] = origin;
    __atomic_store_n(&x->n, *id + 1, __ATOMIC_RELAXED);
    return 0;
}

/* ---- the three ways to an id -------------------------------------------------------------- */

static uint32_t integer_id(const thr_lexicon *x, uint32_t ns, uint64_t number)
{
    const thr_space *s = &x->space[ns];
    const uint32_t *page;
    if (number >> THR_PAGE_BITS >= s->pages ||
        !(page = thr_page(&s->page[number >> THR_PAGE_BITS])))
        return THR_NONE;
    page += number & (THR_PAGE - 1);
    if (!thr_touch(x, page, sizeof *page))
        return THR_NONE;
    uint32_t id = __atomic_load_n(page, __ATOMIC_RELAXED);
    return id && id < thr_ids(x) ? id : THR_NONE;
}

void thr_page_store_free(thr_page_store *s)
{
    if (!s || !thr_owners_drop(&s->owners))
        return;
    for (size_t i = 0; i < s->reams; i++)
        thr_large_free(s->ream[i].page, s->ream[i].pages * THR_PAGE * sizeof *s->ream[i].page);
    free(s->ream);
    thr_reserve_free(s->flat, THR_FLAT_BYTES);
    free(s);
}

static bool store_ready(thr_lexicon *x)
{
    if (!x->store && (x->store = calloc(1, sizeof *x->store)))
        x->store->owners = 1;
    return x->store;
}

static bool ream_ready(thr_page_store *x)
{
    const thr_ream *last = x->reams ? &x->ream[x->reams - 1] : NULL;
    if (last && last->used < last->pages)
        return true;
    size_t pages = !last ? FIRST_PAGES : last->pages < MOST_PAGES ? last->pages * 2 : MOST_PAGES;
    if (!thr_grow(&x->ream, &x->ream_room, x->reams + 1, sizeof *x->ream))
        return false;
    uint32_t *page = thr_large_new(pages * THR_PAGE * sizeof *page);
    if (page)
        x->ream[x->reams++] = (thr_ream){page, pages, 0};
    return page != NULL;
}

/* Address space is taken for all small integers there are, and memory for those that come. */
static bool flat_ready(thr_lexicon *x)
{
    thr_page_store *s = x->store;
    if (!s->flat && !x->scattered) {
        thr_readers_out(x);
        x->flat = s->flat = thr_reserve_new(THR_FLAT_BYTES);
        x->scattered = !s->flat;
        thr_readers_in(x);
    }
    return s->flat;
}

/* A page in the row. Once there are many in a huge page, it becomes one: addresses in small pages
 * take a walk each to find. Few, here and there, would each take a huge one. */
static uint32_t *flat_page(thr_lexicon *x, size_t number)
{
    const size_t ids = THR_HUGE / sizeof *x->flat, huge = number * THR_PAGE / ids;
    if (++x->flat_used[huge] == ids / THR_PAGE / JOINED_AT)
        thr_reserve_join(x->flat + huge * ids, THR_HUGE);
    return x->flat + number * THR_PAGE;
}

uint32_t *thr_page_new(thr_lexicon *x, bool empty, size_t number)
{
    if (!store_ready(x))
        return NULL;
    if (empty && flat_ready(x))
        return flat_page(x, number);
    if (!ream_ready(x->store))
        return NULL;
    thr_ream *last = &x->store->ream[x->store->reams - 1];
    return last->page + last->used++ * THR_PAGE;
}

static bool page_ready(thr_lexicon *x, thr_space *s, size_t page)
{
    size_t old = s->pages;
    if (page >= old) {
        thr_readers_out(x);
        bool ok = thr_array_grow(&s->page, &s->pages, page + 1, sizeof *s->page);
        if (ok)
            memset(s->page + old, 0, (s->pages - old) * sizeof *s->page);
        thr_readers_in(x);
        if (!ok)
            return false;
    }
    if (s->page[page])
        return true;
    uint32_t *fresh = thr_page_new(x, s == x->space, page);
    __atomic_store_n(&s->page[page], fresh, __ATOMIC_RELEASE);
    return fresh != NULL;
}

int thr_integer_add(thr_lexicon *x, uint32_t ns, uint64_t number, uint32_t *id, thr_error *err)
{
    thr_space *s = &x->space[ns];
    size_t page = number >> THR_PAGE_BITS;
    if (!page_ready(x, s, page))
        return thr_fail_memory(err);
    uint64_t origin = THR_FROM_INTEGER | (uint64_t)ns << THR_SMALL_BITS | number;
    int code = thr_new_id(x, origin, id, err);
    if (code == 0)
        __atomic_store_n(&s->page[page][number & (THR_PAGE - 1)], *id, __ATOMIC_RELEASE);
    return code;
}

size_t thr_smalls_add(thr_lexicon *x, const uint64_t *number, size_t n, uint32_t *id)
{
    uint32_t *flat = x->flat, *const *page = x->space[0].page, next = x->n;
    size_t pages = x->space[0].pages, i = 0;
    if (!flat || x->view || n > THR_NONE - next ||
        !thr_array_grow_beside(x, &x->origin, &x->origin_room, next + n, sizeof *x->origin))
        return 0;
    for (uint64_t key, *origin = x->origin; i < n && (key = number[i]) < THR_SMALL; i++) {
        uint32_t known = flat[key];
        id[i] = known ? known : next;
        if (known)
            continue;
        if (key >> THR_PAGE_BITS >= pages || !page[key >> THR_PAGE_BITS])
            break;
        origin[next] = THR_FROM_INTEGER | key;
        __atomic_store_n(&x->n, next + 1, __ATOMIC_RELAXED);
        __atomic_store_n(&flat[key], next++, __ATOMIC_RELEASE);
    }
    return i;
}

/* A table that a file says is full, which none of ours is, has an end too; and there may be none.
 */
uint32_t thr_name_id(const thr_lexicon *x, uint32_t ns, thr_str name, uint64_t hash)
{
    thr_tables now = thr_tables_now(x);
    size_t mask, at = (uint32_t)hash;
    const thr_slot *table = thr_table_of(&now, hash, &mask);
    uint32_t id;
    for (size_t tries = 0; tries < mask + 1; tries++, at++) {
        const thr_slot *s = &table[at & mask];
        if (!thr_touch(x, s, sizeof *s) || !(id = thr_slot_id(s)))
            break;
        if (thr_slot_is(x, s, (uint32_t)hash, ns, name))
            return id < thr_ids(x) ? id : THR_NONE;
    }
    return THR_NONE;
}

static uint64_t *integer_place(thr_lexicon *x, uint32_t number)
{
    if (!x->integers && !x->no_integers) {
        thr_readers_out(x);
        x->integers = thr_integers_new();
        x->no_integers = !x->integers;
        thr_readers_in(x);
    }
    if (!x->slots && !slots_grow(x)) /* who looks up asks for no more than one of the two */
        return NULL;
    return x->integers ? thr_integers_place(x->integers, number) : NULL;
}

int thr_name_add(thr_lexicon *x, uint32_t ns, thr_str name, uint64_t hash, uint32_t *id,
                 thr_error *err)
{
    uint64_t at = x->heap.n;
    uint32_t number = ns == 0 ? thr_large_integer(name) : 0;
    uint64_t *place = number ? integer_place(x, number) : NULL;
    if (!(place || slots_ready(x)) || !heap_add(x, ns, name))
        return thr_fail_memory(err);
    int code = thr_new_id(x, at, id, err);
    if (code)
        return code;
    if (place) {
        thr_integers_put(x->integers, place, number, *id);
        return 0;
    }
    thr_slot s = thr_slot_of(*id, hash, ns, name);
    slots_add(x, &s);
    if (number && x->integers)
        __atomic_store_n(&x->integers->spilled, true, __ATOMIC_RELAXED);
    return 0;
}

bool thr_buckets_make(thr_lexicon *x)
{
    x->bucket = thr_array_zeros((size_t)1 << x->hash_bits, sizeof *x->bucket);
    return x->bucket;
}

thr_bucket *thr_bucket_of(const thr_lexicon *x, uint64_t hash)
{
    return &x->bucket[hash & ((UINT64_C(1) << x->hash_bits) - 1)];
}

static uint32_t bucket_mark(uint64_t hash)
{
    return (uint32_t)(hash >> 32);
}

int thr_set_collided(thr_lexicon *x, uint32_t id, thr_error *err)
{
    if (thr_lexicon_collided(x, id))
        return 0;
    if (!thr_paged_own(&x->collided, id, 1))
        return thr_fail_memory(err);
    x->collided.page[id >> THR_PAGED_BITS][id & (THR_PAGED - 1)] = 1;
    return 0;
}

int thr_bucket_add(thr_lexicon *x, uint64_t hash, uint32_t *id, thr_error *err)
{
    int thawed = thr_lexicon_thaw(x, err);
    if (thawed)
        return thawed;
    thr_bucket *b = thr_bucket_of(x, hash);
    if (b->id) {
        *id = b->id;
        return b->mark != bucket_mark(hash) ? thr_set_collided(x, b->id, err) : 0;
    }
    if (!thr_paged_reach(&x->collided, (size_t)x->n + 1, 1))
        return thr_fail_memory(err);
    int code = thr_new_id(x, THR_FROM_HASH | (uint64_t)(b - x->bucket), id, err);
    if (code)
        return code;
    b->mark = bucket_mark(hash);
    __atomic_store_n(&b->id, *id, __ATOMIC_RELEASE);
    return 0;
}

/* Small integers of the empty namespace go to their own slot where there is one. */
static uint64_t integer_hash(const thr_lexicon *x, uint32_t ns, uint64_t number)
{
    if (ns == 0 && number < UINT64_C(1) << x->hash_bits)
        return number;
    return thr_mix64(x->seed ^ thr_mix64((uint64_t)ns << THR_SMALL_BITS | number));
}

/* ---- one key, found or added -------------------------------------------------------------- */

uint64_t thr_bucket_hash(const thr_lexicon *x, const thr_key *k)
{
    return k->integer ? integer_hash(x, k->ns, k->number) : thr_name_hash(k->hash, k->ns);
}

static uint32_t kept_id(const thr_lexicon *x, const thr_key *k)
{
    if (k->integer)
        return integer_id(x, k->ns, k->number);
    uint32_t number = x->integers && k->ns == 0 ? thr_large_integer(k->name) : 0;
    uint32_t id = number ? thr_integers_sure(x->integers, number) : 0;
    if (id || (number && !thr_integers_spilled(x->integers)))
        return id && id < thr_ids(x) ? id : THR_NONE;
    return thr_name_id(x, k->ns, k->name, thr_name_hash(k->hash, k->ns));
}

uint32_t thr_bucket_id(const thr_lexicon *x, uint64_t hash, bool known)
{
    const thr_bucket *b = thr_bucket_of(x, hash);
    uint32_t id = __atomic_load_n(&b->id, __ATOMIC_ACQUIRE);
    return id && id < thr_ids(x) && (!known || b->mark == bucket_mark(hash)) ? id : THR_NONE;
}

uint32_t thr_key_find(const thr_lexicon *x, const thr_key *k, bool known)
{
    if (k->ns == THR_NONE)
        return THR_NONE;
    return x->hash_bits ? thr_bucket_id(x, thr_bucket_hash(x, k), known) : kept_id(x, k);
}

int thr_key_add(thr_lexicon *x, const thr_key *k, uint32_t *id, thr_error *err)
{
    if (x->hash_bits)
        return thr_bucket_add(x, thr_bucket_hash(x, k), id, err);
    *id = kept_id(x, k);
    if (*id != THR_NONE)
        return 0;
    int code = thr_lexicon_thaw(x, err);
    if (code)
        return code;
    return k->integer ? thr_integer_add(x, k->ns, k->number, id, err)
                      : thr_name_add(x, k->ns, k->name, thr_name_hash(k->hash, k->ns), id, err);
}
