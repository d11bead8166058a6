/* Probabilities from scores, fitted online on scores taken before the update, so that no held-out
 * part is needed (Platt 1999):
 *
 *   one label of many    p_l = exp(a z_l + b_l) / sum_k exp(a z_k + b_k)
 *   each for itself      p_l = 1 / (1 + exp(-(a z_l + b_l)))        (several labels may be true)
 *
 * with z the scores divided by their usual size. The numbers are found by Newton steps, in which
 * each b_l is coupled to a but not to the others. A rule gets better as it learns, so the past is
 * forgotten: after t examples the i-th counts for about (i/t)^2. By then the fit hardly moves from
 * one example to the next, so of those after the first 16384 only every eighth teaches.
 *
 * Only examples met for the first time teach a and b. What a rule says of examples it has learned
 * from is too sure, so their scores may make the usual size smaller but not larger. */
#ifndef THR_MEASURE_CALIBRATION_H
#define THR_MEASURE_CALIBRATION_H

#include "base/error.h"

typedef struct thr_fit { /* one number, and derivatives of the loss, faded */
    double value, curvature;
    double cross;    /* with the slope; 0 for the slope itself */
    double gradient; /* of the example at hand; not saved */
} thr_fit;

typedef struct thr_calibration {
    double seen;     /* examples met for the first time */
    double log_size; /* mean logarithm of the size of their scores */
    double again;    /* examples met again since */
    double log_now;  /* mean over all, these included */
    thr_fit slope;
    thr_fit *offset;      /* per label */
    double size, size_of; /* the usual size, and the logarithm it was found from; not saved */
    uint32_t n;
    size_t room;
} thr_calibration;

void thr_calibration_init(thr_calibration *c);
void thr_calibration_clear(thr_calibration *c);
int thr_calibration_reserve(thr_calibration *c, uint32_t labels, thr_error *err);
int thr_calibration_widen(thr_calibration *c, uint32_t labels, thr_error *err);
int thr_calibration_copy(const thr_calibration *c, thr_calibration *out, thr_error *err);
/* Whether its numbers are such as learning makes them; a file may say anything. */
bool thr_calibration_sound(const thr_calibration *c);
/* Logarithms of the labels' probabilities; `candidate` may be NULL, others get -infinity. */
void thr_calibration_one(const thr_calibration *c, const double *score, const bool *candidate,
                         double *log_p);
void thr_calibration_each(const thr_calibration *c, const double *score, const bool *candidate,
                          double *log_p);
/* The first of these before their sum is made 1: thr_log_normalize makes it so, of many at once. */
void thr_calibration_weigh(const thr_calibration *c, const double *score, const bool *candidate,
                           double *log_p);
/* The usual size of scores. */
double thr_calibration_size(const thr_calibration *c);
/* Whether the next example met for the first time teaches something. */
bool thr_calibration_listens(const thr_calibration *c);
/* Learns from scores and the log_p that followed from them; these may be anything if it does not
 * listen. */
void thr_calibration_learn_one(thr_calibration *c, const double *score, const double *log_p,
                               uint32_t label);
void thr_calibration_learn_each(thr_calibration *c, const double *score, const bool *candidate,
                                const double *log_p, const bool *truth);
/* Scores of an example met before. */
void thr_calibration_again(thr_calibration *c, const double *score);
void thr_calibration_again_each(thr_calibration *c, const double *score);
/* From several, by share: a model's label i of the result is its label[i]. Scores of the mixed rule
 * are not known, so this is a guess, which further examples mend. */
typedef struct thr_calibration_part {
    const thr_calibration *from;
    const uint32_t *label;
    double share, times; /* times: how often each of its examples counts */
} thr_calibration_part;
/* `c` is fresh. `base`: the one that all others were trained from, NULL for none; what it has seen
 * counts once. */
void thr_calibration_mix(thr_calibration *c, const thr_calibration_part *part, size_t n,
                         const thr_calibration_part *base);
/* Each row of n in log_p becomes what it should be: less the logarithm of its sum. All alike where
 * nothing is possible. */
void thr_log_normalize(double *log_p, uint32_t n, uint32_t rows);

#endif
