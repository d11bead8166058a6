/* No run of a learner exceeds its bound. The bounds are those of docs/THEORY.md; the streams are
 * seeded, their margins known by construction or computed here. Each property draws its own
 * settings from its seed, so that a table row stands for many different runs.
 *
 * Notation as in the theory: R and X are the largest lengths of an example, gamma the margin for
 * ||u||_2 = 1, g that for ||u||_1 = 1. */
#include "streams.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))
#define PICK(d, ...)                                                                               \
    ((const double[]){__VA_ARGS__}[dice_below(d, COUNT(((const double[]){__VA_ARGS__})))])

typedef struct property {
    const char *learner, *says;
    unsigned seeds;
    void (*check)(uint64_t seed);
} property;

/* Weights are floats: a bound may be missed by rounding, never by one. */
static void at_most(const char *what, uint64_t seed, double found, double bound)
{
    if (!(found <= bound * (1 + 1e-5)))
        fail_msg("%s, seed %llu: %.9g exceeds the bound %.9g", what, (unsigned long long)seed,
                 found, bound);
}

static void learn_row(const stream *s, thr_model *m, size_t row)
{
    thr_batch *b = stream_row(s, m, row);
    assert_int_equal(thr_learn(m, b, NULL, NULL), 0);
    thr_batch_free(b);
}

/* ---- additive rules ---- */

static stream margin_stream(dice *d, uint64_t seed, double gamma, double noise)
{
    static const unsigned dimension[] = {2, 5, 20, 45};
    unsigned n = dimension[dice_below(d, COUNT(dimension))];
    if (dice_below(d, 3) == 0)
        return stream_generate(seed, 400, "margin:n=%u,active=2,k=2,gamma=%.17g,noise=%.17g",
                               n * 10, gamma, noise);
    return stream_generate(seed, 400, "margin:n=%u,gamma=%.17g,noise=%.17g", n, gamma, noise);
}

static void separable(uint64_t seed, const char *learner, double margin)
{
    dice d = {seed};
    double gamma = PICK(&d, 0.05, 0.1, 0.3), rate = PICK(&d, 0.01, 0.5, 1, 3.7, 100);
    stream s = margin_stream(&d, seed, gamma, 0);
    thr_model *m =
        model_make(true, NULL, "%s:bias=off,rate=%.17g,margin=%.17g", learner, rate, margin);
    counts c = stream_learn(&s, m, 10, false);
    assert_true(c.updates > 0);
    at_most(learner, seed, (double)c.updates,
            (s.norm2 * s.norm2 + 2 * margin / rate) / (gamma * gamma));
    thr_model_free(m);
    stream_free(&s);
}

static void perceptron_separable(uint64_t seed)
{
    separable(seed, "perceptron", 0);
}

static void perceptron_thick(uint64_t seed)
{
    dice d = {seed + 1000};
    separable(seed, "perceptron", PICK(&d, 0.1, 1, 2.5));
}

static void averaged_separable(uint64_t seed)
{
    separable(seed, "averaged", 0);
}

static void voted_separable(uint64_t seed)
{
    separable(seed, "voted", 0);
}

static void voted_thick(uint64_t seed)
{
    dice d = {seed + 1000};
    separable(seed, "voted", PICK(&d, 0.1, 1, 2.5));
}

/* Every non-clean pass has an update, so the bound also says when a clean one must come. */
static void perceptron_becomes_clean(uint64_t seed)
{
    double gamma = 0.15;
    stream s = stream_generate(seed, 200, "margin:n=15,gamma=%.17g", gamma);
    thr_model *m = model_make(true, NULL, "perceptron:bias=off,margin=0");
    unsigned most = (unsigned)(s.norm2 * s.norm2 / (gamma * gamma)) + 1;
    assert_true(stream_learn(&s, m, most, true).clean);
    thr_model_free(m);
    stream_free(&s);
}

/* Freund and Schapire: ((R+D)/gamma)^2, D^2 = sum max(0, gamma - y u.x)^2, one pass. */
static void perceptron_noisy(uint64_t seed)
{
    dice d = {seed};
    double gamma = PICK(&d, 0.1, 0.3, 0.6), noise = PICK(&d, 0.01, 0.05, 0.2), squares = 0;
    stream s = margin_stream(&d, seed, gamma, noise);
    for (size_t row = 0; row < s.rows; row++)
        squares += pow(fmax(0, gamma - stream_margin(&s, row)), 2);
    thr_model *m = model_make(true, NULL, "perceptron:bias=off,margin=0");
    counts c = stream_learn(&s, m, 1, false);
    at_most("perceptron on noisy data", seed, (double)c.updates,
            pow((s.norm2 + sqrt(squares)) / gamma, 2));
    thr_model_free(m);
    stream_free(&s);
}

/* u = 2 on the relevant variables, -(2m-1) on the bias: y u.x >= 1, ||u||^2 = 4k + (2m-1)^2.
 * Disjunctions are m = 1. */
static void perceptron_boolean(uint64_t seed)
{
    dice d = {seed};
    unsigned n = (unsigned)PICK(&d, 10, 30, 100), k = (unsigned)PICK(&d, 1, 3, 7);
    unsigned least = dice_below(&d, 2) ? 1 : (k + 1) / 2;
    stream s = stream_generate(seed, 500, "threshold:n=%u,k=%u,m=%u", n, k, least);
    thr_model *m = model_make(true, NULL, "perceptron:margin=0,bias=on");
    counts c = stream_learn(&s, m, 20, false);
    assert_true(c.updates > 0);
    at_most("perceptron on m-of-k", seed, (double)c.updates,
            (4.0 * k + pow(2.0 * least - 1, 2)) * (n + 1));
    thr_model_free(m);
    stream_free(&s);
}

/* ---- many classes ---- */

static counts learn_classes(uint64_t seed, const char *learner, double gamma, bool declared,
                            double *bound)
{
    dice d = {seed};
    stream s = stream_classes(&d, gamma, 400);
    thr_model *m = model_make(false, "multiclass=direct", "%s", learner);
    for (int c = 0; c < STREAM_CLASSES && declared; c++)
        assert_true(thr_model_declare_label(m, (char[]){(char)('1' + c), 0}, NULL) >= 0);
    counts c = stream_learn(&s, m, 10, false);
    *bound = s.norm2 * s.norm2 / (gamma * gamma);
    thr_model_free(m);
    stream_free(&s);
    return c;
}

