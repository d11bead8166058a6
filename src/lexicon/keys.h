/* Single keys: finding and adding one, and the tables behind that. Private to the lexicon.
 *
 * A key is a namespace together with a small integer or a name. thr_key_find and thr_key_add take
 * any kind of key. Code that looks up many keys at once (lookup.c, resolve.c) uses the functions
 * for one kind directly, so that it can prefetch and leave out checks.
 *
 * Functions that add are for the one thread that adds names. Functions that find may be called by a
 * reader that holds `readers` for reading, by any thread while no thread adds, and on a view by any
 * thread at any time. lexicon.h explains the memory and the rules for threads. */
#ifndef THR_LEXICON_KEYS_H
#define THR_LEXICON_KEYS_H

#include "base/large.h"
#include "base/random.h"
#include "base/scan.h"
#include "lexicon/cells.h"

typedef struct thr_key {
    bool integer;    /* the key is a small integer, `number`; else it is `name` */
    uint32_t ns;     /* the lexicon's number of the namespace; THR_NONE: not known to it */
    uint64_t number; /* below THR_SMALL */
    thr_str name;
    uint64_t hash; /* of the name's bytes alone, with the lexicon's seed */
} thr_key;

/* thr_key_find returns THR_NONE for a key that is not there; thr_key_add gives it the next id.
 *
 * In the hashed form adding can have a side effect without giving a new id: the first time that a
 * slot is met under another name, its id is marked as collided. With `known`, thr_key_find returns
 * THR_NONE for such a key, so that the adding thread still comes to add it. */
uint32_t thr_key_find(const thr_lexicon *x, const thr_key *k, bool known);
int thr_key_add(thr_lexicon *x, const thr_key *k, uint32_t *id, thr_error *err);

/* Exchanges the table of large integers for one by another hash (thr_integers_rekeyed). */
void thr_rekey_integers(thr_lexicon *x);
/* Gives the next id and stores its origin. The caller then publishes the id in a table. */
int thr_new_id(thr_lexicon *x, uint64_t origin, uint32_t *id, thr_error *err);
/* Add an integer that is not there yet, and find or add a name, in a lexicon that neither borrows
 * memory nor is a view. The hash of a name is that of its bytes, with the lexicon's seed. */
int thr_integer_add(thr_lexicon *x, uint32_t ns, uint64_t number, uint32_t *id, thr_error *err);
int thr_name_add(thr_lexicon *x, uint32_t ns, thr_str name, uint64_t hash, uint32_t *id,
                 thr_error *err);
/* The same for a name in any lexicon that keeps names. */
int thr_name_settle(thr_lexicon *x, uint32_t ns, thr_str name, uint64_t hash, uint32_t *id,
                    thr_error *err);
/* Finds or adds the n keys at `number` as long as they are small integers of the empty namespace
 * and no new page is needed. Returns how many ids it has stored. The caller passes the next key to
 * thr_key_add, which allocates the page, handles another kind of key, or reports the error. Returns
 * 0 where pages do not lie in `flat` (yet), memory is short, or ids may run out. */
size_t thr_smalls_add(thr_lexicon *x, const uint64_t *number, size_t n, uint32_t *id);
/* The hashed form: the hash of a key, the slot of a hash, and the id in that slot. */
uint64_t thr_bucket_hash(const thr_lexicon *x, const thr_key *k);
thr_bucket *thr_bucket_of(const thr_lexicon *x, uint64_t hash);
uint32_t thr_bucket_id(const thr_lexicon *x, uint64_t hash, bool known);
/* Makes all slots of the hashed form, empty. False: out of memory. */
bool thr_buckets_make(thr_lexicon *x);
/* Marks an id as shared by several names. */
int thr_set_collided(thr_lexicon *x, uint32_t id, thr_error *err);
/* Finds or adds the name with this hash. If the slot's first name had another mark, that is another
 * upper half of the hash, the slot's id is marked as collided. */
int thr_bucket_add(thr_lexicon *x, uint64_t hash, uint32_t *id, thr_error *err);

/* A new page for the integers from number * THR_PAGE on of the empty namespace (`empty`) or
 * another: THR_PAGE zeros that belong to the lexicon's store. NULL: out of memory. */
uint32_t *thr_page_new(thr_lexicon *x, bool empty, size_t number);
#define THR_FLAT_BYTES (THR_FLAT_HUGE * THR_HUGE)
_Static_assert(THR_FLAT_BYTES == THR_SMALL * sizeof(uint32_t), "an id each");

#define THR_HEAP_HEAD 6 /* bytes of namespace and length before each name in the heap */
/* The name at offset `at` of the heap, and its namespace. Where the offset, the length or the
 * namespace is out of range, as in a damaged file, thr_heap_find returns NULL for the name, and
 * thr_heap_name an empty one of the empty namespace. */
thr_str thr_heap_find(const thr_lexicon *x, uint64_t at, uint32_t *ns);
thr_str thr_heap_name(const thr_lexicon *x, uint64_t at, uint32_t *ns);
/* The name of an id other than the bias if it is in the heap, else NULL. */
thr_str thr_named_at(const thr_lexicon *x, uint32_t id, uint32_t *ns);
/* Gives up one owner's part of the pages. */
void thr_page_store_free(thr_page_store *s);

