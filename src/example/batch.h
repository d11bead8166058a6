/* A batch: many sparse examples stored as columns, and the functions that parsers fill it with.
 *
 * COLUMNS. There is one entry per example above the line, one per feature below it:
 *
 *   example  |  0           |  1      |  2          |
 *   about    |  label, tag, line, importance, ...   |       n entries
 *   start    |  0           |  4      |  6          |  9    n + 1 offsets
 *   ---------+--------------+---------+-------------+-
 *   key      |  k  k  k  B  |  k   B  |  k   k   B  |       n_features entries: names
 *   value    |  1 .5  2  1  |  1   1  |  3   1   1  |       missing while every value is 1
 *   id       |  7  3  9  0  |  3   0  |  9  12   0  |       filled in by the lexicon
 *
 * Feature f belongs to example e if start[e] <= f < start[e + 1]. Features keep the order of
 * the input; repeated ones have been summed and zeros dropped. B is the bias: if the settings
 * have one, as those of a model always do, it is the last feature of every example, and its id
 * is 0. A rule without a bias relies on that: its view of an example is one feature shorter.
 *
 * KEYS. A key says which name a feature has, in 64 bits:
 *
 *   ns << 24 | integer           an integer below 2^24, in namespace number ns
 *   THR_KEY_LARGE | integer      an integer from 2^24 to 2^32 - 1 in the empty namespace
 *   THR_KEY_NAME | index         any other name: name[index] has its bytes and its hash
 *   THR_KEY_BIAS                 the bias
 *
 * A name that consists of digits, without leading zeros, is an integer in every format, so that
 * `7` is the same feature in svmlight and in JSON. A name thus has only one kind of key. Two
 * features with the same name have equal keys, except that two entries of `name` may be equal:
 * keys with THR_KEY_NAME that differ must be compared by name (merge.c).
 *
 * Namespaces are numbered within the batch, in order of appearance; 0 is the empty namespace.
 * The lexicon translates these numbers into its own, which last, when it looks the batch up.
 *
 * IDS. thr_lexicon_resolve and thr_lexicon_find translate keys into the dense ids of a model.
 * Features with an unknown name have the id THR_NONE.
 *
 * CACHES. A batch that was read from a cache has no keys. Its column `number` refers to the
 * cache's table of names (thr_names) instead, and a block brings only the names that occur in
 * it for the first time, in `fresh`.
 *
 * MEMORY. Names, labels and tags are slices. They point into the block that was parsed, which
 * must outlive the use of the batch, or into the batch's arena. A reset keeps all memory for
 * the next block.
 *
 * FILLING. A parser calls thr_batch_open, adds labels and features, and ends the example with
 * thr_features_finish (features.h), or discards it with thr_batch_drop. A failed allocation sets
 * `failed`; the functions below then do nothing harmful, so that `failed` need only be checked
 * once, at the end. A batch belongs to one thread at a time. */
#ifndef THR_EXAMPLE_BATCH_H
#define THR_EXAMPLE_BATCH_H

#include "base/index.h"
#include "base/mem.h"

#include "thresh.h"

/* See KEYS above. Integers below THR_SMALL are small; they index arrays in the lexicon. */
#define THR_SMALL_BITS 24
#define THR_SMALL      (UINT64_C(1) << THR_SMALL_BITS)
#define THR_KEY_NAME   (UINT64_C(1) << 63)
#define THR_KEY_BIAS   (UINT64_C(1) << 62)
#define THR_KEY_LARGE  (UINT64_C(1) << 61)
#define THR_MAX_NS     4096u /* namespaces in a batch */
/* The namespace of measurements: numbers for which 0 is a value like any other, so that zeros are
 * kept there (thr_features.numbers). CSV puts its numeric columns into it. */
#define THR_NUMBERS "number"

typedef struct thr_name {
    const char *p;
    uint32_t n;
    uint32_t ns;   /* number of the namespace within the batch */
    uint64_t hash; /* of the bytes, with the batch's hash_seed */
} thr_name;

/* Bytes that may be read from the start of a name, however short it is, unless the batch has
 * tight_names. The lexicon compares names of at most as many bytes by a few loads of fixed size,
 * without a branch on the length. */
#define THR_NAME_ROOM 20

/* The labels listed[from] to listed[from + n - 1] of the batch. */
typedef struct thr_list {
    size_t from, n;
} thr_list;

