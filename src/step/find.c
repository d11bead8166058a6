/* What happens to an example before any member sees it, in the order of the stream. Nothing here
 * depends on what the members have learned, so it may run ahead of them by a stretch. */
#include "model/counts.h"
#include "model/inside.h"
#include "step/names.h"
#include "step/stretch.h"

#include <float.h>
#include <math.h>

#define MOST ((size_t)2 << 20) /* bytes that the cases of a stretch may take */

/* Rules that keep examples need more room for each further one, and those that are fitted to them
 * move rows while they learn; with a ceiling on features or with fields, each example may change
 * what members share; a count of occurrences changes what members know of features that they do not
 * see. */
static bool is_shared_by_examples(const thr_model *m)
{
    bool keeps = false;
    for (uint32_t k = 0; k < m->members; k++)
        keeps |= (m->member[k].rule.learner->flags & THR_KEEPS) != 0;
    return keeps || m->min_count || m->max_features || m->layout.groups;
}

bool thr_stretch_single(const thr_model *m, const thr_workspace *w)
{
    return w->single || w->on_update || is_shared_by_examples(m);
}

/* One thread gains nothing by a long stretch: it would only work on more memory at a time. Nor do
 * several where a rule decides alone; the last member of a mixture has the mixture beside it. */
size_t thr_stretch_most(const thr_model *m, const thr_workspace *w)
{
    const thr_layout *l = &m->layout;
    bool decides = m->members == 1 && !thr_model_mixes(m);
    if (!w->crew || decides || thr_stretch_single(m, w))
        return 1;
    size_t numbers = 2 * l->functions + l->labels * (3 * l->members + 5);
    size_t most = MOST / (numbers * sizeof(double) + 1);
    return most < 1 ? 1 : most < THR_STRETCH ? most : THR_STRETCH;
}

/* ---- find ----------------------------------------------------------------------------------- */

/* A panel's member that cannot take negative values has no rows until the first example that it can
 * take (thr_model_sits_out). From then on it is listed with the others. Here it gets a single row,
 * the bias's, in memory of its own; that makes the tables uneven, and thr_weights_cover then moves
 * all rows so that the member's lie beside the others'. */
static int wake_members(thr_model *m, thr_workspace *w, const thr_example *whole, thr_error *err)
{
    static const uint32_t bias = 0;
    const thr_example first = {.id = &bias, .n = 1};
    bool woken = false;
    for (uint32_t k = 0; k < m->members; k++) {
        size_t at;
        if (!thr_model_sits_out(m, k) || !thr_member_takes(&m->member[k], whole, &at))
            continue;
        int code = thr_weights_ready(&m->member[k].weights, &first, err);
        if (code)
            return code;
        woken = true;
    }
    return !woken || thr_workspace_prepare(w, m, 1, true) ? 0 : thr_fail_memory(err);
}

uint32_t thr_stretch_last_id(const thr_model *m)
{
    return __atomic_load_n(&m->lexicon.n, __ATOMIC_RELAXED) - 1;
}

/* Makes rows for the example, owned by this model and wide enough, in every lane. Memory is made
 * for all ids that the lexicon has given (`later`), because the rest of the batch will need it: so
 * rows seldom move, and addresses found ahead stay valid. The workspace is prepared. */
int thr_stretch_rows(thr_model *m, thr_workspace *w, const thr_case *c, thr_error *err)
{
    const thr_example *whole = &c->whole;
    uint32_t top = c->filtered ? thr_weights_top(whole->id, whole->n) : c->top;
    uint32_t later = thr_stretch_last_id(m);
    bool moved = false;
    int code = w->tables < m->members ? wake_members(m, w, whole, err) : 0;
    for (size_t l = 0; l < w->lanes && code == 0; l++) {
        thr_prefetch *a = &w->lane[l].ahead;
        if (thr_weights_covered(a->table, a->tables, top, later))
            continue;
        code = thr_weights_cover(a->table, a->tables, whole, top, later, &moved, err);
        if (moved)
            thr_prefetch_forget(a);
    }
    return code;
}

/* Nobody may sit out, since waking a member moves rows (wake_members). Of a batch that is visited
 * in another order, all examples may follow. */
int thr_stretch_rows_ahead(thr_stretch *s, thr_error *err)
{
    const thr_batch *b = s->b;
    size_t from = s->order ? 0 : b->start[s->from], end = s->order ? b->n : s->from + s->n;
    end = b->start[!s->order && s->upto > end ? s->upto : end];
    const thr_example all = {.id = b->id + from, .n = end - from};
    uint32_t later = thr_stretch_last_id(s->m);
    int code = 0;
    if (s->top == 0)
        s->top = s->order ? later : thr_weights_top(all.id, all.n);
    s->ready = s->w->tables == s->m->members;
    for (size_t l = 0; l < s->w->lanes && code == 0 && s->ready; l++) {
        thr_prefetch *a = &s->w->lane[l].ahead;
        bool moved = false;
        if (!thr_weights_covered(a->table, a->tables, s->top, later))
            code = thr_weights_cover(a->table, a->tables, &all, s->top, later, &moved, err);
        if (moved)
            thr_prefetch_forget(a);
        s->ready = thr_weights_covered(a->table, a->tables, s->top, later);
    }
    return code;
}

