/* Columns of tokens: sentences, CoNLL-U, what is found out from the beginning of a file, and the
 * features and links that templates make. */
#include "parse_help.h"

#define F (&thr_format_conll)

/* The names of links are borrowed from the head, which lasts until the next one is read. */
static void forget_head(parsed *t)
{
    F->header_free((void *)t->parser.header);
    t->parser.header = NULL;
}

static int teardown_conll(void **state)
{
    forget_head(*state);
    return teardown_parsed(state);
}

/* Reads head and sentences. Returns what the header hook returned. */
static long read_conll(parsed *t, const char *text)
{
    size_t n = strlen(text);
    char *copy = malloc(n ? n : 1);
    assert_non_null(copy);
    memcpy(copy, text, n);
    void *header = NULL;
    forget_head(t);
    t->err = (thr_error){0};
    long taken = F->header(&t->settings, copy, n, true, &header, &t->err);
    assert_true(taken <= 0 && (taken < 0) == !header);
    t->parser.header = header;
    if (taken == 0)
        parse_bytes(t, F, copy, n);
    free(copy);
    return taken;
}

static void assert_tokens(parsed *t, const char *text, size_t n, const char *const *expected)
{
    if (read_conll(t, text))
        print_error("%s\n", t->err.message);
    assert_int_equal(t->err.code, 0);
    if (t->batch.n_problems)
        print_error("%s\n", t->batch.problem[0].message);
    assert_int_equal(t->batch.n_problems, 0);
    assert_int_equal(t->batch.n, n);
    for (size_t e = 0; e < n; e++)
        assert_string_equal(shown(t, e), expected[e]);
}

#define assert_all(t, text, expected)                                                              \
    assert_tokens(t, text, sizeof(expected) / sizeof *(expected), expected)

static void assert_wrong(parsed *t, const char *text, unsigned line, unsigned column,
                         const char *part)
{
    assert_int_equal(read_conll(t, text), 0);
    assert_int_equal(t->batch.n_problems, 1);
    const thr_problem *problem = &t->batch.problem[0];
    if (!strstr(problem->message, part))
        print_error("%s\n", problem->message);
    assert_non_null(strstr(problem->message, part));
    assert_int_equal(problem->line + 1, line);
    assert_int_equal(problem->column, column);
}

static void assert_no_head(parsed *t, const char *text, const char *part)
{
    assert_int_equal(read_conll(t, text), THR_EDATA);
    if (!strstr(t->err.message, part))
        print_error("%s\n", t->err.message);
    assert_non_null(strstr(t->err.message, part));
}

/* For each token a mark: `(` for the first of its sentence, `.` for others. */
static const char *joints(const parsed *t)
{
    static char marks[40];
    assert_true(t->batch.n < sizeof marks);
    for (size_t e = 0; e < t->batch.n; e++)
        marks[e] = t->batch.about[e].joins ? '.' : '(';
    marks[t->batch.n] = '\0';
    return marks;
}

/* `link, link; far link ...` of a token, and how many features are links with true tags. */
static const char *links(parsed *t, size_t e)
{
    const thr_example_info *a = &t->batch.about[e];
    t->shown.n = 0;
    for (size_t i = 0; i < a->links.n; i++) {
        thr_str name = t->batch.listed[a->links.from + i];
        const char *between = i == a->links.n - a->far ? "; " : i ? ", " : "";
        thr_bytes_printf(&t->shown, "%s%.*s", between, (int)name.n, name.p);
    }
    thr_bytes_printf(&t->shown, " (%u)", (unsigned)a->past);
    return t->shown.p;
}

/* ---- sentences ---------------------------------------------------------------------------- */

static void reads_sentences(void **state)
{
    static const char *const expected[] = {"A [Ann x A] U:Ann:x", "B [ran y B] U:ran:y",
                                           "A [So z A] U:So:z"};
    parsed *t = *state;
    t->settings.features.template = "U:%x[0,0]:%x[0,1]";
    assert_all(t, "Ann x A\nran y B\n\nSo z A\n", expected);
    assert_string_equal(joints(t), "(.(");
    assert_int_equal(t->batch.about[1].line, 1);
    assert_int_equal(t->batch.about[2].line, 3);
    assert_int_equal(t->batch.lines, 4);
    assert_all(t, "Ann x A\nran y B\n\nSo z A", expected);
    assert_all(t, "Ann x A\r\nran y B\r\n\r\nSo z A\r\n\r\n", expected);
}

