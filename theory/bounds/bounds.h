/* What the theorems promise, as plain functions: each is an upper bound on updates or mistakes,
 * with its conditions beside it (docs/THEORY.md has sources and corrections).
 *
 *   R      greatest Euclidean length of a point, bias counted in
 *   X      greatest absolute value in a point
 *   gamma  margin: some unit u has y u.x >= gamma on every example
 *   g      l1 margin: some u has y u.x >= g ||u||_1
 *
 * With many labels the points are f(x,y) - f(x,y'), sqrt(2) times as long as x: give R accordingly,
 * and the factor 2 of the multi-class bounds is in it. Margins given must be ones that are there: a
 * proven lower end, not an estimate. Without a margin (gamma or g not above 0) all are infinite.
 * Bounds for experts are in measure/hedge.h. */
#ifndef THR_BOUNDS_BOUNDS_H
#define THR_BOUNDS_BOUNDS_H

#include <stdbool.h>
#include <stdint.h>

/* ---- additive rules, from w = 0 ---- */

/* Updates of the perceptron with margin 0, any rate, any number of passes: R^2/gamma^2 (Novikoff;
 * L0 5.1 corrected). Also of what `averaged` and `voted` learn with. */
double thr_bound_perceptron(double R, double gamma);
/* ... with margin m and rate r: (R^2 + 2m/r)/gamma^2. L3's 3/gamma^2 is m = r = R = 1. */
double thr_bound_perceptron_margin(double R, double gamma, double margin, double rate);
/* Any data, one pass, any unit u and gamma > 0: ((R + D)/gamma)^2 with D^2 = sum max(0, gamma - y
 * u.x)^2 (Freund and Schapire 1999), and with a margin (sqrt(R^2 + 2m/r) + D)^2/gamma^2. After p
 * passes D^2 is p times that. */
double thr_bound_comparator(double R, double gamma, double D, double margin, double rate);
/* The perceptron, bias included, on monotone k-disjunctions of n variables: (4k+1)(n+1). */
double thr_bound_perceptron_disjunction(double k, double n);

/* Passive-aggressive, C infinite: the sum of squared losses, so the mistakes: R^2 ||u||^2 for any u
 * with y u.x >= 1 on every example; ||u|| = 1/gamma at best. */
double thr_bound_pa(double R, double norm);
/* Mistakes of PA-I on any data, one pass: max(R^2, 1/C) (||u||^2 + 2 C loss), where loss is the sum
 * of max(0, 1 - y u.x). */
double thr_bound_pa_soft(double R, double C, double norm, double loss);

/* ---- multiplicative rules ---- */

/* Updates of `balanced`, theta 0, margin 0, eta = g/X^2, N features (with many labels, features
 * times labels): 2 X^2 ln(2N)/g^2 + 2 loss/g. `loss` is the sum of max(0, g - y u.x/||u||_1): 0 on
 * separable data, else one pass. */
double thr_bound_balanced(double X, double N, double g, double loss);
/* Normalised, with margin r < g and eta = (g-r)/X^2: 2 X^2 ln(2N)/(g-r)^2. */
double thr_bound_balanced_margin(double X, double N, double g, double margin);

/* Winnow on Boolean examples beside a monotone disjunction of k of n variables. */
typedef struct thr_winnow_setting {
    double promote, demote, theta, start; /* start <= theta */
} thr_winnow_setting;
/* Promotions: k (1 + log_a(theta/s)), where the disjunction is never wrong. On any data, one pass,
 * `missed` positives have none of the k variables, and the negatives have `stray` of them in all
 * (one with three counts three): promotions grow by missed + stray log_a(1/b). */
double thr_bound_promotions(thr_winnow_setting w, double k, double missed, double stray);
/* Demotions, given the promotions u: (n s/theta + (a-1) u)/(1-b), whatever the data. */
double thr_bound_demotions(thr_winnow_setting w, double n, double promotions);
/* Both: at a = 2, b = 1/2, s = 1, theta = n it is 3 k log2(2n) + 2. */
double thr_bound_winnow(thr_winnow_setting w, double n, double k, double missed, double stray);

/* ---- finite classes ---- */

/* Mistakes of elimination on conjunctions or disjunctions of n variables: n, or n + 1 with negated
 * literals. */
double thr_bound_eliminate(double n, bool negated);
/* Of the consistent learner and of halving over `size` concepts, one of them the target. */
double thr_bound_consistent(double size);
double thr_bound_halving(double size);

/* ---- PAC ---- */

/* How many examples in a row hypothesis i = 1, 2, ... must survive to be accepted, so that with
 * probability 1 - delta none accepted errs more than eps: ln(i(i+1)/delta)/eps, rounded up. */
uint64_t thr_bound_survival(double eps, double delta, uint64_t i);
/* ... and what L0 9.1 says, which forgets that every hypothesis gets a chance: ln(1/delta)/eps. */
uint64_t thr_bound_survival_uncorrected(double eps, double delta);

#endif
