/* Experts: rounds worked out by hand, ties, silence, refusals; tables as people write them, and
 * where a message points when they are wrong. */
#include "thresh_theory.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void near(double a, double b)
{
    if (!(fabs(a - b) <= 1e-9 * (1 + fabs(b))))
        fail_msg("%.17g is not %.17g", a, b);
}

static thr_experts *start(size_t n, const char *loss, const char *algorithms)
{
    thr_error err = {0};
    thr_experts_options o;
    thr_experts_defaults(&o);
    o.loss = loss;
    o.algorithms = algorithms;
    thr_experts *e = thr_experts_new(n, NULL, &o, &err);
    if (!e)
        fail_msg("%s", err.message);
    return e;
}

/* Answers of the first row to what three experts say, then the truth. */
static size_t round_of_three(thr_experts *e, const char *a, const char *b, const char *c,
                             const char *truth)
{
    const char *says[3] = {a, b, c};
    assert_int_equal(thr_experts_hear_labels(e, says, NULL), 0);
    size_t answer = thr_experts_answer(e, 0, NULL);
    assert_int_equal(thr_experts_learn_label(e, truth, NULL), 0);
    return answer;
}

static double loss_of(const thr_experts *e, size_t row)
{
    thr_experts_result r = {0};
    assert_true(thr_experts_result_at(e, row, &r));
    return r.loss;
}

/* ---- rounds ------------------------------------------------------------------------------- */

/* With beta 1/2: weights 1 1 1, then 1 1/2 1, then 1/2 1/4 1. */
static void test_by_hand(void **state)
{
    (void)state;
    thr_experts *e = start(3, NULL, "majority,hedge");
    double w[3];
    assert_int_equal(round_of_three(e, "up", "down", "up", "up"), 0);
    assert_int_equal(round_of_three(e, "up", "up", "down", "down"), 0); /* 1 + 1/2 against 1 */
    thr_experts_weights(e, 0, w);
    near(w[0], 2.0 / 7);
    near(w[1], 1.0 / 7);
    near(w[2], 4.0 / 7);
    near(loss_of(e, 0), 1);
    near(loss_of(e, 1), 1.0 / 3 + 1.5 / 2.5);
    thr_experts_entry x;
    thr_experts_expert(e, 2, &x);
    assert_string_equal(x.name, "3");
    near(x.loss, 0);
    assert_false(thr_experts_expert(e, 3, &x));
    assert_int_equal(thr_experts_rounds(e), 2);
    assert_int_equal(thr_experts_count(e), 3);
    thr_experts_free(e);
}

/* Equal weights: the label of the expert who stands first; also where the sums are equal but for
 * their rounding: e^-eta, so often that it is 1/3, three times, against 1. */
static void test_ties_go_to_the_first_expert_despite_rounding(void **state)
{
    (void)state;
    thr_experts *e = start(3, NULL, "majority");
    assert_int_equal(round_of_three(e, "x", "y", "z", "z"), 0);
    assert_int_equal(round_of_three(e, NULL, "y", "x", "q"), 2); /* the third is ahead now */
    thr_experts_free(e);

    static const char *const teach[2][4] = {{"z", "y", "y", "y"}, {"y", "y", "y", "z"}};
    static const char *const say[2][4] = {{"a", "b", "b", "b"}, {"b", "b", "b", "a"}};
    for (int order = 0; order < 2; order++)
        for (int rounds = 1; rounds < 100; rounds++) {
            thr_experts_options o;
            thr_experts_defaults(&o);
            o.algorithms = "majority";
            o.eta = log(3) / rounds;
            e = thr_experts_new(4, NULL, &o, NULL);
            for (int t = 0; t < rounds; t++) {
                thr_experts_hear_labels(e, teach[order], NULL);
                thr_experts_learn_label(e, "z", NULL);
            }
            thr_experts_hear_labels(e, say[order], NULL);
            assert_int_equal(thr_experts_answer(e, 0, NULL), 0);
            thr_experts_free(e);
        }
}