static void blanks_and_tabs_separate_columns(void **state)
{
    static const char *const blanks[] = {"A [ Ann \t x  A ] U:Ann:x", "B [ran\ty B] U:ran:y"};
    static const char *const tabs[] = {"A b [An n\tx\tA b] U:An n:x", "B [ran\ty z\tB] U:ran:y z"};
    parsed *t = *state;
    t->settings.features.template = "U:%x[0,0]:%x[0,1]";
    assert_all(t, "Ann x A\n\nAnn x A\n",
               ((const char *const[]){"A [Ann x A] U:Ann:x", "A [Ann x A] U:Ann:x"}));
    assert_wrong(t, "a b A\n Ann \t x  A \nran\ty B C\n", 3, 10, "4 columns");
    assert_int_equal(read_conll(t, "q q q\n\n Ann \t x  A \nran\ty B\n"), 0);
    assert_string_equal(shown(t, 1), blanks[0]);
    assert_string_equal(shown(t, 2), blanks[1]);
    assert_all(t, "An n\tx\tA b\nran\ty z\tB\n", tabs);
    assert_wrong(t, "An n\tx\tA\nran y\tB\n", 2, 8, "2 columns");
}

/* The text of a token has what goes before it, so that it can be written as it was read. */
static void many_blank_lines_are_one(void **state)
{
    static const char *const expected[] = {"A [\n \nAnn A] U:Ann", "B [\n\t\nran B] U:ran"};
    parsed *t = *state;
    t->settings.features.template = "U:%x[0,0]";
    assert_all(t, "\n \nAnn A\n\n\n\t\nran B\n\n\n", expected);
    assert_string_equal(joints(t), "((");
    assert_int_equal(t->batch.about[0].line, 2);
    assert_int_equal(t->batch.about[1].line, 6);
    char *out = written(t, F);
    assert_string_equal(out, "\n \nAnn A\n\n\n\t\nran B\n\n");
    free(out);
}

static void cuts_between_sentences(void **state)
{
    (void)state;
    const char *text = "a A\nb B\n \nc C\n\n\nd D\n";
    size_t n = strlen(text);
    assert_int_equal(F->cut(text, n), 16);
    assert_int_equal(F->cut(text, 15), 15);
    assert_int_equal(F->cut(text, 14), 10);
    assert_int_equal(F->cut(text, 9), 0);
    assert_int_equal(F->cut("\n", 1), 1);
    assert_int_equal(F->cut("a", 1), 0);
    assert_ptr_equal(F->record_end(text, text + n), text + 10);
    assert_ptr_equal(F->record_end(text + 10, text + n), text + 15);
    assert_ptr_equal(F->record_end(text + 15, text + n), text + n);
}

static void waits_for_enough_of_a_file(void **state)
{
    parsed *t = *state;
    void *header = NULL;
    assert_int_equal(F->header(&t->settings, "a b\n", 4, false, &header, &t->err), 0);
    assert_null(header);
    assert_int_equal(F->header(&t->settings, "a b\n", 4, true, &header, &t->err), 0);
    assert_non_null(header);
    F->header_free(header);
    F->header_free(NULL);
    forget_head(t);
    parse_string(t, F, "a b\n");
    assert_int_equal(t->batch.n_problems, 1);
}

/* ---- CoNLL-U ------------------------------------------------------------------------------ */

#define REST "\t_\t_\t_\t_\t_\t_\n"

