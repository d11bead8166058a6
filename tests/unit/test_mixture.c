/* The panel's mixture (model/mixture.h): its bound beside the best fixed mixture and every member,
 * and what its weights do, on streams of logits that an adversary might give. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "model/mixture.h"

#define MEMBERS 3
#define LABELS  4
#define LENGTH  400
#define WILD    1e6
#define GRID    12 /* fixed mixtures whose free half has weights i/GRID are tried */

typedef struct logits {
    uint32_t labels;
    double u[LENGTH][MEMBERS * LABELS];
    uint32_t label[LENGTH];
    double counts[LENGTH];
    double slope[LENGTH], offset[LENGTH][LABELS]; /* of the panel's calibration at that time */
} logits;

/* Kind 0: members of different quality, and nothing to calibrate. 1: the good one changes halfway.
 * 2: the worst for what was learned so far: every member is sure of another label. 3: rarely, one
 * is wildly wrong. */
static void draw(logits *s, uint64_t seed, int kind)
{
    thr_random r;
    thr_random_init(&r, seed);
    s->labels = 2 + (uint32_t)thr_random_below(&r, LABELS - 1);
    for (size_t t = 0; t < LENGTH; t++) {
        s->label[t] = (uint32_t)thr_random_below(&r, s->labels);
        s->counts[t] = kind == 1 ? 0.01 + 0.99 * thr_random_real(&r) : 1;
        s->slope[t] = kind == 0 ? 1 : 3 * thr_random_real(&r);
        for (uint32_t l = 0; l < LABELS; l++)
            s->offset[t][l] = kind == 0 ? 0 : 2 * thr_random_real(&r) - 1;
        for (uint32_t k = 0; k < MEMBERS; k++)
            for (uint32_t l = 0; l < s->labels; l++) {
                uint32_t good = kind == 1 && t > LENGTH / 2 ? 2 : 0;
                double knows = k == good ? 1.5 : kind == 2 ? -1 : 0.3 * k;
                double wild = kind == 3 && k == 1 && t % 97 == 3 ? 60 : 1;
                double u = (l == s->label[t] ? knows : 0) + thr_random_real(&r) - 0.5;
                s->u[t][k * s->labels + l] = wild > 1 ? wild * (thr_random_real(&r) - 0.5) : u;
            }
    }
}

/* p = softmax(a z + b) at time t. Returns -log p_y, which rounding cannot make infinite. */
static double probabilities(const logits *s, size_t t, const double *z, double *p)
{
    double d[LABELS], most = -INFINITY, sum = 0;
    for (uint32_t l = 0; l < s->labels; l++) {
        d[l] = s->slope[t] * z[l] + s->offset[t][l];
        most = fmax(most, d[l]);
    }
    for (uint32_t l = 0; l < s->labels; l++)
        sum += p[l] = exp(d[l] - most);
    for (uint32_t l = 0; l < s->labels; l++)
        p[l] /= sum;
    return most + log(sum) - d[s->label[t]];
}

static double loss_of_fixed(const logits *s, const double *v)
{
    double sum = 0;
    for (size_t t = 0; t < LENGTH; t++) {
        double z[LABELS] = {0}, p[LABELS];
        for (uint32_t k = 0; k < MEMBERS; k++)
            for (uint32_t l = 0; l < s->labels; l++)
                z[l] += v[k] * s->u[t][k * s->labels + l];
        sum += s->counts[t] * probabilities(s, t, z, p);
    }
    return sum;
}

static double best_fixed(const logits *s)
{
    double best = INFINITY;
    for (int a = 0; a <= GRID; a++)
        for (int b = 0; a + b <= GRID; b++) {
            double v[MEMBERS] = {(double)a / GRID, (double)b / GRID, (double)(GRID - a - b) / GRID};
            for (int k = 0; k < MEMBERS; k++)
                v[k] = v[k] / 2 + 0.5 / MEMBERS;
            best = fmin(best, loss_of_fixed(s, v));
        }
    return best;
}