/* Checks the chunk of a mapped file that [p, p + n) lies in, when it is first used. False: the file
 * is damaged, and the bytes must not be used; once damage was found, every call returns false.
 * Always true in a lexicon without a guard. */
static inline bool thr_touch(const thr_lexicon *x, const void *p, size_t n)
{
    return !x->guard || thr_guard_touch(x->guard, p, n);
}

/* Whether n bytes are equal, n at most THR_SLOT_TEXT, without a call of memcmp: a few loads that
 * may overlap cover them all, and none reads beyond. */
static inline bool thr_same_bytes(const char *a, const char *b, size_t n)
{
    if (n >= 8)
        return thr_load8(a) == thr_load8(b) && thr_load8(a + n - 8) == thr_load8(b + n - 8) &&
               (n <= 16 || thr_load8(a + 8) == thr_load8(b + 8));
    if (n >= 4)
        return thr_load4(a) == thr_load4(b) && thr_load4(a + n - 4) == thr_load4(b + n - 4);
    return n == 0 || (a[0] == b[0] && a[n / 2] == b[n / 2] && a[n - 1] == b[n - 1]);
}

/* Copies n bytes in the same way. */
static inline void thr_copy_bytes(char *to, const char *from, size_t n)
{
    if (n > 16)
        memcpy(to + 16, from + 16, n - 16);
    if (n >= 8) {
        size_t last = (n < 16 ? n : 16) - 8;
        memcpy(to, from, 8);
        memcpy(to + last, from + last, 8);
    } else if (n >= 4) {
        memcpy(to, from, 4);
        memcpy(to + n - 4, from + n - 4, 4);
    } else if (n > 0) {
        to[0] = from[0];
        to[n / 2] = from[n / 2];
        to[n - 1] = from[n - 1];
    }
}

/* Whether n bytes are equal, n at most THR_SLOT_TEXT, where THR_NAME_ROOM bytes may be read from
 * both, whatever n is: without a branch on the length, which the processor could not predict. */
static inline bool thr_same_roomy(const char *a, const char *b, size_t n)
{
    _Static_assert(THR_SLOT_TEXT == 16 + 4, "the pieces make up a slot's text");
#if THR_WIDE /* a bit for each byte that differs; those of bytes behind the name do not count */
    __m128i first = _mm_cmpeq_epi8(_mm_loadu_si128((const __m128i *)(const void *)a),
                                   _mm_loadu_si128((const __m128i *)(const void *)b));
    __m128i rest = _mm_cmpeq_epi8(_mm_cvtsi32_si128((int)thr_load4(a + 16)),
                                  _mm_cvtsi32_si128((int)thr_load4(b + 16)));
    uint32_t equal = (uint32_t)_mm_movemask_epi8(first) | (uint32_t)_mm_movemask_epi8(rest) << 16;
    return !(~equal & ((UINT32_C(1) << n) - 1));
#else
    static const unsigned char counts[2 * THR_SLOT_TEXT] = {
        255, 255, 255, 255, 255, 255, 255, 255, 255, 255,
        255, 255, 255, 255, 255, 255, 255, 255, 255, 255,
    };
    const char *mask = (const char *)counts + THR_SLOT_TEXT - n;
    uint64_t differ = ((thr_load8(a) ^ thr_load8(b)) & thr_load8(mask)) |
                      ((thr_load8(a + 8) ^ thr_load8(b + 8)) & thr_load8(mask + 8));
    return !(differ | ((thr_load4(a + 16) ^ thr_load4(b + 16)) & thr_load4(mask + 16)));
#endif
}

/* The number of ids so far. Relaxed: the acquire load of an id makes at least that id count. */
static inline uint32_t thr_ids(const thr_lexicon *x)
{
    return __atomic_load_n(&x->n, __ATOMIC_RELAXED);
}

static inline size_t thr_spaces(const thr_lexicon *x)
{
    return __atomic_load_n(&x->n_spaces, __ATOMIC_ACQUIRE);
}

static inline const uint32_t *thr_page(uint32_t *const *page)
{
    return __atomic_load_n(page, __ATOMIC_ACQUIRE);
}

/* Between these two calls no reader is inside a look-up, and memory may move. Without readers the
 * cost is a comparison with NULL. */
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

/* thr_grow and thr_array_grow for arrays that readers look at: if the array must move, readers are
 * kept out meanwhile. thr_array_grow_beside leaves an array that a view shares to the view. */
bool thr_grow_beside(thr_lexicon *x, void *array, size_t *room, size_t need, size_t size);
bool thr_array_grow_beside(thr_lexicon *x, void *array, size_t *room, size_t need, size_t size);

/* Whether an id, which is not 0, has this name. */
static inline bool thr_name_is(const thr_lexicon *x, uint32_t id, uint32_t ns, thr_str name)
{
    uint32_t space;
    if (id >= thr_ids(x))
        return false;
    thr_str same = thr_named_at(x, id, &space);
    return same.p && space == ns && thr_str_eq(same, name);
}

/* The id of a name in the table of names, or THR_NONE. The hash is that of its bytes. */
uint32_t thr_name_id(const thr_lexicon *x, uint32_t ns, thr_str name, uint64_t hash);

#endif
