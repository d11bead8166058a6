/* Is there a separator, and by how much does the best one separate? With proof.
 *
 *   yes   a vector of whole numbers that every point is on the right side of, checked exactly
 *   no    a combination of points, of whole numbers above 0, that is exactly zero: two examples
 * that contradict each other, a cycle of the perceptron (cycle.h), or what the least-norm method or
 * the linear program ends with, made exact (solve/exact.h)
 *
 * In that order, the cheap ways first. Where there is a separator, both ends of its margins follow:
 * gamma from the least-norm method, g from the game. Vectors and combinations are rounded to whole
 * numbers before their ends are computed, so what is certified is what is written. */
#ifndef THR_CERTIFY_PROVE_H
#define THR_CERTIFY_PROVE_H

#include "exact/exact.h"

#include "thresh_theory.h"

typedef struct thr_prove_options {
    double gap;                           /* relative: narrow the ends until then */
    bool (*late)(void *, double share);   /* whether that share of the time is over */
    double (*left)(void *, double share); /* seconds until then */
    void *user;
} thr_prove_options;

enum thr_way {
    THR_WAY_NONE,    /* nothing is proved */
    THR_WAY_CLASH,   /* the same features, different labels */
    THR_WAY_STANDS,  /* the perceptron came to a stand */
    THR_WAY_CYCLE,   /* the perceptron came back */
    THR_WAY_NORM,    /* by the least-norm method */
    THR_WAY_PROGRAM, /* by the linear program */
};

typedef struct thr_findings {
    thr_points points; /* the different examples; point numbers below are its */
    uint32_t *pick;    /* ... its own */
    enum thr_verdict separable;
    enum thr_way way;
    size_t clash[2];               /* examples */
    uint64_t cycle, cycle_updates; /* its length, and the updates until it was found */
    double *w, *u;      /* vectors of whole numbers: for gamma, and for g; NULL: none. Without a
                           separator w is the nearest thing to it that was met */
    thr_zero zero;      /* sums to nothing */
    thr_zero far, far1; /* the upper ends: of gamma and of g */
    thr_ends low, high; /* true bounds; -INFINITY and INFINITY where there are none */
    char note[256];     /* what could not be done; "" if nothing */
} thr_findings;

/* Points without `pick`. */
int thr_prove(const thr_points *p, const thr_prove_options *o, thr_findings *out, thr_error *err);
void thr_findings_clear(thr_findings *f);

#endif
