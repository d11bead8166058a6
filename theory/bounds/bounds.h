/* Mistake bounds as plain functions. Each is an upper bound on updates or mistakes and states its
 * conditions (docs/THEORY.md has sources and corrections).
 *
 *   R      greatest Euclidean length of a point, bias counted in
 *   X      greatest absolute value in a point
 *   gamma  margin: some unit u has y u.x >= gamma on every example
 *   g      l1 margin: some u has y u.x >= g ||u||_1
 *
 * With more than two labels the points are f(x,y) - f(x,y'), which are sqrt(2) times as long as x.
 * The caller passes that length as R, which supplies the factor 2 of the multi-class bounds. A
 * margin must be a proven lower bound, not an estimate. If gamma or g is not above 0, the bounds
 * that depend on it are infinite. Bounds for experts are in measure/hedge.h. */
#ifndef THR_BOUNDS_BOUNDS_H
#define THR_BOUNDS_BOUNDS_H

#include <stdbool.h>
#include <stdint.h>

/* ---- additive rules, from w = 0 ---- */

/* Updates of the perceptron with margin 0, any rate, any number of passes: R^2/gamma^2 (Novikoff;
 * L0 5.1 corrected). Also holds for `averaged` and `voted`, which update as the perceptron does. */
double thr_bound_perceptron(double R, double gamma);
/* The same with margin m and rate r: (R^2 + 2m/r)/gamma^2. L3's 3/gamma^2 is m = r = R = 1. */
double thr_bound_perceptron_margin(double R, double gamma, double margin, double rate);
/* Any data, one pass, any unit u and gamma > 0: ((R + D)/gamma)^2 with D^2 = sum max(0, gamma - y
 * u.x)^2 (Freund and Schapire 1999), and with a margin (sqrt(R^2 + 2m/r) + D)^2/gamma^2. After p
 * passes D^2 must be multiplied by p. */
double thr_bound_comparator(double R, double gamma, double D, double margin, double rate);
/* The perceptron, bias included, on monotone k-disjunctions of n variables: (4k+1)(n+1). */
double thr_bound_perceptron_disjunction(double k, double n);

/* Passive-aggressive with C infinite: R^2 ||u||^2 bounds the sum of squared losses, and so the
 * mistakes, for any u with y u.x >= 1 on every example. The least such ||u|| is 1/gamma. */
double thr_bound_pa(double R, double norm);
/* Mistakes of PA-I on any data, one pass: max(R^2, 1/C) (||u||^2 + 2 C loss), where loss is the sum
 * of max(0, 1 - y u.x). */
double thr_bound_pa_soft(double R, double C, double norm, double loss);

/* ---- multiplicative rules ---- */

/* Updates of `balanced`, theta 0, margin 0, eta = g/X^2, N features (with many labels, features
 * times labels): 2 X^2 ln(2N)/g^2 + 2 loss/g. `loss` is the sum of max(0, g - y u.x/||u||_1). If it
 * is 0 the bound holds for any number of passes, otherwise for one. */
double thr_bound_balanced(double X, double N, double g, double loss);
/* Normalised, with margin r < g and eta = (g-r)/X^2: 2 X^2 ln(2N)/(g-r)^2. */
double thr_bound_balanced_margin(double X, double N, double g, double margin);

/* Winnow on Boolean examples, compared with a monotone disjunction of k of n variables. In the
 * formulas a = promote, b = demote, s = start. */
typedef struct thr_winnow_setting {
    double promote, demote, theta, start; /* start <= theta */
} thr_winnow_setting;
/* Promotions: k (1 + log_a(theta/s)) if the disjunction is never wrong. On any data, for one
 * pass, the bound grows by missed + stray log_a(1/b), where `missed` positives have none of the
 * k variables and the negatives together have `stray` of them (a negative with three counts
 * three). */
double thr_bound_promotions(thr_winnow_setting w, double k, double missed, double stray);
/* Demotions on any data, given the number u of promotions: (n s/theta + (a-1) u)/(1-b). */
double thr_bound_demotions(thr_winnow_setting w, double n, double promotions);
/* Promotions and demotions together: 3 k log2(2n) + 2 at a = 2, b = 1/2, s = 1, theta = n. */
double thr_bound_winnow(thr_winnow_setting w, double n, double k, double missed, double stray);

/* ---- finite classes ---- */

/* Mistakes of elimination on conjunctions or disjunctions of n variables: n, or n + 1 with negated
 * literals. */
double thr_bound_eliminate(double n, bool negated);
/* Mistakes of the consistent learner (size - 1) and of halving (log2 size) over `size` concepts,
 * one of which is the target. */
double thr_bound_consistent(double size);
double thr_bound_halving(double size);

/* ---- PAC ---- */

/* The number of examples in a row on which hypothesis i = 1, 2, ... must be right to be accepted:
 * ln(i(i+1)/delta)/eps, rounded up. Then with probability 1 - delta no hypothesis with an error
 * above eps is accepted: the chances delta/(i(i+1)) add up to delta. */
uint64_t thr_bound_survival(double eps, double delta, uint64_t i);
/* The number in L0 9.1, ln(1/delta)/eps, which neglects that each of many hypotheses has a chance
 * to be accepted wrongly. Kept for the lab, which shows that it fails. */
uint64_t thr_bound_survival_uncorrected(double eps, double delta);

#endif
