/* Reading the binary cache: examples that are parsed already, for training on them many times.
 *
 * A cache numbers its names from 0, in the order of their first appearance, and writes each name
 * once. The key of a feature is the number of its name, so that reading a feature means unpacking a
 * small number and needs neither parsing nor hashing. docs/model-format.md specifies the format.
 *
 *     file     | head | frame | frame | ... | last frame |
 *
 *     head     | "thrcache" | version u32 | n u32 | text, n bytes | hash u64 |
 *              the text: the format that the examples came from, the feature settings
 *              (thr_cache_fingerprint), and perhaps a stamp of the data, one a line
 *
 *     frame    | n u32 | 0 u32 | hash u64 | body, n bytes |          up to about 64 KiB
 *
 *     body     +---------------------------------------------------------------------+
 *              | first u64: number of the first name that this frame brings          |
 *              | runs, names, labels, examples, features, has, last: u32 each        |
 *              | key bits u8, value bits u8, decimal places u8, 0 u8, least i32      |
 *              +---------------------------------------------------------------------+
 *     new      | 1 if integers, else 0 u32 | n u32 | namespace | n names             |
 *     names    |    ... a run of names of one namespace, all integers or all texts   |
 *              +---------------------------------------------------------------------+
 *     labels   | text ...                 the list of this frame only                |
 *              +---------------------------------------------------------------------+
 *     by       | label u32 ...            place in that list + 1, or 0               |
 *     example  | features u32 ...         how many                                   |
 *              | importance f32 ...       only if `has` says so                      |
 *              | from text u32 ...        only if `has` says so                      |
 *              | tag: text ...            only if `has` says so                      |
 *              | further labels, candidates: lists ...    only if `has` says so      |
 *              +---------------------------------------------------------------------+
 *     by       | keys, packed in `key bits` each                                     |
 *     feature  | values, packed in `value bits` each, only if `has` says so          |
 *              +---------------------------------------------------------------------+
 *
 * A text is a length u32 and its bytes. A list is a length u32 and labels u32, as above. Packed
 * columns are explained in packed.h: how values that are decimals take few bits and come back
 * exactly. All numbers are little-endian, in the memory layout of the machine.
 *
 * Scaling to unit length and the bias are not stored, because they depend on the rule that learns;
 * they are added here. All other feature settings were applied when the cache was made, so they
 * must be those of the reader, or the cache is refused.
 *
 * Damage. The head and each body carry their XXH3 hash, so that accidental damage is found before
 * anything is used. A file with a correct hash may still be malicious. So every length is checked
 * against the bytes that are left, the columns by example are checked as a whole before they are
 * used, and keys are checked while they are unpacked. Values packed as decimals are always finite;
 * f32 values are checked.
 *
 * Several threads parse blocks of frames at the same time. A block is read without looking at
 * earlier ones: it delivers the names that it brings as b->fresh. Whether the blocks fit together
 * is checked by input/stream.c, which passes them on in order, and refuses a cache that lacks its
 * last frame. */
#include "format/cache.h"

#include "base/error.h"
#include "base/hash.h"
#include "base/wide.h"
#include "format/packed.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HEAD       16u               /* bytes of magic, version and length */
#define FRAME_HEAD 16u               /* bytes before a frame's body */
#define MOST_SMALL ((size_t)1 << 20) /* bytes of a block of several frames */

/* ---- reading bytes ------------------------------------------------------------------------ */

/* Bytes that are left to be read. Taking more than there are sets `bad`, after which every take
 * gives NULL or 0; so several takes can be checked together. */
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

/* Cuts the last line, which says what data the cache was made from, off the text and returns its
 * number; 0 if there is no such line. */
static uint64_t take_stamp(char *text)
{
    size_t n = strlen(THR_CACHE_STAMP);
    char *line = text;
    while (line && strncmp(line, THR_CACHE_STAMP, n) != 0) {
        line = strchr(line, '\n');
        line = line ? line + 1 : NULL;
    }
    uint64_t stamp = line ? strtoull(line + n, NULL, 16) : 0;
    if (line)
        *line = '\0';
    return stamp;
}