/* Hearing again, before the truth, replaces what was heard. */
static void test_heard_again(void **state)
{
    (void)state;
    thr_experts *e = start(2, NULL, "majority");
    const char *first[2] = {"b", "a"}, *second[2] = {"a", "c"};
    assert_int_equal(thr_experts_hear_labels(e, first, NULL), 0);
    assert_int_equal(thr_experts_hear_labels(e, second, NULL), 0);
    assert_int_equal(thr_experts_answer(e, 0, NULL), 0);
    assert_int_equal(thr_experts_learn_label(e, "a", NULL), 0);
    near(loss_of(e, 0), 0);
    thr_experts_free(e);
}

/* The silent have no say, and lose 1; if nobody speaks, everybody loses 1. */
static void test_silent_experts_have_no_say_and_lose_1(void **state)
{
    (void)state;
    thr_experts *e = start(3, NULL, NULL);
    assert_int_equal(round_of_three(e, NULL, "", "x", "x"), 2);
    near(loss_of(e, 0), 0); /* majority */
    near(loss_of(e, 1), 0); /* random, expected: only the third can be drawn */
    near(loss_of(e, 2), 0); /* random, drawn */
    assert_true(round_of_three(e, NULL, NULL, NULL, "x") == (size_t)-1);
    thr_experts_result r;
    for (size_t i = 0; thr_experts_result_at(e, i, &r); i++)
        near(r.loss, 1);
    thr_experts_entry x;
    thr_experts_expert(e, 0, &x);
    near(x.loss, 2);
    assert_int_equal(x.silent, 2);
    thr_experts_expert(e, 2, &x);
    near(x.loss, 1);
    assert_int_equal(x.silent, 1);
    thr_experts_free(e);
}

/* One who is far behind and the only one to speak has all the weight. */
static void test_far_behind(void **state)
{
    (void)state;
    thr_experts *e = start(3, NULL, NULL);
    for (int t = 0; t < 5000; t++)
        round_of_three(e, "x", "y", "y", "x");
    assert_int_equal(round_of_three(e, NULL, "y", NULL, "y"), 1);
    thr_experts_result r;
    for (size_t i = 0; thr_experts_result_at(e, i, &r); i++)
        assert_true(isfinite(r.loss));
    near(loss_of(e, 0), 1); /* the first round: two against one */
    thr_experts_free(e);
}

static void test_numbers_are_answered_by_the_weighted_mean(void **state)
{
    (void)state;
    thr_experts *e = start(3, "square", "hedge");
    double says[3] = {0.2, NAN, 0.8}, mean, w[3];
    assert_int_equal(thr_experts_hear_numbers(e, says, NULL), 0);
    assert_true(thr_experts_answer(e, 0, &mean) == (size_t)-1);
    near(mean, 0.5);
    assert_int_equal(thr_experts_learn_number(e, 1, NULL), 0);
    near(loss_of(e, 0), 0.25);              /* of the mean */
    near(loss_of(e, 1), (0.64 + 0.04) / 2); /* expected */
    thr_experts_weights(e, 0, w);           /* eta 1/2 */
    near(w[1] / w[2], exp(-0.5 * (1 - 0.04)));
    near(w[0] / w[2], exp(-0.5 * (0.64 - 0.04)));
    double nothing[3] = {NAN, NAN, NAN};
    assert_int_equal(thr_experts_hear_numbers(e, nothing, NULL), 0);
    thr_experts_answer(e, 0, &mean);
    assert_true(isnan(mean));
    assert_int_equal(thr_experts_learn_number(e, 1, NULL), 0);
    near(loss_of(e, 0), 1.25);
    thr_experts_free(e);
}

static void refused(int code, const thr_error *err, int want, const char *words)
{
    assert_int_equal(code, want);
    assert_int_equal(err->code, want);
    if (!strstr(err->message, words))
        fail_msg("\"%s\" does not say \"%s\"", err->message, words);
}

