/* What one example's steps did to the weights, written down for who wants to know: r->moves.
 * Weights are looked at before and after, so that no rule need tell, and what is not asked for
 * costs nothing. A rule is arithmetic and cannot fail; when memory for writing it down ends, that
 * is remembered in `failed`. */
#ifndef THR_MULTICLASS_MOVES_H
#define THR_MULTICLASS_MOVES_H

#include "learner/learner.h"

/* Before and after function f moves along e; `undo` in the place of `end` if it did not. */
void thr_moves_begin(thr_rule *r, const thr_weights *w, const thr_example *e, uint32_t f,
                     double margin, double step);
void thr_moves_end(thr_rule *r, const thr_weights *w, const thr_example *e);
void thr_moves_undo(thr_rule *r);
void thr_moves_reset(thr_moves *m); /* empty, memory kept */
void thr_moves_clear(thr_moves *m);

#endif
