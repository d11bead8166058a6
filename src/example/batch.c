/* Filling the columns of a batch. The paths that every feature of a file passes through are
 * written for speed: integers get keys without a look at a table. names.c adds many names at once.
 */
#include "example/batch.h"

#include "base/hash_name.h"
#include "base/number.h"
#include "base/wide.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FEW_NS 8 /* namespaces that are searched without an index */

void thr_batch_init(thr_batch *b)
{
    *b = (thr_batch){0};
}

/* Undoes thr_batch_ids_are_numbers, so that the memory is not freed twice, or grown as if it
 * were the batch's own. */
static void give_up_numbers(thr_batch *b)
{
    if (b->id == b->number)
        b->id = NULL;
}

void thr_batch_release(thr_batch *b)
{
    give_up_numbers(b);
    free(b->start);
    free(b->key);
    free(b->value);
    free(b->name);
    free(b->about);
    free(b->listed);
    free(b->ns);
    free(b->problem);
    free(b->id);
    free(b->fresh);
    free(b->number);
    free(b->made_with);
    thr_arena_clear(&b->arena);
    thr_index_clear(&b->by_ns);
    *b = (thr_batch){0};
}

void thr_batch_reset(thr_batch *b)
{
    b->numbers = 0;
    b->n = b->n_features = b->n_names = b->n_ns = b->n_problems = b->n_listed = 0;
    b->has_values = b->failed = b->is_open = b->open_text = b->open_distinct = false;
    b->tight_names = false;
    b->bad_utf8 = b->nul_bytes = b->repeated = 0;
    b->crossed = 0;
    b->met_negated = false;
    b->without_ns = false;
    b->lines = 0;
    b->names = NULL;
    b->format = NULL;
    b->plan = NULL;
    b->n_fresh = 0;
    b->ended = b->looked_up = b->mixed = false;
    free(b->made_with);
    b->made_with = NULL;
    give_up_numbers(b);
    thr_arena_reset(&b->arena);
    thr_index_empty(&b->by_ns);
}

void thr_batch_ids_are_numbers(thr_batch *b)
{
    give_up_numbers(b);
    free(b->id);
    b->id = b->number;
    b->id_room = 0;
}

bool thr_batch_own_ids(thr_batch *b)
{
    give_up_numbers(b);
    return thr_grow(&b->id, &b->id_room, b->n_features + 1, sizeof *b->id);
}

/* ---- one example -------------------------------------------------------------------------- */

/* start[n] is where the open example begins; start[n + 1] is written when it is closed. */
void thr_batch_open(thr_batch *b, uint32_t line)
{
    if (!thr_grow(&b->start, &b->start_room, b->n + 2, sizeof *b->start) ||
        !thr_grow(&b->about, &b->about_room, b->n + 1, sizeof *b->about)) {
        b->failed = true;
        return;
    }
    if (b->n == 0)
        b->start[0] = 0;
    b->n_features = b->start[b->n]; /* discards features that were added while none was open */
    b->start[b->n + 1] = b->n_features;
    b->about[b->n] = (thr_example_info){.target = NAN, .importance = 1, .line = line};
    b->is_open = true;
    b->open_text = b->open_distinct = false;
}

void thr_batch_close(thr_batch *b)
{
    if (b->is_open && !b->failed) {
        b->about[b->n].from_text = b->open_text;
        b->start[++b->n] = b->n_features;
    }
    b->is_open = false;
}

void thr_batch_drop(thr_batch *b)
{
    if (b->is_open)
        b->n_features = b->start[b->n];
    b->is_open = false;
}

/* Moves the examples that stay towards the front, column by column. Reading is never behind
 * writing, so this works in place. Names and lists stay where they are: entries that nothing
 * refers to any more do no harm. */
void thr_batch_sweep(thr_batch *b)
{
    size_t kept = 0;
    while (kept < b->n && !b->about[kept].rejected)
        kept++;
    if (kept == b->n)
        return;
    size_t features = b->start[kept];
    for (size_t e = kept; e < b->n; e++) {
        size_t from = b->start[e], n = b->start[e + 1] - from;
        if (b->about[e].rejected)
            continue;
        if (n && b->names)
            memmove(b->number + features, b->number + from, n * sizeof *b->number);
        else if (n)
            memmove(b->key + features, b->key + from, n * sizeof *b->key);
        if (n && b->has_values)
            memmove(b->value + features, b->value + from, n * sizeof *b->value);
        if (n && b->looked_up && b->id != b->number)
            memmove(b->id + features, b->id + from, n * sizeof *b->id);
        b->about[kept] = b->about[e];
        features += n;
        b->start[++kept] = features; /* kept <= e, so start[e + 1] has been read already */
    }
    b->n = kept;
    b->n_features = features;
}

