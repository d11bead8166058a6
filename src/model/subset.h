/* Removing features from a model: used by lean models (file/lean.c), pruning (combine/prune.c) and
 * max-features (combine/ceiling.c). The features that are kept are renumbered without gaps, in
 * their old order; the bias is always kept. Row addresses and ids found before are invalid
 * afterwards. */
#ifndef THR_MODEL_SUBSET_H
#define THR_MODEL_SUBSET_H

#include "model/model.h"

/* Keeps the names, rows and counts of the ids with keep[id] and removes the others, on which no
 * prediction may depend: sums of the rules and m->known stay as they are. Hashed models keep their
 * slots. On failure nothing has changed. */
int thr_model_keep(thr_model *m, const bool *keep, thr_error *err);
/* The same for features on which predictions may depend: their part in the rules' sums is
 * subtracted too (learner->forget), and m->known counts only what is kept. A dropped feature that
 * comes back is as new. */
int thr_model_drop(thr_model *m, const bool *keep, thr_error *err);
/* THR_EUSE with the reason, for a model whose features cannot be dropped. */
int thr_model_droppable(const thr_model *m, thr_error *err);

#endif
