/* The cache: training on it gives the model that training on its source gives, other feature
 * settings are refused, and so is damage in any byte. */
#include "model_help.h"

#include "base/hash.h"
#include "format/cache.h"
#include "format/packed.h"

#include <sys/mman.h>
#include <unistd.h>

static int collect(void *user, const void *p, size_t n)
{
    return thr_bytes_add(user, p, n) ? 0 : THR_EMEM;
}

static thr_bytes cache_of(const char *format, const thr_bytes *text)
{
    thr_error err = {0};
    thr_bytes cache = {0};
    thr_input *in = thr_input_new();
    assert_int_equal(thr_input_add_memory(in, text->p, text->n, "text", &err), 0);
    assert_int_equal(thr_input_set_format(in, format, &err), 0);
    if (thr_convert(in, "cache", NULL, collect, &cache, NULL, NULL, &err))
        fail_msg("%s", err.message);
    thr_input_free(in);
    return cache;
}

/* Trains on bytes that are a cache, found out by content. */
static int train(thr_model *m, const char *p, size_t n, unsigned threads, thr_error *err)
{
    thr_input *in = thr_input_new();
    assert_int_equal(thr_input_add_memory(in, p, n, "cache", err), 0);
    thr_input_set_threads(in, threads);
    thr_train_options o = {.passes = 2};
    int code = thr_train(m, in, &o, NULL, err);
    thr_input_free(in);
    return code;
}

static thr_bytes some_text(size_t lines)
{
    thr_random r;
    thr_bytes b = {0};
    thr_random_init(&r, 4);
    for (size_t i = 0; i < lines; i++)
        assert_true(thr_bytes_printf(&b, "%s\tid%zu\tThe fox%d, a caf\303\251 and %d words\n",
                                     i % 3 ? "spam" : "ham", i, (int)thr_random_below(&r, 3000),
                                     (int)thr_random_below(&r, 50)));
    return b;
}

/* The model of a format's text is that of its cache, `threads` of them reading it; both have
 * learned from `before`, unless it is NULL. */
static void assert_same_both_ways(const char *learner, const char *format, const thr_bytes *text,
                                  const thr_bytes *cache, unsigned threads, const char *before)
{
    thr_error err = {0};
    thr_model *direct = make_model(learner, NULL), *cached = make_model(learner, NULL);
    if (before) {
        teach(direct, format, before);
        teach(cached, format, before);
    }
    teach_bytes(direct, format, text->p, text->n);
    teach_bytes(direct, format, text->p, text->n);
    if (train(cached, cache->p, cache->n, threads, &err))
        fail_msg("%s", err.message);
    thr_bytes a = dumped(direct, true), b = dumped(cached, true);
    assert_same_bytes(&a, &b);
    thr_bytes_clear(&a);
    thr_bytes_clear(&b);
    thr_model_free(direct);
    thr_model_free(cached);
}

/* Several frames, names and integers, one thread and several, every learner. */
static void test_same_model(void **state)
{
    (void)state;
    static const char *const formats[] = {"vw", "text"};
    for (int f = 0; f < 2; f++) {
        thr_bytes text = f ? some_text(32000) : random_lines(2, 100000, 3, true);
        thr_bytes cache = cache_of(formats[f], &text);
        assert_true(cache.n > 9 << 17);
        for (unsigned i = 0; i < 3; i++) {
            const char *learner = (const char *[]){"pa", "bayes", "balanced"}[i];
            assert_same_both_ways(learner, formats[f], &text, &cache, i + 1, NULL);
        }
        thr_bytes_clear(&text);
        thr_bytes_clear(&cache);
    }
}

/* A model that knows names already calls those of a cache otherwise than the cache does. */
static void test_known_names(void **state)
{
    (void)state;
    thr_bytes before = random_lines(5, 200, 3, true), text = random_lines(2, 3000, 3, true);
    thr_bytes cache = cache_of("vw", &text);
    assert_same_both_ways("pa", "vw", &text, &cache, 1, before.p);
    thr_bytes_clear(&before);
    thr_bytes_clear(&text);
    thr_bytes_clear(&cache);
}

