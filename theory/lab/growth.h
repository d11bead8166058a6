/* What growth.c and growth_worst.c share. */
#ifndef THR_LAB_GROWTH_H
#define THR_LAB_GROWTH_H

#include "lab/lab.h"

#include "thresh_theory.h"

enum { THR_GROWTH_K = 5 }; /* relevant variables of the disjunction */

extern const char thr_growth_elimination[];
/* Learner specs: `winnow` with promote 2, demote 0 or 1/2, start 1, theta n; `balanced` with the
 * rate of its theorem. */
void thr_growth_winnow(char *out, size_t room, double demote, size_t n);
void thr_growth_balanced(char *out, size_t room);
/* Bounds on the updates of these two. */
double thr_growth_bound_winnow(double demote, size_t n);
double thr_growth_bound_balanced(size_t n);

/* Lets an adversary look for worst cases and adds their chart and claims. The claims about winnow
 * come first, since they are the headline of the experiment. */
int thr_growth_worst(thr_lab *l, thr_error *err);

#endif
