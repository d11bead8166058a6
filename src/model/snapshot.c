/* Snapshots and clones: a model as it is at one moment.
 *
 * Either shares with the model it is taken from whatever grows with the data: rows of weights,
 * counts, kept examples and the lexicon. Rows, counts and lists of postings are copied when the
 * first of the two writes to them, a segment or a page at a time; names and kept examples are only
 * ever appended, behind what the other knows. Labels and other small state are copied at once. So
 * taking one costs nothing that depends on the size of the model, and keeping it costs what changes
 * meanwhile.
 *
 *                 segments of rows      names
 *   snapshot      s0  s1  s2            a b c |
 *                 |   |                       v
 *   model         s0  s1  s2'           a b c d e       has learned something in s2
 *
 * What shares memory counts its owners (base/share.h), and goes with the last of them. */
#include "model/inside.h"

#include <stdlib.h>

static int share_members(const thr_model *from, thr_model *m, thr_error *err)
{
    bool goes_on = !from->snapshot && !from->read_only;
    m->member = calloc(from->members, sizeof *m->member);
    int code = m->member ? 0 : thr_fail_memory(err);
    while (m->members < from->members && code == 0) {
        thr_member *k = &m->member[m->members];
        code = thr_member_share(&from->member[m->members], k, goes_on, err);
        k->rule.group = m->groups.of;
        m->members += code == 0;
    }
    return code ? code : thr_panel_copy(&from->panel, &m->panel, err);
}

static int share_parts(const thr_model *from, thr_model *m, thr_error *err)
{
    m->settings = thr_settings_copy(from->settings);
    int code = m->settings ? 0 : thr_fail_memory(err);
    if (code == 0)
        code = thr_lexicon_share(&from->lexicon, &m->lexicon, err);
    if (code == 0)
        code = thr_groups_share(&from->groups, &m->groups, err);
    if (code == 0)
        code = thr_labels_copy(&from->labels, &m->labels, err);
    if (code == 0)
        code = thr_classes_copy(&from->classes, &m->classes, err);
    if (code == 0)
        code = thr_repeats_copy(&from->repeats, &m->repeats, err);
    if (code == 0)
        code = share_members(from, m, err);
    if (code == 0)
        thr_paged_share(&from->count, &m->count);
    return code;
}

static thr_model *shared(const thr_model *from, thr_error *err)
{
    thr_model *m = thr_model_blank();
    if (!m) {
        thr_fail_memory(err);
        return NULL;
    }
    m->reader = from->reader;
    m->unit = from->unit;
    m->seen = from->seen;
    m->known = from->known;
    m->lean = from->lean;
    m->min_count = from->min_count;
    m->max_features = from->max_features;
    m->counted = from->counted;
    m->eligible = from->eligible;
    m->map = from->map;
    if (m->map)
        thr_owners_add(&m->map->owners);
    if (share_parts(from, m, err)) {
        thr_model_free(m);
        return NULL;
    }
    thr_model_lay_out(m);
    return m;
}

const thr_model *thr_model_snapshot(thr_model *from, thr_error *err)
{
    if (from->snapshot)
        return thr_model_retain(from);
    thr_model *m = shared(from, err);
    if (!m)
        return NULL;
    m->race = from->race;
    m->snapshot = true;
    return m;
}

const thr_model *thr_model_retain(const thr_model *m)
{
    thr_owners_add((size_t *)(uintptr_t)&m->owners);
    return m;
}

/* All of a mapped model has been looked at by now. */
static void drop_guard(thr_model *m)
{
    m->lexicon.guard = NULL;
    for (uint32_t k = 0; k < m->members; k++)
        m->member[k].weights.guard = NULL;
}

thr_model *thr_model_clone(const thr_model *from, thr_error *err)
{
    if (thr_model_touch_all(from, err))
        return NULL;
    thr_model *m = shared(from, err);
    if (m)
        drop_guard(m);
    return m;
}
