#include "streams.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

uint64_t stream_seeds(uint64_t usual)
{
    const char *times = getenv("THR_STREAMS");
    char *end;
    unsigned long long n = times ? strtoull(times, &end, 10) : 1;
    if (times && (end == times || *end || n < 1 || n > 1000000))
        fail_msg("THR_STREAMS=%s is not a number from 1 to 1000000", times);
    return usual * n;
}

/* ---- random numbers ---- */

static uint64_t dice_next(dice *d)
{
    uint64_t x = d->state += UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31);
}

double dice_real(dice *d)
{
    return (double)(dice_next(d) >> 11) * 0x1p-53;
}

size_t dice_below(dice *d, size_t n)
{
    return (size_t)(dice_next(d) % n);
}

/* Twelve uniform numbers: near enough to normal, and in every direction. */
double dice_normal(dice *d)
{
    double sum = -6;
    for (int i = 0; i < 12; i++)
        sum += dice_real(d);
    return sum;
}

/* ---- streams ---- */

static void *grown(void *array, size_t *room, size_t need, size_t size)
{
    if (need <= *room)
        return array;
    *room = need * 2;
    array = realloc(array, *room * size);
    assert_non_null(array);
    return array;
}

static void make_room(stream *s, size_t columns)
{
    size_t rows = s->rows_room, used = s->rows ? (size_t)s->offset[s->rows] : 0;
    s->offset = grown(s->offset, &rows, s->rows + 2, sizeof *s->offset);
    if (rows != s->rows_room)
        s->label = realloc(s->label, rows * sizeof *s->label);
    s->rows_room = rows;
    size_t room = s->column_room;
    s->column = grown(s->column, &room, used + columns + 1, sizeof *s->column);
    if (room != s->column_room)
        s->value = realloc(s->value, room * sizeof *s->value);
    s->column_room = room;
    assert_true(s->label && s->value);
    s->offset[s->rows] = (int32_t)used;
}

static void measure(stream *s, size_t row)
{
    double square = 0;
    for (int32_t i = s->offset[row]; i < s->offset[row + 1]; i++) {
        double x = (double)s->value[i];
        square += x * x;
        s->norminf = fmax(s->norminf, fabs(x));
    }
    s->norm2 = fmax(s->norm2, sqrt(square));
}

void stream_add(stream *s, double label, size_t n, const int32_t *column, const float *value)
{
    make_room(s, n);
    size_t at = (size_t)s->offset[s->rows];
    for (size_t i = 0; i < n; i++) {
        s->column[at + i] = column[i];
        s->value[at + i] = value ? value[i] : 1;
    }
    s->label[s->rows] = label;
    s->offset[s->rows + 1] = (int32_t)(at + n);
    measure(s, s->rows++);
}

/* One svmlight line. Returns what follows it. */
static const char *read_line(stream *s, const char *line, const char *end)
{
    enum { MOST = 4096 };
    int32_t column[MOST];
    float value[MOST];
    size_t n = 0;
    const char *newline = memchr(line, '\n', (size_t)(end - line));
    assert_non_null(newline);
    char *at;
    double label = strtod(line, &at);
    while (*at == ' ' && at + 1 < newline) {
        assert_true(n < MOST);
        column[n] = (int32_t)strtol(at, &at, 10);
        assert_int_equal(*at++, ':');
        value[n++] = strtof(at, &at);
    }
    stream_add(s, label, n, column, value);
    return newline + 1;
}

typedef struct text {
    char *p;
    size_t n, room;
} text;

static int collect(void *user, const void *bytes, size_t n)
{
    text *t = user;
    t->p = grown(t->p, &t->room, t->n + n + 1, 1);
    memcpy(t->p + t->n, bytes, n);
    t->n += n;
    t->p[t->n] = '\0';
    return 0;
}

