/* AROW, adaptive regularisation of weights (Crammer, Kulesza, Dredze 2009), with a diagonal
 * covariance: each weight has a variance s_i, 1 at first, which shrinks whenever its feature
 * takes part in an update. So rare features take longer steps than frequent ones. If y w.x < 1,
 *     v = sum_i s_i x_i^2,  beta = 1/(v + r),  alpha = (1 - y w.x) beta,
 *     w_i += alpha y s_i x_i,   s_i -= beta s_i^2 x_i^2.
 * A variance stays above 0, since beta s_i x_i^2 < 1.
 *
 * r stands beside v, which grows with the square of the values. An r that is cautious for
 * examples of length 1 is therefore reckless for examples of length 5, whose labels may be
 * wrong as often. So with relative=on (the default) longer examples have r |x|^2/2 in its
 * place: 2 is the squared length of an example of length 1 with its bias.
 *
 * A move has two passes over the features, since beta needs the sum over all of them. As in
 * adagrad.c there are four implementations with the same bits. */
#include "learner/mix.h"
#include "learner/quad.h"

#include <math.h>

enum { CAUTION, BIAS, RELATIVE };
enum { WEIGHT, VARIANCE }; /* slots */

#define LEAST_VARIANCE 1e-30
#define LENGTH2        2 /* squared length up to which r is not scaled */

static const thr_option_info options[] = {
    {"r", "1", "regularisation: larger values make smaller, more cautious updates", THR_REAL, NULL,
     1e-9, 1e9},
    {"bias", "on", "add a constant feature with the value 1", THR_BOOL, NULL, 0, 1},
    {"relative", "on", "multiply r by half the squared length of an example, if that exceeds 1",
     THR_BOOL, NULL, 0, 1},
    {0},
};

static int setup(thr_rule *r, thr_error *err)
{
    (void)err;
    r->slot[WEIGHT] = (thr_slot_spec){"w", false, 0, THR_MIRROR_NEGATE};
    r->slot[VARIANCE] = (thr_slot_spec){"variance", false, 1, THR_MIRROR_SAME};
    r->n_slots = 2;
    r->lists = true;
    r->bias = r->option[BIAS] != 0;
    return 0;
}

static void score(const thr_rule *r, const thr_weights *w, const thr_example *e, double *live,
                  double *shown)
{
    (void)r;
    thr_gathered_dot(w, e, live, NULL);
    memcpy(shown, live, w->functions * sizeof *shown);
}

/* Returns the loss. How far each weight moves, move finds out from the variances. */
static double step(const thr_rule *r, const thr_example *e, double margin, int sign, int copies)
{
    (void)r, (void)sign, (void)copies;
    return margin < 1 && e->importance > 0 ? 1 - margin : 0;
}

/* beta, with `spread` for v. Importance divides r. */
static double beta_of(const thr_rule *r, const thr_example *e, double spread)
{
    double units = r->option[RELATIVE] != 0 ? fmax(1, e->norm2 / LENGTH2) : 1;
    return 1 / (spread + r->option[CAUTION] * units / (double)e->importance);
}

/* First pass: v + sum_i s_i x_i^2 over gathered features, added in the order of the example. */
THR_CLONED static double spread_some(const thr_gathered *s, double v)
{
    for (size_t i = 0; i < s->round; i++)
        v += s->b[i] * s->x[i] * s->x[i];
    return v;
}

/* Second pass: moves the weights (s->a) and shrinks the variances (s->b). */
THR_CLONED static void move_some(thr_gathered *s, double by, double beta)
{
    thr_quad step, rate, a, v, x, less;
    thr_quad_all(&step, by * beta);
    thr_quad_all(&rate, beta);
    for (size_t i = 0; i < s->round; i += THR_QUAD) {
        thr_quad_get(&x, s->x + i);
        thr_quad_get(&a, s->a + i);
        thr_quad_get(&v, s->b + i);
        a += step * v * x;
        thr_quad_clamp(&a, THR_WEIGHT_MAX);
        less = v - rate * v * v * x * x;
        thr_quad_at_least(&less, LEAST_VARIANCE);
        thr_quad_set(&a, s->a + i);
        thr_quad_set(&less, s->b + i);
    }
}

/* One feature at a time, for examples in which two hashed features may share a row. */
static void move_each(const thr_rule *r, thr_weights *w, const thr_example *e, uint32_t f,
                      double by)
{
    double spread = 0;
    for (size_t i = 0; i < e->n; i++) {
        double x = thr_example_value(e, i);
        spread += (double)*thr_row(w, e, i, VARIANCE, f) * x * x;
    }
    double beta = beta_of(r, e, spread);
    for (size_t i = 0; i < e->n; i++) {
        float *weight = thr_row(w, e, i, WEIGHT, f);
        float *variance = thr_row(w, e, i, VARIANCE, f);
        double x = thr_example_value(e, i);
        double s = (double)*variance, less = s - beta * s * s * x * x;
        *weight = (float)thr_weight_clamp((double)*weight + by * beta * s * x);
        *variance = (float)(less > LEAST_VARIANCE ? less : LEAST_VARIANCE);
    }
}