/* Learns the stream and checks every step; returns the loss as computed here. */
static double learn_all(const logits *s, thr_mixture *x, uint64_t *mistakes)
{
    double loss = 0;
    for (size_t t = 0; t < LENGTH; t++) {
        double z[LABELS], p[LABELS], weights = 0;
        uint32_t best = 0;
        thr_mixture_add_up(x, s->u[t], s->labels, z);
        double lost = probabilities(s, t, z, p);
        for (uint32_t l = 0; l < s->labels; l++)
            best = p[l] > p[best] ? l : best;
        *mistakes += best != s->label[t];
        loss += s->counts[t] * lost;
        thr_mixture_learn(x, s->u[t], s->slope[t], p, lost, s->labels, s->label[t], s->counts[t]);
        for (uint32_t k = 0; k < MEMBERS; k++) {
            assert_true(x->weight[k] >= 0.5 / MEMBERS && x->weight[k] <= 1);
            weights += x->weight[k];
        }
        assert_true(fabs(weights - 1) < 1e-12);
        assert_true(thr_mixture_sound(x));
    }
    return loss;
}

static void test_log_loss_is_within_the_bound_of_the_best_fixed_mixture(void **state)
{
    (void)state;
    logits *s = malloc(sizeof *s);
    assert_non_null(s);
    for (uint64_t seed = 1; seed <= 60; seed++) {
        thr_mixture x;
        uint64_t mistakes = 0;
        draw(s, seed, (int)(seed % 4));
        assert_int_equal(thr_mixture_init(&x, MEMBERS, NULL), 0);
        double loss = learn_all(s, &x, &mistakes);
        assert_true(fabs(loss - x.loss) < 1e-6 * (1 + loss));
        if (loss > best_fixed(s) + thr_mixture_regret(&x))
            fail_msg("seed %d: %g is beyond %g + %g", (int)seed, loss, best_fixed(s),
                     thr_mixture_regret(&x));
        if (seed % 4 != 1) /* with counts of 1, the mistakes are bounded too */
            assert_true((double)mistakes * log(2) <= loss + 1e-9);
        thr_mixture_clear(&x);
    }
    free(s);
}

/* Two members that are equally good, and a third that is wrong; the first is once so sure of a
 * wrong label that D would become immense. Returns the weight of the third at the end. */
static double weight_after_an_outlier(double most, logits *s)
{
    thr_mixture x;
    uint64_t mistakes = 0;
    draw(s, 4, 0);
    for (size_t t = 0; t < LENGTH; t++)
        for (uint32_t k = 0; k < MEMBERS; k++)
            for (uint32_t l = 0; l < s->labels; l++) {
                double right = l == s->label[t] ? 1 : 0;
                s->u[t][k * s->labels + l] = k < 2 ? right : -right;
            }
    s->u[3][s->label[3]] = -WILD;
    assert_int_equal(thr_mixture_init(&x, MEMBERS, NULL), 0);
    x.most = most;
    double loss = learn_all(s, &x, &mistakes), weight = x.weight[2];
    assert_true(loss > WILD / MEMBERS / 2 && fabs(loss - x.loss) < 1e-6 * loss);
    assert_true(loss <= best_fixed(s) + thr_mixture_regret(&x));
    thr_mixture_clear(&x);
    return weight;
}

static void test_weights_still_learn_after_an_outlier(void **state)
{
    (void)state;
    logits *s = malloc(sizeof *s);
    assert_non_null(s);
    assert_true(weight_after_an_outlier(INFINITY, s) > 0.3); /* as in older rules */
    assert_true(weight_after_an_outlier(30, s) < 0.2);
    free(s);
}

/* The same with a set of true labels: each label has its own sigmoid, and their losses are added
 * up. The labels at and beside s->label are true. */
static double chances(const logits *s, size_t t, const double *z, const bool *truth, double *p)
{
    double loss = 0;
    for (uint32_t l = 0; l < s->labels; l++) {
        double d = s->slope[t] * z[l] + s->offset[t][l];
        p[l] = 1 / (1 + exp(-d));
        loss += fmax(truth[l] ? -d : d, 0) + log1p(exp(-fabs(d)));
    }
    return loss;
}

static double loss_of_sets(const logits *s, const double *v, thr_mixture *x)
{
    double sum = 0;
    for (size_t t = 0; t < LENGTH; t++) {
        double z[LABELS] = {0}, p[LABELS];
        bool truth[LABELS] = {0};
        truth[s->label[t]] = truth[(s->label[t] + 1) % s->labels] = t % 5 > 0; /* or none */
        for (uint32_t k = 0; k < MEMBERS; k++)
            for (uint32_t l = 0; l < s->labels; l++)
                z[l] += (v ? v[k] : x->weight[k]) * s->u[t][k * s->labels + l];
        double loss = chances(s, t, z, truth, p);
        if (!v)
            thr_mixture_learn_each(x, s->u[t], s->slope[t], p, NULL, truth, loss, s->labels);
        sum += loss;
    }
    return sum;
}

