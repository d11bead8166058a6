#include "parse_help.h"

#define F (&thr_format_text)

static void reads_label_and_text(void **state)
{
    parsed *t = *state;
    assert_example(t, F, "ham\tHello 5:30\n", "ham [Hello 5:30]");
    assert_example(t, F, "ham\ta\tb\n", "ham [a\tb]");
    assert_example(t, F, "New York\t\n", "New York []");
    assert_example(t, F, "1.0\tx", "1.0 [x]");
    assert_example(t, F, "ham\tx\r\n", "ham [x]");
    assert_example(t, F, "ham\ta\\nb\\\\\n", "ham [a\\nb\\\\]");
    assert_example(t, F, "\nham\tx\n\r\n", "ham [x]");
    assert_int_equal(t->batch.about[0].line, 1);
}

static void makes_features(void **state)
{
    parsed *t = *state;
    t->settings.features.raw = false;
    assert_example(t, F, "ham\tHello hello World\n", "ham hello world");
}

static void whole_line_without_labels(void **state)
{
    parsed *t = *state;
    t->settings.labelled = false;
    parse_string(t, F, "ham\tx\n\nno tab\n");
    assert_int_equal(t->batch.n_problems, 0);
    assert_int_equal(t->batch.n, 3);
    assert_string_equal(shown(t, 0), "- [ham\tx]");
    assert_string_equal(shown(t, 1), "- []");
    assert_string_equal(shown(t, 2), "- [no tab]");
}

static void takes_columns(void **state)
{
    parsed *t = *state;
    choose(t, "label=1,id=2,text=3");
    assert_example(t, F, "ham\tm1\thello\n", "ham 'm1 [hello]");
    assert_example(t, F, "ham\tm1\thello\tmore\n", "ham 'm1 [hello]");
    assert_example(t, F, "ham\t\t\n", "ham []");
    assert_problem(t, F, "ham\tm1\n", 1, 7, "column 3 (text)");
    assert_problem(t, F, "ham\n", 1, 4, "column 2 (id)");
    assert_problem(t, F, "\tm1\thello\n", 1, 1, "empty label");
    choose(t, "label=3,text=1");
    assert_example(t, F, "hello\tm1\tham\r\n", "ham [hello]");
    assert_problem(t, F, "hello\tm1\t\n", 1, 10, "empty label");
    assert_problem(t, F, "hello\n", 1, 6, "column 3 (label)");
    choose(t, "text=2");
    assert_example(t, F, "ham\thello\n", "- [hello]");
    t->settings.labelled = false;
    choose(t, "label=1,text=2");
    assert_example(t, F, "\thello\n", "- [hello]");
}

static void tells_where_it_is_wrong(void **state)
{
    parsed *t = *state;
    assert_problem(t, F, "hello\n", 1, 6, "no tab");
    assert_problem(t, F, "a\tb\n\thello\n", 2, 1, "empty label");
    assert_problem(t, F, "   \n", 1, 4, "no tab");
}

static void bad_utf8_stops_only_when_strict(void **state)
{
    parsed *t = *state;
    assert_example(t, F, "ham\tcaf\xe9 au lait\n", "ham [caf\xe9 au lait]");
    assert_int_equal(t->batch.bad_utf8, 1);
    t->settings.strict = true;
    assert_problem(t, F, "ham\tcaf\xe9 au lait\n", 1, 8, "0xe9");
    assert_example(t, F, "ham\tcaf\xc3\xa9 au lait\n", "ham [caf\xc3\xa9 au lait]");
}

static void writes_what_it_reads(void **state)
{
    parsed *t = *state;
    assert_written(t, F, "ham\thello\tyou \nspam\t\r\n", F, "ham\thello\tyou \nspam\t\n");
    t->settings.labelled = false;
    assert_written(t, F, "hello\n\nyou", F, "hello\n\nyou\n");
}

static void refuses_what_it_cannot_hold(void **state)
{
    parsed *t = *state;
    assert_refused(t, &thr_format_svmlight, "1 7:1\n", F, "\"7\"");
    assert_refused(t, &thr_format_vw, "1 2 |\n", F, "importance");
    assert_refused(t, &thr_format_vw, "1 'x |\n", F, "tag");
    assert_refused(t, &thr_format_vw, "1 |\n|\n", F, "with and without a label");
    parse_string(t, F, "ham\thello\n");
    const char *bad[] = {"a\nb", "a\r"};
    for (size_t i = 0; i < 2; i++) {
        t->batch.about[0].text = thr_str_of(bad[i]);
        assert_null(written(t, F));
    }
    t->batch.about[0].text = (thr_str){"a\0b", 3};
    assert_null(written(t, F));
    t->batch.about[0].text = thr_str_of("a\rb");
    t->batch.about[0].label = thr_str_of("h\tm");
    assert_null(written(t, F));
    assert_non_null(strstr(t->err.message, "\"h\\tm\""));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        parse_test(reads_label_and_text),      parse_test(makes_features),
        parse_test(whole_line_without_labels), parse_test(takes_columns),
        parse_test(tells_where_it_is_wrong),   parse_test(bad_utf8_stops_only_when_strict),
        parse_test(writes_what_it_reads),      parse_test(refuses_what_it_cannot_hold),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
