/* The binary cache: parsed examples, features by number, names in order of first appearance.
 *
 *   head    "thrcache" | version u32 | n u32 | n bytes: the feature settings | hash u64
 *   frames  n u32 | zero u32 | hash u64 | n bytes:
 *     first u64                      number of the first name that this frame brings
 *     names u32, labels u32, examples u32, features u32, has_values u32, zero u32
 *     name    ns length u16 | ns | integer u32 + 1, or 0 and length u32 | bytes
 *     label   length u32 | bytes                                     of this frame only
 *     example label u32 + 1 or 0 | features u32 | importance f32 | from text u32 |
 *             tag length u32 | tag
 *     key u32 * features | value f32 * features if has_values
 *
 * Little-endian. Scaling and bias are left to the reading, since they depend on the rule; all
 * else about features was settled when the cache was made, and must agree (see fingerprint). */
#include "format/format.h"

#include "base/error.h"
#include "base/hash.h"
#include "base/number.h"
#include "base/random.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAGIC      "thrcache"
#define VERSION    1u
#define HEAD       16u /* magic, version, length */
#define FRAME_HEAD 16u
#define FRAME_SIZE ((size_t)1 << 20)

/* ---- feature settings as text ------------------------------------------------------------- */

static bool fingerprint(const thr_features *f, thr_bytes *out)
{
    bool ok =
        thr_bytes_printf(out,
                         "tokens=%d\nsymbols=%d\nfold=%d\nnormalize=%d\nngrams=%u\n"
                         "char-ngrams=%u-%u\nskip=%u\nvalues=%d\nconjoin=%u\nunicode=%s\n",
                         (int)f->tokens, f->symbols, f->fold, f->normalize, f->ngrams, f->char_min,
                         f->char_max, f->skip, (int)f->values, f->conjoin, thr_unicode_version());
    for (size_t i = 0; i < f->n_crosses && ok; i++)
        ok = thr_bytes_printf(out, "cross=%s*%s\n", f->cross[i].left, f->cross[i].right);
    return ok;
}

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
    return n >= 8 && memcmp(p, MAGIC, 8) == 0 ? 100 : 0;
}

