/* Numbers from and to text, against strtof and strtod. */
#include "base/number.h"
#include "base/scan.h"
#include "base/random.h"

#include <float.h>
#include <locale.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static bool same_double(double a, double b)
{
    return memcmp(&a, &b, sizeof a) == 0;
}

/* Both readers must stop at the end of `text` and give what the C library gives. */
static void check(const char *text, size_t n)
{
    const char *end;
    float f = 42, f_libc = strtof(text, NULL);
    double d = 42, d_libc = strtod(text, NULL);
    enum thr_number rf = thr_parse_float(text, text + n, &end, &f);
    bool ok = end == text + n && (isinf(f_libc) ? rf == THR_NUMBER_RANGE && f == 42
                                                : rf == THR_NUMBER_OK && same_double(f, f_libc));
    if (!ok)
        fail_msg("float of %.60s: %.9g, not %.9g", text, (double)f, (double)f_libc);
    enum thr_number rd = thr_parse_double(text, text + n, &end, &d);
    ok = end == text + n && (isinf(d_libc) ? rd == THR_NUMBER_RANGE && d == 42
                                           : rd == THR_NUMBER_OK && same_double(d, d_libc));
    if (!ok)
        fail_msg("double of %.60s: %.17g, not %.17g", text, d, d_libc);
}

static size_t random_digits(thr_random *r, char *to, size_t n)
{
    uint64_t bits = thr_random_next(r);
    for (size_t i = 0; i < n; i++, bits /= 10) {
        if (i % 16 == 15)
            bits = thr_random_next(r);
        to[i] = (char)('0' + bits % 10);
    }
    return n;
}

/* [-] up to 12 digits . up to 24 digits [e+-dd]; at least one digit. */
static size_t random_text(thr_random *r, char *to)
{
    uint64_t bits = thr_random_next(r);
    size_t n = 0;
    if (bits & 1)
        to[n++] = '-';
    size_t whole = bits >> 1 & 2 ? 1 : (bits >> 8) % 12, fraction = (bits >> 16) % 10;
    if ((bits >> 24) % 8 == 0)
        fraction += 14;
    n += random_digits(r, to + n, whole);
    if (fraction || !whole) {
        to[n++] = '.';
        n += random_digits(r, to + n, fraction + !whole);
    }
    if ((bits >> 32) % 4 == 0) {
        to[n++] = bits >> 34 & 1 ? 'e' : 'E';
        if (bits >> 35 & 1)
            to[n++] = bits >> 36 & 1 ? '-' : '+';
        n += random_digits(r, to + n, 1 + (bits >> 37) % 2);
    }
    to[n] = '\0';
    return n;
}

static void test_random_texts(void **state)
{
    (void)state;
    thr_random r;
    char text[80];
    thr_random_init(&r, 1);
    for (int i = 0; i < 1500000; i++)
        check(text, random_text(&r, text));
}

/* Every float and double, by its bits, written with enough digits. */
static void test_random_bits(void **state)
{
    (void)state;
    thr_random r;
    char text[80];
    thr_random_init(&r, 2);
    for (int i = 0; i < 200000; i++) {
        uint64_t bits = thr_random_next(&r);
        uint32_t low = (uint32_t)bits;
        float f;
        double d;
        memcpy(&f, &low, sizeof f);
        memcpy(&d, &bits, sizeof d);
        if (isfinite(f))
            check(text, (size_t)snprintf(text, sizeof text, "%.9g", (double)f));
        if (isfinite(d))
            check(text, (size_t)snprintf(text, sizeof text, "%.*g", 9 + i % 12, d));
    }
}

/* Around the midpoint of two floats, rounding to double first and to float after goes wrong. */
static void test_midpoints_of_floats_are_rounded_once(void **state)
{
    (void)state;
    thr_random r;
    char text[256];
    thr_random_init(&r, 3);
    for (int i = 0; i < 40000; i++) {
        uint32_t bits = (uint32_t)thr_random_next(&r) & 0x7fffffff;
        if (i % 2)
            bits = 0x3a000000 + bits % 0x0a000000;
        float a;
        memcpy(&a, &bits, sizeof a);
        if (!isfinite(a))
            continue;
        double middle = ((double)a + (double)nextafterf(a, INFINITY)) / 2;
        if (isinf(middle))
            middle = (double)a + (double)(a - nextafterf(a, 0)) / 2;
        check(text, (size_t)snprintf(text, sizeof text, "%.*e", 15 + i % 40, middle));
        check(text, (size_t)snprintf(text, sizeof text, "%.18e", nextafter(middle, 0)));
        check(text, (size_t)snprintf(text, sizeof text, "%.18e", nextafter(middle, INFINITY)));
        /* The midpoint itself and a trace more, all digits. */
        size_t n = (size_t)snprintf(text, sizeof text, "%.120f", middle);
        if (n < sizeof text - 2) {
            check(text, n);
            memcpy(text + n, "1", 2);
            check(text, n + 1);
        }
    }
}

