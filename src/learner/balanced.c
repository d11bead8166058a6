/* Balanced Winnow (Littlestone 1988; L0 6, 8): w = p - n, both positive and 1 at first. This is
 * Winnow on the doubled example [x, -x], without losing sparsity and without a threshold.
 *     p_i *= exp(eta y x_i),  n_i *= exp(-eta y x_i)   if y w.x <= 0 or y w.x < margin
 *
 * On data with l1 margin g = min y u.x / |u|_1 and X = max |x_i|, eta = g/X^2 gives
 *     updates <= 2 X^2 ln(2N)/g^2
 * at margin 0, normalised or not, since one positive factor changes no sign. If normalised,
 * scores are divided by the sum Z of all p and n (exponentiated gradient on the simplex). This
 * gives the margin (thick separator) a scale: with a margin r < g and eta = (g - r)/X^2,
 *     updates <= 2 X^2 ln(2N)/(g - r)^2.
 *
 * Ties. p = e^v and n = e^-v for one exponent v, the sum of eta y x over the updates. p and n are
 * floats, and multiplying them step by step would round differently in a different order: two
 * features that have moved up and down equally often would have different weights, and rounding
 * would decide a score that is 0 in real numbers. So v is kept on a grid that is fine beside the
 * steps but coarse beside the rounding of floats. Then log p, rounded to the grid, is v exactly,
 * steps add up exactly, and weights depend on the sum of the steps alone. Models of earlier rules
 * multiply.
 *
 * Z is not summed over all features at every step. Each known feature starts with p + n = 2, so
 * Z is twice the number of features plus the changes, which a move adds up (CHANGE). */
#include "base/mathx.h"
#include "learner/mix.h"
#include "learner/quad.h"

#include <math.h>

enum { ETA, MARGIN, NORMALIZED, BIAS, MARGIN_NEGATIVE };
enum { POSITIVE, NEGATIVE }; /* slots */
enum { CHANGE };             /* per function: Z minus its start, 2 per feature */

#define LEAST 1e-30   /* least p and n */
#define GRID  0x1p-22 /* exponents are multiples of it; the logarithm of a float is more exact */
#define FINE  0x1p-12 /* steps below it are taken as they are: the grid is too coarse for them */

static const thr_option_info options[] = {
    {"eta", "0.2", "learning rate: an update multiplies weights by exp(+-eta x)", THR_REAL, NULL,
     1e-9, 20},
    {"margin", "1", "also update if the correct label leads by less than this", THR_REAL, NULL, 0,
     1e30},
    {"normalized", "off", "divide scores by the sum of all weights", THR_BOOL, NULL, 0, 1},
    {"bias", "on", "add a constant feature with the value 1", THR_BOOL, NULL, 0, 1},
    {"margin-negative", "auto", "the same for negative examples (auto: equal to margin)", THR_REAL,
     "auto", 0, 1e30},
    {0},
};

static int setup(thr_rule *r, thr_error *err)
{
    (void)err;
    r->slot[POSITIVE] = (thr_slot_spec){"p", false, 1, THR_MIRROR_SWAP};
    r->slot[NEGATIVE] = (thr_slot_spec){"n", false, 1, THR_MIRROR_SWAP};
    r->n_slots = 2;
    r->bias = r->option[BIAS] != 0;
    return 0;
}

/* Z. Every known feature that counts started with p = n = 1; `waiting` ones do not count, nor
 * does the bias, id 0, of a rule without bias. */
static double total(const thr_rule *r, uint32_t f, uint32_t known)
{
    double features = (double)known - (double)r->waiting - (r->bias ? 0 : 1);
    features = features > 1 ? features : 1;
    double z = 2 * features + thr_rule_state(r, f)[CHANGE];
    return z > LEAST ? z : LEAST; /* rounding of changes that cancel must not flip the sign */
}

static void score(const thr_rule *r, const thr_weights *w, const thr_example *e, double *live,
                  double *shown)
{
    thr_gathered_dot(w, e, live, shown);
    for (uint32_t f = 0; f < w->functions; f++) {
        live[f] -= shown[f];
        if (r->option[NORMALIZED] != 0)
            live[f] /= total(r, f, e->known);
        shown[f] = live[f];
    }
}

static double asks(const thr_rule *r)
{
    return r->option[MARGIN];
}

static double step(const thr_rule *r, const thr_example *e, double margin, int sign, int copies)
{
    (void)copies;
    double least = thr_margin_of(r, sign, MARGIN, MARGIN_NEGATIVE);
    return thr_margin_step(e, margin, least, r->option[ETA]);
}

static double in_range(double v)
{
    double most = v > THR_WEIGHT_MAX ? THR_WEIGHT_MAX : v;
    return most < LEAST ? LEAST : most;
}