/* `the sign of 0.6*x1 - 0.8*x4` as an array over the variables. */
static double *read_separator(const char *target)
{
    static const char start[] = "the sign of ";
    if (strncmp(target, start, strlen(start)) != 0)
        return NULL;
    double *u = NULL, sign = 1;
    size_t room = 0;
    for (const char *at = target + strlen(start); *at;) {
        char *end;
        if (strncmp(at, "- ", 2) == 0 || strncmp(at, "+ ", 2) == 0) {
            sign = *at == '-' ? -1 : 1;
            at += 2;
        }
        double weight = strtod(at, &end);
        assert_true(end[0] == '*' && end[1] == 'x');
        size_t variable = strtoull(end + 2, &end, 10), before = room;
        u = grown(u, &room, variable + 1, sizeof *u);
        for (size_t i = before; i < room; i++)
            u[i] = 0;
        u[variable] = sign * weight;
        at = end + (*end == ' ');
    }
    return u;
}

stream stream_generate(uint64_t seed, uint64_t n, const char *spec, ...)
{
    char full[256];
    va_list args;
    va_start(args, spec);
    vsnprintf(full, sizeof full, spec, args);
    va_end(args);
    thr_error err = {0};
    stream s = {0};
    text out = {0};
    thr_gen *g = thr_gen_new(full, seed, &err);
    if (!g || thr_gen_write(g, n, "svmlight", collect, &out, &err))
        fail_msg("%s: %s", full, err.message);
    for (const char *at = out.p; at && at < out.p + out.n;)
        at = read_line(&s, at, out.p + out.n);
    assert_int_equal(s.rows, n);
    s.u = read_separator(thr_gen_target(g));
    thr_gen_free(g);
    free(out.p);
    return s;
}

enum { COORDINATES = 6 };

static void random_direction(dice *d, double *v, size_t n)
{
    double square = 0;
    for (size_t i = 0; i < n; i++) {
        v[i] = dice_normal(d);
        square += v[i] * v[i];
    }
    for (size_t i = 0; i < n; i++)
        v[i] /= sqrt(square);
}

/* The lead (u_y - u_r).x of the best class y over the next; u is class after class. */
static double lead_of(const double *u, const float *x, int *best)
{
    double dot[STREAM_CLASSES] = {0}, lead = INFINITY;
    *best = 0;
    for (int c = 0; c < STREAM_CLASSES; c++) {
        for (int i = 0; i < COORDINATES; i++)
            dot[c] += u[c * COORDINATES + i] * (double)x[i];
        *best = dot[c] > dot[*best] ? c : *best;
    }
    for (int c = 0; c < STREAM_CLASSES; c++)
        lead = c == *best ? lead : fmin(lead, dot[*best] - dot[c]);
    return lead;
}

stream stream_classes(dice *d, double gamma, size_t rows)
{
    double u[STREAM_CLASSES * COORDINATES], direction[COORDINATES];
    stream s = {0};
    random_direction(d, u, STREAM_CLASSES * COORDINATES);
    while (s.rows < rows) {
        float x[COORDINATES];
        int32_t column[COORDINATES];
        int best;
        random_direction(d, direction, COORDINATES);
        for (int i = 0; i < COORDINATES; i++) {
            column[i] = i + 1;
            x[i] = (float)direction[i];
        }
        double lead = lead_of(u, x, &best);
        if (lead >= gamma && lead < 2 * gamma)
            stream_add(&s, best + 1, COORDINATES, column, x);
    }
    return s;
}

void stream_scale(stream *s, float factor)
{
    s->norm2 = s->norminf = 0;
    for (int32_t i = 0; i < s->offset[s->rows]; i++)
        s->value[i] *= factor;
    for (size_t row = 0; row < s->rows; row++)
        measure(s, row);
}

void stream_free(stream *s)
{
    free(s->offset);
    free(s->column);
    free(s->value);
    free(s->label);
    free(s->u);
    *s = (stream){0};
}

double stream_margin(const stream *s, size_t row)
{
    double dot = 0;
    for (int32_t i = s->offset[row]; i < s->offset[row + 1]; i++)
        dot += s->u[s->column[i]] * (double)s->value[i];
    return s->label[row] * dot;
}

/* ---- models ---- */

static void set(thr_settings *s, const char *name, const char *value)
{
    thr_error err = {0};
    if (thr_settings_set(s, name, value, &err))
        fail_msg("%s=%s: %s", name, value, err.message);
}

static void set_each(thr_settings *s, const char *more)
{
    char pairs[256], *rest = NULL;
    assert_true(strlen(more) < sizeof pairs);
    strcpy(pairs, more);
    for (char *pair = strtok_r(pairs, " ", &rest); pair; pair = strtok_r(NULL, " ", &rest)) {
        char *equals = strchr(pair, '=');
        assert_non_null(equals);
        *equals = '\0';
        set(s, pair, equals + 1);
    }
}