static void move(thr_rule *r, thr_weights *w, const thr_example *e, uint32_t f, double by)
{
    thr_gathered room, *s = &room;
    double spread = 0;
    if (!e->distinct) {
        move_each(r, w, e, f, by);
        return;
    }
    for (size_t i = 0; i < e->n; i += THR_GATHERED) {
        s = thr_gathered_take(&room, w, e, f, i);
        spread = spread_some(s, spread);
    }
    for (size_t i = 0; i < e->n; i += THR_GATHERED) {
        if (e->n > THR_GATHERED)
            s = thr_gathered_take(&room, w, e, f, i);
        move_some(s, by, beta_of(r, e, spread));
        thr_gathered_put(s, w, e, f);
    }
}

static double measure(thr_rule *r, thr_weights *w, const thr_example *e, uint32_t f)
{
    thr_gathered room;
    double spread = 0;
    (void)r;
    for (size_t i = 0; i < e->n; i += THR_GATHERED)
        spread = spread_some(thr_gathered_take(&room, w, e, f, i), spread);
    return spread;
}

static void move_measured(thr_rule *r, thr_weights *w, const thr_example *e, uint32_t f, double by,
                          double spread)
{
    thr_gathered room;
    double beta = beta_of(r, e, spread);
    for (size_t i = 0; i < e->n; i += THR_GATHERED) {
        thr_gathered *s = thr_gathered_take(&room, w, e, f, i);
        move_some(s, by, beta);
        thr_gathered_put(s, w, e, f);
    }
}

/* All first passes come before the second ones, for the reason given in adagrad.c. */
static void move_several(thr_rule *r, thr_weights *w, const thr_example *e, const uint32_t *f,
                         const double *by, uint32_t n)
{
    thr_gathered room[THR_TOGETHER];
    double spread[THR_TOGETHER];
    bool together = e->distinct && e->n <= THR_GATHERED && w->functions > 1;
    for (uint32_t k = 0; k < n && !together; k++)
        move(r, w, e, f[k], by[k]);
    for (uint32_t k = 0; k < n && together; k++)
        spread[k] = spread_some(thr_gathered_take(&room[k], w, e, f[k], 0), 0);
    for (uint32_t k = 0; k < n && together; k++) {
        move_some(&room[k], by[k], beta_of(r, e, spread[k]));
        thr_gathered_put(&room[k], w, e, f[k]);
    }
}

/* ---- four functions at once --------------------------------------------------------------- */

/* First pass for four functions. `even` says that all values are the same; inlined for both. */
THR_INLINE void spread_rows(const thr_example *e, bool even, size_t variance, double *v)
{
    thr_quad sum = {0}, s, x;
    thr_quad_all(&x, e->scale);
    for (size_t i = 0; i < e->n; i++) {
        if (!even)
            thr_quad_all(&x, thr_example_value(e, i));
        thr_quad_load(&s, (const float *)(const void *)(e->row[i] + variance));
        sum += s * x * x;
    }
    memcpy(v, &sum, sizeof sum);
}

THR_CLONED static void spread_four(const thr_example *e, size_t variance, double *v)
{
    if (e->x)
        spread_rows(e, false, variance, v);
    else
        spread_rows(e, true, variance, v);
}

/* Second pass for four functions; by[k] is 0 for a function that does not move. Such a function
 * must keep its bits. Its rate is 0, so its variance stays; its step is -0, because adding -0
 * changes no number, while adding +0 would turn -0 into +0. */
THR_INLINE void add_rows(const thr_example *e, bool even, size_t weight, size_t variance,
                         const double *by, const double *beta)
{
    const thr_example v = *e; /* a copy: for the compiler, writing a weight could change *e */
    thr_quad step, rate, x, none = {0}, less_than_none = -none;
    memcpy(&step, by, sizeof step);
    memcpy(&rate, beta, sizeof rate);
    thr_quad_mask moves = step != none;
    step *= rate;
    thr_quad_choose(&step, moves, &less_than_none); /* -0 */
    thr_quad_choose(&rate, moves, &none);
    thr_quad_all(&x, v.scale);
    for (size_t i = 0; i < v.n; i++) {
        float *at = (float *)(void *)(v.row[i] + weight);
        float *varies = (float *)(void *)(v.row[i] + variance);
        thr_quad s, before, now, less;
        if (!even)
            thr_quad_all(&x, thr_example_value(&v, i));
        thr_quad_load(&s, varies);
        thr_quad_load(&before, at);
        now = before + step * s * x;
        thr_quad_clamp(&now, THR_WEIGHT_MAX);
        if (!even) /* -0 times a negative value is +0 */
            thr_quad_choose(&now, moves, &before);
        thr_quad_store(&now, at);
        less = s - rate * s * s * x * x;
        thr_quad_at_least(&less, LEAST_VARIANCE);
        thr_quad_store(&less, varies);
    }
}

