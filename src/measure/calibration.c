/* From evidence to probabilities, and the fit; calibration.h has the equations. calibration_mix.c
 * makes one calibration of several.
 *
 * This runs for every member at every example, so loops over labels are vectorised: exponentials
 * and logarithms are taken of many numbers at once, and functions marked THR_CLONED are compiled
 * for AVX2 as well, with the same bits. Two labels, the usual case, have code of their own. */
#include "measure/calibration.h"

#include "base/above.h"
#include "base/mathx.h"
#include "base/mem.h"
#include "base/sum.h"
#include "base/wide.h"
#include "measure/softmax.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define FADING    2.0    /* the i-th of t examples counts for (i/t)^FADING ... */
#define MEMORY    1e4    /* ... and for little once this many more have come */
#define PRIOR     4      /* curvature at the start: the first examples move little */
#define FIRM      30     /* the same for logits, where slope 1 and offset 0 are good guesses */
#define LONGEST   0.5    /* largest step of slope or offset */
#define LEAST     0.1    /* part of the slope's curvature that the offsets cannot take away */
#define STEEPEST  1000   /* largest slope, and largest size of an offset */
#define FARTHEST  1e6    /* largest size of z: evidence in units of the usual size */
#define ROUNDING  1e-12  /* part of a score that may be a rounding error */
#define LEAST_LOG (-745) /* exp of anything below is 0 */
#define TOGETHER  32     /* labels, or rows, in one call of thr_exp_many or thr_log_many */
/* Each of the first ALL examples is used; from then on one in EVERY, which forgets HASTE times as
 * much of the past. */
#define ALL   16384
#define EVERY 8
#define HASTE 6

#define INLINE __attribute__((always_inline)) static inline

double thr_calibration_prior(const thr_calibration *c)
{
    return c->of_logits ? FIRM : PRIOR;
}

void thr_calibration_init(thr_calibration *c)
{
    *c = (thr_calibration){.slope = {.value = 1, .curvature = PRIOR}, .size = 1};
}

void thr_calibration_init_logits(thr_calibration *c)
{
    thr_calibration_init(c);
    c->of_logits = true;
    c->slope.curvature = FIRM;
}

void thr_calibration_fix(thr_calibration *c, double slope)
{
    c->fixed = true;
    c->slope.value = slope;
}

void thr_calibration_clear(thr_calibration *c)
{
    free(c->offset.value);
    free(c->offset.curvature);
    free(c->offset.cross);
    free(c->offset.gradient);
    *c = (thr_calibration){0};
}

int thr_calibration_reserve(thr_calibration *c, uint32_t labels, thr_error *err)
{
    thr_fits *f = &c->offset;
    double **array[] = {&f->value, &f->curvature, &f->cross, &f->gradient};
    size_t room = c->room;
    for (size_t i = 0; i < sizeof array / sizeof *array; i++) {
        room = c->room;
        if (!thr_grow(array[i], &room, labels, sizeof **array[i]))
            return thr_fail_memory(err);
    }
    c->room = room;
    return 0;
}

thr_fit thr_calibration_offset(const thr_calibration *c, uint32_t label)
{
    const thr_fits *f = &c->offset;
    return (thr_fit){f->value[label], f->curvature[label], f->cross[label]};
}

void thr_calibration_set_offset(thr_calibration *c, uint32_t label, thr_fit offset)
{
    c->offset.value[label] = offset.value;
    c->offset.curvature[label] = offset.curvature;
    c->offset.cross[label] = offset.cross;
}

int thr_calibration_widen(thr_calibration *c, uint32_t labels, thr_error *err)
{
    int code = thr_calibration_reserve(c, labels, err);
    if (code)
        return code;
    for (; c->n < labels; c->n++)
        thr_calibration_set_offset(c, c->n, (thr_fit){.curvature = thr_calibration_prior(c)});
    return 0;
}

int thr_calibration_copy(const thr_calibration *c, thr_calibration *out, thr_error *err)
{
    *out = *c;
    out->offset = (thr_fits){0};
    out->room = out->n = 0;
    int code = thr_calibration_widen(out, c->n, err);
    for (uint32_t l = 0; l < c->n && code == 0; l++)
        thr_calibration_set_offset(out, l, thr_calibration_offset(c, l));
    return code;
}

static bool is_within(double v, double least, double most)
{
    return v >= least && v <= most; /* false for NaN */
}

