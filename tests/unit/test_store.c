/* Examples kept for later passes: nothing is lost, and the order is a function of (seed, pass). */
#include "model_help.h"

#include "input/store.h"

enum { ROWS = 500 };

/* Batches of growing size; each is wiped after it was kept. */
static void fill(thr_store *s)
{
    thr_batch b;
    thr_batch_init(&b);
    char text[32];
    for (uint32_t row = 0; row < ROWS;) {
        thr_batch_reset(&b);
        for (uint32_t n = row % 37; n-- && row < ROWS; row++) {
            thr_batch_open(&b, row);
            int k = snprintf(text, sizeof text, "label %u", row % 7);
            thr_batch_label(&b, (thr_str){thr_arena_copy(&b.arena, text, (size_t)k), (size_t)k});
            for (uint32_t i = 0; i < row % 5; i++)
                thr_batch_push(&b, i, row % 3 ? 1 : (float)row);
            thr_batch_close(&b);
        }
        b.id = malloc((b.n_features + 1) * sizeof *b.id);
        assert_non_null(b.id);
        for (size_t i = 0; i < b.n_features; i++)
            b.id[i] = (uint32_t)(s->all.n_features + i);
        assert_true(thr_store_add(s, &b));
        free(b.id);
        b.id = NULL;
        row += row == 0 || row % 37 == 0;
    }
    thr_batch_release(&b);
}

static void test_examples_come_back_as_they_were_stored(void **state)
{
    (void)state;
    thr_store s = {0};
    fill(&s);
    assert_true(s.all.n > ROWS - 30);
    for (size_t e = 0; e < s.all.n; e++) {
        uint32_t row = s.all.about[e].line;
        char text[32];
        snprintf(text, sizeof text, "label %u", row % 7);
        assert_true(thr_str_eq(s.all.about[e].label, thr_str_of(text)));
        assert_int_equal(s.all.start[e + 1] - s.all.start[e], row % 5);
        for (size_t i = s.all.start[e]; i < s.all.start[e + 1]; i++) {
            assert_int_equal(s.all.id[i], i);
            assert_true(thr_batch_value(&s.all, i) == (row % 3 ? 1 : (float)row));
        }
    }
    thr_store_clear(&s);
    thr_store_clear(&s);
}

static size_t same_places(const size_t *a, const size_t *b, size_t n)
{
    size_t same = 0;
    for (size_t i = 0; i < n; i++)
        same += a[i] == b[i];
    return same;
}

static void test_order_is_a_permutation_set_by_seed_and_pass(void **state)
{
    (void)state;
    thr_store s = {0};
    fill(&s);
    size_t n = s.all.n, orders[3][ROWS];
    assert_true(thr_store_order(&s, NULL, 5));
    for (size_t i = 0; i < n; i++)
        assert_int_equal(s.order[i], i);
    for (uint64_t k = 0; k < 3; k++) { /* (1, 0), (1, 1), (2, 0) */
        uint64_t seed = k < 2 ? 1 : 2;
        bool seen[ROWS] = {0};
        assert_true(thr_store_order(&s, &seed, k == 1));
        for (size_t i = 0; i < n; i++) {
            assert_true(s.order[i] < n && !seen[s.order[i]]);
            seen[s.order[i]] = true;
        }
        memcpy(orders[k], s.order, n * sizeof *s.order);
        assert_true(thr_store_order(&s, &seed, k == 1)); /* again the same */
        assert_int_equal(same_places(orders[k], s.order, n), n);
    }
    assert_true(same_places(orders[0], orders[1], n) < 20);
    assert_true(same_places(orders[0], orders[2], n) < 20);
    assert_true(same_places(orders[1], orders[2], n) < 20);
    thr_store_clear(&s);
}

/* Passes 2 and then 3 more are the same as 5, shuffled or not. */
static void test_passes_add_up(void **state)
{
    (void)state;
    thr_bytes text = random_lines(3, 200, 3, true);
    for (int shuffle = 0; shuffle < 2; shuffle++) {
        thr_model *m[2] = {make_model("pa", NULL), make_model("pa", NULL)};
        for (int i = 0; i < 3; i++) {
            thr_error err = {0};
            thr_input *in = thr_input_new();
            assert_int_equal(thr_input_add_memory(in, text.p, text.n, "memory", &err), 0);
            assert_int_equal(thr_input_set_format(in, "vw", &err), 0);
            thr_train_options o = {
                .passes = (unsigned[]){5, 2, 3}[i], .shuffle = shuffle, .seed = 11};
            assert_int_equal(thr_train(m[i > 0], in, &o, NULL, &err), 0);
            thr_input_free(in);
        }
        assert_same_model(m[0], m[1]);
        thr_model_free(m[0]);
        thr_model_free(m[1]);
    }
    thr_bytes_clear(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_examples_come_back_as_they_were_stored),
        cmocka_unit_test(test_order_is_a_permutation_set_by_seed_and_pass),
        cmocka_unit_test(test_passes_add_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
