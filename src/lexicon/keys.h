/* One key to its id, and the tables that say so. Private to the lexicon.
 *
 * A key is a namespace with a small integer or a name. thr_key_find and thr_key_add are the way
 * for any of them; what is looked up many at a time (resolve.c) uses the pieces. */
#ifndef THR_LEXICON_KEYS_H
#define THR_LEXICON_KEYS_H

#include "base/large.h"
#include "base/random.h"
#include "base/scan.h"
#include "lexicon/lexicon.h"

typedef struct thr_key {
    bool integer;
    uint32_t ns; /* of the lexicon */
    uint64_t number;
    thr_str name;
    uint64_t hash; /* of the name alone, with the lexicon's seed */
} thr_key;

/* With `known`, THR_NONE where thr_key_add would do more than give the id: a hash slot that was
 * another name's is from then on shared. */
uint32_t thr_key_find(const thr_lexicon *x, const thr_key *k, bool known);
int thr_key_add(thr_lexicon *x, const thr_key *k, uint32_t *id, thr_error *err);

/* The next id. */
int thr_new_id(thr_lexicon *x, uint64_t origin, uint32_t *id, thr_error *err);
/* What is known not to be there yet, in a lexicon that does not borrow. */
int thr_integer_add(thr_lexicon *x, uint32_t ns, uint64_t number, uint32_t *id, thr_error *err);
int thr_name_add(thr_lexicon *x, uint32_t ns, thr_str name, uint64_t hash, uint32_t *id,
                 thr_error *err);
/* Small integers of the empty namespace, found or added, until one is something else or wants a
 * page of its own; returns how many. thr_key_add takes that one, or says what is wrong: there are
 * none where memory is short, or pages do not lie in a row (yet). */
size_t thr_smalls_add(thr_lexicon *x, const uint64_t *number, size_t n, uint32_t *id);
/* The hashed form: the hash of a key, its slot, the id of that. */
uint64_t thr_bucket_hash(const thr_lexicon *x, const thr_key *k);
thr_bucket *thr_bucket_of(const thr_lexicon *x, uint64_t hash);
uint32_t thr_bucket_id(const thr_lexicon *x, uint64_t hash, bool known);
/* The slots, all empty; and a mark on an id that more than one name came to. */
bool thr_buckets_make(thr_lexicon *x);
int thr_set_collided(thr_lexicon *x, uint32_t id, thr_error *err);
/* ... which may be there. */
int thr_bucket_add(thr_lexicon *x, uint64_t hash, uint32_t *id, thr_error *err);

/* Page `number` of a namespace, the empty one or another: ids, all zero, that go with the lexicon;
 * or NULL. */
uint32_t *thr_page_new(thr_lexicon *x, bool empty, size_t number);
#define THR_FLAT_BYTES (THR_FLAT_HUGE * THR_HUGE)
_Static_assert(THR_FLAT_BYTES == THR_SMALL * sizeof(uint32_t), "an id each");

/* A name in the heap with its namespace; empty where a file makes no sense. */
thr_str thr_heap_name(const thr_lexicon *x, uint64_t at, uint32_t *ns);
/* A table of empty slots. */
thr_slot *thr_slots_new(size_t slots);
void thr_slots_free(thr_slot *table, size_t slots);
/* One owner less of the pages, and of a table that counts its owners. */
void thr_page_store_free(thr_page_store *s);
void thr_table_free(thr_slot *table, size_t slots, size_t *owners);
thr_slot thr_slot_of(uint32_t id, uint64_t hash, uint32_t ns, thr_str name);
/* Into an empty slot of a table that has one; its name is not there. Returns its number. */
size_t thr_slot_place(thr_slot *table, size_t slots, const thr_slot *s);

static inline uint64_t thr_name_hash(uint64_t hash, uint32_t ns)
{
    return thr_mix64(hash + ns);
}

/* Arrays may come from a file, so what they say is never trusted. */
static inline bool thr_touch(const thr_lexicon *x, const void *p, size_t n)
{
    return !x->guard || thr_guard_touch(x->guard, p, n);
}