static bool is_sound(const thr_fit *f, double least)
{
    return is_within(f->value, least, STEEPEST) && is_within(f->curvature, 1e-9, THR_FIT_MOST) &&
           is_within(f->cross, -THR_FIT_MOST, THR_FIT_MOST);
}

bool thr_calibration_sound(const thr_calibration *c)
{
    bool ok = is_within(c->seen, 0, THR_FIT_MOST) && is_within(c->again, 0, THR_FIT_MOST) &&
              is_within(c->log_size, LEAST_LOG, -LEAST_LOG) &&
              is_within(c->log_now, LEAST_LOG, -LEAST_LOG) && is_sound(&c->slope, 0) &&
              !(c->of_logits && (c->log_size != 0 || c->log_now != 0));
    for (uint32_t l = 0; l < c->n && ok; l++) {
        thr_fit offset = thr_calibration_offset(c, l);
        ok = is_sound(&offset, -STEEPEST);
    }
    return ok;
}

/* ---- from scores to probabilities --------------------------------------------------------- */

INLINE double clamp(double v, double most)
{
    double below = v > most ? most : v;
    return below < -most ? -most : below;
}

INLINE double usable(double v)
{
    double within = clamp(v, THR_FIT_MOST);
    return v == v ? within : 0; /* a damaged model may give NaN */
}

/* z[i] = usable(score[i]), and their mean. Inlined for two labels and compiled for many. */
INLINE double use_scores(const double *score, uint32_t n, bool in_order, double *z)
{
    thr_total sum = {.in_order = in_order};
    for (uint32_t i = 0; i < n; i++)
        z[i] = usable(score[i]);
    thr_total_add(&sum, z, n);
    return n ? thr_total_of(&sum) / n : 0;
}

/* Adds up n <= TOGETHER scores. Like the other functions of some labels it is inlined for TOGETHER
 * and for fewer, and is given pointers to the first of them: with an index that is a sum the
 * compiler would load one number after another. */
INLINE void add_scores(thr_total *sum, const double *score, uint32_t n)
{
    double some[TOGETHER];
    for (uint32_t k = 0; k < n; k++)
        some[k] = usable(score[k]);
    thr_total_add(sum, some, n);
}

INLINE double mean_in(const double *score, uint32_t n, bool in_order)
{
    thr_total sum = {.in_order = in_order};
    uint32_t left = n;
    for (; left >= TOGETHER; left -= TOGETHER, score += TOGETHER)
        add_scores(&sum, score, TOGETHER);
    add_scores(&sum, score, left);
    return n ? thr_total_of(&sum) / n : 0;
}

THR_CLONED static double mean_of_many(const thr_calibration *c, const double *score)
{
    return mean_in(score, c->n, c->in_order);
}

static double mean_of(const thr_calibration *c, const double *score)
{
    return c->n == 2 ? mean_in(score, 2, true) : mean_of_many(c, score);
}

/* Examples met again may make the size smaller but not larger. */
static double log_size(const thr_calibration *c)
{
    return c->log_size < c->log_now ? c->log_size : c->log_now;
}

/* The usual size, exp(log_size). The last value is kept, because it seldom changes. It is used only
 * if the logarithm is still the one it was computed from: reading a file and mixing set log_size
 * without it. Does not write, so threads that predict may share a calibration. */
static double size_of(const thr_calibration *c)
{
    double of = log_size(c);
    return c->size > 0 && c->size_of == of ? c->size : thr_exp(of);
}

double thr_calibration_size(const thr_calibration *c)
{
    return size_of(c);
}

static void keep_size(thr_calibration *c)
{
    double size = size_of(c);
    c->size_of = log_size(c);
    c->size = size;
}

/* z: the distance of a score from `middle`, in units of the usual size. */
INLINE double scaled(double score, double middle, double size)
{
    return clamp((usable(score) - middle) / size, FARTHEST);
}

/* z[l] = a z_l + b_l for all n labels: the logits. Inlined for two labels and compiled for many. */
INLINE void weigh(const thr_calibration *c, const double *score, uint32_t n, bool in_order,
                  double *z)
{
    double middle = use_scores(score, n, in_order, z), size = size_of(c), slope = c->slope.value;
    const double *offset = c->offset.value;
    double times = 1 / size;
    for (uint32_t i = 0; i < n && in_order; i++)
        z[i] = slope * clamp((z[i] - middle) / size, FARTHEST) + offset[i];
    for (uint32_t i = 0; i < n && !in_order; i++)
        z[i] = slope * clamp((z[i] - middle) * times, FARTHEST) + offset[i];
}

