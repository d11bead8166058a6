/* What differs between two models: names, counts, weights by hand, and predictions. */
#include "model_help.h"

#include <math.h>

static thr_diff *diff_of(const thr_model *a, const thr_model *b, size_t top)
{
    thr_error err = {0};
    thr_diff *d = thr_diff_new(a, b, top, &err);
    if (!d)
        fail_msg("%s", err.message);
    return d;
}

static void test_models_taught_the_same_do_not_differ(void **state)
{
    (void)state;
    for
        EACH_LEARNER(l)
        {
            thr_diff_setting s;
            thr_diff_label n;
            thr_diff_rule r;
            thr_bytes lines = random_lines(3, 30, 3, true);
            thr_model *a = make_model(*l, NULL), *b = make_model(*l, NULL);
            teach_bytes(a, "vw", lines.p, lines.n);
            teach_bytes(b, "vw", lines.p, lines.n);
            thr_diff *d = diff_of(a, b, 5);
            assert_true(thr_diff_same(d));
            assert_false(thr_diff_setting_at(d, 0, &s));
            assert_false(thr_diff_label_at(d, 0, &n));
            assert_true(thr_diff_rule_at(d, 0, &r));
            assert_true((r.unlike == NULL) == thr_model_linear(a));
            assert_int_equal(r.moved, 0);
            thr_diff_free(d);
            teach(b, "vw", "c0 | 1\n");
            d = diff_of(a, b, 5);
            assert_false(thr_diff_same(d));
            thr_diff_free(d);
            thr_model_free(a);
            thr_model_free(b);
            thr_bytes_clear(&lines);
        }
}

static void test_settings_labels_and_features_that_differ_are_listed(void **state)
{
    (void)state;
    thr_diff_setting s;
    thr_diff_label l;
    thr_diff_features f;
    thr_model *a = make_model("pa", "ngrams=2"), *b = make_model("pa:C=2", NULL);
    teach(a, "vw", "p | u\nq | v\nr | u\n");
    teach(b, "vw", "s | v w\nq | t\np | z\n");
    thr_diff *d = diff_of(a, b, 0);
    assert_true(thr_diff_setting_at(d, 0, &s));
    assert_string_equal(s.name, "learner");
    assert_string_equal(s.a, "pa");
    assert_string_equal(s.b, "pa:C=2");
    assert_true(thr_diff_setting_at(d, 1, &s));
    assert_string_equal(s.name, "ngrams");
    assert_false(thr_diff_setting_at(d, 2, &s));
    assert_true(thr_diff_label_at(d, 0, &l));
    assert_string_equal(l.name, "r");
    assert_false(l.in_b);
    assert_true(thr_diff_label_at(d, 1, &l));
    assert_string_equal(l.name, "s");
    assert_true(l.in_b);
    assert_false(thr_diff_label_at(d, 2, &l));
    assert_true(thr_diff_features_of(d, &f));
    assert_int_equal(f.both, 1);
    assert_int_equal(f.only_a, 1);
    assert_int_equal(f.only_b, 3);
    thr_diff_free(d);
    thr_model_free(a);
    thr_model_free(b);
}

static void expect(const thr_diff *d, size_t i, const char *feature, const char *label, double a,
                   double b)
{
    thr_diff_weight w;
    assert_true(thr_diff_weight_at(d, 0, i, &w));
    assert_string_equal(w.feature, feature);
    if (label)
        assert_string_equal(w.label, label);
    else
        assert_null(w.label);
    assert_true(fabs(w.a - a) < 1e-6 && fabs(w.b - b) < 1e-6);
}

