/* Naive Bayes compared with rules that learn from their errors. It is a linear function, but not
 * always one that fits: it learns "at least two of seven" from "at least three of seven" (L0 2),
 * takes a broken traffic light for a working one (L4 2.1), and counts a feature once for every
 * copy.
 *
 *   3 of 7: P(x_i=1|+) = 57/99, P(x_i=1|-) = 7/29; with t ones the log-odds rise in t through 0
 *           between one and two.
 *   copies: majority of three bits, the first of them c times. P(x_i=1|+) = 3/4, P(x_i=1|-) = 1/4,
 *           so the log-odds are ln 3 (c s_1 + s_2 + s_3), s_i = +-1: from c = 3 on the first bit
 *           decides alone, and two of the eight points are wrong. */
#include "lab/cloud.h"
#include "lab/lab.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- three of seven ----------------------------------------------------------------------- */

enum { SEVEN = 7, TWO_ONES = 21, PASSES = 400 };

static bool three(unsigned point)
{
    return __builtin_popcount(point) >= 3;
}

typedef struct entry {
    const char *name, *learner;
    double bound; /* on updates until a pass without mistakes; 0: none */
} entry;

/* w = 2 on the variables and -5 on the bias has y w.x >= 1: |w|^2 = 53, R^2 = 8; ||w||_1 = 19, so
 * g = 1/19, N = 8. */
static const entry entries[] = {
    {"perceptron", "perceptron:margin=0", 53 * 8},
    {"balanced, eta 1/19", "balanced:margin=0,eta=0.05263157894736842", 2001.8},
    {"winnow, 7/6 and 6/7",
     "winnow:promote=1.1666666666666667,demote=0.8571428571428571,theta=7,start=1", 0},
    {"winnow, 2 and 1/2", "winnow:promote=2,demote=0.5,theta=7,start=1", 0},
};
enum { ENTRIES = sizeof entries / sizeof *entries };

static void draw_scores(thr_lab *l, thr_student *s)
{
    static const uint32_t key[SEVEN] = {1, 2, 3, 4, 5, 6, 7};
    thr_lab_draw(l, 0, "Three of seven: what naive Bayes thinks", "ones among the seven variables",
                 "probability of the positive label");
    thr_lab_series(l, THR_CURVE, "naive Bayes");
    for (unsigned ones = 0; ones <= SEVEN; ones++)
        thr_lab_point(l, ones, 1 / (1 + exp(-thr_student_margin(s, key, NULL, ones))));
    thr_lab_series(l, THR_DOTS, "truth");
    for (unsigned ones = 0; ones <= SEVEN; ones++)
        thr_lab_point(l, ones, ones >= 3);
    thr_lab_series(l, THR_BOUND, "one half");
    thr_lab_point(l, 0, 0.5);
    thr_lab_point(l, SEVEN, 0.5);
}

static int by_counting(thr_lab *l, const thr_cloud *p, double alpha, thr_error *err)
{
    thr_student s;
    char learner[64];
    snprintf(learner, sizeof learner, "bayes:kind=bernoulli,alpha=%g", alpha);
    int code = thr_student_open(&s, learner, NULL, err);
    uint64_t with_two = 0, wrong = 0;
    thr_cloud_pass(p, &s);
    for (size_t i = 0; i < p->n; i++) {
        bool is_wrong = thr_cloud_is_wrong(p, i, &s);
        wrong += is_wrong;
        with_two += is_wrong && __builtin_popcount((unsigned)i) == 2;
    }
    thr_lab_claims(l, THR_EXACTLY, TWO_ONES, (double)wrong,
                   "bernoulli naive Bayes (alpha %g) counts all 128 points of 3 of 7: points it "
                   "has wrong",
                   alpha);
    thr_lab_claims(l, THR_EXACTLY, TWO_ONES, (double)with_two,
                   "... and those of them (alpha %g) that have two ones", alpha);
    if (alpha > 0)
        draw_scores(l, &s);
    code = code ? code : s.code;
    thr_student_close(&s);
    return code;
}

/* The weights before each pass, to detect when they repeat. */
typedef struct diary {
    double weight[PASSES + 1][SEVEN];
    unsigned passes;
} diary;

/* After how many passes the weights repeated; 0: they did not. */
static unsigned cycle_length(const diary *d)
{
    for (unsigned now = 1; now <= d->passes; now++)
        for (unsigned then = 0; then < now; then++)
            if (memcmp(d->weight[now], d->weight[then], sizeof d->weight[0]) == 0)
                return now - then;
    return 0;
}

