/* Looking for large numbers, several at a time, against plain loops. */
#include "base/above.h"

#include "base/random.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

enum { MOST = 40, MANY = 1000 };

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

/* Whether i comes before k among the greatest; NaN comes last. */
static bool is_before(const double *x, uint32_t i, uint32_t k)
{
    return x[i] > x[k] || (x[k] != x[k] && x[i] == x[i]);
}

/* The places of all numbers, the greatest first, by a plain loop. Returns how many of the first are
 * greater than each that follows. */
static uint32_t sort(const double *x, uint32_t n, uint32_t *place)
{
    uint32_t clear = 0;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t at = i;
        for (; at > 0 && is_before(x, i, place[at - 1]); at--)
            place[at] = place[at - 1];
        place[at] = i;
    }
    while (clear < n && x[place[clear]] == x[place[clear]] &&
           (clear + 1 == n || is_before(x, place[clear], place[clear + 1])))
        clear++;
    return clear;
}

/* `different`: of how many numbers each is drawn. True wherever it may be with few numbers; with
 * many at least usually. */
static void compare_places(thr_random *r, uint32_t n, uint64_t different)
{
    double x[MANY];
    uint32_t sorted[MANY], place[8], found = 0, can = 0;
    for (int round = 0; round < 500; round++) {
        for (uint32_t i = 0; i < n; i++)
            x[i] = (double)thr_random_below(r, different) - (double)different / 2;
        if (n > 1 && round % 16 == 0)
            x[thr_random_below(r, n)] = NAN;
        uint32_t most = 1 + (uint32_t)thr_random_below(r, 8), clear = sort(x, n, sorted);
        bool is = thr_places_of_greatest(x, n, most, place);
        assert_true(!is || clear >= most);
        for (uint32_t k = 0; k < most && is; k++)
            assert_int_equal(place[k], sorted[k]);
        can += clear >= most && round % 16;
        found += is && round % 16;
    }
    assert_true(n > 32 ? found >= can / 2 : found == can);
}

static void test_the_greatest_few_are_those_of_sorting(void **state)
{
    (void)state;
    thr_random r;
    thr_random_init(&r, 3);
    for (uint32_t n = 0; n < 50; n++) {
        compare_places(&r, n, 1000000);
        compare_places(&r, n, n + 2);
    }
    for (uint32_t n = 50; n <= MANY; n += 50)
        compare_places(&r, n, 1000000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_places_are_those_of_plain_loops),
        cmocka_unit_test(test_the_greatest_is_that_of_a_plain_loop),
        cmocka_unit_test(test_the_greatest_few_are_those_of_sorting),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
