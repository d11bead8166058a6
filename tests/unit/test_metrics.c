/* Counts, precision and recall by hand; the area under the curve against counting all pairs. */
#include "measure/metrics.h"

#include "base/random.h"
#include "example/batch.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static thr_metrics *start(const char *const *names, size_t n)
{
    thr_labels l;
    uint32_t label;
    assert_int_equal(thr_labels_init(&l, NULL, NULL), 0);
    for (size_t i = 0; i < n; i++)
        assert_int_equal(thr_labels_add(&l, thr_str_of(names[i]), &label, NULL), 0);
    thr_metrics *t = thr_metrics_new(&l, NULL);
    assert_non_null(t);
    thr_labels_clear(&l);
    return t;
}

static void record_all(thr_metrics *t, const char *truth, uint32_t predicted, double score,
                       const double *probability)
{
    thr_answer a = {.label = predicted, .score = score, .probability = probability};
    assert_int_equal(thr_metrics_record(t, thr_str_of(truth), &a, NULL), 0);
}

static void record(thr_metrics *t, const char *truth, uint32_t predicted, double score)
{
    record_all(t, truth, predicted, score, NULL);
}

/* A positive above a negative counts 1, beside it 1/2. */
static double pairs(const double *score, const bool *positive, size_t n)
{
    double wins = 0, all = 0;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            if (positive[i] && !positive[j]) {
                wins += score[i] > score[j] ? 1 : score[i] == score[j] ? 0.5 : 0;
                all++;
            }
    return wins / all;
}

static void test_auc_is_the_share_of_pairs_in_order(void **state)
{
    (void)state;
    enum { MOST = 200 };
    thr_random r;
    thr_random_init(&r, 1);
    for (int round = 0; round < 50; round++) {
        static const char *const names[] = {"1", "-1"}; /* "1" is positive, and label 0 */
        double score[MOST];
        bool positive[MOST];
        size_t n = 2 + (size_t)thr_random_below(&r, MOST - 2);
        thr_metrics *t = start(names, 2);
        for (size_t i = 0; i < n; i++) {
            positive[i] = i == 0 || (i > 1 && thr_random_below(&r, 3) == 0);
            score[i] = (double)thr_random_below(&r, round % 2 ? 5 : 1000) + positive[i];
            record(t, positive[i] ? "1" : "-1", 0, score[i]);
        }
        thr_metrics_finish(t);
        assert_true(fabs(thr_metrics_auc(t) - pairs(score, positive, n)) < 1e-12);
        thr_metrics_free(t);
    }
}

static void test_auc_is_undefined(void **state)
{
    (void)state;
    static const char *const names[] = {"a", "b", "c"};
    for (size_t labels = 0; labels <= 3; labels++) {
        thr_metrics *t = start(names, labels);
        for (int i = 0; i < 3; i++)
            record(t, "b", 0, i); /* one class only */
        thr_metrics_finish(t);
        assert_true(isnan(thr_metrics_auc(t)));
        thr_metrics_free(t);
    }
}

