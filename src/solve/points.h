/* The points z whose convex hull decides whether examples can be separated, and by how much.
 *
 *   two labels     z_i     = y_i x_i                       one function; y = +1 for `positive`
 *   more labels    z_(i,l) = f(x_i, y_i) - f(x_i, l)       l != y_i; one function for each label
 *
 * A vector w has w.z > 0 for all points if and only if it puts every example on its right side. The
 * points are never stored: each is computed from the features of its example and two labels.
 *
 * A weight vector is dense, with the weights of a feature side by side:
 * w[feature * functions + function]. The value of feature f of an example is scale * x[f], as a
 * real number; sums are computed in double.
 *
 * Three numberings occur. An example has a number in the arrays and a place among the examples that
 * count (`pick`); without `pick` they are the same. A point has the number place * each + l', where
 * l' counts the labels other than the example's own. */
#ifndef THR_SOLVE_POINTS_H
#define THR_SOLVE_POINTS_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* All arrays are borrowed from the caller and must outlive the struct. The ids within an example
 * are distinct. A bias is an ordinary feature that every example has. */
typedef struct thr_points {
    size_t examples;
    const uint64_t *start; /* features of example e: start[e] <= f < start[e+1] */
    const uint32_t *id;    /* below `features` */
    const float *x;        /* NULL: all 1 */
    const uint32_t *label; /* below `labels` */
    const double *scale;   /* above 0; NULL: all 1 */
    const uint32_t *pick;  /* the numbers of the `examples` examples that count; NULL: all */
    uint32_t features;
    uint32_t labels;   /* with 1 or 2 there is one function */
    uint32_t positive; /* ... which a separator makes positive for this label; else not used */
} thr_points;

/* One example; borrows the arrays. */
typedef struct thr_point_row {
    const uint32_t *id;
    const float *x;
    size_t n;
    double scale;
    uint32_t label;
} thr_point_row;

uint32_t thr_points_functions(const thr_points *p);
/* Points of an example: 1, or with more than two labels one for each label except its own. */
uint32_t thr_points_each(const thr_points *p);
size_t thr_points_count(const thr_points *p); /* points */
size_t thr_points_dims(const thr_points *p);  /* weights: features * functions */
/* Point k belongs to the example at place k / each. These return the number of that example, and
 * the wrong label of the point. */
size_t thr_points_example(const thr_points *p, size_t point);
uint32_t thr_points_other(const thr_points *p, size_t point);
thr_point_row thr_points_row(const thr_points *p, size_t example);
/* The inverse: the number of the point that sets the example at `place` against label `other`. */
size_t thr_points_number(const thr_points *p, size_t place, uint32_t other);

static inline double thr_row_value(const thr_point_row *r, size_t i)
{
    return r->x ? r->scale * (double)r->x[i] : r->scale;
}

double thr_points_dot(const thr_points *p, size_t point, const double *w);
void thr_points_add(const thr_points *p, size_t point, double a, double *w); /* w += a z */
double thr_points_norm2(const thr_points *p, size_t point);                  /* squared length */
double thr_points_norminf(const thr_points *p, size_t point);
/* z_a.z_b. `room` is scratch of thr_points_dims numbers; it must be all 0 and is left all 0. */
double thr_points_product(const thr_points *p, size_t a, size_t b, double *room);

/* out[f] = the value of function f on an example, given by its number in the arrays. */
void thr_points_score(const thr_points *p, size_t example, const double *w, double *out);
/* min over all points of z.w, and in *worst (may be NULL) a point where it is attained. INFINITY,
 * with *worst unchanged, if there are no points. */
double thr_points_least(const thr_points *p, const double *w, size_t *worst);
/* w = sum of a[k] z_k. */
void thr_points_sum(const thr_points *p, const double *a, double *w);
/* The greatest squared length, and the greatest absolute value of a feature, over the examples (not
 * the points: with more than two labels |z|^2 = 2 |x|^2). */
double thr_points_radius2(const thr_points *p);
double thr_points_extent(const thr_points *p);

/* Finds duplicates and contradictions in one pass.
 *
 * Examples with the same features (in any order), values, scale and label are duplicates. The
 * number of the first of each goes to pick[], which has room for p->examples, and *n is set to how
 * many there are. The first pair of examples with the same features and values but different
 * labels goes to clash[0] and clash[1]; both are SIZE_MAX if there is none. Scales do not matter
 * for that. Fails only if out of memory. */
int thr_points_distinct(const thr_points *p, uint32_t *pick, size_t *n, size_t clash[2],
                        thr_error *err);

#endif
