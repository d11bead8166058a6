/* A mixture's one function; decision.h has the equations. */
#include "model/decision.h"

#include "model/inside.h"

bool thr_model_is_one(const thr_model *m)
{
    bool one = thr_model_mixes(m);
    for (uint32_t k = 0; k < m->members && one; k++)
        one = !(m->member[k].rule.learner->flags & THR_NOT_LINEAR) && !m->member[k].rule.presence;
    return one;
}

double thr_decision_share(const thr_model *m, uint32_t k)
{
    const thr_mixture *x = &m->panel.mixture;
    const thr_calibration *c = &m->member[k].calibration;
    return m->panel.fit.slope.value * x->weight[k] * c->slope.value / thr_calibration_size(c);
}

double thr_decision_offset(const thr_model *m, uint32_t label)
{
    const thr_mixture *x = &m->panel.mixture;
    double sum = 0;
    for (uint32_t k = 0; k < m->members; k++)
        sum += x->weight[k] * m->member[k].calibration.offset.value[label];
    return m->panel.fit.slope.value * sum + m->panel.fit.offset.value[label];
}

double thr_decision_constant(const thr_model *m, uint32_t label)
{
    return thr_decision_offset(m, label) + thr_classes_log_weight(&m->classes, label);
}

/* No rule's rest depends on the example, but for the number of known features. */
double thr_decision_rest(const thr_model *m, uint32_t k, uint32_t label)
{
    const thr_example none = {.known = m->known};
    return thr_member_rest(&m->member[k], &m->labels, &none, label);
}

/* Whether member k sees a feature at all: without a bias it does not see that feature, and what a
 * rule for positive values is spared, units.h says. */
bool thr_decision_sees(const thr_model *m, uint32_t k, uint32_t id)
{
    const thr_rule *r = &m->member[k].rule;
    return id == 0 ? r->bias : !r->nonnegative || thr_units_positive(&m->units, id);
}

static double weight_in(const thr_model *m, uint32_t k, uint32_t id, uint32_t label)
{
    return thr_decision_sees(m, k, id)
               ? thr_member_weight(&m->member[k], &m->labels, id, label, m->known)
               : 0;
}

static void center(double *weight, uint32_t n)
{
    double sum = 0;
    for (uint32_t l = 0; l < n; l++)
        sum += weight[l];
    for (uint32_t l = 0; l < n; l++)
        weight[l] -= sum / n;
}

void thr_decision_weights(const thr_model *m, uint32_t id, double *weight, double *work)
{
    uint32_t n = m->labels.n;
    for (uint32_t l = 0; l < n; l++)
        weight[l] = 0;
    for (uint32_t k = 0; k < m->members; k++) {
        double share = thr_decision_share(m, k);
        for (uint32_t l = 0; l < n; l++)
            work[l] = weight_in(m, k, id, l);
        if (!m->reader.multilabel)
            center(work, n);
        for (uint32_t l = 0; l < n; l++)
            weight[l] += share * work[l];
    }
    for (uint32_t l = 0; l < n && n == 2 && !m->reader.multilabel; l++)
        weight[l] *= 2; /* they are opposite numbers, so that is the difference */
}

double thr_decision_difference(const thr_model *m, uint32_t id, uint32_t label, uint32_t against)
{
    double sum = 0;
    for (uint32_t k = 0; k < m->members; k++) {
        double less = against == THR_NONE ? 0 : weight_in(m, k, id, against);
        sum += thr_decision_share(m, k) * (weight_in(m, k, id, label) - less);
    }
    return sum;
}
