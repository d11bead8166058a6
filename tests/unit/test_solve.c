/* Solvers against what is known by hand, against brute force in the plane, and proofs against
 * tampering. */
#include "exact/exact.h"
#include "exact/game.h"
#include "solve/least_norm.h"
#include "solve/lp.h"
#include "exact/modular.h"

#include "base/random.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { MOST = 64, WIDE = 8 };

/* A few dense examples. */
typedef struct few {
    uint64_t start[MOST + 1];
    uint32_t id[MOST * WIDE], label[MOST];
    float x[MOST * WIDE];
    double scale[MOST];
    thr_points p;
} few;

static void few_init(few *f, uint32_t features, uint32_t labels)
{
    memset(f, 0, sizeof *f);
    f->p = (thr_points){.start = f->start,
                        .id = f->id,
                        .x = f->x,
                        .label = f->label,
                        .features = features,
                        .labels = labels,
                        .positive = 1};
}

static void few_add(few *f, uint32_t label, const float *x)
{
    size_t n = f->p.examples++, at = (size_t)f->start[n];
    f->label[n] = label;
    f->scale[n] = 1;
    for (uint32_t i = 0; i < f->p.features; i++)
        if (x[i] != 0) {
            f->id[at] = i;
            f->x[at++] = x[i];
        }
    f->start[n + 1] = at;
}

static void near(double a, double b, double within)
{
    if (!(fabs(a - b) <= within * (1 + fabs(b))))
        fail_msg("%.17g is not %.17g", a, b);
}

/* ---- points ------------------------------------------------------------------------------- */

static void test_points_of_two(void **state)
{
    (void)state;
    few f;
    few_init(&f, 3, 2);
    few_add(&f, 1, (float[]){1, 0, 2});
    few_add(&f, 0, (float[]){3, 4, 0});
    f.scale[1] = 0.5;
    f.p.scale = f.scale;
    double w[3] = {1, 10, 100};
    assert_int_equal(thr_points_count(&f.p), 2);
    assert_int_equal(thr_points_dims(&f.p), 3);
    near(thr_points_dot(&f.p, 0, w), 201, 0);
    near(thr_points_dot(&f.p, 1, w), -21.5, 0);
    near(thr_points_norm2(&f.p, 1), 6.25, 0);
    near(thr_points_norminf(&f.p, 1), 2, 0);
    near(thr_points_radius2(&f.p), 6.25, 0);
    near(thr_points_extent(&f.p), 2, 0);
    thr_points_add(&f.p, 1, 2, w);
    near(w[0], -2, 0);
    near(w[1], 6, 0);
    double room[3] = {0};
    near(thr_points_product(&f.p, 0, 1, room), -1.5, 0);
    near(room[0] + room[1] + room[2], 0, 0);
}

static void test_points_of_three(void **state)
{
    (void)state;
    few f;
    few_init(&f, 2, 3);
    few_add(&f, 1, (float[]){1, 2});
    assert_int_equal(thr_points_count(&f.p), 2);
    assert_int_equal(thr_points_other(&f.p, 0), 0);
    assert_int_equal(thr_points_other(&f.p, 1), 2);
    assert_int_equal(thr_points_number(&f.p, 0, 2), 1);
    double w[6] = {1, 2, 3, 10, 20, 30}, score[3];
    near(thr_points_dot(&f.p, 0, w), 21, 0);
    near(thr_points_dot(&f.p, 1, w), -21, 0);
    near(thr_points_norm2(&f.p, 0), 10, 0);
    thr_points_score(&f.p, 0, w, score);
    near(score[2], 63, 0);
    thr_points_add(&f.p, 1, 1, w);
    near(w[1], 3, 0);
    near(w[5], 28, 0);
}

static void test_repeated_points_are_dropped_and_clashes_found(void **state)
{
    (void)state;
    few f;
    uint32_t pick[MOST];
    size_t n, clash[2];
    few_init(&f, 3, 2);
    few_add(&f, 1, (float[]){1, 0, 2});
    few_add(&f, 1, (float[]){1, 0, 2});
    few_add(&f, 1, (float[]){1, 0, 3});
    few_add(&f, 0, (float[]){1, 2, 0});
    f.id[f.start[1]] = 2; /* the second in the other order */
    f.id[f.start[1] + 1] = 0;
    f.x[f.start[1]] = 2;
    f.x[f.start[1] + 1] = 1;
    assert_int_equal(thr_points_distinct(&f.p, pick, &n, clash, NULL), 0);
    assert_int_equal(n, 3);
    assert_int_equal(pick[1], 2);
    assert_true(clash[0] == SIZE_MAX);
    few_add(&f, 0, (float[]){1, 0, 3});
    assert_int_equal(thr_points_distinct(&f.p, pick, &n, clash, NULL), 0);
    assert_int_equal(n, 4);
    assert_int_equal(clash[0], 2);
    assert_int_equal(clash[1], 4);
}

