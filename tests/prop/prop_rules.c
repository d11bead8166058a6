/* Step by step, each rule does what its definition says. The definitions are written here once
 * more, densely and in double precision, without laziness, sharing or scaling; after every
 * example the model's scores and its count of updates must agree with them. */
#include "streams.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

enum { VARIABLES = 12, MOST = STREAM_CLASSES };

typedef enum form { ADD, MULTIPLY, BALANCE } form;

typedef struct rule {
    const char *learner;
    form form;
    double rate, margin; /* rate is eta for balanced Winnow */
    double promote, demote, theta;
    double C; /* passive-aggressive when > 0 */
    bool repeat, averaged, normalized, bias;
} rule;

/* Variable 0 is the bias. A function's weight is plus - minus. */
typedef struct reference {
    const rule *r;
    int functions;
    double plus[MOST][VARIABLES + 1], minus[MOST][VARIABLES + 1];
    double sum[MOST][VARIABLES + 1]; /* of the weights after every step */
    double steps;
    uint64_t updates;
    bool undecided; /* a score so near to its threshold that rounding decides */
} reference;

static void reference_init(reference *t, const rule *r, int functions)
{
    *t = (reference){.r = r, .functions = functions};
    for (int f = 0; f < functions; f++)
        for (int v = r->bias ? 0 : 1; v <= VARIABLES; v++) {
            t->plus[f][v] = r->form == ADD ? 0 : 1;
            t->minus[f][v] = r->form == BALANCE ? 1 : 0;
        }
}

static void point_of(const stream *s, size_t row, const rule *r, double *x)
{
    memset(x, 0, (VARIABLES + 1) * sizeof *x);
    for (int32_t i = s->offset[row]; i < s->offset[row + 1]; i++)
        x[s->column[i]] = (double)s->value[i];
    x[0] = r->bias ? 1 : 0;
}

static double score(const reference *t, int f, const double *x)
{
    double dot = 0, total = 0;
    for (int v = 0; v <= VARIABLES; v++) {
        dot += (t->plus[f][v] - t->minus[f][v]) * x[v];
        total += t->plus[f][v] + t->minus[f][v];
    }
    return t->r->normalized ? dot / total : dot - t->r->theta;
}

/* What predictions use. */
static double shown(const reference *t, int f, const double *x)
{
    if (!t->r->averaged || t->steps == 0)
        return score(t, f, x);
    double dot = 0;
    for (int v = 0; v <= VARIABLES; v++)
        dot += t->sum[f][v] / t->steps * x[v];
    return dot;
}

/* How far to move an example whose right side leads by `lead`; |f(x,y) - f(x,y')|^2 is `copies`
 * times |x|^2. */
static double step(reference *t, const double *x, double lead, int sign, int copies)
{
    const rule *r = t->r;
    double length2 = 0, wanted = r->C > 0 ? 1 : r->margin;
    for (int v = 0; v <= VARIABLES; v++)
        length2 += copies * x[v] * x[v];
    t->undecided |= lead != 0 && fabs(lead - wanted) < 1e-5 * (1 + fabs(lead));
    if (r->form == MULTIPLY)
        return lead < 0 || (lead == 0 && sign < 0) ? 1 : 0;
    if (r->C > 0)
        return lead < 1 ? fmin(r->C, (1 - lead) / length2) : 0;
    if (lead > 0 && lead >= r->margin)
        return 0;
    if (!r->repeat)
        return r->rate;
    double times = 0;
    while (lead + times * r->rate * length2 < 1)
        times++;
    return times * r->rate;
}

static void move(reference *t, int f, const double *x, double by)
{
    const rule *r = t->r;
    for (int v = 0; v <= VARIABLES; v++) {
        if (r->form == ADD)
            t->plus[f][v] += by * x[v];
        else if (r->form == MULTIPLY && x[v] != 0)
            t->plus[f][v] *= pow(by > 0 ? r->promote : r->demote, x[v]);
        else if (r->form == BALANCE) {
            t->plus[f][v] *= exp(by * x[v]);
            t->minus[f][v] *= exp(-by * x[v]);
        }
    }
}

