/* From mistake bounds to PAC learning: how often is a hypothesis accepted whose error exceeds eps?
 *
 * The class that shows the problem has M disjoint regions of mass just over eps, and the learner
 * goes through its concepts one by one (CON of L2). Its i-th hypothesis differs from the target
 * only in region i. An example from there is a mistake and makes it move on to the next hypothesis.
 * So each of M hypotheses errs on just over eps, and each has a chance to be accepted. The rule of
 * the lectures accepts each of them with probability about delta; the corrected rule accepts any of
 * them with probability at most delta in all. */
#include "base/random.h"
#include "lab/lab.h"
#include "measure/pac.h"

#include <math.h>

#define EPS   0.02
#define DELTA 0.1
#define MASS  (1.001 * EPS) /* of each region */
#define SURE  0.999         /* confidence of the interval for a rate */

static const unsigned regions[] = {1, 2, 5, 10, 20, 40};
enum { SIZES = sizeof regions / sizeof *regions, RUNS = 40000 };

/* One run: whether the accepted hypothesis errs on more than eps. */
static bool fails(thr_random *r, thr_pac_rule rule, unsigned m)
{
    thr_pac p;
    bool accepted = false;
    thr_pac_init(&p, EPS, DELTA, rule);
    while (!accepted && p.hypothesis <= m)
        accepted = thr_pac_see(&p, thr_random_real(r) < MASS);
    return accepted;
}

/* The probability of that: 1 minus the probability that each of m hypotheses errs before it would
 * be accepted. */
static double chance(thr_pac_rule rule, unsigned m)
{
    double found_out = 1;
    for (unsigned i = 1; i <= m; i++)
        found_out *= 1 - pow(1 - MASS, (double)thr_pac_needed(EPS, DELTA, rule, i));
    return 1 - found_out;
}

static double log_factorial(unsigned n)
{
    int sign;
    return lgamma_r(n + 1.0, &sign);
}

/* P(at most k of n), each with probability p. */
static double at_most(unsigned k, unsigned n, double p)
{
    double sum = 0;
    for (unsigned i = 0; i <= k; i++)
        sum += exp(log_factorial(n) - log_factorial(i) - log_factorial(n - i) + i * log(p) +
                   (n - i) * log1p(-p));
    return sum;
}

/* One end of the exact (Clopper and Pearson) confidence interval for a rate, given k of n. */
static double limit(unsigned k, unsigned n, bool upper)
{
    double low = 0, high = 1, tail = (1 - SURE) / 2;
    if (upper ? k == n : k == 0)
        return upper ? 1 : 0;
    for (int i = 0; i < 60; i++) {
        double p = (low + high) / 2;
        bool above = upper ? at_most(k, n, p) < tail : 1 - at_most(k - 1, n, p) > tail;
        if (above)
            high = p;
        else
            low = p;
    }
    return (low + high) / 2;
}

static int one_rule(thr_lab *l, thr_pac_rule rule, const char *what, unsigned *most, thr_error *err)
{
    thr_random r;
    int code = 0;
    unsigned seen[SIZES] = {0};
    thr_random_init(&r, l->seed + (uint64_t)rule);
    for (size_t i = 0; i < SIZES && code == 0; i++) {
        for (unsigned run = 0; run < RUNS; run++)
            seen[i] += fails(&r, rule, regions[i]);
        code = thr_lab_tell(l, 0.5 * (double)rule + 0.5 * (double)(i + 1) / SIZES, err);
    }
    thr_lab_series(l, THR_DOTS, "%s", what);
    for (size_t i = 0; i < SIZES; i++)
        thr_lab_point(l, regions[i], (double)seen[i] / RUNS);
    thr_lab_series(l, THR_CURVE, "%s, worked out", what);
    for (size_t i = 0; i < SIZES; i++)
        thr_lab_point(l, regions[i], chance(rule, regions[i]));
    *most = seen[SIZES - 1];
    return code;
}

static int run(thr_lab *l, thr_error *err)
{
    unsigned corrected, lectures, m = regions[SIZES - 1];
    thr_lab_draw(l, THR_LOG_X, "How often what is accepted errs on more than eps",
                 "hypotheses that each err on just over eps", "share of runs");
    int code =
        one_rule(l, THR_PAC_CORRECTED, "corrected: (1/eps) ln(i(i+1)/delta)", &corrected, err);
    if (code == 0)
        code = one_rule(l, THR_PAC_LECTURES, "lectures: (1/eps) ln(1/delta)", &lectures, err);
    if (code)
        return code;
    thr_lab_series(l, THR_BOUND, "delta");
    for (size_t i = 0; i < SIZES; i++)
        thr_lab_point(l, regions[i], DELTA);
    thr_lab_claims(l, THR_AT_MOST, DELTA, limit(corrected, RUNS, true),
                   "corrected rule: share of runs that accept a hypothesis with error above eps = "
                   "%g, delta = %g, %u hypotheses: the upper end of its %g %% interval, %u of %d "
                   "runs",
                   EPS, DELTA, m, 100 * SURE, corrected, RUNS);
    thr_lab_claims(l, THR_AT_LEAST, DELTA, limit(lectures, RUNS, false),
                   "the lectures' rule does not keep it: the lower end of the same interval, %u of "
                   "%d runs",
                   lectures, RUNS);
    thr_lab_say(
        l,
        "A mistake-bounded learner becomes a PAC learner by stopping at a hypothesis that has "
        "been right for long enough. How long must depend on how many have had their chance "
        "before it: L0's Theorem 9.1 forgets the union bound. Here %u hypotheses, one after "
        "the other, err on a region of mass %g each. train --pac uses the corrected rule.",
        m, MASS);
    return 0;
}

const thr_experiment thr_lab_pac = {
    .name = "pac",
    .title = "From mistakes to a promise",
    .claim = "the corrected stopping rule accepts a bad hypothesis with probability at most delta; "
             "the lectures' rule does not keep that",
    .seconds = 3,
    .run = run,
};
