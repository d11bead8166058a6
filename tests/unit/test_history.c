/* Compatibility of model files: what a file means that leaves an option or a setting out, and which
 * version of the rules it follows. tests/cli/golden_models.sh tests the same with real files. */
#include "model_help.h"

#include "model/inside.h"

/* What files mean that do not say more, up to the given rules. A line is never changed. A new
 * option or setting gets a line with what older versions did. If a test below fails because a
 * default was changed, learner/history.c needs a row with the old value, and THR_RULES a new
 * number. */
static const thr_old_default meaning[] = {
    {"perceptron", "rate", "1", 1},
    {"perceptron", "margin", "0", 1},
    {"perceptron", "repeat", "off", 1},
    {"perceptron", "bias", "on", 1},
    {"perceptron", "margin-negative", "auto", 1},
    {"averaged", "rate", "1", 1},
    {"averaged", "margin", "0", 1},
    {"averaged", "bias", "on", 1},
    {"averaged", "margin-negative", "auto", 1},
    {"winnow", "promote", "2", 1},
    {"winnow", "demote", "0.5", 1},
    {"winnow", "theta", "auto", 1},
    {"winnow", "start", "auto", 1},
    {"winnow", "margin", "0", 1},
    {"winnow", "margin-negative", "auto", 1},
    {"balanced", "eta", "0.2", 1},
    {"balanced", "margin", "1", 1},
    {"balanced", "normalized", "off", 1},
    {"balanced", "bias", "on", 1},
    {"balanced", "margin-negative", "auto", 1},
    {"pa", "C", "1", 1},
    {"pa", "averaged", "on", 1},
    {"pa", "bias", "on", 1},
    {"alma", "alpha", "0.9", 1},
    {"alma", "bias", "on", 1},
    {"pegasos", "lambda", "0.001", 1},
    {"pegasos", "bias", "on", 1},
    {"adagrad", "rate", "0.5", 1},
    {"adagrad", "bias", "on", 1},
    {"arow", "r", "1", 1},
    {"arow", "bias", "on", 1},
    {"arow", "relative", "on", 1},
    {"logistic", "steps", "adaptive", 1},
    {"logistic", "rate", "1", 1},
    {"logistic", "decay", "0", 1},
    {"logistic", "l1", "0", 1},
    {"logistic", "l2", "0", 1},
    {"logistic", "averaged", "off", 1},
    {"logistic", "bias", "on", 1},
    {"bayes", "kind", "multinomial", 1},
    {"bayes", "alpha", "1", 1},
    {"bayes", "extent", "words", 1},
    {"eliminate", "form", "conjunction", 1},
    {"eliminate", "negated", "off", 1},
    {"eliminate", "variables", "auto", 1},
    {"voted", "rate", "1", 1},
    {"voted", "margin", "0", 1},
    {"voted", "bias", "on", 1},
    {"voted", "margin-negative", "auto", 1},
    {"kernel", "kind", "poly", 1},
    {"kernel", "degree", "2", 1},
    {"kernel", "gamma", "1", 1},
    {"kernel", "coef", "0", 1},
    {"kernel", "vote", "on", 1},
    {"kernel", "budget", "0", 1},
    {"kernel", "rate", "1", 1},
    {"kernel", "margin", "0", 1},
    {"kernel", "bias", "on", 1},
    {"kernel", "margin-negative", "auto", 1},
    {"knn", "k", "1", 1},
    {"knn", "weights", "gain", 1},
    {"knn", "vote", "equal", 1},
    {"rules", "min-gain", "2", 1},
    {"rules", "max-rules", "10000", 1},
    {"lp", "C", "auto", 1},
    {"lp", "bias", "on", 1},
    {"maxmargin", "gap", "0.01", 1},
    {"maxmargin", "C", "auto", 1},
    {"maxmargin", "bias", "on", 1},
    {"panel", "decide", "vote", 1},
    {"panel", "eta", "0.1", 1},
    {"panel", "share", "0.001", 1},
    {"panel", "vote", "majority", 1},
    {"panel", "blend", "on", 1},
    {"panel", "seed", "0", 1},
    {"panel", "pause", "off", 4},
    {"lms", "rate", "0.5", 1},
    {"lms", "normalized", "on", 1},
    {"lms", "averaged", "on", 1},
    {"lms", "bias", "on", 1},
    {"eg", "eta", "auto", 1},
    {"eg", "U", "auto", 1},
    {"eg", "signed", "on", 1},
    {"eg", "bias", "on", 1},
    {"settings", "scale", "off", 1},
    {"settings", "slope", "auto", 1},
    {"settings", "learner", "panel", 1},
    {"settings", "members", "adagrad+balanced+arow+bayes:alpha=0.01", 1},
    {"settings", "multiclass", "auto", 1},
    {"settings", "positive", "", 1},
    {"settings", "class-weights", "", 1},
    {"settings", "multilabel", "off", 1},
    {"settings", "threshold", "0.5", 1},
    {"settings", "textbook", "off", 1},
    {"settings", "tokens", "words", 1},
    {"settings", "symbols", "off", 1},
    {"settings", "fold", "on", 1},
    {"settings", "normalize", "on", 1},
    {"settings", "ngrams", "1", 1},
    {"settings", "char-ngrams", "0", 1},
    {"settings", "skip", "0", 1},
    {"settings", "values", "presence", 1},
    {"settings", "unit", "auto", 1},
    {"settings", "negate", "", 1},
    {"settings", "conjoin", "1", 1},
    {"settings", "cross", "", 1},
    {"settings", "hash-bits", "0", 1},
    {"settings", "hash-seed", "0", 1},
    {"settings", "min-count", "0", 1},
    {"settings", "max-features", "0", 1},
    {"settings", "decode", "off", 1},
    {"settings", "beam", "0", 1},
    {"settings", "template", "", 1},
    {"settings", "tags", "auto", 1},
    {"settings", "format", "auto", 1},
    {"settings", "columns", "", 1},
    {0},
};

