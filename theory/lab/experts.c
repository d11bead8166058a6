/* Experts against their bounds (Littlestone and Warmuth; Freund and Schapire; Herbster and
 * Warmuth), played by adversaries that know the weights:
 *
 *   vote      A mistake costs the least weight if the wrong side has just half of it. So right and
 *             wrong are split evenly in every round. One expert, the best, errs in the first m
 *             rounds and then never, until it outweighs all others together.
 *   expected  A loss removes weight at least in proportion to its probability, and nearly exactly
 *             in proportion if that probability is small. So one expert errs at a time, and the
 *             best one only at the beginning.
 *   share     The best expert changes: the play against the vote, repeated in each part.
 *
 * The bounds are those that `thresh experts` prints (docs/THEORY.md). */
#include "base/random.h"
#include "lab/lab.h"
#include "lab/verdict.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 1024 };

/* A game of one algorithm in one form. */
typedef struct game {
    thr_experts *e;
    size_t n, row;
    double weight[MOST];
    size_t order[MOST];
} game;

static size_t row_of(const thr_experts *e, const char *algorithm, const char *form)
{
    thr_experts_result r;
    size_t i = 0;
    while (thr_experts_result_at(e, i, &r) &&
           (strcmp(r.algorithm, algorithm) != 0 || strcmp(r.form, form) != 0))
        i++;
    return i;
}

static game *start(size_t n, const thr_experts_options *o, const char *algorithm, const char *form,
                   thr_error *err)
{
    game *g = calloc(1, sizeof *g);
    if (!g)
        thr_fail_memory(err);
    else if (!(g->e = thr_experts_new(n, NULL, o, err))) {
        free(g);
        g = NULL;
    } else {
        g->n = n;
        g->row = row_of(g->e, algorithm, form);
    }
    return g;
}

static void end(game *g)
{
    if (g)
        thr_experts_free(g->e);
    free(g);
}

static double loss_of(const game *g)
{
    thr_experts_result r = {0};
    thr_experts_result_at(g->e, g->row, &r);
    return r.loss;
}

/* ---- against the vote --------------------------------------------------------------------- */

/* Sorts `order` by falling weight. */
static void sort_by_weight(game *g)
{
    for (size_t i = 0; i < g->n; i++) {
        size_t at = i;
        for (; at && g->weight[g->order[at - 1]] < g->weight[i]; at--)
            g->order[at] = g->order[at - 1];
        g->order[at] = i;
    }
}

/* Constructs a round in which the vote errs: the experts that are right have at most half of the
 * weight, and as much of it as possible. The first expert, whose side wins ties, is wrong. Returns
 * whether the `best` expert could be put on the side where it should be. */
static bool fool(game *g, size_t best, bool best_right, thr_error *err)
{
    const char *said[MOST];
    double right = best_right ? g->weight[best] : 0;
    if (right > 0.5)
        return false;
    for (size_t i = 0; i < g->n; i++)
        said[i] = "wrong";
    if (best_right)
        said[best] = "right";
    for (size_t k = 0; k < g->n; k++) {
        size_t i = g->order[k];
        if (i == best || i == 0 || right + g->weight[i] > 0.5)
            continue;
        right += g->weight[i];
        said[i] = "right";
    }
    return thr_experts_hear_labels(g->e, said, err) == 0 &&
           thr_experts_learn_label(g->e, "right", err) == 0;
}

/* The mistakes of the vote while the last expert makes m, and the bound on them. */
static int against_vote(size_t n, double eta, double m, double *mistakes, double *bound,
                        thr_error *err)
{
    thr_experts_options o;
    thr_experts_defaults(&o);
    o.algorithms = "majority";
    o.eta = eta;
    game *g = start(n, &o, "majority", "vote", err);
    if (!g)
        return THR_EMEM;
    bool keeps_learning = true;
    for (double round = 0; keeps_learning; round++) {
        thr_experts_weights(g->e, g->row, g->weight);
        sort_by_weight(g);
        keeps_learning = fool(g, n - 1, round >= m, err);
    }
    *mistakes = loss_of(g);
    *bound = thr_experts_bound(g->e, g->row, 0);
    end(g);
    return 0;
}

enum { CROWD = 512, MISTAKES = 10 };

