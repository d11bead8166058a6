/* Writing a cache, whose layout is drawn in cache.c.
 *
 * Examples are collected column by column until a frame is full, and are then packed and written.
 * Names get numbers in the order of their first appearance in the file; a frame carries the names
 * that appear in it for the first time. A name's number is found in a hash table of all names
 * written so far, or, where the lexicon has looked the names up already (w->by_id), in an array
 * indexed by id, which is much faster. */
#include "base/error.h"
#include "base/hash.h"
#include "base/number.h"
#include "base/secret.h"
#include "format/cache.h"
#include "format/packed.h"

#include <stdlib.h>
#include <string.h>

/* A frame ends when its columns, not yet packed, exceed this many bytes. Several frames fit in a
 * block, and the columns of one fit in a core's L2 cache. */
#define FRAME_SIZE ((size_t)1 << 16)

/* Pairs of names are written as `cross=A*B`, as in earlier versions. In other crosses the parts
 * that are letters are followed by dots. */
static bool put_cross(const thr_cross *c, thr_bytes *out)
{
    static const char *const behind[] = {
        [THR_CROSS_NAME] = "", [THR_CROSS_LETTER] = "...", [THR_CROSS_ALL] = "*"};
    bool ok = thr_bytes_printf(out, c->n == 2 ? "cross=" : "cross of %zu=", c->n);
    for (size_t i = 0; i < c->n && ok; i++)
        ok =
            thr_bytes_printf(out, "%s%s%s", i ? "*" : "", c->part[i].name, behind[c->part[i].kind]);
    return ok && thr_bytes_printf(out, "\n");
}

bool thr_cache_fingerprint(const thr_features *f, thr_bytes *out)
{
    bool ok =
        thr_bytes_printf(out,
                         "tokens=%d\nsymbols=%d\nfold=%d\nnormalize=%d\nngrams=%u\n"
                         "char-ngrams=%u-%u\nskip=%u\nvalues=%d\nconjoin=%u\nunicode=%s\n",
                         (int)f->tokens, f->symbols, f->fold, f->normalize, f->ngrams, f->char_min,
                         f->char_max, f->skip, (int)f->values, f->conjoin, thr_unicode_version());
    ok = ok && (!f->numbers || thr_bytes_printf(out, "numbers=1\n"));
    ok = ok && (!f->negate[0] || thr_bytes_printf(out, "negate=%s\n", f->negate));
    for (size_t i = 0; i < f->n_crosses && ok; i++)
        ok = put_cross(&f->cross[i], out);
    return ok;
}

/* The names written so far, in a hash table with linear probing. Its key is the text
 * "namespace NUL name". */
typedef struct name_table {
    thr_arena arena; /* the texts */
    struct known {
        const char *p; /* NULL: the slot is empty */
        uint32_t n, number;
        uint64_t hash;
    } * table;
    size_t slots, used; /* slots: a power of two */
    thr_secret secret;  /* of the hash, so that no names can be made to collide */
    thr_bytes key;      /* the text that is being looked up */
} name_table;

typedef struct writer_state {
    name_table known; /* by text; not used with w->by_id */
    uint32_t *number; /* with w->by_id, indexed by id: the name's number + 1; 0: none yet */
    size_t number_room, next;
    /* The columns of the frame that is being filled, as in cache.c; keys and values not packed. */
    thr_bytes names, labels, label_of, counts, importances, texts, tags, lists, keys, values;
    uint32_t *decimal; /* the frame's values as decimals, while it is written */
    size_t decimal_room;
    size_t run;     /* where the last run begins in `names` */
    uint64_t first; /* number of the first name that the frame brings */
    uint32_t n_runs, n_names, n_labels, n_examples, n_features, has;
} writer_state;

static bool put_u32(thr_bytes *b, uint32_t v)
{
    return thr_bytes_add(b, &v, sizeof v);
}

static bool put_text(thr_bytes *b, thr_str s)
{
    return put_u32(b, (uint32_t)s.n) && thr_bytes_add(b, s.p, s.n);
}

/* The slot of the name k->key, or the empty slot where it belongs, with its hash stored. The table
 * grows first if it would become more than half full. NULL: out of memory. */