/* The factors exp(by x_i). If the values are all alike, one exponential serves for all; padding
 * gets the factor 1. */
THR_CLONED static void take_factors(const thr_gathered *s, bool alike, double by, double *up)
{
    for (size_t i = 0; i < s->round; i++)
        up[i] = by * s->x[i];
    thr_exp_many(up, alike ? 1 : s->round);
    for (size_t i = 1; i < s->round && alike; i++)
        up[i] = i < s->n ? up[0] : 1;
}

/* Multiplies p (s->a) and divides n (s->b) by the factors, four features at a time. The results
 * are rounded to float before the change is computed, since that is what the rows will hold.
 * Returns `change` plus the change of all p + n, added in the order of the example. A factor
 * that has underflowed to 0 makes n the greatest weight. */
THR_CLONED static double move_some(thr_gathered *s, const double *factor, double change)
{
    thr_quad up, p, n, before, most, none = {0};
    thr_quad_all(&most, THR_WEIGHT_MAX);
    for (size_t i = 0; i < s->round; i += THR_QUAD) {
        thr_quad_get(&up, factor + i);
        thr_quad_get(&p, s->a + i);
        thr_quad_get(&n, s->b + i);
        before = p + n;
        p *= up;
        n /= up;
        thr_quad_choose(&n, up > none, &most);
        thr_quad_within(&p, LEAST, THR_WEIGHT_MAX);
        thr_quad_within(&n, LEAST, THR_WEIGHT_MAX);
        thr_quad_round(&p);
        thr_quad_round(&n);
        thr_quad_set(&p, s->a + i);
        thr_quad_set(&n, s->b + i);
        before = p + n - before;
        change = thr_quad_add_up(change, &before);
    }
    return change;
}

/* The same one feature at a time, for examples in which two hashed features share a row. */
static double move_each(const thr_weights *w, const thr_example *e, uint32_t f, double by)
{
    double change = 0;
    for (size_t i = 0; i < e->n; i++) {
        double up = thr_exp(by * thr_example_value(e, i));
        float *at = thr_row(w, e, i, POSITIVE, f), *other = thr_row(w, e, i, NEGATIVE, f);
        double before = (double)*at + (double)*other;
        *at = (float)in_range((double)*at * up);
        *other = (float)in_range(up > 0 ? (double)*other / up : THR_WEIGHT_MAX);
        change += (double)*at + (double)*other - before;
    }
    return change;
}

/* v, given the logarithm of the greater of p and n, and moved by `by`: on the grid, or as it is. */
static double exponent(double log_of_greater, bool positive, double by)
{
    double unit = fabs(by) < FINE ? 0x1p-52 : GRID; /* padding has the step 0, and v = 0 */
    double v = rint(log_of_greater / unit) * unit;
    return (positive ? v : -v) + rint(by / unit) * unit;
}

/* p and n of the exponent v, where `greater` is e^|v|. Returns by how much p + n changes. */
static double set_parts(double *p, double *n, double v, double greater)
{
    double before = *p + *n, high = (double)(float)in_range(greater),
           low = (double)(float)in_range(1 / greater);
    *p = v >= 0 ? high : low;
    *n = v >= 0 ? low : high;
    return *p + *n - before;
}

/* Moves the exponents of some features. Returns `change` plus the change of all p + n. */
static double move_exponents(thr_gathered *s, double by, double change)
{
    double v[THR_GATHERED], greater[THR_GATHERED];
    for (size_t i = 0; i < s->round; i++)
        greater[i] = s->a[i] > s->b[i] ? s->a[i] : s->b[i];
    thr_log_many(greater, s->round);
    for (size_t i = 0; i < s->round; i++) {
        v[i] = exponent(greater[i], s->a[i] >= s->b[i], by * s->x[i]);
        greater[i] = fabs(v[i]);
    }
    thr_exp_many(greater, s->round);
    for (size_t i = 0; i < s->round; i++)
        change += set_parts(&s->a[i], &s->b[i], v[i], greater[i]);
    return change;
}

/* The same one feature at a time, as move_each. */
static double move_each_exponent(const thr_weights *w, const thr_example *e, uint32_t f, double by)
{
    double change = 0;
    for (size_t i = 0; i < e->n; i++) {
        float *at = thr_row(w, e, i, POSITIVE, f), *other = thr_row(w, e, i, NEGATIVE, f);
        double p = (double)*at, n = (double)*other;
        double v = exponent(thr_log(p > n ? p : n), p >= n, by * thr_example_value(e, i));
        change += set_parts(&p, &n, v, thr_exp(fabs(v)));
        *at = (float)p;
        *other = (float)n;
    }
    return change;
}

