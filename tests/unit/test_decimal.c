/* Quick decimals against the general parser: whatever they read has the same extent and the same
 * bits, and they read all usual numbers. */
#include "format/decimal.h"

#include "base/number.h"
#include "base/random.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

static bool same_float(float a, float b)
{
    return memcmp(&a, &b, sizeof a) == 0;
}

/* The text stands before bytes that are no part of it. Returns whether both forms read all of it.
 */
static bool compare(const char *text, const char *behind)
{
    char room[80];
    snprintf(room, sizeof room, "%s%s________________", text, behind);
    const char *want_end, *end;
    float want = 0, got = 1;
    enum thr_number kind = thr_parse_float(room, room + strlen(text), &want_end, &want);
    thr_decimal x;
    bool all = true;
    end = thr_decimal_usual(room, &got);
    all = end == room + strlen(text);
    if (end)
        assert_true(end == want_end && kind == THR_NUMBER_OK && same_float(got, want));
    end = thr_decimal_take(room, &x);
    all = all && end == room + strlen(text);
    if (end && thr_decimal_float(&x, &got))
        assert_true(end == want_end && kind == THR_NUMBER_OK && same_float(got, want));
    return all;
}

static void test_usual_numbers_are_read_as_by_the_general_parser(void **state)
{
    (void)state;
    thr_random r;
    thr_random_init(&r, 3);
    for (int i = 0; i < 200000; i++) {
        char text[24];
        int digits = 1 + (int)thr_random_below(&r, 7);
        unsigned most = thr_decimal_scale[digits];
        snprintf(text, sizeof text, "%s%u.%0*u", i % 2 ? "-" : "",
                 (unsigned)thr_random_below(&r, 10), digits, (unsigned)thr_random_below(&r, most));
        assert_true(compare(text, ","));
    }
    assert_true(compare("0.0", "\n") && compare("-0.0", "\r\n") && compare("9.9999999", ","));
}

/* Each of these is left to the general parser by one of the two at least, or read as it reads it.
 */
static void test_other_forms(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "1",          "-",          ".5",         "5.",    "1.e5",
        "1.5e3",      "1.5E-3",     "12.5",       "01.5",  "1.23456789012345678901",
        "1.12345678", "123456789",  "1e400",      "1e-50", "0.0000001",
        "-1.5e",      "9.99999994", "16777217.0", "8.5.1", "+1.5"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        char alone[40];
        float v;
        snprintf(alone, sizeof alone, "%s,_______________", texts[i]);
        compare(texts[i], ",");
        const char *end = thr_decimal_usual(alone, &v);
        assert_true(!end || *end == ',' || *end == '.');
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_usual_numbers_are_read_as_by_the_general_parser),
        cmocka_unit_test(test_other_forms),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
