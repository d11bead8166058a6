/* What the files about public batches share. */
#ifndef THR_RUN_BATCHES_H
#define THR_RUN_BATCHES_H

#include "model/model.h"

/* Notes that the batch's examples have the features that m's settings make. */
void thr_batch_made_for(thr_batch *b, const thr_model *m);
/* Whether m can use it; else a code with what is wrong. */
int thr_batch_usable(const thr_model *m, const thr_batch *b, thr_error *err);

#endif
