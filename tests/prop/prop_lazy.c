/* What a rule does lazily is what it would do eagerly. The definitions of the log loss rule with
 * its penalties and of exponentiated gradient are written here once more, visiting every weight
 * after every example; the model, which visits only those of the example, must have the same
 * weights. */
#include "streams.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

enum { VARIABLES = 40, MOST = STREAM_CLASSES }; /* variable 0 is the bias */

static void learn_row(const stream *s, thr_model *m, size_t row)
{
    thr_error err = {0};
    thr_batch *b = stream_row(s, m, row);
    if (thr_learn(m, NULL, b, NULL, &err))
        fail_msg("%s", err.message);
    thr_batch_free(b);
}

static void point_of(const stream *s, size_t row, bool bias, double *x)
{
    memset(x, 0, (VARIABLES + 1) * sizeof *x);
    for (int32_t i = s->offset[row]; i < s->offset[row + 1]; i++)
        x[s->column[i]] = (double)s->value[i];
    x[0] = bias ? 1 : 0;
}

static double dot(const double *w, const double *x)
{
    double sum = 0;
    for (int v = 0; v <= VARIABLES; v++)
        sum += w[v] * x[v];
    return sum;
}

/* The variable a feature of the model stands for: the bias, or its digits. */
static int variable_of(const thr_model *m, size_t feature)
{
    char name[32];
    thr_model_feature(m, feature, name, sizeof name);
    return feature == 0 ? 0 : atoi(name);
}

/* Weights of the column `label`, and 0 for features that never came. */
static void same_weights(const thr_model *m, size_t label, const double *w, const char *what,
                         double allowed)
{
    double weights[MOST];
    for (size_t f = 0; f < thr_model_features(m); f++) {
        int v = variable_of(m, f);
        assert_int_equal(thr_model_weights(m, f, weights, NULL), 0);
        if (!(fabs(weights[label] - w[v]) <= allowed * fabs(w[v]) + 1e-12))
            fail_msg("%s: variable %d weighs %.12g, not %.12g", what, v, weights[label], w[v]);
    }
}

/* Some of the variables rarely, some often; labels from a hidden vector, with noise. */
static stream rare_and_frequent(dice *d, size_t rows, int classes)
{
    stream s = {0};
    double u[MOST][VARIABLES + 1];
    for (int c = 0; c < MOST; c++)
        for (int v = 0; v <= VARIABLES; v++)
            u[c][v] = dice_normal(d);
    while (s.rows < rows) {
        int32_t column[VARIABLES];
        float value[VARIABLES];
        double score[MOST] = {0};
        size_t n = 0;
        for (int v = 1; v <= VARIABLES; v++) {
            if (dice_real(d) > 1.5 / v)
                continue;
            column[n] = v;
            value[n] = (float)(dice_below(d, 2) ? 1 : dice_normal(d));
            for (int c = 0; c < MOST; c++)
                score[c] += u[c][v] * (double)value[n];
            n++;
        }
        int best = 0;
        for (int c = 1; c < classes; c++)
            best = score[c] > score[best] ? c : best;
        best = dice_below(d, 10) ? best : (int)dice_below(d, (size_t)classes);
        stream_add(&s, classes == 2 ? 2 * best - 1 : best + 1, n, column, value);
    }
    return s;
}

/* ---- logistic ---- */

typedef struct logistic {
    bool sgd, bias;
    double rate, decay, l1, l2;
} logistic;

typedef struct reference {
    const logistic *o;
    int functions;
    double w[MOST][VARIABLES + 1], squares[MOST][VARIABLES + 1];
    double clock;
} reference;

static void reference_init(reference *t, const logistic *o, int functions)
{
    *t = (reference){.o = o, .functions = functions};
    for (int f = 0; f < functions; f++)
        for (int v = 0; v <= VARIABLES; v++)
            t->squares[f][v] = 1.0 / 64;
}

