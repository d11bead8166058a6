/* Formulas: read, held against points, printed; and where a message points when they are wrong. */
#include "concepts/formula.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

static void printed_as(const char *text, const char *expected, size_t most)
{
    thr_variables v = {0};
    thr_formula f;
    thr_bytes out = {0};
    thr_error err = {0};
    if (thr_formula_parse(&f, text, &v, true, &err))
        fail_msg("%s: %s at %llu", text, err.message, (unsigned long long)err.column);
    assert_true(thr_concept_print(thr_formula_concept(&f), &v, most, &out));
    assert_string_equal(out.p, expected);
    thr_bytes_clear(&out);
    thr_formula_clear(&f);
    thr_variables_clear(&v);
}

static void test_reads_and_prints(void **state)
{
    (void)state;
    static const char *const same[] = {
        "x2 & x3 & !x10",
        "x2 | !x3",
        "2 of (x1, x2, !x5)",
        "true",
        "false",
        "x1",
        "!x1",
        "2 & 3",
        "2",
        "of & x",
        "\"a b\" & \"c|d\"",
        "\"say \"\"so\"\"\" | !\"!\"",
        "\"true\" & xtrue",
        "3 of (a, b, c, d)",
    };
    for (size_t i = 0; i < sizeof same / sizeof *same; i++)
        printed_as(same[i], same[i], SIZE_MAX);
    printed_as("  x1&x2 ", "x1 & x2", SIZE_MAX);
    printed_as("! x1|x2", "!x1 | x2", SIZE_MAX);
    printed_as("1 of (a, b)", "a | b", SIZE_MAX);
    printed_as("2 of(a,b)", "a & b", SIZE_MAX);
    printed_as("1 of (a)", "a", SIZE_MAX);
}

static void test_long_ones_are_shortened(void **state)
{
    (void)state;
    printed_as("a & b & c & d", "a & b & (2 more)", 2);
    printed_as("a | b", "a | b", 2);
    printed_as("2 of (a, b, c)", "2 of (a, (2 more))", 1);
}

static void test_errors_have_a_column(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        uint64_t column;
        const char *says;
    } wrong[] = {
        {"", 1, "missing"},
        {"   ", 4, "missing"},
        {"x1 &", 5, "missing"},
        {"x1 & & x2", 6, "expected"},
        {"x1 x2", 4, "over"},
        {"x1 & x2 | x3", 9, "not by both"},
        {"x1 | x2 & x3", 9, "not by both"},
        {"x1 & !x1", 7, "already"},
        {"!!x1", 2, "expected"},
        {"(x1)", 1, "expected"},
        {"0 of (x1, x2)", 1, "at least 1"},
        {"3 of (x1, x2)", 1, "at most"},
        {"99999999999999999999999 of (x1)", 1, "at most"},
        {"2 of (x1, x2", 13, "')' is missing"},
        {"2 of (x1 x2)", 10, "',' or ')'"},
        {"2 of x1", 6, "'('"},
        {"2 of ()", 7, "expected"},
        {"x1 & \"x2", 6, "does not end"},
        {"\"\" & x", 1, "has a name"},
        {"true & x1", 6, "over"},
        {"2 of", 3, "over"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        thr_variables v = {0};
        thr_formula f;
        thr_error err = {0};
        assert_int_equal(thr_formula_parse(&f, wrong[i].text, &v, true, &err), THR_EDATA);
        if (err.column != wrong[i].column || !strstr(err.message, wrong[i].says))
            fail_msg("'%s': column %llu, %s", wrong[i].text, (unsigned long long)err.column,
                     err.message);
        thr_formula_clear(&f);
        assert_int_equal(thr_formula_parse(&f, wrong[i].text, &v, true, NULL), THR_EDATA);
        thr_formula_clear(&f);
        thr_variables_clear(&v);
    }
}

