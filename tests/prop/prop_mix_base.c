/* What a mix of models that were trained from one base must be, for every learner: the base counts
 * once. Copies of the base give the base, one model gives itself, and a base that has learned
 * nothing changes nothing. The order of models does not matter, nor what is mixed first. Rules that
 * count or keep examples become what the base's examples and all later ones would have made them,
 * round after round; linear rules score by the mean; averages go over every step once. */
#include "mix_help.h"

#include "model/inside.h"

/* NULL for rules that say they cannot be mixed. */
static thr_model *mixed(const thr_model *const *models, size_t n, const double *weights,
                        const thr_model *base)
{
    thr_error err = {0};
    thr_model *m = thr_model_mix(models, n, weights, base, &err);
    if (!m && (err.code != THR_EUSE ||
               (!strstr(err.message, "histor") && !strstr(err.message, "budget") &&
                !strstr(err.message, "first two labels"))))
        fail_msg("%s: %s", thr_model_setting(models[0], "learner"), err.message);
    return m;
}

static thr_model *mixed_two(const thr_model *a, const thr_model *b, const thr_model *base)
{
    const thr_model *models[] = {a, b};
    return mixed(models, 2, NULL, base);
}

static thr_model *taught_on(const thr_model *base, const thr_bytes *lines)
{
    thr_error err = {0};
    thr_model *m = thr_model_clone(base, &err);
    assert_non_null(m);
    teach_bytes(m, "vw", lines->p, lines->n);
    return m;
}

static uint64_t examples_of(const thr_model *m)
{
    thr_stats s;
    thr_model_stats(m, &s);
    return s.examples;
}

/* ---- nothing learned since ---- */

static void assert_same_counts(const thr_model *a, const thr_model *b)
{
    thr_stats x, y;
    thr_model_stats(a, &x);
    thr_model_stats(b, &y);
    assert_int_equal(x.examples, y.examples);
    assert_int_equal(x.mistakes, y.mistakes);
    assert_int_equal(x.updates, y.updates);
    assert_int_equal(x.features, y.features);
    assert_int_equal(a->repeats.n, b->repeats.n);
    assert_int_equal(a->repeats.row, b->repeats.row);
    for (uint32_t k = 0; k < a->members; k++) {
        assert_true(a->member[k].rule.clock == b->member[k].rule.clock);
        assert_int_equal(a->member[k].mistakes, b->member[k].mistakes);
        assert_true(a->member[k].calibration.seen == b->member[k].calibration.seen);
        assert_true(a->member[k].calibration.again == b->member[k].calibration.again);
        assert_int_equal(a->member[k].memory.n, b->member[k].memory.n);
        assert_int_equal(a->member[k].memory.notes, b->member[k].memory.notes);
    }
    assert_int_equal(a->panel.examples, b->panel.examples);
}

/* Penalised rows are brought up to date and rounded; sums over weights are made anew. All else is
 * the same to the bit. */
static bool rounds(const char *learner)
{
    return strstr(learner, "l2=") || strstr(learner, "normalized=on") ||
           strncmp(learner, "eg", 2) == 0;
}

static void copies(const char *learner, const char *more, bool numbers)
{
    static const double weights[] = {1, 2, 0.3};
    for (size_t labels = 1; labels <= 3; labels++) {
        thr_bytes lines = some_lines(labels, labels, numbers);
        thr_model *base = taught(learner, more, &lines);
        const thr_model *models[] = {base, base, base};
        for (int i = 0; i < 2; i++) {
            thr_model *m = mixed(models, 3, i ? weights : NULL, base);
            if (m) {
                assert_same_counts(m, base);
                assert_says_the_same(m, base, &lines, rounds(learner) ? 1e-6 : 0);
            }
            thr_model_free(m);
        }
        thr_model_free(base);
        thr_bytes_clear(&lines);
    }
}

static void test_copies_of_the_base_give_the_base(void **state)
{
    (void)state;
    for_each_learner(copies);
}

static void one_model(const char *learner, const char *more, bool numbers)
{
    thr_bytes first = some_lines(1, 2, numbers), then = some_lines(2, 3, numbers);
    thr_model *base = taught(learner, more, &first), *m = taught_on(base, &then);
    const thr_model *models[] = {m};
    thr_model *same = mixed(models, 1, NULL, base);
    if (same) /* a budget may have forgotten the base's examples */
        assert_same_model(m, same);
    thr_model *with_base = mixed_two(m, base, base); /* which adds nothing and has no share */
    if (with_base) {
        assert_same_counts(m, with_base);
        assert_says_the_same(m, with_base, &then, 1e-6);
    }
    thr_model_free(base);
    thr_model_free(m);
    thr_model_free(same);
    thr_model_free(with_base);
    thr_bytes_clear(&first);
    thr_bytes_clear(&then);
}

