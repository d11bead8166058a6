/* Class weights: a weight is an importance, and two of it are the example twice where the rule
 * counts. */
#include "model_help.h"

#include "model/classes.h"
#include "model/thresholds.h"

/* Lines of random_lines with what `importance` says written behind the label. */
static thr_bytes weighed(const char *text, double (*importance)(unsigned label))
{
    thr_bytes out = {0};
    for (const char *at = text; *at; at = strchr(at, '\n') + 1) {
        const char *bar = strchr(at, '|');
        unsigned label = (unsigned)strtoul(at + 1, NULL, 10);
        assert_true(thr_bytes_printf(&out, "c%u %.9g %.*s", label, importance(label),
                                     (int)(strchr(at, '\n') + 1 - bar), bar));
    }
    return out;
}

static void assert_same_weights(const thr_model *a, const thr_model *b)
{
    size_t labels = thr_model_labels(a);
    double x[32], y[32];
    assert_int_equal(labels, thr_model_labels(b));
    assert_int_equal(thr_model_features(a), thr_model_features(b));
    assert_same_scores(a, b, "weighed");
    for (size_t f = 0; f < thr_model_features(a) && thr_model_weights(a, f, x, NULL) == 0; f++) {
        assert_int_equal(thr_model_weights(b, f, y, NULL), 0);
        if (memcmp(x, y, labels * sizeof *x) != 0)
            fail_msg("feature %zu differs: %g, %g", f, x[0], y[0]);
    }
}

static double by_name(unsigned label)
{
    return label == 0 ? 2 : label == 1 ? 0.5 : 1;
}

static void test_weight_is_importance(void **state)
{
    (void)state;
    for
        EACH_LEARNER(l)
    for (size_t labels = 2; labels < 5; labels++) {
        thr_bytes text = random_lines(labels, 60, labels, true);
        thr_bytes heavy = weighed(text.p, by_name);
        thr_model *a = make_model(*l, "class-weights=c0=2,c1=0.5"), *b = make_model(*l, NULL);
        teach(a, "vw", text.p);
        teach(b, "vw", heavy.p);
        assert_same_weights(a, b);
        thr_model_free(a);
        thr_model_free(b);
        thr_bytes_clear(&text);
        thr_bytes_clear(&heavy);
    }
}

/* Counting rules: an example of weight 2 is the example twice. */
static void test_two_are_twice(void **state)
{
    (void)state;
    static const char *const rules[] = {"bayes", "bayes:kind=bernoulli", "bayes:alpha=0"};
    thr_bytes text = random_lines(9, 60, 3, true), twice = {0};
    for (const char *at = text.p; *at; at = strchr(at, '\n') + 1)
        for (int i = at[1] == '0' ? 2 : 1; i > 0; i--)
            assert_true(thr_bytes_add(&twice, at, (size_t)(strchr(at, '\n') + 1 - at)));
    for (size_t i = 0; i < 3; i++) {
        thr_model *a = make_model(rules[i], "class-weights=c0=2"), *b = make_model(rules[i], NULL);
        teach(a, "vw", text.p);
        teach(b, "vw", twice.p);
        assert_same_weights(a, b);
        thr_model_free(a);
        thr_model_free(b);
    }
    thr_bytes_clear(&text);
    thr_bytes_clear(&twice);
}

/* The perceptron on an example that stays wrong after one addition: one of weight 2 or two. */
static void test_perceptron_twice(void **state)
{
    (void)state;
    thr_model *a = make_model("perceptron", "class-weights=b=2");
    thr_model *b = make_model("perceptron", NULL);
    teach(a, "vw", "a | 1:4\nb | 1:1\n");
    teach(b, "vw", "a | 1:4\nb | 1:1\nb | 1:1\n");
    assert_same_weights(a, b);
    thr_model_free(a);
    thr_model_free(b);
}

static void test_balanced_weights_follow_the_counts_so_far(void **state)
{
    (void)state;
    thr_error err = {0};
    thr_labels labels;
    thr_classes c, copy;
    uint32_t l;
    assert_int_equal(thr_labels_init(&labels, NULL, &err), 0);
    assert_int_equal(thr_classes_init(&c, "balanced", &err), 0);
    static const unsigned stream[] = {0, 0, 1, 0, 2};
    static const double weight[] = {1, 1, 3 / (2 * 1.0), 4 / (2 * 3.0), 5 / (3 * 1.0)};
    static const char *const name[] = {"a", "b", "c"};
    for (size_t i = 0; i < 5; i++) {
        assert_int_equal(thr_labels_add(&labels, thr_str_of(name[stream[i]]), &l, &err), 0);
        assert_int_equal(thr_classes_widen(&c, &labels, &err), 0);
        thr_classes_count(&c, l);
        assert_true(thr_classes_weight(&c, l) == weight[i]);
    }
    assert_int_equal(thr_classes_copy(&c, &copy, &err), 0);
    assert_true(thr_classes_weight(&copy, 0) == 5 / (3 * 3.0));
    thr_classes_clear(&copy);
    thr_classes_clear(&c);
    thr_labels_clear(&labels);
}

