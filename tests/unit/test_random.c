/* Random numbers: known answers of the published generators, and the shape of what is made of
 * them. */
#include "base/random.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

static void test_known_answers(void **state)
{
    (void)state;
    static const uint64_t mixed[] = {UINT64_C(0xe220a8397b1dcdaf), UINT64_C(0x6e789e6aa1b965f4),
                                     UINT64_C(0x06c45d188009454f), UINT64_C(0xf88bb8a8724c81ec)};
    static const uint64_t drawn[] = {11520, 0, 1509978240, UINT64_C(1215971899390074240)};
    thr_random r;
    thr_random_init(&r, 0);
    assert_memory_equal(r.s, mixed, sizeof mixed);
    assert_true(thr_mix64(0) == mixed[0]);
    assert_true(thr_random_next(&r) == UINT64_C(0x99ec5f36cb75f2b4));
    r = (thr_random){{1, 2, 3, 4}};
    for (size_t i = 0; i < 4; i++)
        assert_true(thr_random_next(&r) == drawn[i]);
}

static void test_sequence_is_a_function_of_the_seed(void **state)
{
    (void)state;
    thr_random a, b, c;
    thr_random_init(&a, 7);
    thr_random_init(&b, 7);
    thr_random_init(&c, 8);
    int same = 0;
    for (int i = 0; i < 100; i++) {
        uint64_t x = thr_random_next(&a);
        assert_true(x == thr_random_next(&b));
        same += x == thr_random_next(&c);
    }
    assert_int_equal(same, 0);
}

/* Chi-squared of `cells` cells: mean cells-1, deviation sqrt(2 (cells-1)); five of these allowed.
 */
static void check_even(const uint64_t *counts, size_t cells, double draws)
{
    double expected = draws / (double)cells, chi2 = 0, df = (double)cells - 1;
    for (size_t i = 0; i < cells; i++) {
        double off = (double)counts[i] - expected;
        chi2 += off * off / expected;
    }
    if (fabs(chi2 - df) > 5 * sqrt(2 * df))
        fail_msg("chi-squared %g for %g degrees of freedom", chi2, df);
}

static void test_whole_numbers_are_uniform_below_the_limit(void **state)
{
    (void)state;
    uint64_t counts[100] = {0};
    thr_random r;
    thr_random_init(&r, 3);
    for (int i = 0; i < 200000; i++) {
        assert_true(thr_random_below(&r, 1) == 0);
        uint64_t x = thr_random_below(&r, 100);
        assert_in_range(x, 0, 99);
        counts[x]++;
    }
    check_even(counts, 100, 200000);
}

/* Without rejection the lower half of so large a range would be drawn twice as often. */
static void test_below_large(void **state)
{
    (void)state;
    const uint64_t n = UINT64_C(3) << 62;
    uint64_t counts[3] = {0};
    thr_random r;
    thr_random_init(&r, 4);
    for (int i = 0; i < 30000; i++) {
        uint64_t x = thr_random_below(&r, n);
        assert_true(x < n);
        counts[x >> 62]++;
    }
    check_even(counts, 3, 30000);
}

static void test_reals_are_uniform_from_0_to_below_1(void **state)
{
    (void)state;
    uint64_t counts[64] = {0};
    thr_random r;
    thr_random_init(&r, 5);
    for (int i = 0; i < 200000; i++) {
        double x = thr_random_real(&r);
        assert_true(x >= 0 && x < 1);
        counts[(int)(x * 64)]++;
    }
    check_even(counts, 64, 200000);
}

static void test_normal_has_the_moments_and_tails_of_its_law(void **state)
{
    (void)state;
    enum { DRAWS = 1000000 };
    double sum = 0, squares = 0, fourth = 0;
    int within_1 = 0, beyond_2 = 0;
    thr_random r;
    thr_random_init(&r, 6);
    for (int i = 0; i < DRAWS; i++) {
        double x = thr_random_normal(&r);
        assert_true(isfinite(x));
        sum += x;
        squares += x * x;
        fourth += x * x * x * x;
        within_1 += fabs(x) < 1;
        beyond_2 += fabs(x) > 2;
    }
    assert_true(fabs(sum / DRAWS) < 5 / sqrt(DRAWS));
    assert_true(fabs(squares / DRAWS - 1) < 4 * sqrt(2.0 / DRAWS));
    assert_true(fabs(fourth / DRAWS - 3) < 5 * sqrt(96.0 / DRAWS));
    assert_true(fabs((double)within_1 / DRAWS - 0.682689) < 5 * sqrt(0.2166 / DRAWS));
    assert_true(fabs((double)beyond_2 / DRAWS - 0.045500) < 5 * sqrt(0.0434 / DRAWS));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_known_answers),
        cmocka_unit_test(test_sequence_is_a_function_of_the_seed),
        cmocka_unit_test(test_whole_numbers_are_uniform_below_the_limit),
        cmocka_unit_test(test_below_large),
        cmocka_unit_test(test_reals_are_uniform_from_0_to_below_1),
        cmocka_unit_test(test_normal_has_the_moments_and_tails_of_its_law),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
