/* The search for proofs. Solvers offer candidates: vectors and combinations in doubles, which may
 * be slightly wrong. Each offer_ function rounds its candidate to whole numbers, has it judged by
 * exact.h, and keeps it only if it improves what is known. So a solver can waste time, but it
 * cannot cause a wrong finding. */
#include "certify/prove.h"

#include "certify/cycle.h"
#include "exact/game.h"
#include "solve/least_norm.h"
#include "solve/lp.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The least-norm method gets as many rounds of descent as visit ROUNDS_WORK features, but at least
 * LEAST_ROUNDS and at most MOST_ROUNDS. */
#define LEAST_ROUNDS 1e4
#define MOST_ROUNDS  1e7
#define ROUNDS_WORK  1e9
/* The largest weight or coefficient after rounding. Doubles hold whole numbers up to 2^53 exactly;
 * 3 bits are left for multiplying and dividing by scales. */
#define WHOLE         0x1p50
#define CYCLE_UPDATES 2000000
#define CYCLE_VISITS  UINT64_C(40000000)
#define SHARE_CYCLE   0.1 /* of the time: when each method must end */
#define SHARE_PROGRAM 0.4
#define SHARE_NORM    0.7
#define PROGRAM_FIRST 100000 /* non-zeros up to which the game is tried as a linear program */

typedef struct prover {
    const thr_prove_options *o;
    thr_findings *f;
    double share; /* of the time, at which the current method must end */
} prover;

static bool late(void *user)
{
    prover *v = user;
    return v->o->late && v->o->late(v->o->user, v->share);
}

/* Never 0 while there is a limit, since 0 means "no limit" to the linear program. */
static double seconds_left(const prover *v, double share)
{
    return v->o->left ? fmax(0.01, v->o->left(v->o->user, share)) : 0;
}

static void note(thr_findings *f, const char *what, const char *why)
{
    size_t n = strlen(f->note);
    snprintf(f->note + n, sizeof f->note - n, "%s%s%s%s", n ? "; " : "", what, *why ? ": " : "",
             why);
}

/* ---- whole numbers ------------------------------------------------------------------------ */

/* Scales w so that its largest weight is WHOLE, and rounds to whole numbers. The margins depend
 * only on the direction of w, and no weight changes by more than 2^-51 of the largest. Returns NULL
 * if out of memory; the caller frees the result. */
static double *rounded_vector(const thr_points *p, const double *w)
{
    size_t dims = thr_points_dims(p);
    double most = 0, *out = malloc((dims + 1) * sizeof *out);
    for (size_t i = 0; i < dims; i++)
        most = fmax(most, fabs(w[i]));
    for (size_t i = 0; out && i < dims; i++)
        out[i] = most > 0 ? nearbyint(w[i] / most * WHOLE) : 0;
    return out;
}

static double scale_of(const thr_points *p, size_t point)
{
    return p->scale ? p->scale[thr_points_example(p, point)] : 1;
}

static bool zero_room(thr_combination *z, size_t n)
{
    z->point = malloc((n + 1) * sizeof *z->point);
    z->coefficient = calloc(n + 1, sizeof *z->coefficient);
    return z->point && z->coefficient;
}

static bool zero_add(thr_combination *z, size_t point, double coefficient)
{
    char digits[64];
    snprintf(digits, sizeof digits, "%.0f", coefficient);
    z->point[z->n] = point;
    z->coefficient[z->n] = strdup(digits);
    return z->coefficient[z->n++] != NULL;
}

/* Rounds a combination to whole numbers. alpha holds coefficients of scaled points; a certificate
 * holds coefficients of points without scales, alpha * scale, and these must be whole. They go to
 * `out` as text. alpha is overwritten by the rounded coefficients divided by the scales, so that
 * bounds computed from it belong to what is written. Applied to its own result it changes
 * nothing. */
