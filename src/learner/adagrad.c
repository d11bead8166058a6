/* Adaptive sub-gradient steps (Duchi, Hazan, Singer 2011) on the hinge loss: each weight has its
 * own step length, which shrinks as its feature takes part in updates. On a lead of less than 1,
 *     G_i += x_i^2,   w_i += tau y x_i / sqrt(G_i),
 *     tau = min(rate, (1 - y w.x) / sum_i x_i^2/sqrt(G_i)),
 * no longer than what gives the example its lead (Karampatziakis and Langford 2011).
 *
 * With tau = rate always, the regret against any u is at most
 *     (max_i |u_i - w_i|^2 / (2 rate) + rate) sum_i sqrt(G_i). */
#include "learner/mix.h"

#include <math.h>

enum { RATE, BIAS };
enum { WEIGHT, SQUARES }; /* slots */

static const thr_option_info options[] = {
    {"rate", "0.5", "longest step of a weight that moves for the first time", THR_REAL, NULL, 1e-9,
     1e9},
    {"bias", "on", "a feature that is always 1", THR_BOOL, NULL, 0, 1},
    {0},
};

static int setup(thr_rule *r, thr_error *err)
{
    (void)err;
    r->slot[WEIGHT] = (thr_slot_spec){"w", false, 0, THR_MIRROR_NEGATE};
    r->slot[SQUARES] = (thr_slot_spec){"squares", false, 0, THR_MIRROR_SAME};
    r->n_slots = 2;
    r->bias = r->option[BIAS] != 0;
    return 0;
}

static void score(const thr_rule *r, const thr_weights *w, const thr_example *e, double *live,
                  double *shown)
{
    (void)r;
    thr_weights_dot(w, WEIGHT, e, live);
    for (uint32_t f = 0; f < w->functions; f++)
        shown[f] = live[f];
}

/* The loss; the step's length depends on the weights. */
static double step(const thr_rule *r, const thr_example *e, double margin, int sign, int copies)
{
    (void)r, (void)sign, (void)copies;
    return margin < 1 && e->importance > 0 ? 1 - margin : 0;
}

/* Counts the example in and returns sum x_i^2/sqrt(G_i): what one unit of step gains. */
static double count_in(const thr_weights *w, const thr_example *e, uint32_t f)
{
    double gain = 0;
    for (size_t i = 0; i < e->n; i++) {
        double x = thr_example_value(e, i);
        float *squares = thr_row(w, e, i, SQUARES) + f;
        *squares = (float)fmin((double)*squares + x * x, THR_WEIGHT_MAX);
        gain += *squares > 0 ? x * x / sqrt((double)*squares) : 0;
    }
    return gain;
}

static void move(thr_rule *r, thr_weights *w, const thr_example *e, uint32_t f, double by)
{
    double gain = count_in(w, e, f), most = r->option[RATE] * (double)e->importance;
    if (!(gain > 0))
        return;
    double tau = copysign(fmin(most, fabs(by) / gain), by);
    for (size_t i = 0; i < e->n; i++) {
        float *weight = thr_row(w, e, i, WEIGHT) + f;
        double squares = (double)thr_row(w, e, i, SQUARES)[f];
        if (squares > 0)
            *weight = (float)thr_weight_clamp((double)*weight +
                                              tau * thr_example_value(e, i) / sqrt(squares));
    }
}

static double weight(const thr_rule *r, const thr_weights *w, uint32_t id, uint32_t f,
                     uint32_t known)
{
    (void)r, (void)known;
    return thr_weights_get(w, id, WEIGHT, f);
}

static void weigh(const thr_rule *r, const thr_weights *w, uint32_t id, size_t n, uint32_t known,
                  double *out, double *room)
{
    (void)r, (void)known, (void)room;
    for (size_t i = 0; i < n; i++)
        thr_weights_read(w, id + (uint32_t)i, WEIGHT, out + i * w->functions);
}

/* Each model's weight counts by the squares that moved it, as if they told how certain it is. */
static void mix_weight(const thr_rule *to, const thr_mixing *x, uint32_t id, const double *in,
                       double *out)
{
    (void)to, (void)id;
    thr_mean mean = {0};
    for (size_t i = 0; i < x->n; i++) {
        const double *v = in + i * THR_MAX_SLOTS;
        thr_mean_add(&mean, v[WEIGHT], x->times[i] * fmax(v[SQUARES], 0), x->share[i]);
    }
    out[WEIGHT] = thr_mix_rounded(thr_mean_of(&mean));
    out[SQUARES] = thr_mix_rounded(mean.seen);
}

static const thr_mixer mixer = {.weight = mix_weight};

const thr_learner thr_adagrad = {
    .name = "adagrad",
    .help = "support vector machine by steps that each feature shortens by itself",
    .options = options,
    .flags = THR_SHARES | THR_ANTISYMMETRIC | THR_LIKES_UNIT | THR_CONSERVATIVE,
    .policy = "one-vs-all",
    .setup = setup,
    .score = score,
    .step = step,
    .move = move,
    .weight = weight,
    .weigh = weigh,
    .mix = &mixer,
};
