/* Learns from a sparse matrix in CSR form, as numerical libraries have them, and scores a dense
 * one. */
#include <stdio.h>
#include <stdlib.h>
#include <thresh.h>

enum { ROWS = 4, NONZEROS = 6, COLUMNS = 3 };
static const int32_t offsets[ROWS + 1] = {0, 2, 3, 5, 6};
static const int32_t columns[NONZEROS] = {0, 2, 1, 0, 1, 1};
static const float values[NONZEROS] = {1, 0.5F, 2, 1, -1, 1};
static const double labels[ROWS] = {1, -1, 1, -1};
static const double dense[2 * COLUMNS] = {1, 0, 0, 0, 1, 0};

static int learn(thr_model *m, thr_scratch *s, thr_error *err)
{
    thr_csr rows = {.rows = ROWS,
                    .nonzeros = NONZEROS,
                    .offsets = offsets,
                    .columns = columns,
                    .values = values,
                    .about.labels = labels};
    int code = 0;
    for (int pass = 0; pass < 5 && code == 0; pass++)
        code = thr_learn_csr(m, s, &rows, NULL, err);
    return code;
}

static int score(const thr_model *m, thr_scratch *s, thr_error *err)
{
    thr_dense rows = {.rows = 2, .columns = COLUMNS, .values = dense, .wide_values = true};
    int32_t predicted[2];
    int code = thr_score_dense(m, s, &rows, predicted, NULL, err);
    for (int r = 0; r < 2 && code == 0; r++)
        printf("row %d: %s\n", r, thr_model_label(m, (size_t)predicted[r]));
    return code;
}

int main(void)
{
    thr_error err = {0};
    thr_settings *settings = thr_settings_new();
    thr_scratch *s = thr_scratch_new();
    thr_model *m = NULL;
    int code = settings && s ? thr_settings_set(settings, "learner", "perceptron", &err) : THR_EMEM;
    if (code == 0 && !(m = thr_model_new(settings, &err)))
        code = err.code;
    if (code == 0)
        code = learn(m, s, &err);
    if (code == 0)
        code = score(m, s, &err);
    if (code)
        fprintf(stderr, "%s\n", err.message);
    thr_model_free(m);
    thr_scratch_free(s);
    thr_settings_free(settings);
    return code ? EXIT_FAILURE : EXIT_SUCCESS;
}
