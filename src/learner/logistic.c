/* Logistic regression: one gradient step on the log loss log(1 + exp(-y w.x)) for each example,
 * right or wrong (Zinkevich 2003). With g = importance/(1 + exp(y w.x)),
 *     w_i += rate_i g y x_i      sgd:       rate_i = rate/(1 + t)^decay after t examples
 *                                adaptive:  rate_i = rate/sqrt(1/64 + sum of (g x_i)^2)
 * The second is AdaGrad (Duchi, Hazan, Singer 2011); its sum includes this example. For many
 * labels `direct` is the softmax.
 *
 * The penalties l1 |w|_1 + l2/2 |w|^2 belong to every example and to all weights except the
 * bias. After the gradient step each weight follows their own gradient flow,
 *     dw = -(l1 sign(w) + l2 w) dh,   over the length h = rate_i.
 * A flow over h and then over h' is a flow over h + h', so weights of features that do not
 * occur need no visit: they are updated lazily. The slot `seen` says up to where a weight has
 * been updated; it is brought up to date where it is read or moved. An L1 penalty makes weights
 * exactly 0.
 *
 * What a row holds depends on the options. The wide slot, if there is one, comes first:
 *     [sum]     the averaging sum of additive.c          with averaged=on
 *     [seen]    `now` when w was last up to date         with a penalty; there is no `sum` then
 *     w         the weight
 *     [squares] 1/64 + sum of (g x_i)^2                  with steps=adaptive */
#include "base/mathx.h"
#include "learner/mix.h"
#include "learner/quad.h"

#include <math.h>

enum { STEPS, RATE, DECAY, L1, L2, AVERAGED, BIAS };
enum { ADAPTIVE, SGD }; /* steps */
enum { LENGTH };        /* state: with sgd, the sum of all rates so far */
#define BESIDE        0 /* the wide slot, if there is one: `sum` or `seen` */
#define BIAS_ID       0
#define FIRST_SQUARES 0x1p-6 /* 1/64: limits the first step of a weight to 8 rate g x_i */

static const thr_option_info options[] = {
    {"steps", "adaptive", "adaptive: own rate for each weight (AdaGrad); sgd: one rate for all",
     THR_CHOICE, "adaptive|sgd", 0, 1},
    {"rate", "1", "learning rate", THR_REAL, NULL, 1e-12, 1e9},
    {"decay", "0", "with steps=sgd: the rate at step t is rate/(1 + t)^decay", THR_REAL, NULL, 0,
     1},
    {"l1", "0", "L1 penalty, on the sum of |weights|: sets many weights to 0", THR_REAL, NULL, 0,
     1e9},
    {"l2", "0", "L2 penalty, on half the sum of squared weights: keeps weights small", THR_REAL,
     NULL, 0, 1e9},
    {"averaged", "off", "predict with the mean of the weights over all steps (not with l1 or l2)",
     THR_BOOL, NULL, 0, 1},
    {"bias", "on", "add a constant feature with the value 1", THR_BOOL, NULL, 0, 1},
    {0},
};

static bool penalised(const thr_rule *r)
{
    return r->option[L1] > 0 || r->option[L2] > 0;
}

static bool is_adaptive(const thr_rule *r)
{
    return r->option[STEPS] == ADAPTIVE;
}

static bool averaged(const thr_rule *r)
{
    return r->option[AVERAGED] != 0;
}

static unsigned weight_slot(const thr_rule *r)
{
    return penalised(r) || averaged(r);
}

/* Whether a row holds only w and its squares, as by default. This form has the fast loops. */
static bool is_plain(const thr_rule *r)
{
    return is_adaptive(r) && weight_slot(r) == 0;
}

static unsigned squares_slot(const thr_rule *r)
{
    return weight_slot(r) + 1;
}

