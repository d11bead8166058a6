/* A third label: one function for two labels becomes one for each, and no prediction changes. */
#include "model_help.h"

#include <math.h>

enum { PROBES = 60 };

static void assert_scaled(const double *before, const double *after, double factor)
{
    for (int l = 0; l < 2; l++)
        if (fabs(after[l] - factor * before[l]) > 1e-6 * (1e-3 + fabs(before[l])))
            fail_msg("a score of %g becomes %g", before[l], after[l]);
    assert_true(after[2] == 0);
}

static void split_once(const char *learner, const char *policy, double factor, uint64_t seed)
{
    thr_model *m = make_model(learner, policy);
    thr_bytes text = random_lines(seed, 30, 2, true),
              probes = random_lines(seed + 99, PROBES, 2, true);
    double before[PROBES][2], after[3];
    int32_t said[PROBES];
    char *rest = NULL, *lines[PROBES];
    size_t n = 0;
    teach(m, "vw", text.p);
    assert_int_equal(thr_model_labels(m), 2);
    for (char *p = strtok_r(probes.p, "\n", &rest); p; p = strtok_r(NULL, "\n", &rest))
        lines[n++] = p;
    for (size_t i = 0; i < n; i++)
        said[i] = score_line(m, "vw", lines[i], before[i]);
    assert_int_equal(thr_model_declare_label(m, "third", NULL), 2);
    for (size_t i = 0; i < n; i++) {
        if (score_line(m, "vw", lines[i], after) != said[i])
            fail_msg("%s, seed %d: the answer to %s changed", learner, (int)seed, lines[i]);
        assert_scaled(before[i], after, factor);
    }
    thr_bytes_clear(&text);
    thr_bytes_clear(&probes);
    thr_model_free(m);
}

static void test_third_label_leaves_the_scores_of_two_as_they_were(void **state)
{
    (void)state;
    static const struct {
        const char *learner;
        double direct;
    } rules[] = {
        {"perceptron", 1}, {"averaged", 1},
        {"balanced", 1},   {"balanced:normalized=on", 1},
        {"pa", 0.5},       {"pa:averaged=off,bias=off", 0.5},
    };
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        for (uint64_t seed = 1; seed <= 15; seed++) {
            split_once(rules[i].learner, "multiclass=direct", rules[i].direct, seed);
            split_once(rules[i].learner, "multiclass=one-vs-all", 1, seed);
        }
}

/* Notes about the one function become notes about both. */
static void test_kept_examples(void **state)
{
    (void)state;
    static const char *const rules[] = {"voted", "kernel", "kernel:kind=rbf,vote=off",
                                        "kernel:vote=off,budget=7"};
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        for (uint64_t seed = 1; seed <= 15; seed++)
            split_once(rules[i], NULL, 1, seed);
}

/* Winnow's one function is that of the positive label, and stays so. The other label keeps its
 * negative, though weights are positive, and features met so far are low in the third. */
static void test_winnow_keeps_what_two_labels_have_learned(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 15; seed++) {
        thr_model *m = make_model("winnow:theta=2,start=1", NULL);
        thr_bytes text = random_lines(seed, 30, 2, true);
        double before[2], after[3];
        teach(m, "vw", text.p);
        size_t positive = (size_t)thr_model_positive(m);
        score_line(m, "vw", " | 1 2 w3 w5:2", before);
        thr_model_declare_label(m, "third", NULL);
        score_line(m, "vw", " | 1 2 w3 w5:2", after);
        assert_true(before[positive] == after[positive]);
        assert_true(before[1 - positive] == after[1 - positive]);
        assert_true(after[2] < 5 - 2);
        thr_bytes_clear(&text);
        thr_model_free(m);
    }
}

/* Whatever the rule, and however many labels come: between the first two every decision stays. */
static void test_decisions_between_two_labels_stay(void **state)
{
    (void)state;
    static const char *const rules[] = {
        "winnow",    "winnow:theta=4,start=1",     "winnow:demote=0",
        "eliminate", "eliminate:form=disjunction", "eliminate:negated=on"};
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        for (uint64_t seed = 1; seed <= 10; seed++) {
            thr_model *m = make_model(rules[i], NULL);
            thr_bytes text = random_lines(seed, 40, 2, true);
            double before[2], after[4];
            teach(m, "vw", text.p);
            for (unsigned k = 0; k < 12; k++) {
                char line[40];
                snprintf(line, sizeof line, " | %u w%u w%u", k % 4, k, (k + 3) % 7);
                thr_model *more = thr_model_clone(m, NULL);
                score_line(m, "vw", line, before);
                thr_model_declare_label(more, "third", NULL);
                thr_model_declare_label(more, "fourth", NULL);
                score_line(more, "vw", line, after);
                assert_true((before[0] > before[1]) == (after[0] > after[1]));
                assert_true((before[0] < before[1]) == (after[0] < after[1]));
                thr_model_free(more);
            }
            thr_bytes_clear(&text);
            thr_model_free(m);
        }
}

/* Met while learning, and met when the two are declared or not: the third label's example is
 * learned like any other. */
static void test_met_while_learning(void **state)
{
    (void)state;
    double score[3];
    for (int i = 0; i < 50; i++) {
        thr_model *m = make_model(i % 2 ? "pa:averaged=off,C=inf" : "perceptron", NULL);
        thr_bytes text = random_lines((uint64_t)i, 10 + (size_t)i, 2, false);
        teach(m, "vw", text.p);
        size_t labels = thr_model_labels(m);
        teach(m, "vw", "third | third:4\n");
        assert_int_equal(thr_model_labels(m), labels + 1);
        teach(m, "vw", "third | third:4\nthird | third:4\n");
        assert_int_equal(score_line(m, "vw", " | third:4", score), labels);
        thr_bytes_clear(&text);
        thr_model_free(m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_third_label_leaves_the_scores_of_two_as_they_were),
        cmocka_unit_test(test_kept_examples),
        cmocka_unit_test(test_winnow_keeps_what_two_labels_have_learned),
        cmocka_unit_test(test_decisions_between_two_labels_stay),
        cmocka_unit_test(test_met_while_learning),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
