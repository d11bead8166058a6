/* A step: an example is predicted, or a stretch of examples is predicted and then learned. The file
 * follows the step from top to bottom; thr_model_learn, at its end, is the step itself.
 *
 *   resume    rules fitted to all kept examples go back to the state they learn from
 *   find      count the features, leave out those below min-count, learn their units, make the
 *             rows that are missing, scale the values                              (find.c)
 *   meet      only where a label is new: the example is predicted and compared with the truth, the
 *             label is added and its functions are made, so that each has a value to move from
 *   tell      the label, what it counts, whether the example is met again          (find.c)
 *   lanes     every member: rows, scores, probabilities, update                    (lane.c)
 *   finish    decide: the vote, or the single member's answer                      (score.c)
 *             compare: the predictions with the truth                              (record.c)
 *             record: mistakes, the mixture, the experts' weights                  (record.c)
 *             note: what is counted of every example
 *
 * Find to tell is done for each example of the stretch, then lanes, then finish (stretch.h).
 * Predicting is find, score and decide, with a const model.
 *
 * The prediction that counts as right or wrong knows nothing of the truth: a member scores before
 * it learns, what the panel decides by is learned in finish, and a new label is added after `meet`
 * has compared.
 *
 * A failure means that examples of the stretch before the one that failed have been learned, if it
 * came from `find` to `tell`; from this example nothing was learned, though names, rows of start
 * values, a new label and counts of occurrences may have been added. In the lanes only a lack of
 * memory or the listener can fail, which is called after each member's update; some members have
 * not learned the examples then. Either way the model is valid, but it is not the one that
 * undisturbed training gives, and should not be saved. */
#include "model/counts.h"
#include "model/inside.h"
#include "model/review.h"
#include "step/stretch.h"
#include "step/trace.h"

#include <stdio.h>
#include <string.h>

/* ---- predict -------------------------------------------------------------------------------- */

