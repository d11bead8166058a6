/* Learning concepts (L2): CON errs at most |C| - 1 times and halving log2 |C| times on any class C;
 * elimination n times on monotone conjunctions of n variables, n + 1 with negated literals. An
 * adversary that knows the learner reaches all of them. Then the three protocols: n questions,
 * k + 1 examples from a teacher (k if k = n), elimination on what nature shows. */
#include "concepts/adversary.h"
#include "concepts/eliminator.h"
#include "lab/lab.h"

#include <math.h>
#include <stdio.h>

enum { VARIABLES = 10, RUNS = 20, EXAMPLES = 300, GAME = 10 };

/* ---- adversaries -------------------------------------------------------------------------- */

static int force(const char *spec, size_t n, enum thr_version_rule rule, uint64_t seed,
                 double *size, double *mistakes, thr_error *err)
{
    thr_variables v = {0};
    thr_concepts c = {0};
    uint64_t forced = 0;
    int code = thr_variables_number(&v, n, err);
    if (code == 0)
        code = thr_concepts_make(&c, spec, &v, err);
    if (code == 0)
        code = thr_adversary_of_class(&c, n, rule, seed, &forced, err);
    *size = (double)c.n;
    *mistakes = (double)forced;
    thr_concepts_clear(&c);
    thr_variables_clear(&v);
    return code;
}

/* A class for which the bound is tight, with a growing number of variables. */
static int tight(thr_lab *l, const char *spec, enum thr_version_rule rule, const char *what,
                 thr_error *err)
{
    double size, mistakes;
    int code = 0;
    thr_lab_series(l, THR_CURVE, "%s against the adversary", what);
    for (size_t n = 2; n <= VARIABLES && code == 0; n++) {
        code = force(spec, n, rule, l->seed, &size, &mistakes, err);
        double bound = rule == THR_HALVING ? floor(log2(size)) : size - 1;
        thr_lab_point(l, size, mistakes);
        if (n == VARIABLES || mistakes != bound) /* else no claim: the last covers all */
            thr_lab_claims(l, THR_EXACTLY, bound, mistakes,
                           "%s: mistakes that the adversary forces on the %g %s over %zu variables "
                           "(and as tightly over fewer); the bound is %s",
                           what, size, spec, n,
                           rule == THR_HALVING ? "the whole part of log2 |C|" : "|C| - 1");
    }
    return code;
}

/* Other classes, for which the bound may not be reached. */
static int bounded(thr_lab *l, enum thr_version_rule rule, const char *what, thr_error *err)
{
    static const struct {
        const char *spec;
        size_t n;
    } class[] = {{"conjunctions", 7},         {"conjunctions:negated=on", 4},
                 {"disjunctions:k=2", 7},     {"disjunctions:negated=on", 4},
                 {"thresholds", 5},           {"thresholds:m=2,k=3,exactly=on", 7},
                 {"thresholds:negated=on", 4}};
    double worst = 0, size, mistakes;
    int code = 0;
    for (size_t i = 0; i < sizeof class / sizeof *class && code == 0; i++) {
        code = force(class[i].spec, class[i].n, rule, l->seed, &size, &mistakes, err);
        worst = fmax(worst, mistakes / (rule == THR_HALVING ? floor(log2(size)) : size - 1));
    }
    thr_lab_claims(
        l, THR_AT_MOST, 1, worst,
        "%s: mistakes forced, as a share of the bound, on conjunctions, disjunctions and "
        "thresholds of 29 to 216 concepts",
        what);
    return code;
}

static int adversaries(thr_lab *l, thr_error *err)
{
    thr_lab_draw(l, THR_LOG_X | THR_LOG_Y, "Mistakes that an adversary forces",
                 "concepts in the class", "mistakes");
    int code = tight(l, "disjunctions:k=1,exactly=on", THR_CONSISTENT, "CON", err);
    if (code == 0)
        code = tight(l, "conjunctions", THR_HALVING, "halving", err);
    thr_lab_series(l, THR_BOUND, "|C| - 1");
    for (int size = 2; size <= VARIABLES; size++)
        thr_lab_point(l, size, size - 1);
    thr_lab_series(l, THR_BOUND, "log2 |C|");
    for (int n = 2; n <= VARIABLES; n++)
        thr_lab_point(l, exp2(n), n);
    if (code == 0)
        code = bounded(l, THR_CONSISTENT, "CON", err);
    return code ? code : bounded(l, THR_HALVING, "halving", err);
}

