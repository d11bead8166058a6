/* The table of names that doubles in small steps, the pages of small integers, the hashed form, and
 * on top of these how any single key is found or added. lexicon.h has the picture. */
#include "lexicon/keys.h"

#include <stdlib.h>
#include <string.h>

#define HEAP_HEAD   6 /* bytes of namespace and length before each name in the heap */
#define FIRST_SLOTS 1024

#define MOVED_AT_ONCE  8                             /* homes copied together */
#define MOVED_EVERY    2                             /* new names */
#define KEPT           (THR_HUGE / sizeof(thr_slot)) /* slots in a huge page (see release_moved) */
#define PIECES         64   /* the previous table is given back in at most so many pieces */
#define FIRST_PAGES    4u   /* pages in the first ream; each ream has twice as many as the last */
#define MOST_PAGES     512u /* pages in a ream, at most: 2 MiB */
#define TRIES_A_SEARCH 8    /* more than that, on average, is strain (see is_strained) */
#define FREE_TRIES     (1 << 14) /* not strain yet */
#define JOINED_AT      2 /* a huge page is formed once 1 in so many of its small pages is in use */

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
    if (end < HEAP_HEAD || at > end - HEAP_HEAD || !thr_touch(x, x->heap.p + at, HEAP_HEAD))
        return (thr_str){NULL, 0};
    memcpy(&space, x->heap.p + at, sizeof space);
    memcpy(&n, x->heap.p + at + sizeof space, sizeof n);
    if (n > end - HEAP_HEAD - at || space >= thr_spaces(x) ||
        !thr_touch(x, x->heap.p + at + HEAP_HEAD, n))
        return (thr_str){NULL, 0};
    *ns = space;
    return (thr_str){x->heap.p + at + HEAP_HEAD, n};
}

thr_str thr_heap_name(const thr_lexicon *x, uint64_t at, uint32_t *ns)
{
    thr_str name = thr_heap_find(x, at, ns);
    return name.p ? name : (thr_str){"", 0};
}

/* A short name is copied with the bytes behind it in its slot: they will be overwritten. */
static bool heap_add(thr_lexicon *x, uint32_t ns, thr_str name, const thr_slot *slot)
{
    uint16_t space = (uint16_t)ns;
    uint32_t n = (uint32_t)name.n;
    size_t end, room;
    if (__builtin_add_overflow(x->heap.n, HEAP_HEAD + (size_t)n, &end) ||
        __builtin_add_overflow(end, sizeof slot->text, &room) ||
        !thr_array_grow_beside(x, &x->heap.p, &x->heap.room, room, 1))
        return false;
    char *to = x->heap.p + x->heap.n;
    memcpy(to, &space, sizeof space);
    memcpy(to + sizeof space, &n, sizeof n);
    if (slot->n != THR_LONG_NAME)
        memcpy(to + HEAP_HEAD, slot->text, sizeof slot->text);
    else
        memcpy(to + HEAP_HEAD, name.p, n);
    __atomic_store_n(&x->heap.n, end, __ATOMIC_RELAXED);
    return true;
}

/* Zeroed memory. From 2 MiB on it costs nothing until it is touched, so growing takes no time. */
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
        thr_copy_bytes(s.text, name.p, name.n);
    }
    return s;
}

/* The fields are stored one by one and the id last, because a reader may look at the slot. */
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

/* ---- names that are made to collide ------------------------------------------------------- */

void thr_relief_free(thr_relief *r)
{
    if (!r || !thr_owners_drop(&r->owners))
        return;
    thr_slots_free(r->slot, r->slots);
    free(r);
}

/* Whether long searches cost more than TRIES_A_SEARCH slots for each search of any length. Names
 * that are not made to collide stay below 2, even in a table that is 7/10 full. */
static bool is_strained(const thr_lexicon *x)
{
    size_t tries = __atomic_load_n(&x->strain.tries, __ATOMIC_RELAXED);
    return tries > FREE_TRIES &&
           tries / TRIES_A_SEARCH > __atomic_load_n(&x->strain.searches, __ATOMIC_RELAXED);
}

