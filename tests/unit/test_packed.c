/* Packed columns: what goes in comes out, in every width, with code for this processor and without;
 * values go in as decimals only if they come back bit for bit. */
#include "base/random.h"
#include "format/packed.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define ROWS 9
#define MOST 700 /* numbers */

typedef struct column {
    uint32_t number[MOST], count[ROWS];
    size_t n;
    thr_packed packed; /* where a read past the end is seen */
    thr_rows rows;
} column;

static void begin(column *c, thr_random *r, unsigned bits, bool bias)
{
    uint32_t mask = (uint32_t)((UINT64_C(1) << bits) - 1);
    c->n = 0;
    for (size_t row = 0; row < ROWS; row++)
        c->n += c->count[row] = (uint32_t)thr_random_below(r, thr_random_below(r, 3) ? 10 : 77);
    for (size_t i = 0; i < c->n; i++)
        c->number[i] = thr_random_below(r, 5) ? (uint32_t)thr_random_next(r) & mask : mask;
    char *p = malloc((size_t)thr_packed_size(c->n, bits));
    assert_non_null(p);
    thr_pack(c->number, c->n, bits, p);
    c->packed = (thr_packed){.p = p, .bits = bits};
    c->rows = (thr_rows){(const char *)c->count, ROWS, bias};
}

static uint32_t greatest(const column *c)
{
    uint32_t most = 0;
    for (size_t i = 0; i < c->n; i++)
        most = c->number[i] > most ? c->number[i] : most;
    return most;
}

typedef uint32_t unpack_keys(const thr_packed *, const thr_rows *, uint32_t *);
typedef void unpack_values(const thr_packed *, const thr_rows *, float *);

static void check_keys(const column *c, unpack_keys *unpack)
{
    uint32_t *out = malloc((c->n + ROWS + THR_PACKED_ROOM) * sizeof *out);
    size_t at = 0, i = 0;
    assert_non_null(out);
    assert_int_equal(unpack(&c->packed, &c->rows, out), greatest(c));
    for (size_t row = 0; row < ROWS; row++) {
        for (uint32_t k = 0; k < c->count[row]; k++)
            assert_int_equal(out[at++], c->number[i++] + 1);
        if (c->rows.bias)
            assert_int_equal(out[at++], 0);
    }
    free(out);
}

static void check_values(const column *c, const float *value, unpack_values *unpack)
{
    float *out = malloc((c->n + ROWS + THR_PACKED_ROOM) * sizeof *out), *at = out;
    assert_non_null(out);
    unpack(&c->packed, &c->rows, out);
    for (size_t row = 0; row < ROWS; row++) {
        assert_memory_equal(at, value, c->count[row] * sizeof *value);
        value += c->count[row];
        at += c->count[row];
        if (c->rows.bias)
            assert_true(*at++ == 1);
    }
    free(out);
}

static void test_columns_of_every_width_unpack_as_packed(void **state)
{
    (void)state;
    thr_random r;
    thr_random_init(&r, 1);
    for (unsigned round = 0; round < 400; round++) {
        unsigned bits = round % (THR_PACKED_MOST + 2);
        column c;
        begin(&c, &r, bits > THR_PACKED_MOST ? 32 : bits, round & 1);
        check_keys(&c, thr_unpack_keys);
        check_keys(&c, thr_unpack_keys_plain);
        c.packed.places = round % (THR_PLACES_MOST + 1);
        c.packed.least = (int32_t)thr_random_below(&r, 9) - THR_DECIMALS_MOST;
        float value[MOST], tens = 1;
        for (unsigned k = 0; k < c.packed.places; k++)
            tens *= 10;
        for (size_t i = 0; i < c.n && c.packed.bits < 32; i++)
            value[i] = (float)((int32_t)c.number[i] + c.packed.least) / tens;
        if (c.packed.bits == 32)
            memcpy(value, c.number, c.n * sizeof *value);
        check_values(&c, value, thr_unpack_values);
        check_values(&c, value, thr_unpack_values_plain);
        free((char *)(uintptr_t)c.packed.p);
    }
}

