/* Rules in dual form (Freund and Schapire 1999): a function is a sum over the examples that moved
 * it,
 *     f(x) = sum over its notes of step * K(kept example, x),
 * and every hypothesis it has had is a beginning of that sum. With c the number of examples that a
 * hypothesis met before the next one came, the vote is
 *     sum over the hypotheses of c sign(hypothesis(x)) / examples so far,   sign(0) = 0,
 * all of it in one sweep over the notes.
 *
 * Notes stand in the order in which they were made, `born` being the clock then. A rule of this
 * kind calls these functions with its own form. */
#ifndef THR_LEARNER_DUAL_H
#define THR_LEARNER_DUAL_H

#include "learner/learner.h"

typedef struct thr_dual {
    /* Turns the dot products of e with the n kept examples into K; NULL: they are it. */
    void (*kernel)(const thr_rule *r, const thr_example *e, double *k, size_t n);
    bool vote;     /* predict by the vote, else by the last hypothesis */
    size_t budget; /* most examples kept, 0: all */
} thr_dual;

#define THR_KERNEL_MAX 1e200 /* of |K|: sums of it stay finite */

void thr_dual_score(const thr_rule *r, const thr_dual *d, uint32_t functions, const thr_example *e,
                    double *live, double *shown);
void thr_dual_move(thr_rule *r, const thr_dual *d, const thr_example *e, uint32_t f, double step);
int thr_dual_ready(thr_rule *r, const thr_example *e, uint32_t f, thr_error *err);
/* For rules with a budget: the oldest example may have to go. */
int thr_dual_ready_to_forget(thr_rule *r, const thr_example *e, uint32_t f, thr_error *err);
int thr_dual_share(const thr_rule *from, thr_rule *to, thr_error *err);
int thr_dual_rebuild(thr_rule *r, const thr_weights *w, thr_error *err);
void thr_dual_release(thr_rule *r);
size_t thr_dual_room(const thr_rule *r);

#endif
