/* One example through a model: scored by every member, put to the vote, and learned. */
#include "model/model.h"

#include "base/mathx.h"
#include "model/ceiling.h"
#include "model/counts.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the sheet ---------------------------------------------------------------------------- */

void thr_sheet_clear(thr_sheet *s)
{
    free(s->numbers);
    free(s->said);
    free(s->wrong);
    free(s->flags);
    free(s->row);
    free(s->spare);
    free(s->table);
    free(s->id);
    free(s->x);
    free(s->place);
    *s = (thr_sheet){0};
}

static size_t most_room(const thr_model *m)
{
    size_t most = 0;
    for (uint32_t k = 0; k < m->members; k++) {
        const thr_rule *r = &m->member[k].rule;
        size_t need = r->learner->room ? r->learner->room(r) : 0;
        most = need > most ? need : most;
    }
    return most;
}

static bool numbers_ready(thr_sheet *s, const thr_model *m)
{
    size_t labels = (size_t)m->labels.n + 2, functions = 0, widest = 0, experts = m->members + 1u;
    for (uint32_t k = 0; k < m->members; k++) {
        size_t own = m->member[k].weights.functions;
        functions += own;
        widest = own > widest ? own : widest;
    }
    size_t need = functions + widest + labels * (2 * m->members + experts + 3) + most_room(m);
    if (!thr_grow(&s->numbers, &s->numbers_room, need, sizeof *s->numbers) ||
        !thr_grow(&s->said, &s->said_room, 2 * experts, sizeof *s->said) ||
        !thr_grow(&s->wrong, &s->wrong_room, experts, sizeof *s->wrong) ||
        !thr_grow(&s->flags, &s->flag_room, 3 * labels, sizeof *s->flags))
        return false;
    s->truth = s->flags;
    s->chosen = s->truth + labels;
    s->candidate = s->chosen + labels;
    s->live = s->numbers;
    s->shown = s->live + functions;
    s->score = s->shown + widest;
    s->evidence = s->score + labels * m->members;
    s->log_p = s->evidence + labels * m->members;
    s->answer = s->log_p + labels * experts;
    s->chances = s->answer + labels;
    s->probability = s->chances + labels;
    s->room = s->probability + labels;
    s->told = s->said + experts;
    return true;
}

static bool tables_ready(thr_sheet *s, const thr_model *m)
{
    if (!thr_grow(&s->table, &s->table_room, m->members, sizeof *s->table))
        return false;
    for (uint32_t k = 0; k < m->members; k++)
        s->table[k] = &m->member[k].weights;
    return true;
}

bool thr_sheet_ready(thr_sheet *s, const thr_model *m, const thr_example *whole)
{
    size_t rows;
    if (!numbers_ready(s, m) || __builtin_mul_overflow(whole->n, m->members, &rows) ||
        !thr_grow(&s->row, &s->row_room, rows, sizeof *s->row) || !tables_ready(s, m))
        return false;
    size_t spare = thr_weights_spare(s->table, m->members, whole);
    if (!thr_grow(&s->spare, &s->spare_room, spare + 1, 1))
        return false;
    s->features = whole->n;
    thr_weights_find(s->table, m->members, whole, s->row, s->spare);
    return true;
}

/* ---- scoring ------------------------------------------------------------------------------ */

/* Whether a batch has values depends on its other examples, which must not show. */
static const float *values_of(const thr_batch *b, size_t i)
{
    for (size_t f = b->start[i]; b->has_values && f < b->start[i + 1]; f++)
        if (b->value[f] != 1)
            return b->value + b->start[i];
    return NULL;
}

thr_example thr_model_example(const thr_model *m, const thr_batch *b, size_t i)
{
    size_t from = b->start[i];
    thr_example e = {
        .id = b->id ? b->id + from : NULL, /* not yet, where only values are checked */
        .x = values_of(b, i),
        .n = b->start[i + 1] - from,
        .scale = 1,
        .label = THR_NONE,
        .target = thr_model_regression(m) ? thr_about_number(&b->about[i]) : NAN,
        .known = m->known,
        .importance = b->about[i].importance,
    };
    e.norm2 = thr_example_norm2(&e);
    return e;
}

