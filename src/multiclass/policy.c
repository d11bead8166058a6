#include "multiclass/policy.h"

#include <string.h>

/* One-vs-all (SNoW's winner takes all): every label's function learns "mine or not". */
static bool learn_one_vs_all(thr_rule *r, thr_weights *w, const thr_example *e, uint32_t f,
                             const double *live)
{
    bool moved = false;
    for (uint32_t g = 0; g < w->functions; g++) {
        int sign = g == f ? 1 : -1;
        double step = r->learner->step(r, e, sign * live[g], sign, 1);
        if (step == 0)
            continue;
        r->learner->move(r, w, e, g, sign * step);
        moved = true;
    }
    return moved;
}

/* True multi-class: the right label rises, the best wrong one falls, by the same step; the margin
 * is their difference, the direction f(x,y) - f(x,y') has squared length 2|x|^2. */
static bool learn_direct(thr_rule *r, thr_weights *w, const thr_example *e, uint32_t f,
                         const double *live)
{
    uint32_t wrong = f == 0 ? 1 : 0;
    for (uint32_t g = 0; g < w->functions; g++)
        if (g != f && live[g] > live[wrong])
            wrong = g;
    double step = r->learner->step(r, e, live[f] - live[wrong], 1, 2);
    if (step == 0)
        return false;
    r->learner->move(r, w, e, f, step);
    r->learner->move(r, w, e, wrong, -step);
    return true;
}

const thr_policy thr_one_vs_all = {
    .name = "one-vs-all",
    .help = "each label learns to tell itself from all others",
    .learn = learn_one_vs_all,
};

const thr_policy thr_direct = {
    .name = "direct",
    .help = "the right label moves up, the best wrong one down",
    .needs = THR_DIRECT,
    .in_pairs = true,
    .learn = learn_direct,
};

const thr_policy *const thr_policies[] = {&thr_one_vs_all, &thr_direct, NULL};

const thr_policy *thr_policy_find(const char *name)
{
    for (size_t i = 0; thr_policies[i]; i++)
        if (strcmp(thr_policies[i]->name, name) == 0)
            return thr_policies[i];
    return NULL;
}