static int elimination(thr_lab *l, thr_error *err)
{
    int code = 0;
    for (int kind = 0; kind < 4 && code == 0; kind++) {
        bool disjunction = kind & 1, negated = kind & 2;
        uint64_t mistakes;
        for (size_t n = 1; n <= VARIABLES && code == 0; n++) {
            code = thr_adversary_of_eliminate(n, disjunction, negated, &mistakes, err);
            if (n == VARIABLES || mistakes != n + negated) /* else no claim: the last covers all */
                thr_lab_claims(l, THR_EXACTLY, (double)(n + negated), (double)mistakes,
                               "elimination: mistakes that the adversary forces on %s of %zu "
                               "variables%s (and as tightly of fewer); the bound is %s",
                               disjunction ? "disjunctions" : "conjunctions", n,
                               negated ? " with negated literals" : "", negated ? "n + 1" : "n");
        }
    }
    return code;
}

/* ---- random streams ----------------------------------------------------------------------- */

typedef struct stream {
    thr_version_space con, halving;
    thr_eliminator eliminator;
    double mistakes[3]; /* CON, halving, elimination */
} stream;

/* Plays points over n variables, labelled by x1 & x2 & x3, to all three learners. Each of the three
 * variables is true with the same probability, chosen so that all are with probability 1/2. */
static int stream_once(const thr_concepts *c, size_t n, uint64_t seed, stream *s, thr_error *err)
{
    bool x[VARIABLES];
    thr_random random;
    thr_random_init(&random, seed);
    int code = thr_version_space_open(&s->con, c, THR_CONSISTENT, seed, err);
    if (code == 0)
        code = thr_version_space_open(&s->halving, c, THR_HALVING, seed, err);
    if (code == 0)
        code = thr_eliminator_open(&s->eliminator, n, false, false, err);
    for (int e = 0; e < EXAMPLES && code == 0; e++) {
        for (size_t i = 0; i < n; i++)
            x[i] = thr_random_real(&random) < (i < 3 ? 0.7937005259840998 : 0.5);
        bool label = x[0] && x[1] && x[2];
        s->mistakes[0] += thr_version_space_learn(&s->con, x, label);
        s->mistakes[1] += thr_version_space_learn(&s->halving, x, label);
        s->mistakes[2] += thr_eliminator_learn(&s->eliminator, x, label);
    }
    thr_version_space_close(&s->con);
    thr_version_space_close(&s->halving);
    thr_eliminator_close(&s->eliminator);
    return code;
}

static int streams_over(size_t n, uint64_t seed, double *mean, double *most, thr_error *err)
{
    thr_variables v = {0};
    thr_concepts c = {0};
    int code = thr_variables_number(&v, n, err);
    if (code == 0)
        code = thr_concepts_make(&c, "conjunctions", &v, err);
    for (uint64_t run = 0; run < RUNS && code == 0; run++) {
        stream s = {0};
        code = stream_once(&c, n, seed + run, &s, err);
        for (int k = 0; k < 3; k++) {
            mean[k] += s.mistakes[k] / RUNS;
            most[k] = fmax(most[k], s.mistakes[k]);
        }
    }
    thr_concepts_clear(&c);
    thr_variables_clear(&v);
    return code;
}

static int streams(thr_lab *l, thr_error *err)
{
    static const char *const name[] = {"CON", "halving", "elimination"};
    double mean[VARIABLES + 1][3] = {{0}}, share[3] = {0};
    int code = 0;
    for (size_t n = 3; n <= VARIABLES && code == 0; n++) {
        double most[3] = {0}, bound[3] = {exp2((double)n) - 1, (double)n, (double)n};
        code = streams_over(n, l->seed, mean[n], most, err);
        for (int k = 0; k < 3; k++)
            share[k] = fmax(share[k], most[k] / bound[k]);
    }
    thr_lab_draw(l, 0, "Mistakes on random examples of x1 & x2 & x3", "variables n",
                 "mistakes, mean of 20 runs");
    for (int k = 0; k < 3; k++) {
        thr_lab_series(l, THR_CURVE, "%s", name[k]);
        for (size_t n = 3; n <= VARIABLES; n++)
            thr_lab_point(l, (double)n, mean[n][k]);
        thr_lab_claims(l, THR_AT_MOST, 1, share[k],
                       "%s: mistakes, as a share of its bound, on random examples of a monotone "
                       "conjunction over 3 to %d variables, %d seeds each",
                       name[k], VARIABLES, RUNS);
    }
    thr_lab_series(l, THR_BOUND, "n, for halving and elimination");
    for (size_t n = 3; n <= VARIABLES; n++)
        thr_lab_point(l, (double)n, (double)n);
    return code;
}

/* ---- the three protocols ------------------------------------------------------------------ */

/* Plays games for every k of n. Counts those whose result differs from theory, and keeps the worst
 * result of `nature`. */
