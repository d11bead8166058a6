/* Comparing the settings of two models, see compatible.h. */
#include "combine/compatible.h"

#include "model/inside.h"

#include <math.h>
#include <string.h>

bool thr_setting_affects_model(const char *name)
{
    return strcmp(name, "format") != 0 && strcmp(name, "columns") != 0;
}

/* ---- rules -------------------------------------------------------------------------------- */

static bool paused_the_same(const thr_panel *p, const thr_panel *q)
{
    bool same = p->pauses == q->pauses && p->n_paused == q->n_paused;
    for (uint32_t i = 0; i < p->n_paused && same; i++)
        same = p->paused[i].place == q->paused[i].place &&
               strcmp(p->paused[i].spec, q->paused[i].spec) == 0;
    return same;
}

bool thr_models_same_rules(const thr_model *a, const thr_model *b)
{
    const thr_panel *p = &a->panel, *q = &b->panel;
    bool same = a->members == b->members && p->experts == q->experts &&
                thr_panel_mixes(p) == thr_panel_mixes(q) && p->eta == q->eta &&
                p->share == q->share && p->random == q->random && p->seed == q->seed &&
                paused_the_same(p, q);
    for (uint32_t k = 0; k < a->members && same; k++) {
        const thr_rule *r = &a->member[k].rule, *s = &b->member[k].rule;
        same = r->learner == s->learner && r->policy == s->policy && r->rules == s->rules;
        for (int i = 0; i < THR_MAX_OPTIONS && same; i++)
            same = r->option[i] == s->option[i] ||
                   (isnan(r->option[i]) && isnan(s->option[i])); /* NaN: auto */
    }
    return same;
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
        /* Can be written in many ways (`pa`, `pa:C=1`); `rules` compares what they mean. */
        bool of_rules = strcmp(info.name, "learner") == 0 || strcmp(info.name, "members") == 0 ||
                        strcmp(info.name, "multiclass") == 0;
        if (thr_setting_affects_model(info.name) && !(rules && of_rules) && strcmp(x, y) != 0)
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
