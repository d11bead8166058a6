#include "parse_help.h"

#define F (&thr_format_csv)

/* Reads header and records; lines of problems count from the first record. Returns what the
 * header hook returned. */
static long read_csv(parsed *t, const char *text)
{
    size_t n = strlen(text);
    char *copy = malloc(n ? n : 1);
    assert_non_null(copy);
    memcpy(copy, text, n);
    void *header = NULL;
    t->err = (thr_error){0};
    long taken = F->header(&t->settings, copy, n, true, &header, &t->err);
    if (taken >= 0) {
        t->parser.header = header;
        parse_bytes(t, F, copy + taken, n - (size_t)taken);
        t->parser.header = NULL;
        F->header_free(header);
    }
    free(copy);
    return taken;
}

static void assert_rows(parsed *t, const char *text, size_t n, const char *const *expected)
{
    long taken = read_csv(t, text);
    if (taken < 0)
        print_error("%s\n", t->err.message);
    assert_true(taken > 0);
    if (t->batch.n_problems)
        print_error("%s\n", t->batch.problem[0].message);
    assert_int_equal(t->batch.n_problems, 0);
    assert_int_equal(t->batch.n, n);
    for (size_t e = 0; e < n; e++)
        assert_string_equal(shown(t, e), expected[e]);
}

static void assert_row(parsed *t, const char *text, const char *expected)
{
    assert_rows(t, text, 1, &expected);
}

static void assert_wrong(parsed *t, const char *text, unsigned line, unsigned column,
                         const char *part)
{
    assert_true(read_csv(t, text) > 0);
    assert_int_equal(t->batch.n_problems, 1);
    const thr_problem *problem = &t->batch.problem[0];
    if (!strstr(problem->message, part))
        print_error("%s\n", problem->message);
    assert_non_null(strstr(problem->message, part));
    assert_int_equal(problem->line + 1, line);
    assert_int_equal(problem->column, column);
}

/* Measurements are features of their own namespace, 0 among them; empty cells and ? are missing. */
static void reads_numbers(void **state)
{
    parsed *t = *state;
    t->settings.features.numbers = true;
    assert_row(t, "label,x,7,colour\n+1,0.5,2,red\n", "1 number|x=0.5 number|7=2 colour=red");
    assert_row(t, "label,x,z\nham,0,-0.0\n", "ham number|x=0 number|z=-0");
    assert_row(t, "label,x,z,colour\nham,?,,?\n", "ham");
    assert_row(t, "label,x\nham,??\n", "ham x=??");
    assert_true(thr_batch_is_number(&t->batch, 0) == false);
}

static void reads_features(void **state)
{
    parsed *t = *state;
    assert_row(t, "label,x,7,colour\n+1,0.5,2,red\n", "1 x=0.5 7=2 colour=red");
    assert_int_equal(t->batch.key[1], 7);
    assert_row(t, "x,Y\n 1 , ham \r\n", "ham x");
    assert_row(t, "x;class\r\n1;a,b", "a,b x");
    assert_row(t, "x\ttarget\tz\n0\tham\t\n", "ham");
    assert_row(t, "x,,label\n1,9,ham\n", "ham x"); /* a column without a name */
    assert_row(t, "\xef\xbb\xbflabel,x\nham,1\n", "ham x");
    assert_row(t, "label,x,x\nham,1,2\n", "ham x=3");
    assert_row(t, "label,x\nham,12 apples\n", "ham x=12 apples");
}

/* A usual number is read by words of eight bytes, except at the end of a block. */
static void reads_numbers_alike_wherever_they_stand(void **state)
{
    static const char *const cells[] = {
        "1",  "-0.5",   "0",     "-0", "0.25", "1e3",   "12.5x", " 2", "2 ",   "+3", ".5",
        "5.", "1e-400", "7E+02", "",   "?",    "\"8\"", "1 2",   "-",  "0x10", "00", "16777217"};
    parsed *t = *state;
    for (size_t i = 0; i < 2 * sizeof cells / sizeof *cells; i++) {
        char text[200], first[100];
        const char *cell = cells[i / 2], *line_end = i % 2 ? "\r\n" : "\n";
        snprintf(text, sizeof text, "label,x,y,z\nham,%s,1.5,%s%s", cell, cell, line_end);
        assert_true(read_csv(t, text) > 0 && t->batch.n == 1);
        snprintf(first, sizeof first, "%s", shown(t, 0));
        snprintf(text, sizeof text,
                 "label,x,y,z\nham,%s,1.5,%s%sa label with bytes behind it,1,2,3", cell, cell,
                 line_end);
        assert_true(read_csv(t, text) > 0 && t->batch.n == 2);
        assert_string_equal(shown(t, 0), first);
    }
}