static struct known *find_slot(name_table *k)
{
    if ((k->used + 1) * 2 > k->slots) {
        size_t slots = k->slots ? k->slots * 2 : 1024;
        thr_secret_draw(&k->secret);
        struct known *fresh = calloc(slots, sizeof *fresh);
        if (!fresh)
            return NULL;
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
    }
    uint64_t hash = thr_secret_hash(&k->secret, k->key.p, k->key.n);
    size_t at = hash & (k->slots - 1);
    while (k->table[at].p && (k->table[at].hash != hash || k->table[at].n != k->key.n ||
                              memcmp(k->table[at].p, k->key.p, k->key.n) != 0))
        at = (at + 1) & (k->slots - 1);
    k->table[at].hash = hash;
    return &k->table[at];
}

/* Appends a new name to the frame's names and counts it in the head of its run. The last run goes
 * on if it has the same namespace, and integers or texts like this name; else a new one begins. */
static bool write_name(writer_state *s, thr_str ns, thr_str name, bool small)
{
    uint32_t n, head[3] = {0}; /* integers, names, length of ns */
    uint64_t v = 0;
    const char *end;
    if (s->n_runs)
        memcpy(head, s->names.p + s->run, sizeof head);
    if (!s->n_runs || head[0] != small ||
        !thr_str_eq(ns, (thr_str){s->names.p + s->run + sizeof head, head[2]})) {
        s->run = s->names.n;
        s->n_runs++;
        if (!put_u32(&s->names, small) || !put_u32(&s->names, 0) || !put_text(&s->names, ns))
            return false;
    }
    char *count = s->names.p + s->run + sizeof n;
    memcpy(&n, count, sizeof n);
    n++;
    memcpy(count, &n, sizeof n);
    s->n_names++;
    if (!small)
        return put_text(&s->names, name);
    thr_parse_u64(name.p, name.p + name.n, &end, &v);
    return put_u32(&s->names, (uint32_t)v);
}

/* Extends s->number, with zeros, to the greatest of these ids. */
static bool reserve_ids(writer_state *s, const uint32_t *id, size_t n)
{
    size_t old = s->number_room;
    uint32_t most = 0;
    for (size_t i = 0; i < n; i++)
        most = id[i] > most ? id[i] : most;
    if (!thr_grow(&s->number, &s->number_room, (size_t)most + 1, sizeof *s->number))
        return false;
    memset(s->number + old, 0, (s->number_room - old) * sizeof *s->number);
    return true;
}

/* Appends the features from..to by their ids, each of which stands for one name. */
static bool write_by_id(writer_state *s, const thr_batch *b, size_t from, size_t to)
{
    size_t n = to - from, bytes = n * sizeof(uint32_t);
    if (!reserve_ids(s, b->id + from, n) ||
        !thr_grow(&s->keys.p, &s->keys.room, s->keys.n + bytes + 1, 1) ||
        !thr_grow(&s->values.p, &s->values.room, s->values.n + bytes + 1, 1))
        return false;
    char *key = s->keys.p + s->keys.n, *value = s->values.p + s->values.n;
    for (size_t i = from; i < to; i++) {
        if (!s->number[b->id[i]]) {
            char digits[24];
            thr_str ns, name = thr_batch_name_of(b, i, digits, &ns);
            s->number[b->id[i]] = (uint32_t)++s->next;
            if (ns.n > UINT16_MAX || !write_name(s, ns, name, thr_batch_is_small(b, i)))
                return false;
        }
        uint32_t number = s->number[b->id[i]] - 1;
        float x = b->has_values ? b->value[i] : 1;
        s->has |= x != 1 ? THR_CACHE_VALUES : 0;
        memcpy(key + (i - from) * sizeof number, &number, sizeof number);
        memcpy(value + (i - from) * sizeof x, &x, sizeof x);
    }
    s->keys.n += bytes;
    s->values.n += bytes;
    s->n_features += (uint32_t)n;
    return true;
}

/* Appends one feature by the text of its name. */
static bool write_feature(writer_state *s, const thr_batch *b, size_t feature)
{
    char digits[24];
    thr_str ns, name = thr_batch_name_of(b, feature, digits, &ns);
    name_table *k = &s->known;
    k->key.n = 0;
    if (ns.n > UINT16_MAX || !thr_bytes_add(&k->key, ns.p, ns.n) ||
        !thr_bytes_add(&k->key, "", 1) || !thr_bytes_add(&k->key, name.p, name.n))
        return false;
    struct known *found = find_slot(k);
    if (!found)
        return false;
    if (!found->p) {
        found->p = thr_arena_copy(&k->arena, k->key.p, k->key.n);
        found->n = (uint32_t)k->key.n;
        found->number = (uint32_t)k->used++;
        if (!found->p || !write_name(s, ns, name, thr_batch_is_small(b, feature)))
            return false;
    }
    float x = thr_batch_value(b, feature);
    s->has |= x != 1 ? THR_CACHE_VALUES : 0;
    s->n_features++;
    return put_u32(&s->keys, found->number) && thr_bytes_add(&s->values, &x, sizeof x);
}