THR_CLONED static void weigh_many(const thr_calibration *c, const double *score, double *z)
{
    if (c->in_order)
        weigh(c, score, c->n, true, z);
    else
        weigh(c, score, c->n, false, z);
}

void thr_calibration_weigh(const thr_calibration *c, const double *score, const bool *candidate,
                           double *log_p)
{
    if (c->n == 2)
        weigh(c, score, 2, true, log_p);
    else
        weigh_many(c, score, log_p);
    for (uint32_t i = 0; i < c->n && candidate; i++)
        log_p[i] = candidate[i] ? log_p[i] : -INFINITY;
}

void thr_calibration_one(const thr_calibration *c, const double *score, const bool *candidate,
                         double *log_p)
{
    thr_calibration_weigh(c, score, candidate, log_p);
    thr_log_normalize(log_p, c->n, 1);
}

void thr_calibration_weigh_each(const thr_calibration *c, const double *score, double *logit)
{
    double size = size_of(c);
    for (uint32_t i = 0; i < c->n; i++)
        logit[i] = c->slope.value * scaled(score[i], 0, size) + c->offset.value[i];
}

/* log(1 / (1 + exp(-z))), in a form whose exponential cannot overflow. */
void thr_log_sigmoid(double *z, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        z[i] = z[i] >= 0 ? -thr_log(1 + thr_exp(-z[i])) : z[i] - thr_log(1 + thr_exp(z[i]));
}

void thr_calibration_each(const thr_calibration *c, const double *score, const bool *candidate,
                          double *log_p)
{
    thr_calibration_weigh_each(c, score, log_p);
    thr_log_sigmoid(log_p, c->n);
    for (uint32_t i = 0; i < c->n && candidate; i++)
        log_p[i] = candidate[i] ? log_p[i] : -INFINITY;
}

/* The part of a probability that comes from the examples seen. */
static double kept_part(double seen)
{
    return seen / (seen + THR_TEMPER);
}

void thr_calibration_temper(const thr_calibration *c, const bool *candidate, bool each, double *p)
{
    uint32_t labels = c->n;
    for (uint32_t l = 0; l < c->n && candidate; l++)
        labels -= !candidate[l];
    if (labels < 2 && !each)
        return;
    double kept = kept_part(c->seen), more = (1 - kept) / (each ? 2 : labels);
    for (uint32_t l = 0; l < c->n; l++)
        if (!candidate || candidate[l])
            p[l] = kept * p[l] + more;
}

/* The sign of the logit says on which side of 1/2 the probability is, also where rounding, or the
 * two further examples, make it 1/2. */
bool thr_calibration_reaches(double seen, double logit, double threshold)
{
    double kept = kept_part(seen);
    return threshold == THR_EVEN_ODDS ? logit > 0
                                      : kept / (1 + thr_exp(-logit)) + (1 - kept) / 2 >= threshold;
}

/* ---- fitting ------------------------------------------------------------------------------ */

/* The factor by which example number t moves a decayed mean: 1, then HASTE for one example in EVERY
 * and 0 for the others, which are not used. (part + 2^52) - 2^52 is `part` rounded to a whole
 * number while it is below 2^51, so the comparison asks whether EVERY divides t; t is a double
 * because the file has it so. */
static double haste(double t)
{
    double part = t / EVERY;
    return t <= ALL ? 1 : (part + 0x1p52) - 0x1p52 == part ? HASTE : 0;
}

bool thr_calibration_listens(const thr_calibration *c)
{
    return !c->fixed && haste(c->seen + 1) > 0;
}

/* The fraction of the past that is forgotten with example number t; 0 for an example that is not
 * used. The product of 1 - FADING/(s + FADING) over s from i to t is about (i/t)^FADING. */
static double forgets(double t)
{
    double times = haste(t);
    return times == 0 ? 0 : times * fmax(FADING / (t + FADING), 1 / MEMORY);
}

/* Of n <= TOGETHER scores: the squared distances from `middle` enter the sum. Returns the greatest
 * score by size, or `most` if that is greater. */
