/* Probabilities fitted online against the truth they were drawn from, against a fit of the whole
 * sample, and with numbers that make no sense. */
#include "measure/calibration.h"
#include "measure/softmax.h"

#include "base/random.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { MOST = 8 };

/* Draws scores, and a label with the probabilities that the scores times `slope`, plus the label's
 * offset, stand for. */
typedef struct source {
    uint32_t labels;
    double slope, offset[MOST];
    thr_random r;
} source;

static uint32_t draw(source *s, double scale, double *score, double *p)
{
    double sum = 0;
    for (uint32_t l = 0; l < s->labels; l++) {
        score[l] = thr_random_normal(&s->r);
        p[l] = exp(s->slope * score[l] + s->offset[l]);
        sum += p[l];
    }
    double at = thr_random_real(&s->r) * sum;
    uint32_t label = 0;
    while (label + 1 < s->labels && (at -= p[label]) >= 0)
        label++;
    for (uint32_t l = 0; l < s->labels; l++) {
        p[l] /= sum;
        score[l] *= scale;
    }
    return label;
}

static void learn(thr_calibration *c, const double *score, uint32_t label)
{
    double p[MOST];
    thr_calibration_weigh(c, score, NULL, p);
    thr_softmax(p, c->n, 1, THR_NO_LOSS, false);
    thr_calibration_learn_one(c, score, p, label, 1);
}

static void begin(thr_calibration *c, uint32_t labels)
{
    thr_calibration_init(c);
    assert_int_equal(thr_calibration_widen(c, labels, NULL), 0);
}

/* Mean of |p - the truth's p| over fresh draws. */
static double distance(const thr_calibration *c, source *s, double scale)
{
    double score[MOST], p[MOST], log_p[MOST], sum = 0;
    for (int i = 0; i < 500; i++) {
        draw(s, scale, score, p);
        thr_calibration_one(c, score, NULL, log_p);
        for (uint32_t l = 0; l < s->labels; l++)
            sum += fabs(exp(log_p[l]) - p[l]) / s->labels;
    }
    return sum / 500;
}

static const source sources[] = {
    {2, 1, {0, 0}, {{0}}},     {2, 3, {0.5, -0.5}, {{0}}},
    {2, 0.1, {-1, 1}, {{0}}},  {2, 0, {1, 0}, {{0}}}, /* scores that say nothing */
    {3, 2, {1, 0, -1}, {{0}}}, {8, 4, {0, 1, 2, 0, 0, -1, 0, 0}, {{0}}},
};
#define EACH_SOURCE(i) (size_t i = 0; i < sizeof sources / sizeof *sources; i++)

/* Whatever the scale of the scores. */
static void test_finds_the_truth(void **state)
{
    (void)state;
    static const double scales[] = {1, 1e-6, 1e9};
    for
        EACH_SOURCE(i)
    for (size_t k = 0; k < 3; k++) {
        source s = sources[i];
        thr_calibration c;
        double score[MOST], p[MOST];
        thr_random_init(&s.r, 7 + i);
        begin(&c, s.labels);
        for (int e = 0; e < 5000; e++) {
            uint32_t label = draw(&s, scales[k], score, p);
            learn(&c, score, label);
        }
        assert_true(thr_calibration_sound(&c));
        double d = distance(&c, &s, scales[k]);
        if (!(d < 0.03))
            fail_msg("source %zu, scale %g: off by %g", i, scales[k], d);
        thr_calibration_clear(&c);
    }
}

/* Scores that are equal up to rounding have no size, however many there are: the winner of a tied
 * vote has the least possible amount more. */
static void test_ties_have_no_size(void **state)
{
    (void)state;
    source s = {2, 2, {0, 0}, {{0}}};
    thr_calibration c;
    double score[MOST], p[MOST];
    thr_random_init(&s.r, 7);
    begin(&c, 2);
    for (int e = 0; e < 5000; e++) {
        uint32_t label = draw(&s, 1, score, p);
        if (e % 5 == 0) {
            score[0] = 0.5;
            score[1] = nextafter(0.5, 1);
        }
        learn(&c, score, label);
    }
    double d = distance(&c, &s, 1);
    if (!(d < 0.06))
        fail_msg("off by %g", d);
    thr_calibration_clear(&c);
}

