/* Pegasos (Shalev-Shwartz, Singer, Srebro 2007): minimises the support vector machine's
 * objective
 *     lambda/2 |w|^2 + mean of max(0, 1 - y w.x)
 * by sub-gradient steps of length 1/(lambda t):
 *     w_(t+1) = (1 - 1/t) w_t + [y w_t.x < 1] y x / (lambda t),   w_1 = 0.
 * Shrinking all weights at every step would cost the whole table. But the factors (1 - 1/t)
 * multiply out: with v the sum of y x over the examples whose margin was below 1,
 *     w_t = v / (lambda (t - 1)).
 * So v is stored, the scale follows from the clock (which is t - 1), and a step costs only the
 * active features.
 *
 * With G = 2R the regret against any u after T examples is at most
 *     G^2 (1 + ln T) / (2 lambda). */
#include "learner/mix.h"

enum { LAMBDA, BIAS };

static const thr_option_info options[] = {
    {"lambda", "0.001", "regularisation strength; smaller values fit the examples more closely",
     THR_REAL, NULL, 1e-12, 1e6},
    {"bias", "on", "add a constant feature with the value 1", THR_BOOL, NULL, 0, 1},
    {0},
};

static int setup(thr_rule *r, thr_error *err)
{
    (void)err;
    r->slot[0] = (thr_slot_spec){"v", false, 0, THR_MIRROR_NEGATE};
    r->n_slots = 1;
    r->bias = r->option[BIAS] != 0;
    return 0;
}

/* w = scale v. */
static double scale(const thr_rule *r)
{
    return r->clock > 0 ? 1 / (r->option[LAMBDA] * r->clock) : 0;
}

static void score(const thr_rule *r, const thr_weights *w, const thr_example *e, double *live,
                  double *shown)
{
    thr_weights_dot(w, 0, e, live);
    for (uint32_t f = 0; f < w->functions; f++)
        shown[f] = live[f] *= scale(r);
}

static double step(const thr_rule *r, const thr_example *e, double margin, int sign, int copies)
{
    (void)r, (void)sign, (void)copies;
    return margin < 1 ? (double)e->importance : 0;
}

static void move(thr_rule *r, thr_weights *w, const thr_example *e, uint32_t f, double by)
{
    (void)r;
    thr_weights_add(w, 0, e, f, by);
}

static void form(const thr_rule *r, const thr_weights *w, const thr_example *e, uint32_t f,
                 thr_function *out)
{
    (void)w, (void)e, (void)f;
    out->factor = scale(r);
}

static double weight(const thr_rule *r, const thr_weights *w, uint32_t id, uint32_t f,
                     uint32_t known)
{
    (void)known;
    return thr_weights_get(w, id, 0, f) * scale(r);
}

/* The mean of w = v/(lambda clock), stored as the v that gives it at the clock of the mix.
 * Adding up what the models have added to v since the base would overshoot, because each of
 * them corrects the same errors of the base. */
static void mix_weight(const thr_rule *to, const thr_mixing *x, uint32_t id, const double *in,
                       double *out)
{
    (void)id;
    double clock = thr_mix_base_clock(x), mean = 0;
    double base = clock > 0 ? thr_mix_base(x, in, 0) / clock : 0;
    for (size_t i = 0; i < x->n; i++)
        if (x->from[i]->clock > 0)
            mean += x->share[i] * in[i * THR_MAX_SLOTS] / x->from[i]->clock - x->share[i] * base;
    out[0] = thr_mix_rounded((base + mean) * to->clock);
}

static const thr_mixer mixer = {.weight = mix_weight};

/* The weight with the scale that is in force after this example, so that the difference before
 * and after a move is the step of length 1/(lambda t), without the shrinking. */
static double live(const thr_rule *r, const thr_weights *w, uint32_t id, uint32_t f)
{
    return thr_weights_get(w, id, 0, f) / (r->option[LAMBDA] * (r->clock + 1));
}

const thr_learner thr_learner_pegasos = {
    .name = "pegasos",
    .help = "support vector machine trained by sub-gradient steps",
    .options = options,
    .flags = THR_SHARES | THR_ANTISYMMETRIC | THR_DIRECT | THR_LIKES_UNIT,
    .policy = "direct",
    .split = 0.5,
    .setup = setup,
    .score = score,
    .step = step,
    .move = move,
    .weight = weight,
    .form = form,
    .terms = thr_slot_terms,
    .mix = &mixer,
    .live = live,
};