static void claim_entry(thr_lab *l, const entry *e, double updates, unsigned clean, uint64_t last,
                        const diary *d)
{
    if (e->bound > 0)
        thr_lab_claims(l, THR_AT_MOST, e->bound, clean ? updates : INFINITY,
                       "3 of 7, %s: updates until a pass of the 128 points has no mistake",
                       e->name);
    else if (strstr(e->name, "7/6"))
        thr_lab_claims(l, THR_EXACTLY, 0, (double)last, "3 of 7, %s: mistakes in its last pass",
                       e->name);
    else {
        unsigned cycle = cycle_length(d);
        thr_lab_claims(l, THR_AT_LEAST, 1, cycle ? (double)last : 0,
                       "3 of 7, %s: its weights come back, so that it errs for ever; mistakes in "
                       "a pass",
                       e->name);
        thr_lab_say(l,
                    "The weights of winnow with 2 and 1/2 are powers of two. With theta 7 no "
                    "such weights say \"three of seven\": they come back every %u pass%s.",
                    cycle, cycle == 1 ? "" : "es");
    }
}

static int by_errors(thr_lab *l, const thr_cloud *p, const entry *e, diary *d, thr_error *err)
{
    thr_student s;
    int code = thr_student_open(&s, e->learner, NULL, err);
    unsigned clean = 0;
    uint64_t last = 1;
    *d = (diary){0};
    thr_lab_series(l, THR_CURVE, "%s", e->name);
    while (d->passes < PASSES && s.code == 0 && !clean) {
        last = thr_cloud_pass(p, &s);
        d->passes++;
        for (uint32_t v = 0; v < SEVEN; v++)
            d->weight[d->passes][v] = thr_student_weight(&s, v + 1);
        if (d->passes <= 10 || d->passes % (d->passes < 100 ? 5 : 50) == 0 || !last)
            thr_lab_point(l, d->passes, (double)last);
        clean = last ? 0 : d->passes;
    }
    claim_entry(l, e, (double)thr_student_stats(&s).updates, clean, last, d);
    code = code ? code : s.code;
    thr_student_close(&s);
    return code;
}

static int three_of_seven(thr_lab *l, thr_error *err)
{
    thr_cloud p = {0};
    static const double alpha[] = {0, 1};
    diary *d = calloc(1, sizeof *d);
    thr_cloud_cube(&p, SEVEN, three);
    int code = p.failed || !d ? thr_fail_memory(err) : 0;
    for (size_t i = 0; i < 2 && code == 0; i++)
        code = by_counting(l, &p, alpha[i], err);
    thr_lab_draw(l, THR_LOG_X, "Three of seven: rules that learn from their errors",
                 "pass over the 128 points", "mistakes in the pass");
    for (size_t i = 0; i < ENTRIES && code == 0; i++)
        code = by_errors(l, &p, &entries[i], d, err);
    thr_lab_series(l, THR_BOUND, "naive Bayes: 21");
    thr_lab_point(l, 1, TWO_ONES);
    thr_lab_point(l, PASSES, TWO_ONES);
    free(d);
    thr_cloud_clear(&p);
    return code;
}

/* ---- the traffic light -------------------------------------------------------------------- */

/* Feature 1: north-south is red; 2: east-west is red. Positive: the light works. */
static void seven_lights(thr_cloud *p)
{
    static const uint32_t both[] = {1, 2};
    for (int i = 0; i < 3; i++) {
        thr_cloud_add(p, true, both, NULL, 1);
        thr_cloud_add(p, true, both + 1, NULL, 1);
    }
    thr_cloud_add(p, false, both, NULL, 2);
}

static int traffic_light(thr_lab *l, thr_error *err)
{
    static const uint32_t both[] = {1, 2};
    thr_cloud p = {0};
    thr_student counts, errs = {0};
    seven_lights(&p);
    int code = thr_student_open(&counts, "bayes:kind=bernoulli,alpha=0", NULL, err);
    if (code == 0)
        code = thr_student_open(&errs, "perceptron:margin=0", NULL, err);
    if (code == 0 && p.failed)
        code = thr_fail_memory(err);
    if (code == 0) {
        thr_cloud_pass(&p, &counts);
        double works = 1 / (1 + exp(-thr_student_margin(&counts, both, NULL, 2)));
        unsigned clean = thr_cloud_until_clean(&p, &errs, PASSES);
        thr_lab_claims(l, THR_AT_MOST, 1e-5, fabs(works - 0.6),
                       "the traffic light: both sides red only when it is broken, and naive Bayes "
                       "says with %.1f %% that it works: distance from 60 %%",
                       100 * works);
        /* w = (-2, -2), bias 3: |w|^2 = 17, R^2 = 3 */
        thr_lab_claims(
            l, THR_AT_MOST, 17 * 3, clean ? (double)thr_student_stats(&errs).updates : INFINITY,
            "the traffic light: the perceptron's updates until it is right on all lights");
        code = counts.code ? counts.code : errs.code;
    }
    thr_student_close(&errs);
    thr_student_close(&counts);
    thr_cloud_clear(&p);
    return code;
}

/* ---- copies ------------------------------------------------------------------------------- */

enum { COPIES = 12, RULES = 4 };

