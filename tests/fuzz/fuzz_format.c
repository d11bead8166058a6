/* Fuzzing one format, chosen at compile time: FUZZ_FORMAT is its name as a C string.
 *
 * Whatever the bytes, and with each of several settings: parsing does not crash, offsets rise,
 * values are finite and only those of measurements are zero, and problems lie inside the block. If
 * the format's writer accepts every example, what it writes reads back as the same examples; other
 * formats write them, or say why not. Sentences that are left out may have said how a file of
 * columns is read, so such a file is read back only if it has no problem. What looks at the
 * beginning of a file, or cuts it into blocks, keeps to its contract.
 *
 * The checksums of a cache would turn nearly every change away, so a cache is also tried with
 * those of its head and of each frame made right. Its problems have no column, and its values may
 * be 0. */
#include "base/hash.h"
#include "format/cache.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define CHECK(condition)                                                                           \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);                        \
            abort();                                                                               \
        }                                                                                          \
    } while (0)

typedef struct reading {
    thr_parser parser;
    thr_batch batch;
    void *header;
    char *block;
    size_t n;
    bool ok; /* the head, if there is one, was accepted */
} reading;

static const thr_format *target(void)
{
    const thr_format *f = thr_format_find(FUZZ_FORMAT);
    CHECK(f);
    return f;
}

static bool is_cache(void)
{
    return strcmp(FUZZ_FORMAT, "cache") == 0;
}

static bool is_conll(void)
{
    return strcmp(FUZZ_FORMAT, "conll") == 0;
}

/* The bytes are copied to a block of their own size, so that reading behind it is noticed. */
static void read_bytes(reading *r, const thr_format *f, const thr_reader_settings *s,
                       const void *bytes, size_t n)
{
    *r = (reading){.block = malloc(n ? n : 1), .n = n, .ok = true};
    CHECK(r->block);
    if (n)
        memcpy(r->block, bytes, n);
    thr_batch_init(&r->batch);
    r->parser.settings = s;
    r->parser.batch = &r->batch;
    size_t from = 0;
    if (f->header) {
        long took = f->header(s, r->block, n, true, &r->header, NULL);
        CHECK(took <= (long)n);
        r->ok = took > 0 || r->header; /* the head of sentences is not taken away */
        from = r->ok ? (size_t)took : n;
        r->parser.header = r->header;
    }
    thr_format_parse(f, &r->parser, r->block + from, r->block + n);
    for (size_t e = 0; e < r->batch.n && s->labelled && s->empty_sets; e++) /* as streams do */
        r->batch.about[e].none = !r->batch.about[e].label.p;
    r->ok = r->ok && (!r->batch.names || thr_names_extend(r->batch.names, &r->batch));
}

static void reading_clear(reading *r, const thr_format *f)
{
    thr_feature_scratch_clear(&r->parser.scratch);
    thr_bytes_clear(&r->parser.buffer);
    thr_sentence_clear(&r->parser.sentence);
    thr_batch_release(&r->batch);
    if (f->header_free && r->header)
        f->header_free(r->header);
    free(r->block);
}

static void check_list(const thr_batch *b, thr_list list)
{
    for (size_t i = 0; i < list.n; i++) {
        CHECK(list.from + i < b->n_listed);
        CHECK(b->listed[list.from + i].p);
    }
}

static void check_same_list(const thr_batch *a, thr_list x, const thr_batch *b, thr_list y)
{
    CHECK(x.n == y.n);
    for (size_t i = 0; i < x.n; i++)
        CHECK(thr_str_eq(a->listed[x.from + i], b->listed[y.from + i]));
}

/* What an example of a sentence has besides. */
static void check_token(const thr_batch *b, size_t e)
{
    const thr_example_info *a = &b->about[e];
    check_list(b, a->links);
    CHECK(a->far <= a->links.n && a->past <= a->links.n);
    CHECK(a->past <= b->start[e + 1] - b->start[e]);
    CHECK(!a->joins || (e > 0 && a->line >= b->about[e - 1].line));
    CHECK(!is_conll() || (a->text.p && a->text.n && b->plan));
}

