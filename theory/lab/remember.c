/* The learner that remembers everything (L0 4, comment 6). It keeps all examples, and at each
 * mistake it runs a batch learner over them, here the perceptron until it is right on all. Nothing
 * in the online protocol forbids it. A retraining may start from zero or continue from the current
 * weights.
 *
 * If it continues, all examples that it visits form one sequence, to which Novikoff's bound
 * applies: all its updates together, including those at its mistakes, are at most R^2/gamma^2. If
 * it starts from zero, this holds for each retraining. Every pass except the last has an update, so
 * no retraining visits an example more than R^2/gamma^2 + 1 times. */
#include "lab/cloud.h"
#include "lab/lab.h"
#include "lab/verdict.h"
#include "measure/significance.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { RUNS = 20, MOST_EXAMPLES = 2000, CHECKS = 9, RULES = 5 };

/* ---- the learner -------------------------------------------------------------------------- */

typedef struct memory {
    double *w; /* by key; w[0] is the bias */
    bool bias, anew;
    double mistakes, updates, looks; /* so far; looks: examples scored, including in retraining */
    double most_updates;             /* of one retraining */
    double most_passes;
} memory;

static double score(memory *m, const thr_cloud *p, size_t i)
{
    m->looks++;
    return thr_cloud_dot(p, i, m->w) + (m->bias ? m->w[0] : 0);
}

static void add(memory *m, const thr_cloud *p, size_t i)
{
    double y = p->positive[i] ? 1 : -1;
    for (size_t f = thr_cloud_start(p, i); f < p->end[i]; f++)
        m->w[p->key[f]] += y * (double)p->x[f];
    m->w[0] += m->bias ? y : 0;
}

/* The perceptron over the first n examples until it is right on all. */
static void retrain(memory *m, const thr_cloud *p, size_t n)
{
    double updates = 0, before = -1, passes = 0;
    for (uint32_t v = 0; v <= p->keys && m->anew; v++)
        m->w[v] = 0;
    for (; updates > before; passes++) {
        before = updates;
        for (size_t i = 0; i < n; i++)
            if ((p->positive[i] ? 1 : -1) * score(m, p, i) <= 0) {
                add(m, p, i);
                updates++;
            }
    }
    m->updates += updates;
    m->most_updates = fmax(m->most_updates, updates);
    m->most_passes = fmax(m->most_passes, passes);
}

/* ---- the comparison ----------------------------------------------------------------------- */

typedef struct scene {
    const char *title, *spec, *name[RULES], *learner[RULES]; /* NULL: it remembers */
    size_t examples;
    double bound; /* R^2/gamma^2 */
    bool bias;
} scene;

enum { ANEW, GOING_ON, ONLINE, OTHER };

/* Disjunctions: w = 2 on the k variables, -1 on the bias: |w|^2 = 4k + 1, and R^2 is n + 1 at
 * most. */
static const scene scenes[] = {
    {.title = "unit vectors with margin 0.05",
     .spec = "margin:n=20,gamma=0.05",
     .name = {"remembers, begins anew", "remembers, goes on", "perceptron", "pa", "averaged"},
     .learner = {NULL, NULL, "perceptron:margin=0,bias=off", "pa:C=inf,averaged=off,bias=off",
                 "averaged:margin=0,bias=off"},
     .examples = 2000,
     .bound = 1 / (0.05 * 0.05)},
    {.title = "a disjunction of 5 of 200 variables",
     .spec = "disjunction:n=200,k=5",
     .name = {"remembers, begins anew", "remembers, goes on", "perceptron", "winnow", "balanced"},
     .learner = {NULL, NULL, "perceptron:margin=0", "winnow:promote=2,demote=0.5,theta=200,start=1",
                 "balanced:margin=0,eta=0.1"},
     .examples = 1000,
     .bound = 21 * 201,
     .bias = true},
};

typedef struct tally {
    double mistakes[RULES][CHECKS][RUNS], looks[2][CHECKS][RUNS];
    double updates_going_on, updates_anew; /* most in all, and in one retraining */
    double work;                           /* looks as a share of their bound */
} tally;

/* Checks are after examples/256, ..., examples/2, examples. */
static bool is_check(const scene *c, size_t seen, size_t *check)
{
    for (*check = 0; *check < CHECKS; ++*check)
        if (seen == c->examples >> (CHECKS - 1 - *check))
            return true;
    return false;
}

static int remembers(tally *t, const scene *c, size_t rule, const thr_cloud *p, size_t run,
                     thr_error *err)
{
    size_t check;
    memory m = {
        .w = calloc((size_t)p->keys + 1, sizeof *m.w), .bias = c->bias, .anew = rule == ANEW};
    if (!m.w)
        return thr_fail_memory(err);
    for (size_t i = 0; i < p->n; i++) {
        bool says = score(&m, p, i) >= 0;
        if (says != p->positive[i]) {
            m.mistakes++;
            retrain(&m, p, i + 1);
        }
        if (is_check(c, i + 1, &check)) {
            t->mistakes[rule][check][run] = m.mistakes;
            t->looks[rule][check][run] = m.looks;
        }
    }
    if (m.anew)
        t->updates_anew = fmax(t->updates_anew, m.most_updates);
    else
        t->updates_going_on = fmax(t->updates_going_on, m.updates);
    t->work = fmax(t->work, m.most_passes / (c->bound + 1));
    free(m.w);
    return 0;
}