THR_CLONED static void add_four(const thr_example *e, size_t weight, size_t variance,
                                const double *by, const double *beta)
{
    if (e->x)
        add_rows(e, false, weight, variance, by, beta);
    else
        add_rows(e, true, weight, variance, by, beta);
}

static void move_quad(thr_rule *r, thr_weights *w, const thr_example *e, uint32_t f,
                      const double *by)
{
    size_t weight = thr_place(w, e, WEIGHT, f);
    size_t variance = thr_place(w, e, VARIANCE, f);
    double beta[THR_QUAD];
    spread_four(e, variance, beta);
    for (int k = 0; k < THR_QUAD; k++)
        beta[k] = beta_of(r, e, beta[k]);
    add_four(e, weight, variance, by, beta);
}

/* A precision 1/s_i is 1 and a sum over squared values, which is converted into the new unit. */
static void rescale(thr_rule *r, thr_weights *w, const thr_example *e, const thr_growth *grown,
                    size_t n, uint32_t f)
{
    (void)r;
    for (const thr_growth *g = grown; g < grown + n; g++) {
        float *at = thr_row(w, e, g->feature, WEIGHT, f);
        float *variance = thr_row(w, e, g->feature, VARIANCE, f);
        double more = 1 / fmax((double)*variance, LEAST_VARIANCE) - 1;
        *at = (float)thr_weight_clamp((double)*at * thr_unit_change(g->ratio));
        *variance = (float)(1 / (1 + fmax(more, 0) * g->ratio * g->ratio));
    }
}

static double weight(const thr_rule *r, const thr_weights *w, uint32_t id, uint32_t f,
                     uint32_t known)
{
    (void)r, (void)known;
    return thr_weights_get(w, id, WEIGHT, f);
}

static void weigh_many(const thr_rule *r, const thr_weights *w, uint32_t id, size_t n,
                       uint32_t known, double *out, double *room)
{
    (void)r, (void)known, (void)room;
    for (size_t i = 0; i < n; i++)
        thr_weights_read(w, id + (uint32_t)i, WEIGHT, out + i * w->functions);
}

static double precision(double variance)
{
    return 1 / fmin(fmax(variance, LEAST_VARIANCE), 1);
}

/* A precision 1/s is 1 at first, and each update adds to it. The precisions that the models
 * have added since the base are summed, and a model's move counts by the precision it has
 * added. This is the product of the models' Gaussians, with the prior left out of the mean. */
static void mix_weight(const thr_rule *to, const thr_mixing *x, uint32_t id, const double *in,
                       double *out)
{
    (void)to, (void)id;
    thr_mean mean = {0};
    double w = thr_mix_base(x, in, WEIGHT);
    double before = x->base ? precision(thr_mix_base(x, in, VARIANCE)) : 1;
    for (size_t i = 0; i < x->n; i++) {
        const double *v = in + i * THR_MAX_SLOTS;
        double since = x->times[i] * fmax(precision(v[VARIANCE]) - before, 0);
        thr_mean_add(&mean, v[WEIGHT] - w, since, x->share[i]);
    }
    out[WEIGHT] = thr_mix_rounded(w + thr_mean_of(&mean));
    out[VARIANCE] = fmax(1 / (before + mean.seen), LEAST_VARIANCE);
}

static double seen(const thr_rule *r, const double *slot)
{
    (void)r;
    return precision(slot[VARIANCE]);
}

static const thr_mixer mixer = {.weight = mix_weight, .seen = seen};

const thr_learner thr_learner_arow = {
    .name = "arow",
    .help = "second-order method: rare features take larger steps than frequent ones",
    .options = options,
    .flags = THR_SHARES | THR_ANTISYMMETRIC | THR_LIKES_UNIT | THR_LIKES_SCALE | THR_CONSERVATIVE,
    .policy = "rivals",
    .textbook = "relative=off",
    .setup = setup,
    .score = score,
    .step = step,
    .asks = thr_asks_for_one,
    .move = move,
    .move_quad = move_quad,
    .move_several = move_several,
    .measure = measure,
    .move_measured = move_measured,
    .rescale = rescale,
    .weight = weight,
    .weigh_many = weigh_many,
    .mix = &mixer,
};
