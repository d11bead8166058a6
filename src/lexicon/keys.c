/* Names in the heap, the pages of small integers, the hashed form, and on top of these and of the
 * table of names (cells.c) how any single key is found or added. lexicon.h has the picture. */
#include "lexicon/keys.h"

#include "lexicon/slots.h"

#include <stdlib.h>
#include <string.h>

#define FIRST_PAGES 4u   /* pages in the first ream; each ream has twice as many as the last */
#define MOST_PAGES  512u /* pages in a ream, at most: 2 MiB */
#define JOINED_AT   2    /* a huge page is formed once 1 in so many of its small pages is in use */

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

thr_str thr_heap_find(const thr_lexicon *x, uint64_t at, uint32_t *ns)
{
    uint16_t space;
    uint32_t n;
    size_t end = __atomic_load_n(&x->heap.n, __ATOMIC_RELAXED);
    *ns = 0;
    if (end < THR_HEAP_HEAD || at > end - THR_HEAP_HEAD ||
        !thr_touch(x, x->heap.p + at, THR_HEAP_HEAD))
        return (thr_str){NULL, 0};
    memcpy(&space, x->heap.p + at, sizeof space);
    memcpy(&n, x->heap.p + at + sizeof space, sizeof n);
    if (n > end - THR_HEAP_HEAD - at || space >= thr_spaces(x) ||
        !thr_touch(x, x->heap.p + at + THR_HEAP_HEAD, n))
        return (thr_str){NULL, 0};
    *ns = space;
    return (thr_str){x->heap.p + at + THR_HEAP_HEAD, n};
}

thr_str thr_heap_name(const thr_lexicon *x, uint64_t at, uint32_t *ns)
{
    thr_str name = thr_heap_find(x, at, ns);
    return name.p ? name : (thr_str){"", 0};
}

thr_str thr_named_at(const thr_lexicon *x, uint32_t id, uint32_t *ns)
{
    const uint64_t *origin = &x->origin[id];
    if (!thr_touch(x, origin, sizeof *origin) || *origin & (THR_FROM_INTEGER | THR_FROM_HASH))
        return (thr_str){NULL, 0};
    return thr_heap_find(x, *origin, ns);
}