size_t thr_batch_first(const thr_batch *b)
{
    return b->start[b->n];
}

void thr_batch_label(thr_batch *b, thr_str label)
{
    if (b->is_open)
        b->about[b->n].label = label;
}

thr_str thr_batch_number_text(thr_batch *b, double value)
{
    char text[32];
    value = value == 0 ? 0 : value; /* -0 and 0 are the same label */
    size_t n = thr_print_double(value, text);
    const char *copy = thr_arena_copy(&b->arena, text, n);
    b->failed |= !copy;
    return (thr_str){copy ? copy : "", copy ? n : 0};
}

void thr_batch_label_number(thr_batch *b, double value)
{
    thr_str text = thr_batch_number_text(b, value);
    if (!b->failed)
        thr_batch_label_read(b, text, value == 0 ? 0 : value);
}

void thr_batch_label_read(thr_batch *b, thr_str text, double value)
{
    if (!b->is_open)
        return;
    b->about[b->n].label = text;
    b->about[b->n].target = value;
}

/* A list can only grow at the end of `listed`. If another list has been added behind it, it is
 * copied to the end first; its old place stays unused. */
void thr_batch_append(thr_batch *b, thr_list *l, thr_str label)
{
    bool last = l->from + l->n == b->n_listed;
    if (!thr_grow(&b->listed, &b->listed_room, b->n_listed + (last ? 0 : l->n) + 1,
                  sizeof *b->listed)) {
        b->failed = true;
        return;
    }
    if (!last && l->n)
        memcpy(b->listed + b->n_listed, b->listed + l->from, l->n * sizeof *b->listed);
    if (!last) {
        l->from = b->n_listed;
        b->n_listed += l->n;
    }
    b->listed[b->n_listed++] = label;
    l->n++;
}

void thr_batch_also_label(thr_batch *b, thr_str label)
{
    if (b->is_open && !b->about[b->n].label.p)
        thr_batch_label(b, label);
    else if (b->is_open)
        thr_batch_append(b, &b->about[b->n].more, label);
}

void thr_batch_candidate(thr_batch *b, thr_str label)
{
    if (b->is_open)
        thr_batch_append(b, &b->about[b->n].candidates, label);
}

double thr_label_number(const thr_example_info *a)
{
    const char *end = a->label.p;
    double value;
    if (!a->label.p || !isnan(a->target))
        return a->target;
    bool whole = thr_parse_double(a->label.p, a->label.p + a->label.n, &end, &value) == 0 &&
                 end == a->label.p + a->label.n;
    return !whole ? NAN : value == 0 ? 0 : value;
}

/* The number of a namespace of the batch, or UINT32_MAX. Few are searched one by one, from the end,
 * since the one added last is the likeliest. */
static uint32_t find_namespace(const thr_batch *b, thr_str ns)
{
    if (b->n_ns > FEW_NS)
        return thr_index_find(&b->by_ns, ns);
    for (size_t i = b->n_ns; i-- > 0;)
        if (thr_str_eq(b->ns[i], ns))
            return (uint32_t)i;
    return UINT32_MAX;
}

/* Adds a namespace. From FEW_NS on all are in the index. */
static bool add_namespace(thr_batch *b, thr_str ns)
{
    if (!thr_grow(&b->ns, &b->ns_room, b->n_ns + 1, sizeof *b->ns))
        return false;
    b->ns[b->n_ns++] = ns;
    for (size_t i = b->n_ns == FEW_NS + 1 ? 0 : b->n_ns - 1; b->n_ns > FEW_NS && i < b->n_ns; i++)
        if (!thr_index_add(&b->by_ns, b->ns[i], (uint32_t)i))
            return false;
    return true;
}

