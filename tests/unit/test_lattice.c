/* The best path and the probabilities of a lattice against all of its paths, one by one. */
#include "chain/lattice.h"

#include "base/random.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

enum { TOKENS = 5, LABELS = 4, SQUARE = LABELS * LABELS };

/* A lattice, and what its paths say. */
typedef struct trial {
    thr_random random;
    thr_lattice lattice;
    double link[TOKENS][SQUARE]; /* those in use are the first ones */
    size_t matrices;
    double node_share[TOKENS][LABELS], pair_share[TOKENS][SQUARE], log_sum; /* by enumeration */
    double best;
} trial;

static int setup_trial(void **state)
{
    trial *t = calloc(1, sizeof *t);
    if (!t)
        return -1;
    thr_random_init(&t->random, 1);
    *state = t;
    return 0;
}

static int teardown_trial(void **state)
{
    trial *t = *state;
    thr_lattice_clear(&t->lattice);
    free(t);
    return 0;
}

/* ---- lattices ----------------------------------------------------------------------------- */

static void lay_out(trial *t, size_t tokens, uint32_t labels)
{
    assert_true(thr_lattice_lay_out(&t->lattice, tokens, labels));
    memset(t->link, 0, sizeof t->link);
    t->matrices = tokens;
    for (size_t i = 0; i < tokens; i++)
        t->lattice.link[i] = t->link[i];
    for (size_t i = 0; i < tokens * labels; i++)
        t->lattice.node[i] = 0;
}

/* Tokens that follow one another may share a matrix; the second form has one for all of them. */
static void share_links(trial *t, bool all)
{
    size_t used = 0;
    for (size_t i = 1; i < t->lattice.tokens; i++) {
        used += i == 1 || (!all && thr_random_below(&t->random, 2));
        t->lattice.link[i] = t->link[used - 1];
    }
    t->matrices = used;
}

/* Whole numbers up to `most`, times `unit`, so that sums are exact and often equal. `forbidden` of
 * ten links are forbidden. */
static void fill(trial *t, unsigned most, double unit, unsigned forbidden)
{
    thr_lattice *l = &t->lattice;
    for (size_t i = 0; i < l->tokens * l->labels; i++)
        l->node[i] = ((double)thr_random_below(&t->random, 2 * most + 1) - most) * unit;
    for (size_t m = 0; m < t->matrices; m++)
        for (size_t i = 0; i < SQUARE; i++) {
            double score = ((double)thr_random_below(&t->random, 2 * most + 1) - most) * unit;
            t->link[m][i] = thr_random_below(&t->random, 10) < forbidden ? -INFINITY : score;
        }
}

/* ---- all paths ---------------------------------------------------------------------------- */

/* Path number i. False: there are not so many. */
static bool path_of(const thr_lattice *l, size_t i, uint32_t *path)
{
    for (size_t t = 0; t < l->tokens; t++, i /= l->labels)
        path[t] = (uint32_t)(i % l->labels);
    return i == 0;
}

static double sum_of(const thr_lattice *l, const uint32_t *path)
{
    double sum = 0;
    for (size_t t = 0; t < l->tokens; t++) {
        sum += l->node[t * l->labels + path[t]];
        sum += t ? l->link[t][path[t - 1] * l->labels + path[t]] : 0;
    }
    return sum;
}

/* Whether the path `a` has a lower tag than b where they differ last. */
static bool is_lower(const thr_lattice *l, const uint32_t *a, const uint32_t *b)
{
    for (size_t t = l->tokens; t-- > 0;)
        if (a[t] != b[t])
            return a[t] < b[t];
    return false;
}

/* The best path by trying all; also t->best. */
static void try_all(trial *t, uint32_t *best)
{
    uint32_t path[TOKENS];
    t->best = -INFINITY;
    for (size_t i = 0; path_of(&t->lattice, i, path); i++) {
        double sum = sum_of(&t->lattice, path);
        bool wins = sum > t->best || (sum == t->best && is_lower(&t->lattice, path, best));
        if (i == 0 || wins)
            memcpy(best, path, sizeof path);
        t->best = sum > t->best ? sum : t->best;
    }
}

