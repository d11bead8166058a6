/* A lean model: what predicting needs and no more. */
#include "file/file.h"
#include "model/inside.h"
#include "model/subset.h"

#include <stdlib.h>

/* Whether a rule's predictions depend on a feature: one that was never moved is as good as unseen.
 */
static bool matters_to(const thr_member *k, uint32_t id)
{
    const thr_weights *w = &k->weights;
    const thr_learner *l = k->rule.learner;
    if (l->flags & THR_LISTS) /* its clauses say so themselves */
        return false;
    if (l->learn && !l->fit) /* a rule of its own kind may tell known from unseen */
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

/* Hashed models keep all: their slots are their names; so do rules that predict from the examples
 * they keep, which name them by number. */
static bool keeps_all(const thr_model *m)
{
    bool all = m->lexicon.hash_bits != 0;
    for (uint32_t k = 0; k < m->members; k++)
        all |= m->member[k].rule.memory && !m->member[k].rule.learner->fit;
    return all;
}

/* ---- lists -------------------------------------------------------------------------------- */

static void keep_asked(const thr_model *m, bool *keep)
{
    for (uint32_t k = 0; k < m->members; k++)
        for (size_t i = 0; i < m->member[k].rule.clauses; i++)
            keep[m->member[k].rule.clause[i].feature] = true;
}

/* What is kept is numbered anew, in order. */
static void renumber_asked(thr_model *m, const uint32_t *fresh)
{
    for (uint32_t k = 0; k < m->members; k++)
        for (size_t i = 0; i < m->member[k].rule.clauses; i++) {
            uint32_t *feature = &m->member[k].rule.clause[i].feature;
            *feature = fresh[*feature];
        }
}

/* What was made of all examples at once needs them no more. */
static int forget_examples(thr_model *lean, thr_error *err)
{
    int code = 0;
    for (uint32_t k = 0; k < lean->members && code == 0; k++) {
        thr_member *member = &lean->member[k];
        if (!member->rule.learner->fit)
            continue;
        thr_memory_clear(&member->memory);
        code = member->rule.learner->rebuild(&member->rule, &member->weights, err);
    }
    return code;
}

/* ---- all of it ---------------------------------------------------------------------------- */

static int leave_out(thr_model *m, thr_error *err)
{
    uint32_t n = m->lexicon.n, kept = 0;
    bool *keep = malloc(n * sizeof *keep);
    uint32_t *fresh = malloc(n * sizeof *fresh);
    int code = keep && fresh ? 0 : thr_fail_memory(err);
    for (uint32_t id = 0; id < n && code == 0; id++)
        keep[id] = id == 0 || matters(m, id);
    if (code == 0)
        keep_asked(m, keep);
    for (uint32_t id = 0; id < n && code == 0; id++)
        fresh[id] = keep[id] ? kept++ : THR_NONE;
    if (code == 0)
        code = thr_model_keep(m, keep, err);
    if (code == 0)
        renumber_asked(m, fresh);
    free(keep);
    free(fresh);
    return code;
}

thr_model *thr_model_lean(const thr_model *m, thr_error *err)
{
    thr_model *lean = thr_model_clone(m, err);
    if (!lean)
        return NULL;
    lean->lean = true;
    int code = keeps_all(m) ? 0 : leave_out(lean, err);
    if (code == 0)
        code = forget_examples(lean, err);
    if (code == 0)
        return lean;
    thr_model_free(lean);
    return NULL;
}
