/* Mixing models: what is refused and in which words, and what the mix has seen. How each rule mixes
 * is in tests/prop/prop_mix.c. */
#include "model_help.h"

#include "model/inside.h"

static thr_model *trained(const char *learner, const char *more)
{
    thr_model *m = make_model(learner, more);
    teach(m, "vw", "x | u v\ny | w\nx | u\ny | w v\n");
    return m;
}

static void refused(const char *pattern, thr_model *a, thr_model *b, const double *weights)
{
    thr_error err = {0};
    const thr_model *models[] = {a, b};
    thr_model *m = thr_model_mix(models, 2, weights, NULL, &err);
    assert_null(m);
    assert_int_equal(err.code, THR_EUSE);
    if (!strstr(err.message, pattern))
        fail_msg("'%s' is not in: %s", pattern, err.message);
    thr_model_free(a);
    thr_model_free(b);
}

static void test_models_that_differ_are_refused_with_the_reason(void **state)
{
    (void)state;
    refused("differ in learner", trained("pa", NULL), trained("averaged", NULL), NULL);
    refused("'pa' in the first and 'pa:C=2' in number 2", trained("pa", NULL),
            trained("pa:C=2", NULL), NULL);
    refused("differ in learner", trained("pa", NULL), make_model("lms", NULL), NULL);
    refused("differ in multiclass", trained("pa", NULL), trained("pa", "multiclass=one-vs-all"),
            NULL);
    refused("differ in members", trained("panel", NULL), trained("panel", "members=pa+arow"), NULL);
    refused("differ in unit", trained("pa", NULL), trained("pa", "unit=on"), NULL);
    refused("differ in ngrams", trained("pa", NULL), trained("pa", "ngrams=2"), NULL);
    refused("differ in hash-bits", trained("pa", NULL), trained("pa", "hash-bits=4"), NULL);
    refused("differ in positive", trained("pa", NULL), trained("pa", "positive=x"), NULL);
    refused("histories", trained("voted", NULL), trained("voted", NULL), NULL);
    refused("vote=off", trained("kernel", NULL), trained("kernel", NULL), NULL);
    refused("budget of 1", trained("kernel:vote=off,budget=1", NULL),
            trained("kernel:vote=off,budget=1", NULL), NULL);
    refused("weight", trained("pa", NULL), trained("pa", NULL), (const double[]){1, 0});
    refused("weight", trained("pa", NULL), trained("pa", NULL), (const double[]){1, -1});
}

/* Slots of hashed names depend on the order of namespaces. */
static void test_hashed_namespaces_in_another_order_are_refused(void **state)
{
    (void)state;
    thr_model *a = make_model("pa", "hash-bits=6"), *b = make_model("pa", "hash-bits=6");
    teach(a, "vw", "x |s u |t v\ny |s w\n");
    teach(b, "vw", "x |t u |s v\ny |s w\n");
    refused("namespaces", a, b, NULL);
}

static void test_lean_models_and_no_models_are_refused(void **state)
{
    (void)state;
    thr_error err = {0};
    thr_model *a = trained("pa", NULL);
    thr_bytes lean = dumped(a, true);
    refused("model 2 is lean", a, thr_model_load(lean.p, lean.n, &err), NULL);
    thr_bytes_clear(&lean);
    assert_null(thr_model_mix(NULL, 0, NULL, NULL, &err));
    assert_int_equal(err.code, THR_EUSE);
}

/* ---- a base ---- */

/* `base` and `a` are freed. */
static void refused_from(const char *pattern, thr_model *base, thr_model *a)
{
    thr_error err = {0};
    const thr_model *models[] = {base, a};
    for (size_t n = 1; n <= 2; n++) { /* a model alone is looked at, too */
        err = (thr_error){0};
        assert_null(thr_model_mix(models + 2 - n, n, NULL, base, &err));
        assert_int_equal(err.code, THR_EUSE);
        if (!strstr(err.message, pattern))
            fail_msg("'%s' is not in: %s", pattern, err.message);
    }
    thr_model_free(base);
    thr_model_free(a);
}

static thr_model *from_text(const char *learner, const char *more, const char *text)
{
    thr_model *m = make_model(learner, more);
    teach(m, "vw", text);
    return m;
}

