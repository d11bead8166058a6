/* Slabs (weights/slab.h), and large tables whose lists lie in them. */
#include "weights_help.h"

#include "weights/lists.h"
#include "weights/slab.h"

enum { FUNCTIONS = 300, ROWS = 24000, STEP = 50 };

/* Pieces are given up in another order than they were cut, the last of them after the table. */
static void pieces_are_apart_and_last(void **state)
{
    (void)state;
    enum { PIECES = 100 };
    thr_slab *now = NULL, *of[PIECES];
    char *piece[PIECES];
    for (size_t i = 0; i < PIECES; i++) {
        size_t bytes = i % 3 ? 100 * i + 1 : THR_SLAB_PIECE;
        piece[i] = thr_slab_cut(&now, bytes);
        of[i] = now;
        assert_true(piece[i] && (uintptr_t)piece[i] % THR_CACHE_LINE == 0);
        memset(piece[i], (int)i, bytes);
    }
    assert_true(of[0] != of[PIECES - 1]);
    thr_slab_drop(now);
    for (size_t i = 0; i < PIECES; i++) {
        size_t k = i * 37 % PIECES, bytes = k % 3 ? 100 * k + 1 : THR_SLAB_PIECE;
        assert_true(piece[k][0] == (char)k && piece[k][bytes - 1] == (char)k);
        thr_slab_drop(of[k]);
    }
    thr_slab_drop(NULL);
}

static double number(uint32_t id, uint32_t f)
{
    return f % STEP ? two_slots[1].start : (double)(id + f);
}

/* A listed table in which every STEP-th function of a row has moved. */
static void fill(thr_weights *w)
{
    thr_weights_init(w, two_slots, 2);
    w->may_list = true;
    thr_weights_widen(w, FUNCTIONS);
    size_t narrow = thr_weights_offset(w, 1, FUNCTIONS);
    char *plain = malloc(thr_weights_size(w, FUNCTIONS));
    assert_non_null(plain);
    thr_weights_begin_lists(w);
    for (uint32_t id = 0; id < ROWS; id++) {
        thr_row_start(w, plain, FUNCTIONS, 0);
        for (uint32_t f = 0; f < FUNCTIONS; f += STEP)
            ((float *)(void *)(plain + narrow))[f] = (float)number(id, f);
        assert_int_equal(thr_weights_append(w, plain, NULL), 0);
    }
    free(plain);
}

static void assert_filled(const thr_weights *w, double more)
{
    for (uint32_t id = 0; id < ROWS; id += 101)
        for (uint32_t f = 0; f < FUNCTIONS; f++) {
            bool moved = f % STEP == 0 && f == STEP && id % 1010 == 0;
            assert_bits(thr_weights_get(w, id, 1, f), number(id, f) + (moved ? more : 0));
        }
}

/* Moves one function of some rows. */
static void move(thr_weights *w, double by)
{
    for (uint32_t id = 0; id < ROWS; id += 1010) {
        thr_example e = {.id = &id, .n = 1, .scale = 1, .distinct = true, .known = ROWS}, view;
        const uint32_t f = STEP;
        ready(w, id);
        find(w, &e);
        assert_int_equal(thr_weights_reserve(w, &e, 1, NULL), 0);
        thr_weights_open(w, &e, &f, 1);
        thr_weights_view(w, &e, 0, f, &view);
        thr_weights_add(w, 1, &view, f, by);
        thr_weights_close(w, &e);
    }
}

/* The first of two tables to change lists that both have copies them, and either keeps its own when
 * the other one goes. */
static void tables_that_share_lists_keep_them(void **state)
{
    (void)state;
    for (int first = 0; first < 2; first++) {
        thr_weights w, other;
        fill(&w);
        assert_non_null(w.slab);
        assert_int_equal(thr_weights_share(&w, &other, true, NULL), 0);
        assert_null(other.slab);
        move(&w, 8);
        move(&other, 16);
        assert_filled(&w, 8);
        assert_filled(&other, 16);
        thr_weights_clear(first ? &w : &other);
        assert_filled(first ? &other : &w, first ? 16 : 8);
        thr_weights_clear(first ? &other : &w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pieces_are_apart_and_last),
        cmocka_unit_test(tables_that_share_lists_keep_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