/* A perceptron without bias: u and v are taught once by a, w three times by b. */
static void test_moved_weights_are_listed_with_both_values(void **state)
{
    (void)state;
    thr_diff_rule r;
    thr_diff_weight w;
    thr_model *a = make_model("perceptron:bias=off", "unit=off"),
              *b = make_model("perceptron:bias=off", "unit=off");
    thr_error err = {0};
    assert_int_equal(thr_model_declare_label(a, "x", &err), 0);
    assert_int_equal(thr_model_declare_label(a, "y", &err), 1);
    assert_int_equal(thr_model_declare_label(b, "y", &err), 0);
    assert_int_equal(thr_model_declare_label(b, "x", &err), 1);
    teach(a, "vw", "x | u:2 v\n");        /* a tie is a mistake: y is -u */
    teach(b, "vw", "y | w:3\nx | u:2\n"); /* then u is a tie: y is -u again */
    thr_diff *d = diff_of(a, b, 10);
    assert_true(thr_diff_rule_at(d, 0, &r));
    assert_int_equal(r.moved, 2);
    assert_true(fabs(r.distance - sqrt(10)) < 1e-6);
    expect(d, 0, "w", "y", 0, 3);
    expect(d, 1, "v", "y", -1, 0);
    assert_false(thr_diff_weight_at(d, 0, 2, &w));
    assert_true(thr_diff_weight_at(d, 0, 0, &w));
    assert_true(!w.in_a && w.in_b);
    thr_diff_free(d);
    d = diff_of(b, a, 1);
    expect(d, 0, "w", "y", 3, 0);
    assert_false(thr_diff_weight_at(d, 0, 1, &w));
    thr_diff_free(d);
    thr_model_free(a);
    thr_model_free(b);
}

/* The greatest first, and among equals the first: as sorting all of them would. */
static void test_largest_moves_come_first_as_if_all_were_sorted(void **state)
{
    (void)state;
    thr_bytes x = random_lines(8, 100, 3, true), y = random_lines(9, 100, 3, true);
    thr_model *a = make_model("averaged", NULL), *b = make_model("averaged", NULL);
    teach_bytes(a, "vw", x.p, x.n);
    teach_bytes(b, "vw", y.p, y.n);
    thr_diff *all = diff_of(a, b, 1000000), *few = diff_of(a, b, 7);
    thr_diff_weight v, w;
    double last = INFINITY;
    thr_diff_rule r;
    size_t n = 0;
    double squares = 0;
    for (; thr_diff_weight_at(all, 0, n, &w); n++) {
        assert_true(fabs(w.b - w.a) <= last);
        last = fabs(w.b - w.a);
        squares += last * last;
        if (thr_diff_weight_at(few, 0, n, &v)) {
            assert_string_equal(v.feature, w.feature);
            assert_string_equal(v.label, w.label);
            assert_true(v.a == w.a && v.b == w.b);
        } else
            assert_true(n >= 7);
    }
    assert_true(n > 50);
    assert_true(thr_diff_rule_at(few, 0, &r));
    assert_int_equal(r.moved, n);
    assert_true(fabs(r.distance - sqrt(squares)) < 1e-9 * r.distance);
    thr_diff_free(all);
    thr_diff_free(few);
    thr_model_free(a);
    thr_model_free(b);
    thr_bytes_clear(&x);
    thr_bytes_clear(&y);
}

/* What all labels have in common decides nothing, and is left out. */
static void test_part_common_to_all_labels_is_left_out(void **state)
{
    (void)state;
    thr_bytes x = random_lines(8, 100, 3, true), y = random_lines(9, 100, 3, true);
    thr_model *a = make_model("bayes", NULL), *b = make_model("bayes", NULL);
    teach_bytes(a, "vw", x.p, x.n);
    teach_bytes(b, "vw", y.p, y.n);
    thr_diff *d = diff_of(a, b, 1000000);
    thr_diff_weight w;
    double sum = 0, sizes = 0;
    for (size_t i = 0; thr_diff_weight_at(d, 0, i, &w); i++) {
        sum += w.a;
        sizes += fabs(w.a);
    }
    assert_true(sizes > 1 && fabs(sum) < 1e-9 * sizes);
    thr_diff_free(d);
    thr_model_free(a);
    thr_model_free(b);
    thr_bytes_clear(&x);
    thr_bytes_clear(&y);
}