static int setup(thr_rule *r, thr_error *err)
{
    if (penalised(r) && averaged(r))
        return thr_fail(err, THR_EUSE,
                        "logistic: weights with a penalty are not averaged; leave "
                        "averaged, or l1 and l2, out");
    r->n_slots = 0;
    if (averaged(r))
        r->slot[r->n_slots++] = (thr_slot_spec){"sum", true, 0, THR_MIRROR_NEGATE};
    if (penalised(r))
        r->slot[r->n_slots++] = (thr_slot_spec){"seen", true, 0, THR_MIRROR_SAME};
    r->slot[r->n_slots++] = (thr_slot_spec){"w", false, 0, THR_MIRROR_NEGATE};
    if (is_adaptive(r))
        r->slot[r->n_slots++] = (thr_slot_spec){"squares", false, FIRST_SQUARES, THR_MIRROR_SAME};
    r->bias = r->option[BIAS] != 0;
    return 0;
}

/* ---- rates and penalties ------------------------------------------------------------------ */

/* The rate of all weights, with sgd. */
static double rate_now(const thr_rule *r)
{
    double decay = r->option[DECAY];
    return r->option[RATE] * (decay > 0 ? thr_pow(1 + r->clock, -decay) : 1);
}

/* The present time, in the unit of `seen`. With sgd it is the length of the flow, the sum of
 * all rates. With adaptive steps it is the number of examples; the length is found by
 * multiplying with the weight's own rate, which does not change while its feature does not
 * occur. */
static double now(const thr_rule *r)
{
    return is_adaptive(r) ? r->clock : r->state[LENGTH];
}

/* The numbers of one weight. */
typedef struct kept {
    double w, beside, squares;
} kept;

static kept kept_of(const thr_rule *r, const thr_weights *w, uint32_t id, uint32_t f)
{
    return (kept){
        .w = thr_weights_get(w, id, weight_slot(r), f),
        .beside = weight_slot(r) ? thr_weights_get(w, id, BESIDE, f) : 0,
        .squares = is_adaptive(r) ? thr_weights_get(w, id, squares_slot(r), f) : 0,
    };
}

/* Penalised weights that are to be brought up to date together: w, the length of the flow they
 * lag behind, their squares, and the factor exp(-l2 h). */
typedef struct lagging {
    size_t n;
    double v[THR_GATHERED], length[THR_GATHERED], squares[THR_GATHERED], left[THR_GATHERED];
} lagging;

/* Adds one weight. Its length is in the unit of `seen` until find_lengths; the bias has no
 * penalty, and so a length of 0. */
static inline void add_lagging(lagging *s, double until, uint32_t id, kept k)
{
    s->v[s->n] = k.w;
    s->length[s->n] = id == BIAS_ID ? 0 : until - k.beside;
    s->squares[s->n++] = k.squares;
}

/* Multiplies the lengths by each weight's own rate. */
THR_CLONED static void find_lengths(lagging *s, double rate)
{
    for (size_t k = 0; k < s->n; k++)
        s->length[k] *= rate / sqrt(s->squares[k]);
}

/* The solution of the flow over the length h:
 *     |w| becomes max(0, |w| exp(-l2 h) - l1 (1 - exp(-l2 h))/l2).
 * The last factor is h if l2 is 0; for small l2 h its series is used, since the quotient would
 * lose digits. A weight of 0 stays as it is, including the sign of -0. */
THR_CLONED static void shrink(lagging *s, double l1, double l2)
{
    for (size_t k = 0; k < s->n; k++) {
        double h = s->length[k], v = s->v[k], d = l2 * h;
        double few = h * (1 - d / 2 + d * d / 6), many = (1 - s->left[k]) / l2;
        double size = fabs(v) * s->left[k] - l1 * (d < 1e-4 ? few : many);
        double now = size > 0 ? copysign(size, v) : 0;
        s->v[k] = v == 0 ? v : now;
    }
}

/* Brings the weights in s->v up to date. */
static void catch_up(const thr_rule *r, lagging *s)
{
    double l2 = r->option[L2];
    if (is_adaptive(r))
        find_lengths(s, r->option[RATE]);
    for (size_t k = 0; k < s->n; k++)
        s->left[k] = l2 > 0 ? -l2 * s->length[k] : 1;
    if (l2 > 0)
        thr_exp_many(s->left, s->n);
    shrink(s, r->option[L1], l2);
}

