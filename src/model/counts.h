/* Occurrences of features, which min-count asks for. counts.c says what they are used for. */
#ifndef THR_MODEL_COUNTS_H
#define THR_MODEL_COUNTS_H

#include "model/model.h"

/* Makes counts exist for all ids below n. False: out of memory. */
bool thr_counts_reach(thr_model *m, size_t n);
/* The count of an id that exists, for writing: a page shared with a snapshot is copied first. NULL:
 * out of memory. */
uint32_t *thr_counts_at(thr_model *m, uint32_t id);
/* Whether a feature has occurred at least min-count times; the bias always has. */
bool thr_counts_enough(const thr_model *m, uint32_t id);
/* Counts the features of an example that is about to be learned. On failure nothing is counted. */
int thr_counts_add(thr_model *m, const thr_example *whole, thr_error *err);
/* To be called after m->known has grown: tells the rules how many known features do not count
 * yet. */
void thr_counts_known(thr_model *m);

#endif