/* dw = -(l1 sign w + l2 w) dh over a length h, solved. */
static double descended(const logistic *o, double w, double h)
{
    double less = o->l2 > 0 ? -expm1(-o->l2 * h) / o->l2 : h;
    double size = fabs(w) * exp(-o->l2 * h) - o->l1 * less;
    return size > 0 ? copysign(size, w) : 0;
}

static double rate_of(const reference *t, int f, int v)
{
    const logistic *o = t->o;
    return o->sgd ? o->rate * pow(1 + t->clock, -o->decay) : o->rate / sqrt(t->squares[f][v]);
}

/* One example: a step along its own features, then the penalties for all weights but the bias. */
static void learn(reference *t, const double *x, const double *gradient)
{
    for (int f = 0; f < t->functions; f++)
        for (int v = 0; v <= VARIABLES; v++) {
            double g = gradient[f] * x[v];
            /* both are stored as floats when they move */
            if (x[v] != 0)
                t->squares[f][v] = (double)(float)(t->squares[f][v] + g * g);
            if (x[v] != 0)
                t->w[f][v] = (double)(float)(t->w[f][v] + rate_of(t, f, v) * g);
            if (v > 0)
                t->w[f][v] = descended(t->o, t->w[f][v], rate_of(t, f, v));
        }
    t->clock++;
}

static void spec_of(const logistic *o, char *out, size_t room)
{
    snprintf(out, room, "logistic:steps=%s,rate=%.17g,decay=%.17g,l1=%.17g,l2=%.17g,bias=%s",
             o->sgd ? "sgd" : "adaptive", o->rate, o->decay, o->l1, o->l2, o->bias ? "on" : "off");
}

static void follow_two(const logistic *o, uint64_t seed)
{
    char spec[200];
    dice d = {seed};
    stream s = rare_and_frequent(&d, 400, 2);
    reference t;
    reference_init(&t, o, 1);
    spec_of(o, spec, sizeof spec);
    thr_model *m = model_make(true, NULL, "%s", spec);
    for (size_t row = 0; row < s.rows; row++) {
        double x[VARIABLES + 1], scores[2], y = s.label[row];
        point_of(&s, row, o->bias, x);
        double score = dot(t.w[0], x), gradient = y / (1 + exp(y * score));
        stream_predict(&s, m, row, scores);
        double found = scores[thr_model_positive(m)];
        if (fabs(found - score) > 1e-5 * (1 + fabs(score)))
            fail_msg("%s, row %zu: scores %.9g, not %.9g", spec, row, found, score);
        learn(&t, x, &gradient);
        learn_row(&s, m, row);
    }
    same_weights(m, (size_t)thr_model_positive(m), t.w[0], spec, 1e-6);
    thr_model_free(m);
    stream_free(&s);
}

static const logistic rules[] = {
    {.rate = 0.5},
    {.rate = 0.5, .l2 = 0.01, .bias = true},
    {.rate = 0.5, .l1 = 0.005, .bias = true},
    {.rate = 0.2, .l1 = 0.001, .l2 = 0.002},
    {.rate = 1, .l1 = 1e-9, .l2 = 1e-9},
    {.sgd = true, .rate = 0.2, .bias = true},
    {.sgd = true, .rate = 0.2, .l2 = 0.01},
    {.sgd = true, .rate = 0.2, .l1 = 0.01, .bias = true},
    {.sgd = true, .rate = 2, .decay = 0.5, .l1 = 0.003, .l2 = 0.01, .bias = true},
    {.sgd = true, .rate = 5, .decay = 1, .l1 = 0.0003, .l2 = 0.1},
};

static void penalties_wait(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(rules); i++)
        for (uint64_t seed = 1; seed <= stream_seeds(6); seed++)
            follow_two(&rules[i], seed);
}

