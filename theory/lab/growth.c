/* Mistakes against the number n of variables, on monotone disjunctions of k = 5 (the comparison of
 * L2): about linear for the additive rules, about logarithmic for the multiplicative ones.
 *
 * The additive bound is R^2 ||u||^2 with R^2 = active variables + 1, so it grows with n only where
 * the examples do. Both streams here have a fixed share of the variables active:
 *
 *   stairs   for each relevant variable r a block of d = n/50 irrelevant ones: the block, negative;
 *            the block and r, positive; d + 2 times. The perceptron's weights on the block go to -1
 *            and back to 0 while r gains 1, until it outweighs the block: 2 (d + 2) updates
 *   random   one variable in a hundred is active, half of the examples are positive */
#include "lab/growth.h"

#include "bounds/bounds.h"
#include "lab/student.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { BLOCK = 50, SPARSE = 100, EXAMPLES = 6000, OPTIONS = 96 };
static const size_t sizes[] = {1000, 3162, 10000, 31623, 100000};
enum { SIZES = sizeof sizes / sizeof *sizes };

/* ---- the rules ---------------------------------------------------------------------------- */

const char thr_growth_elimination[] = "eliminate:form=disjunction";

void thr_growth_winnow(char *out, size_t room, double demote, size_t n)
{
    snprintf(out, room, "winnow:promote=2,demote=%g,theta=%zu,start=1", demote, n);
}

/* u = 2 on the k, -1 on the bias: y u.x >= 1, so g = 1/(2k + 1). */
static double g_of(void)
{
    return 1.0 / (2 * THR_GROWTH_K + 1);
}

void thr_growth_balanced(char *out, size_t room)
{
    snprintf(out, room, "balanced:margin=0,eta=%.17g", g_of());
}

double thr_growth_bound_winnow(double demote, size_t n)
{
    thr_winnow_setting w = {.promote = 2, .demote = demote, .theta = (double)n, .start = 1};
    return thr_bound_winnow(w, (double)n, THR_GROWTH_K, 0, 0);
}

double thr_growth_bound_balanced(size_t n)
{
    return thr_bound_balanced(1, (double)n + 1, g_of(), 0);
}

static void name_perceptron(char *out, size_t n)
{
    (void)n;
    snprintf(out, OPTIONS, "perceptron:margin=0");
}

static void name_averaged(char *out, size_t n)
{
    (void)n;
    snprintf(out, OPTIONS, "averaged:margin=0");
}

static void name_halving(char *out, size_t n)
{
    thr_growth_winnow(out, OPTIONS, 0.5, n);
}

static void name_eliminating(char *out, size_t n)
{
    thr_growth_winnow(out, OPTIONS, 0, n);
}

static void name_balanced(char *out, size_t n)
{
    (void)n;
    thr_growth_balanced(out, OPTIONS);
}

static double bound_additive(size_t n)
{
    return thr_bound_perceptron_disjunction(THR_GROWTH_K, (double)n);
}

static double bound_halving(size_t n)
{
    return thr_growth_bound_winnow(0.5, n);
}

static double bound_eliminating(size_t n)
{
    return thr_growth_bound_winnow(0, n);
}

static void name_elimination(char *out, size_t n)
{
    (void)n;
    snprintf(out, OPTIONS, "%s", thr_growth_elimination);
}

static double bound_elimination(size_t n)
{
    return thr_bound_eliminate((double)n, false);
}

enum family { ADDS, MULTIPLIES, DROPS };

typedef struct contender {
    const char *name;
    void (*learner)(char *out, size_t n);
    double (*bound)(size_t n); /* on updates */
    enum family family;
} contender;

static const contender contenders[] = {
    {"perceptron", name_perceptron, bound_additive, ADDS},
    {"averaged", name_averaged, bound_additive, ADDS},
    {"winnow, demote 1/2", name_halving, bound_halving, MULTIPLIES},
    {"winnow, demote 0", name_eliminating, bound_eliminating, MULTIPLIES},
    {"balanced", name_balanced, thr_growth_bound_balanced, MULTIPLIES},
    {"eliminate", name_elimination, bound_elimination, DROPS},
};
enum { CONTENDERS = sizeof contenders / sizeof *contenders };

/* ---- the streams -------------------------------------------------------------------------- */

