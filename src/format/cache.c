/* The binary cache: parsed examples, features by number, names in order of first appearance.
 *
 *   head    "thrcache" | version u32 | n u32 | n bytes: format, feature settings | hash u64
 *   frames  n u32 | zero u32 | hash u64 | n bytes:
 *     first u64                      number of the first name that this frame brings
 *     names u32, labels u32, examples u32, features u32, has_values u32, last u32
 *     name    ns length u16 | ns | integer u32 + 1, or 0 and length u32 | bytes
 *     label   length u32 | bytes                                     of this frame only
 *     example label u32 + 1 or 0 | features u32 | importance f32 | from text u32 |
 *             tag length u32 | tag | list: further labels | list: candidates
 *     list    n u32 | label u32 + 1 * n
 *     key u32 * features | value f32 * features if has_values
 *
 * Little-endian. Scaling and bias are left to the reading, since they depend on the rule; all
 * else about features was settled when the cache was made, and must agree (see fingerprint). */
#include "format/cache.h"

#include "base/error.h"
#include "base/hash.h"
#include "base/number.h"
#include "base/random.h"
#include "base/wide.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HEAD       16u /* magic, version, length */
#define FRAME_HEAD 16u

/* ---- feature settings as text --------------------------------------------------------------- */

/* The first line in which two fingerprints differ, for the error. */
static void difference(const char *a, const char *b, char *out, size_t room)
{
    while (*a && *b) {
        size_t n = strcspn(a, "\n"), k = strcspn(b, "\n");
        if (n != k || memcmp(a, b, n) != 0)
            break;
        a += n + (a[n] == '\n');
        b += k + (b[k] == '\n');
    }
    snprintf(out, room, "it was made with %.*s, now it is %.*s", (int)strcspn(a, "\n"), a,
             (int)strcspn(b, "\n"), b);
}

/* ---- reading bytes ------------------------------------------------------------------------ */

typedef struct cursor {
    const char *at, *end;
    bool bad;
} cursor;

static const char *take(cursor *c, size_t n)
{
    if (c->bad || (size_t)(c->end - c->at) < n) {
        c->bad = true;
        return NULL;
    }
    const char *p = c->at;
    c->at += n;
    return p;
}

static uint32_t take_u32(cursor *c)
{
    uint32_t v = 0;
    const char *p = take(c, sizeof v);
    if (p)
        memcpy(&v, p, sizeof v);
    return v;
}

static uint64_t take_u64(cursor *c)
{
    uint64_t v = 0;
    const char *p = take(c, sizeof v);
    if (p)
        memcpy(&v, p, sizeof v);
    return v;
}

static thr_str take_text(cursor *c, size_t n)
{
    return (thr_str){take(c, n), n};
}

/* ---- head --------------------------------------------------------------------------------- */

static int probe(const char *p, size_t n, bool labelled)
{
    (void)labelled;
    return n >= 8 && memcmp(p, THR_CACHE_MAGIC, 8) == 0 ? 100 : 0;
}

/* Cuts off the line that says which data it was made from; 0 if there is none. */
static uint64_t take_stamp(char *text)
{
    size_t n = strlen(THR_CACHE_STAMP);
    char *line = text;
    while (line && strncmp(line, THR_CACHE_STAMP, n) != 0) {
        line = strchr(line, '\n');
        line += line != NULL;
    }
    uint64_t stamp = line ? strtoull(line + n, NULL, 16) : 0;
    if (line)
        *line = '\0';
    return stamp;
}

static int check_settings(const thr_reader_settings *s, const char *text, thr_error *err)
{
    thr_bytes mine = {0};
    if (!thr_cache_fingerprint(&s->features, &mine)) {
        thr_bytes_clear(&mine);
        return thr_fail_memory(err);
    }
    int code = 0;
    if (strcmp(mine.p, text) != 0) {
        char what[160];
        difference(text, mine.p, what, sizeof what);
        code =
            thr_fail(err, THR_EDATA, "this cache was made with other feature settings: %s", what);
    }
    thr_bytes_clear(&mine);
    return code;
}

/* A cache may also be read for conversion, with raw settings: then its own settings hold. */
static long header(const thr_reader_settings *s, const char *p, size_t n, bool at_end,
                   void **result, thr_error *err)
{
    cursor c = {p, p + n, false};
    const char *magic = take(&c, 8);
    uint32_t version = take_u32(&c), length = take_u32(&c);
    if (!c.bad &&
        (memcmp(magic, THR_CACHE_MAGIC, 8) != 0 || version != THR_CACHE_VERSION || length > 65536))
        return thr_fail(err, THR_EDATA, "this is not a cache that this version can read");
    const char *text = take(&c, length);
    uint64_t hash = take_u64(&c);
    if (c.bad)
        return at_end ? thr_fail(err, THR_EDATA, "this cache is cut short") : 0;
    if (hash != thr_hash(p, HEAD + length, 0))
        return thr_fail(err, THR_EDATA, "this cache is damaged");
    char *copy = strndup(text, length);
    char *settings = copy ? strchr(copy, '\n') : NULL;
    int code = copy ? 0 : thr_fail_memory(err);
    if (copy)
        take_stamp(copy);
    if (code == 0 && !s->features.raw)
        code = check_settings(s, settings ? settings + 1 : copy, err);
    if (settings)
        *settings = '\0';
    const thr_format *origin = code == 0 ? thr_format_find(copy) : NULL;
    free(copy);
    if (code)
        return code;
    thr_names *names = *result = calloc(1, sizeof(thr_names));
    if (names)
        names->format = origin ? origin->name : NULL;
    return *result ? (long)(c.at - p) : thr_fail_memory(err);
}

