/* ALMA, the approximate large margin algorithm (Gentile 2001), in its 2-norm form: a perceptron
 * that keeps |w| <= 1 and asks for a margin that falls as it learns. With x^ = x/|x|, at the k-th
 * correction
 *
 *     corrects if   y w.x^ <= (1 - alpha) B/sqrt(k),      B = sqrt(8)/alpha
 *     w' = w + (C/sqrt(k)) y x^,                          C = sqrt(2)
 *     w  = w'/max(1, |w'|).
 *
 * If some u with |u| = 1 separates the normalised examples with margin gamma, there are at most
 *     2 (2/alpha - 1)^2/gamma^2
 * corrections, and when no example needs one the margin is at least (1 - alpha) gamma: all but a
 * fraction alpha of the greatest. docs/THEORY.md proves both.
 *
 * Dividing w would touch every weight. So v is stored with w = scale v: a division changes the
 * scale alone, and a correction touches the active features. v grows as the scale falls. With
 * alpha >= 0.1 and importance 1 the scale stays above 1e-263 for 1e9 corrections, so v is a double;
 * below LEAST_SCALE the weights are no longer divided.
 *
 * Several functions are one long w, the functions side by side. An example for which label a
 * should lead label b is the unit vector with x^/sqrt(2) in a's part and -x^/sqrt(2) in b's: one
 * correction is then two moves, and ends when both are made. */
#include "learner/mix.h"

#include <math.h>

enum { ALPHA, BIAS };
enum {
    CORRECTIONS, /* ended so far */
    SCALE,       /* w = |scale| v; negative while a correction has not ended, 0 before the first */
    NORM2,       /* |w|^2 */
    FUNCTIONS,   /* how many there were at the last move */
};

#define LEAST_SCALE 1e-280

static const thr_option_info options[] = {
    {"alpha", "0.9", "how much of the greatest margin may be missing; smaller values correct more",
     THR_REAL, NULL, 0.1, 1},
    {"bias", "on", "add a constant feature with the value 1", THR_BOOL, NULL, 0, 1},
    {0},
};

static int setup(thr_rule *r, thr_error *err)
{
    (void)err;
    r->slot[0] = (thr_slot_spec){"v", true, 0, THR_MIRROR_NEGATE};
    r->n_slots = 1;
    r->bias = r->option[BIAS] != 0;
    return 0;
}

static double scale_of(const thr_rule *r)
{
    return r->state[SCALE] == 0 ? 1 : fabs(r->state[SCALE]);
}

static void score(const thr_rule *r, const thr_weights *w, const thr_example *e, double *live,
                  double *shown)
{
    thr_weights_dot(w, 0, e, live);
    for (uint32_t f = 0; f < w->functions; f++)
        shown[f] = live[f] *= scale_of(r);
}

/* The length of x is that of the vector whose margin is given: of one function, or of a pair. */
static double step(const thr_rule *r, const thr_example *e, double margin, int sign, int copies)
{
    (void)sign;
    double alpha = r->option[ALPHA], length = sqrt(e->norm2 * copies);
    double root = sqrt(r->state[CORRECTIONS] + 1);
    bool thin = margin <= (1 - alpha) * (sqrt(8) / alpha) / root * length;
    return thin && length > 0 ? (double)e->importance * sqrt(2) / (root * length) : 0;
}

/* |w|^2 over all rows, for when the sum is no longer known: two labels that shared a function have
 * got one each, or models were mixed. */
static double norm2_of(const thr_rule *r, const thr_weights *w)
{
    double sum = 0;
    for (size_t id = 0; id < w->rows; id++)
        for (uint32_t f = 0; f < w->functions; f++)
            sum += pow(scale_of(r) * thr_weights_get(w, (uint32_t)id, 0, f), 2);
    return sum;
}

/* Two features in one row, as --hash-bits may have them, are added one after the other, so the
 * change of |w|^2 is right for them too. */
static void move(thr_rule *r, thr_weights *w, const thr_example *e, uint32_t f, double by)
{
    double *s = r->state, scale = scale_of(r), change = 0;
    if (s[FUNCTIONS] == 1 && w->functions > 1) /* later functions begin at 0 and change nothing */
        s[NORM2] = norm2_of(r, w);
    for (size_t i = 0; i < e->n; i++) {
        double *v = thr_row_wide(w, e, i, 0, f), was = scale * *v;
        *v += by / scale * thr_example_value(e, i);
        change += (scale * *v - was) * (scale * *v + was);
    }
    s[NORM2] += change;
    s[FUNCTIONS] = w->functions;
    s[SCALE] = -scale;
}

static void observe(thr_rule *r, const thr_example *e)
{
    (void)e;
    double *s = r->state, scale = scale_of(r);
    if (s[SCALE] >= 0)
        return;
    s[CORRECTIONS]++;
    s[SCALE] = scale;
    if (s[NORM2] > 1 && scale > LEAST_SCALE) {
        s[SCALE] /= sqrt(s[NORM2]);
        s[NORM2] = 1;
    }
}

static void form(const thr_rule *r, const thr_weights *w, const thr_example *e, uint32_t f,
                 thr_function *out)
{
    (void)w, (void)e, (void)f;
    out->factor = scale_of(r);
}

static double weight(const thr_rule *r, const thr_weights *w, uint32_t id, uint32_t f,
                     uint32_t known)
{
    (void)known;
    return thr_weights_get(w, id, 0, f) * scale_of(r);
}

static void forget(thr_rule *r, const thr_weights *w, const bool *keep, uint32_t n)
{
    for (uint32_t id = 1; id < n && id < w->rows; id++)
        for (uint32_t f = 0; f < w->functions && !keep[id]; f++)
            r->state[NORM2] -= pow(weight(r, w, id, f, n), 2);
    r->state[NORM2] = fmax(0, r->state[NORM2]);
}

/* The mean of the weights w = scale v, stored with the base's scale. Ratios of scales come first:
 * they are 1 for copies of the base, whose mix then has the very numbers of the base. */
static void mix_weight(const thr_rule *to, const thr_mixing *x, uint32_t id, const double *in,
                       double *out)
{
    (void)id;
    double base = thr_mix_base(x, in, 0), sum = 0;
    for (size_t i = 0; i < x->n; i++)
        sum += x->share[i] * (scale_of(x->from[i]) / scale_of(to) * in[i * THR_MAX_SLOTS] - base);
    out[0] = base + sum;
}

static void mix_state(thr_rule *to, const thr_mixing *x)
{
    to->state[SCALE] = x->base ? scale_of(x->base) : 1;
}

static void mix_derive(thr_rule *to, const thr_weights *w, uint32_t known)
{
    (void)known;
    to->state[NORM2] = norm2_of(to, w);
    to->state[FUNCTIONS] = w->functions;
}

static const thr_mixer mixer = {.weight = mix_weight, .state = mix_state, .derive = mix_derive};

const thr_learner thr_learner_alma = {
    .name = "alma",
    .help = "approximate large margin algorithm: a perceptron that widens its margin",
    .options = options,
    .flags = THR_SHARES | THR_ANTISYMMETRIC | THR_DIRECT | THR_LIKES_UNIT | THR_CONSERVATIVE,
    .policy = "direct",
    .split = 0.70710678118654752, /* (w, -w)/sqrt(2) is as long as w */
    .setup = setup,
    .score = score,
    .step = step,
    .move = move,
    .observe = observe,
    .weight = weight,
    .form = form,
    .terms = thr_slot_terms,
    .forget = forget,
    .mix = &mixer,
};