/* Models that cannot have been trained from the base, and what is said of them. */
static void test_not_from_the_base(void **state)
{
    (void)state;
    const char *start = "x | u v\ny | w\n";
    refused_from("it is 'pa' in the base and 'arow' in number", from_text("pa", NULL, start),
                 trained("arow", NULL));
    refused_from("differ in ngrams cannot be mixed: it is '1' in the base",
                 from_text("pa", NULL, start), trained("pa", "ngrams=2"));
    refused_from("it has 2 examples, and the base has 4", trained("pa", NULL),
                 from_text("pa", NULL, start));
    refused_from("does not have the base's label 'y'", from_text("bayes", NULL, start),
                 from_text("bayes", NULL, "x | u v\nz | w\nx | u\n"));
    refused_from("label 'x' is number 2 in it and number 1 in the base",
                 from_text("bayes", NULL, start),
                 from_text("bayes", NULL, "y | u v\nx | w\nx | u\n"));
    refused_from("does not have feature 'w' of the base", from_text("bayes", NULL, start),
                 from_text("bayes", NULL, "x | u v\ny | u\ny | u v s\n"));
    refused_from("has feature 'u' of the base in another place", from_text("bayes", NULL, start),
                 from_text("bayes", NULL, "x | v u\ny | w\nx | u\n"));
    refused_from("fewer examples of label 'x' than the base",
                 from_text("bayes", "class-weights=balanced", "x | u\ny | v\nx | u\n"),
                 from_text("bayes", "class-weights=balanced", "x | u\ny | v\ny | u\ny | u\n"));
    refused_from("it has not met all examples that the base has met", from_text("pa", NULL, start),
                 from_text("pa", NULL, "x | u v\ny | w:2\nx | u\n"));
    refused_from("does not keep the base's examples", from_text("knn", NULL, start),
                 from_text("knn", NULL, "x | u v\nx | u v\ny | w\nx | u\n"));
}

/* A feature that was dropped and has come back begins anew. Only a mix of two or more looks at the
 * weights. */
static void test_learned_less_of_a_feature(void **state)
{
    (void)state;
    static const char *const learners[] = {
        "bayes", "bayes:kind=bernoulli", "eliminate", "arow", "adagrad", "logistic"};
    for (size_t i = 0; i < sizeof learners / sizeof *learners; i++) {
        thr_error err = {0};
        thr_model *base = from_text(learners[i], NULL, "y | u v\nx | w\nx | v\ny | v u t\n");
        thr_model *m = thr_model_clone(base, &err);
        teach(m, "vw", "x | w u\ny | v\n");
        thr_weights *w = &m->member[0].weights;
        assert_int_equal(thr_weights_settle(w, w->rows, NULL), 0);
        for (unsigned s = 0; s < w->n_slots; s++)
            if (s < w->n_wide)
                thr_weights_row_wide(w, 2, s)[0] = w->slot[s].start;
            else
                thr_weights_row(w, 2, s)[0] = (float)w->slot[s].start;
        const thr_model *models[] = {m, m};
        assert_null(thr_model_mix(models, 2, NULL, base, &err));
        assert_int_equal(err.code, THR_EUSE);
        if (!strstr(err.message, "learned less of feature 'v' than the base"))
            fail_msg("%s: %s", learners[i], err.message);
        thr_model_free(base);
        thr_model_free(m);
    }
}

/* A budget forgets the oldest examples, a ceiling drops features: differences are then not what was
 * learned since. */
static void test_what_the_base_had_is_gone(void **state)
{
    (void)state;
    thr_error err = {0};
    thr_model *base = trained("kernel:vote=off,budget=2", NULL), *m = thr_model_clone(base, &err);
    teach(m, "vw", "y | u v\nx | w t\ny | v v\nx | w\n");
    refused_from("has forgotten them (budget)", base, m);
    base = from_text("pa", "max-features=3", "x | u v\ny | w\n");
    m = thr_model_clone(base, &err);
    teach(m, "vw", "y | s t\nx | s u\nx | t s\ny | u s t\n");
    refused_from("or has dropped features since", base, m);
    base = trained("pa", NULL);
    thr_bytes lean = dumped(base, true);
    thr_model *thin = thr_model_load(lean.p, lean.n, &err);
    assert_null(thr_model_mix((const thr_model *const[]){base, base}, 2, NULL, thin, &err));
    assert_non_null(strstr(err.message, "the base is lean"));
    thr_bytes_clear(&lean);
    thr_model_free(thin);
    thr_model_free(base);
}