static void test_calls_out_of_order_or_out_of_range_are_refused(void **state)
{
    (void)state;
    thr_error err;
    const char *says[2] = {"a", "b"};
    double numbers[2] = {0.5, 1.5}, fine[2] = {0, 1};
    thr_experts *e = start(2, NULL, NULL);
    refused(thr_experts_learn_label(e, "a", &err), &err, THR_EUSE, "comes after");
    refused(thr_experts_hear_numbers(e, fine, &err), &err, THR_EUSE, "numbers");
    refused(thr_experts_learn_number(e, 1, &err), &err, THR_EUSE, "number");
    refused(thr_experts_learn_losses(e, fine, &err), &err, THR_EUSE, "losses");
    assert_int_equal(thr_experts_hear_labels(e, says, NULL), 0);
    refused(thr_experts_learn_label(e, "", &err), &err, THR_EDATA, "empty");
    assert_int_equal(thr_experts_learn_label(e, "a", &err), 0);
    refused(thr_experts_learn_label(e, "a", &err), &err, THR_EUSE, "comes after");
    assert_int_equal(thr_experts_rounds(e), 1);
    thr_experts_free(e);
    e = start(2, "absolute", NULL);
    refused(thr_experts_hear_labels(e, says, &err), &err, THR_EUSE, "labels");
    refused(thr_experts_hear_numbers(e, numbers, &err), &err, THR_EDATA, "1.5");
    assert_int_equal(thr_experts_hear_numbers(e, fine, &err), 0);
    refused(thr_experts_learn_number(e, NAN, &err), &err, THR_EDATA, "between 0 and 1");
    thr_experts_free(e);
    e = start(2, "given", NULL);
    refused(thr_experts_learn_losses(e, numbers, &err), &err, THR_EDATA, "1.5");
    thr_experts_free(e);
    thr_experts_free(NULL);
}

static void no_options(const char *words, size_t n, thr_experts_options o)
{
    thr_error err = {0};
    assert_null(thr_experts_new(n, NULL, &o, &err));
    refused(err.code, &err, THR_EUSE, words);
}

static void test_bad_options_are_refused_by_name(void **state)
{
    (void)state;
    no_options("experts", 0, (thr_experts_options){.share = 0.1});
    no_options("eta", 2, (thr_experts_options){.share = 0.1, .eta = -1});
    no_options("eta", 2, (thr_experts_options){.share = 0.1, .eta = NAN});
    no_options("eta", 2, (thr_experts_options){.share = 0.1, .eta = 1000});
    no_options("share", 2, (thr_experts_options){.share = -0.1});
    no_options("share", 2, (thr_experts_options){.share = 1});
    no_options("loss 'log'", 2, (thr_experts_options){.share = 0.1, .loss = "log"});
    no_options("'best'", 2, (thr_experts_options){.share = 0.1, .algorithms = "hedge,best"});
    no_options("'maj'", 2, (thr_experts_options){.share = 0.1, .algorithms = "maj"});
    no_options("''", 2, (thr_experts_options){.share = 0.1, .algorithms = ""});
    no_options("majority", 2,
               (thr_experts_options){.share = 0.1, .loss = "square", .algorithms = "majority"});
    no_options("100 switches", 2, (thr_experts_options){.share = 0.1, .switches = 101});
    no_options("memory", 1000, (thr_experts_options){.share = 0.1, .switches = 100});
    thr_experts *e = thr_experts_new(2, NULL, NULL, NULL);
    assert_non_null(e);
    thr_experts_result r;
    assert_false(thr_experts_result_at(e, 6, &r));
    assert_true(isinf(thr_experts_bound(e, 0, 4)));
    assert_true(isinf(thr_experts_bound(e, 6, 0)));
    assert_true(thr_experts_answer(e, 6, NULL) == (size_t)-1);
    thr_experts_free(e);
}

/* ---- tables ------------------------------------------------------------------------------- */

