/* Bounds for data that need not be separable, relative to a comparator u chosen in hindsight. Each
 * bound holds for every u and every margin, so the least over all margins holds too. A bound
 * depends on u only through its norm and its margin on each example: the least z.u over the points
 * z of the example. */
#ifndef THR_BOUNDS_HINDSIGHT_H
#define THR_BOUNDS_HINDSIGHT_H

#include "solve/points.h"

typedef struct thr_comparator {
    double *margin; /* of each example, for u as given (not normalised). Owned */
    size_t n;
    double norm;  /* ||u||_2, above 0 */
    double norm1; /* ||u||_1 */
} thr_comparator;

typedef struct thr_hindsight {
    double bound;
    double margin; /* the margin for which it is least: gamma, or g; for PA-I 1/||u|| */
    double loss;   /* at that margin: D (perceptron), the sum of hinge losses (PA-I) or of l1
                      losses (balanced) */
} thr_hindsight;

/* Describes the vector w as a comparator. p must not have `pick`. Returns false if out of memory.
 * The caller frees out->margin in either case. */
bool thr_comparator_init(const thr_points *p, const double *w, thr_comparator *out);

/* ((sqrt(R^2 + 2m/r) + D)/gamma)^2 */
thr_hindsight thr_hindsight_perceptron(const thr_comparator *c, double R, double margin,
                                       double rate);
/* max(R^2, 1/C)(||u||^2 + 2 C sum loss) */
thr_hindsight thr_hindsight_pa(const thr_comparator *c, double R, double C);
/* 2 X^2 ln(2N)/g^2 + 2 loss/g */
thr_hindsight thr_hindsight_balanced(const thr_comparator *c, double X, double N);

#endif
