/* Labels: numbers in order of appearance, and which of two is positive. */
#include "model_help.h"

#include "example/batch.h"
#include "multiclass/labels.h"

static thr_labels of(const char *declared, const char *first, const char *second)
{
    thr_labels l;
    uint32_t label;
    assert_int_equal(thr_labels_init(&l, declared, NULL), 0);
    if (first)
        assert_int_equal(thr_labels_add(&l, thr_str_of(first), &label, NULL), 0);
    if (second)
        assert_int_equal(thr_labels_add(&l, thr_str_of(second), &label, NULL), 0);
    return l;
}

static void test_positive_label_is_chosen_by_the_rules(void **state)
{
    (void)state;
    static const struct {
        const char *declared, *first, *second;
        uint32_t positive;
    } cases[] = {
        {NULL, "1", "-1", 0},
        {NULL, "-1", "1", 1},
        {NULL, "0", "1", 1},
        {NULL, "10", "9", 0},
        {NULL, "-2", "-10", 0},
        {NULL, "neg", "pos", 1},
        {NULL, "spam", "ham", 0},
        {NULL, "1e1", "9", 0},
        {NULL, "2", "x", 1},
        {"ham", "spam", "ham", 1},
        {"ham", "ham", "spam", 0},
        {"-1", "1", "-1", 1},
        {"other", "a", "b", 1},
        {"", "b", "a", 0},
        /* while one is known, a number at most 0 is negative, anything else positive */
        {NULL, "1", NULL, 0},
        {NULL, "0", NULL, 1},
        {NULL, "-1", NULL, 1},
        {NULL, "neg", NULL, 0},
        {"ham", "spam", NULL, 1},
        {"ham", "ham", NULL, 0},
        {NULL, NULL, NULL, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        thr_labels l = of(cases[i].declared, cases[i].first, cases[i].second), copy;
        if (l.positive != cases[i].positive)
            fail_msg("case %zu: %u is positive", i, l.positive);
        assert_int_equal(thr_labels_copy(&l, &copy, NULL), 0);
        assert_int_equal(copy.positive, l.positive);
        thr_labels_clear(&l);
        thr_labels_clear(&copy);
    }
}

static void test_thousands_of_labels_are_found_in_a_copy_too(void **state)
{
    (void)state;
    thr_labels l = of(NULL, NULL, NULL), copy;
    char name[16];
    uint32_t label;
    assert_int_equal(thr_labels_find(&l, thr_str_of("x")), THR_NONE);
    for (int round = 0; round < 2; round++)
        for (uint32_t i = 0; i < 5000; i++) {
            snprintf(name, sizeof name, "label %u", i);
            assert_int_equal(thr_labels_add(&l, thr_str_of(name), &label, NULL), 0);
            assert_int_equal(label, i);
        }
    assert_int_equal(l.n, 5000);
    assert_int_equal(thr_labels_copy(&l, &copy, NULL), 0);
    thr_labels_clear(&l);
    for (uint32_t i = 0; i < 5000; i++) {
        snprintf(name, sizeof name, "label %u", i);
        assert_int_equal(thr_labels_find(&copy, thr_str_of(name)), i);
    }
    assert_int_equal(thr_labels_find(&copy, (thr_str){NULL, 0}), THR_NONE);
    assert_int_equal(thr_labels_find(&copy, (thr_str){"label 1", 6}), THR_NONE);
    thr_labels_clear(&copy);
}

/* In numeric formats labels are values. */
static void test_numbers_are_values(void **state)
{
    (void)state;
    thr_model *m = make_model("pa", NULL);
    teach(m, "svmlight", "+1 1:1\n1 1:1\n1.0 2:1\n1e0 2:1\n-1 1:1\n-1.0 1:1\n");
    assert_int_equal(thr_model_labels(m), 2);
    assert_string_equal(thr_model_label(m, 0), "1");
    assert_string_equal(thr_model_label(m, 1), "-1");
    assert_int_equal(thr_model_positive(m), 0);
    assert_null(thr_model_label(m, 2));
    thr_model_free(m);
}

/* Mistakes before the second label is known: the first is taken for a side by its value, and a
 * tie says "positive". */
static void test_first_labels(void **state)
{
    (void)state;
    static const struct {
        const char *lines;
        uint64_t mistakes;
    } cases[] = {
        {"1 1:1\n", 0}, /* from nothing, the answer is positive */
        {"-1 1:1\n", 1},
        {"1 1:1\n-1 2:1\n", 1},
        {"-1 1:1\n1 2:1\n", 1}, /* a tie is positive, which the second label is */
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        thr_model *m = make_model("perceptron:bias=off", NULL);
        thr_stats s;
        teach(m, "svmlight", cases[i].lines);
        thr_model_stats(m, &s);
        if (s.mistakes != cases[i].mistakes)
            fail_msg("case %zu: %d mistakes", i, (int)s.mistakes);
        thr_model_free(m);
    }
}

/* All names of up to nine letters a and b: none is taken for another. */
static void test_names_apart(void **state)
{
    (void)state;
    thr_labels l;
    thr_error err;
    uint32_t n = 0, label;
    assert_int_equal(thr_labels_init(&l, NULL, &err), 0);
    for (int pass = 0; pass < 2; pass++, n = 0)
        for (size_t length = 1; length <= 9; length++)
            for (unsigned bits = 0; bits < 1u << length; bits++) {
                char name[10];
                for (size_t i = 0; i < length; i++)
                    name[i] = bits >> i & 1 ? 'b' : 'a';
                thr_str text = {name, length};
                assert_int_equal(thr_labels_find(&l, text), pass ? n : UINT32_MAX);
                assert_int_equal(thr_labels_add(&l, text, &label, &err), 0);
                assert_int_equal(label, n++);
            }
    assert_int_equal(l.n, 1022);
    thr_labels_clear(&l);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_positive_label_is_chosen_by_the_rules),
        cmocka_unit_test(test_thousands_of_labels_are_found_in_a_copy_too),
        cmocka_unit_test(test_numbers_are_values),
        cmocka_unit_test(test_first_labels),
        cmocka_unit_test(test_names_apart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
