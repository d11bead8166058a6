/* What cli/real.c writes is what %.9g writes. */
#include "../../cli/cli.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "base/mathx.h"
#include "base/random.h"

static void check(double v)
{
    char wanted[64], got[CLI_REAL];
    snprintf(wanted, sizeof wanted, "%.9g", v);
    size_t n = cli_real_text(v, got);
    assert_string_equal(got, wanted);
    assert_int_equal(n, strlen(wanted));
}

static void test_edge_cases_print_as_by_printf(void **state)
{
    (void)state;
    static const double edge[] = {0,
                                  1,
                                  9.99999999,
                                  9.9999999949,
                                  9.999999995,
                                  99999999.5,
                                  1e-4,
                                  9.9999e-5,
                                  0.5,
                                  0.1,
                                  123456789,
                                  1e8,
                                  99999999,
                                  0.000123456789,
                                  1e300,
                                  1e-300,
                                  INFINITY,
                                  100,
                                  0.000999999999949,
                                  12345678.5,
                                  1.0000005,
                                  0.100000000,
                                  1000000.25,
                                  2.5};
    for (size_t i = 0; i < sizeof edge / sizeof *edge; i++) {
        check(edge[i]);
        check(-edge[i]);
    }
}

static void test_random_numbers_print_as_by_printf(void **state)
{
    (void)state;
    thr_random r;
    thr_random_init(&r, 5);
    for (int i = 0; i < 300000; i++) {
        check(thr_random_normal(&r));
        check(thr_exp(thr_random_normal(&r) * 8));
        check((double)thr_random_below(&r, 2000000) / 1024 - 900); /* exact middles */
        check((double)thr_random_below(&r, 100000000000) / 100);   /* nine digits and two */
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_edge_cases_print_as_by_printf),
                                       cmocka_unit_test(test_random_numbers_print_as_by_printf)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
