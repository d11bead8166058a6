/* Learning from arrays directly: the model is the one that the same rows teach as svmlight text, to
 * the bit, for every width, in one call or in several, mixed with text; predictions are those of a
 * batch; what is refused has taught nothing. */
#include "model_help.h"

#include <math.h>

enum { ROWS = 3000, LABELS = 3, WIDE = 5 }; /* several portions, by rows and by features */

/* The same rows in every width, and as lines of svmlight. */
typedef struct matrix {
    int32_t offset[ROWS + 1], *column;
    int64_t offset64[ROWS + 1], *column64;
    float *value;
    double *value64, label[ROWS];
    size_t n, line[ROWS + 1]; /* entries; where lines begin */
    thr_bytes text;
} matrix;

/* What rows may have. */
enum { NEGATIVE = 1, LARGE = 2, HUGE_IDS = 4 };

static int64_t draw_column(thr_random *r, unsigned with)
{
    uint64_t kind = thr_random_below(r, 16);
    int64_t column = (int64_t)thr_random_below(r, 300);
    if (kind == 0 && with & LARGE)
        return (1 << 24) + column % 50;
    if (kind == 1 && with & HUGE_IDS)
        return INT64_C(5000000000) + column % 50;
    return kind < 8 ? column % 20 : column;
}

/* Unsorted and repeated columns, zeros, rows without entries. */
static matrix *make_matrix(uint64_t seed, unsigned with)
{
    thr_random r;
    matrix *x = calloc(1, sizeof *x);
    size_t most = ROWS * 12;
    thr_random_init(&r, seed);
    x->column = calloc(most, sizeof *x->column);
    x->column64 = calloc(most, sizeof *x->column64);
    x->value = calloc(most, sizeof *x->value);
    x->value64 = calloc(most, sizeof *x->value64);
    for (size_t i = 0; i < ROWS; i++) {
        x->label[i] = (double)thr_random_below(&r, LABELS) - 1;
        assert_true(thr_bytes_printf(&x->text, "%g", x->label[i]));
        for (size_t k = thr_random_below(&r, 12); k-- > 0; x->n++) {
            double v = (double)(1 + thr_random_below(&r, 4)) / 4;
            v = thr_random_below(&r, 20) ? v : 0;
            v = with & NEGATIVE && thr_random_below(&r, 3) == 0 ? -v : v;
            int64_t column = draw_column(&r, with);
            x->column64[x->n] = column;
            x->column[x->n] = (int32_t)column;
            x->value64[x->n] = x->value[x->n] = (float)v;
            assert_true(thr_bytes_printf(&x->text, " %lld:%g", (long long)column, v));
        }
        assert_true(thr_bytes_add(&x->text, "\n", 1));
        x->offset64[i + 1] = x->offset[i + 1] = (int32_t)x->n;
        x->line[i + 1] = x->text.n;
    }
    return x;
}

static void free_matrix(matrix *x)
{
    free(x->column);
    free(x->column64);
    free(x->value);
    free(x->value64);
    thr_bytes_clear(&x->text);
    free(x);
}

/* Rows from..to; bits 0 to 2 of `width` choose 64 bits for offsets, columns and values. */
static thr_csr rows_of(const matrix *x, size_t from, size_t to, unsigned width)
{
    return (thr_csr){.rows = to - from,
                     .nonzeros = x->n,
                     .offsets = width & 1 ? (const void *)(x->offset64 + from) : x->offset + from,
                     .columns = width & 2 ? (const void *)x->column64 : x->column,
                     .values = width & 4 ? (const void *)x->value64 : x->value,
                     .wide_offsets = width & 1,
                     .wide_columns = width & 2,
                     .wide_values = width & 4,
                     .about.labels = x->label + from};
}

static void learn(thr_model *m, thr_scratch *s, const matrix *x, size_t from, size_t to,
                  unsigned width)
{
    thr_error err = {0};
    thr_csr c = rows_of(x, from, to, width);
    if (thr_learn_csr(m, s, &c, NULL, &err))
        fail_msg("%s", err.message);
}

static void read_lines(thr_model *m, const matrix *x, size_t from, size_t to)
{
    teach_bytes(m, "svmlight", x->text.p + x->line[from], x->line[to] - x->line[from]);
}

/* ---- the same model ---- */

