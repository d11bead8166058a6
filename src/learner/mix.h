/* How several models of one rule become one, a weight at a time. Features, labels and functions
 * have been matched by name before; what one model lacks has its start value there.
 *
 *   additive rules, Winnow  the mean of the weights (McDonald, Hall, Mann 2010)
 *   balanced Winnow, EG     the geometric mean: an update adds to the logarithm
 *   rules with a measure    the mean by what each model has seen of the weight: precisions and
 *   of certainty            sums of squares add up
 *   counts                  the sum
 *
 * With a base, every model was trained further from it. Sums, clocks and precisions are then those
 * of the base plus what each model has added since; means are taken of what the models have added.
 * Without one the base counts as a model that has learned nothing, and every formula below gives
 * the same bits as if there were no base in it.
 *
 * docs/THEORY.md says why. */
#ifndef THR_LEARNER_MIX_H
#define THR_LEARNER_MIX_H

#include "learner/learner.h"

/* The models. The share of each says how much it counts in a mean; `times` how often each of its
 * examples since the base counts in a sum: once, where shares go by the number of examples. */
typedef struct thr_mixing {
    size_t n;
    const thr_rule *const *from;
    const thr_rule *base; /* NULL: none */
    const double *share;  /* sum 1 */
    const double *times;
} thr_mixing;

typedef struct thr_mixer {
    /* One weight: in[model * THR_MAX_SLOTS + slot] becomes out[slot]; the base comes after the
     * last model. `to` has its clock and state by now. NULL: a rule that keeps examples, which are
     * all kept. */
    void (*weight)(const thr_rule *to, const thr_mixing *x, uint32_t id, const double *in,
                   double *out);
    /* to->state, where that is not the sum. May be NULL. */
    void (*state)(thr_rule *to, const thr_mixing *x);
    /* What follows from the rows of the features known, once they are there. May be NULL. */
    void (*derive)(thr_rule *to, const thr_weights *w, uint32_t known);
    /* THR_EUSE with a sentence where the rule's options or what it keeps stand against it. May be
     * NULL. */
    int (*check)(const thr_mixing *x, thr_error *err);
    /* How much a model has seen of a weight, a number that learning never makes smaller: a model
     * with less than the base was not trained from it. May be NULL: the weight does not tell. */
    double (*seen)(const thr_rule *r, const double *slot);
} thr_mixer;

/* The base's number; 0 without a base. */
double thr_mix_base(const thr_mixing *x, const double *in, unsigned slot);
double thr_mix_mean(const thr_mixing *x, const double *in, unsigned slot);
double thr_mix_sum(const thr_mixing *x, const double *in, unsigned slot);
/* 0 if any is. */
double thr_mix_geometric(const thr_mixing *x, const double *in, unsigned slot);
/* Examples that the base has learned from; and a model since then. */
double thr_mix_base_clock(const thr_mixing *x);
double thr_mix_clock(const thr_mixing *x, size_t model);

/* A weight that is averaged over all steps: the mean of w after T examples is w - sum/T. */
typedef struct thr_averaged_weight {
    double w, sum;
} thr_averaged_weight;
/* A model's mean of w over its steps since the base. */
double thr_mix_mean_since(const thr_mixing *x, size_t model, thr_averaged_weight v,
                          thr_averaged_weight base);
/* The sum that goes with the mixed w, where `since` is the mean of w over all steps since the base.
 */
double thr_mix_averaging_sum(const thr_mixing *x, double clock, double w, double since,
                             thr_averaged_weight base);
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
