/* The split of a shared function, see split.h. */
#include "multiclass/split.h"

#include "multiclass/rule.h"

#include <string.h>

#define SPLIT 3 /* functions after it: those of the two labels, and that of the new one */

static double get(const thr_weights *w, uint32_t id, unsigned slot, uint32_t f)
{
    return slot < w->n_wide ? thr_weights_row_wide(w, id, slot)[f]
                            : (double)thr_weights_row(w, id, slot)[f];
}

static void set(thr_weights *w, uint32_t id, unsigned slot, uint32_t f, double v)
{
    if (slot < w->n_wide)
        thr_weights_row_wide(w, id, slot)[f] = v;
    else
        thr_weights_row(w, id, slot)[f] = (float)v;
}

double thr_mirrored(const thr_weights *w, unsigned slot, const double *shared)
{
    switch (w->slot[slot].mirror) {
    case THR_MIRROR_NEGATE:
        return -shared[slot];
    case THR_MIRROR_SAME:
        return shared[slot];
    case THR_MIRROR_SWAP:
        return shared[slot ^ 1];
    default:
        return w->slot[slot].start;
    }
}

/* The state of an antisymmetric rule, or of a function that both labels get, belongs to both. Any
 * other rule has learned only the anchor's function; the other label starts from zero. */
static void split_state(thr_rule *r, uint32_t anchor)
{
    size_t bytes = r->learner->function_state * sizeof(double);
    if ((r->learner->flags & THR_ANTISYMMETRIC) || r->reversed == 1 - anchor)
        memcpy(thr_rule_state(r, 1), thr_rule_state(r, 0), bytes);
    else if (anchor == 1) {
        memcpy(thr_rule_state(r, 1), thr_rule_state(r, 0), bytes);
        memset(thr_rule_state(r, 0), 0, bytes);
    }
}

double thr_split_factor(const thr_rule *r)
{
    return r->policy->in_pairs ? r->learner->split : 1;
}

int thr_split_ready(thr_rule *r, thr_weights *w, thr_error *err)
{
    int code = thr_rule_reserve(r, SPLIT, err);
    if (code == 0 && r->memory)
        code = thr_memory_mirror_ready(r->memory, err);
    if (code)
        return code;
    thr_weights_make_wider(w, SPLIT);
    return thr_weights_settle(w, w->rows, err);
}

/* A row that lags behind (learner->settle) is brought up to date before it is rewritten. A slot
 * that both labels get unchanged, such as a variance, is not multiplied either. */
void thr_split(thr_rule *r, thr_weights *w, uint32_t anchor)
{
    double factor = thr_split_factor(r), shared[THR_MAX_SLOTS];
    thr_rule_widen(r, SPLIT, NULL);
    thr_weights_widen(w, SPLIT);
    for (size_t row = 0; row < w->rows; row++) {
        uint32_t id = (uint32_t)row;
        if (r->learner->settle)
            r->learner->settle(r, w, id, 0);
        for (unsigned s = 0; s < w->n_slots; s++)
            shared[s] = get(w, id, s, 0) * (w->slot[s].mirror == THR_MIRROR_SAME ? 1 : factor);
        for (unsigned s = 0; s < w->n_slots; s++) {
            set(w, id, s, anchor, shared[s]);
            set(w, id, s, 1 - anchor,
                r->reversed == 1 - anchor ? shared[s] : thr_mirrored(w, s, shared));
        }
    }
    split_state(r, anchor);
    if (r->memory)
        thr_memory_mirror(r->memory, anchor, factor);
}