static void test_one_model_gives_itself(void **state)
{
    (void)state;
    for_each_learner(one_model);
}

/* ---- a base that has learned nothing ---- */

static void empty_base(const char *learner, const char *more, bool numbers)
{
    for (size_t labels = 2; labels <= 4; labels++) {
        thr_bytes x = some_lines(labels, labels - 1, numbers),
                  y = some_lines(labels + 9, labels, numbers);
        thr_model *base = make_unscaled(learner, more), *a = taught(learner, more, &x),
                  *b = taught(learner, more, &y);
        thr_model *without = mixed_two(a, b, NULL), *with = mixed_two(a, b, base);
        assert_true(!without == !with);
        if (with) {
            assert_says_the_same(without, with, &x, 1e-12);
            assert_says_the_same(without, with, &y, 1e-12);
            assert_int_equal(examples_of(with), examples_of(without));
        }
        thr_model_free(base);
        thr_model_free(a);
        thr_model_free(b);
        thr_model_free(without);
        thr_model_free(with);
        thr_bytes_clear(&x);
        thr_bytes_clear(&y);
    }
}

static void test_an_empty_base_changes_nothing(void **state)
{
    (void)state;
    for_each_learner(empty_base);
}

/* ---- any order ---- */

static void any_order(const char *learner, const char *more, bool numbers)
{
    for (size_t labels = 2; labels <= 4; labels++) {
        thr_model *m[3];
        thr_bytes first = some_lines(labels, 2, numbers), lines[3];
        thr_model *base = taught(learner, more, &first);
        for (size_t i = 0; i < 3; i++) {
            lines[i] = some_lines(10 * labels + i, labels, numbers);
            m[i] = taught_on(base, &lines[i]);
        }
        const thr_model *three[] = {m[0], m[1], m[2]}, *other[] = {m[2], m[0], m[1]};
        thr_model *all = mixed(three, 3, NULL, base);
        if (all) {
            thr_model *right = mixed(other, 3, NULL, base), *pair = mixed_two(m[0], m[1], base);
            thr_model *left = mixed_two(pair, m[2], base);
            assert_int_equal(examples_of(all), 4 * LINES);
            assert_int_equal(examples_of(left), 4 * LINES);
            assert_says_the_same(all, left, &lines[1], 1e-5);
            if (strncmp(learner, "rules", 5) != 0) /* of equal rules the feature met first wins */
                assert_says_the_same(all, right, &lines[2], 1e-5);
            thr_model_free(right);
            thr_model_free(pair);
            thr_model_free(left);
        }
        thr_model_free(all);
        thr_model_free(base);
        thr_bytes_clear(&first);
        for (size_t i = 0; i < 3; i++) {
            thr_model_free(m[i]);
            thr_bytes_clear(&lines[i]);
        }
    }
}

static void test_the_order_does_not_matter(void **state)
{
    (void)state;
    for_each_learner(any_order);
}

/* ---- as if one had learned from all ---- */

/* Not with min-count: occurrences that came before a feature counted were not learned. */
static const char *const counting[][2] = {
    {"bayes", NULL},
    {"bayes:alpha=0", NULL},
    {"bayes:kind=bernoulli", NULL},
    {"bayes:kind=bernoulli,alpha=0.25", NULL},
    {"bayes", "hash-bits=4"},
    {"bayes", "class-weights=c0=2,c1=0.5"},
    {"knn", NULL},
    {"knn:k=3,weights=ratio,vote=linear", NULL},
    {"rules:min-gain=1", NULL},
};

/* Numbers of features and labels are those of training in one go; scores are the same to the bit,
 * since counts are sums of quarters. */
