/* A lane works: its members find an example's rows, score, fit their probabilities and learn, one
 * example after another. Nothing is written but what belongs to these members: their rows and
 * calibrations, and their places in the cases.
 *
 * Members score before any of them learns, so that a rule without memory for the example (`ready`)
 * stops the lane before something was learned from it. thr_prefetch_some stands before each piece
 * of work: it prefetches rows of the next example (prefetch.h). */
#include "model/inside.h"
#include "multiclass/rule.h"
#include "step/stretch.h"
#include "step/trace.h"

/* Where a greater value has changed the unit of a feature, rules convert what they have summed. */
static int rescale_members(thr_model *m, const thr_lane *lane, thr_case *c, thr_error *err)
{
    int code = 0;
    for (uint32_t k = lane->first; k < lane->end && code == 0; k++) {
        thr_member *member = &m->member[k];
        const thr_example *e = &c->view[k];
        if (member->scaled && member->rule.learner->rescale && e->row)
            code = thr_rule_rescale(&member->rule, &member->weights, e, c->grown, c->n_grown, err);
    }
    return code;
}

int thr_lane_score(thr_model *m, thr_workspace *w, thr_lane *lane, thr_case *c, thr_error *err)
{
    if (!thr_lane_find(lane, &c->whole))
        return thr_fail_memory(err);
    thr_lane_give(w, lane, m, c, c->whole.n);
    int code = c->n_grown ? rescale_members(m, lane, c, err) : 0;
    if (code)
        return code;
    thr_case_score(m, c, lane->first, lane->end, &lane->ahead);
    return 0;
}

/* A fit writes every row, and rows of a mapped file or of a snapshot move when they are first
 * written to: the next example, whose rows have been found ahead, would be scored by the weights
 * from before the fit. */
int thr_lane_ready(thr_model *m, thr_lane *lane, const thr_case *c, thr_error *err)
{
    int code = 0;
    for (uint32_t k = lane->first; k < lane->end && code == 0; k++) {
        if (m->member[k].rule.learner->fit)
            thr_prefetch_forget(&lane->ahead);
        code = thr_member_ready(&m->member[k], &m->labels, &c->view[k], err);
    }
    return code;
}

/* Tells the listener which example made member k move, and how. */
static int tell_cause(thr_model *m, thr_workspace *w, const thr_case *c, uint32_t k,
                      const thr_batch *b, size_t i, thr_error *err)
{
    const thr_example_info *about = &b->about[i];
    thr_cause cause = {.label = about->label,
                       .tag = about->tag,
                       .also = about->more.n ? b->listed + about->more.from : NULL,
                       .n_also = about->more.n,
                       .file = w->file,
                       .line = w->line};
    return thr_trace_end(w->trace, m, k, &c->view[k], &cause, err);
}

/* A member that cannot take the example's values is passed over. Stops if the listener fails. */
static int update_members(const thr_stretch *s, thr_lane *lane, thr_case *c, size_t i,
                          thr_error *err)
{
    thr_workspace *w = s->w;
    int code = 0;
    for (uint32_t k = lane->first; k < lane->end && code == 0; k++) {
        thr_member *member = &s->m->member[k];
        const thr_example *e = &c->view[k];
        size_t at;
        thr_prefetch_some(&lane->ahead);
        if (w->trace)
            thr_trace_begin(w->trace, member);
        c->moved[k] = thr_member_takes(member, e, &at) &&
                      thr_member_learn(member, &s->m->labels, e, c->live + member->at);
        if (w->trace)
            code = tell_cause(s->m, w, c, k, s->b, i, err);
    }
    return code;
}

/* With a listener there is one lane, whose members have all predicted before the first of them
 * moves. An example with a new label was predicted before (step.c). */
static int work_on(const thr_stretch *s, thr_lane *lane, size_t n, thr_error *err)
{
    thr_case *c = &s->w->cases[s->at + n];
    if (s->from + n + 1 < s->upto)
        thr_lane_prefetch(lane, s->m, s->b, thr_stretch_example(s, n + 1), true);
    int code = thr_lane_score(s->m, s->w, lane, c, err);
    if (code == 0 && s->w->trace && c->known && !thr_trace_predicted(s->w->trace, s->m, c))
        code = thr_fail_memory(err);
    if (code == 0)
        code = thr_lane_ready(s->m, lane, c, err);
    if (code)
        return code;
    thr_case_fit(s->m, c, lane->first, lane->end, s->w->fitted + lane->first * s->m->layout.labels);
    return update_members(s, lane, c, thr_stretch_example(s, n), err);
}

int thr_lane_work(const thr_stretch *s, size_t lane, thr_error *err)
{
    int code = 0;
    for (size_t n = 0; n < s->n && code == 0; n++)
        code = work_on(s, &s->w->lane[lane], n, err);
    return code;
}

int thr_stretch_work(const thr_stretch *s, thr_error *err)
{
    int code = 0;
    for (size_t lane = 0; lane < s->w->lanes && code == 0; lane++)
        code = thr_lane_work(s, lane, err);
    return code;
}