/* ||f(x,y) - f(x,r)||^2 = 2 ||x||^2 makes the factor 2, whether the labels are declared or come one
 * by one. */
static void additive_classes(uint64_t seed, const char *learner)
{
    bool declared = seed % 2;
    double bound;
    counts c = learn_classes(seed, learner, 0.08, declared, &bound);
    assert_true(c.updates > 0);
    at_most(learner, seed, (double)c.updates, 2 * bound);
}

static void perceptron_classes(uint64_t seed)
{
    additive_classes(seed, "perceptron:bias=off,margin=0");
}

static void averaged_classes(uint64_t seed)
{
    additive_classes(seed, "averaged:bias=off,margin=0");
}

/* Mistakes; a label never met before is one that no rule can avoid. */
static void pa_classes(uint64_t seed)
{
    bool declared = seed % 2;
    double bound;
    counts c = learn_classes(seed, "pa:C=inf,averaged=off,bias=off", 0.08, declared, &bound);
    assert_true(c.mistakes > 0);
    at_most("multi-class pa", seed, (double)c.mistakes - (declared ? 0 : STREAM_CLASSES),
            2 * bound);
}

/* ---- kernels: the perceptron's bound where K is the product, so R^2 = max K(x,x) ---- */

/* The product of k signs has the weight sqrt(k!) in (x.z + 1 + c)^k: margin sqrt(k!), and R^2 is
 * (n + 1 + c)^k. One common factor on x.z + 1 changes nothing. */
static void kernel_parity(uint64_t seed)
{
    dice d = {seed};
    int n = (int)PICK(&d, 3, 5, 7), k = (int)PICK(&d, 2, 3);
    double c = PICK(&d, 0, 1), factorial = k == 2 ? 2 : 6, scale = c > 0 ? 1 : PICK(&d, 1, 0.2, 9);
    stream s = {0};
    for (int row = 0; row < 300; row++) {
        int32_t column[7];
        float x[7];
        double label = 1;
        for (int i = 0; i < n; i++) {
            column[i] = i + 1;
            x[i] = dice_below(&d, 2) ? 1 : -1;
            label *= i < k ? (double)x[i] : 1;
        }
        stream_add(&s, label, (size_t)n, column, x);
    }
    thr_model *m = model_make(true, NULL, "kernel:degree=%d,coef=%g,gamma=%g,vote=%s", k, c, scale,
                              seed % 2 ? "on" : "off");
    counts learned = stream_learn(&s, m, 6, false);
    assert_true(learned.updates > 0);
    at_most("kernel on parities", seed, (double)learned.updates, pow(n + 1 + c, k) / factorial);
    thr_model_free(m);
    stream_free(&s);
}

/* Monotone 2-DNF of t terms by (1 + x.z)^2: 1/sqrt 2 on each sqrt(2) x_i x_j, -1/2 on the constant.
 * Margin 1/2, squared length t/2 + 1/4, R^2 = (active + 1)^2. */
static void kernel_dnf(uint64_t seed)
{
    dice d = {seed};
    unsigned n = (unsigned)PICK(&d, 8, 20, 50), terms = (unsigned)PICK(&d, 1, 3, 6);
    stream s = stream_generate(seed, 400, "dnf:n=%u,terms=%u,k=2", n, terms);
    thr_model *m = model_make(true, NULL, "kernel:degree=2,vote=%s", seed % 2 ? "on" : "off");
    counts c = stream_learn(&s, m, 5, false);
    assert_true(c.updates > 0);
    at_most("kernel on 2-DNF", seed, (double)c.updates,
            pow(s.norm2 * s.norm2 + 1, 2) * (2 * terms + 1));
    thr_model_free(m);
    stream_free(&s);
}

/* Any f of the space that separates gives a bound; here the one that was learned. Its squared
 * length is the sum of its steps times its values, the steps counted as they are made. */
static void kernel_radial(uint64_t seed)
{
    dice d = {seed};
    double gamma = PICK(&d, 5, 10, 40), scores[2], length2 = 0, margin = INFINITY, alpha[100] = {0};
    stream s = stream_generate(seed, COUNT(alpha), "margin:n=4,gamma=0.05,noise=0.3");
    thr_model *m = model_make(true, NULL, "kernel:kind=rbf,gamma=%g,vote=off", gamma);
    int positive = thr_model_positive(m);
    uint64_t updates = 0;
    bool clean = false;
    for (int pass = 0; pass < 100 && !clean; pass++) {
        clean = true;
        for (size_t row = 0; row < s.rows; row++) {
            thr_stats stats;
            learn_row(&s, m, row);
            thr_model_stats(m, &stats);
            if (stats.updates > updates) {
                updates = stats.updates;
                alpha[row] += s.label[row];
                clean = false;
            }
        }
    }
    assert_true(clean);
    for (size_t row = 0; row < s.rows; row++) {
        stream_predict(&s, m, row, scores);
        length2 += alpha[row] * scores[positive];
        margin = fmin(margin, s.label[row] * scores[positive]);
    }
    at_most("kernel, radial", seed, (double)updates, length2 / (margin * margin));
    thr_model_free(m);
    stream_free(&s);
}

/* ---- passive-aggressive ---- */

/* sum loss^2 <= ||u||^2 R^2 with u of unit functional margin, here u/gamma. A mistake has a loss
 * of at least 1, so it bounds mistakes; small losses may come again and again, so not updates. */
