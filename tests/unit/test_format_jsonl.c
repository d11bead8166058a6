#include "parse_help.h"

#define F (&thr_format_jsonl)

#if THR_HAVE_JANSSON

static void reads_labels(void **state)
{
    parsed *t = *state;
    assert_example(t, F, "{\"label\": \"ham\"}\n", "ham");
    assert_example(t, F, "{\"label\": 1.0}\n", "1");
    assert_true(t->batch.about[0].target == 1);
    assert_example(t, F, "{\"label\": \"1.0\"}\r\n", "1.0");
    assert_example(t, F, "\n  \n{\"label\": true}", "true");
    assert_int_equal(t->batch.about[0].line, 2);
    assert_example(t, F, "{\"label\": -3, \"other\": [{}, null], \"text\": null}", "-3");
    t->settings.labelled = false;
    assert_example(t, F, "{}", "-");
    assert_example(t, F, "{\"label\": null, \"text\": \"a\"}", "- [a]");
}

static void reads_the_rest(void **state)
{
    parsed *t = *state;
    assert_example(t, F, "{\"text\":\"a\\nb \\u00e9\",\"label\":\"x\",\"tag\":\"m\",\"weight\":2}",
                   "x *2 'm [a\nb \xc3\xa9]");
    assert_example(t, F, "{\"label\":1,\"id\":-17,\"importance\":0.5,\"tag\":null}", "1 *0.5 '-17");
    assert_example(t, F, "{\"label\":1,\"id\":\"\"}", "1");
}

static void reads_features(void **state)
{
    parsed *t = *state;
    assert_example(
        t, F,
        "{\"label\":1,\"features\":{\"b\":1.5,\"a\":true,\"7\":2,\"c\":\"x\",\"f\":false,"
        "\"n\":null,\"z\":0}}",
        "1 b=1.5 a 7=2 c=x");
    assert_int_equal(t->batch.key[2], 7);
    assert_example(
        t, F, "{\"label\":1,\"features\":{\"s\":{\"a\":2,\"c\":\"x\"},\"a\":1,\"\":{\"s\":3}}}",
        "1 s|a=2 s|c=x a s=3");
    assert_example(t, F, "{\"label\":1,\"features\":[\"a\",3,\"a\",16777216]}", "1 a=2 3 16777216");
    assert_example(t, F, "{\"label\":1,\"features\":{\"n\":[\"a\",3]}}", "1 n|a n|3");
}

static void reads_several_labels(void **state)
{
    parsed *t = *state;
    assert_example(t, F, "{\"labels\":[\"a\"]}\n", "a");
    assert_example(t, F, "{\"label\":\"a\",\"candidates\":[\"b\",1.0,true]}\n", "a {b,1,true}");
    t->settings.multilabel = true;
    assert_example(t, F, "{\"labels\":[\"a\",1.0,true],\"text\":\"x\"}\n", "a+1+true [x]");
    assert_example(t, F, "{\"labels\":[2],\"candidates\":[2,3],\"label\":\"b\"}\n", "2+b {2,3}");
    assert_written(t, F, "{\"label\":[1,2],\"candidates\":[\"q\"]}\n", F,
                   "{\"labels\": [\"1\", \"2\"], \"candidates\": [\"q\"]}\n");
}

static void tells_where_it_is_wrong(void **state)
{
    parsed *t = *state;
    assert_problem(t, F, "{\"label\":1}\n{\"label\":1,}\n{\"label\":2}\n", 2, 12, "not valid JSON");
    assert_int_equal(t->batch.n, 2);
    assert_problem(t, F, "{\"label\":NaN}\n", 1, 12, "not valid JSON");
    assert_problem(t, F, "{\"label\":1e400}\n", 1, 14, "overflow");
    assert_problem(t, F, "{\"label\":1,\"features\":{\"a\":1,\"a\":2}}\n", 1, 32, "duplicate");
    assert_problem(t, F, "[1]\n", 1, 1, "must be an object");
    assert_problem(t, F, "{\"text\":\"a\"}\n", 1, 1, "label is missing");
    assert_problem(t, F, "{\"label\":null}\n", 1, 1, "label is missing");
    assert_problem(t, F, "{ \"label\":[1,2]}\n", 1, 3, "several labels");
    assert_problem(t, F, "{ \"labels\":[1,2]}\n", 1, 3, "--multilabel");
    assert_problem(t, F, "{\"label\":1, \"labels\":[2]}\n", 1, 13, "several labels");
    assert_problem(t, F, "{ \"labels\":[]}\n", 1, 3, "empty");
    assert_problem(t, F, "{ \"labels\":1}\n", 1, 3, "must be an array");
    assert_problem(t, F, "{ \"labels\":[{}]}\n", 1, 3, "must be a string");
    assert_problem(t, F, "{\"label\":1, \"candidates\":2}\n", 1, 13, "must be an array");
    assert_problem(t, F, "{\"label\":1, \"candidates\":[\"\"]}\n", 1, 13, "empty");
    assert_problem(t, F, "{\"label\":{}}\n", 1, 2, "the label must be");
    assert_problem(t, F, "{\"label\":\"\"}\n", 1, 2, "empty");
    assert_problem(t, F, "{\"label\":\"a\\u0000b\"}\n", 1, 2, "NUL");
    assert_problem(t, F, "{\"label\":1,\"features\":{\"a\":\"x\\u0000y\"}}\n", 1, 24, "NUL");
    assert_problem(t, F, "{\"label\":1,\"features\":[\"x\\u0000y\"]}\n", 1, 12, "NUL");
    assert_problem(t, F, "{\"label\":1,\"text\":5}\n", 1, 12, "text must be");
    assert_problem(t, F, "{\"label\":1,\"tag\":1.5}\n", 1, 12, "tag must be");
    assert_problem(t, F, "{\"label\":1,\"weight\":-1}\n", 1, 12, "weight must be");
    assert_problem(t, F, "{\"label\":1,\"weight\":\"1\"}\n", 1, 12, "weight must be");
    assert_problem(t, F, "{\"label\":1,\"features\":3}\n", 1, 12, "object or an array");
    assert_problem(t, F, "{\"label\":1,\"features\":[-1]}\n", 1, 12, "integers from 0");
    assert_problem(t, F, "{\"label\":1,\"features\":{\"a\":1e39}}\n", 1, 24, "too large");
    assert_problem(t, F, "{\"label\":1,\"features\":{\"s\":{\"a\":{}}}}\n", 1, 29, "expected");
    assert_problem(t, F, "{\"label\":1} x\n", 1, 13, "not valid JSON");
}

