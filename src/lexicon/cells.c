/* The table of names that doubles in small steps, and what is done about names that are made to
 * collide. lexicon.h has the picture. */
#include "lexicon/cells.h"

#include "base/hash.h"
#include "base/large.h"
#include "lexicon/keys.h"

#include <stdlib.h>
#include <string.h>

#define FIRST_CELLS    1024
#define MOVED_AT_ONCE  8 /* homes copied for each new name: a cache line */
#define KEPT           (THR_HUGE / sizeof(uint64_t)) /* cells in a huge page (see release_moved) */
#define PIECES         64        /* the previous table is given back in at most so many pieces */
#define TRIES_A_SEARCH 8         /* more than that, on average, is strain (see is_strained) */
#define FREE_TRIES     (1 << 14) /* not strain yet */
#define FILLED_AT_ONCE 32        /* names whose homes are prefetched together */

/* Zeroed memory. From 2 MiB on it costs nothing until it is touched, so growing takes no time. */
static uint64_t *cells_new(size_t cells)
{
    size_t bytes;
    return __builtin_mul_overflow(cells, sizeof(uint64_t), &bytes) ? NULL : thr_large_new(bytes);
}

/* The same with one owner, whose count is stored in *owners. */
static uint64_t *table_new(size_t cells, size_t **owners)
{
    *owners = malloc(sizeof **owners);
    uint64_t *table = *owners ? cells_new(cells) : NULL;
    if (table)
        **owners = 1;
    else
        free(*owners);
    return table;
}

void thr_cells_free(uint64_t *table, size_t cells, size_t *owners)
{
    if (!table || !thr_owners_drop(owners))
        return;
    thr_large_free(table, cells * sizeof *table);
    free(owners);
}

void thr_relief_free(thr_relief *r)
{
    if (!r || !thr_owners_drop(&r->owners))
        return;
    thr_large_free(r->cell, r->cells * sizeof *r->cell);
    free(r);
}

static uint64_t cell_of(uint32_t id, uint32_t tag)
{
    return (uint64_t)id << 32 | tag;
}

/* Whether long searches cost more than TRIES_A_SEARCH cells for each search of any length. Names
 * that are not made to collide stay below 2, even in a table that is 7/10 full. */
static bool is_strained(const thr_strain *s)
{
    size_t tries = __atomic_load_n(&s->tries, __ATOMIC_RELAXED);
    return tries > FREE_TRIES &&
           tries / TRIES_A_SEARCH > __atomic_load_n(&s->searches, __ATOMIC_RELAXED);
}

/* The first empty cell from the home of `tag` on. The table has one. */
static size_t empty_from(const uint64_t *table, size_t mask, uint32_t tag)
{
    size_t at = tag & mask;
    while (table[at])
        at = (at + 1) & mask;
    return at;
}

/* Where a search for a name ends: at its cell, or at an empty one. Tables of cells always have an
 * empty one. */
static size_t search(const thr_lexicon *x, const uint64_t *table, size_t mask, uint32_t tag,
                     uint32_t ns, thr_str name, uint32_t *id)
{
    size_t at = tag & mask;
    *id = 0;
    for (uint64_t c; (c = thr_cell_load(&table[at])); at = (at + 1) & mask)
        if (thr_cell_tag(c) == tag && thr_name_is(x, thr_cell_id(c), ns, name)) {
            *id = thr_cell_id(c);
            break;
        }
    return at;
}

/* The cells that were passed over on the way to `at`, if they are so many that they count. */
static size_t strain_of(uint32_t tag, size_t at, size_t mask)
{
    size_t passed = (at - tag) & mask;
    return passed > THR_TRIES ? passed : 0;
}

uint32_t thr_cells_find(const thr_lexicon *x, const thr_tables *t, uint32_t ns, thr_str name,
                        uint64_t hash)
{
    size_t mask, tries;
    uint32_t id;
    hash = thr_home_hash(t->secret, ns, name, hash);
    const uint64_t *table = thr_table_of(t, hash, &mask);
    size_t at = search(x, table, mask, (uint32_t)hash, ns, name, &id);
    if ((tries = strain_of((uint32_t)hash, at, mask)))
        thr_strain_tries(x, tries);
    return id ? id : THR_NONE;
}

/* ---- all names at once -------------------------------------------------------------------- */

/* Stores the hashes and ids of up to FILLED_AT_ONCE names, from id *from on, which becomes the
 * first id that was not looked at. Only a damaged file has ids without a name. */
static size_t some_names(const thr_lexicon *x, uint32_t *from, const thr_secret *secret,
                         uint32_t *tag, uint32_t *ids)
{
    size_t n = 0;
    uint32_t id = *from, ns;
    for (; id < thr_ids(x) && n < FILLED_AT_ONCE; id++) {
        thr_str name = thr_named_at(x, id, &ns);
        uint32_t number = name.p && ns == 0 && x->integers ? thr_large_integer(name) : 0;
        if (!name.p || (number && thr_integers_find(x->integers, number)))
            continue;
        uint64_t hash = secret ? 0 : thr_hash(name.p, name.n, x->seed);
        tag[n] = (uint32_t)thr_home_hash(secret, ns, name, hash);
        ids[n++] = id;
    }
    *from = id;
    return n;
}