/* The weight as it is now, computed from the stored numbers. */
static double current(const thr_rule *r, uint32_t id, kept k)
{
    if (!penalised(r))
        return k.w;
    lagging s;
    s.n = 0;
    add_lagging(&s, now(r), id, k);
    catch_up(r, &s);
    return s.v[0];
}

static void form(const thr_rule *r, const thr_weights *w, const thr_example *e, uint32_t f,
                 thr_function *out)
{
    (void)e, (void)f;
    if (penalised(r))
        out->first = THR_SUM_SCALED;
    if (averaged(r) && r->clock > 0) {
        out->second = thr_sum_plain(w);
        out->second_divisor = r->clock;
    }
}

static void terms(const thr_rule *r, const thr_weights *w, uint32_t id, uint32_t f, uint32_t known,
                  double term[2])
{
    (void)known;
    kept k = kept_of(r, w, id, f);
    term[0] = current(r, id, k);
    term[1] = k.beside;
}

static double weight(const thr_rule *r, const thr_weights *w, uint32_t id, uint32_t f,
                     uint32_t known)
{
    (void)known;
    kept k = kept_of(r, w, id, f);
    double v = current(r, id, k);
    return averaged(r) && r->clock > 0 ? v - k.beside / r->clock : v;
}

static double live(const thr_rule *r, const thr_weights *w, uint32_t id, uint32_t f)
{
    return current(r, id, kept_of(r, w, id, f));
}

/* Stores the weight as it is now, before its row is split between labels or rewritten. */
static void settle(const thr_rule *r, thr_weights *w, uint32_t id, uint32_t f)
{
    if (!penalised(r))
        return;
    thr_weights_row(w, id, weight_slot(r))[f] = (float)current(r, id, kept_of(r, w, id, f));
    thr_weights_row_wide(w, id, BESIDE)[f] = now(r);
}

/* ---- scoring ------------------------------------------------------------------------------ */

/* Reads penalised weights and brings them up to date in s->v: those of `functions` functions
 * from f on, for the features of e from number `from` on, feature by feature, as many features
 * as there is room for. Returns how many features that is. The rows are not changed. */
static size_t bring_up(const thr_rule *r, const thr_weights *w, const thr_example *e, size_t from,
                       uint32_t f, uint32_t functions, lagging *s)
{
    bool adaptive = is_adaptive(r);
    double until = now(r);
    size_t i = from;
    s->n = 0;
    for (; i < e->n && s->n + functions <= THR_GATHERED; i++)
        for (uint32_t g = f; g < f + functions; g++) {
            kept k = {.w = (double)*thr_row(w, e, i, weight_slot(r), g),
                      .beside = *thr_row_wide(w, e, i, BESIDE, g),
                      .squares = adaptive ? (double)*thr_row(w, e, i, squares_slot(r), g) : 0};
            add_lagging(s, until, e->id[i], k);
        }
    catch_up(r, s);
    return i - from;
}

/* out[g] = sum_i x_i w_i[f + g] for `functions` functions from f on, at most THR_GATHERED, with
 * penalised weights. */
static void dot_penalised(const thr_rule *r, const thr_weights *w, const thr_example *e, uint32_t f,
                          uint32_t functions, double *out)
{
    lagging s;
    for (uint32_t g = 0; g < functions; g++)
        out[g] = 0;
    for (size_t i = 0; i < e->n;) {
        size_t n = bring_up(r, w, e, i, f, functions, &s);
        const double *v = s.v;
        for (size_t end = i + n; i < end; i++)
            for (uint32_t g = 0; g < functions; g++)
                out[g] += *v++ * thr_example_value(e, i);
    }
}

