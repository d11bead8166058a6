/* The moves of one example, see moves.h. */
#include "multiclass/moves.h"

#include <stdlib.h>

/* The weight that steps move. A rule whose effective weight also changes without a step (it is
 * averaged, or shrinks with time) gives `live`. */
static double weight_now(const thr_rule *r, const thr_weights *w, const thr_example *e, size_t i,
                         uint32_t f)
{
    const thr_learner *l = r->learner;
    return l->live ? l->live(r, w, e->id[i], f) : l->weight(r, w, e->id[i], f, e->known);
}

/* Until thr_moves_end, `change` holds the weights before the move. */
void thr_moves_begin(thr_rule *r, const thr_weights *w, const thr_example *e, uint32_t f,
                     double margin, double step)
{
    thr_moves *m = r->moves;
    size_t n = r->learner->weight ? e->n : 0, need;
    if (m->failed)
        return;
    if (__builtin_add_overflow(m->changes, n, &need) ||
        !thr_grow(&m->at, &m->room, m->n + 1, sizeof *m->at) ||
        !thr_grow(&m->change, &m->change_room, need, sizeof *m->change)) {
        m->failed = true;
        return;
    }
    m->at[m->n++] = (thr_move){f, margin, step, m->changes};
    for (size_t i = 0; i < n; i++)
        m->change[m->changes + i] = weight_now(r, w, e, i, f);
    m->changes = need;
}

void thr_moves_end(thr_rule *r, const thr_weights *w, const thr_example *e)
{
    thr_moves *m = r->moves;
    if (m->failed)
        return;
    const thr_move *last = &m->at[m->n - 1];
    for (size_t i = 0; last->change + i < m->changes; i++) {
        double *change = &m->change[last->change + i];
        *change = weight_now(r, w, e, i, last->function) - *change;
    }
}

void thr_moves_undo(thr_rule *r)
{
    thr_moves *m = r->moves;
    if (!m->failed)
        m->changes = m->at[--m->n].change;
}

void thr_moves_reset(thr_moves *m)
{
    m->n = m->changes = 0;
    m->failed = false;
}

void thr_moves_clear(thr_moves *m)
{
    free(m->at);
    free(m->change);
    *m = (thr_moves){0};
}