static int in_order(void *user, const thr_prediction *p)
{
    return p->line == ++*(uint64_t *)user ? 0 : THR_EDATA;
}

/* Examples are numbered through, from frame to frame and from block to block. */
static void test_examples_are_numbered_across_frames_and_blocks(void **state)
{
    (void)state;
    thr_error err = {0};
    thr_bytes text = random_lines(2, 90000, 2, false), cache = cache_of("vw", &text);
    thr_model *m = make_model("pa", NULL);
    thr_input *in = thr_input_new();
    uint64_t last = 0;
    assert_int_equal(thr_input_add_memory(in, cache.p, cache.n, "cache", &err), 0);
    if (thr_predict(m, in, in_order, &last, NULL, NULL, NULL, &err))
        fail_msg("example %d: %s", (int)last, err.message);
    assert_int_equal(last, 90000);
    thr_input_free(in);
    thr_model_free(m);
    thr_bytes_clear(&text);
    thr_bytes_clear(&cache);
}

static void test_other_settings(void **state)
{
    (void)state;
    static const char *const other[] = {"ngrams=2",        "fold=off",  "values=count",
                                        "tokens=spaces",   "conjoin=2", "cross=a*b",
                                        "char-ngrams=2-3", "skip=1"};
    thr_bytes text = some_text(10), cache = cache_of("text", &text);
    for (size_t i = 0; i < sizeof other / sizeof *other; i++) {
        thr_error err = {0};
        thr_model *m = make_model("pa", other[i]);
        assert_int_equal(train(m, cache.p, cache.n, 1, &err), THR_EDATA);
        assert_non_null(strstr(err.message, "other feature settings"));
        thr_model_free(m);
    }
    thr_model *m = make_model("pa", "unit=off"); /* is left to the reading */
    assert_int_equal(train(m, cache.p, cache.n, 1, NULL), 0);
    thr_model_free(m);
    thr_bytes_clear(&text);
    thr_bytes_clear(&cache);
}

/* Every single bit, and every cut. The error is not one of format: what is left of the head
 * decides that, so the format is named. */
static void test_every_flipped_bit_and_every_cut_is_an_error(void **state)
{
    (void)state;
    thr_bytes text = random_lines(3, 12, 2, true), cache = cache_of("vw", &text);
    thr_model *empty = make_model("perceptron", NULL);
    for (size_t bit = 0; bit < cache.n * 9; bit++) {
        thr_error err = {0};
        bool cut = bit >= cache.n * 8;
        size_t n = cut ? bit - cache.n * 8 : cache.n;
        if (!cut)
            cache.p[bit / 8] ^= (char)(1 << bit % 8);
        thr_input *in = thr_input_new();
        thr_input_add_memory(in, cache.p, n, "cache", NULL);
        thr_input_set_format(in, "cache", NULL);
        thr_input_set_threads(in, 1);
        thr_train_options o = {.passes = 1};
        thr_model *m = thr_model_clone(empty, NULL);
        if (thr_train(m, in, &o, NULL, &err) != THR_EDATA)
            fail_msg("%s %zu of %zu went unnoticed", cut ? "a cut at" : "bit", cut ? n : bit,
                     cache.n);
        thr_model_free(m);
        thr_input_free(in);
        if (!cut)
            cache.p[bit / 8] ^= (char)(1 << bit % 8);
    }
    thr_model_free(empty);
    thr_bytes_clear(&text);
    thr_bytes_clear(&cache);
}

/* A number may only name what came before it, also when a frame before brought no name. */
static void test_names_from_nowhere(void **state)
{
    (void)state;
    thr_error err = {0};
    thr_bytes text = {0}, one = {0};
    assert_true(thr_bytes_printf(&text, "1 | a b\n") && thr_bytes_printf(&one, "1 | c\n"));
    thr_bytes first = cache_of("vw", &text), second = cache_of("vw", &one);
    uint32_t head;
    memcpy(&head, first.p + 12, sizeof head);
    size_t frames = 24 + head;
    assert_true(thr_bytes_add(&first, second.p + frames, second.n - frames));
    thr_model *m = make_model("pa", NULL);
    assert_int_equal(train(m, first.p, first.n, 1, &err), THR_EDATA);
    thr_model_free(m);
    thr_bytes_clear(&first);
    thr_bytes_clear(&second);
    thr_bytes_clear(&text);
    thr_bytes_clear(&one);
}

