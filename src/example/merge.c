/* A hash table with open addressing over the keys of one example, at most half full. A slot is
 *
 *   bits   63 .. 52            51 .. 32              31 .. 0
 *          number of the merge | top of the hash     | place of the feature in the example
 *
 * A slot with the number of another merge is free, so the table need not be cleared between
 * examples; only when the 12 bits have run through all numbers it is. Keys are compared only if
 * 20 bits of their hashes agree, in which case they are almost always the same.
 *
 * The hash is one that anybody can compute, so an example can be made whose keys all have the same
 * place. When its searches have met more than a few slots of other keys for each feature, the table
 * is filled again by a secret hash (base/secret.h) and used so for the rest of the example. */
#include "example/merge.h"

#include "base/random.h"
#include "base/wide.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>

#define PLACE  UINT32_MAX /* mask of the place in a slot */
#define ROUND  52         /* shift of the number of the merge */
#define ROUNDS 4095       /* greatest number; 0 marks slots that were never used */
#define MANY   4096       /* features; below, 8 slots for each still fit in the L2 cache */
#define BUMPS  8 /* slots of other keys that a search may meet, on average; mostly below 1 */

void thr_merge_clear(thr_merge *m)
{
    free(m->slot);
    *m = (thr_merge){0};
}

/* Prepares the table for an example. Small examples get a sparser table, with fewer collisions.
 * False: out of memory. */
static bool merge_ready(thr_merge *m, size_t features)
{
    size_t need = 16, wanted = features < MANY ? features * 8 : features * 2;
    if (features >= PLACE)
        return false;
    while (need < wanted)
        need *= 2;
    if (need > m->room) {
        thr_merge_clear(m);
        m->slot = calloc(need, sizeof *m->slot);
        m->room = m->slot ? need : 0;
    }
    if (m->slot && m->round == ROUNDS) {
        memset(m->slot, 0, m->room * sizeof *m->slot);
        m->round = 0;
    }
    m->round++;
    m->mask = need - 1;
    return m->slot != NULL;
}

static inline uint64_t hash_of(const thr_name *names, uint64_t key)
{
    if (!(key & THR_KEY_NAME))
        return thr_mix64(key);
    const thr_name *name = &names[key & ~THR_KEY_NAME];
    return name->hash + name->ns;
}

static uint64_t secret_of(const thr_secret *secret, const thr_name *names, uint64_t key)
{
    if (!(key & THR_KEY_NAME))
        return thr_secret_number(secret, key);
    const thr_name *name = &names[key & ~THR_KEY_NAME];
    return thr_mix64(thr_secret_hash(secret, name->p, name->n) + name->ns);
}

__attribute__((noinline)) static bool same(const thr_name *names, uint64_t a, uint64_t c)
{
    if (a == c)
        return true;
    if (!(a & c & THR_KEY_NAME))
        return false;
    const thr_name *x = &names[a & ~THR_KEY_NAME], *y = &names[c & ~THR_KEY_NAME];
    return x->hash == y->hash && x->ns == y->ns && x->n == y->n && memcmp(x->p, y->p, x->n) == 0;
}

/* What a slot has besides the place. */
static inline uint64_t mark_of(const thr_merge *m, uint64_t hash)
{
    return m->round << ROUND | hash >> (64 - ROUND + 32) << 32;
}

/* The slot of the key `wanted`, or the free slot where it belongs. `key` is the column of the
 * example. The table is passed by value, so that it stays in registers. NULL: all bumps are spent.
 */
static inline uint64_t *find_slot(thr_merge m, const thr_name *names, const uint64_t *key,
                                  uint64_t wanted, uint64_t hash, uint64_t mark, size_t *bumps)
{
    for (size_t at = hash & m.mask;; at = (at + 1) & m.mask) {
        uint64_t apart = m.slot[at] ^ mark; /* the place, if all else agrees */
        if (apart >> ROUND || (apart >> 32 == 0 && same(names, key[apart], wanted)))
            return &m.slot[at];
        if (--*bumps == 0)
            return NULL;
    }
}

THR_CLONED static bool has_zeros(const float *value, size_t n)
{
    unsigned zeros = 0;
    for (size_t i = 0; i < n; i++)
        zeros |= value[i] == 0;
    return zeros;
}

/* Whether no key is a name and all are strictly increasing, as in most svmlight files: then
 * none can repeat. The top bit of a difference tells which key is greater, since both are below
 * 2^63. There is no early exit, so that the loop is vectorised. */
THR_CLONED static bool plainly_distinct(const uint64_t *key, size_t n)
{
    uint64_t named = key[0], rising = THR_KEY_NAME;
    for (size_t i = 1; i < n; i++) {
        named |= key[i];
        rising &= key[i - 1] - key[i];
    }
    return !(named & THR_KEY_NAME) && (rising & THR_KEY_NAME);
}

