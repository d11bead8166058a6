/* From logits to probabilities, for many rows and labels at once (softmax.h). Exponentials and
 * logarithms are taken of many numbers in one call; two labels, the usual case, have code of their
 * own. */
#include "measure/softmax.h"

#include "base/above.h"
#include "base/mathx.h"
#include "base/sum.h"
#include "base/wide.h"

#include <math.h>
#include <stdbool.h>

#define TOGETHER 32 /* labels, or rows, in one call of thr_exp_many or thr_log_many */

#define INLINE __attribute__((always_inline)) static inline

THR_CLONED static void less_of(const double *log_p, uint32_t n, double most, double *less)
{
    for (uint32_t i = 0; i < n; i++)
        less[i] = log_p[i] - most;
}

/* sum_i exp(log_p_i - most). With `most` the greatest of them no term overflows and one is 1, so
 * the sum is at least 1. */
static double exp_sum(const double *log_p, uint32_t n, double most)
{
    double sum = 0;
    for (uint32_t i = 0; i < n; i += TOGETHER) {
        double less[TOGETHER];
        uint32_t some = n - i < TOGETHER ? n - i : TOGETHER;
        less_of(log_p + i, some, most, less);
        thr_exp_many(less, some);
        for (uint32_t k = 0; k < some; k++)
            sum += less[k];
    }
    return sum;
}

/* A log-probability is at most 0, also after rounding. */
THR_CLONED static void subtract(double *log_p, uint32_t n, double norm)
{
    for (uint32_t i = 0; i < n; i++)
        log_p[i] = thr_lesser(log_p[i] - norm, 0);
}

/* Normalises at most TOGETHER rows, whose logarithms are taken in one call. If all of a row are
 * -infinity, since no candidate is known, the row becomes 0, from which normalising makes the
 * uniform distribution. */
static void normalize_some(double *log_p, uint32_t n, uint32_t rows)
{
    double most[TOGETHER], sum[TOGETHER];
    for (uint32_t k = 0; k < rows; k++) {
        double *row = log_p + (size_t)k * n;
        most[k] = thr_greatest(row, n);
        if (!(most[k] > -INFINITY)) {
            most[k] = 0;
            for (uint32_t i = 0; i < n; i++)
                row[i] = 0;
        }
        sum[k] = exp_sum(row, n, most[k]);
    }
    thr_log_many(sum, rows);
    for (uint32_t k = 0; k < rows; k++)
        subtract(log_p + (size_t)k * n, n, most[k] + sum[k]);
}

/* The same for two labels. The likelier one adds exp(0) = 1 to the sum, so each row needs a single
 * exponential, and those of all rows are taken in one call. */
static void normalize_pairs(double *log_p, uint32_t rows)
{
    double sum[TOGETHER];
    for (uint32_t k = 0; k < rows; k++) {
        double *pair = log_p + 2 * (size_t)k;
        if (pair[0] == -INFINITY && pair[1] == -INFINITY)
            pair[0] = pair[1] = 0;
        sum[k] = -fabs(pair[0] - pair[1]);
    }
    thr_exp_many(sum, rows);
    for (uint32_t k = 0; k < rows; k++)
        sum[k] += 1;
    thr_log_many(sum, rows);
    for (uint32_t k = 0; k < rows; k++) {
        double *pair = log_p + 2 * (size_t)k, norm = thr_greater(pair[0], pair[1]) + sum[k];
        pair[0] = thr_lesser(pair[0] - norm, 0);
        pair[1] = thr_lesser(pair[1] - norm, 0);
    }
}

void thr_log_normalize(double *log_p, uint32_t n, uint32_t rows)
{
    for (uint32_t k = 0, some; k < rows; k += some) {
        some = rows - k < TOGETHER ? rows - k : TOGETHER;
        if (n == 2)
            normalize_pairs(log_p + 2 * (size_t)k, some);
        else
            normalize_some(log_p + (size_t)k * n, n, some);
    }
}

/* Replaces n <= TOGETHER numbers by the exponentials of their distances from `most`, and adds these
 * up. Inlined for TOGETHER and for fewer. */
INLINE void take_exponentials(thr_total *sum, double *row, uint32_t n, double most)
{
    for (uint32_t k = 0; k < n; k++)
        row[k] -= most;
    thr_exp_many(row, n);
    thr_total_add(sum, row, n);
}

/* Replaces a row by the exponentials of its distances from the greatest, and returns their sum. */
THR_CLONED static double exponentials(double *row, uint32_t n, double most)
{
    thr_total sum = {.in_order = false};
    for (; n >= TOGETHER; n -= TOGETHER, row += TOGETHER)
        take_exponentials(&sum, row, TOGETHER, most);
    if (n > 0)
        take_exponentials(&sum, row, n, most);
    return thr_total_of(&sum);
}

THR_CLONED static void share_out(double *x, uint32_t n, double by)
{
    double part = 1 / by;
    for (uint32_t i = 0; i < n; i++)
        x[i] *= part;
}

/* Returns the logarithm of the sum, if that is asked for. As in normalize_some, a row of -infinity
 * alone becomes uniform. */
static double softmax_row(double *row, uint32_t n, bool log)
{
    double most = thr_greatest(row, n);
    for (uint32_t i = 0; i < n && !(most > -INFINITY); i++)
        row[i] = 0;
    most = most > -INFINITY ? most : 0;
    double sum = exponentials(row, n, most);
    share_out(row, n, sum);
    return log ? most + thr_log(sum) : 0;
}

/* The same for at most TOGETHER rows of two labels, as in normalize_pairs. The logarithm that it
 * returns is that of the last row. */
static double softmax_pairs(double *logit, uint32_t rows, bool log)
{
    double less[TOGETHER], most = 0;
    for (uint32_t k = 0; k < rows; k++) {
        double *pair = logit + 2 * (size_t)k;
        if (pair[0] == -INFINITY && pair[1] == -INFINITY)
            pair[0] = pair[1] = 0;
        less[k] = -fabs(pair[0] - pair[1]);
        most = thr_greater(pair[0], pair[1]);
    }
    thr_exp_many(less, rows);
    for (uint32_t k = 0; k < rows; k++) {
        double *pair = logit + 2 * (size_t)k, p = 1 / (1 + less[k]), q = less[k] * p;
        bool first = pair[0] >= pair[1];
        pair[0] = first ? p : q;
        pair[1] = first ? q : p;
    }
    return log ? most + thr_log(1 + less[rows - 1]) : 0;
}

static double softmax_by_logs(double *logit, uint32_t n, uint32_t rows, uint32_t label)
{
    thr_log_normalize(logit, n, rows);
    double loss = label == THR_NO_LOSS ? 0 : -logit[(size_t)(rows - 1) * n + label];
    for (size_t i = 0, all = (size_t)rows * n; i < all; i += TOGETHER)
        thr_exp_many(logit + i, all - i < TOGETHER ? all - i : TOGETHER);
    return loss;
}

double thr_softmax(double *logit, uint32_t n, uint32_t rows, uint32_t label, bool by_logs)
{
    if (by_logs)
        return softmax_by_logs(logit, n, rows, label);
    bool wanted = label != THR_NO_LOSS;
    double norm = 0, z = wanted ? logit[(size_t)(rows - 1) * n + label] : 0;
    for (uint32_t k = 0, some; k < rows; k += some) {
        some = n != 2 ? 1 : rows - k < TOGETHER ? rows - k : TOGETHER;
        bool log = wanted && k + some == rows;
        double *row = logit + (size_t)k * n;
        norm = n == 2 ? softmax_pairs(row, some, log) : softmax_row(row, n, log);
    }
    return norm - z;
}
