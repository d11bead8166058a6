/* JSON lines: one object a line,
 *
 *   {"label": "spam", "text": "...", "features": {"a": 1.5, "b": true, "c": "x",
 *    "ns": {"d": 2}}, "tag": "m17", "importance": 2}
 *
 * The label is a string, a number, true or false. `labels` is an array of labels, more than one if
 * an example may have several. `candidates` is an array of the labels that may be the answer.
 *
 * Features are an object or an array. In an object a number is the feature's value, true is 1,
 * false and null mean that the feature is absent, and a string x makes the feature `name=x` with
 * value 1; an object or array inside holds the features of a namespace ("" is the empty one). An
 * array holds names and integers, each with value 1. It may also hold objects: the writer uses
 * several objects where the order of the features does not fit in one.
 *
 * `id` means the same as `tag`, and `weight` the same as `importance`. Other keys and blank lines
 * are ignored. A key that occurs twice in an object is an error. With --columns other keys are the
 * label, the text, the tag and the importance; `a.b` is the key `b` of the object `a`.
 *
 * Bytes that are not UTF-8 are allowed in running text, but the JSON library would refuse the line.
 * So in a line that has such bytes, each of them is replaced by a private character before the line
 * is parsed, and the characters become bytes again in the strings that come out. A line that has
 * such private characters of its own, too, is refused.
 *
 * Usual lines are read by the fast reader of jsonl_quick.h, all others here. */
#include "base/error.h"
#include "base/number.h"
#include "base/text.h"
#include "example/tokens.h"
#include "format/jsonl_quick.h"
#include "format/lines.h"

#include <stdlib.h>
#include <string.h>

#define MOST_RUNS 32 /* namespaces in one object that is written, at most */

static int probe(const char *p, size_t n, bool labelled)
{
    (void)labelled;
    const char *end = p + n, *at = p;
    while (at < end && (thr_is_blank(*at) || *at == '\n'))
        at++;
    if (at == end || *at++ != '{')
        return 0;
    at = thr_skip_blanks(at, end);
    return at < end && (*at == '"' || *at == '}') ? 90 : 0;
}

/* ---- parsing ------------------------------------------------------------------------------ */

#if THR_HAVE_JANSSON
#include <jansson.h>

#include <float.h>

/* The private characters: byte 0x80..0xFF becomes U+10FE80..U+10FEFF. In UTF-8 these have four
 * bytes, the first two of which are always these. */
static const char private_start[] = "\xF4\x8F";

/* The line that is being parsed. */
typedef struct reading {
    thr_parser *p;
    const char *at, *end; /* the line as it was read */
    bool restored;        /* it was parsed with private characters; strings must be restored */
} reading;

/* The place of a key in the line, for a message: the JSON library does not tell. The start of the
 * line if the key is not found, as when it is written with escapes. */
static const char *place_of(const reading *r, const char *key, size_t n)
{
    for (const char *at = r->at; (at = memmem(at, (size_t)(r->end - at), key, n)); at++)
        if (at > r->at && at[-1] == '"' && at + n < r->end && at[n] == '"')
            return at - 1;
    return r->at;
}

/* Copies a string to the batch's arena, because jansson's memory is freed with the line; private
 * characters become bytes again. */
static thr_str keep(const reading *r, const char *p, size_t n)
{
    thr_batch *b = r->p->batch;
    char *copy = thr_arena_copy(&b->arena, p, n);
    if (!copy) {
        b->failed = true;
        return (thr_str){"", 0};
    }
    if (!r->restored)
        return (thr_str){copy, n};
    size_t to = 0;
    for (size_t i = 0; i < n; i++)
        if (n - i >= 4 && memcmp(copy + i, private_start, 2) == 0) {
            copy[to++] = (char)((unsigned char)copy[i + 2] << 6 | (copy[i + 3] & 0x3F));
            i += 3;
        } else {
            copy[to++] = copy[i];
        }
    return (thr_str){copy, to};
}

static thr_str keep_string(const reading *r, const json_t *value)
{
    return keep(r, json_string_value(value), json_string_length(value));
}