/* Marks the labels of a list, as far as they are known. */
static bool mark(const thr_model *m, const thr_batch *b, thr_list list, bool *flag)
{
    bool any = false;
    for (size_t i = 0; i < list.n; i++) {
        uint32_t label = thr_labels_find(&m->labels, b->listed[list.from + i]);
        if (label != THR_NONE)
            flag[label] = any = true;
    }
    return any;
}

/* The labels that may be the answer; again after a label has been added. */
static void restrict_labels(const thr_model *m, thr_sheet *s, const thr_batch *b, size_t i,
                            thr_example *whole)
{
    s->restricted = b->about[i].candidates.n > 0;
    whole->candidate = s->restricted ? s->candidate : NULL;
    if (!s->restricted)
        return;
    memset(s->candidate, 0, m->labels.n * sizeof *s->candidate);
    mark(m, b, b->about[i].candidates, s->candidate);
}

static void mark_truth(const thr_model *m, thr_sheet *s, const thr_batch *b, size_t i)
{
    uint32_t label = thr_labels_find(&m->labels, b->about[i].label);
    memset(s->truth, 0, m->labels.n * sizeof *s->truth);
    if (label != THR_NONE)
        s->truth[label] = true;
    mark(m, b, b->about[i].more, s->truth);
}

bool thr_sheet_chooses(const thr_sheet *s, const double *score, uint32_t label)
{
    return score[label] > 0 && (!s->restricted || s->candidate[label]);
}

static void choose(const thr_model *m, thr_sheet *s)
{
    for (uint32_t l = 0; l < m->labels.n; l++)
        s->chosen[l] = thr_sheet_chooses(s, s->answer, l);
}

/* What member k sees and works with. */
static thr_example view_of(const thr_model *m, const thr_sheet *s, uint32_t k,
                           const thr_example *whole, const thr_batch *b, size_t i)
{
    thr_example e = thr_member_view(&m->member[k], whole, m->unit, b->about[i].from_text);
    e.room = s->room;
    e.row = s->row + k * s->features;
    return e;
}

int thr_model_view(const thr_model *m, thr_sheet *s, const thr_batch *b, size_t i, thr_example *out,
                   thr_error *err)
{
    thr_example whole = thr_model_example(m, b, i);
    if (!thr_counts_filter(m, s, &whole))
        return thr_fail_memory(err);
    *out = thr_member_view(thr_model_speaker(m), &whole, m->unit, b->about[i].from_text);
    return 0;
}

int thr_model_check(const thr_model *m, const thr_batch *b, size_t i, thr_error *err)
{
    size_t at;
    thr_example e = thr_model_example(m, b, i);
    if (b->about[i].more.n && !m->reader.multilabel)
        return thr_fail(err, THR_EDATA,
                        "several labels for one example: these need training with --multilabel on");
    if (thr_model_regression(m) && b->about[i].label.p && isnan(e.target))
        return thr_fail(err, THR_EDATA, "the label '%.*s' is not a number, and %s predicts numbers",
                        (int)(b->about[i].label.n < 64 ? b->about[i].label.n : 64),
                        b->about[i].label.p, m->member[0].rule.learner->name);
    if (m->members > 1 || thr_member_takes(&m->member[0], &e, &at))
        return 0; /* a member of a panel sits out what it cannot take */
    char digits[24];
    thr_str ns, name = thr_batch_name_of(b, b->start[i] + at, digits, &ns);
    return thr_fail(err, THR_EDATA,
                    "feature '%.*s' has the value %g, and %s with these options cannot take "
                    "negative values",
                    (int)(name.n < 64 ? name.n : 64), name.p, (double)e.x[at],
                    m->member[0].rule.learner->name);
}

static double *evidence_of(const thr_model *m, const thr_sheet *s, uint32_t k)
{
    return s->evidence + (size_t)k * m->labels.n;
}

/* A member that cannot take the example says nothing. */
static void score_member(const thr_model *m, thr_sheet *s, uint32_t k, const thr_example *whole,
                         const thr_batch *b, size_t i)
{
    const thr_member *member = &m->member[k];
    size_t n = m->labels.n, at;
    double *score = s->score + k * (n + 2), *log_p = s->log_p + k * n;
    thr_example e = view_of(m, s, k, whole, b, i);
    if (!thr_member_takes(member, &e, &at)) {
        s->said[k] = THR_NONE;
        for (size_t l = 0; l < n; l++)
            log_p[l] = -thr_log((double)n);
        return;
    }
    s->said[k] = thr_member_score(member, &m->labels, &e, s->live + member->at, s->shown, score);
    thr_member_evidence(member, &e, score, m->labels.n, evidence_of(m, s, k));
    if (m->members > 1 && !m->race)
        thr_calibration_one(&member->calibration, evidence_of(m, s, k), e.candidate, log_p);
}

