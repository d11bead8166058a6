/* The lexicon maps feature names to ids and ids back to names.
 *
 * A feature is a pair (namespace, name). Ids are dense and are given in the order of first
 * appearance, because they index the weight rows; an id never changes. Id 0 is the bias. A hash
 * only finds the place where a name may be; names are always compared, so two names never share an
 * id (except in the hashed form, whose purpose is that they may).
 *
 * 1. From a name to its id
 *
 *     kind of name                     where its id is
 *     small integer i < 2^24           space[ns].page[i >> 10][i & 1023]          no hashing
 *       ... of the empty namespace     flat[i], one array over the same pages     one load
 *     large integer i < 2^32 of the    integers: a bucket of 512 words of 8 bytes
 *       empty namespace                (integers.h)
 *     any other name                   cell[]: a hash table with cells of 8 bytes
 *     hashed form, hash_bits = B       bucket[hash mod 2^B]; names are not kept
 *
 *        space[ns]           cell (and old)          integers
 *     +------------+      +----------+----+     +-------------+----+
 *     | page[0] ---+-+    | tag : 32 | id |     | number : 32 | id |
 *     | page[1]    | |    +----------+--+-+     +-------------+----+
 *     | ...        | |                  |
 *     +------------+ |                  v
 *       1024 ids  <--+    origin[id] = small integer | hash slot | offset in heap
 *     +------------+                                                  |
 *     | id, id, .. |                                                  v
 *     +------------+      heap  ... | ns u16 | length u32 | bytes | ns u16 | ...
 *
 * `origin` and `heap` are the way from an id to its name. The heap holds every name that is not a
 * small integer, once. A cell has 32 bits of the name's hash, the tag, so a search reads the names
 * of other ids only where all of these bits are equal by chance; where it finds the name, it has
 * read a cell, an origin and the heap. Look-ups prefetch these three, one after the other, for many
 * names at a time (lookup.c).
 *
 * Pages come from `store`: either they lie in the array `flat`, whose address space is reserved for
 * all 2^24 small integers, or they are cut from reams, which are allocated as they are needed.
 *
 * A model file has a table of its own form: slots of 32 bytes with short names in them, so that a
 * name is found in the mapped file by touching one place (slots.c). A lexicon that borrows it has
 * no cells. They are made from the names when the lexicon must add one.
 *
 * 2. How the table of names grows
 *
 * The table doubles without a pause in which all names are moved. A name's home is the cell where
 * linear probing for it begins, hash mod the number of cells. When the table is 5/9 full, a table
 * twice as large is made (`cell`) and the previous one is kept as `old`. With each new name the
 * next eight homes of `old` are copied:
 *
 *             0             moved                       old_cells
 *     old     | (copied)    |  d .  e f  .  .  g h  .   |
 *                  |           names with these homes are looked up here, and new ones added here
 *                  v
 *     cell    | a .  .  b  .  .  c  .  .  .  .  .  .  .  .  .  .  .  .  .  .  .  . |  2 old_cells
 *               names whose home in `old` is below `moved`
 *
 * So the mark `moved` tells for each hash which of the two tables to search, and no name needs two
 * searches. Copying does not change `old`: a reader that still uses a lower mark finds in `old`
 * what was there before. Fresh memory is touched, and old memory is given back, in step with the
 * names that come: both tables together never take much more than the larger one. A tag has all
 * bits that select a home, so copying reads no names.
 *
 * 3. Readers beside the thread that adds
 *
 * One thread at a time adds names. Between thr_lexicon_open_to_readers and
 * thr_lexicon_close_to_readers other threads may look names up at the same time with
 * thr_lookup_find, which holds the rwlock `readers` for reading during one batch. Two rules make
 * this safe:
 *
 *   - The id is stored last. To add a name the thread writes its bytes to the heap, then
 *     origin[id], then n, and finally the cell, tag and id at once, with release ordering. A reader
 *     that loads a cell with acquire ordering sees all of these. So adding a name takes no lock,
 *     and a reader never sees half of one. A new page and a new namespace are published in the same
 *     way, by a release store of the page's pointer and of n_spaces. So is the end of the heap: the
 *     bytes before it may be read, also where they belong to names that the reader does not know.
 *   - Memory moves only under the lock. The adding thread holds `readers` for writing while it
 *     reallocates an array, exchanges or frees a table, sets a pointer such as `flat` for the first
 *     time, or replaces borrowed memory by its own. Arrays at least double, so this is rare.
 *
 * A reader misses at most names that were added since it began, and large integers whose bucket is
 * being split. It stores THR_NONE for these. The adding thread later resolves each batch in stream
 * order and looks up what is still THR_NONE before it gives an id, so that ids do not depend on
 * timing.
 *
 * 4. Views, for snapshots
 *
 * A view (thr_lexicon_share) is the lexicon as it was at one moment. It shares all memory with the
 * lexicon it was taken from, which goes on adding names to that memory. Ids are only ever appended,
 * so it is enough that the view treats every id from its own `n` on as unknown:
 *
 *     view      n = 3   | a b c |         finds a, b, c; d and e have ids it does not know
 *     lexicon   n = 5   | a b c d e |     may add where the view looks, never changes a, b, c
 *
 * A view needs no lock. Each shared piece of memory counts its owners (base/share.h): a table of
 * cells in cell_owners or old_owners, all pages together in their store, the table of integers in
 * itself, any other array in front of its first element. Where the lexicon would have to move a
 * piece that a view owns too, it makes a copy for itself and the view keeps the old piece. The
 * memory of `old` is not given back bit by bit while a view owns it. A piece is freed by its last
 * owner.
 *
 * A view that must add names, as that of a clone, first becomes a lexicon with memory of its own
 * (thr_lexicon_thaw). So does a lexicon that was read from a model file: until then slots, pages,
 * origin and heap are borrowed from the mapped file, which is checked by `guard` as it is touched
 * and whose contents are never trusted to be consistent.
 *
 * 5. Names that are made to collide
 *
 * Homes come from a hash that anybody can compute, so names can be made that all have the same home
 * and are searched one behind the other. Ordinary names never lie long behind their homes. The
 * lexicon counts what it spends on searches that are too long (`strain`), and when that is out of
 * proportion to all searches, it builds the table again with homes by a secret hash
 * (base/secret.h):
 *
 *     a lexicon that adds      exchanges its tables, under the lock, and is `keyed` from then on
 *     one that is borrowed     leaves the file's table alone and makes `relief`, a table of cells,
 *                              which is published by one atomic store; any thread may do it
 *     large integers           exchange their table in the same way (integers.h)
 *
 * So all searches together cost at most a constant factor more than those for ordinary names, and
 * ordinary names never meet a secret hash. Ids do not depend on it: they follow the order of
 * appearance. Nor do files, whose tables are always laid out by the known hash. */
