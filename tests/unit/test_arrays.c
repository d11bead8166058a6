/* Arrays of the caller as examples: all widths give the same batch, every offset is checked;
 * batches refuse models of other features; names are found; a text is classified. Only thresh.h is
 * included. */
#include "thresh.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { ROWS = 4, NONZEROS = 5, COLUMNS = 4 };
static const int32_t offsets32[] = {0, 2, 3, 3, 5}, columns32[] = {1, 3, 2, 1, 2};
static const int64_t offsets64[] = {0, 2, 3, 3, 5}, columns64[] = {1, 3, 2, 1, 2};
static const float values32[] = {1, 0.5F, 2, 1, -1};
static const double values64[] = {1, 0.5, 2, 1, -1};
static const float dense32[] = {0, 1, 0, 0.5F, 9, 0, 0, 2, 0, 9, 0, 0, 0, 0, 9, 0, 1, -1, 0};
static const double dense64[] = {0, 1, 0, 0.5, 0, 0, 2, 0, 0, 0, 0, 0, 0, 1, -1, 0};
static const double labels[] = {1, -1, 1, -1};
static const char *const names[] = {"1", "-1", "1", "-1"};
static const float weights[] = {1, 2, 1, 0.5F};

static thr_model *model(const char *learner, const char *name, const char *value)
{
    thr_settings *s = thr_settings_new();
    assert_int_equal(thr_settings_set(s, "learner", learner, NULL), 0);
    if (name)
        assert_int_equal(thr_settings_set(s, name, value, NULL), 0);
    thr_model *m = thr_model_new(s, NULL);
    assert_non_null(m);
    thr_settings_free(s);
    return m;
}

static thr_csr csr(void)
{
    return (thr_csr){.rows = ROWS,
                     .nonzeros = NONZEROS,
                     .offsets = offsets32,
                     .columns = columns32,
                     .values = values32,
                     .about = {.labels = labels, .weights = weights}};
}

static void learn_and_compare(thr_model *m, thr_batch *b, const thr_model *want)
{
    void *p[2];
    size_t n[2];
    assert_int_equal(thr_batch_size(b), ROWS);
    assert_int_equal(thr_learn(m, NULL, b, NULL, NULL), 0);
    if (want) {
        assert_int_equal(thr_model_dump(m, false, &p[0], &n[0], NULL), 0);
        assert_int_equal(thr_model_dump(want, false, &p[1], &n[1], NULL), 0);
        assert_int_equal(n[0], n[1]);
        assert_memory_equal(p[0], p[1], n[0]);
        free(p[0]);
        free(p[1]);
    }
    thr_batch_free(b);
}

static void test_all_widths_and_forms_give_the_same_model(void **state)
{
    (void)state;
    thr_model *want = NULL;
    for (unsigned i = 0; i < 20; i++) {
        thr_model *m = model("pa", NULL, NULL);
        thr_batch *b = thr_batch_new();
        thr_csr c = csr();
        c.wide_offsets = i & 1;
        c.wide_columns = i & 2;
        c.wide_values = i & 4;
        c.offsets = i & 1 ? (const void *)offsets64 : offsets32;
        c.columns = i & 2 ? (const void *)columns64 : columns32;
        c.values = i & 4 ? (const void *)values64 : values32;
        thr_dense d = {.rows = ROWS, .columns = COLUMNS, .wide_values = i & 4, .about = c.about};
        d.values = i & 4 ? (const void *)dense64 : dense32;
        d.stride = i & 4 ? 0 : COLUMNS + 1;
        if (i & 8) {
            c.about.labels = d.about.labels = NULL;
            c.about.label_names = d.about.label_names = names;
        }
        int code = i < 16 ? thr_batch_csr(b, m, &c, NULL) : thr_batch_dense(b, m, &d, NULL);
        assert_int_equal(code, 0);
        learn_and_compare(m, b, want);
        if (want)
            thr_model_free(m);
        else
            want = m;
    }
    thr_model_free(want);
}

