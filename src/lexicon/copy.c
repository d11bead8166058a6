/* Copies of a lexicon, which have all memory for themselves, and views, which share all of it.
 *
 * There are two ways to copy. Tables that are not changing, which includes those of a mapped file,
 * are copied as they are. The tables behind a view may be changing, because the lexicon it was
 * taken from goes on adding; so the view's names are added to an empty lexicon, one by one, in the
 * order of their ids. Either way each id stays what it is. */
#include "lexicon/keys.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* A shared array with one owner; *ok is cleared if there is no memory. */
static void *copy_of(const void *p, size_t n, size_t size, bool *ok)
{
    void *copy = thr_array_copy(p, n, size);
    *ok &= copy != NULL;
    return copy;
}

static thr_slot *copy_slots(const thr_slot *table, size_t slots, size_t **owners, bool *ok)
{
    *owners = malloc(sizeof **owners);
    thr_slot *copy = *owners ? thr_slots_new(slots) : NULL;
    if (copy) {
        memcpy(copy, table, slots * sizeof *table);
        **owners = 1;
    } else {
        free(*owners);
        *owners = NULL;
    }
    *ok &= copy != NULL;
    return copy;
}

/* Ids that are out of range, which only a damaged file can have, become 0: look-ups in `flat` do
 * not compare with n. */
static bool copy_space(thr_lexicon *x, thr_space *to, const thr_space *from)
{
    bool ok = true;
    to->name = copy_of(from->name, from->n + 1, 1, &ok);
    to->n = from->n;
    to->page = thr_array_zeros(from->pages + 1, sizeof *to->page);
    to->pages = to->page ? from->pages : 0;
    for (size_t p = 0; p < to->pages; p++) {
        const uint32_t *page = from->page[p];
        uint32_t *copy = page ? thr_page_new(x, from->n == 0, p) : NULL;
        for (size_t i = 0; copy && i < THR_PAGE; i++)
            copy[i] = page[i] < x->n ? page[i] : 0;
        to->page[p] = copy;
        ok &= copy || !page;
    }
    return ok && to->page;
}

/* Model files keep large integers in the table of names. A lexicon that was read from one gets its
 * table of large integers here. Their slots stay in the table of names, where they are no longer
 * searched, unless the table of integers could not take all of them. */
static void take_integers(thr_lexicon *x)
{
    for (size_t i = 0; i < x->slots && !x->no_integers; i++) {
        const thr_slot *s = &x->slot[i];
        uint32_t number = 0;
        if (s->id && s->id < x->n && s->ns == 0 && s->n <= THR_SLOT_TEXT)
            number = thr_large_integer((thr_str){s->text, s->n});
        if (number && !x->integers)
            x->no_integers = !(x->integers = thr_integers_new());
        if (!number || !x->integers || thr_integers_find(x->integers, number))
            continue;
        if (thr_integers_strained(x->integers))
            thr_rekey_integers(x);
        uint64_t *place = thr_integers_place(x->integers, number);
        if (place)
            thr_integers_put(x->integers, place, number, s->id);
        x->integers->spilled |= !place;
    }
}

static bool copy_tables(const thr_lexicon *x, thr_lexicon *out)
{
    bool ok = true;
    if (x->slots)
        out->slot = copy_slots(x->slot, x->slots, &out->slot_owners, &ok);
    out->slots = x->slots;
    for (size_t i = 0; i < x->slots && out->slot; i++) /* a borrowed table may not be counted yet */
        out->slots_used += out->slot[i].id != 0;
    if (x->old) {
        out->old = copy_slots(x->old, x->old_slots, &out->old_owners, &ok);
        out->old_slots = x->old_slots;
        out->moved = x->moved;
        out->released = x->released;
        out->slots_used = x->slots_used;
    }
    if (x->borrowed && out->slot)
        take_integers(out);
    if (x->integers)
        ok &= (out->integers = thr_integers_copy(x->integers)) != NULL;
    return ok;
}

/* In the hashed form only the slots in use are copied; their origins tell which these are. The
 * other slots stay zero pages that were never touched and take no memory. */
static int copy_all(const thr_lexicon *x, thr_lexicon *out, thr_error *err)
{
    bool ok = true;
    *out = (thr_lexicon){.seed = x->seed,
                         .hash_bits = x->hash_bits,
                         .n = x->n,
                         .keyed = x->keyed,
                         .secret = x->secret};
    out->strain.tries = __atomic_load_n(&x->strain.tries, __ATOMIC_RELAXED);
    out->strain.searches = __atomic_load_n(&x->strain.searches, __ATOMIC_RELAXED);
    out->space = calloc(x->n_spaces, sizeof *out->space);
    out->space_room = out->n_spaces = out->space ? x->n_spaces : 0;
    for (size_t i = 0; i < out->n_spaces; i++)
        ok &= copy_space(out, &out->space[i], &x->space[i]);
    ok &= copy_tables(x, out);
    out->origin = copy_of(x->origin, x->n, sizeof *x->origin, &ok);
    out->origin_room = x->n;
    out->heap = (thr_bytes){copy_of(x->heap.p, x->heap.n, 1, &ok), x->heap.n, x->heap.n};
    if (x->bucket) {
        out->bucket = thr_array_zeros((size_t)1 << x->hash_bits, sizeof *x->bucket);
        ok &= out->bucket != NULL;
        for (uint32_t id = 1; out->bucket && id < x->n; id++) {
            uint64_t slot = x->origin[id] & ~THR_FROM_HASH;
            out->bucket[slot] = x->bucket[slot];
        }
        thr_paged_share(&x->collided, &out->collided);
    }
    bool full = x->slots && out->slots_used == x->slots; /* adding a name would never end */
    if (ok && out->space && !full)
        return 0;
    thr_lexicon_clear(out);
    return full ? thr_fail(err, THR_EMODEL, "this model is damaged: its table of names is full")
                : thr_fail_memory(err);
}

