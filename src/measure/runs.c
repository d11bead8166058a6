/* Counting runs of equal labels; runs.h has the equations. */
#include "measure/runs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define FEW     100 /* examples: of fewer nothing is said */
#define UNUSUAL 6   /* standard deviations below the mean */

void thr_label_runs_clear(thr_label_runs *r)
{
    free(r->count);
    *r = (thr_label_runs){0};
}

int thr_label_runs_copy(const thr_label_runs *r, thr_label_runs *out, thr_error *err)
{
    *out = *r;
    out->count = NULL;
    out->labels = out->room = 0;
    if (!thr_label_runs_reserve(out, r->labels))
        return thr_fail_memory(err);
    if (r->labels)
        memcpy(out->count, r->count, r->labels * sizeof *r->count);
    return 0;
}

bool thr_label_runs_reserve(thr_label_runs *r, size_t labels)
{
    if (labels <= r->labels)
        return true;
    if (!thr_grow(&r->count, &r->room, labels, sizeof *r->count))
        return false;
    memset(r->count + r->labels, 0, (labels - r->labels) * sizeof *r->count);
    r->labels = labels;
    return true;
}

/* S2 grows by (n + 1)^2 - n^2 with each example. */
void thr_label_runs_add(thr_label_runs *r, uint32_t label, uint64_t n)
{
    double before = (double)r->count[label], more = (double)n;
    r->count[label] += n;
    r->examples += n;
    r->squares += more * (2 * before + more);
}

bool thr_label_runs_see(thr_label_runs *r, uint32_t label)
{
    if (!thr_label_runs_reserve(r, (size_t)label + 1))
        return false;
    r->runs += r->examples == 0 || label != r->last;
    r->last = label;
    thr_label_runs_add(r, label, 1);
    return true;
}

double thr_label_runs_weigh(thr_label_runs *r, uint32_t label)
{
    bool same = r->examples && label == r->last;
    thr_label_runs_see(r, label);
    double share = (1 + (double)r->runs) / (1 + thr_label_runs_expected(r));
    return same && share < 1 ? share : 1;
}

static double sum_of_cubes(const thr_label_runs *r)
{
    double sum = 0;
    for (size_t l = 0; l < r->labels; l++) {
        double n = (double)r->count[l];
        sum += n * n * n;
    }
    return sum;
}

double thr_label_runs_expected(const thr_label_runs *r)
{
    double t = (double)r->examples;
    return r->examples ? 1 + (t * t - r->squares) / t : 0;
}

bool thr_label_runs_are_bursts(const thr_label_runs *r)
{
    if (r->examples < FEW)
        return false;
    double t = (double)r->examples, s2 = r->squares, mean = thr_label_runs_expected(r);
    double variance =
        (s2 * (s2 + t * (t + 1)) - 2 * t * sum_of_cubes(r) - t * t * t) / (t * t * (t - 1));
    double few = mean - (double)r->runs;
    return (double)r->runs < mean / 2 && few > UNUSUAL * sqrt(fmax(variance, 0));
}