static void test_values_may_be_left_out_and_labels_be_unknown(void **state)
{
    (void)state;
    static const char *const some[] = {"a", NULL, "b", NULL};
    thr_model *m = model("pa", NULL, NULL);
    thr_batch *b = thr_batch_new();
    thr_csr c = csr();
    c.values = NULL;
    c.about = (thr_row_data){.label_names = some};
    assert_int_equal(thr_batch_csr(b, m, &c, NULL), 0);
    assert_true(thr_batch_labelled(b, 0) && !thr_batch_labelled(b, 1));
    thr_csr nothing = {0};
    thr_dense none = {0}, flat = {.rows = 3};
    assert_int_equal(thr_batch_csr(b, m, &nothing, NULL), 0);
    assert_int_equal(thr_batch_dense(b, m, &none, NULL), 0);
    assert_int_equal(thr_batch_size(b), ROWS);
    assert_int_equal(thr_batch_dense(b, m, &flat, NULL), 0); /* rows without columns */
    assert_int_equal(thr_batch_size(b), ROWS + 3);
    thr_batch_free(b);
    thr_model_free(m);
}

/* Refused with that code and sentence, the batch being as it was. */
static void refuse(const thr_csr *c, const thr_dense *d, int code, const char *says)
{
    thr_model *m = model("pa", NULL, NULL);
    thr_batch *b = thr_batch_new();
    thr_csr good = csr();
    thr_error err = {0};
    assert_int_equal(thr_batch_csr(b, m, &good, NULL), 0);
    assert_int_equal(d ? thr_batch_dense(b, m, d, &err) : thr_batch_csr(b, m, c, &err), code);
    assert_int_equal(err.code, code);
    if (!strstr(err.message, says))
        fail_msg("'%s' is not in '%s'", says, err.message);
    assert_int_equal(thr_batch_size(b), ROWS);
    assert_int_equal(thr_learn(m, NULL, b, NULL, &err), 0);
    thr_batch_free(b);
    thr_model_free(m);
}

