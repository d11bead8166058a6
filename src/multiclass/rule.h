/* The life of a rule: it is made from its settings, widened when labels arrive, and copied; and one
 * step of learning, by the policy that its functions are taught by. */
#ifndef THR_MULTICLASS_RULE_H
#define THR_MULTICLASS_RULE_H

#include "learner/learner.h"

/* Makes a rule from `name` or `name:key=value,...`. `policy` may be NULL or "auto": the learner's
 * default. Options that are not given have the default of the latest rules or, in the second form,
 * of the given version of the rules. On failure nothing is left to clear. */
int thr_rule_init(thr_rule *r, const char *spec, const char *policy, thr_error *err);
int thr_rule_init_under(thr_rule *r, const char *spec, const char *policy, unsigned rules,
                        thr_error *err);
void thr_rule_clear(thr_rule *r);
/* Makes *out a copy of r. `w` and `memory` belong to the copy and must hold what r's hold, because
 * state that the rule derives is made from them. */
int thr_rule_copy(const thr_rule *r, const thr_weights *w, thr_memory *memory, thr_rule *out,
                  thr_error *err);
/* Makes room for the state of n functions, without adding them. */
int thr_rule_reserve(thr_rule *r, uint32_t n, thr_error *err);
/* From now on there are n functions; the state of new ones is 0. Cannot fail after a reserve. */
int thr_rule_widen(thr_rule *r, uint32_t n, thr_error *err);
/* Sets the state of all functions back to 0. */
void thr_rule_forget(thr_rule *r);
/* Makes room for learning from e, whose rows are ready. */
int thr_rule_ready(thr_rule *r, thr_weights *w, const thr_example *e, thr_error *err);
/* Converts the numbers of n features of e into new units (learner->rescale, which is not NULL). */
int thr_rule_rescale(thr_rule *r, thr_weights *w, const thr_example *e, const thr_growth *grown,
                     size_t n, thr_error *err);
/* Learns from e. `shared`: function 0 serves two labels, and should rise if `sign` is +1, else
 * fall. Otherwise the policy decides which functions move. `live` are the functions' values.
 * Returns whether the rule moved. */
bool thr_rule_learn(thr_rule *r, thr_weights *w, const thr_example *e, bool shared, int sign,
                    const double *live);
/* Teaches one function, whose value is `live` and should have the sign `sign`. Returns whether it
 * moved. */
bool thr_rule_teach(thr_rule *r, thr_weights *w, const thr_example *e, uint32_t f, double live,
                    int sign);
/* Moves one function as if it were wrong, whatever its value is. Counts as an example learned. */
bool thr_rule_push(thr_rule *r, thr_weights *w, const thr_example *e, uint32_t f, double live,
                   int sign);
/* Moves function f by `step`, and records the move if there is a listener. Where rows are lists the
 * move waits until the policy has named all. */
void thr_rule_move(thr_rule *r, thr_weights *w, const thr_example *e, uint32_t f, double margin,
                   double step);
/* The same at once: nothing waits. `sum`, unless it is NULL, is what thr_rule_measure has returned for all
 * that moves together, for a rule with learner->measure. */
void thr_rule_move_one(thr_rule *r, thr_weights *w, const thr_example *e, uint32_t f, double margin,
                       double step, const double *sum);
double thr_rule_measure(thr_rule *r, thr_weights *w, const thr_example *e, uint32_t f);

#endif
