#include "parse_help.h"

#define F (&thr_format_fasttext)

static void reads_label_and_text(void **state)
{
    parsed *t = *state;
    assert_example(t, F, "__label__ham Hello you\n", "ham [Hello you]");
    assert_example(t, F, "__label__ham\tHello  you \r\n", "ham [Hello  you ]");
    assert_example(t, F, "__label__ham", "ham []");
    assert_example(t, F, "  __label__1.0  x\n\n", "1.0 [ x]");
    assert_example(t, F, "__label__a x__label__b\n", "a [x__label__b]");
}

static void reads_several_labels(void **state)
{
    parsed *t = *state;
    t->settings.multilabel = true;
    assert_example(t, F, "__label__a __label__b Hello you\n", "a+b [Hello you]");
    assert_example(t, F, "__label__a \t__label__b  __label__c\n", "a+b+c []");
    assert_example(t, F, "__label__a  x\n", "a [ x]");
    assert_problem(t, F, "__label__a x __label__b\n", 1, 14, "must come first");
    assert_problem(t, F, "__label__a __label__ x\n", 1, 12, "empty label");
    assert_written(t, F, "__label__a  __label__b  x\n__label__c\n", F,
                   "__label__a __label__b  x\n__label__c\n");
    assert_written(t, F, "__label__a __label__b x\n", &thr_format_jsonl,
                   "{\"labels\": [\"a\", \"b\"], \"text\": \"x\"}\n");
    assert_refused(t, F, "__label__a __label__b\n", &thr_format_svmlight, "several labels");
    assert_refused(t, F, "__label__a __label__b x\n", &thr_format_text, "several labels");
    t->settings.labelled = false;
    assert_example(t, F, "__label__a __label__b Hello you\n", "- [Hello you]");
}

static void label_is_optional_without_labels(void **state)
{
    parsed *t = *state;
    t->settings.labelled = false;
    parse_string(t, F, " hello\n\n__label__a x\n");
    assert_int_equal(t->batch.n_problems, 0);
    assert_int_equal(t->batch.n, 3);
    assert_string_equal(shown(t, 0), "- [ hello]");
    assert_string_equal(shown(t, 1), "- []");
    assert_string_equal(shown(t, 2), "- [x]"); /* a label is passed over */
}

static void tells_where_it_is_wrong(void **state)
{
    parsed *t = *state;
    assert_problem(t, F, "__label__a __label__b x\n", 1, 12, "several labels");
    assert_problem(t, F, "__label__a x __label__b\n", 1, 14, "several labels");
    assert_problem(t, F, "x __label__b\n", 1, 3, "must come first");
    assert_problem(t, F, "\n hello\n", 2, 2, "no label");
    assert_problem(t, F, "__label__ x\n", 1, 1, "empty label");
    t->settings.strict = true;
    assert_problem(t, F, "__label__a x\xff\n", 1, 13, "0xff");
}

static void writes_what_it_reads(void **state)
{
    parsed *t = *state;
    assert_written(t, F, "__label__a\thello  you \n__label__b\n", F,
                   "__label__a hello  you \n__label__b\n");
    assert_written(t, &thr_format_text, "a\t b\n", F, "__label__a  b\n");
    assert_example(t, F, "__label__a  b\n", "a [ b]");
    t->settings.labelled = false;
    assert_written(t, F, " hello\n\n", F, " hello\n\n");
}

static void refuses_what_it_cannot_hold(void **state)
{
    parsed *t = *state;
    assert_refused(t, &thr_format_vw, "1 | a\n", F, "\"a\"");
    assert_refused(t, &thr_format_text, "New York\tx\n", F, "\"New York\"");
    assert_refused(t, &thr_format_text, "a\tx __label__b\n", F, "read a label");
    assert_refused(t, &thr_format_vw, "|\n1 |\n", F, "with and without a label");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        parse_test(reads_label_and_text),
        parse_test(reads_several_labels),
        parse_test(label_is_optional_without_labels),
        parse_test(tells_where_it_is_wrong),
        parse_test(writes_what_it_reads),
        parse_test(refuses_what_it_cannot_hold),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