/* Adds the names in a table to another one, `to`, which has room for them, by a secret hash. Only a
 * damaged file has a name twice; the second is left out, since equal names collide by any hash. */
static void place_anew(const thr_lexicon *x, const thr_slot *table, size_t slots, thr_slot *to,
                       size_t to_slots, const thr_secret *secret)
{
    uint32_t ns, ids = thr_ids(x);
    for (size_t i = 0; i < slots && thr_touch(x, &table[i], sizeof *table); i++) {
        thr_slot s = table[i];
        thr_str name = {s.text, s.n};
        if (s.id == 0 || s.id >= ids || (s.n > THR_SLOT_TEXT && s.n != THR_LONG_NAME))
            continue;
        if (s.n == THR_LONG_NAME && !thr_touch(x, &x->origin[s.id], sizeof *x->origin))
            return;
        if (s.n == THR_LONG_NAME)
            name = thr_heap_name(x, x->origin[s.id], &ns);
        if (s.n == THR_LONG_NAME && name.n <= THR_SLOT_TEXT)
            continue; /* only in a damaged file; no search would find it */
        s.tag = (uint32_t)thr_home_hash(secret, s.ns, name, 0);
        size_t at = s.tag & (to_slots - 1);
        while (to[at].id && !thr_slot_is(x, &to[at], s.tag, s.ns, name))
            at = (at + 1) & (to_slots - 1);
        if (!to[at].id)
            to[at] = s;
    }
}

/* Gives a borrowed lexicon its second table. Several threads may do so at once: the first one's is
 * kept. Without memory the search goes on in the file's table. */
static void relieve(thr_lexicon *x)
{
    thr_relief *none = NULL, *r = calloc(1, sizeof *r);
    thr_slot *slot = r ? thr_slots_new(x->slots * 2) : NULL;
    if (!slot) {
        free(r);
        return;
    }
    *r = (thr_relief){.owners = 1, .slot = slot, .slots = x->slots * 2};
    thr_secret_draw(&r->secret);
    place_anew(x, x->slot, x->slots, slot, r->slots, &r->secret);
    if (!__atomic_compare_exchange_n(&x->relief, &none, r, false, __ATOMIC_ACQ_REL,
                                     __ATOMIC_ACQUIRE))
        thr_relief_free(r);
}

/* Counts a search of more than THR_TRIES slots. */
static void count_tries(const thr_lexicon *x, size_t tries)
{
    thr_lexicon *counted =
        (thr_lexicon *)x; /* neither the count nor `relief` is part of its value */
    __atomic_add_fetch(&counted->strain.tries, tries, __ATOMIC_RELAXED);
    if (x->borrowed && is_strained(x) && !__atomic_load_n(&x->relief, __ATOMIC_ACQUIRE))
        relieve(counted);
}

/* Exchanges the tables of a lexicon that adds names for one by a secret hash. The new table is
 * built while readers go on. What both old tables have (section 2 of lexicon.h) is placed once. */
static bool rekey(thr_lexicon *x)
{
    size_t *owners = malloc(sizeof *owners);
    thr_slot *fresh = owners ? thr_slots_new(x->slots) : NULL;
    thr_secret secret = {0};
    if (!fresh) {
        free(owners);
        return false;
    }
    *owners = 1;
    thr_secret_draw(&secret);
    place_anew(x, x->slot, x->slots, fresh, x->slots, &secret);
    place_anew(x, x->old, x->old_slots, fresh, x->slots, &secret);
    thr_readers_out(x);
    thr_table_free(x->slot, x->slots, x->slot_owners);
    thr_table_free(x->old, x->old_slots, x->old_owners);
    x->slot = fresh;
    x->slot_owners = owners;
    x->old = NULL;
    x->old_owners = NULL;
    x->old_slots = x->moved = x->released = 0;
    x->secret = secret;
    x->keyed = true;
    thr_readers_in(x);
    return true;
}

