/* Defaults for the option structs of the public interface: a field that is 0, or a NULL struct,
 * means the default. */
#ifndef THR_RUN_DEFAULTS_H
#define THR_RUN_DEFAULTS_H

#include "base/error.h"

/* Each copies *given to *out and replaces zeros by defaults. `given` may be NULL. Returns
 * THR_EUSE if a reserved field is not 0. */
int thr_train_complete(const thr_train_options *given, thr_train_options *out, thr_error *err);
int thr_fold_plan_complete(const thr_fold_plan *given, thr_fold_plan *out, thr_error *err);
int thr_trace_complete(const thr_trace_options *given, thr_trace_options *out, thr_error *err);
int thr_race_complete(const thr_race_options *given, thr_race_options *out, thr_error *err);
int thr_tune_complete(const thr_tune_options *given, thr_tune_options *out, thr_error *err);
int thr_cv_complete(const thr_cv_options *given, thr_cv_options *out, thr_error *err);

#endif
