/* Mistakes as a function of the margin. The perceptron makes at most R^2/gamma^2 updates
 * (Novikoff), for any dimension and order of the examples; with margin m and rate r at most (R^2 +
 * 2m/r)/gamma^2, of which L3's 3/gamma^2 is m = r = R = 1; with many labels 2 R^2/gamma^2. The
 * passive-aggressive rule has R^2/gamma^2 for the sum of its squared losses (Crammer et al. 2006).
 *
 * Margins are 1/sqrt(m + 1/2), so that R^2/gamma^2 = m + 1/2 and a whole number of updates can come
 * within one of it without rounding deciding. */
#include "bounds/bounds.h"
#include "lab/games.h"
#include "lab/lab.h"

#include <math.h>
#include <stdio.h>

enum { DIMENSION = 8, EXAMPLES = 4000, RUNS = 3 };

static const double squares[] = {25.5, 100.5, 400.5, 1600.5, 6400.5};
enum { SQUARES = sizeof squares / sizeof *squares, STEPS = 40 };

static double gamma_of(double square)
{
    return 1 / sqrt(square);
}

/* Progress: every part counts as the same share. */
static int done(thr_lab *l, int *step, thr_error *err)
{
    return thr_lab_tell(l, fmin(++*step / (double)STEPS, 0.99), err);
}

/* ---- two labels --------------------------------------------------------------------------- */

static double squared_losses(const thr_game_counts *h)
{
    return h->squares;
}

/* The known strategy is played for all margins, the random search only where it ends soon. */
static int play(thr_lab *l, const char *learner, double gamma, double edge, thr_game_counts *out,
                thr_error *err)
{
    thr_sphere g;
    thr_adversary a = {.learner = learner,
                       .margin = edge,
                       .room = DIMENSION,
                       .seed = l->seed,
                       .moves = 1000000,
                       .attempts = gamma > 0.09 ? 4 : 1,
                       .patience = 5,
                       .strategy = thr_sphere_ways,
                       .strategies = 2,
                       .user = &g};
    int code = thr_sphere_init(&g, DIMENSION, gamma, edge, err);
    if (code == 0)
        code = thr_adversary_play(&a, out, err);
    thr_sphere_clear(&g);
    return code;
}

static int by_chance(thr_lab *l, const char *learner, double gamma, double *most, thr_error *err)
{
    char gen[96];
    thr_stats stats;
    int code = 0;
    snprintf(gen, sizeof gen, "margin:n=40,gamma=%.17g,active=20", gamma);
    *most = 0;
    for (uint64_t run = 0; run < RUNS && code == 0; run++) {
        code = thr_lab_count(learner, gen, l->seed + run, EXAMPLES, &stats, err);
        *most = code ? 0 : fmax(*most, (double)stats.updates);
    }
    return code;
}

static void draw_row(thr_lab *l, enum thr_series_kind kind, const char *what, const double *y)
{
    thr_lab_series(l, kind, "%s", what);
    for (size_t i = 0; i < SQUARES; i++)
        thr_lab_point(l, gamma_of(squares[i]), y[i]);
}

static int against_margin(thr_lab *l, double margin, int *step, thr_error *err)
{
    char learner[64], named[64];
    double hostile[SQUARES], chance[SQUARES], bound[SQUARES];
    thr_worst w = {0};
    snprintf(learner, sizeof learner, "perceptron:bias=off,margin=%g", margin);
    for (size_t i = 0; i < SQUARES; i++) {
        double gamma = gamma_of(squares[i]);
        thr_game_counts h;
        int code = play(l, learner, gamma, margin, &h, err);
        if (code == 0)
            code = by_chance(l, learner, gamma, &chance[i], err);
        if (code == 0)
            code = done(l, step, err);
        if (code)
            return code;
        hostile[i] = h.updates;
        bound[i] = thr_bound_perceptron_margin(1, gamma, margin, 1);
        thr_worst_keep(&w, fmax(hostile[i], chance[i]), bound[i]);
    }
    snprintf(named, sizeof named, "margin %g", margin);
    thr_lab_draw(l, THR_LOG_X | THR_LOG_Y,
                 margin > 0 ? "Updates of the perceptron with margin 1"
                            : "Updates of the perceptron",
                 "margin gamma of the data", "updates");
    draw_row(l, THR_CURVE, "worst case found", hostile);
    draw_row(l, THR_DOTS, "random points", chance);
    draw_row(l, THR_BOUND, margin > 0 ? "3/gamma^2" : "1/gamma^2", bound);
    thr_lab_claims(l, THR_AT_MOST, w.bound, w.count,
                   "perceptron, margin %g: updates <= %s, R = 1, gamma from %.2g to %.2g; the "
                   "case nearest to its bound",
                   margin, margin > 0 ? "(R^2 + 2m/r)/gamma^2 = 3/gamma^2" : "R^2/gamma^2",
                   gamma_of(squares[0]), gamma_of(squares[SQUARES - 1]));
    return 0;
}