int thr_model_score(const thr_model *m, thr_workspace *w, const thr_batch *b, size_t i,
                    uint32_t *best, thr_error *err)
{
    thr_example whole;
    thr_model_example(m, b, i, &whole);
    if (!thr_workspace_prepare(w, m, 1, false))
        return thr_fail_memory(err);
    thr_case *c = w->cases;
    thr_lane *lane = &w->lane[0];
    c->measured = false;
    thr_prefetch_some(&lane->ahead);
    if (!thr_case_filter(m, c, &whole) || !thr_lane_find(lane, &whole) ||
        !thr_case_view(m, c, &whole, b, i, lane->found))
        return thr_fail_memory(err);
    thr_lane_give(w, lane, m, c, whole.n);
    thr_case_restrict(m, c, b, i, &whole);
    thr_case_score(m, c, 0, m->members, &lane->ahead);
    *best = thr_case_decide(m, c, &whole, NULL);
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

/* ---- a new label ---------------------------------------------------------------------------- */

/* Whether example i has a label that the model does not know. If not, *label is its number, or
 * THR_NONE. */
static bool has_new_label(const thr_model *m, const thr_batch *b, size_t i, uint32_t *label)
{
    const thr_example_info *about = &b->about[i];
    *label = THR_NONE;
    if (thr_model_numbers(m))
        return false;
    bool given = about->label.p || !m->reader.multilabel;
    if (given)
        *label = thr_labels_find(&m->labels, about->label);
    bool unknown = given && *label == THR_NONE;
    for (size_t k = 0; k < about->more.n && !unknown; k++)
        unknown = thr_labels_find(&m->labels, b->listed[about->more.from + k]) == THR_NONE;
    return unknown;
}

/* The model's answer from the members' scores, and whether it is right. The model had `labels_then`
 * labels when they scored. The number of examples so far seeds the draw of a random vote: a resumed
 * model draws as before. */
static void decide(thr_model *m, thr_case *c, uint32_t labels_then, thr_lesson *out)
{
    out->predicted = thr_case_decide(m, c, &c->whole, &m->seen.examples);
    if (m->reader.multilabel)
        thr_case_choose(m, c);
    if (m->reader.multilabel && out->predicted < labels_then && !c->chosen[out->predicted])
        out->predicted = THR_NONE;
}

/* Makes functions for the labels from number labels_then on: an update goes by c->live, which must
 * have a value for every function. Rows that were made for later examples (thr_stretch_rows_ahead)
 * take no part: what a new label begins with must not depend on them. thr_model_widen takes the
 * labels back if it fails. */
static int add_functions(thr_model *m, thr_workspace *w, thr_case *c, const thr_batch *b, size_t i,
                         uint32_t labels_then, thr_error *err)
{
    uint32_t met = c->top < m->known ? m->known : c->top + 1;
    thr_workspace_forget(w); /* rows become wider, and move */
    for (uint32_t k = 0; k < m->members; k++)
        thr_weights_trim(&m->member[k].weights, met);
    int code = thr_model_widen(m, labels_then, err);
    if (code == 0 && !(thr_workspace_prepare(w, m, 1, true) && thr_case_lay_out(c, m)))
        code = thr_fail_memory(err);
    if (code == 0)
        code = thr_stretch_rows(m, w, c, err);
    if (code == 0 && !thr_case_view(m, c, &c->whole, b, i, NULL))
        code = thr_fail_memory(err);
    if (code == 0)
        thr_case_restrict(m, c, b, i, &c->whole);
    return code;
}

/* New labels get a number, the predictions are compared with the truth, and only then do new labels
 * get functions: comparing must see the scores as they were. */
static int hear_truth(thr_model *m, thr_workspace *w, thr_case *c, const thr_batch *b, size_t i,
                      thr_lesson *out, thr_error *err)
{
    uint32_t labels_then = m->labels.n, other;
    thr_list more = b->about[i].more;
    int code = 0;
    if (b->about[i].label.p || !m->reader.multilabel)
        code = thr_labels_add(&m->labels, b->about[i].label, &c->whole.label, err);
    for (size_t k = 0; k < more.n && code == 0; k++)
        code = thr_labels_add(&m->labels, b->listed[more.from + k], &other, err);
    if (code == 0)
        code = thr_model_check_limits(m, err);
    if (code) {
        thr_labels_drop(&m->labels, labels_then);
        return code;
    }
    thr_case_compare(m, c, b, i, c->whole.label, labels_then, out);
    return add_functions(m, w, c, b, i, labels_then, err);
}

/* Predicts an example whose label is new, and adds the label. */
static int meet(thr_model *m, thr_workspace *w, thr_case *c, const thr_batch *b, size_t i,
                thr_lesson *out, thr_error *err)
{
    uint32_t labels_then = m->labels.n;
    int code = 0;
    for (size_t l = 0; l < w->lanes && code == 0; l++)
        code = thr_lane_score(m, w, &w->lane[l], c, err);
    if (code)
        return code;
    c->n_grown = 0; /* the members have converted their sums */
    decide(m, c, labels_then, out);
    if (w->trace && !thr_trace_predicted(w->trace, m, c))
        return thr_fail_memory(err);
    code = hear_truth(m, w, c, b, i, out, err);
    if (out->predicted >= labels_then) /* it meant "a label not met yet" */
        out->predicted = THR_NONE;
    return code;
}

/* ---- find ----------------------------------------------------------------------------------- */

/* Finds the next example of the stretch, number s->n, and takes it in. `label` is its number; with
 * `new_label` it has none yet, and the example is the first of the stretch. `made` as in
 * thr_stretch_find. */
static int take_one(thr_stretch *s, uint32_t label, bool new_label, bool made, thr_error *err)
{
    thr_model *m = s->m;
    size_t i = thr_stretch_example(s, s->n);
    thr_case *c = thr_workspace_case(s->w, m, s->at + s->n);
    if (!c)
        return thr_fail_memory(err);
    thr_lesson *out = &s->lesson[s->n];
    *out = (thr_lesson){.predicted = THR_NONE, .new_label = new_label};
    if (s->from + s->n + 1 < s->upto)
        thr_stretch_expect(m, s->b, thr_stretch_example(s, s->n + 1));
    int code = thr_stretch_find(m, s->w, c, s->b, i, made, err);
    if (code == 0)
        thr_case_restrict(m, c, s->b, i, &c->whole);
    c->known = !new_label;
    c->whole.label = label;
    if (code == 0 && new_label)
        code = meet(m, s->w, c, s->b, i, out, err);
    if (code == 0)
        code = thr_stretch_tell(m, c, s->b, i, err);
    s->n += code == 0;
    return code;
}

void thr_stretch_know_last(const thr_stretch *s)
{
    if (s->n)
        thr_stretch_know(s->m, &s->w->cases[s->at + s->n - 1], s->b,
                         thr_stretch_example(s, s->n - 1));
}

int thr_stretch_take(thr_stretch *s, bool beside, thr_error *err)
{
    int code = 0;
    uint64_t review = thr_panel_until_review(&s->m->panel, s->learned);
    size_t most = review < s->most ? (size_t)review : s->most;
    while (s->n < most && s->from + s->n < s->upto && code == 0) {
        uint32_t label;
        bool new_label = has_new_label(s->m, s->b, thr_stretch_example(s, s->n), &label);
        if (new_label && (s->n || beside))
            break;
        thr_stretch_know_last(s);
        code = take_one(s, label, new_label, beside, err);
        if (new_label)
            break;
    }
    return code;
}

/* ---- finish --------------------------------------------------------------------------------- */

/* Counts what is reported of every example, whatever the rules made of it. R^2 and X are taken from
 * the first member's view, with its bias and scaling. */
void thr_stretch_note(thr_model *m, const thr_case *c, const thr_batch *b, size_t i)
{
    thr_totals *s = &m->seen;
    const thr_example *e = &c->view[0], *whole = &c->whole;
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
}

/* Decides, compares and records example n of the stretch. One with a new label was compared before,
 * when it was met. */
static void finish(const thr_stretch *s, size_t n)
{
    thr_model *m = s->m;
    thr_case *c = &s->w->cases[s->at + n];
    thr_lesson *out = &s->lesson[n];
    size_t i = thr_stretch_example(s, n);
    if (c->known) {
        decide(m, c, m->labels.n, out);
        thr_case_compare(m, c, s->b, i, c->whole.label, m->labels.n, out);
    }
    thr_case_record(m, c, out);
    if (out->predicted >= m->labels.n) /* it meant "a label not met yet" */
        out->predicted = THR_NONE;
    out->label = m->reader.multilabel ? THR_NONE : c->whole.label;
    for (uint32_t k = 0; k < m->members; k++)
        out->updates += c->moved[k];
    m->seen.updates += out->updates;
    thr_stretch_note(m, c, s->b, i);
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
            if (m->member[k].rule.learner->fit) /* it may move rows that were found ahead */
                thr_workspace_forget(w);
            code = thr_member_resume(&m->member[k], err);
        }
    return code;
}