static bool rounded_combination(const thr_points *p, double *alpha, thr_combination *out)
{
    size_t points = thr_points_count(p), n = 0;
    double most = 0;
    for (size_t k = 0; k < points; k++) {
        most = fmax(most, alpha[k] * scale_of(p, k));
        n += alpha[k] > 0;
    }
    bool ok = zero_room(out, n);
    for (size_t k = 0; k < points && ok; k++) {
        double scale = scale_of(p, k);
        double whole = most > 0 && alpha[k] > 0 ? nearbyint(alpha[k] * scale / most * WHOLE) : 0;
        alpha[k] = whole / scale;
        if (whole > 0)
            ok = zero_add(out, k, whole);
    }
    return ok;
}

/* ---- candidates --------------------------------------------------------------------------- */

/* A vector that may be a separator. It replaces f->w if its lower bound on gamma is better, and
 * f->u if it separates and its lower bound on g is better. A positive lower bound proves
 * separation; otherwise the signs are decided exactly, since rounding errors may hide a tiny
 * margin. */
static int offer_vector(prover *v, const double *w, enum thr_proof_way way, thr_error *err)
{
    thr_findings *f = v->f;
    double *whole = rounded_vector(&f->points, w);
    if (!whole)
        return thr_fail_memory(err);
    thr_margins low = thr_exact_low(&f->points, whole);
    size_t worst;
    bool separates =
        low.gamma > 0 || (thr_exact_separates(&f->points, whole, &worst) == THR_EXACT_YES);
    if (separates && f->separable != THR_YES) {
        f->separable = THR_YES;
        f->way = way;
    }
    if (separates && low.g > f->low.g) {
        free(f->u);
        f->u = malloc((thr_points_dims(&f->points) + 1) * sizeof *f->u);
        if (!f->u) {
            free(whole);
            return thr_fail_memory(err);
        }
        memcpy(f->u, whole, thr_points_dims(&f->points) * sizeof *f->u);
        f->low.g = low.g;
    }
    if (!f->w || low.gamma > f->low.gamma) {
        free(f->w);
        f->w = whole;
        f->low.gamma = low.gamma;
    } else
        free(whole);
    return 0;
}

/* A combination that gives upper bounds on gamma and g. Overwrites alpha by its rounded form. */
static int offer_combination(prover *v, double *alpha, thr_error *err)
{
    thr_findings *f = v->f;
    thr_combination whole = {0}, again = {0};
    thr_margins high;
    if (!rounded_combination(&f->points, alpha, &whole)) {
        thr_combination_clear(&whole);
        return thr_fail_memory(err);
    }
    int code = whole.n ? thr_exact_high(&f->points, alpha, &high, err) : 0;
    if (code == 0 && whole.n && high.g < f->high.g) {
        f->high.g = high.g;
        thr_combination_clear(&f->far1);
        code = rounded_combination(&f->points, alpha, &f->far1) ? 0 : thr_fail_memory(err);
    }
    if (code == 0 && whole.n && high.gamma < f->high.gamma) {
        f->high.gamma = high.gamma;
        again = f->far;
        f->far = whole;
        whole = again;
    }
    thr_combination_clear(&whole);
    return code;
}

/* A combination that is 0 up to rounding: exact.h looks for one close to it that is exactly 0. If
 * there is none, nothing changes. Exact combinations use points without scales, so the scale of
 * each point is moved into its coefficient. */
static int offer_zero(prover *v, const double *alpha, enum thr_proof_way way, thr_error *err)
{
    thr_findings *f = v->f;
    size_t points = thr_points_count(&f->points), n = 0;
    size_t *point = malloc((points + 1) * sizeof *point);
    double *near = malloc((points + 1) * sizeof *near);
    int code = point && near ? 0 : thr_fail_memory(err);
    for (size_t k = 0; k < points && code == 0; k++)
        if (alpha[k] > 0) {
            point[n] = k;
            near[n++] = alpha[k] * scale_of(&f->points, k);
        }
    if (code == 0 && n)
        code = thr_exact_zero(&f->points, point, near, n, &f->zero, err);
    if (code == 0 && f->zero.n) {
        f->separable = THR_NO;
        f->way = way;
    }
    free(point);
    free(near);
    return code;
}

