/* Rejecting examples that cannot be used, in one place for all commands. */
#ifndef THR_INPUT_REJECT_H
#define THR_INPUT_REJECT_H

#include "input/stream.h"
#include "step/step.h"

/* Rejects the examples of a batch that have no label, if needs_label, and those whose values or
 * labels the rule of m cannot take (m NULL: any are fine). With THR_STOP returns the code of
 * the first one, with its place in *err. Otherwise counts and reports them, removes them from
 * the batch and returns 0. To be called before names get ids, so that the names of rejected
 * examples do not become features. */
int thr_reject_unusable(thr_stream *s, const thr_model *m, thr_batch *b, bool needs_label,
                        thr_error *err);

/* Whether every example has its label and none has a list of labels; values are not looked at. A
 * thread that gives ids ahead asks, since thr_reject_unusable needs the stream. */
bool thr_reject_nothing(const thr_batch *b);

#endif
