/* The rule that accepts a hypothesis, at numbers worked out by hand. */
#include "measure/pac.h"

#include "base/mathx.h"
#include "base/random.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

#include <cmocka.h>

/* 10 ln 40 = 36.89, 10 ln 120 = 47.87, 10 ln 240 = 54.81; 10 ln 20 = 29.96 each time. */
static void test_needed_run_length_follows_the_formulas(void **state)
{
    (void)state;
    static const unsigned corrected[] = {37, 48, 55};
    for (unsigned i = 1; i <= 3; i++) {
        assert_int_equal(thr_pac_needed(0.1, 0.05, THR_PAC_CORRECTED, i), corrected[i - 1]);
        assert_int_equal(thr_pac_needed(0.1, 0.05, THR_PAC_LECTURES, i), 30);
    }
    /* 2 ln 4 = 2.77, 2 ln 12 = 4.97; 100 ln(100 101 / 0.01) = 1382.55 */
    assert_int_equal(thr_pac_needed(0.5, 0.5, THR_PAC_CORRECTED, 1), 3);
    assert_int_equal(thr_pac_needed(0.5, 0.5, THR_PAC_CORRECTED, 2), 5);
    assert_int_equal(thr_pac_needed(0.01, 0.01, THR_PAC_CORRECTED, 100), 1383);
}

/* Each wrong hypothesis gets by with probability at most (1-eps)^needed: together at most delta,
 * and hardly less, where eps is small. */
static void test_chances_add_up(void **state)
{
    (void)state;
    double eps = 1e-4, delta = 0.1, corrected = 0, lectures = 0;
    for (uint64_t i = 1; i <= 100000; i++) {
        uint64_t k = thr_pac_needed(eps, delta, THR_PAC_CORRECTED, i);
        corrected += pow(1 - eps, (double)k);
        k = thr_pac_needed(eps, delta, THR_PAC_LECTURES, i);
        lectures += pow(1 - eps, (double)k);
    }
    assert_true(corrected <= delta && corrected > 0.99 * delta);
    assert_true(lectures > 1000 * delta);
}

/* eps = delta = 1/2: 3, then 5, then 7 (2 ln 24 = 6.36) right answers in a row. */
static void test_hypothesis_is_accepted_after_its_run_of_right(void **state)
{
    (void)state;
    static const char *const lives[] = {
        "...!", "..x.....!", "..x....x.......!", "x.....!", "xx.......!",
    };
    for (size_t t = 0; t < sizeof lives / sizeof *lives; t++) {
        thr_pac p;
        bool accepted = false;
        thr_pac_init(&p, 0.5, 0.5, THR_PAC_CORRECTED);
        for (const char *at = lives[t]; *at != '!'; at++) {
            assert_false(accepted);
            accepted = thr_pac_see(&p, *at == 'x');
        }
        assert_true(accepted);
        assert_int_equal(p.survived, p.needed);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_needed_run_length_follows_the_formulas),
        cmocka_unit_test(test_chances_add_up),
        cmocka_unit_test(test_hypothesis_is_accepted_after_its_run_of_right),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
