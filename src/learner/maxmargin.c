/* The separator of least norm, the hard-margin support vector machine (L3 2.2.1;
 * solve/least_norm.h):
 *     min |w|^2 / 2   so that  z.w >= 1 for every example,
 * with z = y x for two labels, and z = f(x, y) - f(x, l) for every wrong label l for more.
 * 1/|w| is then the margin gamma, to within `gap`. It is found by dual coordinate descent
 * (Hsieh et al. 2008) and Wolfe's method (1976), again when the number of examples has doubled
 * (fitted.h).
 *
 * If there is no separator, or only one whose margin is below a thousandth of the longest
 * example, the objective has the penalty C sum of max(0, 1 - z.w) instead. If C is given, it
 * always has. */
#include "learner/fitted.h"
#include "learner/mix.h"
#include "solve/least_norm.h"

#include <math.h>
#include <stdlib.h>

enum { GAP, PRICE, BIAS };

#define LEAST_MARGIN 1e-3 /* times the longest example; less counts as not separable */
#define ROUNDS       1000 /* epochs of the solver */
#define SOFT_ROUNDS  300  /* ... with slack */
#define SOFT_PRICE   1    /* C=auto, if the data is not separable */

static const thr_option_info options[] = {
    {"gap", "0.01", "stop within this fraction of the largest possible margin", THR_REAL, NULL,
     1e-6, 0.5},
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

static void copy(const thr_points *p, const double *from, double factor, double *to)
{
    for (size_t i = 0, n = thr_points_dims(p); i < n; i++)
        to[i] = from[i] * factor;
}

/* Without slack. Equal points are solved for once; two equal examples with different labels (a
 * clash) mean that there is no separator. Sets *found if there is one; w is then the one with
 * the largest margin, scaled so that the least z.w is 1. */
static int solve_hard(const thr_rule *r, thr_points p, double *w, bool *found, thr_error *err)
{
    thr_least_norm_options o = {.gap = r->option[GAP],
                                .floor = LEAST_MARGIN * sqrt(thr_points_radius2(&p)),
                                .epochs = ROUNDS};
    thr_least_norm best;
    size_t clash[2], distinct;
    uint32_t *pick = malloc((p.examples + 1) * sizeof *pick);
    *found = false;
    int code = pick ? thr_points_distinct(&p, pick, &distinct, clash, err) : thr_fail_memory(err);
    p.pick = pick;
    p.examples = code ? 0 : distinct;
    if (code == 0 && clash[0] == SIZE_MAX) {
        code = thr_least_norm_solve(&p, &o, &best, err);
        double least = code ? 0 : thr_points_least(&p, best.w, NULL);
        *found = code == 0 && best.high >= o.floor && least > 0;
        if (*found)
            copy(&p, best.w, 1 / least, w);
        if (code == 0)
            thr_least_norm_clear(&best);
    }
    free(pick);
    return code;
}

/* Without slack if C=auto and that is possible, else with slack at the price C times each example's
 * importance. */
static int solve(const thr_rule *r, const thr_fitting *f, double *w, thr_error *err)
{
    double price = r->option[PRICE];
    bool found = false;
    int code = isnan(price) ? solve_hard(r, f->points, w, &found, err) : 0;
    if (code || found)
        return code;
    thr_least_norm_options o = {.gap = r->option[GAP],
                                .box = isnan(price) ? SOFT_PRICE : price,
                                .cost = f->cost,
                                .epochs = SOFT_ROUNDS};
    thr_least_norm best;
    code = thr_least_norm_solve(&f->points, &o, &best, err);
    if (code)
        return code;
    copy(&f->points, best.w, 1, w);
    thr_least_norm_clear(&best);
    return 0;
}

static int fit(thr_rule *r, thr_weights *w, size_t first, thr_error *err)
{
    return thr_fitted_fit(r, w, first, solve, err);
}

const thr_learner thr_learner_maxmargin = {
    .name = "maxmargin",
    .help = "linear separator with the largest margin (hard- or soft-margin SVM)",
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
