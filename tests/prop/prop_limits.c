/* What rules cannot do, and what it takes to do it: XOR and parity, three of seven, copies of a
 * feature, features that are not selected, data without a separator. Each test is named after the
 * claim it holds to account; the lab shows the same with figures. */
#include "bounds.h"

/* All points of {0,1}^n; variable v is there as feature v, and its negation as n + v if wanted. */
static stream cube(int n, bool literals, bool (*truth)(unsigned point))
{
    stream s = {0};
    for (unsigned point = 0; point < 1u << n; point++) {
        int32_t column[16];
        size_t active = 0;
        for (int v = 0; v < n; v++)
            if (point >> v & 1)
                column[active++] = v + 1;
            else if (literals)
                column[active++] = n + v + 1;
        stream_add(&s, truth(point) ? 1 : -1, active, column, NULL);
    }
    return s;
}

static bool odd(unsigned point)
{
    return __builtin_popcount(point) % 2;
}

static bool three(unsigned point)
{
    return __builtin_popcount(point) >= 3;
}

static double weight_of(const thr_model *m, size_t feature)
{
    double weights[2];
    assert_int_equal(thr_model_weights(m, feature, weights, NULL), 0);
    return weights[thr_model_positive(m)];
}

/* ---- XOR and parity ----------------------------------------------------------------------- */

/* After a pass over XOR the weights are those of the start, by way of others. */
static void perceptron_repeats_a_weight_vector_on_xor(void **state)
{
    (void)state;
    stream s = cube(2, false, odd);
    thr_model *m = model_make(true, NULL, "perceptron:margin=0,bias=on");
    for (int pass = 0; pass < 5; pass++)
        for (size_t row = 0; row < 4; row++) {
            learn_row(&s, m, row);
            if (row == 3)
                for (size_t f = 0; f < thr_model_features(m); f++)
                    assert_true(weight_of(m, f) == 0);
        }
    thr_stats stats;
    thr_model_stats(m, &stats);
    assert_int_equal(stats.updates, 5 * 4); /* an update on every example */
    thr_model_free(m);
    stream_free(&s);
}

static void parity_of_three_needs_three(void **state)
{
    (void)state;
    static const char *const learners[] = {"perceptron:margin=0", "pa:C=inf,averaged=off",
                                           "balanced:margin=0,eta=0.02"};
    stream s = cube(3, false, odd);
    for (size_t i = 0; i < COUNT(learners); i++)
        for (int k = 1; k <= 3; k++) {
            char more[] = "conjoin=0";
            more[8] = (char)('0' + k);
            thr_model *m = model_make(true, more, "%s", learners[i]);
            if (stream_learn(&s, m, k < 3 ? 300 : 20000, true).clean != (k == 3))
                fail_msg("%s with conjunctions of %d", learners[i], k);
            thr_model_free(m);
        }
    stream_free(&s);
}

/* 3 k log2(2n) + 2 mistakes at most for the disjunction of two among eight conjunctions. */
static void winnow_needs_negated_literals_for_xor(void **state)
{
    (void)state;
    for (int literals = 0; literals < 2; literals++) {
        stream s = cube(2, literals, odd);
        thr_model *m = model_make(true, "conjoin=2", "winnow:promote=2,demote=0.5,theta=8,start=1");
        counts c = stream_learn(&s, m, 300, true);
        assert_int_equal(c.clean, literals);
        if (literals)
            at_most("winnow on XOR", 0, (double)c.mistakes, 3 * 2 * log2(16) + 2);
        thr_model_free(m);
        stream_free(&s);
    }
}

static void bayes_errs_on_zero_zero(void **state)
{
    (void)state;
    static const char *const alpha[] = {"0", "1"};
    stream s = cube(2, false, odd);
    for (size_t a = 0; a < COUNT(alpha); a++) {
        thr_model *m = model_make(true, "conjoin=2", "bayes:kind=bernoulli,alpha=%s", alpha[a]);
        stream_learn(&s, m, 1, false);
        for (size_t row = 0; row < 4; row++)
            assert_int_equal(stream_predict(&s, m, row, NULL) != s.label[row], row == 0);
        thr_model_free(m);
    }
    stream_free(&s);
}

/* ---- three of seven ----------------------------------------------------------------------- */