static bool has_nul(const json_t *string)
{
    return memchr(json_string_value(string), '\0', json_string_length(string)) != NULL;
}

/* The name of a label. `key` is the key that it belongs to, for messages. */
static int label_of(const reading *r, const char *key, const json_t *value, thr_str *out)
{
    if (json_is_number(value))
        *out = thr_batch_number_text(r->p->batch, json_number_value(value));
    else if (json_is_boolean(value))
        *out = thr_str_of(json_is_true(value) ? "true" : "false");
    else if (!json_is_string(value))
        return thr_parser_fail(r->p, place_of(r, key, strlen(key)),
                               "the label must be a string, a number, true or false");
    else if (json_string_length(value) == 0)
        return thr_parser_fail(r->p, place_of(r, key, strlen(key)), "the label is empty");
    else if (has_nul(value))
        return thr_parser_fail(r->p, place_of(r, key, strlen(key)),
                               "the label has a NUL character in it");
    else
        *out = keep_string(r, value);
    return 0;
}

/* Whether an example may have an empty array of labels. */
static bool may_be_empty(const reading *r)
{
    return !r->p->settings->labelled || r->p->settings->empty_sets;
}

/* An array of labels, each of which is passed to `add`. */
static int take_labels(const reading *r, const char *key, const json_t *array,
                       void (*add)(thr_batch *, thr_str))
{
    if (!json_is_array(array))
        return thr_parser_fail(r->p, place_of(r, key, strlen(key)), "the %s must be an array", key);
    if (json_array_size(array) == 0 && (add == thr_batch_candidate || !may_be_empty(r)))
        return thr_parser_fail(r->p, place_of(r, key, strlen(key)),
                               "the array is empty: at least one label was expected");
    int code = 0;
    for (size_t i = 0; i < json_array_size(array) && !code; i++) {
        thr_str label;
        code = label_of(r, key, json_array_get(array, i), &label);
        if (!code)
            add(r->p->batch, label);
    }
    return code;
}

/* The value of `label` or `labels`. An example that has a label already, from the other key, gets
 * several. */
static int take_label(const reading *r, const char *key, const json_t *value)
{
    thr_batch *b = r->p->batch;
    thr_str label;
    bool first = !b->about[b->n].label.p;
    if (!first || (json_is_array(value) && json_array_size(value) > 1)) {
        int code = thr_parse_several(r->p, place_of(r, key, strlen(key)));
        if (code)
            return code;
    }
    if (json_is_array(value) || strcmp(key, "labels") == 0)
        return take_labels(r, key, value, thr_batch_also_label);
    if (json_is_number(value) && first) {
        thr_batch_label_number(b, json_number_value(value));
        return 0;
    }
    int code = label_of(r, key, value, &label);
    if (!code && first && r->p->settings->numbers)
        return thr_parse_name(r->p, place_of(r, key, strlen(key)), label);
    if (!code)
        thr_batch_also_label(b, label);
    return code;
}

static int take_tag(const reading *r, const char *key, const json_t *value)
{
    thr_str *tag = &r->p->batch->about[r->p->batch->n].tag;
    if (json_is_string(value)) {
        if (json_string_length(value))
            *tag = keep_string(r, value);
        return 0;
    }
    if (!json_is_integer(value))
        return thr_parser_fail(r->p, place_of(r, key, strlen(key)),
                               "the %s must be a string or a whole number", key);
    char digits[32];
    json_int_t number = json_integer_value(value);
    size_t sign = number < 0;
    digits[0] = '-';
    size_t n = thr_print_u64(sign ? 0 - (uint64_t)number : (uint64_t)number, digits + sign);
    *tag = keep(r, digits, n + sign);
    return 0;
}

/* ---- features ----------------------------------------------------------------------------- */

static int refuse_value(const reading *r, thr_str key, const char *why)
{
    return thr_parser_fail(r->p, place_of(r, key.p, key.n), "feature \"%s\": %s",
                           thr_quote(key).text, why);
}