static int vote(thr_lab *l, thr_error *err)
{
    static const double etas[] = {0.6931471805599453, 0.2};
    static const char *const names[] = {"beta 1/2", "eta 0.2"};
    thr_nearest c = {0, 0};
    double least = INFINITY;
    int code = 0;
    thr_lab_draw(l, 0, "Weighted majority among 512 experts, against an adversary",
                 "mistakes of the best expert", "mistakes of the vote");
    for (size_t k = 0; k < 2 && code == 0; k++) {
        double loss[MISTAKES + 1], bound[MISTAKES + 1];
        for (int m = 0; m <= MISTAKES && code == 0; m++) {
            code = against_vote(CROWD, etas[k], m, &loss[m], &bound[m], err);
            thr_nearest_keep(&c, loss[m], bound[m]);
            least = fmin(least, loss[m] / bound[m]);
        }
        thr_lab_series(l, THR_CURVE, "%s", names[k]);
        for (int m = 0; m <= MISTAKES && code == 0; m++)
            thr_lab_point(l, m, loss[m]);
        thr_lab_series(l, THR_BOUND, "its bound");
        for (int m = 0; m <= MISTAKES && code == 0; m++)
            thr_lab_point(l, m, bound[m]);
    }
    thr_lab_claims(l, THR_AT_MOST, c.bound, c.seen,
                   "weighted majority, the adversary's best game of %d: mistakes against (m "
                   "ln(1/beta) + ln N)/ln(2/(1+beta))",
                   2 * (MISTAKES + 1));
    thr_lab_claims(
        l, THR_AT_LEAST, 0.75, least,
        "... and the bound is near: the adversary's worst game, as a share of the bound");
    return code;
}

/* ---- against the expected loss ------------------------------------------------------------ */

static int one_errs(game *g, size_t expert, thr_error *err)
{
    double loss[MOST] = {0};
    loss[expert] = 1;
    return thr_experts_learn_losses(g->e, loss, err);
}

/* The best expert errs in the first m rounds; then the others err in turn, until their weight is
 * negligible. */
static int against_expected(size_t n, double eta, unsigned m, double *lost, double *bound,
                            thr_error *err)
{
    thr_experts_options o;
    thr_experts_defaults(&o);
    o.algorithms = "hedge";
    o.loss = "given";
    o.eta = eta;
    game *g = start(n, &o, "hedge", "expected", err);
    int code = g ? 0 : THR_EMEM;
    unsigned turns = m + (unsigned)(7 / eta) + 1;
    for (unsigned i = 0; i < m && code == 0; i++)
        code = one_errs(g, n - 1, err);
    for (unsigned turn = 0; turn < turns && code == 0; turn++)
        for (size_t i = 0; i + 1 < n && code == 0; i++)
            code = one_errs(g, i, err);
    if (code == 0) {
        *lost = loss_of(g);
        *bound = thr_experts_bound(g->e, g->row, 0);
    }
    end(g);
    return code;
}

static int expected(thr_lab *l, thr_error *err)
{
    static const unsigned ms[] = {0, 8};
    thr_nearest c = {0, 0};
    double last = 0;
    int code = 0;
    thr_lab_draw(l, THR_LOG_X, "Hedge at eta 1/2, against an adversary", "experts",
                 "expected loss");
    for (size_t k = 0; k < 2 && code == 0; k++) {
        double loss[8], bound[8];
        for (unsigned i = 0; i < 8 && code == 0; i++) {
            code = against_expected((size_t)2 << i, 0.5, ms[k], &loss[i], &bound[i], err);
            thr_nearest_keep(&c, loss[i], bound[i]);
            last = loss[i] / bound[i];
        }
        thr_lab_series(l, THR_CURVE, "best expert loses %u", ms[k]);
        for (unsigned i = 0; i < 8 && code == 0; i++)
            thr_lab_point(l, 2 << i, loss[i]);
        thr_lab_series(l, THR_BOUND, "its bound");
        for (unsigned i = 0; i < 8 && code == 0; i++)
            thr_lab_point(l, 2 << i, bound[i]);
        code = code ? code : thr_lab_tell(l, 0.3 + 0.2 * (double)k, err);
    }
    thr_lab_claims(l, THR_AT_MOST, c.bound, c.seen,
                   "randomised majority and Hedge, the adversary's best game of 16: expected loss "
                   "against (m ln(1/beta) + ln N)/(1-beta)");
    thr_lab_claims(l, THR_AT_LEAST, 0.95, last,
                   "... and the bound is near: 256 experts, as a share of the bound");
    return code;
}

/* ---- chance ------------------------------------------------------------------------------- */

enum { COINS = 16, TOSSES = 2000, GAMES = 10, CHECKS = 8 };