static int stairs(thr_lab *l, const char *learner, size_t n, thr_stats *out, thr_error *err)
{
    (void)l;
    thr_student s;
    size_t block = n / BLOCK;
    uint32_t *key = calloc(block + 1, sizeof *key);
    if (!key)
        return thr_fail_memory(err);
    int code = thr_student_open(&s, learner, NULL, err);
    for (size_t r = 0; r < THR_GROWTH_K && code == 0; r++) {
        key[0] = (uint32_t)r + 1;
        for (size_t i = 0; i < block; i++)
            key[i + 1] = (uint32_t)(THR_GROWTH_K + 1 + r * block + i);
        for (size_t i = 0; i < block + 2; i++) {
            thr_student_learns(&s, false, key + 1, NULL, block);
            thr_student_learns(&s, true, key, NULL, block + 1);
        }
        code = s.code;
    }
    if (code == 0)
        *out = thr_student_stats(&s);
    thr_student_close(&s);
    free(key);
    return code;
}

static int chance(thr_lab *l, const char *learner, size_t n, thr_stats *out, thr_error *err)
{
    char gen[80];
    snprintf(gen, sizeof gen, "disjunction:n=%zu,k=%d,active=%zu", n, THR_GROWTH_K, n / SPARSE);
    return thr_lab_count(learner, gen, l->seed, EXAMPLES, out, err);
}

typedef int stream_fn(thr_lab *l, const char *learner, size_t n, thr_stats *out, thr_error *err);

typedef struct table {
    double mistakes[CONTENDERS][SIZES], updates[CONTENDERS][SIZES];
} table;

/* Progress: each size takes about five times as long as all smaller ones together. */
static double done_after(size_t size)
{
    return size ? pow(0.2, (double)(SIZES - size)) : 0;
}

static int measure(thr_lab *l, stream_fn *stream, double from, double to, table *out,
                   thr_error *err)
{
    for (size_t i = 0; i < SIZES; i++)
        for (size_t c = 0; c < CONTENDERS; c++) {
            char learner[OPTIONS];
            thr_stats stats;
            contenders[c].learner(learner, sizes[i]);
            int code = stream(l, learner, sizes[i], &stats, err);
            double share =
                done_after(i) + (done_after(i + 1) - done_after(i)) * (double)(c + 1) / CONTENDERS;
            if (code == 0)
                code = thr_lab_tell(l, from + (to - from) * share, err);
            if (code)
                return code;
            out->mistakes[c][i] = (double)stats.mistakes;
            out->updates[c][i] = (double)stats.updates;
        }
    return 0;
}

static void draw_bound(thr_lab *l, const char *name, double (*bound)(size_t n))
{
    thr_lab_series(l, THR_BOUND, "%s", name);
    for (size_t i = 0; i < SIZES; i++)
        thr_lab_point(l, (double)sizes[i], bound(sizes[i]));
}

/* A bound is drawn after its curve, since it takes the colour of the series before it. */
static void draw(thr_lab *l, const char *title, const table *t)
{
    thr_lab_draw(l, THR_LOG_X | THR_LOG_Y, title, "variables n", "mistakes");
    for (size_t c = 0; c < CONTENDERS; c++) {
        thr_lab_series(l, THR_CURVE, "%s", contenders[c].name);
        for (size_t i = 0; i < SIZES; i++)
            thr_lab_point(l, (double)sizes[i], t->mistakes[c][i]);
        if (contenders[c].learner == name_perceptron)
            draw_bound(l, "perceptron, (4k + 1)(n + 1)", bound_additive);
        if (contenders[c].learner == name_halving)
            draw_bound(l, "winnow, 3 k log2(2n) + 2", bound_halving);
    }
}

/* ---- growth ------------------------------------------------------------------------------- */

typedef struct fit {
    double slope, left; /* left: the residual sum of squares */
} fit;

/* y = a + slope x, by least squares. */
static fit line_through(const double *x, const double *y)
{
    double mx = 0, my = 0, xx = 0, xy = 0, left = 0;
    for (size_t i = 0; i < SIZES; i++) {
        mx += x[i] / SIZES;
        my += y[i] / SIZES;
    }
    for (size_t i = 0; i < SIZES; i++) {
        xx += (x[i] - mx) * (x[i] - mx);
        xy += (x[i] - mx) * (y[i] - my);
    }
    double slope = xy / xx;
    for (size_t i = 0; i < SIZES; i++)
        left += pow(y[i] - my - slope * (x[i] - mx), 2);
    return (fit){slope, left};
}

typedef struct growth {
    double exponent;     /* of y ~ n^exponent */
    double per_doubling; /* of y ~ a + b log2 n */
    double preference;   /* residual of a + b n divided by that of a + b log n */
} growth;

static growth growth_of(const double *y)
{
    double n[SIZES], log_n[SIZES], log_y[SIZES];
    for (size_t i = 0; i < SIZES; i++) {
        n[i] = (double)sizes[i];
        log_n[i] = log2(n[i]);
        log_y[i] = log2(y[i]);
    }
    fit by_log = line_through(log_n, y);
    return (growth){.exponent = line_through(log_n, log_y).slope,
                    .per_doubling = by_log.slope,
                    .preference = line_through(n, y).left / by_log.left};
}