/* Whether the cache was made with the same feature settings. The message shows the first line in
 * which the two texts differ. */
static int check_settings(const thr_reader_settings *s, const char *text, thr_error *err)
{
    thr_bytes mine = {0};
    if (!thr_cache_fingerprint(&s->features, &mine)) {
        thr_bytes_clear(&mine);
        return thr_fail_memory(err);
    }
    const char *a = text, *b = mine.p;
    int code = 0;
    if (strcmp(b, a) != 0) {
        char what[160];
        while (*a && *b) {
            size_t n = strcspn(a, "\n"), k = strcspn(b, "\n");
            if (n != k || memcmp(a, b, n) != 0)
                break;
            a += n + (a[n] == '\n');
            b += k + (b[k] == '\n');
        }
        snprintf(what, sizeof what, "it was made with %.*s, now it is %.*s", (int)strcspn(a, "\n"),
                 a, (int)strcspn(b, "\n"), b);
        code =
            thr_fail(err, THR_EDATA, "this cache was made with other feature settings: %s", what);
    }
    thr_bytes_clear(&mine);
    return code;
}

/* Checks the head and makes the list of names, which the batches of this file share. For conversion
 * (raw settings) a cache is read whatever settings it was made with. */
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
    thr_names_free(header_made);
}

bool thr_cache_head(const char *p, size_t n, const thr_features *f, thr_cache_origin *out)
{
    thr_reader_settings s = {.features = *f};
    thr_error err;
    uint32_t length;
    void *names = NULL;
    if (n < HEAD || memcmp(p, THR_CACHE_MAGIC, 8) != 0 || header(&s, p, n, true, &names, &err) <= 0)
        return false;
    const char *format = ((thr_names *)names)->format;
    *out = (thr_cache_origin){.format = format ? thr_format_find(format) : NULL};
    header_free(names);
    memcpy(&length, p + HEAD - sizeof length, sizeof length); /* `header` has checked it */
    char *copy = strndup(p + HEAD, length);
    out->stamp = copy ? take_stamp(copy) : 0;
    free(copy);
    return copy != NULL;
}

/* The end of the last whole frame that belongs to the block. A block is a single large frame, or
 * small ones, and what it may hold is limited (too_many). */
static size_t cut(const char *p, size_t n)
{
    size_t at = 0;
    while (n - at >= FRAME_HEAD) {
        uint32_t length;
        memcpy(&length, p + at, sizeof length);
        if (n - at - FRAME_HEAD < length || (at && at + FRAME_HEAD + length > MOST_SMALL))
            break;
        at += FRAME_HEAD + (size_t)length;
    }
    return at;
}

/* ---- frames ------------------------------------------------------------------------------- */

/* The parts of a body. Everything but `label` points into the block. */
typedef struct frame {
    uint64_t first;
    uint32_t runs, names, labels, examples, features, has;
    thr_str *label;                                   /* the frame's list of labels, malloc'ed */
    const char *label_of, *count, *importance, *text; /* columns by example; NULL if left out */
    thr_packed key, value;                            /* columns by feature */
} frame;

static uint32_t u32_at(const char *column, size_t i)
{
    uint32_t v;
    memcpy(&v, column + i * sizeof v, sizeof v);
    return v;
}

/* A column of n numbers of 4 bytes, not aligned; NULL if the frame does not have it. */
static const char *take_column(cursor *c, size_t n, bool has)
{
    return has ? take(c, n * sizeof(uint32_t)) : NULL;
}

THR_CLONED static uint64_t sum(const char *column, size_t n)
{
    uint64_t all = 0;
    for (size_t i = 0; i < n; i++)
        all += u32_at(column, i);
    return all;
}

/* Whether all f32 are finite. Without the sign, bits are ordered as absolute values are, and from
 * 0x7f800000 on they are infinity or NaN. */