/* Adds the feature `name=value`. */
static void add_pair(const reading *r, uint32_t ns, thr_str name, thr_str value)
{
    thr_batch *b = r->p->batch;
    size_t n = name.n + 1 + value.n;
    char *both = thr_arena_take(&b->arena, n);
    if (!both) {
        b->failed = true;
        return;
    }
    memcpy(both, name.p, name.n);
    both[name.n] = '=';
    memcpy(both + name.n + 1, value.p, value.n);
    thr_batch_named(b, ns, (thr_str){both, n}, 1);
}

static int take_feature(const reading *r, uint32_t ns, thr_str name, const json_t *value)
{
    double number = json_is_true(value) ? 1 : json_number_value(value);
    switch (json_typeof(value)) {
    case JSON_STRING:
        if (json_string_length(value) == 0)
            return 0; /* like an empty field of csv */
        if (has_nul(value))
            return refuse_value(r, name, "the value has a NUL character in it");
        add_pair(r, ns, name, keep_string(r, value));
        return 0;
    case JSON_INTEGER:
    case JSON_REAL:
        if (number > FLT_MAX || number < -FLT_MAX)
            return refuse_value(r, name, "the value is too large");
        break;
    case JSON_TRUE:
        break;
    case JSON_FALSE:
    case JSON_NULL:
        return 0;
    default:
        return refuse_value(r, name, "a number, a string, true or false was expected");
    }
    thr_batch_named(r->p->batch, ns, name, (float)number);
    return 0;
}

static int take_name(const reading *r, uint32_t ns, const json_t *value)
{
    if (json_is_string(value) && has_nul(value))
        return thr_parser_fail(r->p, place_of(r, "features", 8),
                               "the name of a feature has a NUL character in it");
    if (json_is_string(value))
        thr_batch_named(r->p->batch, ns, keep_string(r, value), 1);
    else if (json_is_integer(value) && json_integer_value(value) >= 0)
        thr_batch_integer(r->p->batch, ns, (uint64_t)json_integer_value(value), 1);
    else
        return thr_parser_fail(r->p, place_of(r, "features", 8),
                               "an array of features holds names and integers from 0");
    return 0;
}

/* The members of an object: features, and if it is the outer object also namespaces. */
static int take_members(const reading *r, uint32_t ns, json_t *object, bool outer)
{
    int code = 0;
    for (void *i = json_object_iter(object); i && !code; i = json_object_iter_next(object, i)) {
        const char *key = json_object_iter_key(i);
        json_t *value = json_object_iter_value(i);
        thr_str name = keep(r, key, json_object_iter_key_len(i));
        if (outer && json_is_object(value))
            code = take_members(r, thr_batch_namespace(r->p->batch, name), value, false);
        else if (outer && json_is_array(value)) {
            uint32_t inner = thr_batch_namespace(r->p->batch, name);
            for (size_t k = 0; k < json_array_size(value) && !code; k++)
                code = take_name(r, inner, json_array_get(value, k));
        } else
            code = take_feature(r, ns, name, value);
    }
    return code;
}

/* An object, or an array of names, integers and objects. */
static int take_features(const reading *r, json_t *features)
{
    int code = 0;
    if (json_is_object(features))
        return take_members(r, 0, features, true);
    if (!json_is_array(features))
        return thr_parser_fail(r->p, place_of(r, "features", 8),
                               "the features must be an object or an array");
    for (size_t i = 0; i < json_array_size(features) && !code; i++) {
        json_t *item = json_array_get(features, i);
        code = json_is_object(item) ? take_members(r, 0, item, true) : take_name(r, 0, item);
    }
    return code;
}

/* ---- a line ------------------------------------------------------------------------------- */

