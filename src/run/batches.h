/* What the files about public batches share. */
#ifndef THR_RUN_BATCHES_H
#define THR_RUN_BATCHES_H

#include "model/model.h"

/* Notes that the batch's examples have the features that m's settings make. */
void thr_batch_made_for(thr_batch *b, const thr_model *m);

#endif