/* Probabilities by adding up all paths. They need t->best. */
static void share_out(trial *t)
{
    const thr_lattice *l = &t->lattice;
    uint32_t path[TOKENS];
    double all = 0;
    memset(t->node_share, 0, sizeof t->node_share);
    memset(t->pair_share, 0, sizeof t->pair_share);
    for (size_t i = 0; path_of(l, i, path); i++)
        all += exp(sum_of(l, path) - t->best);
    t->log_sum = t->best + log(all);
    for (size_t i = 0; path_of(l, i, path); i++) {
        double share = exp(sum_of(l, path) - t->best) / all;
        for (size_t k = 0; k < l->tokens; k++) {
            t->node_share[k][path[k]] += share;
            if (k)
                t->pair_share[k][path[k - 1] * l->labels + path[k]] += share;
        }
    }
}

static void assert_near(double found, double expected, double most)
{
    if (!(fabs(found - expected) <= most))
        print_error("%.17g, expected %.17g\n", found, expected);
    assert_true(fabs(found - expected) <= most);
}

static void assert_best(trial *t)
{
    uint32_t best[TOKENS], found[TOKENS];
    try_all(t, best);
    double sum = thr_lattice_best(&t->lattice, found);
    assert_true(sum == t->best);
    if (sum == -INFINITY)
        return; /* some path */
    assert_true(thr_lattice_sum(&t->lattice, found) == sum);
    for (size_t i = 0; i < t->lattice.tokens; i++)
        assert_int_equal(found[i], best[i]);
}

/* Pairs are added to what is there, and to none where there is no matrix. */
static void assert_marginals(trial *t, bool shared)
{
    thr_lattice *l = &t->lattice;
    assert_true(thr_lattice_prepare(l, t->matrices));
    double pairs[TOKENS][SQUARE], expected[SQUARE] = {0}, *pair[TOKENS] = {NULL};
    for (size_t i = 0; i < TOKENS * SQUARE; i++)
        pairs[i / SQUARE][i % SQUARE] = 1;
    for (size_t i = 1; i < l->tokens; i++)
        pair[i] = shared ? pairs[0] : i == 2 ? NULL : pairs[i];
    share_out(t);
    assert_near(thr_lattice_marginals(l, pair), t->log_sum, 1e-9 * (1 + fabs(t->log_sum)));
    for (size_t i = 0; i < l->tokens; i++) {
        for (size_t y = 0; y < l->labels; y++)
            assert_near(l->beta[i * l->labels + y], t->node_share[i][y], 1e-9);
        for (size_t k = 0; k < l->labels * l->labels && i; k++) {
            expected[k] += t->pair_share[i][k];
            if (pair[i] && !shared)
                assert_near(pair[i][k], 1 + t->pair_share[i][k], 1e-9);
        }
    }
    for (size_t k = 0; k < l->labels * l->labels && shared; k++)
        assert_near(pairs[0][k], 1 + expected[k], 1e-9);
}

/* ---- tests -------------------------------------------------------------------------------- */

static void draw(trial *t, int round)
{
    size_t tokens = 1 + (size_t)thr_random_below(&t->random, TOKENS);
    if (round % 2)
        thr_lattice_clear(&t->lattice); /* so that it has room for no more than it asked for */
    lay_out(t, tokens, 1 + (uint32_t)thr_random_below(&t->random, LABELS));
    if (round % 3)
        share_links(t, round % 3 == 2);
}

static void the_best_path_is_that_of_all_paths(void **state)
{
    trial *t = *state;
    for (int round = 0; round < 3000; round++) {
        draw(t, round);
        fill(t, round % 2 ? 1000 : 2, 0.5, (unsigned)round % 7);
        assert_best(t);
    }
}

static void lower_tags_win_from_the_end_on(void **state)
{
    trial *t = *state;
    uint32_t path[TOKENS];
    lay_out(t, 3, 3);
    assert_true(thr_lattice_best(&t->lattice, path) == 0);
    assert_true(path[0] == 0 && path[1] == 0 && path[2] == 0);
    /* 2 1 0 and 0 0 1 have the same sum, more than all others. */
    t->link[1][2 * 3 + 1] = t->link[1][0 * 3 + 0] = 1;
    t->link[2][1 * 3 + 0] = t->link[2][0 * 3 + 1] = 1;
    assert_true(thr_lattice_best(&t->lattice, path) == 2);
    assert_true(path[0] == 2 && path[1] == 1 && path[2] == 0);
}

static void probabilities_are_those_of_all_paths(void **state)
{
    trial *t = *state;
    uint32_t best[TOKENS];
    for (int round = 0; round < 2000; round++) {
        draw(t, round);
        fill(t, 100, 0.05, (unsigned)round % 5);
        try_all(t, best);
        if (t->best > -INFINITY)
            assert_marginals(t, round % 4 > 1);
    }
}

