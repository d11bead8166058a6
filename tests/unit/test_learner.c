/* The arithmetic of each rule on examples small enough to do by hand. (Naive Bayes: test_bayes.) */
#include "model_help.h"

#include "multiclass/rule.h"

#include <math.h>

static void assert_near(double found, double expected)
{
    if (!(fabs(found - expected) <= 1e-6 * (1 + fabs(expected))))
        fail_msg("%.9g is not %.9g", found, expected);
}

/* Labels -1 and 1 declared. */
static thr_model *two_labels(const char *learner)
{
    thr_model *m = make_unscaled(learner, NULL);
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
    assert_int_equal(thr_model_weights(m, feature, w, NULL), 0);
    return w[label];
}

static void assert_counts(const thr_model *m, uint64_t updates, uint64_t mistakes)
{
    thr_stats s;
    thr_model_stats(m, &s);
    assert_int_equal(s.updates, updates);
    assert_int_equal(s.mistakes, mistakes);
}

static void test_perceptron_steps_as_computed_by_hand(void **state)
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
static void test_averaged_is_the_mean_over_every_step(void **state)
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

static void test_winnow_steps_as_computed_by_hand(void **state)
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
    assert_int_equal(thr_learn(m, NULL, b, NULL, &err), THR_EDATA);
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

static void test_balanced_steps_as_computed_by_hand(void **state)
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

static void test_pa_steps_as_computed_by_hand(void **state)
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
    thr_model *m = make_unscaled("pa:C=inf,averaged=off,bias=off", NULL);
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

/* ---- logistic ---- */

static void test_logistic_steps_as_computed_by_hand(void **state)
{
    (void)state;
    thr_model *m = two_labels("logistic:steps=sgd,rate=2,bias=off");
    teach(m, "vw", "1 | a b:2\n"); /* doubt 1/2: 2 * 1/2 * x */
    assert_near(weight(m, 1, 1), 1);
    assert_near(weight(m, 2, 1), 2);
    teach(m, "vw", "-1 3 | a\n"); /* lead -1, importance 3 */
    assert_near(weight(m, 1, 1), 1 - 2 * 3 / (1 + exp(-1)));
    assert_counts(m, 2, 1);
    teach(m, "vw", "1 | b:1000\n"); /* right beyond all doubt: exp(-2000) is 0 */
    assert_near(weight(m, 2, 1), 2);
    assert_counts(m, 2, 1);
    thr_model_free(m);
}

static void test_logistic_adaptive(void **state)
{
    (void)state;
    thr_model *m = two_labels("logistic:rate=1");
    teach(m, "vw", "1 | a:2\n"); /* g = 1 for a, 1/2 for the bias */
    double a = 1 / sqrt(1 + 1.0 / 64), bias = 0.5 / sqrt(0.25 + 1.0 / 64);
    assert_near(weight(m, 1, 1), a);
    assert_near(weight(m, 0, 1), bias);
    teach(m, "vw", "1 |\n"); /* only the bias */
    double doubt = 1 / (1 + exp(bias));
    assert_near(weight(m, 1, 1), a);
    assert_near(weight(m, 0, 1), bias + doubt / sqrt(0.25 + doubt * doubt + 1.0 / 64));
    thr_model_free(m);
}

/* Rate 1/2: after the step a weight loses l1/2 with every example, until it is 0. */
static void test_logistic_sparse(void **state)
{
    (void)state;
    double score[2];
    thr_model *m = two_labels("logistic:steps=sgd,rate=0.5,l1=0.1,bias=off");
    teach(m, "vw", "1 | a\n"); /* 1/4 - 0.05 */
    assert_near(weight(m, 1, 1), 0.2);
    teach(m, "vw", "-1 | b\n1 |\n");
    assert_near(weight(m, 1, 1), 0.1);
    assert_near(weight(m, 2, 1), -0.15);
    score_line(m, "vw", "| a b:2", score);
    assert_near(score[1], 0.1 - 0.3);
    teach(m, "vw", "1 |\n1 |\n1 |\n");
    assert_true(weight(m, 1, 1) == 0);
    assert_near(weight(m, 2, 1), 0);
    thr_bytes full = dumped(m, false), lean = dumped(m, true);
    assert_true(lean.n < full.n);
    thr_model *back = thr_model_load(lean.p, lean.n, NULL);
    assert_non_null(back);
    assert_true(thr_model_features(back) < thr_model_features(m)); /* without what weighs nothing */
    thr_model_free(back);
    thr_bytes_clear(&full);
    thr_bytes_clear(&lean);
    thr_model_free(m);
}

