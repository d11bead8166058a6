/* Mistakes against margin: the perceptron makes at most R^2/gamma^2 updates (Novikoff), whatever
 * the dimension and the order of the examples. With margin 1, rate 1 and R = 1 it makes at most
 * 3/gamma^2 (L3). Unit vectors at distance at least gamma from a hidden hyperplane. */
#include "lab/lab.h"
#include "lab/student.h"

#include <math.h>
#include <stdio.h>

#define EXAMPLES 4000

static const double gammas[] = {0.2, 0.1, 0.05, 0.025, 0.0125};
enum { GAMMAS = sizeof gammas / sizeof *gammas, RUNS = 5 };

/* The most updates in several runs, each with data of its own. */
static int worst_of(thr_lab *l, const char *learner, double gamma, double *worst, thr_error *err)
{
    char gen[96];
    thr_stats stats;
    int code = 0;
    snprintf(gen, sizeof gen, "margin:n=40,gamma=%g,active=20", gamma);
    *worst = 0;
    for (uint64_t run = 0; run < RUNS && code == 0; run++) {
        code = thr_lab_count(learner, gen, l->seed + run, EXAMPLES, &stats, err);
        *worst = code ? 0 : fmax(*worst, (double)stats.updates);
    }
    return code;
}

static int one_rule(thr_lab *l, const char *learner, double factor, const char *what, double done,
                    thr_error *err)
{
    double worst[GAMMAS], ratio = 0;
    int code = 0;
    for (size_t i = 0; i < GAMMAS && code == 0; i++) {
        code = worst_of(l, learner, gammas[i], &worst[i], err);
        if (code == 0)
            code = thr_lab_tell(l, done + 0.5 * (double)(i + 1) / GAMMAS, err);
    }
    if (code)
        return code;
    thr_lab_series(l, THR_CURVE, "%s", what);
    for (size_t i = 0; i < GAMMAS; i++) {
        thr_lab_point(l, gammas[i], worst[i]);
        ratio = fmax(ratio, worst[i] * gammas[i] * gammas[i] / factor);
    }
    thr_lab_series(l, THR_BOUND, "%g/gamma^2", factor);
    for (size_t i = 0; i < GAMMAS; i++)
        thr_lab_point(l, gammas[i], factor / (gammas[i] * gammas[i]));
    thr_lab_claims(l, THR_AT_MOST, 1, ratio,
                   "%s: updates, as a share of %g/gamma^2, on unit vectors with margin gamma from "
                   "%g to %g, %d seeds each",
                   what, factor, gammas[0], gammas[GAMMAS - 1], RUNS);
    return 0;
}

static int run(thr_lab *l, thr_error *err)
{
    thr_lab_draw(l, THR_LOG_X | THR_LOG_Y, "Updates against margin", "margin gamma", "updates");
    int code = one_rule(l, "perceptron:bias=off", 1, "perceptron", 0, err);
    return code ? code
                : one_rule(l, "perceptron:bias=off,margin=1", 3, "perceptron, margin 1", 0.5, err);
}

const thr_experiment thr_lab_margin = {
    .name = "margin",
    .title = "Mistakes against margin",
    .claim = "the perceptron makes at most R^2/gamma^2 updates, with margin 1 at most 3/gamma^2",
    .seconds = 2,
    .run = run,
};
