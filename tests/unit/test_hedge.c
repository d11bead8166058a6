/* The update against its definition in plain weights, and the bounds at cases known by hand. */
#include "measure/hedge.h"

#include "base/random.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>

#include <cmocka.h>

enum { MOST = 12 };

static void near(double a, double b)
{
    if (!(fabs(a - b) <= 1e-9 * (1 + fabs(b))))
        fail_msg("%.17g is not %.17g", a, b);
}

/* w_i *= beta^loss, then a share of each to all others; brought to sum 1. */
static void plain_update(double *w, size_t n, const double *loss, double eta, double share)
{
    double out[MOST], total = 0, sum = 0;
    for (size_t i = 0; i < n; i++) {
        w[i] *= exp(-eta * loss[i]);
        total += w[i];
    }
    for (size_t i = 0; i < n; i++) {
        out[i] = w[i];
        if (n > 1)
            out[i] = (1 - share) * w[i] + share / (double)(n - 1) * (total - w[i]);
        sum += out[i];
    }
    for (size_t i = 0; i < n; i++)
        w[i] = out[i] / sum;
}

static void test_update_follows_plain_products_of_weights(void **state)
{
    (void)state;
    static const double shares[] = {0, 0.001, 0.3, 0.999};
    thr_random r;
    thr_random_init(&r, 5);
    for (size_t n = 1; n <= MOST; n++)
        for (size_t s = 0; s < 4; s++) {
            double log_weight[MOST], plain[MOST], weight[MOST], loss[MOST];
            thr_hedge_start(log_weight, n);
            for (size_t i = 0; i < n; i++)
                plain[i] = 1;
            for (int round = 0; round < 50; round++) {
                for (size_t i = 0; i < n; i++)
                    loss[i] = thr_random_real(&r);
                thr_hedge_update(log_weight, n, loss, 0.7, shares[s]);
                plain_update(plain, n, loss, 0.7, shares[s]);
                thr_hedge_weights(log_weight, n, weight);
                for (size_t i = 0; i < n; i++)
                    near(weight[i], plain[i]);
            }
        }
}

/* The greatest logarithm is 0, the weights sum to 1, and nothing is lost of one that is far
 * behind: it comes back when the others err as often. */
static void test_nothing_underflows(void **state)
{
    (void)state;
    enum { ROUNDS = 1000000, EXPERTS = 3 };
    double log_weight[EXPERTS], weight[EXPERTS], loss[2][EXPERTS] = {{0, 1, 1}, {1, 0, 1}};
    thr_hedge_start(log_weight, EXPERTS);
    for (int half = 0; half < 2; half++)
        for (int t = 0; t < ROUNDS / 2; t++)
            thr_hedge_update(log_weight, EXPERTS, loss[half], 3, 0);
    near(log_weight[0], 0);
    near(log_weight[1], 0);
    near(log_weight[2], -3.0 * ROUNDS / 2);
    thr_hedge_weights(log_weight, EXPERTS, weight);
    near(weight[0], 0.5);
    near(weight[0] + weight[1] + weight[2], 1);
}

/* With a share nobody falls below a/(n-1) of the rest. */
static void test_share_keeps_a_floor(void **state)
{
    (void)state;
    double log_weight[4], weight[4], loss[4] = {0, 1, 1, 1};
    thr_hedge_start(log_weight, 4);
    for (int t = 0; t < 100000; t++)
        thr_hedge_update(log_weight, 4, loss, 50, 0.03);
    thr_hedge_weights(log_weight, 4, weight);
    for (int i = 1; i < 4; i++)
        near(weight[i], 0.01);
}

static void test_weights_in_place(void **state)
{
    (void)state;
    double w[2] = {0, -log(3)};
    thr_hedge_weights(w, 2, w);
    near(w[0], 0.75);
    near(w[1], 0.25);
}

static void test_bounds_have_the_published_values(void **state)
{
    (void)state;
    const double half = log(2);
    /* Littlestone and Warmuth's 2.41 (m + log2 N) */
    near(thr_majority_bound(10, 16, half), (10 + 4) * log(2) / log(4.0 / 3));
    assert_true(thr_majority_bound(10, 16, half) < 2.4095 * 14);
    assert_true(thr_majority_bound(10, 16, half) > 2.4094 * 14);
    near(thr_hedge_bound(10, 16, half), (10 + 4) * log(2) / 0.5);
    near(thr_hedge_bound(0, 1, 0.1), 0);
    near(thr_majority_bound(7, 1, 1), 7 / log(2 / (1 + exp(-1))));
    /* a perfect expert, a small rate: 2 log2 N mistakes become ln N / eta */
    near(thr_hedge_bound(0, 8, 1e-6), log(8) / -expm1(-1e-6));
}

static void test_share_bounds(void **state)
{
    (void)state;
    thr_sequence_cost best = {4, 2, 100};
    double eta = 0.5, a = 0.02;
    double top = 0.5 * 4 + log(5) + 2 * log(4 / a) + 97 * log(1 / (1 - a));
    near(thr_share_bound(best, 5, eta, a), top / (1 - exp(-eta)));
    near(thr_share_vote_bound(best, 5, eta, a), top / log(2 / (1 + exp(-eta))));
    near(thr_share_concave_bound(best, 5, eta, a), top / eta);
    thr_sequence_cost still = {4, 0, 100};
    near(thr_share_bound(still, 5, eta, 0), thr_hedge_bound(4, 5, eta));
    near(thr_share_vote_bound(still, 5, eta, 0), thr_majority_bound(4, 5, eta));
    assert_true(isinf(thr_share_bound(best, 5, eta, 0)));
    near(thr_share_bound((thr_sequence_cost){3, 0, 9}, 1, eta, a), thr_hedge_bound(3, 1, eta));
    near(thr_share_bound((thr_sequence_cost){0, 0, 0}, 5, eta, a), log(5) / (1 - exp(-eta)));
}

static void test_anytime_rate_and_bound_follow_their_formulas(void **state)
{
    (void)state;
    near(thr_hedge_anytime_rate(10, 1), sqrt(8 * log(10)));
    near(thr_hedge_anytime_rate(10, 400), sqrt(8 * log(10) / 400));
    near(thr_hedge_anytime_rate(1, 3), 0);
    near(thr_hedge_anytime_bound(7, 10, 400), 7 + 2 * sqrt(200 * log(10)) + sqrt(log(10) / 8));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_update_follows_plain_products_of_weights),
        cmocka_unit_test(test_nothing_underflows),
        cmocka_unit_test(test_share_keeps_a_floor),
        cmocka_unit_test(test_weights_in_place),
        cmocka_unit_test(test_bounds_have_the_published_values),
        cmocka_unit_test(test_share_bounds),
        cmocka_unit_test(test_anytime_rate_and_bound_follow_their_formulas),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
