/* The rules in dual form against their definitions, written here once more in the plainest way:
 * every hypothesis of the voted perceptron as a vector of its own, every kernel as a double loop.
 * And what they are for: votes that beat the last hypothesis on noisy data, and kernels that
 * separate what no linear function does. */
#include "streams.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

enum { VARIABLES = 8, LABELS = 4, MOST = 1024 };

/* Points of a grid of quarters, so that products and their sums are exact; labels 1 to `labels`, or
 * -1 and 1, by the variable that is greatest, some of them wrong. */
static stream grid(uint64_t seed, size_t rows, int labels)
{
    dice d = {seed};
    stream s = {0};
    while (s.rows < rows) {
        int32_t column[VARIABLES];
        float value[VARIABLES];
        size_t n = 0;
        int best = 0;
        double most = -INFINITY;
        for (int v = 0; v < VARIABLES; v++) {
            double x = ((double)dice_below(&d, 9) - 4) / 4;
            if (v < labels && x > most) {
                most = x;
                best = v;
            }
            if (x != 0) {
                column[n] = v + 1;
                value[n++] = (float)x;
            }
        }
        if (dice_below(&d, 10) == 0)
            best = (int)dice_below(&d, (size_t)labels);
        stream_add(&s, labels == 2 ? 2 * best - 1 : best + 1, n, column, value);
    }
    return s;
}

static void point(const stream *s, size_t row, bool bias, double *x)
{
    memset(x, 0, (VARIABLES + 1) * sizeof *x);
    for (int32_t i = s->offset[row]; i < s->offset[row + 1]; i++)
        x[s->column[i]] = (double)s->value[i];
    x[0] = bias;
}

static double dot(const double *a, const double *b)
{
    double sum = 0;
    for (int v = 0; v <= VARIABLES; v++)
        sum += a[v] * b[v];
    return sum;
}

static void scale_to_unit(double *x)
{
    double length = sqrt(dot(x, x));
    for (int v = 0; v <= VARIABLES && length > 0; v++)
        x[v] /= length;
}

static void learn_row(const stream *s, thr_model *m, size_t row)
{
    thr_batch *b = stream_row(s, m, row);
    assert_int_equal(thr_learn(m, NULL, b, NULL, NULL), 0);
    thr_batch_free(b);
}

static uint64_t updates(const thr_model *m)
{
    thr_stats stats;
    thr_model_stats(m, &stats);
    return stats.updates;
}

/* ---- voted -------------------------------------------------------------------------------- */

typedef struct hypothesis {
    double w[VARIABLES + 1], lasted;
} hypothesis;

typedef struct voters {
    hypothesis at[MOST]; /* the first is 0 */
    size_t n;
} voters;

static double vote(const voters *v, const double *x)
{
    double sum = 0;
    for (size_t k = 0; k < v->n; k++) {
        double s = dot(v->at[k].w, x);
        sum += v->at[k].lasted * (s > 0 ? 1 : s < 0 ? -1 : 0);
    }
    return sum;
}

static bool voters_learn(voters *v, const double *x, int y, double rate, double margin)
{
    hypothesis *now = &v->at[v->n - 1];
    double lead = y * dot(now->w, x);
    if (lead > 0 && lead >= margin) {
        now->lasted++;
        return false;
    }
    assert_true(v->n < MOST);
    hypothesis next = {.lasted = 1};
    for (int i = 0; i <= VARIABLES; i++)
        next.w[i] = now->w[i] + y * rate * x[i];
    v->at[v->n++] = next;
    return true;
}

static void exactly(const char *what, size_t row, double found, double expected)
{
    if (found != expected)
        fail_msg("%s, row %zu: %.17g, not %.17g", what, row, found, expected);
}

