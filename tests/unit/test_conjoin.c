#include "features_help.h"

#include "example/conjoin.h"
#include "example/cross.h"

#include <float.h>

static void cross(making *t, const char *left, const char *right)
{
    thr_cross *c = &t->f.cross[t->f.n_crosses++];
    c->n = 2;
    snprintf(c->part[0].name, sizeof c->part[0].name, "%s", left);
    snprintf(c->part[1].name, sizeof c->part[1].name, "%s", right);
}

/* The part of the example behind what was put in. */
static const char *added(making *t, const char *before)
{
    const char *all = shown(t, t->batch.n - 1);
    assert_memory_equal(all, before, strlen(before));
    return all + strlen(before);
}

static void crosses_namespaces(void **state)
{
    making *t = *state;
    cross(t, "a", "b");
    cross(t, "a", "b"); /* named twice counts once */
    cross(t, "a", "none");
    thr_batch_open(&t->batch, 0);
    add_feature(t, "b", "p", 2);
    add_feature(t, "a", "2", 3);
    add_feature(t, "a", "x*\\", 1);
    add_feature(t, "", "q", 1);
    close_example(t);
    assert_string_equal(added(t, "[b|p]=2[a|2]=3[a|x*\\][q]"), "[a*b|2*p]=6[a*b|x\\*\\\\*p]=2");
}

static void crosses_with_itself(void **state)
{
    making *t = *state;
    cross(t, "", "");
    cross(t, "*", "");
    thr_batch_open(&t->batch, 0);
    add_feature(t, "", "c", 1);
    add_feature(t, "", "a", 1);
    add_feature(t, "", "b", 1);
    add_feature(t, "*", "s", 1);
    close_example(t);
    assert_string_equal(added(t, "[c][a][b][*|s]"),
                        "[*|a*b][*|a*c][*|b*c][\\**|s*a][\\**|s*b][\\**|s*c]");
}

static void conjunctions_multiply_values_and_escape_names(void **state)
{
    making *t = *state;
    t->f.conjoin = 3;
    thr_batch_open(&t->batch, 0);
    add_feature(t, "n", "c", 5);
    add_feature(t, "", "b&|\\", 3);
    add_feature(t, "", "10", 2);
    close_example(t);
    assert_string_equal(added(t, "[n|c]=5[b&|\\]=3[10]=2"),
                        "[&|10&b\\&\\|\\\\]=6[&|10&n|c]=10[&|b\\&\\|\\\\&n|c]=15"
                        "[&|10&b\\&\\|\\\\&n|c]=30");
    thr_batch_open(&t->batch, 1);
    add_feature(t, "", "a", 1);
    close_example(t);
    assert_string_equal(shown(t, 1), "[a]");
}

/* All choices are there, once each: 2^6 less the empty one and those of one, of six features. */
static void makes_every_choice(void **state)
{
    making *t = *state;
    t->f.conjoin = 9;
    thr_batch_open(&t->batch, 0);
    for (char c = 'a'; c <= 'f'; c++)
        add_feature(t, "", (char[]){c, '\0'}, 1);
    close_example(t);
    assert_int_equal(t->batch.n_features, 63);
    thr_merge merge = {0};
    thr_batch_merge(&t->batch, 0, &merge, false);
    thr_merge_clear(&merge);
    assert_int_equal(t->batch.n_features, 63);
}

static void order_does_not_matter(void **state)
{
    making *t = *state;
    static const char *const names[2][3] = {{"x", "9", "y"}, {"9", "y", "x"}};
    t->f.conjoin = 3;
    char first[256];
    for (uint32_t e = 0; e < 2; e++) {
        thr_batch_open(&t->batch, e);
        for (size_t i = 0; i < 3; i++)
            add_feature(t, "", names[e][i], 1);
        close_example(t);
        if (e == 0)
            snprintf(first, sizeof first, "%s", added(t, "[x][9][y]"));
    }
    assert_string_equal(added(t, "[9][y][x]"), first);
}

static void products_stay_finite(void **state)
{
    making *t = *state;
    t->f.conjoin = 2;
    thr_batch_open(&t->batch, 0);
    add_feature(t, "", "a", 1e30f);
    add_feature(t, "", "b", -1e30f);
    add_feature(t, "", "c", 1e-30f);
    add_feature(t, "", "d", 1e-30f); /* c&d vanishes */
    close_example(t);
    assert_int_equal(t->batch.n_features, 4 + 5);
    assert_true(t->batch.value[4] == -FLT_MAX);
}

