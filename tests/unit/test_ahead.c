/* What is found ahead of time: ids of names by the threads that parse, and the rows of the next
 * example. The model is that of one who knows a single example at a time. */
#include "model_help.h"

typedef struct stream {
    size_t lines, labels, words; /* one label is new in every lines / labels lines, ... */
    size_t names;                /* ... and of those that a line may have, more and more */
} stream;

/* Lines whose labels and names come late, so that rows become wider, more, and move. */
static thr_bytes late_lines(uint64_t seed, const stream *s)
{
    thr_random r;
    thr_bytes b = {0};
    thr_random_init(&r, seed);
    for (size_t i = 0; i < s->lines; i++) {
        size_t labels = 1 + i * s->labels / s->lines, names = 8 + i * s->names / s->lines;
        size_t label = (size_t)thr_random_below(&r, labels);
        assert_true(thr_bytes_printf(&b, "c%zu | l%zu", label, label));
        for (size_t k = 0; k < s->words; k++) {
            size_t name = (size_t)thr_random_below(&r, names);
            assert_true(thr_bytes_printf(&b, name % 2 ? " w%zu" : " %zu", name));
        }
        assert_true(thr_bytes_add(&b, "\n", 1));
    }
    assert_true(thr_bytes_add(&b, "", 1));
    b.n--;
    return b;
}

/* Lines of numbers that grow, and some of which are negative, so that units change all the time. */
static thr_bytes growing_lines(uint64_t seed, size_t lines)
{
    thr_random r;
    thr_bytes b = {0};
    thr_random_init(&r, seed);
    for (size_t i = 0; i < lines; i++) {
        assert_true(thr_bytes_printf(&b, "%zu |", (size_t)thr_random_below(&r, 2 + i / 1000)));
        for (size_t k = 0; k < 12; k++)
            assert_true(thr_bytes_printf(&b, " %zu:%s%zu", (size_t)thr_random_below(&r, 20 + i / 4),
                                         thr_random_below(&r, 9) ? "" : "-",
                                         1 + (size_t)thr_random_below(&r, 3 + i / 10)));
        assert_true(thr_bytes_add(&b, "\n", 1));
    }
    assert_true(thr_bytes_add(&b, "", 1));
    b.n--;
    return b;
}

static void teach_by(thr_model *m, const char *p, size_t n, unsigned threads,
                     const thr_train_options *o)
{
    thr_error err = {0};
    thr_input *in = thr_input_new();
    assert_non_null(in);
    thr_input_set_threads(in, threads);
    assert_int_equal(thr_input_add_memory(in, p, n, "memory", &err), 0);
    assert_int_equal(thr_input_set_format(in, "vw", &err), 0);
    if (thr_train(m, in, o, NULL, &err))
        fail_msg("line %d: %s", (int)err.line, err.message);
    thr_input_free(in);
}

static void teach_part(thr_model *m, const char *p, size_t n, unsigned threads)
{
    const thr_train_options o = {.passes = 1};
    teach_by(m, p, n, threads, &o);
}

static void teach_each(thr_model *m, const thr_bytes *text)
{
    for (const char *at = text->p, *end; at < text->p + text->n; at = end + 1) {
        end = strchr(at, '\n');
        teach_part(m, at, (size_t)(end + 1 - at), 1);
    }
}

static void compare(const char *learner, const char *more, const thr_bytes *text)
{
    thr_model *each = make_model(learner, more);
    teach_each(each, text);
    for (unsigned threads = 1; threads <= 4; threads += 3) {
        thr_model *all = make_model(learner, more);
        teach_part(all, text->p, text->n, threads);
        assert_same_model(each, all);
        thr_model_free(all);
    }
    thr_model_free(each);
}

static void test_late_labels(void **state)
{
    (void)state;
    static const char *const learner[] = {"averaged", "pa",    "balanced", "adagrad",
                                          "arow",     "bayes", "panel"};
    const stream s = {1200, 23, 12, 3000};
    thr_bytes text = late_lines(3, &s);
    for (size_t i = 0; i < sizeof learner / sizeof *learner; i++)
        compare(learner[i], NULL, &text);
    compare("pa", "min-count=2", &text);
    compare("pa", "hash-bits=9", &text);
    thr_bytes_clear(&text);
}

/* Several blocks, of which some are parsed before an eviction that the ones before them cause. */
static void test_four_threads_evict_the_same_features_as_one(void **state)
{
    (void)state;
    const stream s = {16000, 3, 12, 40000};
    thr_bytes text = late_lines(4, &s);
    assert_true(text.n > 1 << 20);
    thr_model *alone = make_model("perceptron", "max-features=2000");
    thr_model *four = make_model("perceptron", "max-features=2000");
    teach_part(alone, text.p, text.n, 1);
    teach_part(four, text.p, text.n, 4);
    assert_same_model(alone, four);
    thr_model_free(alone);
    thr_model_free(four);
    thr_bytes_clear(&text);
}

/* Names that are new in every block, looked for while others are added. */
static void test_four_threads_number_new_names_as_one_does(void **state)
{
    (void)state;
    const stream s = {16000, 3, 12, 200000};
    thr_bytes text = late_lines(5, &s);
    static const char *const more[] = {NULL, "hash-bits=12", "min-count=2"};
    for (size_t i = 0; i < sizeof more / sizeof *more; i++) {
        thr_model *alone = make_model("perceptron", more[i]),
                  *four = make_model("perceptron", more[i]);
        teach_part(alone, text.p, text.n, 1);
        teach_part(four, text.p, text.n, 4);
        assert_same_model(alone, four);
        thr_model_free(alone);
        thr_model_free(four);
    }
    thr_bytes_clear(&text);
}

static void compare_threads(const thr_bytes *text, const thr_train_options *o)
{
    thr_model *alone = make_model("panel", NULL);
    teach_by(alone, text->p, text->n, 1, o);
    for (unsigned threads = 2; threads <= 4; threads++) {
        thr_model *several = make_model("panel", NULL);
        teach_by(several, text->p, text->n, threads, o);
        assert_same_model(alone, several);
        thr_model_free(several);
    }
    thr_model_free(alone);
}

/* The examples of a stretch are found while members learn from those before it. */
static void test_units_grow_alike_in_several_threads(void **state)
{
    (void)state;
    const thr_train_options once = {.passes = 1};
    thr_bytes text = growing_lines(6, 4000);
    compare_threads(&text, &once);
    thr_bytes_clear(&text);
}

static void test_shuffled_passes_are_alike_in_several_threads(void **state)
{
    (void)state;
    const thr_train_options twice = {.passes = 2, .shuffle = true, .seed = 5};
    const stream s = {1500, 9, 12, 3000};
    thr_bytes text = late_lines(7, &s), numbers = growing_lines(8, 1500);
    compare_threads(&text, &twice);
    compare_threads(&numbers, &twice);
    thr_bytes_clear(&text);
    thr_bytes_clear(&numbers);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_units_grow_alike_in_several_threads),
        cmocka_unit_test(test_shuffled_passes_are_alike_in_several_threads),
        cmocka_unit_test(test_late_labels),
        cmocka_unit_test(test_four_threads_evict_the_same_features_as_one),
        cmocka_unit_test(test_four_threads_number_new_names_as_one_does),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
