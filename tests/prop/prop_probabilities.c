/* What every learner's probabilities must be: numbers from 0 to 1 that sum to 1, whatever the
 * examples; and nearly as good as can be made of its scores once the truth is known. */
#include "streams.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { VARIABLES = 10, MOST = 8 };

/* P(y = +1 | x) = 1/(1 + exp(-w.x)) over a few Boolean variables out of ten. */
static stream noisy(dice *d, const double *w, size_t rows)
{
    stream s = {0};
    for (size_t row = 0; row < rows; row++) {
        int32_t column[VARIABLES];
        size_t n = 0;
        double dot = w[0];
        for (int i = 1; i <= VARIABLES; i++)
            if (dice_below(d, 2)) {
                dot += w[i];
                column[n++] = i;
            }
        double p = 1 / (1 + exp(-dot)), y = dice_real(d) < p ? 1 : -1;
        stream_add(&s, y, n, column, NULL);
    }
    return s;
}

static void chances(const stream *s, const thr_model *m, size_t row, double *p)
{
    thr_error err;
    thr_batch *b = stream_row(s, m, row);
    thr_scratch *scratch = thr_scratch_new();
    assert_non_null(scratch);
    if (thr_probabilities(m, scratch, b, NULL, p, &err))
        fail_msg("%s", err.message);
    thr_scratch_free(scratch);
    thr_batch_free(b);
}

static double label_number(const thr_model *m, size_t l)
{
    return strtod(thr_model_label(m, l), NULL);
}

static double log_loss(const stream *s, const thr_model *m)
{
    double sum = 0;
    for (size_t row = 0; row < s->rows; row++) {
        double p[MOST];
        chances(s, m, row, p);
        for (size_t l = 0; l < thr_model_labels(m); l++)
            if (label_number(m, l) == s->label[row])
                sum -= log(p[l] > 1e-15 ? p[l] : 1e-15);
    }
    return sum / (double)s->rows;
}

/* Least log loss of 1/(1 + exp(-(a s + b))) over all a, and over all b if `offset`, s being the
 * lead of label 1: Platt's fit, by Newton steps, to the very examples it is measured on. */
static double platt(const stream *s, const thr_model *m, bool offset)
{
    double *lead = malloc(s->rows * sizeof *lead), size = 0, a = 0, b = 0, loss = 0;
    assert_non_null(lead);
    for (size_t row = 0; row < s->rows; row++) {
        double score[MOST];
        stream_predict(s, m, row, score);
        lead[row] = label_number(m, 0) > 0 ? score[0] - score[1] : score[1] - score[0];
        size += lead[row] * lead[row] / (double)s->rows;
    }
    for (int round = 0; round < 50; round++) {
        double g[2] = {0, 0}, h[3] = {1e-6, 0, 1e-6};
        loss = 0;
        for (size_t row = 0; row < s->rows; row++) {
            double z = lead[row] / sqrt(size), p = 1 / (1 + exp(-(a * z + b))), q = p * (1 - p);
            loss -= log(s->label[row] > 0 ? p : 1 - p) / (double)s->rows;
            p -= s->label[row] > 0;
            g[0] += p * z, g[1] += p;
            h[0] += q * z * z, h[1] += q * z, h[2] += q;
        }
        if (!offset)
            g[1] = h[1] = 0;
        double determinant = h[0] * h[2] - h[1] * h[1];
        a -= (h[2] * g[0] - h[1] * g[1]) / determinant;
        b -= (h[0] * g[1] - h[1] * g[0]) / determinant;
    }
    free(lead);
    return loss;
}

/* The last weights of a perceptron or of Winnow lean to one side by chance, which a fit to what
 * comes after mends by its offset; one to what came before cannot. */
static void nearly_as_good_as_hindsight(void **state)
{
    (void)state;
    thr_entry_info info;
    for (size_t i = 0; thr_learner_at(i, &info); i++)
        /* How near is a matter of the data, and not proven: other seeds may miss the margin. */
        for (uint64_t seed = 1; seed <= 2 && !info.regression; seed++) {
            dice d = {seed};
            double w[VARIABLES + 1];
            for (int v = 0; v <= VARIABLES; v++)
                w[v] = 1.5 * dice_normal(&d);
            stream s = noisy(&d, w, 2000), test = noisy(&d, w, 700);
            for (unsigned passes = 1; passes <= 4; passes += 3) {
                thr_model *m = model_make(true, NULL, "%s", info.name);
                stream_learn(&s, m, passes, false);
                double loss = log_loss(&test, m), best = platt(&test, m, true);
                if (!(loss < best + 0.08) && !(loss < platt(&test, m, false) + 0.08))
                    fail_msg("%s, seed %d, %u passes: log loss %.4f, and %.4f can be had",
                             info.name, (int)seed, passes, loss, best);
                thr_model_free(m);
            }
            stream_free(&s);
            stream_free(&test);
        }
}

/* Values from tiny to huge, of any sign where the rule can take it, and many labels. */
static void always_probabilities(void **state)
{
    (void)state;
    static const float size[] = {1, 1e-30f, 1e30f, 3e38f, 1e-3f, 1e6f};
    thr_entry_info info;
    for (size_t i = 0; thr_learner_at(i, &info); i++)
        for (uint64_t seed = 1; seed <= stream_seeds(12) && !info.regression; seed++) {
            dice d = {seed * 977};
            stream s = {0};
            size_t labels = 1 + dice_below(&d, MOST - 1);
            for (int row = 0; row < 60; row++) {
                int32_t column[4];
                float value[4];
                size_t n = dice_below(&d, 5);
                for (size_t k = 0; k < n; k++) {
                    column[k] = (int32_t)(1 + 3 * k + dice_below(&d, 3));
                    value[k] = size[seed % 2 ? 0 : dice_below(&d, 6)];
                }
                stream_add(&s, (double)dice_below(&d, labels), n, column, value);
            }
            thr_model *m = model_make(false, NULL, "%s", info.name);
            for (size_t row = 0; row < s.rows; row++) {
                thr_batch *b = stream_row(&s, m, row);
                thr_error err;
                if (thr_learn(m, NULL, b, NULL, &err))
                    fail_msg("%s: %s", info.name, err.message);
                thr_batch_free(b);
                double p[MOST + 2], sum = 0;
                chances(&s, m, dice_below(&d, s.rows), p);
                for (size_t l = 0; l < thr_model_labels(m); l++) {
                    if (!(p[l] >= 0 && p[l] <= 1))
                        fail_msg("%s, seed %d, row %zu: %g", info.name, (int)seed, row, p[l]);
                    sum += p[l];
                }
                assert_true(fabs(sum - 1) < 1e-9);
            }
            thr_model_free(m);
            stream_free(&s);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nearly_as_good_as_hindsight),
        cmocka_unit_test(always_probabilities),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