/* One function for both labels, or one for each that learns "mine or not". */
static bool learn_each(reference *t, const double *x, int right)
{
    double by[MOST];
    bool moved = false;
    for (int f = 0; f < t->functions; f++) {
        int sign = f == right ? 1 : -1;
        by[f] = sign * step(t, x, sign * score(t, f, x), sign, 1);
    }
    for (int f = 0; f < t->functions; f++) {
        if (by[f] != 0)
            move(t, f, x, by[f]);
        moved |= by[f] != 0;
    }
    return moved;
}

/* The right label up, the best wrong one down. The second label is the positive one, and wins ties.
 */
static bool learn_direct(reference *t, const double *x, int right)
{
    int wrong = right == 1 ? 0 : 1;
    for (int f = 0; f < t->functions; f++)
        if (f != right && score(t, f, x) > score(t, wrong, x))
            wrong = f;
    double by = step(t, x, score(t, right, x) - score(t, wrong, x), 1, 2);
    if (by == 0)
        return false;
    move(t, right, x, by);
    move(t, wrong, x, -by);
    return true;
}

static void learn(reference *t, const double *x, int right, bool direct)
{
    t->updates += direct ? learn_direct(t, x, right) : learn_each(t, x, right);
    t->steps++;
    for (int f = 0; f < t->functions; f++)
        for (int v = 0; v <= VARIABLES; v++)
            t->sum[f][v] += t->plus[f][v] - t->minus[f][v];
}

static void compare(const reference *t, const thr_model *m, const stream *s, size_t row,
                    const double *x)
{
    double scores[MOST];
    thr_stats stats;
    thr_model_stats(m, &stats);
    if (stats.updates != t->updates)
        fail_msg("%s, row %zu: %llu updates, not %llu", t->r->learner, row,
                 (unsigned long long)stats.updates, (unsigned long long)t->updates);
    stream_predict(s, m, row, scores);
    for (int f = 0; f < t->functions; f++) {
        double expected = shown(t, f, x);
        double found = scores[t->functions == 1 ? thr_model_positive(m) : f];
        if (fabs(found - expected) > 1e-4 * (1 + fabs(expected)))
            fail_msg("%s, row %zu: scores %.9g, not %.9g", t->r->learner, row, found, expected);
    }
}

/* Follows a model along a stream; returns the examples until rounding could decide. */
static size_t follow(const rule *r, const stream *s, int functions, const char *policy)
{
    thr_model *m = model_make(functions == 1, policy, "%s", r->learner);
    for (int c = 0; c < functions && functions > 1; c++)
        assert_true(thr_model_declare_label(m, (char[]){(char)('1' + c), 0}, NULL) >= 0);
    bool direct = policy && strstr(policy, "direct");
    reference t;
    reference_init(&t, r, functions);
    size_t row = 0;
    for (; row < s->rows; row++) {
        double x[VARIABLES + 1];
        point_of(s, row, r, x);
        int right = functions > 1 ? (int)s->label[row] - 1 : s->label[row] > 0 ? 0 : -1;
        learn(&t, x, right, direct);
        if (t.undecided)
            break;
        thr_batch *b = stream_row(s, m, row);
        assert_int_equal(thr_learn(m, NULL, b, NULL, NULL), 0);
        thr_batch_free(b);
        compare(&t, m, s, row, x);
    }
    assert_true(t.updates > 5);
    thr_model_free(m);
    return row;
}