static thr_experts *read_tables(const char *const *text, size_t n, const char *loss,
                                thr_experts_columns c, thr_error *err)
{
    thr_experts_options o;
    thr_experts_defaults(&o);
    o.loss = loss;
    thr_input *in = thr_input_new();
    for (size_t i = 0; i < n; i++)
        assert_int_equal(thr_input_add_memory(in, text[i], strlen(text[i]), "t.csv", NULL), 0);
    thr_experts *e = thr_experts_read(in, &c, &o, NULL, NULL, err);
    thr_input_free(in);
    return e;
}

/* `want` lists rounds, then name=loss of each expert. */
static void reads(const char *text, const char *loss, thr_experts_columns c, const char *want)
{
    thr_error err = {0};
    char got[256];
    thr_experts_entry x;
    thr_experts *e = read_tables(&text, 1, loss, c, &err);
    if (!e)
        fail_msg("%s:%d:%d: %s", text, (int)err.line, (int)err.column, err.message);
    int at = snprintf(got, sizeof got, "%d", (int)thr_experts_rounds(e));
    for (size_t i = 0; thr_experts_expert(e, i, &x); i++)
        at += snprintf(got + at, sizeof got - (size_t)at, " %s=%g", x.name, x.loss);
    assert_string_equal(got, want);
    thr_experts_free(e);
}

#define COLUMNS(...) ((thr_experts_columns){__VA_ARGS__})

static void test_tables_of_every_csv_dialect_are_read(void **state)
{
    (void)state;
    thr_experts_columns any = {0};
    reads("a,b,t\nx,y,x\nx,y,y\n", NULL, any, "2 a=1 b=1");
    reads("a;b;t\r\nx;y;x\r\nx;x;y", NULL, any, "2 a=1 b=2");
    reads("a\tb\tt\nx\ty\tx\n\n\nx\ty\ty\n", NULL, any, "2 a=1 b=1");
    reads("\xef\xbb\xbf"
          "a,b,t\nx,y,x\n",
          NULL, any, "1 a=0 b=1");
    reads("\"a,1\",\"b\"\"\",t\n\"x\ny\",y,\"x\ny\"\n", NULL, any, "1 a,1=0 b\"=1");
    /* numbers as labels are the same whatever their spelling, in quotes they are words */
    reads("1,+1,\"01\",1.0\n0,-0,,0.0\n", NULL, any, "2 1=0 2=0 3=2");
    /* columns by name and by number, in the order asked for */
    reads("t,a,b\nx,y,x\n", NULL, COLUMNS(.truth = "t"), "1 a=1 b=0");
    reads("t,a,b\nx,y,x\n", NULL, COLUMNS(.truth = "1", .experts = "3,a"), "1 b=0 a=1");
    reads("1,2,t\nx,y,x\n", NULL, COLUMNS(.truth = "t", .experts = "2,1"), "1 2=1 1=0");
    reads("u,a,t\nq,y,y\n", NULL, COLUMNS(.experts = "a"), "1 a=0");
    /* numbers */
    reads("a,b,t\n0.5,1,0\n", "absolute", any, "1 a=0.5 b=1");
    reads("0.5,1,0\n.5,,1e-1\n", "square", any, "2 1=0.41 2=2");
    reads("a,b\n0.5,1\n,0.25\n", "given", any, "2 a=1.5 b=1.25");
    reads("0.5\n0.25\n", "given", any, "2 1=0.75");
}

