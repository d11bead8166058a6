#include "measure/calibration.h"

#include "base/mathx.h"
#include "base/mem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MEMORY    (1 - 1 / 4000.0) /* what stays of the past with each example */
#define PRIOR     4                /* curvature at the start: the first examples move little */
#define LONGEST   0.5              /* step */
#define STEEPEST  1000
#define LEAST_LOG (-745) /* exp of less is 0 */

void thr_calibration_init(thr_calibration *c)
{
    *c = (thr_calibration){.slope = {1, PRIOR}};
}

void thr_calibration_clear(thr_calibration *c)
{
    free(c->offset);
    *c = (thr_calibration){0};
}

int thr_calibration_widen(thr_calibration *c, uint32_t labels, thr_error *err)
{
    if (!thr_grow(&c->offset, &c->room, labels, sizeof *c->offset))
        return thr_fail_memory(err);
    for (; c->n < labels; c->n++)
        c->offset[c->n] = (thr_fit){0, PRIOR};
    return 0;
}

int thr_calibration_copy(const thr_calibration *c, thr_calibration *out, thr_error *err)
{
    *out = *c;
    out->offset = NULL;
    out->room = out->n = 0;
    int code = thr_calibration_widen(out, c->n, err);
    if (code == 0 && c->n)
        memcpy(out->offset, c->offset, c->n * sizeof *c->offset);
    return code;
}

/* ---- from scores to probabilities --------------------------------------------------------- */

static double usable(double v)
{
    return v - v == 0 ? v : 0; /* a damaged model may say anything */
}

static double mean_of(const double *score, uint32_t n)
{
    double sum = 0;
    for (uint32_t i = 0; i < n; i++)
        sum += usable(score[i]);
    return n ? sum / n : 0;
}

static double size_of(const thr_calibration *c)
{
    return c->weight > 0 && c->size2 > 0 ? sqrt(c->size2) : 1;
}

void thr_log_normalize(double *log_p, uint32_t n)
{
    double most = -INFINITY, sum = 0;
    for (uint32_t i = 0; i < n; i++)
        most = log_p[i] > most ? log_p[i] : most;
    for (uint32_t i = 0; i < n; i++)
        sum += log_p[i] - most > LEAST_LOG ? thr_exp(log_p[i] - most) : 0;
    double norm = n ? most + thr_log(sum) : 0;
    for (uint32_t i = 0; i < n; i++)
        log_p[i] = fmin(log_p[i] - norm, 0);
}

void thr_calibration_one(const thr_calibration *c, const double *score, const bool *candidate,
                         double *log_p)
{
    double mean = mean_of(score, c->n), factor = c->slope.value / size_of(c);
    for (uint32_t i = 0; i < c->n; i++)
        log_p[i] = candidate && !candidate[i]
                       ? -INFINITY
                       : factor * (usable(score[i]) - mean) + c->offset[i].value;
    thr_log_normalize(log_p, c->n);
}

/* log 1/(1 + exp(-z)), without losing small numbers. */
static double log_sigmoid(double z)
{
    return z >= 0 ? -thr_log(1 + thr_exp(-z)) : z - thr_log(1 + thr_exp(z));
}

void thr_calibration_each(const thr_calibration *c, const double *score, double *log_p)
{
    for (uint32_t i = 0; i < c->n; i++)
        log_p[i] = log_sigmoid(c->slope.value * usable(score[i]) / size_of(c) + c->offset[i].value);
}

/* ---- fitting ------------------------------------------------------------------------------ */

void thr_fit_step(thr_fit *f, double gradient, double curvature, double share, double least,
                  double most)
{
    f->curvature = f->curvature * MEMORY + (1 - MEMORY) * PRIOR + curvature;
    double step = share * gradient / f->curvature;
    step = fmin(fmax(step, -LONGEST), LONGEST);
    f->value = fmin(fmax(f->value - step, least), most);
}

static void see_size(thr_calibration *c, const double *score, double mean)
{
    double square = 0;
    for (uint32_t i = 0; i < c->n; i++) {
        double d = usable(score[i]) - mean;
        square += d * d;
    }
    c->weight = c->weight * MEMORY + 1;
    c->size2 += (square / c->n - c->size2) / c->weight;
    c->size2 = usable(c->size2);
}

/* The loss -log p_y has the gradient sum_l (p_l - [l = y]) z_l in a, with the variance of z under
 * p as its second derivative; in b_l they are p_l - [l = y] and p_l (1 - p_l). */
void thr_calibration_learn_one(thr_calibration *c, const double *score, const double *log_p,
                               uint32_t label)
{
    double mean = mean_of(score, c->n), size = size_of(c), sum = 0, squares = 0;
    if (c->n < 2 || label >= c->n)
        return;
    for (uint32_t i = 0; i < c->n; i++) {
        double p = thr_exp(log_p[i]), z = (usable(score[i]) - mean) / size;
        sum += p * z;
        squares += p * z * z;
        thr_fit_step(&c->offset[i], p - (i == label), p * (1 - p), 0.5, -STEEPEST, STEEPEST);
    }
    double own = (usable(score[label]) - mean) / size;
    thr_fit_step(&c->slope, sum - own, squares - sum * sum, 1, 0, STEEPEST);
    see_size(c, score, mean);
}

void thr_calibration_learn_each(thr_calibration *c, const double *score, const double *log_p,
                                const bool *truth)
{
    double gradient = 0, curvature = 0, size = size_of(c);
    for (uint32_t i = 0; i < c->n; i++) {
        double p = thr_exp(log_p[i]), z = usable(score[i]) / size;
        gradient += (p - truth[i]) * z;
        curvature += p * (1 - p) * z * z;
        thr_fit_step(&c->offset[i], p - truth[i], p * (1 - p), 0.5, -STEEPEST, STEEPEST);
    }
    thr_fit_step(&c->slope, gradient, curvature, 1, 0, STEEPEST);
    if (c->n)
        see_size(c, score, 0);
}
