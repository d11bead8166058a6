/* Copies of a lexicon, which have all memory for themselves, and views, which share all of it.
 *
 * There are two ways to copy. Memory that is not changing, which includes that of a mapped file, is
 * copied as it is, and the table of names is made anew. The memory behind a view may be changing,
 * because the lexicon it was taken from goes on adding; so the view's names are added to an empty
 * lexicon, one by one, in the order of their ids. Either way each id stays what it is. */
#include "base/hash.h"
#include "lexicon/keys.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define AT_ONCE 32 /* names that are added together */

/* A shared array with one owner; *ok is cleared if there is no memory. */
static void *copy_of(const void *p, size_t n, size_t size, bool *ok)
{
    void *copy = thr_array_copy(p, n, size);
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
 * table of large integers here. */
static void take_integers(thr_lexicon *x)
{
    for (uint32_t id = 1; id < x->n && !x->no_integers; id++) {
        uint32_t ns;
        thr_str name = thr_named_at(x, id, &ns);
        uint32_t number = name.p && ns == 0 ? thr_large_integer(name) : 0;
        if (number && !x->integers)
            x->no_integers = !(x->integers = thr_integers_new());
        if (!number || !x->integers || thr_integers_find(x->integers, number))
            continue;
        if (thr_integers_strained(x->integers))
            thr_rekey_integers(x);
        uint64_t *place = thr_integers_place(x->integers, number);
        if (place)
            thr_integers_put(x->integers, place, number, id);
        x->integers->spilled |= !place;
    }
}

/* The tables that lead from names to ids. The heap and `origin` are copied. */
static bool make_tables(const thr_lexicon *x, thr_lexicon *out)
{
    if (x->integers && !(out->integers = thr_integers_copy(x->integers)))
        return false;
    if (x->borrowed)
        take_integers(out);
    return !(x->cell || x->slots) || thr_cells_make(out);
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
    out->space = calloc(x->n_spaces, sizeof *out->space);
    out->space_room = out->n_spaces = out->space ? x->n_spaces : 0;
    for (size_t i = 0; i < out->n_spaces; i++)
        ok &= copy_space(out, &out->space[i], &x->space[i]);
    out->origin = copy_of(x->origin, x->n, sizeof *x->origin, &ok);
    out->origin_room = x->n;
    out->heap = (thr_bytes){copy_of(x->heap.p, x->heap.n, 1, &ok), x->heap.n, x->heap.n};
    ok = ok && make_tables(x, out);
    if (x->bucket) {
        out->bucket = thr_array_zeros((size_t)1 << x->hash_bits, sizeof *x->bucket);
        ok &= out->bucket != NULL;
        for (uint32_t id = 1; out->bucket && id < x->n; id++) {
            uint64_t slot = x->origin[id] & ~THR_FROM_HASH;
            out->bucket[slot] = x->bucket[slot];
        }
        thr_paged_share(&x->collided, &out->collided);
    }
    if (ok && out->space)
        return 0;
    thr_lexicon_clear(out);
    return thr_fail_memory(err);
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

/* Makes room for all that will be added, so that nothing has to grow and move meanwhile. */
static bool make_room(const thr_lexicon *x, thr_lexicon *out)
{
    size_t names = 0; /* those that cells lead to */
    for (uint32_t id = 1, ns; id < x->n && !x->hash_bits; id++) {
        thr_str name = thr_named_at(x, id, &ns);
        names += name.p && (ns || !thr_large_integer(name));
    }
    return thr_array_grow(&out->origin, &out->origin_room, x->n, sizeof *out->origin) &&
           thr_array_grow(&out->heap.p, &out->heap.room, x->heap.n, 1) &&
           (!names || thr_cells_reserve(out, names));
}

/* Adds names, from id *from on, as many as follow each other, and prefetches the homes of all
 * before it searches for the first. The namespaces have the same numbers in both. */
static int add_names(thr_lexicon *out, const thr_lexicon *x, uint32_t *from, thr_error *err)
{
    thr_str name[AT_ONCE];
    uint32_t ns[AT_ONCE], n = 0, id;
    uint64_t hash[AT_ONCE];
    thr_tables now = thr_tables_now(out);
    int code = 0;
    for (; n < AT_ONCE && n < x->n - *from; n++) {
        name[n] = thr_named_at(x, *from + n, &ns[n]);
        if (!name[n].p)
            break;
        hash[n] = thr_hash(name[n].p, name[n].n, out->seed);
        if (now.cell && !now.old)
            __builtin_prefetch(&now.cell[thr_name_hash(hash[n], ns[n]) & now.mask], 1);
    }
    for (uint32_t i = 0; i < n && code == 0; i++)
        code = thr_name_add(out, ns[i], name[i], hash[i], &id, err);
    *from += n;
    return code;
}

/* A copy of a view, or of a lexicon without tables. Origins, heap and the slots' marks below its n
 * do not change any more. */
static int add_all(const thr_lexicon *x, thr_lexicon *out, thr_error *err)
{
    int code = thr_lexicon_init(out, x->seed, x->hash_bits, err);
    uint32_t number, id, old = 1;
    if (code == 0 && !make_room(x, out))
        code = thr_fail_memory(err);
    for (size_t i = 0; i < x->n_spaces && code == 0; i++)
        code = thr_lexicon_space(out, (thr_str){x->space[i].name, x->space[i].n}, &number, err);
    while (old < x->n && code == 0) {
        uint32_t from = old;
        old += (uint32_t)add_smalls(out, x, old);
        code = add_names(out, x, &old, err);
        if (old == from && code == 0)
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
    if (x->cell_owners)
        thr_owners_add(x->cell_owners);
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
