/* One example as one rule sees it: the ids and values of its features, its label and, while it
 * is scored or learned, the rows of weights of its features.
 *
 * A batch (batch.h) holds many examples in columns. This struct is a view of one of them; its
 * pointers refer to the batch and to the workspace, and it owns nothing. Rules may see the same
 * example differently: without the bias, scaled to unit length, or with all values 1. */
#ifndef THR_EXAMPLE_EXAMPLE_H
#define THR_EXAMPLE_EXAMPLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Feature i has the value scale * x[i], or scale if x is NULL. */
typedef struct thr_example {
    const uint32_t *id; /* THR_NONE: a name never seen */
    char *const *row;   /* row[i] + at: the row of weights of feature i (weights/weights.h) */
    size_t at;          /* bytes; not 0 where several tables have their rows side by side and row
                         * is that of the first */
    uint32_t first;     /* the function whose numbers row[i] begins with: 0, but see lists.h */
    const float *x;     /* NULL: all ones */
    size_t n;
    double scale;
    double norm2;    /* squared Euclidean length of the scaled values */
    double length2;  /* the same without numbers (model/units.h), to which length 1 refers */
    double greatest; /* greatest absolute value of the whole example, before a rule scales it */
    bool distinct;   /* no two features share a row (hashed names may) */
    uint32_t label;  /* THR_NONE: none */
    double target;   /* the label as a number; NaN if it is not one */
    uint32_t known;  /* features with ids below this had been learned before this example */
    float importance;
    /* One flag per label, or NULL. Multi-label data: which labels are true; which may be
     * predicted (NULL: all). */
    const bool *truth, *candidate;
    double *room;                  /* scratch, as much as the rule has asked for */
    struct thr_gathered *gathered; /* weights that scoring leaves for the update, or NULL */
} thr_example;

/* The unit of a feature has grown (model/units.h): its values are `ratio` times what they were. */
typedef struct thr_growth {
    size_t feature; /* of the example in which the greater value was met */
    double ratio;
} thr_growth;

static inline double thr_example_value(const thr_example *e, size_t i)
{
    return e->x ? e->scale * (double)e->x[i] : e->scale;
}

/* The sum of the values, the sum of their squares and the greatest absolute value. Term i is
 * added to lane i modulo 8, as in products with weights (weights/kernels.c), so that the order
 * of additions, and with it the result, does not depend on the CPU. */
double thr_example_sum(const thr_example *e);
double thr_example_norm2(const thr_example *e);
double thr_example_max(const thr_example *e);
/* thr_example_norm2 and thr_example_max in one pass. */
void thr_example_measure(const thr_example *e, double *norm2, double *greatest);

#endif