static void test_panel_members_are_matched_by_name(void **state)
{
    (void)state;
    thr_diff_rule r;
    thr_model *a = make_model("panel", "members=pa+arow+knn"),
              *b = make_model("panel", "members=knn+bayes+pa"), *c = make_model("pa", NULL);
    teach(a, "vw", "x | u\ny | v\n");
    teach(b, "vw", "x | v\ny | u\n");
    teach(c, "vw", "x | v\ny | u\n");
    thr_diff *d = diff_of(a, b, 3);
    assert_true(thr_diff_rule_at(d, 0, &r));
    assert_string_equal(r.a, "pa");
    assert_string_equal(r.b, "pa");
    assert_null(r.unlike);
    assert_true(r.vote_a > 0 && r.vote_b > 0 && r.moved > 0);
    assert_true(thr_diff_rule_at(d, 1, &r));
    assert_string_equal(r.a, "arow");
    assert_null(r.b);
    assert_true(thr_diff_rule_at(d, 2, &r));
    assert_true(strstr(r.unlike, "not linear") != NULL);
    assert_true(thr_diff_rule_at(d, 3, &r));
    assert_string_equal(r.b, "bayes");
    assert_null(r.a);
    assert_false(thr_diff_rule_at(d, 4, &r));
    thr_diff_free(d);
    d = diff_of(a, c, 3);
    assert_true(thr_diff_rule_at(d, 0, &r));
    assert_true(r.unlike == NULL && isnan(r.vote_b));
    thr_diff_free(d);
    thr_model_free(a);
    thr_model_free(b);
    thr_model_free(c);
}

static void unlike(const char *pattern, thr_model *a, thr_model *b)
{
    thr_diff_rule r;
    thr_diff *d = diff_of(a, b, 3);
    assert_true(thr_diff_rule_at(d, 0, &r));
    assert_true(r.unlike && strstr(r.unlike, pattern));
    thr_diff_free(d);
    thr_model_free(a);
    thr_model_free(b);
}

static thr_model *trained(const char *learner, const char *more, const char *text)
{
    thr_model *m = make_model(learner, more);
    teach(m, "vw", text);
    return m;
}

static void test_models_that_cannot_be_compared_say_why(void **state)
{
    (void)state;
    thr_diff_features f;
    unlike("not linear", trained("knn", NULL, "1 | u\n"), trained("pa", NULL, "1 | u\n"));
    unlike("numbers", trained("lms", NULL, "1 | u\n"), trained("pa", NULL, "1 | u\n"));
    unlike("hashed", trained("pa", "hash-bits=4", "1 | u\n"), trained("pa", NULL, "1 | u\n"));
    unlike("hashed", trained("pa", "hash-bits=4", "1 | u\n"),
           trained("pa", "hash-bits=4 hash-seed=1", "1 | u\n"));
    thr_model *a = trained("pa", "hash-bits=4", "1 | u\n"), *b = trained("pa", NULL, "1 | u\n");
    thr_diff *d = diff_of(a, b, 1);
    assert_false(thr_diff_features_of(d, &f));
    thr_diff_free(d);
    thr_model_free(a);
    thr_model_free(b);
}

/* ---- predictions ---- */

typedef struct list {
    size_t n;
    uint64_t line[16];
} list;

static int note(void *user, const thr_changed *c)
{
    list *l = user;
    assert_true(l->n < 16);
    l->line[l->n++] = c->line;
    assert_true(!c->a || strcmp(c->a, c->b) != 0);
    return 0;
}