#ifndef THR_LEXICON_LEXICON_H
#define THR_LEXICON_LEXICON_H

#include "base/error.h"
#include "base/guard.h"
#include "base/index.h"
#include "base/secret.h"
#include "base/share.h"
#include "example/batch.h"
#include "lexicon/integers.h"

#include <pthread.h>

#define THR_PAGE_BITS 10
#define THR_PAGE      (1u << THR_PAGE_BITS)
#define THR_FLAT_HUGE 32 /* huge pages of 2 MiB in `flat`: 4 bytes for each small integer */
#define THR_SLOT_TEXT 20

typedef struct thr_slot { /* of the table of names in a model file */
    uint32_t id;          /* 0: empty (the bias has no slot) */
    uint32_t tag;         /* low half of the hash; its low bits are the home slot */
    uint16_t ns;
    uint16_t n; /* length of the name; THR_LONG_NAME: the name is in the heap only */
    char text[THR_SLOT_TEXT];
} thr_slot;

#define THR_LONG_NAME UINT16_MAX

/* The values of origin[id]. One with neither bit is an offset in the heap, where the name stands
 * as: namespace (2 bytes), length (4 bytes), bytes. */
#define THR_FROM_INTEGER (UINT64_C(1) << 63) /* | ns << 24 | integer */
#define THR_FROM_HASH    (UINT64_C(1) << 62) /* | slot of the hashed form */