static void pa_separable(uint64_t seed)
{
    dice d = {seed};
    double gamma = PICK(&d, 0.1, 0.3), squares = 0, scores[2];
    stream s = margin_stream(&d, seed, gamma, 0);
    thr_model *m = model_make(true, NULL, "pa:C=inf,averaged=off,bias=off");
    size_t positive = (size_t)thr_model_positive(m);
    for (size_t i = 0; i < 2 * s.rows; i++) {
        size_t row = i % s.rows;
        stream_predict(&s, m, row, scores);
        double loss = fmax(0, 1 - s.label[row] * scores[positive]);
        squares += loss * loss;
        thr_batch *b = stream_row(&s, m, row);
        assert_int_equal(thr_learn(m, b, NULL, NULL), 0);
        thr_batch_free(b);
        stream_predict(&s, m, row, scores);
        assert_true(s.label[row] * scores[positive] > 0.999); /* the hard version corrects */
    }
    assert_true(squares >= 1);
    at_most("pa, squared losses", seed, squares, s.norm2 * s.norm2 / (gamma * gamma));
    thr_model_free(m);
    stream_free(&s);
}

/* PA-I: mistakes <= max(R^2, 1/C)(||u||^2 + 2C sum loss_u). */
static void pa_noisy(uint64_t seed)
{
    dice d = {seed};
    double gamma = PICK(&d, 0.1, 0.3, 0.6), noise = PICK(&d, 0, 0.01, 0.1);
    double C = PICK(&d, 0.01, 0.1, 1), losses = 0;
    stream s = margin_stream(&d, seed, gamma, noise);
    for (size_t row = 0; row < s.rows; row++)
        losses += fmax(0, 1 - stream_margin(&s, row) / gamma);
    thr_model *m = model_make(true, NULL, "pa:C=%.17g,averaged=off,bias=off", C);
    counts c = stream_learn(&s, m, 1, false);
    at_most("pa on noisy data", seed, (double)c.mistakes,
            fmax(s.norm2 * s.norm2, 1 / C) * (1 / (gamma * gamma) + 2 * C * losses));
    thr_model_free(m);
    stream_free(&s);
}

/* ---- multiplicative rules ---- */

/* u <= k (1 + log_a(theta/s)); v <= (n s/theta + (a-1) u)/(1-b). At a = 2, b = 0 that is
 * v <= n/theta + u; at a = 2, b = 1/2, theta = n a total of 3u + 2. */
static void winnow_disjunction(uint64_t seed)
{
    static const struct {
        double promote, demote, theta, start; /* theta in units of n */
    } settings[] = {
        {2, 0.5, 1, 1},     {2, 0, 1, 1},    {2, 0, 0.25, 1},     {1.5, 0.5, 1, 1},
        {1.1, 0.9, 0.5, 1}, {4, 0.25, 1, 1}, {2, 0.5, 0.25, 0.3}, {3, 0, 0.5, 2},
    };
    dice d = {seed};
    unsigned n = (unsigned)PICK(&d, 16, 100, 400), k = (unsigned)PICK(&d, 1, 3, 6);
    stream s = stream_generate(seed, 600, "disjunction:n=%u,k=%u", n, k);
    for (size_t i = 0; i < COUNT(settings); i++) {
        double a = settings[i].promote, b = settings[i].demote, start = settings[i].start;
        double theta = settings[i].theta * n;
        thr_model *m =
            model_make(true, NULL, "winnow:promote=%.17g,demote=%.17g,theta=%.17g,start=%.17g", a,
                       b, theta, start);
        counts c = stream_learn(&s, m, 8, false);
        double most_promotions = k * (1 + log(theta / start) / log(a));
        assert_int_equal(c.updates, c.mistakes);
        at_most("winnow, promotions", seed, (double)c.missed, most_promotions);
        at_most("winnow, demotions", seed, (double)c.false_alarms,
                (n * start / theta + (a - 1) * (double)c.missed) / (1 - b));
        at_most("winnow, mistakes", seed, (double)c.mistakes,
                most_promotions + (n * start / theta + (a - 1) * most_promotions) / (1 - b));
        if (a == 2 && b == 0.5 && settings[i].theta == 1)
            at_most("winnow, textbook total", seed, (double)c.mistakes,
                    3 * k * log2(2 * theta) + 2);
        thr_model_free(m);
    }
    stream_free(&s);
}

/* Noise leaves the points of a seed as they are. A flipped label loses at most g + X. */
static double flipped_labels(const stream *s, uint64_t seed, unsigned n, unsigned k)
{
    stream clean = stream_generate(seed, s->rows, "majority:n=%u,k=%u", n, k);
    double flipped = 0;
    for (size_t row = 0; row < s->rows; row++)
        flipped += s->label[row] != clean.label[row];
    stream_free(&clean);
    return flipped;
}

/* 2 X^2 ln(2N)/(g-r)^2 at eta = (g-r)/X^2, and 2/g times the losses where data is noisy. Majority
 * of k signs, scaled: g = X/k. */
static void balanced(uint64_t seed, bool normalized, double margin, double noise)
{
    dice d = {seed};
    unsigned n = (unsigned)PICK(&d, 9, 60, 300), k = (unsigned)PICK(&d, 1, 3, 5);
    float scale = (float)PICK(&d, 1, 0.25, 4);
    stream s = stream_generate(seed, 400, "majority:n=%u,k=%u,noise=%.17g", n, k, noise);
    stream_scale(&s, scale);
    double X = s.norminf, g = X / k, r = margin * g, losses = 0;
    if (noise > 0)
        losses = (g + X) * flipped_labels(&s, seed, n, k);
    thr_model *m = model_make(true, NULL, "balanced:eta=%.17g,margin=%.17g,normalized=%s,bias=off",
                              (g - r) / (X * X), r, normalized ? "on" : "off");
    counts c = stream_learn(&s, m, noise > 0 ? 1 : 6, false);
    assert_true(c.updates > 0);
    at_most("balanced on majorities", seed, (double)c.updates,
            2 * X * X * log(2.0 * n) / pow(g - r, 2) + 2 * losses / g);
    thr_model_free(m);
    stream_free(&s);
}

static void balanced_plain(uint64_t seed)
{
    balanced(seed, false, 0, 0);
}

static void balanced_normalized(uint64_t seed)
{
    balanced(seed, true, 0, 0);
}

static void balanced_thick(uint64_t seed)
{
    balanced(seed, true, seed % 2 ? 0.5 : 0.2, 0);
}

static void balanced_noisy(uint64_t seed)
{
    balanced(seed, seed % 2, 0, 0.03);
}