/* Scores that grow or shrink all the time, as weights do: the end is what counts. */
static void test_follows_growth(void **state)
{
    (void)state;
    static const double rate[] = {0.5, -0.5, 1};
    for (size_t k = 0; k < 3; k++) {
        source s = {2, 2, {0, 0}, {{0}}};
        thr_calibration c;
        double score[MOST], p[MOST];
        thr_random_init(&s.r, k);
        begin(&c, 2);
        for (int e = 1; e <= 5000; e++) {
            uint32_t label = draw(&s, pow(e, rate[k]), score, p);
            learn(&c, score, label);
        }
        double d = distance(&c, &s, pow(5000, rate[k]));
        if (!(d < 0.05))
            fail_msg("scores as t^%g: off by %g", rate[k], d);
        thr_calibration_clear(&c);
    }
}

/* A rule that gets better: what its first scores were worth is soon forgotten. */
static void test_early_scores_are_soon_forgotten(void **state)
{
    (void)state;
    source s = {2, 0, {0, 0}, {{0}}};
    thr_calibration c;
    double score[MOST], p[MOST];
    thr_random_init(&s.r, 4);
    begin(&c, 2);
    for (int e = 1; e <= 3000; e++) {
        s.slope = e <= 1000 ? 0 : 3;
        uint32_t label = draw(&s, 1, score, p);
        learn(&c, score, label);
    }
    double d = distance(&c, &s, 1);
    if (!(d < 0.1))
        fail_msg("off by %g", d);
    thr_calibration_clear(&c);
}

/* After 16384 examples every eighth teaches, as is foretold, and that is enough to follow. */
static void test_some_teach(void **state)
{
    (void)state;
    source s = {3, 2, {1, 0, -1}, {{0}}};
    thr_calibration c;
    double score[MOST], p[MOST];
    int taught = 0;
    thr_random_init(&s.r, 8);
    begin(&c, 3);
    for (int e = 1; e <= 60000; e++) {
        double before = c.slope.value;
        bool listens = thr_calibration_listens(&c);
        uint32_t label = draw(&s, 1, score, p);
        learn(&c, score, label);
        assert_int_equal(listens, e <= 16384 || e % 8 == 0);
        assert_true(listens || c.slope.value == before);
        taught += c.slope.value != before;
        s.slope = e < 20000 ? 2 : 3;
    }
    assert_true(taught > 16384 && taught <= 16384 + (60000 - 16384) / 8 + 1);
    assert_true(c.seen == 60000);
    double d = distance(&c, &s, 1);
    if (!(d < 0.02))
        fail_msg("off by %g", d);
    thr_calibration_clear(&c);
}

/* One label's scores are far above the other's, whichever is true. */
static void test_far_from_the_middle(void **state)
{
    (void)state;
    source s = {2, 2, {0, 0}, {{0}}};
    thr_calibration c;
    double score[MOST], p[MOST], log_p[MOST], off = 0;
    thr_random_init(&s.r, 6);
    begin(&c, 2);
    for (int e = 0; e < 4000; e++) {
        uint32_t label = draw(&s, 1, score, p);
        score[1] += 6;
        thr_calibration_one(&c, score, NULL, log_p);
        off += e >= 3000 ? fabs(exp(log_p[0]) - p[0]) / 1000 : 0;
        learn(&c, score, label);
    }
    if (!(off < 0.05))
        fail_msg("off by %g", off);
    thr_calibration_clear(&c);
}

/* Of three equal numbers the mean may differ in the last digit. That is no size: taken for one, it
 * would make every later score immense. */
static void test_equal_scores_have_no_size(void **state)
{
    (void)state;
    thr_calibration c;
    for (double score = 0.01; score < 100; score *= 1.1) {
        begin(&c, 3);
        for (uint32_t label = 0; label < 3; label++)
            learn(&c, (double[]){-score, -score, -score}, label);
        assert_true(thr_calibration_size(&c) == 1);
        thr_calibration_clear(&c);
    }
}

/* Taught by 3000 examples, then shown others `again` times with scores of another scale. */
static void teach_and_show(thr_calibration *c, source *s, double scale, int again)
{
    double score[MOST], p[MOST];
    thr_random_init(&s->r, 1);
    begin(c, 2);
    thr_calibration_see_repeat(c, (double[]){1e9, 0}); /* before anything was met: nothing */
    for (int e = 0; e < 3000; e++) {
        uint32_t label = draw(s, 1, score, p);
        learn(c, score, label);
    }
    for (int e = 0; e < again; e++) {
        draw(s, scale, score, p);
        thr_calibration_see_repeat(c, score);
    }
}

/* What is said of examples met again may make the usual size smaller, not larger, and stays so
 * when a new one comes. */
