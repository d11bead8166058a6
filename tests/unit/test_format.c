/* Detection by content and the driver that all line formats share. */
#include "parse_help.h"

static void assert_detected(const char *text, bool labelled, const char *name)
{
    const thr_format *f = thr_format_detect(text, strlen(text), labelled, NULL);
    const char *found = f ? f->name : "none";
    if (strcmp(found, name) != 0)
        print_error("\"%s\" was taken for %s\n", text, found);
    assert_string_equal(found, name);
}

static void finds_formats_by_name(void **state)
{
    (void)state;
    for (size_t i = 0; thr_formats[i]; i++)
        assert_ptr_equal(thr_format_find(thr_formats[i]->name), thr_formats[i]);
    assert_ptr_equal(thr_format_find("svmlight"), &thr_format_svmlight);
    assert_null(thr_format_find("nothing"));
    assert_null(thr_format_find(""));
}

static void detects_labelled_files(void **state)
{
    (void)state;
    assert_detected("1 3:1\n", true, "svmlight");
    assert_detected("+1\n", true, "svmlight");
    assert_detected("# note\n-1 3:1 4:0.5 # x\n", true, "svmlight");
    assert_detected("1 qid:3 1:0.5\r\n", true, "svmlight");
    assert_detected("1\t3:1\t4:1\n", true, "svmlight");
    assert_detected("1 |f a:1\n", true, "vw");
    assert_detected("1 |f 3:1 4:1\n", true, "vw");
    assert_detected("1 2.0 'tag |f a b c\n\n-1 |f a\n", true, "vw");
    assert_detected("ham |f a b c\n", true, "vw");
    assert_detected("ham\thello 5:30\n", true, "text");
    assert_detected("1\thello 5:30\n", true, "text");
    assert_detected("1\t5:30 is the time\n", true, "text");
    assert_detected("ham\tm1\thello | there\n", true, "text");
    assert_detected("__label__ham hello\n", true, "fasttext");
    assert_detected("__label__ham\thello\n", true, "fasttext");
    assert_detected("7(1.5), 5, 10(0.6):\n", true, "snow");
    assert_detected("7, 5, 1, 13:\n", true, "snow");
    assert_detected("ham, word, other:\n", true, "snow");
}

static void detects_unlabelled_files(void **state)
{
    (void)state;
    assert_detected("3:1 4:1\n", false, "svmlight");
    assert_detected("3:1 4:1\n", true, "svmlight");
    assert_detected("|f a b\n", false, "vw");
    assert_detected("hello there\nhow are you?\n", false, "text");
    assert_detected("7, 5, 1, 13:\n", false, "snow");
}

static void detects_files_with_problems(void **state)
{
    (void)state;
    assert_detected("1 3:1\nbroken\n1 2:1\n", true, "svmlight");
    assert_detected("1 -3:1\n", true, "svmlight");
    assert_detected("1 3:nan\n", true, "svmlight");
    assert_detected("1 3:1e400\n", true, "svmlight");
    assert_detected("1 3:\n", true, "svmlight");
    assert_detected("1 3\n", true, "svmlight");
    assert_detected("1 99999999999999999999999:1\n", true, "svmlight");
    assert_detected("1,2 3:1\n", true, "svmlight");
    assert_detected("nan 3:1\n", true, "svmlight");
    assert_detected("1 |f a:x\n", true, "vw");
    assert_detected("ham\thello\nno tab\n", true, "text");
    assert_detected("7, 5(2), 6\n", true, "snow");
    assert_detected("7, 5; 1, 2:\n", true, "snow");
}

static void knows_when_nothing_fits(void **state)
{
    (void)state;
    assert_detected("", true, "none");
    assert_detected("\n \n", true, "none");
    assert_detected("plain words here\n", true, "none");
    const char garbage[] = "\x01\x80\x00\xff\x13\n\x00\x02";
    assert_null(thr_format_detect(garbage, sizeof garbage - 1, true, NULL));
    assert_null(thr_format_detect(garbage, sizeof garbage - 1, false, NULL));
}

static void prefers_what_fits_at_all(void **state)
{
    (void)state;
    const char *text = "1\t3:1 4:1\n";
    size_t n = strlen(text);
    assert_ptr_equal(thr_format_detect(text, n, true, &thr_format_text), &thr_format_text);
    assert_ptr_equal(thr_format_detect(text, n, true, NULL), &thr_format_svmlight);
    assert_ptr_equal(thr_format_detect(text, n, true, &thr_format_vw), &thr_format_svmlight);
}

static void last_newline_may_lack(void **state)
{
    parsed *t = *state;
    const char *ends[] = {"", "\n", "\r\n", "\r"};
    for (size_t i = 0; i < 4; i++) {
        char text[32];
        snprintf(text, sizeof text, "1 2:1\r\n0 3:1%s", ends[i]);
        parse_string(t, &thr_format_svmlight, text);
        assert_int_equal(t->batch.n_problems, 0);
        assert_int_equal(t->batch.n, 2);
        assert_int_equal(t->batch.lines, 2);
        assert_string_equal(shown(t, 1), "0 3");
        assert_int_equal(t->batch.about[1].line, 1);
    }
    parse_string(t, &thr_format_svmlight, "");
    assert_int_equal(t->batch.n, 0);
    assert_int_equal(t->batch.lines, 0);
}

