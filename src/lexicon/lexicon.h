/* The lexicon: names <-> dense ids, given in the order of first appearance. Id 0 is the bias.
 *
 *   small integers   namespace -> page of 1024 -> id          no hashing
 *   large integers   hash -> slot of 8 bytes -> id            of the empty namespace, below 2^32
 *   other names      hash -> slot of 32 bytes -> id           short names lie in the slot
 *   hashed form      hash -> one of 2^B slots -> id           names are not kept
 *
 * A table of names grows a little with each new one: names whose home in the table before (`old`)
 * is below `moved` are in the new one, the others still there, and there the new ones among them
 * go. So a name is looked for in one table only, and fresh memory is touched bit by bit.
 *
 *   origin[id]       where an id came from: a small integer, a place in `heap`, or a hash slot
 *
 * Identity is (namespace, name); a hash only finds the slot, the name decides. A lexicon read
 * from a model file borrows its arrays from the map until something new has to be added.
 *
 * One thread adds. Others may look names up beside it once the lexicon has been opened to readers
 * (thr_lookup_find), and hold `readers` for reading meanwhile: an id is stored last, with release,
 * after all that it stands for, and what moves memory that they look at holds `readers` for
 * writing. They miss at most what is just being added.
 *
 * A view (thr_lexicon_share) is the lexicon as it is at one moment. It shares all memory with the
 * lexicon it was taken from, which goes on adding: ids are only ever appended, so the view ignores
 * every id from its own `n` on.
 *
 *   view      n = 3   | a b c |          finds a, b, c; d and e have ids that it does not know
 *   lexicon   n = 5   | a b c d e |      may add where the view looks, and never changes a, b, c
 *
 * Every piece of memory counts its owners. Where the lexicon must move something to grow, it gets a
 * piece of its own, and the view keeps the old one; so a view needs no lock and waits for nobody. A
 * view that must add names, as that of a clone, first becomes a lexicon with memory of its own
 * (thr_lexicon_thaw). */
#ifndef THR_LEXICON_LEXICON_H
#define THR_LEXICON_LEXICON_H

#include "base/error.h"
#include "base/guard.h"
#include "base/share.h"
#include "example/batch.h"
#include "lexicon/integers.h"

#include <pthread.h>

#define THR_PAGE_BITS 10
#define THR_PAGE      (1u << THR_PAGE_BITS)
#define THR_FLAT_HUGE 32 /* huge pages that small integers take, all in a row */
#define THR_SLOT_TEXT 20

typedef struct thr_slot {
    uint32_t id;  /* 0: empty (the bias has no slot) */
    uint32_t tag; /* low half of the hash; its low bits choose the slot */
    uint16_t ns;
    uint16_t n; /* length; THR_LONG_NAME: look in the heap */
    char text[THR_SLOT_TEXT];
} thr_slot;

#define THR_LONG_NAME UINT16_MAX

/* origin[id] */
#define THR_FROM_INTEGER (UINT64_C(1) << 63) /* | ns << 24 | integer */
#define THR_FROM_HASH    (UINT64_C(1) << 62) /* | slot */
/* else the offset in heap of: ns (2 bytes), length (4 bytes), bytes */

typedef struct thr_space { /* one namespace */
    char *name;            /* a shared array */
    size_t n;
    uint32_t **page; /* [number >> 10]: ids, NULL where none; a shared array */
    size_t pages;
} thr_space;

typedef struct thr_ream { /* pages allocated at once */
    uint32_t *page;
    size_t pages, used;
} thr_ream;

typedef struct thr_page_store { /* the memory of all pages */
    size_t owners;
    uint32_t *flat; /* as in the lexicon */
    thr_ream *ream; /* the last may have pages left */
    size_t reams, ream_room;
} thr_page_store;

typedef struct thr_bucket { /* of the hashed form */
    uint32_t id;
    uint32_t mark; /* other half of the first name's hash */
} thr_bucket;

typedef struct thr_lexicon {
    uint64_t seed;
    unsigned hash_bits; /* 0: names are kept */
    uint32_t n;         /* ids given, the bias included */
    thr_space *space;
    size_t n_spaces, space_room;
    uint32_t
        *flat; /* pages of the empty namespace, all in a row; NULL: out of reams, or borrowed */
    uint16_t flat_used[THR_FLAT_HUGE]; /* pages, in each huge one */
    bool scattered;                    /* they never will be in a row */
    thr_page_store *store;             /* NULL: there are no pages yet, or they are borrowed */
    thr_slot *slot;
    size_t slots, slots_used; /* a power of two */
    size_t *slot_owners;      /* how many share the table; NULL: it is borrowed, or there is none */
    size_t *old_owners;       /* ... and the one before */
    thr_slot *old;            /* the table before it grew, while its names move; else NULL */
    size_t olds, moved;       /* its slots, and those that are home to nobody any more */
    size_t released;          /* whose memory has been given back, but for the first KEPT */
    thr_integers *integers;   /* names that are numbers; NULL: none yet, or it borrows */
    bool no_integers;         /* there never will be any */
    uint64_t *origin;         /* a shared array, unless borrowed */
    size_t origin_room;
    thr_bytes heap;            /* its bytes are a shared array, unless borrowed */
    thr_bucket *bucket;        /* a shared array */
    thr_paged collided;        /* per id, a byte: more than one name came here */
    bool borrowed;             /* slots, origin and heap belong to a map */
    bool view;                 /* somebody else adds to the memory: ids from n on are not ours */
    thr_guard *guard;          /* checks them on first touch, or NULL */
    pthread_rwlock_t *readers; /* while it is open to readers; else NULL */
} thr_lexicon;

