/* Looking for large numbers, several at a time, against plain loops. */
#include "base/above.h"

#include "base/random.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

enum { MOST = 40 };

/* Few different numbers, so that many are equal. */
static void draw(thr_random *r, double *x)
{
    static const double some[] = {-INFINITY, -1, -0.0, 0, 1, 2, 2.5, INFINITY, NAN};
    for (int i = 0; i < MOST; i++)
        x[i] = some[thr_random_below(r, sizeof some / sizeof *some)];
}

static void test_places_are_those_of_plain_loops(void **state)
{
    (void)state;
    thr_random r;
    double x[MOST];
    thr_random_init(&r, 1);
    for (int round = 0; round < 5000; round++) {
        draw(&r, x);
        uint32_t n = (uint32_t)thr_random_below(&r, MOST + 1);
        uint32_t from = (uint32_t)thr_random_below(&r, n + 1), above = from, least = 0;
        double than = x[thr_random_below(&r, MOST)];
        while (above < n && !(x[above] > than))
            above++;
        while (least < n && !(x[least] >= than))
            least++;
        assert_int_equal(thr_first_above(x, from, n, than), above);
        assert_int_equal(thr_first_at_least(x, n, than), least);
    }
}

static void test_the_greatest_is_that_of_a_plain_loop(void **state)
{
    (void)state;
    thr_random r;
    double x[MOST];
    thr_random_init(&r, 2);
    for (int round = 0; round < 5000; round++) {
        draw(&r, x);
        uint32_t n = (uint32_t)thr_random_below(&r, MOST + 1);
        double most = -INFINITY;
        for (uint32_t i = 0; i < n; i++)
            most = x[i] > most ? x[i] : most;
        assert_true(thr_greatest(x, n) == most);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_places_are_those_of_plain_loops),
        cmocka_unit_test(test_the_greatest_is_that_of_a_plain_loop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