static int take_role(const reading *r, enum thr_role role, const char *key, const json_t *value)
{
    thr_parser *p = r->p;
    double v = json_number_value(value); /* 0 for what is no number */
    if (json_is_null(value))
        return 0;
    switch (role) {
    case THR_ROLE_LABEL:
        return take_label(r, key, value);
    case THR_ROLE_TEXT:
        if (!json_is_string(value))
            return thr_parser_fail(p, place_of(r, key, strlen(key)), "the text must be a string");
        thr_str text = keep_string(r, value);
        if (thr_parse_nul(p, &text, place_of(r, key, strlen(key))))
            return THR_EDATA;
        thr_features_text(&p->settings->features, &p->scratch, p->batch, 0, text, false);
        return 0;
    case THR_ROLE_ID:
        return take_tag(r, key, value);
    case THR_ROLE_IMPORTANCE:
        if (!json_is_number(value) || v < 0 || v > FLT_MAX)
            return thr_parser_fail(
                p, place_of(r, key, strlen(key)),
                "the %s must be a number, not negative, and no larger than a float", key);
        p->batch->about[p->batch->n].importance = (float)v;
        return 0;
    default:
        return 0;
    }
}

/* A key that has a role by its name loses it if another key was chosen for that role. */
static int take_member(const reading *r, const char *key, json_t *value)
{
    const thr_columns *c = &r->p->settings->columns;
    enum thr_role role = thr_jsonl_role(thr_str_of(key));
    for (size_t i = 0; i < c->n; i++)
        if (thr_str_eq(thr_str_of(key), thr_chosen_name(c, i)))
            return 0; /* take_chosen has taken it */
    if (json_is_null(value) || (role != THR_ROLE_FEATURE && thr_columns_have(c, role)))
        return 0;
    if (role != THR_ROLE_FEATURE)
        return take_role(r, role, key, value);
    if (strcmp(key, "candidates") == 0)
        return take_labels(r, key, value, thr_batch_candidate);
    return strcmp(key, "features") == 0 ? take_features(r, value) : 0;
}

/* The value of a chosen key: of the key itself, or else of a path of keys joined by dots. NULL: the
 * object has neither. */
static json_t *find_value(json_t *object, thr_str name)
{
    json_t *value = json_object_getn(object, name.p, name.n);
    for (size_t i = 0; i < name.n && !value; i++) {
        json_t *inner = name.p[i] == '.' ? json_object_getn(object, name.p, i) : NULL;
        if (json_is_object(inner))
            value = find_value(inner, (thr_str){name.p + i + 1, name.n - i - 1});
    }
    return value;
}

static int take_chosen(const reading *r, json_t *object)
{
    const thr_columns *c = &r->p->settings->columns;
    int code = 0;
    for (size_t i = 0; i < c->n && code == 0; i++) {
        thr_str name = thr_chosen_name(c, i);
        json_t *value = find_value(object, name);
        char key[sizeof c->names + 1]; /* with a NUL, for messages */
        memcpy(key, name.p, name.n);
        key[name.n] = '\0';
        if (value)
            code = take_role(r, c->chosen[i].role, key, value);
    }
    return code;
}

/* Writes the keys of an object, or that `wanted`, if it is not NULL, is none of them. */
static const char *keys_text(json_t *object, const thr_str *wanted, char *out, size_t room)
{
    thr_str *name = malloc((json_object_size(object) + 1) * sizeof *name);
    size_t n = 0;
    *out = '\0';
    for (void *i = json_object_iter(object); name && i; i = json_object_iter_next(object, i))
        name[n++] = (thr_str){json_object_iter_key(i), json_object_iter_key_len(i)};
    if (name && wanted)
        thr_no_such_name(*wanted, "key", name, n, out, room);
    else if (name)
        thr_names_text(name, n, out, room);
    free(name);
    return out;
}

static int refuse_unlabelled(const reading *r, json_t *object)
{
    const thr_columns *c = &r->p->settings->columns;
    char keys[400];
    for (size_t i = 0; i < c->n; i++) {
        thr_str name = thr_chosen_name(c, i);
        if (c->chosen[i].role == THR_ROLE_LABEL && !find_value(object, name))
            return thr_parser_fail(r->p, r->at, "the label is missing: %s",
                                   keys_text(object, &name, keys, sizeof keys));
    }
    if (thr_columns_have(c, THR_ROLE_LABEL) || json_object_size(object) == 0)
        return thr_parser_fail(r->p, r->at, "the label is missing");
    return thr_parser_fail(r->p, r->at,
                           "the label is missing: \"label\" was expected, and the keys are %s; "
                           "choose one with --columns label=KEY",
                           keys_text(object, NULL, keys, sizeof keys));
}