/* What the code makes of `learner` under `rules`, as text. */
static void options_under(const char *learner, unsigned rules, thr_bytes *out)
{
    thr_error err = {0};
    thr_rule r;
    if (thr_rule_init_under(&r, learner, NULL, rules, &err))
        fail_msg("%s: %s", learner, err.message);
    assert_int_equal(r.rules, rules);
    assert_true(thr_options_print(r.learner->options, r.option, out));
    thr_rule_clear(&r);
}

/* ... and what the lines above say. */
static void options_meant(const thr_learner *l, unsigned rules, thr_bytes *out)
{
    for (const thr_option_info *o = l->options; o->name; o++) {
        const char *value = thr_default_in(meaning, l->name, o->name, rules, NULL);
        if (!value && rules == 1)
            fail_msg("%s:%s has no line in this test: add what older versions did", l->name,
                     o->name);
        assert_true(thr_bytes_printf(out, "%s%s=%s", o == l->options ? "" : ",", o->name,
                                     value ? value : o->fallback));
    }
}

static void options_left_out_keep_their_meaning(void **state)
{
    (void)state;
    for (unsigned rules = 1; rules <= THR_RULES; rules++)
        for (size_t i = 0; thr_learners[i]; i++) {
            thr_bytes is = {0}, meant = {0};
            options_under(thr_learners[i]->name, rules, &is);
            options_meant(thr_learners[i], rules, &meant);
            assert_true(thr_bytes_add(&is, "", 1) && thr_bytes_add(&meant, "", 1));
            assert_string_equal(is.p, meant.p);
            thr_bytes_clear(&is);
            thr_bytes_clear(&meant);
        }
}

static void settings_left_out_keep_their_meaning(void **state)
{
    (void)state;
    thr_error err = {0};
    thr_option_info info;
    thr_settings *s = thr_settings_new();
    assert_int_equal(thr_settings_read(s, "", 0, &err), 0);
    assert_int_equal(thr_settings_rules(s), 1);
    for (size_t i = 0; thr_setting_at(i, &info); i++) {
        const char *meant = thr_default_in(meaning, "settings", info.name, 1, NULL);
        if (!meant)
            fail_msg("%s has no line in this test: add what older versions did", info.name);
        assert_string_equal(thr_settings_get(s, info.name), meant);
    }
    thr_settings_free(s);
}

