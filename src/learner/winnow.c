/* Winnow (Littlestone 1988; L0 6, L2): positive weights that are multiplied instead of added
 * to.
 *     predict + if w.x >= theta, else -
 *     missed positive:  w_i *= promote^x_i        false positive:  w_i *= demote^x_i
 *
 * On monotone k-disjunctions over n variables with promote a, demote b, start s <= theta:
 *     promotions  u <= k (1 + log_a(theta/s))
 *     demotions   v <= (n s/theta + (a - 1) u) / (1 - b).
 * demote 0 is the elimination form: a weight that has become 0 stays 0.
 *
 * The theorem's theta depends on n, which is unknown in an open feature space. So theta and
 * start may be automatic: theta is then start times the mean sum of an example's values so far
 * (the mean number of active features if values are 1), or start is theta divided by that mean.
 * What is stored is w/start, so that either may change without touching the weights. */
#include "base/mathx.h"
#include "learner/mix.h"

#include <math.h>

enum { PROMOTE, DEMOTE, THETA, START, MARGIN, MARGIN_NEGATIVE };
enum { TOTAL }; /* state: sum of the values of all examples */

#define LEAST       1e-30 /* least weight that is not eliminated */
#define LEAST_POWER 1e-60 /* takes a weight from one end of its range to the other */

#define EARLIER 2 /* demotions of the features that a new label finds */

static const thr_option_info options[] = {
    {"promote", "2", "factor on the weights of a missed positive example", THR_REAL, NULL, 1, 1e6},
    {"demote", "0.5", "factor on the weights of a false positive example (0: eliminate them)",
     THR_REAL, NULL, 0, 1},
    {"theta", "auto", "threshold (auto: start times the mean sum of values of an example)",
     THR_REAL, "auto", 1e-9, 1e18},
    {"start", "auto", "initial weight (auto: 1; with theta given, theta over that mean sum)",
     THR_REAL, "auto", 1e-9, 1e9},
    {"margin", "0", "also update if a positive example scores less than this above theta", THR_REAL,
     NULL, 0, 1e30},
    {"margin-negative", "auto",
     "the same for negative examples below theta (auto: equal to margin)", THR_REAL, "auto", 0,
     1e30},
    {0},
};

static int setup(thr_rule *r, thr_error *err)
{
    if (r->option[PROMOTE] == 1 && r->option[DEMOTE] == 1)
        return thr_fail(err, THR_EUSE, "winnow: with promote=1 and demote=1 nothing is learned");
    r->slot[0] = (thr_slot_spec){"w", false, 1, THR_MIRROR_START};
    r->n_slots = 1;
    r->nonnegative = r->option[DEMOTE] == 0;
    return 0;
}

/* The mean sum of values of the examples so far; before the first, the sum of this one. */
static double mean_sum(const thr_rule *r, const thr_example *e)
{
    double mean = r->clock > 0 ? r->state[TOTAL] / r->clock : e ? thr_example_sum(e) : 1;
    return mean > LEAST ? mean : 1;
}

/* The start weight and the threshold in force for this example. `e` may be NULL. */
static double start_now(const thr_rule *r, const thr_example *e)
{
    if (!isnan(r->option[START]))
        return r->option[START];
    return isnan(r->option[THETA]) ? 1 : r->option[THETA] / mean_sum(r, e);
}

static double theta_now(const thr_rule *r, const thr_example *e)
{
    if (!isnan(r->option[THETA]))
        return r->option[THETA];
    return start_now(r, e) * mean_sum(r, e);
}

static void score(const thr_rule *r, const thr_weights *w, const thr_example *e, double *live,
                  double *shown)
{
    double start = start_now(r, e), theta = theta_now(r, e);
    thr_weights_dot(w, 0, e, live);
    for (uint32_t f = 0; f < w->functions; f++)
        shown[f] = live[f] = thr_rule_side(r, f) * (start * live[f] - theta);
}

static double asks(const thr_rule *r)
{
    return r->option[MARGIN];
}

/* At w.x = theta the prediction is positive, so a tie is a mistake only on a negative example.
 * The step is an exponent: that of promote or demote, times x_i. */
static double step(const thr_rule *r, const thr_example *e, double margin, int sign, int copies)
{
    (void)copies;
    bool wrong = sign > 0 ? margin < 0 : margin <= 0;
    bool thin = margin < thr_margin_of(r, sign, MARGIN, MARGIN_NEGATIVE);
    return wrong || thin ? (double)e->importance : 0;
}

