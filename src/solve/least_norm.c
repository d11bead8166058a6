/* Dual coordinate descent with shrinking, and the schedule by which Wolfe's method takes its turn.
 *
 * The invariant of the descent is w = sum a_k z_k. With all other multipliers fixed the dual
 * objective is a parabola in a_k, with derivative 1 - z_k.w and curvature |z_k|^2, so its best
 * value within the limits is
 *
 *   a_k <- clip(a_k - (z_k.w - 1) / |z_k|^2,  0,  C c_k)
 *
 * and w follows by adding the change times z_k. A step costs the features of one example.
 *
 * Shrinking: most multipliers end at a limit (0, or C c_k) and stay there. A multiplier at a limit
 * whose gradient points well outward is taken out of the rounds; "well" means beyond every
 * gradient seen in the last round. This is a guess, so convergence is judged by the bounds, which
 * are computed over all points. If the active examples have converged and the bounds are still
 * apart, all examples are put back. */
#include "solve/least_norm.h"

#include "base/random.h"
#include "solve/wolfe.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define DEFAULT_GAP    0.01
#define DEFAULT_EPOCHS 10000
#define DEFAULT_FLOOR  1e-9
#define INNER_ROUNDS   8   /* limit on the rounds over the multipliers of one example */
#define CHECK_EVERY    20  /* rounds after which the bounds are computed in any case */
#define MOST_CORNERS   600 /* limit on the corral of Wolfe's method */
#define PATIENCE       300 /* rounds of descent before Wolfe's method is tried ... */
#define LITTLE         40  /* ... and if the dimension guarantees that its corral suffices */

typedef struct descent {
    const thr_points *p;
    const thr_least_norm_options *o;
    double gap, floor;
    size_t each, functions;       /* points of an example; functions */
    double *w, *a;                /* w = sum a_k z_k at all times, up to rounding */
    double *norm2;                /* |x|^2 of the example at each place; above 0 */
    uint32_t *place;              /* a permutation of all places; the first `active` are visited */
    size_t active;                /* the places behind are shrunk away for now */
    double *score, *change;       /* of the example being visited, for each function */
    double seen_low, seen_high;   /* range of the projected gradients in this round */
    double bound_low, bound_high; /* the same of the last round: the thresholds for shrinking */
    thr_random random;
} descent;

static size_t example_at(const thr_points *p, size_t place)
{
    return p->pick ? p->pick[place] : place;
}

/* The upper limit C c_k on the multipliers of an example; INFINITY for a hard margin. */
static double upper_limit(const descent *d, size_t example)
{
    double cost = d->o->cost ? d->o->cost[example] : 1;
    return d->o->box > 0 ? d->o->box * cost : INFINITY;
}

/* ---- one example -------------------------------------------------------------------------- */

/* The projected gradient: 0 where the multiplier is at a limit and the gradient would push it
 * beyond. *stays is set if it is at a limit and will very likely remain there. */
static double projected(descent *d, double a, double high, double gradient, bool *stays)
{
    if (a <= 0) {
        *stays = gradient > d->bound_high;
        return gradient < 0 ? gradient : 0;
    }
    if (a >= high) {
        *stays = gradient < d->bound_low;
        return gradient > 0 ? gradient : 0;
    }
    *stays = false;
    return gradient;
}

static void note_gradient(descent *d, double gradient)
{
    d->seen_low = fmin(d->seen_low, gradient);
    d->seen_high = fmax(d->seen_high, gradient);
}

static double clip(double a, double high)
{
    return a < 0 ? 0 : a > high ? high : a;
}

/* One step for an example with one point (two labels). Returns whether to shrink it away. */
static bool visit_one(descent *d, size_t place)
{
    const thr_points *p = d->p;
    size_t example = example_at(p, place);
    bool stays;
    double high = upper_limit(d, example), *a = &d->a[place];
    double gradient = thr_points_dot(p, place, d->w) - 1;
    double g = projected(d, *a, high, gradient, &stays);
    if (stays)
        return true;
    note_gradient(d, g);
    if (g == 0)
        return false;
    double now = clip(*a - gradient / d->norm2[place], high);
    if (now != *a)
        thr_points_add(p, place, now - *a, d->w);
    *a = now;
    return false;
}