/* The body of the first frame. */
static char *body_of(const thr_bytes *cache, uint32_t *length)
{
    uint32_t head;
    memcpy(&head, cache->p + 12, sizeof head);
    char *frame = cache->p + 24 + head;
    memcpy(length, frame, sizeof *length);
    return frame + 16;
}

/* n bytes of the body are made others, and the checksum right again. Counted from its end where
 * `at` is negative. */
static int train_changed(const thr_bytes *cache, long at, uint32_t to, size_t n)
{
    uint32_t length;
    thr_bytes copy = {0};
    assert_true(thr_bytes_add(&copy, cache->p, cache->n));
    char *body = body_of(&copy, &length), *place = body + at + (at < 0 ? (long)length : 0);
    assert_true(body + length == copy.p + copy.n && place >= body && place + n <= body + length);
    memcpy(place, &to, n);
    uint64_t hash = thr_hash(body, length, 0);
    memcpy(body - sizeof hash, &hash, sizeof hash);
    thr_model *m = make_model("pa", NULL);
    thr_error err = {0};
    int code = train(m, copy.p, copy.n, 1, &err);
    thr_model_free(m);
    thr_bytes_clear(&copy);
    return code;
}

typedef struct change {
    long at;
    uint32_t to;
    size_t n;
    int code;
} change;

static void check_changes(const char *line, const change *c, size_t n)
{
    thr_bytes text = {0};
    assert_true(thr_bytes_printf(&text, "%s", line));
    thr_bytes cache = cache_of("vw", &text);
    for (size_t i = 0; i < n; i++)
        if (train_changed(&cache, c[i].at, c[i].to, c[i].n) != c[i].code)
            fail_msg("change %zu of %s", i, line);
    thr_bytes_clear(&cache);
    thr_bytes_clear(&text);
}

/* Offsets in a body. */
enum { KEY_BITS = 36, VALUE_BITS = 37, PLACES = 38, ZERO = 39, LEAST = 40 };
enum { BAD = THR_EDATA };

/* Checksums do not make sense of what they are over: values are finite, numbers name something. */
static void test_bad_values_under_a_good_checksum_are_refused(void **state)
{
    (void)state;
    enum { VALUE = -32 - 4, KEY = -32 - 12 - 32 - 1 }; /* the last value; keys of two bits */
    static const change c[] = {
        {VALUE, 0x40000000, 4, 0},   {VALUE, 0x7f800000, 4, BAD}, {VALUE, 0xff800000, 4, BAD},
        {VALUE, 0x7fc00000, 4, BAD}, {VALUE, 0xffffffff, 4, BAD}, {KEY, 0x24, 1, 0},
        {KEY, 0x14, 1, 0},           {KEY, 0x34, 1, BAD},         {KEY, 0x27, 1, BAD},
        {PLACES, 1, 1, BAD},         {LEAST, 1, 4, BAD},          {VALUE_BITS, 31, 1, BAD},
        {VALUE_BITS, 25, 1, BAD},    {VALUE_BITS, 32, 1, 0},
    };
    check_changes("1 | a:3 b c:1e-30\n", c, sizeof c / sizeof *c);
}

/* Columns by example: a label of the list, as many features as there are, an importance that is
 * finite and not negative. */
