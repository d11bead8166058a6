/* Names are hashed by class of length.
 *
 * XXH3 has separate code for inputs of 1 to 3, 4 to 8, 9 to 16, 17 to 128 and more bytes. Words and
 * n-grams come in lengths that no processor can predict, so hashing them in order would cost a
 * mispredicted branch for almost every name. Names are therefore sorted into classes of length,
 * 64 at a time, and hashed class by class. */
#include "example/names.h"

#include "base/hash_name.h"

#include <assert.h>

#define CLASSES 5
#define LONG    33 /* from this length on a name is in the last class */
#define COUNT   8  /* bits that count the names of a class, up to THR_NAMES */

/* The names of each class whose hashes are missing. */
typedef thr_name *classes[CLASSES][THR_NAMES];

/* Where names are written: the next free one of the batch, and its key. `counts` has the number of
 * names of each class in COUNT bits: all in one register, since a count in memory would be stored
 * and loaded again for each name, one after the other. */
typedef struct writing {
    thr_name *to;
    uint64_t next, counts;
} writing;

/* Inlined once for each class: __builtin_unreachable tells the compiler the range of lengths,
 * and it drops the rest of XXH3. */
__attribute__((always_inline)) static inline void hash_class(const classes of, uint64_t counts,
                                                             size_t class, size_t least,
                                                             size_t most, uint64_t seed)
{
    size_t n = counts >> (class * COUNT) & ((1 << COUNT) - 1);
    for (size_t i = 0; i < n; i++) {
        thr_name *name = of[class][i];
        if (name->n < least || name->n > most)
            __builtin_unreachable();
        name->hash = most < LONG ? XXH3_64bits_withSeed(name->p, name->n, seed)
                                 : thr_hash(name->p, name->n, seed);
    }
}

__attribute__((flatten)) static void hash_names(const classes of, uint64_t counts, uint64_t seed)
{
    hash_class(of, counts, 0, 1, 3, seed);
    hash_class(of, counts, 1, 4, 8, seed);
    hash_class(of, counts, 2, 9, 16, seed);
    hash_class(of, counts, 3, 17, LONG - 1, seed);
    hash_class(of, counts, 4, LONG, UINT32_MAX, seed);
}

static inline void write_name(writing *w, classes of, const char *p, uint32_t n, uint32_t ns,
                              uint64_t *key)
{
    static const uint8_t class_of[LONG + 1] = {0, 0, 0, 0, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2, 2, 2,
                                               3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 4};
    if (*p <= '9' && thr_batch_is_integer((thr_str){p, n}, ns, key))
        return;
    unsigned class = class_of[n < LONG ? n : LONG];
    w->to->p = p;
    w->to->n = n;
    w->to->ns = ns;
    of[class][w->counts >> (class * COUNT) & ((1 << COUNT) - 1)] = w->to++;
    w->counts += UINT64_C(1) << (class * COUNT);
    *key = w->next++;
}

static inline writing begin(const thr_batch *b)
{
    return (writing){b->name + b->n_names, THR_KEY_NAME | b->n_names, 0};
}

/* Hashes the names that were written and counts them in. */
static inline void end(const writing *w, const classes of, thr_batch *b)
{
    hash_names(of, w->counts, b->hash_seed);
    b->n_names = (size_t)(w->to - b->name);
}

static bool make_room(thr_batch *b, size_t n)
{
    bool ok = (b->key_room - b->n_features >= n || thr_batch_make_room(b, n)) &&
              thr_grow(&b->name, &b->name_room, b->n_names + n, sizeof *b->name);
    b->failed |= !ok;
    return ok;
}

void thr_batch_words(thr_batch *b, uint32_t ns, const char *text, const uint32_t *edge,
                     size_t words)
{
    if (words == 0 || !make_room(b, words)) /* without words there may be no arrays yet */
        return;
    classes of;
    uint64_t *key = b->key + b->n_features;
    for (size_t i = 0; i < words;) {
        writing w = begin(b);
        for (size_t to = words - i < THR_NAMES ? words : i + THR_NAMES; i < to; i++)
            write_name(&w, of, text + edge[2 * i], edge[2 * i + 1] - edge[2 * i], ns, &key[i]);
        end(&w, of, b);
    }
    for (size_t i = 0; i < words && b->has_values; i++)
        b->value[b->n_features + i] = 1;
    b->n_features += words;
}

/* The first value other than 1 creates the column of values, with ones for the features before. */
void thr_naming_flush(thr_naming *x)
{
    thr_batch *b = x->b;
    size_t n = x->n, first = b->n_features;
    x->n = 0;
    if (n == 0 || !make_room(b, n))
        return;
    classes of;
    writing w = begin(b);
    for (size_t i = 0; i < n; i++) {
        assert(x->name[i].n > 0);
        b->failed |= x->name[i].n > UINT32_MAX;
        write_name(&w, of, x->name[i].p, (uint32_t)x->name[i].n, x->ns, &b->key[first + i]);
    }
    end(&w, of, b);
    b->n_features += n;
    for (size_t i = 0; i < n; i++)
        if (b->has_values)
            b->value[first + i] = x->value[i];
        else if (x->value[i] != 1)
            thr_batch_set_value(b, first + i, x->value[i]);
}
