/* Rows: their layout, when they come to be, how they widen, and those of several tables side by
 * side. */
#include "weights_help.h"

#include "base/large.h"

/* f64 slots first, each `width` long; rows with one are a multiple of 8 bytes. */
static void test_wide_slots_come_first_and_rows_are_aligned(void **state)
{
    (void)state;
    thr_weights w, narrow;
    thr_weights_init(&w, two_slots, 2);
    thr_weights_init(&narrow, two_slots + 1, 1);
    for (uint32_t width = 1; width < 10; width++) {
        assert_int_equal(thr_weights_offset(&w, 0, width), 0);
        assert_int_equal(thr_weights_offset(&w, 1, width), 8 * width);
        assert_int_equal(thr_weights_size(&w, width), (12 * width + 7) / 8 * 8);
        assert_int_equal(thr_weights_size(&narrow, width), 4 * width);
    }
    thr_weights_widen(&w, 3);
    ready(&w, 5);
    uint32_t stride = (uint32_t)thr_weights_size(&w, thr_segment_at(&w, 0)->width);
    assert_int_equal((char *)thr_weights_row_wide(&w, 5, 0) - thr_segment_at(&w, 0)->rows,
                     5 * stride);
    assert_int_equal((char *)thr_weights_row(&w, 5, 1) - (char *)thr_weights_row_wide(&w, 5, 0),
                     8 * thr_segment_at(&w, 0)->width);
    thr_weights_clear(&w);
    thr_weights_clear(&narrow);
}

/* Nothing stands for start values; neighbours in the segment begin with them too. */
static void test_rows_begin_with_their_start_values(void **state)
{
    (void)state;
    thr_weights w;
    thr_weights_init(&w, two_slots, 2);
    assert_true(thr_weights_get(&w, 77, 0, 0) == 0.25 && thr_weights_get(&w, 77, 1, 0) == 1.5);
    ready(&w, 2000);
    assert_int_equal(w.rows, 2001);
    assert_null(thr_segment_at(&w, 0)->rows); /* only the segment that was asked for */
    for (uint32_t id = 0; id < 3000; id += 100)
        assert_true(thr_weights_get(&w, id, 0, 0) == 0.25 && thr_weights_get(&w, id, 1, 0) == 1.5);
    assert_true(thr_weights_get(&w, THR_NONE, 1, 0) == 1.5);
    thr_weights_clear(&w);
}

/* A new label widens a segment when a row of it is next made ready; numbers stay in their place. */
static void test_new_labels_widen_rows_and_numbers_stay(void **state)
{
    (void)state;
    thr_weights w, copy;
    thr_weights_init(&w, two_slots, 2);
    ready(&w, 3);
    ready(&w, 1030);
    thr_weights_row(&w, 3, 1)[0] = 7;
    thr_weights_row_wide(&w, 1030, 0)[0] = 9;
    for (uint32_t n = 2; n < 40; n++) {
        thr_weights_widen(&w, n);
        uint32_t before = thr_segment_at(&w, 1)->width, last = w.functions - 1;
        ready(&w, 3);
        assert_true(thr_segment_at(&w, 0)->width >= w.functions);
        assert_int_equal(thr_segment_at(&w, 1)->width, before);
        assert_true(thr_weights_get(&w, 3, 1, 0) == 7);
        assert_true(thr_weights_get(&w, 3, 1, last) == 1.5);
        assert_true(thr_weights_get(&w, 1030, 0, last) == 0.25);
        thr_weights_row_wide(&w, 3, 0)[last] = last;
        for (uint32_t f = 1; f <= last; f++)
            assert_true(thr_weights_get(&w, 3, 0, f) == f);
    }
    thr_weights_widen(&w, 39);
    assert_int_equal(thr_weights_share(&w, &copy, true, NULL), 0);
    assert_int_equal(thr_weights_settle(&w, 5000, NULL), 0);
    assert_int_equal(w.rows, 5000);
    thr_weights *each[] = {&w, &copy};
    for (int i = 0; i < 2; i++) {
        assert_true(thr_weights_get(each[i], 3, 1, 0) == 7);
        assert_true(thr_weights_get(each[i], 1030, 0, 0) == 9);
        assert_true(thr_weights_get(each[i], 3, 0, 38) == 38);
        assert_true(thr_weights_get(each[i], 4999, 1, 38) == 1.5);
        thr_weights_clear(each[i]);
    }
}