/* One example without its features. */
typedef struct thr_example_info {
    thr_str label;       /* the true label; .p is NULL for an unlabelled example */
    thr_list more;       /* multi-label data: the true labels beside `label` */
    thr_list candidates; /* labels that may be predicted; empty: all */
    thr_str tag;         /* a name for the example; .p may be NULL */
    thr_str text;        /* running text kept raw, for conversion only */
    double target;       /* the label as a number if it was read as one, else NaN */
    float importance;    /* weight of the example; 1 by default */
    uint32_t line;       /* within the block, from 0 */
    bool from_text;      /* some features were made from running text */
    bool none;           /* multi-label data: it has no label because none is true */
    bool rejected;       /* the next thr_batch_sweep removes the example */
    bool joins;          /* a token of the same sentence as the example before it */
    /* Of a token (sentence/sentence.h): the names of its links to tags before it, the last `far` of them
     * to two tags; and how many of its features are these links with the true tags. */
    thr_list links;
    uint16_t far, past;
} thr_example_info;

/* A problem found while parsing. A parser thread only records it; the stream turns it into an
 * error with a place, in stream order. */
typedef struct thr_problem {
    uint32_t line;       /* within the block, from 0 */
    uint64_t column;     /* from 1; 0: not known */
    const char *message; /* in the arena */
} thr_problem;

/* The table of names of a cache, by number. It belongs to the header of the cache file and
 * grows block by block: the thread that takes batches from the stream appends the fresh names
 * of each batch in order (thr_names_extend). Parser threads never read it. */
typedef struct thr_names {
    uint64_t *entry; /* by number: a key, but with the namespaces and texts of this table */
    size_t n, room;
    struct thr_long_name {
        thr_str name;
        uint32_t ns;
    } * text; /* THR_KEY_NAME | i in `entry` stands for text[i] */
    size_t n_texts, text_room;
    thr_str *ns;
    size_t n_ns, ns_room;
    uint32_t *id; /* id[number + 1] in the lexicon in use; id[0] is the bias */
    size_t n_ids, id_room;
    bool renumbered;    /* some id differs from number + 1, so numbers must be translated; false
                         * for a model that was begun with this cache */
    bool ended;         /* the last block of the cache has been delivered */
    const char *format; /* format that the cache was made from, or NULL; static */
    thr_arena arena;    /* owns the bytes of names and namespaces */
} thr_names;

struct thr_batch {
    size_t n, n_features; /* whole examples; features, with those of the open example */
    size_t *start;
    uint64_t *key;
    float *value; /* valid if has_values */
    bool has_values;
    bool failed;         /* an allocation failed: the batch is not to be used */
    bool numeric_labels; /* the format reads numbers as numeric labels; survives a reset */
    thr_name *name;
    size_t n_names;
    bool tight_names; /* THR_NAME_ROOM bytes are not readable at the start of every name */
    thr_example_info *about;
    thr_str *listed; /* the labels of all thr_lists */
    size_t n_listed;
    thr_str *ns; /* namespaces by number; ns[0] is empty. May be missing while only 0 is used */
    size_t n_ns;
    thr_index by_ns;  /* from a namespace to its number, if there are many */
    uint32_t numbers; /* the number of THR_NUMBERS, if an example has used it; else 0 */
    thr_problem *problem;
    size_t n_problems;
    uint64_t bad_utf8;  /* bytes of running text that are not UTF-8 */
    uint64_t nul_bytes; /* NUL characters in running text */
    uint32_t crossed;   /* bit i: an example matches cross number i of the settings */
    bool met_negated;   /* an example has a variable that is to be negated */
    bool without_ns;    /* where there are crosses: a feature has the empty namespace */
    uint64_t repeated;  /* examples in which a feature was named twice */
    uint32_t lines;     /* lines of the block parsed so far */
    bool is_open;       /* an example is being filled */
    bool open_text;     /* text has been added to the open example */
    bool open_distinct; /* its features are known to be distinct, with no value of 0: none is merged
                         */
    thr_arena arena;
    /* Filled in by the lexicon. `id` may be the same memory as `number` until the next reset.
     * With looked_up, ids were filled in by the thread that parsed the block, before the batch
     * is swept; THR_NONE then also means "not known at that moment". */
    uint32_t *id;
    bool looked_up;
    /* Only of a batch that was read from a cache. */
    thr_names *names; /* the cache's table; NULL: the batch has keys */
    uint32_t *number; /* instead of `key`: number in the table + 1, or 0 for the bias */
    uint64_t *fresh;  /* names that the table does not have yet, as keys of this batch */
    size_t n_fresh;
    uint64_t first_fresh; /* their numbers in the table begin here */
    bool ended;           /* the block is the last of its cache */
    const char *format;   /* format that the examples were read as, or NULL; static */
    const struct thr_plan *plan; /* how sentences of the file are read; NULL: there are none. Borrowed */
    uint64_t hash_seed;   /* of name[].hash; survives a reset */
    /* Only of a batch that a caller fills: the feature settings it was filled with, NULL while
     * none are known. `mixed`: there were different ones. Owned. */
    struct thr_features *made_with;
    bool mixed;
    /* capacities of the columns */
    size_t start_room, key_room, value_room, name_room, about_room, ns_room, problem_room, id_room,
        fresh_room, number_room, listed_room;
};

