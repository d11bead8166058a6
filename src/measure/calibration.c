/* From evidence to probabilities, and the fit; calibration.h has the equations.
 *
 * This runs for every member at every example, so loops over labels are vectorised: exponentials
 * and logarithms are taken of many numbers at once, and functions marked THR_CLONED are compiled
 * for AVX2 as well, with the same bits. Two labels, the usual case, have code of their own. */
#include "measure/calibration.h"

#include "base/mathx.h"
#include "base/mem.h"
#include "base/wide.h"

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
#define LARGEST   1e100  /* largest size of evidence; larger is cut off */
#define ROUNDING  1e-12  /* part of a score that may be a rounding error */
#define LEAST_LOG (-745) /* exp of anything below is 0 */
#define TOGETHER  32     /* labels, or rows, in one call of thr_exp_many or thr_log_many */
#define LANES     4      /* of a maximum, which is found in several chains at once */
/* Each of the first ALL examples is used; from then on one in EVERY, which forgets HASTE times as
 * much of the past. */
#define ALL   16384
#define EVERY 8
#define HASTE 6

static double prior_of(const thr_calibration *c)
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
    free(c->offset);
    *c = (thr_calibration){0};
}

int thr_calibration_reserve(thr_calibration *c, uint32_t labels, thr_error *err)
{
    bool ok = thr_grow(&c->offset, &c->room, labels, sizeof *c->offset);
    return ok ? 0 : thr_fail_memory(err);
}

int thr_calibration_widen(thr_calibration *c, uint32_t labels, thr_error *err)
{
    int code = thr_calibration_reserve(c, labels, err);
    if (code)
        return code;
    for (; c->n < labels; c->n++)
        c->offset[c->n] = (thr_fit){.curvature = prior_of(c)};
    return 0;
}

int thr_calibration_copy(const thr_calibration *c, thr_calibration *out, thr_error *err)
{
    *out = *c;
    out->offset = NULL;
    out->room = out->n = 0;
    int code = thr_calibration_widen(out, c->n, err);
    if (code == 0 && c->n)
        memcpy(out->offset, c->offset, c->n * sizeof *c->offset);
    return code;
}

static bool is_within(double v, double least, double most)
{
    return v >= least && v <= most; /* false for NaN */
}

static bool is_sound(const thr_fit *f, double least)
{
    return is_within(f->value, least, STEEPEST) && is_within(f->curvature, 1e-9, LARGEST) &&
           is_within(f->cross, -LARGEST, LARGEST);
}

bool thr_calibration_sound(const thr_calibration *c)
{
    bool ok = is_within(c->seen, 0, LARGEST) && is_within(c->again, 0, LARGEST) &&
              is_within(c->log_size, LEAST_LOG, -LEAST_LOG) &&
              is_within(c->log_now, LEAST_LOG, -LEAST_LOG) && is_sound(&c->slope, 0) &&
              !(c->of_logits && (c->log_size != 0 || c->log_now != 0));
    for (uint32_t l = 0; l < c->n && ok; l++)
        ok = is_sound(&c->offset[l], -STEEPEST);
    return ok;
}

/* ---- from scores to probabilities --------------------------------------------------------- */

static double clamp(double v, double most)
{
    double below = v > most ? most : v;
    return below < -most ? -most : below;
}

static double usable(double v)
{
    double within = clamp(v, LARGEST);
    return v == v ? within : 0; /* a damaged model may give NaN */
}