static uint32_t likeliest(const double *log_p, const bool *candidate, uint32_t n)
{
    uint32_t best = THR_NONE;
    for (uint32_t l = 0; l < n; l++)
        if ((!candidate || candidate[l]) && (best == THR_NONE || log_p[l] > log_p[best]))
            best = l;
    return best;
}

/* All members and the answer, which may be a label still unknown. */
static uint32_t score_all(const thr_model *m, thr_sheet *s, const thr_example *whole,
                          const thr_batch *b, size_t i, const uint64_t *round)
{
    uint32_t n = m->labels.n;
    for (uint32_t k = 0; k < m->members; k++)
        score_member(m, s, k, whole, b, i);
    if (m->members == 1 || m->race) {
        memcpy(s->answer, s->score, ((size_t)n + 1) * sizeof *s->answer);
        return s->said[0];
    }
    thr_panel_blend(&m->panel, s->log_p, whole->candidate, n, s->chances);
    if (m->panel.experts > m->members)
        s->said[m->members] = likeliest(s->chances, whole->candidate, n);
    return thr_panel_vote(&m->panel, s->said, n + 2, s->answer, round);
}

int thr_model_score(const thr_model *m, thr_sheet *s, const thr_batch *b, size_t i, uint32_t *best,
                    thr_error *err)
{
    thr_example whole = thr_model_example(m, b, i);
    if (!thr_counts_filter(m, s, &whole) || !thr_sheet_ready(s, m, &whole))
        return thr_fail_memory(err);
    restrict_labels(m, s, b, i, &whole);
    *best = score_all(m, s, &whole, b, i, NULL);
    if (*best >= m->labels.n)
        *best = m->labels.n && !s->restricted ? 0 : THR_NONE; /* the only label known */
    if (!m->reader.multilabel)
        return 0;
    choose(m, s);
    mark_truth(m, s, b, i);
    if (*best != THR_NONE && !s->chosen[*best])
        *best = THR_NONE;
    return 0;
}

/* A panel's have been found with its vote. */
static void find_chances(const thr_model *m, thr_sheet *s)
{
    const bool *candidate = s->restricted ? s->candidate : NULL;
    if (m->reader.multilabel)
        thr_calibration_each(&m->member[0].calibration, s->evidence, candidate, s->chances);
    else if (m->members == 1)
        thr_calibration_one(&m->member[0].calibration, s->evidence, candidate, s->chances);
}

void thr_model_chances(const thr_model *m, thr_sheet *s)
{
    if (thr_model_regression(m))
        return;
    find_chances(m, s);
    for (uint32_t l = 0; l < m->labels.n; l++)
        s->probability[l] = s->restricted && !s->candidate[l] ? 0 : thr_exp(s->chances[l]);
}

double thr_model_lead(const thr_model *m, const thr_sheet *s)
{
    if (m->labels.n != 2)
        return 0;
    const double *by = m->members > 1 ? s->chances : s->answer;
    return by[m->labels.positive] - by[1 - m->labels.positive];
}

/* ---- learning ----------------------------------------------------------------------------- */

/* What is remembered of every example, whatever the rules made of it. */
static void look(thr_model *m, const thr_batch *b, size_t i, const thr_example *all,
                 const thr_example *whole)
{
    thr_seen *s = &m->seen;
    thr_example e = view_of(m, &m->sheet, 0, whole, b, i);
    s->examples++;
    s->active += (double)whole->n - 1;
    s->max_norm2 = fmax(s->max_norm2, e.norm2);
    s->max_value = fmax(s->max_value, thr_example_max(&e));
    if (b->about[i].from_text && !s->text) {
        s->text = true;
        snprintf(s->unicode, sizeof s->unicode, "%s", thr_unicode_version());
    }
    if (b->format && !s->format[0])
        snprintf(s->format, sizeof s->format, "%s", b->format);
    for (size_t k = 0; k < all->n; k++)
        if (all->id[k] >= m->known)
            m->known = all->id[k] + 1;
    thr_counts_known(m);
}