static int games(thr_lab *l, const char *protocol, bool negated, double *wrong, double *most,
                 thr_error *err)
{
    int code = 0;
    for (uint64_t n = 1; n <= GAME && code == 0; n++)
        for (uint64_t k = 1; k <= n && code == 0; k++) {
            thr_protocol_result r;
            thr_protocol_options o = {.protocol = protocol,
                                      .negated = negated,
                                      .disjunction = (n + k) & 1,
                                      .n = n,
                                      .k = k,
                                      .seed = l->seed + n,
                                      .limit = 100000};
            code = thr_protocol_play(&o, NULL, NULL, &r, err);
            *wrong += code == 0 && !(r.holds && r.equal);
            if (r.bound)
                *most = fmax(*most, (double)r.mistakes / (double)r.bound);
            thr_protocol_clear(&r);
        }
    return code;
}

static int all_games(thr_lab *l, thr_error *err)
{
    double wrong = 0, taught = 0, more = 0, nature = 0, most = 0, none = 0;
    int code = games(l, "ask", false, &wrong, &none, err);
    if (code == 0)
        code = games(l, "teach", false, &taught, &none, err);
    if (code == 0)
        code = games(l, "teach", true, &more, &none, err);
    if (code == 0)
        code = games(l, "nature", false, &nature, &most, err);
    if (code == 0)
        code = games(l, "nature", true, &nature, &most, err);
    thr_lab_claims(l, THR_EXACTLY, 0, wrong,
                   "protocol I, n questions: monotone targets of every k of n up to %d that took "
                   "another number, or were not found",
                   GAME);
    thr_lab_claims(l, THR_EXACTLY, 0, taught,
                   "protocol II, k + 1 examples (k if k = n): monotone targets of every k of n up "
                   "to %d that took another number, or were not certain",
                   GAME);
    thr_lab_claims(l, THR_EXACTLY, 0, more,
                   "protocol II with negated literals, one example more: targets of every k of n "
                   "up to %d that took another number, or were not certain",
                   GAME);
    thr_lab_claims(l, THR_EXACTLY, 0, nature,
                   "protocol III: targets of every k of n up to %d that elimination did not find, "
                   "or with more mistakes than n - k (n - k + 1 with negated literals)",
                   GAME);
    thr_lab_claims(l, THR_AT_MOST, 1, most,
                   "protocol III: mistakes of elimination as a share of that bound");
    return code;
}

static int counts(thr_lab *l, const char *protocol, const char *what, bool mistakes, thr_error *err)
{
    static const uint64_t n[] = {5, 10, 20, 50, 100, 200, 500, 1000};
    int code = 0;
    thr_lab_series(l, THR_CURVE, "%s", what);
    for (size_t i = 0; i < sizeof n / sizeof *n && code == 0; i++) {
        double sum = 0;
        for (uint64_t run = 0; run < RUNS && code == 0; run++) {
            thr_protocol_result r;
            thr_protocol_options o = {
                .protocol = protocol, .n = n[i], .k = 3, .seed = l->seed + run, .limit = 100000};
            code = thr_protocol_play(&o, NULL, NULL, &r, err);
            sum += (double)(mistakes ? r.mistakes : r.queries + r.examples) / RUNS;
            thr_protocol_clear(&r);
        }
        thr_lab_point(l, (double)n[i], sum);
    }
    return code;
}

static int protocols(thr_lab *l, thr_error *err)
{
    int code = all_games(l, err);
    thr_lab_draw(l, THR_LOG_X | THR_LOG_Y, "Three ways to learn a conjunction of three variables",
                 "variables n", "questions, examples, mistakes");
    if (code == 0)
        code = counts(l, "ask", "I: questions", false, err);
    if (code == 0)
        code = counts(l, "teach", "II: examples shown by a teacher", false, err);
    if (code == 0)
        code = counts(l, "nature", "III: random examples until learned", false, err);
    if (code == 0)
        code = counts(l, "nature", "III: mistakes of elimination", true, err);
    thr_lab_say(l, "A teacher needs four examples however many variables there are: one that shows "
                   "exactly the target, and one for each of its variables. Without a teacher every "
                   "variable costs a question. Half of nature's examples are positive, and each "
                   "removes about half of what is not in the target, so that it takes about "
                   "2 log2 n of them; the bound n - 3 is for the worst order.");
    return code;
}

static int run(thr_lab *l, thr_error *err)
{
    static int (*const parts[])(thr_lab *, thr_error *) = {adversaries, elimination, streams,
                                                           protocols};
    int code = 0;
    for (size_t i = 0; i < 4 && code == 0; i++) {
        code = parts[i](l, err);
        if (code == 0)
            code = thr_lab_tell(l, (double)(i + 1) / 4, err);
    }
    return code;
}

const thr_experiment thr_lab_concepts = {
    .name = "concepts",
    .title = "Learning concepts",
    .claim = "CON errs at most |C| - 1 times, halving log2 |C|, elimination n; the learner asks n "
             "questions, a teacher shows k + 1 examples",
    .seconds = 2,
    .run = run,
};