static double mean_of(const double *score, uint32_t n)
{
    double sum = 0;
    for (uint32_t i = 0; i < n; i++)
        sum += usable(score[i]);
    return n ? sum / n : 0;
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
static double scaled(double score, double middle, double size)
{
    return clamp((usable(score) - middle) / size, FARTHEST);
}

THR_CLONED static void less_of(const double *log_p, uint32_t n, double most, double *less)
{
    for (uint32_t i = 0; i < n; i++)
        less[i] = log_p[i] - most;
}

/* sum_i exp(log_p_i - most). With `most` the greatest of them no term overflows and one is 1, so
 * the sum is at least 1. */
static double exp_sum(const double *log_p, uint32_t n, double most)
{
    double sum = 0;
    for (uint32_t i = 0; i < n; i += TOGETHER) {
        double less[TOGETHER];
        uint32_t some = n - i < TOGETHER ? n - i : TOGETHER;
        less_of(log_p + i, some, most, less);
        thr_exp_many(less, some);
        for (uint32_t k = 0; k < some; k++)
            sum += less[k];
    }
    return sum;
}

/* The greater of two numbers, and the lesser. With NaN the result depends on the order, but the
 * evidence has none. */
static inline double greater(double a, double b)
{
    return b > a ? b : a;
}

static inline double lesser(double a, double b)
{
    return a < b ? a : b;
}

THR_CLONED static double greatest_of(const double *x, uint32_t n)
{
    double lane[LANES] = {-INFINITY, -INFINITY, -INFINITY, -INFINITY};
    uint32_t i = 0;
    for (; i + LANES <= n; i += LANES)
        for (uint32_t k = 0; k < LANES; k++)
            lane[k] = greater(lane[k], x[i + k]);
    for (; i < n; i++)
        lane[i % LANES] = greater(lane[i % LANES], x[i]);
    return greater(greater(lane[0], lane[1]), greater(lane[2], lane[3]));
}

/* A log-probability is at most 0, also after rounding. */
THR_CLONED static void subtract(double *log_p, uint32_t n, double norm)
{
    for (uint32_t i = 0; i < n; i++)
        log_p[i] = lesser(log_p[i] - norm, 0);
}

/* Normalises at most TOGETHER rows, whose logarithms are taken in one call. If all of a row are
 * -infinity, since no candidate is known, the row becomes 0, from which normalising makes the
 * uniform distribution. */
static void normalize_some(double *log_p, uint32_t n, uint32_t rows)
{
    double most[TOGETHER], sum[TOGETHER];
    for (uint32_t k = 0; k < rows; k++) {
        double *row = log_p + (size_t)k * n;
        most[k] = greatest_of(row, n);
        if (!(most[k] > -INFINITY)) {
            most[k] = 0;
            for (uint32_t i = 0; i < n; i++)
                row[i] = 0;
        }
        sum[k] = exp_sum(row, n, most[k]);
    }
    thr_log_many(sum, rows);
    for (uint32_t k = 0; k < rows; k++)
        subtract(log_p + (size_t)k * n, n, most[k] + sum[k]);
}

/* The same for two labels. The likelier one adds exp(0) = 1 to the sum, so each row needs a single
 * exponential, and those of all rows are taken in one call. */
static void normalize_pairs(double *log_p, uint32_t rows)
{
    double sum[TOGETHER];
    for (uint32_t k = 0; k < rows; k++) {
        double *pair = log_p + 2 * (size_t)k;
        if (pair[0] == -INFINITY && pair[1] == -INFINITY)
            pair[0] = pair[1] = 0;
        sum[k] = -fabs(pair[0] - pair[1]);
    }
    thr_exp_many(sum, rows);
    for (uint32_t k = 0; k < rows; k++)
        sum[k] += 1;
    thr_log_many(sum, rows);
    for (uint32_t k = 0; k < rows; k++) {
        double *pair = log_p + 2 * (size_t)k, norm = greater(pair[0], pair[1]) + sum[k];
        pair[0] = lesser(pair[0] - norm, 0);
        pair[1] = lesser(pair[1] - norm, 0);
    }
}

void thr_log_normalize(double *log_p, uint32_t n, uint32_t rows)
{
    for (uint32_t k = 0, some; k < rows; k += some) {
        some = rows - k < TOGETHER ? rows - k : TOGETHER;
        if (n == 2)
            normalize_pairs(log_p + 2 * (size_t)k, some);
        else
            normalize_some(log_p + (size_t)k * n, n, some);
    }
}

/* z[l] = a z_l + b_l for all n labels: the logits. Inlined for two labels and compiled for many. */
static inline void weigh(const thr_calibration *c, const double *score, uint32_t n, double *z)
{
    double sum = 0, size = size_of(c);
    for (uint32_t i = 0; i < n; i++)
        z[i] = usable(score[i]);
    for (uint32_t i = 0; i < n; i++)
        sum += z[i];
    double middle = n ? sum / n : 0;
    for (uint32_t i = 0; i < n; i++)
        z[i] = c->slope.value * clamp((z[i] - middle) / size, FARTHEST) + c->offset[i].value;
}

THR_CLONED static void weigh_many(const thr_calibration *c, const double *score, double *z)
{
    weigh(c, score, c->n, z);
}

void thr_calibration_weigh(const thr_calibration *c, const double *score, const bool *candidate,
                           double *log_p)
{
    if (c->n == 2)
        weigh(c, score, 2, log_p);
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
        logit[i] = c->slope.value * scaled(score[i], 0, size) + c->offset[i].value;
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

/* The logarithm of the root mean square of the scores about `middle`, in *out. False if all of them
 * are equal to it up to rounding: they have no size. Three equal numbers may differ from their mean
 * in the last digit, and the size of that would make every later score immense; the winner of a tie
 * of `knn` has the least possible amount more. */
static bool log_size_of(const thr_calibration *c, const double *score, double middle, double *out)
{
    double sum = 0, most = 0;
    for (uint32_t i = 0; i < c->n; i++) {
        double e = usable(score[i]), d = e - middle;
        sum += d * d;
        most = fmax(most, fabs(e));
    }
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
        see_again(c, score, mean_of(score, c->n));
}

void thr_calibration_see_repeat_each(thr_calibration *c, const double *score)
{
    see_again(c, score, 0);
}

/* Decays the second derivatives towards the prior and adds those of one example. */
static void see(thr_fit *f, double prior, double forget, double gradient, double curvature,
                double cross)
{
    f->gradient = gradient;
    f->curvature += forget * (prior - f->curvature) + curvature;
    f->cross += cross - forget * f->cross;
}

/* Makes one step, of at most LONGEST, and stays in range. */
static void move(thr_fit *f, double by, double least)
{
    f->value = fmin(fmax(f->value - clamp(by, LONGEST), least), STEEPEST);
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
 * a step. The divisor is kept above a part of A, in case the offsets explain nearly all of it. */
static void newton(thr_calibration *c, double share)
{
    double left = c->slope.curvature, by = c->slope.gradient;
    for (uint32_t i = 0; i < c->n; i++) {
        const thr_fit *b = &c->offset[i];
        left -= share * b->cross * b->cross / b->curvature;
        by -= share * b->cross * b->gradient / b->curvature;
    }
    by = clamp(by / fmax(left, LEAST * c->slope.curvature), LONGEST);
    move(&c->slope, by, 0);
    for (uint32_t i = 0; i < c->n; i++) {
        thr_fit *b = &c->offset[i];
        move(b, share * (b->gradient - b->cross * by) / b->curvature, -STEEPEST);
    }
}

/* The derivatives of the loss -log p_y, with mean and variance under p:
 *
 *     in a          sum_l (p_l - [l = y]) z_l = mean z - z_y,   second: variance of z
 *     in b_l        p_l - [l = y],                              second: p_l (1 - p_l)
 *     in a and b_l                                              mixed:  p_l (z_l - mean z) */
void thr_calibration_learn_one(thr_calibration *c, const double *score, const double *log_p,
                               uint32_t label, double counts)
{
    if (c->n < 2 || label >= c->n)
        return;
    double number = ++c->seen, forget = forgets(number);
    if (forget == 0 || c->fixed)
        return;
    double middle = mean_of(score, c->n), size = size_of(c), mean = 0, squares = 0;
    double prior = prior_of(c);
    for (uint32_t i = 0; i < c->n; i += TOGETHER) {
        double chance[TOGETHER];
        uint32_t some = c->n - i < TOGETHER ? c->n - i : TOGETHER;
        memcpy(chance, log_p + i, some * sizeof *chance);
        thr_exp_many(chance, some);
        for (uint32_t k = 0; k < some; k++) {
            double p = chance[k], z = scaled(score[i + k], middle, size);
            mean += p * z;
            squares += p * z * z;
            c->offset[i + k].gradient = p; /* kept here for the next loop */
        }
    }
    for (uint32_t i = 0; i < c->n; i++) {
        double p = c->offset[i].gradient, z = scaled(score[i], middle, size);
        see(&c->offset[i], prior, counts * forget, counts * (p - (i == label)),
            counts * p * (1 - p), counts * p * (z - mean));
    }
    double variance = fmax(squares - mean * mean, 0);
    see(&c->slope, prior, counts * forget, counts * (mean - scaled(score[label], middle, size)),
        counts * variance, 0);
    newton(c, 0.5);
    see_size(c, score, middle);
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
    double gradient = 0, curvature = 0, size = size_of(c), prior = prior_of(c);
    for (uint32_t i = 0; i < c->n; i++) {
        double p = thr_exp(log_p[i]), z = scaled(score[i], 0, size);
        if (candidate && !candidate[i]) {
            see(&c->offset[i], prior, 0, 0, 0, 0);
            continue;
        }
        gradient += (p - truth[i]) * z;
        curvature += p * (1 - p) * z * z;
        see(&c->offset[i], prior, forget, p - truth[i], p * (1 - p), p * (1 - p) * z);
    }
    see(&c->slope, prior, forget, gradient, curvature, 0);
    newton(c, 1);
    see_size(c, score, 0);
}

/* ---- mixing ------------------------------------------------------------------------------- */

/* Adds what `from` has learned beyond the base: values by share; second derivatives, which are sums
 * over examples, `times` times. A curvature is at least the prior, up to rounding; the prior
 * itself, which the result has already, is not added again. */
static void mix_fit(thr_fit *to, const thr_fit *from, const thr_fit *base, double prior,
                    double share, double times)
{
    double curvature = fmax(from->curvature, prior) - base->curvature;
    to->value += share * (from->value - base->value);
    to->curvature = fmin(to->curvature + times * curvature, LARGEST);
    to->cross = clamp(to->cross + times * (from->cross - base->cross), LARGEST);
}

/* c begins as a copy of the base, with labels in its own order. */
static void start_from(thr_calibration *c, const thr_calibration_part *base)
{
    const thr_calibration *from = base->from;
    c->seen = from->seen;
    c->again = from->again;
    c->log_size = from->log_size;
    c->log_now = from->log_now;
    c->slope = from->slope;
    for (uint32_t l = 0; l < c->n; l++)
        c->offset[l] = from->offset[base->label[l]];
}

/* What the base has seen; all 0 without a base. */
typedef struct earlier {
    double seen, again, log_size, log_now;
} earlier;

/* Whether a calibration has learned from new examples since the base. */
static bool has_grown(const thr_calibration *c, const earlier *b)
{
    return c->seen > b->seen;
}

/* The same, or at least from examples met again. */
static bool has_looked(const thr_calibration *c, const earlier *b)
{
    return has_grown(c, b) || c->again > b->again;
}

/* Adds what a part has learned since the base: with `share` from new examples, with `share_now`
 * also from examples met again. `again` counts examples since the last new one, so the base's are
 * subtracted only if none came since. */
static void add_part(thr_calibration *c, const thr_calibration_part *part,
                     const thr_calibration_part *base, const earlier *b, double share,
                     double share_now)
{
    const thr_fit none = {.curvature = prior_of(c)};
    const thr_calibration *from = part->from;
    double prior = prior_of(c), times = share > 0 ? part->times : 0;
    mix_fit(&c->slope, &from->slope, base ? &base->from->slope : &none, prior, share, times);
    for (uint32_t l = 0; l < c->n; l++)
        mix_fit(&c->offset[l], &from->offset[part->label[l]],
                base ? &base->from->offset[base->label[l]] : &none, prior, share, times);
    c->seen += from->seen - b->seen;
    c->again += from->again - (has_grown(from, b) ? 0 : b->again);
    c->log_size += share * (from->log_size - b->log_size);
    c->log_now += share_now * (from->log_now - b->log_now);
}

/* Curvatures are decayed, so a model may have less than the base had; several such differences
 * together could make the sum negative. */
static void keep_curved(thr_calibration *c)
{
    c->slope.value = fmax(c->slope.value, 0); /* it may be below by rounding */
    c->slope.curvature = fmax(c->slope.curvature, prior_of(c));
    for (uint32_t l = 0; l < c->n; l++)
        c->offset[l].curvature = fmax(c->offset[l].curvature, prior_of(c));
}

/* A calibration that has seen nothing since the base gets no share; the shares of the others are
 * scaled up to 1. If none has, c stays as it is. */
void thr_calibration_mix(thr_calibration *c, const thr_calibration_part *part, size_t n,
                         const thr_calibration_part *base)
{
    if (c->fixed)
        return;
    const thr_calibration *old = base ? base->from : NULL;
    double grown = 0, looked = 0;
    earlier b = {0, 0, 0, 0};
    if (old)
        b = (earlier){old->seen, old->again, old->log_size, old->log_now};
    for (size_t i = 0; i < n; i++) {
        grown += has_grown(part[i].from, &b) ? part[i].share : 0;
        looked += has_looked(part[i].from, &b) ? part[i].share : 0;
    }
    if (base)
        start_from(c, base);
    if (!(looked > 0))
        return;
    if (!base)
        c->slope = (thr_fit){.curvature = prior_of(c)};
    if (grown > 0)
        c->again = 0;
    for (size_t i = 0; i < n; i++) {
        const thr_calibration *from = part[i].from;
        double share = has_grown(from, &b) && grown > 0 ? part[i].share / grown : 0;
        double share_now = has_looked(from, &b) ? part[i].share / looked : 0;
        add_part(c, &part[i], base, &b, share, share_now);
    }
    keep_curved(c);
}
