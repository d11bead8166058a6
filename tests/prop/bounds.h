/* What the files of properties share: each property is checked on one seed at a time. */
#ifndef THR_PROP_BOUNDS_H
#define THR_PROP_BOUNDS_H

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

/* Weights are floats: a bound may be missed by rounding, never by one. */
static inline void at_most(const char *what, uint64_t seed, double found, double bound)
{
    if (!(found <= bound * (1 + 1e-5)))
        fail_msg("%s, seed %llu: %.9g exceeds the bound %.9g", what, (unsigned long long)seed,
                 found, bound);
}

static inline void learn_row(const stream *s, thr_model *m, size_t row)
{
    thr_batch *b = stream_row(s, m, row);
    assert_int_equal(thr_learn(m, NULL, b, NULL, NULL), 0);
    thr_batch_free(b);
}

static inline stream margin_stream(dice *d, uint64_t seed, double gamma, double noise)
{
    static const unsigned dimension[] = {2, 5, 20, 45};
    unsigned n = dimension[dice_below(d, COUNT(dimension))];
    if (dice_below(d, 3) == 0)
        return stream_generate(seed, 400, "margin:n=%u,active=2,k=2,gamma=%.17g,noise=%.17g",
                               n * 10, gamma, noise);
    return stream_generate(seed, 400, "margin:n=%u,gamma=%.17g,noise=%.17g", n, gamma, noise);
}

enum { DENSE = 512 };

typedef struct dense {
    double w[DENSE], variance[DENSE];
} dense;

static inline double dense_dot(const dense *d, const stream *s, size_t row)
{
    double sum = 0;
    for (int32_t i = s->offset[row]; i < s->offset[row + 1]; i++)
        sum += d->w[s->column[i]] * (double)s->value[i];
    return sum;
}

/* What the model says before learning row must be what the definition says. */
static inline void agrees(const thr_model *m, const stream *s, size_t row, double expected)
{
    double scores[2];
    stream_predict(s, m, row, scores);
    double found = scores[thr_model_positive(m)];
    if (fabs(found - expected) > 1e-4 * (1 + fabs(expected)))
        fail_msg("row %zu: scores %.9g, not %.9g", row, found, expected);
}

/* bounds_alma.c, bounds_losses.c and bounds_defined.c */
void pairs_as_defined(uint64_t seed);
void alma_separable(uint64_t seed);
void alma_classes(uint64_t seed);
void alma_as_defined(uint64_t seed);
void pegasos_regret(uint64_t seed);
void arow_as_defined(uint64_t seed);
void adagrad_as_defined(uint64_t seed);
void logistic_regret(uint64_t seed);
void logistic_adaptive_regret(uint64_t seed);
void lms_loss(uint64_t seed);
void eg_loss(uint64_t seed);
void eg_unsigned_loss(uint64_t seed);
void eg_beats_lms(uint64_t seed);
void bayes_follows_counts(uint64_t seed);
void knn_knows_its_own(uint64_t seed);
void maxmargin_margin(uint64_t seed);
void maxmargin_noisy(uint64_t seed);
void lp_separates(uint64_t seed);
void lp_not_separable(uint64_t seed);
void rules_errors_fall(uint64_t seed);

#endif
