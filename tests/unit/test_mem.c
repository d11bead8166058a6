/* Growing arrays, byte strings and arenas. */
#include "base/mem.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static void test_strings_are_equal_by_length_and_bytes(void **state)
{
    (void)state;
    thr_str a = thr_str_of("abc");
    assert_int_equal(a.n, 3);
    assert_true(thr_str_eq(a, (thr_str){"abcd", 3}));
    assert_false(thr_str_eq(a, (thr_str){"abcd", 4}));
    assert_false(thr_str_eq(a, thr_str_of("abd")));
    assert_true(thr_str_eq(thr_str_of(""), thr_str_of(NULL)));
}

static void test_growing_doubles_and_keeps_the_content(void **state)
{
    (void)state;
    uint32_t *array = NULL;
    size_t room = 0, moves = 0;
    for (size_t i = 0; i < 100000; i++) {
        size_t before = room;
        assert_true(thr_grow(&array, &room, i + 1, sizeof *array));
        assert_true(room > i);
        moves += room != before;
        array[i] = (uint32_t)i;
    }
    assert_in_range(moves, 1, 20); /* doubling */
    for (size_t i = 0; i < 100000; i++)
        assert_int_equal(array[i], i);
    free(array);
}

static void test_grow_overflow(void **state)
{
    (void)state;
    uint64_t *array = NULL;
    size_t room = 0;
    assert_true(thr_grow(&array, &room, 4, sizeof *array));
    uint64_t *before = array;
    size_t room_before = room;
    array[0] = 77;
    /* 8 times that wraps round to 16. */
    assert_false(thr_grow(&array, &room, SIZE_MAX / 8 + 3, sizeof *array));
    assert_false(thr_grow(&array, &room, SIZE_MAX, sizeof *array));
    assert_ptr_equal(array, before);
    assert_int_equal(room, room_before);
    assert_true(array[0] == 77);
    free(array);
}

static void test_bytes_end_with_nul_and_refuse_overflow(void **state)
{
    (void)state;
    thr_bytes b = {0};
    assert_true(thr_bytes_add(&b, NULL, 0));
    assert_string_equal(b.p, "");
    for (int i = 0; i < 1000; i++)
        assert_true(thr_bytes_add(&b, "ab\0d", 4));
    assert_int_equal(b.n, 4000);
    assert_memory_equal(b.p + 3996, "ab\0d", 5); /* with the NUL behind it */
    assert_false(thr_bytes_add(&b, "", SIZE_MAX - 2000));
    assert_int_equal(b.n, 4000);
    thr_bytes_clear(&b);
    assert_true(b.p == NULL && b.n == 0 && b.room == 0);
}

static void test_bytes_printf(void **state)
{
    (void)state;
    thr_bytes b = {0};
    char expected[4096] = "";
    for (int i = 0; i < 200; i++) {
        char piece[16];
        snprintf(piece, sizeof piece, "%d-%s;", i, "x");
        strcat(expected, piece);
        assert_true(thr_bytes_printf(&b, "%d-%s;", i, "x"));
    }
    assert_int_equal(b.n, strlen(expected));
    assert_string_equal(b.p, expected);
    thr_bytes_clear(&b);
}

/* Pieces keep their place and content while others come, large ones among them. */
static void test_arena_pieces_keep_place_and_content(void **state)
{
    (void)state;
    enum { PIECES = 3000 };
    static char *piece[PIECES];
    thr_arena a = {0};
    for (int round = 0; round < 3; round++) {
        for (size_t i = 0; i < PIECES; i++) {
            size_t n = i % 500 == 499 ? 200000 : i % 97;
            piece[i] = thr_arena_take(&a, n);
            assert_non_null(piece[i]);
            memset(piece[i], (int)(i % 251), n);
        }
        for (size_t i = 0; i < PIECES; i++) {
            size_t n = i % 500 == 499 ? 200000 : i % 97;
            for (size_t j = 0; j < n; j++)
                if (piece[i][j] != (char)(i % 251))
                    fail_msg("piece %zu changed", i);
        }
        thr_arena_reset(&a);
    }
    thr_arena_clear(&a);
    assert_true(a.first == NULL && a.now == NULL);
}

/* Also at the end of a chunk, where the sanitizer would see it. */
static void test_arena_spares_bytes_behind_a_piece(void **state)
{
    (void)state;
    thr_arena a = {0};
    for (size_t n = 0; n < 3000; n++) {
        char *piece = thr_arena_take(&a, n);
        assert_non_null(piece);
        memset(piece, 1, n + THR_ARENA_SPARE);
    }
    thr_arena_clear(&a);
}

static void test_arena_reset_keeps_chunks(void **state)
{
    (void)state;
    thr_arena a = {0};
    char *first = thr_arena_take(&a, 100);
    for (int i = 0; i < 100; i++)
        assert_non_null(thr_arena_take(&a, 5000));
    thr_arena_reset(&a);
    assert_ptr_equal(thr_arena_take(&a, 100), first);
    thr_arena_clear(&a);
}

static void test_arena_copy(void **state)
{
    (void)state;
    thr_arena a = {0};
    char *copy = thr_arena_copy(&a, "hello world", 5);
    assert_string_equal(copy, "hello");
    assert_string_equal(thr_arena_copy(&a, NULL, 0), "");
    assert_string_equal(copy, "hello");
    assert_null(thr_arena_copy(&a, "x", SIZE_MAX));
    assert_null(thr_arena_take(&a, SIZE_MAX));
    assert_non_null(thr_arena_take(&a, 1));
    thr_arena_clear(&a);
    thr_arena_clear(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_strings_are_equal_by_length_and_bytes),
        cmocka_unit_test(test_growing_doubles_and_keeps_the_content),
        cmocka_unit_test(test_grow_overflow),
        cmocka_unit_test(test_bytes_end_with_nul_and_refuse_overflow),
        cmocka_unit_test(test_bytes_printf),
        cmocka_unit_test(test_arena_pieces_keep_place_and_content),
        cmocka_unit_test(test_arena_spares_bytes_behind_a_piece),
        cmocka_unit_test(test_arena_reset_keeps_chunks),
        cmocka_unit_test(test_arena_copy),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