/* u = 2 on the relevant variables and -1 on the bias: y u.x >= 1, so g = 1/(2k+1). */
static void balanced_disjunction(uint64_t seed)
{
    dice d = {seed};
    unsigned n = (unsigned)PICK(&d, 10, 100, 500), k = (unsigned)PICK(&d, 1, 2, 4);
    double g = 1.0 / (2 * k + 1);
    stream s = stream_generate(seed, 500, "disjunction:n=%u,k=%u", n, k);
    thr_model *m = model_make(true, NULL, "balanced:eta=%.17g,margin=0,bias=on", g);
    counts c = stream_learn(&s, m, 5, false);
    assert_true(c.updates > 0);
    at_most("balanced on disjunctions", seed, (double)c.updates, 2 * log(2.0 * (n + 1)) / (g * g));
    thr_model_free(m);
    stream_free(&s);
}

/* ---- rules without a mistake bound of their own: step by step against their definition ---- */

enum { DENSE = 512 };

typedef struct dense {
    double w[DENSE], variance[DENSE];
} dense;

static double dense_dot(const dense *d, const stream *s, size_t row)
{
    double sum = 0;
    for (int32_t i = s->offset[row]; i < s->offset[row + 1]; i++)
        sum += d->w[s->column[i]] * (double)s->value[i];
    return sum;
}

static double squared(const dense *d)
{
    double sum = 0;
    for (int v = 0; v < DENSE; v++)
        sum += d->w[v] * d->w[v];
    return sum;
}

/* What the model says before learning row must be what the definition says. */
static void agrees(const thr_model *m, const stream *s, size_t row, double expected)
{
    double scores[2];
    stream_predict(s, m, row, scores);
    double found = scores[thr_model_positive(m)];
    if (fabs(found - expected) > 1e-4 * (1 + fabs(expected)))
        fail_msg("row %zu: scores %.9g, not %.9g", row, found, expected);
}

/* w_{t+1} = (1 - 1/t) w_t + [y w.x < 1] y x/(lambda t), as written; and its regret. */
static void pegasos_regret(uint64_t seed)
{
    dice d = {seed};
    double lambda = PICK(&d, 0.01, 0.1, 1), gamma = 0.2, ours = 0, best = INFINITY;
    stream s = margin_stream(&d, seed, gamma, 0.05);
    thr_model *m = model_make(true, NULL, "pegasos:lambda=%.17g,bias=off", lambda);
    dense w = {{0}, {0}};
    for (size_t row = 0; row < s.rows; row++) {
        double t = (double)row + 1, y = s.label[row], lead = y * dense_dot(&w, &s, row);
        agrees(m, &s, row, y * lead);
        if (fabs(1 - lead) < 1e-4)
            break; /* rounding decides */
        ours += lambda / 2 * squared(&w) + fmax(0, 1 - lead);
        for (int v = 0; v < DENSE; v++)
            w.w[v] *= 1 - 1 / t;
        for (int32_t i = s.offset[row]; i < s.offset[row + 1] && lead < 1; i++)
            w.w[s.column[i]] += y * (double)s.value[i] / (lambda * t);
        learn_row(&s, m, row);
        if (row + 1 < s.rows)
            continue;
        for (double c = 0; c <= 2; c += 0.125) { /* u = c/gamma times the hidden one */
            double theirs = lambda / 2 * (c / gamma) * (c / gamma) * t;
            for (size_t k = 0; k < s.rows; k++)
                theirs += fmax(0, 1 - c / gamma * stream_margin(&s, k));
            best = fmin(best, theirs);
        }
        at_most("pegasos", seed, ours - best, 2 * s.norm2 * s.norm2 * (1 + log(t)) / lambda);
    }
    thr_model_free(m);
    stream_free(&s);
}

static void arow_as_defined(uint64_t seed)
{
    dice d = {seed};
    double r = PICK(&d, 0.1, 1, 10);
    stream s = margin_stream(&d, seed, 0.1, 0.05);
    thr_model *m = model_make(true, NULL, "arow:r=%.17g,bias=off", r);
    dense w = {{0}, {0}};
    for (int v = 0; v < DENSE; v++)
        w.variance[v] = 1;
    for (size_t row = 0; row < s.rows; row++) {
        double y = s.label[row], lead = y * dense_dot(&w, &s, row), v = 0;
        agrees(m, &s, row, y * lead);
        if (fabs(1 - lead) < 1e-4)
            break;
        for (int32_t i = s.offset[row]; i < s.offset[row + 1]; i++)
            v += w.variance[s.column[i]] * (double)s.value[i] * (double)s.value[i];
        for (int32_t i = s.offset[row]; i < s.offset[row + 1] && lead < 1; i++) {
            double x = (double)s.value[i], *variance = &w.variance[s.column[i]];
            w.w[s.column[i]] += (1 - lead) / (v + r) * y * *variance * x;
            *variance -= *variance * *variance * x * x / (v + r);
            assert_true(*variance > 0 && *variance <= 1);
        }
        learn_row(&s, m, row);
    }
    thr_model_free(m);
    stream_free(&s);
}

static void adagrad_as_defined(uint64_t seed)
{
    dice d = {seed};
    double rate = PICK(&d, 0.1, 0.5, 5);
    stream s = margin_stream(&d, seed, 0.1, 0.05);
    thr_model *m = model_make(true, NULL, "adagrad:rate=%.17g,bias=off", rate);
    dense w = {{0}, {0}}; /* variance: sums of squares */
    for (size_t row = 0; row < s.rows; row++) {
        double y = s.label[row], lead = y * dense_dot(&w, &s, row), gain = 0;
        agrees(m, &s, row, y * lead);
        if (fabs(1 - lead) < 1e-4)
            break;
        for (int32_t i = s.offset[row]; i < s.offset[row + 1] && lead < 1; i++) {
            double x = (double)s.value[i], *squares = &w.variance[s.column[i]];
            *squares += x * x;
            gain += x * x / sqrt(*squares);
        }
        double tau = gain > 0 ? fmin(rate, (1 - lead) / gain) : 0;
        for (int32_t i = s.offset[row]; i < s.offset[row + 1] && lead < 1; i++)
            w.w[s.column[i]] += tau * y * (double)s.value[i] / sqrt(w.variance[s.column[i]]);
        assert_true(lead >= 1 || y * dense_dot(&w, &s, row) <= 1 + 1e-9);
        learn_row(&s, m, row);
    }
    thr_model_free(m);
    stream_free(&s);
}

