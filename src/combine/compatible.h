/* Are two models of one kind, so that one can be mixed into the other? */
#ifndef THR_COMBINE_COMPATIBLE_H
#define THR_COMBINE_COMPATIBLE_H

#include "model/model.h"

/* Whether a setting shapes what is learned, and not only how input is read. */
bool thr_setting_shapes(const char *name);
/* Same rules with the same options, taught alike. */
bool thr_models_same_rules(const thr_model *a, const thr_model *b);
/* THR_EUSE with a sentence that names what differs. `first` is what a is called in it, `number`
 * that of b, from 1. */
int thr_models_compatible(const thr_model *a, const thr_model *b, const char *first, size_t number,
                          thr_error *err);

#endif
