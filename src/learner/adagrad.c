/* AdaGrad: adaptive sub-gradient steps (Duchi, Hazan, Singer 2011) on the hinge loss. Each
 * weight has its own step length, which shrinks as its feature takes part in updates:
 *     if y w.x < 1:   G_i += x_i^2,   w_i += tau y x_i / sqrt(G_i),
 *                     tau = min(rate, (1 - y w.x) / sum_i x_i^2/sqrt(G_i)).
 * The second bound on tau stops the step where the margin is 1 (Karampatziakis and Langford
 * 2011).
 *
 * With tau = rate always, the regret against any u is at most
 *     (max_i |u_i - w_i|^2 / (2 rate) + rate) sum_i sqrt(G_i).
 *
 * A move has two passes over the features, since tau needs the sum over all of them: the first
 * updates G_i and sums, the second moves w_i. There are four implementations with the same
 * bits: for hashed examples, whose rows may coincide; for one function; for some functions; and
 * for four adjacent functions at once. */
#include "learner/mix.h"
#include "learner/quad.h"

#include <math.h>

#define KEPT 128 /* features whose square roots move_quad keeps from the first pass */

enum { RATE, BIAS };
enum { WEIGHT, SQUARES }; /* slots */

static const thr_option_info options[] = {
    {"rate", "0.5", "step size: the most that the first update of a weight can change it", THR_REAL,
     NULL, 1e-9, 1e9},
    {"bias", "on", "add a constant feature with the value 1", THR_BOOL, NULL, 0, 1},
    {0},
};