int thr_workspace_listen(const thr_model *m, thr_workspace *w, thr_error *err)
{
    if (w->trace && w->trace->members != m->members) { /* some have been paused */
        thr_trace_free(w->trace);
        w->trace = NULL;
    }
    return !w->on_update || w->trace
               ? 0
               : thr_trace_new(&w->trace, m, w->on_update, w->update_user, err);
}

void thr_stretch_finish(const thr_stretch *s)
{
    for (size_t n = 0; n < s->n; n++)
        finish(s, n);
    thr_stretch_know_last(s);
}

/* Without the paused members rows lie elsewhere, and cases are smaller. */
int thr_stretch_review(thr_model *m, thr_workspace *w, thr_error *err)
{
    if (!thr_model_review(m))
        return 0;
    thr_workspace_forget(w);
    return thr_workspace_prepare(w, m, 1, true) ? thr_workspace_listen(m, w, err)
                                                : thr_fail_memory(err);
}

/* Learns example after example, or a single one. */
static int learn_each(thr_stretch *s, bool several, size_t *learned, thr_error *err)
{
    int code = 0;
    do {
        if (several)
            thr_stretch_learn_alone(s, learned);
        if (s->from == s->upto || *learned == THR_LESSONS)
            return 0;
        s->n = 0;
        code = thr_stretch_take(s, false, err);
        if (s->n == 0)
            return code;
        int worked = thr_stretch_work(s, err);
        if (worked)
            return worked;
        thr_stretch_finish(s);
        s->from++;
        s->learned++;
        s->lesson++;
        ++*learned;
        worked = thr_stretch_review(s->m, s->w, err);
        if (worked)
            return worked;
    } while (several && code == 0 && s->from < s->upto && *learned < THR_LESSONS);
    return code;
}

int thr_model_learn(thr_model *m, thr_workspace *w, const thr_batch *b, const size_t *order,
                    size_t from, size_t upto, thr_lesson *lesson, size_t *learned, thr_error *err)
{
    size_t most = thr_stretch_most(m, w);
    thr_stretch first = {.m = m,
                         .w = w,
                         .b = b,
                         .order = order,
                         .from = from,
                         .upto = upto,
                         .learned = m->seen.examples,
                         .lesson = lesson,
                         .most = most};
    *learned = 0;
    int code = resume_rules(m, w, err);
    if (code == 0)
        code = thr_workspace_listen(m, w, err);
    if (code == 0 && !thr_workspace_prepare(w, m, most > 1 ? THR_UNDER_WAY * most : 1, true))
        code = thr_fail_memory(err);
    if (code)
        return code;
    bool several = !w->shown && !thr_stretch_single(m, w);
    return most > 1 ? thr_stretch_learn_all(&first, learned, err)
                    : learn_each(&first, several, learned, err);
}
