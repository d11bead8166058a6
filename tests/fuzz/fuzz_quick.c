/* The fast paths against their plain versions: any lines as features of svmlight, and as examples
 * of vw, csv and jsonl; and any bytes as packed columns of a cache. With a fast path and without it
 * the same features and problems come out, nothing is read behind the block, and decimals that were
 * packed come back with the same bits. */
#include "base/rfc4180.h"
#include "format/packed.h"
#include "format/svmlight_quick.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds)
{
    if (!holds)
        abort();
}

static void *room_for(size_t n, size_t size)
{
    void *p = calloc(n ? n : 1, size);
    require(p);
    return p;
}

/* ---- features ------------------------------------------------------------------------------ */

/* One of the two may stop earlier; so far they agree. */
static void compare_line(const char *at, const char *end, const char *limit)
{
    size_t most = (size_t)(end - at + 1) / 4 + THR_QUICK_MORE;
    uint64_t *key[2] = {room_for(most, sizeof **key), room_for(most, sizeof **key)};
    float *value[2] = {room_for(most, sizeof **value), room_for(most, sizeof **value)};
    thr_quick_found found[2];
    const char *stop[2] = {thr_quick_take(at, end, limit, key[0], value[0], &found[0]),
                           thr_quick_take_plain(at, end, limit, key[1], value[1], &found[1])};
    size_t n = found[0].n < found[1].n ? found[0].n : found[1].n;
    require(memcmp(key[0], key[1], n * sizeof **key) == 0);
    require(memcmp(value[0], value[1], n * sizeof **value) == 0);
    require(found[0].n != found[1].n || (stop[0] == stop[1] && found[0].named == found[1].named));
    for (int i = 0; i < 2; i++) {
        require(stop[i] >= at && stop[i] <= end && found[i].n <= most - THR_QUICK_MORE);
        free(key[i]);
        free(value[i]);
    }
}

static void compare_lines(const uint8_t *data, size_t size)
{
    char *block = room_for(size, 1);
    if (size)
        memcpy(block, data, size);
    for (const char *at = block, *limit = block + size, *end; at < limit; at = end + 1) {
        end = memchr(at, '\n', (size_t)(limit - at));
        end = end ? end : limit;
        if (at < end)
            compare_line(at, end, limit);
    }
    free(block);
}

/* ---- examples ------------------------------------------------------------------------------ */

#define BEHIND 128 /* bytes behind a block that may be read where a fast path is wanted */

/* A block that is read line by line. */
typedef struct examples {
    thr_reader_settings settings;
    thr_parser parser;
    thr_batch batch;
    void *header;
} examples;

/* Reads a line. The plain parsers of vw and csv are used where no byte behind the line's beginning
 * may be read, and csv then makes the names of its columns anew; that of jsonl where a key is
 * chosen, here one that no line has. */
static void read_line(examples *x, const thr_format *f, const char *at, const char *end, bool plain,
                      const char *limit)
{
    thr_parser *p = &x->parser;
    p->line = at;
    p->limit = plain ? at : limit;
    p->nul = memchr(at, '\0', (size_t)(end - at));
    p->buffer.n = plain ? 0 : p->buffer.n;
    thr_batch_open(&x->batch, p->line_number++);
    if (f->parse(p, at, end) == 0)
        thr_features_finish(&x->settings.features, &p->scratch, &x->batch);
    else
        thr_batch_drop(&x->batch);
}

static void read_lines(examples *x, const thr_format *f, const char *at, size_t n, bool plain,
                       bool raw)
{
    static const char columns[] = "label,text,a,7,b,weight\n";
    const char *limit = at + n + BEHIND, *end;
    *x = (examples){.settings = {.labelled = true, .optional = true}};
    x->settings.features = (thr_features){.raw = raw, .fold = true, .ngrams = 1, .numbers = raw};
    if (plain && f == &thr_format_jsonl)
        require(thr_columns_parse("skip=\001", &x->settings.columns, NULL) == 0);
    if (f->header)
        require(f->header(&x->settings, columns, sizeof columns - 1, true, &x->header, NULL) > 0);
    x->parser = (thr_parser){.settings = &x->settings, .batch = &x->batch, .header = x->header};
    thr_batch_init(&x->batch);
    for (const char *stop = at + n; at < stop; at = end + 1) {
        end = memchr(at, '\n', (size_t)(stop - at));
        end = end ? end : stop;
        read_line(x, f, at, end, plain, limit);
    }
}