uint32_t thr_batch_namespace(thr_batch *b, thr_str ns)
{
    if (b->n_ns == 0) { /* number 0 is the empty one */
        if (!add_namespace(b, (thr_str){"", 0})) {
            b->failed = true;
            return 0;
        }
    }
    uint32_t found = find_namespace(b, ns);
    if (found != UINT32_MAX)
        return found;
    if (b->n_ns == THR_MAX_NS) {
        thr_batch_problem(b, b->is_open ? b->about[b->n].line : 0, 0, "more than %u namespaces",
                          THR_MAX_NS);
        thr_batch_drop(b);
        return 0;
    }
    if (thr_str_eq(ns, thr_str_of(THR_NUMBERS)))
        b->numbers = (uint32_t)b->n_ns;
    if (!add_namespace(b, ns)) {
        b->failed = true;
        return 0;
    }
    return (uint32_t)b->n_ns - 1;
}

/* ---- features ----------------------------------------------------------------------------- */

/* Called at the first value other than 1: creates the column and fills in the ones so far. Most
 * data of words needs no values at all. */
static bool make_values(thr_batch *b)
{
    if (!thr_grow(&b->value, &b->value_room, b->key_room, sizeof *b->value))
        return false;
    for (size_t i = 0; i < b->n_features; i++)
        b->value[i] = 1;
    b->has_values = true;
    return true;
}

bool thr_batch_make_room(thr_batch *b, size_t n)
{
    size_t room = b->key_room;
    if (!thr_grow(&b->key, &room, b->n_features + n, sizeof *b->key) ||
        (b->has_values && !thr_grow(&b->value, &b->value_room, room, sizeof *b->value)))
        return false;
    b->key_room = room; /* key_room counts for both columns, so it is set when both have grown */
    return true;
}

bool thr_batch_reserve(thr_batch *b, size_t n)
{
    bool ok = (b->key_room - b->n_features >= n || thr_batch_make_room(b, n)) &&
              thr_grow(&b->value, &b->value_room, b->key_room, sizeof *b->value);
    b->failed |= !ok;
    return ok;
}

/* Without an early exit, so that it is vectorised. */
THR_CLONED static bool all_ones(const float *value, size_t n)
{
    unsigned others = 0;
    for (size_t i = 0; i < n; i++)
        others |= value[i] != 1;
    return !others;
}

/* make_values fills in ones below n_features only, so the values that the caller wrote stay. */
void thr_batch_commit(thr_batch *b, size_t n)
{
    if (!b->has_values && !all_ones(b->value + b->n_features, n) && !make_values(b))
        b->failed = true;
    b->n_features += n;
}

void thr_batch_push(thr_batch *b, uint64_t key, float value)
{
    if ((b->n_features == b->key_room && !thr_batch_make_room(b, 1)) ||
        (value != 1 && !b->has_values && !make_values(b))) {
        b->failed = true;
        return;
    }
    b->key[b->n_features] = key;
    if (b->has_values)
        b->value[b->n_features] = value;
    b->n_features++;
}

float thr_batch_value(const thr_batch *b, size_t feature)
{
    return b->has_values ? b->value[feature] : 1;
}

void thr_batch_set_value(thr_batch *b, size_t feature, float value)
{
    if (!b->has_values) {
        if (value == 1)
            return;
        if (!make_values(b)) {
            b->failed = true;
            return;
        }
    }
    b->value[feature] = value;
}

/* `roomy`: THR_NAME_ROOM bytes are readable at name.p. */
static void push_name(thr_batch *b, uint32_t ns, thr_str name, float value, bool roomy)
{
    if (name.n > UINT32_MAX ||
        (b->n_names == b->name_room &&
         !thr_grow(&b->name, &b->name_room, b->n_names + 1, sizeof *b->name))) {
        b->failed = true;
        return;
    }
    b->name[b->n_names] =
        (thr_name){name.p, (uint32_t)name.n, ns, thr_hash_name(name.p, name.n, b->hash_seed)};
    b->tight_names |= !roomy;
    thr_batch_push(b, THR_KEY_NAME | b->n_names++, value);
}

/* The key of an integer; false if it has none and must be a name. */
static bool integer_key(uint64_t integer, uint32_t ns, uint64_t *key)
{
    bool small = integer < THR_SMALL;
    *key = small ? (uint64_t)ns << THR_SMALL_BITS | integer : THR_KEY_LARGE | integer;
    return small || (ns == 0 && integer <= UINT32_MAX);
}