static void test_closed_variables(void **state)
{
    (void)state;
    thr_variables v = {0};
    thr_formula f;
    thr_error err = {0};
    assert_int_equal(thr_variables_number(&v, 3, &err), 0);
    assert_int_equal(thr_formula_parse(&f, "x1 & x4", &v, false, &err), THR_EDATA);
    assert_int_equal(err.column, 6);
    assert_int_equal(v.n, 3);
    thr_formula_clear(&f);
    assert_int_equal(thr_variables_list(&v, "a,b", &err), 0);
    assert_int_equal(thr_variables_find(&v, thr_str_of("b")), 4);
    assert_int_equal(thr_variables_find(&v, thr_str_of("c")), THR_NO_VARIABLE);
    assert_int_equal(thr_variables_list(&v, "c,a", &err), THR_EUSE);
    assert_int_equal(thr_variables_list(&v, "d,,e", &err), THR_EUSE);
    thr_variables_clear(&v);
    assert_int_equal(thr_variables_number(&v, 5000, &err), 0); /* more than the first table */
    assert_int_equal(thr_variables_find(&v, thr_str_of("x5000")), 4999);
    assert_int_equal(thr_variables_find(&v, thr_str_of("x05000")), THR_NO_VARIABLE);
    thr_variables_clear(&v);
}

/* Against counting by hand, on all points of three variables. */
static void test_formulas_hold_where_counting_by_hand_says(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        const char *on; /* points a b c, for c + 2b + 4a from 0 to 7 */
    } truth[] = {
        {"true", "11111111"},      {"false", "00000000"},          {"a", "00001111"},
        {"!b", "11001100"},        {"a & !b", "00001100"},         {"a | !b", "11001111"},
        {"a & b & c", "00000001"}, {"2 of (a, b, c)", "00010111"}, {"2 of (a, !b, c)", "01001101"},
    };
    for (size_t i = 0; i < sizeof truth / sizeof *truth; i++) {
        thr_variables v = {0};
        thr_formula f;
        assert_int_equal(thr_variables_list(&v, "a,b,c", NULL), 0);
        assert_int_equal(thr_formula_parse(&f, truth[i].text, &v, false, NULL), 0);
        for (int p = 0; p < 8; p++) {
            bool x[3] = {p & 4, p & 2, p & 1};
            if (thr_concept_holds(thr_formula_concept(&f), x) != (truth[i].on[p] == '1'))
                fail_msg("%s at %d", truth[i].text, p);
        }
        thr_formula_clear(&f);
        thr_variables_clear(&v);
    }
}

static void test_order_of_literals_makes_no_difference(void **state)
{
    (void)state;
    const uint32_t a[] = {2, 5, 6}, b[] = {6, 2, 5}, c[] = {2, 4, 6};
    assert_true(thr_concept_same((thr_concept){a, 3, 2}, (thr_concept){b, 3, 2}));
    assert_false(thr_concept_same((thr_concept){a, 3, 2}, (thr_concept){b, 3, 1}));
    assert_false(thr_concept_same((thr_concept){a, 3, 3}, (thr_concept){c, 3, 3}));
    assert_false(thr_concept_same((thr_concept){a, 2, 2}, (thr_concept){a, 3, 2}));
}

/* In linear time: a comparison of each literal with all before it would take minutes. */
static void test_long_ones_are_read_quickly(void **state)
{
    (void)state;
    enum { LITERALS = 300000 };
    thr_variables v = {0};
    thr_formula f;
    thr_bytes text = {0};
    thr_error err = {0};
    for (int i = 0; i < LITERALS; i++)
        assert_true(thr_bytes_printf(&text, "%s%d", i ? "|!x" : "x", i));
    clock_t before = clock();
    for (int again = 0; again < 2; again++) { /* the second has only names that are known */
        assert_int_equal(thr_formula_parse(&f, text.p, &v, !again, &err), 0);
        assert_int_equal(f.n, LITERALS);
        thr_formula_clear(&f);
    }
    assert_true((double)(clock() - before) / CLOCKS_PER_SEC < 10);
    assert_true(thr_bytes_printf(&text, "|x7"));
    assert_int_equal(thr_formula_parse(&f, text.p, &v, true, &err), THR_EDATA);
    assert_string_equal(err.message, "this variable is in the formula already");
    thr_formula_clear(&f);
    thr_bytes_clear(&text);
    thr_variables_clear(&v);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reads_and_prints),
        cmocka_unit_test(test_long_ones_are_shortened),
        cmocka_unit_test(test_errors_have_a_column),
        cmocka_unit_test(test_closed_variables),
        cmocka_unit_test(test_formulas_hold_where_counting_by_hand_says),
        cmocka_unit_test(test_order_of_literals_makes_no_difference),
        cmocka_unit_test(test_long_ones_are_read_quickly),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
