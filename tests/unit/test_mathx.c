/* exp, log and pow against the long double functions of libm, in units in the last place. */
#include "base/mathx.h"
#include "base/random.h"

#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

/* long double with more bits than double, so that the reference is good for far under an ulp;
 * elsewhere libm's own error is allowed for. */
#if LDBL_MANT_DIG > DBL_MANT_DIG
#define ALLOWED 1.0
#else
#define ALLOWED 2.0
#endif

/* |got - want| in units in the last place of want. */
static double ulps(double got, long double want)
{
    double near = fabs((double)want);
    if (isinf(near) || isinf(got))
        return got == (double)want ? 0 : INFINITY;
    double unit = near == DBL_MAX ? near - nextafter(near, 0) : nextafter(near, INFINITY) - near;
    return (double)(fabsl((long double)got - want) / (long double)unit);
}

static double between(thr_random *r, double low, double high)
{
    return low + (high - low) * thr_random_real(r);
}

static void check(double got, long double want, double x)
{
    if (!(ulps(got, want) <= ALLOWED))
        fail_msg("at %.17g: %.17g, not %.17Lg", x, got, want);
}

static void test_exp_is_within_the_allowed_ulps(void **state)
{
    (void)state;
    thr_random r;
    thr_random_init(&r, 1);
    for (int i = 0; i < 300000; i++) {
        double wide = between(&r, -745.2, 709.8), close = between(&r, -2, 2);
        double tiny = ldexp(between(&r, -1, 1), -(int)thr_random_below(&r, 80));
        check(thr_exp(wide), expl(wide), wide);
        check(thr_exp(close), expl(close), close);
        check(thr_exp(tiny), expl(tiny), tiny);
    }
}

static void test_exp_limits(void **state)
{
    (void)state;
    assert_true(thr_exp(0) == 1 && thr_exp(-0.0) == 1);
    assert_true(isfinite(thr_exp(709.782712893384)));
    assert_true(isinf(thr_exp(709.7827128933841)));
    assert_true(isinf(thr_exp(1e300)) && isinf(thr_exp(INFINITY)));
    assert_true(thr_exp(-745.13) == 0x1p-1074);
    assert_true(thr_exp(-745.14) == 0 && thr_exp(-1e300) == 0 && thr_exp(-INFINITY) == 0);
    assert_true(isnan(thr_exp(NAN)));
}

static void test_log_is_within_the_allowed_ulps(void **state)
{
    (void)state;
    thr_random r;
    thr_random_init(&r, 2);
    for (int i = 0; i < 300000; i++) {
        double wide = ldexp(between(&r, 1, 2), (int)thr_random_below(&r, 2096) - 1073);
        double near_1 = 1 + ldexp(between(&r, -1, 1), -1 - (int)thr_random_below(&r, 52));
        double small = between(&r, 0.3, 3);
        check(thr_log(wide), logl(wide), wide);
        check(thr_log(near_1), logl(near_1), near_1);
        check(thr_log(small), logl(small), small);
    }
}

static void test_log_limits(void **state)
{
    (void)state;
    assert_true(thr_log(1) == 0 && !signbit(thr_log(1)));
    assert_true(thr_log(0) == -INFINITY && thr_log(-0.0) == -INFINITY);
    assert_true(isinf(thr_log(INFINITY)) && isnan(thr_log(-1)) && isnan(thr_log(NAN)));
    check(thr_log(0x1p-1074), logl(0x1p-1074L), 0x1p-1074);
    check(thr_log(DBL_MAX), logl((long double)DBL_MAX), DBL_MAX);
}

/* powl itself is good to about 2^-63 times the exponent's size: well under what is allowed. */
/* Many at once: the same bits, also where one of them is out of the ordinary. */
static void test_log_many(void **state)
{
    (void)state;
    thr_random r;
    thr_random_init(&r, 5);
    for (int k = 0; k < 20000; k++) {
        double x[17], y[17];
        size_t n = (size_t)thr_random_below(&r, 18);
        for (size_t i = 0; i < n; i++) {
            x[i] = ldexp(1 + thr_random_real(&r), (int)thr_random_below(&r, 2046) - 1022);
            if (k % 4 == 0)
                x[i] = (double)(1 + thr_random_below(&r, 100000));
            if (k % 100 == 1 && i == 3)
                x[i] = (double[]){0, INFINITY, 5e-324, -1, M_SQRT2, M_SQRT1_2}[k / 100 % 6];
            y[i] = thr_log(x[i]);
        }
        thr_log_many(x, n);
        for (size_t i = 0; i < n; i++)
            assert_true(memcmp(&x[i], &y[i], sizeof *x) == 0 || (isnan(x[i]) && isnan(y[i])));
    }
}

