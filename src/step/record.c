/* What an example's true label says about the predictions that were made before it was looked at:
 * mistakes are counted, probabilities are fitted, and the panel's experts are weighed.
 *
 * Probabilities, the blend and the experts' weights learn only from examples met for the first time
 * (model/repeats.h): a rule predicts examples it has learned from too well. A mistake, in contrast,
 * is counted at every step. A race (model/inside.h) counts mistakes and nothing else, except where
 * predictions go by probabilities (multi-label data): there it learns these too. */
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

/* ---- recording ------------------------------------------------------------------------------ */

/* For multi-label data, where each label has its own sigmoid: fits the probabilities of member k.
 * log_p are those that its evidence gave. When its calibration does not listen to this example, it
 * ignores them. */
static void fit_member_set(thr_model *m, thr_case *c, uint32_t k, const double *log_p,
                           bool repeated)
{
    thr_calibration *fit = &m->member[k].calibration;
    if (repeated)
        thr_calibration_see_repeat_each(fit, thr_case_weigh(m, c, k));
    else
        thr_calibration_learn_each(fit, thr_case_evidence(m, c, k),
                                   c->restricted ? c->candidate : NULL, log_p, c->truth);
}

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

/* Where a model goes by probabilities, the members' logits have been there since they scored, and
 * those of a race are fitted too: each member must predict what it would alone. A member that
 * predicted nothing learns nothing. */
static void fit_set(thr_model *m, thr_case *c, bool repeated)
{
    uint32_t n = m->labels.n;
    if (!thr_model_by_probability(m)) {
        if (!repeated && thr_calibration_listens(&m->member[0].calibration))
            thr_case_log_probabilities(m, c);
        fit_member_set(m, c, 0, c->log_probability, repeated);
        return;
    }
    if (thr_model_mixes(m) && !repeated && n > 0)
        fit_mixed_set(m, c);
    for (uint32_t k = 0; k < m->members; k++) {
        double *log_p = c->log_p + (size_t)k * n;
        if (c->predicted[k] == THR_NONE)
            continue;
        if (!repeated && thr_calibration_listens(&m->member[k].calibration))
            thr_log_sigmoid(log_p, n);
        fit_member_set(m, c, k, log_p, repeated);
    }
}

/* The members' logits become normalised log-probabilities. */
static void normalize_members(const thr_model *m, thr_case *c)
{
    uint32_t n = m->labels.n;
    for (uint32_t k = 0; k < m->members && c->restricted; k++)
        for (uint32_t l = 0; l < n; l++)
            if (!c->candidate[l])
                c->log_p[(size_t)k * n + l] = -INFINITY;
    thr_log_normalize(c->log_p, n, m->members);
}

/* Fits the mixture and its probabilities, from the members' logits as they were mixed, and then
 * every member's probabilities. Most calibrations listen to the same examples, and later to few:
 * the logits are normalised only for these. */
static void fit_mixture(thr_model *m, thr_case *c, uint32_t label)
{
    uint32_t n = m->labels.n;
    if (n < 2)
        return;
    double counts = thr_label_runs_weigh(&m->panel.order, label);
    bool heard = false;
    thr_case_fitted(m, c);
    thr_mixture_learn(&m->panel.mixture, c->log_p, m->panel.fit.slope.value, c->probability,
                      -c->log_probability[label], n, label, counts);
    thr_calibration_learn_one(&m->panel.fit, thr_case_mixed(m, c), c->log_probability, label,
                              counts);
    for (uint32_t k = 0; k < m->members; k++)
        heard |= thr_calibration_listens(&m->member[k].calibration);
    if (heard)
        normalize_members(m, c);
    for (uint32_t k = 0; k < m->members; k++)
        if (c->predicted[k] != THR_NONE)
            thr_calibration_learn_one(&m->member[k].calibration, thr_case_evidence(m, c, k),
                                      c->log_p + (size_t)k * n, label, counts);
}

/* Fits every member's probabilities and the blend, from an example whose label was known. An
 * example met again adjusts only the usual size of scores. A member that predicted nothing learns
 * nothing. A true label that was not among the candidates had no probability, so there is nothing
 * to fit.
 *
 * Probabilities are computed only if they will be used: the blend needs c->probability; a single
 * member needs c->log_probability if its calibration listens; a panel's log_p exist since the vote.
 */
static void fit_label(thr_model *m, thr_case *c, uint32_t label, bool repeated)
{
    uint32_t n = m->labels.n;
    if (c->restricted && !c->candidate[label])
        return;
    if (thr_model_mixes(m) && !repeated) {
        fit_mixture(m, c, label);
        return;
    }
    bool blend = m->members > 1 && !thr_model_mixes(m) && !repeated && thr_panel_listens(&m->panel);
    if (blend)
        thr_case_fitted(m, c);
    else if (!thr_model_combines(m) && !repeated &&
             thr_calibration_listens(&m->member[0].calibration))
        thr_case_log_probabilities(m, c);
    for (uint32_t k = 0; k < m->members; k++) {
        thr_calibration *fit = &m->member[k].calibration;
        const double *log_p =
            !thr_model_combines(m) ? c->log_probability : c->log_p + (size_t)k * n;
        if (c->predicted[k] == THR_NONE)
            continue;
        if (repeated)
            thr_calibration_see_repeat(fit, thr_case_weigh(m, c, k));
        else
            thr_calibration_learn_one(fit, thr_case_evidence(m, c, k), log_p, label, 1);
    }
    if (blend)
        thr_panel_learn_blend(&m->panel, c->log_p, n, c->probability, label);
}

/* The vote is counted before the blend is fitted: thr_panel_listens goes by the number of examples
 * voted on, this one included. */
void thr_case_record(thr_model *m, thr_case *c, uint32_t label, const thr_lesson *out, bool known,
                     bool repeated)
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
    if (thr_model_combines(m) && !repeated)
        thr_panel_learn(&m->panel, c->wrong, out->mistake);
    if (known && m->reader.multilabel && !repeated)
        for (uint32_t l = 0; l < m->labels.n && thr_thresholds_learn(&m->thresholds); l++)
            thr_thresholds_count(&m->thresholds, l, c->truth[l], c->chosen[l]);
    if (known && m->reader.multilabel)
        fit_set(m, c, repeated);
    else if (known)
        fit_label(m, c, label, repeated);
}