INLINE double add_squares(thr_total *sum, const double *score, uint32_t n, double middle,
                          double most)
{
    double square[TOGETHER], size[TOGETHER];
    for (uint32_t k = 0; k < n; k++) {
        double e = usable(score[k]), d = e - middle;
        square[k] = d * d;
        size[k] = fabs(e);
    }
    thr_total_add(sum, square, n);
    return thr_greater(most, thr_greatest(size, n));
}

/* The sum of the squared distances of the scores from `middle`, and the greatest score by size. */
INLINE double squares_in(const double *score, uint32_t n, bool in_order, double middle,
                         double *greatest)
{
    thr_total sum = {.in_order = in_order};
    uint32_t left = n;
    *greatest = 0;
    for (; left >= TOGETHER; left -= TOGETHER, score += TOGETHER)
        *greatest = add_squares(&sum, score, TOGETHER, middle, *greatest);
    *greatest = add_squares(&sum, score, left, middle, *greatest);
    return thr_total_of(&sum);
}

THR_CLONED static double squares_of_many(const thr_calibration *c, const double *score,
                                         double middle, double *greatest)
{
    return squares_in(score, c->n, c->in_order, middle, greatest);
}

static double squared_size(const thr_calibration *c, const double *score, double middle,
                           double *greatest)
{
    return c->n == 2 ? squares_in(score, 2, true, middle, greatest)
                     : squares_of_many(c, score, middle, greatest);
}

/* The logarithm of the root mean square of the scores about `middle`, in *out. False if all of them
 * are equal to it up to rounding: they have no size. Three equal numbers may differ from their mean
 * in the last digit, and the size of that would make every later score immense; the winner of a tie
 * of `knn` has the least possible amount more. */
static bool log_size_of(const thr_calibration *c, const double *score, double middle, double *out)
{
    double most, sum = squared_size(c, score, middle, &most);
    double least = c->sizes_rounding ? 0 : ROUNDING * most;
    bool sized = sum > 0 && sum > c->n * least * least;
    *out = sized ? thr_log(sum / c->n) / 2 : 0;
    return sized;
}

/* The weight of example number t in a decayed mean, so that the i-th of t counts for about
 * (i/t)^FADING there too. */
static double share_of(double t)
{
    return fmax((FADING + 1) / (t + FADING), 1 / MEMORY);
}

/* A new example's size enters both means. What examples met again have taken from the size stays
 * taken. */
static void see_size(thr_calibration *c, const double *score, double middle)
{
    double size;
    if (c->of_logits || !log_size_of(c, score, middle, &size))
        return;
    c->log_size = fmin(c->log_size, c->log_now);
    c->log_size += haste(c->seen) * share_of(c->seen) * (size - c->log_size);
    c->log_now = c->log_size;
    c->again = 0;
    keep_size(c);
}

/* An example met again enters log_now alone. Nothing is learned before the first new example. */
static void see_again(thr_calibration *c, const double *score, double middle)
{
    double size, number = c->seen + c->again + 1, more = haste(number);
    if (c->seen == 0 || c->fixed)
        return;
    if (more == 0)
        c->again++;
    else if (log_size_of(c, score, middle, &size)) {
        c->again++;
        c->log_now += more * share_of(number) * (size - c->log_now);
        keep_size(c);
    }
}

void thr_calibration_see_repeat(thr_calibration *c, const double *score)
{
    if (c->n >= 2)
        see_again(c, score, mean_of(c, score));
}

void thr_calibration_see_repeat_each(thr_calibration *c, const double *score)
{
    see_again(c, score, 0);
}

/* What an example says of a label's offset, or of the slope. */
typedef struct derivatives {
    double curvature, cross;
} derivatives;

/* Decays the second derivatives towards the prior and adds those of one example. */
INLINE void see(double *curvature, double *cross, double prior, double forget,
                const derivatives *of)
{
    *curvature += forget * (prior - *curvature) + of->curvature;
    *cross += of->cross - forget * *cross;
}

/* After one step, of at most LONGEST, within the range. */
INLINE double moved(double value, double by, double least)
{
    return thr_lesser(thr_greater(least, value - clamp(by, LONGEST)), STEEPEST);
}