static int predictions(const thr_model *a, const thr_model *b, const char *text, list *l,
                       thr_agreement *out, thr_error *err)
{
    thr_input *in = thr_input_new();
    assert_non_null(in);
    assert_int_equal(thr_input_add_memory(in, text, strlen(text), "memory", err), 0);
    assert_int_equal(thr_input_add_memory(in, text, strlen(text), "memory", err), 0);
    assert_int_equal(thr_input_set_format(in, "vw", err), 0);
    int code = thr_diff_predictions(a, b, in, note, l, NULL, NULL, out, NULL, err);
    thr_input_free(in);
    return code;
}

/* a knows u for x and v for y; b the other way round for v; the text comes twice. */
static void test_changed_predictions_are_counted_and_listed(void **state)
{
    (void)state;
    thr_error err = {0};
    thr_agreement g;
    list l = {0};
    thr_model *a = trained("perceptron", NULL, "x | u\ny | v\nx | u\ny | v\nx | u\ny | v\n");
    thr_model *b = trained("perceptron", NULL, "x | u\nx | v\ny | w\nx | v\nx | u\ny | w\nx | v\n");
    const char *text = "x | u\n\nx | v\ny | v\nz | v\n | u v\n | v\nx | v\n";
    assert_int_equal(predictions(a, b, text, &l, &g, &err), 0);
    assert_int_equal(g.examples, 14);
    assert_int_equal(g.labelled, 10);
    assert_int_equal(g.both_right, 2);
    assert_int_equal(g.neither, 2);
    assert_int_equal(g.only_a, 2);
    assert_int_equal(g.only_b, 4);
    assert_true(g.exact && fabs(g.p - 0.6875) < 1e-12);
    assert_true(isnan(g.mse_a));
    assert_int_equal(g.changed, l.n);
    assert_int_equal(l.line[0], 3);
    assert_int_equal(l.line[1], 4);
    assert_int_equal(l.line[2], 5);
    assert_int_equal(predictions(a, a, text, &(list){0}, &g, &err), 0);
    assert_int_equal(g.changed, 0);
    assert_int_equal(predictions(a, b, "", &(list){0}, &g, &err), THR_EDATA);
    thr_model *number = trained("lms", NULL, "1 | u\n");
    assert_int_equal(predictions(a, number, text, &(list){0}, &g, &err), THR_EUSE);
    thr_model_free(number);
    thr_model_free(a);
    thr_model_free(b);
}

static void test_changed_numbers_are_measured(void **state)
{
    (void)state;
    thr_error err = {0};
    thr_agreement g;
    list l = {0};
    const char *options = "lms:averaged=off,rate=1,bias=off";
    thr_model *a = trained(options, NULL, "1 | u\n2 | v\n"),
              *b = trained(options, NULL, "3 | u\n2 | v\n");
    assert_int_equal(predictions(a, b, "1 | u\n2 | v\n | u\n", &l, &g, &err), 0);
    assert_int_equal(g.examples, 6);
    assert_int_equal(g.changed, 4);
    assert_int_equal(g.labelled, 4);
    assert_int_equal(g.only_a, 2);
    assert_int_equal(g.only_b, 0);
    assert_true(fabs(g.mse_a) < 1e-9 && fabs(g.mse_b - 2) < 1e-6);
    assert_true(fabs(g.max_change - 2) < 1e-6 && fabs(g.mean_change - 8 / 6.0) < 1e-6);
    thr_model_free(a);
    thr_model_free(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_models_taught_the_same_do_not_differ),
        cmocka_unit_test(test_settings_labels_and_features_that_differ_are_listed),
        cmocka_unit_test(test_moved_weights_are_listed_with_both_values),
        cmocka_unit_test(test_largest_moves_come_first_as_if_all_were_sorted),
        cmocka_unit_test(test_panel_members_are_matched_by_name),
        cmocka_unit_test(test_models_that_cannot_be_compared_say_why),
        cmocka_unit_test(test_changed_predictions_are_counted_and_listed),
        cmocka_unit_test(test_changed_numbers_are_measured),
        cmocka_unit_test(test_part_common_to_all_labels_is_left_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
