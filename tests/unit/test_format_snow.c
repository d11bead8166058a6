#include "parse_help.h"

#define F (&thr_format_snow)

static void reads_examples(void **state)
{
    parsed *t = *state;
    assert_example(t, F, "7, 5, 1, 13:\n", "7 5 1 13");
    assert_example(t, F, "7(1.5), 5, 10(0.6), 13(-3.2):\r\n", "7 5 10=0.6 13=-3.2");
    assert_example(t, F, "  7 ,5 ( 2 ) , 6\t:  ", "7 5=2 6");
    assert_example(t, F, "7:\n", "7");
    assert_example(t, F, ":\n", "-");
    assert_example(t, F, "ham, word, 5(2), 5:\n\n", "ham word 5=3");
    assert_example(t, F, "+1.0, 5:\n", "1 5");
}

static void reads_candidates(void **state)
{
    parsed *t = *state;
    assert_example(t, F, "7, 5, 10(0.5); 7, +8.0 , x:\n", "7 {7,8,x} 5 10=0.5");
    assert_example(t, F, "7;3:\n", "7 {3}");
    assert_written(t, F, "7, 5, 10(0.5); 7, +8.0 , x:\n", F, "7, 5, 10(0.5); 7, 8, x:\n");
    assert_written(t, F, "7; 3:\n", &thr_format_jsonl, "{\"label\": 7, \"candidates\": [\"3\"]}\n");
    assert_refused(t, F, "7, 5; 7, 8:\n", &thr_format_svmlight, "candidate");
    t->settings.labelled = false;
    assert_example(t, F, "5, 6; 7, 8:\n", "- {7,8} 5 6");
    assert_example(t, F, "; 7:\n", "- {7}");
}

static void all_are_features_without_labels(void **state)
{
    parsed *t = *state;
    t->settings.labelled = false;
    assert_example(t, F, "7(1.5), 5, 10(0.6):\n", "- 7=1.5 5 10=0.6");
    assert_example(t, F, ":\n", "-");
}

static void tells_where_it_is_wrong(void **state)
{
    parsed *t = *state;
    assert_problem(t, F, "7, 5\n", 1, 5, "does not end with ':'");
    assert_problem(t, F, "7, 5; 5, 10\n", 1, 12, "does not end with ':'");
    assert_problem(t, F, "7, 5; :\n", 1, 7, "a candidate was expected");
    assert_problem(t, F, "7, 5; 7(2):\n", 1, 8, "',' or ':' was expected");
    assert_problem(t, F, "7, 5; 7; 8:\n", 1, 8, "second list");
    assert_problem(t, F, "7, 5; 1e400:\n", 1, 7, "label \"1e400\"");
    assert_problem(t, F, "; 5:\n", 1, 1, "a feature was expected");
    assert_problem(t, F, "7, 5 6:\n", 1, 6, "',' or ':' was expected");
    assert_problem(t, F, "7, , 6:\n", 1, 4, "a feature was expected");
    assert_problem(t, F, "7, 5,:\n", 1, 6, "a feature was expected");
    assert_problem(t, F, "7, 5(:\n", 1, 6, "strength missing");
    assert_problem(t, F, "7, 5(x):\n", 1, 6, "strength \"x\"");
    assert_problem(t, F, "7, 5(nan):\n", 1, 6, "strength \"nan\"");
    assert_problem(t, F, "7, 5(1e400):\n", 1, 6, "strength \"1e400\"");
    assert_problem(t, F, "7, 5(1:\n", 1, 7, "')' was expected");
    assert_problem(t, F, "7, 5: 0, 3:\n", 1, 7, "one example a line");
    assert_problem(t, F, "7(x), 5:\n", 1, 3, "strength \"x\"");
}

static void writes_what_it_reads(void **state)
{
    parsed *t = *state;
    assert_written(t, F, "7,5(0.5),x:\n7:\n", F, "7, 5(0.5), x:\n7:\n");
    t->settings.labelled = false;
    assert_written(t, F, "7,5(0.5),x:\n:\n", F, "7, 5(0.5), x:\n:\n");
}

static void refuses_what_it_cannot_hold(void **state)
{
    parsed *t = *state;
    assert_refused(t, &thr_format_vw, "1 |f a\n", F, "\"f\"");
    assert_refused(t, &thr_format_vw, "1 | a(b\n", F, "\"a(b\"");
    assert_refused(t, &thr_format_vw, "1 2 | a\n", F, "importance");
    assert_refused(t, &thr_format_vw, "1 'x | a\n", F, "tag");
    assert_refused(t, &thr_format_vw, "1 | a\n| a\n", F, "with and without a label");
    assert_refused(t, &thr_format_text, "a, b\t\n", F, "\"a, b\"");
    assert_refused(t, &thr_format_text, "1.0\t\n", F, "\"1.0\"");
    assert_refused(t, &thr_format_text, "a\tword\n", F, "running text");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        parse_test(reads_examples),
        parse_test(reads_candidates),
        parse_test(all_are_features_without_labels),
        parse_test(tells_where_it_is_wrong),
        parse_test(writes_what_it_reads),
        parse_test(refuses_what_it_cannot_hold),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
