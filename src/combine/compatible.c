/* Comparing the settings of two models, see compatible.h. */
#include "combine/compatible.h"

#include "model/inside.h"

#include <math.h>
#include <string.h>

bool thr_setting_shapes(const char *name)
{
    return strcmp(name, "format") != 0 && strcmp(name, "columns") != 0;
}

/* ---- rules -------------------------------------------------------------------------------- */

static bool same_options(const thr_rule *a, const thr_rule *b)
{
    bool same = a->learner == b->learner && a->policy == b->policy && a->rules == b->rules;
    for (int i = 0; i < THR_MAX_OPTIONS && same; i++)
        same = a->option[i] == b->option[i] ||
               (isnan(a->option[i]) && isnan(b->option[i])); /* NaN: auto */
    return same;
}

static bool same_panel(const thr_panel *a, const thr_panel *b)
{
    return a->experts == b->experts && a->eta == b->eta && a->share == b->share &&
           a->random == b->random && a->seed == b->seed;
}

bool thr_models_same_rules(const thr_model *a, const thr_model *b)
{
    bool same = a->members == b->members && same_panel(&a->panel, &b->panel);
    for (uint32_t k = 0; k < a->members && same; k++)
        same = same_options(&a->member[k].rule, &b->member[k].rule);
    return same;
}

/* Settings that can be written in many ways (`pa`, `pa:C=1`). thr_models_same_rules compares what
 * they mean, so different text alone is no difference. */
static bool is_of_rules(const char *name)
{
    return strcmp(name, "learner") == 0 || strcmp(name, "members") == 0 ||
           strcmp(name, "multiclass") == 0;
}

/* ---- settings ----------------------------------------------------------------------------- */

/* How messages name the two models. */
typedef struct two {
    const char *first;
    size_t number;
} two;

static int differs(const char *what, const char *a, const char *b, two of, thr_error *err)
{
    return thr_fail(err, THR_EUSE,
                    "models that differ in %s cannot be mixed: it is '%s' in %s and '%s' "
                    "in number %zu",
                    what, a, of.first, b, of.number);
}

int thr_models_compatible(const thr_model *a, const thr_model *b, const char *first, size_t number,
                          thr_error *err)
{
    two of = {first, number};
    bool rules = thr_models_same_rules(a, b);
    thr_option_info info;
    for (size_t i = 0; thr_setting_at(i, &info); i++) {
        const char *x = thr_model_setting(a, info.name), *y = thr_model_setting(b, info.name);
        bool matters = thr_setting_shapes(info.name) && !(rules && is_of_rules(info.name));
        if (matters && strcmp(x, y) != 0)
            return differs(info.name, x, y, of, err);
    }
    if (!rules)
        return thr_fail(err, THR_EUSE,
                        "models with different rules cannot be mixed: those of number %zu are not "
                        "those of %s",
                        number, first);
    if (a->seen.text && b->seen.text && strcmp(a->seen.unicode, b->seen.unicode) != 0)
        return differs("the version of Unicode", a->seen.unicode, b->seen.unicode, of, err);
    return 0;
}
