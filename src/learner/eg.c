/* Exponentiated gradient for numbers (Kivinen and Warmuth 1997; L0 6): the weights are a
 * distribution over the features times U, and an error multiplies those of the active ones,
 *     w_i = U v_i/Z,   Z = sum of all v,   v_i *= exp(2 eta U (y - w.x) x_i),   v_i = 1 at first.
 * Signed (EG+-) each feature has a second, -x_i, so w_i = U (v_i - 1/v_i)/Z and weights may be
 * negative. Kept are theta_i = log v_i and Z, so an update costs the active features. A feature
 * counts in Z from its first example on, and adds nothing to that one's prediction.
 *
 * For any u with sum |u_i| <= U, with X >= |x_i|, any c > 0 and eta = c/(2 (1 + c) U^2 X^2),
 *     sum (y - w.x)^2 <= (1 + c) sum (y - u.x)^2 + 2 (1 + 1/c) U^2 X^2 ln 2N:
 * N, the number of features, only counts by its logarithm. */
#include "base/mathx.h"
#include "learner/mix.h"

#include <math.h>

enum { ETA, MASS, SIGNED, BIAS };
enum { GREATEST_X, GREATEST_Y };   /* state */
enum { SUM, COUNTED, SUM_BEFORE }; /* per function: Z, of how many; Z when last added up */

#define AUTO_MASS  4
#define FARTHEST   500 /* theta: exp of it, times 2^32 features, is still a double */
#define LEAST      1e-300
#define FAR_CHANGE 1e4

static const thr_option_info options[] = {
    {"eta", "auto", "rate; auto: 1/(3 U^2 X^2), X the greatest value so far", THR_REAL, "auto",
     1e-30, 1e9},
    {"U", "auto", "what the weights add up to; auto: 4 times the greatest number so far", THR_REAL,
     "auto", 1e-30, 1e30},
    {"signed", "on", "weights may be negative", THR_BOOL, NULL, 0, 1},
    {"bias", "on", "a feature that is always 1", THR_BOOL, NULL, 0, 1},
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

static double mass_of(const thr_rule *r)
{
    return isnan(r->option[MASS]) ? AUTO_MASS * r->state[GREATEST_Y] : r->option[MASS];
}

/* What a feature weighs before it is divided by Z, and what it adds to Z. */
static double raw_weight(const thr_rule *r, double theta)
{
    double v = thr_exp(theta);
    return r->option[SIGNED] != 0 ? v - 1 / v : v;
}

static double share(const thr_rule *r, double theta)
{
    double v = thr_exp(theta);
    return r->option[SIGNED] != 0 ? v + 1 / v : v;
}

static double features_in(const thr_rule *r, uint32_t known)
{
    return r->bias ? known : known > 0 ? known - 1 : 0;
}

/* Z over the features known; those not yet counted have never moved. */
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

/* Features that have not been counted in weigh nothing. */
static double live(const thr_rule *r, const thr_weights *w, uint32_t id, uint32_t f)
{
    return weight(r, w, id, f, (uint32_t)thr_rule_state(r, f)[COUNTED] + !r->bias);
}

static void score(const thr_rule *r, const thr_weights *w, const thr_example *e, double *live,
                  double *shown)
{
    double sum = 0;
    for (size_t i = 0; i < e->n; i++)
        if (e->id[i] < e->known)
            sum += raw_weight(r, thr_row_wide(w, e, i, 0)[0]) * thr_example_value(e, i);
    shown[0] = live[0] = mass_of(r) * sum / total(r, 0, e->known);
}

/* ---- learning ----------------------------------------------------------------------------- */

static void look(thr_rule *r, const thr_example *e)
{
    r->state[GREATEST_X] = fmax(r->state[GREATEST_X], thr_example_max(e));
    r->state[GREATEST_Y] = fmax(r->state[GREATEST_Y], fmin(fabs(e->target), THR_WEIGHT_MAX));
}

static double eta_of(const thr_rule *r)
{
    double size = mass_of(r) * r->state[GREATEST_X];
    return !isnan(r->option[ETA]) ? r->option[ETA] : size > 0 ? 1 / (3 * size * size) : 0;
}

/* From here on the features of e count in Z. Returns the first number that does not. */
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

/* Adding and taking away leaves rounding behind, which shows when Z has become much smaller: then
 * it is added up anew. So it is when Z has grown much, to know what "much smaller" is. */
static void keep_exact(thr_rule *r, const thr_weights *w, uint32_t f, uint32_t known)
{
    double *s = thr_rule_state(r, f);
    if (s[SUM] < s[SUM_BEFORE] * FAR_CHANGE && s[SUM] > s[SUM_BEFORE] / FAR_CHANGE)
        return;
    uint32_t rows = w->rows < known ? (uint32_t)w->rows : known; /* others have never moved */
    s[SUM] = (features_in(r, known) - features_in(r, rows)) * share(r, 0);
    for (uint32_t id = r->bias ? 0 : 1; id < rows; id++)
        s[SUM] += share(r, thr_weights_get(w, id, 0, f));
    s[SUM_BEFORE] = s[SUM];
}

static bool learn(thr_rule *r, thr_weights *w, const thr_example *e, uint32_t f, const double *live)
{
    look(r, e);
    uint32_t known = count_in(r, e, f);
    double step = 2 * eta_of(r) * mass_of(r) * (double)e->importance * (e->target - live[f]),
           change = 0;
    for (size_t i = 0; i < e->n && step != 0; i++) {
        double *theta = thr_row_wide(w, e, i, 0) + f, before = share(r, *theta);
        *theta = fmin(fmax(*theta + step * thr_example_value(e, i), -FARTHEST), FARTHEST);
        change += share(r, *theta) - before;
    }
    thr_rule_state(r, f)[SUM] += change;
    keep_exact(r, w, f, known);
    return step != 0;
}

/* Z anew, from the features that stay among those counted in it: the first ones. */
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

/* The mean of the logarithms, to which updates add. */
static void mix_weight(const thr_rule *to, const thr_mixing *x, uint32_t id, const double *in,
                       double *out)
{
    (void)to, (void)id;
    out[0] = fmin(fmax(thr_mix_mean(x, in, 0), -FARTHEST), FARTHEST);
}

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
    .help = "exponentiated gradient for numbers: few of many features matter",
    .options = options,
    .flags = THR_REGRESSION,
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
