/* Labels that are numbers, from every format through learning, testing and explaining. */
#include "model_help.h"

#include <math.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

static const char *const regressors[] = {"lms", "eg"};

static void assert_near(double found, double expected)
{
    if (!(fabs(found - expected) <= 1e-6 * (1 + fabs(expected))))
        fail_msg("%.9g is not %.9g", found, expected);
}

static thr_input *input_of(const char *format, const char *text, size_t n)
{
    thr_input *in = thr_input_new();
    assert_non_null(in);
    assert_int_equal(thr_input_add_memory(in, text, n, "memory", NULL), 0);
    assert_int_equal(thr_input_set_format(in, format, NULL), 0);
    return in;
}

static int train(thr_model *m, const char *format, const char *text, thr_train_options o,
                 thr_train_report *report, thr_error *err)
{
    thr_input *in = input_of(format, text, strlen(text));
    int code = thr_train(m, in, &o, report, err);
    thr_input_free(in);
    return code;
}

/* ---- reading ---- */

/* The steps are so small that every prediction is 0, and the mean error tells the numbers read. */
static void test_every_format(void **state)
{
    (void)state;
    static const char *const inputs[][2] = {
        {"svmlight", "2.5 1:1\n-1e2 1:1\n+0 2:1\n"},
        {"vw", "2.5 | a\n-1e2 | a\n-0 | b\n"},
        {"csv", "a,y\n1,2.5\n1,-100\n2,0\n"},
        {"csv", "a,y\n1,\"2.5\"\n1,\"-100.0\"\n2,\"00\"\n"},
        {"jsonl", "{\"label\":2.5,\"text\":\"a\"}\n{\"label\":\"-1e2\"}\n{\"label\":-0}\n"},
        {"text", "2.5\ta\n-1e2\ta\n-0\tb\n"},
        {"fasttext", "__label__2.5 a\n__label__-1e2 a\n__label__0 b\n"},
        {"snow", "2.5, a:\n-1e2, a:\n0, b:\n"},
    };
    for (size_t i = 0; i < COUNT(inputs); i++) {
        thr_error err = {0};
        thr_train_report r;
        thr_model *m = make_model("lms:rate=1e-12", NULL);
        if (train(m, inputs[i][0], inputs[i][1], (thr_train_options){.passes = 1}, &r, &err))
            fail_msg("%s: %s", inputs[i][0], err.message);
        assert_int_equal(r.examples, 3);
        assert_int_equal(r.mistakes, 0);
        assert_near(r.mean_absolute, 102.5 / 3);
        assert_near(r.mean_squared, (6.25 + 1e4) / 3);
        thr_model_free(m);
    }
}

static void test_not_a_number(void **state)
{
    (void)state;
    static const struct {
        const char *format, *text;
        uint64_t line, column;
    } bad[] = {
        {"svmlight", "1 1:1\nmany 1:1\n", 2, 1},
        {"vw", "1 | a\n many | a\n", 2, 2},
        {"csv", "a,y\n1,2.5\n1,many\n", 3, 3},
        {"csv", "a,y\n1,\"ma\"\"ny\"\n", 2, 4},
        {"jsonl", "{\"text\":\"a\",\"label\":true}\n", 1, 13},
        {"jsonl", "{\"label\":\"3 or 4\"}\n", 1, 2},
        {"text", "2.5\ta\n\nmany\tb\n", 3, 1},
        {"fasttext", "__label__1 a\n  __label__many b\n", 2, 12},
        {"snow", "2.5, a:\nmany, a:\n", 2, 1},
    };
    for (size_t i = 0; i < COUNT(bad); i++) {
        thr_error err = {0};
        thr_model *m = make_model("lms", NULL);
        int code =
            train(m, bad[i].format, bad[i].text, (thr_train_options){.passes = 1}, NULL, &err);
        assert_int_equal(code, THR_EDATA);
        if (err.line != bad[i].line || err.column != bad[i].column ||
            !strstr(err.message, "is not a number"))
            fail_msg("%s: %d:%d: %s", bad[i].format, (int)err.line, (int)err.column, err.message);
        thr_model_free(m);
    }
}

