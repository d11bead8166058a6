/* Chunks of a map: each is checked when it is first touched, and how far all have been found good
 * is told as by looking at each. */
#include "base/guard.h"
#include "base/hash.h"
#include "base/random.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

enum { CHUNKS = 150, SIZE = CHUNKS * (int)THR_CHUNK - 1000 }; /* more than two words of bits */

static void guard_init(thr_guard *g, char *bytes, uint64_t *hash)
{
    for (size_t i = 0; i < SIZE; i++)
        bytes[i] = (char)(i * 7 >> 3);
    for (size_t c = 0; c < CHUNKS; c++) {
        size_t at = c * THR_CHUNK, left = SIZE - at;
        hash[c] = thr_hash(bytes + at, left < THR_CHUNK ? left : THR_CHUNK, 0);
    }
    *g = (thr_guard){.base = bytes, .size = SIZE, .hash = hash};
    g->good = calloc(thr_guard_words(SIZE), sizeof *g->good);
    assert_non_null(g->good);
}

static void check_reach(const thr_guard *g, thr_random *r)
{
    size_t from = thr_random_below(r, SIZE), n = thr_random_below(r, SIZE - from + 1), to = from;
    while (to < from + n && thr_guard_good(g, to / THR_CHUNK))
        to = (to / THR_CHUNK + 1) * THR_CHUNK;
    size_t wanted = to > from + n ? n : to - from;
    assert_int_equal(thr_guard_reach(g, g->base + from, n), wanted);
}

static void test_reach_ends_at_the_first_unchecked_chunk(void **state)
{
    (void)state;
    thr_guard g;
    thr_random r;
    static uint64_t hash[CHUNKS];
    char *bytes = malloc(SIZE);
    assert_non_null(bytes);
    guard_init(&g, bytes, hash);
    thr_random_init(&r, 3);
    for (size_t c = 0; c < CHUNKS; c++) { /* from the front, others here and there */
        assert_int_equal(thr_guard_reach(&g, bytes, SIZE), c * THR_CHUNK);
        assert_true(thr_guard_touch(&g, bytes + c * THR_CHUNK, 1));
        if (c == 20)
            assert_true(thr_guard_touch(&g, bytes + 100 * THR_CHUNK - 1, 2));
        for (int i = 0; i < 20; i++)
            check_reach(&g, &r);
        if (c == 98) {
            assert_int_equal(thr_guard_reach(&g, bytes + 5, SIZE - 5), 101 * THR_CHUNK - 5);
            c = 100;
        }
    }
    assert_int_equal(thr_guard_reach(&g, bytes, SIZE), SIZE);
    assert_int_equal(thr_guard_reach(&g, bytes + 3, 0), 0);
    assert_int_equal(thr_guard_reach(&g, &r, sizeof r), sizeof r); /* nothing of the map */
    free(g.good);
    free(bytes);
}

static void test_damaged_chunk_fails_all_that_touch_it_and_later(void **state)
{
    (void)state;
    thr_guard g;
    static uint64_t hash[CHUNKS];
    char *bytes = malloc(SIZE);
    assert_non_null(bytes);
    guard_init(&g, bytes, hash);
    bytes[70 * THR_CHUNK + 9]++;
    assert_true(thr_guard_touch(&g, bytes, 70 * THR_CHUNK));
    assert_int_equal(thr_guard_reach(&g, bytes, SIZE), 70 * THR_CHUNK);
    assert_false(thr_guard_touch(&g, bytes + 70 * THR_CHUNK - 1, 2));
    assert_false(thr_guard_touch(&g, bytes, 1));
    assert_int_equal(thr_guard_reach(&g, bytes, SIZE), 0);
    free(g.good);
    free(bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reach_ends_at_the_first_unchecked_chunk),
        cmocka_unit_test(test_damaged_chunk_fails_all_that_touch_it_and_later),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