static void voted_by_two_labels(void **state)
{
    (void)state;
    static voters v;
    for (uint64_t seed = 1; seed <= stream_seeds(12); seed++) {
        bool bias = seed % 2;
        double rate = seed % 3 ? 1 : 0.5, margin = seed % 4 ? 0 : 1, scores[2], x[VARIABLES + 1];
        stream s = grid(seed, 150, 2);
        thr_model *m = model_make(true, NULL, "voted:bias=%s,rate=%g,margin=%g",
                                  bias ? "on" : "off", rate, margin);
        uint64_t moved = 0, kept = 0;
        bool has_moved[150] = {false};
        memset(&v, 0, sizeof v);
        v.n = 1;
        for (size_t t = 0; t < 3 * s.rows; t++) {
            size_t row = t % s.rows;
            point(&s, row, bias, x);
            stream_predict(&s, m, row, scores);
            exactly("vote", t, scores[thr_model_positive(m)], t ? vote(&v, x) / (double)t : 0);
            bool moves = voters_learn(&v, x, s.label[row] > 0 ? 1 : -1, rate, margin);
            moved += moves;
            kept += moves && !has_moved[row];
            has_moved[row] |= moves;
            learn_row(&s, m, row);
            assert_int_equal(updates(m), moved);
            assert_int_equal(thr_model_kept(m, -1), kept); /* none twice */
        }
        assert_true(moved > 20 && moved > kept);
        thr_model_free(m);
        stream_free(&s);
    }
}

/* One against all; labels 3 and 4 are not declared, and learn from their first example on. */
static void voted_by_many_labels(void **state)
{
    (void)state;
    static voters v[LABELS];
    for (uint64_t seed = 1; seed <= stream_seeds(8); seed++) {
        double scores[LABELS], x[VARIABLES + 1];
        stream s = grid(seed, 200, LABELS);
        thr_model *m = model_make(false, NULL, "voted");
        assert_int_equal(thr_model_declare_label(m, "1", NULL), 0);
        assert_int_equal(thr_model_declare_label(m, "2", NULL), 1);
        memset(v, 0, sizeof v);
        for (int l = 0; l < LABELS; l++)
            v[l].n = 1;
        for (size_t t = 0; t < 2 * s.rows; t++) {
            size_t row = t % s.rows;
            point(&s, row, true, x);
            stream_predict(&s, m, row, scores);
            for (size_t i = 0; i < thr_model_labels(m); i++) {
                int l = thr_model_label(m, i)[0] - '1';
                exactly("vote of many", t, scores[i], t ? vote(&v[l], x) / (double)t : 0);
            }
            learn_row(&s, m, row);
            for (size_t i = 0; i < thr_model_labels(m); i++) {
                int l = thr_model_label(m, i)[0] - '1';
                voters_learn(&v[l], x, (int)s.label[row] == l + 1 ? 1 : -1, 1, 0);
            }
        }
        assert_int_equal(thr_model_labels(m), LABELS);
        thr_model_free(m);
        stream_free(&s);
    }
}

/* Freund and Schapire's point: the last hypothesis is as good as the last few examples, the vote
 * as all of them. Errors are counted against the true side of each point. */
static void the_vote_beats_the_last(void **state)
{
    (void)state;
    enum { SEEDS = 15, TRAIN = 500, TEST = 500 };
    double last = 0, voted = 0;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        stream s = stream_generate(seed, TRAIN + TEST, "margin:n=20,gamma=0.1,noise=0.15");
        thr_model *m[] = {model_make(true, NULL, "perceptron:bias=off"),
                          model_make(true, NULL, "voted:bias=off")};
        for (size_t row = 0; row < TRAIN; row++) {
            learn_row(&s, m[0], row);
            learn_row(&s, m[1], row);
        }
        assert_int_equal(updates(m[0]), updates(m[1]));
        for (size_t row = TRAIN; row < TRAIN + TEST; row++) {
            double truth = stream_margin(&s, row) > 0 ? s.label[row] : -s.label[row];
            last += stream_predict(&s, m[0], row, NULL) != truth;
            voted += stream_predict(&s, m[1], row, NULL) != truth;
        }
        thr_model_free(m[0]);
        thr_model_free(m[1]);
        stream_free(&s);
    }
    if (!(voted < 0.5 * last))
        fail_msg("%g errors by vote, %g by the last hypothesis", voted, last);
}