/* ---- all pairs: each pair of labels a perceptron of its own, a label's score its leads ---- */

static void pairs_as_defined(uint64_t seed)
{
    dice d = {seed};
    stream s = stream_classes(&d, 0.1, 150);
    thr_model *m = model_make(false, "multiclass=all-pairs", "perceptron:bias=off");
    for (int c = 1; c <= STREAM_CLASSES; c++)
        assert_int_equal(thr_model_declare_label(m, (char[]){(char)('0' + c), 0}, NULL), c - 1);
    dense pair[STREAM_CLASSES][STREAM_CLASSES] = {0}; /* [i][j], i < j: i leads where positive */
    for (size_t row = 0; row < s.rows; row++) {
        double scores[STREAM_CLASSES], leads[STREAM_CLASSES] = {0};
        int truth = (int)s.label[row] - 1;
        stream_predict(&s, m, row, scores);
        for (int i = 0; i < STREAM_CLASSES; i++)
            for (int j = i + 1; j < STREAM_CLASSES; j++) {
                double lead = dense_dot(&pair[i][j], &s, row);
                leads[i] += lead;
                leads[j] -= lead;
                double y = i == truth ? 1 : j == truth ? -1 : 0;
                for (int32_t k = s.offset[row]; k < s.offset[row + 1] && y * lead <= 0; k++)
                    pair[i][j].w[s.column[k]] += y * (double)s.value[k];
            }
        for (int i = 0; i < STREAM_CLASSES; i++)
            assert_true(fabs(scores[i] - leads[i]) < 1e-4);
        learn_row(&s, m, row);
    }
    thr_model_free(m);
    stream_free(&s);
}

/* ---- log loss ---- */

static double log_loss(double lead)
{
    return lead > 0 ? log1p(exp(-lead)) : log1p(exp(lead)) - lead;
}

static double doubt(double lead)
{
    return 1 / (1 + exp(lead));
}

/* The least of log loss and `price` times the squared length, over multiples of the hidden vector.
 */
static double best_log_loss(const stream *s, double price)
{
    double best = INFINITY;
    for (double c = 0; c <= 30; c += 0.5) {
        double loss = price * c * c; /* the hidden vector has length 1 */
        for (size_t row = 0; row < s->rows; row++)
            loss += log_loss(c * stream_margin(s, row));
        best = fmin(best, loss);
    }
    return best;
}

/* Zinkevich: with one rate, sum of losses - those of u <= |u|^2/(2 rate) + rate/2 sum of |g|^2. */
static void logistic_regret(uint64_t seed)
{
    dice d = {seed};
    double rate = PICK(&d, 0.01, 0.3, 2), ours = 0, squares = 0;
    stream s = margin_stream(&d, seed, 0.1, PICK(&d, 0, 0.05, 0.3));
    thr_model *m = model_make(true, NULL, "logistic:steps=sgd,rate=%.17g,bias=off", rate);
    for (size_t row = 0; row < s.rows; row++) {
        double scores[2], y = s.label[row], length2 = 0;
        stream_predict(&s, m, row, scores);
        double lead = y * scores[thr_model_positive(m)];
        for (int32_t i = s.offset[row]; i < s.offset[row + 1]; i++)
            length2 += (double)s.value[i] * (double)s.value[i];
        ours += log_loss(lead);
        squares += doubt(lead) * doubt(lead) * length2;
        learn_row(&s, m, row);
    }
    at_most("logistic, one rate", seed, ours, best_log_loss(&s, 0.5 / rate) + rate / 2 * squares);
    thr_model_free(m);
    stream_free(&s);
}

/* Duchi, Hazan, Singer: with q_i = 1/64 + sum of g_i^2 and D_i the farthest that w_i is from u_i,
 * regret <= sum over i of (D_i^2/(2 rate) + rate) sqrt(q_i). */
static void logistic_adaptive_regret(uint64_t seed)
{
    dice d = {seed};
    double rate = PICK(&d, 0.1, 1, 4), ours = 0, theirs = 0, bound = 0, far[DENSE] = {0};
    stream s = margin_stream(&d, seed, 0.1, PICK(&d, 0, 0.05, 0.3));
    thr_model *m = model_make(true, NULL, "logistic:rate=%.17g,bias=off", rate);
    dense w = {{0}, {0}}; /* variance: sum of g^2 */
    for (size_t row = 0; row < s.rows; row++) {
        double y = s.label[row], lead = y * dense_dot(&w, &s, row);
        agrees(m, &s, row, y * lead);
        ours += log_loss(lead);
        theirs += log_loss(5 * stream_margin(&s, row)); /* u is 5 times the hidden one */
        for (int32_t i = s.offset[row]; i < s.offset[row + 1]; i++) {
            int32_t v = s.column[i];
            double g = doubt(lead) * (double)s.value[i];
            far[v] = fmax(far[v], fabs(w.w[v] - 5 * s.u[v]));
            w.variance[v] += g * g;
            w.w[v] += rate * g * y / sqrt(1.0 / 64 + w.variance[v]);
            far[v] = fmax(far[v], fabs(w.w[v] - 5 * s.u[v]));
        }
        learn_row(&s, m, row);
    }
    for (int v = 0; v < DENSE; v++)
        bound += (far[v] * far[v] / (2 * rate) + rate) * sqrt(1.0 / 64 + w.variance[v]);
    at_most("logistic, adaptive", seed, ours - theirs, bound);
    thr_model_free(m);
    stream_free(&s);
}

/* ---- numbers: losses relative to those of any linear function ---- */

enum { NUMBERS = 40 };