/* ---- a table that grows ------------------------------------------------------------------- */

/* thr_slot_place, with its strain. */
static size_t place(const thr_lexicon *x, thr_slot *table, size_t slots, const thr_slot *s)
{
    size_t at = thr_slot_place(table, slots, s), tries = (at - s->tag) & (slots - 1);
    if (tries > THR_TRIES)
        count_tries(x, tries);
    return at;
}

/* Copies the names whose homes are from `moved` to before `end`, then moves the mark to `end`.
 *
 * Linear probing without deletions leaves no empty slot between a name's home and its slot, so the
 * names lie between `moved` and the first empty slot from `end` on. Other names lie among them:
 * those of later homes, whose turn will come, and those of earlier homes, which are copied already.
 * At the front of the table there may also be names whose homes are at the end and that wrapped
 * around; they are found because the walk goes on past the end of the table.
 *
 * The copies are published before the mark, both with release: a reader that sees the new mark
 * finds the names in the new table. */
static void move_homes(thr_lexicon *x, size_t end)
{
    size_t mask = x->old_slots - 1, at = x->moved;
    for (; at < end || x->old[at & mask].id; at++) {
        const thr_slot *s = &x->old[at & mask];
        size_t home = s->tag & mask;
        if (s->id && home >= x->moved && home < end)
            place(x, x->slot, x->slots, s);
    }
    if (at - end > THR_TRIES)
        count_tries(x, at - end);
    __atomic_store_n(&x->moved, end, __ATOMIC_RELEASE);
}

/* Gives back the memory of slots in `old` that no search can reach any more: a search begins at a
 * home from `moved` on. The first KEPT slots stay, because a search may wrap around into them.
 *
 * A reader may be using a lower mark than the current one. Taking the lock for writing and letting
 * it go at once waits until every such reader is out; readers that come later see the current mark.
 * Because of this wait the memory is given back in a few large pieces. A view keeps for ever the
 * mark that it was taken with, so while a view owns the table nothing of it is given back. */
static void release_moved(thr_lexicon *x)
{
    if (!thr_owners_alone(x->old_owners))
        return;
    size_t piece = x->old_slots / PIECES > KEPT ? x->old_slots / PIECES : KEPT;
    size_t from = x->released > KEPT ? x->released : KEPT;
    if (x->moved < from + piece || x->released == x->old_slots)
        return;
    thr_readers_out(x);
    thr_readers_in(x);
    x->released = x->moved / KEPT * KEPT;
    thr_large_release(x->old + from, (x->released - from) * sizeof *x->old);
}

/* Copies the next `homes` homes of the previous table, if there is one, and frees it once all have
 * been copied. */
static void move_some(thr_lexicon *x, size_t homes)
{
    if (!x->old)
        return;
    move_homes(x, homes < x->old_slots - x->moved ? x->moved + homes : x->old_slots);
    release_moved(x);
    if (x->moved < x->old_slots)
        return;
    thr_readers_out(x);
    thr_table_free(x->old, x->old_slots, x->old_owners);
    x->old = NULL;
    x->old_owners = NULL;
    x->old_slots = x->moved = x->released = 0;
    thr_readers_in(x);
}

/* Begins to double the table: `slot` becomes `old`, and `slot` a new table that is empty. */
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
    move_some(x,
              x->old_slots); /* usually nothing is left: `old` of a file may be fuller than ours */
    thr_readers_out(x);
    x->old = x->slot;
    x->old_owners = x->slot_owners;
    x->old_slots = x->slots;
    x->moved = x->released = 0;
    x->slot = fresh;
    x->slot_owners = owners;
    x->slots = wanted;
    thr_readers_in(x);
    /* Only a table from a file can be so full, or so small. It has no room for the names that come
     * while it is copied. */
    if (x->slots_used * 3 > x->old_slots * 2 || x->old_slots < FIRST_SLOTS)
        move_some(x, x->old_slots);
    return true;
}

