/* Linear rules that are made from all kept examples at once: every label has a function, and its
 * weights, in one wide slot, are found by a solver. Two labels have opposite ones. What is kept is
 * for training alone.
 *
 * Such a rule gives `solve`; the rest of its row of the table is here. */
#ifndef THR_LEARNER_FITTED_H
#define THR_LEARNER_FITTED_H

#include "learner/learner.h"
#include "solve/points.h"

/* The kept examples as points, with their importance. */
typedef struct thr_fitting {
    thr_points points;
    const double *cost; /* per example: its importance */
} thr_fitting;

/* Puts weights for the points, thr_points_dims of them, where there are zeros. */
typedef int thr_fitted_solve(const thr_rule *r, const thr_fitting *f, double *w, thr_error *err);

int thr_fitted_fit(thr_rule *r, thr_weights *w, size_t first, thr_fitted_solve *solve,
                   thr_error *err);

void thr_fitted_slots(thr_rule *r);
void thr_fitted_score(const thr_rule *r, const thr_weights *w, const thr_example *e, double *live,
                      double *shown);
double thr_fitted_weight(const thr_rule *r, const thr_weights *w, uint32_t id, uint32_t f,
                         uint32_t known);
int thr_fitted_ready(thr_rule *r, const thr_example *e, uint32_t f, thr_error *err);
bool thr_fitted_learn(thr_rule *r, thr_weights *w, const thr_example *e, uint32_t f,
                      const double *live);
/* The length of the weights times that of the example: when they are made anew their scale may
 * change, which must not make probabilities surer or less sure. */
double thr_fitted_extent(const thr_rule *r, const thr_example *e);
int thr_fitted_share(const thr_rule *from, thr_rule *to, thr_error *err);
int thr_fitted_rebuild(thr_rule *r, const thr_weights *w, thr_error *err);

#endif
