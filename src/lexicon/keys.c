#include "lexicon/keys.h"

#include <stdlib.h>
#include <string.h>

#define HEAP_HEAD   6 /* namespace and length before each name in the heap */
#define FIRST_SLOTS 1024

#define MOVED_AT_ONCE 4

/* ---- building blocks ---------------------------------------------------------------------- */

thr_str thr_heap_name(const thr_lexicon *x, uint64_t at, uint32_t *ns)
{
    uint16_t space;
    uint32_t n;
    *ns = 0;
    if (x->heap.n < HEAP_HEAD || at > x->heap.n - HEAP_HEAD ||
        !thr_touch(x, x->heap.p + at, HEAP_HEAD))
        return (thr_str){"", 0};
    memcpy(&space, x->heap.p + at, sizeof space);
    memcpy(&n, x->heap.p + at + sizeof space, sizeof n);
    if (n > x->heap.n - HEAP_HEAD - at || space >= x->n_spaces ||
        !thr_touch(x, x->heap.p + at + HEAP_HEAD, n))
        return (thr_str){"", 0};
    *ns = space;
    return (thr_str){x->heap.p + at + HEAP_HEAD, n};
}

void thr_slot_fill(thr_slot *s, uint32_t id, uint64_t hash, uint32_t ns, thr_str name)
{
    *s = (thr_slot){.id = id, .tag = (uint32_t)hash, .ns = (uint16_t)ns, .n = THR_LONG_NAME};
    if (name.n <= THR_SLOT_TEXT) {
        s->n = (uint16_t)name.n;
        memcpy(s->text, name.p, name.n);
    }
}

void thr_slot_place(thr_slot *table, size_t slots, const thr_slot *s)
{
    size_t mask = slots - 1, at = s->tag & mask;
    while (table[at].id)
        at = (at + 1) & mask;
    table[at] = *s;
}

uint32_t thr_old_id(const thr_lexicon *x, uint64_t hash, uint32_t ns, thr_str name)
{
    uint32_t tag = (uint32_t)hash;
    size_t mask = x->olds - 1, at = tag & mask;
    for (; x->old[at].id; at = (at + 1) & mask)
        if (thr_slot_is(x, &x->old[at], tag, ns, name))
            return x->old[at].id;
    return 0;
}

static void slots_move(thr_lexicon *x, size_t n)
{
    for (; n > 0 && x->moved < x->olds; n--, x->moved++)
        if (x->old[x->moved].id)
            thr_slot_place(x->slot, x->slots, &x->old[x->moved]);
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

int thr_new_id(thr_lexicon *x, uint64_t origin, uint32_t *id, thr_error *err)
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
    return thr_touch(x, id, sizeof *id) && *id && *id < x->n ? *id : THR_NONE;
}

int thr_integer_add(thr_lexicon *x, uint32_t ns, uint64_t number, uint32_t *id, thr_error *err)
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
    int code = thr_new_id(x, origin, id, err);
    if (code == 0)
        s->page[page][number & (THR_PAGE - 1)] = *id;
    return code;
}

int thr_name_add(thr_lexicon *x, uint32_t ns, thr_str name, uint64_t hash, uint32_t *id,
                 thr_error *err)
{
    uint16_t space = (uint16_t)ns;
    uint32_t n = (uint32_t)name.n;
    uint64_t at = x->heap.n;
    if (!slots_ready(x) || !thr_bytes_add(&x->heap, &space, sizeof space) ||
        !thr_bytes_add(&x->heap, &n, sizeof n) || !thr_bytes_add(&x->heap, name.p, n))
        return thr_fail_memory(err);
    int code = thr_new_id(x, at, id, err);
    if (code)
        return code;
    thr_slot_fill(&x->slot[thr_slot_find(x, hash, ns, name)], *id, hash, ns, name);
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

int thr_bucket_add(thr_lexicon *x, uint64_t hash, uint32_t *id, thr_error *err)
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
    int code = thr_new_id(x, THR_FROM_HASH | (uint64_t)(b - x->bucket), id, err);
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

uint32_t thr_key_find(const thr_lexicon *x, const thr_key *k)
{
    if (k->ns == THR_NONE)
        return THR_NONE;
    if (x->hash_bits) {
        uint64_t h = k->integer ? integer_hash(x, k->ns, k->number) : thr_name_hash(k->hash, k->ns);
        uint32_t id = bucket_of(x, h)->id;
        return id ? id : THR_NONE;
    }
    return k->integer ? integer_id(x, k->ns, k->number)
                      : thr_name_id(x, k->ns, k->name, thr_name_hash(k->hash, k->ns));
}

int thr_key_add(thr_lexicon *x, const thr_key *k, uint32_t *id, thr_error *err)
{
    if (x->hash_bits)
        return thr_bucket_add(
            x, k->integer ? integer_hash(x, k->ns, k->number) : thr_name_hash(k->hash, k->ns), id,
            err);
    *id = thr_key_find(x, k);
    if (*id != THR_NONE)
        return 0;
    if (x->borrowed) {
        int code = thr_lexicon_thaw(x, err);
        if (code)
            return code;
    }
    return k->integer ? thr_integer_add(x, k->ns, k->number, id, err)
                      : thr_name_add(x, k->ns, k->name, thr_name_hash(k->hash, k->ns), id, err);
}
