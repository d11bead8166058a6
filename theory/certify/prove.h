/* Decides whether data is separable and how large its margins are, with proofs.
 *
 *   separable       a vector of whole numbers that has every point on its right side, checked in
 *                   exact arithmetic
 *   not separable   a combination of points with positive whole coefficients that is exactly 0
 *
 * The methods are tried in this order, cheapest first, until one of them decides:
 *
 *   1. Two examples with the same features and different labels contradict each other.
 *   2. The perceptron in whole numbers either stops, which gives a separator, or returns to
 *      earlier weights, which gives a combination (cycle.h).
 *   3. The linear program gives a separator, or a Farkas ray that is made exact (exact/exact.h).
 *   4. The least-norm method gives a separator, or a combination close to 0 that is made exact.
 *
 * Step 4 also runs on data known to be separable, for the bounds on gamma, and then the matrix game
 * (exact/game.h) gives the bounds on g. Vectors and combinations are rounded to whole numbers
 * before their bounds are computed, so the bounds belong to the numbers that the certificate
 * holds, not to the solver's doubles. */
#ifndef THR_CERTIFY_PROVE_H
#define THR_CERTIFY_PROVE_H

#include "exact/exact.h"

#include "thresh_theory.h"

typedef struct thr_prove_options {
    double gap; /* relative: the bounds are narrowed until low >= (1 - gap) high */
    /* Each method may run until a share (0 to 1) of the total time is used up. */
    bool (*late)(void *, double share);   /* is it? Called often; NULL: no limit */
    double (*left)(void *, double share); /* seconds until then, perhaps negative; NULL: no limit */
    void *user;
} thr_prove_options;

enum thr_proof_way {
    THR_WAY_NONE,       /* nothing was proved */
    THR_WAY_CLASH,      /* two examples have the same features and different labels */
    THR_WAY_PERCEPTRON, /* the perceptron made a pass without an update */
    THR_WAY_CYCLE,      /* the perceptron returned to earlier weights */
    THR_WAY_NORM,       /* the least-norm method */
    THR_WAY_PROGRAM,    /* the linear program */
};

/* What was found. Owns everything except the arrays that `points` borrows from the caller. */
typedef struct thr_findings {
    thr_points points; /* the examples without duplicates, or all examples if two of them clash.
                          The point numbers below refer to it */
    uint32_t *pick;    /* points.pick, owned here */
    enum thr_verdict separable;
    enum thr_proof_way way;
    size_t clash[2];               /* numbers of two examples, if way is THR_WAY_CLASH */
    uint64_t cycle, cycle_updates; /* updates in the cycle; updates of the perceptron in all */
    double *w, *u;        /* vectors of whole numbers: the best lower bound on gamma, and on g; NULL
                             if there is none. On data without a known separator w is the vector with
                             the largest lower bound met, which is not positive */
    thr_combination zero; /* the combination that is 0, if not separable */
    thr_combination far, far1; /* combinations that prove the upper bounds: on gamma, and on g */
    thr_margins low, high;     /* guaranteed bounds; -INFINITY and INFINITY where there are none */
    char note[256];            /* for the user: what was not achieved and why; "" if nothing */
} thr_findings;

/* p: all examples; p->pick must be NULL. Not reaching a proof is not an error: out->separable is
 * then THR_UNKNOWN. On success the caller clears `out`. */
int thr_prove(const thr_points *p, const thr_prove_options *o, thr_findings *out, thr_error *err);
void thr_findings_clear(thr_findings *f);

#endif