static const struct {
    const char *learner, *settings;
    unsigned with;
} kinds[] = {
    {"panel", NULL, NEGATIVE},
    {"pa", NULL, NEGATIVE | LARGE},
    {"pa:averaged=off", NULL, NEGATIVE | LARGE | HUGE_IDS},
    {"pa:averaged=off,bias=off", "unit=on", NEGATIVE},
    {"perceptron", "hash-bits=6", NEGATIVE | LARGE | HUGE_IDS},
    {"arow", "min-count=3", NEGATIVE},
    {"pa", "max-features=100", NEGATIVE},
    {"adagrad", "class-weights=balanced", NEGATIVE},
    {"winnow", NULL, LARGE},
    {"bayes", NULL, 0},
    {"knn", NULL, 0},
    {"lms", NULL, NEGATIVE},
    {"pa", "multilabel=on", NEGATIVE},
    {"pa", "conjoin=2", NEGATIVE},
};
enum { KINDS = sizeof kinds / sizeof *kinds };

/* Both models begin with some lines of text, which also says which format the model remembers. */
static void test_arrays_teach_what_svmlight_text_teaches(void **state)
{
    (void)state;
    for (unsigned k = 0; k < KINDS; k++) {
        matrix *x = make_matrix(k + 1, kinds[k].with);
        thr_model *m = make_model(kinds[k].learner, kinds[k].settings);
        thr_model *want = make_model(kinds[k].learner, kinds[k].settings);
        read_lines(want, x, 0, ROWS);
        read_lines(m, x, 0, 10);
        learn(m, NULL, x, 10, ROWS, kinds[k].with & HUGE_IDS ? 2 | k : k);
        assert_same_model(m, want);
        thr_model_free(m);
        thr_model_free(want);
        free_matrix(x);
    }
}

static void test_every_width_teaches_the_same(void **state)
{
    (void)state;
    matrix *x = make_matrix(77, NEGATIVE | LARGE);
    thr_model *want = NULL;
    for (unsigned width = 0; width < 8; width++) {
        thr_model *m = make_model("pa", NULL);
        learn(m, NULL, x, 0, ROWS, width);
        if (want)
            assert_same_model(m, want);
        else
            want = m;
        if (m != want)
            thr_model_free(m);
    }
    thr_model_free(want);
    free_matrix(x);
}

/* The model as it is after it was saved and opened again. */
static thr_model *reopened(thr_model *m)
{
    thr_error err = {0};
    thr_bytes b = dumped(m, false);
    thr_model *again = thr_model_load(b.p, b.n, &err);
    if (!again)
        fail_msg("%s", err.message);
    thr_bytes_clear(&b);
    thr_model_free(m);
    return again;
}

/* One scratch serves all calls, and other calls between them. */
static void test_calls_may_be_cut_resumed_and_mixed_with_text(void **state)
{
    (void)state;
    for (unsigned k = 0; k < KINDS; k++) {
        matrix *x = make_matrix(k + 100, kinds[k].with);
        unsigned width = kinds[k].with & HUGE_IDS ? 2 : k;
        thr_model *m = make_model(kinds[k].learner, kinds[k].settings);
        thr_model *want = make_model(kinds[k].learner, kinds[k].settings);
        thr_scratch *s = thr_scratch_new();
        thr_csr c = rows_of(x, 1500, 1700, width);
        read_lines(want, x, 0, ROWS);
        read_lines(m, x, 0, 1);
        learn(m, s, x, 1, 1, width);
        learn(m, s, x, 1, 2, width);
        learn(m, s, x, 2, 900, width);
        m = reopened(m);
        learn(m, s, x, 900, 1000, width);
        const thr_model *shot = thr_model_snapshot(m, NULL);
        thr_bytes then = dumped(m, false);
        read_lines(m, x, 1000, 1500);
        thr_batch *b = thr_batch_new();
        assert_int_equal(thr_batch_csr(b, m, &c, NULL), 0);
        assert_int_equal(thr_learn(m, s, b, NULL, NULL), 0);
        learn(m, s, x, 1700, ROWS, width);
        assert_same_model(m, want);
        thr_bytes now = dumped(shot, false);
        assert_same_bytes(&then, &now);
        thr_bytes_clear(&then);
        thr_bytes_clear(&now);
        thr_batch_free(b);
        thr_scratch_free(s);
        thr_model_free(shot);
        thr_model_free(m);
        thr_model_free(want);
        free_matrix(x);
    }
}