static void nul_is_a_problem(void **state)
{
    parsed *t = *state;
    const char text[] = "1 2:1\n1 \0 3:1\n\0\0\n1 4:1\n";
    parse_bytes(t, &thr_format_svmlight, text, sizeof text - 1);
    assert_int_equal(t->batch.n, 2);
    assert_string_equal(shown(t, 1), "1 4");
    assert_int_equal(t->batch.n_problems, 2);
    assert_int_equal(t->batch.problem[0].line, 1);
    assert_int_equal(t->batch.problem[0].column, 3);
    assert_int_equal(t->batch.problem[1].line, 2);
    assert_int_equal(t->batch.problem[1].column, 1);
    assert_non_null(strstr(t->batch.problem[0].message, "NUL"));
}

static void problems_stop_or_are_skipped(void **state)
{
    parsed *t = *state;
    const char *text = "1 2:1\n1 x:1 3:1\n1 3:1\n1 3:\n1 4:1\n";
    parse_string(t, &thr_format_svmlight, text);
    assert_int_equal(t->batch.n, 3);
    assert_int_equal(t->batch.n_problems, 2);
    assert_int_equal(t->batch.problem[1].line, 3);
    assert_int_equal(t->batch.problem[1].column, 5);
    assert_string_equal(shown(t, 1), "1 3"); /* nothing of the bad line is left */
    t->settings.on_error = THR_SKIP;
    parse_string(t, &thr_format_svmlight, text);
    assert_int_equal(t->batch.n, 3);
    t->settings.on_error = THR_STOP;
    parse_string(t, &thr_format_svmlight, text);
    assert_int_equal(t->batch.n, 1);
    assert_int_equal(t->batch.n_problems, 1);
}

/* Records of two lines, to see how the driver counts. */
static const char *two_lines(const char *p, const char *limit)
{
    for (int lines = 0; p < limit; p++)
        if (*p == '\n' && ++lines == 2)
            return p + 1;
    return limit;
}

static int fail_at_x(thr_parser *p, const char *at, const char *end)
{
    const char *x = memchr(at, 'x', (size_t)(end - at));
    return x ? thr_parser_fail(p, x, "x") : 0;
}

static void records_may_span_lines(void **state)
{
    parsed *t = *state;
    const thr_format f = {.name = "pairs", .record_end = two_lines, .parse = fail_at_x};
    parse_string(t, &f, "a\nb\nc\n.x\nd\ne\nlast");
    assert_int_equal(t->batch.n, 3);
    assert_int_equal(t->batch.lines, 7);
    assert_int_equal(t->batch.about[1].line, 4);
    assert_int_equal(t->batch.about[2].line, 6);
    assert_int_equal(t->batch.n_problems, 1);
    assert_int_equal(t->batch.problem[0].line, 3);
    assert_int_equal(t->batch.problem[0].column, 2);
}

static int take_all(thr_parser *p, const char *at, const char *end)
{
    p->batch->lines = (uint32_t)(end - at);
    return 0;
}

static void blocks_may_be_parsed_whole(void **state)
{
    parsed *t = *state;
    const thr_format f = {.name = "whole", .parse_block = take_all};
    parse_bytes(t, &f, "\0\0\n\0", 4);
    assert_int_equal(t->batch.lines, 4);
    assert_int_equal(t->batch.n_problems, 0);
}

static void lines_go_on_over_blocks(void **state)
{
    parsed *t = *state;
    parse_string(t, &thr_format_svmlight, "1 1:1\n\n");
    const char *more = "1 x:1\n";
    thr_format_parse(&thr_format_svmlight, &t->parser, more, more + strlen(more));
    assert_int_equal(t->batch.n_problems, 1);
    assert_int_equal(t->batch.problem[0].line, 2);
    assert_int_equal(t->batch.lines, 3);
}

static void messages_are_fit_to_print(void **state)
{
    parsed *t = *state;
    char line[4096] = "1 ";
    memset(line + 2, 'a', 1000);
    line[3] = '\x1b';
    strcpy(line + 1002, ":1\n");
    parse_string(t, &thr_format_svmlight, line);
    assert_int_equal(t->batch.n_problems, 1);
    assert_true(strlen(t->batch.problem[0].message) < 120);
    assert_null(strchr(t->batch.problem[0].message, '\x1b'));
    assert_non_null(strstr(t->batch.problem[0].message, "..."));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_formats_by_name),    cmocka_unit_test(detects_labelled_files),
        cmocka_unit_test(detects_unlabelled_files), cmocka_unit_test(detects_files_with_problems),
        cmocka_unit_test(knows_when_nothing_fits),  cmocka_unit_test(prefers_what_fits_at_all),
        parse_test(last_newline_may_lack),          parse_test(nul_is_a_problem),
        parse_test(problems_stop_or_are_skipped),   parse_test(records_may_span_lines),
        parse_test(blocks_may_be_parsed_whole),     parse_test(lines_go_on_over_blocks),
        parse_test(messages_are_fit_to_print),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
