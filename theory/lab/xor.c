/* XOR, parity and k-DNF (L0 2). Over its own variables XOR has no separator: the weights of the
 * perceptron repeat, and what was added in between is a combination of the points that is zero.
 * Conjunctions of two make XOR linear; parity of three needs conjunctions of three. */
#include "lab/cloud.h"
#include "lab/functions.h"
#include "lab/linear.h"

#include <math.h>
#include <string.h>

enum { PASSES = 400, SHOWN = 28 };
#define XOR (1u << 1 | 1u << 2) /* its truth table */

static bool exclusive_or(unsigned point)
{
    return point == 1 || point == 2;
}

static bool odd(unsigned point)
{
    return __builtin_popcount(point) % 2;
}

/* ---- the cycle ---------------------------------------------------------------------------- */

/* The weights of the trained model after each example, and their distance from the whole numbers
 * that the proof uses. */
typedef struct trajectory {
    double weight[3][SHOWN + 1]; /* of the bias, a and b */
    double apart;
} trajectory;

static int follow(trajectory *f, thr_error *err)
{
    thr_cloud points = {0};
    thr_student s;
    thr_linear exact = {0};
    thr_cloud_cube(&points, 2, exclusive_or);
    int code = thr_student_open(&s, "perceptron:margin=0,rate=1", NULL, err);
    if (code == 0 && points.failed)
        code = thr_fail_memory(err);
    for (int seen = 1; seen <= SHOWN && code == 0 && s.code == 0; seen++) {
        thr_cloud_teach(&points, (size_t)(seen - 1) % 4, &s);
        for (uint32_t v = 0; v < 3; v++)
            f->weight[v][seen] = v ? thr_student_weight(&s, v) : thr_student_bias(&s);
        if (seen % 4)
            continue;
        thr_linear_pass(&exact, 2, XOR, 1);
        for (size_t v = 0; v < 3; v++)
            f->apart = fmax(f->apart, fabs(f->weight[v][seen] - (double)exact.weight[v]));
    }
    code = code ? code : s.code;
    thr_student_close(&s);
    thr_cloud_clear(&points);
    return code;
}

static void say_sum(thr_lab *l, const thr_linear *p)
{
    thr_lab_say(
        l,
        "After %u pass%s over the four points the weights are those of %u pass%s before. In "
        "between the points "
        "(0,0), (1,0), (0,1), (1,1) were added %llu, %llu, %llu and %llu times, each with "
        "its sign: that sum is zero in every coordinate, so no weights can have all four "
        "on the right side.",
        p->passes, p->passes == 1 ? "" : "es", p->cycle_passes, p->cycle_passes == 1 ? "" : "es",
        (unsigned long long)p->times[0], (unsigned long long)p->times[1],
        (unsigned long long)p->times[2], (unsigned long long)p->times[3]);
}

/* Whether it is proven that conjunctions of `degree` are enough (or are not). */
static bool proves(unsigned n, bool (*truth)(unsigned), unsigned degree, bool enough)
{
    uint32_t table = 0;
    for (unsigned point = 0; point < 1u << n; point++)
        table |= (uint32_t)truth(point) << point;
    thr_linear p = thr_linear_decide(n, table, degree);
    return thr_linear_check(n, table, degree, &p) && p.is_linear == enough;
}

static int show_cycle(thr_lab *l, thr_error *err)
{
    static const char *const names[] = {"bias", "a", "b"};
    trajectory f = {{{0}}, 0};
    thr_linear p = thr_linear_decide(2, XOR, 1);
    thr_lab_claims(l, THR_EXACTLY, 0, thr_linear_check(2, XOR, 1, &p) && !p.is_linear ? 0 : 1,
                   "XOR over a and b: the perceptron's weights come back, and what was added in "
                   "between is zero, in whole numbers");
    say_sum(l, &p);
    int code = follow(&f, err);
    thr_lab_draw(l, 0, "XOR over a and b: the perceptron's weights come back", "examples seen",
                 "weight");
    for (size_t v = 0; v < 3; v++) {
        thr_lab_series(l, THR_CURVE, "%s", names[v]);
        for (int seen = 0; seen <= 12; seen++)
            thr_lab_point(l, seen, f.weight[v][seen]);
    }
    thr_lab_claims(l, THR_EXACTLY, 0, f.apart,
                   "the trained perceptron's weights are those whole numbers: greatest distance "
                   "after any of %d passes",
                   SHOWN / 4);
    bool needs = proves(3, odd, 1, false) && proves(3, odd, 2, false) && proves(3, odd, 3, true);
    bool four = proves(4, odd, 3, false) && proves(4, odd, 4, true);
    thr_lab_claims(l, THR_EXACTLY, 1, needs && four,
                   "parity of three needs conjunctions of three, and parity of four those of four: "
                   "a sum that is zero with one less, weights that separate with as many");
    return code;
}

/* ---- solved by conjunctions --------------------------------------------------------------- */

