/* One step: an example is predicted, or predicted and then learned. The file follows the step from
 * top to bottom; thr_model_learn, near its end, is the step itself.
 *
 *   resume    rules fitted to all kept examples go back to the state they learn from
 *   find      count the features, leave out those below min-count, learn their units, make the
 *             rows that are missing, find the rows of the example in every member's table,
 *             scale its values
 *   score     every member                                     (score.c)
 *   decide    the vote, or the single member's answer          (score.c)
 *   compare   the predictions with the truth                   (record.c)
 *             a label met for the first time is added here: its functions are made, and the example
 *             is scored again so that each function has a value to move from
 *   ready     room for everything that follows: the last part that can fail
 *   record    mistakes, probabilities, the experts' weights    (record.c)
 *   update    every member learns
 *   note      what is counted of every example; its features are known from now on
 *
 * Predicting is find, score and decide, with a const model.
 *
 * The prediction that counts as right or wrong is made before anything is known of the truth: no
 * true label of the example is looked up, added or weighed before `compare`.
 *
 * A failure up to `ready` means that nothing was learned from the example. Names, rows of start
 * values, a new label and counts of occurrences may have been added by then. From `record` on
 * nothing can fail except the listener, which is called after each member's update. If it stops the
 * step, the members after that one have not learned the example. Either way the model is valid, but
 * it is not the one that undisturbed training gives, and should not be saved.
 *
 * thr_prefetch_some stands before each piece of work: it prefetches rows of the next example
 * (prefetch.h). */
#include "model/counts.h"
#include "model/inside.h"
#include "multiclass/rule.h"
#include "step/names.h"
#include "step/trace.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

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

/* Makes rows for the example, owned by this model and wide enough, and finds them. Memory is made
 * for all ids that the lexicon has given (`later`), because the rest of the batch will need it: so
 * rows seldom move, and addresses found ahead stay valid. The workspace is prepared. */
static int make_rows(thr_model *m, thr_workspace *w, const thr_example *whole, const thr_batch *b,
                     size_t i, thr_error *err)
{
    thr_case *c = w->cases;
    uint32_t top = c->filtered ? thr_prefetch_top(&w->ahead, whole) : c->top;
    uint32_t later = m->lexicon.n - 1;
    bool moved = false;
    int code = w->tables < m->members ? wake_members(m, w, whole, err) : 0;
    if (code == 0 && !thr_weights_covered(w->table, w->tables, top, later))
        code = thr_weights_cover(w->table, w->tables, whole, top, later, &moved, err);
    if (moved)
        thr_workspace_forget(w);
    return code ? code : thr_workspace_find(w, m, c, whole, b, i) ? 0 : thr_fail_memory(err);
}

/* Learns the units of the example's features (model/units.h). */
static int see_units(thr_model *m, thr_case *c, const thr_example *whole, const thr_batch *b,
                     size_t i, thr_error *err)
{
    long grown = 0;
    if (!thr_grow(&c->ratio, &c->ratio_room, whole->n, sizeof *c->ratio))
        return thr_fail_memory(err);
    if (thr_units_needed(&m->units, whole, b, i) && !thr_units_unchanged(&m->units, whole))
        grown = thr_units_see(&m->units, whole, b, i, c->filtered ? c->place : NULL, m->known,
                              thr_model_keeps_values(m, b, i), c->ratio, err);
    c->grown = grown > 0 ? (size_t)grown : 0;
    return grown < 0 ? (int)grown : 0;
}

/* Where a greater value has changed the unit of a feature, rules convert what they have summed. */
static int rescale_members(thr_model *m, thr_case *c, thr_error *err)
{
    int code = 0;
    for (uint32_t k = 0; k < m->members && code == 0; k++) {
        thr_member *member = &m->member[k];
        const thr_example *e = &c->view[k];
        if (!member->scaled || !member->rule.learner->rescale || !e->row)
            continue;
        for (size_t i = 0; i < e->n && code == 0; i++)
            if (c->ratio[i] != 1)
                code = thr_rule_rescale(&member->rule, &member->weights, e, i,
                                        (double)c->ratio[i], err);
    }
    return code;
}