static void reads_conll_u(void **state)
{
    static const char *const expected[] = {
        "PRON [# sent_id = 1\n# text = I can't\n1\tI\tI\tPRON\t_\t_\t_\t_\t_\t_] U:I",
        "AUX [2-3\tcan't\t_\t_\t_\t_\t_\t_\t_\t_\n2\tca\tcan\tAUX\t_\t_\t_\t_\t_\t_] U:ca",
        "PART '3.1\tgo\t_\t_\t_\t_\t_\t_\t_\t_ [3\tn't\tnot\tPART\t_\t_\t_\t_\t_\t_] U:n't",
        "VERB [# 2\n1\tGo\tgo\tVERB\t_\t_\t_\t_\t_\t_] U:Go"};
    parsed *t = *state;
    t->settings.features.template = "U:%x[0,1]";
    assert_all(t,
               "# sent_id = 1\n# text = I can't\n1\tI\tI\tPRON" REST "2-3\tcan't\t_\t_" REST
               "2\tca\tcan\tAUX" REST "3\tn't\tnot\tPART" REST "3.1\tgo\t_\t_" REST
               "\n# 2\n1\tGo\tgo\tVERB" REST "\n",
               expected);
    assert_string_equal(joints(t), "(..(");
    assert_int_equal(t->batch.about[0].line, 2);
    assert_int_equal(t->batch.about[1].line, 4);
    assert_wrong(t, "1\tI\tI\tPRON" REST "2\tgo\n", 2, 5, "2 columns");
    assert_wrong(t, "1\tI\tI\tPRON" REST "2\t\t_\t_" REST, 2, 3, "empty");
    choose(t, "label=5");
    t->settings.features.template = "U:%x[0,3]";
    assert_int_equal(read_conll(t, "1\tI\tI\tPRON\tPRP\t_\t_\t_\t_\t_\n"), 0);
    assert_string_equal(shown(t, 0), "PRP [1\tI\tI\tPRON\tPRP\t_\t_\t_\t_\t_] U:PRON");
}

/* Only where there are ten columns and tabs. */
static void comments_are_those_of_conll_u(void **state)
{
    parsed *t = *state;
    t->settings.features.template = "U:%x[0,0]";
    assert_all(t, "1-2 A\n\n# B\n", ((const char *const[]){"A [1-2 A] U:1-2", "B [# B] U:#"}));
    assert_all(t, "# A\n3.1 B\n", ((const char *const[]){"A [# A] U:#", "B [3.1 B] U:3.1"}));
    assert_all(t, "# A\n\n", ((const char *const[]){"A [# A] U:#"}));
    assert_wrong(t, "a b A\n\n# a comment here\n", 3, 17, "4 columns");
    assert_int_equal(read_conll(t, "# comments only\n\n1\tI\tI\tPRON" REST), 0);
    assert_int_equal(t->batch.n, 1);
}

/* ---- the head ----------------------------------------------------------------------------- */

static void the_tag_is_in_the_last_column_or_the_chosen_one(void **state)
{
    parsed *t = *state;
    t->settings.features.template = "U:%x[0,1]";
    assert_all(t, "a b c\n", ((const char *const[]){"c [a b c] U:b"}));
    choose(t, "label=1");
    assert_all(t, "a b c\n", ((const char *const[]){"a [a b c] U:b"}));
    choose(t, "label=2");
    assert_no_head(t, "a b c\n", "column 1, counted from 0, which has the tag");
    choose(t, "label=tag");
    assert_no_head(t, "a b c\n", "have no names");
}

static void a_file_may_lack_the_tags(void **state)
{
    parsed *t = *state;
    t->settings.features.template = "U:%x[0,1]";
    choose(t, "label=3");
    assert_no_head(t, "a b\n", "there are 2 columns, and the tag should be in column 3");
    t->settings.optional = true;
    assert_all(t, "a b\n", ((const char *const[]){"- [a b] U:b"}));
    assert_all(t, "a b c\n", ((const char *const[]){"c [a b c] U:b"}));
    t->settings.optional = false;
    t->settings.detect = true;
    assert_all(t, "a b\n", ((const char *const[]){"- [a b] U:b"}));
    t->settings.detect = t->settings.labelled = false;
    assert_all(t, "a b\n", ((const char *const[]){"- [a b] U:b"}));
    assert_all(t, "a b c\n", ((const char *const[]){"- [a b c] U:b"}));
    t->settings.features.chain = true;
    assert_all(t, "a b I-X\n", ((const char *const[]){"- [a b I-X] U:b"}));
}