/* A feature of the input under a name made here is the same feature. */
static void clashing_names_are_summed(void **state)
{
    making *t = *state;
    cross(t, "a", "b");
    thr_batch_open(&t->batch, 0);
    add_feature(t, "a", "x", 2);
    add_feature(t, "b", "y", 3);
    add_feature(t, "a*b", "x*y", 1);
    close_example(t);
    assert_string_equal(shown(t, 0), "[a|x]=2[b|y]=3[a*b|x*y]=7");
}

static void fill(making *t, uint32_t line, unsigned n)
{
    thr_batch_open(&t->batch, line);
    for (unsigned i = 0; i < n; i++)
        thr_batch_integer(&t->batch, 0, i, 1);
    thr_features_finish(&t->f, &t->scratch, &t->batch);
}

static void refuses_too_many(void **state)
{
    making *t = *state;
    t->f.conjoin = 2;
    fill(t, 3, 2897); /* C(2897,2) = 4194856 */
    assert_int_equal(t->batch.n, 0);
    assert_int_equal(t->batch.n_features, 0);
    assert_int_equal(t->batch.n_problems, 1);
    assert_int_equal(t->batch.problem[0].line, 3);
    assert_non_null(strstr(t->batch.problem[0].message,
                           "2897 features would make 4194856 conjunctions: more than"));
    t->f.conjoin = 1000;
    fill(t, 4, 2000);
    assert_int_equal(t->batch.n, 0);
    assert_non_null(strstr(t->batch.problem[1].message, "over 18446744073709551615"));
    t->f.conjoin = 2;
    fill(t, 5, 300);
    assert_int_equal(t->batch.n, 1);
    assert_int_equal(t->batch.n_features, 300 + 300 * 299 / 2);
}

static void refuses_too_many_crosses(void **state)
{
    making *t = *state;
    cross(t, "", "n");
    thr_batch_open(&t->batch, 0);
    uint32_t ns = thr_batch_namespace(&t->batch, thr_str_of("n"));
    for (unsigned i = 0; i < 2049; i++) {
        thr_batch_integer(&t->batch, 0, i, 1);
        thr_batch_integer(&t->batch, ns, i, 1);
    }
    thr_features_finish(&t->f, &t->scratch, &t->batch);
    assert_int_equal(t->batch.n, 0);
    assert_int_equal(t->batch.n_problems, 1);
}

/* Reads the setting, crosses one example of the namespaces (empty), hour, item, user and returns
 * what is added to it. */
static const char *crossed(making *t, const char *setting)
{
    thr_error err;
    thr_batch_reset(&t->batch);
    if (thr_crosses_parse(setting, false, &t->f, &err))
        fail_msg("%s", err.message);
    thr_batch_open(&t->batch, 0);
    add_feature(t, "user", "u1", 2);
    add_feature(t, "item", "i1", 3);
    add_feature(t, "hour", "h1", 1);
    add_feature(t, "hour", "h2", 5);
    add_feature(t, "", "q", 1);
    close_example(t);
    return added(t, "[user|u1]=2[item|i1]=3[hour|h1][hour|h2]=5[q]");
}

static void crosses_by_name_or_letter(void **state)
{
    making *t = *state;
    assert_string_equal(crossed(t, "user*item"), "[user*item|u1*i1]=6");
    assert_string_equal(crossed(t, "u*i"), "[user*item|u1*i1]=6");
    assert_string_equal(crossed(t, "ui"), "[user*item|u1*i1]=6");
    assert_string_equal(crossed(t, "i*user"), "[item*user|i1*u1]=6");
    assert_string_equal(crossed(t, "u*i,user*item,ui"), "[user*item|u1*i1]=6");
    assert_string_equal(crossed(t, "us*it"), "");
    assert_string_equal(crossed(t, "*u"), "[*user|q*u1]=2");
    assert_string_equal(crossed(t, "u*"), "[user*|u1*q]=2");
    assert_int_equal(t->batch.crossed, 1);
    assert_string_equal(crossed(t, "x*u,u*i"), "[user*item|u1*i1]=6");
    assert_int_equal(t->batch.crossed, 2);
}

static void crosses_any_number(void **state)
{
    making *t = *state;
    assert_string_equal(crossed(t, "user*item*hour"),
                        "[user*item*hour|u1*i1*h1]=6[user*item*hour|u1*i1*h2]=30");
    assert_string_equal(crossed(t, "uih"),
                        "[user*item*hour|u1*i1*h1]=6[user*item*hour|u1*i1*h2]=30");
    assert_string_equal(crossed(t, "h*u*h"), "[hour*user*hour|h1*u1*h2]=10");
    assert_string_equal(crossed(t, "h*h*h"), "");
    assert_string_equal(crossed(t, "u**i"), "[user**item|u1*q*i1]=6");
    assert_string_equal(crossed(t, "uhi*"), "");
    assert_string_equal(crossed(t, "u*h*i*"), "[user*hour*item*|u1*h1*i1*q]=6"
                                              "[user*hour*item*|u1*h2*i1*q]=30");
}