/* Occurrences are counted before the example is filtered: with min-count N a feature takes part
 * from its N-th occurrence on. c->top is the greatest id of the unfiltered example, which decides
 * what is known after the step. */
static int find_to_learn(thr_model *m, thr_workspace *w, thr_example *whole, const thr_batch *b,
                         size_t i, thr_error *err)
{
    if (!thr_workspace_prepare(w, m, 1, true))
        return thr_fail_memory(err);
    w->cases->top = thr_prefetch_top(&w->ahead, whole);
    int code = m->min_count ? thr_counts_add(m, whole, err) : 0;
    if (code == 0 && !thr_case_filter(m, w->cases, whole))
        code = thr_fail_memory(err);
    w->cases->grown = 0;
    if (code == 0 && m->units.on)
        code = see_units(m, w->cases, whole, b, i, err);
    if (code == 0)
        code = make_rows(m, w, whole, b, i, err);
    return code == 0 && w->cases->grown ? rescale_members(m, w->cases, err) : code;
}

/* ---- score and decide ----------------------------------------------------------------------- */

/* Every member scores, and the model decides. `round` seeds a random vote (thr_case_decide). */
static uint32_t score_and_decide(const thr_model *m, thr_workspace *w, const thr_example *whole,
                                 const uint64_t *round)
{
    for (uint32_t k = 0; k < m->members; k++) {
        thr_prefetch_some(&w->ahead);
        thr_case_score(m, w->cases, k);
    }
    return thr_case_decide(m, w->cases, whole, round);
}

int thr_model_score(const thr_model *m, thr_workspace *w, const thr_batch *b, size_t i,
                    uint32_t *best, thr_error *err)
{
    thr_example whole;
    thr_model_example(m, b, i, &whole);
    thr_prefetch_some(&w->ahead);
    if (!thr_workspace_prepare(w, m, 1, false) || !thr_case_filter(m, w->cases, &whole) ||
        !thr_workspace_find(w, m, w->cases, &whole, b, i))
        return thr_fail_memory(err);
    thr_case *c = w->cases;
    thr_case_restrict(m, c, b, i, &whole);
    *best = score_and_decide(m, w, &whole, NULL);
    /* While one label is known, a shared function may predict the other, which has no name yet. A
     * caller wants a label that exists. */
    if (*best >= m->labels.n)
        *best = m->labels.n && !c->restricted ? 0 : THR_NONE;
    if (!m->reader.multilabel)
        return 0;
    thr_case_choose(m, c);
    thr_case_mark_truth(m, c, b, i);
    if (*best != THR_NONE && !c->chosen[*best])
        *best = THR_NONE;
    return 0;
}

int thr_model_errs(const thr_model *m, thr_workspace *w, const thr_batch *b, size_t i, bool *wrong,
                   thr_error *err)
{
    thr_lesson lesson = {0};
    uint32_t label = thr_labels_find(&m->labels, b->about[i].label);
    int code = thr_model_score(m, w, b, i, &lesson.predicted, err);
    if (code == 0)
        thr_case_compare(m, w->cases, b, i, label, m->labels.n, &lesson);
    *wrong = lesson.mistake;
    return code;
}

/* ---- compare -------------------------------------------------------------------------------- */

/* Makes functions for the labels from number labels_then on, and scores the example again: an
 * update goes by c->live, which must have a value for every function. The prediction itself stays
 * as it was. thr_model_widen takes the labels back if it fails. */
static int add_functions(thr_model *m, thr_workspace *w, thr_example *whole, const thr_batch *b,
                         size_t i, uint32_t labels_then, thr_error *err)
{
    thr_workspace_forget(w); /* rows become wider, and move */
    int code = thr_model_widen(m, labels_then, err);
    if (code == 0 && !thr_workspace_prepare(w, m, 1, true))
        code = thr_fail_memory(err);
    if (code == 0)
        code = make_rows(m, w, whole, b, i, err);
    if (code)
        return code;
    thr_case_restrict(m, w->cases, b, i, whole);
    score_and_decide(m, w, whole, NULL);
    return 0;
}