/* Whether the object says that no label is true: `"labels": []`. */
static bool is_empty_set(const reading *r, json_t *object)
{
    const thr_columns *c = &r->p->settings->columns;
    bool chosen = thr_columns_have(c, THR_ROLE_LABEL), empty = false;
    for (size_t i = 0; i < c->n; i++)
        empty |= c->chosen[i].role == THR_ROLE_LABEL &&
                 json_is_array(find_value(object, thr_chosen_name(c, i)));
    return empty || (!chosen && (json_is_array(json_object_get(object, "labels")) ||
                                 json_is_array(json_object_get(object, "label"))));
}

static int take_object(const reading *r, json_t *object)
{
    if (!json_is_object(object))
        return thr_parser_fail(r->p, r->at, "each line must be an object: {\"label\": ...}");
    int code = take_chosen(r, object);
    for (void *i = json_object_iter(object); i && !code; i = json_object_iter_next(object, i))
        code = take_member(r, json_object_iter_key(i), json_object_iter_value(i));
    bool demanded = r->p->settings->labelled && !r->p->settings->optional &&
                    !(r->p->settings->empty_sets && is_empty_set(r, object));
    if (!code && demanded && !r->p->batch->about[r->p->batch->n].label.p)
        return refuse_unlabelled(r, object);
    return code;
}

/* The first object of a file must have every key that was chosen, or a mistyped key would make all
 * its values missing. Later lines may lack some. Lines that are not JSON are left to `parse`. */
static int look(const thr_reader_settings *s, const char *p, size_t n, bool at_end, bool *labelled,
                thr_error *err)
{
    thr_str line;
    if (!thr_first_line(p, n, at_end, &line))
        return 0;
    json_error_t error;
    json_t *object = json_loadb(line.p, line.n, JSON_ALLOW_NUL, &error);
    const thr_columns *c = &s->columns;
    char keys[640];
    int code = 1;
    *labelled = !json_is_object(object) ||
                (!thr_columns_have(c, THR_ROLE_LABEL) &&
                 (json_object_get(object, "label") || json_object_get(object, "labels")));
    for (size_t i = 0; i < c->n && json_is_object(object) && code == 1; i++) {
        thr_str name = thr_chosen_name(c, i);
        bool is_label = c->chosen[i].role == THR_ROLE_LABEL, found = find_value(object, name);
        bool needed = c->chosen[i].role == THR_ROLE_TEXT || (s->labelled && !s->detect);
        *labelled |= is_label && found;
        if (!found && needed)
            code = thr_fail(err, THR_EDATA, "%s (--columns)",
                            keys_text(object, &name, keys, sizeof keys));
    }
    json_decref(object);
    return code;
}

/* Copies the line with private characters in place of bytes that are not UTF-8. */
static bool make_private(thr_bytes *to, const char *at, const char *end)
{
    to->n = 0;
    for (size_t n; at < end; at += n) {
        n = thr_utf8_length(at, end);
        unsigned char byte = (unsigned char)*at;
        char stand_in[4] = {private_start[0], private_start[1], (char)(0xB8 | byte >> 6),
                            (char)(0x80 | (byte & 0x3F))};
        if (!thr_bytes_add(to, n ? at : stand_in, n ? n : 4))
            return false;
        n = n ? n : 1;
    }
    return true;
}