/* What stands behind the last record keeps the first away from the end of the block. */
static void counts_fields_of_numbers(void **state)
{
    parsed *t = *state;
    assert_wrong(t, "label,x,y\n1,2,3,4\na label with bytes behind it,1,2\n", 1, 7, "too many");
    assert_wrong(t, "label,x,y\n1,2\na label with bytes behind it,1,2\n", 1, 4, "2 fields");
    const char *rows[] = {"1 x=2", "a label with bytes behind it x y=2"};
    assert_rows(t, "label,x,y\n1,2,\na label with bytes behind it,1,2\n", 2, rows);
    const char *summed[] = {"ham x=3.5", "a label with bytes behind it x=3"};
    assert_rows(t, "label,x,x\nham,1.5,2\na label with bytes behind it,1,2\n", 2, summed);
}

static void reads_quotes(void **state)
{
    parsed *t = *state;
    assert_row(t, "\"label\",\"a\"\"b\"\n\"x, y\",\"1\"\n", "x, y a\"b");
    assert_row(t, "label,text\nham,\"two\nlines, \"\"quoted\"\"\"\n",
               "ham [two\nlines, \"quoted\"]");
    assert_row(t, "label,text\nham,5\" disk\n", "ham [5\" disk]");
    assert_row(t, "label,text\nham,\" \"\n", "ham [ ]");
    assert_row(t, "label,text\n\"01\",x\n", "01 [x]"); /* in quotes: a name */
    assert_row(t, "label,text\n01,x\n", "1 [x]");
    assert_row(t, "label,text\n\"1\",x\n", "1 [x]");
    assert_true(t->batch.about[0].target == 1);
}

static void reads_special_columns(void **state)
{
    parsed *t = *state;
    const char *rows[] = {"a *2.5 'm1 [Some Text]", "b [x]"};
    assert_rows(t, "id,Text,weight,LABEL\nm1,Some Text,2.5,a\n\n,x,,b\n", 2, rows);
    assert_int_equal(t->batch.about[1].line, 2);
    assert_row(t, "label,tag,importance\na,q,0\n", "a *0 'q");
    t->settings.features.numbers = true;
    assert_row(t, "label,weight,importance\na,70,2\n", "a *2 number|weight=70");
    t->settings.features.numbers = false;
    assert_row(t, "label,y\na,2\n", "a y=2"); /* the better name is the label */
    choose(t, "label=3,text=1,id=2");
    assert_row(t, "a,b,c,text\nhello,m,ham,z\n", "ham 'm [hello] text=z");
    choose(t, "label=2");
    assert_row(t, "x,kind\n3,ham\n", "ham x=3");
}

static void makes_features_of_text(void **state)
{
    parsed *t = *state;
    t->settings.features.raw = false;
    assert_row(t, "label,text,n\nham,\"A \"\"b\"\" a\",3\n", "ham a \" b n=3");
}

static void without_labels(void **state)
{
    parsed *t = *state;
    t->settings.labelled = false;
    assert_row(t, "text\nhello\n", "- [hello]");
    assert_row(t, "a,b\n1,2\n", "- a b=2");
    assert_row(t, "label,b\n,2\n", "- b=2"); /* never a feature */
    assert_row(t, "label,b\nham,2\n", "- b=2");
}

static void refuses_headers(void **state)
{
    parsed *t = *state;
    assert_int_equal(read_csv(t, "a,b\n1,2\n"), THR_EDATA);
    assert_non_null(strstr(t->err.message, "no label column"));
    assert_non_null(strstr(t->err.message, "--columns label=1"));
    assert_int_equal(read_csv(t, ""), THR_EDATA);
    assert_int_equal(read_csv(t, "\nlabel,b\n"), THR_EDATA);
    assert_int_equal(read_csv(t, "label,\"b\n1,2\n"), THR_EDATA);
    assert_non_null(strstr(t->err.message, "not closed"));
    choose(t, "label=3");
    assert_int_equal(read_csv(t, "a,b\n1,2\n"), THR_EDATA);
    assert_non_null(strstr(t->err.message, "no column 3"));
}

static void waits_for_a_whole_header(void **state)
{
    parsed *t = *state;
    void *header = NULL;
    const char *text = "label,\"a\nb\"\n1,2\n";
    for (size_t n = 0; n < 12; n++)
        assert_int_equal(F->header(&t->settings, text, n, false, &header, &t->err), 0);
    assert_int_equal(F->header(&t->settings, text, 12, false, &header, &t->err), 12);
    F->header_free(header);
    F->header_free(NULL);
}