static void test_hard_cases(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "0",
        "-0",
        "+0",
        "0.0",
        "-0e5",
        "0e99999999999999999999",
        "00000000000000000000000001",
        "1",
        "+1",
        "-1",
        "1.",
        ".5",
        "-.5e1",
        "1e0",
        "1E+5",
        "007",
        "0.173431",
        "3.9656971e-02",
        "16777215",
        "16777216",
        "16777217",
        "16777218",
        "16777219",
        "33554431",
        "33554433",
        "1.000000059604644775390625",
        "1.0000000596046447753906251",
        "1.0000000596046447753906249999999999",
        "1.00000017881393432617187499",
        "1.000000178813934326171875",
        "1.00000017881393432617187501",
        "9007199254740991",
        "9007199254740992",
        "9007199254740993",
        "9007199254740995",
        "9007199254740993.0000000000000000000000000000000000001",
        "18446744073709551615",
        "18446744073709551616",
        "99999999999999999999",
        "1e22",
        "1e23",
        "8.9884656743115795e307",
        "1.7976931348623157e308",
        "1.7976931348623158e308",
        "1.7976931348623159e308",
        "1e308",
        "1e309",
        "1e400",
        "-1e400",
        "1e99999999999999999999",
        "1e-99999999999999999999",
        "3.4028234e38",
        "3.4028235e38",
        "3.4028236e38",
        "3.4028235677973366e38",
        "3.40282356779733661637539395458142568447e38",
        "3.40282356779733661637539395458142568448e38",
        "340282356779733661637539395458142568447.99999",
        "3.5e38",
        "-3.5e38",
        "1.17549435e-38",
        "1.17549429e-38",
        "1.1754942e-38",
        "1e-40",
        "1.4e-45",
        "1e-45",
        "7.0064923216240853e-46",
        "7.0064923216240854e-46",
        "7.006492321624086e-46",
        "7e-46",
        "1e-46",
        "2.2250738585072011e-308",
        "2.2250738585072012e-308",
        "2.2250738585072014e-308",
        "4.9e-324",
        "5e-324",
        "2.4703282292062327e-324",
        "2.4703282292062328e-324",
        "2e-324",
        "1e-400",
        "0.000000000000000000000000000000000000000000000000000000000001e60",
        "123456789012345678901234567890123456789012345678901234567890e-60",
        "6.631236846766476e-316",
        "3.2378839133029012895883524125015321748630094e-319",
        "0.500000000000000166533453693773481063544750213623046875",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        check(texts[i], strlen(texts[i]));
}

/* Thousands of digits: half of the least double in full, and with a trace more or less. */
static void test_long_texts(void **state)
{
    (void)state;
    enum { ROOM = 20000 };
    char *text = malloc(ROOM);
    assert_non_null(text);
    size_t n = (size_t)snprintf(text, ROOM, "%.1100f", DBL_MIN - 0x1p-1074);
    check(text, n);
    n = (size_t)snprintf(text, ROOM, "%.800e", 0x1.fffffffffffffp-1000);
    check(text, n);
    for (size_t zeros = 0; zeros < 15000; zeros += 1499) {
        n = (size_t)snprintf(text, ROOM, "9007199254740993.");
        memset(text + n, '0', zeros);
        n += zeros;
        memcpy(text + n, "1", 2);
        check(text, n + 1);
        memcpy(text + n, "0", 2);
        check(text, n + 1);
        n = (size_t)snprintf(text, ROOM, "0.");
        memset(text + n, '0', zeros);
        n += zeros;
        n += (size_t)snprintf(text + n, ROOM - n, "12345678901234567890123e%zu", zeros + 3);
        check(text, n);
        text[0] = '7';
        memset(text + 1, '3', zeros);
        n = 1 + zeros + (size_t)snprintf(text + 1 + zeros, 30, "e-%zu", zeros);
        check(text, n);
    }
    free(text);
}

static void expect(const char *text, enum thr_number result, size_t length)
{
    /* In a block of its own size, so that a sanitizer sees a byte read past the limit. */
    size_t n = strlen(text);
    char *block = malloc(n ? n : 1);
    assert_non_null(block);
    memcpy(block, text, n);
    const char *end = NULL;
    float f = 42;
    double d = 42;
    if (thr_parse_float(block, block + n, &end, &f) != result || end != block + length)
        fail_msg("float of \"%s\"", text);
    if (thr_parse_double(block, block + n, &end, &d) != result || end != block + length)
        fail_msg("double of \"%s\"", text);
    if (result != THR_NUMBER_OK)
        assert_true(f == 42 && d == 42);
    free(block);
}