/* The truth is looked at for the first time. New labels get a number, the predictions are compared
 * with the truth, and only then do new labels get functions: comparing must see the scores as they
 * were. */
static int hear_truth(thr_model *m, thr_workspace *w, thr_example *whole, const thr_batch *b,
                      size_t i, thr_lesson *out, thr_error *err)
{
    uint32_t labels_then = m->labels.n, other;
    thr_list more = b->about[i].more;
    int code = 0;
    if (!thr_model_numbers(m)) {
        if (b->about[i].label.p || !m->reader.multilabel)
            code = thr_labels_add(&m->labels, b->about[i].label, &whole->label, err);
        for (size_t k = 0; k < more.n && code == 0; k++)
            code = thr_labels_add(&m->labels, b->listed[more.from + k], &other, err);
    }
    if (code == 0 && m->labels.n > labels_then)
        code = thr_model_check_limits(m, err);
    if (code) {
        thr_labels_drop(&m->labels, labels_then);
        return code;
    }
    thr_case_compare(m, w->cases, b, i, whole->label, labels_then, out);
    return m->labels.n == labels_then ? 0 : add_functions(m, w, whole, b, i, labels_then, err);
}

/* ---- record --------------------------------------------------------------------------------- */

/* A fit writes every row, and rows of a mapped file or of a snapshot move when they are first
 * written to: the next example, whose rows have been found ahead, would be scored by the weights
 * from before the fit. */
static void forget_fitted(const thr_member *member, thr_workspace *w)
{
    if (member->rule.learner->fit)
        thr_workspace_forget(w);
}

/* Makes room for what recording and updating will store. Nothing after this can run out of memory,
 * except the listener's notes. */
static int ready_members(thr_model *m, thr_workspace *w, const thr_example *whole, thr_error *err)
{
    thr_case_tell(w->cases, m->members, whole);
    int code = thr_repeats_ready(&m->repeats, err);
    if (thr_model_mixes(m) && !m->reader.multilabel &&
        !thr_label_runs_reserve(&m->panel.order, m->labels.n))
        code = thr_fail_memory(err);
    for (uint32_t k = 0; k < m->members && code == 0; k++) {
        forget_fitted(&m->member[k], w);
        code = thr_member_ready(&m->member[k], &m->labels, &w->cases->view[k], err);
    }
    return code;
}

/* Whether the example counts as met before (model/repeats.h), and remembers its mark. The mark is
 * made from all features that were read, including those below min-count, since which of them count
 * changes with time. Where features are dropped, ids are renumbered, so names are hashed
 * instead. */
static bool is_repeated(thr_model *m, const thr_case *c, const thr_example *whole,
                        const thr_batch *b, size_t i)
{
    thr_example read;
    const thr_example *all = c->filtered ? &read : whole;
    if (c->filtered) {
        thr_model_example(m, b, i, &read);
        read.label = whole->label;
    }
    uint64_t mark = m->max_features ? thr_model_mark(m, all) : thr_repeats_mark(&m->repeats, all);
    return thr_repeats_see(&m->repeats, mark);
}

/* Counts the example for its label and, with class-weights, multiplies its importance by the
 * label's weight (model/classes.h). For multi-label data: marks the set of true labels. Every
 * member's view gets both. The product stays finite: importance is a float. */
static void weigh_label(thr_model *m, thr_case *c, thr_example *whole, const thr_batch *b, size_t i)
{
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
    thr_case_tell(c, m->members, whole);
}

/* ---- update --------------------------------------------------------------------------------- */

/* Tells the listener which example made member k move, and how. */
static int tell_cause(thr_model *m, thr_workspace *w, uint32_t k, const thr_batch *b, size_t i,
                      thr_error *err)
{
    const thr_example_info *about = &b->about[i];
    thr_cause cause = {.label = about->label,
                       .tag = about->tag,
                       .also = about->more.n ? b->listed + about->more.from : NULL,
                       .n_also = about->more.n,
                       .file = w->file,
                       .line = w->line};
    return thr_trace_end(w->trace, m, k, &w->cases->view[k], &cause, err);
}