/* An exported row is as wide as the functions, its padding zero, whatever the segment. */
static void test_exported_row_has_no_gaps_and_zero_padding(void **state)
{
    (void)state;
    thr_weights w;
    thr_weights_init(&w, two_slots, 2);
    ready(&w, 1);
    thr_weights_row(&w, 1, 1)[0] = 4;
    thr_weights_widen(&w, 3);
    char row[40], expected[40] = {0};
    assert_int_equal(thr_weights_size(&w, 3), sizeof row);
    for (uint32_t id = 0; id < 3; id++) {
        const double wide[] = {0.25, 0.25, 0.25};
        const float slim[] = {id == 1 ? 4 : 1.5F, 1.5F, 1.5F};
        memcpy(expected, wide, sizeof wide);
        memcpy(expected + sizeof wide, slim, sizeof slim);
        memset(row, 99, sizeof row);
        thr_weights_export(&w, id, row);
        assert_memory_equal(row, expected, sizeof row);
    }
    thr_weights_clear(&w);
}

/* ---- tables side by side ---- */

enum { TABLES = 3, WIDEST = 6 };

/* Tables as they should be, number by number. */
static float plain[TABLES][SPACE][WIDEST];

static void forget(int table)
{
    for (size_t id = 0; id < SPACE; id++)
        for (size_t f = 0; f < WIDEST; f++)
            plain[table][id][f] = 1.5F;
}

/* Reads the rows of an example as scoring does; writes them, if they were made ready. */
static void compare_found(thr_weights *const *w, const thr_example *whole, bool write,
                          thr_random *r)
{
    static char *row[TABLES * MOST];
    static _Alignas(8) char spare[1 << 16];
    assert_true(thr_weights_spare(w, TABLES, whole) <= sizeof spare);
    thr_weights_find(w, TABLES, whole, row, spare, sizeof spare);
    for (size_t k = 0; k < TABLES; k++)
        for (size_t i = 0; i < whole->n && w[k]->n_slots; i++) {
            thr_example e = *whole;
            e.row = row + k * whole->n;
            float *at = thr_row(w[k], &e, i, w[k]->n_slots - 1, 0);
            for (uint32_t f = 0; f < w[k]->functions; f++) {
                float *should = &plain[k][e.id[i]][f];
                assert_true(at[f] == *should);
                if (!write)
                    continue;
                at[f] = *should = (float)thr_random_normal(r);
                if (w[k]->n_wide)
                    *thr_row_wide(w[k], &e, i, 0, f) = 1;
            }
        }
}

/* Rows found ahead are those found in time. */
static void compare_ahead(thr_weights *const *w, const thr_example *e)
{
    static char *row[TABLES * MOST], *ahead[TABLES * MOST];
    thr_listed how;
    static _Alignas(8) char spare[1 << 16];
    thr_weights_find(w, TABLES, e, row, spare, sizeof spare);
    if (!thr_weights_find_ahead(w, TABLES, e->id, e->n, ahead, &how))
        return;
    for (size_t k = 0, at = 0; k < TABLES; at += thr_weights_aligned(w[k++]))
        for (size_t i = 0; i < e->n && w[k]->n_slots; i++) {
            const char *there = how.beside ? ahead[i] + at : ahead[k * e->n + i];
            assert_true(there == row[k * e->n + i] || (how.unseen && !there));
        }
}

static void read_and_compare(thr_weights *const *w)
{
    for (size_t k = 0; k < TABLES; k++)
        for (uint32_t id = 0; id < SPACE && w[k]->n_slots; id++)
            for (uint32_t f = 0; f < w[k]->functions; f++)
                assert_true(thr_weights_get(w[k], id, w[k]->n_slots - 1, f) ==
                            (double)plain[k][id][f]);
}

/* One table begins anew, or gets more functions, is changed by itself or replaced by its copy. */
static void upset(thr_weights *const *w, thr_random *r)
{
    int k = (int)thr_random_below(r, TABLES);
    thr_weights copy;
    switch (thr_random_below(r, 5)) {
    case 0:
        thr_weights_init(&copy, w[k]->slot, w[k]->n_slots);
        thr_weights_widen(&copy, w[k]->functions);
        forget(k);
        break;
    case 1:
        thr_weights_widen(w[k], w[k]->functions < WIDEST ? w[k]->functions + 1 : WIDEST);
        return;
    default:
        assert_int_equal(thr_weights_share(w[k], &copy, true, NULL), 0);
    }
    thr_weights_clear(w[k]);
    *w[k] = copy;
}

/* Some features below `most`, each at most once; returns the greatest. */
static uint32_t some_features(thr_random *r, uint64_t most, thr_example *e, uint32_t *id)
{
    uint32_t top = 0;
    e->n = (size_t)thr_random_below(r, MOST);
    for (size_t i = 0; i < e->n; i++) {
        id[i] = (uint32_t)thr_random_below(r, most);
        for (size_t j = 0; j < i; j++)
            e->n = id[j] == id[i] ? i : e->n;
        top = i < e->n && id[i] > top ? id[i] : top;
    }
    return top;
}