/* The first n bytes, at most THR_SLOT_TEXT, in a few overlapping pieces. */
static inline bool thr_same_bytes(const char *a, const char *b, size_t n)
{
    if (n >= 8)
        return thr_load8(a) == thr_load8(b) && thr_load8(a + n - 8) == thr_load8(b + n - 8) &&
               (n <= 16 || thr_load8(a + 8) == thr_load8(b + 8));
    if (n >= 4)
        return thr_load4(a) == thr_load4(b) && thr_load4(a + n - 4) == thr_load4(b + n - 4);
    return n == 0 || (a[0] == b[0] && a[n / 2] == b[n / 2] && a[n - 1] == b[n - 1]);
}

/* The same where THR_NAME_ROOM bytes may be read of both: nothing depends on n but what counts. */
static inline bool thr_same_roomy(const char *a, const char *b, size_t n)
{
    static const unsigned char counts[2 * THR_SLOT_TEXT] = {
        255, 255, 255, 255, 255, 255, 255, 255, 255, 255,
        255, 255, 255, 255, 255, 255, 255, 255, 255, 255,
    };
    const char *mask = (const char *)counts + THR_SLOT_TEXT - n;
    uint64_t differ = ((thr_load8(a) ^ thr_load8(b)) & thr_load8(mask)) |
                      ((thr_load8(a + 8) ^ thr_load8(b + 8)) & thr_load8(mask + 8));
    _Static_assert(THR_SLOT_TEXT == 8 + 8 + 4, "the pieces make up a slot's text");
    return !(differ | ((thr_load4(a + 16) ^ thr_load4(b + 16)) & thr_load4(mask + 16)));
}

/* What another thread may be adding to: an id says that the rest of its slot has been written. */
static inline uint32_t thr_slot_id(const thr_slot *s)
{
    return __atomic_load_n(&s->id, __ATOMIC_ACQUIRE);
}

static inline uint32_t thr_ids(const thr_lexicon *x)
{
    return __atomic_load_n(&x->n, __ATOMIC_RELAXED);
}

/* The tables of names as they are now. Who goes on with what was moved some time ago misses at most
 * what has come since. */
typedef struct thr_tables {
    const thr_slot *slot, *old;
    size_t mask, old_mask, moved;
} thr_tables;

static inline thr_tables thr_tables_now(const thr_lexicon *x)
{
    return (thr_tables){x->slot, x->old, x->slots - 1, x->olds - 1,
                        __atomic_load_n(&x->moved, __ATOMIC_ACQUIRE)};
}

/* The one that a name is in, if it is in any. */
static inline const thr_slot *thr_table_of(const thr_tables *t, uint64_t hash, size_t *mask)
{
    bool stays = t->old && ((uint32_t)hash & t->old_mask) >= t->moved;
    *mask = stays ? t->old_mask : t->mask;
    return stays ? t->old : t->slot;
}

static inline size_t thr_spaces(const thr_lexicon *x)
{
    return __atomic_load_n(&x->n_spaces, __ATOMIC_ACQUIRE);
}

static inline const uint32_t *thr_page(uint32_t *const *page)
{
    return __atomic_load_n(page, __ATOMIC_ACQUIRE);
}

/* Between these two nobody looks names up, and memory may move. */
static inline void thr_readers_out(thr_lexicon *x)
{
    if (x->readers)
        pthread_rwlock_wrlock(x->readers);
}

static inline void thr_readers_in(thr_lexicon *x)
{
    if (x->readers)
        pthread_rwlock_unlock(x->readers);
}

/* thr_grow and thr_array_grow of what they look at. */
bool thr_grow_beside(thr_lexicon *x, void *array, size_t *room, size_t need, size_t size);
bool thr_array_grow_beside(thr_lexicon *x, void *array, size_t *room, size_t need, size_t size);

/* A slot that has an id. */
static inline bool thr_slot_is(const thr_lexicon *x, const thr_slot *s, uint32_t tag, uint32_t ns,
                               thr_str name)
{
    if (s->tag != tag || s->ns != ns)
        return false;
    if (s->n != THR_LONG_NAME)
        return s->n == name.n && name.n <= THR_SLOT_TEXT && thr_same_bytes(s->text, name.p, name.n);
    uint32_t same_ns;
    return name.n > THR_SLOT_TEXT && s->id < thr_ids(x) &&
           thr_touch(x, &x->origin[s->id], sizeof *x->origin) &&
           thr_str_eq(thr_heap_name(x, x->origin[s->id], &same_ns), name);
}

uint32_t thr_name_id(const thr_lexicon *x, uint32_t ns, thr_str name, uint64_t hash);

#endif