THR_CLONED static bool all_finite(const char *column, size_t n)
{
    uint32_t most = 0;
    for (size_t i = 0; i < n; i++) {
        uint32_t bits = u32_at(column, i) & 0x7fffffff;
        most = bits > most ? bits : most;
    }
    return most < 0x7f800000;
}

/* ---- names -------------------------------------------------------------------------------- */

/* A run of names of one namespace, all small integers or all texts, appended to b->fresh. The
 * number of names is compared with the bytes that are left before memory is reserved for it. A text
 * is first added to the batch as a feature, which gives it a key of the usual kind, and then taken
 * off again. */
static void read_run(cursor *c, thr_batch *b)
{
    uint32_t integers = take_u32(c), n = take_u32(c);
    thr_str ns = take_text(c, take_u32(c));
    if (c->bad || integers > 1 || n > (size_t)(c->end - c->at) / sizeof(uint32_t)) {
        c->bad = true;
        return;
    }
    uint32_t space = thr_batch_namespace(b, ns);
    b->failed |= !thr_grow(&b->fresh, &b->fresh_room, b->n_fresh + n + 1, sizeof *b->fresh);
    c->bad = b->failed;
    if (integers && !c->bad) {
        const char *column = take_column(c, n, true);
        c->bad = c->bad || thr_column_greatest(column, n) >= THR_SMALL;
        uint64_t *to = b->fresh + b->n_fresh, key = (uint64_t)space << THR_SMALL_BITS;
        for (uint32_t i = 0; i < n && !c->bad; i++)
            to[i] = key | u32_at(column, i);
        b->n_fresh += c->bad ? 0 : n;
    }
    for (uint32_t i = 0; i < n && !integers && !c->bad; i++) {
        thr_str name = take_text(c, take_u32(c));
        size_t before = b->n_features;
        if (!c->bad)
            thr_batch_named(b, space, name, 1);
        if (b->n_features > before)
            b->fresh[b->n_fresh++] = b->key[--b->n_features];
    }
}

/* The frame's list of labels, which may hold no NUL, as in every other format. */
static bool read_labels(cursor *c, thr_batch *b, frame *f)
{
    if (f->labels > (size_t)(c->end - c->at))
        return false;
    f->label = malloc(((size_t)f->labels + 1) * sizeof *f->label);
    b->failed |= !f->label;
    for (uint32_t i = 0; i < f->labels && f->label; i++) {
        f->label[i] = take_text(c, take_u32(c));
        c->bad = c->bad || memchr(f->label[i].p, '\0', f->label[i].n);
    }
    return f->label && !c->bad;
}

/* ---- examples ----------------------------------------------------------------------------- */

static bool is_width(unsigned bits)
{
    return bits <= THR_PACKED_MOST || bits == 32;
}

/* How features are packed. Keys must have one bit at least: otherwise a few bytes could claim to
 * hold 2^32 features, and memory would be reserved for them. Values are f32 (32 bits), or decimals
 * within the limits of packed.h. */
static bool read_packing(cursor *c, frame *f)
{
    uint32_t how = take_u32(c), least = take_u32(c);
    f->key.bits = how & 0xff;
    f->value.bits = how >> 8 & 0xff;
    f->value.places = how >> 16 & 0xff;
    f->value.least = (int32_t)least;
    if (c->bad || how >> 24 || !f->key.bits || !is_width(f->key.bits) || !is_width(f->value.bits))
        return false;
    bool values = f->has & THR_CACHE_VALUES;
    if (values && f->value.bits < 32)
        return f->value.places <= THR_PLACES_MOST && f->value.least >= -THR_DECIMALS_MOST &&
               f->value.least <= THR_DECIMALS_MOST;
    return f->value.bits == (values ? 32 : 0) && !f->value.places && !least;
}

/* A packed column, taken from the end of what is left. */
static bool take_packed(cursor *c, size_t n, thr_packed *out)
{
    uint64_t size = thr_packed_size(n, out->bits);
    if ((size_t)(c->end - c->at) < size)
        return false;
    c->end -= size;
    out->p = c->end;
    return true;
}

/* The packed columns lie at the end of the body, so they are taken from there. After the columns by
 * example, whose sizes are known, the cursor is left with tags and lists alone. */