/* One Newton step. The Hessian is an arrow: the slope a is coupled to every offset b_l, the offsets
 * are not coupled to each other,
 *
 *     [ A    c_1  c_2 ...]   A    curvature of the slope
 *     [ c_1  B_1         ]   B_l  curvature of offset l
 *     [ c_2       B_2    ]   c_l  their mixed derivative, `cross`
 *
 * and is solved by eliminating the offsets: with gradients g_a and g_l
 *
 *     step_a = (g_a - sum_l c_l g_l / B_l) / (A - sum_l c_l^2 / B_l)
 *     step_l = (g_l - c_l step_a) / B_l
 *
 * `share` multiplies what the offsets contribute. It is 1 for multi-label data, where the arrow is
 * exact. For one label of many the offsets are coupled in fact: raising one lowers the others'
 * probabilities. Two that move against each other would do twice what is needed, so each takes half
 * a step. The divisor is kept above a part of A, in case the offsets explain nearly all of it.
 *
 * A step goes through the labels twice: the first loop sees their derivatives and adds up the two
 * sums, the second moves the offsets. */
typedef struct newton {
    double share;
    thr_total left, by; /* A - sum_l c_l^2 / B_l and g_a - sum_l c_l g_l / B_l */
} newton;

INLINE void newton_begin(newton *s, const thr_calibration *c, bool in_order, double share,
                         double gradient)
{
    *s = (newton){.share = share, .left = {.in_order = in_order}, .by = {.in_order = in_order}};
    s->left.lane[0] = c->slope.curvature;
    s->by.lane[0] = gradient;
}

/* Adds the terms of n <= TOGETHER labels from `first` on. */
INLINE void newton_add(newton *s, const thr_fits *f, uint32_t first, uint32_t n)
{
    const double *cross = f->cross + first, *curvature = f->curvature + first;
    const double *gradient = f->gradient + first;
    double left[TOGETHER], by[TOGETHER], share = s->share;
    for (uint32_t k = 0; k < n; k++) {
        left[k] = -(share * cross[k] * cross[k] / curvature[k]);
        by[k] = -(share * cross[k] * gradient[k] / curvature[k]);
    }
    thr_total_add(&s->left, left, n);
    thr_total_add(&s->by, by, n);
}

/* Moves the slope, and returns its step. */
INLINE double newton_slope(const newton *s, thr_calibration *c)
{
    double left = thr_total_of(&s->left), least = LEAST * c->slope.curvature;
    double by = clamp(thr_total_of(&s->by) / thr_greater(least, left), LONGEST);
    c->slope.value = moved(c->slope.value, by, 0);
    return by;
}

/* Moves the offsets of n labels, when the slope has moved by `by`. */
INLINE void newton_offsets(const thr_fits *of, uint32_t n, double share, double by)
{
    const thr_fits f = *of;
    for (uint32_t l = 0; l < n; l++) {
        double step = share * (f.gradient[l] - f.cross[l] * by) / f.curvature[l];
        f.value[l] = moved(f.value[l], step, -STEEPEST);
    }
}

THR_CLONED static void newton_offsets_of_many(const thr_calibration *c, double by)
{
    newton_offsets(&c->offset, c->n, 1, by);
}

/* An example for one label of many: its scores, their mean and size, the probabilities, and what it
 * counts. */
typedef struct one {
    const double *score, *p;
    double middle, size, forget, counts;
    uint32_t label;
} one;

/* Adds the terms of n <= TOGETHER labels to the sums of p z and p z^2. */
INLINE void add_moments(thr_total *first, thr_total *second, const one *e, const double *score,
                        const double *p, uint32_t n)
{
    double once[TOGETHER], twice[TOGETHER];
    for (uint32_t k = 0; k < n; k++) {
        double z = scaled(score[k], e->middle, e->size);
        once[k] = p[k] * z;
        twice[k] = once[k] * z;
    }
    thr_total_add(first, once, n);
    thr_total_add(second, twice, n);
}

/* The mean and the mean square of z under p, of n labels whose mean score is `middle`. */
INLINE void mean_under(const one *x, uint32_t n, bool in_order, double *mean, double *squares)
{
    const one e = *x;
    thr_total first = {.in_order = in_order}, second = {.in_order = in_order};
    const double *score = e.score, *p = e.p;
    uint32_t left = n;
    for (; left >= TOGETHER; left -= TOGETHER, score += TOGETHER, p += TOGETHER)
        add_moments(&first, &second, &e, score, p, TOGETHER);
    add_moments(&first, &second, &e, score, p, left);
    *mean = thr_total_of(&first);
    *squares = thr_total_of(&second);
}