void thr_batch_integer(thr_batch *b, uint32_t ns, uint64_t integer, float value)
{
    uint64_t key;
    if (integer_key(integer, ns, &key)) {
        thr_batch_push(b, key, value);
        return;
    }
    char digits[24] = "";
    _Static_assert(sizeof digits >= THR_NAME_ROOM, "all of it is copied");
    size_t n = thr_print_u64(integer, digits);
    const char *copy = thr_arena_copy(&b->arena, digits, sizeof digits);
    if (copy)
        push_name(b, ns, (thr_str){copy, n}, value, true);
    else
        b->failed = true;
}

/* One to ten digits, no leading zero, not too large. An empty name is no integer, since n - 1 wraps
 * around. */
bool thr_batch_is_integer(thr_str name, uint32_t ns, uint64_t *key)
{
    if (name.n - 1 >= 10 || name.p[0] > '9' || (name.p[0] == '0' && name.n > 1))
        return false;
    uint64_t v = 0;
    for (size_t i = 0; i < name.n; i++) {
        unsigned digit = (unsigned)(unsigned char)name.p[i] - '0';
        if (digit > 9)
            return false;
        v = v * 10 + digit;
    }
    return integer_key(v, ns, key);
}

void thr_batch_named(thr_batch *b, uint32_t ns, thr_str name, float value)
{
    uint64_t key;
    if (thr_batch_is_integer(name, ns, &key))
        thr_batch_push(b, key, value);
    else
        push_name(b, ns, name, value, false); /* it may be the last bytes of its block */
}

/* ---- integers from 2^32 on ---------------------------------------------------------------- */

/* Flattened, so that XXH3 is inlined and reduced to the lengths that occur, as in names.c. */
__attribute__((flatten)) bool thr_batch_name_digits(thr_batch *b, const char *text, size_t n)
{
    if (!thr_grow(&b->name, &b->name_room, b->n_names + n, sizeof *b->name)) {
        b->failed = true;
        return false;
    }
    uint64_t *key = b->key + b->n_features;
    for (size_t i = 0; i < n; i++) {
        if (!(key[i] & THR_KEY_NAME))
            continue;
        const char *p = text + (key[i] & ((UINT64_C(1) << 48) - 1));
        uint32_t digits = (uint32_t)(key[i] >> 48) & 0xff;
        if (digits < 10 || digits > 16)
            __builtin_unreachable();
        b->name[b->n_names] = (thr_name){p, digits, 0, thr_hash_name(p, digits, b->hash_seed)};
        key[i] = THR_KEY_NAME | b->n_names++;
    }
    return true;
}

bool thr_batch_is_bias(const thr_batch *b, size_t feature)
{
    return b->names ? b->number[feature] == 0 : b->key[feature] == THR_KEY_BIAS;
}

/* The entry in the cache's table of a feature; the bias has none. */
static uint64_t cached_key(const thr_batch *b, size_t feature)
{
    return b->number[feature] ? b->names->entry[b->number[feature] - 1] : THR_KEY_BIAS;
}

bool thr_batch_is_small(const thr_batch *b, size_t feature)
{
    uint64_t key = b->names ? cached_key(b, feature) : b->key[feature];
    return !(key & (THR_KEY_NAME | THR_KEY_BIAS | THR_KEY_LARGE));
}

bool thr_batch_has_numbers(const thr_batch *b)
{
    bool has = b->numbers != 0;
    for (size_t i = 0; b->names && i < b->names->n_ns && !has; i++)
        has = thr_str_eq(b->names->ns[i], thr_str_of(THR_NUMBERS));
    return has;
}

bool thr_batch_is_number(const thr_batch *b, size_t feature)
{
    if (b->names && thr_batch_is_bias(b, feature))
        return false;
    if (b->names) {
        char digits[24];
        thr_str ns;
        thr_batch_name_of(b, feature, digits, &ns);
        return thr_str_eq(ns, thr_str_of(THR_NUMBERS));
    }
    uint64_t key = b->key[feature];
    if (!b->numbers || key & (THR_KEY_LARGE | THR_KEY_BIAS))
        return false;
    uint64_t ns = key & THR_KEY_NAME ? b->name[key & ~THR_KEY_NAME].ns : key >> THR_SMALL_BITS;
    return ns == b->numbers;
}