/* Names or data? */
static void test_header_line_is_told_from_data(void **state)
{
    (void)state;
    thr_experts_columns any = {0}, yes = {.header = THR_HEADER_YES}, no = {.header = THR_HEADER_NO};
    reads("x,y,x\ny,y,x\n", NULL, any, "2 1=1 2=2"); /* a word twice */
    reads("x,y\ny,x\nx,x\n", NULL, any, "3 1=2");    /* comes back in its column */
    reads("x,y\ny,x\ny,x\n", NULL, any, "2 x=2");    /* does not */
    reads("x,,z\nx,y,z\n", NULL, any, "2 1=2 2=2");  /* a name is not empty */
    reads("1,2,3\n4,5,6\n", NULL, any, "2 1=2 2=2"); /* only numbers */
    reads("1,2,t\n4,5,6\n", NULL, any, "1 1=1 2=1"); /* for labels, one word is enough */
    reads("x,y\ny,x\ny,x\n", NULL, no, "3 1=3");
    reads("x,y\ny,x\nx,x\n", NULL, yes, "2 x=1");
    reads("x,x\nx,x\n", NULL, COLUMNS(.header = THR_HEADER_YES, .truth = "2"), "1 x=0");
    reads("x,y\ny,x\nx,x\n", NULL, COLUMNS(.truth = "y"), "2 x=1"); /* called by name */
    reads("x,y\ny,x\nx,x\n", NULL, COLUMNS(.experts = "x"), "2 x=1");
}

static void bad(const char *text, const char *loss, thr_experts_columns c, int line, int column,
                const char *words)
{
    thr_error err = {0};
    thr_experts *e = read_tables(&text, 1, loss, c, &err);
    if (e)
        fail_msg("read: %s", text);
    if (!strstr(err.message, words) || (int)err.line != line || (int)err.column != column)
        fail_msg("t.csv:%d:%d: %s", (int)err.line, (int)err.column, err.message);
    assert_string_equal(err.file, "t.csv");
}

static void test_bad_tables(void **state)
{
    (void)state;
    thr_experts_columns any = {0};
    bad("", NULL, any, 0, 0, "no round");
    bad("\n", NULL, any, 1, 0, "first line is empty");
    bad("a,b,t\n", NULL, any, 0, 0, "no round");
    bad("a,b,t\nx,y,\n", NULL, any, 2, 5, "the truth is empty");
    bad("a,b,t\nx,y,x\nx,y\n", NULL, any, 3, 4, "2 fields, but the first line has 3");
    bad("a,b,t\nx,y,x,y\n", NULL, any, 2, 7, "too many fields");
    bad("a,b,t\n\"x\ny\",z,\n", NULL, any, 3, 6, "the truth is empty");
    bad("a,b,t\nx,\"y,x\n", NULL, any, 2, 3, "not closed");
    bad("a,\"b,t\nx", NULL, any, 1, 0, "not closed");
    bad("a,b,t\nx,nan,x\n", NULL, any, 2, 3, "nan");
    bad("t\nx\n", NULL, any, 1, 0, "none for an expert");
    bad("a,b,t\n0.5,1,0\n0.5,x,1\n", "absolute", any, 3, 5, "\"x\" is not a number");
    bad("a,b,t\n0.5,1,0\n0.5,1.01,1\n", "absolute", any, 3, 5, "between 0 and 1");
    bad("a,b,t\n-0.5,1,0\n", "square", any, 2, 1, "between 0 and 1");
    bad("a,b,t\n0.5,1,2\n", "square", any, 2, 7, "between 0 and 1");
    bad("a,b\n0.5,2\n", "given", any, 2, 5, "between 0 and 1");
    bad("a,b,t\nx,y,x\n", NULL, COLUMNS(.truth = "z"), 1, 0, "no column \"z\"");
    bad("a,b,t\nx,y,x\n", NULL, COLUMNS(.truth = "4"), 1, 0, "no column \"4\"");
    bad("a,b,t\nx,y,x\n", NULL, COLUMNS(.truth = "0"), 1, 0, "no column \"0\"");
    bad("a,b,t\nx,y,x\n", NULL, COLUMNS(.experts = "a,,b"), 1, 0, "no column \"\"");
    bad("a,b,t\nx,y,x\n", NULL, COLUMNS(.experts = "a,1"), 1, 0, "already");
    bad("a,b,t\nx,y,x\n", NULL, COLUMNS(.experts = "a,t"), 1, 0, "the truth, not an expert");
    bad("a,a,t\nx,y,x\n", NULL, COLUMNS(.experts = "a"), 1, 0, "2 columns are called \"a\"");
    bad("1,0\n0,1\n", "given", COLUMNS(.truth = "1"), 1, 0, "no truth");
    thr_error err = {0};
    thr_experts_columns none = {0};
    assert_null(read_tables(NULL, 0, NULL, none, &err));
    assert_string_equal(err.file, "");
}