static void score(const thr_rule *r, const thr_weights *w, const thr_example *e, double *live,
                  double *shown)
{
    bool mean = averaged(r) && r->clock > 0;
    if (penalised(r)) {
        for (uint32_t f = 0, n; f < w->functions; f += n) {
            n = w->functions - f < THR_GATHERED ? w->functions - f : THR_GATHERED;
            dot_penalised(r, w, e, f, n, live + f);
        }
    } else if (is_plain(r))
        thr_gathered_dot(w, e, live, NULL);
    else
        thr_weights_dot(w, weight_slot(r), e, live);
    if (mean)
        thr_weights_dot(w, BESIDE, e, shown);
    for (uint32_t f = 0; f < w->functions; f++)
        shown[f] = mean ? live[f] - shown[f] / r->clock : live[f];
}

/* ---- learning ----------------------------------------------------------------------------- */

/* 1/(1 + exp(margin)): the probability that the rule gives to the wrong side. The exponential
 * is of a number below 0, so that it cannot overflow. */
static double doubt(double margin)
{
    double small = thr_exp(-fabs(margin));
    return margin > 0 ? small / (1 + small) : 1 / (1 + small);
}

static double step(const thr_rule *r, const thr_example *e, double margin, int sign, int copies)
{
    (void)r, (void)sign, (void)copies;
    return (double)e->importance * doubt(margin);
}

/* The softmax over the candidates: label g moves by importance ([g is right] - P(g)). The
 * greatest score is subtracted first, so that no exponential overflows. */
static void steps(const thr_rule *r, const thr_example *e, uint32_t label, const double *live,
                  double *out)
{
    double most = live[label], sum = 0;
    for (uint32_t g = 0; g < r->labels; g++)
        most = fmax(most, !e->candidate || e->candidate[g] ? live[g] : most);
    for (uint32_t g = 0; g < r->labels; g++)
        out[g] = live[g] - most;
    thr_exp_many(out, r->labels);
    for (uint32_t g = 0; g < r->labels; g++)
        sum += out[g] = g == label || !e->candidate || e->candidate[g] ? out[g] : 0;
    for (uint32_t g = 0; g < r->labels; g++)
        out[g] = (double)e->importance * ((g == label) - out[g] / sum);
}

static size_t room(const thr_rule *r)
{
    return r->labels;
}

/* Adds the square of the gradient g to *squares, and returns the rate that follows. */
static double rate_for(const thr_rule *r, float *squares, double g)
{
    *squares = (float)thr_weight_clamp((double)*squares + g * g);
    return r->option[RATE] / sqrt((double)*squares);
}

/* Moves the weights of n features from number `from` on. `old` has the weights as they are now,
 * if they are penalised; NULL: they are in the rows. */
static void move_on(const thr_rule *r, thr_weights *w, const thr_example *e, uint32_t f, double by,
                    size_t from, size_t n, const double *old)
{
    bool adaptive = is_adaptive(r), lags = penalised(r), mean = averaged(r);
    unsigned slot = weight_slot(r);
    double rate = adaptive ? 0 : rate_now(r), until = now(r);
    for (size_t i = from; i < from + n; i++) {
        float *v = thr_row(w, e, i, slot, f);
        double before = old ? old[i - from] : (double)*v, g = by * thr_example_value(e, i);
        if (adaptive)
            rate = rate_for(r, thr_row(w, e, i, slot + 1, f), g);
        *v = (float)thr_weight_clamp(before + rate * g);
        if (lags)
            *thr_row_wide(w, e, i, BESIDE, f) = until;
        if (mean)
            *thr_row_wide(w, e, i, BESIDE, f) += r->clock * ((double)*v - before);
    }
}

/* A move with any options. If two hashed features may share a row, penalised weights are
 * brought up to date and moved one feature at a time: the second must see what the first has
 * done. */
static void move_any(const thr_rule *r, thr_weights *w, const thr_example *e, uint32_t f, double by)
{
    lagging s;
    if (!penalised(r)) {
        move_on(r, w, e, f, by, 0, e->n, NULL);
        return;
    }
    for (size_t i = 0, n; i < e->n; i += n) {
        thr_example one = *e;
        one.n = e->distinct ? e->n : i + 1;
        n = bring_up(r, w, &one, i, f, 1, &s);
        move_on(r, w, e, f, by, i, n, s.v);
    }
}

