/* Weights of experts: the multiplicative update, and the bounds that it comes with.
 *
 *   w_i *= exp(-eta loss_i)                                Hedge; weighted majority, beta = e^-eta
 *   w_i  = (1 - a) w_i + a/(n-1) (sum of the other w)      fixed share, after each update
 *
 * Littlestone and Warmuth 1994; Freund and Schapire 1997; Herbster and Warmuth 1998. Losses lie in
 * [0, 1]; a mistake is 1.
 *
 * Weights are kept as logarithms, of which only the differences matter; the greatest is kept at 0.
 * So weights do not underflow, however many rounds are played.
 *
 * The bounds compare the algorithm with the best sequence of experts that loses m in T rounds and
 * switches k times from one expert to another (k = 0: a single expert). With
 *
 *   C = eta m + ln n + k ln((n-1)/a) + (T-1-k) ln(1/(1-a))
 *
 *   weighted vote, losses 0 or 1                mistakes <= C / ln(2/(1 + e^-eta))
 *   an expert drawn by weight, in expectation   loss     <= C / (1 - e^-eta)
 *   weighted mean, square loss, eta <= 1/2      loss     <= C / eta
 *
 * docs/THEORY.md has the proof. Everything here is plain arithmetic on the caller's arrays; nothing
 * is allocated, and there is no state. */
#ifndef THR_MEASURE_HEDGE_H
#define THR_MEASURE_HEDGE_H

#include <stddef.h>
#include <stdint.h>

/* Equal weights. */
void thr_hedge_start(double *log_weight, size_t n);
/* One round. `share` is a, in [0, 1); 0 is Hedge. Afterwards the greatest logarithm is 0. */
void thr_hedge_update(double *log_weight, size_t n, const double *loss, double eta, double share);
/* The weights themselves, with sum 1. `weight` may be `log_weight`. */
void thr_hedge_weights(const double *log_weight, size_t n, double *weight);

/* The first two bounds for Hedge, where the best of n experts has lost `loss`. */
double thr_majority_bound(double loss, size_t n, double eta);
double thr_hedge_bound(double loss, size_t n, double eta);

/* A sequence of experts, with which fixed share is compared. */
typedef struct thr_sequence_cost {
    double loss;       /* m */
    uint64_t switches; /* k */
    uint64_t rounds;   /* T */
} thr_sequence_cost;

/* The first two bounds for fixed share. Infinite if a sequence with switches is compared with share
 * 0. */
double thr_share_vote_bound(thr_sequence_cost best, size_t n, double eta, double share);
double thr_share_bound(thr_sequence_cost best, size_t n, double eta, double share);
/* The third: for losses such that exp(-eta loss) is concave in the prediction, as the squared
 * difference of numbers in [0, 1] with eta <= 1/2 (Kivinen and Warmuth 1999). */
double thr_share_concave_bound(thr_sequence_cost best, size_t n, double eta, double share);

/* Hedge without a rate to choose: in round t = 1, 2, ... weights are exp(-eta_t total loss so far)
 * with eta_t = sqrt(8 ln(n)/t). Neither the loss nor the number of rounds need be known in advance
 * (Cesa-Bianchi and Lugosi 2006, theorem 2.3):
 *   loss <= m + 2 sqrt(T/2 ln n) + sqrt(ln(n)/8). */
double thr_hedge_anytime_rate(size_t n, uint64_t round);
double thr_hedge_anytime_bound(double loss, size_t n, uint64_t rounds);

#endif