/* ---- margins ------------------------------------------------------------------------------ */

static double least_for(const few *f, double u0, double u1)
{
    double w[2] = {u0, u1};
    return thr_points_least(&f->p, w, NULL);
}

/* In the plane the best unit vector is a point's direction or stands upright on a difference. */
static double brute_gamma(const few *f)
{
    double best = -INFINITY;
    for (size_t i = 0; i < f->p.examples; i++)
        for (size_t j = 0; j < f->p.examples; j++) {
            double z[2] = {0}, d[2] = {0};
            thr_points_add(&f->p, i, 1, z);
            thr_points_add(&f->p, i, 1, d);
            if (i != j)
                thr_points_add(&f->p, j, -1, d);
            double turned[2] = {-d[1], d[0]}, *u = i == j ? z : turned, size = hypot(u[0], u[1]);
            if (size > 0)
                best =
                    fmax(best, fmax(least_for(f, u[0], u[1]), least_for(f, -u[0], -u[1])) / size);
        }
    return best;
}

/* With |u|_1 = 1: a corner, or a place on an edge where two points are equally near. */
static double brute_g(const few *f)
{
    double best = fmax(fmax(least_for(f, 1, 0), least_for(f, -1, 0)),
                       fmax(least_for(f, 0, 1), least_for(f, 0, -1)));
    for (size_t i = 0; i < f->p.examples; i++)
        for (size_t j = 0; j < i; j++)
            for (int edge = 0; edge < 4; edge++) {
                double d[2] = {0}, s = edge & 1 ? 1 : -1, t = edge & 2 ? 1 : -1;
                thr_points_add(&f->p, i, 1, d);
                thr_points_add(&f->p, j, -1, d);
                double a = -t * d[1] / (s * d[0] - t * d[1]); /* a s d0 + (1 - a) t d1 = 0 */
                if (a >= 0 && a <= 1)
                    best = fmax(best, least_for(f, s * a, t * (1 - a)));
            }
    return best;
}

/* Points of the plane, most often to one side of a random line. */
static void random_few(few *f, thr_random *r, size_t n)
{
    double u[2] = {thr_random_normal(r), thr_random_normal(r)};
    double gap = 0.2 * thr_random_real(r), wrong = thr_random_below(r, 3) == 0 ? 0.2 : 0;
    few_init(f, 2, 2);
    while (f->p.examples < n) {
        float x[2] = {(float)thr_random_normal(r), (float)thr_random_normal(r)};
        double s = u[0] * (double)x[0] + u[1] * (double)x[1];
        if (fabs(s) < gap)
            continue;
        few_add(f, (s > 0) != (thr_random_real(r) < wrong), x);
    }
}

static void check_margin(const few *f)
{
    thr_least_norm a;
    thr_margins low, high;
    double gamma = brute_gamma(f);
    thr_least_norm_options o = {.gap = 0.001, .floor = 1e-6};
    assert_int_equal(thr_least_norm_solve(&f->p, &o, &a, NULL), 0);
    assert_int_equal(thr_exact_high(&f->p, a.alpha, &high, NULL), 0);
    low = thr_exact_low(&f->p, a.w);
    assert_true(low.gamma <= a.low && a.high <= high.gamma);
    assert_true(low.gamma <= gamma * (1 + 1e-12) + 1e-15);
    if (gamma > 1e-4) {
        assert_int_equal(a.end, THR_LEAST_NORM_GAP);
        assert_true(high.gamma >= gamma * (1 - 1e-12));
        assert_true(low.gamma >= 0.9989 * gamma && high.gamma <= 1.0012 * gamma);
        assert_int_equal(thr_exact_separates(&f->p, a.w, NULL), THR_EXACT_YES);
    } else if (gamma < 0) {
        assert_true(a.low <= 0 && a.end != THR_LEAST_NORM_GAP);
        assert_int_equal(thr_exact_separates(&f->p, a.w, NULL), THR_EXACT_NO);
    }
    thr_least_norm_clear(&a);
}