static void require_same_example(const thr_batch *a, const thr_batch *b, size_t e)
{
    const thr_example_info *x = &a->about[e], *y = &b->about[e];
    require(!x->label.p == !y->label.p && thr_str_eq(x->label, y->label));
    require(thr_str_eq(x->tag, y->tag) && thr_str_eq(x->text, y->text));
    require(memcmp(&x->importance, &y->importance, sizeof x->importance) == 0);
    require(memcmp(&x->target, &y->target, sizeof x->target) == 0 || x->target != x->target);
    require(x->from_text == y->from_text && x->line == y->line);
    require(a->start[e + 1] == b->start[e + 1]);
    for (size_t i = a->start[e]; i < a->start[e + 1]; i++) {
        char digits[2][24];
        thr_str ns[2], name[2] = {thr_batch_name_of(a, i, digits[0], &ns[0]),
                                  thr_batch_name_of(b, i, digits[1], &ns[1])};
        float v[2] = {thr_batch_value(a, i), thr_batch_value(b, i)};
        require(thr_str_eq(name[0], name[1]) && thr_str_eq(ns[0], ns[1]));
        require(memcmp(&v[0], &v[1], sizeof v[0]) == 0);
        require(thr_batch_is_small(a, i) == thr_batch_is_small(b, i));
    }
}

static void require_same_batch(const thr_batch *a, const thr_batch *b)
{
    require(!a->failed && !b->failed && a->n == b->n && a->n_problems == b->n_problems);
    require(a->repeated == b->repeated && a->bad_utf8 == b->bad_utf8);
    require(a->nul_bytes == b->nul_bytes);
    for (size_t e = 0; e < a->n; e++)
        require_same_example(a, b, e);
    for (size_t i = 0; i < a->n_problems; i++) {
        require(a->problem[i].line == b->problem[i].line);
        require(a->problem[i].column == b->problem[i].column);
        require(strcmp(a->problem[i].message, b->problem[i].message) == 0);
    }
}

static void examples_clear(examples *x, const thr_format *f)
{
    thr_feature_scratch_clear(&x->parser.scratch);
    thr_bytes_clear(&x->parser.buffer);
    thr_batch_release(&x->batch);
    if (f->header_free)
        f->header_free(x->header);
}

static void compare_examples(const uint8_t *data, size_t size, bool raw)
{
    const thr_format *const formats[] = {&thr_format_vw, &thr_format_csv, &thr_format_jsonl};
    char *block = room_for(size + BEHIND, 1);
    memset(block, '\n', size + BEHIND);
    if (size)
        memcpy(block, data, size);
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        examples fast, plain;
        read_lines(&fast, formats[i], block, size, false, raw);
        read_lines(&plain, formats[i], block, size, true, raw);
        require_same_batch(&fast.batch, &plain.batch);
        examples_clear(&fast, formats[i]);
        examples_clear(&plain, formats[i]);
    }
    free(block);
}

/* ---- records of csv ------------------------------------------------------------------------ */

/* The definition in rfc4180.h, a byte at a time. */
static const char *plain_record(const char *at, const char *limit)
{
    bool opening = true, inside = false;
    for (; at < limit; at++) {
        bool doubled = inside && *at == '"' && at + 1 < limit && at[1] == '"';
        at += doubled;
        if (!inside && *at == '\n')
            return at + 1;
        bool quote = *at == '"' && !doubled;
        bool closes = inside && quote;
        inside = inside ? !closes : opening && quote;
        opening = !inside && !closes && (*at == ',' || *at == ';' || *at == '\t');
    }
    return NULL;
}

static const char *plain_field_end(const char *at, const char *end, char separator)
{
    while (at < end && *at != separator && *at != '\n')
        at++;
    return at;
}

