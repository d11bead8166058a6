/* Kernel perceptron (Aizerman, Braverman, Rozonoer 1964; Freund and Schapire 1999; lecture
 * notes L3, note 2, see docs/THEORY.md): the perceptron in the feature space of a kernel K. It
 * never computes weights in that space. It keeps the examples that caused an update, and
 * evaluates K for pairs of examples,
 *     f(x) = sum over the kept examples z of step_z K(z, x);
 *     if y f(x) <= 0 or y f(x) < margin: keep x, with step_x = rate y,
 * where K is one of
 *     linear  K(x, z) = x.z
 *     poly    K(x, z) = (gamma x.z + coef)^degree
 *     rbf     K(x, z) = exp(-gamma |x - z|^2).
 *
 * If a vector of length 1 in that space separates the data with margin g, there are at most
 * max K(x,x) / g^2 updates (with the option margin=0). With the bias, gamma 1 and coef 0, the
 * polynomial is (1 + x.z)^degree over the features other than the bias; for Boolean features
 * its space has all conjunctions of up to `degree` of them.
 *
 * When a new example is to be kept and the budget is full, the oldest kept example is
 * forgotten. The bound does not hold then.
 *
 * The hooks at the end are described in learner.h; dual.h has the arithmetic. */
#include "base/mathx.h"
#include "learner/dual.h"
#include "learner/mix.h"

#include <math.h>

enum { KIND, DEGREE, GAMMA, COEF, VOTE, BUDGET, RATE, MARGIN, BIAS, MARGIN_NEGATIVE };

static const thr_option_info options[] = {
    {"kind", "poly", "linear, poly: (gamma x.z + coef)^degree, or rbf: exp(-gamma |x - z|^2)",
     THR_CHOICE, "linear|poly|rbf", 0, 2},
    {"degree", "2", "degree of the poly kernel", THR_INT, NULL, 1, 16},
    {"gamma", "1", "scale factor of the poly and rbf kernels", THR_REAL, NULL, 1e-12, 1e12},
    {"coef", "0", "constant term of the poly kernel", THR_REAL, NULL, 0, 1e12},
    {"vote", "on", "all past hypotheses vote, as in voted; off: predict with the latest one",
     THR_BOOL, NULL, 0, 1},
    {"budget", "0", "with vote=off: keep at most this many examples, the newest (0: all)", THR_INT,
     NULL, 0, 1e9},
    {"rate", "1", "step size of an update", THR_REAL, NULL, 1e-9, 1e9},
    {"margin", "0", "also update if the correct label leads by less than this", THR_REAL, NULL, 0,
     1e30},
    {"bias", "on", "add a constant feature with the value 1", THR_BOOL, NULL, 0, 1},
    {"margin-negative", "auto", "the same for negative examples (auto: equal to margin)", THR_REAL,
     "auto", 0, 1e30},
    {0},
};

/* ---- kernels ------------------------------------------------------------------------------ */

/* A kernel function gets k[i] = e.z_i for the n kept examples z_i, and
 * replaces it by K(e, z_i). */

/* x^n by repeated squaring, clamped to +-THR_KERNEL_MAX so that sums over examples stay
 * finite. */
static double power(double x, int n)
{
    double p = 1;
    for (; n; n >>= 1, x *= x)
        if (n & 1)
            p *= x;
    return fmin(fmax(p, -THR_KERNEL_MAX), THR_KERNEL_MAX);
}

static void polynomial(const thr_rule *r, const thr_example *e, double *k, size_t n)
{
    (void)e;
    for (size_t i = 0; i < n; i++)
        k[i] = power(r->option[GAMMA] * k[i] + r->option[COEF], (int)r->option[DEGREE]);
}

/* |x - z|^2 = |x|^2 + |z|^2 - 2 x.z; rounding may make it negative, which counts as 0. */
static void radial(const thr_rule *r, const thr_example *e, double *k, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        double distance2 = e->norm2 + r->memory->kept[i].norm2 - 2 * k[i];
        k[i] = distance2 > 0 ? thr_exp(-r->option[GAMMA] * distance2) : 1;
    }
}

