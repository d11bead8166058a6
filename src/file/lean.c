/* A lean model: a copy with only what predicting needs. Features on which no prediction depends are
 * removed; rules that were fitted to kept examples drop these. It predicts like the full model and
 * cannot be trained further. */
#include "file/file.h"
#include "model/inside.h"
#include "model/subset.h"

#include <stdlib.h>

/* Whether a member's predictions depend on a feature. A feature whose numbers are all at their
 * start values is scored like one never seen. */
static bool matters_to(const thr_member *k, uint32_t id)
{
    const thr_weights *w = &k->weights;
    const thr_learner *l = k->rule.learner;
    if (l->flags & THR_LISTS) /* keep_asked keeps the features of its clauses */
        return false;
    if (l->learn && !l->fit) /* it may treat a known feature and an unseen one differently */
        return true;
    if (l->settle) { /* its slots also hold bookkeeping: the effective weight decides */
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
    if (m->min_count > 1) /* an eligible feature changes an example's length, even with weight 0 */
        return thr_model_count(m, id) >= m->min_count;
    for (uint32_t k = 0; k < m->members; k++)
        if (matters_to(&m->member[k], id))
            return true;
    return false;
}

/* Whether no feature can be removed. In the hashed form the slot is the name. Rules that predict
 * from kept examples refer to features by id there. */
static bool keeps_all(const thr_model *m)
{
    bool all = m->lexicon.hash_bits != 0;
    for (uint32_t k = 0; k < m->members; k++)
        all |= m->member[k].rule.memory && !m->member[k].rule.learner->fit;
    return all;
}

/* ---- lists -------------------------------------------------------------------------------- */

/* Keeps the features that the clauses of a list ask for. */
static void keep_asked(const thr_model *m, bool *keep)
{
    for (uint32_t k = 0; k < m->members; k++)
        for (size_t i = 0; i < m->member[k].rule.clauses; i++)
            keep[m->member[k].rule.clause[i].feature] = true;
}

/* Clauses refer to features by id, and ids have changed. */
static void renumber_asked(thr_model *m, const uint32_t *fresh)
{
    for (uint32_t k = 0; k < m->members; k++)
        for (size_t i = 0; i < m->member[k].rule.clauses; i++) {
            uint32_t *feature = &m->member[k].rule.clause[i].feature;
            *feature = fresh[*feature];
        }
}

/* A rule that was fitted to all kept examples does not need them to predict. */
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
