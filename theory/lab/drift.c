/* A target that changes: which rules recover, and how fast? A new target is drawn every 1000
 * examples, and the rules are not told.
 *
 * For the perceptron there is a bound. Started from any w0 instead of 0, on examples with margin
 * gamma it makes at most (R^2 + 2 gamma |w0|)/gamma^2 updates: after k updates u.w >= k gamma -
 * |w0| and |w|^2 <= |w0|^2 + k R^2, so (k gamma - |w0|)^2 <= |w0|^2 + k R^2. So old weights, even
 * if they are all wrong, cost at most 2|w0|/gamma additional updates. */
#include "lab/cloud.h"
#include "lab/lab.h"
#include "lab/verdict.h"
#include "measure/significance.h"

#include <math.h>
#include <stdlib.h>

enum { PART = 1000, PARTS = 4, WINDOW = 100, WINDOWS = PART / WINDOW * PARTS, RUNS = 20 };
enum { MOST_RULES = 6 };
#define GAMMA 0.1

typedef struct contender {
    const char *name, *learner, *settings;
} contender;

typedef struct scene {
    const char *title, *spec;
    contender rule[MOST_RULES];
    size_t rules;
} scene;

static const scene additive = {
    .title = "Mistakes while a hyperplane changes every 1000 examples",
    .spec = "margin:n=20,gamma=0.1,drift=1000",
    .rule = {{"perceptron", "perceptron:margin=0,bias=off", NULL},
             {"averaged", "averaged:margin=0,bias=off", NULL},
             {"pa", "pa:C=1,averaged=off,bias=off", NULL},
             {"pegasos", "pegasos:bias=off", NULL},
             {"panel of the two first, share 0", "panel:decide=vote,share=0,blend=off",
              "members=perceptron:margin=0,bias=off+averaged:margin=0,bias=off"},
             {"the same, share 0.01", "panel:decide=vote,share=0.01,blend=off",
              "members=perceptron:margin=0,bias=off+averaged:margin=0,bias=off"}},
    .rules = 6,
};
enum { PERCEPTRON, AVERAGED, STILL_PANEL = 4, SHARING_PANEL };

static const scene multiplicative = {
    .title = "Mistakes while a disjunction of 5 of 200 changes every 1000 examples",
    .spec = "disjunction:n=200,k=5,drift=1000",
    .rule = {{"winnow", "winnow:promote=2,demote=0.5,theta=200,start=1", NULL},
             {"winnow, elimination", "winnow:promote=2,demote=0,theta=200,start=1", NULL},
             {"balanced", "balanced:margin=0,eta=0.1", NULL},
             {"perceptron", "perceptron:margin=0", NULL},
             {"naive Bayes", "bayes:kind=bernoulli", NULL}},
    .rules = 5,
};
enum { WINNOW, ELIMINATION };

typedef struct tally {
    double mistakes[MOST_RULES][WINDOWS][RUNS];
    thr_nearest updates; /* of the perceptron between two changes of the target */
} tally;

static int one_rule(tally *t, const contender *c, size_t rule, const thr_cloud *p, size_t run,
                    bool accountable, thr_error *err)
{
    thr_student s;
    int code = thr_student_open(&s, c->learner, c->settings, err);
    double before = 0, start = 0;
    for (size_t i = 0; i < p->n && code == 0 && s.code == 0; i++) {
        t->mistakes[rule][i / WINDOW][run] += thr_cloud_teach(p, i, &s);
        if (!accountable || (i + 1) % PART)
            continue;
        double now = (double)thr_student_stats(&s).updates;
        if (i >= PART)
            thr_nearest_keep(&t->updates, now - before, (1 + 2 * GAMMA * start) / (GAMMA * GAMMA));
        before = now;
        double length2 = 0;
        for (uint32_t v = 1; v <= p->keys; v++)
            length2 += pow(thr_student_weight(&s, v), 2);
        start = sqrt(length2);
    }
    code = code ? code : s.code;
    thr_student_close(&s);
    return code;
}

static int play(thr_lab *l, const scene *c, tally *t, double from, thr_error *err)
{
    int code = 0;
    for (size_t run = 0; run < RUNS && code == 0; run++) {
        thr_cloud p = {0};
        code = thr_cloud_generate(&p, c->spec, l->seed * 1000 + run, PART * PARTS, err);
        for (size_t r = 0; r < c->rules && code == 0; r++)
            code = one_rule(t, &c->rule[r], r, &p, run, c == &additive && r == PERCEPTRON, err);
        thr_cloud_clear(&p);
        code = code ? code : thr_lab_tell(l, from + 0.5 * (double)run / RUNS, err);
    }
    if (code)
        return code;
    thr_lab_draw(l, 0, c->title, "examples", "mistakes among the last 100, mean of 20 runs");
    for (size_t r = 0; r < c->rules; r++) {
        thr_lab_series(l, THR_CURVE, "%s", c->rule[r].name);
        for (size_t w = 0; w < WINDOWS; w++)
            thr_lab_point(l, (double)(w + 1) * WINDOW, thr_mean(t->mistakes[r][w], RUNS));
    }
    return 0;
}

