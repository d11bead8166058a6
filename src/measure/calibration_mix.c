/* One calibration of several (calibration.h). What each has learned beyond a common base is added:
 * values by share, sums over examples as often as they count. */
#include "measure/calibration.h"

#include <math.h>

/* Adds what `from` has learned beyond the base: values by share; second derivatives, which are sums
 * over examples, `times` times. A curvature is at least the prior, up to rounding; the prior
 * itself, which the result has already, is not added again. */
static void mix_fit(thr_fit *to, const thr_fit *from, const thr_fit *base, double prior,
                    double share, double times)
{
    double curvature = fmax(from->curvature, prior) - base->curvature;
    to->value += share * (from->value - base->value);
    to->curvature = fmin(to->curvature + times * curvature, THR_FIT_MOST);
    double cross = to->cross + times * (from->cross - base->cross);
    to->cross = fmax(fmin(cross, THR_FIT_MOST), -THR_FIT_MOST);
}

/* c begins as a copy of the base, with labels in its own order. */
static void start_from(thr_calibration *c, const thr_calibration_part *base)
{
    const thr_calibration *from = base->from;
    c->seen = from->seen;
    c->again = from->again;
    c->log_size = from->log_size;
    c->log_now = from->log_now;
    c->slope = from->slope;
    for (uint32_t l = 0; l < c->n; l++)
        thr_calibration_set_offset(c, l, thr_calibration_offset(from, base->label[l]));
}

/* What the base has seen; all 0 without a base. */
typedef struct earlier {
    double seen, again, log_size, log_now;
} earlier;

/* Whether a calibration has learned from new examples since the base. */
static bool has_grown(const thr_calibration *c, const earlier *b)
{
    return c->seen > b->seen;
}

/* The same, or at least from examples met again. */
static bool has_looked(const thr_calibration *c, const earlier *b)
{
    return has_grown(c, b) || c->again > b->again;
}

/* Adds what a part has learned since the base: with `share` from new examples, with `share_now`
 * also from examples met again. `again` counts examples since the last new one, so the base's are
 * subtracted only if none came since. */
static void add_part(thr_calibration *c, const thr_calibration_part *part,
                     const thr_calibration_part *base, const earlier *b, double share,
                     double share_now)
{
    const thr_fit none = {.curvature = thr_calibration_prior(c)};
    const thr_calibration *from = part->from;
    double prior = thr_calibration_prior(c), times = share > 0 ? part->times : 0;
    mix_fit(&c->slope, &from->slope, base ? &base->from->slope : &none, prior, share, times);
    for (uint32_t l = 0; l < c->n; l++) {
        thr_fit to = thr_calibration_offset(c, l);
        const thr_fit of = thr_calibration_offset(from, part->label[l]);
        const thr_fit old = base ? thr_calibration_offset(base->from, base->label[l]) : none;
        mix_fit(&to, &of, &old, prior, share, times);
        thr_calibration_set_offset(c, l, to);
    }
    c->seen += from->seen - b->seen;
    c->again += from->again - (has_grown(from, b) ? 0 : b->again);
    c->log_size += share * (from->log_size - b->log_size);
    c->log_now += share_now * (from->log_now - b->log_now);
}

/* Curvatures are decayed, so a model may have less than the base had; several such differences
 * together could make the sum negative. */
static void keep_curved(thr_calibration *c)
{
    c->slope.value = fmax(c->slope.value, 0); /* it may be below by rounding */
    c->slope.curvature = fmax(c->slope.curvature, thr_calibration_prior(c));
    for (uint32_t l = 0; l < c->n; l++)
        c->offset.curvature[l] = fmax(c->offset.curvature[l], thr_calibration_prior(c));
}

/* A calibration that has seen nothing since the base gets no share; the shares of the others are
 * scaled up to 1. If none has, c stays as it is. */
void thr_calibration_mix(thr_calibration *c, const thr_calibration_part *part, size_t n,
                         const thr_calibration_part *base)
{
    if (c->fixed)
        return;
    const thr_calibration *old = base ? base->from : NULL;
    double grown = 0, looked = 0;
    earlier b = {0, 0, 0, 0};
    if (old)
        b = (earlier){old->seen, old->again, old->log_size, old->log_now};
    for (size_t i = 0; i < n; i++) {
        grown += has_grown(part[i].from, &b) ? part[i].share : 0;
        looked += has_looked(part[i].from, &b) ? part[i].share : 0;
    }
    if (base)
        start_from(c, base);
    if (!(looked > 0))
        return;
    if (!base)
        c->slope = (thr_fit){.curvature = thr_calibration_prior(c)};
    if (grown > 0)
        c->again = 0;
    for (size_t i = 0; i < n; i++) {
        const thr_calibration *from = part[i].from;
        double share = has_grown(from, &b) && grown > 0 ? part[i].share / grown : 0;
        double share_now = has_looked(from, &b) ? part[i].share / looked : 0;
        add_part(c, &part[i], base, &b, share, share_now);
    }
    keep_curved(c);
}