typedef struct attempt {
    const char *name, *learner, *conjoin;
    bool literals; /* "not a" and "not b" are features too */
    bool learns;
    double bound; /* on mistakes; 0: no claim */
} attempt;

/* XOR with conjunctions of two: w = (a 2, b 2, ab -4, bias -1) has y w.x = 1, so the perceptron
 * makes at most |w|^2 R^2 = 25 * 4 updates; `balanced`, u = (1, 1, -2, -1/2): g = 1/9, N = 4. Of
 * the 8 literals and conjunctions that occur, winnow learns a disjunction of two: 3 * 2 log2(16) +
 * 2. */
static const attempt attempts[] = {
    {"perceptron, a and b alone", "perceptron:margin=0", NULL, false, false, 0},
    {"perceptron", "perceptron:margin=0", "conjoin=2", false, true, 100},
    {"pa", "pa:C=inf,averaged=off", "conjoin=2", false, true, 100},
    {"balanced", "balanced:margin=0,eta=0.1111111111111111", "conjoin=2", false, true, 337},
    {"winnow", "winnow:promote=2,demote=0.5,theta=3,start=1", "conjoin=2", false, false, 0},
    {"winnow, with negated literals", "winnow:promote=2,demote=0.5,theta=8,start=1", "conjoin=2",
     true, true, 26},
    {"bernoulli bayes", "bayes:kind=bernoulli,alpha=1", "conjoin=2", false, false, 0},
};
enum { ATTEMPTS = sizeof attempts / sizeof *attempts };

static void four_points(thr_cloud *p, bool literals)
{
    for (unsigned point = 0; point < 4; point++) {
        uint32_t key[2];
        size_t n = 0;
        for (unsigned v = 0; v < 2; v++)
            if (point >> v & 1)
                key[n++] = v + 1;
            else if (literals)
                key[n++] = v + 3;
        thr_cloud_add(p, exclusive_or(point), key, NULL, n);
    }
}

static int attempt_one(thr_lab *l, const attempt *a, thr_error *err)
{
    thr_cloud points = {0};
    thr_student s;
    four_points(&points, a->literals);
    int code = thr_student_open(&s, a->learner, a->conjoin, err);
    thr_lab_series(l, THR_CURVE, "%s", a->name);
    uint64_t last = 0, all = 0;
    for (int pass = 1; pass <= PASSES && s.code == 0 && !points.failed; pass++) {
        all += last = thr_cloud_pass(&points, &s);
        if (pass <= SHOWN)
            thr_lab_point(l, pass, (double)last);
    }
    if (a->learns)
        thr_lab_claims(l, THR_AT_MOST, a->bound, last ? INFINITY : (double)all,
                       "XOR with conjunctions of two, %s: mistakes until none is left", a->name);
    else
        thr_lab_claims(l, THR_AT_LEAST, 1, (double)last, "XOR%s, %s: mistakes in pass %d",
                       a->conjoin ? " with conjunctions of two" : "", a->name, PASSES);
    if (strcmp(a->name, "bernoulli bayes") == 0)
        thr_lab_claims(l, THR_EXACTLY, 1,
                       thr_cloud_wrong(&points, &s) == 1 && thr_cloud_is_wrong(&points, 0, &s),
                       "bernoulli naive Bayes with conjunctions of two is wrong on (0,0) and on no "
                       "other point");
    code = code ? code : points.failed ? thr_fail_memory(err) : s.code;
    thr_student_close(&s);
    thr_cloud_clear(&points);
    return code;
}

static int solve(thr_lab *l, thr_error *err)
{
    int code = 0;
    thr_lab_draw(l, 0, "XOR with conjunctions of two: who learns it", "pass over the four points",
                 "mistakes in the pass");
    for (size_t i = 0; i < ATTEMPTS && code == 0; i++)
        code = attempt_one(l, &attempts[i], err);
    thr_lab_say(l, "Positive winnow has no negative weight to take \"a and b\" back with: it needs "
                   "w_a >= theta and w_b >= theta, and then a and b together are above theta too. "
                   "With \"not a\" and \"not b\" as features, \"a and not b\" and \"b and not a\" "
                   "are a disjunction, which it learns. Naive Bayes is not error-driven: the point "
                   "without any feature has only counts of absence to go by, and they mislead it.");
    return code;
}

static int run(thr_lab *l, thr_error *err)
{
    int code = show_cycle(l, err);
    code = code ? code : solve(l, err);
    code = code ? code : thr_lab_functions(l, err);
    return code ? code : thr_lab_heavy(l, err);
}

const thr_experiment thr_lab_xor = {
    .name = "xor",
    .title = "XOR, parity and DNF: what is linear, and in which features",
    .claim = "XOR has no separator, which the perceptron's cycle proves; conjunctions make it "
             "linear; and Winnow, which learns it then, does not select features",
    .seconds = 1.2,
    .run = run,
};