/* One round over all multipliers of an example (more than two labels). The points of an example
 * share x, with z_l.z_m = |x|^2 (1 + [l = m]), so the scores can be kept up to date without
 * touching w. w is changed once, after the last round. Returns the largest change of a
 * score. *stay remains true only if every multiplier stays at its limit. */
static double inner_round(descent *d, size_t place, uint32_t label, double high, bool first,
                          bool *stay)
{
    double *a = d->a + place * d->each, x2 = d->norm2[place], moved = 0;
    for (uint32_t k = 0; k < d->each; k++) {
        uint32_t l = k < label ? k : k + 1;
        bool stays;
        double gradient = d->score[label] - d->score[l] - 1;
        double g = projected(d, a[k], high, gradient, &stays);
        if (first) {
            *stay = *stay && stays;
            if (!stays)
                note_gradient(d, g);
        }
        if (stays || g == 0)
            continue;
        double now = clip(a[k] - gradient / (2 * x2), high), step = now - a[k];
        a[k] = now;
        d->change[label] += step;
        d->change[l] -= step;
        d->score[label] += step * x2;
        d->score[l] -= step * x2;
        moved = fmax(moved, fabs(step) * x2);
    }
    return moved;
}

/* The same as visit_one for more than two labels: repeats inner rounds until little moves. */
static bool visit_many(descent *d, size_t place)
{
    size_t example = example_at(d->p, place);
    uint32_t label = d->p->label[example];
    bool stay = true, changed = false;
    thr_points_score(d->p, example, d->w, d->score);
    memset(d->change, 0, d->functions * sizeof *d->change);
    for (int round = 0; round < INNER_ROUNDS; round++) {
        double moved = inner_round(d, place, label, upper_limit(d, example), round == 0, &stay);
        changed = changed || moved > 0;
        if (moved < 0.1 * d->gap)
            break;
    }
    thr_point_row r = thr_points_row(d->p, example);
    for (size_t i = 0; i < r.n && changed; i++) { /* w_f += change_f x */
        double *row = d->w + r.id[i] * d->functions, x = thr_row_value(&r, i);
        for (size_t f = 0; f < d->functions; f++)
            row[f] += x * d->change[f];
    }
    return stay;
}

/* ---- rounds ------------------------------------------------------------------------------- */

/* Puts all examples back. Without bounds from a last round, the next one shrinks nothing. */
static void unshrink(descent *d)
{
    d->active = d->p->examples;
    d->bound_low = -INFINITY;
    d->bound_high = INFINITY;
}

/* One round over the active examples in random order. Returns the width of the range of projected
 * gradients, which is 0 at the optimum of these examples. A shrunk example is swapped behind the
 * active ones. */
static double one_round(descent *d)
{
    for (size_t i = d->active; i > 1; i--) {
        size_t j = (size_t)thr_random_below(&d->random, i);
        uint32_t t = d->place[i - 1];
        d->place[i - 1] = d->place[j];
        d->place[j] = t;
    }
    d->seen_low = INFINITY;
    d->seen_high = -INFINITY;
    for (size_t i = 0; i < d->active;) {
        bool stays = d->each == 1 ? visit_one(d, d->place[i]) : visit_many(d, d->place[i]);
        if (!stays) {
            i++;
            continue;
        }
        uint32_t t = d->place[--d->active];
        d->place[d->active] = d->place[i];
        d->place[i] = t;
    }
    double width = d->active ? d->seen_high - d->seen_low : 0;
    d->bound_high = d->seen_high > 0 ? d->seen_high : INFINITY;
    d->bound_low = d->seen_low < 0 ? d->seen_low : -INFINITY;
    return width;
}

static double norm2_of(const double *w, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += w[i] * w[i];
    return sum;
}

static double sum_of(const double *a, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += a[i];
    return sum;
}

