/* The secret hash against a plain SipHash-c-d, which itself is checked by the example in appendix A
 * of the paper; and the table of names that uses it. */
#include "base/index.h"
#include "base/secret.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static uint64_t left(uint64_t x, int by)
{
    return (x << by) | (x >> (64 - by));
}

static void rounds(uint64_t v[4], int n)
{
    while (n-- > 0) {
        v[0] += v[1], v[2] += v[3];
        v[1] = left(v[1], 13) ^ v[0], v[3] = left(v[3], 16) ^ v[2];
        v[0] = left(v[0], 32);
        v[2] += v[1], v[0] += v[3];
        v[1] = left(v[1], 17) ^ v[2], v[3] = left(v[3], 21) ^ v[0];
        v[2] = left(v[2], 32);
    }
}

/* Byte by byte, as the paper defines it. */
static uint64_t sip(int c, int d, const uint64_t key[2], const uint8_t *p, size_t n)
{
    uint64_t v[4] = {0x736f6d6570736575, 0x646f72616e646f6d, 0x6c7967656e657261,
                     0x7465646279746573};
    for (int i = 0; i < 4; i++)
        v[i] ^= key[i % 2];
    for (size_t word = 0; word <= n / 8; word++) {
        uint64_t m = word == n / 8 ? (uint64_t)(n % 256) << 56 : 0;
        for (size_t i = 0; i < 8 && word * 8 + i < n; i++)
            m |= (uint64_t)p[word * 8 + i] << 8 * i;
        v[3] ^= m;
        rounds(v, c);
        v[0] ^= m;
    }
    v[2] ^= 0xff;
    rounds(v, d);
    return v[0] ^ v[1] ^ v[2] ^ v[3];
}

static void test_hash_is_siphash(void **state)
{
    (void)state;
    uint8_t text[600];
    const thr_secret s = {{0x0706050403020100, 0x0f0e0d0c0b0a0908}};
    for (size_t i = 0; i < sizeof text; i++)
        text[i] = (uint8_t)i;
    assert_true(sip(2, 4, s.key, text, 15) == 0xa129ca6149be45e5);
    for (size_t n = 0; n < sizeof text; n++)
        assert_true(thr_secret_hash(&s, text, n) == sip(1, 3, s.key, text, n));
    uint64_t number = 0x0123456789abcdef;
    assert_true(thr_secret_number(&s, number) == thr_secret_hash(&s, &number, sizeof number));
}

static void test_key_is_drawn_once(void **state)
{
    (void)state;
    thr_secret a = {0}, b = {0};
    thr_secret_draw(&a);
    thr_secret_draw(&b);
    assert_true(a.key[0] | a.key[1]);
    assert_memory_not_equal(&a, &b, sizeof a);
    thr_secret before = a;
    thr_secret_draw(&a);
    assert_memory_equal(&a, &before, sizeof a);
}

#define NAMES 5000

static void test_index_finds_what_was_added(void **state)
{
    (void)state;
    static char text[2 * NAMES][8];
    thr_index x = {0};
    for (int i = 0; i < 2 * NAMES; i++)
        snprintf(text[i], sizeof text[i], "%d", i);
    assert_int_equal(thr_index_find(&x, thr_str_of("0")), UINT32_MAX);
    for (int round = 0; round < 2; round++) {
        for (uint32_t i = 0; i < NAMES; i++)
            assert_true(thr_index_add(&x, thr_str_of(text[i]), i * 3));
        assert_int_equal(x.n, NAMES);
        assert_true(x.n * 2 <= x.slots);
        for (uint32_t i = 0; i < 2 * NAMES; i++)
            assert_int_equal(thr_index_find(&x, thr_str_of(text[i])),
                             i < NAMES ? i * 3 : UINT32_MAX);
        thr_index_empty(&x);
        assert_int_equal(thr_index_find(&x, thr_str_of("1")), UINT32_MAX);
    }
    assert_true(thr_index_add(&x, (thr_str){"", 0}, 7));
    assert_int_equal(thr_index_find(&x, (thr_str){"a", 0}), 7);
    thr_index_clear(&x);
    assert_int_equal(x.slots, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_hash_is_siphash),
        cmocka_unit_test(test_key_is_drawn_once),
        cmocka_unit_test(test_index_finds_what_was_added),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