/* Moves a column to the body if the frame has it, and empties it for the next frame. */
static bool put_column(thr_bytes *body, thr_bytes *column, bool has)
{
    bool ok = !has || thr_bytes_add(body, column->p, column->n);
    column->n = 0;
    return ok;
}

/* Chooses the width of keys, at least one bit, and how values are written: as decimals if all of
 * them come back bit for bit, else as f32. The lengths are those of the columns rather than
 * n_features, because a column may be short after memory ran out. */
static bool choose_packing(writer_state *s, thr_packed *key, thr_packed *value)
{
    size_t keys = s->keys.n / sizeof(uint32_t), n = s->values.n / sizeof(float);
    uint32_t most = thr_column_greatest(s->keys.p, keys);
    *key = (thr_packed){.bits = thr_packed_bits(most ? most : 1)};
    *value = (thr_packed){0};
    if (!(s->has & THR_CACHE_VALUES))
        return true;
    if (!thr_grow(&s->decimal, &s->decimal_room, n, sizeof *s->decimal))
        return false;
    if (!thr_pack_decimals((const float *)(const void *)s->values.p, n, s->decimal, value))
        *value = (thr_packed){.bits = 32};
    return true;
}

/* Appends a packed column to the body and empties `column`. With 32 bits the n elements of
 * `column`, four bytes each, are copied; with fewer the n numbers are packed. */
static bool put_packed(thr_bytes *body, thr_bytes *column, const uint32_t *number, unsigned bits)
{
    size_t n = column->n / sizeof *number, size = (size_t)thr_packed_size(n, bits);
    column->n = 0;
    if (!thr_grow(&body->p, &body->room, body->n + size + 1, 1))
        return false;
    char *to = body->p + body->n, *end = to + n * sizeof *number;
    body->n += size;
    if (bits < 32) {
        thr_pack(number, n, bits, to);
        return true;
    }
    if (n)
        memcpy(to, column->p, n * sizeof *number);
    memset(end, 0, THR_PACKED_SPARE);
    return true;
}

/* The body of a frame, in the order that cache.c draws. */
static bool put_frame(writer_state *s, thr_bytes *body, bool last)
{
    uint32_t has = s->has;
    bool values = has & THR_CACHE_VALUES;
    thr_packed key, value;
    if (!choose_packing(s, &key, &value))
        return false;
    s->values.n = values ? s->values.n : 0; /* all are 1 */
    return thr_bytes_add(body, &s->first, sizeof s->first) && put_u32(body, s->n_runs) &&
           put_u32(body, s->n_names) && put_u32(body, s->n_labels) &&
           put_u32(body, s->n_examples) && put_u32(body, s->n_features) && put_u32(body, has) &&
           put_u32(body, last) && put_u32(body, key.bits | value.bits << 8 | value.places << 16) &&
           put_u32(body, (uint32_t)value.least) && put_column(body, &s->names, true) &&
           put_column(body, &s->labels, true) && put_column(body, &s->label_of, true) &&
           put_column(body, &s->counts, true) &&
           put_column(body, &s->importances, has & THR_CACHE_IMPORTANCE) &&
           put_column(body, &s->texts, has & THR_CACHE_TEXT) &&
           put_column(body, &s->tags, has & THR_CACHE_TAGS) &&
           put_column(body, &s->lists, has & THR_CACHE_LISTS) &&
           put_packed(body, &s->keys, (const uint32_t *)(const void *)s->keys.p, key.bits) &&
           (!values || put_packed(body, &s->values, s->decimal, value.bits));
}

/* Writes the frame with its length and hash, and starts the next one. */
static bool flush(writer_state *s, thr_bytes *out, bool last)
{
    thr_bytes body = {0};
    bool ok = put_frame(s, &body, last);
    uint64_t hash = ok ? thr_hash(body.p, body.n, 0) : 0;
    ok = ok && body.n <= UINT32_MAX && put_u32(out, (uint32_t)body.n) && put_u32(out, 0) &&
         thr_bytes_add(out, &hash, sizeof hash) && thr_bytes_add(out, body.p, body.n);
    thr_bytes_clear(&body);
    s->first += s->n_names;
    s->n_runs = s->n_names = s->n_labels = s->n_examples = s->n_features = s->has = 0;
    return ok;
}

