/* Runs of equal labels: the expectation is that of all orders, bursts are noticed, and no random
 * order is taken for one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/random.h"
#include "measure/runs.h"

#include <math.h>

static thr_label_runs runs_of(const uint32_t *label, size_t n)
{
    thr_label_runs r = {0};
    for (size_t i = 0; i < n; i++)
        assert_true(thr_label_runs_see(&r, label[i]));
    return r;
}

/* All 120 orders of five examples, two of which have the label 0, two the label 1 and one the label
 * 2. */
static void test_expectation_is_the_mean_over_all_orders(void **state)
{
    (void)state;
    static const uint32_t from[5] = {0, 0, 1, 1, 2};
    double sum = 0, orders = 0, expected = 0;
    for (unsigned code = 0; code < 5 * 5 * 5 * 5 * 5; code++) {
        uint32_t label[5], used = 0;
        unsigned rest = code;
        for (size_t i = 0; i < 5; i++, rest /= 5) {
            label[i] = from[rest % 5];
            used |= 1u << rest % 5;
        }
        if (used != 31)
            continue;
        thr_label_runs r = runs_of(label, 5);
        sum += (double)r.runs;
        orders++;
        expected = thr_label_runs_expected(&r);
        thr_label_runs_clear(&r);
    }
    assert_int_equal(orders, 120);
    assert_true(fabs(sum / orders - expected) < 1e-12);
}

static void test_sorted_labels_are_bursts_if_there_are_enough(void **state)
{
    (void)state;
    uint32_t label[400];
    for (size_t i = 0; i < 400; i++)
        label[i] = i >= 50;
    thr_label_runs few = runs_of(label, 99), many = runs_of(label, 400);
    assert_int_equal(many.runs, 2);
    assert_false(thr_label_runs_are_bursts(&few));
    assert_true(thr_label_runs_are_bursts(&many));
    thr_label_runs_clear(&few);
    thr_label_runs_clear(&many);
}

/* Stretches of ten equal labels, of four kinds, at random. */
static void test_short_stretches_are_bursts(void **state)
{
    (void)state;
    thr_random random;
    thr_label_runs r = {0};
    thr_random_init(&random, 7);
    for (size_t i = 0; i < 200; i++)
        for (uint32_t label = (uint32_t)thr_random_below(&random, 4), k = 0; k < 10; k++)
            assert_true(thr_label_runs_see(&r, label));
    assert_true(thr_label_runs_are_bursts(&r));
    thr_label_runs_clear(&r);
}

/* Also where one label is rare, where there are many labels, and where they alternate. */
static void test_no_random_order_is_taken_for_bursts(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 300; seed++) {
        thr_random random;
        thr_label_runs r = {0};
        thr_random_init(&random, seed);
        double rare = thr_random_real(&random) * thr_random_real(&random);
        uint32_t labels = 1 + (uint32_t)thr_random_below(&random, 30);
        for (size_t i = 0; i < 1000; i++) {
            bool other = thr_random_real(&random) < rare;
            uint32_t label = other ? (uint32_t)thr_random_below(&random, labels) : labels;
            assert_true(thr_label_runs_see(&r, seed % 10 ? label : (uint32_t)(i % 2)));
        }
        assert_false(thr_label_runs_are_bursts(&r));
        thr_label_runs_clear(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_expectation_is_the_mean_over_all_orders),
        cmocka_unit_test(test_sorted_labels_are_bursts_if_there_are_enough),
        cmocka_unit_test(test_short_stretches_are_bursts),
        cmocka_unit_test(test_no_random_order_is_taken_for_bursts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