/* truth\said   a  b  c        d is met only in the test */
static void test_counts_precision_and_recall_are_those_by_hand(void **state)
{
    (void)state;
    static const char *const names[] = {"a", "b", "c"};
    static const unsigned count[4][3] = {{5, 2, 0}, {1, 3, 0}, {0, 0, 0}, {0, 4, 1}};
    static const char *const truth[] = {"a", "b", "c", "d"};
    static const double expected[4][3] = {
        {5 / 6.0, 5 / 8.0, 10 / 14.0}, {3 / 9.0, 3 / 4.0, 6 / 13.0}, {0, 0, 0}, {0, 0, 0}};
    thr_metrics *t = start(names, 3);
    for (size_t i = 0; i < 4; i++)
        for (uint32_t j = 0; j < 3; j++)
            for (unsigned k = 0; k < count[i][j]; k++)
                record(t, truth[i], j, 0);
    record(t, "a", THR_NONE, 0); /* no answer at all is a mistake, in no column, and not found */
    thr_metrics_finish(t);
    assert_int_equal(thr_metrics_examples(t), 17);
    assert_int_equal(thr_metrics_mistakes(t), 9);
    assert_int_equal(thr_metrics_unknown(t), 5);
    assert_int_equal(thr_metrics_labels(t), 4);
    assert_string_equal(thr_metrics_label(t, 3), "d");
    assert_null(thr_metrics_label(t, 4));
    for (size_t i = 0; i < 4; i++) {
        double prf[3];
        for (size_t j = 0; j < 3; j++)
            assert_int_equal(thr_metrics_count(t, i, j), count[i][j]);
        thr_metrics_prf(t, i, prf);
        for (int k = 0; k < 3; k++)
            assert_true(fabs(prf[k] - expected[i][k]) < 1e-12);
    }
    assert_int_equal(thr_metrics_count(t, 99, 0), 0);
    thr_metrics_free(t);
    thr_metrics_free(NULL);
}

/* The table grows with the labels met. */
static void test_many_labels(void **state)
{
    (void)state;
    thr_metrics *t = start(NULL, 0);
    char name[8];
    for (int round = 0; round < 3; round++)
        for (uint32_t i = 0; i < 100; i++) {
            name[0] = (char)('a' + i / 10);
            name[1] = (char)('a' + i % 10);
            name[2] = 0;
            record(t, name, round ? i : THR_NONE, 0);
        }
    for (size_t i = 0; i < 100; i++)
        assert_int_equal(thr_metrics_count(t, i, i), 2);
    assert_int_equal(thr_metrics_mistakes(t), 100);
    thr_metrics_free(t);
}

/* Numbers in three parts of different size, one of them empty. */
static void test_merge_numbers(void **state)
{
    (void)state;
    thr_random r;
    thr_random_init(&r, 4);
    thr_metrics *all = start(NULL, 0), *sum = start(NULL, 0), *part[3];
    thr_errors x, y;
    for (int i = 0; i < 3; i++)
        part[i] = start(NULL, 0);
    for (int i = 0; i < 500; i++) {
        double truth = 100 + thr_random_normal(&r) + (i < 90 ? 5 : 0), said = truth + i % 7 - 2.5;
        thr_metrics_record_number(all, truth, said);
        thr_metrics_record_number(part[i < 90 ? 0 : 2], truth, said);
    }
    for (int i = 0; i < 3; i++)
        assert_int_equal(thr_metrics_merge(sum, part[i], NULL), 0);
    assert_true(thr_metrics_errors(all, &x) && thr_metrics_errors(sum, &y));
    assert_int_equal(thr_metrics_examples(sum), 500);
    assert_true(fabs(x.mse - y.mse) < 1e-12 && fabs(x.mae - y.mae) < 1e-12);
    assert_true(fabs(x.r2 - y.r2) < 1e-9);
    for (int i = 0; i < 3; i++)
        thr_metrics_free(part[i]);
    thr_metrics_free(all);
    thr_metrics_free(sum);
}

