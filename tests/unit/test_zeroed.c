/* Option structs that are zeroed, or left out, give the defaults; a reserved field that is not 0 is
 * refused. Only thresh.h is included. */
#include "thresh_theory.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char data[] = "+1 1:1 2:1\n-1 3:1\n+1 1:1\n-1 3:1 4:1\n+1 1:2 2:1\n-1 4:1 5:1\n"
                           "+1 2:1\n-1 5:1\n+1 1:1 6:1\n-1 3:1 7:1\n+1 2:2\n-1 4:2\n";

static thr_input *input(void)
{
    thr_input *in = thr_input_new();
    assert_non_null(in);
    assert_int_equal(thr_input_add_memory(in, data, sizeof data - 1, "data", NULL), 0);
    assert_int_equal(thr_input_set_format(in, "svmlight", NULL), 0);
    return in;
}

static thr_settings *settings(const char *learner)
{
    thr_settings *s = thr_settings_new();
    assert_non_null(s);
    assert_int_equal(thr_settings_set(s, "learner", learner, NULL), 0);
    return s;
}

static thr_model *model(void)
{
    thr_settings *s = settings("perceptron");
    thr_model *m = thr_model_new(s, NULL);
    assert_non_null(m);
    thr_settings_free(s);
    return m;
}

/* Refused, and with a sentence that names the struct. */
static void assert_refused(int code, const thr_error *err, const char *of)
{
    assert_int_equal(code, THR_EUSE);
    assert_int_equal(err->code, THR_EUSE);
    assert_non_null(strstr(err->message, of));
    assert_non_null(strstr(err->message, "reserved"));
}

static void assert_one_pass(const thr_train_report *report)
{
    assert_int_equal(report->passes, 1);
    assert_int_equal(report->examples, 12);
    assert_true(report->updates > 0);
    for (size_t i = 0; i < sizeof report->reserved / sizeof *report->reserved; i++)
        assert_int_equal(report->reserved[i], 0);
}

static void test_zeroed_train_options_make_one_pass(void **state)
{
    (void)state;
    thr_train_options zero = {0}, clean = {.until_clean = true};
    const thr_train_options *given[] = {&zero, NULL, &clean};
    for (int i = 0; i < 3; i++) {
        thr_model *m = model();
        thr_input *in = input();
        thr_train_report report;
        memset(&report, 0xff, sizeof report);
        assert_int_equal(thr_train(m, in, given[i], &report, NULL), 0);
        if (i < 2)
            assert_one_pass(&report);
        else
            assert_true(report.passes > 1 && report.clean);
        thr_input_free(in);
        thr_model_free(m);
    }
}

static void test_reserved_train_options_are_refused(void **state)
{
    (void)state;
    thr_train_options o = {0};
    for (size_t i = 0; i < sizeof o.reserved / sizeof *o.reserved; i++) {
        thr_model *m = model();
        thr_input *in = input();
        thr_error err = {0};
        o = (thr_train_options){0};
        o.reserved[i] = 1;
        assert_refused(thr_train(m, in, &o, NULL, &err), &err, "thr_train_options");
        assert_int_equal(thr_train(m, in, &o, NULL, NULL), THR_EUSE);
        thr_input_free(in);
        thr_model_free(m);
    }
}

static int count_step(void *user, const thr_trace_step *s)
{
    (void)s;
    ++*(int *)user;
    return 0;
}

static void test_zeroed_trace_options_step_through_one_pass(void **state)
{
    (void)state;
    thr_trace_options zero = {0}, bad = {0}, worse = {0};
    bad.reserved[0] = worse.train.reserved[sizeof worse.train.reserved / 8 - 1] = 1;
    const thr_trace_options *given[] = {&zero, NULL, &bad, &worse};
    for (int i = 0; i < 4; i++) {
        thr_model *m = model();
        thr_input *in = input();
        thr_train_report report;
        thr_error err = {0};
        int steps = 0;
        int code = thr_step_through(m, in, given[i], count_step, &steps, &report, &err);
        if (i >= 2)
            assert_refused(code, &err, i == 2 ? "thr_trace_options" : "thr_train_options");
        else {
            assert_int_equal(code, 0);
            assert_one_pass(&report);
        }
        assert_int_equal(steps, i < 2 ? 12 : 0);
        thr_input_free(in);
        thr_model_free(m);
    }
}

static void test_zeroed_prune_options_drop_nothing(void **state)
{
    (void)state;
    thr_model *m = model();
    thr_input *in = input();
    thr_prune_options zero = {0}, bad = {.reserved = {[7] = 1}};
    uint64_t dropped = 9;
    thr_error err = {0};
    assert_int_equal(thr_train(m, in, NULL, NULL, NULL), 0);
    assert_int_equal(thr_model_prune(m, &zero, &dropped, &err), 0);
    assert_int_equal(dropped, 0);
    assert_int_equal(thr_model_prune(m, NULL, &dropped, &err), 0);
    assert_int_equal(dropped, 0);
    assert_refused(thr_model_prune(m, &bad, &dropped, &err), &err, "thr_prune_options");
    thr_input_free(in);
    thr_model_free(m);
}