static int learns(tally *t, const scene *c, size_t rule, const thr_cloud *p, size_t run,
                  thr_error *err)
{
    thr_student s;
    size_t check;
    int code = thr_student_open(&s, c->learner[rule], NULL, err);
    double mistakes = 0;
    for (size_t i = 0; i < p->n && code == 0; i++) {
        mistakes += thr_cloud_teach(p, i, &s);
        if (is_check(c, i + 1, &check))
            t->mistakes[rule][check][run] = mistakes;
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
        code = thr_cloud_generate(&p, c->spec, l->seed * 1000 + run, c->examples, err);
        for (size_t r = 0; r < RULES && code == 0; r++)
            code = (c->learner[r] ? learns : remembers)(t, c, r, &p, run, err);
        thr_cloud_clear(&p);
        code = code ? code : thr_lab_tell(l, from + 0.5 * (double)run / RUNS, err);
    }
    return code;
}

/* ---- results ------------------------------------------------------------------------------ */

static void draw_mistakes(thr_lab *l, const scene *c, const tally *t)
{
    char title[128];
    snprintf(title, sizeof title, "Mistakes on %s, mean of %d runs", c->title, RUNS);
    thr_lab_draw(l, THR_LOG_X | THR_LOG_Y, title, "examples", "mistakes so far");
    for (size_t r = 0; r < RULES; r++) {
        thr_lab_series(l, THR_CURVE, "%s", c->name[r]);
        for (size_t k = 0; k < CHECKS; k++)
            thr_lab_point(l, (double)(c->examples >> (CHECKS - 1 - k)),
                          thr_mean(t->mistakes[r][k], RUNS));
    }
}

static void draw_work(thr_lab *l, const scene *c, const tally *t)
{
    char title[128];
    snprintf(title, sizeof title, "Work on %s", c->title);
    thr_lab_draw(l, THR_LOG_X | THR_LOG_Y, title, "examples", "examples scored so far");
    for (size_t r = 0; r <= GOING_ON; r++) {
        thr_lab_series(l, THR_CURVE, "%s", c->name[r]);
        for (size_t k = 0; k < CHECKS; k++)
            thr_lab_point(l, (double)(c->examples >> (CHECKS - 1 - k)),
                          thr_mean(t->looks[r][k], RUNS));
    }
    thr_lab_series(l, THR_CURVE, "every on-line rule: one each");
    for (size_t k = 0; k < CHECKS; k++) {
        double n = (double)(c->examples >> (CHECKS - 1 - k));
        thr_lab_point(l, n, n);
    }
}

/* The sign test over the runs: does `a` make fewer mistakes than `b`? */
static double fewer(const tally *t, size_t a, size_t b)
{
    thr_sign sign = {0};
    for (size_t run = 0; run < RUNS; run++)
        thr_sign_add(&sign, t->mistakes[a][CHECKS - 1][run], t->mistakes[b][CHECKS - 1][run]);
    return thr_sign_p(sign);
}

static void claim(thr_lab *l, const scene *c, const tally *t)
{
    thr_lab_claims(l, THR_AT_MOST, c->bound, t->updates_going_on,
                   "%s, going on: updates of all retrainings together, against R^2/gamma^2 (%d "
                   "runs)",
                   c->title, RUNS);
    thr_lab_claims(l, THR_AT_MOST, c->bound, t->updates_anew,
                   "%s, beginning anew: most updates of one retraining", c->title);
    thr_lab_claims(l, THR_AT_MOST, 1, t->work,
                   "%s: passes of the longest retraining, as a share of R^2/gamma^2 + 1", c->title);
    thr_lab_claims(l, THR_AT_MOST, 0.001, fewer(t, ANEW, ONLINE),
                   "%s: who remembers everything makes fewer mistakes than the perceptron: p-value "
                   "of the sign test over %d runs",
                   c->title, RUNS);
    thr_lab_say(l,
                "On %s the learner that remembers and begins anew makes %.1f mistakes on average "
                "and scores %.0f examples for each that comes; the perceptron %.1f mistakes, and "
                "one. It keeps all %zu examples, the perceptron none.",
                c->title, thr_mean(t->mistakes[ANEW][CHECKS - 1], RUNS),
                thr_mean(t->looks[ANEW][CHECKS - 1], RUNS) / (double)c->examples,
                thr_mean(t->mistakes[ONLINE][CHECKS - 1], RUNS), c->examples);
}

static int run(thr_lab *l, thr_error *err)
{
    tally *t = calloc(2, sizeof *t);
    int code = t ? 0 : thr_fail_memory(err);
    for (size_t i = 0; i < 2 && code == 0; i++)
        code = play(l, &scenes[i], &t[i], 0.5 * (double)i, err);
    for (size_t i = 0; i < 2 && code == 0; i++) {
        draw_mistakes(l, &scenes[i], &t[i]);
        draw_work(l, &scenes[i], &t[i]);
        claim(l, &scenes[i], &t[i]);
    }
    if (code == 0) {
        thr_lab_claims(l, THR_AT_MOST, 0.001, fewer(&t[1], OTHER, ANEW),
                       "memory is no substitute for the right rule: winnow makes fewer mistakes on "
                       "disjunctions than the perceptron that remembers everything: p-value of the "
                       "sign test over %d runs",
                       RUNS);
        thr_lab_say(l, "On-line learning buys constant time and memory for each example, at the "
                       "price of some mistakes. How many depends more on the rule than on memory.");
    }
    free(t);
    return code;
}

const thr_experiment thr_lab_remember = {
    .name = "remember",
    .title = "The learner that remembers everything",
    .claim = "a learner that keeps all examples and retrains at each mistake makes fewer mistakes "
             "than the perceptron, at many times the work",
    .seconds = 1.2,
    .run = run,
};
