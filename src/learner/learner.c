/* The table of learners. Help, settings, races and tests walk it. */
#include "learner/learner.h"

#include "example/batch.h"

#include <string.h>

const thr_learner *const thr_learners[] = {
#define THR_LEARNER(name) &thr_learner_##name,
#include "learner/learners.def"
#undef THR_LEARNER
    NULL,
};

const thr_learner *thr_learner_find(const char *name, size_t n)
{
    for (size_t i = 0; thr_learners[i]; i++)
        if (strlen(thr_learners[i]->name) == n && memcmp(thr_learners[i]->name, name, n) == 0)
            return thr_learners[i];
    return NULL;
}

bool thr_learner_multilabel(const thr_learner *l)
{
    return l->step && l->move && !(l->flags & (THR_PANEL | THR_REGRESSION));
}

bool thr_learner_counts(const thr_example *e)
{
    return e->importance > 0 && e->label != THR_NONE;
}

int thr_options_defaults(const thr_option_info *options, const char *what,
                         const thr_old_default *former, unsigned rules, double *value,
                         thr_error *err)
{
    for (size_t i = 0; options[i].name; i++) {
        const char *text =
            thr_default_in(former, what, options[i].name, rules, options[i].fallback);
        int code = thr_option_read(&options[i], what, text, strlen(text), &value[i], err);
        if (code)
            return code;
    }
    return 0;
}

void thr_slot_terms(const thr_rule *r, const thr_weights *w, uint32_t id, uint32_t f,
                    uint32_t known, double term[2])
{
    (void)r, (void)known;
    term[0] = thr_weights_get(w, id, 0, f);
}

double thr_asks_for_one(const thr_rule *r)
{
    (void)r;
    return 1;
}