static void test_bits_needed_are_those_of_the_largest_number(void **state)
{
    (void)state;
    static const uint32_t of[][2] = {{0, 0},        {1, 1},
                                     {2, 2},        {255, 8},
                                     {256, 9},      {65535, 16},
                                     {65536, 17},   {(1 << 24) - 1, 24},
                                     {1 << 24, 25}, {(1 << 25) - 1, 25},
                                     {1 << 25, 32}, {UINT32_MAX, 32}};
    for (size_t i = 0; i < sizeof of / sizeof *of; i++)
        assert_int_equal(thr_packed_bits(of[i][0]), of[i][1]);
}

/* What is written as a decimal of few digits comes back from it, and is not taken for more. */
static void test_short_decimals_are_packed_and_no_others(void **state)
{
    (void)state;
    static const struct {
        const char *value[3];
        int places, least;
        unsigned bits;
    } cases[] = {
        {{"1", "2", "3"}, 0, 1, 2},
        {{"7", "7", "7"}, 0, 7, 0},
        {{"0", "1.5", "12"}, 1, 0, 7},
        {{"-0.25", "0.1234", "3"}, 4, -2500, 15},
        {{"0.128052", "-0.946164", "1"}, 6, -946164, 21},
        {{"16777215", "-16777215", "0"}, 0, -THR_DECIMALS_MOST, 25},
        {{"0.8388607", "0.0000001", "0"}, 7, 0, 23},
        {{"1e-10", "3e-10", "0"}, 10, 0, 2},
        {{"16777216", "1", "1"}, -1, 0, 0},
        {{"16777215", "0.1", "1"}, -1, 0, 0},
        {{"-0", "1", "2"}, -1, 0, 0},
        {{"1", "2", "1e-11"}, -1, 0, 0},
        {{"1e-40", "1", "2"}, -1, 0, 0},
        {{"3.4e38", "1", "2"}, -1, 0, 0},
        {{"0.333333343", "1", "2"}, -1, 0, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        float value[3];
        uint32_t number[3];
        thr_packed p = {0};
        for (size_t k = 0; k < 3; k++)
            value[k] = strtof(cases[i].value[k], NULL);
        assert_int_equal(thr_pack_decimals(value, 3, number, &p), cases[i].places >= 0);
        if (cases[i].places < 0)
            continue;
        assert_int_equal(p.places, cases[i].places);
        assert_int_equal(p.least, cases[i].least);
        assert_int_equal(p.bits, cases[i].bits);
    }
}

/* Any f32 comes back if it was taken, also among many that need fewer places. */
static void test_any_values(void **state)
{
    (void)state;
    thr_random r;
    thr_random_init(&r, 2);
    size_t taken = 0;
    for (unsigned round = 0; round < 3000; round++) {
        column c;
        float value[MOST];
        begin(&c, &r, 1, true);
        free((char *)(uintptr_t)c.packed.p);
        for (size_t i = 0; i < c.n; i++)
            value[i] = ((float)thr_random_below(&r, 2000) - 1000) / 100;
        for (unsigned k = round % 4; c.n && k > 0; k--) {
            uint32_t bits = (uint32_t)thr_random_next(&r);
            float x = (float)(int32_t)(bits % 200000) / 10000;
            memcpy(&value[thr_random_below(&r, c.n)], round % 8 < 4 ? &x : (void *)&bits, sizeof x);
        }
        if (!thr_pack_decimals(value, c.n, c.number, &c.packed))
            continue;
        taken += c.n > 0;
        char *p = malloc((size_t)thr_packed_size(c.n, c.packed.bits));
        assert_non_null(p);
        thr_pack(c.number, c.n, c.packed.bits, p);
        c.packed.p = p;
        check_values(&c, value, thr_unpack_values);
        check_values(&c, value, thr_unpack_values_plain);
        free(p);
    }
    assert_true(taken > 1000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_columns_of_every_width_unpack_as_packed),
        cmocka_unit_test(test_bits_needed_are_those_of_the_largest_number),
        cmocka_unit_test(test_short_decimals_are_packed_and_no_others),
        cmocka_unit_test(test_any_values),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
