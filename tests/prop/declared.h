/* Models whose labels are declared beforehand, so that every rule has one function for each. */
#ifndef THR_PROP_DECLARED_H
#define THR_PROP_DECLARED_H

#include "../unit/model_help.h"

#define LABELS 4

static const char *const name[LABELS] = {"c0", "c1", "c2", "c3"};

/* NULL where the rule cannot. */
static inline thr_model *try_model(const char *learner, const char *setting, const char *value)
{
    thr_error err = {0};
    thr_settings *s = thr_settings_new();
    assert_int_equal(thr_settings_set(s, "learner", learner, &err), 0);
    if (setting && thr_settings_set(s, setting, value, &err))
        fail_msg("%s", err.message);
    thr_model *m = thr_model_new(s, &err);
    assert_true(m || err.code == THR_EUSE);
    thr_settings_free(s);
    if (m && thr_model_regression(m)) { /* which has no labels */
        thr_model_free(m);
        return NULL;
    }
    for (size_t l = 0; l < LABELS && m; l++)
        assert_int_equal(thr_model_declare_label(m, name[l], &err), (int)l);
    return m;
}

#endif
