/* Snapshots and clones: a model as it is at one moment.
 *
 * A snapshot never changes; any number of threads may use it while one thread goes on learning in
 * the model it was taken from. A clone is a snapshot that can learn. Neither copies what grows with
 * the data:
 *
 *   part                          how it is had                          copied when
 *   ---------------------------   ------------------------------------   ------------------------
 *   rows of weights               shelves of segments, copy on write     a segment of 1024 rows is
 *                                                                        first written to
 *   occurrences, postings,        pages of 4096 elements, copy on        a page is first written to
 *     marks of hash collisions      write (base/share.h)
 *   names, fields of features     arrays that are only appended to       the array must grow or, by
 *                                                                        the view, be added to
 *   kept examples and notes       arrays that are only appended to       the same, or an example is
 *                                                                        forgotten
 *   the mapped file               counted                                never
 *   settings, labels, classes,    small                                  at once
 *     repeats, calibrations,
 *     panel, state of the rules
 *   state that a rule derives     learner->share, or rebuilt             at once
 *
 * So taking a snapshot costs time for small state and a pointer for each 2^18 rows; keeping it
 * costs memory for what the learner changes meanwhile.
 *
 *                 segments of rows      names
 *   snapshot      s0  s1  s2            a b c |          n = 3: ignores ids from 3 on
 *                 |   |                       |
 *   model         s0  s1  s2'           a b c | d e      has learned something in s2
 *
 * Counts. Every shared piece counts its owners, atomically, and is freed by the last of them. A
 * snapshot itself has a count of references too (m->owners): thr_model_retain adds one,
 * thr_model_free drops one. Readers take no lock, and the learner never waits for them.
 *
 * Rules for the thread that learns:
 *
 *   - It alone takes snapshots of its model, between two calls that learn, and not from within a
 *     listener. Sharing moves the epoch of every table on (weights.h).
 *   - Row addresses found before must not be written to afterwards: their segments now belong to
 *     the snapshot as well. thr_learn and training forget them at the end of each batch
 *     (thr_workspace_forget), so between two calls there are none.
 *   - Every write goes through a function that makes the memory its own first: thr_weights_cover
 *     and thr_weights_own for rows, thr_counts_at for counts, thr_memory_own before a kept example
 *     is forgotten or mirrored.
 *   - What the snapshot knows is never changed in place: names, kept examples and fields are
 *     appended behind it, and an id is stored last, with release.
 *
 * A snapshot can be cloned by any thread. Another model can be cloned only while no thread learns
 * in it. */
#include "model/inside.h"

#include <stdlib.h>

/* `keeps_learning`: `from` may learn again, so its next write to a shared segment must copy it. A
 * snapshot or a model opened for predicting never writes, and stays untouched but for counts of
 * owners. */
static int share_members(const thr_model *from, thr_model *m, thr_error *err)
{
    bool keeps_learning = !from->snapshot && !from->read_only;
    m->member = calloc(from->members, sizeof *m->member);
    int code = m->member ? 0 : thr_fail_memory(err);
    while (m->members < from->members && code == 0) {
        thr_member *k = &m->member[m->members];
        code = thr_member_share(&from->member[m->members], k, keeps_learning, err);
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
        code = thr_thresholds_copy(&from->thresholds, &m->thresholds, err);
    if (code == 0)
        code = thr_repeats_copy(&from->repeats, &m->repeats, err);
    if (code == 0)
        code = share_members(from, m, err);
    if (code == 0)
        code = thr_units_share(&from->units, &m->units, err);
    if (code == 0)
        thr_paged_share(&from->count, &m->count);
    return code;
}

/* A model that shares memory with `from`. It is not read-only even if `from` is: nothing of the
 * file is written to, since every write copies first. */
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
    m->beam = from->beam;
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
    m->read_only = from->read_only; /* for its clones */
    m->snapshot = true;
    return m;
}

const thr_model *thr_model_retain(const thr_model *m)
{
    thr_owners_add((size_t *)(uintptr_t)&m->owners);
    return m;
}

/* What a rule derives from its rows is not there if the model was opened for predicting, and its
 * clone learns. */
static int derive_to_learn(thr_member *k, thr_error *err)
{
    const thr_learner *l = k->rule.learner;
    return l->rebuild && !k->rule.memory ? l->rebuild(&k->rule, &k->weights, err) : 0;
}

/* A clone's chunks have all been checked before it was made. It may also come to hold rows that
 * differ from the file, so there is nothing left to guard. */
thr_model *thr_model_clone(const thr_model *from, thr_error *err)
{
    if (thr_model_touch_all(from, err))
        return NULL;
    thr_model *m = shared(from, err);
    if (!m)
        return NULL;
    int code = 0;
    m->lexicon.guard = NULL;
    for (uint32_t k = 0; k < m->members; k++)
        m->member[k].weights.guard = NULL;
    for (uint32_t k = 0; k < m->members && code == 0 && from->read_only; k++)
        code = derive_to_learn(&m->member[k], err);
    if (code == 0)
        return m;
    thr_model_free(m);
    return NULL;
}
