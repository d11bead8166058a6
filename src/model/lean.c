/* A lean model: what predicting needs and no more. */
#include "model/file.h"
#include "model/subset.h"

#include <stdlib.h>

/* Whether a rule's predictions depend on a feature: one that was never moved is as good as unseen.
 */
static bool matters_to(const thr_member *k, uint32_t id)
{
    const thr_weights *w = &k->weights;
    const thr_learner *l = k->rule.learner;
    if (l->learn) /* a rule of its own kind may tell known from unseen */
        return true;
    if (l->settle) { /* what a weight is counts, not what is kept for getting there */
        for (uint32_t f = 0; f < w->functions; f++)
            if (l->weight(&k->rule, w, id, f, id + 1) != 0)
                return true;
        return false;
    }
    for (unsigned s = 0; s < w->n_slots; s++)
        for (uint32_t f = 0; f < w->functions; f++)
            if (thr_weights_get(w, id, s, f) != w->slot[s].start)
                return true;
    return false;
}

static bool matters(const thr_model *m, uint32_t id)
{
    if (m->min_count > 1) /* a feature that counts changes the lengths of examples */
        return thr_model_count(m, id) >= m->min_count;
    for (uint32_t k = 0; k < m->members; k++)
        if (matters_to(&m->member[k], id))
            return true;
    return false;
}

/* Hashed models keep all: their slots are their names; so do rules that keep examples, which name
 * them by number. */
static bool keeps_all(const thr_model *m)
{
    bool all = m->lexicon.hash_bits != 0;
    for (uint32_t k = 0; k < m->members; k++)
        all |= m->member[k].rule.memory != NULL;
    return all;
}

static int leave_out(thr_model *m, thr_error *err)
{
    bool *keep = malloc(m->lexicon.n * sizeof *keep);
    if (!keep)
        return thr_fail_memory(err);
    for (uint32_t id = 0; id < m->lexicon.n; id++)
        keep[id] = matters(m, id);
    int code = thr_model_keep(m, keep, err);
    free(keep);
    return code;
}

thr_model *thr_model_lean(const thr_model *m, thr_error *err)
{
    thr_model *lean = thr_model_clone(m, err);
    if (!lean)
        return NULL;
    lean->lean = true;
    if (keeps_all(m) || leave_out(lean, err) == 0)
        return lean;
    thr_model_free(lean);
    return NULL;
}