thr_model *model_make(bool two_labels, const char *more, const char *learner, ...)
{
    char spec[256];
    va_list args;
    va_start(args, learner);
    vsnprintf(spec, sizeof spec, learner, args);
    va_end(args);
    thr_error err = {0};
    thr_settings *s = thr_settings_new();
    assert_non_null(s);
    set(s, "learner", spec);
    set(s, "scale", "off"); /* definitions and bounds are about values as they are */
    if (more)
        set_each(s, more);
    thr_model *m = thr_model_new(s, &err);
    if (!m)
        fail_msg("%s: %s", spec, err.message);
    thr_settings_free(s);
    if (two_labels) {
        assert_true(thr_model_declare_label(m, "-1", &err) >= 0);
        assert_true(thr_model_declare_label(m, "1", &err) >= 0);
        assert_string_equal(thr_model_label(m, (size_t)thr_model_positive(m)), "1");
    }
    return m;
}

static thr_batch *batch_of(const stream *s, const thr_model *m, size_t first, size_t rows)
{
    thr_error err = {0};
    thr_batch *b = thr_batch_new();
    assert_non_null(b);
    int32_t *offset = malloc((rows + 1) * sizeof *offset), base = s->offset[first];
    assert_non_null(offset);
    for (size_t i = 0; i <= rows; i++)
        offset[i] = s->offset[first + i] - base;
    thr_csr csr = {.rows = rows,
                   .nonzeros = (size_t)offset[rows],
                   .offsets = offset,
                   .columns = s->column + base,
                   .values = s->value + base,
                   .about.labels = s->label + first};
    if (thr_batch_csr(b, m, &csr, &err))
        fail_msg("%s", err.message);
    assert_int_equal(thr_batch_size(b), rows);
    free(offset);
    return b;
}

thr_batch *stream_batch(const stream *s, const thr_model *m)
{
    return batch_of(s, m, 0, s->rows);
}

thr_batch *stream_row(const stream *s, const thr_model *m, size_t row)
{
    return batch_of(s, m, row, 1);
}

static double label_number(const thr_model *m, int32_t label)
{
    return label < 0 ? (double)NAN : strtod(thr_model_label(m, (size_t)label), NULL);
}

static uint64_t count_mistakes(const stream *s, const thr_model *m, const int32_t *predicted,
                               counts *c)
{
    uint64_t mistakes = 0;
    for (size_t row = 0; row < s->rows; row++) {
        if (label_number(m, predicted[row]) == s->label[row])
            continue;
        mistakes++;
        c->missed += s->label[row] == 1;
        c->false_alarms += s->label[row] != 1;
    }
    c->mistakes += mistakes;
    return mistakes;
}

static uint64_t updates_of(const thr_model *m)
{
    thr_stats stats;
    thr_model_stats(m, &stats);
    return stats.updates;
}

counts stream_learn(const stream *s, thr_model *m, unsigned passes, bool until_clean)
{
    thr_error err = {0};
    counts c = {0};
    uint64_t before = updates_of(m);
    int32_t *predicted = malloc(s->rows * sizeof *predicted);
    thr_batch *b = stream_batch(s, m);
    assert_non_null(predicted);
    while (c.passes < passes && !(until_clean && c.clean)) {
        if (thr_learn(m, NULL, b, predicted, &err))
            fail_msg("%s", err.message);
        c.clean = count_mistakes(s, m, predicted, &c) == 0;
        c.passes++;
    }
    c.updates = updates_of(m) - before;
    thr_batch_free(b);
    free(predicted);
    return c;
}

double stream_predict(const stream *s, const thr_model *m, size_t row, double *scores)
{
    thr_error err = {0};
    int32_t predicted = -1;
    thr_batch *b = stream_row(s, m, row);
    thr_scratch *scratch = thr_scratch_new();
    assert_non_null(scratch);
    if (thr_score(m, scratch, b, &predicted, scores, &err))
        fail_msg("%s", err.message);
    thr_scratch_free(scratch);
    thr_batch_free(b);
    return label_number(m, predicted);
}
