/* The worst cases of the experiment `growth`: an adversary plays disjunctions of 5 of n variables
 * against each rule. n is one more than a power of two. There log2(2 theta) is just above a whole
 * number, so that the bound on promotions can be reached. */
#include "bounds/bounds.h"
#include "lab/games.h"
#include "lab/growth.h"

#include <math.h>

enum { SIZES = 5, SMALL = 65, MIDDLE = 300 };

static size_t size_at(size_t i)
{
    return ((size_t)1 << (4 + 2 * i)) + 1; /* 17, 65, 257, 1025, 4097 */
}

typedef struct rival {
    const char *learner;
    bool positive; /* positive winnow: positive weights and a threshold */
    double (*aim)(const thr_game_counts *h);
} rival;

/* A look of the search costs n features. So for large sizes only the known strategy is played. */
static int play(thr_lab *l, const rival *r, size_t n, thr_game_counts *out, thr_error *err)
{
    thr_choice g;
    thr_adversary a = {.learner = r->learner,
                       .ties_are_right = r->positive,
                       .room = n,
                       .seed = l->seed,
                       .moves = 100000,
                       .attempts = n <= SMALL    ? 6
                                   : n <= MIDDLE ? 3
                                                 : 1,
                       .patience = 5,
                       .strategy = r->positive ? thr_winnow_ways : thr_choice_ways,
                       .strategies = 3,
                       .user = &g,
                       .aim = r->aim};
    int code = thr_choice_init(&g, n, THR_GROWTH_K, err);
    if (code == 0)
        code = thr_adversary_play(&a, out, err);
    thr_choice_clear(&g);
    return code;
}

static double mistakes_of(const thr_game_counts *h)
{
    return h->mistakes;
}

typedef struct winnow_case {
    double mistakes[SIZES], bound[SIZES];
    thr_worst total, promotions, demotions;
} winnow_case;

static int play_winnow(thr_lab *l, double demote, double from, winnow_case *c, thr_error *err)
{
    for (size_t i = 0; i < SIZES; i++) {
        size_t n = size_at(i);
        char learner[96];
        thr_game_counts h;
        thr_winnow_setting w = {.promote = 2, .demote = demote, .theta = (double)n, .start = 1};
        thr_growth_winnow(learner, sizeof learner, demote, n);
        int code = play(l, &(rival){learner, true, mistakes_of}, n, &h, err);
        if (code == 0)
            code = thr_lab_tell(l, from + 0.1 * (double)(i + 1) / SIZES, err);
        if (code)
            return code;
        c->mistakes[i] = h.mistakes;
        c->bound[i] = thr_growth_bound_winnow(demote, n);
        thr_worst_keep(&c->total, h.mistakes, c->bound[i]);
        thr_worst_keep(&c->promotions, h.missed, thr_bound_promotions(w, THR_GROWTH_K, 0, 0));
        thr_worst_keep(&c->demotions, h.alarms, thr_bound_demotions(w, (double)n, h.missed));
    }
    return 0;
}

static void draw(thr_lab *l, enum thr_series_kind kind, const char *name, const double *y, size_t n)
{
    thr_lab_series(l, kind, "%s", name);
    for (size_t i = 0; i < n; i++)
        thr_lab_point(l, (double)size_at(i), y[i]);
}

static void claim_winnow(thr_lab *l, const winnow_case *half, const winnow_case *none)
{
    thr_lab_claims(
        l, THR_AT_MOST, half->total.bound, half->total.count,
        "winnow 2, 1/2, theta n on disjunctions of %d, against an adversary: mistakes <= "
        "3 k log2(2n) + 2; the case nearest to its bound, n from %zu to %zu",
        THR_GROWTH_K, size_at(0), size_at(SIZES - 1));
    thr_lab_claims(l, THR_AT_MOST, half->promotions.bound, half->promotions.count,
                   "... promotions u <= k log2(2 theta)");
    thr_lab_claims(l, THR_AT_MOST, half->demotions.bound, half->demotions.count,
                   "... demotions v <= 2 (n/theta + u)");
    thr_lab_claims(l, THR_AT_MOST, none->demotions.bound, none->demotions.count,
                   "... elimination form, demote 0: demotions v <= n/theta + u");
}