/* Enters all names in an empty table that has room for them, and counts them in *entered. A name
 * that is there twice, as in a damaged file, is entered once: equal names collide by any hash.
 * False: without a secret hash the searches are strained. */
static bool fill(const thr_lexicon *x, uint64_t *table, size_t mask, const thr_secret *secret,
                 size_t *entered)
{
    uint32_t tag[FILLED_AT_ONCE], ids[FILLED_AT_ONCE], from = 1, ns, known;
    thr_strain strain = {0};
    *entered = 0;
    for (size_t n; (n = some_names(x, &from, secret, tag, ids));) {
        for (size_t i = 0; i < n; i++)
            __builtin_prefetch(&table[tag[i] & mask], 1);
        for (size_t i = 0; i < n; i++) {
            thr_str name = thr_named_at(x, ids[i], &ns);
            size_t at = search(x, table, mask, tag[i], ns, name, &known);
            strain.tries += strain_of(tag[i], at, mask);
            if (!known)
                table[at] = cell_of(ids[i], tag[i]);
            *entered += !known;
        }
        strain.searches += n;
        if (!secret && is_strained(&strain))
            return false;
    }
    return true;
}

/* The least table that does not have to grow before its next name. */
static size_t cells_for(size_t names)
{
    size_t cells = FIRST_CELLS;
    while (names * 9 >= cells * 5)
        cells *= 2;
    return cells;
}

bool thr_cells_reserve(thr_lexicon *x, size_t names)
{
    size_t cells = cells_for(names);
    x->cell = table_new(cells, &x->cell_owners);
    x->cells = x->cell ? cells : 0;
    return x->cell;
}

bool thr_cells_make(thr_lexicon *x)
{
    size_t names = thr_lexicon_names(x) - (x->integers ? x->integers->used : 0);
    if (!thr_cells_reserve(x, names))
        return false;
    if (fill(x, x->cell, x->cells - 1, x->keyed ? &x->secret : NULL, &x->cells_used))
        return true;
    memset(x->cell, 0, x->cells * sizeof *x->cell);
    thr_secret_draw(&x->secret);
    x->keyed = true;
    return fill(x, x->cell, x->cells - 1, &x->secret, &x->cells_used);
}

uint64_t thr_cells_bytes(size_t names)
{
    uint64_t cells = names ? cells_for(names) : 0;
    return (cells + cells / 2) * sizeof(uint64_t);
}

/* ---- names that are made to collide ------------------------------------------------------- */

/* Gives a borrowed lexicon its second table. Several threads may do so at once: the first one's is
 * kept. Without memory the search goes on in the file's table. */
static void relieve(thr_lexicon *x)
{
    thr_relief *none = NULL, *r = calloc(1, sizeof *r);
    size_t cells = cells_for(x->n), entered;
    uint64_t *cell = r ? cells_new(cells) : NULL;
    if (!cell) {
        free(r);
        return;
    }
    *r = (thr_relief){.owners = 1, .cell = cell, .cells = cells};
    thr_secret_draw(&r->secret);
    fill(x, cell, cells - 1, &r->secret, &entered);
    if (!__atomic_compare_exchange_n(&x->relief, &none, r, false, __ATOMIC_ACQ_REL,
                                     __ATOMIC_ACQUIRE))
        thr_relief_free(r);
}

void thr_strain_tries(const thr_lexicon *x, size_t tries)
{
    thr_lexicon *counted =
        (thr_lexicon *)x; /* neither the count nor `relief` is part of its value */
    __atomic_add_fetch(&counted->strain.tries, tries, __ATOMIC_RELAXED);
    if (x->borrowed && is_strained(&x->strain) && !__atomic_load_n(&x->relief, __ATOMIC_ACQUIRE))
        relieve(counted);
}

/* Exchanges the tables of a lexicon that adds names for one by a secret hash. The new table is
 * built while readers go on. */
static bool rekey(thr_lexicon *x)
{
    size_t *owners, used;
    uint64_t *fresh = table_new(x->cells, &owners);
    thr_secret secret = {0};
    if (!fresh)
        return false;
    thr_secret_draw(&secret);
    fill(x, fresh, x->cells - 1, &secret, &used);
    thr_readers_out(x);
    thr_cells_free(x->cell, x->cells, x->cell_owners);
    thr_cells_free(x->old, x->old_cells, x->old_owners);
    x->cell = fresh;
    x->cell_owners = owners;
    x->old = NULL;
    x->old_owners = NULL;
    x->old_cells = x->moved = x->released = 0;
    x->secret = secret;
    x->keyed = true;
    thr_readers_in(x);
    return true;
}

/* ---- a table that grows ------------------------------------------------------------------- */