/* ---- methods ------------------------------------------------------------------------------ */

/* Removes duplicates from f->points on the way. With a clash f->points keeps all examples, as no
 * other method will run. */
static int look_for_clash(prover *v, const thr_points *p, thr_error *err)
{
    thr_findings *f = v->f;
    size_t n;
    f->pick = malloc((p->examples + 1) * sizeof *f->pick);
    if (!f->pick)
        return thr_fail_memory(err);
    int code = thr_points_distinct(p, f->pick, &n, f->clash, err);
    if (code || f->clash[0] == SIZE_MAX) {
        f->points.pick = f->pick;
        f->points.examples = n;
        return code;
    }
    f->separable = THR_NO;
    f->way = THR_WAY_CLASH;
    return thr_exact_clash(&f->points, f->clash, &f->zero, err);
}

static int vector_of_cycle(prover *v, const thr_cycle *c, thr_error *err)
{
    size_t dims = thr_points_dims(&v->f->points);
    double *w = malloc((dims + 1) * sizeof *w);
    if (!w)
        return thr_fail_memory(err);
    for (size_t i = 0; i < dims; i++)
        w[i] = (double)c->w[i];
    v->f->cycle_updates = c->updates;
    int code = offer_vector(v, w, THR_WAY_PERCEPTRON, err);
    free(w);
    return code;
}

/* The counts of a cycle are the coefficients. They need no rounding: counts are far below 2^53. */
static int run_perceptron(prover *v, thr_error *err)
{
    thr_findings *f = v->f;
    thr_cycle c;
    thr_cycle_limits limits = {CYCLE_UPDATES, CYCLE_VISITS, late, v};
    v->share = SHARE_CYCLE;
    int code = thr_cycle_run(&f->points, &limits, &c, err);
    if (code)
        return code;
    if (c.end == THR_CYCLE_FOUND) {
        bool ok = zero_room(&f->zero, c.terms);
        for (size_t i = 0; i < c.terms && ok; i++)
            ok = zero_add(&f->zero, c.point[i], (double)c.count[i]);
        f->separable = THR_NO;
        f->way = THR_WAY_CYCLE;
        f->cycle = c.length;
        f->cycle_updates = c.updates;
        code = ok ? 0 : thr_fail_memory(err);
    } else if (c.end == THR_CYCLE_SEPARATED)
        code = vector_of_cycle(v, &c, err);
    thr_cycle_clear(&c);
    return code;
}

/* Non-zeros of the linear program over these points: the work of one pass over them. */
static double program_size(const thr_points *p)
{
    double entries = 0;
    for (size_t i = 0; i < p->examples; i++)
        entries += (double)thr_points_row(p, p->pick ? p->pick[i] : i).n;
    return entries * thr_points_each(p) * (p->labels > 2 ? 2 : 1);
}

static const char *why_not_narrow(prover *v)
{
    return late(v)
               ? "the time given was over"
               : "numbers of very different size leave too few digits, or too many rounds to go";
}

/* Also run on data known to be separable, where it narrows the bounds on gamma. Its combination is
 * worth making exact only if it ended at the floor, that is with a length close to 0. Rounds are
 * cheap on small data, so it gets more of them. Their number depends on the data alone, so that the
 * result does not depend on the speed of the machine (unless the time runs out). */
