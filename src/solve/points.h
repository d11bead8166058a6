/* The points whose convex hull decides whether examples can be separated, and by how much.
 *
 *   two labels     z_i     = y_i x_i                       one function; y = +1 for `positive`
 *   more labels    z_(i,l) = f(x_i, y_i) - f(x_i, l)       l != y_i; one function for each label
 *
 * A vector w has w.z > 0 for all of them iff it puts every example on its right side. The points
 * are never written out: an example's features and two labels are enough.
 *
 * Weights are dense, those of a feature side by side: w[feature * functions + function].
 * The value of feature f of an example is scale * x[f], as a real number; sums are double. */
#ifndef THR_SOLVE_POINTS_H
#define THR_SOLVE_POINTS_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* All borrowed. Ids within an example are different from each other; the bias, if there is to be
 * one, is a feature like others. */
typedef struct thr_points {
    size_t examples;
    const uint64_t *start; /* features of example e: start[e] <= f < start[e+1] */
    const uint32_t *id;    /* below `features` */
    const float *x;        /* NULL: all 1 */
    const uint32_t *label; /* below `labels` */
    const double *scale;   /* above 0; NULL: all 1 */
    const uint32_t *pick;  /* the examples that count, `examples` of them; NULL: all */
    uint32_t features;
    uint32_t labels;   /* 1 or 2: one function serves them */
    uint32_t positive; /* ... and is to be above 0 for this one */
} thr_points;

/* One example as the arithmetic sees it. */
typedef struct thr_point_row {
    const uint32_t *id;
    const float *x;
    size_t n;
    double scale;
    uint32_t label;
} thr_point_row;

uint32_t thr_points_functions(const thr_points *p);
/* Points of an example: 1, or one for each label but its own. */
uint32_t thr_points_each(const thr_points *p);
size_t thr_points_count(const thr_points *p); /* points */
size_t thr_points_dims(const thr_points *p);  /* weights: features * functions */
/* Point k belongs to example k / each (by its place in `pick`), and sets its label against: */
size_t thr_points_example(const thr_points *p, size_t point); /* number in the arrays */
uint32_t thr_points_other(const thr_points *p, size_t point); /* two labels: the other one */
thr_point_row thr_points_row(const thr_points *p, size_t example);
/* The number of the point of the example at place `place` against label `other`. */
size_t thr_points_number(const thr_points *p, size_t place, uint32_t other);

static inline double thr_row_value(const thr_point_row *r, size_t i)
{
    return r->x ? r->scale * (double)r->x[i] : r->scale;
}

double thr_points_dot(const thr_points *p, size_t point, const double *w);
void thr_points_add(const thr_points *p, size_t point, double a, double *w); /* w += a z */
double thr_points_norm2(const thr_points *p, size_t point);                  /* squared length */
double thr_points_norminf(const thr_points *p, size_t point);
/* The product of two points; `room` is thr_points_dims zeros, and again zeros after. */
double thr_points_product(const thr_points *p, size_t a, size_t b, double *room);

/* out[f] = the functions' values on an example. */
void thr_points_score(const thr_points *p, size_t example, const double *w, double *out);
/* min over points of z.w; *worst may be NULL. Infinity where there are no points. */
double thr_points_least(const thr_points *p, const double *w, size_t *worst);
/* w = sum of a[k] z_k. */
void thr_points_sum(const thr_points *p, const double *a, double *w);
/* Greatest squared length and greatest absolute value of any example. */
double thr_points_radius2(const thr_points *p);
double thr_points_extent(const thr_points *p);

/* Examples that say the same, features (in any order), values, scale and label, count once: the
 * first of each goes to pick[], room for p->examples; returns how many. An example that says the
 * opposite of an earlier one, the same features and another label, is noticed: clash[0] and [1]
 * are set to the two, else to SIZE_MAX. Scales are left aside for that. */
int thr_points_distinct(const thr_points *p, uint32_t *pick, size_t *n, size_t clash[2],
                        thr_error *err);

#endif
