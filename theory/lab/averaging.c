/* Averaged and voted perceptrons compared with the last hypothesis, on noisy labels (L1, L4 3.1),
 * and MIRA's C as a trade-off between bias and variance (L4 4.1).
 *
 * Training labels are flipped with some probability; test labels are not, so that errors are
 * counted against the target. Rules are compared on each data set and judged by the sign test: if
 * neither is better, each wins with probability 1/2, and the p-value is the probability of a count
 * at least as uneven. Bias and variance are those of Domingos (2000) for labels: over many training
 * sets from one target, bias is the error of the label predicted most often, and variance is how
 * often a single run predicts another label. */
#include "lab/cloud.h"
#include "lab/lab.h"
#include "lab/verdict.h"
#include "measure/significance.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* Training examples with noise, and test examples of the same target without. */
typedef struct trial {
    thr_cloud train, test;
} trial;

static void clear(trial *t)
{
    thr_cloud_clear(&t->train);
    thr_cloud_clear(&t->test);
}

static int draw(thr_cloud *p, const char *spec, double noise, uint64_t seed, size_t n,
                thr_error *err)
{
    char whole[128];
    snprintf(whole, sizeof whole, "%s,noise=%.17g", spec, noise);
    thr_gen *g = thr_gen_new(whole, seed, err);
    int code = g ? thr_cloud_draw(p, g, n, err) : THR_EUSE;
    thr_gen_free(g);
    return code;
}

/* Noise does not change the points that a seed gives. So t->test holds the training points without
 * noise, followed by the test examples; testing begins at index `train`. */
static int prepare(trial *t, const char *spec, double noise, uint64_t seed, size_t train,
                   size_t test, thr_error *err)
{
    *t = (trial){{0}, {0}};
    int code = draw(&t->train, spec, noise, seed, train, err);
    return code ? code : draw(&t->test, spec, 0, seed, train + test, err);
}

/* ---- last, averaged, voted ---------------------------------------------------------------- */

enum { RULES = 3, NOISES = 6, RUNS = 40, TRAIN = 1000, TEST = 500 };

static const char *const rule[RULES] = {"perceptron:margin=0,bias=off",
                                        "averaged:margin=0,bias=off", "voted:margin=0,bias=off"};
static const char *const rule_name[RULES] = {"last", "averaged", "voted"};
static const double noises[NOISES] = {0, 0.05, 0.1, 0.15, 0.2, 0.3};
enum { SHOWN = 3 }; /* index of the noise level whose runs are plotted individually */

typedef struct outcome {
    double error[RULES][NOISES][RUNS]; /* percent */
} outcome;

static int one_run(thr_lab *l, outcome *o, size_t noise, size_t run, thr_error *err)
{
    trial t;
    int code = prepare(&t, "margin:n=20,gamma=0.02", noises[noise], l->seed * 1000 + run, TRAIN,
                       TEST, err);
    for (size_t r = 0; r < RULES && code == 0; r++) {
        thr_student s;
        code = thr_student_open(&s, rule[r], NULL, err);
        thr_cloud_pass(&t.train, &s);
        uint64_t wrong = 0;
        for (size_t i = t.train.n; i < t.test.n; i++)
            wrong += thr_cloud_is_wrong(&t.test, i, &s);
        o->error[r][noise][run] = 100.0 * (double)wrong / (double)(t.test.n - t.train.n);
        code = code ? code : s.code;
        thr_student_close(&s);
    }
    clear(&t);
    return code;
}

static void draw_means(thr_lab *l, const outcome *o)
{
    thr_lab_draw(l, 0, "One pass over noisy labels: the mean of all hypotheses against the last",
                 "labels flipped in training, %", "wrong on clean test examples, %");
    for (size_t r = 0; r < RULES; r++) {
        thr_lab_series(l, THR_CURVE, "%s", rule_name[r]);
        for (size_t n = 0; n < NOISES; n++)
            thr_lab_point(l, 100 * noises[n], thr_mean(o->error[r][n], RUNS));
    }
    thr_lab_draw(l, 0, "The same run by run, 15 % of labels flipped",
                 "the last hypothesis: wrong on the test, %", "averaged, voted: wrong, %");
    double most = 0;
    for (size_t r = 1; r < RULES; r++) {
        thr_lab_series(l, THR_DOTS, "%s", rule_name[r]);
        for (size_t run = 0; run < RUNS; run++) {
            thr_lab_point(l, o->error[0][SHOWN][run], o->error[r][SHOWN][run]);
            most = fmax(most, o->error[0][SHOWN][run]);
        }
    }
    thr_lab_series(l, THR_BOUND, "no difference");
    thr_lab_point(l, 0, 0);
    thr_lab_point(l, most, most);
}

