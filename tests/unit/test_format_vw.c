#include "parse_help.h"

#define F (&thr_format_vw)

static void reads_examples(void **state)
{
    parsed *t = *state;
    assert_example(t, F, "1 |f a:1 b:0.5\n", "1 f|a f|b=0.5");
    assert_example(t, F, "-1 | a 7:2\r\n", "-1 a 7=2");
    assert_example(t, F, "1 |f a |g b\tc\n", "1 f|a g|b g|c");
    assert_example(t, F, "1 |f a|g b\n", "1 f|a g|b");
    assert_example(t, F, "1 |f a:2 a:3 |g a\n", "1 f|a=5 g|a");
    assert_example(t, F, "1 |f:0.5 a b:3 |g a\n", "1 f|a=0.5 f|b=1.5 g|a");
    assert_example(t, F, "|f a\n", "- f|a");
    assert_example(t, F, "1 |\n", "1");
    assert_example(t, F, "1\n", "1");
    assert_example(t, F, "|\n", "-");
    assert_example(t, F, "1 || a\n", "1 a");
    assert_example(t, F, "1 |f http://x:8080:2 ::1\n", "1 f|http://x:8080=2 f|:");
    assert_example(t, F, "1 |f 007 7\n", "1 f|007 f|7");
}

static void reads_the_head(void **state)
{
    parsed *t = *state;
    assert_example(t, F, "1 2.5 |f a\n", "1 *2.5 f|a");
    assert_example(t, F, "1 2 0.3 |f a\n", "1 *2 f|a");
    assert_example(t, F, "1 2 0.3 'tag |f a\n", "1 *2 'tag f|a");
    assert_example(t, F, "1 tag|f a\n", "1 'tag f|a");
    assert_example(t, F, "1 'tag|f a\n", "1 'tag f|a");
    assert_example(t, F, "1 ''tag |f a\n", "1 ''tag f|a");
    assert_example(t, F, "'tag |f a\n", "- 'tag f|a");
    assert_example(t, F, "1|f a\n", "- '1 f|a");
    assert_example(t, F, "1 '|f a\n", "1 f|a");
    assert_example(t, F, "ham |f a\n", "ham f|a");
    assert_example(t, F, "+1.0 |f a\n", "1 f|a");
    assert_true(isnan(t->batch.about[0].target) == 0);
}

static void empty_lines_are_no_examples(void **state)
{
    parsed *t = *state;
    assert_example(t, F, "\n1 | a\n\n  \n\r\n", "1 a");
    assert_int_equal(t->batch.about[0].line, 1);
    assert_int_equal(t->batch.lines, 5);
}

static void tells_where_it_is_wrong(void **state)
{
    parsed *t = *state;
    assert_problem(t, F, "1 |f a:\n", 1, 8, "value missing");
    assert_problem(t, F, "1 |f a:x\n", 1, 8, "value \"x\" is not a number");
    assert_problem(t, F, "1 |f a:1 b:nan\n", 1, 12, "value \"nan\"");
    assert_problem(t, F, "1 |f a:1e400\n", 1, 8, "value \"1e400\"");
    assert_problem(t, F, "1 |f :1\n", 1, 6, "name missing");
    assert_problem(t, F, "1 |f: a\n", 1, 6, "scale missing");
    assert_problem(t, F, "1 |:2 a\n", 1, 4, "namespace missing");
    assert_problem(t, F, "1 |f:inf a\n", 1, 6, "scale \"inf\"");
    assert_problem(t, F, "1 |f:1e30 a:1e30\n", 1, 13, "too large");
    assert_problem(t, F, "1 -1 |f a\n", 1, 3, "negative");
    assert_problem(t, F, "1 x |f a\n", 1, 3, "importance \"x\"");
    assert_problem(t, F, "1 1 x |f a\n", 1, 5, "base \"x\"");
    assert_problem(t, F, "1 1 1 1 |f a\n", 1, 7, "too many");
    assert_problem(t, F, "1 1 1 1 1 1 1 |f a\n", 1, 7, "too many");
    assert_problem(t, F, "nan |f a\n", 1, 1, "label \"nan\"");
    assert_problem(t, F, "1e400 |f a\n", 1, 1, "label \"1e400\"");
    assert_problem(t, F, "this is text\n", 1, 6, "importance \"is\"");
}