/* Two tests with labels in another order, merged, are the one test of all. */
static void test_merged_tests_are_one_test_of_all(void **state)
{
    (void)state;
    static const char *const order[3][2] = {{"-1", "1"}, {"1", "-1"}, {"-1", "1"}};
    thr_random r;
    thr_random_init(&r, 4);
    thr_metrics *t[3], *sum = start(order[0], 2);
    for (int i = 0; i < 3; i++)
        t[i] = start(order[i], 2);
    for (int i = 0; i < 400; i++) {
        int part = 1 + i % 2;
        const char *truth = i % 41 == 0 ? "9" : thr_random_below(&r, 3) ? "1" : "-1";
        uint32_t said = (uint32_t)thr_random_below(&r, 2);
        double score = thr_random_normal(&r) + (truth[0] == '1'), p = thr_random_real(&r);
        const double there[] = {p, 1 - p}, turned[] = {1 - p, p};
        record_all(t[0], truth, said, score, there);
        record_all(t[part], truth, part == 1 ? 1 - said : said, score, part == 1 ? turned : there);
    }
    assert_int_equal(thr_metrics_merge(sum, t[1], NULL), 0);
    assert_int_equal(thr_metrics_merge(sum, t[2], NULL), 0);
    thr_metrics_finish(sum);
    thr_metrics_finish(t[0]);
    assert_int_equal(thr_metrics_examples(sum), 400);
    assert_int_equal(thr_metrics_mistakes(sum), thr_metrics_mistakes(t[0]));
    assert_int_equal(thr_metrics_unknown(sum), thr_metrics_unknown(t[0]));
    assert_true(thr_metrics_auc(sum) == thr_metrics_auc(t[0]));
    assert_true(fabs(thr_metrics_log_loss(sum) - thr_metrics_log_loss(t[0])) < 1e-12);
    assert_true(fabs(thr_metrics_brier(sum) - thr_metrics_brier(t[0])) < 1e-12);
    assert_true(fabs(thr_metrics_ece(sum) - thr_metrics_ece(t[0])) < 1e-12);
    uint64_t n[2], wrong[2];
    thr_metrics_covered(sum, 0.5, &n[0], &wrong[0]);
    thr_metrics_covered(t[0], 0.5, &n[1], &wrong[1]);
    assert_true(n[0] == n[1] && n[0] > 0 && wrong[0] == wrong[1] && wrong[0] > 0);
    for (size_t i = 0; i < 3; i++) {
        assert_string_equal(thr_metrics_label(sum, i), thr_metrics_label(t[0], i));
        assert_int_equal(thr_metrics_truths(sum, i), thr_metrics_truths(t[0], i));
        for (size_t j = 0; j < 3; j++)
            assert_int_equal(thr_metrics_count(sum, i, j), thr_metrics_count(t[0], i, j));
    }
    for (int i = 0; i < 3; i++)
        thr_metrics_free(t[i]);
    thr_metrics_free(sum);
}

/* ---- probabilities ---- */

static void judged(thr_metrics *t, const char *truth, uint32_t predicted, const double *p)
{
    record_all(t, truth, predicted, 0, p);
}

static void assert_near(double a, double b)
{
    if (!(fabs(a - b) < 1e-12))
        fail_msg("%.17g is not %.17g", a, b);
}

static void test_log_loss_brier_and_bins_are_those_by_hand(void **state)
{
    (void)state;
    static const char *const names[] = {"a", "b", "c"};
    thr_metrics *t = start(names, 3);
    assert_true(isnan(thr_metrics_log_loss(t)) && isnan(thr_metrics_brier(t)) &&
                isnan(thr_metrics_ece(t)));
    judged(t, "a", 0, (double[]){0.7, 0.2, 0.1});
    judged(t, "b", 0, (double[]){0.7, 0.3, 0});
    judged(t, "c", 2, (double[]){0, 0, 1});
    judged(t, "b", 2, (double[]){0, 0, 1}); /* what could not be is: as if it had the least p */
    judged(t, "d", 1, (double[]){0.25, 0.5, 0.25}); /* ... and so for a label never seen */
    thr_metrics_finish(t);
    double floor = -log(THR_LEAST_PROBABILITY);
    assert_near(thr_metrics_log_loss(t), (-log(0.7) - log(0.3) + 0 + floor + floor) / 5);
    double brier = (0.09 + 0.04 + 0.01) + (0.49 + 0.49) + 0 + 2 + (0.0625 + 0.25 + 0.0625 + 1);
    assert_near(thr_metrics_brier(t), brier / 5);
    /* bins: 0.7 twice, half right; 1 twice, half right; 0.5 once, wrong */
    assert_near(thr_metrics_ece(t), (fabs(1 - 1.4) + fabs(1 - 2.0) + 0.5) / 5);
    thr_bin b;
    assert_true(thr_metrics_bin(t, 10, &b));
    assert_near(b.from, 10.0 / THR_BINS);
    assert_near(b.to, 11.0 / THR_BINS);
    assert_int_equal(b.examples, 2);
    assert_near(b.confidence, 0.7);
    assert_near(b.accuracy, 0.5);
    assert_true(thr_metrics_bin(t, THR_BINS - 1, &b));
    assert_int_equal(b.examples, 2); /* 1 is in the last */
    assert_true(thr_metrics_bin(t, 0, &b));
    assert_true(b.examples == 0 && b.confidence == 0 && b.accuracy == 0);
    assert_false(thr_metrics_bin(t, THR_BINS, &b));
    thr_metrics_free(t);
}

