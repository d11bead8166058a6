/* A single rule for two labels: its examples take a short way.
 *
 * A step (step.c) provides for panels, units, counts of occurrences, sets of labels and listeners.
 * Where a model has none of these, asking for each of them in each part of the step takes longer
 * than a short example itself. Here they are asked for once, and then example after example is
 * learned with what is left: the same calls in the same order, so that a model is the same to the
 * bit whichever way its examples took.
 *
 * The full step takes the rare examples: the first of a model, and those with a new label, a list
 * of candidates or running text. It also takes an example for which memory is short: it then meets
 * the failure again and reports it. Nothing has been learned from such an example before. */
#include "model/inside.h"
#include "step/stretch.h"

/* Whether the model has one rule that alone decides between two labels, by scores of a function
 * that both share, and sees all examples as they are. */
static bool is_plain_rule(const thr_model *m)
{
    const thr_member *k = m->member;
    const thr_rule *r = &k->rule;
    bool decides = m->members == 1 && !m->race && !thr_model_combines(m) && !m->panel.pauses;
    bool as_is = r->bias && m->unit != 1 && !m->units.on && (!r->nonnegative || k->scaled);
    bool ready = !r->learner->ready && !r->learner->fit && !m->layout.room;
    return decides && as_is && ready && m->labels.n == 2 && !m->reader.multilabel &&
           !thr_model_numbers(m) && thr_member_shares(k, &m->labels) &&
           !thr_classes_differ(&m->classes);
}

/* Whether the model has noted the format of its examples, which the full step does once
 * (thr_stretch_note). */
static bool is_noted(const thr_model *m, const thr_batch *b)
{
    return !b->format || m->seen.format[0];
}

static bool is_plain(const thr_example_info *about)
{
    return !about->more.n && !about->candidates.n && !about->from_text;
}

/* What stays the same from example to example, while the full step takes none. */
typedef struct alone {
    thr_stretch *s;
    thr_prefetch *ahead;
    size_t covered;   /* rows of ids below this are ready to be written to */
    uint32_t later;   /* ids beyond this are not in use yet */
    thr_str label[2]; /* where the batch has each label: in a cache, always in the same place */
} alone;

/* Nothing but the full step, or cover(), makes or moves rows. */
static void see_rows(alone *a)
{
    const thr_weights *w = a->ahead->table[0];
    a->covered = thr_weights_covered(a->ahead->table, 1, 0, a->later) ? w->rows : 0;
}

/* False: out of memory. */
static bool cover(alone *a, const thr_example *e, uint32_t top)
{
    bool moved = false;
    int code = thr_weights_cover(a->ahead->table, 1, e, top, a->later, &moved, NULL);
    if (moved)
        thr_prefetch_forget(a->ahead);
    see_rows(a);
    return code == 0;
}

/* The label's number, or THR_NONE. Equal addresses are equal names within a batch. */
static uint32_t label_of(alone *a, thr_str name)
{
    for (uint32_t l = 0; l < 2; l++)
        if (name.p == a->label[l].p && name.n == a->label[l].n && name.p)
            return l;
    uint32_t l = thr_labels_find(&a->s->m->labels, name);
    if (l < 2)
        a->label[l] = name;
    return l;
}

/* The example at hand, number i of the batch, and its rows. Those of the next are requested. */
static bool find_alone(alone *a, size_t i, thr_example *e, uint32_t *top)
{
    const thr_stretch *s = a->s;
    thr_lane *lane = s->w->lane;
    thr_model_example(s->m, s->b, i, e);
    const thr_row_list *found = thr_prefetch_rows(a->ahead, e);
    *top = found ? found->how.top : thr_weights_top(e->id, e->n);
    if (*top >= a->covered && !cover(a, e, *top))
        return false;
    if (s->from + 1 < s->upto)
        thr_lane_prefetch(lane, s->m, s->b, thr_stretch_example(s, 1), true);
    if (!thr_lane_find(lane, e))
        return false;
    e->row = lane->found;
    e->gathered = s->w->gathered;
    return true;
}

/* The rule's calibration, as in thr_case_fit. One that does not listen only counts the example, and
 * looks at none of the numbers. */
static void fit_alone(thr_model *m, thr_case *c, uint32_t label, double *room)
{
    thr_calibration *of = &m->member->calibration;
    if (c->repeated || thr_calibration_listens(of))
        thr_case_fit(m, c, 0, 1, room);
    else
        thr_calibration_learn_one(of, c->evidence, room, label, 1);
}

static void count_alone(thr_model *m, const thr_example *e, uint32_t top, const thr_lesson *out)
{
    thr_totals *t = &m->seen;
    t->mistakes += out->mistake;
    m->member->mistakes += out->mistake;
    t->updates += out->updates;
    t->examples++;
    t->active += (double)e->n - 1;
    t->max_norm2 = e->norm2 > t->max_norm2 ? e->norm2 : t->max_norm2;
    t->max_value = e->greatest > t->max_value ? e->greatest : t->max_value;
    if (top >= m->known && e->n)
        m->known = top + 1;
}

/* False: the full step must take the example. */
static bool learn_one_alone(alone *a)
{
    thr_stretch *s = a->s;
    thr_model *m = s->m;
    thr_member *k = m->member;
    thr_case *c = s->w->cases;
    size_t i = thr_stretch_example(s, 0);
    const thr_example_info *about = &s->b->about[i];
    uint32_t label = label_of(a, about->label), top;
    thr_example *e = c->view;
    if (label == THR_NONE || !is_plain(about) || thr_repeats_ready(&m->repeats, NULL) ||
        !find_alone(a, i, e, &top))
        return false;
    e->label = c->whole.label = label;
    c->repeated = thr_repeats_see(&m->repeats, thr_repeats_mark(&m->repeats, e));
    thr_classes_count(&m->classes, label);
    thr_prefetch_some(a->ahead);
    k->rule.learner->score(&k->rule, &k->weights, e, c->live, c->shown);
    uint32_t predicted = thr_member_label(k, &m->labels, NULL, c->shown, c->score);
    c->predicted[0] = predicted;
    fit_alone(m, c, label, s->w->fitted);
    thr_prefetch_some(a->ahead);
    *s->lesson = (thr_lesson){.predicted = predicted,
                              .label = label,
                              .mistake = predicted != label,
                              .updates = thr_member_learn(k, &m->labels, e, c->live)};
    count_alone(m, e, top, s->lesson);
    return true;
}

void thr_stretch_learn_alone(thr_stretch *s, size_t *learned)
{
    thr_case *c = s->w->cases;
    alone a = {.s = s, .ahead = &s->w->lane->ahead, .later = thr_stretch_last_id(s->m)};
    if (!is_plain_rule(s->m) || !is_noted(s->m, s->b))
        return;
    see_rows(&a);
    c->known = c->fits = true;
    c->restricted = c->formed = c->filtered = false;
    c->counts = 1;
    while (s->from < s->upto && *learned < THR_LESSONS && learn_one_alone(&a)) {
        s->from++;
        s->learned++;
        s->lesson++;
        ++*learned;
    }
}
