/* Deciding whether a Boolean function is linear: the known numbers of such functions, proofs that
 * hold, and proofs that were tampered with. */
#include "lab/linear.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

enum { XOR = 0x6, AND = 0x8 };

static unsigned count(unsigned n, unsigned degree)
{
    unsigned linear = 0;
    for (uint32_t table = 0; table < UINT32_C(1) << (1u << n); table++) {
        thr_linear p = thr_linear_decide(n, table, degree);
        assert_true(thr_linear_check(n, table, degree, &p));
        linear += p.is_linear;
    }
    return linear;
}

static void as_many_as_are_known(void **state)
{
    (void)state;
    assert_int_equal(count(1, 1), 4);
    assert_int_equal(count(2, 1), 14);
    assert_int_equal(count(3, 1), 104);
    assert_int_equal(count(4, 1), 1882);
    assert_int_equal(count(2, 2),
                     16); /* every function of two is linear with conjunctions of two */
    assert_int_equal(count(3, 3), 256);
}

static void separators_are_checked(void **state)
{
    (void)state;
    thr_linear p = thr_linear_decide(2, AND, 1);
    assert_true(p.is_linear && thr_linear_check(2, AND, 1, &p));
    assert_false(thr_linear_check(2, XOR, 1, &p)); /* of another function */
    p.weight[0] = 0;
    assert_false(thr_linear_check(2, AND, 1, &p));
    thr_linear ties = {.decided = true, .is_linear = true}; /* all weights 0 */
    assert_false(thr_linear_check(2, AND, 1, &ties));
}

static void sums_are_checked(void **state)
{
    (void)state;
    thr_linear p = thr_linear_decide(2, XOR, 1);
    assert_true(!p.is_linear && thr_linear_check(2, XOR, 1, &p));
    assert_false(thr_linear_check(2, XOR, 2, &p)); /* with conjunctions there is no such sum */
    p.times[1]++;
    assert_false(thr_linear_check(2, XOR, 1, &p));
    for (int i = 0; i < THR_LINEAR_POINTS; i++)
        p.times[i] = 0;
    assert_false(thr_linear_check(2, XOR, 1, &p)); /* nothing sums to zero as well */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(as_many_as_are_known),
        cmocka_unit_test(separators_are_checked),
        cmocka_unit_test(sums_are_checked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