/* ---- the plain form, four at once ---------------------------------------------------------- */

/* Moves four weights by the gradients *g, and adds to their squares. The squares are rounded to
 * float before the rate is computed from them, as in rate_for. */
THR_INLINE void move_four_plain(thr_quad *v, thr_quad *squares, const thr_quad *g, double rate)
{
    thr_quad rates;
    thr_quad_all(&rates, rate);
    *squares += *g * *g;
    thr_quad_clamp(squares, THR_WEIGHT_MAX);
    thr_quad_round(squares);
    thr_quad root = *squares;
    thr_quad_sqrt(&root);
    *v += rates / root * *g;
    thr_quad_clamp(v, THR_WEIGHT_MAX);
}

THR_CLONED static void move_some(thr_gathered *s, double by, double rate)
{
    thr_quad step, g, v, squares;
    thr_quad_all(&step, by);
    for (size_t i = 0; i < s->round; i += THR_QUAD) {
        thr_quad_get(&g, s->x + i);
        thr_quad_get(&v, s->a + i);
        thr_quad_get(&squares, s->b + i);
        g *= step;
        move_four_plain(&v, &squares, &g, rate);
        thr_quad_set(&v, s->a + i);
        thr_quad_set(&squares, s->b + i);
    }
}

static void move(thr_rule *r, thr_weights *w, const thr_example *e, uint32_t f, double by)
{
    thr_gathered room;
    if (!is_plain(r) || !e->distinct) {
        move_any(r, w, e, f, by);
        return;
    }
    for (size_t i = 0; i < e->n; i += THR_GATHERED) {
        thr_gathered *s = thr_gathered_take(&room, w, e, f, i);
        move_some(s, by, r->option[RATE]);
        thr_gathered_put(s, w, e, f);
    }
}

/* Moves four adjacent functions; by[k] is 0 for one that does not move, which keeps its
 * bits. */
THR_CLONED static void move_rows(const thr_example *of, size_t weight, size_t squares,
                                 const double *by, double rate)
{
    const thr_example e = *of; /* a copy: for the compiler, writing a weight could change *of */
    thr_quad step, none = {0};
    memcpy(&step, by, sizeof step);
    for (size_t i = 0; i < e.n; i++) {
        float *v_at = (float *)(void *)(e.row[i] + weight);
        float *squares_at = (float *)(void *)(e.row[i] + squares);
        thr_quad g, before, v, sum;
        thr_quad_all(&g, thr_example_value(&e, i));
        thr_quad_load(&before, v_at);
        thr_quad_load(&sum, squares_at);
        v = before;
        g *= step;
        move_four_plain(&v, &sum, &g, rate);
        thr_quad_choose(&v, step != none, &before); /* adding 0 would turn -0 into +0 */
        thr_quad_store(&v, v_at);
        thr_quad_store(&sum, squares_at);
    }
}

static void move_quad(thr_rule *r, thr_weights *w, const thr_example *e, uint32_t f,
                      const double *by)
{
    if (is_plain(r))
        move_rows(e, thr_place(w, e, 0, f), thr_place(w, e, squares_slot(r), f), by,
                  r->option[RATE]);
    for (uint32_t k = 0; k < THR_QUAD && !is_plain(r); k++)
        if (by[k] != 0)
            move_any(r, w, e, f + k, by[k]);
}

static void observe(thr_rule *r, const thr_example *e)
{
    (void)e;
    r->state[LENGTH] += is_adaptive(r) ? 0 : rate_now(r);
}

/* ---- mixing ------------------------------------------------------------------------------- */

