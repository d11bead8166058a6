/* What is known of small cases, to the number: who learns what, and who cannot. */
#include "streams.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* All points of {0,1}^n, labelled by `at least m ones`. */
static stream cube(int n, int m)
{
    stream s = {0};
    for (unsigned point = 0; point < 1u << n; point++) {
        int32_t column[16];
        size_t ones = 0;
        for (int i = 0; i < n; i++)
            if (point >> i & 1)
                column[ones++] = i + 1;
        stream_add(&s, (int)ones >= m ? 1 : -1, ones, column, NULL);
    }
    return s;
}

/* P(x_i=1|+) = 57/99 and P(x_i=1|-) = 7/29 make it answer as Th(2,7). */
static void bayes_takes_three_of_seven_for_two(void **state)
{
    (void)state;
    stream s = cube(7, 3);
    static const char *const alpha[] = {"0", "1"};
    for (size_t a = 0; a < COUNT(alpha); a++) {
        thr_model *m = model_make(true, NULL, "bayes:kind=bernoulli,alpha=%s", alpha[a]);
        stream_learn(&s, m, 1, false);
        int wrong = 0;
        for (size_t row = 0; row < s.rows; row++) {
            int ones = s.offset[row + 1] - s.offset[row];
            bool is_wrong = stream_predict(&s, m, row, NULL) != s.label[row];
            wrong += is_wrong;
            assert_int_equal(is_wrong, ones == 2);
        }
        assert_int_equal(wrong, 21);
        thr_model_free(m);
    }
    stream_free(&s);
}

static void others_learn_three_of_seven(void **state)
{
    (void)state;
    static const struct {
        const char *learner;
        bool learns;
    } cases[] = {
        {"perceptron:margin=0", true},
        {"winnow:promote=1.1666666666666667,demote=0.8571428571428571,theta=7,start=1", true},
        {"balanced:eta=0.02,margin=0,bias=on", true},
        {"winnow:promote=2,demote=0.5,theta=7,start=1", false},
    };
    stream s = cube(7, 3);
    for (size_t i = 0; i < COUNT(cases); i++) {
        thr_model *m = model_make(true, NULL, "%s", cases[i].learner);
        if (stream_learn(&s, m, 500, true).clean != cases[i].learns)
            fail_msg("%s %s", cases[i].learner, cases[i].learns ? "fails" : "succeeds");
        thr_model_free(m);
    }
    stream_free(&s);
}

/* Seven lights: three with the one side red, three with the other, one broken with both. Given
 * both red, naive Bayes says 6/28 for working (+1) against 4/28 for broken. */
static void traffic_light_is_60_percent_wrong(void **state)
{
    (void)state;
    stream s = {0};
    for (int i = 0; i < 3; i++) {
        stream_add(&s, 1, 1, (int32_t[]){1}, NULL);
        stream_add(&s, 1, 1, (int32_t[]){2}, NULL);
    }
    stream_add(&s, -1, 2, (int32_t[]){1, 2}, NULL);
    thr_model *m = model_make(true, NULL, "bayes:kind=bernoulli,alpha=0");
    stream_learn(&s, m, 1, false);
    double score[2];
    assert_true(stream_predict(&s, m, 6, score) == 1);
    int positive = thr_model_positive(m);
    double working = 1 / (1 + exp(score[!positive] - score[positive]));
    if (fabs(working - 0.6) > 1e-5)
        fail_msg("working with probability %g", working);
    thr_model_free(m);
    stream_free(&s);
}

/* Each row starts at w = 0: right at the tie, and updated all the same. */
static void unit_rows_take_an_update_each(void **state)
{
    (void)state;
    enum { N = 100 };
    stream s = stream_generate(1, N, "unit-rows:n=%d", N);
    static const char *const learners[] = {"perceptron:bias=off,margin=0",
                                           "balanced:bias=off,margin=0"};
    for (size_t i = 0; i < COUNT(learners); i++) {
        thr_model *m = model_make(true, NULL, "%s", learners[i]);
        counts c = stream_learn(&s, m, 3, false);
        assert_int_equal(c.updates, N);
        assert_int_equal(c.mistakes, 0);
        thr_model_free(m);
    }
    thr_model *m = model_make(true, NULL, "winnow:promote=2,demote=0.5,theta=%d,start=1", N);
    counts c = stream_learn(&s, m, 100, true);
    assert_true(c.clean);
    assert_int_equal(c.mistakes, N * 7); /* ceil(log2 100) = 7 */
    thr_model_free(m);
    stream_free(&s);
}

/* Few relevant variables among many: about 816 mistakes against 58. */
static void majority_parts_additive_from_multiplicative(void **state)
{
    (void)state;
    stream s = stream_generate(1, 4000, "majority:n=800,k=3");
    thr_model *additive = model_make(true, NULL, "perceptron:bias=off,margin=0");
    thr_model *multiplicative =
        model_make(true, NULL, "balanced:bias=off,margin=0,eta=0.3333333333333333");
    uint64_t many = stream_learn(&s, additive, 1, false).mistakes;
    uint64_t few = stream_learn(&s, multiplicative, 1, false).mistakes;
    assert_in_range(many, 700, 950);
    assert_in_range(few, 30, 100);
    assert_true(many > 5 * few);
    thr_model_free(additive);
    thr_model_free(multiplicative);
    stream_free(&s);
}