enum { FEW = 3 }; /* number of sizes for the slower games: up to n = 257 */

static int play_others(thr_lab *l, double *added, double *balanced, thr_error *err)
{
    char learner[96];
    thr_growth_balanced(learner, sizeof learner);
    for (size_t i = 0; i < FEW; i++) {
        thr_game_counts h;
        int code = play(l, &(rival){"perceptron:margin=0", false, NULL}, size_at(i), &h, err);
        added[i] = h.updates;
        if (code == 0)
            code = play(l, &(rival){learner, false, NULL}, size_at(i), &h, err);
        balanced[i] = h.updates;
        if (code == 0)
            code = thr_lab_tell(l, 0.2 + 0.1 * (double)(i + 1) / FEW, err);
        if (code)
            return code;
    }
    return 0;
}

static void claim_others(thr_lab *l, const double *added, const double *balanced)
{
    thr_worst a = {0}, b = {0};
    for (size_t i = 0; i < FEW; i++) {
        thr_worst_keep(&a, added[i],
                       thr_bound_perceptron_disjunction(THR_GROWTH_K, (double)size_at(i)));
        thr_worst_keep(&b, balanced[i], thr_growth_bound_balanced(size_at(i)));
    }
    thr_lab_claims(l, THR_AT_MOST, a.bound, a.count,
                   "perceptron, bias included, against an adversary: updates <= (4k + 1)(n + 1), n "
                   "to %zu",
                   size_at(FEW - 1));
    thr_lab_claims(l, THR_AT_MOST, b.bound, b.count,
                   "balanced, eta = g = 1/(2k + 1), against an adversary: updates <= 2 ln(2(n + "
                   "1))/g^2, n to %zu",
                   size_at(FEW - 1));
}

/* Shows each irrelevant variable alone, as a negative example: each causes one mistake. */
static int eliminate_all(thr_lab *l, double *dropped, thr_error *err)
{
    thr_worst w = {0};
    for (size_t i = 0; i < SIZES; i++) {
        thr_student s;
        int code = thr_student_open(&s, thr_growth_elimination, NULL, err);
        for (uint32_t v = THR_GROWTH_K + 1; v <= size_at(i) && code == 0; v++) {
            thr_student_learns(&s, false, &v, NULL, 1);
            code = s.code;
        }
        dropped[i] = code ? 0 : (double)thr_student_stats(&s).mistakes;
        thr_student_close(&s);
        if (code)
            return code;
        thr_worst_keep(&w, dropped[i], thr_bound_eliminate((double)size_at(i), false));
    }
    thr_lab_claims(l, THR_AT_MOST, w.bound, w.count,
                   "eliminate, one irrelevant variable at a time: mistakes <= n");
    return 0;
}

int thr_growth_worst(thr_lab *l, thr_error *err)
{
    winnow_case half = {0}, none = {0};
    double added[FEW], balanced[FEW], dropped[SIZES];
    int code = play_winnow(l, 0.5, 0, &half, err);
    if (code == 0)
        code = play_winnow(l, 0, 0.1, &none, err);
    if (code == 0)
        code = play_others(l, added, balanced, err);
    if (code)
        return code;
    thr_lab_draw(l, THR_LOG_X | THR_LOG_Y, "Each against its own adversary", "variables n",
                 "mistakes, updates");
    draw(l, THR_CURVE, "perceptron", added, FEW);
    draw(l, THR_CURVE, "balanced", balanced, FEW);
    claim_winnow(l, &half, &none);
    claim_others(l, added, balanced);
    code = eliminate_all(l, dropped, err);
    draw(l, THR_CURVE, "eliminate", dropped, code ? 0 : SIZES);
    draw(l, THR_CURVE, "winnow, demote 1/2", half.mistakes, SIZES);
    draw(l, THR_BOUND, "3 k log2(2n) + 2", half.bound, SIZES);
    draw(l, THR_CURVE, "winnow, demote 0", none.mistakes, SIZES);
    draw(l, THR_BOUND, "2 k log2(2n) + 1", none.bound, SIZES);
    return code;
}
