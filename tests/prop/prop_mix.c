/* What a mix of models must be, for every learner: the order in which models are mixed does not
 * matter, nor what is mixed first; a model mixed with itself says what it said; mixed with one that
 * has learned nothing it learns on as if nothing had happened. Rules that count or keep examples
 * become what all examples together would have made them; linear rules score by the mean. */
#include "mix_help.h"

/* NULL for rules that say they cannot be mixed. */
static thr_model *mixed(const thr_model *const *models, size_t n, const double *weights)
{
    thr_error err = {0};
    thr_model *m = thr_model_mix(models, n, weights, NULL, &err);
    if (!m && (err.code != THR_EUSE || !strstr(err.message, "histor"))) {
        /* Functions that mean different things are not mixed: test_reversed_functions. */
        if (!strstr(err.message, "budget") && !strstr(err.message, "first two labels"))
            fail_msg("%s: %s", thr_model_setting(models[0], "learner"), err.message);
    }
    return m;
}

static thr_model *mixed_two(const thr_model *a, const thr_model *b)
{
    const thr_model *models[] = {a, b};
    return mixed(models, 2, NULL);
}

/* ---- any order ---- */

static void any_order(const char *learner, const char *more, bool numbers)
{
    for (size_t labels = 2; labels <= 4; labels++) {
        thr_model *m[3], *pair, *left, *right, *all;
        thr_bytes lines[3];
        for (size_t i = 0; i < 3; i++) {
            lines[i] = some_lines(10 * labels + i, i ? labels : 2, numbers);
            m[i] = taught(learner, more, &lines[i]);
        }
        const thr_model *three[] = {m[0], m[1], m[2]}, *other[] = {m[2], m[0], m[1]};
        all = mixed(three, 3, NULL);
        if (all) {
            pair = mixed_two(m[0], m[1]);
            left = mixed_two(pair, m[2]);
            right = mixed(other, 3, NULL);
            assert_says_the_same(all, left, &lines[1], 1e-5);
            if (strncmp(learner, "rules", 5) != 0) /* of equal rules the feature met first wins */
                assert_says_the_same(all, right, &lines[2], 1e-5);
            thr_model_free(pair);
            thr_model_free(left);
            thr_model_free(right);
            thr_model_free(all);
        }
        for (size_t i = 0; i < 3; i++) {
            thr_model_free(m[i]);
            thr_bytes_clear(&lines[i]);
        }
    }
}

static void test_any_order(void **state)
{
    (void)state;
    for_each_learner(any_order);
}

/* ---- with itself ---- */

/* Counts are doubled: the same as learning everything twice, and not the same as once. So are
 * occurrences, from which on a feature counts. */
static bool adds_counts(const char *learner, const char *more)
{
    return strncmp(learner, "bayes", 5) == 0 || (strncmp(learner, "panel", 5) == 0 && !more) ||
           (more && strncmp(more, "min-count", 9) == 0);
}

static void with_itself(const char *learner, const char *more, bool numbers)
{
    static const double weights[][2] = {{1, 1}, {1, 2}, {0.3, 7}};
    for (size_t labels = 1; labels <= 3 && !adds_counts(learner, more); labels++) {
        thr_bytes lines = some_lines(labels, labels, numbers);
        thr_model *m = taught(learner, more, &lines);
        const thr_model *models[] = {m, m};
        for (int i = 0; i < 4; i++) {
            thr_model *twice = mixed(models, 2, i < 3 ? weights[i] : NULL);
            if (twice)
                assert_says_the_same(m, twice, &lines, 1e-6);
            thr_model_free(twice);
        }
        thr_model *copy = mixed(models, 1, NULL);
        assert_same_model(m, copy);
        thr_model_free(copy);
        thr_model_free(m);
        thr_bytes_clear(&lines);
    }
}

static void test_with_itself(void **state)
{
    (void)state;
    for_each_learner(with_itself);
}

