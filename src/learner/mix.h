/* Mixing: how several models of one rule become one, a weight at a time. combine/mix.c has
 * matched features, labels and functions by name before; a model that lacks one has its start
 * values there.
 *
 *   additive rules, Winnow   the mean of the weights (McDonald, Hall, Mann 2010)
 *   balanced Winnow, EG      the geometric mean, since an update adds to the logarithm
 *   AROW, AdaGrad, logistic  the mean weighted by what each model has seen of the weight; the
 *                            measures of that, precisions and sums of squares, are added
 *   naive Bayes, eliminate   the sum of the counts
 *
 * With a base, every model was trained further from that base. With p_i the shares and c_i the
 * `times` of the models, w_B a number of the base and w_i that of model i:
 *
 *   mean  w_B + sum_i p_i (w_i - w_B)          what the models have learned since is averaged
 *   sum   n_B + sum_i c_i (n_i - n_B)          what the base has counted is counted once
 *
 * Without a base, the base is a model that has learned nothing, and the
 * formulas give the same bits as if it did not occur in them.
 *
 * docs/THEORY.md, "Mixing models", gives the reasons. */
#ifndef THR_LEARNER_MIX_H
#define THR_LEARNER_MIX_H

#include "learner/learner.h"

/* The models that are mixed. */
typedef struct thr_mixing {
    size_t n;
    const thr_rule *const *from;
    const thr_rule *base; /* NULL: there is none */
    const double *share;  /* weight of each model in a mean; they sum to 1 */
    const double *times;  /* how often each example of a model since the base counts in a sum: 1
                             where shares are proportional to the number of examples */
} thr_mixing;

typedef struct thr_mixer {
    /* Mixes one weight: model m has the numbers in[m * THR_MAX_SLOTS + slot], the base those at
     * m = n, and the result goes to out[slot]. The clock and state of `to` are set already.
     * NULL: a rule that keeps examples; all of these are kept, and there are no weights to
     * mix. */
    void (*weight)(const thr_rule *to, const thr_mixing *x, uint32_t id, const double *in,
                   double *out);
    /* Sets to->state, if it is not the sum of the models' states. May be NULL. */
    void (*state)(thr_rule *to, const thr_mixing *x);
    /* Computes what follows from all rows, after these have been mixed. May be NULL. */
    void (*derive)(thr_rule *to, const thr_weights *w, uint32_t known);
    /* Fails with THR_EUSE and a reason if these models cannot be mixed. May be NULL. */
    int (*check)(const thr_mixing *x, thr_error *err);
    /* How much a model has seen of a weight: a number that learning never decreases. A model
     * with less than the base was not trained from it. May be NULL: the weight does not
     * tell. */
    double (*seen)(const thr_rule *r, const double *slot);
} thr_mixer;

/* The base's number in a slot; 0 without a base. */
double thr_mix_base(const thr_mixing *x, const double *in, unsigned slot);
/* The mean and the sum above. */
double thr_mix_mean(const thr_mixing *x, const double *in, unsigned slot);
double thr_mix_sum(const thr_mixing *x, const double *in, unsigned slot);
/* w_B exp(sum_i p_i (log w_i - log w_B)); 0 if a model with a share has 0. */
double thr_mix_geometric(const thr_mixing *x, const double *in, unsigned slot);
/* Examples that the base has learned from, and that a model has learned from since. */
double thr_mix_base_clock(const thr_mixing *x);
double thr_mix_clock(const thr_mixing *x, size_t model);

/* A weight with its averaging sum: the mean of w over T examples is w - sum/T (additive.c). */
typedef struct thr_averaged_weight {
    double w, sum;
} thr_averaged_weight;
/* The mean of w over the steps that a model has made since the base. */
double thr_mix_mean_since(const thr_mixing *x, size_t model, thr_averaged_weight v,
                          thr_averaged_weight base);
/* The averaging sum of the mix, given its clock, its w, and the mean `since` of w over all
 * steps of all models since the base. */
double thr_mix_averaging_sum(const thr_mixing *x, double clock, double w, double since,
                             thr_averaged_weight base);
/* A mean weighted by what each model has seen of a weight. Where no model has seen anything, or
 * rounding has left nothing of it, the shares decide: they count too, with a tiny factor. */
typedef struct thr_mean {
    double sum, weight;
    double seen; /* by all models together */
} thr_mean;
void thr_mean_add(thr_mean *m, double value, double seen, double share);
double thr_mean_of(const thr_mean *m);
/* v as a narrow slot stores it: clamped and rounded to float; 0 if it is not a number. */
double thr_mix_rounded(double v);

extern const thr_mixer thr_additive_mixer; /* the slots of thr_additive_slots */
extern const thr_mixer thr_memory_mixer;   /* rules that are refitted to the examples kept */

#endif
