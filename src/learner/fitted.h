/* Linear rules whose weights a solver finds from all kept examples at once (lp.c, maxmargin.c).
 * Every label has a function, with its weights in one wide slot; the functions of two labels
 * are each other's negative. The kept examples are needed for training only, not for
 * predicting.
 *
 * Solving at every example would be too slow. The weights are found again when the number of
 * examples has doubled and when training ends (thr_learner.fit); in between examples are only
 * kept.
 *
 * Such a rule provides `solve`; its other hooks are the functions below. */
#ifndef THR_LEARNER_FITTED_H
#define THR_LEARNER_FITTED_H

#include "learner/learner.h"
#include "solve/points.h"

/* The kept examples as the solvers see them, with their importance. */
typedef struct thr_fitting {
    thr_points points;
    const double *cost; /* per example: its importance */
} thr_fitting;

/* Writes the weights that solve the problem to w, which has thr_points_dims zeros. */
typedef int thr_fitted_solve(const thr_rule *r, const thr_fitting *f, double *w, thr_error *err);

/* Solves for the first `first` kept examples, and writes the solution to the rows. */
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
/* The length of the weights times that of the example. The scale of the weights may change with
 * every fit, and must not change how certain the probabilities are. */
double thr_fitted_extent(const thr_rule *r, const thr_example *e);
int thr_fitted_share(const thr_rule *from, thr_rule *to, thr_error *err);
int thr_fitted_rebuild(thr_rule *r, const thr_weights *w, thr_error *err);

#endif