static void check_batch(const reading *r)
{
    const thr_batch *b = &r->batch;
    if (!r->ok)
        return;
    CHECK(!b->failed && !b->is_open);
    CHECK(b->n == 0 || b->start[0] == 0);
    for (size_t e = 0; e < b->n; e++) {
        CHECK(b->start[e] <= b->start[e + 1]);
        CHECK(b->about[e].line < b->lines);
        CHECK(isfinite(b->about[e].importance) && b->about[e].importance >= 0);
        CHECK(!isinf(b->about[e].target));
        check_list(b, b->about[e].more);
        check_list(b, b->about[e].candidates);
        check_token(b, e);
        for (size_t i = b->start[e]; i < b->start[e + 1]; i++) {
            char digits[24];
            thr_str ns, name = thr_batch_name_of(b, i, digits, &ns);
            CHECK(name.p && ns.p);
            CHECK(isfinite(thr_batch_value(b, i)));
            CHECK(b->names || thr_batch_value(b, i) != 0 ||
                  thr_str_eq(ns, thr_str_of(THR_NUMBERS)) || r->parser.settings->features.unit);
        }
    }
    CHECK(b->n == 0 || b->start[b->n] == b->n_features);
    for (size_t i = 0; i < b->n_problems; i++) {
        const thr_problem *p = &b->problem[i];
        CHECK(p->line < b->lines + is_cache());
        CHECK((p->column >= 1 || is_cache()) && p->column <= r->n + 1);
        CHECK(p->message[0] && !strchr(p->message, '\n'));
    }
}

/* VW has no escapes: its writer spells a namespace with a colon, or a name that looks escaped, in
 * another way (src/format/vw.c). */
static bool same_name(thr_str before, thr_str after)
{
    bool escaped = before.n && (memchr(before.p, '%', before.n) || memchr(before.p, ':', before.n));
    return thr_str_eq(before, after) || (strcmp(FUZZ_FORMAT, "vw") == 0 && escaped);
}

static void check_same(const thr_batch *a, const thr_batch *b)
{
    CHECK(a->n == b->n);
    for (size_t e = 0; e < a->n; e++) {
        const thr_example_info *x = &a->about[e], *y = &b->about[e];
        CHECK(!x->label.p == !y->label.p && thr_str_eq(x->label, y->label));
        CHECK(thr_str_eq(x->tag, y->tag) && thr_str_eq(x->text, y->text));
        CHECK(x->importance == y->importance && x->none == y->none);
        check_same_list(a, x->more, b, y->more);
        check_same_list(a, x->candidates, b, y->candidates);
        CHECK(a->start[e + 1] == b->start[e + 1]);
        for (size_t i = a->start[e]; i < a->start[e + 1]; i++) {
            char digits[2][24];
            thr_str ns[2], name[2] = {thr_batch_name_of(a, i, digits[0], &ns[0]),
                                      thr_batch_name_of(b, i, digits[1], &ns[1])};
            CHECK(same_name(name[0], name[1]) && same_name(ns[0], ns[1]));
            CHECK(thr_batch_value(a, i) == thr_batch_value(b, i));
        }
    }
}

static void check_round_trip(const reading *r, const thr_format *f, const thr_reader_settings *s)
{
    thr_error err = {0};
    thr_writer w = {.batch = &r->batch, .features = &s->features, .err = &err};
    int code = 0;
    for (size_t e = 0; !code && e < r->batch.n; e++) {
        code = f->write(&w, e);
        w.written += !code;
    }
    int ended = f->write_end ? f->write_end(&w) : 0;
    CHECK(code == 0 || (code == THR_EUSE && err.message[0]));
    if (!code && !ended && r->batch.n) {
        reading again;
        read_bytes(&again, f, s, w.out.p, w.out.n);
        CHECK(again.ok && again.batch.n_problems == 0);
        check_batch(&again);
        check_same(&r->batch, &again.batch);
        reading_clear(&again, f);
    }
    thr_bytes_clear(&w.out);
}

/* ---- settings ---- */

/* How a block is read. Conversion keeps text and adds nothing; learning makes features of
 * everything. */
typedef struct way {
    bool labelled, convert, strict, optional, detect, sets, numbers, finished, former, stop;
    size_t max_line;
    const char *columns, *template;
    bool chain;
} way;

/* Templates for one column. In the second all kinds of patterns and macros occur. */
#define PLAIN "U:%x[0,0]\nB"
#define EVERY                                                                                      \
    "*:%X[-1,0]\nU:%x[1,0]\nU%t[0,0,\"^\\a*$\"]%M[@1,0,\"\\d?.$\"]\nU%s[0,0]%P[0,0,2]\n"           \
    "B\nB%e[@-1,0,1]\nT\nT:%x[-2,0]"

