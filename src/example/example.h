/* One example as one rule sees it: the ids and values of its features, its label, and while it is
 * worked out the rows of weights of its features. A batch (batch.h) holds many in columns; this is
 * the view of one that scoring and learning pass around. It owns nothing. */
#ifndef THR_EXAMPLE_EXAMPLE_H
#define THR_EXAMPLE_EXAMPLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Feature i has the value scale * x[i]. */
typedef struct thr_example {
    const uint32_t *id; /* THR_NONE: never seen */
    char *const *row;   /* each feature's row of weights (weights/weights.h) ... */
    size_t at;          /* ... or that of the first table, which this one's begins so far behind */
    const float *x;     /* NULL: all ones */
    size_t n;
    double scale;
    double norm2;    /* squared length, scale counted in */
    double greatest; /* absolute value, likewise */
    bool distinct;   /* no two features have the same row */
    uint32_t label;  /* THR_NONE: none */
    double target;   /* the label as a number, NaN where it is not one */
    uint32_t known;  /* ids below this were known before the example */
    float importance;
    /* Per label, or NULL: whether it is one of several true ones; whether it may be the answer. */
    const bool *truth, *candidate;
    double *room;                  /* scratch, as much as the rule asked for */
    struct thr_gathered *gathered; /* where scoring leaves what moving wants again, or NULL */
} thr_example;

static inline double thr_example_value(const thr_example *e, size_t i)
{
    return e->x ? e->scale * (double)e->x[i] : e->scale;
}

/* Sums over one example: of its values, of their squares; and the greatest absolute one. Worked out
 * in lanes like products with weights (weights/kernels.c). */
double thr_example_sum(const thr_example *e);
double thr_example_norm2(const thr_example *e);
double thr_example_max(const thr_example *e);
/* The last two at once. */
void thr_example_measure(const thr_example *e, double *norm2, double *greatest);

#endif