static const char *const rule_names[RULES] = {"naive Bayes", "perceptron", "pa", "balanced"};
static const char *const rules[RULES] = {"bayes:kind=bernoulli,alpha=0", "perceptron:margin=0",
                                         "pa:C=inf,averaged=off", "balanced:margin=0,eta=0.05"};

/* Majority of three bits; the first bit has c copies. */
static void majority(thr_cloud *p, unsigned copies)
{
    for (unsigned point = 0; point < 8; point++) {
        uint32_t key[COPIES + 2];
        size_t n = 0;
        for (uint32_t v = 2; v <= 3; v++)
            if (point >> (v - 1) & 1)
                key[n++] = v;
        for (uint32_t c = 0; c < copies && point & 1; c++)
            key[n++] = 4 + c;
        thr_cloud_add(p, __builtin_popcount(point) >= 2, key, NULL, n);
    }
}

typedef struct copied {
    double wrong[RULES][COPIES + 1];
    double sure[COPIES + 1]; /* naive Bayes' probability of positive at (1,0,0) */
    double off;              /* deviation of its log-odds there from (c - 2) ln 3 */
} copied;

static int one_copied(copied *out, unsigned c, size_t rule, thr_error *err)
{
    thr_cloud p = {0};
    thr_student s;
    majority(&p, c);
    int code = thr_student_open(&s, rules[rule], NULL, err);
    if (code == 0 && p.failed)
        code = thr_fail_memory(err);
    if (code == 0) {
        thr_cloud_until_clean(&p, &s, rule ? PASSES : 1);
        out->wrong[rule][c] = (double)thr_cloud_wrong(&p, &s);
        size_t from = thr_cloud_start(&p, 1);
        double lead = thr_student_margin(&s, p.key + from, NULL, p.end[1] - from);
        if (rule == 0) {
            out->sure[c] = 1 / (1 + exp(-lead));
            out->off = fmax(out->off, fabs(lead - ((double)c - 2) * log(3)));
        }
        code = s.code;
    }
    thr_student_close(&s);
    thr_cloud_clear(&p);
    return code;
}

static void report_copies(thr_lab *l, const copied *out)
{
    thr_lab_draw(l, 0, "Majority of three bits, one of them copied", "copies of the first bit",
                 "wrong, of the 8 points");
    double most = 0, least = 8;
    for (size_t r = 0; r < RULES; r++) {
        thr_lab_series(l, THR_CURVE, "%s", rule_names[r]);
        for (unsigned c = 1; c <= COPIES; c++) {
            thr_lab_point(l, c, out->wrong[r][c]);
            if (r)
                most = fmax(most, out->wrong[r][c]);
            else if (c > 2)
                least = fmin(least, out->wrong[r][c]);
        }
    }
    thr_lab_draw(l, 0, "... and how sure naive Bayes is of what is wrong",
                 "copies of the first bit", "its probability that (1,0,0) is positive");
    thr_lab_series(l, THR_CURVE, "naive Bayes");
    for (unsigned c = 1; c <= COPIES; c++)
        thr_lab_point(l, c, out->sure[c]);
    thr_lab_series(l, THR_BOUND, "truth: 0");
    thr_lab_point(l, 1, 0);
    thr_lab_point(l, COPIES, 0);
    thr_lab_claims(
        l, THR_EXACTLY, 2, least,
        "majority of three with 3 to %d copies of one bit: naive Bayes follows that bit, "
        "wrong on 2 of 8 points",
        COPIES);
    thr_lab_claims(l, THR_AT_MOST, 1e-4, out->off,
                   "... its log-odds on (1,0,0) are (c - 2) ln 3, ever surer of the wrong answer: "
                   "greatest distance");
    thr_lab_claims(l, THR_EXACTLY, 0, most,
                   "the rules that learn from errors do not care: points they have wrong, at most");
}

static int copies(thr_lab *l, thr_error *err)
{
    copied out = {{{0}}, {0}, 0};
    int code = 0;
    for (size_t r = 0; r < RULES && code == 0; r++)
        for (unsigned c = 1; c <= COPIES && code == 0; c++)
            code = one_copied(&out, c, r, err);
    if (code == 0)
        report_copies(l, &out);
    return code;
}

static int run(thr_lab *l, thr_error *err)
{
    int code = three_of_seven(l, err);
    code = code ? code : traffic_light(l, err);
    code = code ? code : copies(l, err);
    thr_lab_say(l,
                "Naive Bayes sets each weight by itself, from counts, as if the features were "
                "independent given the label. Where they are not, as two lights of one crossing, "
                "or a word and its copy, it counts the same evidence twice. A rule that moves "
                "only when it errs sets all weights together: copies share one weight.");
    return code;
}

const thr_experiment thr_lab_bayes = {
    .name = "bayes",
    .title = "Naive Bayes and what it cannot say",
    .claim = "naive Bayes takes three of seven for two of seven, calls a broken light working and "
             "trusts copies; rules that learn from errors do none of this",
    .seconds = 0.1,
    .run = run,
};