static void test_logistic_small(void **state)
{
    (void)state;
    thr_model *m = two_labels("logistic:steps=sgd,rate=0.5,l2=2");
    teach(m, "vw", "1 | a\n1 |\n"); /* two examples long, exp(-2 * 1/2) each; the bias is free */
    assert_near(weight(m, 1, 1), 0.25 * exp(-2));
    assert_near(weight(m, 0, 1), 0.25 + 0.5 / (1 + exp(0.25)));
    thr_model_free(m);
}

static void test_logistic_softmax(void **state)
{
    (void)state;
    thr_model *m = make_unscaled("logistic:steps=sgd,rate=3,bias=off", NULL);
    for (int i = 0; i < 3; i++)
        assert_int_equal(thr_model_declare_label(m, (const char *[]){"x", "y", "z"}[i], NULL), i);
    teach(m, "vw", "x | a\n"); /* P = 1/3 each */
    assert_near(weight(m, 1, 0), 2);
    assert_near(weight(m, 1, 1), -1);
    assert_near(weight(m, 1, 2), -1);
    teach(m, "vw", "z | a\n");
    double sum = exp(2) + 2 * exp(-1);
    assert_near(weight(m, 1, 0), 2 - 3 * exp(2) / sum);
    assert_near(weight(m, 1, 1), -1 - 3 * exp(-1) / sum);
    assert_near(weight(m, 1, 2), -1 + 3 * (1 - exp(-1) / sum));
    thr_model_free(m);
}

static void test_logistic_refuses(void **state)
{
    (void)state;
    thr_error err = {0};
    thr_settings *s = thr_settings_new();
    assert_non_null(s);
    int code = thr_settings_set(s, "learner", "logistic:averaged=on,l1=0.1", &err);
    thr_model *m = code ? NULL : thr_model_new(s, &err);
    assert_null(m);
    assert_int_equal(err.code, THR_EUSE);
    assert_non_null(strstr(err.message, "not averaged"));
    thr_settings_free(s);
}

/* ---- numbers ---- */

static double number(const thr_model *m, const char *line)
{
    double value;
    assert_int_equal(score_line(m, "vw", line, &value), -1);
    return value;
}

static void test_lms_steps_as_computed_by_hand(void **state)
{
    (void)state;
    thr_model *m = make_unscaled("lms:rate=0.1,normalized=off,averaged=off,bias=off", NULL);
    assert_true(number(m, "| a") == 0);
    teach(m, "vw", "3 | a b:2\n"); /* 0.1 * 3 * x */
    assert_near(weight(m, 1, 0), 0.3);
    assert_near(weight(m, 2, 0), 0.6);
    assert_near(number(m, "| a:2 c"), 0.6);
    teach(m, "vw", "-1 2 | a\n"); /* error -1.3, importance 2 */
    assert_near(weight(m, 1, 0), 0.3 - 0.26);
    thr_stats s;
    thr_model_stats(m, &s);
    assert_near(s.mean_squared, (9 + 1.69) / 2);
    assert_near(s.mean_absolute, (3 + 1.3) / 2);
    assert_int_equal(s.mistakes, 0);
    thr_model_free(m);
}

static void test_lms_normalized(void **state)
{
    (void)state;
    thr_model *m = make_unscaled("lms:rate=0.5,averaged=off,bias=off", NULL);
    teach(m, "vw", "3 | a b:2\n"); /* half of 3, over |x|^2 = 5 */
    assert_near(weight(m, 1, 0), 0.3);
    assert_near(weight(m, 2, 0), 0.6);
    assert_near(number(m, "| a b:2"), 1.5);
    teach(m, "vw", "3 100 | a b:2\n"); /* however important: mended, not overshot */
    assert_near(number(m, "| a b:2"), 3);
    teach(m, "vw", "3 |\n"); /* no feature: nothing can be done */
    assert_counts(m, 2, 0);
    thr_model_free(m);
}

/* The mean of 1/2 and 3/4 after two examples. */
static void test_lms_averaged(void **state)
{
    (void)state;
    thr_model *m = make_unscaled("lms:rate=0.5,bias=off", NULL);
    teach(m, "vw", "1 | a\n");
    assert_near(number(m, "| a"), 0.5);
    teach(m, "vw", "1 | a\n");
    assert_near(number(m, "| a"), (0.5 + 0.75) / 2);
    thr_model_free(m);
}