/* The new end is stored with release: readers that see it may read all bytes before it. */
static bool heap_add(thr_lexicon *x, uint32_t ns, thr_str name)
{
    uint16_t space = (uint16_t)ns;
    uint32_t n = (uint32_t)name.n;
    size_t end;
    if (__builtin_add_overflow(x->heap.n, THR_HEAP_HEAD + (size_t)n, &end) ||
        !thr_array_grow_beside(x, &x->heap.p, &x->heap.room, end, 1))
        return false;
    char *to = x->heap.p + x->heap.n;
    memcpy(to, &space, sizeof space);
    memcpy(to + sizeof space, &n, sizeof n);
    if (n <= THR_SLOT_TEXT)
        thr_copy_bytes(to + THR_HEAP_HEAD, name.p, n);
    else
        memcpy(to + THR_HEAP_HEAD, name.p, n);
    __atomic_store_n(&x->heap.n, end, __ATOMIC_RELEASE);
    return true;
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

/* ---- small integers, names, the hashed form ----------------------------------------------- */

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

/* Makes sure that the last ream has a page left. */
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

/* Reserves address space for an id of every small integer, 64 MiB; memory comes with the first
 * touch of a page. Where the process has a limit on its address space there is no `flat`, and pages
 * come from reams. */
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

/* When half of the small pages in a huge page of `flat` are in use, the system is asked to join
 * them to one huge page, which saves TLB misses. Asking for huge pages from the start would spend
 * 2 MiB on each small page where only a few scattered integers occur. */
uint32_t *thr_page_new(thr_lexicon *x, bool empty, size_t number)
{
    if (!x->store && (x->store = calloc(1, sizeof *x->store)))
        x->store->owners = 1;
    if (!x->store)
        return NULL;
    if (empty && flat_ready(x)) {
        const size_t ids = THR_HUGE / sizeof *x->flat, huge = number * THR_PAGE / ids;
        if (++x->flat_used[huge] == ids / THR_PAGE / JOINED_AT)
            thr_reserve_join(x->flat + huge * ids, THR_HUGE);
        return x->flat + number * THR_PAGE;
    }
    if (!ream_ready(x->store))
        return NULL;
    thr_ream *last = &x->store->ream[x->store->reams - 1];
    return last->page + last->used++ * THR_PAGE;
}

/* Makes sure that a namespace has this page. The list of pages grows under the lock. A new page is
 * all zeros, and its pointer is stored with release. */
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

/* All addresses of `flat` may be read: where there is no page yet, the reserved memory is zero. But
 * pages in use are counted (thr_page_new), so a new page is left to thr_key_add. */
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

uint32_t thr_name_id(const thr_lexicon *x, uint32_t ns, thr_str name, uint64_t hash)
{
    thr_tables now = thr_tables_now(x);
    if (now.cell)
        return thr_cells_find(x, &now, ns, name, hash);
    return x->slots ? thr_slots_find(x, ns, name, hash) : THR_NONE;
}

/* Without memory the old table is kept. */
void thr_rekey_integers(thr_lexicon *x)
{
    thr_integers *fresh = thr_integers_rekeyed(x->integers);
    if (!fresh)
        return;
    thr_readers_out(x);
    thr_integers_free(x->integers);
    x->integers = fresh;
    thr_readers_in(x);
}

/* A free place for a large integer in its table, which is made with the first one. NULL: there is
 * no such table, or its bucket is full; the integer then goes to the table of names. */
static uint64_t *integer_place(thr_lexicon *x, uint32_t number)
{
    if (x->integers && thr_integers_strained(x->integers))
        thr_rekey_integers(x);
    if (!x->integers && !x->no_integers) {
        thr_readers_out(x);
        x->integers = thr_integers_new();
        x->no_integers = !x->integers;
        thr_readers_in(x);
    }
    return x->integers ? thr_integers_place(x->integers, number) : NULL;
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

/* The half of the hash that does not choose the slot: it tells names in one slot apart, nearly
 * always. */
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

/* ---- one key, found or added -------------------------------------------------------------- */

/* A small integer of the empty namespace that is below 2^B has the slot of its own number, so such
 * integers do not collide with each other. */
uint64_t thr_bucket_hash(const thr_lexicon *x, const thr_key *k)
{
    if (!k->integer)
        return thr_name_hash(k->hash, k->ns);
    if (k->ns == 0 && k->number < UINT64_C(1) << x->hash_bits)
        return k->number;
    return thr_mix64(x->seed ^ thr_mix64((uint64_t)k->ns << THR_SMALL_BITS | k->number));
}

/* The id of a small integer. */
static uint32_t small_id(const thr_lexicon *x, uint32_t ns, uint64_t number)
{
    const thr_space *s = &x->space[ns];
    uint32_t id = 0;
    size_t page = number >> THR_PAGE_BITS;
    const uint32_t *place = page < s->pages ? thr_page(&s->page[page]) : NULL;
    place = place ? place + (number & (THR_PAGE - 1)) : NULL;
    if (place && thr_touch(x, place, sizeof *place))
        id = __atomic_load_n(place, __ATOMIC_RELAXED); /* enough: nothing else is read */
    return id && id < thr_ids(x) ? id : THR_NONE;
}

/* The id of a name where names are kept. A large integer is in `integers`, or else among the names,
 * which are searched only if some large integer has been put there (`spilled`). This function is
 * also used for final answers, hence thr_integers_sure. */
static uint32_t kept_id(const thr_lexicon *x, uint32_t ns, thr_str name, uint64_t hash)
{
    uint32_t number = x->integers && ns == 0 ? thr_large_integer(name) : 0;
    uint32_t id = number ? thr_integers_sure(x->integers, number) : 0;
    if (id || (number && !thr_integers_spilled(x->integers)))
        return id && id < thr_ids(x) ? id : THR_NONE;
    return thr_name_id(x, ns, name, hash);
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
    if (x->hash_bits)
        return thr_bucket_id(x, thr_bucket_hash(x, k), known);
    return k->integer ? small_id(x, k->ns, k->number) : kept_id(x, k->ns, k->name, k->hash);
}

/* Writes a new name to the heap and gives it the next id. A failure leaves at most unused bytes in
 * the heap. */
static int new_name(thr_lexicon *x, uint32_t ns, thr_str name, uint32_t *id, thr_error *err)
{
    uint64_t at = x->heap.n;
    return heap_add(x, ns, name) ? thr_new_id(x, at, id, err) : thr_fail_memory(err);
}

/* Finds or adds the name of a large integer. *kept says whether that is done; otherwise the name
 * belongs in the table of names. */
static int settle_large(thr_lexicon *x, thr_str name, uint64_t hash, uint32_t number, uint32_t *id,
                        bool *kept, thr_error *err)
{
    *id = kept_id(x, 0, name, hash);
    *kept = *id != THR_NONE;
    uint64_t *place = *kept ? NULL : integer_place(x, number);
    int code = place ? new_name(x, 0, name, id, err) : 0;
    if (!place || code)
        return code;
    thr_integers_put(x->integers, place, number, *id);
    *kept = true;
    return 0;
}

/* The name is published last, when nothing can fail any more. */
int thr_name_add(thr_lexicon *x, uint32_t ns, thr_str name, uint64_t hash, uint32_t *id,
                 thr_error *err)
{
    uint32_t number = ns == 0 ? thr_large_integer(name) : 0, tag, known;
    bool kept = false;
    int code = number ? settle_large(x, name, hash, number, id, &kept, err) : 0;
    if (kept || code)
        return code;
    if (!thr_cells_ready(x))
        return thr_fail_memory(err);
    uint64_t *place = thr_cells_place(x, ns, name, hash, &tag, &known);
    *id = known;
    if (known)
        return 0;
    code = new_name(x, ns, name, id, err);
    if (code)
        return code;
    thr_cells_put(x, place, tag, *id);
    if (number && x->integers)
        __atomic_store_n(&x->integers->spilled, true, __ATOMIC_RELAXED);
    return 0;
}

int thr_name_settle(thr_lexicon *x, uint32_t ns, thr_str name, uint64_t hash, uint32_t *id,
                    thr_error *err)
{
    if (x->borrowed || x->view) {
        *id = kept_id(x, ns, name, hash);
        if (*id != THR_NONE)
            return 0;
    }
    int code = thr_lexicon_thaw(x, err);
    return code ? code : thr_name_add(x, ns, name, hash, id, err);
}

int thr_key_add(thr_lexicon *x, const thr_key *k, uint32_t *id, thr_error *err)
{
    if (x->hash_bits)
        return thr_bucket_add(x, thr_bucket_hash(x, k), id, err);
    if (!k->integer)
        return thr_name_settle(x, k->ns, k->name, k->hash, id, err);
    *id = small_id(x, k->ns, k->number);
    if (*id != THR_NONE)
        return 0;
    int code = thr_lexicon_thaw(x, err);
    return code ? code : thr_integer_add(x, k->ns, k->number, id, err);
}