/* ---- with one that has learned nothing ---- */

/* Rows are rounded when they are brought up to date, and the mean of a sum is not quite the sum of
 * means: what follows may differ a little. */
static void with_nothing(const char *learner, const char *more, bool numbers)
{
    for (size_t labels = 2; labels <= 4; labels++) {
        thr_bytes first = some_lines(labels, labels - 1, numbers),
                  then = some_lines(labels + 7, labels, numbers);
        thr_model *m = taught(learner, more, &first), *nothing = make_unscaled(learner, more);
        thr_model *both = mixed_two(m, nothing);
        if (both) {
            assert_says_the_same(m, both, &then, 1e-6);
            teach_bytes(m, "vw", then.p, then.n);
            teach_bytes(both, "vw", then.p, then.n);
            assert_says_the_same(m, both, &then, 1e-4);
        }
        thr_model_free(both);
        thr_model_free(nothing);
        thr_model_free(m);
        thr_bytes_clear(&first);
        thr_bytes_clear(&then);
    }
}

static void test_with_nothing(void **state)
{
    (void)state;
    for_each_learner(with_nothing);
}

/* ---- learning on, saved in between or not ---- */

static void saved_between(const char *learner, const char *more, bool numbers)
{
    thr_error err = {0};
    thr_bytes lines[3];
    for (size_t i = 0; i < 3; i++)
        lines[i] = some_lines(20 + i, 2 + i, numbers);
    thr_model *a = taught(learner, more, &lines[0]), *b = taught(learner, more, &lines[1]);
    thr_model *m = mixed_two(a, b), *again = mixed_two(a, b);
    if (m) {
        assert_same_model(m, again);
        thr_bytes saved = dumped(m, false);
        thr_model *back = thr_model_load(saved.p, saved.n, &err);
        assert_non_null(back);
        teach_bytes(m, "vw", lines[2].p, lines[2].n);
        teach_bytes(back, "vw", lines[2].p, lines[2].n);
        assert_same_model(m, back);
        thr_model_free(back);
        thr_bytes_clear(&saved);
    }
    thr_model_free(m);
    thr_model_free(again);
    thr_model_free(a);
    thr_model_free(b);
    for (size_t i = 0; i < 3; i++)
        thr_bytes_clear(&lines[i]);
}

static void test_saved_between(void **state)
{
    (void)state;
    for_each_learner(saved_between);
}

/* ---- as if all examples had been learned by one ---- */

/* The numbers of labels and features are those of training in one go; scores the same to the bit,
 * since counts are sums of quarters. */
static void test_as_one(void **state)
{
    (void)state;
    static const char *const learners[][2] = {
        {"bayes", NULL},
        {"bayes:alpha=0", NULL},
        {"bayes:kind=bernoulli", NULL},
        {"bayes:kind=bernoulli,alpha=0.25", NULL},
        {"bayes", "hash-bits=4"},
        {"knn", NULL},
        {"knn:k=3,weights=ratio,vote=linear", NULL},
        {"rules:min-gain=1", NULL},
    };
    for (size_t i = 0; i < sizeof learners / sizeof *learners; i++)
        for (uint64_t seed = 1; seed <= stream_seeds(6); seed++) {
            const char *learner = learners[i][0], *more = learners[i][1];
            thr_bytes x = some_lines(seed, 1 + seed % 3, false),
                      y = some_lines(seed + 100, 2 + seed % 3, false);
            thr_model *a = taught(learner, more, &x), *b = taught(learner, more, &y);
            thr_model *one = taught(learner, more, &x), *both = mixed_two(a, b);
            teach_bytes(one, "vw", y.p, y.n);
            assert_int_equal(thr_model_features(one), thr_model_features(both));
            for (size_t l = 0; l < thr_model_labels(one); l++)
                assert_string_equal(thr_model_label(one, l), thr_model_label(both, l));
            assert_says_the_same(one, both, &x, 0);
            assert_says_the_same(one, both, &y, 0);
            thr_model_free(a);
            thr_model_free(b);
            thr_model_free(one);
            thr_model_free(both);
            thr_bytes_clear(&x);
            thr_bytes_clear(&y);
        }
}

