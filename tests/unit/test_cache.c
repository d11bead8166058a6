/* The cache: training on it gives the model that training on its source gives, other feature
 * settings are refused, and so is damage in any byte. */
#include "model_help.h"

#include "base/hash.h"

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

/* Several frames, names and integers, one thread and several, every learner. */
static void test_same_model(void **state)
{
    (void)state;
    static const char *const formats[] = {"vw", "text"};
    for (int f = 0; f < 2; f++) {
        thr_bytes text = f ? some_text(24000) : random_lines(2, 60000, 3, true);
        thr_bytes cache = cache_of(formats[f], &text);
        assert_true(cache.n > 9 << 17);
        for (unsigned i = 0; i < 3; i++) {
            const char *learner = (const char *[]){"pa", "bayes", "balanced"}[i];
            thr_error err = {0};
            thr_model *direct = make_model(learner, NULL), *cached = make_model(learner, NULL);
            teach_bytes(direct, formats[f], text.p, text.n);
            teach_bytes(direct, formats[f], text.p, text.n);
            if (train(cached, cache.p, cache.n, i + 1, &err))
                fail_msg("%s", err.message);
            thr_bytes a = dumped(direct, true), b = dumped(cached, true);
            assert_same_bytes(&a, &b);
            thr_bytes_clear(&a);
            thr_bytes_clear(&b);
            thr_model_free(direct);
            thr_model_free(cached);
        }
        thr_bytes_clear(&text);
        thr_bytes_clear(&cache);
    }
}

/* A model that knows names already calls those of a cache otherwise than the cache does. */
static void test_known_names(void **state)
{
    (void)state;
    thr_error err = {0};
    thr_bytes before = random_lines(5, 200, 3, true), text = random_lines(2, 3000, 3, true);
    thr_bytes cache = cache_of("vw", &text);
    thr_model *direct = make_model("pa", NULL), *cached = make_model("pa", NULL);
    teach_bytes(direct, "vw", before.p, before.n);
    teach_bytes(cached, "vw", before.p, before.n);
    teach_bytes(direct, "vw", text.p, text.n);
    teach_bytes(direct, "vw", text.p, text.n);
    if (train(cached, cache.p, cache.n, 1, &err))
        fail_msg("%s", err.message);
    thr_bytes a = dumped(direct, true), b = dumped(cached, true);
    assert_same_bytes(&a, &b);
    thr_bytes_clear(&a);
    thr_bytes_clear(&b);
    thr_model_free(direct);
    thr_model_free(cached);
    thr_bytes_clear(&before);
    thr_bytes_clear(&text);
    thr_bytes_clear(&cache);
}

static int in_order(void *user, const thr_prediction *p)
{
    return p->line == ++*(uint64_t *)user ? 0 : THR_EDATA;
}

/* Examples are numbered through, from frame to frame and from block to block. */
static void test_numbers(void **state)
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
static void test_damage(void **state)
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

/* Checksums do not make sense of what they are over: values are finite, numbers name something. */
static void test_nonsense(void **state)
{
    (void)state;
    static const uint32_t value[] = {0x40000000, 0x7f800000, 0xff800000, 0x7fc00000, 0xffffffff};
    thr_bytes text = {0};
    assert_true(thr_bytes_printf(&text, "1 | a:3 b c:2\n"));
    thr_bytes cache = cache_of("vw", &text);
    uint32_t head, length;
    memcpy(&head, cache.p + 12, sizeof head);
    char *frame = cache.p + 24 + head;
    memcpy(&length, frame, sizeof length);
    assert_true(frame + 16 + length == cache.p + cache.n);
    for (size_t i = 0; i < 7; i++) {
        thr_error err = {0};
        uint32_t number = i == 6 ? 3 : 2, x = value[i < 5 ? i : 0];
        memcpy(frame + 16 + length - 4, &x, sizeof x);
        memcpy(frame + 16 + length - 16, &number, sizeof number);
        uint64_t hash = thr_hash(frame + 16, length, 0);
        memcpy(frame + 8, &hash, sizeof hash);
        thr_model *m = make_model("pa", NULL);
        assert_int_equal(train(m, cache.p, cache.n, 1, &err), i % 5 == 0 ? 0 : THR_EDATA);
        thr_model_free(m);
    }
    thr_bytes_clear(&cache);
    thr_bytes_clear(&text);
}

/* One word of the body, counted from its end, is made another, and the checksum right again. */
static int train_changed(const thr_bytes *cache, size_t from_end, uint32_t word)
{
    uint32_t head, length;
    thr_bytes copy = {0};
    assert_true(thr_bytes_add(&copy, cache->p, cache->n));
    memcpy(&head, copy.p + 12, sizeof head);
    char *frame = copy.p + 24 + head;
    memcpy(&length, frame, sizeof length);
    assert_true(frame + 16 + length == copy.p + copy.n && from_end * sizeof word <= length);
    memcpy(frame + 16 + length - from_end * sizeof word, &word, sizeof word);
    uint64_t hash = thr_hash(frame + 16, length, 0);
    memcpy(frame + 8, &hash, sizeof hash);
    thr_model *m = make_model("pa", NULL);
    thr_error err = {0};
    int code = train(m, copy.p, copy.n, 1, &err);
    thr_model_free(m);
    thr_bytes_clear(&copy);
    return code;
}

/* Columns by example: a label of the list, as many features as there are, an importance that is
 * finite and not negative. */
static void test_nonsense_about(void **state)
{
    (void)state;
    thr_bytes text = {0};
    assert_true(thr_bytes_printf(&text, "1 0.5 | a:3 b c:2\n-1 2 | a\n"));
    thr_bytes cache = cache_of("vw", &text);
    enum { VALUES = 4, KEYS = 8, SECOND = 9, FIRST = 10, COUNT = 12, LABEL = 14 };
    static const struct {
        size_t from_end;
        uint32_t word;
        int code;
    } cases[] = {
        {VALUES, 0x40000000, 0},        {VALUES, 0x7fc00000, THR_EDATA}, {KEYS, 2, 0},
        {KEYS, 3, THR_EDATA},           {KEYS, UINT32_MAX, THR_EDATA},   {SECOND, 0x3f800000, 0},
        {FIRST, 0x7f800000, THR_EDATA}, {FIRST, 0xbf800000, THR_EDATA},  {COUNT, 4, THR_EDATA},
        {COUNT, 2, THR_EDATA},          {COUNT, UINT32_MAX, THR_EDATA},  {LABEL, 2, 0},
        {LABEL, 3, THR_EDATA},          {LABEL, UINT32_MAX, THR_EDATA},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_int_equal(train_changed(&cache, cases[i].from_end, cases[i].word), cases[i].code);
    thr_bytes_clear(&cache);
    thr_bytes_clear(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_model),         cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_other_settings),     cmocka_unit_test(test_damage),
        cmocka_unit_test(test_names_from_nowhere), cmocka_unit_test(test_nonsense),
        cmocka_unit_test(test_nonsense_about),     cmocka_unit_test(test_known_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