static const rule rules[] = {
    {"perceptron:rate=0.5,margin=0,bias=off", ADD, .rate = 0.5},
    {"perceptron:rate=0.25,margin=1.5,bias=on", ADD, .rate = 0.25, .margin = 1.5, .bias = true},
    {"perceptron:rate=0.3,margin=0,repeat=on,bias=off", ADD, .rate = 0.3, .repeat = true},
    {"averaged:rate=1,margin=0,bias=on", ADD, .rate = 1, .bias = true, .averaged = true},
    {"averaged:rate=2,margin=0.7,bias=off", ADD, .rate = 2, .margin = 0.7, .averaged = true},
    {"pa:C=inf,averaged=off,bias=off", ADD, .C = INFINITY},
    {"pa:C=0.05,averaged=off,bias=on", ADD, .C = 0.05, .bias = true},
    {"pa:C=0.3,averaged=on,bias=on", ADD, .C = 0.3, .bias = true, .averaged = true},
    {"balanced:eta=0.3,margin=0,bias=off", BALANCE, .rate = 0.3},
    {"balanced:eta=0.1,margin=1,bias=on", BALANCE, .rate = 0.1, .margin = 1, .bias = true},
    {"balanced:eta=0.2,margin=0.05,normalized=on,bias=on", BALANCE, .rate = 0.2, .margin = 0.05,
     .normalized = true, .bias = true},
    {"winnow:promote=2,demote=0.5,theta=3,start=1", MULTIPLY, .promote = 2, .demote = 0.5,
     .theta = 3},
    {"winnow:promote=1.25,demote=0.9,theta=1,start=1", MULTIPLY, .promote = 1.25, .demote = 0.9,
     .theta = 1},
};

static void two_labels(void **state)
{
    (void)state;
    size_t followed = 0, rows = 0;
    for (size_t i = 0; i < COUNT(rules); i++)
        for (uint64_t seed = 1; seed <= stream_seeds(10); seed++) {
            stream s = stream_generate(seed, 150, "margin:n=%d,gamma=0.05,noise=0.1", VARIABLES);
            stream_scale(&s, 2);
            followed += follow(&rules[i], &s, 1, NULL);
            rows += s.rows;
            stream_free(&s);
        }
    assert_true(followed > rows * 9 / 10);
}

/* Sparse Boolean examples, some empty; eliminated weights stay 0. */
static void winnow_on_boolean_examples(void **state)
{
    (void)state;
    static const rule boolean[] = {
        {"winnow:promote=2,demote=0.5,theta=12,start=1", MULTIPLY, .promote = 2, .demote = 0.5,
         .theta = 12},
        {"winnow:promote=2,demote=0,theta=12,start=1", MULTIPLY, .promote = 2, .demote = 0,
         .theta = 12},
        {"winnow:promote=4,demote=0.5,theta=3,start=1", MULTIPLY, .promote = 4, .demote = 0.5,
         .theta = 3},
    };
    for (size_t i = 0; i < COUNT(boolean); i++)
        for (uint64_t seed = 1; seed <= stream_seeds(10); seed++) {
            stream s = stream_generate(seed, 150, "disjunction:n=%d,k=3,active=4", VARIABLES);
            assert_int_equal(follow(&boolean[i], &s, 1, NULL), s.rows);
            stream_free(&s);
        }
}

static void many_labels(void **state)
{
    (void)state;
    static const char *const policies[] = {"multiclass=direct", "multiclass=one-vs-all"};
    size_t followed = 0, rows = 0;
    for (size_t p = 0; p < COUNT(policies); p++)
        for (size_t i = 0; i < COUNT(rules); i++)
            for (uint64_t seed = 1; seed <= stream_seeds(5); seed++) {
                /* winnow has no direct form; Z counts only the variables that occur */
                if ((rules[i].form == MULTIPLY && p == 0) || rules[i].normalized)
                    continue;
                dice d = {seed};
                stream s = stream_classes(&d, 0.05, 150);
                followed += follow(&rules[i], &s, STREAM_CLASSES, policies[p]);
                rows += s.rows;
                stream_free(&s);
            }
    assert_true(followed > rows * 9 / 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_labels),
        cmocka_unit_test(winnow_on_boolean_examples),
        cmocka_unit_test(many_labels),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