/* A fixed margin of the data, margin 1 of the rule, and many rates. */
static int against_rate(thr_lab *l, int *step, thr_error *err)
{
    static const double rates[] = {0.05, 0.1, 0.3, 1, 3, 10, 100};
    enum { RATES = sizeof rates / sizeof *rates };
    double found[RATES], gamma = gamma_of(squares[1]);
    thr_worst w = {0};
    for (size_t i = 0; i < RATES; i++) {
        char learner[64];
        thr_game_counts h;
        snprintf(learner, sizeof learner, "perceptron:bias=off,margin=1,rate=%g", rates[i]);
        int code = play(l, learner, gamma, 1, &h, err);
        if (code == 0)
            code = done(l, step, err);
        if (code)
            return code;
        found[i] = h.updates;
        thr_worst_keep(&w, found[i], thr_bound_perceptron_margin(1, gamma, 1, rates[i]));
    }
    thr_lab_draw(l, THR_LOG_X | THR_LOG_Y, "Margin 1, gamma 0.1: updates against the rate", "rate",
                 "updates");
    thr_lab_series(l, THR_CURVE, "worst case found");
    for (size_t i = 0; i < RATES; i++)
        thr_lab_point(l, rates[i], found[i]);
    thr_lab_series(l, THR_BOUND, "(1 + 2/rate)/gamma^2");
    for (size_t i = 0; i < RATES; i++)
        thr_lab_point(l, rates[i], thr_bound_perceptron_margin(1, gamma, 1, rates[i]));
    thr_lab_claims(
        l, THR_AT_MOST, w.bound, w.count,
        "perceptron, margin 1, rates %g to %g: updates <= (R^2 + 2m/r)/gamma^2; the case "
        "nearest to its bound",
        rates[0], rates[RATES - 1]);
    return 0;
}

/* ---- a third label ------------------------------------------------------------------------ */

/* u_1 = a e_1, u_2 = -a e_1, u_3 = -b e_{n+1}, 2a^2 + b^2 = 1. The right one of the first two
 * labels leads the other by 2a y x_1 and the third by a y x_1 + b lift. Both are at least gamma. */
static int play_classes(thr_lab *l, double gamma, thr_game_counts *out, thr_error *err)
{
    const double b = 0.05, a = sqrt((1 - b * b) / 2);
    thr_sphere g;
    thr_adversary foe = {.learner = "perceptron:bias=off,margin=0",
                         .third = "0",
                         .room = DIMENSION + 1,
                         .seed = l->seed,
                         .moves = 1000000,
                         .attempts = 1,
                         .patience = 1,
                         .strategy = thr_sphere_ways,
                         .strategies = 1,
                         .user = &g};
    int code = thr_sphere_init(&g, DIMENSION, gamma / (2 * a), 0, err);
    g.lift = gamma / (2 * b);
    if (code == 0)
        code = thr_adversary_play(&foe, out, err);
    thr_sphere_clear(&g);
    return code;
}

static int three_labels(thr_lab *l, int *step, thr_error *err)
{
    double found[SQUARES], bound[SQUARES];
    thr_worst w = {0};
    for (size_t i = 1; i < SQUARES; i++) { /* the first margin is too wide for the lift */
        thr_game_counts h;
        int code = play_classes(l, gamma_of(squares[i]) / 2, &h, err);
        if (code == 0)
            code = done(l, step, err);
        if (code)
            return code;
        found[i] = h.updates;
        bound[i] = thr_bound_perceptron(sqrt(2), gamma_of(squares[i]) / 2);
        thr_worst_keep(&w, found[i], bound[i]);
    }
    thr_lab_draw(l, THR_LOG_X | THR_LOG_Y, "Three labels: updates of the perceptron",
                 "margin gamma of the data", "updates");
    thr_lab_series(l, THR_CURVE, "worst case found");
    for (size_t i = 1; i < SQUARES; i++)
        thr_lab_point(l, gamma_of(squares[i]) / 2, found[i]);
    thr_lab_series(l, THR_BOUND, "2/gamma^2");
    for (size_t i = 1; i < SQUARES; i++)
        thr_lab_point(l, gamma_of(squares[i]) / 2, bound[i]);
    thr_lab_claims(l, THR_AT_MOST, w.bound, w.count,
                   "perceptron, three labels: updates <= 2R^2/gamma^2; the case nearest to its "
                   "bound");
    return 0;
}