static void test_counts_and_kept_examples_are_those_of_one(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof counting / sizeof *counting; i++)
        for (uint64_t seed = 1; seed <= 6; seed++) {
            thr_bytes x = some_lines(seed, 1 + seed % 3, false),
                      y = some_lines(seed + 100, 2 + seed % 3, false),
                      z = some_lines(seed + 200, 2, false);
            thr_model *base = taught(counting[i][0], counting[i][1], &x), *a = taught_on(base, &y),
                      *b = taught_on(base, &z), *one = taught_on(base, &y),
                      *both = mixed_two(a, b, base);
            teach_bytes(one, "vw", z.p, z.n);
            assert_int_equal(thr_model_features(one), thr_model_features(both));
            for (size_t l = 0; l < thr_model_labels(one); l++)
                assert_string_equal(thr_model_label(one, l), thr_model_label(both, l));
            assert_int_equal(examples_of(both), 3 * LINES);
            assert_int_equal(both->member[0].memory.n, one->member[0].memory.n);
            assert_says_the_same(one, both, &x, 0);
            assert_says_the_same(one, both, &z, 0);
            thr_model_free(base);
            thr_model_free(a);
            thr_model_free(b);
            thr_model_free(one);
            thr_model_free(both);
            thr_bytes_clear(&x);
            thr_bytes_clear(&y);
            thr_bytes_clear(&z);
        }
}

/* Rounds of training from the mix on three parts: what passes over all of them give. */
static thr_model *after_rounds(thr_model *base, const thr_bytes *part, int rounds)
{
    for (int round = 0; round < rounds; round++) {
        thr_model *m[3];
        for (int i = 0; i < 3; i++)
            m[i] = taught_on(base, &part[i]);
        thr_model *all = mixed((const thr_model *const *)m, 3, NULL, base);
        for (int i = 0; i < 3; i++)
            thr_model_free(m[i]);
        thr_model_free(base);
        if (!all)
            return NULL;
        base = all;
    }
    return base;
}

static void test_rounds_hold_the_counts_of_as_many_passes(void **state)
{
    (void)state;
    enum { ROUNDS = 4 };
    for (size_t i = 0; i < 6; i++) { /* what is kept comes in another order */
        const char *learner = counting[i][0], *more = counting[i][1];
        thr_bytes part[3];
        for (uint64_t k = 0; k < 3; k++)
            part[k] = some_lines(40 + k, 3, false);
        thr_model *one = make_unscaled(learner, more),
                  *m = after_rounds(make_unscaled(learner, more), part, ROUNDS);
        for (int k = 0; k < 3 * ROUNDS; k++)
            teach_bytes(one, "vw", part[k % 3].p, part[k % 3].n);
        assert_int_equal(examples_of(m), 3 * ROUNDS * LINES);
        assert_says_the_same(one, m, &part[0], 0);
        assert_says_the_same(one, m, &part[2], 0);
        thr_model_free(one);
        thr_model_free(m);
        for (int k = 0; k < 3; k++)
            thr_bytes_clear(&part[k]);
    }
}

static void clocks(const char *learner, const char *more, bool numbers)
{
    thr_bytes part[3];
    for (uint64_t k = 0; k < 3; k++)
        part[k] = some_lines(50 + k, 3, numbers);
    thr_model *m = after_rounds(make_unscaled(learner, more), part, 3);
    if (m) {
        assert_int_equal(examples_of(m), 9 * LINES);
        for (uint32_t k = 0; k < m->members; k++)
            assert_true(m->member[k].rule.clock == 9 * LINES);
        if (!numbers)
            for (uint32_t k = 0; k < m->members; k++)
                assert_true(m->member[k].calibration.seen <= 9 * LINES);
    }
    thr_model_free(m);
    for (int k = 0; k < 3; k++)
        thr_bytes_clear(&part[k]);
}

static void test_clocks_go_on_with_the_examples(void **state)
{
    (void)state;
    for_each_learner(clocks);
}

/* Once all features have their numbers, examples that come again are known to. */
static void test_repeated_examples_are_recognised(void **state)
{
    (void)state;
    thr_bytes part[3];
    for (uint64_t k = 0; k < 3; k++)
        part[k] = some_lines(60 + k, 2, false);
    thr_model *m = after_rounds(make_unscaled("panel", NULL), part, 2);
    uint64_t voted = m->panel.examples;
    m = after_rounds(m, part, 1);
    assert_true(m->panel.examples - voted <= 3 * THR_REPEATS_ROW);
    assert_true(m->panel.examples >= 3 * LINES);
    uint64_t rows = m->repeats.row;
    assert_int_equal(rows, THR_REPEATS_ROW);
    voted = m->panel.examples;
    m = after_rounds(m, part, 3);
    assert_int_equal(m->panel.examples, voted);
    thr_model_free(m);
    for (int k = 0; k < 3; k++)
        thr_bytes_clear(&part[k]);
}

