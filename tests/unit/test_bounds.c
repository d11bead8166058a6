/* The bounds at values worked out by hand, and that they are the formulas that hold: where one is
 * tight a run meets it. */
#include "bounds/bounds.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static void is(double found, double wanted)
{
    if (isinf(wanted) ? found != wanted : !(fabs(found - wanted) <= 1e-12 * (1 + fabs(wanted))))
        fail_msg("%.17g is not %.17g", found, wanted);
}

static void perceptron_updates_at_most_R2_over_gamma2(void **state)
{
    (void)state;
    is(thr_bound_perceptron(3, 0.5), 36);
    is(thr_bound_perceptron(sqrt(2), 1), 2);
    is(thr_bound_perceptron(1, 0), INFINITY);
    is(thr_bound_perceptron(1, -0.1), INFINITY);
}

static void perceptron_with_margin_is_3_over_gamma2(void **state)
{
    (void)state;
    is(thr_bound_perceptron_margin(1, 0.5, 1, 1), 12);
    is(thr_bound_perceptron_margin(2, 1, 3, 0.5), 16);
    is(thr_bound_perceptron_margin(2, 1, 0, 1), thr_bound_perceptron(2, 1));
}

static void comparator_adds_what_it_loses(void **state)
{
    (void)state;
    is(thr_bound_comparator(1, 0.5, 0.25, 0, 1), 6.25);
    is(thr_bound_comparator(1, 0.5, 0, 0, 1), 4);
    is(thr_bound_comparator(sqrt(2), 1, 2, 1, 1), 16); /* sqrt(2 + 2) + 2 */
}

static void perceptron_on_disjunctions_is_kn(void **state)
{
    (void)state;
    is(thr_bound_perceptron_disjunction(1, 1), 10);
    is(thr_bound_perceptron_disjunction(5, 100), 2121);
}

static void pa_squared_losses_at_most_R2_u2(void **state)
{
    (void)state;
    is(thr_bound_pa(2, 3), 36);
    is(thr_bound_pa_soft(2, 1, 3, 0), 36);
    is(thr_bound_pa_soft(2, 1, 3, 5), 76);
    is(thr_bound_pa_soft(2, 0.125, 3, 5), 82); /* 1/C = 8 is more than R^2: 8 (9 + 1.25) */
}

static void balanced_at_most_2X2_ln_2N_over_g2(void **state)
{
    (void)state;
    is(thr_bound_balanced(1, 0.5, 1, 0), 0);
    is(thr_bound_balanced(2, exp(2) / 2, 0.5, 0), 64);
    is(thr_bound_balanced(2, exp(2) / 2, 0.5, 3), 76);
    is(thr_bound_balanced(1, 8, 0, 0), INFINITY);
    is(thr_bound_balanced_margin(2, exp(2) / 2, 0.75, 0.25), 64);
    is(thr_bound_balanced_margin(2, 8, 0.25, 0.25), INFINITY);
}

static void winnow_promotions_and_demotions(void **state)
{
    (void)state;
    thr_winnow_setting textbook = {2, 0.5, 16, 1}, eliminating = {2, 0, 16, 1};
    is(thr_bound_promotions(textbook, 3, 0, 0), 15); /* 3 log2(32) */
    is(thr_bound_demotions(textbook, 16, 15), 32);   /* 2 (1 + 15) */
    is(thr_bound_winnow(textbook, 16, 3, 0, 0), 47); /* 3u + 2 */
    is(thr_bound_demotions(eliminating, 16, 15), 16);
    is(thr_bound_promotions(textbook, 3, 2, 4), 21);
    is(thr_bound_promotions((thr_winnow_setting){4, 0.5, 16, 1}, 3, 2, 4), 13); /* half a step */
    is(thr_bound_promotions(eliminating, 3, 2, 0), 17);
    is(thr_bound_promotions(eliminating, 3, 0, 1), INFINITY); /* what is gone does not come back */
}

static void finite_classes(void **state)
{
    (void)state;
    is(thr_bound_eliminate(10, false), 10);
    is(thr_bound_eliminate(10, true), 11);
    is(thr_bound_consistent(16), 15);
    is(thr_bound_halving(16), 4);
}

/* The chances to be accepted wrongly sum to delta: sum 1/(i(i+1)) = 1. */
static void survival_of_hypothesis_i(void **state)
{
    (void)state;
    assert_int_equal(thr_bound_survival(0.1, 0.05, 1), 37); /* 10 ln 40 = 36.9 */
    assert_int_equal(thr_bound_survival(0.1, 0.05, 2), 48); /* 10 ln 120 = 47.9 */
    assert_int_equal(thr_bound_survival_uncorrected(0.1, 0.05), 30);
    double chance = 0;
    for (uint64_t i = 1; i < 100000; i++)
        chance += exp(-0.001 * (double)thr_bound_survival(0.001, 0.05, i));
    assert_true(chance <= 0.05 && chance > 0.0499);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(perceptron_updates_at_most_R2_over_gamma2),
        cmocka_unit_test(perceptron_with_margin_is_3_over_gamma2),
        cmocka_unit_test(comparator_adds_what_it_loses),
        cmocka_unit_test(perceptron_on_disjunctions_is_kn),
        cmocka_unit_test(pa_squared_losses_at_most_R2_u2),
        cmocka_unit_test(balanced_at_most_2X2_ln_2N_over_g2),
        cmocka_unit_test(winnow_promotions_and_demotions),
        cmocka_unit_test(finite_classes),
        cmocka_unit_test(survival_of_hypothesis_i),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
