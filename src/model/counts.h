/* How often features have come. */
#ifndef THR_MODEL_COUNTS_H
#define THR_MODEL_COUNTS_H

#include "model/model.h"

/* Counts of the ids below n exist; and one of them, to change. False, NULL: memory. */
bool thr_counts_reach(thr_model *m, size_t n);
uint32_t *thr_counts_at(thr_model *m, uint32_t id);
/* Whether a feature has come often enough to count; the bias always counts. */
bool thr_counts_enough(const thr_model *m, uint32_t id);
/* Counts the features of an example that is about to be learned; nothing where none are counted. */
int thr_counts_add(thr_model *m, const thr_example *whole, thr_error *err);
/* After m->known has grown. */
void thr_counts_known(thr_model *m);

#endif
