/* What an example's true label says about the predictions that were made before it was looked at:
 * mistakes are counted, probabilities are fitted, and the panel's experts are weighed.
 *
 * Probabilities, the blend and the experts' weights learn only from examples met for the first time
 * (model/repeats.h): a rule predicts examples it has learned from too well. A mistake, in contrast,
 * is counted at every step. A race (model/inside.h) counts mistakes and nothing else, except where
 * predictions go by probabilities (multi-label data): there it learns these too. */
#include "base/mathx.h"
#include "measure/softmax.h"
#include "model/inside.h"
#include "step/step.h"

#include <math.h>
#include <string.h>

/* ---- comparing: nothing is changed yet ------------------------------------------------------ */

/* Whether a prediction that was made when `labels_then` labels were known is right. Before the
 * first label a shared function predicts a side: 0 is the positive one. The first label is number 0
 * in any case, so the sides must be compared and not the numbers. */
static bool was_right(const thr_model *m, uint32_t predicted, uint32_t label, uint32_t labels_then)
{
    if (labels_then == 0 && predicted != THR_NONE)
        return (predicted == 0) == (m->labels.positive == 0);
    return predicted == label;
}

static void compare_label(const thr_model *m, thr_case *c, uint32_t label, uint32_t labels_then,
                          thr_lesson *out)
{
    out->mistake = !was_right(m, out->predicted, label, labels_then);
    for (uint32_t k = 0; k < m->members; k++)
        c->wrong[k] = !was_right(m, c->predicted[k], label, labels_then);
    if (m->panel.experts > m->members && !m->race)
        c->wrong[m->members] = !was_right(m, c->predicted[m->members], label, labels_then);
}

/* For multi-label data: the model, or a member, is right if it predicted exactly the true set.
 * `known`: all true labels were known. If one was not, no prediction can have been right, and the
 * case's arrays are still laid out for fewer labels. */
static void compare_set(const thr_model *m, thr_case *c, const thr_batch *b, size_t i, bool known,
                        thr_lesson *out)
{
    if (known)
        thr_case_mark_truth(m, c, b, i);
    for (uint32_t k = 0; k < m->members; k++) {
        bool right = known && (c->predicted[k] != THR_NONE || m->labels.n == 0);
        for (uint32_t l = 0; l < m->labels.n && right; l++)
            right = thr_case_chooses(m, c, k, l) == c->truth[l];
        c->wrong[k] = !right;
    }
    out->mistake = !known || memcmp(c->chosen, c->truth, m->labels.n * sizeof *c->truth) != 0;
}

void thr_case_compare(const thr_model *m, thr_case *c, const thr_batch *b, size_t i, uint32_t label,
                      uint32_t labels_then, thr_lesson *out)
{
    if (thr_model_numbers(m))
        out->error = thr_label_number(&b->about[i]) - c->answer[0];
    else if (m->reader.multilabel)
        compare_set(m, c, b, i, labels_then == m->labels.n, out);
    else
        compare_label(m, c, label, labels_then, out);
}

/* ---- fitting the members' probabilities ------------------------------------------------------ */

bool thr_case_fits(const thr_model *m, const thr_case *c)
{
    if (thr_model_numbers(m) || !c->known || (m->race && !thr_model_by_probability(m)))
        return false;
    return m->reader.multilabel || !c->restricted || c->candidate[c->whole.label];
}

/* For multi-label data, where each label has its own sigmoid. Where a model goes by probabilities,
 * the members' logits have been there since they scored, and those of a race are fitted too: each
 * member must predict what it would alone. */
static void fit_member_set(thr_model *m, thr_case *c, uint32_t k, double *log_p)
{
    thr_calibration *fit = &m->member[k].calibration;
    const bool *candidate = c->restricted ? c->candidate : NULL;
    uint32_t n = m->labels.n;
    if (c->repeated) {
        thr_calibration_see_repeat_each(fit, thr_case_weigh(m, c, k));
        return;
    }
    if (thr_calibration_listens(fit) && thr_model_by_probability(m)) {
        memcpy(log_p, c->log_p + (size_t)k * n, n * sizeof *log_p);
        thr_log_sigmoid(log_p, n);
    } else if (thr_calibration_listens(fit))
        thr_calibration_each(fit, thr_case_weigh(m, c, k), candidate, log_p);
    thr_calibration_learn_each(fit, thr_case_evidence(m, c, k), candidate, log_p, c->truth);
}

static bool votes(const thr_model *m)
{
    return thr_model_combines(m) && !thr_model_mixes(m);
}

/* The logits of members `first` to `end` - 1, without labels that are no candidates: of a single
 * member nothing was computed yet; a vote has normalised logarithms, a mixture the logits of all
 * labels, which it will need as they are. */
static void take_logits(const thr_model *m, thr_case *c, uint32_t first, uint32_t end,
                        double *logit)
{
    uint32_t n = m->labels.n;
    if (thr_model_combines(m))
        memcpy(logit, c->log_p + (size_t)first * n, (size_t)(end - first) * n * sizeof *logit);
    else
        thr_calibration_weigh(&m->member[first].calibration, thr_case_weigh(m, c, first), NULL,
                              logit);
    for (uint32_t k = 0; k < end - first && c->restricted && !votes(m); k++)
        for (uint32_t l = 0; l < n; l++)
            if (!c->candidate[l])
                logit[(size_t)k * n + l] = -INFINITY;
}