static bool read_columns(cursor *c, frame *f)
{
    size_t n = f->examples;
    bool values = f->has & THR_CACHE_VALUES;
    if ((values && !take_packed(c, f->features, &f->value)) ||
        !take_packed(c, f->features, &f->key))
        return false;
    f->label_of = take_column(c, n, true);
    f->count = take_column(c, n, true);
    f->importance = take_column(c, n, f->has & THR_CACHE_IMPORTANCE);
    f->text = take_column(c, n, f->has & THR_CACHE_TEXT);
    return !c->bad && thr_column_greatest(f->label_of, n) <= f->labels &&
           sum(f->count, n) == f->features &&
           (!values || f->value.bits < 32 || all_finite(f->value.p, f->features)) &&
           (!f->importance || all_finite(f->importance, n));
}

/* A byte may stand for eight features, and compressed, for thousands. What a line of the greatest
 * length could have is enough: beyond 65536 features their names have three letters or more, and a
 * blank between them. */
static bool too_many(const thr_parser *p, const frame *f)
{
    size_t line = p->settings->max_line ? p->settings->max_line : SIZE_MAX / 2;
    size_t most = line / 4 + p->scratch.max_active;
    if (p->batch->n_features + f->features <= most)
        return false;
    thr_batch_problem(p->batch, p->batch->lines, 0,
                      "a block of this cache has more than %zu features (see --max-line)", most);
    return true;
}

/* Whether some example has more features than keys of this width can tell apart. The features of an
 * example are distinct, so only a forged frame has; without them a frame has hardly more features
 * than bytes. */
static bool has_repeats(const frame *f)
{
    return f->key.bits < 32 && thr_column_greatest(f->count, f->examples) > 1u << f->key.bits;
}

/* Makes room in the batch for all of a frame, and for a bias with each example. If earlier frames
 * of the batch had no values and this one has, their values become 1. */
static bool make_room(thr_batch *b, const frame *f)
{
    size_t features = (size_t)f->features + f->examples + THR_PACKED_ROOM, had = b->n_features;
    if (!thr_batch_reserve(b, features) ||
        !thr_grow(&b->number, &b->number_room, had + features, sizeof *b->number) ||
        !thr_grow(&b->start, &b->start_room, b->n + f->examples + 1, sizeof *b->start) ||
        !thr_grow(&b->about, &b->about_room, b->n + f->examples + 1, sizeof *b->about)) {
        b->failed = true;
        return false;
    }
    if (b->n == 0)
        b->start[0] = 0;
    for (size_t i = 0; i < had && f->value.p && !b->has_values; i++)
        b->value[i] = 1;
    b->has_values |= f->value.p != NULL;
    return true;
}

static void read_list(cursor *c, thr_batch *b, const frame *f, thr_list *list)
{
    for (uint32_t n = take_u32(c); n > 0 && !c->bad; n--) {
        uint32_t label = take_u32(c);
        c->bad = c->bad || label == 0 || label > f->labels;
        if (!c->bad)
            thr_batch_append(b, list, f->label[label - 1]);
    }
}

/* What all examples are beside their features. Only an example that has a label may have further
 * labels. Tags and lists must use up all bytes left. */
static bool read_infos(cursor *c, thr_batch *b, const frame *f)
{
    thr_example_info *a = b->about + b->n;
    for (uint32_t e = 0; e < f->examples; e++) {
        uint32_t label = u32_at(f->label_of, e);
        a[e] = (thr_example_info){.target = NAN, .importance = 1, .line = b->lines + e};
        if (label)
            a[e].label = f->label[label - 1];
        if (f->importance)
            memcpy(&a[e].importance, f->importance + e * sizeof(float), sizeof(float));
        a[e].from_text = f->text && u32_at(f->text, e);
        c->bad |= a[e].importance < 0;
    }
    for (uint32_t e = 0; e < f->examples && (f->has & THR_CACHE_TAGS) && !c->bad; e++)
        a[e].tag = take_text(c, take_u32(c));
    for (uint32_t e = 0; e < f->examples && (f->has & THR_CACHE_LISTS) && !c->bad; e++) {
        read_list(c, b, f, &a[e].more);
        read_list(c, b, f, &a[e].candidates);
        c->bad = c->bad || (a[e].more.n && !a[e].label.p);
    }
    return !c->bad && c->at == c->end;
}

