/* One example learned: scored by every member, judged by its label, then every rule moves. */
#include "model/model.h"

#include "model/ceiling.h"
#include "model/counts.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* A member that has sat out so far and can take this example: from now on it has rows. Here it gets
 * one, of the bias, which is not yet beside the others': all rows will have to move. */
static int wake(thr_model *m, const thr_example *whole, thr_error *err)
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
    return !woken || thr_sheet_lay_out(&m->sheet, m) ? 0 : thr_fail_memory(err);
}

/* Rows for all features known, those of this example found. */
static int rows_ready(thr_model *m, const thr_example *whole, const thr_batch *b, size_t i,
                      thr_error *err)
{
    thr_sheet *s = &m->sheet;
    uint32_t top = s->filtered ? thr_sheet_top(s, whole) : s->top, later = m->lexicon.n - 1;
    bool moved = false;
    if (!thr_sheet_lay_out(s, m))
        return thr_fail_memory(err);
    int code = s->tables < m->members ? wake(m, whole, err) : 0;
    if (code == 0 && !thr_weights_covered(s->table, s->tables, top, later))
        code = thr_weights_cover(s->table, s->tables, whole, top, later, &moved, err);
    if (moved)
        thr_sheet_forget(s);
    return code ? code : thr_sheet_show(s, m, whole, b, i) ? 0 : thr_fail_memory(err);
}

/* Counts the features of an example; it keeps those that count, and their rows are found. */
static int take_in(thr_model *m, thr_example *whole, const thr_batch *b, size_t i, thr_error *err)
{
    m->sheet.top = thr_sheet_top(&m->sheet, whole);
    int code = m->min_count ? thr_counts_add(m, whole, err) : 0;
    if (code == 0 && !thr_counts_filter(m, &m->sheet, whole))
        code = thr_fail_memory(err);
    return code ? code : rows_ready(m, whole, b, i, err);
}

/* The number of its label and of those beside it; if one is met for the first time, after the
 * prediction, functions are added and the example is scored once more. */
static int find_label(thr_model *m, thr_example *whole, const thr_batch *b, size_t i,
                      thr_error *err)
{
    thr_list more = b->about[i].more;
    uint32_t before = m->labels.n, other;
    if (thr_model_numbers(m))
        return 0;
    int code = thr_model_add_label(m, b->about[i].label, &whole->label, err);
    for (size_t k = 0; k < more.n && code == 0; k++)
        code = thr_model_add_label(m, b->listed[more.from + k], &other, err);
    if (code || m->labels.n == before)
        return code;
    memcpy(m->sheet.told, m->sheet.said, (m->members + 1u) * sizeof *m->sheet.told);
    thr_sheet_forget(&m->sheet); /* rows have become wider */
    code = rows_ready(m, whole, b, i, err);
    if (code)
        return code;
    thr_sheet_restrict(m, &m->sheet, b, i, whole);
    thr_model_score_all(m, &m->sheet, whole, NULL);
    return 0;
}

static int ready_all(thr_model *m, const thr_example *whole, thr_error *err)
{
    thr_sheet_tell(&m->sheet, m->members, whole);
    int code = thr_repeats_ready(&m->repeats, err);
    for (uint32_t k = 0; k < m->members && code == 0; k++)
        code = thr_member_ready(&m->member[k], &m->labels, &m->sheet.view[k], err);
    return code;
}

/* The labels that are true where several may be, and how much the example counts for its label;
 * every member's view is told of both. */
static void weigh_label(thr_model *m, thr_example *whole, const thr_batch *b, size_t i)
{
    if (thr_model_numbers(m))
        return;
    if (m->reader.multilabel) {
        thr_sheet_mark_truth(m, &m->sheet, b, i);
        whole->truth = m->sheet.truth;
        for (uint32_t l = 0; l < m->labels.n; l++)
            if (whole->truth[l])
                thr_classes_count(&m->classes, l);
    } else {
        thr_classes_count(&m->classes, whole->label);
        if (!thr_classes_differ(&m->classes))
            return;
        double weight = thr_classes_weight(&m->classes, &m->labels, whole->label);
        whole->importance = (float)fmin((double)whole->importance * weight, FLT_MAX);
    }
    thr_sheet_tell(&m->sheet, m->members, whole);
}

/* Tells who listens what made a member move, and how it did. */
static int tell_cause(thr_model *m, uint32_t k, const thr_batch *b, size_t i, thr_error *err)
{
    const thr_about *about = &b->about[i];
    thr_cause cause = {.label = about->label,
                       .tag = about->tag,
                       .also = about->more.n ? b->listed + about->more.from : NULL,
                       .n_also = about->more.n};
    return thr_trace_end(m, k, &m->sheet.view[k], &cause, err);
}

static int learn_all(thr_model *m, const thr_batch *b, size_t i, thr_error *err)
{
    int code = 0;
    for (uint32_t k = 0; k < m->members && code == 0; k++) {
        thr_member *member = &m->member[k];
        const thr_example *e = &m->sheet.view[k];
        size_t at;
        thr_sheet_bring(&m->sheet);
        if (m->trace)
            thr_trace_begin(m->trace, member);
        if (thr_member_takes(member, e, &at))
            m->seen.updates += thr_member_learn(member, &m->labels, e, m->sheet.live + member->at);
        if (m->trace)
            code = tell_cause(m, k, b, i, err);
    }
    return code;
}

