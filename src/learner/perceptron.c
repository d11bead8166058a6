/* Perceptron (Rosenblatt 1958): with s = w.x,
 *     w += rate y x   if y s <= 0 or y s < margin.
 *
 * From w = 0 and with margin 0 it makes at most R^2/gamma^2 updates on separable data, whatever
 * the rate (Novikoff 1962); with margin m it makes at most (R^2 + 2m/rate)/gamma^2. With
 * `repeat` an example is added until y s >= 1, all additions in one step. `margin-negative`
 * gives negative examples another margin, as in SNoW's thick separator; the bound is then that
 * of the greater margin. */
#include "learner/mix.h"

#include <math.h>

enum { RATE, MARGIN, REPEAT, BIAS, MARGIN_NEGATIVE };

static const thr_option_info options[] = {
    {"rate", "1", "step size of an update", THR_REAL, NULL, 1e-9, 1e9},
    {"margin", "0", "also update if the correct label leads by less than this", THR_REAL, NULL, 0,
     1e30},
    {"repeat", "off", "in an update, add the example until the correct label leads by 1", THR_BOOL,
     NULL, 0, 1},
    {"bias", "on", "add a constant feature with the value 1", THR_BOOL, NULL, 0, 1},
    {"margin-negative", "auto", "the same for negative examples (auto: equal to margin)", THR_REAL,
     "auto", 0, 1e30},
    {0},
};

static int setup(thr_rule *r, thr_error *err)
{
    (void)err;
    thr_additive_slots(r, false);
    r->bias = r->option[BIAS] != 0;
    return 0;
}

static double asks(const thr_rule *r)
{
    return r->option[MARGIN];
}

static double step(const thr_rule *r, const thr_example *e, double margin, int sign, int copies)
{
    double least = thr_margin_of(r, sign, MARGIN, MARGIN_NEGATIVE);
    double rate = thr_margin_step(e, margin, least, r->option[RATE]);
    if (rate == 0 || r->option[REPEAT] == 0)
        return rate;
    double gain = rate * copies * e->norm2; /* what one addition adds to the margin */
    double times = gain > 0 ? ceil((1 - margin) / gain) : 1;
    return rate * (times < 1 ? 1 : times);
}

const thr_learner thr_learner_perceptron = {
    .name = "perceptron",
    .help = "adds each misclassified example to the weights (Rosenblatt)",
    .options = options,
    .flags = THR_SHARES | THR_ANTISYMMETRIC | THR_DIRECT | THR_LIKES_UNIT | THR_CONSERVATIVE,
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
};
