/* From the names of a batch's features to the model's ids: the lexicon as the steps use it. */
#ifndef THR_STEP_NAMES_H
#define THR_STEP_NAMES_H

#include "step/step.h"

/* Gives every feature of a batch that is about to be learned its id; new names get the next ids, in
 * order. With max-features it does nothing: ids then change as features are dropped, so
 * thr_model_make_room (combine/ceiling.h) resolves example by example. */
int thr_model_resolve(thr_model *m, thr_batch *b, thr_error *err);
/* Whether that may be done by another thread, for a later batch, while this model learns; and that
 * thread's call. False: it must be left to the one that learns. */
bool thr_model_resolves_ahead(const thr_model *m);
bool thr_model_resolve_ahead(thr_model *m, thr_batch *b);
/* Gives their ids to the features of example e alone. */
int thr_model_resolve_one(thr_model *m, thr_batch *b, size_t e, thr_error *err);
/* Looks up the names of a batch that is about to be predicted; unknown names get THR_NONE. Changes
 * nothing in the model. */
int thr_model_find(const thr_model *m, thr_batch *b, thr_error *err);
/* The same for one example of a batch that a caller has filled. THR_EUSE if m cannot use the batch,
 * or if there is no such example. */
int thr_model_find_one(const thr_model *m, thr_batch *b, size_t example, thr_error *err);
/* A handle for threads that look names up while no thread learns. */
thr_lookup thr_model_lookup(const thr_model *m);
/* A handle for threads that look names up while one thread learns. It is valid until the model is
 * closed to readers, and those threads must have ended by then (lexicon.h). */
int thr_model_open_to_readers(thr_model *m, thr_lookup *out, thr_error *err);
void thr_model_close_to_readers(thr_model *m);
/* A fingerprint of an example that is made from names. Where features are dropped, ids change their
 * meaning, and thr_repeats_mark, which hashes ids, would not recognise an example met again. */
uint64_t thr_model_mark(const thr_model *m, const thr_example *e);

#endif