static void refuses_heads(void **state)
{
    parsed *t = *state;
    t->settings.features.template = "U:%x[0,2]";
    assert_no_head(t, "a b\n", "uses column 2, counted from 0, and there are 2");
    t->settings.features.template = "U:%x[0,0]\nX";
    assert_no_head(t, "a b\n", "begins with U, B");
    assert_int_equal(t->err.line, 2);
    t->settings.features.template = NULL;
    assert_no_head(t, "\n \n\n", "only blank lines");
    thr_bytes long_line = {0};
    for (int i = 0; i < 1001; i++)
        thr_bytes_printf(&long_line, "x ");
    assert_no_head(t, long_line.p, "more than 1000 columns");
    long_line.n -= 2;
    long_line.p[long_line.n] = '\0';
    assert_int_equal(read_conll(t, long_line.p), 0);
    assert_int_equal(t->batch.n, 1);
    thr_bytes_clear(&long_line);
}

/* As much as is looked at in any case decides, however much there is: a pipe gives less at a time
 * than a file. */
static void the_scheme_does_not_depend_on_how_much_was_read(void **state)
{
    parsed *t = *state;
    thr_bytes text = {0};
    while (text.n < 65536)
        thr_bytes_printf(&text, "token I-X\nother O\n\n");
    thr_bytes_printf(&text, "token O\nother B-X\n\n");
    t->settings.features.template = "U:%x[0,0]";
    assert_int_equal(read_conll(t, text.p), 0);
    assert_int_equal(t->batch.n_problems, 0);
    thr_bytes_clear(&text);
}

static void default_templates_suit_the_columns(void **state)
{
    parsed *t = *state;
    assert_int_equal(read_conll(t, "Cat A\n"), 0);
    assert_non_null(strstr(shown(t, 0), "U02:cat"));
    assert_non_null(strstr(shown(t, 0), "U23:cat"));
    assert_int_equal(read_conll(t, "Cat NN A\n"), 0);
    assert_non_null(strstr(shown(t, 0), "U12:NN"));
    assert_int_equal(read_conll(t, "1\tCat\tcat\tNOUN" REST), 0);
    assert_non_null(strstr(shown(t, 0), "U02:cat"));
    assert_non_null(strstr(shown(t, 0), "U10:Xx"));
}

/* ---- problems ----------------------------------------------------------------------------- */

static void tells_where_it_is_wrong(void **state)
{
    parsed *t = *state;
    t->settings.features.template = "U:%x[0,0]";
    assert_wrong(t, "a b A\nc C\n", 2, 4, "2 columns, but the first line of the file has 3");
    assert_wrong(t, "a b A\n\nc d e C\n", 3, 8, "4 columns");
    assert_wrong(t, "a\tA\n\tB\n", 2, 1, "empty");
    assert_wrong(t, "a\tA\nb\t\n", 2, 3, "empty");
    assert_wrong(t, "a\tA\nb\tB\tC\n", 2, 6, "3 columns");
    assert_wrong(t, "a B-X\nb I-Y\n", 2, 3, "'I-Y' continues a chunk that has not begun");
    assert_wrong(t, "a B-X\n\nb O\nc I-X\n", 4, 3, "'I-X' continues");
    assert_wrong(t, "a S-X\nb B-X\n\n", 2, 3, "'B-X' leaves a chunk open");
    t->settings.features.scheme = THR_TAGS_BIO;
    assert_wrong(t, "a O\nb NN\n", 2, 3, "'NN' is neither O nor like B-NP");
    assert_wrong(t, "a B-X\nb E-X\n", 2, 3, "'E-X' begins with E-");
    t->settings.features.scheme = THR_TAGS_PLAIN;
    assert_int_equal(read_conll(t, "a I-X\nb E-Y\n"), 0);
    assert_int_equal(t->batch.n_problems, 0);
}