/* Copies the names whose homes are from `moved` to before `end`, then moves the mark to `end`.
 *
 * Linear probing without deletions leaves no empty cell between a name's home and its cell, so the
 * names lie between `moved` and the first empty cell from `end` on. Other names lie among them:
 * those of later homes, whose turn will come, and those of earlier homes, which are copied already.
 * At the front of the table there may also be names whose homes are at the end and that wrapped
 * around; they are found because the walk goes on past the end of the table.
 *
 * The copies are published before the mark, both with release: a reader that sees the new mark
 * finds the names in the new table. */
static void move_homes(thr_lexicon *x, size_t end)
{
    size_t mask = x->old_cells - 1, at = x->moved, tries = 0;
    uint64_t c;
    for (; (c = x->old[at & mask]) || at < end; at++) {
        size_t home = thr_cell_tag(c) & mask;
        if (!c || home < x->moved || home >= end)
            continue;
        size_t place = empty_from(x->cell, x->cells - 1, thr_cell_tag(c));
        tries += strain_of(thr_cell_tag(c), place, x->cells - 1);
        __atomic_store_n(&x->cell[place], c, __ATOMIC_RELEASE);
    }
    tries += at - end > THR_TRIES ? at - end : 0;
    if (tries)
        thr_strain_tries(x, tries);
    __atomic_store_n(&x->moved, end, __ATOMIC_RELEASE);
}

/* Gives back the memory of cells in `old` that no search can reach any more: a search begins at a
 * home from `moved` on. The first KEPT cells stay, because a search may wrap around into them.
 *
 * A reader may be using a lower mark than the current one. Taking the lock for writing and letting
 * it go at once waits until every such reader is out; readers that come later see the current mark.
 * Because of this wait the memory is given back in a few large pieces. A view keeps for ever the
 * mark that it was taken with, so while a view owns the table nothing of it is given back. */
static void release_moved(thr_lexicon *x)
{
    size_t piece = x->old_cells / PIECES > KEPT ? x->old_cells / PIECES : KEPT;
    size_t from = x->released > KEPT ? x->released : KEPT;
    if (x->moved < from + piece || x->released == x->old_cells || !thr_owners_alone(x->old_owners))
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
    move_homes(x, homes < x->old_cells - x->moved ? x->moved + homes : x->old_cells);
    release_moved(x);
    if (x->moved < x->old_cells)
        return;
    thr_readers_out(x);
    thr_cells_free(x->old, x->old_cells, x->old_owners);
    x->old = NULL;
    x->old_owners = NULL;
    x->old_cells = x->moved = x->released = 0;
    thr_readers_in(x);
}

/* Begins to double the table: `cell` becomes `old`, which must be NULL, and `cell` a new table that
 * is empty. */
static bool grow(thr_lexicon *x)
{
    size_t wanted = x->cells ? x->cells * 2 : FIRST_CELLS, *owners;
    uint64_t *fresh = table_new(wanted, &owners);
    if (!fresh)
        return false;
    thr_readers_out(x);
    x->old = x->cell;
    x->old_owners = x->cell_owners;
    x->old_cells = x->cells;
    x->moved = x->released = 0;
    x->cell = fresh;
    x->cell_owners = owners;
    x->cells = wanted;
    thr_readers_in(x);
    return true;
}

/* A table of N cells starts to grow when 5N/9 are used. With 8 homes copied for each new name,
 * copying ends after N/8 more names. Until then the cells that are left in `old` are filled up to
 * 5/9 + 1/8 < 7/10, so that probing stays short; and the new table up to 49/144 < 5/9: copying ends
 * before it must grow itself. */
bool thr_cells_ready(thr_lexicon *x)
{
    if (!x->keyed && is_strained(&x->strain) && !rekey(x))
        return false;
    move_some(x, MOVED_AT_ONCE);
    thr_strain_searches(x, 1); /* for the place of the next name */
    return x->cells_used * 9 < x->cells * 5 || grow(x);
}

uint64_t *thr_cells_place(thr_lexicon *x, uint32_t ns, thr_str name, uint64_t hash, uint32_t *tag,
                          uint32_t *id)
{
    thr_tables now = thr_tables_now(x);
    size_t mask;
    hash = thr_home_hash(now.secret, ns, name, hash);
    uint64_t *table = thr_table_of(&now, hash, &mask) == x->cell ? x->cell : x->old;
    *tag = (uint32_t)hash;
    size_t at = search(x, table, mask, *tag, ns, name, id), tries = strain_of(*tag, at, mask);
    if (tries)
        thr_strain_tries(x, tries);
    return &table[at];
}

/* All of the name is written before. A name in `old` may have wrapped around and come to lie beyond
 * the cells that are always kept: from then on no memory of `old` may be given back, or the name
 * would be lost. */
void thr_cells_put(thr_lexicon *x, uint64_t *place, uint32_t tag, uint32_t id)
{
    __atomic_store_n(place, cell_of(id, tag), __ATOMIC_RELEASE);
    x->cells_used++;
    if (!x->old || place < x->old || place >= x->old + x->old_cells)
        return;
    size_t at = (size_t)(place - x->old);
    if (at >= KEPT && at < (tag & (x->old_cells - 1)))
        x->released = x->old_cells;
}