/* ---- the mean ---- */

/* Rules whose scores are linear in what is mixed: score = sum of share * score, the base having
 * none of it, whatever it has learned. */
static void test_linear_rules_score_by_the_mean(void **state)
{
    (void)state;
    static const char *const learners[] = {
        "perceptron",         "pa:averaged=off",           "pegasos",
        "lms:averaged=off",   "winnow:theta=3,start=1",    "kernel:kind=rbf,vote=off",
        "logistic:steps=sgd", "logistic:steps=sgd,l2=0.01"};
    static const double weights[] = {1, 3};
    for (size_t i = 0; i < sizeof learners / sizeof *learners; i++)
        for (size_t labels = 2; labels <= 3; labels++) {
            bool numbers = is_regressor(learners[i]);
            thr_bytes first = some_lines(30, labels, numbers), x = some_lines(31, labels, numbers),
                      y = some_lines(32, labels, numbers);
            thr_model *base = taught(learners[i], NULL, &first);
            thr_model *m[] = {taught_on(base, &x), taught_on(base, &y)};
            thr_model *both = mixed((const thr_model *const *)m, 2, weights, base);
            for (const char *at = y.p, *end = at + y.n; at < end;) {
                const char *stop = memchr(at, '\n', (size_t)(end - at));
                size_t n = (size_t)(stop - at);
                double a[MOST] = {0}, b[MOST] = {0}, c[MOST] = {0}, p[MOST];
                score_all(m[0], at, n, a, p);
                score_all(m[1], at, n, b, p);
                score_all(both, at, n, c, p);
                for (size_t l = 0; l < (numbers ? 1 : labels); l++)
                    if (!is_near(c[l], 0.25 * a[l] + 0.75 * b[l], 1e-5))
                        fail_msg("%s: %g is not between %g and %g", learners[i], c[l], a[l], b[l]);
                at = stop + 1;
            }
            thr_model_free(base);
            thr_model_free(m[0]);
            thr_model_free(m[1]);
            thr_model_free(both);
            thr_bytes_clear(&first);
            thr_bytes_clear(&x);
            thr_bytes_clear(&y);
        }
}

/* T times the average, over all steps: the base's once, and each model's own. */
static void test_averages_go_over_every_step_once(void **state)
{
    (void)state;
    static const char *const learners[] = {"averaged", "pa", "lms",
                                           "logistic:steps=sgd,averaged=on"};
    for (size_t i = 0; i < sizeof learners / sizeof *learners; i++) {
        bool numbers = is_regressor(learners[i]);
        thr_bytes first = some_lines(70, 2, numbers), x = some_lines(71, 2, numbers),
                  y = some_lines(72, 2, numbers);
        y.n = (size_t)(strchr(y.p + y.n / 2, '\n') + 1 - y.p);
        thr_model *base = taught(learners[i], NULL, &first), *a = taught_on(base, &x),
                  *b = taught_on(base, &y), *m = mixed_two(a, b, base);
        double t = (double)examples_of(base), ta = (double)examples_of(a),
               tb = (double)examples_of(b);
        for (const char *at = y.p, *end = at + y.n; at < end;) {
            const char *stop = memchr(at, '\n', (size_t)(end - at));
            size_t n = (size_t)(stop - at);
            double s[4][MOST] = {{0}}, p[MOST];
            score_all(base, at, n, s[0], p);
            score_all(a, at, n, s[1], p);
            score_all(b, at, n, s[2], p);
            score_all(m, at, n, s[3], p);
            double sum = t * s[0][0] + (ta * s[1][0] - t * s[0][0]) + (tb * s[2][0] - t * s[0][0]);
            if (!is_near(s[3][0], sum / (ta + tb - t), 1e-5))
                fail_msg("%s: %g, not %g", learners[i], s[3][0], sum / (ta + tb - t));
            at = stop + 1;
        }
        thr_model_free(base);
        thr_model_free(a);
        thr_model_free(b);
        thr_model_free(m);
        thr_bytes_clear(&first);
        thr_bytes_clear(&x);
        thr_bytes_clear(&y);
    }
}

/* ---- certainty ---- */

/* Slots of a feature's only function, by its name. */
static double slot_of(const thr_model *m, const char *feature, unsigned slot)
{
    char name[64];
    for (uint32_t f = 0; f < thr_model_features(m) + 1; f++) {
        thr_model_feature(m, f, name, sizeof name);
        if (strcmp(name, feature) == 0)
            return thr_weights_get(&m->member[0].weights, f, slot, 0);
    }
    fail_msg("no feature %s", feature);
    return 0;
}