/* Adds small integers of the empty namespace, from id `first` on, as many as follow each other and
 * have a page in `out`. Returns how many. */
static size_t add_smalls(thr_lexicon *out, const thr_lexicon *x, uint32_t first)
{
    uint64_t number[64];
    uint32_t id[64];
    size_t n = 0;
    for (; n < 64 && n < x->n - first; n++) {
        number[n] = x->origin[first + n] ^ THR_FROM_INTEGER;
        if (number[n] >= THR_SMALL)
            break;
    }
    return thr_smalls_add(out, number, n, id);
}

/* A copy of a view, or of a lexicon without tables. Origins, heap and the slots' marks below its n
 * do not change any more. */
static int add_all(const thr_lexicon *x, thr_lexicon *out, thr_error *err)
{
    int code = thr_lexicon_init(out, x->seed, x->hash_bits, err);
    uint32_t number, id, old = 1;
    for (size_t i = 0; i < x->n_spaces && code == 0; i++)
        code = thr_lexicon_space(out, (thr_str){x->space[i].name, x->space[i].n}, &number, err);
    while (old < x->n && code == 0) {
        old += (uint32_t)add_smalls(out, x, old);
        if (old < x->n)
            code = thr_lexicon_take(out, x, old++, &id, err);
    }
    if (code)
        thr_lexicon_clear(out);
    return code;
}

int thr_lexicon_copy(const thr_lexicon *x, thr_lexicon *out, thr_error *err)
{
    return x->view && !x->borrowed ? add_all(x, out, err) : copy_all(x, out, err);
}

int thr_lexicon_rebuild(thr_lexicon *x, thr_error *err)
{
    thr_lexicon own;
    int code = thr_lexicon_check_names(x, err);
    if (code == 0)
        code = add_all(x, &own, err);
    if (code)
        return code;
    bool same = own.n == x->n;
    thr_lexicon_clear(same ? x : &own);
    if (!same)
        return thr_fail(err, THR_EMODEL, "this model is damaged: a name occurs twice");
    *x = own;
    return 0;
}

/* The copy is made while readers go on; only the exchange keeps them out. */
int thr_lexicon_thaw(thr_lexicon *x, thr_error *err)
{
    if (!x->borrowed && !x->view)
        return 0;
    thr_lexicon own;
    int code = thr_lexicon_copy(x, &own, err);
    if (code == 0) {
        own.readers = x->readers;
        thr_readers_out(x);
        thr_lexicon_clear(x);
        *x = own;
        thr_readers_in(x);
    }
    return code;
}

/* ---- views ---------------------------------------------------------------------------------- */

/* The structs of the namespaces are copied, since the lexicon changes them in place; the names and
 * lists of pages that they point to are shared. */
static bool share_spaces(const thr_lexicon *x, thr_lexicon *out)
{
    out->space = malloc(x->n_spaces * sizeof *out->space);
    out->space_room = out->n_spaces = out->space ? x->n_spaces : 0;
    for (size_t i = 0; i < out->n_spaces; i++) {
        out->space[i] = x->space[i];
        thr_array_share(x->space[i].name);
        thr_array_share(x->space[i].page);
    }
    return out->space;
}

/* `collided` is copied on write, page by page (thr_paged). All other memory is only appended to. */
int thr_lexicon_share(const thr_lexicon *x, thr_lexicon *out, thr_error *err)
{
    memcpy(out, x, offsetof(thr_lexicon, strain));
    out->strain = (thr_strain){0};
    out->by_name = (thr_index){0};
    out->relief = __atomic_load_n(&x->relief, __ATOMIC_ACQUIRE);
    out->readers = NULL;
    out->view = true;
    if (!share_spaces(x, out)) {
        *out = (thr_lexicon){0};
        return thr_fail_memory(err);
    }
    if (x->store)
        thr_owners_add(&x->store->owners);
    if (x->slot_owners)
        thr_owners_add(x->slot_owners);
    if (x->old_owners)
        thr_owners_add(x->old_owners);
    if (out->relief)
        thr_owners_add(&out->relief->owners);
    thr_integers_share(x->integers);
    if (!x->borrowed) {
        thr_array_share(x->origin);
        thr_array_share(x->heap.p);
    }
    thr_array_share(x->bucket);
    thr_paged_share(&x->collided, &out->collided);
    return 0;
}
