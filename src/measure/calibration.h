/* Probabilities from scores, fitted online on scores taken before the update, so that no held-out
 * part is needed (L1; Platt 1999):
 *
 *   one label of many    p_l = exp(a z_l + b_l) / sum_k exp(a z_k + b_k)
 *   each for itself      p_l = 1 / (1 + exp(-(a z_l + b_l)))        (several labels may be true)
 *
 * with z the scores divided by their usual size. The numbers are found by Newton steps with a
 * diagonal Hessian that forgets: scores change their scale as the weights grow. */
#ifndef THR_MEASURE_CALIBRATION_H
#define THR_MEASURE_CALIBRATION_H

#include "base/error.h"

typedef struct thr_fit { /* one number and what is known of its curvature */
    double value, curvature;
} thr_fit;

typedef struct thr_calibration {
    double size2, weight; /* mean square of the scores about their mean; how much it rests on */
    thr_fit slope;
    thr_fit *offset; /* per label */
    uint32_t n;
    size_t room;
} thr_calibration;

void thr_calibration_init(thr_calibration *c);
void thr_calibration_clear(thr_calibration *c);
int thr_calibration_widen(thr_calibration *c, uint32_t labels, thr_error *err);
int thr_calibration_copy(const thr_calibration *c, thr_calibration *out, thr_error *err);
/* Logarithms of the labels' probabilities; `candidate` may be NULL, others get -infinity. */
void thr_calibration_one(const thr_calibration *c, const double *score, const bool *candidate,
                         double *log_p);
void thr_calibration_each(const thr_calibration *c, const double *score, double *log_p);
/* Learns from scores and the log_p that followed from them. */
void thr_calibration_learn_one(thr_calibration *c, const double *score, const double *log_p,
                               uint32_t label);
void thr_calibration_learn_each(thr_calibration *c, const double *score, const double *log_p,
                                const bool *truth);
/* log_p becomes what it should be: less the logarithm of the sum. */
void thr_log_normalize(double *log_p, uint32_t n);
/* A Newton step on one number; shared with the panel's blend. */
void thr_fit_step(thr_fit *f, double gradient, double curvature, double share, double least,
                  double most);

#endif