/* By all features it was read with. Ids are given anew where features are dropped. */
static bool is_repeated(thr_model *m, const thr_example *whole, const thr_batch *b, size_t i)
{
    thr_example read;
    const thr_example *all = m->sheet.filtered ? &read : whole;
    if (m->sheet.filtered) {
        thr_model_example(m, b, i, &read);
        read.label = whole->label;
    }
    uint64_t mark = m->max_features ? thr_model_mark(m, all) : thr_repeats_mark(&m->repeats, all);
    return thr_repeats_see(&m->repeats, mark);
}

/* What is remembered of every example, whatever the rules made of it. */
static void look(thr_model *m, const thr_batch *b, size_t i, const thr_example *whole)
{
    thr_seen *s = &m->seen;
    const thr_example *e = &m->sheet.view[0];
    bool same = e->n == whole->n && e->scale == whole->scale;
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
    if (m->sheet.top >= m->known && b->start[i + 1] > b->start[i])
        m->known = m->sheet.top + 1;
    thr_counts_known(m);
}

void thr_model_prefetch(thr_model *m, const thr_batch *b, size_t i)
{
    if (!m->max_features) /* else names are not looked up yet */
        thr_sheet_prefetch(m, &m->sheet, b, i, true);
}

static int resume_all(thr_model *m, thr_error *err)
{
    int code = m->layout.groups ? thr_model_group(m, err) : 0;
    for (uint32_t k = 0; k < m->members && code == 0; k++)
        if (m->member[k].rule.finished)
            code = thr_member_resume(&m->member[k], err);
    return code;
}

/* The prediction that counts: before anything is known of the truth. False: out of memory. */
static bool predict_first(thr_model *m, thr_example *whole, const thr_batch *b, size_t i,
                          thr_lesson *out)
{
    thr_sheet *s = &m->sheet;
    bool told = true;
    thr_sheet_restrict(m, s, b, i, whole);
    out->predicted = thr_model_score_all(m, s, whole, &m->seen.examples);
    if (m->trace)
        told = thr_trace_predicted(m);
    if (!m->reader.multilabel)
        return told;
    thr_sheet_choose(m, s);
    if (out->predicted < m->labels.n && !s->chosen[out->predicted])
        out->predicted = THR_NONE;
    return told;
}

int thr_model_learn(thr_model *m, const thr_batch *b, size_t i, thr_lesson *out, thr_error *err)
{
    uint32_t labels_then = m->labels.n;
    thr_example whole;
    thr_model_example(m, b, i, &whole);
    *out = (thr_lesson){.predicted = THR_NONE};
    int code = resume_all(m, err);
    if (code == 0)
        code = take_in(m, &whole, b, i, err);
    if (code)
        return code;
    if (!predict_first(m, &whole, b, i, out))
        return thr_fail_memory(err);
    code = find_label(m, &whole, b, i, err);
    if (code == 0)
        code = ready_all(m, &whole, err);
    if (code)
        return code;
    bool repeated = is_repeated(m, &whole, b, i);
    weigh_label(m, &whole, b, i);
    thr_model_judge(m, &whole, labels_then, out, repeated);
    code = learn_all(m, b, i, err);
    if (out->predicted >= labels_then)
        out->predicted = THR_NONE;
    look(m, b, i, &whole);
    return code;
}

/* ---- pushing ------------------------------------------------------------------------------ */

static int can_push(const thr_model *m, thr_error *err)
{
    for (uint32_t k = 0; k < m->members; k++)
        if (thr_member_can_push(&m->member[k], &m->labels))
            return 0;
    return thr_fail(err, THR_EUSE, "%s has no function of one label to promote or demote",
                    thr_settings_get(m->settings, "learner"));
}

/* Those that can. */
static int push_all(thr_model *m, const thr_batch *b, size_t i, thr_str label, int sign,
                    thr_error *err)
{
    thr_cause cause = {.label = label, .tag = b->about[i].tag, .pushed = sign};
    int code = 0;
    for (uint32_t k = 0; k < m->members && code == 0; k++) {
        thr_member *member = &m->member[k];
        size_t at;
        const thr_example *e = &m->sheet.view[k];
        bool can = thr_member_can_push(member, &m->labels) && thr_member_takes(member, e, &at);
        if (m->trace)
            thr_trace_begin(m->trace, member);
        if (can)
            m->seen.updates +=
                thr_member_push(member, &m->labels, e, m->sheet.live + member->at, sign);
        if (m->trace)
            code = thr_trace_end(m, k, e, &cause, err);
    }
    return code;
}

int thr_model_push(thr_model *m, const thr_batch *b, size_t i, thr_str label, int sign,
                   thr_error *err)
{
    thr_example whole;
    thr_model_example(m, b, i, &whole);
    if (sign < 0 && thr_labels_find(&m->labels, label) == THR_NONE)
        return thr_fail(err, THR_EDATA, "the model knows no label '%.*s'",
                        (int)(label.n < 64 ? label.n : 64), label.p);
    int code = can_push(m, err);
    if (code == 0)
        code = thr_model_add_label(m, label, &whole.label, err);
    if (code == 0)
        code = thr_model_group(m, err);
    if (code == 0)
        code = take_in(m, &whole, b, i, err);
    if (code == 0)
        code = ready_all(m, &whole, err);
    if (code)
        return code;
    m->sheet.restricted = false; /* the label is given */
    thr_model_score_all(m, &m->sheet, &whole, NULL);
    if (m->trace && !thr_trace_predicted(m))
        return thr_fail_memory(err);
    code = push_all(m, b, i, label, sign, err);
    look(m, b, i, &whole);
    return code;
}