static void a_star_is_every_namespace(void **state)
{
    making *t = *state;
    assert_string_equal(crossed(t, "u**"), "[user*|u1*q]=2[user*hour|u1*h1]=2[user*hour|u1*h2]=10"
                                           "[user*item|u1*i1]=6");
    assert_string_equal(crossed(t, "***"),
                        "[*hour|q*h1][*hour|q*h2]=5[*item|q*i1]=3[*user|q*u1]=2"
                        "[hour*hour|h1*h2]=5[hour*item|h1*i1]=3[hour*item|h2*i1]=15"
                        "[hour*user|h1*u1]=2[hour*user|h2*u1]=10[item*user|i1*u1]=6");
    /* all sets of three of the five features */
    crossed(t, "*****");
    assert_int_equal(t->batch.n_features, 5 + 10);
    /* two letters that stand for the same namespaces give each pair once */
    thr_batch_reset(&t->batch);
    assert_int_equal(thr_crosses_parse("ab*a", false, &t->f, NULL), 0);
    assert_int_equal(thr_crosses_parse("a*a", false, &t->f, NULL), 0);
    thr_batch_open(&t->batch, 0);
    add_feature(t, "aa", "x", 1);
    add_feature(t, "ab", "y", 1);
    close_example(t);
    assert_string_equal(added(t, "[aa|x][ab|y]"), "[aa*ab|x*y]");
}

/* Data that has namespaces of one letter is crossed as it was before letters were first letters. */
static void a_namespace_of_that_name_comes_first(void **state)
{
    making *t = *state;
    assert_int_equal(thr_crosses_parse("a*b", false, &t->f, NULL), 0);
    thr_batch_open(&t->batch, 0);
    add_feature(t, "a", "x", 1);
    add_feature(t, "b", "y", 1);
    add_feature(t, "about", "z", 1);
    close_example(t);
    assert_string_equal(added(t, "[a|x][b|y][about|z]"), "[a*b|x*y]");
}

static void refuses_bad_crosses(void **state)
{
    making *t = *state;
    static const char *const bad[] = {"u",
                                      "user*item,x",
                                      ",u*i",
                                      "a*b,,c*d",
                                      "1*2*3*4*5*6*7*8*9*a*b*c*d*e*f*g*h",
                                      "a*a-namespace-with-more-than-31-bytes"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        thr_error err;
        assert_int_equal(thr_crosses_parse(bad[i], false, &t->f, &err), THR_EUSE);
        assert_memory_equal(err.message, "cross: ", 7);
    }
    assert_int_equal(thr_crosses_parse("a*b*c", true, &t->f, NULL), 0);
    assert_int_equal(t->f.cross[0].n, 2);
    assert_string_equal(t->f.cross[0].part[1].name, "b*c");
}

/* Sixteen stars over 40 namespaces are more combinations than can be counted; counting ends. */
static void refuses_too_many_combinations(void **state)
{
    making *t = *state;
    char names[40][8]; /* borrowed by the batch */
    assert_int_equal(thr_crosses_parse("*******************************", false, &t->f, NULL), 0);
    assert_int_equal(t->f.cross[0].n, 16);
    for (uint32_t e = 0; e < 2; e++) {
        thr_batch_open(&t->batch, e);
        for (unsigned i = 0; i < 40; i++) {
            snprintf(names[i], sizeof names[i], "n%u", i);
            uint32_t ns = thr_batch_namespace(&t->batch, thr_str_of(names[i]));
            thr_batch_integer(&t->batch, ns, 1, 1);
        }
        thr_features_finish(&t->f, &t->scratch, &t->batch);
        assert_int_equal(thr_crosses_parse("*****************************x", false, &t->f, NULL),
                         0);
    }
    assert_int_equal(t->batch.n, 1); /* x is not there: nothing is added */
    assert_int_equal(t->batch.n_problems, 1);
    assert_non_null(strstr(t->batch.problem[0].message, "would make at least"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        making_test(crosses_namespaces),
        making_test(crosses_with_itself),
        making_test(conjunctions_multiply_values_and_escape_names),
        making_test(makes_every_choice),
        making_test(order_does_not_matter),
        making_test(products_stay_finite),
        making_test(clashing_names_are_summed),
        making_test(refuses_too_many),
        making_test(refuses_too_many_crosses),
        making_test(crosses_by_name_or_letter),
        making_test(crosses_any_number),
        making_test(a_star_is_every_namespace),
        making_test(a_namespace_of_that_name_comes_first),
        making_test(refuses_bad_crosses),
        making_test(refuses_too_many_combinations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