/* Tag 1 is far behind at each token, but 0 may not be followed by 0: after subtracting what is
 * greatest, every path has a factor that is 0 in double. */
static void scores_far_apart_have_probabilities(void **state)
{
    trial *t = *state;
    uint32_t best[TOKENS];
    for (size_t tokens = 2; tokens <= TOKENS; tokens++) {
        lay_out(t, tokens, 2);
        share_links(t, true);
        for (size_t i = 0; i < tokens; i++)
            t->lattice.node[i * 2 + 1] = -2000 - (double)i;
        t->link[0][0] = -INFINITY;
        try_all(t, best);
        assert_marginals(t, false);
        assert_marginals(t, true);
    }
}

/* Tag 1 is 700 behind tag 0 at one token and 700 at the next, and then as much ahead of it. */
static void a_path_that_falls_far_behind_may_catch_up(void **state)
{
    trial *t = *state;
    uint32_t best[TOKENS];
    lay_out(t, 4, 2);
    share_links(t, true);
    t->link[0][0 * 2 + 1] = t->link[0][1 * 2 + 0] = -INFINITY;
    for (size_t i = 0; i < 4; i++)
        t->lattice.node[i * 2 + (i > 1)] = 700;
    try_all(t, best);
    assert_marginals(t, false);
    assert_near(t->lattice.beta[0], 0.5, 1e-9);
}

/* A tag that no path comes to has high scores in a long sentence. */
static void a_tag_out_of_reach_does_not_matter(void **state)
{
    trial *t = *state;
    enum { LONG = 2000 };
    double *pair[LONG] = {NULL}, pairs[SQUARE] = {0};
    assert_true(thr_lattice_lay_out(&t->lattice, LONG, 2));
    assert_true(thr_lattice_prepare(&t->lattice, 1));
    t->link[0][0 * 2 + 1] = -INFINITY;
    for (size_t i = 0; i < LONG; i++) {
        t->lattice.link[i] = t->link[0];
        t->lattice.node[i * 2] = 0;
        t->lattice.node[i * 2 + 1] = i ? 10 : -INFINITY;
        pair[i] = pairs;
    }
    assert_near(thr_lattice_marginals(&t->lattice, pair), 0, 1e-9);
    for (size_t i = 0; i < LONG; i++)
        assert_true(fabs(t->lattice.beta[i * 2] - 1) < 1e-9 && t->lattice.beta[i * 2 + 1] == 0);
    assert_near(pairs[0], LONG - 1, 1e-6);
    assert_true(pairs[1] == 0 && pairs[2] == 0 && pairs[3] == 0);
}

/* Some of these need logarithms and some do not. */
static void scores_of_any_size_have_probabilities(void **state)
{
    trial *t = *state;
    uint32_t best[TOKENS];
    for (int round = 0; round < 1000; round++) {
        draw(t, round);
        fill(t, 4, round % 2 ? 250 : 2500, 2 + (unsigned)round % 4);
        try_all(t, best);
        if (t->best > -INFINITY)
            assert_marginals(t, round % 4 > 1);
    }
}

static void tags_that_may_not_begin_or_end_have_no_probability(void **state)
{
    trial *t = *state;
    uint32_t best[TOKENS];
    lay_out(t, 3, 3);
    t->lattice.node[1] = t->lattice.node[2 * 3 + 0] = -INFINITY;
    try_all(t, best);
    assert_best(t);
    assert_marginals(t, false);
    assert_true(t->lattice.beta[1] == 0 && t->lattice.beta[2 * 3] == 0);
    assert_near(t->lattice.beta[0], 0.5, 1e-12);
}

#define trial_test(f) cmocka_unit_test_setup_teardown(f, setup_trial, teardown_trial)

int main(void)
{
    const struct CMUnitTest tests[] = {
        trial_test(the_best_path_is_that_of_all_paths),
        trial_test(lower_tags_win_from_the_end_on),
        trial_test(probabilities_are_those_of_all_paths),
        trial_test(scores_far_apart_have_probabilities),
        trial_test(a_path_that_falls_far_behind_may_catch_up),
        trial_test(a_tag_out_of_reach_does_not_matter),
        trial_test(scores_of_any_size_have_probabilities),
        trial_test(tags_that_may_not_begin_or_end_have_no_probability),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
