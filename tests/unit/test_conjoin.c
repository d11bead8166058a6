#include "features_help.h"

#include "example/conjoin.h"

#include <float.h>

static void cross(making *t, const char *left, const char *right)
{
    thr_cross *c = &t->f.cross[t->f.n_crosses++];
    snprintf(c->left, sizeof c->left, "%s", left);
    snprintf(c->right, sizeof c->right, "%s", right);
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
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