static void test_target_that_is_no_number_is_placed_in_its_column(void **state)
{
    (void)state;
    thr_error err = {0};
    thr_model *m = make_model("lms", NULL);
    static const char text[] = "id1\tgood film\t4.5\nid2\tbad film\tfew\n";
    thr_input *in = input_of("text", text, strlen(text));
    assert_int_equal(thr_input_set_columns(in, "label=3,id=1,text=2", NULL), 0);
    thr_train_options o = {.passes = 1};
    assert_int_equal(thr_train(m, in, &o, NULL, &err), THR_EDATA);
    assert_int_equal(err.line, 2);
    assert_int_equal(err.column, 14);
    thr_input_free(in);
    thr_model_free(m);
}

static void test_target_that_is_no_number_can_be_skipped(void **state)
{
    (void)state;
    thr_train_report r;
    thr_model *m = make_model("lms", NULL);
    static const char text[] = "1\ta\nmany\ta\n2\tb\n";
    thr_input *in = input_of("text", text, strlen(text));
    thr_input_set_on_error(in, THR_SKIP, NULL, NULL);
    thr_train_options o = {.passes = 1};
    assert_int_equal(thr_train(m, in, &o, &r, NULL), 0);
    assert_int_equal(r.examples, 2);
    assert_int_equal(r.reading.skipped, 1);
    thr_input_free(in);
    thr_model_free(m);
}

static int keep(void *user, const void *p, size_t n)
{
    return thr_bytes_add(user, p, n) ? 0 : THR_EMEM;
}

/* A cache keeps labels by their text. */
static void test_cache_gives_the_same_model_and_errors(void **state)
{
    (void)state;
    static const char text[] = "0.1 | a b\n-0 | b:3\n1e-7 | a\nmany | c\n";
    for (size_t i = 0; i < COUNT(regressors); i++) {
        thr_error err = {0};
        thr_bytes cache = {0};
        size_t numbers = strlen("0.1 | a b\n-0 | b:3\n1e-7 | a\n");
        thr_model *direct = make_model(regressors[i], NULL);
        thr_model *cached = make_model(regressors[i], "format=vw");
        thr_model *plain = make_model(regressors[i], "format=vw");
        teach_bytes(direct, "vw", text, numbers);
        teach_bytes(plain, NULL, text, numbers);
        thr_input *in = input_of("vw", text, numbers);
        assert_int_equal(thr_convert(in, "cache", NULL, keep, &cache, NULL, NULL, &err), 0);
        thr_input_free(in);
        teach_bytes(cached, "cache", cache.p, cache.n);
        assert_same_model(plain, cached);
        cache.n = 0;
        in = input_of("vw", text, strlen(text));
        assert_int_equal(thr_convert(in, "cache", NULL, keep, &cache, NULL, NULL, &err), 0);
        thr_input_free(in);
        in = input_of("cache", cache.p, cache.n);
        thr_train_options o = {.passes = 1};
        assert_int_equal(thr_train(cached, in, &o, NULL, &err), THR_EDATA);
        assert_non_null(strstr(err.message, "is not a number"));
        thr_input_free(in);
        thr_bytes_clear(&cache);
        thr_model_free(direct);
        thr_model_free(cached);
        thr_model_free(plain);
    }
}

/* ---- learning ---- */

static void test_saved_and_resumed_is_trained_in_one_go(void **state)
{
    (void)state;
    static const char a[] = "1 | a b:2\n-3 | c\n2 | a:0.25 d\n", b[] = "5 | e a\n0.5 | b\n-1 | f\n";
    static const char *const more[] = {"lms",        "lms:averaged=off", "lms:normalized=off",
                                       "eg",         "eg:signed=off",    "eg:U=3,eta=0.1",
                                       "eg:bias=off"};
    for (size_t i = 0; i < COUNT(more); i++) {
        thr_model *whole = make_model(more[i], NULL), *first = make_model(more[i], NULL);
        teach(whole, "vw", a);
        teach(whole, "vw", b);
        teach(first, "vw", a);
        thr_bytes bytes = dumped(first, false);
        thr_model *second = thr_model_load(bytes.p, bytes.n, NULL);
        assert_non_null(second);
        teach(second, "vw", b);
        assert_same_model(whole, second);
        thr_model *clone = thr_model_clone(first, NULL);
        assert_non_null(clone);
        teach(clone, "vw", b);
        assert_same_model(whole, clone);
        thr_bytes_clear(&bytes);
        thr_model_free(whole);
        thr_model_free(first);
        thr_model_free(second);
        thr_model_free(clone);
    }
}

