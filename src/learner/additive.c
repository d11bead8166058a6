/* What the additive rules (perceptron, averaged, pa, lms) share: scoring, moving, and the mean
 * of w over every step.
 *     w += step x
 *
 * The mean is computed lazily (Collins 2002; L4 3.1), so that an example without an update
 * costs nothing. An update made after c examples is part of w_t for every t > c, so T - c times
 * in the sum over T examples. With a second vector a,
 *     a += c step x  at each update,   (1/T) sum_t w_t = w - a/T  after T examples.
 * a is the wide slot `sum`: it grows with the number of examples, and a float would lose it. */
#include "learner/mix.h"

#include <string.h>

void thr_additive_slots(thr_rule *r, bool averaged)
{
    r->n_slots = 0;
    r->lists = true;
    if (averaged)
        r->slot[r->n_slots++] = (thr_slot_spec){"sum", true, 0, THR_MIRROR_NEGATE};
    r->slot[r->n_slots++] = (thr_slot_spec){"w", false, 0, THR_MIRROR_NEGATE};
}

void thr_additive_score(const thr_rule *r, const thr_weights *w, const thr_example *e, double *live,
                        double *shown)
{
    if (w->n_slots < 2 || !(r->clock > 0)) {
        thr_weights_dot(w, w->n_slots - 1, e, live);
        memcpy(shown, live, w->functions * sizeof *shown);
        return;
    }
    thr_weights_dot_both(w, 0, 1, e, shown, live);
    for (uint32_t f = 0; f < w->functions; f++)
        shown[f] = live[f] - shown[f] / r->clock;
}

/* thr_weights_move adds c times the change of the stored w, not c step x: w is rounded to float
 * at each step. A later update makes up for the rounding in w, but the difference would stay in
 * the mean for good. */
void thr_additive_move(thr_rule *r, thr_weights *w, const thr_example *e, uint32_t f, double step)
{
    if (w->n_slots == 2)
        thr_weights_move(w, 0, 1, e, f, step, r->clock);
    else
        thr_weights_add(w, 0, e, f, step);
}

double thr_additive_live(const thr_rule *r, const thr_weights *w, uint32_t id, uint32_t f)
{
    (void)r;
    return thr_weights_get(w, id, w->n_slots - 1, f);
}

void thr_additive_rescale(thr_rule *r, thr_weights *w, const thr_example *e,
                          const thr_growth *grown, size_t n, uint32_t f)
{
    (void)r;
    for (const thr_growth *g = grown; g < grown + n; g++) {
        float *weight = thr_row(w, e, g->feature, w->n_slots - 1, f);
        double change = thr_unit_change(g->ratio);
        *weight = (float)thr_weight_clamp((double)*weight * change);
        if (w->n_wide)
            *thr_row_wide(w, e, g->feature, 0, f) *= change;
    }
}

double thr_additive_weight(const thr_rule *r, const thr_weights *w, uint32_t id, uint32_t f,
                           uint32_t known)
{
    (void)known;
    double v = thr_weights_get(w, id, w->n_slots - 1, f);
    if (w->n_slots == 2 && r->clock > 0)
        v -= thr_weights_get(w, id, 0, f) / r->clock;
    return v;
}

void thr_additive_form(const thr_rule *r, const thr_weights *w, const thr_example *e, uint32_t f,
                       thr_function *out)
{
    (void)e, (void)f;
    if (w->n_slots < 2 || !(r->clock > 0))
        return;
    out->second = thr_sum_plain(w);
    out->second_divisor = r->clock;
}

void thr_additive_terms(const thr_rule *r, const thr_weights *w, uint32_t id, uint32_t f,
                        uint32_t known, double term[2])
{
    (void)r, (void)known;
    term[0] = thr_weights_get(w, id, w->n_slots - 1, f);
    term[1] = w->n_slots > 1 ? thr_weights_get(w, id, 0, f) : 0;
}

void thr_additive_weigh_many(const thr_rule *r, const thr_weights *w, uint32_t id, size_t n,
                             uint32_t known, double *out, double *room)
{
    (void)known;
    bool mean = w->n_slots == 2 && r->clock > 0;
    for (size_t i = 0; i < n; i++, out += w->functions) {
        thr_weights_read(w, id + (uint32_t)i, w->n_slots - 1, out);
        if (mean)
            thr_weights_read(w, id + (uint32_t)i, 0, room);
        for (uint32_t f = 0; f < w->functions && mean; f++)
            out[f] -= room[f] / r->clock;
    }
}

/* Mixes w by the mean, and the averaging sum so that the average of the mix is (1/T) sum_t w_t
 * over the steps of all models. The base's steps count once. (This is for shares proportional
 * to the number of examples; with other shares the models' averages are weighted by these.) */
static void mix_weight(const thr_rule *to, const thr_mixing *x, uint32_t id, const double *in,
                       double *out)
{
    (void)id;
    unsigned now = to->n_slots - 1;
    double since = 0;
    thr_averaged_weight base = {thr_mix_base(x, in, now), thr_mix_base(x, in, 0)};
    out[now] = thr_mix_rounded(thr_mix_mean(x, in, now));
    for (size_t i = 0; i < x->n && now; i++) {
        const double *v = in + i * THR_MAX_SLOTS;
        thr_averaged_weight of = {v[now], v[0]};
        since += x->share[i] * thr_mix_mean_since(x, i, of, base);
    }
    if (now)
        out[0] = thr_mix_averaging_sum(x, to->clock, out[now], since, base);
}

const thr_mixer thr_additive_mixer = {.weight = mix_weight};