static void test_margin_in_the_plane(void **state)
{
    (void)state;
    thr_random r;
    thr_random_init(&r, 3);
    for (int i = 0; i < 60; i++) {
        few f;
        random_few(&f, &r, 2 + thr_random_below(&r, 20));
        check_margin(&f);
    }
}

static void check_game(const few *f, bool iterate)
{
    thr_matrix_game a;
    double g = brute_g(f);
    thr_game_options o = {.gap = 0.002, .iterate = iterate, .rounds = 20000};
    assert_int_equal(thr_game_solve(&f->p, &o, NULL, &a, NULL), 0);
    if (g > 1e-4) {
        assert_true(a.by_program || iterate || !thr_lp_available());
        assert_true(a.low <= g * (1 + 1e-9) && a.high >= g * (1 - 1e-9));
        assert_true(a.low >= 0.997 * g && a.high <= 1.003 * g);
    } else if (g < 0)
        assert_true(a.low <= 0 && a.high >= 0 && a.high < 1e-3);
    thr_game_clear(&a);
}

static void test_game_in_the_plane(void **state)
{
    (void)state;
    thr_random r;
    thr_random_init(&r, 4);
    for (int i = 0; i < 40; i++) {
        few f;
        random_few(&f, &r, 2 + thr_random_below(&r, 16));
        check_game(&f, false);
        check_game(&f, true);
    }
}

/* x_i = e_i, label i: by symmetry each feature is for its label what it is twice against either
 * other, so gamma = 1/sqrt 2; and |u|_1 is least with all weight on the own label. */
static void test_three_labels(void **state)
{
    (void)state;
    few f;
    thr_least_norm a;
    thr_matrix_game g;
    few_init(&f, 3, 3);
    for (uint32_t i = 0; i < 3; i++)
        few_add(&f, i, (float[]){i == 0, i == 1, i == 2});
    assert_int_equal(thr_least_norm_solve(&f.p, &(thr_least_norm_options){.gap = 1e-4}, &a, NULL),
                     0);
    near(a.low, sqrt(0.5), 2e-4);
    near(a.high, sqrt(0.5), 2e-4);
    for (int iterate = 0; iterate < 2; iterate++) {
        thr_game_options o = {.gap = 1e-3, .iterate = iterate};
        assert_int_equal(thr_game_solve(&f.p, &o, a.w, &g, NULL), 0);
        near(g.low, 1.0 / 3, 1e-3);
        near(g.high, 1.0 / 3, 1e-3);
        thr_game_clear(&g);
    }
    thr_least_norm_clear(&a);
}

/* One feature, 1 for both labels, slack at 1: w = 0 and both multipliers at their bound. */
static void test_multipliers_end_at_the_bounds_of_the_box(void **state)
{
    (void)state;
    few f;
    thr_least_norm a;
    few_init(&f, 1, 2);
    few_add(&f, 1, (float[]){1});
    few_add(&f, 0, (float[]){1});
    assert_int_equal(thr_least_norm_solve(&f.p, &(thr_least_norm_options){.box = 3}, &a, NULL), 0);
    assert_int_equal(a.end, THR_LEAST_NORM_GAP);
    near(a.w[0], 0, 1e-9);
    near(a.alpha[0], 3, 0.02);
    near(a.high, 6, 1e-9);
    assert_true(a.low >= 0.99 * a.high && a.low <= a.high);
    thr_least_norm_clear(&a);
}

static void test_same_again(void **state)
{
    (void)state;
    thr_random r;
    few f;
    thr_least_norm a, b;
    thr_random_init(&r, 9);
    random_few(&f, &r, 40);
    thr_least_norm_options o = {.seed = 5, .epochs = 3, .gap = 1e-6};
    assert_int_equal(thr_least_norm_solve(&f.p, &o, &a, NULL), 0);
    assert_int_equal(thr_least_norm_solve(&f.p, &o, &b, NULL), 0);
    assert_memory_equal(a.w, b.w, 2 * sizeof *a.w);
    assert_memory_equal(a.alpha, b.alpha, 40 * sizeof *a.alpha);
    thr_least_norm_clear(&a);
    thr_least_norm_clear(&b);
}

