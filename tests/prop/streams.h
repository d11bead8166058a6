/* Streams of examples for the property tests, kept as plain arrays so that bounds and margins are
 * computed here and not by the code under test. Only the public interface is used. */
#ifndef THR_TESTS_STREAMS_H
#define THR_TESTS_STREAMS_H

#include "thresh_theory.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct stream {
    size_t rows;
    int32_t *offset; /* rows + 1 */
    int32_t *column;
    float *value;
    double *label;
    double *u;             /* the hidden separator of `margin` data by variable, else NULL */
    double norm2, norminf; /* R and X, without a bias */
    size_t rows_room, column_room;
} stream;

typedef struct counts {
    uint64_t mistakes, missed, false_alarms; /* missed: of label +1 */
    uint64_t updates;
    unsigned passes;
    bool clean; /* the last pass made no mistake */
} counts;

/* Small random numbers that depend on the seed only. */
typedef struct dice {
    uint64_t state;
} dice;
double dice_real(dice *d); /* [0, 1) */
size_t dice_below(dice *d, size_t n);
double dice_normal(dice *d);

/* How many seeds a property tries: the usual number, times THR_STREAMS where the environment has it
 * (`make test-all` does long runs in this way). More seeds must not make a property fail, so one
 * that holds only on average over a fixed number of runs does not use this. */
uint64_t stream_seeds(uint64_t usual);

void stream_add(stream *s, double label, size_t n, const int32_t *column, const float *value);
/* Examples of a generator, by way of its svmlight text. */
stream stream_generate(uint64_t seed, uint64_t n, const char *spec, ...)
    __attribute__((format(printf, 3, 4)));
/* Unit vectors of classes 1 to STREAM_CLASSES. Hidden vectors u, together of length 1, let the
 * right class of every point win by gamma at least, and by less than twice that. */
enum { STREAM_CLASSES = 4 };
stream stream_classes(dice *d, double gamma, size_t rows);
void stream_scale(stream *s, float factor);
void stream_free(stream *s);
/* label * (u . x) of a row. */
double stream_margin(const stream *s, size_t row);

/* A model of `learner:options`, with labels -1 and 1 declared when `two_labels`. `more` is a list
 * of settings `name=value name=value` or NULL. */
thr_model *model_make(bool two_labels, const char *more, const char *learner, ...)
    __attribute__((format(printf, 3, 4)));
/* All rows of the stream, or one of them, as a batch for the model. */
thr_batch *stream_batch(const stream *s, const thr_model *m);
thr_batch *stream_row(const stream *s, const thr_model *m, size_t row);
/* Passes over the stream until one makes no mistake (or exactly `passes` of them). */
counts stream_learn(const stream *s, thr_model *m, unsigned passes, bool until_clean);
/* Predicted label of a row as a number, NaN for none; `scores` may be NULL. */
double stream_predict(const stream *s, const thr_model *m, size_t row, double *scores);

#endif