static void header_free(void *header_made)
{
    thr_names *names = header_made;
    if (!names)
        return;
    thr_arena_clear(&names->arena);
    free(names->entry);
    free(names->id);
    free(names);
}

bool thr_cache_head(const char *p, size_t n, const thr_features *f, thr_cache_origin *out)
{
    thr_reader_settings s = {.features = *f};
    thr_error err;
    cursor c = {p, p + n, false};
    void *names = NULL;
    if (n < HEAD || memcmp(p, THR_CACHE_MAGIC, 8) != 0 || header(&s, p, n, true, &names, &err) <= 0)
        return false;
    const char *format = ((thr_names *)names)->format;
    *out = (thr_cache_origin){.format = format ? thr_format_find(format) : NULL};
    header_free(names);
    take(&c, 12);
    uint32_t length = take_u32(&c);
    char *copy = strndup(p + HEAD, length);
    out->stamp = copy ? take_stamp(copy) : 0;
    free(copy);
    return copy != NULL;
}

/* End of the last whole frame. */
static size_t cut(const char *p, size_t n)
{
    size_t at = 0;
    while (n - at >= FRAME_HEAD) {
        uint32_t length;
        memcpy(&length, p + at, sizeof length);
        if (n - at - FRAME_HEAD < length)
            break;
        at += FRAME_HEAD + length;
    }
    return at;
}

/* ---- frames ------------------------------------------------------------------------------- */

typedef struct frame {
    uint64_t first;
    uint32_t names, labels, examples, features, has_values;
    thr_str *label; /* malloc'ed */
} frame;

/* A name goes the usual way into the batch, as if it were a feature, and is then moved over. */
static void read_name(cursor *c, thr_batch *b)
{
    uint16_t n = 0;
    const char *p = take(c, sizeof n);
    if (p)
        memcpy(&n, p, sizeof n);
    thr_str ns = take_text(c, n), name = {0};
    uint32_t integer = take_u32(c);
    if (integer == 0)
        name = take_text(c, take_u32(c));
    b->failed |= !thr_grow(&b->fresh, &b->fresh_room, b->n_fresh + 1, sizeof *b->fresh);
    if (c->bad || integer > THR_SMALL || b->failed) {
        c->bad = true;
        return;
    }
    uint32_t space = thr_batch_namespace(b, ns);
    size_t before = b->n_features;
    if (integer)
        thr_batch_integer(b, space, integer - 1, 1);
    else
        thr_batch_named(b, space, name, 1);
    if (b->n_features > before)
        b->fresh[b->n_fresh++] = b->key[--b->n_features];
}

static void read_list(cursor *c, thr_batch *b, const frame *f, void (*add)(thr_batch *, thr_str))
{
    for (uint32_t n = take_u32(c); n > 0 && !c->bad; n--) {
        uint32_t label = take_u32(c);
        if (label == 0 || label > f->labels)
            c->bad = true;
        else
            add(b, f->label[label - 1]);
    }
}

static void read_about(cursor *c, thr_batch *b, const frame *f, uint32_t *features)
{
    uint32_t label = take_u32(c);
    *features = take_u32(c);
    const char *importance = take(c, sizeof(float));
    b->open_text = take_u32(c) != 0;
    thr_str tag = take_text(c, take_u32(c));
    if (c->bad || label > f->labels) {
        c->bad = true;
        return;
    }
    thr_about *a = &b->about[b->n];
    memcpy(&a->importance, importance, sizeof a->importance);
    c->bad = !(a->importance >= 0 && a->importance - a->importance == 0);
    a->tag = tag;
    if (label)
        a->label = f->label[label - 1];
    read_list(c, b, f, thr_batch_also_label);
    read_list(c, b, f, thr_batch_candidate);
}

/* Keys and values as they stand in their columns; the greatest number, and whether all are finite,
 * is found out on the way. */
THR_CLONED static bool copy_columns(const char *key, const char *value, size_t n, uint64_t names,
                                    uint64_t *keys, float *values)
{
    uint32_t greatest = 0, endless = 0;
    for (size_t i = 0; i < n; i++) {
        uint32_t number;
        memcpy(&number, key + i * sizeof number, sizeof number);
        greatest = number > greatest ? number : greatest;
        keys[i] = THR_KEY_CACHED | number;
    }
    for (size_t i = 0; i < n && value; i++) {
        uint32_t bits;
        memcpy(&bits, value + i * sizeof bits, sizeof bits);
        memcpy(&values[i], &bits, sizeof bits);
        endless |= (bits & 0x7f800000) == 0x7f800000;
    }
    for (size_t i = 0; i < n && !value; i++)
        values[i] = 1;
    return (n == 0 || greatest < names) && !endless;
}