/* For `balanced` with conjunctions u = (1, 1, -2, -1/2): g = 1/9, so 337 updates at most. */
static void xor_needs_conjunctions(void **state)
{
    (void)state;
    static const struct {
        const char *learner, *more;
        bool learns;
    } cases[] = {
        {"perceptron:bias=on", NULL, false},
        {"balanced:bias=on,eta=0.1111,margin=0", NULL, false},
        {"perceptron:bias=on", "conjoin=2", true},
        {"balanced:bias=on,eta=0.1111,margin=0", "conjoin=2", true},
        {"pa:bias=on", "conjoin=2", true},
    };
    stream s = cube(2, 1);
    s.label[3] = -1;
    for (size_t i = 0; i < COUNT(cases); i++) {
        thr_model *m = model_make(true, cases[i].more, "%s", cases[i].learner);
        counts c = stream_learn(&s, m, cases[i].learns ? 400 : 50, true);
        if (c.clean != cases[i].learns)
            fail_msg("%s with %s", cases[i].learner, cases[i].more ? cases[i].more : "nothing");
        thr_model_free(m);
    }
    stream_free(&s);
}

/* ---- weights stay finite ---- */

static void assert_finite(const thr_model *m, const char *learner)
{
    double weights[2];
    assert_int_equal(thr_model_labels(m), 2);
    for (size_t f = 0; f < thr_model_features(m); f++) {
        assert_int_equal(thr_model_weights(m, f, weights, NULL), 0);
        if (!isfinite(weights[0]) || !isfinite(weights[1]))
            fail_msg("%s: feature %zu weighs %g and %g", learner, f, weights[0], weights[1]);
    }
}

typedef struct strain {
    const char *learner;
    float value[2]; /* of features 1 and 2 */
    bool alternate; /* the labels */
    bool forever;   /* no weight satisfies the example: every step is an update */
} strain;

static void bear(const strain *t)
{
    enum { ROWS = 1000, PASSES = 1000 };
    stream s = {0};
    for (int i = 0; i < ROWS; i++)
        stream_add(&s, t->alternate && i % 2 ? -1 : 1, t->value[1] != 0 ? 2 : 1, (int32_t[]){1, 2},
                   t->value);
    thr_model *m = model_make(true, NULL, "%s", t->learner);
    counts c = stream_learn(&s, m, PASSES, false);
    if (t->forever && c.updates != (uint64_t)ROWS * PASSES)
        fail_msg("%s: %llu updates", t->learner, (unsigned long long)c.updates);
    assert_finite(m, t->learner);
    double scores[2];
    stream_predict(&s, m, 0, scores);
    assert_true(isfinite(scores[0]) && isfinite(scores[1]));
    thr_model_free(m);
    stream_free(&s);
}

static void weights_stay_finite(void **state)
{
    (void)state;
    static const strain strains[] = {
        /* theta is out of the reach of any weight; negative values only shrink it */
        {"winnow:promote=2,demote=0.5,theta=1e6,start=1", {-1, 0}, false, true},
        {"winnow:promote=2,demote=0.5,theta=1e6,start=1", {1, -1e3F}, false, false},
        {"winnow:promote=2,demote=0.5,theta=10,start=1", {1e30F, 0}, true, false},
        {"winnow:promote=1000,demote=0.5,theta=10,start=1", {1, 1e30F}, true, false},
        {"balanced:eta=1,margin=1e30", {1e-3F, -1e-3F}, false, false},
        {"balanced:eta=1,margin=0", {1e30F, 0}, true, false},
        {"balanced:eta=1,margin=0", {1e30F, -1e30F}, true, false},
        {"balanced:eta=1,margin=0,normalized=on", {1e30F, 1}, true, false},
        {"balanced:eta=1,margin=0.9,normalized=on", {1, 1}, true, false},
        {"perceptron:rate=1,margin=0", {1e30F, 0}, true, false},
        {"perceptron:rate=1,margin=1e30", {1e-30F, 0}, false, false},
        {"averaged:rate=1,margin=0", {1e30F, -1e30F}, true, false},
        {"pa:C=inf,averaged=off", {1e30F, 1e30F}, true, false},
        {"pa:C=inf", {1e-30F, 0}, true, false},
    };
    for (size_t i = 0; i < COUNT(strains); i++)
        bear(&strains[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bayes_takes_three_of_seven_for_two),
        cmocka_unit_test(others_learn_three_of_seven),
        cmocka_unit_test(traffic_light_is_60_percent_wrong),
        cmocka_unit_test(unit_rows_take_an_update_each),
        cmocka_unit_test(majority_parts_additive_from_multiplicative),
        cmocka_unit_test(xor_needs_conjunctions),
        cmocka_unit_test(weights_stay_finite),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
