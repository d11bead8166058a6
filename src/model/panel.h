/* The panel's vote (Littlestone and Warmuth 1994; Herbster and Warmuth 1998).
 *
 * Experts are the members and, unless switched off, their blend. Each has a weight; the answer is
 * the label with the heaviest vote, or that of one expert drawn by weight. A wrong expert's weight
 * is multiplied by exp(-eta), then each gives a share of its own to the others. If the best expert
 * makes m mistakes, the vote makes at most
 *     (eta m + ln N + (T - 1) ln 1/(1 - share)) / ln(2 / (1 + exp(-eta)))
 * in T examples, whatever they are; the drawn expert, expected, that with 1 - exp(-eta) below.
 *
 * The blend multiplies the members' probabilities, each to a power that is fitted online by Newton
 * steps on its own log loss: p_l ~ product_k p_kl^c_k. */
#ifndef THR_MODEL_PANEL_H
#define THR_MODEL_PANEL_H

#include "measure/calibration.h"

typedef struct thr_panel {
    uint32_t members, experts; /* experts: the members, then the blend if there is one */
    double eta, share;
    bool random;
    uint64_t seed;
    double *log_weight;       /* S  per expert, the greatest is 0 */
    double *weight, total;    /* exp of it, and their sum: see thr_panel_weigh */
    uint64_t *mistakes;       /* S  per expert */
    double *power;            /* S  per member: the blend's c_k */
    double *curvature;        /* S  [member][member]: second derivatives of its loss, forgetting */
    double *work;             /* room for solving: [member][member + 1] */
    double *loss;             /* per expert, in the round at hand */
    uint64_t examples, wrong; /* S  met for the first time, and of these ours */
    double expected;          /* S  mistakes of the drawn expert, in expectation */
} thr_panel;

int thr_panel_init(thr_panel *p, uint32_t members, const double *option, thr_error *err);
void thr_panel_clear(thr_panel *p);
int thr_panel_copy(const thr_panel *p, thr_panel *out, thr_error *err);
/* From several of the same members: weights by the geometric mean, by share, and so is the blend;
 * mistakes add up. `p` is fresh. `base`: the panel that all others were trained from, NULL for
 * none; what it has seen counts once. */
void thr_panel_mix(thr_panel *p, const thr_panel *const *from, const double *share, size_t n,
                   const thr_panel *base);
/* Whether its numbers are such as learning makes them; a file may say anything. */
bool thr_panel_sound(const thr_panel *p);
/* Derives `weight` and `total`, after log_weight has been set from outside. */
void thr_panel_weigh(thr_panel *p);
/* The blend's log-probabilities from the members', [member][n], all but for the same number, which
 * thr_log_normalize takes off; it learns from probabilities. Like
 * a calibration it learns from some examples only once it has seen many: thr_panel_listens says
 * whether from the one that was voted on last. */
bool thr_panel_listens(const thr_panel *p);
void thr_panel_blend(const thr_panel *p, const double *log_p, const bool *candidate, uint32_t n,
                     double *out);
void thr_panel_learn_blend(thr_panel *p, const double *log_p, uint32_t n, const double *chance,
                           uint32_t label);
/* Adds up the experts' votes, vote[label] of n; returns the heaviest label, THR_NONE if nobody
 * says anything. `round` numbers the draw. */
uint32_t thr_panel_vote(const thr_panel *p, const uint32_t *said, uint32_t n, double *vote,
                        const uint64_t *round);
double thr_panel_weight(const thr_panel *p, uint32_t expert); /* its share of all weight */
/* wrong[expert] and whether the answer was. */
void thr_panel_learn(thr_panel *p, const bool *wrong, bool answer_wrong);
uint32_t thr_panel_best(const thr_panel *p,
                        uint32_t among);    /* fewest mistakes; the first of them */
double thr_panel_bound(const thr_panel *p); /* of the vote */
double thr_panel_expected_bound(const thr_panel *p);

#endif
