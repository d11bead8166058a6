/* A separator by linear programming (L3 2.1; solve/lp.h): the one with the least sum of
 * absolute weights,
 *     min |u|_1 + C sum of slack   so that  z.u >= 1 - slack, slack >= 0, for every example,
 * with z = y x for two labels, and z = f(x, y) - f(x, l) for every wrong label l for more
 * (Weston and Watkins 1999). 1/|u|_1 is then the l1 margin g. It is solved again when the
 * number of examples has doubled (fitted.h).
 *
 * C=auto allows no slack if there is a separator, and is 1 otherwise. Since u is a vertex of
 * the feasible set, most weights are 0. CLP may fail on numbers of very different size; the
 * weights are then those of least Euclidean norm (solve/least_norm.h), with the same C. */
#include "learner/fitted.h"
#include "learner/mix.h"
#include "solve/least_norm.h"
#include "solve/lp.h"

#include <math.h>
#include <string.h>

enum { PRICE, BIAS };

#define SOFT_PRICE 1   /* C=auto, if the data is not separable */
#define ROUNDS     300 /* epochs of the least-norm solver */
#define DIGITS     36  /* bits that are kept of the largest weight */

static const thr_option_info options[] = {
    {"C", "auto", "penalty for margin violations (auto: hard margin if separable, else 1)",
     THR_REAL, "auto", 1e-9, 1e9},
    {"bias", "on", "add a constant feature with the value 1", THR_BOOL, NULL, 0, 1},
    {0},
};

static int setup(thr_rule *r, thr_error *err)
{
    (void)err;
    r->bias = r->option[BIAS] != 0;
    thr_fitted_slots(r);
    return 0;
}

/* The weights of least norm, for programs that CLP cannot solve. */
static int solve_least_norm(const thr_fitting *f, double price, double *w, thr_error *err)
{
    thr_least_norm_options o = {
        .box = price > 0 ? price : SOFT_PRICE, .cost = f->cost, .epochs = ROUNDS};
    thr_least_norm best;
    int code = thr_least_norm_solve(&f->points, &o, &best, err);
    if (code)
        return code;
    memcpy(w, best.w, thr_points_dims(&f->points) * sizeof *w);
    thr_least_norm_clear(&best);
    return 0;
}

/* Copies the solution, rounded to multiples of 2^-36 of the largest weight. At a vertex many
 * sums are equal; digits beyond CLP's tolerance would hide that, and may differ between
 * machines. */
static void copy_rounded(const double *from, size_t n, double *w)
{
    double most = 0;
    int exponent;
    for (size_t i = 0; i < n; i++)
        most = fmax(most, fabs(from[i]));
    frexp(most, &exponent);
    for (size_t i = 0; i < n; i++)
        w[i] = ldexp(rint(ldexp(from[i], DIGITS - exponent)), exponent - DIGITS);
}

/* Solves with the given C, or without slack if it is 0. Sets *none if there is no solution. */
static int solve_at(const thr_fitting *f, double price, double *w, bool *none, thr_error *err)
{
    thr_lp lp;
    int code = thr_lp_solve(&f->points, &(thr_lp_options){.box = price, .cost = f->cost}, &lp, err);
    if (code)
        return code;
    *none = lp.end == THR_LP_NONE;
    if (lp.end == THR_LP_SOLVED)
        copy_rounded(lp.w, thr_points_dims(&f->points), w);
    else if (lp.end == THR_LP_TROUBLE)
        code = solve_least_norm(f, price, w, err);
    else if (!*none)
        code = thr_fail(err, THR_EUSE, "lp: %s", thr_lp_why(lp.end));
    thr_lp_clear(&lp);
    return code;
}

static int solve(const thr_rule *r, const thr_fitting *f, double *w, thr_error *err)
{
    bool soft = !isnan(r->option[PRICE]), none;
    int code = solve_at(f, soft ? r->option[PRICE] : 0, w, &none, err);
    if (code == 0 && none && !soft)
        code = solve_at(f, SOFT_PRICE, w, &none, err);
    return code;
}

static int fit(thr_rule *r, thr_weights *w, size_t first, thr_error *err)
{
    return thr_fitted_fit(r, w, first, solve, err);
}

const thr_learner thr_learner_lp = {
    .name = "lp",
    .help = "linear separator with the smallest sum of |weights|, by linear programming",
    .options = options,
    .flags = THR_KEEPS | THR_SOLVED,
    .policy = "one-vs-all",
    .setup = setup,
    .score = thr_fitted_score,
    .learn = thr_fitted_learn,
    .weight = thr_fitted_weight,
    .extent = thr_fitted_extent,
    .ready = thr_fitted_ready,
    .rebuild = thr_fitted_rebuild,
    .share = thr_fitted_share,
    .fit = fit,
    .mix = &thr_memory_mixer,
};