static void test_rejecting_by_lead_covers_the_right_examples(void **state)
{
    (void)state;
    static const char *const names[] = {"a", "b", "c"};
    thr_metrics *t = start(names, 3);
    judged(t, "a", 0, (double[]){0.5, 0.25, 0.25});   /* leads by 1/4, right */
    judged(t, "b", 0, (double[]){0.5, 0.25, 0.25});   /* ... wrong */
    judged(t, "c", 2, (double[]){0, 0.125, 0.875});   /* by 3/4, right */
    judged(t, "a", 1, (double[]){0.5, 0.375, 0.125}); /* trails, wrong */
    static const struct {
        double reject;
        uint64_t n, wrong;
    } want[] = {{0, 3, 1}, {0.25, 3, 1}, {0.2500001, 1, 0}, {0.75, 1, 0}, {1, 0, 0}, {-1, 4, 2}};
    for (size_t i = 0; i < sizeof want / sizeof *want; i++) {
        uint64_t n, wrong;
        thr_metrics_covered(t, want[i].reject, &n, &wrong);
        assert_int_equal(n, want[i].n);
        assert_int_equal(wrong, want[i].wrong);
    }
    thr_metrics_free(t);
    assert_true(thr_lead_of((double[]){1}, 1, 0) == 1);
}

/* ---- several labels ---- */

/* One set: true labels from the list, of which `chosen` are said. */
static void record_set(thr_metrics *t, thr_str *label, size_t n, const bool *chosen,
                       const double *p)
{
    thr_example_info about = {.label = label[0], .more = {1, n - 1}};
    thr_batch b = {.n = 1, .about = &about, .listed = label, .n_listed = n};
    t->multilabel = true;
    assert_int_equal(thr_metrics_record_set(t, &b, 0, chosen, p, NULL), 0);
}

static void record_three(thr_metrics *t)
{
    thr_str ab[] = {thr_str_of("a"), thr_str_of("b")}, c = thr_str_of("c");
    thr_str never[] = {thr_str_of("c"), thr_str_of("never"), thr_str_of("c")};
    record_set(t, ab, 2, (bool[]){true, true, false}, (double[]){0.9, 0.6, 0.25});
    record_set(t, &c, 1, (bool[]){true, false, false}, (double[]){0.8, 0.5, 0});
    record_set(t, never, 3, (bool[]){false, false, true}, (double[]){0, 0, 1});
}