/* Ids are given anew where features are dropped. */
static bool is_repeated(thr_model *m, const thr_example *all)
{
    uint64_t mark = m->max_features ? thr_model_mark(m, all) : thr_repeats_mark(all);
    return thr_repeats_see(&m->repeats, mark);
}

/* Was a prediction, made before the label was known, right? Before the first label, side 0 of a
 * shared function is the positive one. */
static bool was_right(const thr_model *m, uint32_t predicted, uint32_t label, uint32_t labels_then)
{
    if (labels_then == 0 && predicted != THR_NONE)
        return (predicted == 0) == (m->labels.positive == 0);
    return predicted == label;
}

/* How much the example counts for its label. */
static void weigh(thr_model *m, thr_example *whole)
{
    if (thr_model_regression(m))
        return;
    for (uint32_t l = 0; whole->truth && l < m->labels.n; l++)
        if (whole->truth[l])
            thr_classes_count(&m->classes, l);
    if (whole->truth)
        return;
    thr_classes_count(&m->classes, whole->label);
    double weight = thr_classes_weight(&m->classes, &m->labels, whole->label);
    whole->importance = (float)fmin((double)whole->importance * weight, FLT_MAX);
}

/* Rows for all features, found. */
static int rows_ready(thr_model *m, const thr_example *whole, thr_error *err)
{
    uint32_t top = 0;
    for (size_t i = 0; i < whole->n; i++)
        top = whole->id[i] > top ? whole->id[i] : top;
    if (!tables_ready(&m->sheet, m))
        return thr_fail_memory(err);
    int code = thr_weights_cover(m->sheet.table, m->members, whole, top, err);
    return code ? code : thr_sheet_ready(&m->sheet, m, whole) ? 0 : thr_fail_memory(err);
}

/* The number of its label and of those beside it; if one is met for the first time, after the
 * prediction, functions are added and the example is scored once more. */
static int find_label(thr_model *m, thr_example *whole, const thr_batch *b, size_t i,
                      thr_error *err)
{
    thr_list more = b->about[i].more;
    uint32_t before = m->labels.n, other;
    if (thr_model_regression(m))
        return 0;
    int code = thr_model_add_label(m, b->about[i].label, &whole->label, err);
    for (size_t k = 0; k < more.n && code == 0; k++)
        code = thr_model_add_label(m, b->listed[more.from + k], &other, err);
    if (code || m->labels.n == before)
        return code;
    code = rows_ready(m, whole, err);
    if (code)
        return code;
    restrict_labels(m, &m->sheet, b, i, whole);
    score_all(m, &m->sheet, whole, b, i, NULL);
    return 0;
}

static int ready_all(thr_model *m, const thr_example *whole, const thr_batch *b, size_t i,
                     thr_error *err)
{
    int code = thr_repeats_ready(&m->repeats, err);
    for (uint32_t k = 0; k < m->members && code == 0; k++) {
        thr_example e = view_of(m, &m->sheet, k, whole, b, i);
        code = thr_member_ready(&m->member[k], &m->labels, &e, err);
    }
    return code;
}

static int learn_all(thr_model *m, const thr_example *whole, const thr_batch *b, size_t i,
                     thr_error *err)
{
    thr_sheet *s = &m->sheet;
    const thr_about *about = &b->about[i];
    thr_cause cause = {.label = about->label,
                       .tag = about->tag,
                       .also = about->more.n ? b->listed + about->more.from : NULL,
                       .n_also = about->more.n};
    int code = 0;
    for (uint32_t k = 0; k < m->members && code == 0; k++) {
        thr_member *member = &m->member[k];
        size_t at;
        thr_example e = view_of(m, s, k, whole, b, i);
        bool takes = thr_member_takes(member, &e, &at);
        if (m->trace)
            thr_trace_begin(m->trace, member);
        if (takes)
            m->seen.updates += thr_member_learn(member, &m->labels, &e, s->live + member->at);
        if (m->trace)
            code = thr_trace_end(m, k, &e, &cause, err);
    }
    return code;
}

/* Probabilities of several labels, each for itself. */
static void judge_set(thr_model *m, bool repeated)
{
    thr_sheet *s = &m->sheet;
    const bool *candidate = s->restricted ? s->candidate : NULL;
    thr_calibration *c = &m->member[0].calibration;
    find_chances(m, s);
    if (repeated)
        thr_calibration_again_each(c, s->evidence);
    else
        thr_calibration_learn_each(c, s->evidence, candidate, s->chances, s->truth);
}

