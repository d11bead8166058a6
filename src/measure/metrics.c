#include "measure/metrics.h"

#include "example/batch.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

thr_metrics *thr_metrics_new(const thr_labels *labels, thr_error *err)
{
    thr_metrics *t = calloc(1, sizeof *t);
    if (!t || thr_labels_copy(labels, &t->labels, err)) {
        free(t);
        thr_fail_memory(err);
        return NULL;
    }
    t->known = labels->n;
    t->auc = NAN;
    return t;
}

void thr_metrics_free(thr_metrics *t)
{
    if (!t)
        return;
    thr_labels_clear(&t->labels);
    free(t->count);
    free(t->scored);
    free(t);
}

/* ---- recording ---------------------------------------------------------------------------- */

static bool side_ready(thr_metrics *t)
{
    if (t->labels.n <= t->side)
        return true;
    uint32_t side = t->side ? t->side : 4;
    while (side < t->labels.n)
        side *= 2;
    uint64_t *fresh = calloc((size_t)side * side, sizeof *fresh);
    if (!fresh)
        return false;
    for (uint32_t i = 0; i < t->side; i++)
        memcpy(fresh + (size_t)i * side, t->count + (size_t)i * t->side, t->side * sizeof *fresh);
    free(t->count);
    t->count = fresh;
    t->side = side;
    return true;
}

int thr_metrics_record(thr_metrics *t, thr_str truth, uint32_t predicted, double score,
                       thr_error *err)
{
    uint32_t label;
    int code = thr_labels_add(&t->labels, truth, &label, err);
    if (code)
        return code;
    if (!side_ready(t))
        return thr_fail_memory(err);
    t->examples++;
    t->mistakes += label != predicted;
    t->unknown += label >= t->known;
    if (predicted < t->side)
        t->count[(size_t)label * t->side + predicted]++;
    if (t->known != 2 || label >= 2)
        return 0;
    if (!thr_grow(&t->scored, &t->scored_room, t->n_scored + 1, sizeof *t->scored))
        return thr_fail_memory(err);
    score = isnan(score) ? 0 : score; /* a damaged model may say anything */
    t->scored[t->n_scored++] = (struct thr_scored){score, label == t->labels.positive};
    return 0;
}

/* ---- area under the ROC curve ------------------------------------------------------------- */

static int by_score(const void *a, const void *b)
{
    double x = ((const struct thr_scored *)a)->score, y = ((const struct thr_scored *)b)->score;
    return (x > y) - (x < y);
}

/* The probability that a positive scores above a negative; equal scores count half. */
void thr_metrics_finish(thr_metrics *t)
{
    if (t->known != 2 || t->n_scored == 0)
        return;
    qsort(t->scored, t->n_scored, sizeof *t->scored, by_score);
    double positives = 0, negatives = 0, wins = 0;
    for (size_t i = 0, j; i < t->n_scored; i = j) {
        double here[2] = {0, 0};
        for (j = i; j < t->n_scored && !(t->scored[j].score > t->scored[i].score); j++)
            here[t->scored[j].positive]++;
        wins += here[1] * (negatives + here[0] / 2);
        negatives += here[0];
        positives += here[1];
    }
    if (positives > 0 && negatives > 0)
        t->auc = wins / (positives * negatives);
}

/* ---- reading off -------------------------------------------------------------------------- */

uint64_t thr_metrics_examples(const thr_metrics *t)
{
    return t->examples;
}

uint64_t thr_metrics_mistakes(const thr_metrics *t)
{
    return t->mistakes;
}

uint64_t thr_metrics_unknown(const thr_metrics *t)
{
    return t->unknown;
}

double thr_metrics_auc(const thr_metrics *t)
{
    return t->auc;
}

size_t thr_metrics_labels(const thr_metrics *t)
{
    return t->labels.n;
}

const char *thr_metrics_label(const thr_metrics *t, size_t label)
{
    return label < t->labels.n ? t->labels.name[label] : NULL;
}

uint64_t thr_metrics_count(const thr_metrics *t, size_t truth, size_t predicted)
{
    return truth < t->side && predicted < t->side ? t->count[truth * t->side + predicted] : 0;
}

static double ratio(double part, double whole)
{
    return whole > 0 ? part / whole : 0;
}

void thr_metrics_prf(const thr_metrics *t, size_t label, double out[3])
{
    double hit = (double)thr_metrics_count(t, label, label), said = 0, is = 0;
    for (size_t i = 0; i < t->labels.n; i++) {
        said += (double)thr_metrics_count(t, i, label);
        is += (double)thr_metrics_count(t, label, i);
    }
    out[0] = ratio(hit, said);
    out[1] = ratio(hit, is);
    out[2] = ratio(2 * hit, said + is);
}
