/* Logits become probabilities: p_l = exp(z_l) / sum_k exp(z_k). */
#ifndef THR_MEASURE_SOFTMAX_H
#define THR_MEASURE_SOFTMAX_H

#include <stdbool.h>
#include <stdint.h>

/* Normalises each of `rows` rows of n log-probabilities: subtracts the logarithm of the sum of
 * their exponentials. A row of -infinity alone becomes uniform. */
void thr_log_normalize(double *log_p, uint32_t n, uint32_t rows);
/* Makes probabilities of rows of n logits, in place: p_l = exp(z_l) / sum_k exp(z_k). Returns
 * -log p_l of a label in the last row, which is finite even where p_l is 0 by rounding; with
 * THR_NO_LOSS for the label it returns 0, and takes no logarithm. `by_logs`: as older rules did it,
 * by normalised logarithms. */
#define THR_NO_LOSS UINT32_MAX
double thr_softmax(double *logit, uint32_t n, uint32_t rows, uint32_t label, bool by_logs);

/* The greater of two numbers, and the lesser. With NaN the result depends on the order, but the
 * evidence has none. */
static inline double thr_greater(double a, double b)
{
    return b > a ? b : a;
}

static inline double thr_lesser(double a, double b)
{
    return a < b ? a : b;
}

#endif