static void test_the_bound_holds_for_sets_of_labels(void **state)
{
    (void)state;
    logits *s = malloc(sizeof *s);
    assert_non_null(s);
    for (uint64_t seed = 1; seed <= 60; seed++) {
        thr_mixture x;
        draw(s, seed, (int)(seed % 4));
        assert_int_equal(thr_mixture_init(&x, MEMBERS, NULL), 0);
        double loss = loss_of_sets(s, NULL, &x), best = INFINITY;
        for (uint32_t k = 0; k < MEMBERS; k++)
            for (double w = 0; w <= 1; w += 0.125) {
                double v[MEMBERS];
                for (uint32_t j = 0; j < MEMBERS; j++)
                    v[j] = 0.5 / MEMBERS + (j == k ? w / 2 : (1 - w) / 2 / (MEMBERS - 1));
                best = fmin(best, loss_of_sets(s, v, NULL));
            }
        assert_true(thr_mixture_sound(&x) && fabs(loss - x.loss) < 1e-6 * (1 + loss));
        if (loss > best + thr_mixture_regret(&x))
            fail_msg("seed %d: %g is beyond %g + %g", (int)seed, loss, best,
                     thr_mixture_regret(&x));
        thr_mixture_clear(&x);
    }
    free(s);
}

/* The logits of an example without member `out`; MEMBERS: with all. */
static void logits_without(const logits *s, size_t t, uint32_t out, double *u)
{
    for (uint32_t k = 0, at = 0; k < MEMBERS; k++)
        if (k != out)
            memcpy(u + at++ * s->labels, s->u[t] + k * s->labels, s->labels * sizeof *u);
}

/* The loss on examples from .. to - 1 without member `out`, of a fixed mixture whose learned half
 * is w, or if that is NULL of x, which learns. */
static double loss_without(const logits *s, size_t from, size_t to, uint32_t out, const double *w,
                           thr_mixture *x)
{
    uint32_t members = MEMBERS - (out < MEMBERS);
    double sum = 0;
    for (size_t t = from; t < to; t++) {
        double u[MEMBERS * LABELS], z[LABELS] = {0}, p[LABELS];
        logits_without(s, t, out, u);
        for (uint32_t k = 0; k < members; k++)
            for (uint32_t l = 0; l < s->labels; l++)
                z[l] += (w ? w[k + (k >= out)] / 2 + 0.5 / members : x->weight[k]) *
                        u[k * s->labels + l];
        double lost = probabilities(s, t, z, p);
        if (!w)
            thr_mixture_learn(x, u, s->slope[t], p, lost, s->labels, s->label[t], s->counts[t]);
        sum += s->counts[t] * lost;
    }
    return sum;
}

/* Whichever member is taken out and whenever, the bound holds beside the best fixed mixture of
 * those that stay. The others keep what they have lost. */
static void test_the_bound_holds_when_a_member_is_taken_out(void **state)
{
    (void)state;
    logits *s = malloc(sizeof *s);
    assert_non_null(s);
    for (uint64_t seed = 1; seed <= 120; seed++) {
        thr_mixture x;
        uint32_t out = (uint32_t)(seed % MEMBERS);
        size_t when = 1 + seed * 7 % (LENGTH - 1);
        draw(s, seed, (int)(seed / MEMBERS % 4));
        assert_int_equal(thr_mixture_init(&x, MEMBERS, NULL), 0);
        double loss = loss_without(s, 0, when, MEMBERS, NULL, &x), best = INFINITY;
        double apart = x.lost[(out + 1) % MEMBERS] - x.lost[(out + 2) % MEMBERS], gap = x.gap;
        thr_mixture_take_out(&x, out);
        uint32_t a = (out + 1) % MEMBERS, b = (out + 2) % MEMBERS;
        assert_true(fabs(x.lost[a - (a > out)] - x.lost[b - (b > out)] - apart) < 1e-9);
        assert_true(x.gap == gap && fabs(x.weight[0] + x.weight[1] - 1) < 1e-12);
        loss += loss_without(s, when, LENGTH, out, NULL, &x);
        for (double part = 0; part <= 1; part += 1.0 / 16) {
            double w[MEMBERS] = {0};
            w[a] = part;
            w[b] = 1 - part;
            best = fmin(best, loss_without(s, 0, when, MEMBERS, w, NULL) +
                                  loss_without(s, when, LENGTH, out, w, NULL));
        }
        assert_true(thr_mixture_sound(&x) && fabs(loss - x.loss) < 1e-6 * (1 + loss));
        if (loss > best + thr_mixture_regret(&x))
            fail_msg("seed %d: %g is beyond %g + %g", (int)seed, loss, best,
                     thr_mixture_regret(&x));
        thr_mixture_clear(&x);
    }
    free(s);
}

