/* A separator by linear programming (solve/lp.h), made anew when the examples have doubled: the
 * one with the least sum of absolute weights,
 *
 *   min |u|_1 + C sum of slack   so that  z.u >= 1 - slack for every example
 *
 * C is infinite where there is a separator, unless it is given. Since u stands at a corner, most
 * weights are 0. */
#include "learner/fitted.h"

#include "learner/mix.h"
#include "solve/lp.h"

#include <math.h>
#include <string.h>

enum { PRICE, BIAS };

#define SOFT_PRICE 1

static const thr_option_info options[] = {
    {"C", "auto", "price of slack (auto: none is for sale; 1 where nothing separates)", THR_REAL,
     "auto", 1e-9, 1e9},
    {"bias", "on", "a feature that is always 1", THR_BOOL, NULL, 0, 1},
    {0},
};

static int setup(thr_rule *r, thr_error *err)
{
    (void)err;
    r->bias = r->option[BIAS] != 0;
    thr_fitted_slots(r);
    return 0;
}

static int solve_at(const thr_fitting *f, double price, double *w, bool *none, thr_error *err)
{
    thr_lp lp;
    int code = thr_lp_solve(&f->points, &(thr_lp_options){.box = price, .cost = f->cost}, &lp, err);
    if (code)
        return code;
    *none = lp.end == THR_LP_NONE;
    if (lp.end == THR_LP_SOLVED)
        memcpy(w, lp.w, thr_points_dims(&f->points) * sizeof *w);
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

const thr_learner thr_lp_learner = {
    .name = "lp",
    .help = "a separator by linear programming, from all examples at once",
    .options = options,
    .flags = THR_KEEPS | THR_SOLVED,
    .policy = "one-vs-all",
    .setup = setup,
    .score = thr_fitted_score,
    .learn = thr_fitted_learn,
    .weight = thr_fitted_weight,
    .ready = thr_fitted_ready,
    .rebuild = thr_fitted_rebuild,
    .fit = fit,
    .mix = &thr_memory_mixer,
};
