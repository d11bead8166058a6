/* What the two files of the experiment `growth` share. */
#ifndef THR_LAB_GROWTH_H
#define THR_LAB_GROWTH_H

#include "lab/lab.h"

#include "thresh_theory.h"

enum { THR_GROWTH_K = 5 }; /* relevant variables of the disjunction */

extern const char thr_growth_elimination[];
/* `winnow` with promote 2, demote 0 or 1/2, start 1, theta n; `balanced` at its rate. */
void thr_growth_winnow(char *out, size_t room, double demote, size_t n);
void thr_growth_balanced(char *out, size_t room);
/* Bounds on their updates. */
double thr_growth_bound_winnow(double demote, size_t n);
double thr_growth_bound_balanced(size_t n);

/* The worst cases that an adversary finds, with their figure and claims. Those of winnow come
 * first: they are the headline. */
int thr_growth_worst(thr_lab *l, thr_error *err);

#endif
