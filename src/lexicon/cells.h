/* The table of names: finding the cell of a name, and the tables behind that. Private to the
 * lexicon; lexicon.h has the picture.
 *
 * Functions that add are for the one thread that adds names. The others may be called by a reader
 * that holds `readers` for reading, by any thread while no thread adds, and on a view by any thread
 * at any time. */
#ifndef THR_LEXICON_CELLS_H
#define THR_LEXICON_CELLS_H

#include "base/random.h"
#include "base/scan.h"
#include "lexicon/lexicon.h"

/* Searches of at most so many cells are not counted as strain. In a table that is 2/3 full one new
 * name in 30 is searched longer. */
#define THR_TRIES 32

/* Counts searches in the table of names, for the proportion that thr_strain_tries compares with. */
static inline void thr_strain_searches(const thr_lexicon *x, size_t searches)
{
    size_t *all = &((thr_lexicon *)x)->strain.searches; /* the count is no part of its value */
    __atomic_add_fetch(all, searches, __ATOMIC_RELAXED);
}

/* Counts the cells, or slots, of a search that looked at more than THR_TRIES. A borrowed lexicon
 * may get its second table then. */
void thr_strain_tries(const thr_lexicon *x, size_t tries);

/* The hash of a name in its namespace, made from the hash of its bytes. It selects the place in the
 * table of names, and in the file's. */
static inline uint64_t thr_name_hash(uint64_t hash, uint32_t ns)
{
    return thr_mix64(hash + ns);
}

static inline uint32_t thr_cell_tag(uint64_t cell)
{
    return (uint32_t)cell;
}

static inline uint32_t thr_cell_id(uint64_t cell)
{
    return (uint32_t)(cell >> 32);
}

/* Another thread may be filling the cell. One that is not 0 says that all of the name is written.
 */
static inline uint64_t thr_cell_load(const uint64_t *cell)
{
    return __atomic_load_n(cell, __ATOMIC_ACQUIRE);
}

/* The tables of names as they are now. It may be used for a whole batch while `readers` is held:
 * with a `moved` that is no longer current, a reader misses only names added since. Without a table
 * `cell` is NULL. */
typedef struct thr_tables {
    const uint64_t *cell, *old;
    size_t mask, old_mask, moved;
    const thr_secret *secret; /* the homes are those of this secret hash; NULL: of thr_name_hash */
} thr_tables;

static inline thr_tables thr_tables_now(const thr_lexicon *x)
{
    const thr_relief *r = __atomic_load_n(&x->relief, __ATOMIC_ACQUIRE);
    if (r)
        return (thr_tables){r->cell, NULL, r->cells - 1, 0, 0, &r->secret};
    return (thr_tables){x->cell,
                        x->old,
                        x->cells - 1,
                        x->old_cells - 1,
                        __atomic_load_n(&x->moved, __ATOMIC_ACQUIRE),
                        x->keyed ? &x->secret : NULL};
}

/* The hash that selects the cell in tables with or without a secret hash. `hash` is that of the
 * name's bytes, with the lexicon's seed. */
static inline uint64_t thr_home_hash(const thr_secret *secret, uint32_t ns, thr_str name,
                                     uint64_t hash)
{
    return thr_name_hash(secret ? thr_secret_hash(secret, name.p, name.n) : hash, ns);
}

/* The table that has the name with this hash, if any has. A name stays in `old` until its home
 * there is below `moved`. */
static inline const uint64_t *thr_table_of(const thr_tables *t, uint64_t hash, size_t *mask)
{
    bool stays = t->old && ((uint32_t)hash & t->old_mask) >= t->moved;
    *mask = stays ? t->old_mask : t->mask;
    return stays ? t->old : t->cell;
}

/* The id of a name in the cells, which exist, or THR_NONE. The hash is that of its bytes. */
uint32_t thr_cells_find(const thr_lexicon *x, const thr_tables *t, uint32_t ns, thr_str name,
                        uint64_t hash);
/* Makes room for one more name, where a lexicon adds names to cells of its own. This may exchange
 * the tables. False: out of memory. */
bool thr_cells_ready(thr_lexicon *x);
/* The place where a name is, and then *id is its id; or where it can be put, and *id is 0.
 * thr_cells_put stores an id there. thr_cells_ready must have been called since the last put. */
uint64_t *thr_cells_place(thr_lexicon *x, uint32_t ns, thr_str name, uint64_t hash, uint32_t *tag,
                          uint32_t *id);
void thr_cells_put(thr_lexicon *x, uint64_t *place, uint32_t tag, uint32_t id);
/* Makes the table of a lexicon that has names, but no cells. Large integers that have their own
 * table are left out. False: out of memory. */
bool thr_cells_make(thr_lexicon *x);
/* Makes an empty table that will not grow before it has so many names, where there is none yet.
 * False: out of memory. */
bool thr_cells_reserve(thr_lexicon *x, size_t names);
/* The bytes of tables for so many names, at the moment when they take the most. */
uint64_t thr_cells_bytes(size_t names);

/* Give up one owner's part of a table, which may be NULL. */
void thr_cells_free(uint64_t *table, size_t cells, size_t *owners);
void thr_relief_free(thr_relief *r);

#endif