static const way ways[] = {
    {.strict = true},
    {.labelled = true},
    {.convert = true},
    {.labelled = true, .convert = true},
    {.labelled = true, .convert = true, .sets = true},
    {.labelled = true, .detect = true, .strict = true, .finished = true},
    {.labelled = true, .numbers = true, .stop = true, .max_line = 64},
    {.labelled = true, .optional = true, .former = true},
    /* only for formats with columns */
    {.labelled = true, .columns = "label=1,text=2,importance=3,id=5,skip=4+6"},
    {.labelled = true, .detect = true, .columns = "label=kind,text=\"body.text\",id=name"},
    {.labelled = true, .optional = true, .sets = true, .columns = "label=kind,text=2+note"},
    {.columns = "text=2,importance=how,label=1"},
    /* only for sentences */
    {.labelled = true, .convert = true, .template = PLAIN},
    {.labelled = true, .chain = true, .finished = true, .template = PLAIN},
    {.labelled = true, .chain = true, .finished = true, .template = EVERY},
    {.labelled = true, .optional = true, .chain = true, .columns = "label=2", .template = EVERY},
    {.chain = true, .template = EVERY},
    {.labelled = true, .detect = true, .columns = "label=3", .template = PLAIN},
};

static bool has_columns(void)
{
    const thr_format *f = target();
    return f == &thr_format_csv || f == &thr_format_jsonl || f == &thr_format_text || is_conll();
}

/* As the command has them unless it is told otherwise. A cache made with others is refused. */
static void usual_features(thr_features *f)
{
    thr_features_defaults(f);
    f->symbols = false;
    f->conjoin = 1;
}

static thr_reader_settings settings_of(const way *w)
{
    thr_reader_settings s = {.labelled = w->labelled,
                             .optional = w->optional,
                             .detect = w->detect,
                             .multilabel = w->convert,
                             .empty_sets = w->sets,
                             .numbers = w->numbers,
                             .strict = w->strict,
                             .on_error = w->stop ? THR_STOP : THR_REPORT,
                             .max_line = w->max_line};
    thr_error err = {0};
    usual_features(&s.features);
    s.features.bias = w->finished;
    s.features.unit = w->finished;
    s.features.raw = w->convert;
    s.features.numbers = !w->former;
    s.features.template = w->template;
    s.features.chain = w->chain;
    s.features.greedy = w->chain && !w->finished; /* which may have patterns T */
    CHECK(!w->columns || thr_columns_parse(w->columns, &s.columns, &err) == 0);
    return s;
}

/* Lets the format look at the first record, as the reader of a file does, and notes what it saw. */
static bool look(const thr_format *f, thr_reader_settings *s, const char *p, size_t n)
{
    thr_error err = {0};
    bool labelled = s->labelled;
    if (!f->look)
        return true;
    CHECK(f->look(s, p, n, false, &labelled, &err) <= 1);
    int code = f->look(s, p, n, true, &labelled, &err);
    CHECK(code == 1 || (code < 0 && err.message[0]));
    s->found_bare = code == 1 && s->detect && !labelled;
    s->labelled = s->labelled && !s->found_bare;
    return code == 1;
}

/* The end of the last whole record is one of whatever ends there; a head may need more bytes. */
static void check_cutting(const thr_format *f, const thr_reader_settings *s, const char *p,
                          size_t n)
{
    thr_error err = {0};
    void *header = NULL;
    long took = f->header ? f->header(s, p, n, false, &header, &err) : 0;
    CHECK(took <= (long)n && (took >= 0 || err.message[0]));
    if (header)
        f->header_free(header);
    size_t from = took > 0 ? (size_t)took : 0, whole = f->cut ? f->cut(p + from, n - from) : 0;
    CHECK(whole <= n - from && (!f->cut || f->cut(p + from, whole) == whole));
}

