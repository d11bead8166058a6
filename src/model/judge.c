/* What an example's label says of the predictions made before: mistakes are counted, probabilities
 * fitted, and the panel's experts weighed. */
#include "model/model.h"

#include <math.h>

/* Was a prediction, made before the label was known, right? Before the first label, side 0 of a
 * shared function is the positive one. */
static bool was_right(const thr_model *m, uint32_t predicted, uint32_t label, uint32_t labels_then)
{
    if (labels_then == 0 && predicted != THR_NONE)
        return (predicted == 0) == (m->labels.positive == 0);
    return predicted == label;
}

/* What was said before the label was known. */
static const uint32_t *told(const thr_model *m, uint32_t labels_then)
{
    return labels_then == m->labels.n ? m->sheet.said : m->sheet.told;
}

/* Probabilities of several labels, each for itself. */
static void judge_set(thr_model *m, bool repeated)
{
    thr_sheet *s = &m->sheet;
    const bool *candidate = s->restricted ? s->candidate : NULL;
    thr_calibration *c = &m->member[0].calibration;
    if (repeated) {
        thr_calibration_again_each(c, thr_sheet_weigh(m, s, 0));
        return;
    }
    if (thr_calibration_listens(c))
        thr_model_log_chances(m, s);
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
    bool blend = m->members > 1 && !repeated && thr_panel_listens(&m->panel);
    if (blend)
        thr_model_chances(m, s);
    else if (m->members == 1 && !repeated && thr_calibration_listens(&m->member[0].calibration))
        thr_model_log_chances(m, s);
    for (uint32_t k = 0; k < m->members; k++) {
        thr_calibration *c = &m->member[k].calibration;
        const double *log_p = m->members == 1 ? s->chances : s->log_p + (size_t)k * n;
        if (s->said[k] == THR_NONE)
            continue;
        if (repeated)
            thr_calibration_again(c, thr_sheet_weigh(m, s, k));
        else
            thr_calibration_learn_one(c, thr_sheet_evidence(m, s, k), log_p, label);
    }
    if (blend)
        thr_panel_learn_blend(&m->panel, s->log_p, n, s->probability, label);
}

static void count_mistakes(thr_model *m, const thr_example *whole, uint32_t labels_then,
                           thr_lesson *out, bool repeated)
{
    thr_sheet *s = &m->sheet;
    const uint32_t *said = told(m, labels_then);
    out->mistake = !was_right(m, out->predicted, whole->label, labels_then);
    m->seen.mistakes += out->mistake;
    for (uint32_t k = 0; k < m->members; k++) {
        s->wrong[k] = !was_right(m, said[k], whole->label, labels_then);
        m->member[k].mistakes += s->wrong[k];
    }
    if (m->members == 1 || m->race)
        return;
    if (m->panel.experts > m->members)
        s->wrong[m->members] = !was_right(m, said[m->members], whole->label, labels_then);
    if (!repeated)
        thr_panel_learn(&m->panel, s->wrong, out->mistake);
}

/* Of several labels: right is the whole set, and a label never met cannot have been in it. */
static bool set_was_right(const thr_model *m, uint32_t k, uint32_t labels_then)
{
    const thr_sheet *s = &m->sheet;
    const double *score = s->score + k * ((size_t)m->labels.n + 2);
    bool right = labels_then == m->labels.n && s->said[k] != THR_NONE;
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

void thr_model_judge(thr_model *m, const thr_example *whole, uint32_t labels_then, thr_lesson *out,
                     bool repeated)
{
    if (thr_model_numbers(m)) {
        count_error(m, whole, out);
        return;
    }
    bool known = labels_then == m->labels.n && !m->race;
    thr_sheet_bring(&m->sheet);
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