static void test_nonsense_about(void **state)
{
    (void)state;
    enum { VALUES = -33, KEYS = -66, SECOND = -70, FIRST = -74, COUNT = -82, LABEL = -90 };
    static const change c[] = {
        {VALUES, 0xff, 1, 0},        {KEYS, 0x24, 1, 0},         {KEYS, 0x34, 1, BAD},
        {KEYS, 0xff, 1, BAD},        {SECOND, 0x3f800000, 4, 0}, {FIRST, 0x7f800000, 4, BAD},
        {FIRST, 0xbf800000, 4, BAD}, {COUNT, 4, 4, BAD},         {COUNT, 2, 4, BAD},
        {COUNT, UINT32_MAX, 4, BAD}, {LABEL, 2, 4, 0},           {LABEL, 3, 4, BAD},
        {LABEL, UINT32_MAX, 4, BAD},
    };
    check_changes("1 0.5 | a:3 b c:2\n-1 2 | a\n", c, sizeof c / sizeof *c);
}

/* Widths, places and the least value: what no writer says is refused. */
static void test_nonsense_packing(void **state)
{
    (void)state;
    uint32_t most = THR_DECIMALS_MOST;
    const change with[] = {
        {KEY_BITS, 0, 1, BAD},
        {KEY_BITS, 9, 1, BAD},
        {KEY_BITS, 26, 1, BAD},
        {KEY_BITS, 31, 1, BAD},
        {KEY_BITS, 33, 1, BAD},
        {KEY_BITS, 255, 1, BAD},
        {KEY_BITS, 2, 1, 0},
        {VALUE_BITS, 2, 1, 0},
        {VALUE_BITS, 26, 1, BAD},
        {VALUE_BITS, 31, 1, BAD},
        {VALUE_BITS, 32, 1, BAD},
        {VALUE_BITS, 255, 1, BAD},
        {PLACES, THR_PLACES_MOST, 1, 0},
        {PLACES, THR_PLACES_MOST + 1, 1, BAD},
        {PLACES, 255, 1, BAD},
        {ZERO, 1, 1, BAD},
        {LEAST, most, 4, 0},
        {LEAST, most + 1, 4, BAD},
        {LEAST, 0 - most, 4, 0},
        {LEAST, 0 - most - 1, 4, BAD},
        {LEAST, 0x80000000, 4, BAD},
        {LEAST, 0x7fffffff, 4, BAD},
    };
    check_changes("1 | a:3 b c:2\n", with, sizeof with / sizeof *with);
    static const change without[] = {
        {VALUE_BITS, 1, 1, BAD}, {VALUE_BITS, 32, 1, BAD}, {PLACES, 1, 1, BAD},
        {LEAST, 1, 4, BAD},      {KEY_BITS, 2, 1, 0},      {KEY_BITS, 32, 1, BAD},
    };
    check_changes("1 | a b c\n", without, sizeof without / sizeof *without);
}

/* ---- values and keys that fit, and some that do not ---------------------------------------- */

/* Back to text: values as they were. */
static void assert_values_back(const thr_bytes *text, const thr_bytes *cache)
{
    thr_error err = {0};
    thr_bytes back = {0};
    thr_input *in = thr_input_new();
    assert_int_equal(thr_input_add_memory(in, cache->p, cache->n, "cache", &err), 0);
    if (thr_convert(in, "vw", NULL, collect, &back, NULL, NULL, &err))
        fail_msg("%s", err.message);
    assert_same_bytes(text, &back);
    thr_bytes_clear(&back);
    thr_input_free(in);
}

static void test_values_are_packed_as_short_decimals_or_floats(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        uint8_t bits, places;
        int32_t least;
    } cases[] = {
        {"1 | a b c\n", 0, 0, 0},
        {"1 | a:2 b:2\n", 0, 0, 2},
        {"1 | a:-3 b c:12\n", 4, 0, -3},
        {"1 | a:1.5 b:-0.25 c:0.1234\n", 15, 4, -2500},
        {"1 | a:0.128052 b:-0.946164\n", 21, 6, -946164},
        {"1 | a:16777215 b:-16777215\n", 25, 0, -16777215},
        {"1 | a:16777216 b:2\n", 32, 0, 0},
        {"1 | a:1e-30 b:2\n", 32, 0, 0},
        {"1 | a:3.1415927 b:2\n", 32, 0, 0},
        {"1 | a:1e30 b:2\n", 32, 0, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        thr_bytes text = {0};
        assert_true(thr_bytes_printf(&text, "%s", cases[i].text));
        thr_bytes cache = cache_of("vw", &text);
        uint32_t length;
        int32_t least;
        const char *body = body_of(&cache, &length);
        memcpy(&least, body + LEAST, sizeof least);
        assert_int_equal(body[VALUE_BITS], cases[i].bits);
        assert_int_equal(body[PLACES], cases[i].places);
        assert_int_equal(least, cases[i].least);
        assert_values_back(&text, &cache);
        assert_same_both_ways("pa", "vw", &text, &cache, 1, NULL);
        thr_bytes_clear(&text);
        thr_bytes_clear(&cache);
    }
}