static void test_zeroed_experts_options_play_all_algorithms(void **state)
{
    (void)state;
    thr_experts_options zero = {0}, bad = {.reserved = {1}};
    const char *said[] = {"a", "b"};
    thr_error err = {0};
    thr_experts *e = thr_experts_new(2, NULL, &zero, &err);
    assert_non_null(e);
    assert_int_equal(thr_experts_hear_labels(e, said, &err), 0);
    assert_int_equal(thr_experts_learn_label(e, "a", &err), 0);
    thr_experts_result row;
    size_t rows = 0, sharing = 0;
    for (; thr_experts_result_at(e, rows, &row); rows++)
        if (strcmp(row.algorithm, "share") == 0) {
            assert_true(row.share == 0.01);
            sharing++;
        }
    assert_true(rows >= 4 && sharing > 0);
    thr_experts_free(e);
    assert_null(thr_experts_new(2, NULL, &bad, &err));
    assert_refused(err.code, &err, "thr_experts_options");
}

static void test_zeroed_experts_columns_read_a_table(void **state)
{
    (void)state;
    static const char table[] = "one,two,truth\na,b,a\nb,b,a\na,a,b\n";
    thr_experts_options zero = {0}, bad_options = {.reserved = {1}};
    thr_experts_columns columns = {0}, bad = {.reserved = {1}};
    thr_input *in = thr_input_new();
    thr_error err = {0};
    assert_int_equal(thr_input_add_memory(in, table, sizeof table - 1, "table", NULL), 0);
    thr_experts *e = thr_experts_read(in, &columns, &zero, NULL, NULL, &err);
    assert_non_null(e);
    assert_int_equal(thr_experts_rounds(e), 3);
    assert_int_equal(thr_experts_count(e), 2);
    thr_experts_free(e);
    assert_null(thr_experts_read(in, &bad, &zero, NULL, NULL, &err));
    assert_refused(err.code, &err, "thr_experts_columns");
    assert_null(thr_experts_read(in, &columns, &bad_options, NULL, NULL, &err));
    assert_refused(err.code, &err, "thr_experts_options");
    thr_input_free(in);
}

static void test_zeroed_race_options_race(void **state)
{
    (void)state;
    const char *learners[] = {"pa", "perceptron"};
    thr_race_options zero = {0}, bad = {.reserved = {1}};
    const thr_race_options *given[] = {&zero, NULL};
    thr_settings *s = settings("pa");
    thr_error err = {0};
    for (int i = 0; i < 2; i++) {
        thr_input *in = input();
        thr_contest *c = thr_race(s, learners, 2, in, given[i], &err);
        assert_non_null(c);
        assert_int_equal(thr_contest_examples(c), 12);
        thr_contest_free(c);
        assert_null(thr_race(s, learners, 2, in, &bad, &err));
        assert_refused(err.code, &err, "thr_race_options");
        thr_input_free(in);
    }
    thr_settings_free(s);
}

static void test_zeroed_tune_options_search_in_one_pass(void **state)
{
    (void)state;
    const char *learners[] = {"pa:C=1", "pa:C=0.1"};
    thr_tune_options zero = {0}, folds = {.by_folds = true}, bad = {.reserved = {1}};
    thr_tune_options plan = {.plan.reserved = {1}}, train = {.train.reserved = {1}};
    const thr_tune_options *good[] = {&zero, NULL, &folds}, *refused[] = {&bad, &plan, &train};
    const char *of[] = {"thr_tune_options", "thr_fold_plan", "thr_train_options"};
    thr_settings *s = settings("pa");
    thr_error err = {0};
    for (int i = 0; i < 3; i++) {
        thr_input *in = input();
        thr_contest *c = thr_tune(s, learners, 2, in, good[i], &err);
        assert_non_null(c);
        assert_int_equal(thr_contest_examples(c), 12);
        thr_train_report report;
        thr_model *m = thr_contest_train(c, 0, NULL, &report, &err);
        assert_non_null(m);
        assert_one_pass(&report);
        thr_model_free(m);
        thr_contest_free(c);
        assert_null(thr_tune(s, learners, 2, in, refused[i], &err));
        assert_refused(err.code, &err, of[i]);
        thr_input_free(in);
    }
    thr_settings_free(s);
}

static void test_zeroed_cv_options_make_ten_folds(void **state)
{
    (void)state;
    thr_cv_options zero = {0}, bad = {.reserved = {1}}, plan = {.plan.reserved = {1}};
    const thr_cv_options *good[] = {&zero, NULL}, *refused[] = {&bad, &plan};
    const char *of[] = {"thr_cv_options", "thr_fold_plan"};
    thr_settings *s = settings("pa");
    thr_error err = {0};
    for (int i = 0; i < 2; i++) {
        thr_input *in = input();
        thr_cv *cv = thr_cross_validate(s, in, good[i], &err);
        assert_non_null(cv);
        assert_int_equal(thr_cv_folds(cv), 10);
        assert_int_equal(thr_metrics_examples(thr_cv_metrics(cv)), 12);
        thr_cv_free(cv);
        assert_null(thr_cross_validate(s, in, refused[i], &err));
        assert_refused(err.code, &err, of[i]);
        thr_input_free(in);
    }
    thr_settings_free(s);
}