/* Fair coins: no expert is better than another, and the best of 16 is ahead by luck. */
static int toss(thr_lab *l, uint64_t seed, double *regret, double *over, thr_error *err)
{
    thr_experts_options o;
    thr_random r;
    thr_experts_defaults(&o);
    thr_random_init(&r, thr_mix64(l->seed * 1000 + seed) ^ 9);
    o.algorithms = "hedge";
    o.loss = "given";
    o.adapt = true;
    game *g = start(COINS, &o, "hedge", "expected", err);
    int code = g ? 0 : THR_EMEM;
    for (unsigned t = 1, check = 0; t <= TOSSES && code == 0; t++) {
        double loss[COINS];
        for (size_t i = 0; i < COINS; i++)
            loss[i] = (double)thr_random_below(&r, 2);
        code = thr_experts_learn_losses(g->e, loss, err);
        double best = thr_experts_best(g->e, 0, NULL), ours = loss_of(g) - best;
        *over = fmax(*over, ours / (thr_experts_bound(g->e, g->row, 0) - best));
        if (t == (unsigned)TOSSES >> (CHECKS - 1 - check)) {
            regret[check] = fmax(regret[check], ours);
            check++;
        }
    }
    end(g);
    return code;
}

static int chance(thr_lab *l, thr_error *err)
{
    double regret[CHECKS] = {0}, over = 0;
    int code = 0;
    for (uint64_t i = 0; i < GAMES && code == 0; i++)
        code = toss(l, i, regret, &over, err);
    thr_lab_draw(l, THR_LOG_X | THR_LOG_Y, "Hedge without a rate among 16 fair coins", "rounds",
                 "loss above the best coin's");
    thr_lab_series(l, THR_CURVE, "greatest of %d games", GAMES);
    for (unsigned i = 0; i < CHECKS; i++)
        thr_lab_point(l, TOSSES >> (CHECKS - 1 - i), regret[i]);
    thr_lab_series(l, THR_BOUND, "2 sqrt(T/2 ln N) + sqrt(ln(N)/8)");
    for (unsigned i = 0; i < CHECKS; i++) {
        double t = TOSSES >> (CHECKS - 1 - i);
        thr_lab_point(l, t, 2 * sqrt(t / 2 * log(COINS)) + sqrt(log(COINS) / 8));
    }
    thr_lab_claims(l, THR_AT_MOST, 1, over,
                   "Hedge without a rate among %d fair coins, after each of %d rounds of %d games: "
                   "its regret as a share of 2 sqrt(T/2 ln N) + sqrt(ln(N)/8)",
                   COINS, TOSSES, GAMES);
    return code;
}

/* ---- randomised: many draws --------------------------------------------------------------- */

enum { DRAWS = 400, ROUNDS = 200, FEW = 8 };

static int play_drawn(uint64_t seed, uint64_t draw, double *drawn, double *mean, thr_error *err)
{
    thr_experts_options o;
    thr_random r;
    thr_experts_defaults(&o);
    thr_random_init(&r, seed);
    o.algorithms = "random";
    o.seed = draw;
    game *g = start(FEW, &o, "random", "drawn", err);
    int code = g ? 0 : THR_EMEM;
    for (unsigned t = 0; t < ROUNDS && code == 0; t++) {
        const char *said[FEW];
        for (size_t i = 0; i < FEW; i++)
            said[i] = thr_random_real(&r) < 0.1 * (double)(i + 1) ? "right" : "wrong";
        code = thr_experts_hear_labels(g->e, said, err);
        code = code ? code : thr_experts_learn_label(g->e, "right", err);
    }
    if (code == 0) {
        *drawn = loss_of(g);
        g->row = row_of(g->e, "random", "expected");
        *mean = loss_of(g);
    }
    end(g);
    return code;
}

/* The draws of all rounds are independent, each between 0 and 1: by Hoeffding the mean of n runs of
 * T rounds is further than sqrt(T ln(2/delta)/(2 n)) from its expectation with probability delta at
 * most. */
static int drawn(thr_lab *l, thr_error *err)
{
    double sum = 0, most = 0, mean = 0, one = 0;
    int code = 0;
    for (uint64_t i = 0; i < DRAWS && code == 0; i++) {
        code = play_drawn(l->seed + 77, l->seed * 100000 + i, &one, &mean, err);
        sum += one;
        most = fmax(most, one);
    }
    thr_lab_claims(l, THR_AT_MOST, sqrt(ROUNDS * log(2 / 1e-9) / (2.0 * DRAWS)),
                   fabs(sum / DRAWS - mean),
                   "randomised majority, %d runs over the same %d rounds: distance of their mean "
                   "loss from the expected loss (Hoeffding, one in 10^9)",
                   DRAWS, ROUNDS);
    thr_lab_say(l,
                "The bound of the randomised form is on its expected loss, here %.1f. Single runs "
                "lost up to %.0f: nothing is promised about one of them.",
                mean, most);
    return code;
}