/* Labels u.x and noise; of some seeds any numbers at all, since the bounds ask for nothing. */
static stream number_stream(dice *d, bool signs, double *u)
{
    stream s = {0};
    double noise = PICK(d, 0, 0.1, 1), wild = PICK(d, 0, 0, 3), u1 = 0;
    for (int v = 0; v < NUMBERS; v++)
        u1 += fabs(u[v] = dice_below(d, 4) ? 0 : dice_normal(d));
    for (int v = 0; v < NUMBERS && u1 > 0; v++)
        u[v] *= 3 / u1; /* absolute values sum to 3 */
    for (int row = 0; row < 300; row++) {
        int32_t column[NUMBERS];
        float value[NUMBERS];
        double y = noise * dice_normal(d) + wild * (dice_real(d) - 0.5);
        for (int v = 0; v < NUMBERS; v++) {
            column[v] = v + 1;
            value[v] = (float)(signs ? (dice_below(d, 2) ? 1 : -1) : dice_normal(d));
            y += u[v] * (double)value[v];
        }
        stream_add(&s, y, NUMBERS, column, value);
    }
    return s;
}

/* sum of (y - c u.x)^2, each divided by |x|^2 if `normalized`. */
static double loss_of(const stream *s, const double *u, double c, bool normalized)
{
    double loss = 0;
    for (size_t row = 0; row < s->rows; row++) {
        double error = s->label[row], length2 = 0;
        for (int32_t i = s->offset[row]; i < s->offset[row + 1]; i++) {
            error -= c * u[s->column[i] - 1] * (double)s->value[i];
            length2 += (double)s->value[i] * (double)s->value[i];
        }
        loss += error * error / (normalized ? length2 : 1);
    }
    return loss;
}

/* What the model loses on the way, before it learns each row. */
static double loss_on_the_way(const stream *s, thr_model *m, bool normalized)
{
    double loss = 0, predicted;
    for (size_t row = 0; row < s->rows; row++) {
        double length2 = 0;
        stream_predict(s, m, row, &predicted);
        for (int32_t i = s->offset[row]; i < s->offset[row + 1]; i++)
            length2 += (double)s->value[i] * (double)s->value[i];
        loss += pow(s->label[row] - predicted, 2) / (normalized ? length2 : 1);
        learn_row(s, m, row);
    }
    return loss;
}

/* (1+c) loss(u) + (1 + 1/c) R^2 |u|^2 at rate c/((1+c) R^2); normalized without R^2. */
static void lms_loss(uint64_t seed)
{
    dice d = {seed};
    double u[NUMBERS], c = PICK(&d, 0.1, 1, 5), length2 = 0;
    bool normalized = dice_below(&d, 2);
    stream s = number_stream(&d, dice_below(&d, 2), u);
    double size2 = normalized ? 1 : s.norm2 * s.norm2;
    thr_model *m = model_make(false, NULL, "lms:rate=%.17g,normalized=%s,averaged=off,bias=off",
                              c / ((1 + c) * size2), normalized ? "on" : "off");
    double ours = loss_on_the_way(&s, m, normalized);
    for (int v = 0; v < NUMBERS; v++)
        length2 += u[v] * u[v];
    for (double k = 0; k < 1.3; k += 0.25) /* any u will do: multiples of the hidden one */
        at_most("lms", seed, ours,
                (1 + c) * loss_of(&s, u, k, normalized) + (1 + 1 / c) * size2 * k * k * length2);
    thr_model_free(m);
    stream_free(&s);
}

/* All features known beforehand: by an example that counts for nothing. */
static void make_known(thr_model *m)
{
    thr_batch *b = thr_batch_new();
    assert_non_null(b);
    thr_batch_begin(b);
    thr_batch_set_label(b, "0");
    thr_batch_set_importance(b, 0);
    for (uint64_t v = 1; v <= NUMBERS; v++)
        thr_batch_add_key(b, v, 1);
    thr_batch_end(b, m);
    assert_int_equal(thr_learn(m, b, NULL, NULL), 0);
    thr_batch_free(b);
}

/* Relative entropy of u/U to the weights that all begin equal, over the 2N of EG+- or the N of EG;
 * what u lacks of U is spread evenly over both signs of all. */
static double entropy(const double *u, double k, double U, bool both)
{
    double sum = 0, rest = U;
    for (int v = 0; v < NUMBERS; v++)
        rest -= fabs(k * u[v]);
    for (int v = 0; v < NUMBERS; v++)
        for (int sign = -1; sign <= 1; sign += 2) {
            double p = fmax(0, sign * k * u[v]) / U + rest / U / 2 / NUMBERS;
            sum += p > 0 && (both || sign > 0) ? p * log(p * (both ? 2 : 1) * NUMBERS) : 0;
        }
    return sum;
}

/* (1+c) loss(u) + (1 + 1/c)/2 (2UX)^2 D(u, start), D at most ln 2N, at eta = 2c/((1+c) (2UX)^2). */
static void eg_loss(uint64_t seed)
{
    dice d = {seed};
    double u[NUMBERS], c = PICK(&d, 0.2, 1, 4), U = PICK(&d, 3.9, 6, 20);
    stream s = number_stream(&d, dice_below(&d, 2), u);
    double range = 2 * U * s.norminf, eta = 2 * c / ((1 + c) * range * range);
    thr_model *m = model_make(false, NULL, "eg:eta=%.17g,U=%.17g,bias=off", eta, U);
    make_known(m);
    double ours = loss_on_the_way(&s, m, false);
    for (double k = 0; k < 1.3; k += 0.25) {
        double D = entropy(u, k, U, true);
        assert_true(D <= log(2 * NUMBERS));
        at_most("eg", seed, ours,
                (1 + c) * loss_of(&s, u, k, false) + (1 + 1 / c) / 2 * range * range * D);
    }
    thr_model_free(m);
    stream_free(&s);
}

/* The same without signs: u >= 0 sums to U exactly, and the range of the values counts. */
static void eg_unsigned_loss(uint64_t seed)
{
    dice d = {seed};
    double u[NUMBERS], c = PICK(&d, 0.2, 1, 4), U = 3;
    stream s = number_stream(&d, true, u);
    for (int v = 0; v < NUMBERS; v++)
        u[v] = fabs(u[v]);
    double range = 2 * U, eta = 2 * c / ((1 + c) * range * range);
    thr_model *m = model_make(false, NULL, "eg:eta=%.17g,U=%.17g,signed=off,bias=off", eta, U);
    make_known(m);
    at_most("eg, unsigned", seed, loss_on_the_way(&s, m, false),
            (1 + c) * loss_of(&s, u, 1, false) +
                (1 + 1 / c) / 2 * range * range * entropy(u, 1, U, false));
    thr_model_free(m);
    stream_free(&s);
}

