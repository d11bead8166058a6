/* Ceilings on labels and memory: a batch that would lead beyond one changes nothing. */
#include "model_help.h"
#include "model/model.h"

/* Appends the line to a batch of its own, and learns it. */
static int learn(thr_model *m, const char *line, thr_error *err)
{
    thr_batch *b = thr_batch_new();
    int code = thr_batch_parse(b, m, "vw", true, line, strlen(line), err);
    if (code == 0)
        code = thr_learn(m, NULL, b, NULL, err);
    thr_batch_free(b);
    return code;
}

static thr_model *taught(void)
{
    thr_error err;
    thr_model *m = thr_model_new(NULL, &err);
    assert_non_null(m);
    assert_int_equal(learn(m, "a | x y", &err), 0);
    assert_int_equal(learn(m, "b | y z", &err), 0);
    return m;
}

static void test_labels_stop_at_the_ceiling(void **state)
{
    (void)state;
    thr_error err;
    thr_model *m = taught();
    thr_model_set_max_labels(m, 2);
    assert_int_equal(learn(m, "c | x new", &err), THR_EDATA);
    assert_non_null(strstr(err.message, "--max-labels"));
    assert_int_equal(thr_model_labels(m), 2);
    assert_int_equal(thr_model_features(m), 4);
    assert_int_equal(thr_model_declare_label(m, "c", &err), THR_EDATA);
    assert_int_equal(thr_model_labels(m), 2);
    assert_int_equal(learn(m, "a | x new", &err), 0);
    thr_model_set_max_labels(m, 3);
    assert_int_equal(learn(m, "c | x", &err), 0);
    thr_model_set_max_labels(m, 0);
    assert_int_equal(learn(m, "d | x", &err), 0);
    assert_int_equal(thr_model_labels(m), 4);
    thr_model_free(m);
}

static void test_memory_stops_growth_alone(void **state)
{
    (void)state;
    thr_error err;
    thr_model *m = taught();
    thr_model_set_memory(m, 1);
    assert_int_equal(learn(m, "a | x new", &err), THR_EDATA);
    assert_non_null(strstr(err.message, "--memory"));
    assert_int_equal(learn(m, "c | x", &err), THR_EDATA);
    assert_int_equal(thr_model_labels(m), 2);
    assert_int_equal(thr_model_features(m), 4);
    assert_int_equal(learn(m, "a | x z", &err), 0); /* brings nothing new */
    thr_model_set_memory(m, 1 << 30);
    assert_int_equal(learn(m, "c | x new", &err), 0);
    assert_int_equal(thr_model_features(m), 5);
    thr_model_free(m);
}

/* What is foreseen for names is never less than what they then take. */
static void test_names_take_no_more_than_foreseen(void **state)
{
    (void)state;
    thr_lexicon all, more;
    thr_error err;
    char name[24];
    uint32_t id;
    assert_int_equal(thr_lexicon_init(&all, 0, 0, &err), 0);
    for (uint64_t step = 0, at = 0; step < 12; step++) {
        assert_int_equal(thr_lexicon_init(&more, 0, 0, &err), 0);
        for (int round = 0; round < 2; round++) {
            uint64_t foreseen = round ? thr_lexicon_bytes(&all, &more) : 0;
            for (uint64_t i = at; i < at + (1u << step); i++) {
                snprintf(name, sizeof name, i % 3 ? "n%llu" : "%llu",
                         (unsigned long long)(i % 3 == 0 ? i * 5000 : i));
                assert_int_equal(thr_lexicon_add(round ? &all : &more, (thr_str){"", 0},
                                                 thr_str_of(name), &id, &err),
                                 0);
            }
            if (round)
                assert_true(thr_lexicon_bytes(&all, NULL) <= foreseen);
        }
        at += 1u << step;
        thr_lexicon_clear(&more);
    }
    thr_lexicon_clear(&all);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_labels_stop_at_the_ceiling),
        cmocka_unit_test(test_memory_stops_growth_alone),
        cmocka_unit_test(test_names_take_no_more_than_foreseen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