static void test_side_by_side(void **state)
{
    (void)state;
    thr_random r;
    thr_random_init(&r, 11);
    thr_weights table[TABLES], *w[TABLES];
    for (int k = 0; k < TABLES; k++) {
        w[k] = &table[k];
        forget(k);
    }
    thr_weights_init(w[0], two_slots + 1, 1); /* 4 bytes: what follows must be aligned */
    thr_weights_init(w[1], NULL, 0);
    thr_weights_init(w[2], two_slots, 2);
    for (uint64_t k = 0; k < 5000; k++) {
        uint32_t id[MOST];
        thr_example e = {.id = id, .scale = 1};
        uint32_t top = some_features(&r, k < SPACE ? k + 1 : SPACE, &e, id);
        bool moved;
        uint32_t later = top + (uint32_t)thr_random_below(&r, 40);
        assert_int_equal(thr_weights_cover(w, TABLES, &e, top, later, &moved, NULL), 0);
        compare_ahead(w, &e);
        compare_found(w, &e, true, &r);
        some_features(&r, SPACE, &e, id);
        compare_found(w, &e, false, &r);
        if (k % 40 == 0)
            upset(w, &r);
        if (k % 200 == 0)
            read_and_compare(w);
    }
    for (int k = 0; k < TABLES; k++)
        thr_weights_clear(w[k]);
}

/* A feature's rows are neighbours once tables have learned together. */
static void test_rows_of_a_feature_are_neighbours_in_all_tables(void **state)
{
    (void)state;
    thr_weights a, b, *w[] = {&a, &b};
    uint32_t id[] = {1, 1500};
    char *row[4], *ahead[4];
    _Alignas(8) char spare[64];
    thr_example e = {.id = id, .n = 2, .scale = 1};
    bool moved;
    thr_listed how;
    thr_weights_init(&a, two_slots, 2);
    thr_weights_init(&b, two_slots, 2);
    ready(&a, 1500); /* by itself at first */
    assert_false(thr_weights_find_ahead(w, 2, id, 2, ahead, &how));
    assert_int_equal(thr_weights_cover(w, 2, &e, 1500, 1500, &moved, NULL), 0);
    assert_true(moved);
    thr_weights_find(w, 2, &e, row, spare, sizeof spare);
    assert_true(row[2] == row[0] + 16 && row[3] == row[1] + 16);
    assert_true(thr_weights_find_ahead(w, 2, id, 2, ahead, &how) && how.beside == 32 &&
                memcmp(ahead, row, 2 * sizeof *row) == 0);
    assert_int_equal(thr_weights_cover(w, 2, &e, 1500, 4000, &moved, NULL), 0);
    assert_true(!moved && a.rows == 1501 && a.segments == 4);
    id[0] = 4000; /* its time is to come, but there is a row */
    assert_true(thr_weights_find_ahead(w, 2, id, 2, ahead, &how) && ahead[1] == row[1]);
    id[0] = 5000;
    assert_true(thr_weights_find_ahead(w, 2, id, 2, ahead, &how) && how.unseen && !how.beside);
    assert_true(!ahead[0] && ahead[1] == row[1] && !ahead[2] && ahead[3] == row[3]);
    assert_int_equal(thr_weights_unseen(w, 2, 2, ahead, NULL), 32);
    thr_weights_unseen(w, 2, 2, ahead, spare);
    assert_true(ahead[0] == spare && ahead[1] == row[1] && ahead[2] == spare + 16);
    assert_true(*(double *)(void *)spare == 0.25 && *(double *)(void *)(spare + 16) == 0.25);
    assert_true(a.unready == 0 && a.stride == 32 && b.stride == 32);
    thr_weights_clear(&a);
    thr_weights_clear(&b);
}

/* Rows of a map, most of which are then left out: what is odd and what does not fit is known. */
static void test_rows_left_out_leave_the_others_in_order(void **state)
{
    (void)state;
    enum { ROWS = 3 * THR_SEGMENT };
    static float rows[ROWS];
    static bool keep[ROWS];
    thr_weights w, *one = &w;
    uint32_t id[] = {0, 1};
    thr_example e = {.id = id, .n = 2, .scale = 1};
    bool moved;
    for (uint32_t i = 0; i < ROWS; i++) {
        rows[i] = (float)i;
        keep[i] = i % 100 == 7;
    }
    thr_weights_init(&w, two_slots + 1, 1);
    assert_int_equal(thr_weights_borrow(&w, (char *)rows, ROWS, NULL), 0);
    assert_int_equal(thr_weights_settle(&w, ROWS, NULL), 0);
    assert_int_equal(w.unready, 0);
    thr_weights_keep(&w, keep, ROWS);
    assert_true(w.rows == 32 && w.segments == 1 && w.unready == 1 && w.unreadable == 0);
    assert_int_equal(thr_weights_cover(&one, 1, &e, 1, 40, &moved, NULL), 0);
    assert_true(moved && w.unready == 0);
    assert_true(thr_weights_get(&w, 1, 0, 0) == 7 && thr_weights_get(&w, 31, 0, 0) == 3007);
    thr_weights_clear(&w);
}

