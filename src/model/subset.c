/* Removing features: the lexicon, the units and the counts are built again with what is kept,
 * beside the old ones; plain rows are moved together in place, and rows that are lists are copied.
 */
#include "model/subset.h"

#include "model/inside.h"
#include "weights/lists.h"

#include <stdlib.h>
#include <string.h>

/* The new parts while they are made. They replace the old ones only when nothing can fail any more,
 * and then the rows close up. */
typedef struct parts {
    thr_lexicon lexicon;
    thr_units units;
    thr_paged count;
    thr_weights *rows; /* of each member whose table is listed */
} parts;

/* Keeps the scale of a feature under its new number. A feature that was met with the value 1 before
 * scaling began gets an explicit 1, because its new number no longer tells. */
static bool take_units(thr_units *u, const thr_units *from, uint32_t id, uint32_t fresh)
{
    if (!from->active)
        return true;
    const thr_number_column *column = thr_units_column(from, id);
    if (!thr_units_reach(u, (size_t)fresh + 1) ||
        !thr_units_set(u, fresh, thr_units_most(from, id)))
        return false;
    if (!column)
        return true;
    thr_number_column moved = *column;
    moved.id = fresh;
    return thr_units_add_column(u, &moved);
}

static int take_feature(parts *p, const thr_model *m, uint32_t id, thr_error *err)
{
    uint32_t fresh = 0;
    int code = id ? thr_lexicon_take(&p->lexicon, &m->lexicon, id, &fresh, err) : 0;
    if (code == 0 && !take_units(&p->units, &m->units, id, fresh))
        code = thr_fail_memory(err);
    if (code || !m->min_count)
        return code;
    uint32_t count = thr_model_count(m, id);
    if (!thr_paged_reach(&p->count, (size_t)fresh + 1, sizeof count))
        return thr_fail_memory(err);
    memcpy((char *)(uintptr_t)thr_paged_at(&p->count, fresh, sizeof count), &count, sizeof count);
    return 0;
}

/* All that can fail about the rows of a member. */
static int make_rows(parts *p, thr_model *m, uint32_t k, const bool *keep, thr_error *err)
{
    thr_weights *w = &m->member[k].weights;
    return thr_weights_is_listed(w) ? thr_weights_subset(w, keep, m->lexicon.n, &p->rows[k], err)
                                    : thr_weights_settle(w, w->rows, err);
}

static void exchange(parts *p, thr_model *m, const bool *keep)
{
    for (uint32_t k = 0; k < m->members; k++)
        if (thr_weights_is_listed(&m->member[k].weights)) {
            thr_weights_clear(&m->member[k].weights);
            m->member[k].weights = p->rows[k];
            p->rows[k] = (thr_weights){0};
        } else
            thr_weights_keep(&m->member[k].weights, keep, m->lexicon.n);
    thr_lexicon_clear(&m->lexicon);
    m->lexicon = p->lexicon;
    p->lexicon = (thr_lexicon){0};
    p->units.on = m->units.on;
    p->units.active = m->units.active;
    thr_units_clear(&m->units);
    m->units = p->units;
    p->units = (thr_units){0};
    thr_paged_clear(&m->count);
    m->count = p->count;
    m->counted = p->count.pages ? m->lexicon.n : 0;
    p->count = (thr_paged){0};
}

/* Before any row is moved, all of them are made to exist, owned by this model, so that moving
 * cannot fail. Rules subtract what they have summed over dropped features before the rows go, since
 * they need them for it. */
static int keep_only(thr_model *m, const bool *keep, bool forget, thr_error *err)
{
    parts p = {0};
    int code = thr_lexicon_init_like(&p.lexicon, &m->lexicon, err);
    uint32_t known = 0;
    for (uint32_t id = 0; id < m->lexicon.n && code == 0; id++)
        if (id == 0 || keep[id]) {
            code = take_feature(&p, m, id, err);
            known += id < m->known;
        }
    p.rows = calloc(m->members, sizeof *p.rows);
    if (code == 0 && !p.rows)
        code = thr_fail_memory(err);
    for (uint32_t k = 0; k < m->members && code == 0; k++)
        code = make_rows(&p, m, k, keep, err);
    for (uint32_t k = 0; k < m->members && code == 0 && forget; k++) {
        thr_rule *r = &m->member[k].rule;
        if (r->learner->forget)
            r->learner->forget(r, &m->member[k].weights, keep, m->lexicon.n);
    }
    if (code == 0) {
        exchange(&p, m, keep);
        m->known = forget ? known : m->known;
        thr_model_count_waiting(m);
    }
    thr_lexicon_clear(&p.lexicon);
    thr_units_clear(&p.units);
    thr_paged_clear(&p.count);
    for (uint32_t k = 0; p.rows && k < m->members; k++)
        thr_weights_clear(&p.rows[k]);
    free(p.rows);
    return code;
}

int thr_model_keep(thr_model *m, const bool *keep, thr_error *err)
{
    return keep_only(m, keep, false, err);
}

int thr_model_drop(thr_model *m, const bool *keep, thr_error *err)
{
    return keep_only(m, keep, true, err);
}

int thr_model_droppable(const thr_model *m, thr_error *err)
{
    for (uint32_t k = 0; k < m->members; k++) {
        const thr_learner *l = m->member[k].rule.learner;
        if (l->flags & THR_KEEPS)
            return thr_fail(err, THR_EUSE,
                            "%s keeps examples, which need their features: none can be dropped",
                            l->name);
        if (!l->weight)
            return thr_fail(err, THR_EUSE,
                            "%s gives features no weight by which they could be dropped", l->name);
    }
    return 0;
}
