/* Exponentiated gradient for predicting numbers (Kivinen and Warmuth 1997; L0 6). The weights
 * are U times a distribution over the features; an error multiplies the weights of the active
 * features:
 *     v_i *= exp(2 eta U (y - w.x) x_i),   v_i = 1 at first,
 *     w_i = U v_i/Z,   Z = sum of all v_i.
 * If signed (EG+-), every feature stands for two, x_i and -x_i. Then w_i = U (v_i - 1/v_i)/Z
 * and Z = sum of all v_i + 1/v_i, and weights may be negative.
 *
 * The rule stores theta_i = log v_i and Z, so an update costs only the active features. A
 * feature counts in Z from its first example on; it adds nothing to the prediction of that
 * example.
 *
 * For any u with sum |u_i| <= U, with X >= |x_i|, any c > 0 and eta = c/(2 (1 + c) U^2 X^2),
 *     sum (y - w.x)^2 <= (1 + c) sum (y - u.x)^2 + 2 (1 + 1/c) U^2 X^2 ln 2N:
 * the number N of features counts only by its logarithm. */
#include "base/mathx.h"
#include "learner/mix.h"

#include <math.h>

enum { ETA, MASS, SIGNED, BIAS };
enum { GREATEST_X, GREATEST_Y }; /* state: the greatest |value| and |number| so far */
/* Per function: Z; how many features it counts; Z when it was last summed from scratch. */
enum { SUM, COUNTED, SUM_BEFORE };

#define AUTO_MASS  4      /* U=auto is this times the greatest number */
#define FARTHEST   500    /* limit of |theta|: exp(500) times 2^32 features is still a double */
#define LEAST      1e-300 /* of Z */
#define FAR_CHANGE 1e4    /* when Z has changed by this factor, it is summed from scratch */

static const thr_option_info options[] = {
    {"eta", "auto", "learning rate (auto: 1/(3 U^2 X^2), X the largest feature value so far)",
     THR_REAL, "auto", 1e-30, 1e9},
    {"U", "auto", "bound on the sum of |weights| (auto: 4 x the largest |label| so far)", THR_REAL,
     "auto", 1e-30, 1e30},
    {"signed", "on", "allow negative weights", THR_BOOL, NULL, 0, 1},
    {"bias", "on", "add a constant feature with the value 1", THR_BOOL, NULL, 0, 1},
    {0},
};

static int setup(thr_rule *r, thr_error *err)
{
    (void)err;
    r->slot[0] = (thr_slot_spec){"theta", true, 0, THR_MIRROR_START};
    r->n_slots = 1;
    r->bias = r->option[BIAS] != 0;
    return 0;
}

/* ---- weights ------------------------------------------------------------------------------ */

/* U. */
static double mass_of(const thr_rule *r)
{
    return isnan(r->option[MASS]) ? AUTO_MASS * r->state[GREATEST_Y] : r->option[MASS];
}

/* w_i Z/U: the weight of a feature before it is scaled. */
static double raw_weight(const thr_rule *r, double theta)
{
    double v = thr_exp(theta);
    return r->option[SIGNED] != 0 ? v - 1 / v : v;
}

/* What a feature adds to Z. */
static double share(const thr_rule *r, double theta)
{
    double v = thr_exp(theta);
    return r->option[SIGNED] != 0 ? v + 1 / v : v;
}

/* How many features with id < known count: id 0 is the bias. */
static double features_in(const thr_rule *r, uint32_t known)
{
    return r->bias ? known : known > 0 ? known - 1 : 0;
}

/* Z over the known features. Those that SUM does not count yet have never moved: theta = 0. */
static double total(const thr_rule *r, uint32_t f, uint32_t known)
{
    const double *s = thr_rule_state(r, f);
    double z = s[SUM] + (features_in(r, known) - s[COUNTED]) * share(r, 0);
    return z > LEAST ? z : LEAST;
}

static void form(const thr_rule *r, const thr_weights *w, const thr_example *e, uint32_t f,
                 thr_function *out)
{
    (void)w;
    out->first = THR_SUM_SCALED;
    out->factor = mass_of(r);
    out->divisor = total(r, f, e->known);
}

static void terms(const thr_rule *r, const thr_weights *w, uint32_t id, uint32_t f, uint32_t known,
                  double term[2])
{
    term[0] = id < known ? raw_weight(r, thr_weights_get(w, id, 0, f)) : 0;
}

static double weight(const thr_rule *r, const thr_weights *w, uint32_t id, uint32_t f,
                     uint32_t known)
{
    if (id >= known || (id == 0 && !r->bias))
        return 0;
    return mass_of(r) * raw_weight(r, thr_weights_get(w, id, 0, f)) / total(r, f, known);
}

/* A feature weighs nothing before it is counted in Z. */
static double live(const thr_rule *r, const thr_weights *w, uint32_t id, uint32_t f)
{
    double counted = thr_rule_state(r, f)[COUNTED]; /* in a forged file, any number */
    uint32_t known = !(counted >= 0) ? 0 : counted < UINT32_MAX ? (uint32_t)counted : THR_NONE - 1;
    return weight(r, w, id, f, known + !r->bias);
}

static void score(const thr_rule *r, const thr_weights *w, const thr_example *e, double *live,
                  double *shown)
{
    double sum = 0;
    for (size_t i = 0; i < e->n; i++)
        if (e->id[i] < e->known)
            sum += raw_weight(r, *thr_row_wide(w, e, i, 0, 0)) * thr_example_value(e, i);
    shown[0] = live[0] = mass_of(r) * sum / total(r, 0, e->known);
}