/* Names and numbers as labels, weights, no values. */
static void test_rows_are_learned_as_a_batch_of_them_is(void **state)
{
    (void)state;
    static const char *const name[] = {"a", "longer than eight", "c"};
    const char *names[ROWS];
    float weight[ROWS];
    double label[ROWS];
    int32_t predicted[2][ROWS];
    matrix *x = make_matrix(5, LARGE);
    for (size_t r = 0; r < ROWS; r++) {
        names[r] = name[(size_t)(x->label[r] + 1)];
        weight[r] = (float)(r % 4) / 2;
        label[r] = (double)(r % 150) / 3 - 1; /* more than are remembered as written */
    }
    for (unsigned k = 0; k < 4; k++) {
        thr_csr c = rows_of(x, 0, ROWS, k);
        c.about = (thr_row_data){.weights = weight, .label_names = k & 1 ? names : NULL};
        c.about.labels = k & 1 ? NULL : k == 2 ? label : x->label;
        c.values = k & 2 ? NULL : c.values;
        thr_model *m = make_model("pa", NULL), *want = make_model("pa", NULL);
        thr_batch *b = thr_batch_new();
        assert_int_equal(thr_batch_csr(b, want, &c, NULL), 0);
        assert_int_equal(thr_learn(want, NULL, b, predicted[0], NULL), 0);
        assert_int_equal(thr_learn_csr(m, NULL, &c, predicted[1], NULL), 0);
        assert_same_model(m, want);
        assert_memory_equal(predicted[0], predicted[1], sizeof *predicted);
        thr_batch_free(b);
        thr_model_free(m);
        thr_model_free(want);
    }
    free_matrix(x);
}

/* Dense rows of WIDE columns behind a stride, and the same in CSR. */
static void test_dense_rows_teach_what_sparse_ones_teach(void **state)
{
    (void)state;
    static float dense[ROWS * (WIDE + 2)];
    static double dense64[ROWS * WIDE];
    for (unsigned k = 0; k < KINDS; k++) {
        matrix *x = make_matrix(k + 30, kinds[k].with & NEGATIVE);
        for (size_t r = 0, n = 0; r < ROWS; r++) {
            for (size_t j = 0; j < WIDE; j++) {
                float v = x->value[r * WIDE + j]; /* zeros among them */
                dense[r * (WIDE + 2) + j] = v;
                dense64[r * WIDE + j] = v;
                x->column[n] = (int32_t)j;
                x->value64[n] = v;
                n += v != 0;
            }
            x->offset[r + 1] = (int32_t)n;
        }
        thr_model *m = make_model(kinds[k].learner, kinds[k].settings);
        thr_model *want = make_model(kinds[k].learner, kinds[k].settings);
        thr_dense d = {.rows = ROWS, .columns = WIDE, .about.labels = x->label};
        d.values = k & 1 ? (const void *)dense64 : dense;
        d.wide_values = k & 1;
        d.stride = k & 1 ? 0 : WIDE + 2;
        learn(want, NULL, x, 0, ROWS, 4);
        assert_int_equal(thr_learn_dense(m, NULL, &d, NULL, NULL), 0);
        assert_same_model(m, want);
        thr_model_free(m);
        thr_model_free(want);
        free_matrix(x);
    }
}

/* ---- predictions ---- */

static void test_predictions_are_those_of_a_batch(void **state)
{
    (void)state;
    enum { MOST = ROWS * LABELS };
    static double score[2][MOST], p[2][MOST];
    int32_t answer[4][ROWS];
    for (unsigned k = 0; k < KINDS; k++) {
        matrix *x = make_matrix(k + 50, kinds[k].with);
        unsigned width = kinds[k].with & HUGE_IDS ? 2 : k;
        bool number = strcmp(kinds[k].learner, "lms") == 0;
        thr_model *m = make_model(kinds[k].learner, kinds[k].settings);
        thr_scratch *s = thr_scratch_new();
        thr_batch *b = thr_batch_new();
        thr_csr c = rows_of(x, 0, ROWS, width);
        learn(m, s, x, 0, 200, width); /* the rest has columns that the model does not know */
        memset(score, 0, sizeof score);
        memset(p, 0, sizeof p);
        assert_int_equal(thr_batch_csr(b, m, &c, NULL), 0);
        assert_int_equal(thr_score(m, s, b, answer[0], score[0], NULL), 0);
        assert_int_equal(thr_score_csr(m, s, &c, answer[1], score[1], NULL), 0);
        int code = number ? THR_EUSE : 0;
        assert_int_equal(thr_probabilities(m, s, b, answer[2], p[0], NULL), code);
        assert_int_equal(thr_probabilities_csr(m, s, &c, answer[3], p[1], NULL), code);
        assert_memory_equal(score[0], score[1], sizeof *score);
        assert_memory_equal(p[0], p[1], sizeof *p);
        assert_memory_equal(answer[0], answer[1], sizeof *answer);
        if (!number)
            assert_memory_equal(answer[2], answer[3], sizeof *answer);
        assert_int_equal(thr_score_csr(m, s, &c, NULL, NULL, NULL), 0);
        thr_batch_free(b);
        thr_scratch_free(s);
        thr_model_free(m);
        free_matrix(x);
    }
}