/* A member that cannot take the example's values is passed over. Stops if the listener fails. */
static int update_members(thr_model *m, thr_workspace *w, const thr_batch *b, size_t i,
                          thr_error *err)
{
    int code = 0;
    for (uint32_t k = 0; k < m->members && code == 0; k++) {
        thr_member *member = &m->member[k];
        const thr_example *e = &w->cases->view[k];
        size_t at;
        thr_prefetch_some(&w->ahead);
        if (w->trace)
            thr_trace_begin(w->trace, member);
        if (thr_member_takes(member, e, &at))
            m->seen.updates += thr_member_learn(member, &m->labels, e, w->cases->live + member->at);
        if (w->trace)
            code = tell_cause(m, w, k, b, i, err);
    }
    return code;
}

/* Counts what is reported of every example, whatever the rules made of it. R^2 and X are taken from
 * the first member's view, with its bias and scaling. m->known moves past the example's features
 * only here, so during the step features that are new in this example can be told apart. */
static void note_example(thr_model *m, const thr_case *c, const thr_batch *b, size_t i,
                         const thr_example *whole)
{
    thr_totals *s = &m->seen;
    const thr_example *e = &c->view[0];
    bool same = e->n == whole->n && e->scale == whole->scale && e->x == whole->x;
    s->examples++;
    s->active += (double)whole->n - 1;
    double value = same ? whole->greatest : thr_example_max(e);
    s->max_norm2 = e->norm2 > s->max_norm2 ? e->norm2 : s->max_norm2;
    s->max_value = value > s->max_value ? value : s->max_value;
    if (b->about[i].from_text && !s->text) {
        s->text = true;
        snprintf(s->unicode, sizeof s->unicode, "%s", thr_unicode_version());
    }
    if (b->format && !s->format[0])
        snprintf(s->format, sizeof s->format, "%s", b->format);
    if (c->top >= m->known && b->start[i + 1] > b->start[i])
        m->known = c->top + 1;
    if (m->min_count > 1)
        thr_counts_known(m);
}

/* ---- the step ------------------------------------------------------------------------------- */

/* A rule that is fitted to all kept examples when training ends (learner->fit) goes back to the fit
 * it had while it learned, that of the last doubling; so stopping in between does not show. Rules
 * that compare fields are told the fields of new features. */
static int resume_rules(thr_model *m, thr_workspace *w, thr_error *err)
{
    int code = m->layout.groups ? thr_model_group(m, err) : 0;
    for (uint32_t k = 0; k < m->members && code == 0; k++)
        if (m->member[k].rule.finished) {
            forget_fitted(&m->member[k], w);
            code = thr_member_resume(&m->member[k], err);
        }
    return code;
}

/* Makes the trace, if there is a listener and no trace yet. */
static int listen(const thr_model *m, thr_workspace *w, thr_error *err)
{
    return !w->on_update || w->trace
               ? 0
               : thr_trace_new(&w->trace, m, w->on_update, w->update_user, err);
}

