/* Before a batch is used: examples that cannot be are rejected, in one place for all commands. */
#ifndef THR_INPUT_REJECT_H
#define THR_INPUT_REJECT_H

#include "input/stream.h"
#include "step/step.h"

/* Rejects examples without a label, if one is needed, and those whose values the model's rule
 * cannot take (no model: any will do). With THR_STOP the first one's code is returned, else they
 * are counted and taken out of the batch. */
int thr_reject_unusable(thr_stream *s, const thr_model *m, thr_batch *b, bool needs_label,
                        thr_error *err);

#endif
