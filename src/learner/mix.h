/* How several models of one rule become one, a weight at a time. Features, labels and functions
 * have been matched by name before; what one model lacks has its start value there.
 *
 *   additive rules, Winnow  the mean of the weights (McDonald, Hall, Mann 2010)
 *   balanced Winnow, EG     the geometric mean: an update adds to the logarithm
 *   rules with a measure    the mean by what each model has seen of the weight: precisions and
 *   of certainty            sums of squares add up
 *   counts                  the sum
 *
 * docs/THEORY.md says why. */
#ifndef THR_LEARNER_MIX_H
#define THR_LEARNER_MIX_H

#include "learner/learner.h"

/* The models. The share of each says how much it counts in a mean; `times` how often each of its
 * examples counts in a sum: once, where shares go by the number of examples. */
typedef struct thr_mixing {
    size_t n;
    const thr_rule *const *from;
    const double *share; /* sum 1 */
    const double *times;
} thr_mixing;

typedef struct thr_mixer {
    /* One weight: in[model * THR_MAX_SLOTS + slot] becomes out[slot]. `to` has its clock and state
     * by now. NULL: a rule that keeps examples, which are all kept. */
    void (*weight)(const thr_rule *to, const thr_mixing *x, uint32_t id, const double *in,
                   double *out);
    /* to->state, where that is not the sum. May be NULL. */
    void (*state)(thr_rule *to, const thr_mixing *x);
    /* What follows from the rows of the features known, once they are there. May be NULL. */
    void (*derive)(thr_rule *to, const thr_weights *w, uint32_t known);
    /* THR_EUSE with a sentence where the rule's options or what it keeps stand against it. May be
     * NULL. */
    int (*check)(const thr_mixing *x, thr_error *err);
} thr_mixer;

double thr_mix_mean(const thr_mixing *x, const double *in, unsigned slot);
double thr_mix_sum(const thr_mixing *x, const double *in, unsigned slot);
/* 0 if any is. */
double thr_mix_geometric(const thr_mixing *x, const double *in, unsigned slot);
/* The mean by what each model has seen of a weight. What rounding has left of it may be nothing:
 * a model's share counts beside it, faintly. */
typedef struct thr_mean {
    double sum, weight;
    double seen; /* by all models */
} thr_mean;
void thr_mean_add(thr_mean *m, double value, double seen, double share);
double thr_mean_of(const thr_mean *m);
/* As a row will have it: a float within range. */
double thr_mix_rounded(double v);

extern const thr_mixer thr_additive_mixer; /* the slots of thr_additive_slots */
extern const thr_mixer thr_memory_mixer;   /* rules made anew from the examples they keep */

#endif