static void winnow_cycles_on_three_of_seven(void **state)
{
    (void)state;
    enum { PASSES = 60 };
    double before[PASSES + 1][7] = {{0}};
    stream s = cube(7, false, three);
    thr_model *m = model_make(true, NULL, "winnow:promote=2,demote=0.5,theta=7,start=1");
    bool back = false;
    for (int pass = 1; pass <= PASSES; pass++) {
        counts c = stream_learn(&s, m, 1, false);
        assert_true(c.mistakes > 0);
        for (size_t v = 0; v < 7; v++)
            before[pass][v] = weight_of(m, v + 1);
        for (int then = 1; then < pass; then++)
            back |= memcmp(before[then], before[pass], sizeof before[pass]) == 0;
    }
    assert_true(back);
    thr_model_free(m);
    stream_free(&s);
}

/* ---- copies ------------------------------------------------------------------------------- */

/* Majority of three bits, the first of them `copies` times. */
static stream majority_with_copies(int copies)
{
    stream s = {0};
    for (unsigned point = 0; point < 8; point++) {
        int32_t column[32];
        size_t active = 0;
        for (int v = 1; v < 3; v++)
            if (point >> v & 1)
                column[active++] = v + 1;
        for (int c = 0; c < copies && point & 1; c++)
            column[active++] = 4 + c;
        stream_add(&s, __builtin_popcount(point) >= 2 ? 1 : -1, active, column, NULL);
    }
    return s;
}

/* Log-odds of (1,0,0), which is negative: (copies - 2) ln 3. */
static void copies_make_bayes_surer(void **state)
{
    (void)state;
    for (int copies = 1; copies <= 12; copies++) {
        double scores[2];
        int wrong = 0;
        stream s = majority_with_copies(copies);
        thr_model *m = model_make(true, NULL, "bayes:kind=bernoulli,alpha=0");
        stream_learn(&s, m, 1, false);
        stream_predict(&s, m, 1, scores);
        int positive = thr_model_positive(m);
        double lead = scores[positive] - scores[!positive];
        assert_true(fabs(lead - (copies - 2) * log(3)) < 1e-6);
        for (size_t row = 0; row < s.rows; row++)
            wrong += stream_predict(&s, m, row, NULL) != s.label[row];
        if (copies != 2) /* there a tie decides */
            assert_int_equal(wrong, copies < 2 ? 0 : 2);
        thr_model_free(m);
        stream_free(&s);
    }
}

static void error_driven_rules_do_not_care_for_copies(void **state)
{
    (void)state;
    static const char *const learners[] = {"perceptron:margin=0", "pa:C=inf,averaged=off",
                                           "balanced:margin=0,eta=0.05"};
    for (int copies = 1; copies <= 12; copies++) {
        stream s = majority_with_copies(copies);
        for (size_t i = 0; i < COUNT(learners); i++) {
            thr_model *m = model_make(true, NULL, "%s", learners[i]);
            if (!stream_learn(&s, m, 400, true).clean)
                fail_msg("%s with %d copies", learners[i], copies);
            thr_model_free(m);
        }
        stream_free(&s);
    }
}

/* ---- features are not selected ------------------------------------------------------------ */

/* Target: 1 to 8. Decoys: 9 to 16, in nine positives of ten, and one in each negative. */
static stream with_decoys(uint64_t seed)
{
    stream s = {0};
    dice d = {seed};
    for (int row = 0; row < 600; row++) {
        int32_t column[64];
        size_t active = 0;
        bool positive = dice_below(&d, 2);
        int32_t target = (int32_t)dice_below(&d, 8) + 1, decoy = (int32_t)dice_below(&d, 8) + 9;
        if (positive)
            column[active++] = target;
        for (int32_t v = 9; v <= 16; v++)
            if (positive ? dice_real(&d) < 0.9 : v == decoy)
                column[active++] = v;
        for (int32_t v = 17; v <= 60; v++)
            if (dice_real(&d) < 0.1)
                column[active++] = v;
        stream_add(&s, positive ? 1 : -1, active, column, NULL);
    }
    return s;
}

