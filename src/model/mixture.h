/* The panel's mixture: one decision out of the members' log-odds.
 *
 * Member k gives the logits u_kl of the labels' probabilities, as its calibration fits them
 * (measure/calibration.h). The mixture adds them up,
 *
 *     z_l = sum_k v_k u_kl,      v_k = w_k/2 + 1/(2K),   w_k >= 0,   sum_k w_k = 1,
 *     p_l = exp(a z_l + b_l) / sum_j exp(a z_j + b_j),
 *
 * and the answer is the label with the greatest p_l. A member's logits are a linear function of
 * the example's features if its scores are, and so is a z + b then: one function that predicts,
 * explains and can be written down. Half of the weight is spread evenly over the K members. So no
 * member decides alone, however well it has followed the order of the stream: on sets in random
 * order that costs nothing, and where labels come in bursts it gains up to ten points
 * (docs/THEORY.md).
 *
 * a and b are the panel's own calibration, fitted online like those of the members. Members that
 * agree for different reasons are right more often than each of them claims, and one that knows
 * little beside the labels' frequencies draws the sum towards these: a and b correct both.
 *
 * The learned half of the weight, w, follows the exponentiated gradient of the log loss
 * f_t(v) = -log p_y with the learning rate of AdaHedge (de Rooij, van Erven, Grünwald, Koolen
 * 2014), which needs no constant:
 *
 *     g_k  = a sum_l (p_l - [l = y]) u_kl / 2                 the gradient of f_t in w_k
 *     w_k  ~ exp(-eta G_k),   G_k the sum of g_k so far,      eta = ln K / (1 + D)
 *     D   += w.g + ln(sum_k w_k exp(-eta g_k)) / eta          the mixability gap, at least 0
 *
 * At each example a and b have been fixed by the examples before it, so f_t is a convex function of
 * v, f_t(v_t) - f_t(v) <= g.(w_t - w), and AdaHedge bounds the sum of the right side by 2 D + 1.
 * Whatever the examples are,
 *
 *     sum_t f_t(v_t)  <=  sum_t f_t(v) + 2 D + 1 + B
 *
 * for every fixed v of this form, that is, for every mixture in which no member has less than
 * 1/(2K), with the same a and b at each example. B is 0 but for outliers, see below. The left side is the log loss of the probabilities
 * that were given. A wrong answer has f_t >= ln 2, so the mistakes are at most that sum divided by
 * ln 2.
 *
 * Outliers. An example of which a member was immensely sure, as may happen before its calibration
 * knows the size of its scores, would make D so great that the weights hardly move any more. If the
 * g_k of an example differ by R > 30, they are multiplied by c = 30/R: the weights learn from c f_t.
 * What is left of f_t, (1 - c) f_t, can cost at most (1 - c) R = R - 30 more than under any fixed v.
 * B adds that up.
 *
 * Multi-label data. Every label is a problem of its own, with the members' logits u_kl of its
 * probability, the same v for all labels, and p_l = 1 / (1 + exp(-(a z_l + b_l))). The log loss of
 * an example is the sum of its labels' losses, f_t(v) = sum_l -log(p_l if l is true, else 1 - p_l),
 * and g_k = a sum_l (p_l - [l is true]) u_kl / 2. It is convex in v, so the same bound holds.
 *
 * Fewer members. A member whose w_k has become negligible may be taken out (model/review.h). The
 * others keep their G, v is spread over those that are left, and ln K stays that of all members.
 * The bound then holds for every fixed w of the members that are left in the end, where the even
 * half of v is spread at each example over the members of that time. The proof of AdaHedge adds up
 * the steps of M = -ln(sum_k exp(-eta G_k) / K) / eta, the mix losses, and uses that between steps
 * M only grows, because eta only falls. Without a member M grows too, it still grows as eta falls,
 * and in the end it is still at most ln K / eta more than the least G_k.
 *
 * Only examples met for the first time are learned from (model/repeats.h), and each by the factor
 * `counts` (measure/runs.h): where labels come in bursts, an example whose label is that of the one
 * before says little. The sums above are then weighted by these factors. Fields marked S are
 * saved. The mixture belongs to the panel; a snapshot copies it. */
#ifndef THR_MODEL_MIXTURE_H
#define THR_MODEL_MIXTURE_H

#include "base/error.h"
#include "base/share.h"

typedef struct thr_mixture {
    uint32_t members;   /* 0: the panel votes instead */
    double log_members; /* the logarithm of their number at first */
    double *lost;       /* S  per member: G_k, less the least of them */
    double *weight;     /* per member: v_k, computed from `lost` and `gap` */
    double *gradient;   /* scratch, per member */
    THR_APART(apart);   /* the rest changes with each example */
    double gap;         /* S  D */
    double loss;        /* S  the sum of f_t(v_t) */
    double counted;     /* S  the sum of `counts`: the number of examples, if none counts less */
    double beyond;      /* S  B, since rules 5 */
    double most;        /* the greatest R that counts in full; infinite by older rules */
    bool in_order;      /* older rules: sums over labels are not added up in lanes (base/sum.h) */
} thr_mixture;

/* On failure the caller clears x. */
int thr_mixture_init(thr_mixture *x, uint32_t members, thr_error *err);
void thr_mixture_clear(thr_mixture *x);
int thr_mixture_copy(const thr_mixture *x, thr_mixture *out, thr_error *err);
/* Mixes n mixtures into x, which is fresh: weights by their geometric mean, weighted by share[].
 * Losses and gaps are added up, so the bound holds for all examples together, each learned by its
 * own model. `base`: the mixture that all others were trained from, or NULL; what it has counted is
 * counted once. */
void thr_mixture_mix(thr_mixture *x, const thr_mixture *const *from, const double *share, size_t n,
                     const thr_mixture *base);
/* w_k, the learned part of member k's weight, from 0 to 1. */
double thr_mixture_learned(const thr_mixture *x, uint32_t k);
/* Goes on without member k, which is not the only one. */
void thr_mixture_take_out(thr_mixture *x, uint32_t k);
/* Whether all numbers are within the ranges that learning keeps. Used after reading a file, which
 * may hold anything. */
bool thr_mixture_sound(const thr_mixture *x);
/* Computes the weights, after `lost` or `gap` were changed from outside. */
void thr_mixture_weigh(thr_mixture *x);
/* z_l of n labels from logit[member][n]. */
void thr_mixture_add_up(const thr_mixture *x, const double *logit, uint32_t n, double *z);
/* Learns from an example: the members' logits, the slope a, and the probabilities p that were made
 * of them, with `loss` = -log p_y, which is finite even where p_y is 0 by rounding. `counts` is in
 * (0, 1]. */
void thr_mixture_learn(thr_mixture *x, const double *logit, double slope, const double *p,
                       double loss, uint32_t n, uint32_t label, double counts);
/* The same from an example of multi-label data, with `loss` the sum of its labels' losses. Labels
 * that are no candidates (`candidate` may be NULL) have none. */
void thr_mixture_learn_each(thr_mixture *x, const double *logit, double slope, const double *p,
                            const bool *candidate, const bool *truth, double loss, uint32_t n);
/* What the bound above adds to the loss of the best fixed mixture: 2 D + 1 + B. */
double thr_mixture_regret(const thr_mixture *x);

#endif
