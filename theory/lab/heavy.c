/* Winnow does not select features (L0 7.1). The target is a disjunction of k variables. Decoys
 * occur in most positive examples and in some negative ones. A disjunction that contains a decoy is
 * wrong. Winnow nevertheless gives them large weights, as it looks for any linear function that
 * fits: a positive example promotes the one target variable that it has, but every one of its
 * decoys. */
#include "base/random.h"
#include "lab/cloud.h"
#include "lab/functions.h"

#include <math.h>
#include <stdio.h>

enum { TARGETS = 8, DECOYS = 8, OTHERS = 44, ALL = TARGETS + DECOYS + OTHERS, EXAMPLES = 600 };
enum { PASSES = 200 };

static bool tossed(thr_random *r, double p)
{
    return thr_random_real(r) < p;
}

/* A positive example has one variable of the target and nine decoys of ten, a negative one has one
 * decoy; the others come and go. */
static void draw(thr_cloud *p, thr_random *r)
{
    uint32_t key[ALL];
    size_t n = 0;
    bool positive = tossed(r, 0.5);
    uint32_t target = (uint32_t)thr_random_below(r, TARGETS) + 1;
    uint32_t decoy = (uint32_t)thr_random_below(r, DECOYS) + TARGETS + 1;
    if (positive)
        key[n++] = target;
    for (uint32_t v = TARGETS + 1; v <= TARGETS + DECOYS; v++)
        if (positive ? tossed(r, 0.9) : v == decoy)
            key[n++] = v;
    for (uint32_t v = TARGETS + DECOYS + 1; v <= ALL; v++)
        if (tossed(r, 0.1))
            key[n++] = v;
    thr_cloud_add(p, positive, key, NULL, n);
}

/* Decoys that some negative example has: no consistent disjunction contains one of these. */
static unsigned refuted(const thr_cloud *p)
{
    bool in_negative[ALL + 1] = {false};
    unsigned n = 0;
    for (size_t i = 0; i < p->n; i++)
        for (size_t f = thr_cloud_start(p, i); f < p->end[i]; f++)
            in_negative[p->key[f]] |= !p->positive[i];
    for (uint32_t v = TARGETS + 1; v <= TARGETS + DECOYS; v++)
        n += in_negative[v];
    return n;
}

/* How many of the k largest weights belong to the target. */
static unsigned among_heaviest(const double *w)
{
    unsigned found = 0;
    for (uint32_t v = 1; v <= TARGETS; v++) {
        unsigned heavier = 0;
        for (uint32_t o = 1; o <= ALL; o++)
            heavier += w[o] > w[v];
        found += heavier < TARGETS;
    }
    return found;
}

static double heaviest(const double *w, uint32_t from, uint32_t to)
{
    double most = 0;
    for (uint32_t v = from; v <= to; v++)
        most = fmax(most, w[v]);
    return most;
}

static void series(thr_lab *l, const char *name, const double *w, uint32_t from, uint32_t to)
{
    thr_lab_series(l, THR_BARS, "%s", name);
    for (uint32_t v = from; v <= to; v++)
        thr_lab_point(l, v, w[v]);
}

static void report(thr_lab *l, const double *w, unsigned clean, uint64_t mistakes, unsigned off)
{
    thr_lab_draw(l, 0, "Winnow's weights when it is right on every example", "variable", "weight");
    series(l, "in the target", w, 1, TARGETS);
    series(l, "decoys", w, TARGETS + 1, TARGETS + DECOYS);
    series(l, "others", w, TARGETS + DECOYS + 1, ALL);
    double bound = 3 * TARGETS * log2(2.0 * ALL) + 2;
    thr_lab_claims(l, THR_AT_MOST, bound, clean ? (double)mistakes : INFINITY,
                   "winnow (2, 1/2, theta n) on a disjunction of %d of %d, with decoys: mistakes "
                   "until it is right on all of %d examples",
                   TARGETS, ALL, EXAMPLES);
    thr_lab_claims(l, THR_EXACTLY, DECOYS, off,
                   "decoys that a negative example refutes as part of the disjunction, of %d",
                   DECOYS);
    double target = heaviest(w, 1, TARGETS), decoy = heaviest(w, TARGETS + 1, TARGETS + DECOYS);
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
        TARGETS, among_heaviest(w));
}

int thr_lab_heavy(thr_lab *l, thr_error *err)
{
    thr_cloud points = {0};
    thr_student s;
    thr_random r;
    char learner[96];
    thr_random_init(&r, thr_mix64(l->seed) ^ 11);
    for (int i = 0; i < EXAMPLES; i++)
        draw(&points, &r);
    snprintf(learner, sizeof learner, "winnow:promote=2,demote=0.5,theta=%d,start=1", ALL);
    int code = thr_student_open(&s, learner, NULL, err);
    if (code == 0 && points.failed)
        code = thr_fail_memory(err);
    unsigned clean = code ? 0 : thr_cloud_until_clean(&points, &s, PASSES);
    double w[ALL + 1] = {0};
    for (uint32_t v = 1; v <= ALL && code == 0; v++)
        w[v] = thr_student_weight(&s, v);
    if (code == 0)
        report(l, w, clean, thr_student_stats(&s).mistakes, refuted(&points));
    code = code ? code : s.code;
    thr_student_close(&s);
    thr_cloud_clear(&points);
    return code;
}