/* The derivatives of the loss -log p_y, with mean and variance under p:
 *
 *     in a          sum_l (p_l - [l = y]) z_l = mean z - z_y,   second: variance of z
 *     in b_l        p_l - [l = y],                              second: p_l (1 - p_l)
 *     in a and b_l                                              mixed:  p_l (z_l - mean z) */
INLINE void see_labels(const thr_calibration *c, const one *x, uint32_t n, double mean, newton *s)
{
    const one e = *x; /* a copy: for the compiler, writing a derivative could change *x */
    const thr_fits f = c->offset;
    double prior = thr_calibration_prior(c), forget = e.counts * e.forget;
    for (uint32_t l = 0; l < n; l++) {
        double p = e.p[l], z = scaled(e.score[l], e.middle, e.size);
        const derivatives of = {e.counts * p * (1 - p), e.counts * p * (z - mean)};
        f.gradient[l] = e.counts * p;
        see(&f.curvature[l], &f.cross[l], prior, forget, &of);
    }
    f.gradient[e.label] = e.counts * (e.p[e.label] - 1);
    uint32_t i = 0;
    for (; n - i >= TOGETHER; i += TOGETHER)
        newton_add(s, &f, i, TOGETHER);
    newton_add(s, &f, i, n - i);
}

/* One step from an example with n labels. Inlined for two labels and compiled for many; the sums of
 * two terms are the same in any order (base/sum.h). */
INLINE void fit_one(thr_calibration *c, const one *x, uint32_t n, bool in_order)
{
    double mean, squares, counts = x->counts;
    mean_under(x, n, in_order, &mean, &squares);
    double variance = thr_greater(0, squares - mean * mean);
    const derivatives slope = {.curvature = counts * variance};
    see(&c->slope.curvature, &c->slope.cross, thr_calibration_prior(c), counts * x->forget, &slope);
    newton s;
    newton_begin(&s, c, in_order, 0.5,
                 counts * (mean - scaled(x->score[x->label], x->middle, x->size)));
    see_labels(c, x, n, mean, &s);
    newton_offsets(&c->offset, n, s.share, newton_slope(&s, c));
}

THR_CLONED static void fit_one_of_many(thr_calibration *c, const one *x)
{
    fit_one(c, x, c->n, c->in_order);
}

void thr_calibration_learn_one(thr_calibration *c, const double *score, const double *p,
                               uint32_t label, double counts)
{
    if (c->n < 2 || label >= c->n)
        return;
    double number = ++c->seen, forget = forgets(number);
    if (forget == 0 || c->fixed)
        return;
    one x = {.score = score,
             .p = p,
             .middle = mean_of(c, score),
             .size = size_of(c),
             .forget = forget,
             .counts = counts,
             .label = label};
    if (c->n == 2)
        fit_one(c, &x, 2, true);
    else
        fit_one_of_many(c, &x);
    see_size(c, score, x.middle);
}

/* The loss is the sum of the labels' own log losses -log p_l or -log(1 - p_l). Its derivatives are
 * sums of (p_l - t_l) z_l and p_l (1 - p_l) z_l^2 in a, where t_l is 1 if the label is true, and
 * the same without z_l in b_l. Labels that were not candidates have no loss. */
void thr_calibration_learn_each(thr_calibration *c, const double *score, const bool *candidate,
                                const double *log_p, const bool *truth)
{
    if (c->n == 0)
        return;
    double number = ++c->seen, forget = forgets(number);
    if (forget == 0 || c->fixed)
        return;
    double gradient = 0, size = size_of(c), prior = thr_calibration_prior(c);
    derivatives slope = {0};
    for (uint32_t i = 0; i < c->n; i++) {
        bool counts = !candidate || candidate[i];
        double p = counts ? thr_exp(log_p[i]) : 0, z = scaled(score[i], 0, size);
        const derivatives of = {p * (1 - p), p * (1 - p) * z};
        c->offset.gradient[i] = counts ? p - truth[i] : 0;
        gradient += c->offset.gradient[i] * z;
        slope.curvature += of.curvature * z * z;
        see(&c->offset.curvature[i], &c->offset.cross[i], prior, counts ? forget : 0, &of);
    }
    see(&c->slope.curvature, &c->slope.cross, prior, forget, &slope);
    newton s;
    newton_begin(&s, c, c->in_order, 1, gradient);
    for (uint32_t i = 0; i < c->n; i++)
        newton_add(&s, &c->offset, i, 1);
    newton_offsets_of_many(c, newton_slope(&s, c));
    see_size(c, score, 0);
}
