/* A lean model: what predicting needs and no more. */
#include "model/file.h"

#include <stdlib.h>

/* Whether a rule's predictions depend on a feature: one that was never moved is as good as unseen.
 */
static bool matters_to(const thr_member *k, uint32_t id)
{
    const thr_weights *w = &k->weights;
    const thr_learner *l = k->rule.learner;
    if (l->flags & THR_LISTS) /* its clauses say so themselves */
        return false;
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
    for (uint32_t k = 0; k < m->members; k++)
        if (matters_to(&m->member[k], id))
            return true;
    return false;
}

static int copy_row(const thr_weights *from, thr_weights *to, uint32_t id, uint32_t fresh,
                    thr_error *err)
{
    thr_example e = {.id = &fresh, .n = 1};
    int code = thr_weights_ready(to, &e, err);
    for (unsigned s = 0; s < from->n_slots && code == 0; s++)
        for (uint32_t f = 0; f < from->functions; f++) {
            double v = thr_weights_get(from, id, s, f);
            if (s < to->n_wide)
                thr_weights_row_wide(to, fresh, s)[f] = v;
            else
                thr_weights_row(to, fresh, s)[f] = (float)v;
        }
    return code;
}

static int copy_feature(const thr_model *from, thr_model *to, uint32_t id, uint32_t *fresh,
                        thr_error *err)
{
    char digits[24];
    int code = 0;
    *fresh = 0;
    if (id) {
        thr_str ns, name = thr_lexicon_name(&from->lexicon, id, digits, &ns);
        code = thr_lexicon_add(&to->lexicon, ns, name, fresh, err);
    }
    for (uint32_t k = 0; k < from->members && code == 0; k++)
        code = copy_row(&from->member[k].weights, &to->member[k].weights, id, *fresh, err);
    return code;
}

/* ---- lists -------------------------------------------------------------------------------- */

/* Sees every number of a feature that a clause asks for. */
static void each_asked(thr_model *m, void (*see)(uint32_t *feature, uint32_t *fresh),
                       uint32_t *fresh)
{
    for (uint32_t k = 0; k < m->members; k++)
        for (size_t i = 0; i < m->member[k].rule.clauses; i++)
            see(&m->member[k].rule.clause[i].feature, fresh);
}

static void mark(uint32_t *feature, uint32_t *fresh)
{
    fresh[*feature] = 0;
}

static void renumber(uint32_t *feature, uint32_t *fresh)
{
    *feature = fresh[*feature];
}

/* A list needs no examples any more. */
static int forget_examples(thr_model *lean, thr_error *err)
{
    int code = 0;
    for (uint32_t k = 0; k < lean->members && code == 0; k++) {
        thr_member *member = &lean->member[k];
        if (!(member->rule.learner->flags & THR_LISTS))
            continue;
        thr_memory_clear(&member->memory);
        code = member->rule.learner->rebuild(&member->rule, &member->weights, err);
    }
    return code;
}

/* ---- all of it ---------------------------------------------------------------------------- */

static void empty_rows(const thr_member *from, thr_member *to)
{
    thr_weights_clear(&to->weights);
    thr_weights_init(&to->weights, from->weights.slot, from->weights.n_slots);
    thr_weights_widen(&to->weights, from->weights.functions);
}

static int copy_what_matters(const thr_model *m, thr_model *lean, thr_error *err)
{
    uint32_t *fresh = malloc(m->lexicon.n * sizeof *fresh);
    if (!fresh)
        return thr_fail_memory(err);
    for (uint32_t id = 0; id < m->lexicon.n; id++)
        fresh[id] = THR_NONE;
    each_asked(lean, mark, fresh);
    for (uint32_t k = 0; k < m->members; k++)
        empty_rows(&m->member[k], &lean->member[k]);
    thr_lexicon_clear(&lean->lexicon);
    int code = thr_lexicon_init(&lean->lexicon, m->lexicon.seed, 0, err);
    for (uint32_t id = 0; id < m->lexicon.n && code == 0; id++)
        if (id == 0 || fresh[id] != THR_NONE || matters(m, id))
            code = copy_feature(m, lean, id, &fresh[id], err);
    if (code == 0)
        each_asked(lean, renumber, fresh);
    free(fresh);
    return code;
}

/* A copy without the features that do not matter. Hashed models keep all: their slots are their
 * names; so do rules that predict from the examples they keep, which name them by number. */
thr_model *thr_model_lean(const thr_model *m, thr_error *err)
{
    thr_model *lean = thr_model_clone(m, err);
    if (!lean)
        return NULL;
    lean->lean = true;
    bool keeps = m->lexicon.hash_bits != 0;
    for (uint32_t k = 0; k < m->members; k++)
        keeps |= m->member[k].rule.memory && !(m->member[k].rule.learner->flags & THR_LISTS);
    int code = keeps ? 0 : copy_what_matters(m, lean, err);
    if (code == 0)
        code = forget_examples(lean, err);
    if (code == 0)
        return lean;
    thr_model_free(lean);
    return NULL;
}
