/* Winnow does not select features: its heaviest weights need not belong to the target (lecture
 * notes L0 section 7.1, see docs/THEORY.md). A part of the experiment `xor`.
 *
 * The target is a disjunction of TARGETS variables. The decoys are variables that occur in most
 * positive examples and in some negative ones, so that a disjunction with a decoy in it is
 * wrong. Winnow nevertheless gives decoys large weights, since it looks for any linear function
 * that fits: a mistake on a positive example promotes the single target variable that the
 * example has, but all of its decoys. */
#include "base/random.h"
#include "lab/cloud.h"
#include "lab/functions.h"

#include <math.h>
#include <stdio.h>

/* Variables are numbered from 1: first those of the target, then the decoys, then the others,
 * which are independent of the label. */
enum { TARGETS = 8, DECOYS = 8, OTHERS = 44, ALL = TARGETS + DECOYS + OTHERS };
enum { FIRST_DECOY = TARGETS + 1, LAST_DECOY = TARGETS + DECOYS, FIRST_OTHER };
enum { EXAMPLES = 600, MOST_PASSES = 200 };

/* True with probability p. */
static bool happens(thr_random *r, double p)
{
    return thr_random_real(r) < p;
}

/* Adds an example, which is positive or negative with equal probability. A positive one has one
 * variable of the target, and each decoy with probability 0.9; a negative one has exactly one
 * decoy. Both have each of the other variables with probability 0.1. */
static void draw_example(thr_cloud *p, thr_random *r)
{
    uint32_t key[ALL];
    size_t n = 0;
    bool positive = happens(r, 0.5);
    uint32_t target = (uint32_t)thr_random_below(r, TARGETS) + 1;
    uint32_t decoy = (uint32_t)thr_random_below(r, DECOYS) + FIRST_DECOY;
    if (positive)
        key[n++] = target;
    for (uint32_t v = FIRST_DECOY; v <= LAST_DECOY; v++)
        if (positive ? happens(r, 0.9) : v == decoy)
            key[n++] = v;
    for (uint32_t v = FIRST_OTHER; v <= ALL; v++)
        if (happens(r, 0.1))
            key[n++] = v;
    thr_cloud_add(p, positive, key, NULL, n);
}

/* The number of decoys that some negative example has. No disjunction that is right on all
 * examples contains one of these. */
static unsigned count_refuted(const thr_cloud *p)
{
    bool in_negative[ALL + 1] = {false};
    unsigned n = 0;
    for (size_t i = 0; i < p->n; i++)
        for (size_t f = thr_cloud_start(p, i); f < p->end[i]; f++)
            in_negative[p->key[f]] |= !p->positive[i];
    for (uint32_t v = FIRST_DECOY; v <= LAST_DECOY; v++)
        n += in_negative[v];
    return n;
}

/* How many of the TARGETS largest weights belong to the target. w is indexed by variable. */
static unsigned targets_among_heaviest(const double *w)
{
    unsigned found = 0;
    for (uint32_t v = 1; v <= TARGETS; v++) {
        unsigned heavier = 0;
        for (uint32_t other = 1; other <= ALL; other++)
            heavier += w[other] > w[v];
        found += heavier < TARGETS;
    }
    return found;
}

/* The largest weight of the variables from `from` to `to`, both included; at least 0. */
static double largest_weight(const double *w, uint32_t from, uint32_t to)
{
    double most = 0;
    for (uint32_t v = from; v <= to; v++)
        most = fmax(most, w[v]);
    return most;
}

/* One group of bars in the chart: the weights of the variables from `from` to `to`. */
static void draw_weights(thr_lab *l, const char *name, const double *w, uint32_t from, uint32_t to)
{
    thr_lab_series(l, THR_BARS, "%s", name);
    for (uint32_t v = from; v <= to; v++)
        thr_lab_point(l, v, w[v]);
}

/* `passes` is the number of passes until one was without mistakes; 0 if none was, and then the
 * claim on mistakes fails. `refuted` is from count_refuted. */
static void report(thr_lab *l, const double *w, unsigned passes, uint64_t mistakes,
                   unsigned refuted)
{
    thr_lab_draw(l, 0, "Winnow's weights when it is right on every example", "variable", "weight");
    draw_weights(l, "in the target", w, 1, TARGETS);
    draw_weights(l, "decoys", w, FIRST_DECOY, LAST_DECOY);
    draw_weights(l, "others", w, FIRST_OTHER, ALL);
    /* 3 u + 2 with u <= k log2(2n) promotions: docs/THEORY.md, winnow. */
    double bound = 3 * TARGETS * log2(2.0 * ALL) + 2;
    thr_lab_claims(l, THR_AT_MOST, bound, passes ? (double)mistakes : INFINITY,
                   "winnow (2, 1/2, theta n) on a disjunction of %d of %d, with decoys: mistakes "
                   "until it is right on all of %d examples",
                   TARGETS, ALL, EXAMPLES);
    thr_lab_claims(l, THR_EXACTLY, DECOYS, refuted,
                   "decoys that a negative example refutes as part of the disjunction, of %d",
                   DECOYS);
    double target = largest_weight(w, 1, TARGETS),
           decoy = largest_weight(w, FIRST_DECOY, LAST_DECOY);
    /* At least the next double: strictly greater. */
    thr_lab_claims(l, THR_AT_LEAST, nextafter(target, INFINITY), decoy,
                   "winnow does not select features: its heaviest decoy outweighs all of the "
                   "target (%g)",
                   target);
    thr_lab_say(
        l,
        "Of its %d heaviest weights %u are the target's. It is right on every example all "
        "the same: it found a linear function that fits, not the variables that matter. "
        "To find the smallest disjunction or conjunction that fits is NP-hard (L0 7.1). Where "
        "decoys are less faithful, say in eight positive examples of ten and in two "
        "negative ones of ten, the target's variables do come out on top: heavy weights "
        "hint at what matters, and no more.",
        TARGETS, targets_among_heaviest(w));
}

int thr_lab_heavy(thr_lab *l, thr_error *err)
{
    thr_cloud points = {0};
    thr_student s;
    thr_random r;
    char learner[96];
    thr_random_init(&r, thr_mix64(l->seed) ^ 11); /* 11: a random stream of its own */
    for (int i = 0; i < EXAMPLES; i++)
        draw_example(&points, &r);
    snprintf(learner, sizeof learner, "winnow:promote=2,demote=0.5,theta=%d,start=1", ALL);
    int code = thr_student_open(&s, learner, NULL, err);
    if (code == 0 && points.failed)
        code = thr_fail_memory(err);
    unsigned passes = code ? 0 : thr_cloud_until_clean(&points, &s, MOST_PASSES);
    double w[ALL + 1] = {0};
    for (uint32_t v = 1; v <= ALL && code == 0; v++)
        w[v] = thr_student_weight(&s, v);
    if (code == 0)
        report(l, w, passes, thr_student_stats(&s).mistakes, count_refuted(&points));
    code = code ? code : s.code;
    thr_student_close(&s);
    thr_cloud_clear(&points);
    return code;
}