static void test_number_ends_where_its_text_does(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        enum thr_number result;
        size_t length;
    } cases[] = {
        {"", THR_NUMBER_NONE, 0},
        {"+", THR_NUMBER_NONE, 0},
        {"-", THR_NUMBER_NONE, 0},
        {".", THR_NUMBER_NONE, 0},
        {"-.", THR_NUMBER_NONE, 0},
        {".e5", THR_NUMBER_NONE, 0},
        {"e5", THR_NUMBER_NONE, 0},
        {" 1", THR_NUMBER_NONE, 0},
        {"+-1", THR_NUMBER_NONE, 0},
        {"x", THR_NUMBER_NONE, 0},
        {"1", THR_NUMBER_OK, 1},
        {"1 ", THR_NUMBER_OK, 1},
        {"1e", THR_NUMBER_OK, 1},
        {"1e+", THR_NUMBER_OK, 1},
        {"1e-x", THR_NUMBER_OK, 1},
        {"1.e1", THR_NUMBER_OK, 4},
        {"1.5.5", THR_NUMBER_OK, 3},
        {"1,5", THR_NUMBER_OK, 1},
        {"0x10", THR_NUMBER_OK, 1},
        {"12345678", THR_NUMBER_OK, 8},
        {"0.12345678:", THR_NUMBER_OK, 10},
        {"0.1234567:9", THR_NUMBER_OK, 9},
        {"1e5e5", THR_NUMBER_OK, 3},
        {"1e400:", THR_NUMBER_RANGE, 5},
        {"inf", THR_NUMBER_NOT_FINITE, 3},
        {"-Inf", THR_NUMBER_NOT_FINITE, 4},
        {"nan", THR_NUMBER_NOT_FINITE, 3},
        {"+NaN ", THR_NUMBER_NOT_FINITE, 4},
        {"in", THR_NUMBER_NONE, 0},
        {"INFINITY:", THR_NUMBER_NOT_FINITE, 8},
        {"information", THR_NUMBER_NONE, 0},
        {"nancy", THR_NUMBER_NONE, 0},
        {"nan(1)", THR_NUMBER_NOT_FINITE, 3},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        expect(cases[i].text, cases[i].result, cases[i].length);
}

static void test_whole_numbers_are_read_up_to_64_bits(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        enum thr_number result;
        size_t length;
        uint64_t value;
    } cases[] = {
        {"", THR_NUMBER_NONE, 0, 42},
        {"-1", THR_NUMBER_NONE, 0, 42},
        {"+1", THR_NUMBER_NONE, 0, 42},
        {"0", THR_NUMBER_OK, 1, 0},
        {"0007:", THR_NUMBER_OK, 4, 7},
        {"12.5", THR_NUMBER_OK, 2, 12},
        {"9999999999999999999", THR_NUMBER_OK, 19, UINT64_C(9999999999999999999)},
        {"18446744073709551615", THR_NUMBER_OK, 20, UINT64_MAX},
        {"0000000000000000000000018446744073709551615", THR_NUMBER_OK, 43, UINT64_MAX},
        {"18446744073709551616", THR_NUMBER_RANGE, 20, 42},
        {"99999999999999999999", THR_NUMBER_RANGE, 20, 42},
        {"184467440737095516160000 ", THR_NUMBER_RANGE, 24, 42},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *text = cases[i].text, *end = NULL;
        uint64_t v = 42;
        assert_int_equal(thr_parse_u64(text, text + strlen(text), &end, &v), cases[i].result);
        assert_int_equal(end - text, cases[i].length);
        assert_true(v == cases[i].value);
    }
}

static void test_numbers_print_in_their_shortest_form(void **state)
{
    (void)state;
    static const struct {
        double value;
        const char *as_double, *as_float;
    } cases[] = {
        {0, "0", "0"},
        {-0.0, "-0", "-0"},
        {1, "1", "1"},
        {-1.5, "-1.5", "-1.5"},
        {1000000, "1000000", "1000000"},
        {16777216, "16777216", "16777216"},
        {1e15, "1000000000000000", "1000000000000000"},
        {9007199254740991, "9007199254740991", "9007199000000000"},
        {1e16, "1e16", "1e16"},
        {-1e22, "-1e22", "-1e22"},
        {0.1, "0.1", "0.1"},
        {0.173431, "0.173431", "0.173431"},
        {1234.5, "1234.5", "1234.5"},
        {0.00001, "0.00001", "0.00001"},
        {1.5e-6, "1.5e-6", "1.5e-6"},
        {1.0 / 3, "0.3333333333333333", "0.33333334"},
        {0.1 + 0.2, "0.30000000000000004", "0.3"},
        {5e-324, "5e-324", "0"},
        {0x1p-149, "1.401298464324817e-45", "1e-45"},
        {DBL_MAX, "1.7976931348623157e308", "inf"},
        {FLT_MAX, "3.4028234663852886e38", "3.4028235e38"},
        {-INFINITY, "-inf", "-inf"},
        {NAN, "nan", "nan"},
    };
    char out[32];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(thr_print_double(cases[i].value, out), strlen(cases[i].as_double));
        assert_string_equal(out, cases[i].as_double);
        assert_int_equal(thr_print_float((float)cases[i].value, out), strlen(cases[i].as_float));
        assert_string_equal(out, cases[i].as_float);
    }
    assert_int_equal(thr_print_u64(0, out), 1);
    assert_string_equal(out, "0");
    assert_int_equal(thr_print_u64(UINT64_MAX, out), 20);
    assert_string_equal(out, "18446744073709551615");
}

