/* A batch: many sparse examples as columns, and how parsers fill one.
 *
 *   start  0        3     5            feature f of example e has start[e] <= f < start[e+1]
 *   key    k k k    k k   k ...        a small integer with its namespace, or the number of a name
 *   value  1 .5 2   1 1   1 ...        left out (NULL) while every value is 1
 *
 * Keys. A name of digits only, without leading zeros, is an integer in every format: below 2^24
 * `key = ns << 24 | integer`, and below 2^32, in the empty namespace, `key = THR_KEY_LARGE |
 * integer`. Any other name goes to `name`, and `key = THR_KEY_NAME | its index`. So one name has
 * one key, or names that are the same. Namespaces are numbered within the batch, 0 being the empty
 * one; the lexicon gives them their lasting numbers when the batch is resolved.
 *
 * Names, labels and tags are slices: they point into the block that was parsed (which outlives
 * the batch's use) or into the batch's arena. A parser fills one example between
 * thr_batch_open and thr_features_close (features.h), or drops it with thr_batch_drop.
 * Running out of memory is remembered in `failed`; nothing else needs checking meanwhile. */
#ifndef THR_EXAMPLE_BATCH_H
#define THR_EXAMPLE_BATCH_H

#include "base/mem.h"

#include "thresh.h"

#define THR_SMALL_BITS 24
#define THR_SMALL      (UINT64_C(1) << THR_SMALL_BITS)
#define THR_KEY_NAME   (UINT64_C(1) << 63)
#define THR_KEY_BIAS   (UINT64_C(1) << 62)
#define THR_KEY_LARGE  (UINT64_C(1) << 61)
#define THR_MAX_NS     4096u /* namespaces are looked for one by one */

typedef struct thr_name {
    const char *p;
    uint32_t n;
    uint32_t ns;   /* within the batch */
    uint64_t hash; /* over the bytes, with the batch's hash_seed */
} thr_name;

/* From the start of a name, where the batch says so. */
#define THR_NAME_ROOM 20

/* Some of the batch's column of labels, one behind the other. */
typedef struct thr_list {
    size_t from, n;
} thr_list;

/* What one example is beside its features. */
typedef struct thr_about {
    thr_str label;       /* .p is NULL where there is none */
    thr_list more;       /* where several are true: those beside `label` */
    thr_list candidates; /* those that may be the answer; empty: all */
    thr_str tag;
    thr_str text;  /* running text kept raw, for conversion only */
    double target; /* the label, where it was read as a number; else NaN */
    float importance;
    uint32_t line;  /* within the block, from 0 */
    bool from_text; /* some features were made of running text */
    bool rejected;  /* goes with the next thr_batch_sweep */
} thr_about;

/* A problem met while parsing; the line is within the block. */
typedef struct thr_problem {
    uint32_t line;
    uint64_t column;
    const char *message; /* in the arena */
} thr_problem;

/* The names of a cache, in the order of their numbers; grows block by block, in order. */
typedef struct thr_names {
    uint64_t *entry; /* ns << 24 | small integer, a large one, THR_KEY_NAME | place in `text` */
    size_t n, room;
    struct thr_long_name {
        thr_str name;
        uint32_t ns;
    } * text;
    size_t n_texts, text_room;
    thr_str *ns;
    size_t n_ns, ns_room;
    uint32_t *id; /* [number + 1]: what the model in use calls it; [0]: the bias */
    size_t n_ids, id_room;
    bool apart;         /* some id is not the number + 1, which it is in a model begun with it */
    bool ended;         /* the last block has been taken */
    const char *format; /* that the examples came from, or NULL; static */
    thr_arena arena;
} thr_names;

struct thr_batch {
    size_t n, n_features;
    size_t *start;
    uint64_t *key;
    float *value; /* valid when has_values */
    bool has_values;
    bool failed;
    bool numeric_labels; /* the format reads labels that are numbers as numbers; kept by a reset */
    thr_name *name;
    size_t n_names;
    bool tight_names; /* behind some there may be less than THR_NAME_ROOM bytes to be read */
    thr_about *about;
    thr_str *listed; /* labels of all lists */
    size_t n_listed;
    thr_str *ns;
    size_t n_ns;
    thr_problem *problem;
    size_t n_problems;
    uint64_t bad_utf8; /* bytes of running text that are not UTF-8 */
    uint64_t repeated; /* examples in which a feature was named twice */
    uint32_t lines;    /* in the block, for numbering the next one */
    bool is_open;      /* an example is being filled */
    bool open_text;    /* ... and text has been added to it */
    thr_arena arena;
    /* filled by the lexicon */
    uint32_t *id;   /* per feature; THR_NONE: not known. May be `number` itself until the reset */
    bool looked_up; /* all of them have been, before the batch is swept, in the lexicon in use */
    /* Examples read from a cache name their features by number in the cache's own table, and have
     * no keys. The names a block brings for the first time stand in `fresh`, as keys of the usual
     * kind. */
    thr_names *names;
    uint32_t *number; /* instead of `key`: the number + 1, or 0 for the bias */
    uint64_t *fresh;
    size_t n_fresh;
    uint64_t first_fresh; /* number of the first of them */
    bool ended;           /* the block is the last of its cache */
    const char *format;   /* what the examples were read as, or NULL; static */
    uint64_t hash_seed;   /* kept by a reset */
    /* Of a public batch: the settings that its features were made with; NULL: not known yet.
     * `mixed`: there were several. */
    struct thr_features *made_with;
    bool mixed;
    /* rooms */
    size_t start_room, key_room, value_room, name_room, about_room, ns_room, problem_room, id_room,
        fresh_room, number_room, listed_room;
};