/* The label comes later, as in a session. */
static void test_target_given_later_counts_not_the_one_before(void **state)
{
    (void)state;
    thr_error err = {0};
    static const char *const formats[][2] = {{"vw", "| a"}, {"text", "a"}};
    for (size_t i = 0; i < COUNT(formats); i++) {
        thr_model *m = make_model("lms:rate=1,averaged=off,bias=off", NULL);
        thr_batch *b = thr_batch_new();
        const char *line = formats[i][1];
        assert_int_equal(thr_batch_parse(b, m, formats[i][0], false, line, strlen(line), &err), 0);
        thr_batch_relabel(b, 0, "many");
        assert_int_equal(thr_learn(m, NULL, b, NULL, &err), THR_EDATA);
        assert_non_null(strstr(err.message, "is not a number"));
        int32_t predicted = 5;
        thr_batch_relabel(b, 0, "3.5");
        assert_int_equal(thr_learn(m, NULL, b, &predicted, &err), 0);
        assert_int_equal(predicted, -1);
        thr_batch_relabel(b, 0, "4.5"); /* not the number of before */
        assert_int_equal(thr_learn(m, NULL, b, NULL, &err), 0);
        double w;
        assert_int_equal(thr_model_weights(m, 1, &w, NULL), 0);
        assert_near(w, 4.5);
        thr_batch_free(b);
        thr_model_free(m);
    }
}

/* However large the numbers are, what is stored and printed stays finite. */
static void test_huge_targets_keep_all_numbers_finite(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(regressors); i++) {
        double value;
        thr_model *m = make_model(regressors[i], NULL);
        for (int k = 0; k < 20; k++)
            teach(m, "vw", "1e308 | a:1e38\n-1e308 1e30 | a b:1e-30\n0 | a:3e38\n");
        score_line(m, "vw", "| a b", &value);
        assert_true(isfinite(value));
        for (size_t f = 0; f < thr_model_features(m); f++)
            assert_true(thr_model_weights(m, f, &value, NULL) == 0 && isfinite(value));
        thr_model_free(m);
    }
}

static int make_code(const char *learner, const char *name, const char *value, thr_error *err)
{
    thr_settings *s = thr_settings_new();
    assert_non_null(s);
    assert_int_equal(thr_settings_set(s, "learner", learner, NULL), 0);
    int code = thr_settings_set(s, name, value, err);
    thr_model *m = code ? NULL : thr_model_new(s, err);
    thr_model_free(m);
    thr_settings_free(s);
    return m ? 0 : err->code;
}

static void test_settings_for_classes_are_refused(void **state)
{
    (void)state;
    thr_error err = {0};
    thr_model *m = make_model("lms", NULL);
    thr_train_options until_clean = {.passes = 10, .until_clean = true};
    assert_int_equal(train(m, "vw", "1 | a\n", until_clean, NULL, &err), THR_EUSE);
    assert_non_null(strstr(err.message, "until-clean"));
    assert_int_equal(thr_model_declare_label(m, "spam", &err), THR_EUSE);
    assert_int_equal(make_code("lms", "multiclass", "direct", &err), THR_EUSE);
    assert_non_null(strstr(err.message, "has no classes"));
    assert_int_equal(make_code("panel", "members", "pa+eg", &err), THR_EUSE);
    assert_true(thr_model_regression(m));
    assert_int_equal(thr_model_labels(m), 0);
    thr_model_free(m);
    m = make_model("pa", NULL);
    assert_false(thr_model_regression(m));
    thr_model_free(m);
}

/* ---- using ---- */

typedef struct seen {
    size_t n;
    double sum;
} seen;

static int see(void *user, const thr_prediction *p)
{
    seen *s = user;
    assert_null(p->label);
    assert_int_equal(p->labels, 0);
    assert_true(p->truth ? p->target == 2 : isnan(p->target));
    s->sum += p->score;
    s->n++;
    return 0;
}