static int parse(thr_parser *p, const char *at, const char *end)
{
    if (thr_skip_blanks(at, end) == end)
        return 1;
    reading r = {.p = p, .at = at, .end = end};
    thr_str line = {at, (size_t)(end - at)};
    size_t first = 0;
    if (thr_utf8_bad(line, &first)) {
        if (p->settings->strict)
            return thr_parser_fail(p, at + first, "byte 0x%02x is not UTF-8",
                                   (unsigned)(unsigned char)at[first]);
        r.restored = !memmem(line.p, line.n, private_start, 2);
        if (r.restored && !make_private(&p->buffer, at, end)) {
            p->batch->failed = true;
            return 0;
        }
        if (r.restored)
            line = (thr_str){p->buffer.p, p->buffer.n};
    } else if (thr_jsonl_quick(p, at, end)) {
        return 0;
    }
    json_error_t error;
    json_t *object = json_loadb(line.p, line.n,
                                JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL | JSON_DECODE_ANY, &error);
    if (!object) {
        /* At the byte where jansson stopped. In a line with private characters positions differ, so
         * the error is reported at the start of the line. */
        size_t n = (size_t)(r.end - r.at),
               from = error.position > 0 ? (size_t)error.position - 1 : 0;
        return thr_parser_fail(r.p, r.restored ? r.at : r.at + (from < n ? from : n),
                               "not valid JSON: %s", error.text);
    }
    int code = take_object(&r, object);
    json_decref(object);
    return code;
}

#else

static int parse(thr_parser *p, const char *at, const char *end)
{
    (void)end;
    return thr_parser_fail(p, at, "this build cannot read JSON: build it with jansson");
}

#endif

/* ---- writing ------------------------------------------------------------------------------ */

static bool put_string(thr_writer *w, thr_str s)
{
    static const char hex[] = "0123456789abcdef";
    size_t from = 0;
    bool ok = thr_writer_put_byte(w, '"');
    for (size_t i = 0; i < s.n && ok; i++) {
        unsigned char c = (unsigned char)s.p[i];
        if (c >= 0x20 && c != '"' && c != '\\')
            continue;
        char escape[] = {'\\', 'u', '0', '0', hex[c >> 4], hex[c & 15]};
        bool is_short = c >= 0x20 || c == '\n' || c == '\t'; /* a backslash and one character */
        if (is_short)
            escape[1] = c == '\n' ? 'n' : c == '\t' ? 't' : (char)c;
        ok = (i == from || thr_bytes_add(&w->out, s.p + from, i - from)) &&
             thr_bytes_add(&w->out, escape, is_short ? 2 : sizeof escape);
        from = i + 1;
    }
    ok = ok && (s.n == from || thr_bytes_add(&w->out, s.p + from, s.n - from));
    return ok && thr_writer_put_byte(w, '"');
}

/* Writes `"key": `, with a comma before it unless it is the first of its object. */
static bool put_key(thr_writer *w, thr_str key)
{
    return (w->out.p[w->out.n - 1] == '{' || thr_bytes_add(&w->out, ", ", 2)) &&
           put_string(w, key) && thr_bytes_add(&w->out, ": ", 2);
}

/* Writes an array of labels: `first`, if it is not NULL, and `rest`. */
static bool put_labels(thr_writer *w, const char *key, thr_str first, thr_list rest)
{
    bool ok = put_key(w, thr_str_of(key)) && thr_writer_put_byte(w, '[');
    if (first.p)
        ok = ok && put_string(w, first);
    for (size_t i = 0; i < rest.n && ok; i++)
        ok = (i == 0 && !first.p ? true : thr_bytes_add(&w->out, ", ", 2)) &&
             put_string(w, w->batch->listed[rest.from + i]);
    return ok && thr_writer_put_byte(w, ']');
}

/* Features are written in runs of one namespace. These are the namespaces of the runs so far. */
typedef struct runs {
    thr_str ns[MOST_RUNS];
    size_t n;
} runs;

static thr_str namespace_of(const thr_batch *b, size_t feature)
{
    char digits[24];
    thr_str ns;
    thr_batch_name_of(b, feature, digits, &ns);
    return ns;
}

static bool is_among(const runs *r, thr_str name)
{
    for (size_t i = 0; i < r->n; i++)
        if (thr_str_eq(r->ns[i], name))
            return true;
    return false;
}

/* Whether one object can hold the features from..to in their order. It cannot if a namespace has
 * two runs, if a namespace has the name of a feature of the empty one, or if there are more than
 * MOST_RUNS. */
