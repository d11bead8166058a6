/* Rules without a mistake bound of their own, step by step against their definitions. */
#include "bounds.h"

#include "solve/lp.h"

/* ---- rules without a mistake bound of their own: step by step against their definition ---- */

static double squared(const dense *d)
{
    double sum = 0;
    for (int v = 0; v < DENSE; v++)
        sum += d->w[v] * d->w[v];
    return sum;
}

/* w_{t+1} = (1 - 1/t) w_t + [y w.x < 1] y x/(lambda t), as written; and its regret. */
void pegasos_regret(uint64_t seed)
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

void arow_as_defined(uint64_t seed)
{
    dice d = {seed};
    double r = PICK(&d, 0.1, 1, 10);
    bool relative = PICK(&d, 0, 1, 1) != 0;
    float times = (float)PICK(&d, 1, 2, 5);
    stream s = margin_stream(&d, seed, 0.1, 0.05);
    for (int32_t i = 0; i < s.offset[s.rows]; i++)
        s.value[i] *= times;
    thr_model *m =
        model_make(true, NULL, "arow:r=%.17g,bias=off,relative=%s", r, relative ? "on" : "off");
    dense w = {{0}, {0}};
    for (int v = 0; v < DENSE; v++)
        w.variance[v] = 1;
    for (size_t row = 0; row < s.rows; row++) {
        double y = s.label[row], lead = y * dense_dot(&w, &s, row), v = 0, length2 = 0;
        agrees(m, &s, row, y * lead);
        if (fabs(1 - lead) < 1e-4)
            break;
        for (int32_t i = s.offset[row]; i < s.offset[row + 1]; i++) {
            v += w.variance[s.column[i]] * (double)s.value[i] * (double)s.value[i];
            length2 += (double)s.value[i] * (double)s.value[i];
        }
        v += relative && length2 > 2 ? r * length2 / 2 : r;
        for (int32_t i = s.offset[row]; i < s.offset[row + 1] && lead < 1; i++) {
            double x = (double)s.value[i], *variance = &w.variance[s.column[i]];
            w.w[s.column[i]] += (1 - lead) / v * y * *variance * x;
            *variance -= *variance * *variance * x * x / v;
            assert_true(*variance > 0 && *variance <= 1);
        }
        learn_row(&s, m, row);
    }
    thr_model_free(m);
    stream_free(&s);
}

void adagrad_as_defined(uint64_t seed)
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

void pairs_as_defined(uint64_t seed)
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

void bayes_follows_counts(uint64_t seed)
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
void knn_knows_its_own(uint64_t seed)
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
void rules_errors_fall(uint64_t seed)
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

/* ---- rules made from all examples at once ---- */

/* Sum of squares and of absolute values of the weights that speak for the positive label. */
static void lengths(const thr_model *m, double *two, double *one)
{
    double weights[2];
    *two = *one = 0;
    for (size_t i = 0; i < thr_model_features(m); i++) {
        assert_int_equal(thr_model_weights(m, i, weights, NULL), 0);
        double w = weights[thr_model_positive(m)];
        *two += w * w;
        *one += fabs(w);
    }
}

/* The least y w.x over all rows. */
static double least_lead(const stream *s, const thr_model *m)
{
    double least = INFINITY, scores[2];
    for (size_t row = 0; row < s->rows; row++) {
        stream_predict(s, m, row, scores);
        least = fmin(least, s->label[row] * scores[thr_model_positive(m)]);
    }
    return least;
}

/* The target separates by gamma; the rule's margin is the largest there is, but for its gap. */
void maxmargin_margin(uint64_t seed)
{
    dice d = {seed};
    double gamma = PICK(&d, 0.05, 0.1, 0.3), gap = PICK(&d, 0.01, 0.001), two, one;
    stream s = margin_stream(&d, seed, gamma, 0);
    thr_model *m = model_make(true, NULL, "maxmargin:bias=off,gap=%.17g", gap);
    stream_learn(&s, m, 1, false);
    assert_int_equal(thr_model_finish(m, NULL), 0);
    lengths(m, &two, &one);
    double margin = least_lead(&s, m) / sqrt(two);
    at_most("maxmargin", seed, gamma * (1 - gap), margin);
    at_most("maxmargin: functional margin 1", seed, 1, least_lead(&s, m));
    thr_model_free(m);
    stream_free(&s);
}

/* Not separable: the price of slack makes it a model all the same, better than the larger class. */
void maxmargin_noisy(uint64_t seed)
{
    stream s = stream_generate(seed, 400, "margin:n=5,gamma=0.3,noise=0.1");
    thr_model *m = model_make(true, NULL, "maxmargin:bias=off");
    unsigned wrong = 0;
    stream_learn(&s, m, 1, false);
    assert_int_equal(thr_model_finish(m, NULL), 0);
    for (size_t row = 0; row < s.rows; row++)
        wrong += stream_predict(&s, m, row, NULL) != s.label[row];
    assert_true(wrong > 0 && wrong < 100);
    thr_model_free(m);
    stream_free(&s);
}

/* Separable: no errors, and no more absolute weight than the target needs, which is at most the
 * root of the dimension over gamma. */
void lp_separates(uint64_t seed)
{
    dice d = {seed};
    double gamma = PICK(&d, 0.05, 0.1, 0.3), two, one;
    stream s = stream_generate(seed, 300, "margin:n=20,gamma=%.17g", gamma);
    thr_model *m = model_make(true, NULL, "lp:bias=off");
    if (!thr_lp_available()) {
        thr_model_free(m);
        stream_free(&s);
        print_message("skip: there is no CLP here\n");
        skip();
    }
    stream_learn(&s, m, 1, false);
    assert_int_equal(thr_model_finish(m, NULL), 0);
    lengths(m, &two, &one);
    at_most("lp: a separator", seed, 1, least_lead(&s, m));
    at_most("lp: least sum of weights", seed, one, sqrt(20) / gamma);
    thr_model_free(m);
    stream_free(&s);
}

/* Labels at random: nothing separates, and the least slack is still found. */
void lp_not_separable(uint64_t seed)
{
    stream s = stream_generate(seed, 300, "margin:n=5,gamma=0.3,noise=0.2");
    thr_model *m = model_make(true, NULL, "lp:bias=off");
    unsigned wrong = 0;
    if (!thr_lp_available()) {
        thr_model_free(m);
        stream_free(&s);
        print_message("skip: there is no CLP here\n");
        skip();
    }
    stream_learn(&s, m, 1, false);
    assert_int_equal(thr_model_finish(m, NULL), 0);
    for (size_t row = 0; row < s.rows; row++)
        wrong += stream_predict(&s, m, row, NULL) != s.label[row];
    assert_true(wrong > 0 && wrong < 120);
    thr_model_free(m);
    stream_free(&s);
}
