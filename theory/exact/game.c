/* The iteration is the primal-dual method of Chambolle and Pock on the Lagrangian of the linear
 * program min |u|_1 so that z_k.u >= 1,
 *
 *   L(u, a) = |u|_1 + sum a_k (1 - z_k.u)
 *
 *   u' = shrink(u + t (Z'a), t)      a' = max(0, a + s (1 - Z(2u' - u)))
 *
 * Row k of Z is z_k. shrink moves every coordinate by t towards 0 and is the proximal step of the
 * l1 norm. Each coordinate and each point has its own step length, 1 over the sum of the absolute
 * values of its column or row (Pock and Chambolle 2011). The method is restarted from the average
 * of the iterates when that average is close enough to the optimum (Applegate et al., NeurIPS
 * 2021), which turns its slow convergence into a linear one.
 *
 * Every u and every a on the way proves a bound, so the best of each is kept and a poor later
 * iterate does no harm. */
#include "exact/game.h"

#include "base/mathx.h"
#include "solve/lp.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define DEFAULT_GAP    0.01
#define DEFAULT_ROUNDS 100000
#define LOOK_EVERY     40 /* rounds */

typedef struct walk {
    const thr_points *p;
    size_t dims, count;
    double *u, *a;           /* the current iterate */
    double *u_sum, *a_sum;   /* sums of the iterates since the last restart */
    double *u_from, *a_from; /* where the last restart began */
    double *ahead, *pull;    /* 2u' - u; Z'a. Both also serve as scratch between rounds */
    double *u_step, *a_step; /* step lengths before the factor `balance` */
    double balance;          /* divides the steps of u and multiplies those of a */
    double weight;           /* number of iterates in the sums */
} walk;

static double sum_abs(const double *v, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += fabs(v[i]);
    return sum;
}

/* ---- bounds ------------------------------------------------------------------------------- */

static void try_low(const walk *g, const double *u, thr_matrix_game *out, double *low)
{
    double length = sum_abs(u, g->dims);
    *low = length > 0 ? thr_points_least(g->p, u, NULL) / length : -INFINITY;
    if (*low > out->low) {
        out->low = *low;
        memcpy(out->u, u, g->dims * sizeof *u);
    }
}

/* Leaves Z'a in g->pull. */
static void try_high(walk *g, const double *a, thr_matrix_game *out, double *high)
{
    double sum = sum_abs(a, g->count), most = 0;
    thr_points_sum(g->p, a, g->pull);
    for (size_t j = 0; j < g->dims; j++)
        most = fmax(most, fabs(g->pull[j]));
    *high = sum > 0 ? most / sum : INFINITY;
    if (*high < out->high) {
        out->high = *high;
        memcpy(out->alpha, a, g->count * sizeof *a);
    }
}

/* The relative gap between the bounds of u and of a; 1 or more if u does not separate, and 1e9 if
 * one of them is 0. Keeps what improves on the best bounds so far. */
static double look_at(walk *g, const double *u, const double *a, thr_matrix_game *out)
{
    double low, high;
    try_low(g, u, out, &low);
    try_high(g, a, out, &high);
    if (!(high < INFINITY) || !(low > -INFINITY))
        return 1e9;
    return high > 0 ? (high - low) / high : 0;
}

/* ---- steps -------------------------------------------------------------------------------- */

/* One round: u' and then a'. */
static void step(walk *g)
{
    thr_points_sum(g->p, g->a, g->pull);
    for (size_t j = 0; j < g->dims; j++) {
        double t = g->u_step[j] / g->balance, v = g->u[j] + t * g->pull[j];
        double now = v > t ? v - t : v < -t ? v + t : 0;
        g->ahead[j] = 2 * now - g->u[j];
        g->u[j] = now;
        g->u_sum[j] += now;
    }
    for (size_t k = 0; k < g->count; k++) {
        double v = g->a[k] + g->a_step[k] * g->balance * (1 - thr_points_dot(g->p, k, g->ahead));
        g->a[k] = v > 0 ? v : 0;
        g->a_sum[k] += g->a[k];
    }
    g->weight++;
}

static double distance(const double *a, const double *b, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += (a[i] - b[i]) * (a[i] - b[i]);
    return sqrt(sum);
}

/* Restarts from the current iterate or from the average.
 *
 * u and a may differ in size by orders of magnitude. The side that travelled farther since the last
 * restart gets longer steps; the geometric mean with the old value damps the change. The product
 * of the two step lengths, which convergence depends on, does not change. */
static void restart(walk *g, bool at_mean)
{
    for (size_t j = 0; j < g->dims && at_mean; j++)
        g->u[j] = g->u_sum[j] / g->weight;
    for (size_t k = 0; k < g->count && at_mean; k++)
        g->a[k] = g->a_sum[k] / g->weight;
    double du = distance(g->u, g->u_from, g->dims), da = distance(g->a, g->a_from, g->count);
    if (du > 1e-12 && da > 1e-12)
        g->balance = sqrt(g->balance * da / du);
    memcpy(g->u_from, g->u, g->dims * sizeof *g->u);
    memcpy(g->a_from, g->a, g->count * sizeof *g->a);
    memset(g->u_sum, 0, g->dims * sizeof *g->u);
    memset(g->a_sum, 0, g->count * sizeof *g->a);
    g->weight = 0;
}

/* The gap of the average iterate, which is left in g->ahead and a_mean. */
static double look_at_mean(walk *g, double *a_mean, thr_matrix_game *out)
{
    for (size_t j = 0; j < g->dims; j++)
        g->ahead[j] = g->u_sum[j] / g->weight;
    for (size_t k = 0; k < g->count; k++)
        a_mean[k] = g->a_sum[k] / g->weight;
    return look_at(g, g->ahead, a_mean, out);
}