/* Everything that is counted, once. */
static void test_seen_since_the_base(void **state)
{
    (void)state;
    thr_error err = {0};
    thr_model *base = make_model("pa", "class-weights=balanced min-count=1");
    teach(base, "vw", "x | u:3 v\ny | w\n");
    thr_model *a = thr_model_clone(base, &err), *b = thr_model_clone(base, &err);
    teach(a, "vw", "x | s:4 u\n");
    teach(b, "vw", "y | w t\nz | r:5\nx | u\n");
    thr_model *m = thr_model_mix((const thr_model *const[]){b, a}, 2, NULL, base, &err);
    assert_non_null(m);
    thr_stats s, x, y, z;
    thr_model_stats(m, &s);
    thr_model_stats(base, &z);
    thr_model_stats(a, &x);
    thr_model_stats(b, &y);
    assert_int_equal(s.examples, 6);
    assert_int_equal(s.mistakes, x.mistakes + y.mistakes - z.mistakes);
    assert_int_equal(s.updates, x.updates + y.updates - z.updates);
    assert_true(s.max_norminf == 5);
    assert_true(s.mean_active == 9 / 6.0);
    static const char *const names[] = {"(bias)", "u", "v", "w", "t", "r", "s"};
    static const uint32_t times[] = {0, 3, 1, 2, 1, 1, 1};
    for (uint32_t i = 1; i < 7; i++) {
        char name[16];
        thr_model_feature(m, i, name, sizeof name);
        assert_string_equal(name, names[i]);
        assert_int_equal(thr_model_count(m, i), times[i]);
    }
    static const uint64_t classes[] = {3, 2, 1}; /* x, y, z */
    for (uint32_t l = 0; l < 3; l++)
        assert_int_equal(m->classes.count[l], classes[l]);
    thr_model_free(base);
    thr_model_free(a);
    thr_model_free(b);
    thr_model_free(m);
}

/* Written in other words, or read in another way, it is the same. */
static void test_settings_that_mean_the_same_can_be_mixed(void **state)
{
    (void)state;
    static const char *const pairs[][4] = {
        {"pa", NULL, "pa:C=1,bias=on", NULL},
        {"pa", NULL, "pa", "multiclass=direct"},
        {"pa", "format=vw", "pa", "columns=label=1,text=2"},
        {"pa", "members=arow", "pa", NULL},
        {"panel", "members=pa+arow", "panel:decide=mix", "members=pa:C=1+arow:r=1"},
    };
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        thr_error err = {0};
        thr_model *a = trained(pairs[i][0], pairs[i][1]), *b = trained(pairs[i][2], pairs[i][3]);
        const thr_model *models[] = {a, b};
        thr_model *m = thr_model_mix(models, 2, NULL, NULL, &err);
        if (!m)
            fail_msg("%s and %s: %s", pairs[i][0], pairs[i][2], err.message);
        thr_model_free(m);
        thr_model_free(a);
        thr_model_free(b);
    }
}

static void test_counts_add_up_and_features_are_numbered_anew(void **state)
{
    (void)state;
    thr_error err = {0};
    thr_model *a = make_model("perceptron", NULL), *b = make_model("perceptron", NULL);
    teach(a, "vw", "x | u:3 v\ny | w\n");
    teach(b, "vw", "y | w t\nz | s:5\nx | u\n");
    const thr_model *models[] = {a, b};
    thr_model *m = thr_model_mix(models, 2, NULL, NULL, &err);
    assert_non_null(m);
    thr_stats x, y, z;
    thr_model_stats(a, &x);
    thr_model_stats(b, &y);
    thr_model_stats(m, &z);
    assert_int_equal(z.examples, 5);
    assert_int_equal(z.mistakes, x.mistakes + y.mistakes);
    assert_int_equal(z.updates, x.updates + y.updates);
    assert_int_equal(z.features, 5);
    assert_int_equal(z.labels, 3);
    assert_true(z.max_norminf == 5);
    assert_true(z.mean_active == 7 / 5.0);
    static const char *const names[] = {"(bias)", "u", "v", "w", "t", "s"};
    for (size_t i = 0; i < 6; i++) {
        char name[16];
        thr_model_feature(m, i, name, sizeof name);
        assert_string_equal(name, names[i]);
    }
    thr_model_free(a);
    thr_model_free(b);
    thr_model_free(m);
}

