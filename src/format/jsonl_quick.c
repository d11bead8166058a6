/* One pass over the line checks its syntax and finds what it has (struct line); nothing is put into
 * the example before all of it is known to be usual. Features are the exception, since there are
 * many: they are pushed to the batch while they are read, and taken off again if the line is not
 * usual, or if a text stands before them. In that case they are read again behind it.
 *
 * Eight bytes are looked at together (base/scan.h). No loop looks for the end of the line: a line
 * feed is neither a digit nor a blank here, and no part of a string, so that every loop stops. */
#include "format/jsonl_quick.h"

#include "base/text.h"
#include "format/decimal.h"
#include "format/lines.h"

#include <string.h>

enum thr_role thr_jsonl_role(thr_str key)
{
    static const struct {
        const char *key;
        enum thr_role role;
    } known[] = {
        {"label", THR_ROLE_LABEL},
        {"labels", THR_ROLE_LABEL},
        {"text", THR_ROLE_TEXT},
        {"tag", THR_ROLE_ID},
        {"importance", THR_ROLE_IMPORTANCE},
        {"id", THR_ROLE_ID},
        {"weight", THR_ROLE_IMPORTANCE},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (thr_str_eq(key, thr_str_of(known[i].key)))
            return known[i].role;
    return THR_ROLE_FEATURE;
}

#if THR_DECIMALS

#define MOST_KEYS 16
#define AHEAD     16 /* bytes that are read behind a line, at most */

/* ---- strings ------------------------------------------------------------------------------- */

/* Blanks stand in the same places in every line of most files. So these branches are predicted, and
 * the next byte is loaded before it is known that this one is a blank. */
static inline const char *skip(const char *at)
{
    while (thr_is_blank(*at))
        at++;
    return at;
}

/* The top bit of each byte that is a quote, a backslash or a control character. Carries may spoil
 * bytes above the first such byte, which do not matter. */
static inline uint64_t special_bytes(uint64_t eight)
{
    const uint64_t ones = UINT64_C(0x0101010101010101);
    uint64_t quote = eight ^ ones * '"', escape = eight ^ ones * '\\';
    return (((quote - ones) & ~quote) | ((escape - ones) & ~escape) |
            ((eight - ones * 0x20) & ~eight)) &
           ones * 0x80;
}

/* The four hexadecimal digits at p, or -1. */
static int32_t hex4(const char *p)
{
    int32_t v = 0;
    for (int i = 0; i < 4; i++) {
        char c = p[i], lower = (char)(c | 0x20);
        if (!thr_is_digit(c) && (lower < 'a' || lower > 'f'))
            return -1;
        v = v << 4 | (thr_is_digit(c) ? c - '0' : lower - 'a' + 10);
    }
    return v;
}

/* The code point of the escape whose backslash is at `at`, and its length in *n; 0 if it is not
 * correct, or NUL, which is not usual. */
static int32_t read_escape(const char *at, size_t *n)
{
    static const char letters[] = "\"\\/bfnrt", means[] = "\"\\/\b\f\n\r\t";
    const char *letter = at[1] ? strchr(letters, at[1]) : NULL;
    *n = letter ? 2 : 6;
    if (letter)
        return means[letter - letters];
    int32_t point = at[1] == 'u' ? hex4(at + 2) : -1;
    if (point < 0xD800 || point > 0xDFFF)
        return point > 0 ? point : 0;
    int32_t low = point < 0xDC00 && at[6] == '\\' && at[7] == 'u' ? hex4(at + 8) : -1;
    *n = 12;
    return low >= 0xDC00 && low <= 0xDFFF ? 0x10000 + ((point - 0xD800) << 10) + (low - 0xDC00) : 0;
}

/* Reads the string whose opening quote is before `at`. Returns what follows its closing quote, or
 * NULL. */
static inline const char *take_string(const char *at, thr_str *out, bool *escaped)
{
    const char *from = at;
    *escaped = false;
    for (;;) {
        uint64_t special = special_bytes(thr_load8(at));
        if (!special) {
            at += 8;
            continue;
        }
        at += (unsigned)__builtin_ctzll(special) / 8;
        size_t n = 0;
        if (*at == '"') {
            *out = thr_slice(from, at);
            return at + 1;
        }
        if (*at != '\\' || !read_escape(at, &n))
            return NULL;
        *escaped = true;
        at += n;
    }
}

static char *put_point(char *to, int32_t c)
{
    if (c < 0x80) {
        *to++ = (char)c;
        return to;
    }
    if (c >= 0x10000)
        *to++ = (char)(0xF0 | c >> 18);
    if (c >= 0x800)
        *to++ = (char)(c < 0x10000 ? 0xE0 | c >> 12 : 0x80 | (c >> 12 & 0x3F));
    *to++ = (char)(c < 0x800 ? 0xC0 | c >> 6 : 0x80 | (c >> 6 & 0x3F));
    *to++ = (char)(0x80 | (c & 0x3F));
    return to;
}

/* The string without escapes, in the batch's arena. */
static thr_str unescape(thr_batch *b, thr_str s)
{
    char *copy = thr_arena_take(&b->arena, s.n), *to = copy; /* an escape is never shorter */
    if (!copy) {
        b->failed = true;
        return (thr_str){"", 0};
    }
    for (size_t i = 0, n; i < s.n; i += n) {
        n = 1;
        if (s.p[i] == '\\')
            to = put_point(to, read_escape(s.p + i, &n));
        else
            *to++ = s.p[i];
    }
    return thr_slice(copy, to);
}

/* ---- values -------------------------------------------------------------------------------- */

enum kind { MISSING, STRING, NUMBER, TRUE, FALSE, NOTHING };

typedef struct value {
    enum kind kind;
    bool escaped;
    thr_str text; /* of a string without its quotes; of a number all of it */
    thr_decimal number;
} value;

/* Reads a value that is neither an object nor an array. Returns what follows it, or NULL. */
static inline const char *take_value(const char *at, value *out)
{
    const char *from = at;
    out->escaped = false;
    if (*at == '"') {
        out->kind = STRING;
        return take_string(at + 1, &out->text, &out->escaped);
    }
    if (*at == '-' || thr_is_digit(*at)) {
        out->kind = NUMBER;
        at = thr_decimal_take(at, &out->number);
        out->text = thr_slice(from, at ? at : from);
        return at;
    }
    bool is_false = memcmp(at, "false", 5) == 0;
    out->kind = is_false                     ? FALSE
                : memcmp(at, "true", 4) == 0 ? TRUE
                : memcmp(at, "null", 4) == 0 ? NOTHING
                                             : MISSING;
    return out->kind == MISSING ? NULL : at + 4 + is_false;
}

/* Reads a key without escapes, and its colon. */
static inline const char *take_key(const char *at, thr_str *key)
{
    bool escaped;
    at = *at == '"' ? take_string(at + 1, key, &escaped) : NULL;
    if (!at || escaped)
        return NULL;
    at = skip(at);
    return *at == ':' ? skip(at + 1) : NULL;
}

/* Behind an item: skips a comma and sets *more if there is one. */
static inline const char *next_item(const char *at, bool *more)
{
    at = skip(at);
    *more = *at == ',';
    return *more ? skip(at + 1) : at;
}

/* ---- features ------------------------------------------------------------------------------ */

/* An object or an array that is being read. The features of an object are pushed by their keys
 * alone, so that a key that comes twice is found; those whose value is not a number are `others`
 * and get their names when all have been read (settle). */
typedef struct reading {
    thr_parser *p;
    size_t first;   /* its first feature in the batch */
    bool rising;    /* the keys are integers of up to eight digits, each greater than the last */
    uint64_t least; /* what the next must be at least */
} reading;

/* In p->buffer. */
typedef struct other {
    size_t feature;
    thr_str key, text; /* of the string; text.p is NULL if the feature is absent */
    bool escaped;
} other;

/* Reads a key. It is an integer of up to eight digits, as most keys of data in numbers are, if
 * *small becomes true, and `integer` is then the feature's key. */
static inline const char *take_name_of(const char *at, thr_str *name, bool *small,
                                       uint64_t *integer)
{
    unsigned n = thr_count_digits(at + 1);
    *small = n && *at == '"' && at[n + 1] == '"' && (at[1] != '0' || n == 1);
    if (!*small)
        return take_key(at, name);
    *name = (thr_str){at + 1, n};
    *integer = thr_key_integer(thr_join_digits(at + 1, n));
    at = skip(at + n + 2);
    return *at == ':' ? skip(at + 1) : NULL;
}

static inline void push(reading *r, thr_str name, bool small, uint64_t integer, float v)
{
    thr_batch *b = r->p->batch;
    r->rising &= small && integer >= r->least;
    r->least = integer + 1;
    if (small && b->has_values && b->n_features < b->key_room) { /* as thr_batch_push does */
        b->key[b->n_features] = integer;
        b->value[b->n_features++] = v;
    } else if (small)
        thr_batch_push(b, integer, v);
    else
        thr_batch_named(b, 0, name, v);
}

/* A feature whose value is not a number; a string, false and null are noted. */
static const char *take_other(reading *r, const char *at, thr_str name, bool small,
                              uint64_t integer)
{
    thr_batch *b = r->p->batch;
    value v;
    at = take_value(at, &v);
    if (!at)
        return NULL;
    other o = {b->n_features, name, {NULL, 0}, v.escaped};
    if (v.kind == STRING && v.text.n)
        o.text = v.text;
    if (v.kind != TRUE)
        b->failed |= !thr_bytes_add(&r->p->buffer, &o, sizeof o);
    push(r, name, small, integer, 1);
    return at;
}

static inline const char *take_member(reading *r, const char *at)
{
    thr_str name;
    bool small;
    uint64_t integer = 0;
    thr_decimal x;
    float v;
    at = take_name_of(at, &name, &small, &integer);
    if (!at)
        return NULL;
    const char *end = thr_decimal_usual(at, &v);
    if (!end && !thr_is_digit(at[*at == '-']))
        return take_other(r, at, name, small, integer);
    if (!end && (!(end = thr_decimal_take(at, &x)) || !thr_decimal_float(&x, &v)))
        return NULL;
    push(r, name, small, integer, v);
    return end;
}

static const char *take_name(reading *r, const char *at)
{
    value v = {MISSING};
    at = take_value(at, &v);
    if (!at || (v.kind != STRING && v.kind != NUMBER))
        return NULL;
    if (v.kind == NUMBER && (!v.number.whole || v.number.negative))
        return NULL;
    if (v.kind == NUMBER)
        thr_batch_integer(r->p->batch, 0, v.number.digits, 1);
    else if (v.escaped)
        return NULL;
    else
        thr_batch_named(r->p->batch, 0, v.text, 1);
    return at;
}

/* Whether no key came twice. */
static bool all_differ(const reading *r)
{
    thr_batch *b = r->p->batch;
    size_t n = b->n_features;
    uint64_t repeated = b->repeated;
    if (!r->rising)
        thr_batch_distinct(b, r->first, &r->p->scratch.merge);
    b->repeated = repeated;
    return b->n_features == n;
}

/* Gives a string x of the key k the name `k=x`. */
static uint64_t name_pair(thr_batch *b, const other *o)
{
    thr_str x = o->escaped ? unescape(b, o->text) : o->text;
    char *both = thr_arena_take(&b->arena, o->key.n + 1 + x.n);
    if (!both) {
        b->failed = true;
        return 0;
    }
    memcpy(both, o->key.p, o->key.n);
    both[o->key.n] = '=';
    memcpy(both + o->key.n + 1, x.p, x.n);
    thr_batch_named(b, 0, (thr_str){both, o->key.n + 1 + x.n}, 1);
    return b->failed ? 0 : b->key[--b->n_features];
}

/* Names the others and removes those that are absent. */
static void settle(const reading *r)
{
    thr_batch *b = r->p->batch;
    const thr_bytes *list = &r->p->buffer;
    size_t to = r->first, from = r->first;
    for (size_t i = 0; i < list->n && !b->failed; i += sizeof(other)) {
        other o;
        memcpy(&o, list->p + i, sizeof o);
        for (; from < o.feature; from++, to++) {
            b->key[to] = b->key[from];
            thr_batch_set_value(b, to, thr_batch_value(b, from));
        }
        from++;
        if (!o.text.p)
            continue;
        uint64_t key = name_pair(b, &o); /* which may move b->key */
        b->key[to] = key;
        thr_batch_set_value(b, to++, 1);
    }
    for (; from < b->n_features && !b->failed; from++, to++) {
        b->key[to] = b->key[from];
        thr_batch_set_value(b, to, thr_batch_value(b, from));
    }
    b->n_features = to;
}

/* Reads the features that begin at `at`. Returns what follows them, or NULL; features may have been
 * pushed even so. */
static const char *take_features(thr_parser *p, const char *at)
{
    reading r = {p, p->batch->n_features, true, 0};
    bool object = *at == '{';
    char close = object ? '}' : ']';
    if (!object && *at != '[')
        return NULL;
    p->buffer.n = 0;
    at = skip(at + 1);
    for (bool more = *at != close; more;) {
        at = object ? take_member(&r, at) : take_name(&r, at);
        if (!at)
            return NULL;
        at = next_item(at, &more);
    }
    if (*at != close || (object && !all_differ(&r)))
        return NULL;
    if (p->buffer.n)
        settle(&r);
    return at + 1;
}

/* ---- a line -------------------------------------------------------------------------------- */

/* What a line has. */
typedef struct line {
    thr_parser *p;
    value label, text, tag, importance;
    const char *features; /* to be read behind the text, or NULL */
    thr_str key[MOST_KEYS];
    size_t keys;
} line;

static bool is_new(line *l, thr_str key)
{
    if (l->keys == MOST_KEYS)
        return false;
    for (size_t i = 0; i < l->keys; i++)
        if (thr_str_eq(l->key[i], key))
            return false;
    l->key[l->keys++] = key;
    return true;
}

/* Features stay in the batch, unless a text comes before them. */
static const char *take_all_features(line *l, const char *at)
{
    thr_batch *b = l->p->batch;
    size_t features = b->n_features, names = b->n_names;
    const char *behind = take_features(l->p, at);
    if (l->text.kind == MISSING)
        return behind;
    l->features = at;
    b->n_features = features;
    b->n_names = names;
    return behind;
}

/* Whether a value fits its role. */
static bool fits(const line *l, enum thr_role role, thr_str key, const value *v)
{
    switch (role) {
    case THR_ROLE_LABEL:
        return key.n == 5 && (v->kind != STRING || v->text.n) &&
               (v->kind == NUMBER || !l->p->settings->numbers);
    case THR_ROLE_TEXT:
        return v->kind == STRING;
    case THR_ROLE_ID:
        return v->kind == STRING ||
               (v->kind == NUMBER && v->number.whole && (v->number.digits || !v->number.negative));
    case THR_ROLE_IMPORTANCE:
        return v->kind == NUMBER;
    default:
        return !thr_str_eq(key, thr_str_of("candidates"));
    }
}

static const char *take_key_and_value(line *l, const char *at)
{
    thr_str key;
    value v;
    at = take_key(at, &key);
    if (!at || !is_new(l, key))
        return NULL;
    bool features = thr_str_eq(key, thr_str_of("features"));
    if (features && (*at == '{' || *at == '['))
        return take_all_features(l, at);
    at = take_value(at, &v);
    if (!at || v.kind == NOTHING)
        return at;
    enum thr_role role = thr_jsonl_role(key);
    if (features || !fits(l, role, key, &v))
        return NULL;
    value *of[THR_ROLES] = {[THR_ROLE_LABEL] = &l->label,
                            [THR_ROLE_TEXT] = &l->text,
                            [THR_ROLE_ID] = &l->tag,
                            [THR_ROLE_IMPORTANCE] = &l->importance};
    if (of[role] && !(role == THR_ROLE_ID && v.text.n == 0)) /* an empty tag is none */
        *of[role] = v;
    return at;
}

static thr_str string_of(thr_batch *b, const value *v)
{
    return v->escaped ? unescape(b, v->text) : v->text;
}

/* The number of the label and the importance. */
static bool has_exact_numbers(const line *l, double *label, double *importance)
{
    return (l->label.kind != NUMBER || thr_decimal_double(&l->label.number, label)) &&
           (l->importance.kind != NUMBER ||
            (thr_decimal_double(&l->importance.number, importance) && *importance >= 0 &&
             *importance <= (double)FLT_MAX));
}

/* Puts all but the features into the example. Nothing can be refused any more. */
static void fill(line *l, double label, double importance)
{
    thr_batch *b = l->p->batch;
    thr_example_info *about = &b->about[b->n];
    if (l->label.kind == NUMBER)
        thr_batch_label_number(b, label);
    else if (l->label.kind == STRING)
        thr_batch_label(b, string_of(b, &l->label));
    else if (l->label.kind != MISSING)
        thr_batch_label(b, thr_str_of(l->label.kind == TRUE ? "true" : "false"));
    if (l->tag.kind != MISSING)
        about->tag = l->tag.kind == STRING ? string_of(b, &l->tag) : l->tag.text;
    about->importance = (float)importance;
    if (l->text.kind != MISSING)
        thr_features_text(&l->p->settings->features, &l->p->scratch, b, 0, string_of(b, &l->text),
                          false);
    if (l->features)
        take_features(l->p, l->features);
}

/* Reads the line without changing the example, but for features that are pushed. */
static bool take_line(line *l, const char *at, const char *end)
{
    at = skip(at);
    if (*at != '{')
        return false;
    at = skip(at + 1);
    for (bool more = *at != '}'; more;) {
        at = take_key_and_value(l, at);
        if (!at)
            return false;
        at = next_item(at, &more);
    }
    return *at == '}' && skip(at + 1) == end;
}

/* The line with bytes behind it that may be read: itself, or a copy for as long as the batch. */
static thr_str with_room(thr_parser *p, const char *at, const char *end)
{
    size_t n = (size_t)(end - at);
    if (p->limit - end >= AHEAD)
        return (thr_str){at, n};
    char *copy = thr_arena_take(&p->batch->arena, n + AHEAD);
    p->batch->failed |= !copy;
    if (copy) {
        memcpy(copy, at, n);
        memset(copy + n, '\n', AHEAD);
    }
    return (thr_str){copy, n};
}

bool thr_jsonl_quick(thr_parser *p, const char *at, const char *end)
{
    const thr_reader_settings *s = p->settings;
    thr_batch *b = p->batch;
    line l = {.p = p};
    double label = 0, importance = 1;
    size_t features = b->n_features, names = b->n_names;
    if (s->columns.n)
        return false;
    thr_str text = with_room(p, at, end);
    if (text.p && take_line(&l, text.p, text.p + text.n) &&
        has_exact_numbers(&l, &label, &importance) &&
        (l.label.kind != MISSING || !s->labelled || s->optional)) {
        fill(&l, label, importance);
        return true;
    }
    b->n_features = features;
    b->n_names = names;
    return false;
}

#else

bool thr_jsonl_quick(thr_parser *p, const char *at, const char *end)
{
    (void)p, (void)at, (void)end;
    return false;
}

#endif