static int run_least_norm(prover *v, thr_error *err)
{
    thr_findings *f = v->f;
    thr_least_norm s;
    double rounds =
        fmin(MOST_ROUNDS, fmax(LEAST_ROUNDS, ROUNDS_WORK / (program_size(&f->points) + 1)));
    thr_least_norm_options o = {
        .gap = v->o->gap, .seed = 1, .epochs = (uint64_t)rounds, .stop = late, .user = v};
    v->share = SHARE_NORM;
    int code = thr_least_norm_solve(&f->points, &o, &s, err);
    if (code)
        return code;
    code = offer_vector(v, s.w, THR_WAY_NORM, err);
    if (code == 0 && f->separable == THR_UNKNOWN && s.end == THR_LEAST_NORM_FLOOR)
        code = offer_zero(v, s.alpha, THR_WAY_NORM, err);
    if (code == 0 && f->separable != THR_NO)
        code = offer_combination(v, s.alpha, err);
    if (f->separable == THR_YES && !(f->low.gamma >= (1 - 1.01 * o.gap) * f->high.gamma))
        note(f, "the margin was not narrowed to the gap", why_not_narrow(v));
    thr_least_norm_clear(&s);
    return code;
}

static int run_program(prover *v, thr_error *err)
{
    thr_findings *f = v->f;
    thr_lp s;
    thr_lp_options o = {.seconds = seconds_left(v, SHARE_PROGRAM)};
    int code = thr_lp_solve(&f->points, &o, &s, err);
    if (code)
        return code;
    if (s.end == THR_LP_SOLVED)
        code = offer_vector(v, s.w, THR_WAY_PROGRAM, err);
    else if (s.end == THR_LP_NONE)
        code = offer_zero(v, s.alpha, THR_WAY_PROGRAM, err);
    else
        note(f, thr_lp_why(s.end), "");
    if (s.end == THR_LP_NONE && f->separable == THR_UNKNOWN)
        note(f, "the linear program finds no separator, but it was not made exact",
             thr_exact_available() ? "" : "this build has no GMP");
    thr_lp_clear(&s);
    return code;
}

/* The bounds on g. The linear program gets a third of the remaining time; the iteration, if it is
 * needed, starts from the best separator known. */
static int run_game(prover *v, thr_error *err)
{
    thr_findings *f = v->f;
    thr_matrix_game s;
    v->share = 1;
    thr_game_options o = {.gap = v->o->gap,
                          .seconds = seconds_left(v, 1) / 3,
                          .iterate = program_size(&f->points) > PROGRAM_FIRST,
                          .seed = 1,
                          .stop = late,
                          .user = v};
    int code = thr_game_solve(&f->points, &o, f->w, &s, err);
    if (code)
        return code;
    code = offer_vector(v, s.u, THR_WAY_NORM, err);
    if (code == 0)
        code = offer_combination(v, s.alpha, err);
    if (!(s.low >= (1 - 1.01 * o.gap) * s.high))
        note(f, "the l1 margin was not narrowed to the gap", why_not_narrow(v));
    thr_game_clear(&s);
    return code;
}

int thr_prove(const thr_points *p, const thr_prove_options *o, thr_findings *out, thr_error *err)
{
    *out = (thr_findings){.points = *p, .separable = THR_UNKNOWN};
    out->low = (thr_margins){-INFINITY, -INFINITY};
    out->high = (thr_margins){INFINITY, INFINITY};
    prover v = {.o = o, .f = out};
    int code = look_for_clash(&v, p, err);
    if (code == 0 && out->separable == THR_UNKNOWN)
        code = run_perceptron(&v, err);
    if (code == 0 && out->separable == THR_UNKNOWN)
        code = run_program(&v, err);
    if (code == 0 && out->separable != THR_NO)
        code = run_least_norm(&v, err);
    if (code == 0 && out->separable == THR_YES)
        code = run_game(&v, err);
    if (code)
        thr_findings_clear(out);
    return code;
}

void thr_findings_clear(thr_findings *f)
{
    free(f->pick);
    free(f->w);
    free(f->u);
    thr_combination_clear(&f->zero);
    thr_combination_clear(&f->far);
    thr_combination_clear(&f->far1);
    *f = (thr_findings){0};
}