/* ---- proofs ------------------------------------------------------------------------------- */

static void find_zero(const thr_points *p, const double *a, thr_combination *z)
{
    size_t n = thr_points_count(p), point[MOST * WIDE];
    for (size_t k = 0; k < n; k++)
        point[k] = k;
    assert_int_equal(thr_exact_zero(p, point, a, n, z, NULL), 0);
}

static void rejects(const thr_points *p, thr_combination *z)
{
    if (thr_exact_is_zero(p, z))
        fail_msg("a false combination passes");
}

/* Each number changed in turn. */
static void tamper(const thr_points *p, thr_combination *z)
{
    for (size_t i = 0; i < z->n; i++) {
        char *text = z->coefficient[i], *last = text + strlen(text) - 1, was = *last;
        *last = was == '9' ? '8' : (char)(was + 1);
        rejects(p, z);
        *last = '-';
        rejects(p, z);
        *last = was;
        size_t point = z->point[i];
        z->point[i] = thr_points_count(p);
        rejects(p, z);
        z->point[i] = point;
    }
    size_t n = z->n;
    z->n = n - 1;
    rejects(p, z);
    z->n = 0;
    rejects(p, z);
    z->n = n;
    assert_true(thr_exact_is_zero(p, z));
}

static void test_proof_of_xor_holds_and_any_tampering_is_rejected(void **state)
{
    (void)state;
    if (!thr_exact_available()) {
        print_message("skip: this build has no GMP\n");
        skip();
    }
    few f;
    thr_combination z;
    few_init(&f, 3, 2); /* the last is the bias */
    for (int i = 0; i < 4; i++)
        few_add(&f, (i & 1) ^ (i >> 1), (float[]){(float)(i & 1), (float)(i >> 1), 1});
    thr_least_norm a;
    assert_int_equal(thr_least_norm_solve(&f.p, &(thr_least_norm_options){.floor = 1e-5}, &a, NULL),
                     0);
    assert_int_equal(a.end, THR_LEAST_NORM_FLOOR);
    find_zero(&f.p, a.alpha, &z);
    assert_int_equal(z.n, 4);
    for (size_t i = 0; i < 4; i++)
        assert_string_equal(z.coefficient[i], "1");
    tamper(&f.p, &z);
    thr_combination_clear(&z);
    thr_least_norm_clear(&a);
}

static void test_two_opposite_points_are_a_proof_alone(void **state)
{
    (void)state;
    for (uint32_t labels = 2; labels <= 3; labels++) {
        few f;
        thr_combination z;
        few_init(&f, 2, labels);
        few_add(&f, 1, (float[]){1, 0});
        few_add(&f, 0, (float[]){0.3f, 1});
        few_add(&f, labels - 2, (float[]){1, 1});
        few_add(&f, labels - 1, (float[]){0.3f, 1});
        assert_int_equal(thr_exact_clash(&f.p, (size_t[]){1, 3}, &z, NULL), 0);
        assert_int_equal(z.n, 2);
        tamper(&f.p, &z);
        thr_combination_clear(&z);
        assert_int_equal(thr_exact_clash(&f.p, (size_t[]){0, 3}, &z, NULL), 0);
        rejects(&f.p, &z);
        thr_combination_clear(&z);
    }
}

/* Floats in several dimensions, labels at random: by the linear program's ray. */
static void test_infeasible_program_gives_an_exact_proof(void **state)
{
    (void)state;
    if (!thr_exact_available() || !thr_lp_available()) {
        print_message("skip: this build has no GMP, or there is no CLP here\n");
        skip();
    }
    thr_random r;
    thr_random_init(&r, 6);
    unsigned proofs = 0, separators = 0;
    for (int i = 0; i < 60; i++) {
        few f;
        thr_lp lp;
        thr_combination z;
        uint32_t features = 1 + (uint32_t)thr_random_below(&r, WIDE);
        few_init(&f, features, 2 + (uint32_t)thr_random_below(&r, 3));
        for (size_t n = 2 + thr_random_below(&r, 30); f.p.examples < n;) {
            float x[WIDE];
            for (uint32_t k = 0; k < features; k++)
                x[k] = (float)(thr_random_normal(&r) * (i % 2 ? 1 : 1e-3));
            few_add(&f, (uint32_t)thr_random_below(&r, f.p.labels), x);
        }
        assert_int_equal(thr_lp_solve(&f.p, &(thr_lp_options){0}, &lp, NULL), 0);
        if (lp.end == THR_LP_NONE) {
            find_zero(&f.p, lp.alpha, &z);
            assert_true(z.n > 0);
            tamper(&f.p, &z);
            thr_combination_clear(&z);
            proofs++;
        } else {
            assert_int_equal(lp.end, THR_LP_SOLVED);
            assert_int_equal(thr_exact_separates(&f.p, lp.w, NULL), THR_EXACT_YES);
            separators++;
        }
        thr_lp_clear(&lp);
    }
    assert_true(proofs > 10 && separators > 10);
}