static void read_features(cursor *key, cursor *value, thr_batch *b, const frame *f, uint32_t n)
{
    size_t bytes = (size_t)n * sizeof(uint32_t);
    const char *keys = take(key, bytes), *values = f->has_values ? take(value, bytes) : NULL;
    if (key->bad || value->bad) {
        key->bad = true;
        return;
    }
    if (!thr_batch_reserve(b, n))
        return;
    if (!copy_columns(keys, values, n, f->first + f->names, b->key + b->n_features,
                      b->value + b->n_features))
        key->bad = true;
    else
        thr_batch_count_in(b, n);
}

static bool read_examples(thr_parser *p, cursor *c, const frame *f)
{
    /* the columns of keys and values lie behind the last example: find them first */
    size_t numbers = (size_t)f->features * sizeof(uint32_t) * (f->has_values ? 2 : 1);
    if ((size_t)(c->end - c->at) < numbers)
        return false;
    const char *columns = c->end - numbers;
    cursor about = {c->at, columns, false};
    cursor key = {columns, columns + (size_t)f->features * sizeof(uint32_t), false};
    cursor value = {key.end, c->end, false};
    thr_batch *b = p->batch;
    for (uint32_t e = 0; e < f->examples; e++) {
        uint32_t n = 0;
        thr_batch_open(b, b->lines + e);
        if (b->failed)
            return true;
        read_about(&about, b, f, &n);
        read_features(&key, &value, b, f, n);
        if (about.bad || key.bad) {
            thr_batch_drop(b);
            return false;
        }
        thr_features_finish(&p->settings->features, b);
    }
    return about.at == about.end && key.at == key.end;
}

static bool read_frame(thr_parser *p, cursor *c)
{
    frame f = {.first = take_u64(c)};
    f.names = take_u32(c);
    f.labels = take_u32(c);
    f.examples = take_u32(c);
    f.features = take_u32(c);
    f.has_values = take_u32(c);
    bool last = take_u32(c) != 0;
    thr_batch *b = p->batch;
    size_t examples = b->n, features = b->n_features;
    if (!b->names) /* the first frame of the block */
        b->first_fresh = f.first;
    b->names = (thr_names *)(uintptr_t)p->header;
    b->format = b->names->format;
    bool ok = !c->bad && !b->ended && f.first == b->first_fresh + b->n_fresh &&
              f.labels <= (size_t)(c->end - c->at);
    b->ended |= last;
    for (uint32_t i = 0; i < f.names && ok; i++) {
        read_name(c, b);
        ok = !c->bad;
    }
    f.label = ok ? malloc(((size_t)f.labels + 1) * sizeof *f.label) : NULL;
    b->failed |= ok && !f.label;
    for (uint32_t i = 0; i < f.labels && f.label; i++) {
        f.label[i] = take_text(c, take_u32(c));
        c->bad = c->bad || memchr(f.label[i].p, '\0', f.label[i].n);
    }
    ok = ok && f.label && !c->bad && read_examples(p, c, &f);
    free(f.label);
    if (ok)
        b->lines += f.examples;
    else { /* nothing of a damaged frame is used */
        b->n = examples;
        b->n_features = features;
    }
    return ok;
}

static int parse_block(thr_parser *p, const char *at, const char *end)
{
    while (at < end) {
        cursor head = {at, end, false};
        uint32_t length = take_u32(&head), zero = take_u32(&head);
        uint64_t hash = take_u64(&head);
        const char *body = take(&head, length);
        cursor c = {body, body ? body + length : NULL, false};
        if (!body || zero || hash != thr_hash(body, length, 0) || !read_frame(p, &c)) {
            thr_batch_problem(p->batch, p->batch->lines, 0,
                              body ? "this cache is damaged" : "this cache is cut short");
            return THR_EDATA;
        }
        at = body + length;
    }
    return 0;
}

const thr_format thr_format_cache = {
    .name = "cache",
    .help = "binary cache of parsed examples, for training many times",
    .holds = THR_HOLDS_INTEGERS | THR_HOLDS_NAMES | THR_HOLDS_NAMESPACES | THR_HOLDS_VALUES |
             THR_HOLDS_IMPORTANCE | THR_HOLDS_TAG | THR_HOLDS_ANY_LABEL | THR_SCALES_LATER |
             THR_HOLDS_LABELS | THR_HOLDS_CANDIDATES,
    .probe = probe,
    .header = header,
    .header_free = header_free,
    .cut = cut,
    .parse_block = parse_block,
    .write = thr_cache_write,
    .write_end = thr_cache_write_end,
};