thr_str thr_batch_name_of(const thr_batch *b, size_t feature, char *digits, thr_str *ns)
{
    const thr_names *names = b->names;
    const thr_str none = {"", 0}, *spaces = names ? names->ns : b->n_ns ? b->ns : NULL;
    uint64_t key = names ? cached_key(b, feature) : b->key[feature];
    if (key & THR_KEY_LARGE) {
        *ns = none;
        return (thr_str){digits, thr_print_u64((uint32_t)key, digits)};
    }
    if (key & THR_KEY_NAME && names) {
        const struct thr_long_name *name = &names->text[key & ~THR_KEY_NAME];
        *ns = spaces[name->ns];
        return name->name;
    }
    if (key & THR_KEY_NAME) {
        const thr_name *name = &b->name[key & ~THR_KEY_NAME];
        *ns = spaces ? spaces[name->ns] : none;
        return (thr_str){name->p, name->n};
    }
    *ns = spaces && key != THR_KEY_BIAS ? spaces[key >> THR_SMALL_BITS] : none;
    return (thr_str){digits, thr_print_u64(key & (THR_SMALL - 1), digits)};
}

/* ---- names of a cache --------------------------------------------------------------------- */

void thr_names_free(thr_names *names)
{
    if (!names)
        return;
    thr_arena_clear(&names->arena);
    free(names->entry);
    free(names->text);
    free(names->ns);
    free(names->id);
    free(names);
}

/* The table's number of a namespace, added if it is new. There are few, so the search is
 * linear. */
static bool names_space(thr_names *names, thr_str ns, uint32_t *number)
{
    for (size_t i = names->n_ns; i-- > 0;)
        if (thr_str_eq(names->ns[i], ns)) {
            *number = (uint32_t)i;
            return true;
        }
    const char *copy = thr_arena_copy(&names->arena, ns.p, ns.n);
    if (!copy || !thr_grow(&names->ns, &names->ns_room, names->n_ns + 1, sizeof *names->ns))
        return false;
    *number = (uint32_t)names->n_ns;
    names->ns[names->n_ns++] = (thr_str){copy, ns.n};
    return true;
}

/* Copies a name, since that of the batch ends with its block. */
static bool names_text(thr_names *names, const thr_name *from, uint32_t ns, uint64_t *key)
{
    const char *copy = thr_arena_copy(&names->arena, from->p, from->n);
    if (!copy ||
        !thr_grow(&names->text, &names->text_room, names->n_texts + 1, sizeof *names->text))
        return false;
    *key = THR_KEY_NAME | names->n_texts;
    names->text[names->n_texts++] = (struct thr_long_name){{copy, from->n}, ns};
    return true;
}

/* Fresh names are copied run by run: consecutive large integers, whose keys are the same in the
 * table, consecutive small integers of one namespace, or a single text. The numbers of
 * namespaces in the batch differ from those in the table. */
bool thr_names_extend(thr_names *names, const thr_batch *b)
{
    uint32_t last = THR_NONE, ns = 0; /* last namespace, in the batch and in the table */
    if (b->first_fresh != names->n ||
        !thr_grow(&names->entry, &names->room, names->n + b->n_fresh, sizeof *names->entry))
        return false;
    for (size_t i = 0, n; i < b->n_fresh; i += n, names->n += n) {
        const uint64_t *key = b->fresh + i;
        uint64_t *to = &names->entry[names->n];
        size_t left = b->n_fresh - i;
        for (n = 0; n < left && key[n] & THR_KEY_LARGE; n++)
            to[n] = key[n];
        if (n > 0)
            continue;
        const thr_name *name = *key & THR_KEY_NAME ? &b->name[*key & ~THR_KEY_NAME] : NULL;
        uint32_t now = name ? name->ns : (uint32_t)(*key >> THR_SMALL_BITS);
        if (now != last && !names_space(names, b->ns[now], &ns))
            return false;
        last = now;
        for (; !name && n < left && key[n] >> THR_SMALL_BITS == now; n++)
            to[n] = (uint64_t)ns << THR_SMALL_BITS | (key[n] & (THR_SMALL - 1));
        if (name && !names_text(names, name, ns, to))
            return false;
        n += name != NULL;
    }
    names->ended = b->ended;
    return true;
}

/* ---- problems ----------------------------------------------------------------------------- */

void thr_batch_problem(thr_batch *b, uint32_t line, uint64_t column, const char *format, ...)
{
    char text[512];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    const char *copy = thr_arena_copy(&b->arena, text, strlen(text));
    if (!copy || !thr_grow(&b->problem, &b->problem_room, b->n_problems + 1, sizeof *b->problem)) {
        b->failed = true;
        return;
    }
    b->problem[b->n_problems++] = (thr_problem){line, column, copy};
}