static void compare_records(const uint8_t *data, size_t size)
{
    char *block = room_for(size, 1);
    if (size)
        memcpy(block, data, size);
    for (const char *at = block, *limit = block + size, *next; at < limit; at = next) {
        next = thr_csv_whole_record(at, limit);
        require(next == plain_record(at, limit));
        next = next ? next : limit;
        thr_csv_cursor c = {at, thr_without_line_end(at, next), ','};
        for (thr_csv_field f; thr_csv_next(&c, &f);)
            if (!f.quoted && !f.wrong)
                require(plain_field_end(f.at, c.at ? c.at : next, ',') >= f.at + f.n &&
                        !memchr(f.at, ',', f.n));
    }
    free(block);
}

/* ---- packed columns ------------------------------------------------------------------------ */

/* A column, the numbers of its rows, and how many elements it unpacks to. */
typedef struct column {
    thr_packed packed;
    thr_rows rows;
    char *bytes;
    uint32_t count[16];
    size_t n;
} column;

/* Byte 0 is the width, then decimal places, bias, rows, `least` in 4 bytes, the rows, the numbers.
 */
static bool make_column(const uint8_t *data, size_t size, column *c)
{
    int32_t least;
    *c = (column){0};
    if (size < 8 || size - 8 < data[3] % 16u)
        return false;
    memcpy(&least, data + 4, sizeof least);
    size_t rows = data[3] % 16, left = size - 8 - rows, numbers = 0;
    for (size_t i = 0; i < rows; i++)
        numbers += c->count[i] = data[8 + i];
    unsigned bits = data[0] % 27 == 26 ? 32 : data[0] % 27;
    size_t used = (size_t)thr_packed_size(numbers, bits);
    c->bytes = room_for(used, 1);
    used -= THR_PACKED_SPARE;
    memcpy(c->bytes, data + 8 + rows, left < used ? left : used);
    c->packed = (thr_packed){c->bytes, bits, least % THR_DECIMALS_MOST, data[1] % 11u};
    c->rows = (thr_rows){(const char *)c->count, rows, data[2] & 1};
    c->n = numbers + (c->rows.bias ? rows : 0);
    return true;
}

static void compare_columns(const column *c)
{
    uint32_t *key[2];
    float *value[2];
    for (int i = 0; i < 2; i++) {
        key[i] = room_for(c->n + THR_PACKED_ROOM, sizeof **key);
        value[i] = room_for(c->n + THR_PACKED_ROOM, sizeof **value);
    }
    if (c->packed.bits)
        require(thr_unpack_keys(&c->packed, &c->rows, key[0]) >= /* it may look behind the end */
                thr_unpack_keys_plain(&c->packed, &c->rows, key[1]));
    thr_unpack_values(&c->packed, &c->rows, value[0]);
    thr_unpack_values_plain(&c->packed, &c->rows, value[1]);
    require(memcmp(key[0], key[1], c->n * sizeof **key) == 0);
    require(memcmp(value[0], value[1], c->n * sizeof **value) == 0);
    for (int i = 0; i < 2; i++) {
        free(key[i]);
        free(value[i]);
    }
}

/* Bytes as floats: if they are packed as decimals, they come back as they were. */
static void check_decimals(const uint8_t *data, size_t size)
{
    size_t n = size / sizeof(float);
    uint32_t *number = room_for(n, sizeof *number), count = (uint32_t)n;
    float *value = room_for(n, sizeof *value),
          *again = room_for(n + THR_PACKED_ROOM, sizeof *again);
    thr_packed packed = {0};
    if (n)
        memcpy(value, data, n * sizeof *value);
    if (thr_pack_decimals(value, n, number, &packed)) {
        char *bytes = room_for((size_t)thr_packed_size(n, packed.bits) + 8, 1);
        require(packed.places <= THR_PLACES_MOST && packed.bits <= THR_PACKED_MOST);
        thr_pack(number, n, packed.bits, bytes);
        packed.p = bytes;
        thr_unpack_values(&packed, &(thr_rows){(const char *)&count, 1, false}, again);
        require(memcmp(value, again, n * sizeof *value) == 0);
        free(bytes);
    }
    free(number);
    free(value);
    free(again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    column c;
    compare_lines(data, size);
    compare_examples(data, size, true);
    compare_examples(data, size, false);
    compare_records(data, size);
    check_decimals(data, size);
    if (make_column(data, size, &c))
        compare_columns(&c);
    free(c.bytes);
    return 0;
}