typedef struct thr_space { /* one namespace */
    char *name;            /* a shared array */
    size_t n;              /* length of the name */
    uint32_t **page;       /* [integer >> 10]: a page of ids, or NULL; a shared array */
    size_t pages;          /* length of `page` */
} thr_space;

typedef struct thr_ream { /* pages that were allocated in one piece */
    uint32_t *page;
    size_t pages, used;
} thr_ream;

typedef struct thr_page_store { /* owns the memory of all pages */
    size_t owners;
    uint32_t *flat; /* the same pointer as in the lexicon */
    thr_ream *ream; /* only the last one may have unused pages */
    size_t reams, ream_room;
} thr_page_store;

typedef struct thr_bucket { /* a slot of the hashed form */
    uint32_t id;            /* 0: empty */
    uint32_t mark;          /* high half of the hash of the first name that came here */
} thr_bucket;

typedef struct thr_strain { /* of searches in the table of names; several threads add to it */
    size_t searches;        /* all of them */
    size_t tries;           /* places looked at in searches of more than THR_TRIES */
} thr_strain;

typedef struct thr_relief { /* the names of a borrowed table, with homes by a secret hash */
    size_t owners;
    thr_secret secret;
    uint64_t *cell;
    size_t cells;
} thr_relief;

typedef struct thr_lexicon {
    uint64_t seed;
    unsigned hash_bits; /* B of the hashed form; 0: names are kept */
    uint32_t n;         /* number of ids given, the bias included */
    thr_space *space;
    size_t n_spaces, space_room;
    thr_index by_name; /* of namespaces, if there are many; for the adding thread */
    /* The pages of the empty namespace as one array. NULL: its pages come from reams, are borrowed,
     * or do not exist yet. */
    uint32_t *flat;
    uint16_t flat_used[THR_FLAT_HUGE]; /* how many pages are in use in each huge page of `flat` */
    bool scattered;           /* the address space for `flat` could not be reserved: use reams */
    thr_page_store *store;    /* NULL: there are no pages yet, or they are borrowed */
    uint64_t *cell;           /* the table of names: id << 32 | tag, or 0; NULL: none yet */
    size_t cells, cells_used; /* cells: a power of two; cells_used: names in `cell` or `old` */
    size_t *cell_owners;      /* number of owners of `cell` */
    size_t *old_owners;       /* number of owners of `old` */
    uint64_t *old;            /* the previous table, until all of its names are copied; or NULL */
    size_t old_cells, moved;  /* cells in `old`; homes below `moved` are copied to `cell` */
    size_t released;   /* cells of `old` given back, except the first KEPT (cells.c); old_cells:
                          no memory of it may be given back any more */
    bool keyed;        /* homes in `cell` and `old` are those of a secret hash */
    thr_secret secret; /* its key */
    thr_integers *integers; /* the large integers; NULL: none yet, or this is borrowed */
    bool no_integers;       /* the table of large integers could not be had: they are names */
    uint64_t *origin;       /* a shared array, unless borrowed */
    size_t origin_room;
    thr_bytes heap;            /* its bytes are a shared array, unless borrowed */
    thr_bucket *bucket;        /* the hashed form's slots, a shared array that never moves */
    const thr_slot *slot;      /* borrowed: the file's table of names; NULL: there is none */
    size_t slots;              /* a power of two, or 0 */
    thr_paged collided;        /* the hashed form: a byte per id, 1 if several names share it */
    bool borrowed;             /* slots, pages, origin and heap belong to a mapped file */
    bool view;                 /* another lexicon adds to this memory: ignore ids from n on */
    thr_guard *guard;          /* checks borrowed memory on first touch; or NULL */
    pthread_rwlock_t *readers; /* allocated while the lexicon is open to readers; else NULL */
    /* The rest is no part of the lexicon's value: any thread that searches may change it. */
    thr_strain strain;  /* since the tables were made */
    thr_relief *relief; /* searched instead of `slot`; NULL: not needed so far */
} thr_lexicon;