/* ---- passive-aggressive ------------------------------------------------------------------- */

static const char hard[] = "pa:C=inf,averaged=off,bias=off";

/* The games end a little before the bound: closer to it than the rounding of the weights, nothing
 * can be shown. */
static int play_pa(thr_lab *l, double gamma, thr_game_counts *out, thr_error *err)
{
    thr_sphere g;
    thr_adversary a = {.learner = hard,
                       .margin = 1,
                       .room = DIMENSION,
                       .seed = l->seed,
                       .moves = (uint64_t)(0.999 / (gamma * gamma)),
                       .attempts = gamma > 0.09 ? 4 : 1,
                       .patience = 5,
                       .strategy = thr_sphere_ways,
                       .strategies = 2,
                       .user = &g,
                       .aim = squared_losses};
    int code = thr_sphere_init(&g, DIMENSION, gamma, 0, err);
    if (code == 0)
        code = thr_adversary_play(&a, out, err);
    thr_sphere_clear(&g);
    return code;
}

/* Two points 120 degrees apart and u = (0, 2): R^2 ||u||^2 = 4. Correcting one point undoes half of
 * what was done for the other, so updates never end. */
static int count_updates(double *updates, thr_error *err)
{
    static const float point[2][2] = {{0.8660254F, 0.5F}, {-0.8660254F, 0.5F}};
    static const uint32_t key[] = {1, 2};
    thr_student s;
    int code = thr_student_open(&s, hard, NULL, err);
    for (int i = 0; i < 100 && code == 0; i++) {
        thr_student_learns(&s, true, key, point[i % 2], 2);
        code = s.code;
    }
    *updates = code ? 0 : (double)thr_student_stats(&s).updates;
    thr_student_close(&s);
    return code;
}

static int passive(thr_lab *l, int *step, thr_error *err)
{
    double found[SQUARES], updates = 0;
    thr_worst w = {0};
    for (size_t i = 0; i < SQUARES; i++) {
        thr_game_counts h;
        int code = play_pa(l, gamma_of(squares[i]), &h, err);
        if (code == 0)
            code = done(l, step, err);
        if (code)
            return code;
        found[i] = h.squares;
        thr_worst_keep(&w, found[i], thr_bound_pa(1, sqrt(squares[i])));
    }
    int code = count_updates(&updates, err);
    if (code)
        return code;
    thr_lab_draw(l, THR_LOG_X | THR_LOG_Y, "Passive-aggressive: sum of squared losses",
                 "margin gamma of the data", "sum of squared losses");
    draw_row(l, THR_CURVE, "worst case found", found);
    draw_row(l, THR_BOUND, "1/gamma^2", squares);
    thr_lab_claims(
        l, THR_AT_MOST, w.bound, w.count,
        "pa, C infinite: sum of loss^2 <= ||u||^2 R^2, so mistakes too; the case nearest "
        "to its bound");
    thr_lab_claims(
        l, THR_AT_LEAST, 4 + 1, updates,
        "... but not its updates: two points with ||u||^2 R^2 = 4, shown in turn, move it "
        "more often");
    return 0;
}

static int run(thr_lab *l, thr_error *err)
{
    int step = 0, code = against_margin(l, 0, &step, err);
    if (code == 0)
        code = against_margin(l, 1, &step, err);
    if (code == 0)
        code = against_rate(l, &step, err);
    if (code == 0)
        code = three_labels(l, &step, err);
    if (code == 0)
        code = passive(l, &step, err);
    thr_lab_say(
        l,
        "The adversary knows the weights and chooses, of all points with the legal margin, "
        "one that the rule only just gets wrong. Then |w|^2 grows as fast as the proof "
        "allows, and the bound is reached to within two updates, in %d dimensions as in any "
        "other number above two. Random points do not come near it.",
        DIMENSION);
    thr_lab_say(l,
                "The greater the rate, the less its own margin costs the rule: only the ratio of "
                "the two counts. At margin 0 the rate does nothing.");
    thr_lab_say(l,
                "Sums of squared losses bound the mistakes of the passive-aggressive rule, since a "
                "mistake loses at least 1. Its updates are not bounded: small losses may come "
                "without end.");
    return code;
}

const thr_experiment thr_lab_margin = {
    .name = "margin",
    .title = "Mistakes against margin",
    .claim =
        "the perceptron makes at most R^2/gamma^2 updates, with margin 1 at most 3/gamma^2, and "
        "an adversary makes it make as many",
    .seconds = 2,
    .run = run,
};