static void test_dense_predictions_are_those_of_a_batch(void **state)
{
    (void)state;
    static const double values[] = {1, 0, 2, 0, 0, 0, 0.5, 1, 0};
    thr_dense d = {.rows = 3, .columns = 3, .values = values, .wide_values = true};
    double score[2][9], p[2][9];
    int32_t answer[3][3];
    matrix *x = make_matrix(9, 0);
    thr_model *m = make_model("panel", NULL);
    thr_scratch *s = thr_scratch_new();
    thr_batch *b = thr_batch_new();
    learn(m, s, x, 0, 500, 0);
    assert_int_equal(thr_batch_dense(b, m, &d, NULL), 0);
    assert_int_equal(thr_score(m, s, b, answer[0], score[0], NULL), 0);
    assert_int_equal(thr_probabilities(m, s, b, NULL, p[0], NULL), 0);
    assert_int_equal(thr_score_dense(m, s, &d, answer[1], score[1], NULL), 0);
    assert_int_equal(thr_probabilities_dense(m, s, &d, answer[2], p[1], NULL), 0);
    assert_memory_equal(score[0], score[1], sizeof *score);
    assert_memory_equal(p[0], p[1], sizeof *p);
    assert_memory_equal(answer[0], answer[1], sizeof *answer);
    assert_memory_equal(answer[0], answer[2], sizeof *answer);
    thr_batch_free(b);
    thr_scratch_free(s);
    thr_model_free(m);
    free_matrix(x);
}

/* ---- what is refused ---- */

/* Refused with that sentence, the model being as it was. */
static void refuse(thr_model *m, const thr_csr *c, const thr_dense *d, int code, const char *says)
{
    thr_error err = {0};
    thr_bytes before = dumped(m, false);
    assert_int_equal(
        d ? thr_learn_dense(m, NULL, d, NULL, &err) : thr_learn_csr(m, NULL, c, NULL, &err), code);
    assert_int_equal(err.code, code);
    if (!strstr(err.message, says))
        fail_msg("'%s' is not in '%s'", says, err.message);
    thr_bytes after = dumped(m, false);
    assert_same_bytes(&before, &after);
    thr_bytes_clear(&before);
    thr_bytes_clear(&after);
    thr_model_free(m);
}

static void test_bad_arrays_teach_nothing(void **state)
{
    (void)state;
    matrix *x = make_matrix(3, 0);
    size_t last = x->n - 1, row = ROWS - 1; /* far behind the first portion */
    while (x->offset[row] > (int32_t)last)
        row--;
    char says[32];
    snprintf(says, sizeof says, "row %zu", row);
    for (unsigned width = 0; width < 8; width++) {
        float value = x->value[last];
        thr_csr c = rows_of(x, 0, ROWS, width);
        x->value64[last] = x->value[last] = NAN;
        refuse(make_model("pa", NULL), &c, NULL, THR_EDATA, says);
        x->value64[last] = x->value[last] = -INFINITY;
        refuse(make_model("pa", NULL), &c, NULL, THR_EDATA, says);
        x->value64[last] = x->value[last] = value;
        x->column64[last] = x->column[last] = -1;
        refuse(make_model("pa", NULL), &c, NULL, THR_EDATA, says);
        x->column64[last] = x->column[last] = 1;
        x->offset64[ROWS] = ++x->offset[ROWS];
        refuse(make_model("pa", NULL), &c, NULL, THR_EUSE, "row 2999");
        x->offset64[ROWS] = --x->offset[ROWS];
    }
    thr_csr c = rows_of(x, 0, ROWS, 0);
    x->label[ROWS - 1] = INFINITY;
    refuse(make_model("pa", NULL), &c, NULL, THR_EDATA, "row 2999: the label");
    c.about.labels = NULL;
    refuse(make_model("pa", NULL), &c, NULL, THR_EDATA, "row 0 has no label");
    refuse(make_model("pa", NULL), NULL, NULL, THR_EUSE, "missing");
    free_matrix(x);
}

