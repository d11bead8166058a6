/* The names of a batch's features become the model's numbers. */
#ifndef THR_STEP_NAMES_H
#define THR_STEP_NAMES_H

#include "step/step.h"

/* Looks up the names of a batch that is about to be learned, and numbers new ones. Where there is a
 * ceiling on features that is done example by example instead (thr_model_make_room). */
int thr_model_resolve(thr_model *m, thr_batch *b, thr_error *err);
/* The same of example e alone. */
int thr_model_resolve_one(thr_model *m, thr_batch *b, size_t e, thr_error *err);
/* Looks up the names of a batch that is about to be predicted; unknown ones get THR_NONE. */
int thr_model_find(const thr_model *m, thr_batch *b, thr_error *err);
/* For threads that look names up: while nobody learns; and while one thread does, from here until
 * the model is closed to them. */
thr_lookup thr_model_lookup(const thr_model *m);
int thr_model_open_to_readers(thr_model *m, thr_lookup *out, thr_error *err);
void thr_model_close_to_readers(thr_model *m);
/* A fingerprint of an example that outlives its ids: where features are dropped, those change. */
uint64_t thr_model_mark(const thr_model *m, const thr_example *e);

#endif
