/* A panel decides by a mixture of its members' log-odds (mixture.h) or, with decide=vote, by a vote
 * (Littlestone and Warmuth 1994; Herbster and Warmuth 1998). This file has the vote with its blend,
 * and what both forms count.
 *
 * The vote. Experts are the members and, unless switched off, their blend. Each has a weight. The
 * answer is the label with the heaviest vote or, with vote=random, that of one expert drawn with
 * probability proportional to its weight. When the truth is known the weight of every wrong expert
 * is multiplied by exp(-eta); then each expert gives the fraction `share` of its weight to the
 * others (measure/hedge.h). If the best expert makes m mistakes in T examples, the vote of N
 * experts makes at most (eta m + ln N + (T - 1) ln 1/(1 - share)) / ln(2 / (1 + exp(-eta)))
 * mistakes, whatever the examples are. The expected number of mistakes of the drawn expert has the
 * same bound with the denominator 1 - exp(-eta).
 *
 * The blend multiplies the members' probabilities, each raised to a power of its own:
 *     p_l ~ product_k p_kl^c_k,   log p_l = sum_k c_k log p_kl - log of the normaliser
 * The powers c_k are fitted online by Newton steps on the blend's log loss, in which the past is
 * forgotten exponentially. They start at 1/members: the geometric mean.
 *
 * A panel that mixes has no blend, and its experts are its members.
 *
 * Only examples met for the first time count (model/repeats.h). Fields marked S are saved. The
 * panel belongs to the model; a snapshot copies it. */
#ifndef THR_MODEL_PANEL_H
#define THR_MODEL_PANEL_H

#include "measure/calibration.h"
#include "measure/runs.h"
#include "model/mixture.h"

/* A member that was taken out of a mixture (model/review.h). */
typedef struct thr_paused {
    char *spec;        /* owned */
    uint32_t place;    /* S  among the members that the settings name */
    uint64_t examples; /* S  that the model had learned from */
    uint64_t mistakes; /* S  the member's, on those met for the first time */
} thr_paused;

typedef struct thr_panel {
    uint32_t members, experts; /* experts: the members, then the blend if there is one */
    bool pauses;               /* members may be taken out of the mixture */
    thr_paused *paused;        /* S  in the order of their places; there is room for all members */
    uint32_t n_paused;
    uint64_t *reviewed; /* S  per member: mistakes at the last review, or when it was mixed */
    double eta, share;
    bool random;
    uint64_t seed;
    double *log_weight;       /* S  per expert; the greatest is 0 */
    double *weight, total;    /* exp of log_weight, and their sum: kept by thr_panel_weigh */
    uint64_t *mistakes;       /* S  per expert */
    double *power;            /* S  per member: the blend's c_k */
    double *curvature;        /* S  [member][member]: decayed second derivatives of its loss; the
                                 lower triangle is used */
    double *work;             /* scratch of the Newton step: [member][member + 1] */
    double *loss;             /* scratch, per expert: loss in the current round */
    uint64_t examples, wrong; /* S  examples voted on, and mistakes of the vote on these */
    double expected;          /* S  expected mistakes of an expert drawn by weight */
    THR_APART(apart);
    thr_mixture mixture;  /* S  its `members` is 0 if the panel votes */
    thr_calibration fit;  /* S  of a panel that mixes: a and b of mixture.h */
    thr_label_runs order; /* S  of a panel that mixes: runs of labels met for the first time */
} thr_panel;

/* `option` are the values of learner/panel.c's options; `in_order`: sums over labels are those of
 * older rules (base/sum.h). On failure the caller clears p. */
int thr_panel_init(thr_panel *p, uint32_t members, const double *option, bool in_order,
                   thr_error *err);
void thr_panel_clear(thr_panel *p);
int thr_panel_copy(const thr_panel *p, thr_panel *out, thr_error *err);
/* Mixes n panels with the same members into p, which is fresh: weights by the geometric mean and
 * the blend by the arithmetic mean, both weighted by share[]; counts are added up. `base`: the
 * panel that all others were trained from, or NULL; what it has counted is counted once. Models may
 * have been reviewed at different times, so the next review of p goes by what p learns itself. The
 * fit and the order of labels are left to the caller, which knows their numbers in each model. */
int thr_panel_mix(thr_panel *p, const thr_panel *const *from, const double *share, size_t n,
                  const thr_panel *base, thr_error *err);
/* Whether all numbers are within the ranges that learning keeps. Used after reading a file, which
 * may hold anything. */
bool thr_panel_sound(const thr_panel *p);
/* Recomputes `weight` and `total` after log_weight was changed. */
void thr_panel_weigh(thr_panel *p);
/* Whether the blend learns from the example that thr_panel_learn has just counted. Like a
 * calibration it learns from every example at first and later from some only. */
bool thr_panel_listens(const thr_panel *p);
/* The blend's log-probabilities, from those of the members, log_p[member][n]. They are not
 * normalised: thr_log_normalize does that. */
void thr_panel_blend(const thr_panel *p, const double *log_p, const bool *candidate, uint32_t n,
                     double *out);
/* Fits the powers; chance[] are the blend's normalised probabilities. */
void thr_panel_learn_blend(thr_panel *p, const double *log_p, uint32_t n, const double *chance,
                           uint32_t label);
/* Adds up the experts' votes in vote[], which has n places; predicted[] are the experts' labels.
 * Returns the heaviest label, THR_NONE if no expert predicts one. With vote=random, *round seeds
 * the draw; without a `round` the heaviest label is returned in any case. */
uint32_t thr_panel_vote(const thr_panel *p, const uint32_t *predicted, uint32_t n, double *vote,
                        const uint64_t *round);
/* An expert's share of the total weight; of a mixture, the member's weight in it. */
double thr_panel_weight(const thr_panel *p, uint32_t expert);
/* Counts one decision, and after a vote updates the weights: wrong[] says which experts were wrong,
 * answer_wrong whether the answer was. */
void thr_panel_learn(thr_panel *p, const bool *wrong, bool answer_wrong);
/* The expert with the fewest mistakes among the first `among`; the first of equals. */
uint32_t thr_panel_best(const thr_panel *p, uint32_t among);
/* Whether it decides by a mixture. */
static inline bool thr_panel_mixes(const thr_panel *p)
{
    return p->mixture.members > 0;
}
/* The bounds above, with the mistakes counted so far. */
double thr_panel_bound(const thr_panel *p);
double thr_panel_expected_bound(const thr_panel *p);

#endif