/* Restarts follow Applegate et al. with their constants: the gap has fallen to 0.2 of that at the
 * last restart; or to 0.8 and no longer falls; or 0.36 of all rounds have passed since. */
static void iterate(walk *g, const thr_game_options *o, double *a_mean, thr_matrix_game *out)
{
    uint64_t rounds = o->rounds ? o->rounds : DEFAULT_ROUNDS, since = 0;
    double gap = o->gap > 0 ? o->gap : DEFAULT_GAP, then = INFINITY, last = INFINITY;
    for (uint64_t t = 1; t <= rounds; t++) {
        if (o->stop && o->stop(o->user))
            return;
        step(g);
        since++;
        if (t % LOOK_EVERY)
            continue;
        double now = look_at(g, g->u, g->a, out), mean = look_at_mean(g, a_mean, out);
        if (out->low >= (1 - gap) * out->high)
            return;
        double best = fmin(now, mean);
        bool enough = best <= 0.2 * then || (best <= 0.8 * then && best > last);
        if (enough || (double)since >= 0.36 * (double)t) {
            restart(g, mean < now);
            then = best;
            since = 0;
            best = INFINITY;
        }
        last = best;
    }
}

/* ---- beginning and end -------------------------------------------------------------------- */

/* Step lengths: 1 over the sum of the absolute values of a column of Z (for u) or a row (for a).
 * A coordinate or point without values never moves. */
static void set_step_lengths(walk *g)
{
    for (size_t k = 0; k < g->count; k++) {
        thr_point_row r = thr_points_row(g->p, thr_points_example(g->p, k));
        size_t f = thr_points_functions(g->p), other = f > 1 ? thr_points_other(g->p, k) : 0;
        double sum = 0;
        for (size_t i = 0; i < r.n; i++) {
            double x = fabs(thr_row_value(&r, i));
            sum += f > 1 ? 2 * x : x;
            g->u_step[r.id[i] * f + (f > 1 ? r.label : 0)] += x;
            if (f > 1)
                g->u_step[r.id[i] * f + other] += x;
        }
        g->a_step[k] = sum > 0 ? 1 / sum : 0;
    }
    for (size_t j = 0; j < g->dims; j++)
        g->u_step[j] = g->u_step[j] > 0 ? 1 / g->u_step[j] : 0;
}

/* Carves n numbers off one block of memory. */
static double *take(double **from, size_t n)
{
    double *here = *from;
    *from += n;
    return here;
}

/* The start is scaled so that its least margin is 1, as the linear program wants it. */
static int walk_from(const thr_points *p, const thr_game_options *o, const double *start,
                     thr_matrix_game *out, thr_error *err)
{
    walk g = {.p = p, .dims = thr_points_dims(p), .count = thr_points_count(p), .balance = 1};
    double *room = calloc(6 * g.dims + 5 * g.count + 1, sizeof *room), *at = room;
    if (!room)
        return thr_fail_memory(err);
    g.u = take(&at, g.dims);
    g.u_sum = take(&at, g.dims);
    g.u_from = take(&at, g.dims);
    g.ahead = take(&at, g.dims);
    g.pull = take(&at, g.dims);
    g.u_step = take(&at, g.dims);
    g.a = take(&at, g.count);
    g.a_sum = take(&at, g.count);
    g.a_from = take(&at, g.count);
    g.a_step = take(&at, g.count);
    set_step_lengths(&g);
    double least = start ? thr_points_least(p, start, NULL) : 0;
    for (size_t j = 0; j < g.dims && least > 0; j++)
        g.u[j] = g.u_from[j] = start[j] / least;
    iterate(&g, o, take(&at, g.count), out);
    free(room);
    return 0;
}

/* Solves the linear program and converts its result into bounds. out->by_program stays false if it
 * could not be solved; then the iteration has to do it. */
static int by_program(const thr_points *p, const thr_game_options *o, thr_matrix_game *out,
                      thr_error *err)
{
    thr_lp lp;
    int code = thr_lp_solve(p, &(thr_lp_options){.seconds = o->seconds}, &lp, err);
    if (code)
        return code;
    out->lp = lp.end;
    double *pull = calloc(thr_points_dims(p) + 1, sizeof *pull), end;
    walk g = {.p = p, .dims = thr_points_dims(p), .count = thr_points_count(p), .pull = pull};
    if (!pull)
        code = thr_fail_memory(err);
    else if (lp.end == THR_LP_SOLVED) {
        try_low(&g, lp.w, out, &end);
        try_high(&g, lp.alpha, out, &end);
    } else if (lp.end == THR_LP_NONE)
        try_high(&g, lp.alpha, out, &end);
    out->by_program = lp.end == THR_LP_SOLVED || lp.end == THR_LP_NONE;
    free(pull);
    thr_lp_clear(&lp);
    return code;
}

int thr_game_solve(const thr_points *p, const thr_game_options *o, const double *start,
                   thr_matrix_game *out, thr_error *err)
{
    *out = (thr_matrix_game){.low = -INFINITY, .high = INFINITY, .lp = THR_LP_BEYOND};
    out->u = calloc(thr_points_dims(p) + 1, sizeof *out->u);
    out->alpha = calloc(thr_points_count(p) + 1, sizeof *out->alpha);
    int code = out->u && out->alpha ? 0 : thr_fail_memory(err);
    if (code == 0 && !o->iterate)
        code = by_program(p, o, out, err);
    if (code == 0 && !out->by_program)
        code = walk_from(p, o, start, out, err);
    if (code)
        thr_game_clear(out);
    return code;
}

void thr_game_clear(thr_matrix_game *out)
{
    free(out->u);
    free(out->alpha);
    *out = (thr_matrix_game){0};
}
