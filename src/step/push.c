/* A push moves one label's function as if it were wrong, whatever it predicts. It is a step without
 * compare and record: no mistake is counted, no probability is fitted, and the example is not
 * remembered as met. A label that is promoted may be new, one that is demoted must be known. */
#include "model/groups.h"
#include "model/inside.h"
#include "step/stretch.h"
#include "step/trace.h"

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
    uint32_t number;
    if (sign < 0 && thr_labels_find(&m->labels, label) == THR_NONE)
        return thr_fail(err, THR_EDATA, "the model knows no label '%.*s'",
                        (int)(label.n < 64 ? label.n : 64), label.p);
    int code = can_push(m, err);
    if (code == 0)
        code = thr_workspace_listen(m, w, err);
    if (code == 0)
        code = thr_model_add_label(m, label, &number, err);
    if (code == 0)
        code = thr_model_group(m, err);
    if (code == 0 && !thr_workspace_prepare(w, m, 1, true))
        code = thr_fail_memory(err);
    thr_case *c = w->cases;
    if (code == 0)
        code = thr_stretch_find(m, w, c, b, i, false, err);
    if (code)
        return code;
    c->restricted = false; /* the label is given: candidates do not matter */
    c->whole.label = number;
    thr_case_tell(c, m->members, &c->whole);
    for (size_t l = 0; l < w->lanes && code == 0; l++) {
        code = thr_lane_score(m, w, &w->lane[l], c, err);
        if (code == 0) /* members have their rows now */
            code = thr_lane_ready(m, &w->lane[l], c, err);
    }
    if (code == 0 && w->trace && !thr_trace_predicted(w->trace, m, c))
        code = thr_fail_memory(err);
    if (code)
        return code;
    code = push_members(m, w, &cause, err);
    thr_stretch_note(m, c, b, i);
    thr_stretch_know(m, c, b, i);
    return code;
}