/* A name means a label if they are equal byte by byte or as numbers (thr_label_same). */
static void test_names_that_are_equal_numbers_mean_the_same_label(void **state)
{
    (void)state;
    static const char *const name[] = {"1.0", "-0", "1x", "a=b", "2", "+3"};
    static const double weight[] = {2, 4, 5, 6, 1, 7};
    thr_error err = {0};
    thr_labels labels;
    thr_classes c, copy;
    thr_thresholds t;
    uint32_t l;
    assert_int_equal(thr_labels_init(&labels, NULL, &err), 0);
    assert_int_equal(thr_classes_init(&c, "1=2,0=4,1x=5,a=b=6,3.000=7", &err), 0);
    assert_int_equal(thr_thresholds_init(&t, "0.25,1=0.5,0=0.5,+1=0.75,1x=1", &err), 0);
    for (size_t i = 0; i < 6; i++)
        assert_int_equal(thr_labels_add(&labels, thr_str_of(name[i]), &l, &err), 0);
    assert_int_equal(thr_classes_widen(&c, &labels, &err), 0);
    assert_int_equal(thr_classes_copy(&c, &copy, &err), 0);
    for (l = 0; l < 6; l++) {
        assert_true(thr_classes_weight(&c, l) == weight[l]);
        assert_true(thr_classes_weight(&copy, l) == weight[l]);
    }
    assert_int_equal(thr_thresholds_widen(&t, &labels, &err), 0);
    static const double threshold[] = {0.75, 0.5, 1, 0.25, 0.25, 0.25}; /* the last one holds */
    for (l = 0; l < 6; l++)
        assert_true(thr_thresholds_of(&t, l) == threshold[l]);
    thr_thresholds_clear(&t);
    thr_classes_clear(&copy);
    thr_classes_clear(&c);
    thr_labels_clear(&labels);
}

/* The counts are the model's: half, saved and read, then the rest is the whole. */
static void test_saved_or_cloned_counts_resume_as_in_one_go(void **state)
{
    (void)state;
    thr_error err = {0};
    thr_bytes one = random_lines(3, 40, 3, true), two = random_lines(4, 40, 4, true);
    for
        EACH_LEARNER(l)
        {
            thr_model *whole = make_model(*l, "class-weights=balanced");
            thr_model *half = make_model(*l, "class-weights=balanced");
            teach(whole, "vw", one.p);
            teach(half, "vw", one.p);
            thr_bytes bytes = dumped(half, false);
            thr_model *back = thr_model_load(bytes.p, bytes.n, &err), *clone;
            assert_non_null(back);
            clone = thr_model_clone(back, &err);
            teach(whole, "vw", two.p);
            teach(back, "vw", two.p);
            teach(clone, "vw", two.p);
            assert_same_model(whole, back);
            assert_same_model(whole, clone);
            thr_model_free(whole);
            thr_model_free(half);
            thr_model_free(back);
            thr_model_free(clone);
            thr_bytes_clear(&bytes);
        }
    thr_bytes_clear(&one);
    thr_bytes_clear(&two);
}

static void test_class_weights_are_checked_when_set(void **state)
{
    (void)state;
    static const char *const good[] = {"", "balanced", "spam=2,ham=0.5", "a=b=1", "+1=3,-1=0"};
    static const char *const bad[] = {"balance",  "spam",    "spam=",    "spam=-1", "spam=x", "=2",
                                      "a=1,,b=2", "a=1,a=2", "1=2,+1=3", "a=inf",   "a=1e10"};
    thr_settings *s = thr_settings_new();
    thr_error err;
    for (size_t i = 0; i < sizeof good / sizeof *good; i++)
        assert_int_equal(thr_settings_set(s, "class-weights", good[i], &err), 0);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_int_equal(thr_settings_set(s, "class-weights", bad[i], &err), THR_EUSE);
    thr_settings_free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_weight_is_importance),
        cmocka_unit_test(test_two_are_twice),
        cmocka_unit_test(test_perceptron_twice),
        cmocka_unit_test(test_balanced_weights_follow_the_counts_so_far),
        cmocka_unit_test(test_names_that_are_equal_numbers_mean_the_same_label),
        cmocka_unit_test(test_saved_or_cloned_counts_resume_as_in_one_go),
        cmocka_unit_test(test_class_weights_are_checked_when_set),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