static bool fits_object(const thr_batch *b, size_t from, size_t to)
{
    runs r = {.n = 0};
    for (size_t i = from; i < to; i++) {
        thr_str ns = namespace_of(b, i);
        if (ns.n == 0 || (i > from && thr_str_eq(ns, namespace_of(b, i - 1))))
            continue;
        if (r.n == MOST_RUNS || is_among(&r, ns))
            return false;
        r.ns[r.n++] = ns;
    }
    for (size_t i = from; i < to && r.n; i++) {
        char digits[24];
        thr_str ns, name = thr_batch_name_of(b, i, digits, &ns);
        if (ns.n == 0 && is_among(&r, name))
            return false;
    }
    return true;
}

/* Writes one run, inside the object of its namespace unless that is the empty one. */
static bool put_run(thr_writer *w, size_t from, size_t to)
{
    thr_str ns = namespace_of(w->batch, from);
    bool ok = !ns.n || (put_key(w, ns) && thr_writer_put_byte(w, '{'));
    for (size_t i = from; i < to && ok; i++) {
        char digits[24];
        thr_str name = thr_batch_name_of(w->batch, i, digits, &ns);
        ok = put_key(w, name) && thr_writer_put_float(w, thr_batch_value(w->batch, i));
    }
    return ok && (!ns.n || thr_writer_put_byte(w, '}'));
}

/* Writes one object if that can keep the order, else an array of objects, one for each run. */
static bool put_features(thr_writer *w, size_t e)
{
    const thr_batch *b = w->batch;
    size_t from = b->start[e], end = b->start[e + 1], to;
    if (from == end)
        return true;
    bool object = fits_object(b, from, end);
    bool ok = put_key(w, thr_str_of("features")) && thr_writer_put_byte(w, object ? '{' : '[');
    for (; from < end && ok; from = to) {
        thr_str ns = namespace_of(b, from);
        for (to = from + 1; to < end && thr_str_eq(namespace_of(b, to), ns); to++)
            ;
        if (object)
            ok = put_run(w, from, to);
        else
            ok = (from == b->start[e] || thr_bytes_add(&w->out, ", ", 2)) &&
                 thr_writer_put_byte(w, '{') && put_run(w, from, to) && thr_writer_put_byte(w, '}');
    }
    return ok && thr_writer_put_byte(w, object ? '}' : ']');
}

static int write(thr_writer *w, size_t e)
{
    const thr_example_info *about = &w->batch->about[e];
    bool ok = thr_writer_put_byte(w, '{'), number = about->target == about->target;
    if ((about->label.p && about->more.n) || about->none)
        ok = ok && put_labels(w, "labels", about->label, about->more);
    else if (about->label.p)
        ok = ok && put_key(w, thr_str_of("label")) &&
             (number ? thr_writer_put(w, about->label) : put_string(w, about->label));
    if (about->candidates.n)
        ok = ok && put_labels(w, "candidates", (thr_str){0}, about->candidates);
    if (about->tag.n)
        ok = ok && put_key(w, thr_str_of("tag")) && put_string(w, about->tag);
    if (about->importance != 1)
        ok = ok && put_key(w, thr_str_of("importance")) &&
             thr_writer_put_float(w, about->importance);
    if (about->text.p)
        ok = ok && put_key(w, thr_str_of("text")) && put_string(w, about->text);
    ok = ok && put_features(w, e) && thr_bytes_add(&w->out, "}\n", 2);
    return ok ? 0 : thr_fail_memory(w->err);
}

const thr_format thr_format_jsonl = {
    .name = "jsonl",
    .numeric_labels = true,
    .other_name = "json",
    .help = "JSON Lines: one object per line, with label, text and features",
    .holds = THR_HOLDS_TEXT | THR_HOLDS_INTEGERS | THR_HOLDS_NAMES | THR_HOLDS_NAMESPACES |
             THR_HOLDS_VALUES | THR_HOLDS_IMPORTANCE | THR_HOLDS_TAG | THR_HOLDS_ANY_LABEL |
             THR_HOLDS_LABELS | THR_HOLDS_CANDIDATES,
    .probe = probe,
#ifdef THR_HAVE_JANSSON
    .look = look,
#endif
    .parse = parse,
    .write = write,
};