/* exp(2 eta U error x) is 4 with eta = ln 2/2, U = 2, error 1. */
static void test_eg_steps_as_computed_by_hand(void **state)
{
    (void)state;
    thr_model *m = make_unscaled("eg:eta=0.34657359027997264,U=2,bias=off", NULL);
    teach(m, "vw", "1 | a\n");
    assert_near(weight(m, 1, 0), 2 * (4 - 0.25) / (4 + 0.25));
    assert_near(number(m, "| a:0.5 never"), (4 - 0.25) / (4 + 0.25));
    teach(m, "vw", "0 | b:-1\n"); /* predicted 0: no error, but from now on b counts */
    assert_near(weight(m, 1, 0), 2 * (4 - 0.25) / (4 + 0.25 + 2));
    assert_near(weight(m, 2, 0), 0);
    thr_model_free(m);
}

static void test_eg_unsigned(void **state)
{
    (void)state;
    thr_model *m = make_unscaled("eg:eta=0.34657359027997264,U=2,signed=off,bias=off", NULL);
    teach(m, "vw", "0 0 | a b\n"); /* of no importance: the features are known now */
    assert_near(weight(m, 1, 0), 1);
    assert_near(number(m, "| a b:3"), 4);
    teach(m, "vw", "2 | a\n"); /* error 1: a is 4, b is 1 */
    assert_near(weight(m, 1, 0), 2 * 0.8);
    assert_near(weight(m, 2, 0), 2 * 0.2);
    thr_model_free(m);
}

/* U is 4 times the greatest number, eta 1/(3 U^2 X^2). */
static void test_eg_auto(void **state)
{
    (void)state;
    thr_model *m = make_unscaled("eg:bias=off", NULL);
    teach(m, "vw", "-3 | a:2\n"); /* U = 12, X = 2: theta = 2 U eta (-3) 2 = -1/12 */
    assert_near(weight(m, 1, 0), 12 * tanh(-1.0 / 12));
    thr_model_free(m);
}

/* ---- many functions at once ---- */

static int hear(void *user, const thr_update *u)
{
    (void)u;
    ++*(size_t *)user;
    return 0;
}

/* Lines of seven classes; one of fifty is long. */
static thr_bytes long_and_short(void)
{
    thr_random r;
    thr_bytes b = {0};
    thr_random_init(&r, 31);
    for (size_t i = 0; i < 300; i++) {
        assert_true(thr_bytes_printf(&b, "c%u |", (unsigned)thr_random_below(&r, 7)));
        for (size_t k = i % 50 ? 20 : 300; k-- > 0;)
            assert_true(thr_bytes_printf(&b, " w%u", (unsigned)thr_random_below(&r, 400)));
        assert_true(thr_bytes_add(&b, "\n", 1));
    }
    return b;
}

/* Rules that move several functions at once move them one by one where somebody listens: the model
 * is the same, also where features share rows. */
static void test_many_at_once(void **state)
{
    (void)state;
    static const char *const learner[] = {"adagrad", "arow", "balanced"};
    thr_bytes text = long_and_short();
    for (size_t i = 0; i < 6; i++) {
        const char *more = i % 2 ? "hash-bits=6" : NULL;
        thr_model *at_once = make_unscaled(learner[i / 2], more);
        thr_model *one_by_one = make_unscaled(learner[i / 2], more);
        size_t heard = 0;
        teach_bytes(at_once, "vw", text.p, text.n);
        teach_telling(one_by_one, "vw", text.p, text.n, hear, &heard);
        assert_true(heard > 100);
        assert_same_model(at_once, one_by_one);
        thr_model_free(at_once);
        thr_model_free(one_by_one);
    }
    thr_bytes_clear(&text);
}

enum { LONG = 2 * THR_GATHERED + 5, TABLES = 2 };

/* One example's rows in two tables of as many functions. */
typedef struct twins {
    thr_rule rule[TABLES];
    thr_weights w[TABLES];
    uint32_t id[LONG];
    float x[LONG];
    char *row[LONG];
} twins;

static void twins_init(twins *t, const char *learner, uint32_t functions)
{
    for (int k = 0; k < TABLES; k++) {
        assert_int_equal(thr_rule_init(&t->rule[k], learner, NULL, NULL), 0);
        assert_int_equal(thr_rule_widen(&t->rule[k], functions, NULL), 0);
        thr_weights_init(&t->w[k], t->rule[k].slot, t->rule[k].n_slots);
        thr_weights_widen(&t->w[k], functions);
    }
}