/* ---- learning ----------------------------------------------------------------------------- */

/* Counts the features of e in Z. Returns the least id that is not counted. */
static uint32_t count_in(thr_rule *r, const thr_example *e, uint32_t f)
{
    uint32_t known = e->known;
    for (size_t i = 0; i < e->n; i++)
        known = e->id[i] >= known ? e->id[i] + 1 : known;
    double *s = thr_rule_state(r, f), all = features_in(r, known);
    s[SUM] += (all - s[COUNTED]) * share(r, 0);
    s[COUNTED] = all;
    return known;
}

/* Z is updated by adding and subtracting, which leaves rounding errors of the size of the
 * greatest Z so far. They would show when Z has become much smaller, so Z is then summed from
 * scratch over all features. It is also summed when it has become much greater, so that
 * SUM_BEFORE stays close to the greatest Z since. */
static void keep_exact(thr_rule *r, const thr_weights *w, uint32_t f, uint32_t known)
{
    double *s = thr_rule_state(r, f);
    if (s[SUM] < s[SUM_BEFORE] * FAR_CHANGE && s[SUM] > s[SUM_BEFORE] / FAR_CHANGE)
        return;
    uint32_t rows = w->rows < known ? (uint32_t)w->rows : known; /* the others never moved */
    s[SUM] = (features_in(r, known) - features_in(r, rows)) * share(r, 0);
    for (uint32_t id = r->bias ? 0 : 1; id < rows; id++)
        s[SUM] += share(r, thr_weights_get(w, id, 0, f));
    s[SUM_BEFORE] = s[SUM];
}

/* U and eta may follow from the greatest value and number, so these are updated first. */
static bool learn(thr_rule *r, thr_weights *w, const thr_example *e, uint32_t f, const double *live)
{
    r->state[GREATEST_X] = fmax(r->state[GREATEST_X], thr_example_max(e));
    r->state[GREATEST_Y] = fmax(r->state[GREATEST_Y], fmin(fabs(e->target), THR_WEIGHT_MAX));
    uint32_t known = count_in(r, e, f);
    double size = mass_of(r) * r->state[GREATEST_X];
    double eta = !isnan(r->option[ETA]) ? r->option[ETA] : size > 0 ? 1 / (3 * size * size) : 0;
    double step = 2 * eta * mass_of(r) * (double)e->importance * (e->target - live[f]), change = 0;
    for (size_t i = 0; i < e->n && step != 0; i++) {
        double *theta = thr_row_wide(w, e, i, 0, f), before = share(r, *theta);
        *theta = fmin(fmax(*theta + step * thr_example_value(e, i), -FARTHEST), FARTHEST);
        change += share(r, *theta) - before;
    }
    thr_rule_state(r, f)[SUM] += change;
    keep_exact(r, w, f, known);
    return step != 0;
}

/* Sums Z over the features that stay. Those counted in it have the lowest ids. */
static void forget(thr_rule *r, const thr_weights *w, const bool *keep, uint32_t n)
{
    uint32_t first = r->bias ? 0 : 1;
    for (uint32_t f = 0; f < w->functions; f++) {
        double *s = thr_rule_state(r, f), counted = s[COUNTED] + first;
        s[SUM] = s[COUNTED] = 0;
        for (uint32_t id = first; id < n && id < counted; id++)
            if (id == 0 || keep[id]) {
                s[SUM] += share(r, thr_weights_get(w, id, 0, f));
                s[COUNTED] += 1;
            }
        s[SUM_BEFORE] = s[SUM];
    }
}

/* ---- mixing ------------------------------------------------------------------------------- */

/* The mean of theta: the geometric mean of v, since updates add to the logarithm. */
static void mix_weight(const thr_rule *to, const thr_mixing *x, uint32_t id, const double *in,
                       double *out)
{
    (void)to, (void)id;
    out[0] = fmin(fmax(thr_mix_mean(x, in, 0), -FARTHEST), FARTHEST);
}

/* The greatest of the greatest; the default would be their sum. */
static void mix_state(thr_rule *to, const thr_mixing *x)
{
    to->state[GREATEST_X] = to->state[GREATEST_Y] = 0;
    for (size_t i = 0; i < x->n; i++) {
        to->state[GREATEST_X] = fmax(to->state[GREATEST_X], x->from[i]->state[GREATEST_X]);
        to->state[GREATEST_Y] = fmax(to->state[GREATEST_Y], x->from[i]->state[GREATEST_Y]);
    }
}

static void derive(thr_rule *to, const thr_weights *w, uint32_t known)
{
    double *s = thr_rule_state(to, 0);
    s[COUNTED] = features_in(to, known);
    s[SUM] = 0;
    for (uint32_t id = to->bias ? 0 : 1; id < known; id++)
        s[SUM] += share(to, thr_weights_get(w, id, 0, 0));
    s[SUM_BEFORE] = s[SUM];
}

static const thr_mixer mixer = {.weight = mix_weight, .state = mix_state, .derive = derive};

const thr_learner thr_learner_eg = {
    .name = "eg",
    .help = "exponentiated gradient regression: good if few of many features matter",
    .options = options,
    .flags = THR_REGRESSION | THR_LIKES_SCALE,
    .function_state = 3,
    .policy = "one-vs-all",
    .setup = setup,
    .score = score,
    .learn = learn,
    .weight = weight,
    .form = form,
    .terms = terms,
    .forget = forget,
    .mix = &mixer,
    .live = live,
};