/* ---- defaults that change ----------------------------------------------------------------- */

static const thr_old_default changes[] = {
    {"it", "size", "2", 3},
    {"it", "size", "1", 1},
    {"other", "size", "9", 9},
    {"it", "shape", "on", 2},
    {"settings", "ngrams", "3", 1},
    {"settings", "fold", "off", 1},
    {0},
};

static void an_earlier_default_holds_up_to_its_rules(void **state)
{
    (void)state;
    static const thr_option_info options[] = {
        {"size", "5", "", THR_REAL, NULL, 0, 10},
        {"shape", "off", "", THR_BOOL, NULL, 0, 1},
        {0},
    };
    static const double expected[][2] = {{1, 1}, {2, 1}, {2, 0}, {5, 0}};
    for (unsigned rules = 1; rules <= 4; rules++) {
        double value[2];
        assert_int_equal(thr_options_defaults(options, "it", changes, rules, value, NULL), 0);
        assert_true(value[0] == expected[rules - 1][0] && value[1] == expected[rules - 1][1]);
        assert_int_equal(thr_options_read(options, "it", "size=7", value, NULL), 0);
        assert_true(value[0] == 7 && value[1] == expected[rules - 1][1]);
    }
}

static void an_earlier_setting_holds_where_a_file_lacks_it(void **state)
{
    (void)state;
    thr_error err = {0};
    thr_settings *s = thr_settings_new();
    static const char text[] = "fold=on\n";
    assert_int_equal(thr_settings_read(s, text, sizeof text - 1, &err), 0);
    assert_int_equal(thr_settings_assume(s, changes, &err), 0);
    assert_string_equal(thr_settings_get(s, "ngrams"), "3");
    assert_string_equal(thr_settings_get(s, "fold"), "on");
    thr_settings_free(s);
}

/* ---- rules in the file -------------------------------------------------------------------- */

/* Settings of the rules after this version's; only reading refuses them. */
static void use_later_rules(thr_settings *s)
{
    char text[32];
    thr_error err = {0};
    int n = snprintf(text, sizeof text, "rules=%u\n", THR_RULES + 1);
    assert_int_equal(thr_settings_read(s, text, (size_t)n, &err), THR_EMODEL);
    assert_int_equal(thr_settings_rules(s), THR_RULES + 1);
}

static void the_first_rules_are_not_written(void **state)
{
    (void)state;
    thr_settings *s = thr_settings_new();
    thr_bytes out = {0};
    assert_int_equal(thr_settings_read(s, "", 0, NULL), 0);
    assert_true(thr_settings_print(s, &out));
    assert_memory_equal(out.p, "learner=", 8);
    thr_bytes_clear(&out);
    thr_settings_free(s);
}

static void later_rules_are_written_and_copied(void **state)
{
    (void)state;
    char line[32];
    thr_bytes out = {0};
    thr_settings *s = thr_settings_new();
    use_later_rules(s);
    thr_settings *copy = thr_settings_copy(s);
    int n = snprintf(line, sizeof line, "rules=%u\nlearner=", THR_RULES + 1);
    assert_int_equal(thr_settings_rules(copy), THR_RULES + 1);
    assert_true(thr_settings_print(copy, &out));
    assert_memory_equal(out.p, line, n);
    thr_bytes_clear(&out);
    thr_settings_free(s);
    thr_settings_free(copy);
}

static void a_model_of_later_rules_is_refused_with_a_sentence(void **state)
{
    (void)state;
    char folder[] = "/tmp/test_history_XXXXXX", path[64];
    thr_error err = {0};
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/model", folder);
    thr_model *m = make_model("pa", NULL);
    teach(m, "vw", "x | u v\ny | w\n");
    use_later_rules(m->settings);
    assert_int_equal(thr_model_save(m, path, false, &err), 0);
    thr_model_free(m);
    assert_null(thr_model_open(path, false, &err));
    assert_int_equal(err.code, THR_EMODEL);
    assert_non_null(strstr(err.message, "it takes a later thresh to read it"));
    assert_string_equal(err.file, path);
    assert_int_equal(remove(path) | remove(folder), 0);
}