/* Every format writes the examples or says why it cannot hold them. */
static void write_others(const reading *r, const thr_reader_settings *s)
{
    for (size_t i = 0; thr_formats[i]; i++) {
        thr_error err = {0};
        thr_writer w = {.batch = &r->batch, .features = &s->features, .err = &err};
        int code = 0;
        for (size_t e = 0; !code && e < r->batch.n; e++) {
            code = thr_formats[i]->write(&w, e);
            w.written += !code;
        }
        CHECK(code == 0 || (code == THR_EUSE && err.message[0]));
        if (thr_formats[i]->write_end)
            thr_formats[i]->write_end(&w);
        thr_bytes_clear(&w.out);
    }
}

static void run(const uint8_t *data, size_t size, const way *w)
{
    const thr_format *f = target();
    thr_reader_settings s = settings_of(w);
    reading r;
    check_cutting(f, &s, (const char *)data, size);
    if (!look(f, &s, (const char *)data, size))
        return;
    read_bytes(&r, f, &s, data, size);
    check_batch(&r);
    if (w->convert && r.ok) {
        write_others(&r, &s);
        if (!is_conll() || r.batch.n_problems == 0)
            check_round_trip(&r, f, &s);
    }
    reading_clear(&r, f);
}

static void run_all(const uint8_t *data, size_t size)
{
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
        if ((!ways[i].columns || has_columns()) && (!ways[i].template || is_conll()))
            run(data, size, &ways[i]);
}

/* ---- a cache whose checksums are right ---- */

/* Stamps the frame at `at`, cutting a length that leads outside. Returns where the frame ends. */
static size_t stamp_frame(char *p, size_t at, size_t n)
{
    uint32_t length;
    memcpy(&length, p + at, sizeof length);
    if (length > n - at - 16)
        length = (uint32_t)(n - at - 16);
    uint64_t hash = thr_hash(p + at + 16, length, 0);
    memcpy(p + at, &length, sizeof length);
    memcpy(p + at + 8, &hash, sizeof hash);
    return at + 16 + length;
}

static char *stamped(const uint8_t *data, size_t n)
{
    uint32_t length, version = THR_CACHE_VERSION;
    if (n < 24)
        return NULL;
    char *p = malloc(n);
    CHECK(p);
    memcpy(p, data, n);
    memcpy(p, "thrcache", 8);
    memcpy(p + 8, &version, sizeof version);
    memcpy(&length, p + 12, sizeof length);
    if (length > n - 24)
        length = (uint32_t)(n - 24);
    memcpy(p + 12, &length, sizeof length);
    uint64_t hash = thr_hash(p, 16 + length, 0);
    memcpy(p + 16 + length, &hash, sizeof hash);
    for (size_t at = 24 + length; n - at >= 16;)
        at = stamp_frame(p, at, n);
    return p;
}

/* Names are numbered across frames, which only a whole run puts together. */
static void train(const void *bytes, size_t size)
{
    thr_error err = {0};
    thr_input *in = thr_input_new();
    thr_settings *s = thr_settings_new();
    CHECK(in && s && thr_settings_set(s, "learner", "bayes:kind=bernoulli", &err) == 0);
    thr_model *m = thr_model_new(s, &err);
    thr_train_options o = {.passes = 2};
    thr_input_set_threads(in, 1);
    CHECK(m && thr_input_add_memory(in, bytes, size, "cache", &err) == 0);
    int code = thr_train(m, in, &o, NULL, &err);
    CHECK(code == 0 || err.message[0]);
    thr_model_free(m);
    thr_settings_free(s);
    thr_input_free(in);
}

/* What the bytes look like, alone and where this format is expected. */
static void detect(const char *p, size_t n)
{
    thr_cache_origin origin;
    thr_features features;
    for (int labelled = 0; labelled < 2; labelled++) {
        int fit = target()->probe ? target()->probe(p, n, labelled) : 0;
        CHECK(fit >= 0 && fit <= 100);
        CHECK(fit == 0 || thr_format_detect(p, n, labelled, NULL));
        CHECK(fit < 50 || thr_format_detect(p, n, labelled, target()) == target());
    }
    usual_features(&features);
    if (thr_cache_head(p, n, &features, &origin))
        CHECK(!origin.format || thr_format_find(origin.format->name) == origin.format);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    detect((const char *)data, size);
    run_all(data, size);
    char *cache = is_cache() ? stamped(data, size) : NULL;
    if (cache) {
        detect(cache, size);
        run_all((const uint8_t *)cache, size);
        train(cache, size);
    }
    free(cache);
    return 0;
}