/* What a thread needs to look names up. It cannot be used to add any. */
typedef struct thr_lookup {
    const thr_lexicon *lexicon;
    pthread_rwlock_t *readers; /* NULL: no thread adds names while this is used */
} thr_lookup;

/* `seed` is for hashing names. With hash_bits > 0 the lexicon has the hashed form. A failed init
 * leaves nothing to clear. */
int thr_lexicon_init(thr_lexicon *x, uint64_t seed, unsigned hash_bits, thr_error *err);
/* Gives up this owner's part of all memory. */
void thr_lexicon_clear(thr_lexicon *x);

/* Makes an empty lexicon of the same form as `from`; and adds feature `id` of `from`, which must
 * not be in it yet (unless names are hashed), as *fresh. */
int thr_lexicon_init_like(thr_lexicon *x, const thr_lexicon *from, thr_error *err);
int thr_lexicon_take(thr_lexicon *x, const thr_lexicon *from, uint32_t id, uint32_t *fresh,
                     thr_error *err);

/* Fill b->id for all features of a batch. thr_lexicon_resolve gives new names the next ids, in
 * stream order; thr_lexicon_find gives them THR_NONE. If another thread has looked the batch up
 * before (b->looked_up), thr_lexicon_resolve keeps the ids that it found and resolves the rest. */
int thr_lexicon_resolve(thr_lexicon *x, thr_batch *b, thr_error *err);
int thr_lexicon_find(const thr_lexicon *x, thr_batch *b, thr_error *err);
/* From open to close, threads that have *out may look names up while one thread adds names. A
 * lexicon cannot be opened twice, and its struct must not move while it is open. The threads must
 * have stopped using *out before the lexicon is closed; close it before it is cleared. */
int thr_lexicon_open_to_readers(thr_lexicon *x, thr_lookup *out, thr_error *err);
void thr_lexicon_close_to_readers(thr_lexicon *x);
/* Fills b->id; may be called by any thread. If the lexicon is open to readers, this is a first look
 * and thr_lexicon_resolve must follow: a feature that is not known at this moment gets THR_NONE,
 * and so does one whose resolving has a side effect (see thr_key_find). Not for batches from a
 * cache, which are resolved in order. */
int thr_lookup_find(const thr_lookup *l, thr_batch *b, thr_error *err);
/* The same for feature i of a batch that does not come from a cache. thr_lexicon_spaces maps the
 * batch's namespaces to the lexicon's (NULL: out of memory); the caller frees it. It serves for
 * this lexicon and this batch as long as only thr_lexicon_add_feature, with the same map, adds
 * names. */
uint32_t *thr_lexicon_spaces(const thr_lexicon *x, const thr_batch *b);
int thr_lexicon_add_feature(thr_lexicon *x, const thr_batch *b, uint32_t *spaces, size_t i,
                            uint32_t *id, thr_error *err);
uint32_t thr_lexicon_find_feature(const thr_lexicon *x, const thr_batch *b, const uint32_t *spaces,
                                  size_t i);
/* thr_lexicon_resolve for the features f with from <= f < to. In a batch from a cache, all new
 * names of its block get their ids, not only those in the range. */
int thr_lexicon_resolve_some(thr_lexicon *x, thr_batch *b, size_t from, size_t to, thr_error *err);
/* The id of one name: thr_lexicon_add adds a new name, thr_lexicon_id returns THR_NONE for it. */
int thr_lexicon_add(thr_lexicon *x, thr_str ns, thr_str name, uint32_t *id, thr_error *err);
uint32_t thr_lexicon_id(const thr_lexicon *x, thr_str ns, thr_str name);
/* The ids of one name in n namespaces, for those with id[i] THR_NONE; space[i] is the number of ns[i], THR_NONE:
 * not known yet. No namespace is empty. Allocates nothing, and may be called by the thread that learns
 * while another adds names. Returns how many ids the lexicon had. */