/* ---- the best changes --------------------------------------------------------------------- */

enum { CHANGING = 8, PARTS = 8, PART = 60 };

typedef struct season {
    double share[PARTS * PART + 1], still[PARTS * PART + 1]; /* mistakes so far */
    double bound[PARTS * PART + 1];                          /* on the mistakes of share */
    thr_nearest c;
} season;

/* In each part one expert is always right. The truth is chosen against the vote of `share` as long
 * as that expert has at most half of the weight; afterwards the other experts toss coins. Weighted
 * majority plays the same rounds. */
static int play_season(season *s, bool hostile, uint64_t seed, thr_error *err)
{
    thr_experts_options o;
    thr_random r;
    thr_experts_defaults(&o);
    thr_random_init(&r, seed);
    o.algorithms = "majority,share";
    o.share = 0.02;
    o.switches = PARTS - 1;
    game *g = start(CHANGING, &o, "share", "vote", err);
    int code = g ? 0 : THR_EMEM;
    size_t still = g ? row_of(g->e, "majority", "vote") : 0;
    for (unsigned t = 0; t < PARTS * PART && code == 0; t++) {
        size_t best = 1 + t / PART % (CHANGING - 1);
        const char *said[CHANGING];
        thr_experts_weights(g->e, g->row, g->weight);
        sort_by_weight(g);
        if (!hostile || !fool(g, best, true, err)) {
            for (size_t i = 0; i < CHANGING; i++)
                said[i] = i == best || thr_random_below(&r, 2) ? "right" : "wrong";
            code = thr_experts_hear_labels(g->e, said, err);
            code = code ? code : thr_experts_learn_label(g->e, "right", err);
        }
        thr_experts_result result = {0};
        thr_experts_result_at(g->e, still, &result);
        s->still[t + 1] = result.loss;
        thr_experts_result_at(g->e, g->row, &result);
        s->share[t + 1] = result.loss;
        s->bound[t + 1] = result.bound;
        thr_nearest_keep(&s->c, result.loss, result.bound);
    }
    end(g);
    return code;
}

static int seasons(thr_lab *l, thr_error *err)
{
    season chance = {{0}, {0}, {0}, {0, 0}}, hostile = {{0}, {0}, {0}, {0, 0}};
    int code = play_season(&chance, false, thr_mix64(l->seed) ^ 5, err);
    code = code ? code : play_season(&hostile, true, thr_mix64(l->seed) ^ 6, err);
    thr_lab_draw(l, 0, "The best of eight experts changes every 60 rounds", "rounds", "mistakes");
    thr_lab_series(l, THR_CURVE, "weighted majority");
    for (unsigned t = 0; t <= PARTS * PART; t += 10)
        thr_lab_point(l, t, chance.still[t]);
    thr_lab_series(l, THR_CURVE, "fixed share, 0.02");
    for (unsigned t = 0; t <= PARTS * PART; t += 10)
        thr_lab_point(l, t, chance.share[t]);
    thr_lab_series(l, THR_CURVE, "fixed share, against an adversary");
    for (unsigned t = 0; t <= PARTS * PART; t += 10)
        thr_lab_point(l, t, hostile.share[t]);
    thr_lab_series(l, THR_BOUND, "its bound");
    for (unsigned t = 10; t <= PARTS * PART; t += 10)
        thr_lab_point(l, t, hostile.bound[t]);
    thr_lab_claims(l, THR_AT_MOST, hostile.c.bound, hostile.c.seen,
                   "fixed share's vote, an adversary and a best expert that changes %d times: "
                   "mistakes against the bound, after the round where it is nearest",
                   PARTS - 1);
    thr_lab_claims(l, THR_AT_MOST, chance.c.bound, chance.c.seen,
                   "... and where the other experts toss coins");
    thr_lab_claims(l, THR_AT_LEAST, chance.share[PARTS * PART] + 1, chance.still[PARTS * PART],
                   "without sharing the vote makes more mistakes");
    return code;
}

static int run(thr_lab *l, thr_error *err)
{
    int code = vote(l, err);
    code = code ? code : expected(l, err);
    code = code ? code : chance(l, err);
    code = code ? code : drawn(l, err);
    code = code ? code : seasons(l, err);
    thr_lab_say(l, "The adversaries stop a few mistakes below the bounds: at the end the weight of "
                   "the others must be gone, and the last of it cannot be split in halves.");
    return code;
}

const thr_experiment thr_lab_experts = {
    .name = "experts",
    .title = "Experts against their bounds",
    .claim = "weighted majority, its randomised form, Hedge and fixed share stay within their "
             "bounds, and adversaries come near",
    .seconds = 0.3,
    .run = run,
};