static void test_met_again(void **state)
{
    (void)state;
    source s = {2, 2, {0, 0}, {{0}}};
    thr_calibration c;
    double score[MOST], p[MOST];
    teach_and_show(&c, &s, 5, 12000);
    assert_true(distance(&c, &s, 1) < 0.03);
    thr_calibration_clear(&c);
    teach_and_show(&c, &s, 0.2, 12000);
    assert_true(distance(&c, &s, 0.2) < 0.05);
    assert_true(distance(&c, &s, 1) > 0.1);
    uint32_t label = draw(&s, 0.2, score, p);
    learn(&c, score, label);
    assert_true(distance(&c, &s, 0.2) < 0.05);
    assert_true(thr_calibration_sound(&c));
    thr_calibration_clear(&c);
}

/* Each label for itself: several may be true. */
static void test_each_label_has_a_probability_of_its_own(void **state)
{
    (void)state;
    thr_random r;
    thr_calibration c;
    double score[3], log_p[3], off = 0;
    bool truth[3];
    thr_random_init(&r, 3);
    begin(&c, 3);
    for (int e = 0; e < 8000; e++) {
        for (int l = 0; l < 3; l++) {
            score[l] = thr_random_normal(&r);
            truth[l] = thr_random_real(&r) < 1 / (1 + exp(-(2 * score[l] + l - 1)));
        }
        thr_calibration_each(&c, score, NULL, log_p);
        for (int l = 0; l < 3 && e >= 7000; l++)
            off += fabs(exp(log_p[l]) - 1 / (1 + exp(-(2 * score[l] + l - 1)))) / 3000;
        thr_calibration_learn_each(&c, score, NULL, log_p, truth);
    }
    if (!(off < 0.03))
        fail_msg("off by %g", off);
    thr_calibration_clear(&c);
}

/* ---- nonsense ---- */

static const double odd[] = {0,     -0.0,    1,        -1,  1e-320,   -1e-300,  1e30,
                             -1e30, 1.7e308, -1.7e308, NAN, INFINITY, -INFINITY};
enum { ODD = sizeof odd / sizeof *odd };

static void assert_probabilities(const double *log_p, uint32_t n)
{
    double sum = 0;
    for (uint32_t l = 0; l < n; l++) {
        double p = exp(log_p[l]);
        if (!(p >= 0 && p <= 1))
            fail_msg("%g is no probability", p);
        sum += p;
    }
    assert_true(fabs(sum - 1) < 1e-9);
}

static void test_any_scores(void **state)
{
    (void)state;
    thr_random r;
    thr_random_init(&r, 5);
    for (uint32_t n = 1; n <= MOST; n++)
        for (int round = 0; round < 300; round++) {
            thr_calibration c;
            double score[MOST], log_p[MOST], each[MOST];
            bool truth[MOST];
            begin(&c, n);
            for (int e = 0; e < 30; e++) {
                for (uint32_t l = 0; l < n; l++) {
                    score[l] = odd[thr_random_below(&r, round % 2 ? ODD : 4)];
                    truth[l] = thr_random_below(&r, 2);
                }
                thr_calibration_one(&c, score, NULL, log_p);
                assert_probabilities(log_p, n);
                thr_calibration_each(&c, score, NULL, each);
                for (uint32_t l = 0; l < n; l++)
                    assert_true(exp(each[l]) >= 0 && exp(each[l]) <= 1);
                if (round % 3 == 0)
                    thr_calibration_learn_each(&c, score, NULL, each, truth);
                else if (round % 3 == 1 && e > 3)
                    thr_calibration_see_repeat(&c, score);
                else
                    learn(&c, score, (uint32_t)thr_random_below(&r, n));
                assert_true(thr_calibration_sound(&c));
            }
            thr_calibration_clear(&c);
        }
}

static void test_labels_that_are_no_candidates_have_probability_0(void **state)
{
    (void)state;
    thr_calibration c;
    double log_p[3];
    begin(&c, 3);
    thr_calibration_one(&c, (double[]){9, 1, 1}, (bool[]){false, true, true}, log_p);
    assert_true(exp(log_p[0]) == 0 && fabs(exp(log_p[1]) - 0.5) < 1e-12);
    thr_calibration_one(&c, (double[]){9, 1, 1}, (bool[]){false, false, false}, log_p);
    assert_probabilities(log_p, 3); /* nothing is possible, and yet one of them it is */
    thr_calibration_clear(&c);
}