static void test_exp_many(void **state)
{
    (void)state;
    thr_random r;
    thr_random_init(&r, 6);
    for (int k = 0; k < 20000; k++) {
        double x[41], y[41], most = (double[]){0.2, 0.34, 0.348, 0.36}[k / 5 % 4];
        size_t n = (size_t)thr_random_below(&r, k % 5 ? 18 : 42);
        for (size_t i = 0; i < n; i++) {
            x[i] = k % 4 ? between(&r, -30, 0) : between(&r, -700, 700);
            if (k % 5 == 0) /* many that are near 0 */
                x[i] = i % 7 ? between(&r, -most, most) : i % 2 ? -0.0 : copysign(most, -x[i]);
            if (k % 100 == 1 && i == 3)
                x[i] = (double[]){0, -INFINITY, 709.7, -745.13, -1e300, -0.0}[k / 100 % 6];
            y[i] = thr_exp(x[i]);
        }
        thr_exp_many(x, n);
        for (size_t i = 0; i < n; i++)
            assert_true(memcmp(&x[i], &y[i], sizeof *x) == 0);
    }
}

static void test_pow_is_within_the_allowed_ulps(void **state)
{
    (void)state;
    thr_random r;
    thr_random_init(&r, 3);
    for (int i = 0; i < 200000; i++) {
        double x = ldexp(between(&r, 1, 2), (int)thr_random_below(&r, 30) - 15);
        double y = between(&r, -40, 40);
        check(thr_pow(x, y), powl(x, y), x);
        x = 1 + between(&r, -1e-3, 1e-3);
        y = between(&r, -5e5, 5e5);
        check(thr_pow(x, y), powl(x, y), x);
        x = (double)(1 + i);
        check(thr_pow(x, -0.5), powl(x, -0.5L), x);
    }
}

/* A result that a double can hold is that double. */
static void test_pow_exact(void **state)
{
    (void)state;
    for (int k = -1074; k < 1024; k++)
        assert_true(thr_pow(2, k) == ldexp(1, k));
    for (double x = 2; x < 3000; x++) {
        double product = x;
        for (int k = 2; product * x <= 0x1p53; k++) {
            product *= x;
            assert_true(thr_pow(x, k) == product);
        }
        assert_true(thr_pow(x, 1) == x && thr_pow(x, 0) == 1);
        assert_true(thr_pow(x * x / 64, 0.5) == x / 8);
    }
    assert_true(thr_pow(1.1, 1) == 1.1 && thr_pow(0x1p-1074, 1) == 0x1p-1074);
}

static void test_pow_limits(void **state)
{
    (void)state;
    assert_true(thr_pow(1, 1e300) == 1 && thr_pow(1, NAN) == 1 && thr_pow(NAN, 0) == 1);
    assert_true(isinf(thr_pow(2, 1024)) && thr_pow(2, -1080) == 0);
    assert_true(isinf(thr_pow(1.5, 1e300)) && thr_pow(1.5, -1e300) == 0);
    assert_true(thr_pow(0.5, 1e300) == 0 && isinf(thr_pow(0.5, -INFINITY)));
    assert_true(thr_pow(0, 2) == 0 && isinf(thr_pow(0, -2)));
    assert_true(isinf(thr_pow(INFINITY, 0.5)) && thr_pow(INFINITY, -1) == 0);
    assert_true(isnan(thr_pow(-1, 2)) && isnan(thr_pow(2, NAN)));
    assert_true(thr_pow(3, 1e-300) == 1);
}

/* The same bits on every machine: these were computed on x86-64. */
static void test_results_have_the_same_bits_on_every_machine(void **state)
{
    (void)state;
    double sum = 0;
    for (int i = 1; i <= 10000; i++)
        sum += thr_exp(-i * 0x1p-10) + thr_log(i) + thr_pow(i, -0.3);
    assert_true(sum == 0x1.4840dd222165cp+16);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_exp_is_within_the_allowed_ulps),
        cmocka_unit_test(test_exp_limits),
        cmocka_unit_test(test_log_is_within_the_allowed_ulps),
        cmocka_unit_test(test_log_limits),
        cmocka_unit_test(test_log_many),
        cmocka_unit_test(test_exp_many),
        cmocka_unit_test(test_pow_is_within_the_allowed_ulps),
        cmocka_unit_test(test_pow_exact),
        cmocka_unit_test(test_pow_limits),
        cmocka_unit_test(test_results_have_the_same_bits_on_every_machine),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
