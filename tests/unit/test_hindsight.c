/* Bounds in hindsight are the least over margins of what they say they are, and the disjunction
 * beside which Winnow is held is what it says it is. */
#include "bounds/bounds.h"
#include "bounds/disjunction.h"
#include "bounds/hindsight.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void near(double found, double wanted)
{
    if (!(fabs(found - wanted) <= 1e-6 * (1 + fabs(wanted))))
        fail_msg("%.17g is not %.17g", found, wanted);
}

/* Three examples at distances 2, 2 and -2 of a u of length 2: at gamma = 1 the third is short by 2.
 */
static double margins[] = {2, 2, -2};
static const thr_comparator three = {margins, 3, 2, 4};

static void perceptron_in_hindsight(void **state)
{
    (void)state;
    thr_hindsight h = thr_hindsight_perceptron(&three, 1, 0, 1);
    double at_one = thr_bound_comparator(1, 1, 2, 0, 1); /* (1 + 2)^2 */
    assert_true(h.bound <= at_one * (1 + 1e-6));
    double short_of = fmax(0, h.margin - 1),
           D = sqrt(2 * short_of * short_of + (h.margin + 1) * (h.margin + 1));
    near(h.loss, D);
    near(h.bound, thr_bound_comparator(1, h.margin, D, 0, 1));
    assert_true(h.bound >= thr_bound_comparator(1, h.margin, D, 0, 1));
    near(thr_hindsight_perceptron(&three, 1, 1, 1).bound,
         thr_bound_comparator(1, thr_hindsight_perceptron(&three, 1, 1, 1).margin,
                              thr_hindsight_perceptron(&three, 1, 1, 1).loss, 1, 1));
}

/* A separator of margin 1 in a sphere of radius 2: the loss may be 0, so no bound is above 4. */
static void a_separator_gives_its_own_bound(void **state)
{
    (void)state;
    double margin[] = {1, 1.5};
    thr_comparator c = {margin, 2, 1, 2};
    assert_true(thr_hindsight_perceptron(&c, 2, 0, 1).bound <= 4 * (1 + 1e-6));
    assert_true(thr_hindsight_pa(&c, 2, 1).bound <= 4 * (1 + 1e-6));
    assert_true(thr_hindsight_balanced(&c, 1, 8).bound <= 8 * log(16) * (1 + 1e-6));
}

static void pa_and_balanced_in_hindsight(void **state)
{
    (void)state;
    thr_hindsight h = thr_hindsight_pa(&three, 1, 0.5);
    double loss = (2 * fmax(0, h.margin - 1) + h.margin + 1) / h.margin;
    near(h.loss, loss);
    near(h.bound, thr_bound_pa_soft(1, 0.5, 1 / h.margin, loss));
    h = thr_hindsight_balanced(&three, 1, 10);
    loss = 2 * fmax(0, h.margin - 0.5) + h.margin + 0.5;
    near(h.loss, loss);
    near(h.bound, thr_bound_balanced(1, 10, h.margin, loss));
    for (double g = 0.01; g < 1; g += 0.01) {
        loss = 2 * fmax(0, g - 0.5) + g + 0.5;
        assert_true(h.bound <= thr_bound_balanced(1, 10, g, loss) * (1 + 1e-3));
    }
}

/* One feature and the bias, three labels: the margin is over the best of the wrong ones. */
static void a_comparator_has_the_least_of_an_examples_margins(void **state)
{
    (void)state;
    static const uint64_t begin[] = {0, 2, 3};
    static const uint32_t feature[] = {0, 1, 0}, right[] = {1, 0};
    static const double w[] = {1, 5, 0, /* the bias */ 2, 2, 6};
    thr_points p = {
        .examples = 2, .start = begin, .id = feature, .label = right, .features = 2, .labels = 3};
    thr_comparator c;
    assert_true(thr_comparator_init(&p, w, &c));
    near(c.margin[0], 1);  /* 7 against 3 and 6 */
    near(c.margin[1], -4); /* 1 against 5 and 0 */
    near(c.norm, sqrt(70));
    near(c.norm1, 16);
    free(c.margin);
    p.labels = 2;
    p.positive = 1;
    assert_true(thr_comparator_init(&p, w, &c));
    near(c.margin[0], 6);
    near(c.margin[1], -1);
    near(c.norm1, 6);
    free(c.margin);
}

/* ---- a disjunction ---- */

static const uint32_t label[] = {1, 1, 1, 0, 0, 0};
static const uint64_t start[] = {0, 3, 5, 8, 11, 13, 14};
static const uint32_t id[] = {0, 1, 3, 0, 2, 0, 2, 4, 0, 3, 4, 0, 3, 0};

static thr_disjunction find(const uint32_t *labels, double cost)
{
    thr_disjunction d;
    thr_points p = {.examples = 6,
                    .start = start,
                    .id = id,
                    .label = labels,
                    .features = 5,
                    .labels = 2,
                    .positive = 1};
    assert_int_equal(thr_disjunction_find(&p, 0, cost, &d, NULL), 0);
    return d;
}

static void the_disjunction_is_found(void **state)
{
    (void)state;
    thr_disjunction d = find(label, 0.5);
    assert_int_equal(d.k, 2); /* x2 or x1 */
    assert_int_equal(d.feature[0], 2);
    assert_int_equal(d.feature[1], 1);
    assert_int_equal(d.missed, 0);
    assert_int_equal(d.stray, 0);
    thr_disjunction_clear(&d);
}

static void a_dear_feature_is_left_out(void **state)
{
    (void)state;
    thr_disjunction d = find(label, 1.5);
    assert_int_equal(d.k, 1);
    assert_int_equal(d.missed, 1);
    thr_disjunction_clear(&d);
    d = find(label, 2);
    assert_int_equal(d.k, 0);
    assert_int_equal(d.missed, 3);
    thr_disjunction_clear(&d);
}

/* Feature 3 has two of the positives now, and one negative besides. */
static void strays_are_counted(void **state)
{
    (void)state;
    static const uint32_t other[] = {0, 0, 0, 1, 1, 0};
    thr_disjunction d = find(other, 0.5);
    assert_int_equal(d.k, 1);
    assert_int_equal(d.feature[0], 3);
    assert_int_equal(d.missed, 0);
    assert_int_equal(d.stray, 1);
    thr_disjunction_clear(&d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(perceptron_in_hindsight),
        cmocka_unit_test(a_separator_gives_its_own_bound),
        cmocka_unit_test(pa_and_balanced_in_hindsight),
        cmocka_unit_test(a_comparator_has_the_least_of_an_examples_margins),
        cmocka_unit_test(the_disjunction_is_found),
        cmocka_unit_test(a_dear_feature_is_left_out),
        cmocka_unit_test(strays_are_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
