#include "features_help.h"

#include "base/error.h"
#include "example/negate.h"

/* The example `features`, each of one letter or digit, after the map of `list`. */
static const char *negated(making *t, const char *list, const char *features)
{
    assert_int_equal(thr_negate_set(&t->f, list, NULL), 0);
    thr_batch_reset(&t->batch);
    thr_batch_open(&t->batch, 0);
    for (const char *p = features; *p; p++)
        add_feature(t, "", (char[]){*p, 0}, 1);
    close_example(t);
    return shown(t, 0);
}

static void absent_variables_have_their_negation(void **state)
{
    making *t = *state;
    assert_string_equal(negated(t, "a,b,3", "b"), "[b][!|3][!|a]");
    assert_string_equal(negated(t, "a,b,3", "3ab"), "[3][a][b]");
    assert_string_equal(negated(t, "a,b,3", ""), "[!|3][!|a][!|b]");
    assert_string_equal(negated(t, "a", "xyz"), "[x][y][z][!|a]");
    assert_string_equal(negated(t, "", "xyz"), "[x][y][z]");
}

static void the_order_of_list_and_example_does_not_matter(void **state)
{
    making *t = *state;
    assert_string_equal(negated(t, "c,a,b,a", "b"), "[b][!|a][!|c]");
    assert_string_equal(negated(t, "b,c,a", "b"), "[b][!|a][!|c]");
    assert_string_equal(negated(t, "a,b,c,d", "db"), "[d][b][!|a][!|c]");
}

static void ranges_are_of_integers_only(void **state)
{
    making *t = *state;
    assert_string_equal(negated(t, "8-11", "9"), "[9][!|10][!|11][!|8]");
    assert_string_equal(negated(t, "5-5", ""), "[!|5]");
    assert_string_equal(negated(t, "18446744073709551614-18446744073709551615", ""),
                        "[!|18446744073709551614][!|18446744073709551615]");
    assert_string_equal(negated(t, "01-3,a-b,1-,\\-2,1\\-2", ""),
                        "[!|-2][!|01-3][!|1-][!|1-2][!|a-b]");
    assert_string_equal(negated(t, "n|1-2,n-1|3", ""), "[!|n|1][!|n|2][!|n-1|3]");
}

static void names_may_have_any_character(void **state)
{
    making *t = *state;
    assert_string_equal(negated(t, "x\\,y, new york,\\ z,\\\\", ""),
                        "[!| z][!|\\][!|new york][!|x,y]");
    assert_string_equal(negated(t, "n|a|b,n\\|a|b,c\\|d", ""), "[!|c|d][!|n|a|b][!|n\\|a|b]");
}

static void namespaces_tell_variables_apart(void **state)
{
    making *t = *state;
    assert_int_equal(thr_negate_set(&t->f, "s|a,a", NULL), 0);
    thr_batch_open(&t->batch, 0);
    add_feature(t, "s", "a", 1);
    close_example(t);
    assert_string_equal(shown(t, 0), "[s|a][!|a]");
    assert_true(t->batch.met_negated);
}

static void a_variable_with_value_0_is_absent(void **state)
{
    making *t = *state;
    assert_int_equal(thr_negate_set(&t->f, "number|a,number|b,number|c", NULL), 0);
    thr_batch_open(&t->batch, 0);
    add_feature(t, "number", "a", 0);
    add_feature(t, "number", "b", -1);
    close_example(t);
    assert_string_equal(shown(t, 0), "[number|a]=0[number|b]=-1[!|number|a][!|number|c]");
}

static void conjunctions_are_of_literals_too(void **state)
{
    making *t = *state;
    t->f.conjoin = 2;
    assert_string_equal(negated(t, "a,b", "a"), "[a][!|b][&|a&!|b]");
    assert_string_equal(negated(t, "a,b", "b"), "[b][!|a][&|b&!|a]");
}

/* Features that the data itself puts into the namespace are added up, as any that are repeated. */
static void names_made_here_may_be_in_the_data(void **state)
{
    making *t = *state;
    assert_int_equal(thr_negate_set(&t->f, "a", NULL), 0);
    thr_batch_open(&t->batch, 0);
    add_feature(t, "!", "a", 2);
    close_example(t);
    assert_string_equal(shown(t, 0), "[!|a]=3");
}

/* A scratch that serves two lists in turn, as one thread with two models has. */
static void lists_may_take_turns(void **state)
{
    making *t = *state;
    for (int i = 0; i < 3; i++) {
        assert_string_equal(negated(t, "a,b", ""), "[!|a][!|b]");
        assert_string_equal(negated(t, "c", ""), "[!|c]");
    }
}

static void bad_lists_are_refused(void **state)
{
    making *t = *state;
    static const struct bad {
        const char *list, *why;
    } bad[] = {
        {"a,,b", "negate: an item of the list has no name"},
        {"n|", "negate: an item of the list has no name"},
        {"3-2", "negate: the range 3-2 is empty"},
        {"1-65537", "negate: more than 65536 variables"},
        {"0-18446744073709551615", "negate: more than 65536 variables"},
    };
    thr_error err;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_int_equal(thr_negate_set(&t->f, bad[i].list, &err), THR_EUSE);
        assert_string_equal(err.message, bad[i].why);
    }
    char longest[THR_NEGATE_ROOM + 1];
    memset(longest, 'a', THR_NEGATE_ROOM);
    longest[THR_NEGATE_ROOM] = '\0';
    assert_int_equal(thr_negate_set(&t->f, longest, &err), THR_EUSE);
    assert_int_equal(thr_negate_set(&t->f, longest + 1, &err), 0);
    assert_int_equal(thr_negate_set(&t->f, "1-65536", &err), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        making_test(absent_variables_have_their_negation),
        making_test(the_order_of_list_and_example_does_not_matter),
        making_test(ranges_are_of_integers_only),
        making_test(names_may_have_any_character),
        making_test(namespaces_tell_variables_apart),
        making_test(a_variable_with_value_0_is_absent),
        making_test(conjunctions_are_of_literals_too),
        making_test(names_made_here_may_be_in_the_data),
        making_test(lists_may_take_turns),
        making_test(bad_lists_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