/* Unpacks the features of all examples, one example behind the other, each with its bias. Then the
 * examples are counted in one by one, and those that are to have unit length are scaled. False: the
 * frame is damaged. Running out of memory is not damage; it is kept in b->failed. */
static bool read_examples(thr_parser *p, cursor *c, frame *f)
{
    const thr_features *settings = &p->settings->features;
    thr_batch *b = p->batch;
    if (!read_columns(c, f) || too_many(p, f) || has_repeats(f))
        return false;
    if (!make_room(b, f))
        return true;
    if (!read_infos(c, b, f))
        return false;
    thr_rows rows = {f->count, f->examples, settings->bias && !settings->raw};
    size_t *start = b->start + b->n, at = b->n_features;
    for (uint32_t e = 0; e < f->examples; e++)
        start[e + 1] = start[e] + u32_at(f->count, e) + rows.bias;
    size_t end = start[f->examples];
    if (f->value.p)
        thr_unpack_values(&f->value, &rows, b->value + at);
    for (size_t i = at; i < end && b->has_values && !f->value.p; i++)
        b->value[i] = 1;
    if (thr_unpack_keys(&f->key, &rows, b->number + at) >= f->first + f->names && f->features)
        return false; /* a key is the number of a name that has not appeared yet */
    for (uint32_t e = 0; e < f->examples; e++, b->n++) {
        b->n_features = b->start[b->n + 1];
        if (thr_features_wants_unit(settings, b->about[b->n].from_text))
            thr_features_scale(b);
    }
    return true;
}

/* Appends the examples of one frame to the batch. The frames of a block must number their names
 * without a gap, and none may follow the last frame. */
static bool read_frame(thr_parser *p, cursor *c)
{
    frame f = {.first = take_u64(c)};
    f.runs = take_u32(c);
    f.names = take_u32(c);
    f.labels = take_u32(c);
    f.examples = take_u32(c);
    f.features = take_u32(c);
    f.has = take_u32(c);
    bool last = take_u32(c) != 0;
    bool ok = read_packing(c, &f);
    thr_batch *b = p->batch;
    if (!b->names) /* the first frame of the block */
        b->first_fresh = f.first;
    b->names = (thr_names *)(uintptr_t)p->header;
    b->format = b->names->format;
    ok = ok && !b->ended && f.first == b->first_fresh + b->n_fresh && f.first < UINT32_MAX &&
         f.names < UINT32_MAX - f.first;
    b->ended |= last;
    size_t before = b->n_fresh;
    for (uint32_t i = 0; i < f.runs && ok && !c->bad; i++)
        read_run(c, b);
    ok = ok && !c->bad && b->n_fresh - before == f.names && read_labels(c, b, &f) &&
         read_examples(p, c, &f);
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
        size_t problems = p->batch->n_problems;
        if (!body || zero || hash != thr_hash(body, length, 0) || !read_frame(p, &c)) {
            if (p->batch->n_problems == problems)
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
    .help = "binary cache of parsed examples, for repeated training",
    .holds = THR_HOLDS_INTEGERS | THR_HOLDS_NAMES | THR_HOLDS_NAMESPACES | THR_HOLDS_VALUES |
             THR_HOLDS_IMPORTANCE | THR_HOLDS_TAG | THR_HOLDS_ANY_LABEL | THR_SCALES_LATER |
             THR_HOLDS_LABELS | THR_HOLDS_CANDIDATES | THR_NUMBERS_NAMES,
    .probe = probe,
    .header = header,
    .header_free = header_free,
    .cut = cut,
    .parse_block = parse_block,
    .write = thr_cache_write,
    .write_end = thr_cache_write_end,
};