/* P(g) ~ exp(score of g); every label's weights move by [g is right] - P(g). */
static void follow_many(const logistic *o, uint64_t seed)
{
    char spec[200];
    dice d = {seed};
    stream s = rare_and_frequent(&d, 300, MOST);
    reference t;
    reference_init(&t, o, MOST);
    spec_of(o, spec, sizeof spec);
    thr_model *m = model_make(false, "multiclass=direct", "%s", spec);
    for (int c = 0; c < MOST; c++)
        assert_int_equal(thr_model_declare_label(m, (char[]){(char)('1' + c), 0}, NULL), c);
    for (size_t row = 0; row < s.rows; row++) {
        double x[VARIABLES + 1], gradient[MOST], sum = 0;
        point_of(&s, row, o->bias, x);
        for (int c = 0; c < MOST; c++)
            sum += gradient[c] = exp(dot(t.w[c], x));
        for (int c = 0; c < MOST; c++)
            gradient[c] = (s.label[row] == c + 1) - gradient[c] / sum;
        learn(&t, x, gradient);
        learn_row(&s, m, row);
    }
    for (size_t c = 0; c < MOST; c++)
        same_weights(m, c, t.w[c], spec, 1e-6);
    thr_model_free(m);
    stream_free(&s);
}

static void lazy_softmax_is_the_eager_one(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(rules); i++)
        for (uint64_t seed = 1; seed <= stream_seeds(2); seed++)
            follow_many(&rules[i], seed);
}

/* A third label divides what two shared; weights that lag behind must not be divided as they are.
 */
static void third_label_changes_nothing(void **state)
{
    (void)state;
    static const logistic penalised = {.rate = 0.5, .l1 = 0.003, .l2 = 0.01, .bias = true};
    char spec[200];
    dice d = {7};
    stream s = rare_and_frequent(&d, 300, 2);
    spec_of(&penalised, spec, sizeof spec);
    thr_model *m = model_make(true, "multiclass=direct", "%s", spec);
    stream_learn(&s, m, 1, false);
    size_t positive = (size_t)thr_model_positive(m);
    for (size_t f = 0; f < thr_model_features(m); f++) {
        double before[3], after[3];
        thr_model *wider = thr_model_clone(m, NULL);
        assert_true(wider && thr_model_declare_label(wider, "3", NULL) >= 0);
        assert_int_equal(thr_model_weights(m, f, before, NULL), 0);
        assert_int_equal(thr_model_weights(wider, f, after, NULL), 0);
        double difference = after[positive] - after[1 - positive];
        if (fabs(difference - before[positive]) > 1e-6 * fabs(before[positive]) + 1e-12)
            fail_msg("feature %zu: %.12g became %.12g", f, before[positive], difference);
        thr_model_free(wider);
    }
    thr_model_free(m);
    stream_free(&s);
}

/* The mean over all steps, of either kind of step. */
static void mean_of_all_steps(void **state)
{
    (void)state;
    static const char *const learner[] = {"logistic:steps=sgd,rate=0.3", "logistic:rate=0.5"};
    for (size_t i = 0; i < COUNT(learner); i++) {
        dice d = {i + 3};
        double sum[VARIABLES + 1] = {0}, weights[2];
        stream s = rare_and_frequent(&d, 200, 2);
        thr_model *plain = model_make(true, NULL, "%s", learner[i]);
        thr_model *mean = model_make(true, NULL, "%s,averaged=on", learner[i]);
        size_t positive = (size_t)thr_model_positive(plain);
        for (size_t row = 0; row < s.rows; row++) {
            for (size_t f = 0; f < thr_model_features(plain); f++) {
                assert_int_equal(thr_model_weights(plain, f, weights, NULL), 0);
                sum[variable_of(plain, f)] += weights[positive] / (double)s.rows;
            }
            learn_row(&s, plain, row);
            learn_row(&s, mean, row);
        }
        /* The mean counts the weights after each step: the last ones in, the first, 0, out. */
        for (size_t f = 0; f < thr_model_features(plain); f++) {
            assert_int_equal(thr_model_weights(plain, f, weights, NULL), 0);
            sum[variable_of(plain, f)] += weights[positive] / (double)s.rows;
        }
        same_weights(mean, positive, sum, learner[i], 1e-5);
        thr_model_free(plain);
        thr_model_free(mean);
        stream_free(&s);
    }
}

