/* Passive-aggressive, also called MIRA (Crammer et al. 2006; L4 eq. 8 to 14): the smallest move
 * that gives the example a margin of 1, but with a factor of at most C:
 *     loss = max(0, 1 - margin),   tau = min(C, loss / |f(x,y) - f(x,y')|^2),   w += tau y x.
 * |f(x,y) - f(x,y')|^2 is |x|^2 for one function, and 2 |x|^2 where one function rises and
 * another falls: `copies` times |x|^2.
 *
 * If C is infinite and some u has a functional margin of at least 1 on all examples, the
 * squared losses sum to at most |u|^2 R^2 (twice that for many classes). A mistake has a loss
 * of at least 1, so this bounds the mistakes too. For two labels the one function stands for
 * the difference of the two labels' functions, so that each has half its weights (`split`). */
#include "learner/mix.h"

#include <math.h>

enum { AGGRESSION, AVERAGED, BIAS };

static const thr_option_info options[] = {
    {"C", "1", "largest step size: small values are cautious, inf always corrects fully", THR_REAL,
     NULL, 1e-12, INFINITY},
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

static double step(const thr_rule *r, const thr_example *e, double margin, int sign, int copies)
{
    (void)sign;
    double loss = 1 - margin, length2 = copies * e->norm2;
    if (loss <= 0 || length2 <= 0 || e->importance == 0)
        return 0;
    return fmin(r->option[AGGRESSION] * (double)e->importance, loss / length2);
}

static const char *drifts(const thr_rule *r)
{
    return r->option[AVERAGED] != 0 ? "it predicts with the mean of its weights, which moves with "
                                      "every example: set averaged=off"
                                    : NULL;
}

const thr_learner thr_learner_pa = {
    .name = "pa",
    .help = "passive-aggressive (MIRA): the smallest step that corrects the example",
    .options = options,
    .flags = THR_SHARES | THR_ANTISYMMETRIC | THR_DIRECT | THR_LIKES_UNIT | THR_CONSERVATIVE,
    .policy = "direct",
    .textbook = "averaged=off",
    .split = 0.5,
    .setup = setup,
    .score = thr_additive_score,
    .step = step,
    .asks = thr_asks_for_one,
    .move = thr_additive_move,
    .weight = thr_additive_weight,
    .form = thr_additive_form,
    .terms = thr_additive_terms,
    .drifts = drifts,
    .weigh_many = thr_additive_weigh_many,
    .mix = &thr_additive_mixer,
    .live = thr_additive_live,
};
