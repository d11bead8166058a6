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

/* of[c] up to end[c] are the names of class c, whose hashes are missing. */
typedef struct classes {
    thr_name **end[CLASSES], *of[CLASSES][THR_NAMES];
} classes;

/* Inlined once for each class: __builtin_unreachable tells the compiler the range of lengths,
 * and it drops the rest of XXH3. */
__attribute__((always_inline)) static inline void
hash_class(const classes *c, size_t class, size_t least, size_t most, uint64_t seed)
{
    for (thr_name *const *of = c->of[class]; of < c->end[class]; of++) {
        thr_name *name = *of;
        if (name->n < least || name->n > most)
            __builtin_unreachable();
        name->hash = most < LONG ? XXH3_64bits_withSeed(name->p, name->n, seed)
                                 : thr_hash(name->p, name->n, seed);
    }
}

__attribute__((flatten)) static void hash_names(const classes *c, uint64_t seed)
{
    hash_class(c, 0, 1, 3, seed);
    hash_class(c, 1, 4, 8, seed);
    hash_class(c, 2, 9, 16, seed);
    hash_class(c, 3, 17, LONG - 1, seed);
    hash_class(c, 4, LONG, UINT32_MAX, seed);
}

/* Where names are written: the next free one of the batch, and its key. */
typedef struct writing {
    thr_name *to;
    uint64_t next;
    classes c;
} writing;

static inline void write_name(writing *w, const char *p, uint32_t n, uint32_t ns, uint64_t *key)
{
    static const uint8_t class_of[LONG + 1] = {0, 0, 0, 0, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2, 2, 2,
                                               3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 4};
    if (*p <= '9' && thr_batch_is_integer((thr_str){p, n}, ns, key))
        return;
    w->to->p = p;
    w->to->n = n;
    w->to->ns = ns;
    *w->c.end[class_of[n < LONG ? n : LONG]]++ = w->to++;
    *key = w->next++;
}

static void begin(writing *w, const thr_batch *b)
{
    w->to = b->name + b->n_names;
    w->next = THR_KEY_NAME | b->n_names;
    for (size_t i = 0; i < CLASSES; i++)
        w->c.end[i] = w->c.of[i];
}

/* Hashes the names that were written and counts them in. */
static void end(writing *w, thr_batch *b)
{
    hash_names(&w->c, b->hash_seed);
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
    uint64_t *key = b->key + b->n_features;
    for (size_t from = 0; from < words; from += THR_NAMES) {
        writing w;
        begin(&w, b);
        for (size_t i = from; i < words && i < from + THR_NAMES; i++)
            write_name(&w, text + edge[2 * i], edge[2 * i + 1] - edge[2 * i], ns, &key[i]);
        end(&w, b);
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
    writing w;
    begin(&w, b);
    for (size_t i = 0; i < n; i++) {
        assert(x->name[i].n > 0);
        b->failed |= x->name[i].n > UINT32_MAX;
        write_name(&w, x->name[i].p, (uint32_t)x->name[i].n, x->ns, &b->key[first + i]);
    }
    end(&w, b);
    b->n_features += n;
    for (size_t i = 0; i < n; i++)
        if (b->has_values)
            b->value[first + i] = x->value[i];
        else if (x->value[i] != 1)
            thr_batch_set_value(b, first + i, x->value[i]);
}