static void tells_where_it_is_wrong(void **state)
{
    parsed *t = *state;
    assert_wrong(t, "label,x,y\na,1,2\nb,1\n", 2, 4, "2 fields, but the header names 3");
    assert_wrong(t, "label,x\na,1,2\n", 1, 5, "too many fields");
    assert_wrong(t, "label,x\n,1\n", 1, 1, "label is empty");
    assert_wrong(t, "label,x\na,nan\n", 1, 3, "finite");
    assert_wrong(t, "label,x\na,-Inf\n", 1, 3, "\"x\"");
    assert_wrong(t, "label,x\na,1e400\n", 1, 3, "too large");
    assert_wrong(t, "label,x\nnan,1\n", 1, 1, "label");
    assert_wrong(t, "label,weight\na,-1\n", 1, 3, "negative");
    assert_wrong(t, "label,weight\na,heavy\n", 1, 3, "importance");
    assert_wrong(t, "label,x\na,\"1\n", 1, 3, "not closed");
    assert_wrong(t, "label,x\na,\"1\"2\n", 1, 6, "closing quote");
    assert_wrong(t, "label,x\na,b;\"c\nd,e\"\n", 1, 3, "line ends inside a field");
    assert_wrong(t, "label,text,x\na,\"two\nlines\",nan\n", 2, 8, "finite");
    t->settings.strict = true;
    assert_wrong(t, "label,text\na,\"q\"\"caf\xe9\"\n", 1, 10, "0xe9");
    parse_string(t, F, "a,b\n"); /* no header at all */
    assert_int_equal(t->batch.n_problems, 1);
}

static void cuts_at_whole_records(void **state)
{
    (void)state;
    const char *text = "a,b\n\"c\nd\",e\nf,\"g\nh";
    assert_int_equal(F->cut(text, strlen(text)), 12);
    assert_int_equal(F->cut(text, 11), 4);
    assert_int_equal(F->cut(text, 3), 0);
    assert_ptr_equal(F->record_end(text + 4, text + strlen(text)), text + 12);
    assert_ptr_equal(F->record_end(text + 12, text + strlen(text)), text + strlen(text));
    assert_int_equal(F->cut("a,\"b\"\"\n\"\n", 9), 9);
}

static int fit(const char *text, bool labelled)
{
    return F->probe(text, strlen(text), labelled);
}

static void probe_takes_tables_and_no_other_format(void **state)
{
    (void)state;
    assert_int_equal(fit("label,text\nham,hello\n", true), 60);
    assert_int_equal(fit("label\ttext\nham\thello you\n", true), 60);
    assert_int_equal(fit("x;y;\"Class\"\r\n1;2;a\r\n", true), 60);
    assert_int_equal(fit("\xef\xbb\xbftarget,petal length (cm)\n0,1.4\n", true), 60);
    assert_int_equal(fit("id,text\n1,a\n", false), 60);
    assert_int_equal(fit("id,text\n1,a\n", true), 0);
    assert_int_equal(fit("label\n", true), 0);
    assert_int_equal(fit("", true), 0);
    assert_int_equal(fit("y\tyes it is\nn\tno\n", true), 0);
    assert_int_equal(fit("y\tyes\nn\tno\ny\tsure\n", true), 0);
    assert_int_equal(fit("class, I said, is over\nand nobody came\n", true), 0);
    assert_int_equal(fit("1 |f label, a\n", true), 0);
    assert_int_equal(fit("1 1:1 2:1\n", true), 0);
    assert_int_equal(fit("{\"label\": 1, \"text\": \"a\"}\n", true), 0);
}

static void assert_round_trip(parsed *t, const char *text, const char *expected)
{
    assert_true(read_csv(t, text) > 0);
    assert_int_equal(t->batch.n_problems, 0);
    char *once = written(t, F);
    assert_non_null(once);
    assert_string_equal(once, expected);
    assert_true(read_csv(t, once) > 0);
    assert_int_equal(t->batch.n_problems, 0);
    char *twice = written(t, F);
    assert_non_null(twice);
    assert_string_equal(twice, once);
    free(once);
    free(twice);
}

static void writes_text(void **state)
{
    parsed *t = *state;
    assert_round_trip(t,
                      "label;text;id;weight\n1.0;plain;;\n\"01\";\"a, \"\"b\"\"\nc\";m 1;.5\n"
                      "x;\" pad\";\"q,r\";\n",
                      "label,text,id,importance\n1,plain,,\n\"01\",\"a, \"\"b\"\"\nc\",m 1,0.5\n"
                      "x,\" pad\",\"q,r\",\n");
    t->settings.labelled = false;
    assert_round_trip(t, "text\nhello\n", "label,text,id,importance\n,hello,,\n");
}

static void refuses_features(void **state)
{
    parsed *t = *state;
    assert_refused(t, &thr_format_svmlight, "1 3:1\n", F, "cannot hold features");
    assert_true(read_csv(t, "label,text,x\na,hello,1\n") > 0);
    assert_null(written(t, F));
    assert_non_null(strstr(t->err.message, "features"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        parse_test(reads_numbers),
        parse_test(reads_features),
        parse_test(reads_numbers_alike_wherever_they_stand),
        parse_test(counts_fields_of_numbers),
        parse_test(reads_quotes),
        parse_test(reads_special_columns),
        parse_test(makes_features_of_text),
        parse_test(without_labels),
        parse_test(refuses_headers),
        parse_test(waits_for_a_whole_header),
        parse_test(tells_where_it_is_wrong),
        parse_test(cuts_at_whole_records),
        parse_test(probe_takes_tables_and_no_other_format),
        parse_test(writes_text),
        parse_test(refuses_features),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
