/* Shows how a linear member computes its scores of one example: the form of each sum and its terms
 * (thr_working in thresh.h), so that a caller can recompute the scores to the bit.
 *
 * Most rules score by a plain dot product of their weights. A rule that does not states its form
 * and terms in two hooks of its own, which stand beside `score` and must follow it exactly;
 * tests/unit/test_recompute.c recomputes the scores of every learner. */
#include "base/error.h"
#include "model/inside.h"
#include "step/explain.h"
#include "step/names.h"

#include <stdlib.h>

/* Two terms per feature and function, then one offset per label. */
static bool make_room(struct thr_work *k, size_t n, size_t functions, size_t labels)
{
    size_t each, both, terms;
    return !__builtin_mul_overflow(n, functions, &each) &&
           !__builtin_add_overflow(each, each, &both) &&
           !__builtin_add_overflow(both, 2 * labels, &terms) &&
           thr_grow(&k->feature, &k->feature_room, n + 1, sizeof *k->feature) &&
           thr_grow(&k->value, &k->value_room, n + 1, sizeof *k->value) &&
           thr_grow(&k->term, &k->term_room, terms + 1, sizeof *k->term) &&
           thr_grow(&k->function, &k->function_room, functions + 1, sizeof *k->function);
}

static void show_features(struct thr_work *k, const thr_example *e)
{
    for (size_t i = 0; i < e->n; i++) {
        k->feature[i] = e->id[i] == THR_NONE ? THR_UNKNOWN_FEATURE : e->id[i];
        k->value[i] = e->x ? e->x[i] : 1;
    }
}

static void show_function(struct thr_work *k, const thr_member *member, const thr_example *e,
                          uint32_t f)
{
    const thr_rule *r = &member->rule;
    const thr_weights *w = &member->weights;
    size_t functions = w->functions;
    k->function[f] = (thr_function){.first = thr_sum_plain(w),
                                    .factor = 1,
                                    .second_factor = 1,
                                    .second_divisor = 1,
                                    .divisor = 1};
    if (r->learner->form)
        r->learner->form(r, w, e, f, &k->function[f]);
    for (size_t i = 0; i < e->n; i++) {
        double term[2] = {0};
        if (r->learner->terms)
            r->learner->terms(r, w, e->id[i], f, e->known, term);
        else
            term[0] = r->learner->weight(r, w, e->id[i], f, e->known);
        k->term[i * functions + f] = term[0];
        k->term[(e->n + i) * functions + f] = term[1];
    }
}

/* How the functions' values become the labels' scores: see thr_working.anchor. */
static int anchor_of(const thr_model *m, const thr_member *k)
{
    if (thr_model_numbers(m))
        return 0;
    if (thr_member_shares(k, &m->labels))
        return (int)k->anchor;
    return k->rule.policy->splits ? THR_EACH : THR_PAIRS;
}

static void show_member(const thr_model *m, struct thr_work *k, const thr_case *c, uint32_t member,
                        thr_working *out)
{
    const thr_example *e = &c->view[member];
    const thr_member *of = &m->member[member];
    size_t at, functions = of->weights.functions;
    double *offset = k->term + 2 * e->n * functions, *mixed_offset = offset + m->labels.n;
    for (uint32_t l = 0; l < of->calibration.n; l++)
        offset[l] = of->calibration.offset.value[l];
    const thr_calibration *tempers = thr_model_tempers(m);
    for (uint32_t l = 0; l < m->panel.fit.n; l++)
        mixed_offset[l] = m->panel.fit.offset.value[l];
    *out = (thr_working){
        .n = e->n,
        .features = k->feature,
        .values = k->value,
        .scale = e->scale,
        .sits_out = !thr_member_takes(of, e, &at),
        .functions = functions,
        .function = k->function,
        .first = k->term,
        .second = k->term + e->n * functions,
        .anchor = anchor_of(m, of),
        .extent = thr_case_extent(m, c, member),
        .size = thr_calibration_size(&of->calibration),
        .slope = of->calibration.slope.value,
        .offset = offset,
        .vote = m->panel.experts ? thr_panel_weight(&m->panel, member) : 1,
        .power = m->panel.experts ? m->panel.power[member] : 1,
        .mixed = thr_model_mixes(m),
        .mixed_slope = thr_model_mixes(m) ? m->panel.fit.slope.value : 1,
        .mixed_offset = thr_model_mixes(m) ? mixed_offset : NULL,
        .seen = tempers ? tempers->seen : 1,
        .prior = tempers ? THR_TEMPER : 0,
    };
}

int thr_work_out(const thr_model *m, thr_scratch *s, thr_batch *b, size_t example, size_t member,
                 thr_working *out, thr_error *err)
{
    uint32_t best;
    int code = thr_model_check_linear(m, member, err);
    if (code == 0)
        code = thr_model_find_one(m, b, example, err);
    if (code == 0)
        code = thr_model_score(m, &s->work, b, example, &best, err);
    if (code)
        return code;
    const thr_member *k = &m->member[member];
    const thr_example *e = &s->work.cases->view[member];
    if (!make_room(&s->shown, e->n, k->weights.functions, k->calibration.n))
        return thr_fail_memory(err);
    show_features(&s->shown, e);
    for (uint32_t f = 0; f < k->weights.functions; f++)
        show_function(&s->shown, k, e, f);
    show_member(m, &s->shown, s->work.cases, (uint32_t)member, out);
    return thr_model_intact(m, err);
}