uint32_t thr_lexicon_find_each(const thr_lexicon *x, const thr_str *ns, uint32_t *space, size_t n,
                               thr_str name, uint32_t *id);
/* The name of an id other than the bias, and its namespace. An integer is printed into `digits`,
 * which has room for 24 bytes; other names are slices of the heap, and move with it. A feature of
 * the hashed form is called `#` and the number of its slot. */
thr_str thr_lexicon_name(const thr_lexicon *x, uint32_t id, char *digits, thr_str *ns);

/* Adds all features of another lexicon, in the order of their ids there. fresh[id] becomes the id
 * here of feature `id` of `from`. In the hashed form both must have the same hash_bits and seed,
 * and have met their namespaces in the same order, because slots depend on the numbers of
 * namespaces; THR_EUSE where that order differs. */
int thr_lexicon_unite(thr_lexicon *x, const thr_lexicon *from, uint32_t *fresh, thr_error *err);

/* The table of names as it is written to the model file. It is laid out from the names in the order
 * of their ids, so that equal lexicons give equal bytes, however their tables have grown.
 * thr_lexicon_table_size is the number of slots for so many names, a power of two or 0. */
size_t thr_lexicon_table_size(size_t names);
void thr_lexicon_table_fill(const thr_lexicon *x, thr_slot *slot, size_t slots);
size_t thr_lexicon_names(const thr_lexicon *x); /* number of ids whose name is in the heap */
/* Makes *out a view of the lexicon as it is now. The cost does not depend on the number of names.
 * Must be called by the thread that adds names, or while no thread does. */
int thr_lexicon_share(const thr_lexicon *x, thr_lexicon *out, thr_error *err);
/* The hashed form: whether more than one name has this id. */
static inline bool thr_lexicon_collided(const thr_lexicon *x, uint32_t id)
{
    const char *flag = thr_paged_at(&x->collided, id, 1);
    return flag && *flag;
}
/* thr_lexicon_copy makes a copy that has all memory for itself. thr_lexicon_thaw does so in place,
 * for a lexicon that borrows memory or is a view; any other stays as it is. */
int thr_lexicon_copy(const thr_lexicon *x, thr_lexicon *out, thr_error *err);
int thr_lexicon_thaw(thr_lexicon *x, thr_error *err);
/* Check what a file says about names: each id has one; and that tables lead to ids that exist,
 * those of integers to the right ones, and have an empty slot, or a search would not end. Whether
 * the table of names leads to the right ids is not checked: hashing all names would take longer
 * than the rest. THR_EMODEL if something is wrong. thr_lexicon_check reads all names, so it is left
 * out for a large model that is opened for predicting, until something reads all of the model
 * anyway (thr_model_touch_all). What finds names does without it: it counts its steps, and takes
 * what is out of range for not found, or for a name that is empty. */
int thr_lexicon_check(const thr_lexicon *x, thr_error *err);
int thr_lexicon_check_names(const thr_lexicon *x, thr_error *err);
/* For a borrowed lexicon that has names but no tables to find them by: makes a lexicon of its own
 * with the same names and ids. THR_EMODEL if that is not possible. */
int thr_lexicon_rebuild(thr_lexicon *x, thr_error *err);
/* The bytes of memory that names, and the tables that find them, take. With `more`, which may be
 * NULL: at most what they would take if the names of `more`, none of which is in x, were added. */
uint64_t thr_lexicon_bytes(const thr_lexicon *x, const thr_lexicon *more);
/* The number of a namespace, which is added if it is new. */
int thr_lexicon_space(thr_lexicon *x, thr_str name, uint32_t *number, thr_error *err);

#endif