/* Few of many features matter: the logarithm against the dimension. */
static void eg_beats_lms(uint64_t seed)
{
    dice d = {seed};
    stream s = {0};
    enum { MANY = 400 };
    for (int row = 0; row < 600; row++) {
        int32_t column[MANY];
        float value[MANY];
        for (int v = 0; v < MANY; v++) {
            column[v] = v + 1;
            value[v] = dice_below(&d, 2) ? 1 : -1;
        }
        stream_add(&s, (double)value[3] - 0.5 * (double)value[77], MANY, column, value);
    }
    thr_model *eg = model_make(false, NULL, "eg:eta=%.17g,U=1.5,bias=off", 1 / (3 * 1.5 * 1.5));
    thr_model *lms = model_make(false, NULL, "lms:averaged=off,bias=off");
    double few = loss_on_the_way(&s, eg, false), all = loss_on_the_way(&s, lms, false);
    at_most("eg on few of many", seed, few, 3 * 1.5 * 1.5 * log(2.0 * MANY));
    if (few * 4 > all)
        fail_msg("seed %llu: eg lost %g, lms %g", (unsigned long long)seed, few, all);
    thr_model_free(eg);
    thr_model_free(lms);
    stream_free(&s);
}

/* ---- naive Bayes has no mistake bound: it must say what the counts say ---- */

enum { VARIABLES = 12 };

typedef struct tallies {
    double seen[VARIABLES + 1][2], examples[2], words[2];
} tallies;

static tallies tally(const stream *s)
{
    tallies t = {0};
    for (size_t row = 0; row < s->rows; row++) {
        int label = s->label[row] > 0;
        t.examples[label]++;
        for (int32_t i = s->offset[row]; i < s->offset[row + 1]; i++) {
            t.seen[s->column[i]][label]++;
            t.words[label]++;
        }
    }
    return t;
}

static double log_joint(const tallies *t, const stream *s, size_t row, int label, double alpha,
                        bool bernoulli)
{
    bool here[VARIABLES + 1] = {0};
    double sum = log(t->examples[label] / (t->examples[0] + t->examples[1]));
    for (int32_t i = s->offset[row]; i < s->offset[row + 1]; i++)
        here[s->column[i]] = true;
    for (int v = 1; v <= VARIABLES; v++) {
        double n = bernoulli ? t->examples[label] + 2 * alpha : t->words[label] + VARIABLES * alpha;
        double p = (t->seen[v][label] + alpha) / n;
        if (here[v] || bernoulli)
            sum += log(here[v] ? p : 1 - p);
    }
    return sum;
}

static void bayes_follows_counts(uint64_t seed)
{
    dice d = {seed};
    bool bernoulli = dice_below(&d, 2);
    double alpha = PICK(&d, 0.1, 1, 5), scores[2];
    stream s = stream_generate(seed, 150, "conjunction:n=%d,k=3,noise=0.1", VARIABLES);
    tallies t = tally(&s);
    thr_model *m = model_make(true, NULL, "bayes:kind=%s,alpha=%.17g",
                              bernoulli ? "bernoulli" : "multinomial", alpha);
    stream_learn(&s, m, 1, false);
    int positive = thr_model_positive(m);
    for (size_t row = 0; row < s.rows; row++) {
        double odds = log_joint(&t, &s, row, 1, alpha, bernoulli) -
                      log_joint(&t, &s, row, 0, alpha, bernoulli);
        double predicted = stream_predict(&s, m, row, scores);
        assert_true(fabs(scores[positive] - scores[!positive] - odds) < 1e-4);
        assert_true(fabs(odds) < 1e-4 || predicted == (odds > 0 ? 1 : -1));
    }
    thr_model_free(m);
    stream_free(&s);
}

/* ---- rules that keep examples ---- */

/* Distinct examples are their own nearest neighbours, whatever else there is. */
static void knn_knows_its_own(uint64_t seed)
{
    dice d = {seed};
    stream s = {0};
    for (size_t row = 0; row < 200; row++) {
        int32_t column[12];
        size_t n = 0;
        for (int32_t v = 0; v < 12; v++)
            if (row >> v & 1)
                column[n++] = v + 1;
        stream_add(&s, dice_below(&d, 2) ? 1 : -1, n, column, NULL);
    }
    thr_model *m = model_make(true, NULL, "knn:weights=none");
    stream_learn(&s, m, 1 + (unsigned)(seed % 3), false);
    for (size_t row = 0; row < s.rows; row++)
        assert_true(stream_predict(&s, m, row, NULL) == s.label[row]);
    thr_model_free(m);
    stream_free(&s);
}

/* Errors on what the list was made from: those of its first label, less all gains. */
static void rules_errors_fall(uint64_t seed)
{
    dice d = {seed};
    double least = PICK(&d, 1, 2, 5), gains = 0, wrong = 0, started = 0;
    stream s = stream_generate(seed, 300, "disjunction:n=30,k=3,noise=%.17g", PICK(&d, 0, 0.1));
    thr_model *m = model_make(true, NULL, "rules:min-gain=%.17g", least);
    thr_list_rule rule;
    stream_learn(&s, m, 1, false);
    assert_int_equal(thr_model_finish(m, NULL), 0);
    for (size_t i = 0; thr_model_list_rule(m, i, &rule); i++) {
        assert_true(rule.gain >= least);
        gains += rule.gain;
    }
    for (size_t row = 0; row < s.rows; row++) {
        wrong += stream_predict(&s, m, row, NULL) != s.label[row];
        started += atof(thr_model_list_start(m)) != s.label[row];
    }
    /* from the positive label on, no feature that is there speaks for the other */
    assert_true(gains > 0 || atof(thr_model_list_start(m)) > 0);
    assert_true(wrong == started - gains);
    thr_model_free(m);
    stream_free(&s);
}

/* ---- panel ---- */