/* What a thread needs to look names up, and nothing to add any. */
typedef struct thr_lookup {
    const thr_lexicon *lexicon;
    pthread_rwlock_t *readers; /* NULL: nobody adds meanwhile */
} thr_lookup;

int thr_lexicon_init(thr_lexicon *x, uint64_t seed, unsigned hash_bits, thr_error *err);
void thr_lexicon_clear(thr_lexicon *x);

/* An empty one of the same form, and the same feature in it. */
int thr_lexicon_init_like(thr_lexicon *x, const thr_lexicon *from, thr_error *err);
int thr_lexicon_take(thr_lexicon *x, const thr_lexicon *from, uint32_t id, uint32_t *fresh,
                     thr_error *err);

/* Fills b->id. New names get ids in stream order; thr_lexicon_find leaves them THR_NONE. What
 * thr_lookup_find has filled in before (b->looked_up) stays. */
int thr_lexicon_resolve(thr_lexicon *x, thr_batch *b, thr_error *err);
int thr_lexicon_find(const thr_lexicon *x, thr_batch *b, thr_error *err);
/* From now until it is closed to them, threads with *out may look names up while one thread adds.
 * The lexicon is opened once at a time, and stays where it is meanwhile; those threads must have
 * ended before it is closed, and it must be closed before it is cleared. */
int thr_lexicon_open_to_readers(thr_lexicon *x, thr_lookup *out, thr_error *err);
void thr_lexicon_close_to_readers(thr_lexicon *x);
/* Fills b->id on any thread. If the lexicon is open to readers the batch is resolved later: ids
 * that are given by now are filled in, the rest is THR_NONE, and what is not certain too. Not for
 * caches.
 */
int thr_lookup_find(const thr_lookup *l, thr_batch *b, thr_error *err);
/* The same for single features of a batch that no cache brought. `spaces` is the caller's to free
 * and serves for that lexicon and that batch as long as nobody else adds to the lexicon. */
uint32_t *thr_lexicon_spaces(const thr_lexicon *x, const thr_batch *b);
int thr_lexicon_add_feature(thr_lexicon *x, const thr_batch *b, uint32_t *spaces, size_t i,
                            uint32_t *id, thr_error *err);
uint32_t thr_lexicon_find_feature(const thr_lexicon *x, const thr_batch *b, const uint32_t *spaces,
                                  size_t i);
/* The same for the features from `from` to before `to` only. Not for caches. */
int thr_lexicon_resolve_some(thr_lexicon *x, thr_batch *b, size_t from, size_t to, thr_error *err);
/* One name; adds it, or with a const lexicon returns THR_NONE. */
int thr_lexicon_add(thr_lexicon *x, thr_str ns, thr_str name, uint32_t *id, thr_error *err);
uint32_t thr_lexicon_id(const thr_lexicon *x, thr_str ns, thr_str name);
/* Namespace and name of an id; digits has room for 24 bytes. */
thr_str thr_lexicon_name(const thr_lexicon *x, uint32_t id, char *digits, thr_str *ns);

/* All features of another lexicon, in its order: `fresh[id]` is the number of its `id` here. Where
 * names are hashed, both do so alike; then their namespaces must have come in the same order, which
 * the numbers of slots depend on. */
int thr_lexicon_unite(thr_lexicon *x, const thr_lexicon *from, uint32_t *fresh, thr_error *err);

/* A table laid out from `n` ids alone, for the model file: same names, same bytes. */
size_t thr_lexicon_table_size(size_t names);
void thr_lexicon_table_fill(const thr_lexicon *x, thr_slot *slot, size_t slots);
size_t thr_lexicon_names(const thr_lexicon *x); /* ids with a place in the heap */
/* The lexicon as it is now, at a cost that does not depend on its size. */
int thr_lexicon_share(const thr_lexicon *x, thr_lexicon *out, thr_error *err);
/* Whether more than one name came to an id, in the hashed form. */
static inline bool thr_lexicon_collided(const thr_lexicon *x, uint32_t id)
{
    const char *flag = thr_paged_at(&x->collided, id, 1);
    return flag && *flag;
}
/* A copy that owns everything; and the same in place, for a lexicon that borrows or is a view. */
int thr_lexicon_copy(const thr_lexicon *x, thr_lexicon *out, thr_error *err);
int thr_lexicon_thaw(thr_lexicon *x, thr_error *err);
/* Namespace number, adding it if new. */
int thr_lexicon_space(thr_lexicon *x, thr_str name, uint32_t *number, thr_error *err);

#endif