/* Labels of VW's other problems would be read as names or importances otherwise. */
static void refuses_labels_of_other_problems(void **state)
{
    parsed *t = *state;
    assert_problem(t, F, "1:2:0.4 | a\n", 1, 1, "\"1:2:0.4\" is a contextual-bandit label");
    assert_problem(t, F, "1 2 1:2:0.4 | a\n", 1, 5, "contextual-bandit label");
    assert_problem(t, F, "  0:-1.5:0.5 'tag | a\n", 1, 3, "contextual-bandit label");
    assert_problem(t, F, "1:0 | a\n", 1, 1, "\"1:0\" is a cost-sensitive label");
    assert_problem(t, F, "1:0 2:1 | a\n", 1, 1, "the class with the least cost");
    assert_problem(t, F, "1:0 2:1 3:1 4:2 5:3 6:4 | a\n", 1, 1, "cost-sensitive label");
    assert_problem(t, F, "1 2:1 | a\n", 1, 3, "cost-sensitive label");
    assert_problem(t, F, "shared | a\n", 1, 1, "\"shared\" begins a multi-line example");
    assert_problem(t, F, "shared 'tag | a\n", 1, 1, "on one line");
    assert_problem(t, F, "ccb shared | a\n", 1, 1, "\"ccb\" begins a line of a conditional");
    assert_problem(t, F, "ccb action | a\n", 1, 1, "conditional contextual bandit");
    assert_problem(t, F, "ccb slot 0:0.8:1.0 0 | a\n", 1, 1, "conditional contextual bandit");
    assert_problem(t, F, "slates shared 0.8 | a\n", 1, 1, "\"slates\" begins a line of");
    assert_problem(t, F, "slates action 0 | a\n", 1, 1, "slates");
    assert_problem(t, F, "slates slot 1:0.8,0:0.1 | a\n", 1, 1, "slates");
    assert_problem(t, F, "ca 185.1:0.65:6.2e-05 | a\n", 1, 1, "continuous actions");
    t->settings.labelled = false;
    assert_problem(t, F, "1:0 2:1 | a\n", 1, 1, "cost-sensitive label");
}

static void a_name_is_still_a_label(void **state)
{
    parsed *t = *state;
    assert_example(t, F, "ccb | a\n", "ccb a");
    assert_example(t, F, "slates 2 | a\n", "slates *2 a");
    assert_example(t, F, "ca | a\n", "ca a");
    assert_example(t, F, "urn:1 | a\n", "urn:1 a");
    assert_example(t, F, "1:x | a\n", "1:x a");
    assert_example(t, F, "1: | a\n", "1: a");
    assert_example(t, F, "1 1:2:0.4| a\n", "1 '1:2:0.4 a");
    assert_example(t, F, "1 'shared | shared 1:2\n", "1 'shared shared 1=2");
}

static void writes_what_it_reads(void **state)
{
    parsed *t = *state;
    assert_written(t, F, "1 |f a:1 b:.5 |g 3 | x\n", F, "1 |f a b:0.5 |g 3 | x\n");
    assert_written(t, F, "ham 2 0 'me | a:b:1\n", F, "ham 2 'me | a:b:1\n");
    assert_written(t, F, "1 me|f x\n'me|\n|\n1\n", F, "1 'me |f x\n'me |\n|\n1 |\n");
    assert_example(t, F, "1 'me |f x\n", "1 'me f|x");
    assert_example(t, F, "'me |\n", "- 'me");
}

static void escapes_names_that_would_end_early(void **state)
{
    parsed *t = *state;
    assert_written(t, &thr_format_snow, "1, a|b:\n", F, "1 | a%7Cb\n");
    assert_written(t, &thr_format_snow, "1, a%7Cb, 100%, %zz, %2:\n", F,
                   "1 | a%257Cb 100% %zz %2\n");
#if THR_HAVE_JANSSON
    assert_written(t, &thr_format_jsonl,
                   "{\"label\": 1, \"features\": {\"a b\": {\"c\\td\": 2, \"e:f\\ng\": 1}}}\n", F,
                   "1 |a%20b c%09d:2 e:f%0Ag:1\n");
    assert_written(t, &thr_format_jsonl, "{\"label\": 1, \"features\": {\"a:b\": {\"c\": 2}}}\n", F,
                   "1 |a%3Ab c:2\n");
#endif
    t->settings.features.raw = false;
    t->settings.features.ngrams = 2;
    assert_written(t, &thr_format_text, "ham\tnew york\n", F, "ham | new york new%20york\n");
}

static void refuses_what_it_cannot_hold(void **state)
{
    parsed *t = *state;
    assert_refused(t, &thr_format_text, "ham\tsome words\n", F, "running text");
    assert_refused(t, &thr_format_text, "ham and eggs\t\n", F, "\"ham and eggs\"");
    assert_refused(t, &thr_format_text, "a|b\t\n", F, "\"a|b\"");
    assert_refused(t, &thr_format_text, "'a\t\n", F, "\"'a\"");
    assert_refused(t, &thr_format_text, "1.0\t\n", F, "\"1.0\"");
    assert_refused(t, &thr_format_text, "nan\t\n", F, "\"nan\"");
    assert_refused(t, &thr_format_text, "12:30\t\n", F, "\"12:30\"");
    assert_refused(t, &thr_format_text, "shared\t\n", F, "\"shared\"");
    parse_string(t, F, "| a\n");
    t->batch.about[0].importance = 2;
    assert_null(written(t, F));
    assert_non_null(strstr(t->err.message, "without a label"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        parse_test(reads_examples),
        parse_test(reads_the_head),
        parse_test(empty_lines_are_no_examples),
        parse_test(tells_where_it_is_wrong),
        parse_test(refuses_labels_of_other_problems),
        parse_test(a_name_is_still_a_label),
        parse_test(writes_what_it_reads),
        parse_test(escapes_names_that_would_end_early),
        parse_test(refuses_what_it_cannot_hold),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
