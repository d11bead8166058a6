/* Training told step by step: for every rule with weights, what is said of a step is what a person
 * finds who has only the steps before it. */
#include "streams.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { MOST = 40, LABELS = 4 };

typedef struct reader {
    const char *learner;
    double last[MOST][LABELS]; /* weights after the step before */
    size_t columns;            /* of these */
    uint64_t steps, mistakes, updates;
    bool scores_skip_first; /* the first score follows from the example itself */
} reader;

static bool near(double a, double b)
{
    return fabs(a - b) <= 1e-6 * (1 + fabs(a) + fabs(b));
}

static void follow(reader *r, const thr_trace_step *s)
{
    for (size_t i = 0; i < s->n_features && s->before; i++)
        for (size_t c = 0; c < s->columns; c++) {
            double before = s->before[i * s->columns + c];
            if (r->steps > 1 && r->columns == s->columns && !near(before, r->last[i][c]))
                fail_msg("%s: step %zu begins elsewhere than the last ended", r->learner,
                         (size_t)s->number);
        }
    r->columns = s->columns_after;
    for (size_t i = 0; i < s->n_features && s->after; i++)
        for (size_t c = 0; c < s->columns_after; c++)
            r->last[i][c] = s->after[i * s->columns_after + c];
}

static void add_up(const reader *r, const thr_trace_step *s)
{
    for (size_t c = 0; c < s->columns && s->before; c++) {
        double sum = s->rest[c];
        for (size_t i = 0; i < s->n_features; i++)
            sum += s->values[i] * s->before[i * s->columns + c];
        if (!near(sum, s->scores[c]) && !(r->scores_skip_first && r->steps == 1))
            fail_msg("%s: the score of step %zu is not the sum", r->learner, (size_t)s->number);
    }
}

/* A step of one additive function goes along the example. */
static void along(const reader *r, const thr_trace_step *s)
{
    if (strncmp(r->learner, "perceptron", 10) != 0 || !s->positive)
        return;
    double y = strcmp(s->truth, s->positive) == 0 ? 1 : -1;
    bool moves = y * s->score <= 0;
    assert_int_equal(s->updated, moves);
    for (size_t i = 0; i < s->n_features; i++)
        assert_true(s->after[i] == s->before[i] + (moves ? y * s->values[i] : 0));
}

static int read_step(void *user, const thr_trace_step *s)
{
    reader *r = user;
    assert_int_equal(s->number, ++r->steps);
    assert_true(s->all && s->n_features <= MOST && s->columns_after <= LABELS);
    follow(r, s);
    add_up(r, s);
    along(r, s);
    r->mistakes += s->mistake;
    r->updates += s->updated;
    if (s->positive && s->score != 0)
        assert_int_equal(s->score > 0, strcmp(s->predicted, s->positive) == 0);
    if (s->predicted)
        assert_int_equal(s->mistake, strcmp(s->predicted, s->truth) != 0);
    assert_int_equal(s->updated, s->n_moves > 0);
    return 0;
}

/* Mistakes, updates and weights are those of training, told which label is positive. */
static void as_trained(const reader *r, const thr_model *m, const char *text, bool two)
{
    thr_error err;
    thr_train_report report;
    thr_train_options o = {.passes = 2};
    thr_model *plain = model_make(false, two ? "positive=b" : NULL, "%s", r->learner);
    thr_input *in = thr_input_new();
    thr_input_add_memory(in, text, strlen(text), "memory", &err);
    assert_int_equal(thr_train(plain, in, &o, &report, &err), 0);
    assert_int_equal(report.examples, r->steps);
    if (!thr_model_regression(m))
        assert_int_equal(report.mistakes, r->mistakes);
    assert_int_equal(report.updates, r->updates);
    for (size_t f = 0; f < thr_model_features(m) && thr_model_linear(m); f++) {
        double a[LABELS] = {0}, b[LABELS] = {0};
        assert_int_equal(thr_model_weights(m, f, a, NULL), 0);
        assert_int_equal(thr_model_weights(plain, f, b, NULL), 0);
        assert_memory_equal(a, b, sizeof a);
    }
    thr_input_free(in);
    thr_model_free(plain);
}

static void step_through(const char *learner, const char *text, bool two)
{
    thr_error err;
    reader r = {.learner = learner, .scores_skip_first = strncmp(learner, "winnow", 6) == 0};
    thr_trace_options o = {.train = {.passes = 2}, .all = MOST};
    thr_model *m = model_make(false, NULL, "%s", learner);
    thr_input *in = thr_input_new();
    thr_input_add_memory(in, text, strlen(text), "memory", &err);
    if (thr_step_through(m, in, &o, read_step, &r, NULL, &err))
        fail_msg("%s: %s", learner, err.message);
    as_trained(&r, m, text, two);
    thr_input_free(in);
    thr_model_free(m);
}

static void every_rule(void **state)
{
    (void)state;
    static const char two[] = "a | x y\nb | y z\nb | x z:2\na | x\na | z v\nb | y v\na | x v\n";
    static const char three[] = "a | x y\nb | y z\nc | x z:2\na | x\nc | z v\nb | y v\nc | x v\n";
    static const char numbers[] = "1 | x y\n-2 | y z\n0.5 | x z:2\n3 | x v\n";
    thr_entry_info l;
    for (size_t i = 0; thr_learner_at(i, &l); i++) {
        if (strcmp(l.name, "panel") == 0)
            continue;
        step_through(l.name, l.regression ? numbers : two, !l.regression);
        if (!l.regression)
            step_through(l.name, three, false);
    }
    step_through("bayes:kind=bernoulli", two, true);
    step_through("winnow:theta=3,start=1", two, true);
    step_through("perceptron:rate=1,bias=off", two, true);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_rule)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