/* Learns the units of the example's features (model/units.h). */
static int see_units(thr_model *m, thr_case *c, const thr_example *whole, const thr_batch *b,
                     size_t i, thr_error *err)
{
    if (!thr_units_needed(&m->units, whole, b, i))
        return 0;
    if (!thr_grow(&c->grown, &c->grown_room, whole->n, sizeof *c->grown) ||
        !thr_case_make_values(c, whole->n))
        return thr_fail_memory(err);
    int code = thr_units_see(&m->units, whole, b, i, c->filtered ? c->place : NULL, m->known,
                             thr_model_keeps_values(m, b, i), c->most, c->grown, &c->n_grown, err);
    c->measured = code == 0;
    return code;
}

/* With max-features the next example has no ids yet. */
void thr_stretch_expect(const thr_model *m, const thr_batch *b, size_t i)
{
    if (m->units.on && m->units.active && !m->max_features)
        thr_units_prefetch(&m->units, b->id + b->start[i], b->start[i + 1] - b->start[i]);
}

/* Occurrences are counted before the example is filtered: with min-count N a feature takes part
 * from its N-th occurrence on. c->top is the greatest id of the unfiltered example, which decides
 * what is known after the step. */
int thr_stretch_find(thr_model *m, thr_workspace *w, thr_case *c, const thr_batch *b, size_t i,
                     bool made, thr_error *err)
{
    thr_model_example(m, b, i, &c->whole);
    c->top = thr_weights_top(c->whole.id, c->whole.n);
    c->n_grown = 0;
    c->measured = false;
    int code = m->min_count ? thr_counts_add(m, &c->whole, err) : 0;
    if (code == 0 && !thr_case_filter(m, c, &c->whole))
        code = thr_fail_memory(err);
    if (code == 0 && m->units.on)
        code = see_units(m, c, &c->whole, b, i, err);
    if (code == 0 && !made)
        code = thr_stretch_rows(m, w, c, err);
    if (code == 0 && !thr_case_view(m, c, &c->whole, b, i, NULL))
        code = thr_fail_memory(err);
    return code;
}

/* ---- the truth ------------------------------------------------------------------------------ */

/* Whether the example counts as met before (model/repeats.h), and remembers its mark. The mark is
 * made from all features that were read, including those below min-count, since which of them count
 * changes with time. Where features are dropped, ids are renumbered, so names are hashed
 * instead. */
static bool is_repeated(thr_model *m, const thr_case *c, const thr_batch *b, size_t i)
{
    thr_example read;
    const thr_example *all = c->filtered ? &read : &c->whole;
    if (c->filtered) {
        thr_model_example(m, b, i, &read);
        read.label = c->whole.label;
    }
    uint64_t mark = m->max_features ? thr_model_mark(m, all) : thr_repeats_mark(&m->repeats, all);
    return thr_repeats_see(&m->repeats, mark);
}

/* Counts the example for its label and, with class-weights, multiplies its importance by the
 * label's weight (model/classes.h). For multi-label data: marks the set of true labels. The product
 * stays finite: importance is a float. */
static void weigh_label(thr_model *m, thr_case *c, const thr_batch *b, size_t i)
{
    thr_example *whole = &c->whole;
    if (thr_model_numbers(m))
        return;
    if (m->reader.multilabel) {
        thr_case_mark_truth(m, c, b, i);
        whole->truth = c->truth;
        for (uint32_t l = 0; l < m->labels.n; l++)
            if (whole->truth[l])
                thr_classes_count(&m->classes, l);
    } else {
        thr_classes_count(&m->classes, whole->label);
        if (!thr_classes_differ(&m->classes))
            return;
        double weight = thr_classes_weight(&m->classes, whole->label);
        whole->importance = (float)fmin((double)whole->importance * weight, FLT_MAX);
    }
}

int thr_stretch_tell(thr_model *m, thr_case *c, const thr_batch *b, size_t i, thr_error *err)
{
    int code = thr_repeats_ready(&m->repeats, err);
    if (thr_model_mixes(m) && !m->reader.multilabel &&
        !thr_label_runs_reserve(&m->panel.order, m->labels.n))
        code = thr_fail_memory(err);
    if (code)
        return code;
    c->repeated = is_repeated(m, c, b, i);
    c->fits = thr_case_fits(m, c);
    c->counts =
        thr_case_weighs_runs(m, c) ? thr_label_runs_weigh(&m->panel.order, c->whole.label) : 1;
    weigh_label(m, c, b, i);
    thr_case_tell(c, m->members, &c->whole);
    return 0;
}

/* m->known moves past the example's features only when the next example is begun, so that features
 * that are new in this one can be told apart. */
void thr_stretch_know(thr_model *m, const thr_case *c, const thr_batch *b, size_t i)
{
    if (c->top >= m->known && b->start[i + 1] > b->start[i])
        m->known = c->top + 1;
    if (m->min_count > 1)
        thr_counts_known(m);
}
