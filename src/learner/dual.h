/* Rules in dual form (Freund and Schapire 1999), used by voted.c and kernel.c. A function is
 * not a row of weights but a sum over the examples that moved it,
 *     f(x) = sum over its notes of step * K(kept example, x),
 * and every hypothesis f_k that it has had is a prefix of that sum. With c_k the number of
 * examples that hypothesis k met before the next update, the vote is
 *     sum over k of c_k sign(f_k(x)) / T,   T examples so far,   sign(0) = 0.
 * One sweep over the notes computes all f_k(x), and so the vote.
 *
 * A note (weights/memory.h) says which example moved which function, by how much, and when
 * (`born`, the clock). Notes are in the order of their making. K of an example with all kept
 * ones is computed from the postings in rule->extra, which are derived from the memory and
 * shared with snapshots.
 *
 * A rule of this kind passes its form, a thr_dual, to these functions, which fit the hooks of
 * thr_learner otherwise. */
#ifndef THR_LEARNER_DUAL_H
#define THR_LEARNER_DUAL_H

#include "learner/learner.h"

typedef struct thr_dual {
    /* Replaces the dot products k[i] of e with the n kept examples by K. NULL: K is x.z. */
    void (*kernel)(const thr_rule *r, const thr_example *e, double *k, size_t n);
    bool vote;     /* predict by the vote, else by the last hypothesis */
    size_t budget; /* how many examples are kept at most; 0: all */
} thr_dual;

#define THR_KERNEL_MAX 1e200 /* limit of |K|, so that sums stay finite */

void thr_dual_score(const thr_rule *r, const thr_dual *d, uint32_t functions, const thr_example *e,
                    double *live, double *shown);
void thr_dual_move(thr_rule *r, const thr_dual *d, const thr_example *e, uint32_t f, double step);
int thr_dual_ready(thr_rule *r, const thr_example *e, uint32_t f, thr_error *err);
/* The same for rules with a budget, which may forget the oldest example: memory and postings
 * must then belong to this rule alone. */
int thr_dual_ready_to_forget(thr_rule *r, const thr_example *e, uint32_t f, thr_error *err);
int thr_dual_share(const thr_rule *from, thr_rule *to, thr_error *err);
int thr_dual_rebuild(thr_rule *r, const thr_weights *w, thr_error *err);
void thr_dual_release(thr_rule *r);
size_t thr_dual_room(const thr_rule *r);

#endif