/* Weights that balance go on from the examples of all; labels are matched by name. */
static void test_counts_of_classes_are_added_by_label_name(void **state)
{
    (void)state;
    thr_model *a = make_model("pa", "class-weights=balanced");
    thr_model *b = make_model("pa", "class-weights=balanced");
    teach(a, "vw", "x | u\nx | v\ny | w\n");
    teach(b, "vw", "z | u\ny | w\ny | v\ny | u\n");
    const thr_model *models[] = {a, b};
    thr_model *m = thr_model_mix(models, 2, NULL, NULL, NULL);
    assert_non_null(m);
    assert_int_equal(m->classes.n, 3);
    for (uint32_t l = 0; l < 3; l++) {
        char name = *m->labels.name[l];
        assert_int_equal(m->classes.count[l], name == 'x' ? 2 : name == 'y' ? 4 : 1);
    }
    thr_model_free(a);
    thr_model_free(b);
    thr_model_free(m);
}

/* A panel's vote is the mean, its mistakes are the sum. */
static void test_panel_vote_is_averaged_and_mistakes_are_added(void **state)
{
    (void)state;
    thr_error err = {0};
    thr_bytes lines = random_lines(5, 80, 3, true), more = random_lines(6, 40, 3, true);
    thr_model *a = make_model("panel", NULL), *b = make_model("panel", NULL);
    teach_bytes(a, "vw", lines.p, lines.n);
    teach_bytes(b, "vw", more.p, more.n);
    const thr_model *models[] = {a, b};
    thr_model *m = thr_model_mix(models, 2, NULL, NULL, &err);
    assert_non_null(m);
    thr_expert x, y, z;
    thr_panel_report p, q, r;
    double total = 0;
    for (size_t i = 0; thr_model_expert(a, i, &x); i++) {
        assert_true(thr_model_expert(b, i, &y) && thr_model_expert(m, i, &z));
        assert_string_equal(x.name, z.name);
        assert_int_equal(z.mistakes, x.mistakes + y.mistakes);
        total += z.weight;
    }
    assert_true(total > 1 - 1e-12 && total < 1 + 1e-12);
    assert_true(thr_model_panel(a, &p) && thr_model_panel(b, &q) && thr_model_panel(m, &r));
    assert_int_equal(r.examples, p.examples + q.examples);
    assert_int_equal(r.mistakes, p.mistakes + q.mistakes);
    assert_int_equal(thr_model_keep_best(m, &err), 0);
    thr_model_free(a);
    thr_model_free(b);
    thr_model_free(m);
    thr_bytes_clear(&lines);
    thr_bytes_clear(&more);
}

/* With a ceiling the lightest features of all go. */
static void test_ceiling_drops_the_lightest_features_of_all(void **state)
{
    (void)state;
    thr_error err = {0};
    thr_model *a = make_model("pa", "max-features=3"), *b = make_model("pa", "max-features=3");
    teach(a, "vw", "x | u:2 v:1\ny | w:3\n");
    teach(b, "vw", "x | s:5 t:0.1\ny | w:3\n");
    const thr_model *models[] = {a, b};
    thr_model *m = thr_model_mix(models, 2, NULL, NULL, &err);
    if (!m)
        fail_msg("%s", err.message);
    thr_stats s;
    thr_model_stats(m, &s);
    assert_int_equal(s.features, 3);
    teach(m, "vw", "x | p:1 q:2\ny | w:3\n");
    thr_model_stats(m, &s);
    assert_int_equal(s.examples, 6);
    thr_model_free(a);
    thr_model_free(b);
    thr_model_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_models_that_differ_are_refused_with_the_reason),
        cmocka_unit_test(test_hashed_namespaces_in_another_order_are_refused),
        cmocka_unit_test(test_lean_models_and_no_models_are_refused),
        cmocka_unit_test(test_settings_that_mean_the_same_can_be_mixed),
        cmocka_unit_test(test_counts_add_up_and_features_are_numbered_anew),
        cmocka_unit_test(test_counts_of_classes_are_added_by_label_name),
        cmocka_unit_test(test_panel_vote_is_averaged_and_mistakes_are_added),
        cmocka_unit_test(test_ceiling_drops_the_lightest_features_of_all),
        cmocka_unit_test(test_not_from_the_base),
        cmocka_unit_test(test_learned_less_of_a_feature),
        cmocka_unit_test(test_what_the_base_had_is_gone),
        cmocka_unit_test(test_seen_since_the_base),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