/* Takes the fresh names of a block, the next in order, into the cache's table. False: memory, or
 * the numbers do not follow on. */
bool thr_names_extend(thr_names *names, const thr_batch *b);
void thr_names_free(thr_names *names);

void thr_batch_init(thr_batch *b); /* all zero but ready */
void thr_batch_release(thr_batch *b);
void thr_batch_reset(thr_batch *b);           /* empty, memory kept */
void thr_batch_ids_are_numbers(thr_batch *b); /* those of a cache, as they are */
bool thr_batch_own_ids(thr_batch *b);         /* ... of its own, to be filled in; false: memory */

void thr_batch_open(thr_batch *b, uint32_t line);
void thr_batch_close(thr_batch *b);                      /* the example begun is whole */
void thr_batch_drop(thr_batch *b);                       /* forgets the example begun */
void thr_batch_sweep(thr_batch *b);                      /* takes rejected examples out */
void thr_batch_label(thr_batch *b, thr_str label);       /* a class by name */
void thr_batch_label_number(thr_batch *b, double value); /* `+1`, `1`, `1.0` are one label */
void thr_batch_label_read(thr_batch *b, thr_str text, double value); /* ... that reads as it does */
/* One true label more; the first is `label`. */
void thr_batch_also_label(thr_batch *b, thr_str label);
void thr_batch_append(thr_batch *b, thr_list *l, thr_str label);
void thr_batch_candidate(thr_batch *b, thr_str label);
thr_str thr_batch_number_text(thr_batch *b, double value); /* a number as a label, kept */
/* The label as a number, however it was read; NaN where it is none. */
double thr_about_number(const thr_about *a);
uint32_t thr_batch_namespace(thr_batch *b, thr_str ns); /* its number in the batch */
void thr_batch_integer(thr_batch *b, uint32_t ns, uint64_t key, float value); /* any u64 */
void thr_batch_push(thr_batch *b, uint64_t key, float value); /* a key as it stands */
void thr_batch_named(thr_batch *b, uint32_t ns, thr_str name, float value);
/* The words text[edge[2i]..edge[2i + 1]), named one by one; behind the start of each there are
 * THR_NAME_ROOM bytes at least. */
void thr_batch_words(thr_batch *b, uint32_t ns, const char *text, const uint32_t *edge,
                     size_t words);
/* Room for n features more behind the last, with values; those filled in are then counted in. */
bool thr_batch_reserve(thr_batch *b, size_t n);
/* A key to fill in of an integer from 2^32 on: its n digits, no zero before them, stand at
 * text[at], with THR_NAME_ROOM bytes to be read. */
static inline uint64_t thr_key_digits(size_t at, size_t n)
{
    return THR_KEY_NAME | (uint64_t)n << 48 | at;
}
/* Makes names of them, in the empty namespace, before the n features are counted in. */
bool thr_batch_name_digits(thr_batch *b, const char *text, size_t n);
void thr_batch_count_in(thr_batch *b, size_t n);
size_t thr_batch_first(const thr_batch *b); /* first feature of the open example */
void thr_batch_problem(thr_batch *b, uint32_t line, uint64_t column, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
float thr_batch_value(const thr_batch *b, size_t feature);
void thr_batch_set_value(thr_batch *b, size_t feature, float value);
bool thr_batch_is_bias(const thr_batch *b, size_t feature);
/* The key of an integer below 2^32 in the empty namespace. */
static inline uint64_t thr_key_integer(uint32_t integer)
{
    return integer < THR_SMALL ? integer : THR_KEY_LARGE | integer;
}
/* Whether its name is a small integer, in any namespace. */
bool thr_batch_is_small(const thr_batch *b, size_t feature);
/* The name of a feature as its digits or bytes; `digits` has room for 24 bytes. */
thr_str thr_batch_name_of(const thr_batch *b, size_t feature, char *digits, thr_str *ns);

#endif
