#include "parse_help.h"

#include "base/hash.h"

#define F (&thr_format_svmlight)

static void reads_examples(void **state)
{
    parsed *t = *state;
    assert_example(t, F, "1 3:1 5:0.5\n", "1 3 5=0.5");
    assert_example(t, F, "-1.50 3:-2e3", "-1.5 3=-2000");
    assert_example(t, F, "0\t1:1\t2:7 \r\n", "0 1 2=7");
    assert_example(t, F, "  1  3:1   4:1  \n", "1 3 4");
    assert_example(t, F, "1 5:1 3:1 5:2\n", "1 5=3 3");
    assert_example(t, F, "1 007:1\n", "1 7");
    assert_example(t, F, "1 0:1\n", "1 0");
    assert_example(t, F, "1 3:0 4:1\n", "1 4");
    assert_example(t, F, "1 18446744073709551615:1 16777216:2\n",
                   "1 18446744073709551615 16777216=2");
    assert_example(t, F, "1 00000000000000000000000012:1\n", "1 12");
}

/* Ids from 2^24 on are names, whether there is room behind them to read them quickly or not. */
static void ids_may_be_large(void **state)
{
    static const char room[] = "# ..............................................................."
                               "...............................................................\n";
    static const struct {
        const char *line, *expected;
    } cases[] = {
        {"1 16777214:1 16777215:1 16777216:1 16777217:1", "1 16777214 16777215 16777216 16777217"},
        {"1 16777216:1 16777215:2 16777216:3 16777215:4", "1 16777216=4 16777215=6"},
        {"1 016777216:1 16777216:1 0016777216:1", "1 16777216=3"},
        {"1 99999999:1 100000000:1 0100000000:2 99999999:.5", "1 99999999=1.5 100000000=3"},
        {"1 2147483647:1 2147483648:1 4294967295:1 4294967296:-1",
         "1 2147483647 2147483648 4294967295 4294967296=-1"},
        {"1 5:1 4294967296:1 0:1 4294967301:1 5:1", "1 5=2 4294967296 0 4294967301"},
        {"1 9223372036854775807:1 9223372036854775808:1 18446744073709551615:1",
         "1 9223372036854775807 9223372036854775808 18446744073709551615"},
        {"1 123456789012345:1 1234567890123456:1 12345678901234567:1",
         "1 123456789012345 1234567890123456 12345678901234567"},
        {"1 16777216:0 16777217:1 33554432:-0", "1 16777217"},
        {"1 16777216:1e1 16777217:1 # 16777218:1", "1 16777216=10 16777217"},
        {"16777216:1 qid:3 16777216:1", "- 16777216=2"},
    };
    parsed *t = *state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[512];
        snprintf(text, sizeof text, "%s\n", cases[i].line);
        assert_example(t, F, text, cases[i].expected);
        snprintf(text, sizeof text, "%s\n%s", cases[i].line, room);
        assert_example(t, F, text, cases[i].expected);
        for (size_t k = 0; k < t->batch.n_names; k++) {
            const thr_name *name = &t->batch.name[k];
            assert_int_equal(name->hash, thr_hash(name->p, name->n, t->batch.hash_seed));
        }
    }
    char text[512];
    snprintf(text, sizeof text, "1 1:1\n1 16777216:1 4294967296:x 1:1\n%s", room);
    parse_string(t, F, text);
    assert_int_equal(t->batch.n, 1);
    assert_int_equal(t->batch.n_problems, 1);
    assert_int_equal(t->batch.problem[0].line, 1);
    assert_int_equal(t->batch.problem[0].column, 25);
    snprintf(text, sizeof text, "1 16777216:1 18446744073709551616:1 1:1\n%s", room);
    assert_problem(t, F, text, 1, 14, "too large");
}

static void labels_are_numbers(void **state)
{
    parsed *t = *state;
    parse_string(t, F, "+1 1:1\n1 1:1\n1.0 1:1\n-0 1:1\n0 1:1\n1e1\n");
    assert_int_equal(t->batch.n_problems, 0);
    assert_int_equal(t->batch.n, 6);
    const char *expected[] = {"1 1", "1 1", "1 1", "0 1", "0 1", "10"};
    for (size_t e = 0; e < 6; e++)
        assert_string_equal(shown(t, e), expected[e]);
    assert_true(t->batch.about[5].target == 10);
    assert_problem(t, F, "abc 1:1\n", 1, 1, "label \"abc\" is not a number");
    assert_problem(t, F, "  nan 1:1\n", 1, 3, "label \"nan\"");
    assert_problem(t, F, "1e400 1:1\n", 1, 1, "label \"1e400\"");
    assert_problem(t, F, "1x 1:1\n", 1, 1, "label \"1x\" is not a number");
    assert_problem(t, F, "1,2 1:1\n", 1, 1, "several labels");
}

