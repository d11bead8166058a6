/* What learning from arrays in memory costs, beside the plainest loop over the same arrays.
 *
 *   arrays FILE LEARNER
 *
 * FILE is svmlight with two labels. Its examples become a matrix in CSR form (32-bit columns,
 * floats), in memory, before anything is timed. Then, for each line of the standard input, a round
 * makes one pass of
 *
 *   loop       a passive-aggressive rule (PA-I, C = 1) over the arrays, without a check
 *   learn      a new model and thr_learn_csr
 *   batch      a new model; thr_batch_csr and thr_learn, a thousand rows at a time
 *   score      thr_score_csr with the model that was learned
 *
 * in turns, so that a busy machine is busy for all of them. For each pass a line is printed: its
 * name, nanoseconds of processor time per entry, and its accuracy (while learning, before each
 * label was used). bench/arrays makes a table of the lines. */
#include "thresh.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define PORTION 1000

typedef struct matrix {
    size_t rows, nonzeros, columns; /* no column is as great as `columns` */
    size_t row_room, room;
    int64_t *offset;
    int32_t *column;
    float *value;
    double *label;
} matrix;

static void stop(const char *why)
{
    fprintf(stderr, "arrays: %s\n", why);
    exit(1);
}

static void check(int code, const thr_error *err)
{
    if (code)
        stop(err->message);
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---- reading ------------------------------------------------------------------------------ */

static void *grown(void *p, size_t n, size_t size)
{
    void *q = realloc(p, n * size);
    if (!q)
        stop("out of memory");
    return q;
}

static void add_row(matrix *m, double label)
{
    if (m->rows + 2 > m->row_room) {
        m->row_room = 2 * m->row_room + 1024;
        m->offset = grown(m->offset, m->row_room, sizeof *m->offset);
        m->label = grown(m->label, m->row_room, sizeof *m->label);
    }
    m->label[m->rows] = label;
    m->offset[m->rows++] = (int64_t)m->nonzeros;
    m->offset[m->rows] = (int64_t)m->nonzeros;
}

static void add_entry(matrix *m, long column, float value)
{
    if (m->nonzeros == m->room) {
        m->room = 2 * m->room + 65536;
        m->column = grown(m->column, m->room, sizeof *m->column);
        m->value = grown(m->value, m->room, sizeof *m->value);
    }
    if (column < 0 || column >= INT32_MAX)
        stop("a column is out of range");
    m->columns = (size_t)column >= m->columns ? (size_t)column + 1 : m->columns;
    m->column[m->nonzeros] = (int32_t)column;
    m->value[m->nonzeros++] = value;
    m->offset[m->rows] = (int64_t)m->nonzeros;
}

static void read_matrix(matrix *m, const char *name)
{
    static char line[1 << 20];
    FILE *f = fopen(name, "r");
    if (!f)
        stop("cannot open the file");
    while (fgets(line, sizeof line, f)) {
        char *p = line;
        add_row(m, strtod(p, &p));
        while (*p == ' ') {
            long column = strtol(p, &p, 10);
            if (*p != ':')
                break;
            add_entry(m, column, strtof(p + 1, &p));
        }
    }
    fclose(f);
    if (m->nonzeros == 0)
        stop("the file has no entries");
}

/* ---- the plain loop ----------------------------------------------------------------------- */

/* Two sums, so that additions overlap. */
static inline float dot(const float *w, const int32_t *column, const float *x, size_t n)
{
    float a = 0, b = 0;
    size_t i = 0;
    for (; i + 2 <= n; i += 2) {
        a += w[column[i]] * x[i];
        b += w[column[i + 1]] * x[i + 1];
    }
    return i < n ? a + b + w[column[i]] * x[i] : a + b;
}

static inline float learn_row(float *w, float y, const int32_t *column, const float *x, size_t n)
{
    float score = dot(w, column, x, n), loss = 1 - y * score, norm2 = 0;
    if (loss <= 0)
        return score;
    for (size_t i = 0; i < n; i++)
        norm2 += x[i] * x[i];
    float tau = loss / norm2;
    tau = (tau < 1 ? tau : 1) * y;
    for (size_t i = 0; i < n; i++)
        w[column[i]] += tau * x[i];
    return score;
}

static size_t pass_loop(const matrix *m)
{
    float *w = calloc(m->columns, sizeof *w);
    size_t wrong = 0;
    if (!w)
        stop("out of memory");
    for (size_t r = 0; r < m->rows; r++) {
        size_t from = (size_t)m->offset[r], n = (size_t)m->offset[r + 1] - from;
        float y = m->label[r] > 0 ? 1 : -1;
        wrong += learn_row(w, y, m->column + from, m->value + from, n) * y <= 0;
    }
    free(w);
    return wrong;
}

/* ---- thresh ------------------------------------------------------------------------------- */

static thr_model *model_of(const char *learner)
{
    thr_error err;
    thr_settings *s = thr_settings_new();
    if (!s)
        stop("out of memory");
    check(thr_settings_set(s, "learner", learner, &err), &err);
    thr_model *m = thr_model_new(s, &err);
    check(m ? 0 : err.code, &err);
    thr_settings_free(s);
    return m;
}

static thr_csr rows_of(const matrix *m, size_t from, size_t rows)
{
    return (thr_csr){.rows = rows,
                     .nonzeros = m->nonzeros,
                     .offsets = m->offset + from,
                     .columns = m->column,
                     .values = m->value,
                     .wide_offsets = true,
                     .about.labels = m->label + from};
}

static size_t mistakes_of(const thr_model *m)
{
    thr_stats s;
    thr_model_stats(m, &s);
    return s.mistakes;
}

static void pass_batch(const matrix *x, thr_model *m)
{
    thr_error err;
    thr_batch *b = thr_batch_new();
    thr_scratch *s = thr_scratch_new();
    for (size_t r = 0; r < x->rows; r += PORTION) {
        size_t left = x->rows - r;
        thr_csr c = rows_of(x, r, left < PORTION ? left : PORTION);
        thr_batch_clear(b);
        check(thr_batch_csr(b, m, &c, &err), &err);
        check(thr_learn(m, s, b, NULL, &err), &err);
    }
    thr_scratch_free(s);
    thr_batch_free(b);
}

static void pass_learn(const matrix *x, thr_model *m)
{
    thr_error err;
    thr_scratch *s = thr_scratch_new();
    thr_csr c = rows_of(x, 0, x->rows);
    check(thr_learn_csr(m, s, &c, NULL, &err), &err);
    thr_scratch_free(s);
}

static size_t pass_score(const matrix *x, const thr_model *m, int32_t *predicted)
{
    thr_error err;
    thr_scratch *s = thr_scratch_new();
    thr_csr c = rows_of(x, 0, x->rows);
    check(thr_score_csr(m, s, &c, predicted, NULL, &err), &err);
    thr_scratch_free(s);
    size_t wrong = 0;
    for (size_t r = 0; r < x->rows; r++)
        wrong += strtod(thr_model_label(m, (size_t)predicted[r]), NULL) != x->label[r];
    return wrong;
}

/* ---- rounds ------------------------------------------------------------------------------- */

static void tell(const char *what, const matrix *x, double seconds, size_t mistakes)
{
    printf("%s\t%.3f\t%.4f\n", what, seconds * 1e9 / (double)x->nonzeros,
           1 - (double)mistakes / (double)x->rows);
    fflush(stdout);
}

static void one_round(const matrix *x, const char *learner, int32_t *predicted)
{
    double begun = now();
    size_t wrong = pass_loop(x);
    tell("loop", x, now() - begun, wrong);
    begun = now();
    thr_model *m = model_of(learner);
    pass_learn(x, m);
    tell("learn", x, now() - begun, mistakes_of(m));
    begun = now();
    wrong = pass_score(x, m, predicted);
    tell("score", x, now() - begun, wrong);
    thr_model_free(m);
    begun = now();
    m = model_of(learner);
    pass_batch(x, m);
    tell("batch", x, now() - begun, mistakes_of(m));
    thr_model_free(m);
}

int main(int argc, char **argv)
{
    matrix x = {0};
    char line[16];
    if (argc != 3)
        stop("usage: arrays FILE LEARNER");
    read_matrix(&x, argv[1]);
    int32_t *predicted = grown(NULL, x.rows, sizeof *predicted);
    while (fgets(line, sizeof line, stdin))
        one_round(&x, argv[2], predicted);
    free(predicted);
    free(x.offset);
    free(x.column);
    free(x.value);
    free(x.label);
    return 0;
}