static void test_several_tables(void **state)
{
    (void)state;
    thr_error err = {0};
    static const char *const fine[] = {"a,b,t\nx,y,x\n", "a,b,t\nx,y,y\nx,y,z\n"};
    static const char *const names[] = {"a,b,t\nx,y,x\n", "a,c,t\nx,y,x\n"};
    static const char *const more[] = {"a,b,t\nx,y,x\n", "a,b,c,t\nx,y,x,x\n"};
    static const char *const less[] = {"a,b,t\nx,y,x\n", "a,t\nx,x\n"};
    static const char *const place[] = {"a,b,t\nx,y,x\n", "a,b,t\nx,y,y\nx,y,\n"};
    thr_experts_columns any = {0};
    thr_experts *e = read_tables(fine, 2, NULL, any, &err);
    assert_non_null(e);
    assert_int_equal(thr_experts_rounds(e), 3);
    thr_experts_free(e);
    assert_null(read_tables(names, 2, NULL, any, &err));
    assert_non_null(strstr(err.message, "here is \"c\""));
    assert_null(read_tables(more, 2, NULL, any, &err));
    assert_non_null(strstr(err.message, "here is \"c\""));
    assert_null(read_tables(less, 2, NULL, any, &err));
    assert_non_null(strstr(err.message, "there was \"b\""));
    assert_null(read_tables(place, 2, NULL, any, &err));
    assert_int_equal(err.line, 3);
    assert_int_equal(err.column, 5);
}

static int stop_at_2(void *user, const thr_experts *e)
{
    ++*(int *)user;
    return thr_experts_rounds(e) == 2 ? THR_ECANCEL : 0;
}

static void test_callback_can_stop_the_reading(void **state)
{
    (void)state;
    static const char text[] = "a,t\nx,x\nx,y\nx,y\n";
    int called = 0;
    thr_input *in = thr_input_new();
    thr_input_add_memory(in, text, strlen(text), "t", NULL);
    assert_null(thr_experts_read(in, NULL, NULL, stop_at_2, &called, NULL));
    assert_int_equal(called, 2);
    thr_input_free(in);
}

/* Names are told from data by the first 64 KiB, and records may be longer than any block. */
static void test_long_tables(void **state)
{
    (void)state;
    enum { ROUNDS = 40000, WIDE = 3 << 20 };
    char *text = malloc(WIDE + 100), *at = text;
    for (int i = 0; i < ROUNDS; i++)
        at += sprintf(at, i % 3 ? "x,x\n" : i ? "x,y\n" : "a,t\n");
    reads(text, NULL, COLUMNS(0), "39999 a=13333");
    sprintf(text, "a,t\n\"");
    memset(text + 5, 'q', WIDE);
    strcpy(text + 5 + WIDE, "\",y\nx,x\n");
    reads(text, NULL, COLUMNS(0), "2 a=1");
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_by_hand),
        cmocka_unit_test(test_ties_go_to_the_first_expert_despite_rounding),
        cmocka_unit_test(test_heard_again),
        cmocka_unit_test(test_silent_experts_have_no_say_and_lose_1),
        cmocka_unit_test(test_far_behind),
        cmocka_unit_test(test_numbers_are_answered_by_the_weighted_mean),
        cmocka_unit_test(test_calls_out_of_order_or_out_of_range_are_refused),
        cmocka_unit_test(test_bad_options_are_refused_by_name),
        cmocka_unit_test(test_tables_of_every_csv_dialect_are_read),
        cmocka_unit_test(test_header_line_is_told_from_data),
        cmocka_unit_test(test_bad_tables),
        cmocka_unit_test(test_several_tables),
        cmocka_unit_test(test_callback_can_stop_the_reading),
        cmocka_unit_test(test_long_tables),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