static void move(thr_rule *r, thr_weights *w, const thr_example *e, uint32_t f, double by)
{
    thr_gathered room, *s;
    bool exact = r->rules >= THR_RULES_TIES;
    double change = 0, factor[THR_GATHERED];
    if (!e->distinct)
        change = exact ? move_each_exponent(w, e, f, by) : move_each(w, e, f, by);
    for (size_t i = 0; i < e->n && e->distinct; i += THR_GATHERED) {
        s = thr_gathered_take(&room, w, e, f, i);
        if (exact)
            change = move_exponents(s, by, change);
        else {
            take_factors(s, !e->x, by, factor);
            change = move_some(s, factor, change);
        }
        thr_gathered_put(s, w, e, f);
    }
    thr_rule_state(r, f)[CHANGE] += change;
}

static void form(const thr_rule *r, const thr_weights *w, const thr_example *e, uint32_t f,
                 thr_function *out)
{
    out->second = thr_sum_plain(w);
    out->divisor = r->option[NORMALIZED] != 0 ? total(r, f, e->known) : 1;
}

static void terms(const thr_rule *r, const thr_weights *w, uint32_t id, uint32_t f, uint32_t known,
                  double term[2])
{
    (void)r, (void)known;
    term[0] = thr_weights_get(w, id, POSITIVE, f);
    term[1] = thr_weights_get(w, id, NEGATIVE, f);
}

static double weight(const thr_rule *r, const thr_weights *w, uint32_t id, uint32_t f,
                     uint32_t known)
{
    double v = thr_weights_get(w, id, POSITIVE, f) - thr_weights_get(w, id, NEGATIVE, f);
    return r->option[NORMALIZED] != 0 ? v / total(r, f, known) : v;
}

static void weigh_many(const thr_rule *r, const thr_weights *w, uint32_t id, size_t n,
                       uint32_t known, double *out, double *room)
{
    bool normalized = r->option[NORMALIZED] != 0;
    for (size_t i = 0; i < n; i++, out += w->functions) {
        thr_weights_read(w, id + (uint32_t)i, POSITIVE, out);
        thr_weights_read(w, id + (uint32_t)i, NEGATIVE, room);
        for (uint32_t f = 0; f < w->functions; f++)
            out[f] -= room[f];
        for (uint32_t f = 0; f < w->functions && normalized; f++)
            out[f] /= total(r, f, known);
    }
}

/* Z loses p + n of the dropped features. */
static void forget(thr_rule *r, const thr_weights *w, const bool *keep, uint32_t n)
{
    for (uint32_t id = 1; id < n; id++)
        if (!keep[id])
            for (uint32_t f = 0; f < w->functions; f++)
                thr_rule_state(r, f)[CHANGE] -=
                    thr_weights_get(w, id, POSITIVE, f) + thr_weights_get(w, id, NEGATIVE, f) - 2;
}

static const char *drifts(const thr_rule *r)
{
    return r->option[NORMALIZED] != 0 ? "normalized=on divides by a sum that grows with every new "
                                        "feature: leave it off"
                                      : NULL;
}

/* The geometric mean: updates add to the logarithms. p and n of a feature stay each other's
 * inverse. */
static void mix_weight(const thr_rule *to, const thr_mixing *x, uint32_t id, const double *in,
                       double *out)
{
    (void)to, (void)id;
    out[POSITIVE] = in_range(thr_mix_geometric(x, in, POSITIVE));
    out[NEGATIVE] = in_range(thr_mix_geometric(x, in, NEGATIVE));
}

static void derive(thr_rule *to, const thr_weights *w, uint32_t known)
{
    for (uint32_t f = 0; f < w->functions; f++) {
        double *change = &thr_rule_state(to, f)[CHANGE];
        *change = 0;
        for (uint32_t id = 0; id < known; id++)
            *change +=
                thr_weights_get(w, id, POSITIVE, f) + thr_weights_get(w, id, NEGATIVE, f) - 2;
    }
}

static const thr_mixer mixer = {.weight = mix_weight, .derive = derive};

const thr_learner thr_learner_balanced = {
    .name = "balanced",
    .help = "Winnow with a positive and a negative part of each weight; needs no threshold",
    .options = options,
    .flags = THR_SHARES | THR_ANTISYMMETRIC | THR_DIRECT | THR_LIKES_UNIT | THR_CONSERVATIVE,
    .function_state = 1,
    .policy = "direct",
    .textbook = "margin=0,margin-negative=0",
    .split = 1,
    .setup = setup,
    .score = score,
    .step = step,
    .asks = asks,
    .move = move,
    .weight = weight,
    .form = form,
    .terms = terms,
    .weigh_many = weigh_many,
    .forget = forget,
    .drifts = drifts,
    .mix = &mixer,
};