/* A line `cross` is of a file whose version knew pairs of full names only, and keeps its bytes.
 * What such a version would misread has another name. */
static void crosses_of_earlier_files_are_by_name(void **state)
{
    (void)state;
    static const struct {
        const char *line;
        enum thr_cross_kind kind;
    } files[] = {{"cross=u*i\n", THR_CROSS_NAME},
                 {"cross=user*item\n", THR_CROSS_NAME},
                 {"crosses=u*i\n", THR_CROSS_LETTER}};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        thr_settings *s = thr_settings_new();
        thr_reader_settings reader;
        thr_bytes text = {0};
        assert_int_equal(thr_settings_read(s, files[i].line, strlen(files[i].line), NULL), 0);
        thr_settings *copy = thr_settings_copy(s);
        assert_int_equal(thr_settings_reader(copy, &reader, NULL), 0);
        assert_int_equal(reader.features.cross[0].part[0].kind, files[i].kind);
        assert_true(thr_settings_print(copy, &text));
        assert_non_null(strstr(text.p, files[i].line));
        assert_int_equal(thr_settings_set(copy, "cross", "u*i", NULL), 0);
        assert_int_equal(thr_settings_reader(copy, &reader, NULL), 0);
        assert_int_equal(reader.features.cross[0].part[0].kind, THR_CROSS_LETTER);
        thr_bytes_clear(&text);
        thr_settings_free(copy);
        thr_settings_free(s);
    }
}

static void damaged_rules_are_refused(void **state)
{
    (void)state;
    static const char *const texts[] = {"rules=0\n",  "rules=1\n", "rules=\n",           "rules=2",
                                        "rules=2 \n", "rules=x\n", "rules=99999999999\n"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        thr_error err = {0};
        thr_settings *s = thr_settings_new();
        assert_int_equal(thr_settings_read(s, texts[i], strlen(texts[i]), &err), THR_EMODEL);
        assert_non_null(strstr(err.message, "damaged"));
        thr_settings_free(s);
    }
}

static void a_model_follows_the_rules_of_its_settings(void **state)
{
    (void)state;
    thr_error err = {0};
    thr_settings *s = thr_settings_new();
    use_later_rules(s);
    thr_model *m = thr_model_new(s, &err);
    assert_non_null(m);
    for (uint32_t k = 0; k < m->members; k++)
        assert_int_equal(m->member[k].rule.rules, THR_RULES + 1);
    thr_model_free(m);
    thr_settings_free(s);
}

static void models_of_different_rules_cannot_be_mixed(void **state)
{
    (void)state;
    thr_error err = {0};
    thr_model *a = make_model("pa", NULL), *b = make_model("pa", NULL);
    teach(a, "vw", "x | u v\ny | w\n");
    teach(b, "vw", "x | u v\ny | w\n");
    b->member[0].rule.rules = THR_RULES + 1;
    assert_null(thr_model_mix((const thr_model *const[]){a, b}, 2, NULL, NULL, &err));
    assert_non_null(strstr(err.message, "different rules"));
    thr_model_free(a);
    thr_model_free(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(options_left_out_keep_their_meaning),
        cmocka_unit_test(settings_left_out_keep_their_meaning),
        cmocka_unit_test(an_earlier_default_holds_up_to_its_rules),
        cmocka_unit_test(an_earlier_setting_holds_where_a_file_lacks_it),
        cmocka_unit_test(the_first_rules_are_not_written),
        cmocka_unit_test(later_rules_are_written_and_copied),
        cmocka_unit_test(a_model_of_later_rules_is_refused_with_a_sentence),
        cmocka_unit_test(crosses_of_earlier_files_are_by_name),
        cmocka_unit_test(damaged_rules_are_refused),
        cmocka_unit_test(a_model_follows_the_rules_of_its_settings),
        cmocka_unit_test(models_of_different_rules_cannot_be_mixed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