int thr_model_learn(thr_model *m, thr_workspace *w, const thr_batch *b, size_t i, thr_lesson *out,
                    thr_error *err)
{
    uint32_t labels_then = m->labels.n;
    uint64_t updates_then = m->seen.updates;
    thr_example whole;
    thr_model_example(m, b, i, &whole);
    *out = (thr_lesson){.predicted = THR_NONE, .label = THR_NONE};
    int code = resume_rules(m, w, err);
    if (code == 0)
        code = listen(m, w, err);
    if (code == 0)
        code = find_to_learn(m, w, &whole, b, i, err);
    if (code)
        return code;

    /* The number of examples so far seeds the draw of a random vote: a resumed model draws as
     * before. */
    thr_case *c = w->cases;
    thr_case_restrict(m, c, b, i, &whole);
    out->predicted = score_and_decide(m, w, &whole, &m->seen.examples);
    if (w->trace && !thr_trace_predicted(w->trace, m, c))
        return thr_fail_memory(err);
    if (m->reader.multilabel)
        thr_case_choose(m, c);
    if (m->reader.multilabel && out->predicted < labels_then && !c->chosen[out->predicted])
        out->predicted = THR_NONE;

    code = hear_truth(m, w, &whole, b, i, out, err);
    if (code == 0)
        code = ready_members(m, w, &whole, err);
    if (code)
        return code;
    bool repeated = is_repeated(m, c, &whole, b, i), known = m->labels.n == labels_then;
    weigh_label(m, c, &whole, b, i);
    thr_prefetch_some(&w->ahead);
    thr_case_record(m, c, whole.label, out, known, repeated);
    code = update_members(m, w, b, i, err);
    if (out->predicted >= labels_then) /* it meant "a label not met yet" */
        out->predicted = THR_NONE;
    out->label = m->reader.multilabel ? THR_NONE : whole.label;
    out->new_label = !known;
    out->updates = m->seen.updates - updates_then;
    note_example(m, c, b, i, &whole);
    return code;
}

/* ---- a push -----------------------------------------------------------------------------------
 *
 * A push moves one label's function as if it were wrong, whatever it predicts. It is a step without
 * compare and record: no mistake is counted, no probability is fitted, and the example is not
 * remembered as met. A label that is promoted may be new, one that is demoted must be known. */

static int can_push(const thr_model *m, thr_error *err)
{
    for (uint32_t k = 0; k < m->members; k++)
        if (thr_member_can_push(&m->member[k], &m->labels))
            return 0;
    return thr_fail(err, THR_EUSE, "%s has no function of one label to promote or demote",
                    thr_settings_get(m->settings, "learner"));
}

/* Members that cannot move one label alone, or cannot take the example's values, are passed
 * over. */
static int push_members(thr_model *m, thr_workspace *w, const thr_cause *cause, thr_error *err)
{
    int code = 0;
    for (uint32_t k = 0; k < m->members && code == 0; k++) {
        thr_member *member = &m->member[k];
        size_t at;
        const thr_example *e = &w->cases->view[k];
        bool can = thr_member_can_push(member, &m->labels) && thr_member_takes(member, e, &at);
        if (w->trace)
            thr_trace_begin(w->trace, member);
        if (can)
            m->seen.updates +=
                thr_member_push(member, &m->labels, e, w->cases->live + member->at, cause->pushed);
        if (w->trace)
            code = thr_trace_end(w->trace, m, k, e, cause, err);
    }
    return code;
}

int thr_model_push(thr_model *m, thr_workspace *w, const thr_batch *b, size_t i, thr_str label,
                   int sign, thr_error *err)
{
    const thr_cause cause = {
        .label = label, .tag = b->about[i].tag, .pushed = sign, .file = w->file, .line = w->line};
    thr_example whole;
    thr_model_example(m, b, i, &whole);
    if (sign < 0 && thr_labels_find(&m->labels, label) == THR_NONE)
        return thr_fail(err, THR_EDATA, "the model knows no label '%.*s'",
                        (int)(label.n < 64 ? label.n : 64), label.p);
    int code = can_push(m, err);
    if (code == 0)
        code = listen(m, w, err);
    if (code == 0)
        code = thr_model_add_label(m, label, &whole.label, err);
    if (code == 0)
        code = thr_model_group(m, err);
    if (code == 0)
        code = find_to_learn(m, w, &whole, b, i, err);
    if (code == 0)
        code = ready_members(m, w, &whole, err);
    if (code)
        return code;
    w->cases->restricted = false; /* the label is given: candidates do not matter */
    score_and_decide(m, w, &whole, NULL);
    if (w->trace && !thr_trace_predicted(w->trace, m, w->cases))
        return thr_fail_memory(err);
    code = push_members(m, w, &cause, err);
    note_example(m, w->cases, b, i, &whole);
    return code;
}
