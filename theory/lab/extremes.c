/* The two extremes of L0 section 7, where each family of rules wins.
 *
 *   few relevant     majority of k among n signs: u has k entries 1. The perceptron's bound is
 *                    R^2 ||u||_2^2 = kn, that of `balanced` 2 X^2 ||u||_1^2 ln 2n = 2 k^2 ln 2n
 *   all relevant     rows of the unit matrix, all positive: u = (1, ..., 1), so the bounds are
 *                    n and 2 n^2 ln 2n */
#include "bounds/bounds.h"
#include "lab/games.h"
#include "lab/lab.h"

#include <math.h>
#include <stdio.h>

enum { RELEVANT = 3, EXAMPLES = 4000, RUNS = 3 };
static const size_t sizes[] = {50, 100, 200, 400, 800};
enum { SIZES = sizeof sizes / sizeof *sizes, SOON = 100 /* the search ends soon up to this n */ };

static const char additive[] = "perceptron:bias=off,margin=0";
static const char multiplicative[] = "balanced:bias=off,margin=0,eta=0.33333333333333331";

typedef struct line {
    double hostile[SIZES], chance[SIZES], bound[SIZES];
    thr_worst worst;
} line;

/* ---- few relevant ------------------------------------------------------------------------- */

/* Mean number of mistakes on random signs. */
static int by_chance(thr_lab *l, const char *learner, size_t n, double *mean, thr_error *err)
{
    char gen[64];
    thr_stats stats;
    int code = 0;
    snprintf(gen, sizeof gen, "majority:n=%zu,k=%d", n, RELEVANT);
    *mean = 0;
    for (uint64_t run = 0; run < RUNS && code == 0; run++) {
        code = thr_lab_count(learner, gen, l->seed + run, EXAMPLES, &stats, err);
        *mean += code ? 0 : (double)stats.mistakes / RUNS;
    }
    return code;
}

static int measure(thr_lab *l, bool adds, double share, line *out, thr_error *err)
{
    const char *learner = adds ? additive : multiplicative;
    for (size_t i = 0; i < SIZES; i++) {
        size_t n = sizes[i];
        thr_adversary a = {
            .learner = learner, .seed = l->seed, .moves = 100000, .attempts = n <= SOON ? 4 : 1};
        int code = thr_signs_worst(&a, n, RELEVANT, &out->hostile[i], err);
        if (code == 0)
            code = by_chance(l, learner, n, &out->chance[i], err);
        if (code == 0)
            code = thr_lab_tell(l, share + 0.4 * (double)(i + 1) / SIZES, err);
        if (code)
            return code;
        /* R^2/gamma^2 with R^2 = n, gamma^2 = 1/k, without the rounding of roots. */
        out->bound[i] =
            adds ? (double)(RELEVANT * n) : thr_bound_balanced(1, (double)n, 1.0 / RELEVANT, 0);
        thr_worst_keep(&out->worst, out->hostile[i], out->bound[i]);
    }
    return 0;
}

static void draw(thr_lab *l, enum thr_series_kind kind, const char *name, const double *y)
{
    thr_lab_series(l, kind, "%s", name);
    for (size_t i = 0; i < SIZES; i++)
        thr_lab_point(l, (double)sizes[i], y[i]);
}

/* How far the multiplicative rule is ahead where the bounds say that it wins. */
static double least_lead(const line *add, const line *multiply)
{
    double least = INFINITY;
    for (size_t i = 0; i < SIZES; i++)
        if (add->bound[i] > multiply->bound[i])
            least = fmin(least, add->chance[i] - multiply->chance[i]);
    return least;
}

static int few_relevant(thr_lab *l, thr_error *err)
{
    line add = {0}, multiply = {0};
    int code = measure(l, true, 0, &add, err);
    if (code == 0)
        code = measure(l, false, 0.4, &multiply, err);
    if (code)
        return code;
    thr_lab_draw(l, THR_LOG_X | THR_LOG_Y, "Majority of 3 among n signs", "variables n",
                 "mistakes, updates");
    draw(l, THR_CURVE, "perceptron, random signs", add.chance);
    draw(l, THR_CURVE, "balanced, random signs", multiply.chance);
    draw(l, THR_DOTS, "perceptron, worst case found", add.hostile);
    draw(l, THR_DOTS, "balanced, worst case found", multiply.hostile);
    draw(l, THR_BOUND, "kn", add.bound);
    draw(l, THR_BOUND, "2 k^2 ln 2n", multiply.bound);
    thr_lab_claims(
        l, THR_AT_MOST, add.worst.bound, add.worst.count,
        "majority of 3 among n signs, perceptron: updates <= kn; the case nearest to its "
        "bound, n from %zu to %zu",
        sizes[0], sizes[SIZES - 1]);
    thr_lab_claims(l, THR_AT_MOST, multiply.worst.bound, multiply.worst.count,
                   "... balanced: updates <= 2 k^2 ln 2n; the case nearest to its bound");
    thr_lab_claims(l, THR_AT_LEAST, 1, least_lead(&add, &multiply),
                   "few relevant: on %d random examples the perceptron makes more mistakes than "
                   "balanced; the least difference, each a mean of %d runs",
                   EXAMPLES, RUNS);
    thr_lab_say(l,
                "Three relevant variables among %zu: %.0f mistakes of the perceptron, %.0f of "
                "balanced. The worst cases found are as far apart: %.0f and %.0f updates.",
                sizes[SIZES - 1], add.chance[SIZES - 1], multiply.chance[SIZES - 1],
                add.hostile[SIZES - 1], multiply.hostile[SIZES - 1]);
    return 0;
}