static void bad_utf8_stops_only_when_strict(void **state)
{
    parsed *t = *state;
    const char *text = "{\"label\":\"\xe4\",\"text\":\"caf\xe9 \xff\x80\"}\n";
    assert_example(t, F, text, "\xe4 [caf\xe9 \xff\x80]");
    assert_int_equal(t->batch.bad_utf8, 3);
    t->settings.strict = true;
    assert_problem(t, F, text, 1, 11, "0xe4");
    t->settings.strict = false;
    const char *both = "{\"label\":\"\xe4\",\"text\":\"\xf4\x8f\xba\x80\"}\n";
    assert_problem(t, F, both, 1, 10, "not valid JSON");
}

static void writes_what_it_reads(void **state)
{
    parsed *t = *state;
    static const char *const lines[] = {
        "{\"label\": 1}\n",
        "{\"label\": \"1.0\", \"tag\": \"m\", \"importance\": 0.5, \"text\": "
        "\"a\\n\\\"\\\\\\u0001\\u0000 "
        "\xc3\xa9\"}\n",
        "{\"label\": 1, \"text\": \"\", \"features\": {\"a\": 1, \"7\": 0.1, \"s\": {\"b\": 2, "
        "\"c\": 1}}}\n",
        "{\"label\": 1, \"features\": {\"s\": {\"b\": 2}, \"a\": 1, \"r\": {\"b\": -3}}}\n",
        "{\"label\": 1, \"features\": [{\"s\": {\"b\": 2}}, {\"a\": 1, \"s\": 1}, {\"7\": "
        "{\"1\": 1}}]}\n",
        "{\"label\": \"caf\xe9\", \"text\": \"caf\xe9\"}\n",
        "{\"label\": \"x\", \"features\": {\"\": 5}}\n",
    };
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        assert_written(t, F, lines[i], F, lines[i]);
    t->settings.labelled = false;
    assert_written(t, F, "{}\n", F, "{}\n");
}

#else

static void says_that_it_cannot_read(void **state)
{
    assert_problem(*state, F, "{\"label\": 1}\n", 1, 1, "this build cannot read JSON");
}

#endif

/* Namespaces that come again make an array of objects, so that the order stays. */
static void keeps_the_order(void **state)
{
    parsed *t = *state;
    assert_written(t, &thr_format_vw, "1 |s a |r b:2 |s c | d\n", F,
                   "{\"label\": 1, \"features\": [{\"s\": {\"a\": 1}}, {\"r\": {\"b\": 2}}, "
                   "{\"s\": {\"c\": 1}}, {\"d\": 1}]}\n");
}

static void probe_takes_objects_and_nothing_else(void **state)
{
    (void)state;
    assert_true(F->probe("{\"label\": 1}\n", 13, true) >= 80);
    assert_true(F->probe("\n {}", 4, false) >= 80);
    assert_int_equal(F->probe("{ham\thello}", 11, true), 0);
    assert_int_equal(F->probe("1 {\"a\"", 6, true), 0);
    assert_int_equal(F->probe("{", 1, true), 0);
    assert_int_equal(F->probe("", 0, true), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#if THR_HAVE_JANSSON
        parse_test(reads_labels),
        parse_test(reads_the_rest),
        parse_test(reads_features),
        parse_test(reads_several_labels),
        parse_test(tells_where_it_is_wrong),
        parse_test(bad_utf8_stops_only_when_strict),
        parse_test(writes_what_it_reads),
#else
        parse_test(says_that_it_cannot_read),
#endif
        parse_test(keeps_the_order),
        parse_test(probe_takes_objects_and_nothing_else),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