/* More points than needed: those that depend on others are given what they are near to. */
static void test_many_points(void **state)
{
    (void)state;
    if (!thr_exact_available()) {
        print_message("skip: this build has no GMP\n");
        skip();
    }
    few f;
    thr_combination z;
    few_init(&f, 2, 2);
    for (int i = 0; i < 12; i++)
        few_add(&f, 1, (float[]){(float)cos(i * 0.5236), (float)sin(i * 0.5236)});
    double a[12];
    for (int i = 0; i < 12; i++)
        a[i] = 1;
    find_zero(&f.p, a, &z);
    assert_true(z.n > 2);
    tamper(&f.p, &z);
    thr_combination_clear(&z);
}

/* A separable set has no combination, whatever is asked for. */
static void test_no_combination(void **state)
{
    (void)state;
    few f;
    thr_combination z;
    few_init(&f, 2, 2);
    few_add(&f, 1, (float[]){1, 1});
    few_add(&f, 1, (float[]){1, 2});
    few_add(&f, 1, (float[]){2, 3});
    find_zero(&f.p, (double[]){1, 1, 1}, &z);
    assert_int_equal(z.n, 0);
    thr_combination_clear(&z);
}

/* Where rounding hides the sign. */
static void test_exact_signs_are_right_where_rounding_errs(void **state)
{
    (void)state;
    few f;
    few_init(&f, 3, 2);
    few_add(&f, 1, (float[]){1, 1, 1});
    enum thr_exact_answer doubt = THR_EXACT_OPEN;
    bool gmp = thr_exact_available();
    assert_int_equal(thr_exact_separates(&f.p, (double[]){1e16, 1, -1e16}, NULL),
                     gmp ? THR_EXACT_YES : doubt);
    assert_int_equal(thr_exact_separates(&f.p, (double[]){1e16, -1, -1e16}, NULL),
                     gmp ? THR_EXACT_NO : doubt);
    assert_int_equal(thr_exact_separates(&f.p, (double[]){1e300, 1e-300, -1e300}, NULL),
                     gmp ? THR_EXACT_YES : doubt);
    assert_int_equal(thr_exact_separates(&f.p, (double[]){1e16, 0, -1e16}, NULL),
                     gmp ? THR_EXACT_NO : doubt);
    assert_int_equal(thr_exact_separates(&f.p, (double[]){1, 1, 1}, NULL), THR_EXACT_YES);
    assert_int_equal(thr_exact_separates(&f.p, (double[]){1, 1, -3}, NULL), THR_EXACT_NO);
    few g; /* rounded to the wrong side of 0 */
    few_init(&g, 5, 2);
    few_add(&g, 1, (float[]){1, 1, 1, 1, 1});
    assert_int_equal(thr_exact_separates(&g.p, (double[]){1e16, 1, 1, -1e16, -1.5}, NULL),
                     gmp ? THR_EXACT_YES : doubt);
    assert_int_equal(thr_exact_separates(&g.p, (double[]){1e16, -1, -1, -1e16, 1.5}, NULL),
                     gmp ? THR_EXACT_NO : doubt);
    assert_true(thr_exact_low(&f.p, (double[]){1e16, 1, -1e16}).gamma <= 1 / sqrt(2) * 1e-16);
    assert_true(thr_exact_low(&f.p, (double[]){0, 0, 0}).gamma == -INFINITY);
}

