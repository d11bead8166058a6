/* The arithmetic of each rule on examples small enough to do by hand. (Naive Bayes: test_bayes.) */
#include "model_help.h"

#include <math.h>

static void assert_near(double found, double expected)
{
    if (!(fabs(found - expected) <= 1e-6 * (1 + fabs(expected))))
        fail_msg("%.9g is not %.9g", found, expected);
}

/* Labels -1 and 1 declared. */
static thr_model *two_labels(const char *learner)
{
    thr_model *m = make_model(learner, NULL);
    assert_int_equal(thr_model_declare_label(m, "-1", NULL), 0);
    assert_int_equal(thr_model_declare_label(m, "1", NULL), 1);
    assert_int_equal(thr_model_positive(m), 1);
    return m;
}

/* The weight of a feature for label 1, or for the numbered one. */
static double weight(const thr_model *m, size_t feature, size_t label)
{
    double w[8];
    assert_true(thr_model_labels(m) <= 8);
    assert_int_equal(thr_model_weights(m, feature, w), 0);
    return w[label];
}

static void assert_counts(const thr_model *m, uint64_t updates, uint64_t mistakes)
{
    thr_stats s;
    thr_model_stats(m, &s);
    assert_int_equal(s.updates, updates);
    assert_int_equal(s.mistakes, mistakes);
}

static void test_perceptron(void **state)
{
    (void)state;
    thr_model *m = two_labels("perceptron:bias=off,rate=0.5");
    teach(m, "svmlight", "+1 1:1 2:2\n"); /* a tie: right, and updated all the same */
    assert_counts(m, 1, 0);
    assert_near(weight(m, 1, 1), 0.5);
    assert_near(weight(m, 2, 1), 1);
    assert_near(weight(m, 2, 0), -1); /* one function: the other label has the negative */
    teach(m, "svmlight", "-1 1:1\n");
    assert_counts(m, 2, 1);
    assert_near(weight(m, 1, 1), 0);
    teach(m, "svmlight", "+1 2:1\n");
    assert_counts(m, 2, 1);
    teach(m, "svmlight", "-1 1:1\n"); /* s = 0 with y = -1 is a mistake */
    assert_counts(m, 3, 2);
    assert_near(weight(m, 1, 1), -0.5);
    thr_model_free(m);
}

static void test_perceptron_margin_bias_importance(void **state)
{
    (void)state;
    thr_model *m = two_labels("perceptron:margin=3");
    teach(m, "vw", "1 | a:1\n");     /* 0 < 3: a = bias = 1 */
    teach(m, "vw", "1 | a:1\n");     /* 2 < 3: 2 */
    teach(m, "vw", "1 | a:1\n");     /* 4 */
    teach(m, "vw", "1 2 | b:0.5\n"); /* 2 < 3, twice as important: b = 1, bias = 4 */
    assert_counts(m, 3, 0);
    assert_near(weight(m, 0, 1), 4);
    assert_near(weight(m, 1, 1), 2);
    assert_near(weight(m, 2, 1), 1);
    thr_model_free(m);
}

/* Added until y s >= 1: 0.3 k 0.3 >= 1 at k = 12, and then from -3.6 * 0.5. */
static void test_perceptron_repeat(void **state)
{
    (void)state;
    thr_model *m = two_labels("perceptron:bias=off,repeat=on");
    teach(m, "vw", "1 | a:0.3\n");
    assert_near(weight(m, 1, 1), 12 * 0.3);
    teach(m, "vw", "-1 | a:0.5\n"); /* 1.8: 1.8 - k/4 <= -1 at k = 12 */
    assert_near(weight(m, 1, 1), 3.6 - 6);
    assert_counts(m, 2, 1);
    thr_model_free(m);
}