static void claim_rule(thr_lab *l, const outcome *o, size_t r)
{
    double worst = 0, better[RUNS];
    for (size_t n = 1; n < NOISES; n++) {
        thr_sign d = {0};
        for (size_t run = 0; run < RUNS; run++)
            thr_sign_add(&d, o->error[r][n][run], o->error[0][n][run]);
        worst = fmax(worst, thr_sign_p(d));
    }
    for (size_t run = 0; run < RUNS; run++)
        better[run] = o->error[0][SHOWN][run] - o->error[r][SHOWN][run];
    thr_lab_claims(l, THR_AT_MOST, 0.001, worst,
                   "%s errs less often than the last hypothesis, with 5 to 30 %% of labels "
                   "flipped: greatest p-value of the sign test over %d data sets",
                   rule_name[r], RUNS);
    thr_lab_say(l,
                "With 15 %% flipped, %s has %.1f points fewer wrong on average (standard error "
                "%.1f).",
                rule_name[r], thr_mean(better, RUNS), thr_deviation(better, RUNS) / sqrt(RUNS));
}

static int compare(thr_lab *l, thr_error *err)
{
    outcome *o = calloc(1, sizeof *o);
    int code = o ? 0 : thr_fail_memory(err);
    for (size_t n = 0; n < NOISES && code == 0; n++)
        for (size_t run = 0; run < RUNS && code == 0; run++) {
            code = one_run(l, o, n, run, err);
            code = code ? code
                        : thr_lab_tell(l, 0.6 * (double)(n * RUNS + run) / (NOISES * RUNS), err);
        }
    if (code == 0) {
        draw_means(l, o);
        for (size_t r = 1; r < RULES; r++)
            claim_rule(l, o, r);
    }
    free(o);
    return code;
}

/* ---- MIRA's C ----------------------------------------------------------------------------- */

enum { STEPS = 7, TARGETS = 20, SETS = 9, EACH = 400, ASKED = 150, LEVELS = 2 };

static const double Cs[STEPS] = {0.001, 0.003, 0.01, 0.03, 0.1, 1, 10};
static const double levels[LEVELS] = {0, 0.2};

typedef struct shares {
    double bias[LEVELS][STEPS][TARGETS], variance[LEVELS][STEPS][TARGETS],
        error[LEVELS][STEPS][TARGETS]; /* percent */
    double longest;                    /* step, as a share of C */
} shares;

/* Learns from training set `set` and counts which test examples it then has wrong. In the first set
 * the step of each example is measured: the change of its own score over its squared length. */
static int one_set(shares *out, const trial *t, double C, size_t set, unsigned *wrong,
                   thr_error *err)
{
    const thr_cloud *p = &t->train;
    thr_student s;
    char learner[64];
    snprintf(learner, sizeof learner, "pa:C=%.17g,averaged=off", C);
    int code = thr_student_open(&s, learner, NULL, err);
    for (size_t i = 0; i < EACH && set == 0; i++) {
        size_t from = thr_cloud_start(p, i), n = p->end[i] - from;
        double before = thr_student_scores(&s, p->key + from, NULL, n);
        thr_cloud_teach(p, i, &s);
        double moved = fabs(thr_student_scores(&s, p->key + from, NULL, n) - before);
        out->longest = fmax(out->longest, moved / ((double)n + 1) / C); /* 1: the bias */
    }
    for (size_t i = set ? set * EACH : EACH; i < (set + 1) * EACH; i++)
        thr_cloud_teach(p, i, &s);
    for (size_t i = 0; i < ASKED; i++)
        wrong[i] += thr_cloud_is_wrong(&t->test, t->train.n + i, &s);
    code = code ? code : s.code;
    thr_student_close(&s);
    return code;
}

static int one_C(shares *out, const trial *t, size_t level, size_t step, size_t target,
                 thr_error *err)
{
    unsigned wrong[ASKED] = {0};
    double bias = 0, variance = 0, error = 0;
    int code = 0;
    for (size_t set = 0; set < SETS && code == 0; set++)
        code = one_set(out, t, Cs[step], set, wrong, err);
    for (size_t i = 0; i < ASKED; i++) {
        bool mostly = 2 * wrong[i] > SETS;
        bias += mostly;
        variance += mostly ? SETS - wrong[i] : wrong[i];
        error += wrong[i];
    }
    out->bias[level][step][target] = 100 * bias / ASKED;
    out->variance[level][step][target] = 100 * variance / (ASKED * SETS);
    out->error[level][step][target] = 100 * error / (ASKED * SETS);
    return code;
}

