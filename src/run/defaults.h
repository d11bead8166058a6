/* Option structs of the caller, completed: a zeroed one, or none at all, means the defaults. */
#ifndef THR_RUN_DEFAULTS_H
#define THR_RUN_DEFAULTS_H

#include "base/error.h"

/* Each copies what is given to `out`, with defaults in the place of zeros. `given` may be NULL.
 * THR_EUSE where a reserved field is set. */
int thr_train_complete(const thr_train_options *given, thr_train_options *out, thr_error *err);
int thr_fold_plan_complete(const thr_fold_plan *given, thr_fold_plan *out, thr_error *err);
int thr_trace_complete(const thr_trace_options *given, thr_trace_options *out, thr_error *err);
int thr_race_complete(const thr_race_options *given, thr_race_options *out, thr_error *err);
int thr_tune_complete(const thr_tune_options *given, thr_tune_options *out, thr_error *err);
int thr_cv_complete(const thr_cv_options *given, thr_cv_options *out, thr_error *err);

#endif