/* The probabilities of members `first` to `end` - 1, from which their calibrations learn. */
static void find_chances(const thr_model *m, thr_case *c, uint32_t first, uint32_t end, double *p)
{
    bool by_logs = m->member[first].calibration.in_order;
    uint32_t n = m->labels.n;
    take_logits(m, c, first, end, p);
    if (votes(m))
        thr_exp_many(p, (size_t)(end - first) * n);
    else
        thr_softmax(p, n, end - first, THR_NO_LOSS, by_logs);
}

/* Most calibrations listen to the same examples, and later to few: probabilities are computed only
 * for these. An example met again adjusts only the usual size of scores. */
static void fit_member_labels(thr_model *m, thr_case *c, uint32_t first, uint32_t end, double *p)
{
    bool heard = false;
    for (uint32_t k = first; k < end && !c->repeated; k++)
        heard |= thr_calibration_listens(&m->member[k].calibration);
    if (heard)
        find_chances(m, c, first, end, p);
    for (uint32_t k = first; k < end; k++) {
        thr_calibration *fit = &m->member[k].calibration;
        if (c->predicted[k] == THR_NONE)
            continue;
        if (c->repeated)
            thr_calibration_see_repeat(fit, thr_case_weigh(m, c, k));
        else
            thr_calibration_learn_one(fit, thr_case_evidence(m, c, k),
                                      p + (size_t)(k - first) * m->labels.n, c->whole.label,
                                      c->counts);
    }
}

/* A member that predicted nothing learns nothing. */
void thr_case_fit(thr_model *m, thr_case *c, uint32_t first, uint32_t end, double *room)
{
    if (!c->fits)
        return;
    if (!m->reader.multilabel) {
        fit_member_labels(m, c, first, end, room);
        return;
    }
    for (uint32_t k = first; k < end; k++)
        if (c->predicted[k] != THR_NONE || !thr_model_by_probability(m))
            fit_member_set(m, c, k, room);
}

bool thr_case_weighs_runs(const thr_model *m, const thr_case *c)
{
    return c->fits && !c->repeated && m->labels.n > 1 && !m->reader.multilabel &&
           thr_model_mixes(m);
}

/* ---- recording ------------------------------------------------------------------------------ */

/* The log loss of a set of independent labels: the sum over labels of -log p_l or -log(1 - p_l),
 * which is -log p_l + z_l, z_l being the logit. Labels that are no candidates have none. */
static double loss_of_set(const thr_model *m, const thr_case *c)
{
    double loss = 0;
    for (uint32_t l = 0; l < m->labels.n; l++)
        if (!c->restricted || c->candidate[l])
            loss += (c->truth[l] ? 0 : c->answer[l]) - c->log_probability[l];
    return loss;
}

/* Fits the mixture and its probabilities, from the members' logits as they were mixed. */
static void fit_mixed_set(thr_model *m, thr_case *c)
{
    const bool *candidate = c->restricted ? c->candidate : NULL;
    thr_case_fitted(m, c);
    thr_mixture_learn_each(&m->panel.mixture, c->log_p, m->panel.fit.slope.value, c->probability,
                           candidate, c->truth, loss_of_set(m, c), m->labels.n);
    thr_calibration_learn_each(&m->panel.fit, thr_case_mixed(m, c), candidate, c->log_probability,
                               c->truth);
}

/* The same for one label of many. */
static void fit_mixture(thr_model *m, thr_case *c, uint32_t label)
{
    uint32_t n = m->labels.n;
    if (n < 2)
        return;
    memcpy(c->probability, c->log_probability, n * sizeof *c->probability);
    double loss = thr_softmax(c->probability, n, 1, label, m->panel.fit.in_order);
    thr_mixture_learn(&m->panel.mixture, c->log_p, m->panel.fit.slope.value, c->probability, loss,
                      n, label, c->counts);
    thr_calibration_learn_one(&m->panel.fit, thr_case_mixed(m, c), c->probability, label,
                              c->counts);
}

/* Fits how the members are combined, from an example met for the first time. */
static void fit_panel(thr_model *m, thr_case *c, uint32_t label)
{
    if (thr_model_mixes(m) && !m->reader.multilabel)
        fit_mixture(m, c, label);
    else if (thr_model_mixes(m) && m->labels.n > 0)
        fit_mixed_set(m, c);
    else if (!thr_model_mixes(m) && m->members > 1 && !m->race && thr_panel_listens(&m->panel)) {
        thr_case_fitted(m, c);
        thr_panel_learn_blend(&m->panel, c->log_p, m->labels.n, c->probability, label);
    }
}

/* The vote is counted before the blend is fitted: thr_panel_listens goes by the number of examples
 * voted on, this one included. */
void thr_case_record(thr_model *m, thr_case *c, const thr_lesson *out)
{
    if (thr_model_numbers(m)) {
        m->seen.squared += out->error * out->error;
        m->seen.absolute += fabs(out->error);
        return;
    }
    m->seen.mistakes += out->mistake;
    for (uint32_t k = 0; k < m->members; k++)
        m->member[k].mistakes += c->wrong[k];
    if (m->race && !thr_model_by_probability(m))
        return;
    if (thr_model_combines(m) && !c->repeated)
        thr_panel_learn(&m->panel, c->wrong, out->mistake);
    if (c->known && m->reader.multilabel && !c->repeated)
        for (uint32_t l = 0; l < m->labels.n && thr_thresholds_learn(&m->thresholds); l++)
            thr_thresholds_count(&m->thresholds, l, c->truth[l], c->chosen[l]);
    if (!c->repeated && c->fits)
        fit_panel(m, c, c->whole.label);
}