static stream any_stream(dice *d, uint64_t seed)
{
    size_t kind = dice_below(d, 3);
    if (kind == 0)
        return stream_classes(d, 0.05, 400);
    return kind == 1 ? stream_generate(seed, 400, "disjunction:n=40,k=3,noise=%g", PICK(d, 0, 0.2))
                     : stream_generate(seed, 400, "majority:n=30,k=5,noise=%g", PICK(d, 0, 0.4));
}

/* Whatever the examples, even when they come again and again. */
static void panel_bounded(uint64_t seed)
{
    dice d = {seed};
    thr_panel_report p;
    thr_expert best;
    stream s = any_stream(&d, seed);
    thr_model *m = model_make(false, "members=perceptron+winnow+pa+arow+bayes",
                              "panel:eta=%g,share=%g,vote=%s", PICK(&d, 0.05, 0.5, 3),
                              PICK(&d, 0, 0.01, 0.3), seed % 2 ? "majority" : "random");
    counts c = stream_learn(&s, m, 1 + (unsigned)dice_below(&d, 2), false);
    assert_true(thr_model_panel(m, &p) && thr_model_expert(m, p.best, &best));
    assert_true(p.examples >= s.rows && p.examples <= c.passes * s.rows);
    for (size_t i = 0; i < thr_model_experts(m); i++) {
        thr_expert e;
        assert_true(thr_model_expert(m, i, &e) && e.mistakes >= best.mistakes);
        assert_true(e.weight >= 0 && e.weight <= 1);
    }
    assert_true(p.expected <= p.expected_bound);
    assert_true(p.drawn || (double)p.mistakes <= p.bound);
    thr_stats stats;
    thr_model_stats(m, &stats);
    assert_true(c.passes > 1 || stats.mistakes == p.mistakes);
    thr_model_free(m);
    stream_free(&s);
}

/* ---- the table ---- */

static const property properties[] = {
    {"perceptron", "updates <= R^2/gamma^2", 60, perceptron_separable},
    {"perceptron", "updates <= (R^2 + 2m/r)/gamma^2", 60, perceptron_thick},
    {"perceptron", "a clean pass comes in time", 20, perceptron_becomes_clean},
    {"perceptron", "updates <= ((R+D)/gamma)^2", 60, perceptron_noisy},
    {"perceptron", "updates <= (4k+1)(n+1) on disjunctions", 40, perceptron_boolean},
    {"perceptron", "multi-class updates <= 2R^2/gamma^2", 20, perceptron_classes},
    {"perceptron", "all pairs as defined", 10, pairs_as_defined},
    {"averaged", "updates <= R^2/gamma^2", 30, averaged_separable},
    {"averaged", "multi-class updates <= 2R^2/gamma^2", 10, averaged_classes},
    {"voted", "voted: updates <= R^2/gamma^2", 30, voted_separable},
    {"voted", "voted: updates <= (R^2 + 2m/r)/gamma^2", 30, voted_thick},
    {"kernel", "kernel: updates <= (n+1+c)^k/k! on parities", 30, kernel_parity},
    {"kernel", "kernel: updates <= (a+1)^2 (2t+1) on 2-DNF", 20, kernel_dnf},
    {"kernel", "kernel: updates <= |f|^2/margin^2, radial", 9, kernel_radial},
    {"winnow", "promotions and demotions on disjunctions", 40, winnow_disjunction},
    {"balanced", "updates <= 2X^2 ln(2N)/g^2", 25, balanced_plain},
    {"balanced", "balanced: normalized", 25, balanced_normalized},
    {"balanced", "balanced: with a margin", 25, balanced_thick},
    {"balanced", "balanced: on noisy data", 20, balanced_noisy},
    {"balanced", "balanced: on disjunctions", 30, balanced_disjunction},
    {"pa", "sum of loss^2 <= R^2/gamma^2", 20, pa_separable},
    {"pa", "mistakes <= max(R^2,1/C)(1/gamma^2 + 2C loss)", 60, pa_noisy},
    {"pa", "multi-class mistakes <= 2R^2/gamma^2", 20, pa_classes},
    {"pegasos", "regret <= 2R^2 (1 + ln T)/lambda", 20, pegasos_regret},
    {"arow", "arow: as defined, variances fall", 20, arow_as_defined},
    {"adagrad", "adagrad: as defined, never beyond the margin", 20, adagrad_as_defined},
    {"logistic", "logistic: regret <= |u|^2/(2 rate) + rate/2 sum |g|^2", 30, logistic_regret},
    {"logistic", "logistic: adaptive regret", 20, logistic_adaptive_regret},
    {"lms", "lms: loss <= (1+c) loss(u) + (1+1/c) R^2 |u|^2", 60, lms_loss},
    {"eg", "eg: loss <= (1+c) loss(u) + 2(1+1/c) U^2X^2 ln 2N", 60, eg_loss},
    {"eg", "eg: unsigned", 30, eg_unsigned_loss},
    {"eg", "eg: few of many features", 5, eg_beats_lms},
    {"bayes", "bayes: predictions follow the counts", 20, bayes_follows_counts},
    {"knn", "knn: its own examples, all right at k = 1", 20, knn_knows_its_own},
    {"rules", "rules: errors = those of the start less all gains", 30, rules_errors_fall},
    {"panel", "vote <= (eta m + ln N + ...)/ln(2/(1+e^-eta))", 60, panel_bounded},
};

static void property_holds(void **state)
{
    const property *p = *state;
    for (uint64_t seed = 1; seed <= p->seeds; seed++)
        p->check(seed);
}

static void every_learner_has_a_property(void **state)
{
    (void)state;
    thr_entry_info learner;
    for (size_t i = 0; thr_learner_at(i, &learner); i++) {
        bool found = false;
        for (size_t p = 0; p < COUNT(properties); p++)
            found |= strcmp(properties[p].learner, learner.name) == 0;
        if (!found)
            fail_msg("no property speaks of %s", learner.name);
    }
}

int main(void)
{
    struct CMUnitTest tests[COUNT(properties) + 1];
    for (size_t i = 0; i < COUNT(properties); i++)
        tests[i] = (struct CMUnitTest){.name = properties[i].says,
                                       .test_func = property_holds,
                                       .initial_state = (void *)&properties[i]};
    tests[COUNT(properties)] = (struct CMUnitTest)cmocka_unit_test(every_learner_has_a_property);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
