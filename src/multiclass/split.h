/* The split: when the third label arrives, the one function that two labels have shared becomes one
 * function for each.
 *
 * If the shared function f scored label `anchor`, the anchor's function becomes c f and the other
 * label's -c f (each slot says what "negative" means for it, enum thr_mirror), with c the factor
 * below; the third label starts from nothing. For an antisymmetric rule no prediction changes: f >
 * 0 is the same as c f > -c f.
 *
 * A rule with positive weights, such as Winnow with w.x - theta, cannot hold the negative of what
 * it has learned. Its other label gets the same numbers, and its function is reversed (thr_rule.
 * reversed): it scores theta - w.x, learns "not mine", and so promotes what other labels' examples
 * have and demotes what its own have. Between the first two labels every decision stays as it was.
 * A rule that has learned nothing yet is not reversed; in models of earlier rules the other label
 * starts from start values always. */
#ifndef THR_MULTICLASS_SPLIT_H
#define THR_MULTICLASS_SPLIT_H

#include "multiclass/policy.h"

/* The other label's number in a slot, given the shared function's numbers in all slots. */
double thr_mirrored(const thr_weights *w, unsigned slot, const double *shared);
/* The factor c. It is 1 unless the policy moves two functions at once: then the lead of a label is
 * the difference of two functions, and the learner says by what to multiply (learner->split). */
double thr_split_factor(const thr_rule *r);
/* Makes room, which can fail; the split itself cannot. */
int thr_split_ready(thr_rule *r, thr_weights *w, thr_error *err);
/* Rewrites every row, the state of the functions and the notes about kept examples. There are then
 * three functions. */
void thr_split(thr_rule *r, thr_weights *w, uint32_t anchor);

#endif
