/* Recording the moves of one example, for a listener that wants to know why a weight is what it is.
 *
 * While rule.moves points to a thr_moves, every move of a function is recorded in it: the weights
 * of the example's features are read before the move and again after it, and the differences are
 * kept. So rules need no code for it, and without a listener the cost is one comparison with NULL.
 *
 * A rule cannot fail, so running out of memory here is only remembered in `failed`; the trace
 * (step/trace.c) reports it after the update. */
#ifndef THR_MULTICLASS_MOVES_H
#define THR_MULTICLASS_MOVES_H

#include "learner/learner.h"

/* Called before and after function f moves along e. If it did not move after all, thr_moves_undo
 * takes the place of thr_moves_end. */
void thr_moves_begin(thr_rule *r, const thr_weights *w, const thr_example *e, uint32_t f,
                     double margin, double step);
void thr_moves_end(thr_rule *r, const thr_weights *w, const thr_example *e);
void thr_moves_undo(thr_rule *r);
/* Empties it and keeps its memory. */
void thr_moves_reset(thr_moves *m);
void thr_moves_clear(thr_moves *m);

#endif