/* ---- the mean ---- */

/* Rules whose scores are linear in what is mixed: score = sum of share * score, whatever the order
 * of labels in each. All labels are declared, in other orders. */
static void test_scores_of_a_mix_are_the_mean_of_the_scores(void **state)
{
    (void)state;
    static const char *const learners[] = {"perceptron",
                                           "averaged",
                                           "pa",
                                           "pegasos",
                                           "lms",
                                           "winnow:theta=3,start=1",
                                           "kernel:kind=rbf,vote=off",
                                           "logistic:steps=sgd",
                                           "logistic:steps=sgd,averaged=on"};
    static const char *const policies[] = {"auto", "one-vs-all", "direct", "all-pairs"};
    static const double weights[] = {1, 3};
    for (size_t i = 0; i < sizeof learners / sizeof *learners; i++)
        for (size_t k = 0; k < 4; k++)
            for (size_t labels = 2; labels <= 3; labels++) {
                thr_error err = {0};
                const char *learner = learners[i];
                char more[64];
                bool numbers = is_regressor(learner), linear = i < 5 || i > 6;
                if (k && (numbers || (k > 1 && !linear)))
                    continue;
                snprintf(more, sizeof more, "multiclass=%s", policies[k]);
                thr_bytes x = some_lines(31, labels, numbers), y = some_lines(32, labels, numbers);
                thr_model *m[] = {make_unscaled(learner, more), make_unscaled(learner, more)};
                for (size_t l = 0; l < labels && !numbers; l++) {
                    static const char *const name[] = {"c0", "c1", "c2"};
                    assert_true(thr_model_declare_label(m[0], name[l], &err) >= 0);
                    assert_true(thr_model_declare_label(m[1], name[labels - 1 - l], &err) >= 0);
                }
                teach_bytes(m[0], "vw", x.p, x.n);
                teach_bytes(m[1], "vw", y.p, y.n);
                thr_model *both = mixed((const thr_model *const *)m, 2, weights);
                for (const char *at = y.p, *end = at + y.n; at < end;) {
                    const char *stop = memchr(at, '\n', (size_t)(end - at));
                    size_t n = (size_t)(stop - at);
                    double a[MOST] = {0}, b[MOST] = {0}, c[MOST] = {0}, p[MOST];
                    score_all(m[0], at, n, a, p);
                    score_all(m[1], at, n, b, p);
                    score_all(both, at, n, c, p);
                    for (size_t l = 0; l < (numbers ? 1 : labels); l++) {
                        size_t j = numbers ? 0 : label_in(m[1], thr_model_label(m[0], l));
                        if (!is_near(c[l], 0.25 * a[l] + 0.75 * b[j], 1e-5))
                            fail_msg("%s, %s: %g is not between %g and %g", learner, more, c[l],
                                     a[l], b[j]);
                    }
                    at = stop + 1;
                }
                thr_model_free(m[0]);
                thr_model_free(m[1]);
                thr_model_free(both);
                thr_bytes_clear(&x);
                thr_bytes_clear(&y);
            }
}

static double weight_of(const thr_model *m, const char *feature)
{
    char name[32];
    double w[MOST] = {0};
    for (size_t f = 0; f < thr_model_features(m); f++) {
        thr_model_feature(m, f, name, sizeof name);
        if (strcmp(name, feature) == 0) {
            assert_int_equal(thr_model_weights(m, f, w, NULL), 0);
            return w[label_in(m, "y")];
        }
    }
    return 0;
}