static void test_rows_that_the_model_cannot_take_teach_nothing(void **state)
{
    (void)state;
    const char *names[ROWS];
    matrix *x = make_matrix(4, 0);
    thr_csr c = rows_of(x, 0, ROWS, 0);
    size_t last = x->n - 1, row = ROWS - 1;
    while (x->offset[row] > (int32_t)last)
        row--;
    char says[32];
    snprintf(says, sizeof says, "row %zu: feature", row);
    thr_model *few = make_model("pa", NULL);
    thr_model_set_max_labels(few, LABELS - 1);
    refuse(few, &c, NULL, THR_EDATA, "labels");
    x->column[last] = 299;
    x->value[last] = -100;
    refuse(make_model("bayes", NULL), &c, NULL, THR_EDATA, says);
    for (size_t r = 0; r < ROWS; r++)
        names[r] = "1";
    names[ROWS - 1] = "one";
    c.about = (thr_row_data){.label_names = names};
    refuse(make_model("lms", NULL), &c, NULL, THR_EDATA, "row 2999: the label 'one'");
    for (size_t r = 0; r + 1 < ROWS; r++) /* one row is too long for the ceiling */
        x->offset[r + 1] = 0;
    names[ROWS - 1] = "2";
    refuse(make_model("pa", "max-features=2"), &c, NULL, THR_EDATA, "row 2999: this example");
    names[ROWS - 1] = NULL;
    refuse(make_model("pa", NULL), &c, NULL, THR_EDATA, "row 2999 has no label");
    free_matrix(x);
}

static void test_rows_of_too_many_conjunctions_teach_nothing(void **state)
{
    (void)state;
    enum { LONG = 1500 }; /* more than a million pairs */
    matrix *x = make_matrix(6, 0);
    static int32_t column[ROWS + LONG];
    for (int32_t r = 0; r <= ROWS; r++)
        x->offset[r] = r;
    x->offset[ROWS] += LONG;
    for (int32_t i = 0; i < LONG; i++)
        column[ROWS + i] = i;
    thr_csr c = rows_of(x, 0, ROWS, 0);
    c.columns = column;
    c.values = NULL;
    c.nonzeros = ROWS + LONG;
    refuse(make_model("pa", "conjoin=2"), &c, NULL, THR_EDATA, "row 2999: ");
    free_matrix(x);
}

static void test_bad_dense_rows_teach_nothing(void **state)
{
    (void)state;
    static float values[ROWS * WIDE];
    static double label[ROWS];
    thr_dense d = {.rows = ROWS, .columns = WIDE, .values = values, .about.labels = label};
    for (size_t i = 0; i < ROWS * WIDE; i++)
        values[i] = 1;
    values[ROWS * WIDE - 1] = NAN;
    refuse(make_model("pa", NULL), NULL, &d, THR_EDATA, "row 2999, column 4");
    values[ROWS * WIDE - 1] = -1;
    refuse(make_model("bayes", NULL), NULL, &d, THR_EDATA, "row 2999: feature '4'");
    d.about.labels = NULL;
    refuse(make_model("pa", NULL), NULL, &d, THR_EDATA, "row 0 has no label");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_arrays_teach_what_svmlight_text_teaches),
        cmocka_unit_test(test_every_width_teaches_the_same),
        cmocka_unit_test(test_calls_may_be_cut_resumed_and_mixed_with_text),
        cmocka_unit_test(test_rows_are_learned_as_a_batch_of_them_is),
        cmocka_unit_test(test_dense_rows_teach_what_sparse_ones_teach),
        cmocka_unit_test(test_predictions_are_those_of_a_batch),
        cmocka_unit_test(test_dense_predictions_are_those_of_a_batch),
        cmocka_unit_test(test_bad_arrays_teach_nothing),
        cmocka_unit_test(test_rows_that_the_model_cannot_take_teach_nothing),
        cmocka_unit_test(test_rows_of_too_many_conjunctions_teach_nothing),
        cmocka_unit_test(test_bad_dense_rows_teach_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