/* ---- kernel ------------------------------------------------------------------------------- */

typedef struct form {
    const char *spec;
    enum { LINEAR, POLY, RBF } kind;
    int degree;
    double gamma, coef, rate, margin;
    size_t budget;
    bool vote, no_bias, unit; /* unit: examples have length 1 */
} form;

static double kernel(const form *k, const double *a, const double *b)
{
    double difference[VARIABLES + 1];
    for (int v = 0; v <= VARIABLES; v++)
        difference[v] = a[v] - b[v];
    return k->kind == LINEAR ? dot(a, b)
           : k->kind == POLY ? pow(k->gamma * dot(a, b) + k->coef, k->degree)
                             : exp(-k->gamma * dot(difference, difference));
}

typedef struct step {
    double x[VARIABLES + 1], by;
    size_t born;
} step;

typedef struct reference {
    step at[MOST];
    size_t first, n; /* those before `first` are forgotten */
    bool undecided;  /* a value so near to its threshold that rounding decides */
} reference;

static double value(const reference *t, const form *k, const double *x, size_t from, size_t to)
{
    double sum = 0;
    for (size_t i = from; i < to; i++)
        sum += t->at[i].by * kernel(k, t->at[i].x, x);
    return sum;
}

static double kernel_vote(reference *t, const form *k, const double *x, size_t now)
{
    double sum = 0;
    for (size_t i = 0; i < t->n; i++) { /* the hypothesis after step i */
        double s = value(t, k, x, 0, i + 1);
        t->undecided |= s != 0 && fabs(s) < 1e-9;
        size_t until = i + 1 < t->n ? t->at[i + 1].born : now;
        sum += (double)(until - t->at[i].born) * (s > 0 ? 1 : s < 0 ? -1 : 0);
    }
    return now ? sum / (double)now : 0;
}

/* Returns the examples until rounding could decide. */
static size_t follow(const form *k, uint64_t seed)
{
    static reference t;
    stream s = grid(seed, 120, 2);
    thr_model *m = model_make(true, k->unit ? "unit=on" : NULL, "kernel:%s", k->spec);
    size_t now = 0;
    t.first = t.n = 0;
    t.undecided = false;
    for (; now < 2 * s.rows; now++) {
        size_t row = now % s.rows;
        double x[VARIABLES + 1], scores[2], y = s.label[row];
        point(&s, row, !k->no_bias, x);
        if (k->unit)
            scale_to_unit(x);
        stream_predict(&s, m, row, scores);
        double live = value(&t, k, x, t.first, t.n);
        double expected = k->vote ? kernel_vote(&t, k, x, now) : live;
        double found = scores[thr_model_positive(m)];
        t.undecided |= t.n && fabs(y * live - k->margin) < 1e-9 * (1 + fabs(live));
        if (t.undecided)
            break;
        if (fabs(found - expected) > 1e-9 * (1 + fabs(expected)))
            fail_msg("%s, row %zu: %.17g, not %.17g", k->spec, now, found, expected);
        if (!(y * live > 0 && y * live >= k->margin)) {
            assert_true(t.n < MOST);
            memcpy(t.at[t.n].x, x, sizeof x);
            t.at[t.n].by = k->rate * y;
            t.at[t.n++].born = now;
            if (k->budget && t.n - t.first > k->budget)
                t.first++;
        }
        learn_row(&s, m, row);
        assert_int_equal(updates(m), t.n);
        assert_true(!k->budget || thr_model_kept(m, -1) == t.n - t.first);
    }
    assert_true(t.n > 5);
    thr_model_free(m);
    stream_free(&s);
    return now;
}

