/* The default of every option that is not a setting of the model. */
#include "run/defaults.h"

#define UNTIL_CLEAN_PASSES 1000 /* no clean pass is expected after that many */
#define FOLDS              10

int thr_train_complete(const thr_train_options *given, thr_train_options *out, thr_error *err)
{
    *out = given ? *given : (thr_train_options){0};
    if (out->passes == 0)
        out->passes = out->until_clean ? UNTIL_CLEAN_PASSES : 1;
    return THR_CHECK_RESERVED(thr_train_options, out, err);
}

int thr_fold_plan_complete(const thr_fold_plan *given, thr_fold_plan *out, thr_error *err)
{
    *out = given ? *given : (thr_fold_plan){0};
    if (out->folds == 0)
        out->folds = FOLDS;
    return THR_CHECK_RESERVED(thr_fold_plan, out, err);
}

int thr_trace_complete(const thr_trace_options *given, thr_trace_options *out, thr_error *err)
{
    *out = given ? *given : (thr_trace_options){0};
    int code = THR_CHECK_RESERVED(thr_trace_options, out, err);
    return code ? code : thr_train_complete(given ? &given->train : NULL, &out->train, err);
}

int thr_race_complete(const thr_race_options *given, thr_race_options *out, thr_error *err)
{
    *out = given ? *given : (thr_race_options){0};
    return THR_CHECK_RESERVED(thr_race_options, out, err);
}

/* Cross-validation and search judge learners, not the order of a file: examples are visited in
 * random order unless the caller wants theirs. */
static int complete_shuffled(const thr_train_options *given, thr_train_options *out, thr_error *err)
{
    int code = thr_train_complete(given, out, err);
    if (code == 0 && out->shuffle && out->in_order)
        code = thr_fail(err, THR_EUSE, "examples are shuffled or visited in order, not both");
    out->shuffle = !out->in_order;
    return code;
}

int thr_tune_complete(const thr_tune_options *given, thr_tune_options *out, thr_error *err)
{
    *out = given ? *given : (thr_tune_options){0};
    int code = THR_CHECK_RESERVED(thr_tune_options, out, err);
    if (code == 0)
        code = thr_fold_plan_complete(given ? &given->plan : NULL, &out->plan, err);
    return code ? code : complete_shuffled(given ? &given->train : NULL, &out->train, err);
}

int thr_cv_complete(const thr_cv_options *given, thr_cv_options *out, thr_error *err)
{
    *out = given ? *given : (thr_cv_options){0};
    out->repeat = out->repeat ? out->repeat : 1;
    int code = THR_CHECK_RESERVED(thr_cv_options, out, err);
    if (code == 0)
        code = thr_fold_plan_complete(given ? &given->plan : NULL, &out->plan, err);
    return code ? code : complete_shuffled(given ? &given->train : NULL, &out->train, err);
}