/* The numbers of a weight of rule r, whose slots are in v. */
static kept kept_in(const thr_rule *r, const double *v)
{
    return (kept){.w = v[weight_slot(r)],
                  .beside = weight_slot(r) ? v[BESIDE] : 0,
                  .squares = is_adaptive(r) ? v[squares_slot(r)] : 0};
}

/* With adaptive steps, a model's move away from the base's weight counts by the squares of its
 * gradients since; otherwise it counts by the model's share. Penalised weights are brought up
 * to date first, so the mix lags behind nothing. */
static void mix_weight(const thr_rule *to, const thr_mixing *x, uint32_t id, const double *in,
                       double *out)
{
    thr_mean live = {0}, since = {0};
    kept b = x->base ? kept_in(x->base, in + x->n * THR_MAX_SLOTS) : (kept){0, 0, FIRST_SQUARES};
    thr_averaged_weight base = {x->base ? current(x->base, id, b) : 0, b.beside};
    for (size_t i = 0; i < x->n; i++) {
        const thr_rule *r = x->from[i];
        kept k = kept_in(r, in + i * THR_MAX_SLOTS);
        thr_averaged_weight v = {current(r, id, k), k.beside};
        double mean = averaged(r) ? thr_mix_mean_since(x, i, v, base) : v.w;
        double weight = is_adaptive(r) ? x->times[i] * fmax(k.squares - b.squares, 0) : 0;
        thr_mean_add(&live, v.w - base.w, weight, x->share[i]);
        thr_mean_add(&since, mean - base.w, weight, x->share[i]);
    }
    double mixed = out[weight_slot(to)] = thr_mix_rounded(base.w + thr_mean_of(&live));
    if (is_adaptive(to))
        out[squares_slot(to)] = thr_mix_rounded(b.squares + live.seen);
    if (averaged(to))
        out[BESIDE] =
            thr_mix_averaging_sum(x, to->clock, mixed, base.w + thr_mean_of(&since), base);
    if (penalised(to))
        out[BESIDE] = now(to);
}

static double seen(const thr_rule *r, const double *slot)
{
    return is_adaptive(r) ? slot[squares_slot(r)] : 0;
}

static const thr_mixer mixer = {.weight = mix_weight, .seen = seen};

/* Penalties are brought up to date first: they depend on the size of the weight. */
static void rescale_one(thr_rule *r, thr_weights *w, const thr_example *e, size_t i, uint32_t f,
                        double ratio)
{
    float *at = thr_row(w, e, i, weight_slot(r), f);
    settle(r, w, e->id[i], f);
    *at = (float)thr_weight_clamp((double)*at * thr_unit_change(ratio));
    if (averaged(r))
        *thr_row_wide(w, e, i, BESIDE, f) *= thr_unit_change(ratio);
    if (is_adaptive(r)) {
        float *squares = thr_row(w, e, i, squares_slot(r), f);
        *squares =
            (float)(FIRST_SQUARES + fmax((double)*squares - FIRST_SQUARES, 0) * ratio * ratio);
    }
}

static void rescale(thr_rule *r, thr_weights *w, const thr_example *e, const thr_growth *grown,
                    size_t n, uint32_t f)
{
    for (const thr_growth *g = grown; g < grown + n; g++)
        rescale_one(r, w, e, g->feature, f, g->ratio);
}

const thr_learner thr_learner_logistic = {
    .name = "logistic",
    .help = "logistic regression by stochastic gradient descent, with L1 and L2 penalties",
    .options = options,
    .flags = THR_SHARES | THR_ANTISYMMETRIC | THR_DIRECT | THR_LIKES_UNIT | THR_LIKES_SCALE,
    .policy = "direct",
    .textbook = "steps=sgd,decay=0,l1=0,l2=0,averaged=off",
    .split = 0.5,
    .setup = setup,
    .score = score,
    .step = step,
    .steps = steps,
    .move = move,
    .move_quad = move_quad,
    .observe = observe,
    .weight = weight,
    .form = form,
    .terms = terms,
    .live = live,
    .settle = settle,
    .rescale = rescale,
    .room = room,
    .mix = &mixer,
};
