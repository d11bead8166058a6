/* Naive Bayes: its scores against log-probabilities computed plainly from counts, after every
 * example, for both kinds, several alpha, several labels, values and importance. */
#include "model_help.h"

#include <math.h>

enum { LABELS = 3, FEATURES = 12, STEPS = 120 };

typedef struct naive {
    bool bernoulli;
    double alpha;
    double examples[LABELS], count[FEATURES][LABELS];
    bool known[FEATURES];
    double size; /* of the terms added up, for the tolerance */
} naive;

/* log 0 is -10^6, as the library has it: each impossible feature costs that. */
static double safe_log(naive *t, double x)
{
    double v = x > 0 ? log(x) : -1e6;
    t->size += fabs(v);
    return v;
}

static double log_joint(naive *t, const double *x, int y)
{
    double all = 0, words = 0, features = 0, a = t->alpha;
    for (int l = 0; l < LABELS; l++)
        all += t->examples[l];
    for (int i = 0; i < FEATURES; i++) {
        words += t->count[i][y];
        features += t->known[i];
    }
    t->size = 0;
    double n = t->examples[y], sum = safe_log(t, n) - safe_log(t, all);
    for (int i = 0; i < FEATURES; i++) {
        double c = t->count[i][y];
        if (!t->known[i])
            continue;
        if (t->bernoulli)
            sum += safe_log(t, x[i] > 0 ? c + a : n - c + a) - safe_log(t, n + 2 * a);
        else if (x[i] != 0)
            sum += x[i] * (safe_log(t, c + a) -
                           (words + a * features > 0 ? safe_log(t, words + a * features) : 0));
    }
    return sum;
}

/* The Bernoulli form adds up log(n - c) over all features and takes those of the example off
 * again: where that is log 0, twice 10^6 is rounded to. */
static double tolerance(const naive *t)
{
    return 1e-12 * (1 + t->size + (t->bernoulli && t->alpha == 0 ? FEATURES * 1e6 : 0));
}

static void compare(naive *t, const thr_model *m, const char *line, const double *x)
{
    double score[LABELS];
    score_line(m, "vw", line, score);
    for (int y = 0; y < LABELS; y++) {
        double expected = log_joint(t, x, y);
        if (!(fabs(score[y] - expected) <= tolerance(t)))
            fail_msg("%s, alpha %g, label %d: %.17g, not %.17g", line, t->alpha, y, score[y],
                     expected);
    }
}

static void count(naive *t, const double *x, int y, double importance)
{
    t->examples[y] += importance;
    for (int i = 0; i < FEATURES; i++) {
        t->known[i] |= x[i] != 0;
        t->count[i][y] += importance * (t->bernoulli ? x[i] > 0 : x[i]);
    }
}

static void follow(bool bernoulli, double alpha, uint64_t seed)
{
    thr_random r;
    char learner[64], line[256];
    naive t = {.bernoulli = bernoulli, .alpha = alpha};
    thr_random_init(&r, seed);
    snprintf(learner, sizeof learner, "bayes:kind=%s,alpha=%.17g",
             bernoulli ? "bernoulli" : "multinomial", alpha);
    thr_model *m = make_model(learner, NULL);
    for (int y = 0; y < LABELS; y++)
        thr_model_declare_label(m, (char[]){(char)('1' + y), 0}, NULL);
    for (int step = 0; step < STEPS; step++) {
        double x[FEATURES] = {0}, importance = 1 + (double)thr_random_below(&r, 4) / 2;
        int y = (int)thr_random_below(&r, step < 20 ? 2 : 3); /* the third comes late */
        int n = snprintf(line, sizeof line, "%d %g |", y + 1, importance);
        for (int i = 0; i < FEATURES && (i < 6 || step > 40); i++) {
            if (thr_random_below(&r, 3))
                continue;
            x[i] = (double)(1 + thr_random_below(&r, 8)) / 4;
            n += snprintf(line + n, sizeof line - (size_t)n, " f%d:%g", i, x[i]);
        }
        if (step)
            compare(&t, m, line, x); /* features not known are left out */
        teach(m, "vw", line);
        count(&t, x, y, importance);
        compare(&t, m, line, x);
    }
    thr_model_free(m);
}

static void test_multinomial_scores_follow_the_definition(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 6; seed++)
        follow(false, (double[]){1, 0, 0.1}[seed % 3], seed);
}

static void test_bernoulli_scores_follow_the_definition(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 6; seed++)
        follow(true, (double[]){1, 0, 0.1}[seed % 3], seed);
}

/* Fewer impossible features win, and nothing is infinite. */
static void test_alpha_zero(void **state)
{
    (void)state;
    double score[2];
    thr_model *m = make_model("bayes:alpha=0", NULL);
    teach(m, "vw", "x | a b c\ny | d e f\n");
    assert_int_equal(score_line(m, "vw", " | a b d", score), 0);
    assert_true(isfinite(score[0]) && isfinite(score[1]) && score[0] > score[1]);
    assert_int_equal(score_line(m, "vw", " | a d e", score), 1);
    thr_model_free(m);
}

/* Kept in the model, the tallies of the Bernoulli form are made anew from the counts. */
static void test_saved_and_resumed_is_trained_in_one_go(void **state)
{
    (void)state;
    for (int kind = 0; kind < 2; kind++) {
        const char *learner = kind ? "bayes:kind=bernoulli" : "bayes";
        thr_bytes text = random_lines(9, 100, 3, true);
        thr_model *whole = make_model(learner, NULL), *part = make_model(learner, NULL);
        size_t half = (size_t)(strchr(text.p + text.n / 2, '\n') + 1 - text.p);
        teach(whole, "vw", text.p);
        teach_bytes(part, "vw", text.p, half);
        thr_bytes bytes = dumped(part, false);
        thr_model_free(part);
        part = thr_model_load(bytes.p, bytes.n, NULL);
        assert_non_null(part);
        teach(part, "vw", text.p + half);
        assert_same_model(whole, part);
        thr_bytes_clear(&bytes);
        thr_bytes_clear(&text);
        thr_model_free(whole);
        thr_model_free(part);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_multinomial_scores_follow_the_definition),
        cmocka_unit_test(test_bernoulli_scores_follow_the_definition),
        cmocka_unit_test(test_alpha_zero),
        cmocka_unit_test(test_saved_and_resumed_is_trained_in_one_go),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