/* What is between them is no wider than rounding, and never on the wrong side. */
static void test_margin_ends_enclose_the_margin_within_rounding(void **state)
{
    (void)state;
    few f;
    thr_margins high;
    few_init(&f, 2, 2);
    few_add(&f, 1, (float[]){3, 0});
    few_add(&f, 0, (float[]){0, -4});
    f.scale[0] = f.scale[1] = 0.1;
    f.p.scale = f.scale;
    /* gamma: the point nearest to 0 between (.3, 0) and (0, .4) is at 0.24 */
    thr_margins low = thr_exact_low(&f.p, (double[]){0.8, 0.6});
    assert_int_equal(thr_exact_high(&f.p, (double[]){0.64, 0.36}, &high, NULL), 0);
    assert_true(low.gamma <= 0.24 && low.gamma > 0.24 - 1e-14);
    assert_true(high.gamma >= 0.24 && high.gamma < 0.24 + 1e-14);
    /* g: u = (4/7, 3/7) */
    low = thr_exact_low(&f.p, (double[]){4, 3});
    assert_int_equal(thr_exact_high(&f.p, (double[]){4, 3}, &high, NULL), 0);
    assert_true(low.g <= 1.2 / 7 && low.g > 1.2 / 7 - 1e-14);
    assert_true(high.g >= 1.2 / 7 && high.g < 1.2 / 7 + 1e-14);
    assert_int_equal(thr_exact_high(&f.p, (double[]){4, -3}, &high, NULL), 0);
    assert_true(high.gamma == INFINITY);
}

static void test_modular_inverse_times_matrix_is_the_identity(void **state)
{
    (void)state;
    thr_random r;
    thr_random_init(&r, 8);
    enum { N = 12 };
    uint64_t a[N * N], b[N * N], room[N * N];
    for (size_t i = 0; i < N * N; i++)
        a[i] = b[i] = thr_random_below(&r, 4) ? 0 : thr_random_below(&r, THR_PRIME);
    for (size_t i = 0; i < N; i++)
        a[i * N + i] = b[i * N + i] = 1 + thr_random_below(&r, THR_PRIME - 1);
    assert_true(thr_mod_invert(b, room, N));
    for (size_t i = 0; i < N; i++)
        for (size_t j = 0; j < N; j++) {
            uint64_t sum = 0;
            for (size_t k = 0; k < N; k++)
                sum = thr_mod_reduce(sum + thr_mod_mul(a[i * N + k], b[k * N + j]));
            assert_int_equal(sum, i == j);
        }
    assert_int_equal(thr_mod_scaled(-3, 61), THR_PRIME - 3);
    assert_int_equal(thr_mod_scaled(5, 63), 20);
    for (size_t k = 0; k < N; k++)
        a[k] = a[N + k];
    assert_false(thr_mod_invert(a, room, N));
}

/* Beyond its reach the linear program says so. */
static void test_program_beyond_its_reach_says_so(void **state)
{
    (void)state;
    few f;
    thr_lp lp;
    few_init(&f, 2, 2);
    few_add(&f, 1, (float[]){1, 1});
    assert_int_equal(thr_lp_solve(&f.p, &(thr_lp_options){.reach = 1}, &lp, NULL), 0);
    assert_int_equal(lp.end, thr_lp_available() ? THR_LP_BEYOND : THR_LP_ABSENT);
    thr_lp_clear(&lp);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_points_of_two),
        cmocka_unit_test(test_points_of_three),
        cmocka_unit_test(test_repeated_points_are_dropped_and_clashes_found),
        cmocka_unit_test(test_margin_in_the_plane),
        cmocka_unit_test(test_game_in_the_plane),
        cmocka_unit_test(test_three_labels),
        cmocka_unit_test(test_multipliers_end_at_the_bounds_of_the_box),
        cmocka_unit_test(test_same_again),
        cmocka_unit_test(test_proof_of_xor_holds_and_any_tampering_is_rejected),
        cmocka_unit_test(test_two_opposite_points_are_a_proof_alone),
        cmocka_unit_test(test_infeasible_program_gives_an_exact_proof),
        cmocka_unit_test(test_many_points),
        cmocka_unit_test(test_no_combination),
        cmocka_unit_test(test_exact_signs_are_right_where_rounding_errs),
        cmocka_unit_test(test_margin_ends_enclose_the_margin_within_rounding),
        cmocka_unit_test(test_modular_inverse_times_matrix_is_the_identity),
        cmocka_unit_test(test_program_beyond_its_reach_says_so),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
