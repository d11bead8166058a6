/* A lean model: what predicting needs and no more. */
#include "model/file.h"

/* Whether predictions depend on a feature: one that was never moved is as good as unseen. */
static bool matters(const thr_model *m, uint32_t id)
{
    if (m->rule.learner->learn) /* a rule of its own kind may tell known from unseen */
        return true;
    for (unsigned s = 0; s < m->weights.n_slots; s++)
        for (uint32_t f = 0; f < m->weights.functions; f++)
            if (thr_weights_get(&m->weights, id, s, f) != m->weights.slot[s].start)
                return true;
    return false;
}

static int copy_feature(const thr_model *from, thr_model *to, uint32_t id, thr_error *err)
{
    char digits[24];
    uint32_t fresh = 0;
    int code = 0;
    if (id) {
        thr_str ns, name = thr_lexicon_name(&from->lexicon, id, digits, &ns);
        code = thr_lexicon_add(&to->lexicon, ns, name, &fresh, err);
    }
    thr_example e = {.id = &fresh, .n = 1};
    if (code == 0)
        code = thr_weights_ready(&to->weights, &e, err);
    for (unsigned s = 0; s < from->weights.n_slots && code == 0; s++)
        for (uint32_t f = 0; f < from->weights.functions; f++) {
            double v = thr_weights_get(&from->weights, id, s, f);
            if (s < to->weights.n_wide)
                thr_weights_row_wide(&to->weights, fresh, s)[f] = v;
            else
                thr_weights_row(&to->weights, fresh, s)[f] = (float)v;
        }
    return code;
}

/* A copy without the features that do not matter. Hashed models keep all: their slots are their
 * names. */
thr_model *thr_model_lean(const thr_model *m, thr_error *err)
{
    thr_model *lean = thr_model_clone(m, err);
    if (!lean)
        return NULL;
    lean->lean = true;
    if (m->lexicon.hash_bits)
        return lean;
    thr_weights_clear(&lean->weights);
    thr_lexicon_clear(&lean->lexicon);
    lean->weights = (thr_weights){0};
    thr_weights_init(&lean->weights, m->weights.slot, m->weights.n_slots);
    lean->weights.functions = m->weights.functions;
    int code = thr_lexicon_init(&lean->lexicon, m->lexicon.seed, 0, err);
    for (uint32_t id = 0; id < m->lexicon.n && code == 0; id++)
        if (id == 0 || matters(m, id))
            code = copy_feature(m, lean, id, err);
    if (code == 0)
        return lean;
    thr_model_free(lean);
    return NULL;
}