/* ---- exponentiated gradient ---- */

typedef struct eg {
    double eta, U;
    bool both, bias;
} eg;

/* Weights as they are defined: divided by their sum at every step, over the features met. */
static void follow_eg(const eg *o, uint64_t seed, double factor, double swing)
{
    dice d = {seed};
    double plus[VARIABLES + 1], minus[VARIABLES + 1], w[VARIABLES + 1] = {0};
    bool known[VARIABLES + 1] = {0};
    stream s = rare_and_frequent(&d, 400, 2);
    for (size_t row = 0; row < s.rows; row++)
        s.label[row] = factor * (s.label[row] + dice_normal(&d)) + (row / 50 % 2 ? -swing : swing);
    thr_model *m = model_make(false, NULL, "eg:eta=%.17g,U=%.17g,signed=%s,bias=%s", o->eta, o->U,
                              o->both ? "on" : "off", o->bias ? "on" : "off");
    for (int v = 0; v <= VARIABLES; v++) {
        plus[v] = 1;
        minus[v] = o->both ? 1 : 0;
    }
    w[0] = o->bias && !o->both ? o->U : 0; /* alone known from the start */
    for (size_t row = 0; row < s.rows; row++) {
        double x[VARIABLES + 1], found, total = 0;
        point_of(&s, row, o->bias, x);
        double predicted = dot(w, x), error = s.label[row] - predicted;
        stream_predict(&s, m, row, &found);
        if (fabs(found - predicted) > 1e-6 * (1 + fabs(predicted)))
            fail_msg("eg, row %zu: predicts %.9g, not %.9g", row, found, predicted);
        for (int v = 0; v <= VARIABLES; v++) {
            known[v] = known[v] || x[v] != 0 || (v == 0 && o->bias);
            plus[v] *= exp(2 * o->eta * o->U * error * x[v]);
            minus[v] *= exp(-2 * o->eta * o->U * error * x[v]);
            total += known[v] ? plus[v] + minus[v] : 0;
        }
        for (int v = 0; v <= VARIABLES; v++)
            w[v] = known[v] ? o->U * (plus[v] - minus[v]) / total : 0;
        learn_row(&s, m, row);
    }
    same_weights(m, 0, w, "eg", 1e-6);
    thr_model_free(m);
    stream_free(&s);
}

/* In the last ones the error cannot be mended, so all weights drift off together; with a swing they
 * go up and come back, and what a sum forgot of the small ones must not show. */
static void exponentiated_gradient(void **state)
{
    (void)state;
    static const struct {
        eg o;
        double factor, swing;
    } cases[] = {
        {{.eta = 0.01, .U = 3, .both = true, .bias = true}, 1, 0},
        {{.eta = 0.1, .U = 1, .both = true}, 1, 0},
        {{.eta = 0.01, .U = 2, .bias = true}, 1, 0},
        {{.eta = 0.02, .U = 0.5, .bias = true}, -20, 0},
        {{.eta = 0.02, .U = 0.5, .bias = true}, 20, 0},
        {{.eta = 0.02, .U = 0.5, .both = true, .bias = true}, 1, 45},
        {{.eta = 0.02, .U = 0.5, .bias = true}, 1, 45},
    };
    for (size_t i = 0; i < COUNT(cases); i++)
        for (uint64_t seed = 1; seed <= stream_seeds(5); seed++)
            follow_eg(&cases[i].o, seed, cases[i].factor, cases[i].swing);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(penalties_wait),
        cmocka_unit_test(lazy_softmax_is_the_eager_one),
        cmocka_unit_test(third_label_changes_nothing),
        cmocka_unit_test(mean_of_all_steps),
        cmocka_unit_test(exponentiated_gradient),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