/* The mean of w over every step, not only over updates: against the sum of all of them. */
static void test_averaged(void **state)
{
    (void)state;
    enum { FEATURES = 6, STEPS = 300 };
    thr_random r;
    thr_random_init(&r, 5);
    thr_model *m = two_labels("averaged:bias=off");
    double w[FEATURES + 1] = {0}, sum[FEATURES + 1] = {0};
    teach(m, "svmlight", "-1 1:0 2:0\n"); /* no feature: nothing moves, and it is a step */
    for (int t = 2; t <= STEPS; t++) {
        int y = thr_random_below(&r, 2) ? 1 : -1, x[FEATURES + 1];
        double s = 0;
        char line[128];
        int n = snprintf(line, sizeof line, "%d", y);
        for (int i = 1; i <= FEATURES; i++) {
            x[i] = (int)thr_random_below(&r, 5) - 2 + y;
            s += w[i] * x[i];
            n += snprintf(line + n, sizeof line - (size_t)n, " %d:%d", i, x[i]);
        }
        strcat(line, "\n");
        teach(m, "svmlight", line);
        for (int i = 1; i <= FEATURES; i++) {
            w[i] += y * s <= 0 ? y * x[i] : 0;
            sum[i] += w[i];
            char name[8];
            size_t f = 1;
            while (thr_model_feature(m, f, name, sizeof name) && atoi(name) != i)
                f++;
            if (f < thr_model_features(m))
                assert_near(weight(m, f, 1), sum[i] / t);
        }
    }
    thr_model_free(m);
}

/* ---- winnow ---- */

static void test_winnow(void **state)
{
    (void)state;
    double score[2];
    thr_model *m = two_labels("winnow:promote=2,demote=0.5,theta=3,start=1");
    teach(m, "svmlight", "+1 1:1 2:1\n"); /* 2 < 3: promoted */
    assert_counts(m, 1, 1);
    assert_near(weight(m, 1, 1), 2);
    assert_near(weight(m, 2, 1), 2);
    teach(m, "svmlight", "-1 1:1 3:1\n"); /* 3 >= 3: a tie is positive, so demoted */
    assert_counts(m, 2, 2);
    assert_near(weight(m, 1, 1), 1);
    assert_near(weight(m, 3, 1), 0.5);
    teach(m, "svmlight", "+1 1:1 2:1\n"); /* 3 >= 3 */
    assert_counts(m, 2, 2);
    assert_int_equal(score_line(m, "svmlight", "2:1 3:1 9:2", score), 1); /* 2 + 0.5 + 2 - 3 */
    assert_near(score[1], 1.5);
    teach(m, "svmlight", "+1 2:0.5\n"); /* 1 < 3: 2 * 2^0.5 */
    assert_near(weight(m, 2, 1), 2 * sqrt(2));
    thr_model_free(m);
}

/* What is eliminated stays 0. */
static void test_winnow_elimination(void **state)
{
    (void)state;
    thr_error err = {0};
    thr_model *m = two_labels("winnow:promote=2,demote=0,theta=2,start=1");
    teach(m, "svmlight", "-1 1:1 2:1\n");
    assert_near(weight(m, 1, 1), 0);
    teach(m, "svmlight", "+1 1:1 3:1\n");
    assert_near(weight(m, 1, 1), 0);
    assert_near(weight(m, 3, 1), 2);
    thr_batch *b = thr_batch_new();
    thr_batch_begin(b);
    thr_batch_set_label(b, "1");
    thr_batch_add_key(b, 4, -1);
    thr_batch_end(b, m);
    assert_int_equal(thr_learn(m, b, NULL, &err), THR_EDATA);
    assert_non_null(strstr(err.message, "negative"));
    thr_batch_free(b);
    thr_model_free(m);
}