/* ---- claims ------------------------------------------------------------------------------- */

/* Mistakes in a range of windows of one run. */
static double sum_of(const tally *t, size_t rule, size_t run, size_t from, size_t to)
{
    double sum = 0;
    for (size_t w = from; w < to; w++)
        sum += t->mistakes[rule][w][run];
    return sum;
}

/* The sign test over the runs: does `a` make fewer mistakes than `b` in these windows? */
static double fewer(const tally *t, size_t a, size_t b, size_t from, size_t to)
{
    thr_sign sign = {0};
    for (size_t run = 0; run < RUNS; run++)
        thr_sign_add(&sign, sum_of(t, a, run, from, to), sum_of(t, b, run, from, to));
    return thr_sign_p(sign);
}

static void claim(thr_lab *l, const tally *planes, const tally *disjunctions)
{
    enum { FIRST = PART / WINDOW };
    thr_lab_claims(l, THR_AT_MOST, planes->updates.bound, planes->updates.seen,
                   "the perceptron's updates between two changes of the target, in the part of %d "
                   "where it is nearest to (R^2 + 2 gamma |w0|)/gamma^2",
                   RUNS * (PARTS - 1));
    thr_lab_claims(l, THR_AT_MOST, 0.001, fewer(planes, PERCEPTRON, AVERAGED, FIRST, WINDOWS),
                   "averaged makes more mistakes than the perceptron after the first change: "
                   "p-value of the sign test over %d runs",
                   RUNS);
    thr_lab_claims(l, THR_AT_MOST, 0.001, fewer(planes, SHARING_PANEL, AVERAGED, FIRST, WINDOWS),
                   "a panel of both makes fewer mistakes than averaged after the first change: "
                   "p-value of the sign test over %d runs",
                   RUNS);
    thr_lab_claims(l, THR_AT_MOST, 0.001, fewer(disjunctions, WINNOW, ELIMINATION, FIRST, WINDOWS),
                   "winnow with demotion 1/2 makes fewer mistakes than with elimination after the "
                   "first change: p-value of the sign test over %d runs",
                   RUNS);
}

static void say_after(thr_lab *l, const scene *c, const tally *t)
{
    enum { FIRST = PART / WINDOW };
    thr_bytes text = {0};
    for (size_t r = 0; r < c->rules; r++) {
        double at_once = 0, late = 0;
        for (size_t part = 1; part < PARTS; part++) {
            at_once += thr_mean(t->mistakes[r][part * FIRST], RUNS) / (PARTS - 1);
            late += thr_mean(t->mistakes[r][part * FIRST + FIRST - 1], RUNS) / (PARTS - 1);
        }
        l->failed |= !thr_bytes_printf(&text, "%s%s %.1f and %.1f", r ? "; " : "", c->rule[r].name,
                                       at_once, late);
    }
    thr_lab_say(
        l,
        "%s: of the first 100 examples after a change, and of the last 100 before the next, "
        "so many were mistaken: %s.",
        c->title, text.p ? text.p : "");
    thr_bytes_clear(&text);
}

static int run(thr_lab *l, thr_error *err)
{
    tally *t = calloc(2, sizeof *t);
    int code = t ? play(l, &additive, &t[0], 0, err) : thr_fail_memory(err);
    code = code ? code : play(l, &multiplicative, &t[1], 0.5, err);
    if (code == 0) {
        claim(l, &t[0], &t[1]);
        say_after(l, &additive, &t[0]);
        say_after(l, &multiplicative, &t[1]);
        thr_lab_say(l,
                    "The mean of all hypotheses so far remembers the old target for as long as "
                    "it lasted. A weight that was eliminated is 0 for ever, while one that was "
                    "halved comes back by doubling. Naive Bayes adds the new counts to the old.");
    }
    free(t);
    return code;
}

const thr_experiment thr_lab_drift = {
    .name = "drift",
    .title = "A target that changes",
    .claim = "rules that live in their last hypothesis recover from a change; those that average, "
             "count or eliminate do so slowly, or never",
    .seconds = 2.5,
    .run = run,
};
