/* Least mean squares (Widrow and Hoff 1960): gradient descent on the squared error of a
 * predicted number,
 *     w += rate (y - w.x) x,      normalized=on:  w += rate (y - w.x) x / |x|^2.
 *
 * For any u and any c > 0, rate = c/((1 + c) R^2) gives (Kivinen and Warmuth 1997)
 *     sum (y - w.x)^2 <= (1 + c) sum (y - u.x)^2 + (1 + 1/c) R^2 |u|^2.
 * If steps are normalised, rate = c/(1 + c) gives the same bound with every error divided by
 * |x| and without R^2. So neither the scale of the values nor that of the numbers matters, and
 * below rate 2 the weights never diverge. */
#include "learner/mix.h"

#include <math.h>

enum { RATE, NORMALIZED, AVERAGED, BIAS };

static const thr_option_info options[] = {
    {"rate", "0.5", "step size; with normalized=on, the share of the error to correct", THR_REAL,
     NULL, 1e-12, 1e9},
    {"normalized", "on", "divide each step by the squared length of the example", THR_BOOL, NULL, 0,
     1},
    {"averaged", "on", "predict with the mean of the weights over all steps", THR_BOOL, NULL, 0, 1},
    {"bias", "on", "add a constant feature with the value 1", THR_BOOL, NULL, 0, 1},
    {0},
};

static int setup(thr_rule *r, thr_error *err)
{
    (void)err;
    thr_additive_slots(r, r->option[AVERAGED] != 0);
    r->bias = r->option[BIAS] != 0;
    return 0;
}

/* If steps are normalised, importance lengthens them only up to the step that removes the error
 * completely: a longer one would overshoot. */
static bool learn(thr_rule *r, thr_weights *w, const thr_example *e, uint32_t f, const double *live)
{
    double rate = r->option[RATE], step = rate * (double)e->importance;
    if (r->option[NORMALIZED] != 0)
        step = e->norm2 > 0 ? fmin(step, fmax(rate, 1)) / e->norm2 : 0;
    step = thr_weight_clamp(step * (e->target - live[f]));
    if (step == 0)
        return false;
    thr_additive_move(r, w, e, f, step);
    return true;
}

const thr_learner thr_learner_lms = {
    .name = "lms",
    .help = "least mean squares (Widrow-Hoff): linear regression by gradient steps",
    .options = options,
    .flags = THR_REGRESSION | THR_LIKES_UNIT | THR_LIKES_SCALE,
    .policy = "one-vs-all",
    .textbook = "normalized=off,averaged=off",
    .setup = setup,
    .score = thr_additive_score,
    .learn = learn,
    .weight = thr_additive_weight,
    .form = thr_additive_form,
    .terms = thr_additive_terms,
    .weigh_many = thr_additive_weigh_many,
    .rescale = thr_additive_rescale,
    .mix = &thr_additive_mixer,
    .live = thr_additive_live,
};