/* Hard margin: keeps w if it improves the lower bound and a if it improves the upper one, where
 * w = sum a_k z_k and least = min z.w. */
static void keep_best(const thr_points *p, const double *w, const double *a, double least,
                      thr_least_norm *out)
{
    size_t dims = thr_points_dims(p), count = thr_points_count(p);
    double length = sqrt(norm2_of(w, dims)), sum = sum_of(a, count);
    if (!(sum > 0))
        return;
    if (length > 0 && least / length > out->low) {
        out->low = least / length;
        memcpy(out->w, w, dims * sizeof *w);
    }
    if (length / sum < out->high) {
        out->high = length / sum;
        memcpy(out->alpha, a, count * sizeof *a);
    }
}

/* Soft margin: the dual objective never falls, so the last iterate is the one to keep. The primal
 * objective is |w|^2/2 + C sum c_k max(0, 1 - z_k.w). */
static void keep_last(descent *d, thr_least_norm *out)
{
    size_t dims = thr_points_dims(d->p), count = thr_points_count(d->p);
    thr_points_sum(d->p, d->a, d->w); /* removes the rounding errors of many additions */
    double half = norm2_of(d->w, dims) / 2, slack = 0;
    out->low = sum_of(d->a, count) - half;
    for (size_t k = 0; k < count; k++) {
        double s = 1 - thr_points_dot(d->p, k, d->w);
        if (s > 0)
            slack += s * upper_limit(d, thr_points_example(d->p, k));
    }
    out->high = half + slack;
    memcpy(out->w, d->w, dims * sizeof *d->w);
    memcpy(out->alpha, d->a, count * sizeof *d->a);
}

static bool is_enough(const descent *d, thr_least_norm *out)
{
    bool soft = d->o->box > 0;
    if (out->low >= (1 - d->gap) * out->high)
        out->end = THR_LEAST_NORM_GAP;
    else if (!soft && out->high < d->floor)
        out->end = THR_LEAST_NORM_FLOOR;
    else
        return false;
    return true;
}

/* Computes the bounds of the current iterate, which costs a pass over all points. */
static bool enough(descent *d, thr_least_norm *out)
{
    if (d->o->box > 0)
        keep_last(d, out);
    else
        keep_best(d->p, d->w, d->a, thr_points_least(d->p, d->w, NULL), out);
    return is_enough(d, out);
}

static bool stopped(const descent *d)
{
    return d->o->stop && d->o->stop(d->o->user);
}

/* Descends until the bounds are close, `rounds` rounds have been made in all, or `stop` says so.
 * Continues from the current multipliers. The bounds are computed when the gradients are within
 * `narrow`, or every CHECK_EVERY rounds. If the gradients of all examples are within `narrow` and
 * the bounds are still apart, `narrow` is halved. */
static void descend(descent *d, uint64_t rounds, thr_least_norm *out)
{
    double narrow = d->gap / 2;
    uint64_t check = out->epochs + CHECK_EVERY;
    out->end = THR_LEAST_NORM_STOPPED;
    unshrink(d);
    while (out->epochs < rounds && !stopped(d)) {
        double width = one_round(d);
        out->epochs++;
        if (width > narrow && out->epochs < check)
            continue;
        check = out->epochs + CHECK_EVERY;
        if (enough(d, out))
            return;
        if (width <= narrow && d->active == d->p->examples)
            narrow /= 2;
        if (width <= narrow)
            unshrink(d);
    }
    enough(d, out);
}

/* ---- Wolfe's method ----------------------------------------------------------------------- */

typedef struct watched {
    descent *d;
    thr_least_norm *out;
} watched;

/* Called by Wolfe's method with every x; returns whether it should continue. */
static bool look(void *user, const double *a, const double *x, double least)
{
    watched *v = user;
    keep_best(v->d->p, x, a, least, v->out);
    return !is_enough(v->d, v->out) && !stopped(v->d);
}