static void test_the_good_member_gets_the_weight(void **state)
{
    (void)state;
    logits *s = malloc(sizeof *s);
    assert_non_null(s);
    for (uint64_t seed = 2; seed <= 42; seed += 4) {
        thr_mixture x;
        uint64_t mistakes = 0;
        draw(s, seed, 2);
        assert_int_equal(thr_mixture_init(&x, MEMBERS, NULL), 0);
        assert_true(fabs(x.weight[0] - 1.0 / MEMBERS) < 1e-12);
        learn_all(s, &x, &mistakes);
        assert_true(x.weight[0] > 0.65); /* all that can be had: 1/2 + 1/6 */
        assert_true(thr_mixture_regret(&x) < 0.2 * x.loss);
        thr_mixture_clear(&x);
    }
    free(s);
}

/* What counts less moves less. */
static void test_an_example_that_counts_little_moves_little(void **state)
{
    (void)state;
    static const double u[] = {2, -2, -1, 1, 0, 0};
    thr_mixture a, b;
    assert_int_equal(thr_mixture_init(&a, MEMBERS, NULL), 0);
    assert_int_equal(thr_mixture_init(&b, MEMBERS, NULL), 0);
    const double p[2] = {0.6, 0.4};
    thr_mixture_learn(&a, u, 1, p, -log(0.6), 2, 0, 1);
    thr_mixture_learn(&b, u, 1, p, -log(0.6), 2, 0, 0.01);
    assert_true(a.weight[0] > b.weight[0] && b.weight[0] > 1.0 / MEMBERS);
    thr_mixture_clear(&a);
    thr_mixture_clear(&b);
}

/* A single member has all the weight, whatever it loses. */
static void test_a_mixture_of_one(void **state)
{
    (void)state;
    thr_mixture x;
    assert_int_equal(thr_mixture_init(&x, 1, NULL), 0);
    for (int t = 0; t < 100; t++) {
        const double u[] = {t % 3 - 1.0, 0.5};
        thr_mixture_learn(&x, u, 1, (const double[]){0.5, 0.5}, log(2), 2, t % 2, 1);
        assert_true(x.weight[0] == 1 && x.gap == 0);
    }
    thr_mixture_clear(&x);
}

/* Mixed with itself it is the same mixture, with twice the losses. */
static void test_mixed_with_itself_it_keeps_its_weights(void **state)
{
    (void)state;
    logits *s = malloc(sizeof *s);
    assert_non_null(s);
    thr_mixture x, out;
    uint64_t mistakes = 0;
    draw(s, 7, 0);
    assert_int_equal(thr_mixture_init(&x, MEMBERS, NULL), 0);
    assert_int_equal(thr_mixture_init(&out, MEMBERS, NULL), 0);
    learn_all(s, &x, &mistakes);
    const thr_mixture *both[] = {&x, &x};
    thr_mixture_mix(&out, both, (const double[]){0.3, 0.7}, 2, NULL);
    for (uint32_t k = 0; k < MEMBERS; k++)
        assert_true(fabs(out.weight[k] - x.weight[k]) < 1e-12);
    assert_true(fabs(out.loss - 2 * x.loss) < 1e-9);
    assert_true(fabs(thr_mixture_regret(&out) - 2 * thr_mixture_regret(&x)) < 1e-9);
    thr_mixture_clear(&x);
    thr_mixture_clear(&out);
    free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_log_loss_is_within_the_bound_of_the_best_fixed_mixture),
        cmocka_unit_test(test_weights_still_learn_after_an_outlier),
        cmocka_unit_test(test_the_bound_holds_for_sets_of_labels),
        cmocka_unit_test(test_the_bound_holds_when_a_member_is_taken_out),
        cmocka_unit_test(test_the_good_member_gets_the_weight),
        cmocka_unit_test(test_an_example_that_counts_little_moves_little),
        cmocka_unit_test(test_a_mixture_of_one),
        cmocka_unit_test(test_mixed_with_itself_it_keeps_its_weights),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