static int check_settings(const thr_reader_settings *s, const char *text, thr_error *err)
{
    thr_bytes mine = {0};
    if (!fingerprint(&s->features, &mine)) {
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
    if (!c.bad && (memcmp(magic, MAGIC, 8) != 0 || version != VERSION || length > 65536))
        return thr_fail(err, THR_EDATA, "this is not a cache that this version can read");
    const char *text = take(&c, length);
    uint64_t hash = take_u64(&c);
    if (c.bad)
        return at_end ? thr_fail(err, THR_EDATA, "this cache is cut short") : 0;
    if (hash != thr_hash(p, HEAD + length, 0))
        return thr_fail(err, THR_EDATA, "this cache is damaged");
    char *copy = strndup(text, length);
    int code = copy ? 0 : thr_fail_memory(err);
    if (code == 0 && !s->features.raw)
        code = check_settings(s, copy, err);
    free(copy);
    if (code)
        return code;
    *result = calloc(1, sizeof(thr_names));
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
}

static void read_features(cursor *key, cursor *value, thr_batch *b, const frame *f, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        uint64_t number = take_u32(key);
        float x = 1;
        const char *p = f->has_values ? take(value, sizeof x) : NULL;
        if (p)
            memcpy(&x, p, sizeof x);
        if (key->bad || value->bad || number >= f->first + f->names || !(x - x == 0)) {
            key->bad = true;
            return;
        }
        thr_batch_push(b, THR_KEY_CACHED | number, x);
    }
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
        thr_batch_open(b, e);
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
    take_u32(c);
    thr_batch *b = p->batch;
    if (!b->names) /* the first frame of the block */
        b->first_fresh = f.first;
    b->names = (thr_names *)(uintptr_t)p->header;
    bool ok =
        !c->bad && f.first == b->first_fresh + b->n_fresh && f.labels <= (size_t)(c->end - c->at);
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
    b->lines += ok ? f.examples : 0;
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

/* ---- writing ------------------------------------------------------------------------------ */

/* Names already written are found by their text: "ns \0 name", numbered in order. */
typedef struct numbers {
    thr_arena arena;
    struct known {
        const char *p;
        uint32_t n, number;
        uint64_t hash;
    } * table;
    size_t slots, used;
    thr_bytes key;
} numbers;

typedef struct writer_state {
    numbers known;
    thr_bytes names, labels, abouts, keys, values;
    uint64_t first;
    uint32_t n_names, n_labels, n_examples, n_features;
    bool has_values;
} writer_state;

static bool put_u32(thr_bytes *b, uint32_t v)
{
    return thr_bytes_add(b, &v, sizeof v);
}

static bool put_text(thr_bytes *b, thr_str s)
{
    return put_u32(b, (uint32_t)s.n) && thr_bytes_add(b, s.p, s.n);
}

static struct known *find_number(numbers *k)
{
    uint64_t hash = thr_hash(k->key.p, k->key.n, 0);
    size_t at = hash & (k->slots - 1);
    while (k->table[at].p && (k->table[at].hash != hash || k->table[at].n != k->key.n ||
                              memcmp(k->table[at].p, k->key.p, k->key.n) != 0))
        at = (at + 1) & (k->slots - 1);
    k->table[at].hash = hash;
    return &k->table[at];
}

static bool numbers_ready(numbers *k)
{
    if ((k->used + 1) * 2 <= k->slots)
        return true;
    size_t slots = k->slots ? k->slots * 2 : 1024;
    struct known *fresh = calloc(slots, sizeof *fresh);
    if (!fresh)
        return false;
    for (size_t i = 0; i < k->slots; i++) {
        if (!k->table[i].p)
            continue;
        size_t at = k->table[i].hash & (slots - 1);
        while (fresh[at].p)
            at = (at + 1) & (slots - 1);
        fresh[at] = k->table[i];
    }
    free(k->table);
    k->table = fresh;
    k->slots = slots;
    return true;
}

static bool write_name(writer_state *s, thr_str ns, thr_str name, bool small)
{
    uint16_t n = (uint16_t)ns.n;
    s->n_names++;
    if (!thr_bytes_add(&s->names, &n, sizeof n) || !thr_bytes_add(&s->names, ns.p, ns.n))
        return false;
    if (!small)
        return put_u32(&s->names, 0) && put_text(&s->names, name);
    uint64_t v = 0;
    const char *end;
    thr_parse_u64(name.p, name.p + name.n, &end, &v);
    return put_u32(&s->names, (uint32_t)v + 1);
}

static bool is_small(const thr_batch *b, size_t feature)
{
    uint64_t key = b->key[feature];
    if (!(key & THR_KEY_NAME) && (key & THR_KEY_CACHED))
        key = b->names->entry[key & ~THR_KEY_CACHED].key;
    return !(key & THR_KEY_NAME);
}

static bool write_feature(writer_state *s, const thr_batch *b, size_t feature)
{
    char digits[24];
    thr_str ns, name = thr_batch_name_of(b, feature, digits, &ns);
    numbers *k = &s->known;
    k->key.n = 0;
    if (ns.n > UINT16_MAX || !thr_bytes_add(&k->key, ns.p, ns.n) ||
        !thr_bytes_add(&k->key, "", 1) || !thr_bytes_add(&k->key, name.p, name.n) ||
        !numbers_ready(k))
        return false;
    struct known *found = find_number(k);
    if (!found->p) {
        found->p = thr_arena_copy(&k->arena, k->key.p, k->key.n);
        found->n = (uint32_t)k->key.n;
        found->number = (uint32_t)k->used++;
        if (!found->p || !write_name(s, ns, name, is_small(b, feature)))
            return false;
    }
    float x = thr_batch_value(b, feature);
    s->has_values |= x != 1;
    s->n_features++;
    return put_u32(&s->keys, found->number) && thr_bytes_add(&s->values, &x, sizeof x);
}

static bool flush(writer_state *s, thr_bytes *out)
{
    thr_bytes body = {0};
    bool ok = thr_bytes_add(&body, &s->first, sizeof s->first) && put_u32(&body, s->n_names) &&
              put_u32(&body, s->n_labels) && put_u32(&body, s->n_examples) &&
              put_u32(&body, s->n_features) && put_u32(&body, s->has_values) && put_u32(&body, 0) &&
              thr_bytes_add(&body, s->names.p, s->names.n) &&
              thr_bytes_add(&body, s->labels.p, s->labels.n) &&
              thr_bytes_add(&body, s->abouts.p, s->abouts.n) &&
              thr_bytes_add(&body, s->keys.p, s->keys.n) &&
              (!s->has_values || thr_bytes_add(&body, s->values.p, s->values.n));
    uint64_t hash = ok ? thr_hash(body.p, body.n, 0) : 0;
    ok = ok && body.n <= UINT32_MAX && put_u32(out, (uint32_t)body.n) && put_u32(out, 0) &&
         thr_bytes_add(out, &hash, sizeof hash) && thr_bytes_add(out, body.p, body.n);
    thr_bytes_clear(&body);
    s->first += s->n_names;
    s->n_names = s->n_labels = s->n_examples = s->n_features = 0;
    s->has_values = false;
    s->names.n = s->labels.n = s->abouts.n = s->keys.n = s->values.n = 0;
    return ok;
}

static bool write_head(thr_writer *w)
{
    thr_bytes text = {0};
    size_t from = w->out.n;
    bool ok = fingerprint(w->features, &text) && thr_bytes_add(&w->out, MAGIC, 8) &&
              put_u32(&w->out, VERSION) && put_u32(&w->out, (uint32_t)text.n) &&
              thr_bytes_add(&w->out, text.p, text.n);
    uint64_t hash = ok ? thr_hash(w->out.p + from, w->out.n - from, 0) : 0;
    thr_bytes_clear(&text);
    return ok && thr_bytes_add(&w->out, &hash, sizeof hash);
}

/* Labels repeat in runs or in few kinds: a frame has its own small list, searched from the end. */
static bool label_number(writer_state *s, thr_str label, uint32_t *number)
{
    *number = 0;
    if (!label.p)
        return true;
    uint32_t n = 0;
    for (size_t at = 0; at < s->labels.n;) {
        uint32_t length;
        memcpy(&length, s->labels.p + at, sizeof length);
        n++;
        if (thr_str_eq((thr_str){s->labels.p + at + sizeof length, length}, label)) {
            *number = n;
            return true;
        }
        at += sizeof length + length;
    }
    *number = ++s->n_labels;
    return put_text(&s->labels, label);
}

static int write_example(thr_writer *w, size_t e)
{
    if (!w->state) {
        w->state = calloc(1, sizeof(writer_state));
        if (!w->state || !write_head(w))
            return thr_fail_memory(w->err);
    }
    writer_state *s = w->state;
    const thr_batch *b = w->batch;
    const thr_about *a = &b->about[e];
    uint32_t label, from_text = a->from_text;
    bool ok = label_number(s, a->label, &label) && put_u32(&s->abouts, label) &&
              put_u32(&s->abouts, (uint32_t)(b->start[e + 1] - b->start[e])) &&
              thr_bytes_add(&s->abouts, &a->importance, sizeof a->importance) &&
              put_u32(&s->abouts, from_text) && put_text(&s->abouts, a->tag);
    for (size_t i = b->start[e]; i < b->start[e + 1] && ok; i++)
        ok = write_feature(s, b, i);
    s->n_examples++;
    if (ok && s->keys.n + s->values.n + s->names.n + s->abouts.n > FRAME_SIZE)
        ok = flush(s, &w->out);
    return ok ? 0 : thr_fail_memory(w->err);
}

static int write_end(thr_writer *w)
{
    writer_state *s = w->state;
    if (!s)
        return 0;
    bool ok = s->n_examples == 0 || flush(s, &w->out);
    thr_bytes_clear(&s->names);
    thr_bytes_clear(&s->labels);
    thr_bytes_clear(&s->abouts);
    thr_bytes_clear(&s->keys);
    thr_bytes_clear(&s->values);
    thr_bytes_clear(&s->known.key);
    thr_arena_clear(&s->known.arena);
    free(s->known.table);
    free(s);
    w->state = NULL;
    return ok ? 0 : thr_fail_memory(w->err);
}

const thr_format thr_format_cache = {
    .name = "cache",
    .help = "binary cache of parsed examples, for training many times",
    .holds = THR_HOLDS_INTEGERS | THR_HOLDS_NAMES | THR_HOLDS_NAMESPACES | THR_HOLDS_VALUES |
             THR_HOLDS_IMPORTANCE | THR_HOLDS_TAG | THR_HOLDS_ANY_LABEL | THR_SCALES_LATER,
    .probe = probe,
    .header = header,
    .header_free = header_free,
    .cut = cut,
    .parse_block = parse_block,
    .write = write_example,
    .write_end = write_end,
};