/* Over 3 x 4 pairs of example and label; "never" is one more than the model knows. */
static void assert_three(const thr_metrics *t, unsigned times)
{
    double floor = -log(THR_LEAST_PROBABILITY);
    assert_int_equal(thr_metrics_examples(t), 3 * times);
    assert_int_equal(thr_metrics_mistakes(t), 2 * times);
    assert_int_equal(thr_metrics_unknown(t), times);
    assert_near(thr_metrics_hamming(t), 3 / 12.0);
    assert_near(thr_metrics_micro_f1(t), 2 * 3 / (5 + 4.0));
    /* a, b and c are true at ranks 1 and 2, 3, and 1; "never" has no rank */
    assert_near(thr_metrics_precision_at(t, 1), 2 / 3.0);
    assert_near(thr_metrics_precision_at(t, 3), 4 / 9.0);
    assert_near(thr_metrics_precision_at(t, 5), 4 / 15.0);
    double loss =
        -log(0.9) - log(0.6) - log(0.75) - log(1 - 0.8) - log(0.5) + floor + 0 + 0 + 0 + floor;
    assert_near(thr_metrics_log_loss(t), loss / 12);
    double brier = 0.01 + 0.16 + 0.0625 + 0.64 + 0.25 + 1 + 0 + 0 + 0 + 1;
    assert_near(thr_metrics_brier(t), brier / 12);
    /* by the label's own p: 0.9 true, 0.6 true, 0.25, 0.8, 0.5 not, 0 three times, once true, 1 */
    assert_near(thr_metrics_ece(t), (0.1 + 0.4 + 0.25 + 0.8 + 0.5 + 1 + 0) / 9);
}

static void test_measures_of_label_sets_are_those_by_hand(void **state)
{
    (void)state;
    static const char *const names[] = {"a", "b", "c"};
    static const char *const turned[] = {"c", "a", "never", "b"};
    thr_metrics *t = start(names, 3), *sum = start(turned, 4);
    record_three(t);
    assert_three(t, 1);
    assert_int_equal(thr_metrics_merge(sum, t, NULL), 0);
    assert_int_equal(thr_metrics_merge(sum, t, NULL), 0);
    assert_true(thr_metrics_multilabel(sum));
    assert_three(sum, 2);
    uint64_t n, wrong;
    thr_metrics_covered(t, 0.19, &n, &wrong); /* b, at 0.6, leads by 0.2; the third set by 1 */
    assert_true(n == 2 && wrong == 1);
    thr_metrics_covered(t, 0.21, &n, &wrong);
    assert_true(n == 1 && wrong == 1);
    thr_metrics_free(t);
    thr_metrics_free(sum);
}

static void test_lead_of_set(void **state)
{
    (void)state;
    static const double p[] = {0.9, 0.25, 0.5};
    assert_near(thr_set_probability(p, (bool[]){true, false, true}, 3), 0.9 * 0.75 * 0.5);
    assert_near(thr_lead_of_set(p, (bool[]){true, false, true}, 2), 0.5);
    assert_near(thr_lead_of_set(p, (bool[]){true, true, true}, 3), -0.5); /* unlikelier than not */
    assert_near(thr_lead_of_set(p, NULL, 0), 1);
    assert_near(thr_lead_of(p, 3, THR_NONE), 0); /* no label could be said */
}

/* No candidate was known: as bad as a label that could not be. */
static void test_no_answer(void **state)
{
    (void)state;
    static const char *const names[] = {"a", "b"};
    thr_metrics *t = start(names, 2);
    judged(t, "a", THR_NONE, (double[]){0, 0});
    assert_near(thr_metrics_log_loss(t), -log(THR_LEAST_PROBABILITY));
    assert_near(thr_metrics_brier(t), 1);
    assert_near(thr_metrics_ece(t), 0);
    uint64_t n, wrong;
    thr_metrics_covered(t, 0.01, &n, &wrong);
    assert_int_equal(n, 0);
    thr_metrics_free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_merged_tests_are_one_test_of_all),
        cmocka_unit_test(test_merge_numbers),
        cmocka_unit_test(test_auc_is_the_share_of_pairs_in_order),
        cmocka_unit_test(test_auc_is_undefined),
        cmocka_unit_test(test_counts_precision_and_recall_are_those_by_hand),
        cmocka_unit_test(test_many_labels),
        cmocka_unit_test(test_log_loss_brier_and_bins_are_those_by_hand),
        cmocka_unit_test(test_rejecting_by_lead_covers_the_right_examples),
        cmocka_unit_test(test_measures_of_label_sets_are_those_by_hand),
        cmocka_unit_test(test_lead_of_set),
        cmocka_unit_test(test_no_answer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
