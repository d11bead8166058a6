/* Weights of experts: the multiplicative update, and the bounds it comes with.
 *
 *   w_i *= exp(-eta loss_i)                                Hedge; weighted majority, beta = e^-eta
 *   w_i  = (1 - a) w_i + a/(n-1) (sum of the other w)      fixed share, after each update
 *
 * Littlestone and Warmuth 1994; Freund and Schapire 1997; Herbster and Warmuth 1998. Losses lie in
 * [0, 1]; a mistake is 1. Weights are kept as logarithms, of which only the differences mean
 * anything: nothing underflows however long it goes on. Everything here is plain arithmetic over
 * the caller's arrays. */
#ifndef THR_MEASURE_HEDGE_H
#define THR_MEASURE_HEDGE_H

#include <stddef.h>
#include <stdint.h>

/* All experts alike. */
void thr_hedge_start(double *log_weight, size_t n);
/* One round. `share` is a in [0, 1); 0 is Hedge. Afterwards the greatest logarithm is 0. */
void thr_hedge_update(double *log_weight, size_t n, const double *loss, double eta, double share);
/* The weights themselves, with sum 1. `weight` may be `log_weight`. */
void thr_hedge_weights(const double *log_weight, size_t n, double *weight);

/* Upper bounds on the total loss, where the best of n experts lost `loss`.
 * thr_majority_bound: mistakes of the weighted vote, losses 0 or 1.
 * thr_hedge_bound: expected loss of following an expert drawn by weight. */
double thr_majority_bound(double loss, size_t n, double eta);
double thr_hedge_bound(double loss, size_t n, double eta);

/* What fixed share is compared with: a sequence of experts. */
typedef struct thr_sequence_cost {
    double loss;       /* of the sequence */
    uint64_t switches; /* from one expert to another, in it */
    uint64_t rounds;
} thr_sequence_cost;

/* The same two for fixed share; with 0 switches and share 0 they are those above. Infinite where
 * a sequence with switches is compared with share 0. */
double thr_share_vote_bound(thr_sequence_cost best, size_t n, double eta, double share);
double thr_share_bound(thr_sequence_cost best, size_t n, double eta, double share);
/* Loss of the weighted mean of predictions where exp(-eta loss) is concave in the prediction:
 * squared difference of numbers in [0, 1] with eta <= 1/2 (Kivinen and Warmuth 1999). */
double thr_share_concave_bound(thr_sequence_cost best, size_t n, double eta, double share);

/* Hedge without a rate to choose: in round t = 1, 2, ... weights exp(-eta_t total loss so far)
 * with eta_t = sqrt(8 ln(n)/t). Nothing need be known in advance (Cesa-Bianchi and Lugosi 2006,
 * theorem 2.3). */
double thr_hedge_anytime_rate(size_t n, uint64_t round);
double thr_hedge_anytime_bound(double loss, size_t n, uint64_t rounds);

#endif