/* e is what a model has added to the precision 1/s (arow) or to the squares (adagrad, logistic). */
static void test_certainty_of_the_base_counts_once(void **state)
{
    (void)state;
    enum { WEIGHT, SEEN };
    static const char *const learners[] = {"arow", "adagrad", "logistic"};
    for (int i = 0; i < 3; i++) {
        thr_model *base = make_unscaled(learners[i], NULL);
        teach(base, "vw", "y | u:1 v:1\nx | t:1\ny | u:0.25\n");
        thr_error err = {0};
        thr_model *a = thr_model_clone(base, &err), *b = thr_model_clone(base, &err);
        teach(a, "vw", "x | u:1\nx | u:0.5 t:1\n");
        teach(b, "vw", "y | u:0.5 t:1\nx | t:0.25 u:1\n");
        thr_model *m = mixed_two(a, b, base);
        const thr_model *all[] = {base, a, b, m};
        double w[4], e[4], seen[4];
        for (int k = 0; k < 4; k++) {
            double of = slot_of(all[k], "u", SEEN);
            w[k] = slot_of(all[k], "u", WEIGHT);
            seen[k] = i == 0 ? 1 / of : of;
            e[k] = seen[k] - seen[0];
        }
        assert_true(e[1] > 0.01 && e[2] > 0.01);
        assert_true(is_near(e[3], e[1] + e[2], 1e-6));
        double moved = (e[1] * (w[1] - w[0]) + e[2] * (w[2] - w[0])) / (e[1] + e[2]);
        if (!is_near(w[3], w[0] + moved, 1e-6))
            fail_msg("%s: %g, not %g", learners[i], w[3], w[0] + moved);
        assert_true(slot_of(m, "v", WEIGHT) == slot_of(base, "v", WEIGHT));
        assert_true(slot_of(m, "v", SEEN) == slot_of(base, "v", SEEN));
        thr_model_free(base);
        thr_model_free(a);
        thr_model_free(b);
        thr_model_free(m);
    }
}

/* ---- learning on, saved in between or not ---- */

static void saved_between(const char *learner, const char *more, bool numbers)
{
    thr_error err = {0};
    thr_bytes lines[4];
    for (size_t i = 0; i < 4; i++)
        lines[i] = some_lines(20 + i, 1 + i, numbers);
    thr_model *base = taught(learner, more, &lines[0]), *a = taught_on(base, &lines[1]),
              *b = taught_on(base, &lines[2]);
    thr_model *m = mixed_two(a, b, base), *again = mixed_two(a, b, base);
    if (m) {
        assert_same_model(m, again);
        thr_bytes saved = dumped(m, false);
        thr_model *back = thr_model_load(saved.p, saved.n, &err);
        if (!back)
            fail_msg("%s: %s", learner, err.message);
        teach_bytes(m, "vw", lines[3].p, lines[3].n);
        teach_bytes(back, "vw", lines[3].p, lines[3].n);
        assert_same_model(m, back);
        thr_model_free(back);
        thr_bytes_clear(&saved);
    }
    thr_model_free(base);
    thr_model_free(a);
    thr_model_free(b);
    thr_model_free(m);
    thr_model_free(again);
    for (size_t i = 0; i < 4; i++)
        thr_bytes_clear(&lines[i]);
}

static void test_learns_on_saved_or_not(void **state)
{
    (void)state;
    for_each_learner(saved_between);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_copies_of_the_base_give_the_base),
        cmocka_unit_test(test_one_model_gives_itself),
        cmocka_unit_test(test_an_empty_base_changes_nothing),
        cmocka_unit_test(test_the_order_does_not_matter),
        cmocka_unit_test(test_counts_and_kept_examples_are_those_of_one),
        cmocka_unit_test(test_rounds_hold_the_counts_of_as_many_passes),
        cmocka_unit_test(test_clocks_go_on_with_the_examples),
        cmocka_unit_test(test_repeated_examples_are_recognised),
        cmocka_unit_test(test_linear_rules_score_by_the_mean),
        cmocka_unit_test(test_averages_go_over_every_step_once),
        cmocka_unit_test(test_certainty_of_the_base_counts_once),
        cmocka_unit_test(test_learns_on_saved_or_not),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