/* Probabilities and the blend, from an example whose label was known before. One that was met
 * before teaches little, a member that says nothing learns nothing, and what could not be said has
 * no probability to learn from. */
static void judge(thr_model *m, uint32_t label, bool repeated)
{
    thr_sheet *s = &m->sheet;
    uint32_t n = m->labels.n;
    if (s->restricted && !s->candidate[label])
        return;
    thr_model_chances(m, s);
    for (uint32_t k = 0; k < m->members; k++) {
        thr_calibration *c = &m->member[k].calibration;
        const double *log_p = m->members == 1 ? s->chances : s->log_p + (size_t)k * n;
        if (s->said[k] == THR_NONE)
            continue;
        if (repeated)
            thr_calibration_again(c, evidence_of(m, s, k));
        else
            thr_calibration_learn_one(c, evidence_of(m, s, k), log_p, label);
    }
    if (m->members > 1 && !repeated)
        thr_panel_learn_blend(&m->panel, s->log_p, n, s->probability, label);
}

static void count_mistakes(thr_model *m, const thr_example *whole, uint32_t labels_then,
                           thr_lesson *out, bool repeated)
{
    thr_sheet *s = &m->sheet;
    out->mistake = !was_right(m, out->predicted, whole->label, labels_then);
    m->seen.mistakes += out->mistake;
    for (uint32_t k = 0; k < m->members; k++) {
        s->wrong[k] = !was_right(m, s->told[k], whole->label, labels_then);
        m->member[k].mistakes += s->wrong[k];
    }
    if (m->members == 1 || m->race)
        return;
    if (m->panel.experts > m->members)
        s->wrong[m->members] = !was_right(m, s->told[m->members], whole->label, labels_then);
    if (!repeated)
        thr_panel_learn(&m->panel, s->wrong, out->mistake);
}

/* Of several labels: right is the whole set, and a label never met cannot have been in it. */
static bool set_was_right(const thr_model *m, uint32_t k, uint32_t labels_then)
{
    const thr_sheet *s = &m->sheet;
    const double *score = s->score + k * ((size_t)m->labels.n + 2);
    bool right = labels_then == m->labels.n && s->told[k] != THR_NONE;
    for (uint32_t l = 0; l < labels_then && right; l++)
        right = thr_sheet_chooses(s, score, l) == s->truth[l];
    return right;
}

static void count_sets(thr_model *m, uint32_t labels_then, thr_lesson *out)
{
    for (uint32_t k = 0; k < m->members; k++) {
        m->sheet.wrong[k] = !set_was_right(m, k, labels_then);
        m->member[k].mistakes += m->sheet.wrong[k];
    }
    out->mistake = m->sheet.wrong[0];
    m->seen.mistakes += out->mistake;
}

static void count_error(thr_model *m, const thr_example *whole, thr_lesson *out)
{
    out->error = whole->target - m->sheet.answer[0];
    m->seen.squared += out->error * out->error;
    m->seen.absolute += fabs(out->error);
}

void thr_model_prefetch(thr_model *m, const thr_batch *b, size_t i)
{
    if (m->max_features || i >= b->n) /* names are not looked up yet; no example follows */
        return;
    if (tables_ready(&m->sheet, m))
        thr_weights_prefetch(m->sheet.table, m->members, b->id + b->start[i],
                             b->start[i + 1] - b->start[i]);
}

static int resume_all(thr_model *m, thr_error *err)
{
    int code = thr_model_group(m, err);
    for (uint32_t k = 0; k < m->members && code == 0; k++)
        code = thr_member_resume(&m->member[k], err);
    return code;
}

/* The prediction that counts: before anything is known of the truth. False: out of memory. */
static bool predict_first(thr_model *m, thr_example *whole, const thr_batch *b, size_t i,
                          thr_lesson *out)
{
    thr_sheet *s = &m->sheet;
    bool told = true;
    restrict_labels(m, s, b, i, whole);
    out->predicted = score_all(m, s, whole, b, i, &m->seen.examples);
    memcpy(s->told, s->said, (m->members + 1u) * sizeof *s->told);
    if (m->trace)
        told = thr_trace_predicted(m);
    if (!m->reader.multilabel)
        return told;
    choose(m, s);
    if (out->predicted < m->labels.n && !s->chosen[out->predicted])
        out->predicted = THR_NONE;
    return told;
}