static void kernels_as_defined(void **state)
{
    (void)state;
    static const form forms[] = {
        {"kind=linear,vote=off", LINEAR, .rate = 1},
        {"kind=linear,vote=off,budget=12", LINEAR, .rate = 1, .budget = 12},
        {"kind=linear,vote=on", LINEAR, .rate = 1, .vote = true, .unit = true},
        {"vote=off", POLY, .degree = 2, .gamma = 1, .rate = 1},
        {"degree=3,gamma=0.5,coef=1.5,bias=off,vote=off,rate=0.25,margin=2", POLY, .degree = 3,
         .gamma = 0.5, .coef = 1.5, .rate = 0.25, .margin = 2, .no_bias = true},
        {"degree=3,vote=on", POLY, .degree = 3, .gamma = 1, .rate = 1, .vote = true},
        {"degree=2,vote=off,budget=1", POLY, .degree = 2, .gamma = 1, .rate = 1, .budget = 1},
        {"degree=2,vote=off,budget=20", POLY, .degree = 2, .gamma = 1, .rate = 1, .budget = 20},
        {"degree=3,coef=0.5,vote=off", POLY, .degree = 3, .gamma = 1, .coef = 0.5, .rate = 1,
         .unit = true},
        {"kind=rbf,gamma=0.3,vote=off", RBF, .gamma = 0.3, .rate = 1},
        {"kind=rbf,gamma=0.7,vote=on", RBF, .gamma = 0.7, .rate = 1, .vote = true},
        {"kind=rbf,vote=off,budget=30,margin=0.1", RBF, .gamma = 1, .rate = 1, .margin = 0.1,
         .budget = 30},
        {"kind=rbf,gamma=2,vote=off,budget=40", RBF, .gamma = 2, .rate = 1, .budget = 40,
         .unit = true},
    };
    size_t followed = 0, all = 0;
    for (size_t i = 0; i < COUNT(forms); i++)
        for (uint64_t seed = 1; seed <= 4; seed++) { /* other seeds may end too early to tell */
            followed += follow(&forms[i], seed);
            all += 240;
        }
    assert_true(followed > all * 8 / 10);
}

/* The same predictions from examples as from weights; weights are floats, so scores are near. */
static void linear_kernel_is_the_perceptron(void **state)
{
    (void)state;
    static const char *const more[] = {NULL, "multiclass=one-vs-all", "multiclass=all-pairs"};
    for (uint64_t seed = 1; seed <= stream_seeds(12); seed++) {
        int labels = seed % 3 ? LABELS : 2;
        stream s = grid(seed, 150, labels);
        const char *options = seed % 2 ? "" : ":margin=1,rate=0.5,bias=off";
        const char *policy = labels == 2 ? NULL : more[seed % 3];
        thr_model *weights = model_make(labels == 2, policy, "perceptron%s", options);
        thr_model *examples = model_make(labels == 2, policy, "kernel:kind=linear,vote=off%s%s",
                                         *options ? "," : "", *options ? options + 1 : "");
        for (size_t t = 0; t < 2 * s.rows; t++) {
            double a[LABELS], b[LABELS];
            size_t row = t % s.rows;
            double said = stream_predict(&s, weights, row, a);
            double says = stream_predict(&s, examples, row, b);
            assert_true(said == says || (isnan(said) && isnan(says)));
            for (size_t l = 0; l < thr_model_labels(weights); l++)
                assert_true(fabs(a[l] - b[l]) <= 1e-6 * (1 + fabs(a[l])));
            learn_row(&s, weights, row);
            learn_row(&s, examples, row);
            assert_int_equal(updates(weights), updates(examples));
        }
        thr_model_free(weights);
        thr_model_free(examples);
        stream_free(&s);
    }
}