static int setup(thr_rule *r, thr_error *err)
{
    (void)err;
    r->slot[WEIGHT] = (thr_slot_spec){"w", false, 0, THR_MIRROR_NEGATE};
    r->slot[SQUARES] = (thr_slot_spec){"squares", false, 0, THR_MIRROR_SAME};
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

/* Returns the loss. How long the step is, move finds out: it depends on G. */
static double step(const thr_rule *r, const thr_example *e, double margin, int sign, int copies)
{
    (void)r, (void)sign, (void)copies;
    return margin < 1 && e->importance > 0 ? 1 - margin : 0;
}

/* tau with the sign of the step `by`; `gain` is sum_i x_i^2/sqrt(G_i), what the margin gains
 * per unit of tau. */
static double tau_of(const thr_rule *r, const thr_example *e, double gain, double by)
{
    double most = r->option[RATE] * (double)e->importance;
    return gain > 0 ? copysign(fmin(most, fabs(by) / gain), by) : 0;
}

/* First pass over gathered features: adds the squares to G and leaves sqrt(G) in `roots`.
 * Returns `gain` plus the sum of x_i^2/sqrt(G_i), added in the order of the example. A feature
 * whose G is 0 (its square is too small for a float) does not take part. */
THR_CLONED static double count_some(thr_gathered *s, double *roots, double gain)
{
    thr_quad x, squares, root, part, none = {0};
    for (size_t i = 0; i < s->round; i += THR_QUAD) {
        thr_quad_get(&x, s->x + i);
        thr_quad_get(&squares, s->b + i);
        x *= x;
        squares += x;
        thr_quad_at_most(&squares, THR_WEIGHT_MAX);
        thr_quad_round(&squares);
        thr_quad_set(&squares, s->b + i);
        root = squares;
        thr_quad_sqrt(&root);
        thr_quad_set(&root, roots + i);
        part = x / root;
        thr_quad_choose(&part, squares > none, &none);
        gain = thr_quad_add_up(gain, &part);
    }
    return gain;
}

THR_CLONED static void take_roots(const thr_gathered *s, double *roots)
{
    for (size_t i = 0; i < s->round; i++)
        roots[i] = sqrt(s->b[i]);
}

/* Second pass: moves the weights. */
THR_CLONED static void move_some(thr_gathered *s, const double *roots, double tau)
{
    thr_quad step, x, root, before, now, squares, none = {0};
    thr_quad_all(&step, tau);
    for (size_t i = 0; i < s->round; i += THR_QUAD) {
        thr_quad_get(&x, s->x + i);
        thr_quad_get(&root, roots + i);
        thr_quad_get(&before, s->a + i);
        thr_quad_get(&squares, s->b + i);
        now = before + step * x / root;
        thr_quad_clamp(&now, THR_WEIGHT_MAX);
        thr_quad_choose(&now, squares > none, &before);
        thr_quad_set(&now, s->a + i);
    }
}

/* One feature at a time, for examples in which two hashed features may share a row. */
static void move_each(const thr_rule *r, thr_weights *w, const thr_example *e, uint32_t f,
                      double by)
{
    double gain = 0;
    for (size_t i = 0; i < e->n; i++) {
        float *squares = thr_row(w, e, i, SQUARES, f);
        double x = thr_example_value(e, i), more = (double)*squares + x * x;
        *squares = (float)(more < THR_WEIGHT_MAX ? more : THR_WEIGHT_MAX);
        gain += *squares > 0 ? x * x / sqrt((double)*squares) : 0;
    }
    double tau = tau_of(r, e, gain, by);
    for (size_t i = 0; i < e->n; i++) {
        float *weight = thr_row(w, e, i, WEIGHT, f);
        double squares = (double)*thr_row(w, e, i, SQUARES, f);
        if (squares > 0)
            *weight = (float)thr_weight_clamp((double)*weight +
                                              tau * thr_example_value(e, i) / sqrt(squares));
    }
}

/* An example of at most THR_GATHERED features stays gathered between the two passes. A longer
 * one is written back and gathered again, a portion at a time. */
static void move(thr_rule *r, thr_weights *w, const thr_example *e, uint32_t f, double by)
{
    thr_gathered room, *s = &room;
    bool once = e->n <= THR_GATHERED;
    double gain = 0, roots[THR_GATHERED];
    if (!e->distinct) {
        move_each(r, w, e, f, by);
        return;
    }
    for (size_t i = 0; i < e->n; i += THR_GATHERED) {
        s = thr_gathered_take(&room, w, e, f, i);
        gain = count_some(s, roots, gain);
        if (!once)
            thr_gathered_put(s, w, e, f);
    }
    for (size_t i = 0; i < e->n; i += THR_GATHERED) {
        if (!once) {
            s = thr_gathered_take(&room, w, e, f, i);
            take_roots(s, roots);
        }
        move_some(s, roots, tau_of(r, e, gain, by));
        thr_gathered_put(s, w, e, f);
    }
}

static double measure(thr_rule *r, thr_weights *w, const thr_example *e, uint32_t f)
{
    thr_gathered room;
    double gain = 0, roots[THR_GATHERED];
    (void)r;
    for (size_t i = 0; i < e->n; i += THR_GATHERED) {
        thr_gathered *s = thr_gathered_take(&room, w, e, f, i);
        gain = count_some(s, roots, gain);
        thr_gathered_put(s, w, e, f);
    }
    return gain;
}

static void move_measured(thr_rule *r, thr_weights *w, const thr_example *e, uint32_t f, double by,
                          double gain)
{
    thr_gathered room;
    double roots[THR_GATHERED], tau = tau_of(r, e, gain, by);
    for (size_t i = 0; i < e->n; i += THR_GATHERED) {
        thr_gathered *s = thr_gathered_take(&room, w, e, f, i);
        take_roots(s, roots);
        move_some(s, roots, tau);
        thr_gathered_put(s, w, e, f);
    }
}

/* All first passes come before the second ones. A first pass adds up terms one after another; while
 * a sum waits for them, the processor works on the next function, which it could not reach past a
 * second pass. */
static void move_several(thr_rule *r, thr_weights *w, const thr_example *e, const uint32_t *f,
                         const double *by, uint32_t n)
{
    thr_gathered room[THR_TOGETHER];
    double gain[THR_TOGETHER], roots[THR_TOGETHER][THR_GATHERED];
    bool together = e->distinct && e->n <= THR_GATHERED && w->functions > 1;
    for (uint32_t k = 0; k < n && !together; k++)
        move(r, w, e, f[k], by[k]);
    for (uint32_t k = 0; k < n && together; k++)
        gain[k] = count_some(thr_gathered_take(&room[k], w, e, f[k], 0), roots[k], 0);
    for (uint32_t k = 0; k < n && together; k++) {
        move_some(&room[k], roots[k], tau_of(r, e, gain[k], by[k]));
        thr_gathered_put(&room[k], w, e, f[k]);
    }
}

/* ---- four functions at once --------------------------------------------------------------- */

/* The square roots of the first pass, for the first KEPT features. If two hashed features
 * share a row, its squares change after the first root was taken; so the squares are kept too,
 * and a root is used only if they are still the same. */
typedef struct roots {
    float squares[KEPT][THR_QUAD];
    double root[KEPT][THR_QUAD];
} roots;

/* First pass for four functions: moves[k] is 1 for a function that moves, else 0. gain[k] is
 * the sum for each. */
THR_CLONED static void count_four(const thr_example *e, size_t offset, const double *moves,
                                  roots *kept, double *gain)
{
    const thr_example v = *e; /* a copy: for the compiler, writing a weight could change *e */
    thr_quad sum = {0}, mask, most, none = {0};
    memcpy(&mask, moves, sizeof mask);
    thr_quad_all(&most, THR_WEIGHT_MAX);
    for (size_t i = 0; i < v.n; i++) {
        float *at = (float *)(void *)(v.row[i] + offset);
        double x = thr_example_value(&v, i);
        thr_quad square, squares, root, part;
        thr_quad_all(&square, x * x);
        thr_quad_load(&squares, at);
        squares += square * mask;
        thr_quad_choose(&squares, squares < most, &most);
        thr_quad_store(&squares, at);
        root = squares;
        thr_quad_sqrt(&root);
        part = square / root;
        thr_quad_choose(&part, squares > none, &none);
        sum += part;
        if (i < KEPT) {
            memcpy(kept->squares[i], at, sizeof kept->squares[i]);
            memcpy(kept->root[i], &root, sizeof root);
        }
    }
    memcpy(gain, &sum, sizeof sum);
}

/* Second pass for four functions: function k moves by tau[k], or stays if that is 0. */
THR_CLONED static void add_four(const thr_example *e, size_t weight, size_t squares,
                                const double *tau, const roots *kept)
{
    const thr_example v = *e; /* a copy, as in count_four */
    thr_quad step, none = {0};
    memcpy(&step, tau, sizeof step);
    for (size_t i = 0; i < v.n; i++) {
        float *at = (float *)(void *)(v.row[i] + weight);
        const float *counted = (const float *)(const void *)(v.row[i] + squares);
        double other[THR_QUAD];
        const double *root_at = i < KEPT ? kept->root[i] : other;
        if (i >= KEPT || memcmp(counted, kept->squares[i], sizeof kept->squares[i]) != 0) {
            thr_quad_sqrt_seldom(other, counted);
            root_at = other;
        }
        thr_quad of, root, x, before, now;
        memcpy(&root, root_at, sizeof root);
        thr_quad_all(&x, thr_example_value(&v, i));
        thr_quad_load(&of, counted);
        thr_quad_load(&before, at);
        now = before + step * x / root;
        thr_quad_clamp(&now, THR_WEIGHT_MAX);
        thr_quad_choose(&now, (step != none) & (of > none), &before);
        thr_quad_store(&now, at);
    }
}

static void move_quad(thr_rule *r, thr_weights *w, const thr_example *e, uint32_t f,
                      const double *by)
{
    roots kept;
    size_t weight = thr_place(w, e, WEIGHT, f);
    size_t squares = thr_place(w, e, SQUARES, f);
    double moves[THR_QUAD], gain[THR_QUAD], tau[THR_QUAD];
    for (int k = 0; k < THR_QUAD; k++)
        moves[k] = by[k] != 0;
    count_four(e, squares, moves, &kept, gain);
    for (int k = 0; k < THR_QUAD; k++)
        tau[k] = moves[k] != 0 ? tau_of(r, e, gain[k], by[k]) : 0;
    add_four(e, weight, squares, tau, &kept);
}

static void rescale(thr_rule *r, thr_weights *w, const thr_example *e, const thr_growth *grown,
                    size_t n, uint32_t f)
{
    (void)r;
    for (const thr_growth *g = grown; g < grown + n; g++) {
        float *at = thr_row(w, e, g->feature, WEIGHT, f);
        float *squares = thr_row(w, e, g->feature, SQUARES, f);
        *at = (float)thr_weight_clamp((double)*at * thr_unit_change(g->ratio));
        *squares = (float)((double)*squares * g->ratio * g->ratio);
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

/* A model's move away from the base's weight counts by the squares it has added since: they are
 * taken as a measure of how certain the model is of the weight. */
static void mix_weight(const thr_rule *to, const thr_mixing *x, uint32_t id, const double *in,
                       double *out)
{
    (void)to, (void)id;
    thr_mean mean = {0};
    double w = thr_mix_base(x, in, WEIGHT), squares = thr_mix_base(x, in, SQUARES);
    for (size_t i = 0; i < x->n; i++) {
        const double *v = in + i * THR_MAX_SLOTS;
        double since = x->times[i] * fmax(v[SQUARES] - squares, 0);
        thr_mean_add(&mean, v[WEIGHT] - w, since, x->share[i]);
    }
    out[WEIGHT] = thr_mix_rounded(w + thr_mean_of(&mean));
    out[SQUARES] = thr_mix_rounded(squares + mean.seen);
}

static double seen(const thr_rule *r, const double *slot)
{
    (void)r;
    return slot[SQUARES];
}

static const thr_mixer mixer = {.weight = mix_weight, .seen = seen};

const thr_learner thr_learner_adagrad = {
    .name = "adagrad",
    .help = "support vector machine with a separate, shrinking step size for each feature",
    .options = options,
    .flags = THR_SHARES | THR_ANTISYMMETRIC | THR_LIKES_UNIT | THR_LIKES_SCALE | THR_CONSERVATIVE,
    .policy = "rivals",
    .setup = setup,
    .score = score,
    .step = step,
    .asks = thr_asks_for_one,
    .move = move,
    .move_quad = move_quad,
    .move_several = move_several,
    .measure = measure,
    .move_measured = move_measured,
    .few = 2,
    .rescale = rescale,
    .weight = weight,
    .weigh_many = weigh_many,
    .mix = &mixer,
};