/* What was made ahead for rows to come is made anew when rows become wider; else it would stay
 * unready until these rows come, and no row would be found the fast way until then. */
static void test_wider_rows_leave_nothing_unready(void **state)
{
    (void)state;
    thr_weights w, *one = &w;
    uint32_t id[] = {1, 2000};
    thr_example e = {.id = id, .n = 2, .scale = 1};
    char *row[2];
    bool moved;
    thr_weights_init(&w, two_slots, 2);
    assert_int_equal(thr_weights_cover(&one, 1, &e, 2000, 9000, &moved, NULL), 0);
    thr_weights_find(&one, 1, &e, row, NULL, 0);
    e.row = row;
    thr_weights_add(&w, 0, &e, 0, 7);
    double taught = thr_weights_get(&w, 1, 0, 0);
    assert_true(thr_weights_covered(&one, 1, 2000, 9000));
    thr_weights_widen(&w, 8);
    assert_int_equal(w.segments, 2);
    assert_false(thr_weights_covered(&one, 1, 2000, 9000));
    assert_int_equal(thr_weights_cover(&one, 1, &e, 2000, 9000, &moved, NULL), 0);
    assert_true(thr_weights_covered(&one, 1, 2000, 9000));
    assert_true(thr_weights_get(&w, 1, 0, 0) == taught && thr_weights_get(&w, 1, 0, 7) != taught);
    thr_weights_clear(&w);
}

/* A table that grows by huge pages has its rows one behind the other, as long as nothing is in the
 * way; each is found where it is, straight or not. */
static void test_rows_are_found_in_huge_pages_straight_or_not(void **state)
{
    (void)state;
    thr_weights w, *one = &w;
    uint32_t id[] = {1, 0, 2 * 131072 - 1, 131072, 131071, 262144, 999, 300000};
    enum { IDS = sizeof id / sizeof *id };
    char *row[IDS], *spare = NULL;
    thr_example e = {.id = id, .n = IDS, .scale = 1};
    bool moved;
    thr_weights_init(&w, two_slots, 2);
    assert_int_equal(thr_weights_cover(&one, 1, &e, 300000, 300000, &moved, NULL), 0);
    void *wall =
        thr_large_new_behind(thr_segment_at(&w, 0)->rows + w.segments * THR_SEGMENT * 16, THR_HUGE);
    for (uint32_t top = 300000; top < 700000; top += 130000) {
        assert_int_equal(thr_weights_cover(&one, 1, &e, top, top, &moved, NULL), 0);
        id[IDS - 1] = top;
        thr_weights_find(&one, 1, &e, row, spare, sizeof spare);
        for (size_t i = 0; i < IDS; i++)
            assert_ptr_equal(row[i], thr_weights_row_wide(&w, id[i], 0));
        assert_true(w.contiguous <= 3 * 128 && w.contiguous % 128 == 0);
        for (size_t i = 0; i < w.contiguous; i++)
            assert_ptr_equal(thr_segment_at(&w, i)->rows,
                             thr_segment_at(&w, 0)->rows + i * THR_SEGMENT * 16);
    }
    if (w.contiguous == 0)
        print_message("no place was found for rows one behind the other\n");
    thr_weights_widen(&w, 2);
    assert_int_equal(w.contiguous, 0);
    thr_large_free(wall, THR_HUGE);
    thr_weights_clear(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_wide_slots_come_first_and_rows_are_aligned),
        cmocka_unit_test(test_rows_begin_with_their_start_values),
        cmocka_unit_test(test_new_labels_widen_rows_and_numbers_stay),
        cmocka_unit_test(test_exported_row_has_no_gaps_and_zero_padding),
        cmocka_unit_test(test_side_by_side),
        cmocka_unit_test(test_rows_of_a_feature_are_neighbours_in_all_tables),
        cmocka_unit_test(test_rows_left_out_leave_the_others_in_order),
        cmocka_unit_test(test_wider_rows_leave_nothing_unready),
        cmocka_unit_test(test_rows_are_found_in_huge_pages_straight_or_not),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