/* ---- all relevant ------------------------------------------------------------------------- */

/* The rows in turn, until `passes` are over. */
static int rows(const char *learner, uint64_t seed, size_t n, unsigned passes, thr_stats *out,
                thr_error *err)
{
    char gen[64];
    snprintf(gen, sizeof gen, "unit-rows:n=%zu", n);
    return thr_lab_count(learner, gen, seed, (uint64_t)n * passes, out, err);
}

enum { ROWS = 6 };

typedef struct row_counts {
    double n[ROWS], additive[ROWS], balanced[ROWS], positive[ROWS], should[ROWS];
    double mistakes; /* of the first two, in all */
} row_counts;

static int count_rows(thr_lab *l, row_counts *c, thr_error *err)
{
    for (size_t i = 0; i < ROWS; i++) {
        size_t n = (size_t)10 << (i + i / 2);
        unsigned steps = (unsigned)ceil(log2((double)n));
        char winnow[80];
        thr_stats a, b, w;
        snprintf(winnow, sizeof winnow, "winnow:promote=2,demote=0.5,theta=%zu,start=1", n);
        int code = rows(additive, l->seed, n, 2, &a, err);
        if (code == 0)
            code = rows("balanced:bias=off,margin=0", l->seed, n, 2, &b, err);
        if (code == 0)
            code = rows(winnow, l->seed, n, steps + 1, &w, err);
        if (code == 0)
            code = thr_lab_tell(l, 0.8 + 0.2 * (double)(i + 1) / ROWS, err);
        if (code)
            return code;
        c->n[i] = (double)n;
        c->additive[i] = (double)a.updates;
        c->balanced[i] = (double)b.updates;
        c->positive[i] = (double)w.mistakes;
        c->should[i] = (double)n * steps;
        c->mistakes += (double)(a.mistakes + b.mistakes);
    }
    return 0;
}

static double most_apart(const double *a, const double *b)
{
    double most = 0;
    for (size_t i = 0; i < ROWS; i++)
        most = fmax(most, fabs(a[i] - b[i]));
    return most;
}

static void draw_rows(thr_lab *l, enum thr_series_kind kind, const char *name, const row_counts *c,
                      const double *y)
{
    thr_lab_series(l, kind, "%s", name);
    for (size_t i = 0; i < ROWS; i++)
        thr_lab_point(l, c->n[i], y[i]);
}

static int all_relevant(thr_lab *l, thr_error *err)
{
    row_counts c = {0};
    double formula[ROWS];
    int code = count_rows(l, &c, err);
    if (code)
        return code;
    for (size_t i = 0; i < ROWS; i++)
        formula[i] = thr_bound_balanced(1, c.n[i], 1 / c.n[i], 0);
    thr_lab_draw(l, THR_LOG_X | THR_LOG_Y, "The rows of the unit matrix", "variables n",
                 "mistakes, updates");
    draw_rows(l, THR_CURVE, "perceptron, balanced: updates", &c, c.additive);
    draw_rows(l, THR_CURVE, "positive winnow: mistakes", &c, c.positive);
    draw_rows(l, THR_BOUND, "n", &c, c.n);
    draw_rows(l, THR_BOUND, "2 n^2 ln 2n", &c, formula);
    thr_lab_claims(
        l, THR_EXACTLY, 0, most_apart(c.additive, c.n) + most_apart(c.balanced, c.n) + c.mistakes,
        "rows of the unit matrix, n from %g to %g: perceptron and balanced make n updates "
        "and no mistake; the greatest departure",
        c.n[0], c.n[ROWS - 1]);
    thr_lab_claims(l, THR_EXACTLY, 0, most_apart(c.positive, c.should),
                   "... positive winnow with theta n makes n ceil(log2 n) mistakes; the greatest "
                   "departure");
    thr_lab_say(l,
                "With the unit matrix the perceptron's n is reached, and positive Winnow, which "
                "must lift each weight to theta on its own, makes %.0f mistakes at n = %.0f. The "
                "formula 2 n^2 ln 2n is far from anything that happens here.",
                c.positive[ROWS - 1], c.n[ROWS - 1]);
    return 0;
}

static int run(thr_lab *l, thr_error *err)
{
    int code = few_relevant(l, err);
    return code ? code : all_relevant(l, err);
}

const thr_experiment thr_lab_extremes = {
    .name = "extremes",
    .title = "Where each family wins",
    .claim = "few relevant variables among many: at most kn updates of the perceptron against "
             "2 k^2 ln 2n of balanced Winnow; the unit matrix: n updates against n ceil(log2 n)",
    .seconds = 3,
    .run = run,
};
