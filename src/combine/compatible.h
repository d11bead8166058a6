/* Whether two models can be mixed: they have the same rules and read their input in the same
 * way. */
#ifndef THR_COMBINE_COMPATIBLE_H
#define THR_COMBINE_COMPATIBLE_H

#include "model/model.h"

/* Whether a setting has an effect on what is learned. Only `format` and `columns` have none: they
 * say where in the input the same things are found. */
bool thr_setting_affects_model(const char *name);
/* Whether both have the same learners with the same options, policies and version of the rules, and
 * have paused the same members. */
bool thr_models_same_rules(const thr_model *a, const thr_model *b);
/* 0, or THR_EUSE with a message that names the difference. In the message a is called `first`, and
 * b by its number, from 1. */
int thr_models_compatible(const thr_model *a, const thr_model *b, const char *first, size_t number,
                          thr_error *err);

#endif
