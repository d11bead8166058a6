/* Bounds on any data, beside a comparator chosen in hindsight: each holds for every u and every
 * margin, so the least over margins holds too. What a comparator is like is all in the margins it
 * leaves, min over the example's points of z.u, one per example. */
#ifndef THR_BOUNDS_HINDSIGHT_H
#define THR_BOUNDS_HINDSIGHT_H

#include "solve/points.h"

typedef struct thr_comparator {
    double *margin; /* of u as it is, one per example */
    size_t n;
    double norm;  /* ||u||_2, above 0 */
    double norm1; /* ||u||_1 */
} thr_comparator;

typedef struct thr_hindsight {
    double bound;
    double margin; /* that makes it least: gamma, or g; of PA-I 1/||u|| */
    double loss;   /* at that margin: D, the sum of l1 losses, or of hinge losses */
} thr_hindsight;

/* The comparator w over points without `pick`; false: out of memory. Its margins are the caller's
 * to free. */
bool thr_comparator_of(const thr_points *p, const double *w, thr_comparator *out);

/* ((sqrt(R^2 + 2m/r) + D)/gamma)^2 */
thr_hindsight thr_hindsight_perceptron(const thr_comparator *c, double R, double margin,
                                       double rate);
/* max(R^2, 1/C)(||u||^2 + 2 C sum loss) */
thr_hindsight thr_hindsight_pa(const thr_comparator *c, double R, double C);
/* 2 X^2 ln(2N)/g^2 + 2 loss/g */
thr_hindsight thr_hindsight_balanced(const thr_comparator *c, double X, double N);

#endif