/* What each rule does with one weight, by hand: u is known to both models, v to the first alone. */
static void test_by_hand(void **state)
{
    (void)state;
    static const char *const learners[] = {"perceptron", "balanced", "adagrad", "arow"};
    double got[4][4];
    for (int i = 0; i < 4; i++) {
        thr_model *a = make_unscaled(learners[i], NULL), *b = make_unscaled(learners[i], NULL);
        teach(a, "vw", "y | u:1 v:1\nx | t:1\n");
        teach(b, "vw", "y | u:0.5\nx | t:1\n");
        thr_model *m = mixed_two(a, b);
        got[i][0] = weight_of(a, "u");
        got[i][1] = weight_of(b, "u");
        got[i][2] = weight_of(m, "u");
        got[i][3] = weight_of(m, "v") / weight_of(a, "v");
        thr_model_free(a);
        thr_model_free(b);
        thr_model_free(m);
    }
    /* the mean; a model that does not know v has 0 */
    assert_true(is_near(got[0][2], (got[0][0] + got[0][1]) / 2, 1e-6));
    assert_true(is_near(got[0][3], 0.5, 1e-6));
    /* w = 2 sinh(theta), the mean of theta */
    double theta = (asinh(got[1][0] / 2) + asinh(got[1][1] / 2)) / 2;
    assert_true(is_near(got[1][2], 2 * sinh(theta), 1e-6));
    /* by the squares seen, 1 and 1/4; v as the first has it */
    assert_true(is_near(got[2][2], (got[2][0] + 0.25 * got[2][1]) / 1.25, 1e-6));
    assert_true(is_near(got[2][3], 1, 1e-6));
    /* by the precisions gained: s = 1 - x^2/(|x|^2 + 1) with |x|^2 = 3 (the bias is one) and 1.25
     */
    double a = 1 / (1 - 1 / 4.0) - 1, b = 1 / (1 - 0.25 / 2.25) - 1;
    assert_true(is_near(got[3][2], (a * got[3][0] + b * got[3][1]) / (a + b), 1e-6));
    assert_true(is_near(got[3][3], 1, 1e-6));
}

/* ---- reversed functions ---- */

/* With three labels winnow's function of the second of the first two means "not this one". Models
 * that met other labels first cannot be mixed with it, and are refused; those of the same order
 * can. */
static void test_reversed_functions(void **state)
{
    (void)state;
    static const char *const learners[] = {"winnow:theta=4", "eliminate:form=disjunction"};
    for (int i = 0; i < 2; i++) {
        thr_error err = {0};
        thr_model *a = make_unscaled(learners[i], NULL), *b = make_unscaled(learners[i], NULL),
                  *c = make_unscaled(learners[i], NULL);
        teach(a, "vw", "x | u v\ny | v\nx | u w\ny | v\nx | u\ny | v\nx | v u\nz | t\n");
        teach(b, "vw", "x | u t\ny | w\nx | u\ny | w\nx | u w\nz | t v\nx | u\n");
        teach(c, "vw", "z | t\ny | v\nx | u\nz | t\n");
        const thr_model *same[] = {a, b}, *other[] = {a, c};
        thr_model *m = thr_model_mix(same, 2, NULL, NULL, &err);
        if (!m)
            fail_msg("%s: %s", learners[i], err.message);
        assert_null(thr_model_mix(other, 2, NULL, NULL, &err));
        assert_int_equal(err.code, THR_EUSE);
        assert_non_null(strstr(err.message, "first two labels"));
        thr_model_free(a);
        thr_model_free(b);
        thr_model_free(c);
        thr_model_free(m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_any_order),
        cmocka_unit_test(test_reversed_functions),
        cmocka_unit_test(test_with_itself),
        cmocka_unit_test(test_with_nothing),
        cmocka_unit_test(test_saved_between),
        cmocka_unit_test(test_as_one),
        cmocka_unit_test(test_scores_of_a_mix_are_the_mean_of_the_scores),
        cmocka_unit_test(test_by_hand),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