/* Makes room for one more name. A table of N slots starts to grow when 4N/9 are used (one from a
 * model file may be up to 2/3 full, and then starts to grow with its first new name). With
 * 4 homes copied for each new name, two names' homes at a time, copying ends after N/4 more names.
 * Until then the slots that are left in `old` are filled up to 4/9 + 1/4 < 7/10, so that probing
 * stays short; and the new table up to 25/72 < 4/9: copying ends before it must grow itself. */
static bool slots_ready(thr_lexicon *x)
{
    if (x->slots_used % MOVED_EVERY == 0) {
        if (!x->keyed && is_strained(x) && !rekey(x))
            return false;
        move_some(x, MOVED_AT_ONCE);
        thr_strain_searches(x, MOVED_EVERY); /* for the places of the next names */
    }
    return x->slots_used * 9 < x->slots * 4 || slots_grow(x);
}

/* Adds a name to the table that look-ups will search for it. */
static void slots_add(thr_lexicon *x, const thr_slot *s)
{
    thr_tables now = thr_tables_now(x);
    size_t mask;
    bool stays = thr_table_of(&now, s->tag, &mask) != now.slot;
    size_t at = place(x, stays ? x->old : x->slot, mask + 1, s);
    /* It wrapped around and came to lie beyond the slots that are always kept: from now on no
     * memory of `old` may be given back, or the name would be lost. */
    if (stays && at >= KEPT && at < (s->tag & mask))
        x->released = x->old_slots;
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

/* Our own tables always have an empty slot, which ends the search. A table in a damaged file may be
 * full, so the number of tries is limited too. Without a table the mask is SIZE_MAX, mask + 1 is 0,
 * and nothing is tried. */
uint32_t thr_name_id(const thr_lexicon *x, uint32_t ns, thr_str name, uint64_t hash)
{
    thr_tables now = thr_tables_now(x);
    hash = thr_home_hash(now.secret, ns, name, hash);
    size_t mask, tries = 0, at = (uint32_t)hash;
    const thr_slot *table = thr_table_of(&now, hash, &mask);
    uint32_t id, found = THR_NONE;
    for (; tries < mask + 1; tries++, at++) {
        const thr_slot *s = &table[at & mask];
        if (!thr_touch(x, s, sizeof *s) || !(id = thr_slot_id(s)))
            break;
        if (thr_slot_is(x, s, (uint32_t)hash, ns, name)) {
            found = id < thr_ids(x) ? id : THR_NONE;
            break;
        }
    }
    if (tries > THR_TRIES)
        count_tries(x, tries);
    return found;
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
    if (!x->slots && !slots_grow(x)) /* with `integers` there is always a table of names, too */
        return NULL;
    return x->integers ? thr_integers_place(x->integers, number) : NULL;
}

/* Whatever may fail comes before the name is published. A failure leaves at most unused bytes in
 * the heap and a larger table. */
int thr_name_add(thr_lexicon *x, uint32_t ns, thr_str name, uint64_t hash, uint32_t *id,
                 thr_error *err)
{
    uint64_t at = x->heap.n;
    uint32_t number = ns == 0 ? thr_large_integer(name) : 0;
    uint64_t *place = number ? integer_place(x, number) : NULL;
    if (!place && !slots_ready(x)) /* this may give the table a secret hash */
        return thr_fail_memory(err);
    hash = thr_home_hash(x->keyed ? &x->secret : NULL, ns, name, hash);
    thr_slot s = thr_slot_of(x->n, hash, ns, name);
    int code = heap_add(x, ns, name, &s) ? thr_new_id(x, at, id, err) : thr_fail_memory(err);
    if (code)
        return code;
    if (place) {
        thr_integers_put(x->integers, place, number, *id);
        return 0;
    }
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

int thr_name_settle(thr_lexicon *x, uint32_t ns, thr_str name, uint64_t hash, uint32_t *id,
                    thr_error *err)
{
    *id = kept_id(x, ns, name, hash);
    if (*id != THR_NONE)
        return 0;
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
