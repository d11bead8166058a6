/* The quick way through a line of svmlight: what its wide and its plain form take is what strtoull
 * and strtof read, to the bit; what they do not take is left where it begins. */
#include "base/random.h"
#include "format/svmlight_quick.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define MOST 64

static size_t random_digits(thr_random *r, char *to, size_t n)
{
    for (size_t i = 0; i < n; i++)
        to[i] = (char)('0' + thr_random_below(r, 10));
    return n;
}

/* A value: digits on both sides of a point, mostly as many as are usual. */
static size_t random_value(thr_random *r, char *to)
{
    size_t n = 0, whole = thr_random_below(r, 8) ? 1 : thr_random_below(r, 10);
    size_t behind = thr_random_below(r, 8) ? thr_random_below(r, 9) : thr_random_below(r, 17);
    if (thr_random_below(r, 2))
        to[n++] = '-';
    n += random_digits(r, to + n, whole);
    if (behind || thr_random_below(r, 4) == 0)
        to[n++] = '.';
    n += random_digits(r, to + n, behind);
    if (thr_random_below(r, 50) == 0)
        n += (size_t)sprintf(to + n, "e-%u", (unsigned)thr_random_below(r, 60));
    return n;
}

/* Now and then something that is not usual, or wrong. */
static const char *const odd[] = {"qid:3",
                                  "x:1",
                                  "1:",
                                  ":1",
                                  "1",
                                  "#",
                                  "1:2:3",
                                  "1:+1",
                                  "1:-",
                                  "1:.",
                                  "1:-.",
                                  "1:\x01",
                                  "+1:1",
                                  "-1:1",
                                  "1:nan",
                                  "1:1-",
                                  "1:1.2.3",
                                  "1:\xb1",
                                  "0123456789012:1",
                                  "1234567890123456:1",
                                  "9223372036854775808:1",
                                  "18446744073709551615:1",
                                  "18446744073709551616:1",
                                  "16777216:",
                                  "4294967296:x",
                                  "1677721x:1",
                                  "x6777216:1",
                                  "16777216x:1",
                                  "123456789:1:1",
                                  "1234567\xb1"
                                  "0:1"};

/* An id of up to `most` digits, now and then of more. */
static size_t random_feature(thr_random *r, char *to, uint64_t most)
{
    if (thr_random_below(r, 60) == 0)
        return (size_t)sprintf(to, "%s", odd[thr_random_below(r, sizeof odd / sizeof *odd)]);
    size_t n = random_digits(r, to, 1 + thr_random_below(r, thr_random_below(r, 8) ? most : 17));
    to[n++] = ':';
    return n + random_value(r, to + n);
}

static size_t random_line(thr_random *r, char *to)
{
    size_t n = 0, features = 1 + thr_random_below(r, MOST / 2);
    uint64_t most = thr_random_below(r, 2) ? 7 : 10;
    for (size_t i = 0; i < features; i++) {
        if (i)
            to[n++] = thr_random_below(r, 100) ? ' ' : '\t';
        if (thr_random_below(r, 100) == 0)
            to[n++] = ' ';
        n += random_feature(r, to + n, most);
    }
    return n;
}

/* The key of the id at `at`, which is the id or says where its digits are. */
static bool check_id(const char *line, const char *at, char **end, uint64_t key)
{
    uint64_t id = strtoull(at, end, 10);
    assert_int_equal(**end, ':');
    if (id <= UINT32_MAX)
        assert_int_equal(key, thr_key_integer((uint32_t)id));
    else
        assert_int_equal(key, thr_key_digits((size_t)(at - line), (size_t)(*end - at)));
    assert_true(id <= UINT32_MAX || *at != '0');
    return id > UINT32_MAX;
}

/* The features taken are those that stand there, up to where reading stopped. */
static size_t check_features(const char *line, const char *stop, const uint64_t *key,
                             const float *value, thr_quick_found found)
{
    const char *at = line;
    bool named = false;
    for (size_t i = 0; i < found.n; i++) {
        char *end;
        named |= check_id(line, at, &end, key[i]);
        float wanted = strtof(end + 1, &end);
        if (memcmp(&wanted, &value[i], sizeof wanted))
            fail_msg("%.30s: %.9g, not %.9g", at, (double)value[i], (double)wanted);
        at = *end == ' ' ? end + 1 : end;
    }
    assert_ptr_equal(at, stop);
    assert_int_equal(named, found.named);
    return found.n;
}