static void test_zeroed_protocol_options_learn_from_nature(void **state)
{
    (void)state;
    thr_protocol_options zero = {0}, bad = {.reserved = {1}};
    const thr_protocol_options *good[] = {&zero, NULL};
    thr_protocol_result r;
    thr_error err = {0};
    for (int i = 0; i < 2; i++) {
        assert_int_equal(thr_protocol_play(good[i], NULL, NULL, &r, &err), 0);
        assert_true(r.n == 20 && r.k == 3 && r.examples > 0 && r.holds);
        thr_protocol_clear(&r);
    }
    assert_refused(thr_protocol_play(&bad, NULL, NULL, &r, &err), &err, "thr_protocol_options");
}

static void test_zeroed_concept_options_halve_conjunctions(void **state)
{
    (void)state;
    static const char text[] = "+1 1:1 2:1\n-1 1:1\n-1 2:1\n+1 1:1 2:1 3:1\n";
    thr_concept_options zero = {0}, bad = {.reserved = {1}};
    const thr_concept_options *good[] = {&zero, NULL};
    thr_settings *s = settings("pa");
    thr_error err = {0};
    thr_input *in = thr_input_new();
    assert_int_equal(thr_input_add_memory(in, text, sizeof text - 1, "text", NULL), 0);
    for (int i = 0; i < 2; i++) {
        thr_concept_run *r = thr_concept_learn(s, good[i], in, &err);
        thr_concept_result about;
        assert_non_null(r);
        thr_concept_about(r, &about);
        assert_int_equal(about.examples, 4);
        assert_int_equal(about.survivors, 1); /* x1 & x2 */
        thr_concept_free(r);
    }
    assert_null(thr_concept_learn(s, &bad, in, &err));
    assert_refused(err.code, &err, "thr_concept_options");
    thr_input_free(in);
    thr_settings_free(s);
}

static void test_zeroed_certify_options_prove(void **state)
{
    (void)state;
    thr_certify_options zero = {0}, bad = {.reserved = {1}};
    const thr_certify_options *good[] = {&zero, NULL};
    thr_settings *s = settings("pa");
    thr_error err = {0};
    for (int i = 0; i < 2; i++) {
        thr_input *in = input();
        thr_certify *c = thr_certify_new(s, in, good[i], &err);
        thr_certify_report report;
        assert_non_null(c);
        thr_certify_about(c, &report);
        assert_int_equal(report.separable, THR_YES);
        thr_certify_free(c);
        assert_null(thr_certify_new(s, in, &bad, &err));
        assert_refused(err.code, &err, "thr_certify_options");
        thr_input_free(in);
    }
    thr_settings_free(s);
}

static int name_of(void *user, const thr_lab *l)
{
    thr_lab_info about;
    thr_lab_about(l, &about);
    *(bool *)user = strcmp(about.name, "xor") == 0 && thr_lab_holds(l);
    return 0;
}

static void test_zeroed_lab_options_run_an_experiment(void **state)
{
    (void)state;
    const char *names[] = {"xor"};
    thr_lab_options zero = {0}, bad = {.reserved = {1}};
    const thr_lab_options *good[] = {&zero, NULL};
    thr_error err = {0};
    for (int i = 0; i < 2; i++) {
        bool holds = false;
        assert_int_equal(thr_lab_run(names, 1, good[i], name_of, &holds, &err), 0);
        assert_true(holds);
    }
    assert_refused(thr_lab_run(names, 1, &bad, name_of, NULL, &err), &err, "thr_lab_options");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_zeroed_train_options_make_one_pass),
        cmocka_unit_test(test_reserved_train_options_are_refused),
        cmocka_unit_test(test_zeroed_trace_options_step_through_one_pass),
        cmocka_unit_test(test_zeroed_prune_options_drop_nothing),
        cmocka_unit_test(test_zeroed_experts_options_play_all_algorithms),
        cmocka_unit_test(test_zeroed_experts_columns_read_a_table),
        cmocka_unit_test(test_zeroed_race_options_race),
        cmocka_unit_test(test_zeroed_tune_options_search_in_one_pass),
        cmocka_unit_test(test_zeroed_cv_options_make_ten_folds),
        cmocka_unit_test(test_zeroed_protocol_options_learn_from_nature),
        cmocka_unit_test(test_zeroed_concept_options_halve_conjunctions),
        cmocka_unit_test(test_zeroed_certify_options_prove),
        cmocka_unit_test(test_zeroed_lab_options_run_an_experiment),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