/* Whether the keys are those of names that the batch has one behind the other, as those of a text
 * are: then their names can be visited without the keys. Vectorised, too. */
THR_CLONED static bool names_in_a_row(const uint64_t *key, size_t n)
{
    uint64_t first = key[0], differ = 0;
    for (size_t i = 0; i < n; i++)
        differ |= key[i] ^ (first + i);
    return first & THR_KEY_NAME && !differ;
}

/* Adds the value of feature i to that of `first`, which has the same name. The sum stays finite. */
static void add_to(thr_batch *b, size_t first, size_t i)
{
    float sum = thr_batch_value(b, first) + thr_batch_value(b, i);
    thr_batch_set_value(b, first, sum > FLT_MAX ? FLT_MAX : sum < -FLT_MAX ? -FLT_MAX : sum);
}

/* Merges features of the example from number *i on, behind the *to that are kept so far, until all
 * are done or the bumps are spent. Inlined, with all flags constant. Summing may create the column
 * of values in the middle of the loop, so it looks at b->has_values each time; without sums the
 * caller knows beforehand whether there is one. `row`: names_in_a_row. */
__attribute__((always_inline)) static inline void merge_from(thr_batch *b, size_t from, thr_merge m,
                                                             size_t *i, size_t *to, bool sum,
                                                             bool has_values, bool keyed, bool row)
{
    const thr_name *names = b->name;
    uint64_t *key = b->key + from;
    float *value = has_values ? b->value + from : NULL;
    size_t kept = *to, at = *i, n = b->n_features - from, bumps = keyed ? SIZE_MAX : n * BUMPS;
    const uint64_t first = row ? key[0] : 0;
    for (; at < n; at++) {
        uint64_t now = row ? first + at : key[at],
                 hash = keyed ? secret_of(&m.secret, names, now)
                        : row ? names[(first & ~THR_KEY_NAME) + at].hash +
                                    names[(first & ~THR_KEY_NAME) + at].ns
                              : hash_of(names, now);
        uint64_t mark = mark_of(&m, hash),
                 *slot = find_slot(m, names, key, now, hash, mark, &bumps);
        if (!slot)
            break;
        if ((*slot ^ mark) >> 32 == 0) {
            if (sum)
                add_to(b, from + (*slot & PLACE), from + at);
            continue;
        }
        *slot = mark | kept;
        key[kept] = now;
        if (sum && b->has_values)
            b->value[from + kept] = b->value[from + at];
        else if (has_values)
            value[kept] = value[at];
        kept++;
    }
    *i = at;
    *to = kept;
}

/* Fills the table with the *to keys kept so far, by the secret hash, and merges the rest. */
__attribute__((noinline)) static void merge_keyed(thr_batch *b, size_t from, thr_merge *m, size_t i,
                                                  size_t *to, bool sum)
{
    thr_secret_draw(&m->secret);
    memset(m->slot, 0, (m->mask + 1) * sizeof *m->slot);
    for (size_t k = 0; k < *to; k++) {
        uint64_t hash = secret_of(&m->secret, b->name, b->key[from + k]);
        size_t at = hash & m->mask;
        while (m->slot[at])
            at = (at + 1) & m->mask;
        m->slot[at] = mark_of(m, hash) | k;
    }
    if (sum)
        merge_from(b, from, *m, &i, to, true, false, true, false);
    else
        merge_from(b, from, *m, &i, to, false, b->has_values, true, false);
}

__attribute__((always_inline)) static inline void
merge(thr_batch *b, size_t from, thr_merge *scratch, bool sum, bool has_values)
{
    size_t i = 0, to = 0, n = b->n_features - from;
    if (!merge_ready(scratch, n)) {
        b->failed = true;
        return;
    }
    if (!sum && !has_values && names_in_a_row(b->key + from, n))
        merge_from(b, from, *scratch, &i, &to, false, false, false, true);
    else
        merge_from(b, from, *scratch, &i, &to, sum, has_values, false, false);
    if (i < n)
        merge_keyed(b, from, scratch, i, &to, sum);
    b->repeated += to < n;
    b->n_features = from + to;
}

void thr_batch_merge(thr_batch *b, size_t from, thr_merge *m, bool numbers)
{
    size_t n = b->n_features - from;
    if (n > 1 && !plainly_distinct(b->key + from, n))
        merge(b, from, m, true, false);
    if (!b->has_values || !has_zeros(b->value + from, b->n_features - from))
        return;
    size_t to = from;
    for (size_t i = from; i < b->n_features; i++)
        if (b->value[i] != 0 || (numbers && thr_batch_is_number(b, i))) {
            b->key[to] = b->key[i];
            b->value[to++] = b->value[i];
        }
    b->n_features = to;
}

void thr_batch_distinct(thr_batch *b, size_t from, thr_merge *m)
{
    if (b->n_features - from <= 1)
        return;
    if (b->has_values)
        merge(b, from, m, false, true);
    else
        merge(b, from, m, false, false);
}