/* The difference between the updates of the additive rules and the number that the stairs are
 * constructed to cause. */
static double departure(const table *t)
{
    double most = 0;
    for (size_t c = 0; c < CONTENDERS; c++)
        for (size_t i = 0; i < SIZES && contenders[c].family == ADDS; i++) {
            double steps = 2.0 * THR_GROWTH_K * (double)(sizes[i] / BLOCK + 2);
            most = fmax(most, fabs(t->updates[c][i] - steps));
        }
    return most;
}

/* A logarithm must fit the multiplicative rules better than a line in n, and a line must fit the
 * additive rules better. */
static void claim_growth(thr_lab *l, const table *t)
{
    double log_least = INFINITY, line_most = 0;
    for (size_t c = 0; c < CONTENDERS; c++) {
        growth g = growth_of(t->mistakes[c]);
        if (contenders[c].family == ADDS)
            line_most = fmax(line_most, g.preference);
        if (contenders[c].family == MULTIPLIES)
            log_least = fmin(log_least, g.preference);
    }
    thr_lab_claims(l, THR_EXACTLY, 0, departure(t),
                   "stairs, n from %zu to %zu: perceptron and averaged make 2k(n/%d + 2) updates, "
                   "linear in n; the greatest departure",
                   sizes[0], sizes[SIZES - 1], BLOCK);
    thr_lab_claims(
        l, THR_AT_MOST, 1, line_most,
        "... their mistakes are nearer to a + bn than to a + b log n: squares left by the "
        "one over those left by the other, the greater of the two");
    thr_lab_claims(l, THR_AT_LEAST, 1, log_least,
                   "... those of winnow and balanced are nearer to a + b log n: the same quotient, "
                   "the least of the three");
}

static void say_growth(thr_lab *l, const table *t)
{
    growth add = growth_of(t->mistakes[0]), averaged = growth_of(t->mistakes[1]),
           halving = growth_of(t->mistakes[2]), balanced = growth_of(t->mistakes[4]);
    thr_lab_say(
        l,
        "On the stairs the perceptron's mistakes grow as n^%.2f, those of averaged as n^%.2f. "
        "Each doubling of n costs winnow %.1f mistakes more and balanced %.1f. At n = 100,000 "
        "the perceptron makes %.0f, winnow %.0f and balanced %.0f.",
        add.exponent, averaged.exponent, halving.per_doubling, balanced.per_doubling,
        t->mistakes[0][SIZES - 1], t->mistakes[2][SIZES - 1], t->mistakes[4][SIZES - 1]);
}

/* The case nearest to its own bound, over all rules and both streams. */
static void claim_bounds(thr_lab *l, const table *t, const table *u)
{
    double bound = 1, worst = 0;
    for (size_t c = 0; c < CONTENDERS; c++)
        for (size_t i = 0; i < SIZES; i++) {
            double most = fmax(t->updates[c][i], u->updates[c][i]);
            double limit = contenders[c].bound(sizes[i]);
            if (most * bound > worst * limit) {
                worst = most;
                bound = limit;
            }
        }
    thr_lab_claims(
        l, THR_AT_MOST, bound, worst,
        "stairs and random, all rules: updates <= each one's own bound; the case nearest to "
        "it");
}

static int run(thr_lab *l, thr_error *err)
{
    table up = {0}, random = {0};
    int code = thr_growth_worst(l, err);
    if (code == 0)
        code = measure(l, stairs, 0.3, 0.65, &up, err);
    if (code == 0)
        code = measure(l, chance, 0.65, 1, &random, err);
    if (code)
        return code;
    draw(l, "All on the stairs", &up);
    draw(l, "All on random examples", &random);
    claim_bounds(l, &up, &random);
    claim_growth(l, &up);
    say_growth(l, &up);
    thr_lab_say(
        l,
        "A share of the variables must be active for the additive rules to suffer: their "
        "bound is (4k + 1) R^2, and with few active variables R is small whatever n. On the "
        "random stream %d examples are too few for the perceptron to converge at the "
        "greatest n, so its curve bends.",
        EXAMPLES);
    return 0;
}

const thr_experiment thr_lab_growth = {
    .name = "growth",
    .title = "Mistakes against the number of variables",
    .claim =
        "on monotone k-disjunctions of n variables Winnow makes at most 3 k log2(2n) + 2 mistakes, "
        "the perceptron at most (4k + 1)(n + 1) updates: logarithmic against linear",
    .seconds = 10,
    .run = run,
};
