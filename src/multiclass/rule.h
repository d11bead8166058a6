/* A rule's life: made from its settings, widened, copied; and one step of learning, by the policy
 * that its functions are taught by. */
#ifndef THR_MULTICLASS_RULE_H
#define THR_MULTICLASS_RULE_H

#include "learner/learner.h"

/* From `name` or `name:key=value,...`, as it is in new models; or as that means in models of the
 * given version of the rules. */
int thr_rule_init(thr_rule *r, const char *spec, const char *policy, thr_error *err);
int thr_rule_init_under(thr_rule *r, const char *spec, const char *policy, unsigned rules,
                        thr_error *err);
void thr_rule_clear(thr_rule *r);
/* `w` and `memory` are the copy's own, filled already, with what r has. */
int thr_rule_copy(const thr_rule *r, const thr_weights *w, thr_memory *memory, thr_rule *out,
                  thr_error *err);
/* Room for the state of n functions; and from now on there are so many, which cannot fail where
 * there is room. */
int thr_rule_reserve(thr_rule *r, uint32_t n, thr_error *err);
int thr_rule_widen(thr_rule *r, uint32_t n, thr_error *err);
/* The state of its functions as at the start. */
void thr_rule_forget(thr_rule *r);
/* Learns from e; where one function serves two labels, it should rise if `sign` is +1. Returns
 * whether the rule moved. */
bool thr_rule_learn(thr_rule *r, thr_weights *w, const thr_example *e, bool shared, int sign,
                    const double *live);
/* One function, whose value is `live` and should be on the side `sign`. Returns whether it moved.
 */
bool thr_rule_teach(thr_rule *r, thr_weights *w, const thr_example *e, uint32_t f, double live,
                    int sign);
/* One function that moves as if it were wrong, whatever it says; counts as an example learned. */
bool thr_rule_push(thr_rule *r, thr_weights *w, const thr_example *e, uint32_t f, double live,
                   int sign);
/* Moves it, and writes that down where somebody wants to know. */
void thr_rule_move(thr_rule *r, thr_weights *w, const thr_example *e, uint32_t f, double margin,
                   double step);

#endif