/* Two more examples are counted whose labels can be anything. With none seen, nothing is known;
 * with many, nothing changes; the order of the labels stays. */
static void test_few_examples_make_nobody_sure(void **state)
{
    (void)state;
    static const double fitted[] = {0.9999, 0.0001, 0};
    for (int seen = 0; seen <= 1000000; seen = 10 * seen + 6) {
        thr_calibration c;
        double p[3], each[3], some[3];
        begin(&c, 3);
        c.seen = seen;
        memcpy(p, fitted, sizeof p);
        memcpy(each, fitted, sizeof p);
        memcpy(some, fitted, sizeof p);
        thr_calibration_temper(&c, NULL, false, p);
        thr_calibration_temper(&c, NULL, true, each);
        thr_calibration_temper(&c, (bool[]){true, false, false}, false, some);
        assert_true(fabs(p[0] + p[1] + p[2] - 1) < 1e-12 && p[0] >= p[1] && p[1] >= p[2]);
        assert_true(fabs(p[0] - (seen * 0.9999 + 2.0 / 3) / (seen + 2)) < 1e-12);
        assert_true(fabs(each[2] - 1.0 / (seen + 2)) < 1e-12);
        assert_true(some[0] == fitted[0] && some[2] == 0); /* there is nothing to choose from */
        thr_calibration_clear(&c);
    }
}

/* A fit of logits starts as the identity, takes them as they are, and finds what corrects them. */
static void test_logits_are_calibrated_as_they_are(void **state)
{
    (void)state;
    thr_random r;
    thr_calibration c;
    thr_random_init(&r, 7);
    thr_calibration_init_logits(&c);
    assert_int_equal(thr_calibration_widen(&c, 2, NULL), 0);
    double log_p[2];
    thr_calibration_weigh(&c, (double[]){0.5, -0.5}, NULL, log_p);
    assert_true(log_p[0] == 0.5 && log_p[1] == -0.5);
    for (int t = 0; t < 20000; t++) { /* the truth has half the slope, and one label more often */
        double z = 4 * (thr_random_real(&r) - 0.5), odds = exp(0.5 * 2 * z + 1);
        uint32_t label = thr_random_real(&r) < odds / (1 + odds) ? 0 : 1;
        learn(&c, (double[]){z, -z}, label);
    }
    assert_true(thr_calibration_size(&c) == 1 && fabs(c.slope.value - 0.5) < 0.05);
    assert_true(fabs(c.offset.value[0] - c.offset.value[1] - 1) < 0.1);
    thr_calibration_clear(&c);
}

/* Numbers that learning never makes are seen; with those it makes, all goes on. */
static void test_damage_is_seen(void **state)
{
    (void)state;
    for (int i = 0; i < ODD; i++)
        for (int where = 0; where < 9; where++) {
            thr_calibration c;
            begin(&c, 2);
            double *at[] = {
                &c.seen,           &c.again,           &c.log_size,        &c.log_now,
                &c.slope.value,    &c.offset.value[1], &c.slope.curvature, &c.offset.curvature[1],
                &c.offset.cross[1]};
            static const double least[] = {0, 0, -745, -745, 0, -1000, 1e-9, 1e-9, -1e100},
                                most[] = {1e100, 1e100, 745, 745, 1000, 1000, 1e100, 1e100, 1e100};
            *at[where] = odd[i];
            bool fine = odd[i] >= least[where] && odd[i] <= most[where];
            if (thr_calibration_sound(&c) != fine)
                fail_msg("%g in place %d is %s", odd[i], where, fine ? "fine" : "not fine");
            double score[2] = {1, 2}, log_p[2];
            for (int e = 0; e < 5 && fine; e++) {
                thr_calibration_one(&c, score, NULL, log_p);
                assert_probabilities(log_p, 2);
                learn(&c, score, 0);
            }
            thr_calibration_clear(&c);
        }
}