/* Appends the fresh names of b, the next block in order, to the cache's table. False: out of
 * memory, or the numbers do not continue those of the table. */
bool thr_names_extend(thr_names *names, const thr_batch *b);
void thr_names_free(thr_names *names);

void thr_batch_init(thr_batch *b);
void thr_batch_release(thr_batch *b); /* frees everything; the batch is then empty */
void thr_batch_reset(thr_batch *b);   /* empties, keeps the memory */
/* Two ways to have ids. A batch from a cache may use its numbers as ids, without a copy;
 * otherwise the column is allocated, for the lexicon to fill in. False: out of memory. */
void thr_batch_ids_are_numbers(thr_batch *b);
bool thr_batch_own_ids(thr_batch *b);

/* ---- one example -------------------------------------------------------------------------- */

/* Functions that set labels or end an example do nothing while no example is open. */
void thr_batch_open(thr_batch *b, uint32_t line);        /* begins an example */
void thr_batch_close(thr_batch *b);                      /* counts the open example in */
void thr_batch_drop(thr_batch *b);                       /* discards the open example */
void thr_batch_sweep(thr_batch *b);                      /* removes the rejected examples */
void thr_batch_label(thr_batch *b, thr_str label);       /* a class by name */
void thr_batch_label_number(thr_batch *b, double value); /* `+1`, `1`, `1.0` are one label */
/* The same where `text` is already how the number is written as a label. */
void thr_batch_label_read(thr_batch *b, thr_str text, double value);
/* Adds a true label. The first one becomes `label`, the others go to `more`. */
void thr_batch_also_label(thr_batch *b, thr_str label);
/* Appends to a list of any example of the batch. */
void thr_batch_append(thr_batch *b, thr_list *l, thr_str label);
void thr_batch_candidate(thr_batch *b, thr_str label);
thr_str thr_batch_number_text(thr_batch *b, double value); /* as a label, in the arena */
/* The label as a number, even if the format did not read it as one; NaN if it is not one. */
double thr_label_number(const thr_example_info *a);

/* ---- features ----------------------------------------------------------------------------- */

/* The number of a namespace in the batch, added if it is new. With too many namespaces a
 * problem is recorded and the open example dropped. The name is borrowed. */
uint32_t thr_batch_namespace(thr_batch *b, thr_str ns);
void thr_batch_integer(thr_batch *b, uint32_t ns, uint64_t key, float value); /* any integer */
void thr_batch_push(thr_batch *b, uint64_t key, float value);                 /* a finished key */
void thr_batch_named(thr_batch *b, uint32_t ns, thr_str name, float value);
/* Whether a name is an integer that has a key. */
bool thr_batch_is_integer(thr_str name, uint32_t ns, uint64_t *key);
/* The bulk path, for parsers that write many features at once: thr_batch_reserve makes room for
 * n features behind the last one, in both columns; the caller writes key[n_features + i] and
 * value[n_features + i]; thr_batch_commit(n) makes them part of the open example. */
bool thr_batch_reserve(thr_batch *b, size_t n);
/* The same, but for `value` only if it is in use. False: out of memory. */
bool thr_batch_make_room(thr_batch *b, size_t n);
/* A provisional key for the bulk path: an integer of 10 to 16 digits that is 2^32 or more. Its
 * n digits, without leading zeros, are at text[at], and THR_NAME_ROOM bytes are readable there. */
static inline uint64_t thr_key_digits(size_t at, size_t n)
{
    return THR_KEY_NAME | (uint64_t)n << 48 | at;
}
/* Replaces the provisional keys among the n features written by names in the empty namespace.
 * To be called before thr_batch_commit. False: out of memory. */
bool thr_batch_name_digits(thr_batch *b, const char *text, size_t n);
void thr_batch_commit(thr_batch *b, size_t n);
size_t thr_batch_first(const thr_batch *b); /* first feature of the open example */
/* Records a problem; the message is copied. */
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
/* Whether the name of a feature is a small integer, in any namespace. */
bool thr_batch_is_small(const thr_batch *b, size_t feature);
/* Whether a feature is in the namespace THR_NUMBERS, and whether any of the batch can be. */
bool thr_batch_has_numbers(const thr_batch *b);
bool thr_batch_is_number(const thr_batch *b, size_t feature);
/* The name of a feature and its namespace. The name of an integer is written to `digits`, which
 * has room for 24 bytes; other names are borrowed from the batch or the cache's table. */
thr_str thr_batch_name_of(const thr_batch *b, size_t feature, char *digits, thr_str *ns);

#endif