static void test_offsets_that_leave_the_arrays_are_refused(void **state)
{
    (void)state;
    static const struct {
        int64_t offset[ROWS + 1];
        const char *says;
    } bad[] = {
        {{-1, 2, 3, 3, 5}, "row 0: the offset -1"},
        {{6, 6, 6, 6, 6}, "row 0: the offset 6"},
        {{0, 2, 1, 3, 5}, "row 1: the offset of its end, 1, is below"},
        {{0, 2, 3, 3, 6}, "row 3: the offset of its end, 6, is beyond the 5"},
        {{0, INT64_MAX, 3, 3, 5}, "row 0: the offset of its end"},
        {{0, INT64_MIN, 3, 3, 5}, "row 0: the offset of its end"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        thr_csr c = csr();
        c.wide_offsets = true;
        c.offsets = bad[i].offset;
        refuse(&c, NULL, THR_EUSE, bad[i].says);
    }
    thr_csr c = csr();
    c.nonzeros = 4;
    refuse(&c, NULL, THR_EUSE, "row 3");
    c = csr();
    c.offsets = NULL;
    refuse(&c, NULL, THR_EUSE, "missing");
    c = csr();
    c.columns = NULL;
    refuse(&c, NULL, THR_EUSE, "missing");
    c = csr();
    c.rows = SIZE_MAX;
    refuse(&c, NULL, THR_EUSE, "missing");
    refuse(NULL, NULL, THR_EUSE, "missing");
}

static void test_numbers_that_are_none_are_refused_by_row_and_column(void **state)
{
    (void)state;
    double values[NONZEROS] = {1, 1, 1, 1, NAN};
    int32_t negative[NONZEROS] = {1, 3, -2, 1, 2};
    float weight[ROWS] = {1, 1, -1, 1};
    double label[ROWS] = {1, INFINITY, 1, 1};
    thr_csr c = csr();
    c.values = values;
    c.wide_values = true;
    refuse(&c, NULL, THR_EDATA, "row 3, column 2");
    values[4] = 1e300; /* finite, but not as a float */
    refuse(&c, NULL, THR_EDATA, "row 3, column 2");
    c = csr();
    c.columns = negative;
    refuse(&c, NULL, THR_EDATA, "row 1: the column -2");
    c = csr();
    c.about.weights = weight;
    refuse(&c, NULL, THR_EDATA, "row 2: the weight -1");
    c = csr();
    c.about.labels = label;
    refuse(&c, NULL, THR_EDATA, "row 1: the label");
    c = csr();
    c.about.label_names = names;
    refuse(&c, NULL, THR_EUSE, "not both");
    c = csr();
    c.reserved[7] = 1;
    refuse(&c, NULL, THR_EUSE, "thr_csr");
    c = csr();
    c.about.reserved[0] = 1;
    refuse(&c, NULL, THR_EUSE, "thr_row_data");
}

static void test_dense_rows_that_cannot_be_are_refused(void **state)
{
    (void)state;
    float values[] = {0, 1, INFINITY, 3};
    thr_dense d = {.rows = 2, .columns = 2, .values = values};
    refuse(NULL, &d, THR_EDATA, "row 1, column 0");
    d.stride = 1;
    refuse(NULL, &d, THR_EUSE, "stride");
    d = (thr_dense){.rows = SIZE_MAX / 4, .columns = 8, .values = values};
    refuse(NULL, &d, THR_EUSE, "memory");
    d = (thr_dense){.rows = 2, .columns = 2};
    refuse(NULL, &d, THR_EUSE, "missing");
    d = (thr_dense){.reserved = {1}};
    refuse(NULL, &d, THR_EUSE, "thr_dense");
}

/* ---- whose batch it is ---- */

static void add_text(thr_batch *b, const thr_model *m, const char *label, const char *text)
{
    thr_batch_begin(b);
    if (label)
        thr_batch_set_label(b, label);
    thr_batch_add_text(b, m, NULL, text, strlen(text));
    thr_batch_end(b, m);
}

static void assert_belongs(thr_model *m, thr_batch *b, bool belongs)
{
    thr_scratch *s = thr_scratch_new();
    thr_explanation e;
    thr_error err = {0};
    int want = belongs ? 0 : THR_EUSE;
    assert_int_equal(thr_learn(m, NULL, b, NULL, &err), want);
    assert_int_equal(thr_score(m, s, b, NULL, NULL, &err), want);
    assert_int_equal(thr_probabilities(m, s, b, NULL, NULL, &err), want);
    assert_int_equal(thr_explain_one(m, s, b, 0, &e, &err), want);
    assert_int_equal(thr_promote(m, NULL, b, 0, "x", &err), want);
    if (!belongs)
        assert_non_null(strstr(err.message, "feature settings"));
    thr_scratch_free(s);
}

static void test_a_batch_refuses_a_model_of_other_features(void **state)
{
    (void)state;
    static const char *const other[][2] = {{"ngrams", "2"},      {"values", "count"},
                                           {"tokens", "spaces"}, {"conjoin", "2"},
                                           {"cross", "a*b"},     {"char-ngrams", "2-3"}};
    thr_model *m = model("pa", NULL, NULL), *same = model("perceptron", NULL, NULL);
    for (size_t i = 0; i < sizeof other / sizeof *other; i++) {
        thr_batch *b = thr_batch_new();
        add_text(b, m, "x", "one two");
        add_text(b, m, "y", "three");
        thr_model *strange = model("pa", other[i][0], other[i][1]), *copy;
        assert_belongs(strange, b, false);
        assert_belongs(m, b, true);
        assert_non_null(copy = thr_model_clone(m, NULL));
        assert_belongs(copy, b, true);
        assert_belongs(same, b, true);
        add_text(b, strange, "x", "four"); /* one example of each */
        assert_belongs(m, b, false);
        assert_belongs(strange, b, false);
        thr_batch_clear(b);
        add_text(b, strange, "x", "four");
        assert_belongs(strange, b, true);
        thr_model_free(copy);
        thr_model_free(strange);
        thr_batch_free(b);
    }
    thr_model_free(same);
    thr_model_free(m);
}

/* ---- names and texts ---- */

static void test_features_and_labels_are_found_by_name(void **state)
{
    (void)state;
    for (int hashed = 0; hashed < 2; hashed++) {
        thr_model *m = model("pa", hashed ? "hash-bits" : NULL, "20");
        thr_batch *b = thr_batch_new();
        thr_error err = {0};
        thr_batch_begin(b);
        thr_batch_set_label(b, "yes");
        thr_batch_add(b, "ns", "word", 1);
        thr_batch_add(b, NULL, "word", 1);
        thr_batch_add_key(b, 7, 1);
        thr_batch_add_key(b, UINT64_C(5000000000), 1);
        thr_batch_end(b, m);
        assert_int_equal(thr_learn(m, NULL, b, NULL, NULL), 0);
        static const char *const found[][2] = {
            {"ns", "word"}, {NULL, "word"}, {"", "word"}, {"", "7"}, {NULL, "5000000000"}};
        for (size_t i = 0; i < 5; i++) {
            size_t f = 0;
            char name[64], want[64];
            assert_int_equal(thr_model_find_feature(m, found[i][0], found[i][1], &f, &err), 0);
            assert_true(f > 0 && f < thr_model_features(m));
            snprintf(want, sizeof want, "%s%s", i ? "" : "ns|", found[i][1]);
            thr_model_feature(m, f, name, sizeof name);
            if (!hashed)
                assert_string_equal(name, want);
        }
        static const char *const unknown[][2] = {{"ns", "7"}, {"sn", "word"}, {"", ""}, {"", "70"}};
        for (size_t i = 0; i < 4; i++) {
            size_t f = 0;
            assert_int_equal(thr_model_find_feature(m, unknown[i][0], unknown[i][1], &f, &err), 0);
            assert_true(f == THR_UNKNOWN_FEATURE);
        }
        size_t f;
        assert_int_equal(thr_model_find_feature(m, NULL, NULL, &f, &err), THR_EUSE);
        assert_int_equal(thr_model_find_label(m, "yes"), 0);
        assert_int_equal(thr_model_find_label(m, "no"), -1);
        assert_int_equal(thr_model_find_label(m, ""), -1);
        assert_int_equal(thr_model_find_label(m, NULL), -1);
        thr_batch_free(b);
        thr_model_free(m);
    }
}

static void test_classify_says_what_probabilities_say(void **state)
{
    (void)state;
    static const char *const learner[] = {"pa", "bayes", "panel", "knn"};
    static const char *const texts[] = {"cheap pills", "see you", "", "never met", "cheap cheap"};
    for (size_t l = 0; l < 4; l++) {
        thr_model *m = model(learner[l], NULL, NULL);
        thr_scratch *s = thr_scratch_new();
        thr_error err = {0};
        const char *label = "";
        double p = -1;
        assert_int_equal(thr_classify(m, s, "word", 4, &label, &p, &err), 0);
        assert_null(label); /* nothing is known yet */
        assert_true(p == 0);
        thr_batch *b = thr_batch_new();
        add_text(b, m, "spam", "cheap pills and watches");
        add_text(b, m, "ham", "see you at noon");
        add_text(b, m, "work", "the meeting at noon");
        assert_int_equal(thr_learn(m, NULL, b, NULL, NULL), 0);
        for (size_t i = 0; i < 5; i++) {
            int32_t best;
            double all[3];
            thr_batch_clear(b);
            add_text(b, m, NULL, texts[i]);
            assert_int_equal(thr_probabilities(m, s, b, &best, all, NULL), 0);
            assert_int_equal(thr_classify(m, s, texts[i], strlen(texts[i]), &label, &p, &err), 0);
            assert_string_equal(label, thr_model_label(m, (size_t)best));
            assert_true(p == all[best]);
            assert_int_equal(thr_classify(m, s, texts[i], strlen(texts[i]), &label, NULL, NULL), 0);
        }
        assert_int_equal(thr_classify(m, s, NULL, 0, &label, &p, &err), 0);
        assert_int_equal(thr_classify(m, s, NULL, 1, &label, &p, &err), THR_EUSE);
        thr_batch_free(b);
        thr_scratch_free(s);
        thr_model_free(m);
    }
}

static void test_classify_is_for_one_label(void **state)
{
    (void)state;
    thr_model *m[] = {model("lms", NULL, NULL), model("pa", "multilabel", "on")};
    for (int i = 0; i < 2; i++) {
        thr_scratch *s = thr_scratch_new();
        thr_error err = {0};
        const char *label;
        assert_int_equal(thr_classify(m[i], s, "word", 4, &label, NULL, &err), THR_EUSE);
        assert_true(err.message[0] != '\0');
        thr_scratch_free(s);
        thr_model_free(m[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_widths_and_forms_give_the_same_model),
        cmocka_unit_test(test_values_may_be_left_out_and_labels_be_unknown),
        cmocka_unit_test(test_offsets_that_leave_the_arrays_are_refused),
        cmocka_unit_test(test_numbers_that_are_none_are_refused_by_row_and_column),
        cmocka_unit_test(test_dense_rows_that_cannot_be_are_refused),
        cmocka_unit_test(test_a_batch_refuses_a_model_of_other_features),
        cmocka_unit_test(test_features_and_labels_are_found_by_name),
        cmocka_unit_test(test_classify_says_what_probabilities_say),
        cmocka_unit_test(test_classify_is_for_one_label),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
