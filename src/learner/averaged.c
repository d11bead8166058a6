/* Averaged perceptron (Freund and Schapire 1999, Collins 2002): the perceptron's updates, but
 * it predicts with the mean of w over every step, also those without an update:
 *     w += rate y x   if y w.x <= 0 or y w.x < margin;   predict with (1/T) sum_t w_t.x.
 * The perceptron's bound holds for its updates. There is no such bound for the mistakes of the
 * mean; they are usually fewer. additive.c computes the mean. */
#include "learner/mix.h"

enum { RATE, MARGIN, BIAS, MARGIN_NEGATIVE };

static const thr_option_info options[] = {
    {"rate", "1", "step size of an update", THR_REAL, NULL, 1e-9, 1e9},
    {"margin", "0", "also update if the correct label leads by less than this", THR_REAL, NULL, 0,
     1e30},
    {"bias", "on", "add a constant feature with the value 1", THR_BOOL, NULL, 0, 1},
    {"margin-negative", "auto", "the same for negative examples (auto: equal to margin)", THR_REAL,
     "auto", 0, 1e30},
    {0},
};

static int setup(thr_rule *r, thr_error *err)
{
    (void)err;
    thr_additive_slots(r, true);
    r->bias = r->option[BIAS] != 0;
    return 0;
}

static double asks(const thr_rule *r)
{
    return r->option[MARGIN];
}

static double step(const thr_rule *r, const thr_example *e, double margin, int sign, int copies)
{
    (void)copies;
    double least = thr_margin_of(r, sign, MARGIN, MARGIN_NEGATIVE);
    return thr_margin_step(e, margin, least, r->option[RATE]);
}

const thr_learner thr_learner_averaged = {
    .name = "averaged",
    .help = "perceptron that predicts with the mean of its weights over all steps",
    .options = options,
    .flags = THR_SHARES | THR_ANTISYMMETRIC | THR_DIRECT | THR_LIKES_UNIT,
    .policy = "direct",
    .textbook = "margin=0,margin-negative=0",
    .split = 1,
    .setup = setup,
    .score = thr_additive_score,
    .step = step,
    .asks = asks,
    .move = thr_additive_move,
    .weight = thr_additive_weight,
    .form = thr_additive_form,
    .terms = thr_additive_terms,
    .weigh_many = thr_additive_weigh_many,
    .mix = &thr_additive_mixer,
    .live = thr_additive_live,
};