/* A sentence with a problem is left out as a whole, and reading goes on behind it. */
static void a_problem_costs_one_sentence(void **state)
{
    parsed *t = *state;
    t->settings.features.template = "U:%x[0,0]";
    assert_wrong(t, "a A\n\nb B\nc\nd D\n\ne E\nf F\n", 4, 2, "1 column,");
    assert_int_equal(t->batch.n, 3);
    assert_string_equal(joints(t), "((.");
    t->settings.on_error = THR_STOP;
    assert_wrong(t, "a A\n\nb B\nc\n\ne E\n", 4, 2, "1 column,");
    assert_int_equal(t->batch.n, 1);
}

static void sentences_have_a_limit(void **state)
{
    parsed *t = *state;
    thr_bytes text = {0};
    t->settings.features.template = "U:%x[0,0]";
    for (int i = 0; i < THR_MOST_TOKENS; i++)
        thr_bytes_printf(&text, "a A\n");
    assert_int_equal(read_conll(t, text.p), 0);
    assert_int_equal(t->batch.n, THR_MOST_TOKENS);
    thr_bytes_printf(&text, "a A\n");
    assert_wrong(t, text.p, THR_MOST_TOKENS + 1, 1, "more than 10000 tokens");
    assert_int_equal(t->batch.n, 0);
    thr_bytes_clear(&text);
}

/* ---- features and links ------------------------------------------------------------------- */

static void names_of_features(void **state)
{
    parsed *t = *state;
    t->settings.features.template =
        "U1:%x[-1,0]\nU2:%x[-2,0]\nU3:%x[1,0]\nU4:%x[2,0]\nU5:%X[0,0]\nU6:%s[0,0]\n"
        "U7:%t[0,0,\"\\d\"]\nU8:%m[0,0,\"\\d\"]\nU9:%p[0,0,2]\nU10:%E[0,0,5]\n"
        "U11:%x[@1,0]/%x[@-1,0]\nB";
    assert_all(t, "Ann1 A\nran B\n",
               ((const char *const[]){
                   "A [Ann1 A] U1:_B-1 U2:_B-2 U3:ran U4:_B+1 U5:ann1 U6:Xxd U7:true U8:1 U9:An "
                   "U10:_ U11:Ann1/ran",
                   "B [ran B] U1:Ann1 U2:_B-1 U3:_B+1 U4:_B+2 U5:ran U6:x U7:false U8: U9:ra "
                   "U10:_ U11:Ann1/ran"}));
}

static void names_of_links(void **state)
{
    static const char *const expected[] = {
        "A [a A] U:a",
        "B [b B] U:b after A|B after A|B1:b",
        "C [c C] U:c after B|B after B|B1:c after B|A T after B|A T1:b",
    };
    parsed *t = *state;
    t->settings.features.chain = t->settings.features.greedy = true;
    t->settings.features.template = "T\nB\nU:%x[0,0]\nB1:%x[0,0]\nT1:%x[-1,0]";
    assert_all(t, "a A\nb B\nc C\n\nd D\n",
               ((const char *const[]){expected[0], expected[1], expected[2], "D [d D] U:d"}));
    assert_string_equal(links(t, 0), " (0)");
    assert_string_equal(links(t, 1), "B, B1:b (2)");
    assert_string_equal(links(t, 2), "B, B1:c; T, T1:b (4)");
    assert_string_equal(links(t, 3), " (0)");
    t->settings.labelled = false;
    assert_int_equal(read_conll(t, "a A\nb B\nc C\n"), 0);
    assert_string_equal(shown(t, 2), "- [c C] U:c");
    assert_string_equal(links(t, 2), "B, B1:c; T, T1:b (0)");
}

/* Different patterns may make the same name, as the words on both sides do here. */
static void a_name_that_is_made_twice_counts_twice(void **state)
{
    parsed *t = *state;
    t->settings.features.template = "U:%x[-1,0]\nU:%x[1,0]\nU0:%x[0,0]\nU:a\nB:%x[-1,0]\nB:%x[1,0]";
    assert_all(t, "a A\nb B\na C\n",
               ((const char *const[]){"A [a A] U:_B-1 U:b U0:a U:a", "B [b B] U:a=3 U0:b",
                                      "C [a C] U:b U:_B+1 U0:a U:a"}));
    assert_true(t->batch.repeated == 0);
    t->settings.features.chain = true;
    assert_int_equal(read_conll(t, "a A\nb B\na C\n"), 0);
    assert_string_equal(shown(t, 1), "B [b B] U:a=3 U0:b after A|B:a");
    assert_string_equal(links(t, 1), "B:a, B:a (1)");
    assert_string_equal(shown(t, 2), "C [a C] U:b U:_B+1 U0:a U:a after B|B:b after B|B:_B+1");
    assert_string_equal(links(t, 2), "B:b, B:_B+1 (2)");
}

