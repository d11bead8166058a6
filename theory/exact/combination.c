/* Combinations of points, as callers have them: made of two examples that contradict each other, or
 * sought and checked by zero.c in a child process (base/apart.h), since GMP ends its process when
 * memory is short. */
#include "exact/zero.h"

#include "base/apart.h"

#include <stdlib.h>
#include <string.h>

void thr_combination_clear(thr_combination *z)
{
    for (size_t i = 0; z->coefficient && i < z->n; i++)
        free(z->coefficient[i]);
    free(z->coefficient);
    free(z->point);
    *z = (thr_combination){0};
}

bool thr_combination_init(thr_combination *z, size_t n)
{
    *z = (thr_combination){.n = n};
    z->point = calloc(n + 1, sizeof *z->point);
    z->coefficient = calloc(n + 1, sizeof *z->coefficient);
    return z->point && z->coefficient;
}

/* The two examples have the same x and different labels y and y', so the points that set each label
 * against the other are f(x,y) - f(x,y') and f(x,y') - f(x,y): their sum is 0. */
int thr_exact_clash(const thr_points *p, const size_t clash[2], thr_combination *out,
                    thr_error *err)
{
    size_t place[2];
    *out = (thr_combination){0};
    for (int i = 0; i < 2; i++) { /* the position of the example in p->pick */
        place[i] = p->pick ? 0 : clash[i];
        while (p->pick && place[i] < p->examples && p->pick[place[i]] != clash[i])
            place[i]++;
        if (place[i] >= p->examples)
            return 0;
    }
    if (!thr_combination_init(out, 2)) {
        thr_combination_clear(out);
        return thr_fail_memory(err);
    }
    bool swap = place[0] > place[1];
    for (int i = 0; i < 2; i++) {
        int from = swap ? 1 - i : i;
        out->point[i] = thr_points_number(p, place[from], p->label[clash[1 - from]]);
        if (!(out->coefficient[i] = strdup("1"))) {
            thr_combination_clear(out);
            return thr_fail_memory(err);
        }
    }
    return 0;
}

/* ---- in a child process ------------------------------------------------------------------- */

/* GMP ends the process when memory is short. */
typedef struct task {
    const thr_points *points;
    const size_t *point;
    const double *near;
    size_t n;
    const thr_combination *given; /* to be checked */
} task;

/* The answer is empty, or one coefficient after the other: the number of its point, and its digits
 * with a NUL. */
static int zero_apart(const void *work, thr_bytes *answer, thr_error *err)
{
    const task *t = work;
    thr_combination z;
    int code = thr_zero_find(t->points, t->point, t->near, t->n, &z, err);
    for (size_t i = 0; i < z.n && code == 0; i++)
        if (!thr_bytes_add(answer, &z.point[i], sizeof *z.point) ||
            !thr_bytes_add(answer, z.coefficient[i], strlen(z.coefficient[i]) + 1))
            code = thr_fail_memory(err);
    thr_combination_clear(&z);
    return code;
}

static int take_answer(const thr_bytes *answer, size_t most, thr_combination *out, thr_error *err)
{
    bool ok = thr_combination_init(out, most);
    out->n = 0;
    for (size_t at = 0; at < answer->n && ok;) {
        const char *digits = answer->p + at + sizeof *out->point;
        memcpy(&out->point[out->n], answer->p + at, sizeof *out->point);
        out->coefficient[out->n] = strdup(digits);
        ok = out->coefficient[out->n];
        out->n += ok;
        at += sizeof *out->point + strlen(digits) + 1;
    }
    if (ok)
        return 0;
    thr_combination_clear(out);
    return thr_fail_memory(err);
}

int thr_exact_zero(const thr_points *p, const size_t *point, const double *near, size_t n,
                   thr_combination *out, thr_error *err)
{
    thr_bytes answer = {0};
    *out = (thr_combination){0};
    int code =
        thr_apart(zero_apart, &(task){p, point, near, n, NULL}, "an exact proof", &answer, err);
    if (code == 0 && answer.n)
        code = take_answer(&answer, n, out, err);
    thr_bytes_clear(&answer);
    return code;
}

static int is_zero_apart(const void *work, thr_bytes *answer, thr_error *err)
{
    const task *t = work;
    (void)answer;
    return thr_zero_check(t->points, t->given)
               ? 0
               : thr_fail(err, THR_EDATA, "the combination is not zero");
}

bool thr_exact_is_zero(const thr_points *p, const thr_combination *z)
{
    thr_bytes nothing = {0};
    int code = thr_apart(is_zero_apart, &(task){.points = p, .given = z}, "an exact proof",
                         &nothing, NULL);
    thr_bytes_clear(&nothing);
    return code == 0;
}