/* theta is start times the mean sum of values so far; for the first example, its own. */
static void test_winnow_auto_theta(void **state)
{
    (void)state;
    double score[2];
    thr_model *m = two_labels("winnow:promote=2,demote=0.5");
    teach(m, "svmlight", "+1 1:1 2:1\n"); /* 2 >= 2 */
    assert_counts(m, 0, 0);
    score_line(m, "svmlight", "1:1", score);
    assert_near(score[1], 1 - 2);
    teach(m, "svmlight", "-1 3:1 4:1 5:1 6:1\n"); /* 4 >= 2: demoted */
    assert_counts(m, 1, 1);
    score_line(m, "svmlight", "1:1 3:1", score);
    assert_near(score[1], 1.5 - 3); /* theta = (2 + 4) / 2 */
    thr_model_free(m);
}

/* start is theta divided by the mean sum; what is stored is w/start, so it moves with it. */
static void test_winnow_auto_start(void **state)
{
    (void)state;
    double score[2];
    thr_model *m = two_labels("winnow:promote=2,demote=0.5,theta=6");
    teach(m, "svmlight", "+1 1:1 2:1\n"); /* start 3: 6 >= 6 */
    assert_counts(m, 0, 0);
    assert_near(weight(m, 1, 1), 3);
    teach(m, "svmlight", "-1 3:1 4:1 5:1 6:1\n"); /* 12 >= 6 */
    assert_near(weight(m, 1, 1), 2);              /* start 6/3 */
    assert_near(weight(m, 3, 1), 1);
    score_line(m, "svmlight", "1:1 7:1", score);
    assert_near(score[1], 2 + 2 - 6);
    thr_model_free(m);
}

/* ---- balanced ---- */

static void test_balanced(void **state)
{
    (void)state;
    thr_model *m = two_labels("balanced:eta=0.6931471805599453,margin=0,bias=off");
    teach(m, "svmlight", "+1 1:1 2:-1\n"); /* p *= 2^x, n *= 2^-x */
    assert_near(weight(m, 1, 1), 2 - 0.5);
    assert_near(weight(m, 2, 1), 0.5 - 2);
    teach(m, "svmlight", "-1 1:2\n"); /* 3: p = 2/4, n = 0.5 * 4 */
    assert_near(weight(m, 1, 1), 0.5 - 2);
    assert_counts(m, 2, 1);
    thr_model_free(m);
}

/* Scores are divided by the sum of all p and n of the features known before the example. */
static void test_balanced_normalized(void **state)
{
    (void)state;
    double score[2];
    thr_model *m = two_labels("balanced:eta=0.6931471805599453,margin=0,bias=off,normalized=on");
    teach(m, "svmlight", "+1 1:1\n"); /* p = 2, n = 0.5, Z = 2.5 */
    assert_near(weight(m, 1, 1), 1.5 / 2.5);
    teach(m, "svmlight", "-1 2:1\n"); /* p = 0.5, n = 2, Z = 5 */
    assert_near(weight(m, 1, 1), 1.5 / 5);
    assert_near(weight(m, 2, 1), -1.5 / 5);
    score_line(m, "svmlight", "1:2 2:1 3:7", score);
    assert_near(score[1], 1.5 / 5);
    thr_model_free(m);
}

/* ---- passive-aggressive ---- */

static void test_pa(void **state)
{
    (void)state;
    thr_model *m = two_labels("pa:C=inf,averaged=off,bias=off");
    teach(m, "svmlight", "+1 1:1 2:2\n"); /* tau = 1/5 */
    assert_near(weight(m, 1, 1), 0.2);
    assert_near(weight(m, 2, 1), 0.4);
    teach(m, "svmlight", "-1 1:1\n"); /* loss 1.2, tau 1.2 */
    assert_near(weight(m, 1, 1), -1);
    teach(m, "svmlight", "-1 1:1\n"); /* loss 0, but for rounding */
    assert_near(weight(m, 1, 1), -1);
    teach(m, "svmlight", "+1 2:1\n"); /* right, and loss 0.6 */
    assert_near(weight(m, 2, 1), 1);
    thr_model_free(m);
}