static void test_random_lines(void **state)
{
    (void)state;
    thr_random r;
    size_t taken = 0, plainly = 0, whole = 0, named = 0, lines = 60000;
    thr_random_init(&r, 7);
    for (size_t i = 0; i < lines; i++) {
        char line[MOST * 64 + THR_QUICK];
        uint64_t key[2][MOST * 16];
        float value[2][MOST * 16];
        size_t n = random_line(&r, line);
        thr_quick_found found[2];
        const char *behind = (const char *[]){"\n\n\n\n", "1111", "3:1 "}[thr_random_below(&r, 3)];
        for (size_t k = 1; k < THR_QUICK; k++) /* what the next line may look like */
            line[n + k] = behind[(k - 1) % 4];
        line[n] = '\n';
        const char *end = line + n, *limit = end + (thr_random_below(&r, 8) ? THR_QUICK : 3);
        const char *a = thr_quick_take(line, end, limit, key[0], value[0], &found[0]);
        const char *b = thr_quick_take_plain(line, end, limit, key[1], value[1], &found[1]);
        assert_true(found[0].n <= (n + 1) / 4 && found[1].n <= (n + 1) / 4);
        taken += check_features(line, a, key[0], value[0], found[0]);
        plainly += check_features(line, b, key[1], value[1], found[1]);
        whole += a == end;
        named += found[0].named && found[1].named;
    }
    assert_true(taken > 5 * lines && plainly > 5 * lines && whole > lines / 10 &&
                named > lines / 10);
}

static void test_midpoints_of_floats_are_rounded_as_by_the_slow_way(void **state)
{
    (void)state;
    /* Exactly between two floats, and next to it: to even, down, up. */
    static const char *const text[] = {"1:16777217",   "1:16777219",   "1:1.00000005960464",
                                       "1:33554434.5", "1:8388608.5",  "1:8388609.5",
                                       "1:0.1",        "1:16777216.5", "1:999999999999999",
                                       "1:-0",         "1:-0.0"};
    for (size_t i = 0; i < sizeof text / sizeof *text; i++) {
        char line[2 * THR_QUICK] = "";
        uint64_t key[MOST];
        float value[MOST];
        size_t at = strlen(text[i]);
        thr_quick_found n;
        memcpy(line, text[i], at);
        line[at] = '\n';
        const char *end = line + at;
        const char *stop = thr_quick_take(line, end, line + sizeof line, key, value, &n);
        check_features(line, stop, key, value, n);
        stop = thr_quick_take_plain(line, end, line + sizeof line, key, value, &n);
        check_features(line, stop, key, value, n);
    }
}

/* One that is not usual, in every place of a line, leaves those before it. */
static void test_odd_places(void **state)
{
    (void)state;
    static const char *const usual[] = {"7:1",
                                        "123456:-0.123456",
                                        "16777215:16777215",
                                        "5:.5",
                                        "000000001:1",
                                        "004294967295:-1.5",
                                        "16777216:1",
                                        "99999999:0.123456",
                                        "100000000:-1",
                                        "2147483648:16777218",
                                        "4294967296:.123456789",
                                        "999999999999999:999999999999999"};
    for (size_t u = 0; u < sizeof usual / sizeof *usual; u++)
        for (size_t o = 0; o < sizeof odd / sizeof *odd; o++)
            for (size_t place = 0; place < 9; place++) {
                char line[MOST * 16 + THR_QUICK] = "";
                uint64_t key[MOST * 4];
                float value[MOST * 4];
                thr_quick_found n;
                size_t at = 0, stop = 0;
                for (size_t i = 0; i < 9; i++) {
                    stop = i == place ? at : stop;
                    at += (size_t)sprintf(line + at, "%s ", i == place ? odd[o] : usual[u]);
                }
                line[at - 1] = '\n';
                const char *end = line + at - 1, *limit = line + sizeof line;
                const char *a = thr_quick_take(line, end, limit, key, value, &n);
                assert_ptr_equal(a, line + stop);
                assert_int_equal(check_features(line, a, key, value, n), place);
                a = thr_quick_take_plain(line, end, limit, key, value, &n);
                assert_ptr_equal(a, line + stop);
                assert_int_equal(check_features(line, a, key, value, n), place);
            }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_lines),
        cmocka_unit_test(test_midpoints_of_floats_are_rounded_as_by_the_slow_way),
        cmocka_unit_test(test_odd_places),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