static void winnow_does_not_select_features(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < stream_seeds(20); seed++) {
        double heaviest[2] = {0}; /* target, decoys */
        stream s = with_decoys(seed);
        thr_model *m = model_make(true, NULL, "winnow:promote=2,demote=0.5,theta=60,start=1");
        counts c = stream_learn(&s, m, 200, true);
        assert_true(c.clean);
        at_most("winnow with decoys", seed, (double)c.mistakes, 3 * 8 * log2(120) + 2);
        for (size_t f = 1; f < thr_model_features(m); f++) {
            char name[16];
            thr_model_feature(m, f, name, sizeof name);
            int v = atoi(name);
            if (v <= 16)
                heaviest[v > 8] = fmax(heaviest[v > 8], weight_of(m, f));
        }
        if (!(heaviest[1] > heaviest[0]))
            fail_msg("seed %llu: %g is not above %g", (unsigned long long)seed, heaviest[1],
                     heaviest[0]);
        thr_model_free(m);
        stream_free(&s);
    }
}

/* ---- without a separator ------------------------------------------------------------------ */

/* One point, its label wrong and right in turn: M_best = T/2 and M_p = 1, but T mistakes. */
static void best_and_separable_mistakes_are_no_bound(void **state)
{
    (void)state;
    enum { ROUNDS = 400 };
    stream s = {0};
    for (int i = 0; i < ROUNDS; i++)
        stream_add(&s, i % 2 ? 1 : -1, 1, (int32_t[]){1}, NULL);
    thr_model *m = model_make(true, NULL, "perceptron:margin=0,bias=off");
    counts c = stream_learn(&s, m, 1, false);
    assert_int_equal(c.mistakes, ROUNDS);
    assert_true(c.mistakes > ROUNDS / 2 + 1);
    /* Freund and Schapire at gamma = 1: D^2 = 4 T/2 */
    at_most("one point in turn", 0, (double)c.updates, pow(1 + sqrt(4 * ROUNDS / 2.0), 2));
    thr_model_free(m);
    stream_free(&s);
}

/* p passes multiply D^2 by p. */
static void passes_multiply_the_losses(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < stream_seeds(40); seed++) {
        dice d = {seed};
        double gamma = PICK(&d, 0.1, 0.3, 0.6), noise = PICK(&d, 0.01, 0.05, 0.2), squares = 0;
        unsigned passes = (unsigned)PICK(&d, 2, 5, 12);
        stream s = margin_stream(&d, seed, gamma, noise);
        for (size_t row = 0; row < s.rows; row++)
            squares += pow(fmax(0, gamma - stream_margin(&s, row)), 2);
        thr_model *m = model_make(true, NULL, "perceptron:bias=off,margin=0");
        counts c = stream_learn(&s, m, passes, false);
        at_most("perceptron, several passes over noisy data", seed, (double)c.updates,
                pow((s.norm2 + sqrt(passes * squares)) / gamma, 2));
        thr_model_free(m);
        stream_free(&s);
    }
}

/* From w0 instead of 0: (R^2 + 2 gamma |w0|)/gamma^2, here after another target was learned. */
static void perceptron_recovers_from_any_start(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < stream_seeds(40); seed++) {
        dice d = {seed};
        double gamma = PICK(&d, 0.05, 0.1, 0.3), length2 = 0;
        stream old = stream_generate(seed, 500, "margin:n=20,gamma=%.17g", gamma);
        stream s = stream_generate(seed + 1000, 500, "margin:n=20,gamma=%.17g", gamma);
        thr_model *m = model_make(true, NULL, "perceptron:bias=off,margin=0");
        stream_learn(&old, m, 3, false);
        for (size_t f = 1; f < thr_model_features(m); f++)
            length2 += pow(weight_of(m, f), 2);
        counts c = stream_learn(&s, m, 10, false);
        assert_true(c.updates > 0);
        at_most("perceptron after a change", seed, (double)c.updates,
                (s.norm2 * s.norm2 + 2 * gamma * sqrt(length2)) / (gamma * gamma));
        thr_model_free(m);
        stream_free(&s);
        stream_free(&old);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(perceptron_repeats_a_weight_vector_on_xor),
        cmocka_unit_test(parity_of_three_needs_three),
        cmocka_unit_test(winnow_needs_negated_literals_for_xor),
        cmocka_unit_test(bayes_errs_on_zero_zero),
        cmocka_unit_test(winnow_cycles_on_three_of_seven),
        cmocka_unit_test(copies_make_bayes_surer),
        cmocka_unit_test(error_driven_rules_do_not_care_for_copies),
        cmocka_unit_test(winnow_does_not_select_features),
        cmocka_unit_test(best_and_separable_mistakes_are_no_bound),
        cmocka_unit_test(passes_multiply_the_losses),
        cmocka_unit_test(perceptron_recovers_from_any_start),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