/* Digits of a number that is not 0, from the first to the last that is not a zero. */
static size_t significant(const char *text)
{
    size_t n = 0, last = 0;
    for (; *text && *text != 'e'; text++)
        if (*text >= '0' && *text <= '9' && (n || *text != '0')) {
            n++;
            last = *text != '0' ? n : last;
        }
    return last;
}

/* Of any value; with no more digits than %g needs. */
static void test_print_reads_back(void **state)
{
    (void)state;
    thr_random r;
    thr_random_init(&r, 4);
    for (int i = 0; i < 100000; i++) {
        uint64_t bits = thr_random_next(&r);
        uint32_t low = (uint32_t)(bits >> 32);
        char out[32], shorter[32];
        double d;
        float f;
        memcpy(&d, &bits, sizeof d);
        memcpy(&f, &low, sizeof f);
        if (isfinite(d)) {
            assert_in_range(thr_print_double(d, out), 1, 31);
            assert_true(same_double(strtod(out, NULL), d));
        }
        if (isfinite(f)) {
            assert_in_range(thr_print_float(f, out), 1, 31);
            assert_true(same_double(strtof(out, NULL), f));
            snprintf(shorter, sizeof shorter, "%.*g", 7, (double)f);
            if (strtof(shorter, NULL) == f)
                assert_in_range(significant(out), 1, 7);
        }
    }
}

/* Where a locale with a decimal comma is installed, it changes nothing. */
static void test_decimal_comma_of_a_locale_changes_nothing(void **state)
{
    (void)state;
    static const char *const names[] = {"de_DE.UTF-8", "de_DE", "fr_FR.UTF-8", "es_ES.UTF-8"};
    bool found = false;
    for (size_t i = 0; i < sizeof names / sizeof *names && !found; i++)
        found = setlocale(LC_ALL, names[i]) != NULL;
    if (!found) {
        print_message("skip: test_decimal_comma_of_a_locale_changes_nothing: no locale with a "
                      "decimal comma is installed\n");
        skip();
    }
    char out[32];
    const char *end, *text = "0.12345678901234567890";
    double d = 0;
    thr_print_double(1.0 / 3, out);
    thr_parse_double(text, text + strlen(text), &end, &d);
    setlocale(LC_ALL, "C");
    assert_string_equal(out, "0.3333333333333333");
    assert_true(same_double(d, 0.12345678901234567890));
    assert_int_equal(*end, 0);
}

static void test_each_problem_has_its_words(void **state)
{
    (void)state;
    assert_string_equal(thr_number_problem(THR_NUMBER_NONE), "is not a number");
    assert_string_equal(thr_number_problem(THR_NUMBER_RANGE), "is too large");
    assert_string_equal(thr_number_problem(THR_NUMBER_NOT_FINITE), "is not finite");
}

/* All fours, in either half, and what comes before them. */
static void test_write_digits(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 10000 && THR_SCANS; i++) {
        char wanted[16], got[16];
        uint32_t number = i % 42 * 100000000 + i * 10000 + 9999 - i;
        snprintf(wanted, sizeof wanted, "%010u", number);
        thr_write_digits(number, got);
        assert_memory_equal(got, wanted, 10);
        assert_int_equal(thr_join_digits(got + 2, 8), number % 100000000);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_write_digits),
        cmocka_unit_test(test_random_texts),
        cmocka_unit_test(test_random_bits),
        cmocka_unit_test(test_midpoints_of_floats_are_rounded_once),
        cmocka_unit_test(test_hard_cases),
        cmocka_unit_test(test_long_texts),
        cmocka_unit_test(test_number_ends_where_its_text_does),
        cmocka_unit_test(test_whole_numbers_are_read_up_to_64_bits),
        cmocka_unit_test(test_numbers_print_in_their_shortest_form),
        cmocka_unit_test(test_print_reads_back),
        cmocka_unit_test(test_decimal_comma_of_a_locale_changes_nothing),
        cmocka_unit_test(test_each_problem_has_its_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