/* A short descent, Wolfe's method if that was not enough, then descent for the remaining rounds.
 * Wolfe's method starts by itself, and the second descent continues the first, so the two do not
 * disturb each other. For a soft margin there is only descent. A corral has at most dims + 1
 * points, so in few dimensions MOST_CORNERS is no limit and Wolfe's method is tried early. */
static int search(descent *d, thr_least_norm *out, thr_error *err)
{
    uint64_t rounds = d->o->epochs ? d->o->epochs : DEFAULT_EPOCHS;
    bool soft = d->o->box > 0;
    watched v = {d, out};
    int code = 0;
    uint64_t patience = thr_points_dims(d->p) < MOST_CORNERS ? LITTLE : PATIENCE;
    descend(d, soft || rounds < patience ? rounds : patience, out);
    if (out->end == THR_LEAST_NORM_STOPPED && out->epochs < rounds && !soft && !stopped(d))
        code = thr_wolfe_solve(d->p, MOST_CORNERS, look, &v, err);
    if (code == 0 && out->end == THR_LEAST_NORM_STOPPED && out->epochs < rounds)
        descend(d, rounds, out);
    return code;
}

/* ---- beginning and end -------------------------------------------------------------------- */

static bool begin(descent *d, const thr_points *p, const thr_least_norm_options *o,
                  thr_least_norm *out)
{
    size_t dims = thr_points_dims(p), count = thr_points_count(p);
    *d =
        (descent){.p = p, .o = o, .each = thr_points_each(p), .functions = thr_points_functions(p)};
    d->gap = o->gap > 0 ? o->gap : DEFAULT_GAP;
    d->floor = o->floor > 0 ? o->floor : DEFAULT_FLOOR * sqrt(thr_points_radius2(p));
    thr_random_init(&d->random, o->seed);
    *out = (thr_least_norm){.low = -INFINITY, .high = INFINITY};
    out->w = calloc(dims + 1, sizeof *out->w);
    out->alpha = calloc(count + 1, sizeof *out->alpha);
    d->w = calloc(dims + 1, sizeof *d->w);
    d->a = calloc(count + 1, sizeof *d->a);
    d->norm2 = calloc(p->examples + 1, sizeof *d->norm2);
    d->place = calloc(p->examples + 1, sizeof *d->place);
    d->score = calloc(2 * d->functions, sizeof *d->score);
    d->change = d->score ? d->score + d->functions : NULL;
    return out->w && out->alpha && d->w && d->a && d->norm2 && d->place && d->score;
}

static void end(descent *d)
{
    free(d->w);
    free(d->a);
    free(d->norm2);
    free(d->place);
    free(d->score);
}

/* Computes the lengths. A point that is 0 alone proves that no separator exists: then the result is
 * set, with gamma = 0, and false is returned. */
static bool measure(descent *d, thr_least_norm *out)
{
    double copies = d->each == 1 ? 1 : 2;
    for (size_t i = 0; i < d->p->examples; i++) {
        d->place[i] = (uint32_t)i;
        d->norm2[i] = thr_points_norm2(d->p, i * d->each) / copies;
        if (d->norm2[i] > 0)
            continue;
        if (d->o->box > 0) {
            d->norm2[i] = 1; /* any value above 0: its multiplier rises to the limit */
            continue;
        }
        out->alpha[i * d->each] = 1;
        out->low = out->high = 0;
        out->end = THR_LEAST_NORM_FLOOR;
        return false;
    }
    return true;
}

int thr_least_norm_solve(const thr_points *p, const thr_least_norm_options *o, thr_least_norm *out,
                         thr_error *err)
{
    descent d = {0};
    *out = (thr_least_norm){0};
    if (p->examples >= UINT32_MAX || !begin(&d, p, o, out)) {
        end(&d);
        thr_least_norm_clear(out);
        return thr_fail_memory(err);
    }
    int code = measure(&d, out) ? search(&d, out, err) : 0;
    end(&d);
    if (code)
        thr_least_norm_clear(out);
    return code;
}

void thr_least_norm_clear(thr_least_norm *out)
{
    free(out->w);
    free(out->alpha);
    *out = (thr_least_norm){0};
}