static void test_predictions_are_the_learned_numbers(void **state)
{
    (void)state;
    seen s = {0};
    thr_model *m = make_model("lms:rate=1,averaged=off,bias=off", NULL);
    teach(m, "vw", "2 | a\n-1 | b\n");
    static const char text[] = "2 | a\n| b\n| never\n";
    thr_input *in = input_of("vw", text, strlen(text));
    assert_int_equal(thr_predict(m, in, see, &s, NULL, NULL, NULL, NULL), 0);
    assert_int_equal(s.n, 3);
    assert_near(s.sum, 2 - 1 + 0);
    thr_input_free(in);
    thr_model_free(m);
}

static thr_metrics *tested(const thr_model *m, const char *text)
{
    thr_input *in = input_of("vw", text, strlen(text));
    thr_metrics *t = thr_test(m, in, NULL, NULL, NULL, NULL);
    assert_non_null(t);
    thr_input_free(in);
    return t;
}

static void test_mse_mae_and_r2_are_those_by_hand(void **state)
{
    (void)state;
    thr_errors e;
    thr_model *m = make_model("lms:rate=1,averaged=off,bias=off", NULL);
    teach(m, "vw", "2 | a\n");
    thr_metrics *t = tested(m, "1 | a\n2 | a\n4 | a\n"); /* errors -1, 0, 2; mean 7/3 */
    assert_true(thr_metrics_errors(t, &e));
    assert_int_equal(thr_metrics_examples(t), 3);
    assert_int_equal(thr_metrics_mistakes(t), 0);
    assert_near(e.mse, 5.0 / 3);
    assert_near(e.rmse, sqrt(5.0 / 3));
    assert_near(e.mae, 1);
    assert_near(e.r2, 1 - 5 / (16.0 / 9 + 1.0 / 9 + 25.0 / 9));
    thr_metrics_free(t);
    t = tested(m, "5 | a\n5 | b\n");
    assert_true(thr_metrics_errors(t, &e) && isnan(e.r2));
    thr_metrics_free(t);
    thr_model_free(m);
    m = make_model("pa", NULL);
    teach(m, "vw", "1 | a\n-1 | b\n");
    t = tested(m, "1 | a\n");
    assert_false(thr_metrics_errors(t, &e));
    thr_metrics_free(t);
    thr_model_free(m);
}

static void test_explained_parts_add_up_to_the_number(void **state)
{
    (void)state;
    static const char text[] = "1 | a b:2\n-3 | c a\n2 | a:0.25 d\n";
    static const char line[] = "7 | a b:-1 never";
    for (size_t i = 0; i < COUNT(regressors); i++) {
        thr_explanation x;
        thr_model *m = make_model(regressors[i], NULL);
        thr_batch *b = thr_batch_new();
        thr_scratch *s = thr_scratch_new();
        teach(m, "vw", text);
        assert_int_equal(thr_batch_parse(b, m, "vw", true, line, strlen(line), NULL), 0);
        assert_int_equal(thr_explain_one(m, s, b, 0, &x, NULL), 0);
        double sum = x.rest;
        for (size_t k = 0; k < x.n_parts; k++)
            sum += x.parts[k].contribution;
        assert_int_equal(x.n_parts, 4);
        assert_near(sum, x.total);
        assert_near(x.prediction.score, x.total);
        assert_true(x.total != 0 && x.prediction.target == 7);
        assert_null(x.against);
        thr_scratch_free(s);
        thr_batch_free(b);
        thr_model_free(m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_format),
        cmocka_unit_test(test_not_a_number),
        cmocka_unit_test(test_target_that_is_no_number_is_placed_in_its_column),
        cmocka_unit_test(test_target_that_is_no_number_can_be_skipped),
        cmocka_unit_test(test_cache_gives_the_same_model_and_errors),
        cmocka_unit_test(test_saved_and_resumed_is_trained_in_one_go),
        cmocka_unit_test(test_target_given_later_counts_not_the_one_before),
        cmocka_unit_test(test_huge_targets_keep_all_numbers_finite),
        cmocka_unit_test(test_settings_for_classes_are_refused),
        cmocka_unit_test(test_predictions_are_the_learned_numbers),
        cmocka_unit_test(test_mse_mae_and_r2_are_those_by_hand),
        cmocka_unit_test(test_explained_parts_add_up_to_the_number),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