static void twins_clear(twins *t)
{
    for (int k = 0; k < TABLES; k++) {
        thr_weights_clear(&t->w[k]);
        thr_rule_clear(&t->rule[k]);
    }
}

/* The second does not know that its rows are distinct. */
static void move_twins(twins *t, thr_example e, uint32_t f, double by)
{
    for (int k = 0; k < TABLES; k++) {
        thr_weights *w = &t->w[k];
        e.distinct = k == 0;
        assert_int_equal(thr_weights_ready(w, &e, NULL), 0);
        thr_weights_find(&w, 1, &e, t->row, NULL, 0);
        t->rule[k].learner->move(&t->rule[k], w, &e, f, by);
    }
}

static void assert_twins(const twins *t)
{
    for (uint32_t id = 0; id < LONG; id++)
        for (unsigned slot = 0; slot < t->w[0].n_slots; slot++)
            for (uint32_t f = 0; f < t->w[0].functions; f++) {
                double a = thr_weights_get(&t->w[0], id, slot, f);
                double b = thr_weights_get(&t->w[1], id, slot, f);
                assert_memory_equal(&a, &b, sizeof a);
            }
    size_t numbers = t->rule[0].learner->function_state * t->rule[0].functions;
    assert_memory_equal(t->rule[0].function, t->rule[1].function,
                        numbers * sizeof *t->rule[0].function);
}

/* Some features at once, or one after another: the same to the bit, at every length, with values
 * and without, also where numbers reach their limits. */
static void test_some_at_once(void **state)
{
    (void)state;
    static const char *const learner[] = {"adagrad", "arow", "balanced"};
    static twins t;
    thr_random r;
    thr_random_init(&r, 77);
    for (size_t i = 0; i < 6; i++) {
        uint32_t functions = i % 2 ? 5 : 1;
        twins_init(&t, learner[i / 2], functions);
        for (size_t k = 0; k < 400; k++) {
            thr_example e = {.id = t.id, .row = t.row, .scale = k % 3 ? 1 : 0.3, .importance = 1};
            e.n = k < LONG ? k : (size_t)thr_random_below(&r, 90);
            for (size_t j = 0; j < e.n; j++) {
                t.id[j] = (uint32_t)((j * 7 + k) % LONG);
                t.x[j] = (float)(thr_random_normal(&r) * (k % 10 ? 1 : 1e19));
            }
            e.x = k % 4 ? t.x : NULL;
            double by = thr_random_normal(&r) * (k % 20 == 7 ? 300 : 1);
            move_twins(&t, e, (uint32_t)k % functions, by);
        }
        assert_twins(&t);
        twins_clear(&t);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_perceptron_steps_as_computed_by_hand),
        cmocka_unit_test(test_perceptron_margin_bias_importance),
        cmocka_unit_test(test_perceptron_repeat),
        cmocka_unit_test(test_averaged_is_the_mean_over_every_step),
        cmocka_unit_test(test_winnow_steps_as_computed_by_hand),
        cmocka_unit_test(test_winnow_elimination),
        cmocka_unit_test(test_winnow_auto_theta),
        cmocka_unit_test(test_winnow_auto_start),
        cmocka_unit_test(test_balanced_steps_as_computed_by_hand),
        cmocka_unit_test(test_balanced_normalized),
        cmocka_unit_test(test_pa_steps_as_computed_by_hand),
        cmocka_unit_test(test_pa_cautious),
        cmocka_unit_test(test_mean_of_rounded_weights),
        cmocka_unit_test(test_pa_classes),
        cmocka_unit_test(test_logistic_steps_as_computed_by_hand),
        cmocka_unit_test(test_logistic_adaptive),
        cmocka_unit_test(test_logistic_sparse),
        cmocka_unit_test(test_logistic_small),
        cmocka_unit_test(test_logistic_softmax),
        cmocka_unit_test(test_logistic_refuses),
        cmocka_unit_test(test_lms_steps_as_computed_by_hand),
        cmocka_unit_test(test_lms_normalized),
        cmocka_unit_test(test_lms_averaged),
        cmocka_unit_test(test_eg_steps_as_computed_by_hand),
        cmocka_unit_test(test_eg_unsigned),
        cmocka_unit_test(test_eg_auto),
        cmocka_unit_test(test_many_at_once),
        cmocka_unit_test(test_some_at_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