/* What dual.c needs to know of the options. The linear kernel is NULL: k[i] stays as it is. */
static thr_dual dual_form(const thr_rule *r)
{
    static void (*const kernels[])(const thr_rule *, const thr_example *, double *,
                                   size_t) = {NULL, polynomial, radial};
    return (thr_dual){.kernel = kernels[(int)r->option[KIND]],
                      .vote = r->option[VOTE] != 0,
                      .budget = (size_t)r->option[BUDGET]};
}

/* ---- the rule ----------------------------------------------------------------------------- */

static int setup(thr_rule *r, thr_error *err)
{
    if (r->option[VOTE] != 0 && r->option[BUDGET] != 0)
        return thr_fail(err, THR_EUSE,
                        "kernel: a budget needs vote=off: every hypothesis that votes is a sum "
                        "over the examples kept before it, and forgetting one would change them "
                        "all");
    r->bias = r->option[BIAS] != 0;
    return 0;
}

/* `live` gets the values of the latest hypothesis, which decide on updates; `shown` gets what
 * is predicted with, the vote if vote=on. */
static void score(const thr_rule *r, const thr_weights *w, const thr_example *e, double *live,
                  double *shown)
{
    thr_dual form = dual_form(r);
    thr_dual_score(r, &form, w->functions, e, live, shown);
}

static double step(const thr_rule *r, const thr_example *e, double margin, int sign, int copies)
{
    (void)copies;
    /* The least margin that causes no update. */
    double least = thr_margin_of(r, sign, MARGIN, MARGIN_NEGATIVE);
    return thr_margin_step(e, margin, least, r->option[RATE]);
}

/* Keeps e with the signed step `by` in function f. The weights are not used. */
static void move(thr_rule *r, thr_weights *w, const thr_example *e, uint32_t f, double by)
{
    (void)w;
    thr_dual form = dual_form(r);
    thr_dual_move(r, &form, e, f, by);
}

/* Why predictions change even without an update; NULL: they do not. */
static const char *drifts(const thr_rule *r)
{
    return r->option[VOTE] != 0
               ? "its hypotheses vote by how long each has survived, which changes "
                 "with every example: set vote=off"
               : NULL;
}

/* ---- mixing ------------------------------------------------------------------------------- */

/* With vote=off a function is a sum over kept examples, so the mean of several functions is
 * such a sum too: the mix keeps the examples of all models. With vote=on the whole history of a
 * function votes, and two histories cannot be joined into one.
 *
 * Models trained from a common base have its examples as their first ones; these count once. */
static int check_mix(const thr_mixing *x, thr_error *err)
{
    size_t in_base = x->base ? x->base->memory->n : 0, all = in_base,
           budget = (size_t)x->from[0]->option[BUDGET];
    if (x->from[0]->option[VOTE] != 0)
        return thr_fail(err, THR_EUSE,
                        "kernel: all hypotheses a model ever had vote, and two such histories "
                        "are not one; models with vote=off can be mixed");
    for (size_t i = 0; i < x->n; i++)
        all += x->from[i]->memory->n - in_base;
    if (budget && all > budget)
        return thr_fail(err, THR_EUSE,
                        "kernel: the models keep %zu examples together, more than their budget "
                        "of %zu",
                        all, budget);
    return 0;
}

static const thr_mixer mixer = {.check = check_mix};

/* Forgetting changes arrays that snapshots may share, so the rule needs its own copies. */
static int ready(thr_rule *r, const thr_example *e, uint32_t f, thr_error *err)
{
    return r->option[BUDGET] > 0 ? thr_dual_ready_to_forget(r, e, f, err)
                                 : thr_dual_ready(r, e, f, err);
}

const thr_learner thr_learner_kernel = {
    .name = "kernel",
    .help = "kernel perceptron with a polynomial, RBF or linear kernel",
    .options = options,
    .flags = THR_SHARES | THR_ANTISYMMETRIC | THR_LIKES_UNIT | THR_KEEPS | THR_NOT_LINEAR |
             THR_CONSERVATIVE,
    .policy = "one-vs-all",
    .textbook = "vote=off,budget=0,margin=0,margin-negative=0",
    .setup = setup,
    .score = score,
    .step = step,
    .move = move,
    .ready = ready,
    .share = thr_dual_share,
    .rebuild = thr_dual_rebuild,
    .release = thr_dual_release,
    .room = thr_dual_room,
    .drifts = drifts,
    .mix = &mixer,
};