static void label_may_be_missing(void **state)
{
    parsed *t = *state;
    assert_example(t, F, "3:1 4:1\n", "- 3 4");
    assert_example(t, F, "qid:7 4:1\n", "- 4");
    t->settings.labelled = false;
    assert_example(t, F, "3:1 4:1\n", "- 3 4");
}

static void passes_over_qid_comments_and_blank_lines(void **state)
{
    parsed *t = *state;
    assert_example(t, F, "1 qid:3 1:1 # note 2:1\n", "1 1");
    assert_example(t, F, "1 1:1#note\n", "1 1");
    assert_example(t, F, "1# note\n", "1");
    assert_example(t, F, "# head\n\n   \n\t# more\n1\n\r\n", "1");
    assert_int_equal(t->batch.about[0].line, 4);
    assert_int_equal(t->batch.lines, 6);
}

static void tells_where_a_feature_is_wrong(void **state)
{
    parsed *t = *state;
    assert_problem(t, F, "1 -3:1\n", 1, 3, "negative");
    assert_problem(t, F, "1 18446744073709551616:1\n", 1, 3, "too large");
    assert_problem(t, F, "1 99999999999999999999999:1\n", 1, 3, "too large");
    assert_problem(t, F, "1 2:1 3\n", 1, 7, "has no value");
    assert_problem(t, F, "1 2:1 3:\n", 1, 9, "value missing");
    assert_problem(t, F, "1 3: 4:1\n", 1, 5, "value missing");
    assert_problem(t, F, "1 :4\n", 1, 3, "id missing");
    assert_problem(t, F, "1 3:nan\n", 1, 5, "value \"nan\"");
    assert_problem(t, F, "1 3:-Inf\n", 1, 5, "value \"-Inf\"");
    assert_problem(t, F, "1 3:1e400\n", 1, 5, "value \"1e400\"");
    assert_problem(t, F, "1 3:1e39\n", 1, 5, "value \"1e39\"");
    assert_problem(t, F, "1 3:1x\n", 1, 5, "value \"1x\" is not a number");
    assert_problem(t, F, "1 3:1:2\n", 1, 5, "value \"1:2\" is not a number");
    assert_problem(t, F, "1 a:1\n", 1, 3, "id \"a\" is not a whole number");
    assert_problem(t, F, "1 1.5:1\n", 1, 3, "id \"1.5\" is not a whole number");
    assert_problem(t, F, "1\n1 1:1 \x01\xff:2\n", 2, 7, "not a whole number");
}

static void writes_what_it_reads(void **state)
{
    parsed *t = *state;
    const char *text = "1 3:1 5:0.1\n-2.5 18446744073709551615:3.4028235e+38 7:1e-45\n0\n3:1\n";
    parse_string(t, F, text);
    char *once = written(t, F);
    assert_non_null(once);
    parse_string(t, F, once);
    assert_int_equal(t->batch.n_problems, 0);
    char *twice = written(t, F);
    assert_string_equal(once, twice);
    assert_int_equal(t->batch.n, 4);
    assert_true(thr_batch_value(&t->batch, 1) == 0.1f);
    assert_true(thr_batch_value(&t->batch, 2) == 3.4028235e+38f);
    assert_true(thr_batch_value(&t->batch, 3) == 1e-45f);
    assert_string_equal(shown(t, 3), "- 3");
    free(once);
    free(twice);
    assert_written(t, F, "4:0\n", F, "0:0\n");
    assert_example(t, F, "0:0\n", "-");
}

static void refuses_what_it_cannot_hold(void **state)
{
    parsed *t = *state;
    assert_refused(t, &thr_format_vw, "1 | word\n", F, "\"word\"");
    assert_refused(t, &thr_format_vw, "1 |ns 3\n", F, "\"ns\"");
    assert_refused(t, &thr_format_vw, "1 | 007\n", F, "\"007\"");
    assert_refused(t, &thr_format_vw, "1 | 18446744073709551616\n", F, "whole numbers");
    assert_refused(t, &thr_format_vw, "ham | 3\n", F, "\"ham\"");
    assert_refused(t, &thr_format_vw, "1 'x | 3\n", F, "tag");
    assert_refused(t, &thr_format_vw, "1 2 | 3\n", F, "importance");
    assert_refused(t, &thr_format_text, "1\tword\n", F, "running text");
    assert_refused(t, &thr_format_text, "1.0\t\n", F, "\"1.0\"");
    assert_written(t, &thr_format_vw, "1 | 3 18446744073709551615:2\n", F,
                   "1 3:1 18446744073709551615:2\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        parse_test(reads_examples),
        parse_test(ids_may_be_large),
        parse_test(labels_are_numbers),
        parse_test(label_may_be_missing),
        parse_test(passes_over_qid_comments_and_blank_lines),
        parse_test(tells_where_a_feature_is_wrong),
        parse_test(writes_what_it_reads),
        parse_test(refuses_what_it_cannot_hold),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