/* Frames with wider and wider keys, with values of both kinds and without; in one block a frame
 * without values comes before those that have some, and behind them. */
static void test_frames_of_any_key_width_give_the_same_model(void **state)
{
    (void)state;
    static const char *const value[] = {"", ":0.125", ":-7e-20"};
    thr_bytes text = {0};
    unsigned widths[33] = {0};
    for (unsigned i = 0, f = 0; i < 2400; i++) {
        assert_true(thr_bytes_printf(&text, "%d |", i % 3 ? 1 : -1));
        for (unsigned k = 0; k < 60; k++)
            assert_true(thr_bytes_printf(&text, " %u%s", k % 2 ? f++ : f / 3,
                                         k % 7 ? "" : value[i / 300 % 3]));
        assert_true(thr_bytes_add(&text, "\n", 1));
    }
    thr_bytes cache = cache_of("vw", &text);
    uint32_t length;
    for (char *body = body_of(&cache, &length); body < cache.p + cache.n; body += length + 16) {
        memcpy(&length, body - 16, sizeof length);
        widths[(unsigned char)body[KEY_BITS]]++;
    }
    assert_true(widths[13] && widths[16] && widths[17]);
    assert_same_both_ways("pa", "vw", &text, &cache, 1, NULL);
    thr_bytes_clear(&text);
    thr_bytes_clear(&cache);
}

/* A frame that says it has 4 GiB is not there, or it is followed by others. Sums of 32 bits became
 * 0 here, and the search for the last whole frame did not end. */
static void test_frames_of_4_gib_are_cut_off_whole(void **state)
{
    (void)state;
    const size_t size = (size_t)1 << 32, head = 16;
    const uint32_t length[] = {UINT32_MAX - 15, UINT32_MAX};
    char *p = mmap(NULL, 2 * size, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p == MAP_FAILED)
        skip();
    alarm(60); /* against a loop without an end */
    for (size_t i = 0; i < 2; i++) {
        size_t whole = head + length[i];
        memcpy(p, &length[i], sizeof length[i]);
        memcpy(p + whole, &length[i], sizeof length[i]);
        assert_true(thr_format_cache.cut(p, whole - 1) == 0);
        assert_true(thr_format_cache.cut(p, whole) == whole);
        assert_true(thr_format_cache.cut(p, whole + 64) == whole);
        memset(p + whole, 0, sizeof length[i]);
    }
    alarm(0);
    munmap(p, 2 * size);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_model),
        cmocka_unit_test(test_examples_are_numbered_across_frames_and_blocks),
        cmocka_unit_test(test_other_settings),
        cmocka_unit_test(test_every_flipped_bit_and_every_cut_is_an_error),
        cmocka_unit_test(test_names_from_nowhere),
        cmocka_unit_test(test_bad_values_under_a_good_checksum_are_refused),
        cmocka_unit_test(test_nonsense_about),
        cmocka_unit_test(test_known_names),
        cmocka_unit_test(test_nonsense_packing),
        cmocka_unit_test(test_values_are_packed_as_short_decimals_or_floats),
        cmocka_unit_test(test_frames_of_4_gib_are_cut_off_whole),
        cmocka_unit_test(test_frames_of_any_key_width_give_the_same_model),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