/* Many labels, whose sums are added up in lanes, against sums in order: the same up to rounding. */
static void test_lanes_add_up_what_one_after_another_does(void **state)
{
    (void)state;
    enum { LABELS = 75 };
    thr_random r;
    thr_calibration lanes, order;
    double score[LABELS], p[LABELS], q[LABELS];
    thr_random_init(&r, 10);
    begin(&lanes, LABELS);
    begin(&order, LABELS);
    order.in_order = true;
    for (int e = 0; e < 300; e++) {
        uint32_t label = (uint32_t)thr_random_below(&r, LABELS);
        for (uint32_t l = 0; l < LABELS; l++)
            score[l] = thr_random_normal(&r) + (l == label) + (l == 3);
        thr_calibration_weigh(&lanes, score, NULL, p);
        thr_calibration_weigh(&order, score, NULL, q);
        double loss = thr_softmax(p, LABELS, 1, label, false);
        double other = thr_softmax(q, LABELS, 1, label, true);
        assert_true(fabs(loss - other) < 1e-9 && fabs(loss + log(p[label])) < 1e-9);
        for (uint32_t l = 0; l < LABELS; l++)
            assert_true(fabs(p[l] - q[l]) < 1e-9);
        thr_calibration_learn_one(&lanes, score, p, label, 0.5);
        thr_calibration_learn_one(&order, score, q, label, 0.5);
    }
    assert_true(fabs(lanes.slope.value - 1) > 0.01);
    assert_true(fabs(lanes.slope.value - order.slope.value) < 1e-9);
    thr_calibration_clear(&lanes);
    thr_calibration_clear(&order);
}

/* Against the definition, for any number of labels and rows, and for labels that cannot be. */
static void test_softmax_is_its_definition(void **state)
{
    (void)state;
    thr_random r;
    thr_random_init(&r, 11);
    for (uint32_t n = 1; n < 70; n++) {
        double z[3 * 70], p[3 * 70];
        for (uint32_t i = 0; i < 3 * n; i++)
            p[i] = z[i] = i % 5 == 4 ? -INFINITY : 300 * (thr_random_real(&r) - 0.5);
        for (uint32_t i = 0; i < n; i++) /* nothing is possible: all are as likely */
            p[n + i] = z[n + i] = -INFINITY;
        uint32_t label = n / 2;
        p[2 * n + label] = z[2 * n + label] = 1;
        double loss = thr_softmax(p, n, 3, label, false);
        for (uint32_t row = 0; row < 3; row++) {
            double sum = 0, most = -INFINITY;
            for (uint32_t l = 0; l < n; l++)
                most = fmax(most, z[row * n + l]);
            for (uint32_t l = 0; l < n; l++)
                sum += most > -INFINITY ? exp(z[row * n + l] - most) : 1;
            for (uint32_t l = 0; l < n; l++) {
                double right = most > -INFINITY ? exp(z[row * n + l] - most) / sum : 1 / sum;
                assert_true(fabs(p[row * n + l] - right) < 1e-12);
            }
            if (row == 2)
                assert_true(fabs(loss - (most + log(sum) - 1)) < 1e-9);
        }
    }
}

static void test_copy_goes_on_like_the_original(void **state)
{
    (void)state;
    source s = sources[4];
    thr_calibration a, b;
    double score[MOST], p[MOST], x[MOST], y[MOST];
    thr_random_init(&s.r, 9);
    begin(&a, 3);
    for (int e = 0; e < 100; e++) {
        uint32_t label = draw(&s, 1, score, p);
        learn(&a, score, label);
    }
    assert_int_equal(thr_calibration_copy(&a, &b, NULL), 0);
    for (int e = 0; e < 100; e++) {
        uint32_t label = draw(&s, 1, score, p);
        learn(&a, score, label);
        learn(&b, score, label);
    }
    thr_calibration_one(&a, score, NULL, x);
    thr_calibration_one(&b, score, NULL, y);
    for (int l = 0; l < 3; l++)
        assert_true(x[l] == y[l]);
    thr_calibration_clear(&a);
    thr_calibration_clear(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_finds_the_truth),
        cmocka_unit_test(test_few_examples_make_nobody_sure),
        cmocka_unit_test(test_logits_are_calibrated_as_they_are),
        cmocka_unit_test(test_ties_have_no_size),
        cmocka_unit_test(test_follows_growth),
        cmocka_unit_test(test_early_scores_are_soon_forgotten),
        cmocka_unit_test(test_far_from_the_middle),
        cmocka_unit_test(test_equal_scores_have_no_size),
        cmocka_unit_test(test_met_again),
        cmocka_unit_test(test_each_label_has_a_probability_of_its_own),
        cmocka_unit_test(test_any_scores),
        cmocka_unit_test(test_labels_that_are_no_candidates_have_probability_0),
        cmocka_unit_test(test_damage_is_seen),
        cmocka_unit_test(test_lanes_add_up_what_one_after_another_does),
        cmocka_unit_test(test_softmax_is_its_definition),
        cmocka_unit_test(test_copy_goes_on_like_the_original),
        cmocka_unit_test(test_some_teach),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