static void test_pa_cautious(void **state)
{
    (void)state;
    thr_model *m = two_labels("pa:C=0.1,averaged=off,bias=off");
    teach(m, "vw", "1 | a b:2\n");
    assert_near(weight(m, 1, 1), 0.1);
    assert_near(weight(m, 2, 1), 0.2);
    teach(m, "vw", "1 3 | c\n"); /* C grows with importance */
    assert_near(weight(m, 3, 1), 0.3);
    teach(m, "vw", "-1 |\n"); /* no feature: nothing can be done */
    assert_counts(m, 2, 1);
    thr_model_free(m);
}

/* The mean is that of the weights as they stand, which are rounded, and not of the steps, which are
 * not: else it would drift away from them. averaged=off moves alike and shows them. */
static void test_mean_of_rounded_weights(void **state)
{
    (void)state;
    enum { FEATURES = 3, STEPS = 400 };
    thr_random r;
    thr_random_init(&r, 9);
    thr_model *mean = two_labels("pa:C=0.1,averaged=on,bias=off");
    thr_model *live = two_labels("pa:C=0.1,averaged=off,bias=off");
    double sum[FEATURES + 1] = {0};
    for (int t = 1; t <= STEPS; t++) {
        char line[128];
        int n = snprintf(line, sizeof line, "%d", thr_random_below(&r, 2) ? 1 : -1);
        for (int i = 1; i <= FEATURES; i++)
            n += snprintf(line + n, sizeof line - (size_t)n, " %d:%g", i,
                          (double)thr_random_below(&r, 1000) / 300 + 1);
        strcat(line, "\n");
        teach(mean, "svmlight", line);
        teach(live, "svmlight", line);
        for (size_t i = 1; i <= FEATURES; i++) {
            sum[i] += weight(live, i, 1);
            assert_true(fabs(weight(mean, i, 1) - sum[i] / t) < 1e-13);
        }
    }
    thr_model_free(mean);
    thr_model_free(live);
}

/* ||f(x,y) - f(x,y')||^2 = 2 ||x||^2, y' the best wrong label. */
static void test_pa_classes(void **state)
{
    (void)state;
    double score[3];
    thr_model *m = make_model("pa:C=inf,averaged=off,bias=off", NULL);
    for (int i = 0; i < 3; i++)
        assert_int_equal(thr_model_declare_label(m, (const char *[]){"x", "y", "z"}[i], NULL), i);
    teach(m, "vw", "x | a:2\n"); /* loss 1 against y, the first of equals: tau = 1/8 */
    assert_near(weight(m, 1, 0), 0.25);
    assert_near(weight(m, 1, 1), -0.25);
    assert_near(weight(m, 1, 2), 0);
    teach(m, "vw", "z | a b\n"); /* 0 against x's 0.25: tau = 1.25/4 */
    assert_near(weight(m, 1, 0), 0.25 - 0.3125);
    assert_near(weight(m, 1, 2), 0.3125);
    assert_near(weight(m, 2, 0), -0.3125);
    assert_near(weight(m, 2, 2), 0.3125);
    assert_near(weight(m, 2, 1), 0);
    assert_int_equal(score_line(m, "vw", " | b", score), 2);
    thr_model_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_perceptron),
        cmocka_unit_test(test_perceptron_margin_bias_importance),
        cmocka_unit_test(test_perceptron_repeat),
        cmocka_unit_test(test_averaged),
        cmocka_unit_test(test_winnow),
        cmocka_unit_test(test_winnow_elimination),
        cmocka_unit_test(test_winnow_auto_theta),
        cmocka_unit_test(test_winnow_auto_start),
        cmocka_unit_test(test_balanced),
        cmocka_unit_test(test_balanced_normalized),
        cmocka_unit_test(test_pa),
        cmocka_unit_test(test_pa_cautious),
        cmocka_unit_test(test_mean_of_rounded_weights),
        cmocka_unit_test(test_pa_classes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