static float kept_in_range(double v)
{
    if (v == 0)
        return 0; /* eliminated */
    return (float)(v < LEAST ? LEAST : v > THR_WEIGHT_MAX ? THR_WEIGHT_MAX : v);
}

/* The power is kept within the range of weights, so that 0 arises only by demote=0. */
static void move(thr_rule *r, thr_weights *w, const thr_example *e, uint32_t f, double by)
{
    double factor = r->option[by > 0 ? PROMOTE : DEMOTE], times = fabs(by);
    for (size_t i = 0; i < e->n; i++) {
        double exponent = times * thr_example_value(e, i);
        float *at = thr_row(w, e, i, 0, f);
        double power = exponent == 1 ? factor
                       : factor == 0
                           ? (exponent > 0 ? 0 : 1)
                           : fmin(fmax(thr_pow(factor, exponent), LEAST_POWER), 1 / LEAST_POWER);
        *at = kept_in_range((double)*at * power);
    }
}

/* A label that is met for the first time was not the label of any example so far, and its function
 * would have been demoted by those that it took for its own. The features met so far start as low
 * as if that had happened EARLIER times, so that they do not outweigh what the labels before have
 * learned. With demote=0 they would be lost for good, and stay as they are. */
static void begin(thr_rule *r, thr_weights *w, uint32_t f, uint32_t known)
{
    if (r->option[DEMOTE] == 0)
        return;
    double low = thr_pow(r->option[DEMOTE], EARLIER);
    for (uint32_t id = 1; id < known && id < w->rows; id++)
        thr_weights_row(w, id, 0)[f] = kept_in_range(low);
}

static void observe(thr_rule *r, const thr_example *e)
{
    r->state[TOTAL] += thr_example_sum(e);
}

/* The threshold does not grow with the length of the example, so scores need no scaling. */
static double extent(const thr_rule *r, const thr_example *e)
{
    (void)r, (void)e;
    return 1;
}

static void form(const thr_rule *r, const thr_weights *w, const thr_example *e, uint32_t f,
                 thr_function *out)
{
    (void)w;
    out->factor = thr_rule_side(r, f) * start_now(r, e);
    out->constant = -thr_rule_side(r, f) * theta_now(r, e);
}

static double weight(const thr_rule *r, const thr_weights *w, uint32_t id, uint32_t f,
                     uint32_t known)
{
    (void)known;
    return thr_rule_side(r, f) * start_now(r, NULL) * thr_weights_get(w, id, 0, f);
}

static double rest(const thr_rule *r, const thr_example *e, uint32_t f)
{
    return -thr_rule_side(r, f) * theta_now(r, e);
}

static const char *drifts(const thr_rule *r)
{
    bool automatic = isnan(r->option[THETA]) || isnan(r->option[START]);
    return automatic
               ? "its threshold follows the mean number of active features, and so moves with "
                 "every example: give theta and start"
               : NULL;
}

/* The mean of the weights, not of their logarithms as in balanced.c: the geometric mean lies
 * below it while the threshold does not, so positives would be missed. With demote=0 a weight
 * that one model has eliminated is eliminated in the mix. */
static void mix_weight(const thr_rule *to, const thr_mixing *x, uint32_t id, const double *in,
                       double *out)
{
    (void)id;
    double base = x->base ? start_now(x->base, NULL) * thr_mix_base(x, in, 0) : 0, sum = 0;
    bool eliminated = false;
    for (size_t i = 0; i < x->n; i++) {
        double v = in[i * THR_MAX_SLOTS];
        eliminated |= v == 0 && to->option[DEMOTE] == 0;
        sum += x->share[i] * start_now(x->from[i], NULL) * v - x->share[i] * base;
    }
    double mean = (base + sum) / start_now(to, NULL);
    out[0] = eliminated ? 0 : thr_mix_rounded((double)kept_in_range(mean));
}

static const thr_mixer mixer = {.weight = mix_weight};

const thr_learner thr_learner_winnow = {
    .name = "winnow",
    .help = "multiplicative updates of positive weights: few mistakes if few features matter",
    .options = options,
    .flags = THR_SHARES | THR_CONSERVATIVE,
    .policy = "one-vs-all",
    .textbook = "start=1,margin=0,margin-negative=0",
    .setup = setup,
    .score = score,
    .step = step,
    .asks = asks,
    .move = move,
    .begin = begin,
    .observe = observe,
    .weight = weight,
    .form = form,
    .terms = thr_slot_terms,
    .rest = rest,
    .extent = extent,
    .drifts = drifts,
    .mix = &mixer,
};