/* The labels of all tokens, with blanks between. */
static const char *tags(parsed *t, const char *text)
{
    assert_int_equal(read_conll(t, text), 0);
    assert_int_equal(t->batch.n_problems, 0);
    t->shown.n = 0;
    for (size_t e = 0; e < t->batch.n; e++)
        thr_bytes_printf(&t->shown, "%s%.*s", e ? " " : "", (int)t->batch.about[e].label.n,
                         t->batch.about[e].label.p);
    return t->shown.p;
}

static void chunks_are_learned_in_bioes(void **state)
{
    const char *bio = "a B-X\nb I-X\nc O\nd B-Y\n\ne B-X\n", *iob1 = "a I-X\nb I-X\nc B-X\nd O\n";
    parsed *t = *state;
    t->settings.features.template = "U:%x[0,0]\nB";
    assert_string_equal(tags(t, bio), "B-X I-X O B-Y B-X");
    assert_string_equal(tags(t, iob1), "I-X I-X B-X O");
    t->settings.features.chain = true;
    assert_string_equal(tags(t, bio), "B-X E-X O S-Y S-X");
    assert_string_equal(shown(t, 3), "S-Y [d B-Y] U:d after O|B");
    assert_string_equal(tags(t, iob1), "B-X E-X S-X O");
    assert_string_equal(shown(t, 1), "E-X [b I-X] U:b after B-X|B");
    assert_string_equal(tags(t, "a B-X\nb E-X\nc S-X\n"), "B-X E-X S-X");
    assert_string_equal(tags(t, "a NN\nb I-X\n"), "NN I-X");
    t->settings.features.scheme = THR_TAGS_PLAIN;
    assert_string_equal(tags(t, bio), "B-X I-X O B-Y B-X");
}

/* ---- writing ------------------------------------------------------------------------------ */

static void writes_what_it_read(void **state)
{
    parsed *t = *state;
    assert_int_equal(read_conll(t, "a  x A\nb\ty B\r\n\nc z C"), 0);
    char *out = written(t, F);
    assert_string_equal(out, "a  x A\nb\ty B\n\nc z C\n\n");
    free(out);
    t->settings.features.template = "U:%x[0,0]";
    assert_all(t, "a\tA\r\r\nb\tB\r\r\r\n",
               ((const char *const[]){"A [a\tA] U:a", "B [b\tB] U:b"}));
    assert_refused(t, &thr_format_text, "a\tsome text\n", F, "conll holds tokens");
}

#define conll_test(f) cmocka_unit_test_setup_teardown(f, setup_parsed, teardown_conll)

int main(void)
{
    const struct CMUnitTest tests[] = {
        conll_test(reads_sentences),
        conll_test(blanks_and_tabs_separate_columns),
        conll_test(many_blank_lines_are_one),
        conll_test(cuts_between_sentences),
        conll_test(waits_for_enough_of_a_file),
        conll_test(reads_conll_u),
        conll_test(comments_are_those_of_conll_u),
        conll_test(the_tag_is_in_the_last_column_or_the_chosen_one),
        conll_test(a_file_may_lack_the_tags),
        conll_test(refuses_heads),
        conll_test(the_scheme_does_not_depend_on_how_much_was_read),
        conll_test(default_templates_suit_the_columns),
        conll_test(tells_where_it_is_wrong),
        conll_test(a_problem_costs_one_sentence),
        conll_test(sentences_have_a_limit),
        conll_test(names_of_features),
        conll_test(names_of_links),
        conll_test(a_name_that_is_made_twice_counts_twice),
        conll_test(chunks_are_learned_in_bioes),
        conll_test(writes_what_it_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