static bool write_head(thr_writer *w)
{
    thr_bytes text = {0};
    size_t from = w->out.n;
    bool ok = thr_bytes_printf(&text, "%s\n", w->batch->format ? w->batch->format : "") &&
              thr_cache_fingerprint(w->features, &text) &&
              (!w->stamp || thr_bytes_printf(&text, THR_CACHE_STAMP "%016llx\n",
                                             (unsigned long long)w->stamp)) &&
              thr_bytes_add(&w->out, THR_CACHE_MAGIC, 8) && put_u32(&w->out, THR_CACHE_VERSION) &&
              put_u32(&w->out, (uint32_t)text.n) && thr_bytes_add(&w->out, text.p, text.n);
    uint64_t hash = ok ? thr_hash(w->out.p + from, w->out.n - from, 0) : 0;
    thr_bytes_clear(&text);
    return ok && thr_bytes_add(&w->out, &hash, sizeof hash);
}

/* The number of a label in the frame's own list, from 1; 0 for no label. The list is searched from
 * its beginning: a frame has few different labels. */
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

static bool put_list(writer_state *s, const thr_batch *b, thr_list list)
{
    bool ok = put_u32(&s->lists, (uint32_t)list.n);
    for (size_t i = 0; i < list.n && ok; i++) {
        uint32_t label;
        ok = label_number(s, b->listed[list.from + i], &label) && put_u32(&s->lists, label);
    }
    return ok;
}

static bool write_about(writer_state *s, const thr_batch *b, const thr_example_info *a,
                        size_t features)
{
    uint32_t label;
    s->has |= (a->importance != 1 ? THR_CACHE_IMPORTANCE : 0) |
              (a->from_text ? THR_CACHE_TEXT : 0) | (a->tag.n ? THR_CACHE_TAGS : 0) |
              (a->more.n || a->candidates.n ? THR_CACHE_LISTS : 0);
    return features <= UINT32_MAX && label_number(s, a->label, &label) &&
           put_u32(&s->label_of, label) && put_u32(&s->counts, (uint32_t)features) &&
           thr_bytes_add(&s->importances, &a->importance, sizeof a->importance) &&
           put_u32(&s->texts, a->from_text) && put_text(&s->tags, a->tag) &&
           put_list(s, b, a->more) && put_list(s, b, a->candidates);
}

int thr_cache_write(thr_writer *w, size_t e)
{
    if (!w->state) {
        w->state = calloc(1, sizeof(writer_state));
        if (!w->state || !write_head(w))
            return thr_fail_memory(w->err);
    }
    writer_state *s = w->state;
    const thr_batch *b = w->batch;
    size_t from = b->start[e], to = b->start[e + 1];
    to -= to > from && thr_batch_is_bias(b, to - 1); /* the bias is added by the reader */
    bool ok = write_about(s, b, &b->about[e], to - from);
    if (w->by_id)
        ok = ok && write_by_id(s, b, from, to);
    for (size_t i = from; i < to && ok && !w->by_id; i++)
        ok = write_feature(s, b, i);
    s->n_examples++;
    if (ok &&
        s->keys.n + s->values.n + s->names.n + s->tags.n + s->lists.n + s->labels.n + s->counts.n >
            FRAME_SIZE)
        ok = flush(s, &w->out, false);
    return ok ? 0 : thr_fail_memory(w->err);
}

/* Writes the last frame, which may be empty: a reader refuses a cache without it as cut short. */
int thr_cache_write_end(thr_writer *w)
{
    writer_state *s = w->state;
    if (!s)
        return 0;
    bool ok = flush(s, &w->out, true);
    thr_bytes *const columns[] = {&s->names, &s->labels, &s->label_of, &s->counts, &s->importances,
                                  &s->texts, &s->tags,   &s->lists,    &s->keys,   &s->values};
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
        thr_bytes_clear(columns[i]);
    thr_bytes_clear(&s->known.key);
    thr_arena_clear(&s->known.arena);
    free(s->known.table);
    free(s->number);
    free(s->decimal);
    free(s);
    w->state = NULL;
    return ok ? 0 : thr_fail_memory(w->err);
}