static void count(thr_model *m, const thr_example *whole, uint32_t labels_then, thr_lesson *out,
                  bool repeated)
{
    if (thr_model_regression(m)) {
        count_error(m, whole, out);
        return;
    }
    bool known = labels_then == m->labels.n && !m->race;
    if (m->reader.multilabel) {
        count_sets(m, labels_then, out);
        if (known)
            judge_set(m, repeated);
        return;
    }
    count_mistakes(m, whole, labels_then, out, repeated);
    if (known)
        judge(m, whole->label, repeated);
}

int thr_model_learn(thr_model *m, const thr_batch *b, size_t i, thr_lesson *out, thr_error *err)
{
    uint32_t labels_then = m->labels.n;
    thr_example all = thr_model_example(m, b, i), whole = all;
    *out = (thr_lesson){.predicted = THR_NONE};
    int code = resume_all(m, err);
    if (code == 0 && m->min_count)
        code = thr_counts_add(m, &all, err);
    if (code == 0 && !thr_counts_filter(m, &m->sheet, &whole))
        code = thr_fail_memory(err);
    if (code == 0)
        code = rows_ready(m, &whole, err);
    if (code)
        return code;
    if (!predict_first(m, &whole, b, i, out))
        return thr_fail_memory(err);
    code = find_label(m, &whole, b, i, err);
    if (code == 0)
        code = ready_all(m, &whole, b, i, err);
    if (code)
        return code;
    all.label = whole.label;
    if (m->reader.multilabel) {
        mark_truth(m, &m->sheet, b, i);
        whole.truth = m->sheet.truth;
    }
    weigh(m, &whole);
    bool repeated = is_repeated(m, &all);
    count(m, &whole, labels_then, out, repeated);
    code = learn_all(m, &whole, b, i, err);
    if (out->predicted >= labels_then)
        out->predicted = THR_NONE;
    look(m, b, i, &all, &whole);
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
static int push_all(thr_model *m, const thr_example *whole, const thr_batch *b, size_t i,
                    thr_str label, int sign, thr_error *err)
{
    thr_cause cause = {.label = label, .tag = b->about[i].tag, .pushed = sign};
    int code = 0;
    for (uint32_t k = 0; k < m->members && code == 0; k++) {
        thr_member *member = &m->member[k];
        size_t at;
        thr_example e = view_of(m, &m->sheet, k, whole, b, i);
        bool can = thr_member_can_push(member, &m->labels) && thr_member_takes(member, &e, &at);
        if (m->trace)
            thr_trace_begin(m->trace, member);
        if (can)
            m->seen.updates +=
                thr_member_push(member, &m->labels, &e, m->sheet.live + member->at, sign);
        if (m->trace)
            code = thr_trace_end(m, k, &e, &cause, err);
    }
    return code;
}

int thr_model_push(thr_model *m, const thr_batch *b, size_t i, thr_str label, int sign,
                   thr_error *err)
{
    thr_example all = thr_model_example(m, b, i), whole = all;
    if (sign < 0 && thr_labels_find(&m->labels, label) == THR_NONE)
        return thr_fail(err, THR_EDATA, "the model knows no label '%.*s'",
                        (int)(label.n < 64 ? label.n : 64), label.p);
    int code = can_push(m, err);
    if (code == 0)
        code = thr_model_add_label(m, label, &whole.label, err);
    if (code == 0)
        code = thr_model_group(m, err);
    if (code == 0 && m->min_count)
        code = thr_counts_add(m, &all, err);
    if (code == 0 && !thr_counts_filter(m, &m->sheet, &whole))
        code = thr_fail_memory(err);
    if (code == 0)
        code = rows_ready(m, &whole, err);
    if (code == 0)
        code = ready_all(m, &whole, b, i, err);
    if (code)
        return code;
    m->sheet.restricted = false; /* the label is given */
    score_all(m, &m->sheet, &whole, b, i, NULL);
    if (m->trace && !thr_trace_predicted(m))
        return thr_fail_memory(err);
    code = push_all(m, &whole, b, i, label, sign, err);
    look(m, b, i, &all, &whole);
    return code;
}
