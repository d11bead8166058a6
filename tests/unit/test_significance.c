/* McNemar's test against published and hand-made values. */
#include "measure/significance.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

static void assert_near(double x, double wanted, double within)
{
    if (!(fabs(x - wanted) <= within))
        fail_msg("%.12g is not %.12g", x, wanted);
}

/* p = 2 * (C(n, 0) + ... + C(n, least)) / 2^n, by hand. */
static void test_exact_p_is_the_binomial_tail_by_hand(void **state)
{
    (void)state;
    assert_near(thr_mcnemar_exact(0, 0), 1, 0);
    assert_near(thr_mcnemar_exact(0, 1), 1, 1e-15);
    assert_near(thr_mcnemar_exact(0, 5), 2 / 32.0, 1e-15);
    assert_near(thr_mcnemar_exact(1, 5), 2 * 7 / 64.0, 1e-15);
    assert_near(thr_mcnemar_exact(2, 8), 2 * 56 / 1024.0, 1e-14);
    assert_near(thr_mcnemar_exact(8, 2), 2 * 56 / 1024.0, 1e-14);
    assert_near(thr_mcnemar_exact(5, 5), 1, 0); /* more than 1 before it is cut */
    assert_near(thr_mcnemar_exact(4, 20), 0.001543879508972168, 1e-15);
}

/* Made so that the statistic is 4 and 16: two and four standard deviations of the normal
 * distribution. And Agresti (Categorical Data Analysis, 1990), approval ratings of 1,600 people, of
 * whom 150 and 86 changed their minds: 63^2 / 236 = 16.82. */
static void test_chi_square(void **state)
{
    (void)state;
    assert_near(thr_mcnemar_chi_square(72, 49), 0.0455002639, 1e-10);
    assert_near(thr_mcnemar_chi_square(38, 83), 6.334248e-05, 1e-11);
    assert_near(thr_mcnemar_chi_square(150, 86), 4.1146e-05, 1e-9);
    assert_near(thr_mcnemar_chi_square(86, 150), 4.1146e-05, 1e-9);
    assert_near(thr_mcnemar_chi_square(0, 0), 1, 0);
    assert_near(thr_mcnemar_chi_square(30, 30), 1, 0);
    assert_near(thr_mcnemar_chi_square(30, 31), 1, 0); /* the correction takes the one */
    /* (|40 - 20| - 1)^2 / 60 = 6.0167; the 5 % point is 3.8415 */
    assert_near(thr_mcnemar_chi_square(40, 20), 0.014171, 1e-6);
}

static void test_exact_test_is_used_for_few_and_chi_square_for_many(void **state)
{
    (void)state;
    bool exact;
    assert_near(thr_mcnemar(4, 20, &exact), thr_mcnemar_exact(4, 20), 0);
    assert_true(exact);
    assert_near(thr_mcnemar(4, 21, &exact), thr_mcnemar_chi_square(4, 21), 0);
    assert_false(exact);
    assert_near(thr_mcnemar(UINT64_MAX, UINT64_MAX, &exact), 1, 0);
    assert_false(exact);
    assert_near(thr_mcnemar(3, 3, NULL), 1, 0);
}

/* Where both may be used they say much the same. */
static void test_they_agree(void **state)
{
    (void)state;
    for (uint64_t a = 0; a <= 200; a++) {
        double exact = thr_mcnemar_exact(a, 200 - a);
        assert_near(thr_mcnemar_chi_square(a, 200 - a), exact, 0.005);
        assert_true(exact >= 0 && exact <= 1);
    }
}

/* The share of tests on fair coins that come out below 5 % must be below 5 %. */
static void test_fair_coins_are_rejected_at_most_at_the_level(void **state)
{
    (void)state;
    for (uint64_t n = 1; n < 60; n++) {
        double sum = 0, term = pow(0.5, (double)n);
        for (uint64_t a = 0; a <= n; a++) {
            sum += thr_mcnemar(a, n - a, NULL) <= 0.05 ? term : 0;
            term *= (double)(n - a) / (double)(a + 1);
        }
        assert_true(sum <= 0.051);
    }
}

static void test_mean_and_deviation_are_those_by_hand(void **state)
{
    (void)state;
    static const double x[] = {2, 4, 4, 4, 5, 5, 7, 9};
    assert_near(thr_mean(x, 8), 5, 0);
    assert_near(thr_deviation(x, 8), sqrt(32 / 7.0), 1e-15);
    assert_near(thr_deviation(x, 1), 0, 0);
    assert_near(thr_mean(x, 0), 0, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_exact_p_is_the_binomial_tail_by_hand),
        cmocka_unit_test(test_chi_square),
        cmocka_unit_test(test_exact_test_is_used_for_few_and_chi_square_for_many),
        cmocka_unit_test(test_they_agree),
        cmocka_unit_test(test_fair_coins_are_rejected_at_most_at_the_level),
        cmocka_unit_test(test_mean_and_deviation_are_those_by_hand),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