static void linear_kernel_votes_as_voted(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= stream_seeds(6); seed++) {
        stream s = grid(seed, 150, seed % 2 ? 2 : LABELS);
        thr_model *a = model_make(false, NULL, "voted");
        thr_model *b = model_make(false, NULL, "kernel:kind=linear,vote=on");
        stream_learn(&s, a, 2, false);
        stream_learn(&s, b, 2, false);
        for (size_t row = 0; row < s.rows; row++) {
            double x[LABELS], y[LABELS];
            stream_predict(&s, a, row, x);
            stream_predict(&s, b, row, y);
            for (size_t l = 0; l < thr_model_labels(a); l++)
                exactly("kernel", row, y[l], x[l]);
        }
        thr_model_free(a);
        thr_model_free(b);
        stream_free(&s);
    }
}

/* Parity of the first k of n signs, over all 2^n points. */
static stream parity(int n, int k)
{
    stream s = {0};
    for (unsigned p = 0; p < 1u << n; p++) {
        int32_t column[16];
        float value[16];
        int product = 1;
        for (int i = 0; i < n; i++) {
            column[i] = i + 1;
            value[i] = p >> i & 1 ? 1 : -1;
            product *= i < k ? (int)value[i] : 1;
        }
        stream_add(&s, product, (size_t)n, column, value);
    }
    return s;
}

static void parity_needs_its_degree(void **state)
{
    (void)state;
    for (int k = 2; k <= 4; k++)
        for (int degree = 1; degree <= 4; degree++) {
            stream s = parity(5, k);
            thr_model *m = model_make(true, NULL, "kernel:degree=%d,vote=off", degree);
            bool clean = stream_learn(&s, m, 60, true).clean;
            if (clean != (degree >= k))
                fail_msg("parity of %d with degree %d: %s", k, degree, clean ? "clean" : "not");
            thr_model_free(m);
            stream_free(&s);
        }
    stream s = parity(5, 3);
    thr_model *near = model_make(true, NULL, "kernel:kind=rbf,vote=off");
    thr_model *flat = model_make(true, NULL, "kernel:kind=linear,vote=off");
    assert_true(stream_learn(&s, near, 60, true).clean);
    assert_false(stream_learn(&s, flat, 60, true).clean);
    thr_model_free(near);
    thr_model_free(flat);
    stream_free(&s);
}

/* Values and options at the ends of their ranges: nothing infinite, nothing undefined. */
static void scores_stay_finite(void **state)
{
    (void)state;
    static const char *const specs[] = {"voted:rate=1e9",
                                        "kernel:kind=linear,vote=off,rate=1e9",
                                        "kernel:degree=16,gamma=1e12,coef=1e12,vote=off",
                                        "kernel:degree=15,vote=on",
                                        "kernel:kind=rbf,gamma=1e12,vote=off",
                                        "kernel:degree=16,gamma=1e12,vote=off,budget=3"};
    for (size_t i = 0; i < COUNT(specs); i++) {
        stream s = {0};
        for (int row = 0; row < 200; row++)
            stream_add(&s, row % 2 ? -1 : 1, 2, (int32_t[]){1, 1 + row % 3},
                       (float[]){row % 5 ? 1e38F : -1e38F, row % 7 ? 1e-38F : 3e38F});
        thr_model *m = model_make(true, NULL, "%s", specs[i]);
        stream_learn(&s, m, 3, false);
        for (size_t row = 0; row < s.rows; row++) {
            double scores[2];
            stream_predict(&s, m, row, scores);
            if (!isfinite(scores[0]) || !isfinite(scores[1]))
                fail_msg("%s: %g and %g", specs[i], scores[0], scores[1]);
        }
        thr_model_free(m);
        stream_free(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(voted_by_two_labels),
        cmocka_unit_test(voted_by_many_labels),
        cmocka_unit_test(the_vote_beats_the_last),
        cmocka_unit_test(kernels_as_defined),
        cmocka_unit_test(linear_kernel_is_the_perceptron),
        cmocka_unit_test(linear_kernel_votes_as_voted),
        cmocka_unit_test(parity_needs_its_degree),
        cmocka_unit_test(scores_stay_finite),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