static void draw_C(thr_lab *l, const shares *s, size_t level, const char *title)
{
    static const char *const name[] = {"error", "bias", "variance"};
    thr_lab_draw(l, THR_LOG_X, title, "C", "%");
    for (size_t k = 0; k < 3; k++) {
        thr_lab_series(l, THR_CURVE, "%s", name[k]);
        for (size_t i = 0; i < STEPS; i++)
            thr_lab_point(l, Cs[i],
                          thr_mean((k == 0   ? s->error
                                    : k == 1 ? s->bias
                                             : s->variance)[level][i],
                                   TARGETS));
    }
}

/* At the two ends of the range, target by target: is `a` greater than `b`? */
static double greater(const double *a, const double *b)
{
    thr_sign d = {0};
    for (size_t t = 0; t < TARGETS; t++)
        thr_sign_add(&d, b[t], a[t]);
    return thr_sign_p(d);
}

static void report_C(thr_lab *l, const shares *s)
{
    enum { LEAST = 0, MIDDLE = 3, MOST = STEPS - 1 };
    draw_C(l, s, 0, "MIRA's C, labels without noise");
    draw_C(l, s, 1, "MIRA's C, 20 % of labels flipped");
    thr_lab_claims(l, THR_AT_MOST, 0.001, greater(s->bias[0][LEAST], s->bias[0][MOST]),
                   "pa with C = %g has more bias than with C = %g, no labels flipped: p-value of "
                   "the sign test over %d targets",
                   Cs[LEAST], Cs[MOST], TARGETS);
    thr_lab_claims(l, THR_AT_MOST, 0.001, greater(s->variance[1][MOST], s->variance[1][MIDDLE]),
                   "pa with C = %g has more variance than with C = %g, 20 %% of labels flipped: "
                   "p-value of the sign test over %d targets",
                   Cs[MOST], Cs[MIDDLE], TARGETS);
    thr_lab_claims(l, THR_AT_MOST, 0.001, greater(s->error[1][MOST], s->error[1][MIDDLE]),
                   "... and errs more often: p-value of the sign test over %d targets", TARGETS);
    /* Weights are 32-bit floats: a step is rounded, to 2^-24 of the weight it moves. */
    thr_lab_claims(l, THR_AT_MOST, 1.001, s->longest,
                   "no step of pa is longer than C: the longest as a share of C");
}

static int vary_C(thr_lab *l, thr_error *err)
{
    shares *s = calloc(1, sizeof *s);
    int code = s ? 0 : thr_fail_memory(err);
    for (size_t target = 0; target < TARGETS && code == 0; target++)
        for (size_t level = 0; level < LEVELS && code == 0; level++) {
            trial t;
            code = prepare(&t, "threshold:n=30,k=5,m=2,active=10", levels[level],
                           l->seed * 1000 + target, SETS * EACH, ASKED, err);
            for (size_t i = 0; i < STEPS && code == 0; i++)
                code = one_C(s, &t, level, i, target, err);
            clear(&t);
            code = code ? code : thr_lab_tell(l, 0.6 + 0.4 * (double)target / TARGETS, err);
        }
    if (code == 0)
        report_C(l, s);
    free(s);
    return code;
}

static int run(thr_lab *l, thr_error *err)
{
    int code = compare(l, err);
    code = code ? code : vary_C(l, err);
    thr_lab_say(l, "A flipped label throws the last hypothesis off, and it is the last one that is "
                   "kept. The mean and the vote ask all of them. C limits how far one example can "
                   "push. With a small one every run has learned the same little, whatever it saw: "
                   "most of its error is bias. With a large one each run follows its own examples, "
                   "flipped ones too: most of its error is variance. (Once nothing but the sum of "
                   "the examples is left, a smaller C changes no label any more.) L4's \"large C: "
                   "low bias\" is seen without noise; where labels are flipped, a large C has some "
                   "bias as well.");
    return code;
}

const thr_experiment thr_lab_averaging = {
    .name = "averaging",
    .title = "Averaging, voting and MIRA's C on noisy labels",
    .claim = "after one pass over noisy labels averaged and voted perceptrons err less than the "
             "last one; a small C is bias, a large one variance",
    .seconds = 6,
    .run = run,
};
