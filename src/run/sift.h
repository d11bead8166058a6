/* Before a batch is used: examples that cannot be are rejected, in one place for all commands. */
#ifndef THR_RUN_SIFT_H
#define THR_RUN_SIFT_H

#include "model/model.h"
#include "run/stream.h"

/* Rejects examples without a label, if one is needed, and those whose values the model's rule
 * cannot take (no model: any will do). With THR_STOP the first one's code is returned, else they
 * are counted and taken out of the batch. */
int thr_sift(thr_stream *s, const thr_model *m, thr_batch *b, bool needs_label, thr_error *err);

#endif
