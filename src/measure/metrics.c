#include "measure/metrics.h"

#include "base/random.h"
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
    free(t->cell);
    free(t->total);
    free(t->scored);
    free(t->marked);
    free(t);
}

/* ---- recording ---------------------------------------------------------------------------- */

static struct thr_cell *find_cell(const thr_metrics *t, uint32_t truth, uint32_t predicted)
{
    size_t mask = t->cells - 1, at = thr_mix64((uint64_t)truth << 32 | predicted) & mask;
    while (t->cell[at].n && (t->cell[at].truth != truth || t->cell[at].predicted != predicted))
        at = (at + 1) & mask;
    return &t->cell[at];
}

/* Room for one cell more; at most half of them are used. */
static bool cells_ready(thr_metrics *t)
{
    if ((t->cells_used + 1) * 2 <= t->cells)
        return true;
    thr_metrics larger = {.cells = t->cells ? t->cells * 2 : 64};
    larger.cell = calloc(larger.cells, sizeof *larger.cell);
    if (!larger.cell)
        return false;
    for (size_t i = 0; i < t->cells; i++)
        if (t->cell[i].n)
            *find_cell(&larger, t->cell[i].truth, t->cell[i].predicted) = t->cell[i];
    free(t->cell);
    t->cell = larger.cell;
    t->cells = larger.cells;
    return true;
}

static bool totals_ready(thr_metrics *t)
{
    size_t old = t->total_room;
    if (!thr_grow(&t->total, &t->total_room, t->labels.n, sizeof *t->total))
        return false;
    memset(t->total + old, 0, (t->total_room - old) * sizeof *t->total);
    return true;
}

static void count(thr_metrics *t, uint32_t truth, uint32_t predicted)
{
    struct thr_cell *c = find_cell(t, truth, predicted);
    t->cells_used += c->n == 0;
    *c = (struct thr_cell){truth, predicted, c->n + 1};
    t->total[truth].truths++;
    t->total[predicted].predictions++;
    t->total[truth].hits += truth == predicted;
}

int thr_metrics_record(thr_metrics *t, thr_str truth, uint32_t predicted, double score,
                       thr_error *err)
{
    uint32_t label;
    int code = thr_labels_add(&t->labels, truth, &label, err);
    if (code)
        return code;
    if (!cells_ready(t) || !totals_ready(t))
        return thr_fail_memory(err);
    t->examples++;
    t->mistakes += label != predicted;
    t->unknown += label >= t->known;
    if (predicted < t->labels.n)
        count(t, label, predicted);
    if (t->known != 2 || label >= 2)
        return 0;
    if (!thr_grow(&t->scored, &t->scored_room, t->n_scored + 1, sizeof *t->scored))
        return thr_fail_memory(err);
    score = isnan(score) ? 0 : score; /* a damaged model may say anything */
    t->scored[t->n_scored++] = (struct thr_scored){score, label == t->labels.positive};
    return 0;
}

/* ---- several labels ----------------------------------------------------------------------- */

static int add_truths(thr_metrics *t, const thr_batch *b, size_t e, thr_error *err)
{
    const thr_about *a = &b->about[e];
    size_t old = t->marked_room;
    uint32_t label;
    int code = thr_labels_add(&t->labels, a->label, &label, err);
    for (size_t i = 0; i < a->more.n && code == 0; i++)
        code = thr_labels_add(&t->labels, b->listed[a->more.from + i], &label, err);
    if (code == 0 && (!totals_ready(t) || !thr_grow(&t->marked, &t->marked_room, t->labels.n, 1)))
        code = thr_fail_memory(err);
    if (code == 0)
        memset(t->marked + old, 0, t->marked_room - old);
    return code;
}

/* Whether label i of the example, 0 being the first, is missed; a label named twice counts once. */
static bool count_truth(thr_metrics *t, thr_str name, const bool *chosen, bool *unknown)
{
    uint32_t label = thr_labels_find(&t->labels, name);
    if (t->marked[label])
        return false;
    t->marked[label] = true;
    t->total[label].truths++;
    bool hit = label < t->known && chosen[label];
    t->total[label].hits += hit;
    *unknown |= label >= t->known;
    return !hit;
}

int thr_metrics_record_set(thr_metrics *t, const thr_batch *b, size_t e, const bool *chosen,
                           thr_error *err)
{
    const thr_about *a = &b->about[e];
    bool unknown = false;
    int code = add_truths(t, b, e, err);
    if (code)
        return code;
    uint64_t wrong = count_truth(t, a->label, chosen, &unknown);
    for (size_t i = 0; i < a->more.n; i++)
        wrong += count_truth(t, b->listed[a->more.from + i], chosen, &unknown);
    for (uint32_t l = 0; l < t->known; l++) {
        t->total[l].predictions += chosen[l];
        wrong += chosen[l] && !t->marked[l];
    }
    memset(t->marked, 0, t->labels.n * sizeof *t->marked);
    t->examples++;
    t->mistakes += wrong > 0;
    t->unknown += unknown;
    t->wrong_pairs += wrong;
    return 0;
}

/* ---- numbers ------------------------------------------------------------------------------ */

void thr_metrics_record_number(thr_metrics *t, double truth, double predicted)
{
    double error = truth - predicted, from_mean = truth - t->mean;
    t->numbers = true;
    t->examples++;
    t->squared += error * error;
    t->absolute += fabs(error);
    t->mean += from_mean / (double)t->examples; /* Welford 1962 */
    t->spread += from_mean * (truth - t->mean);
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

bool thr_metrics_errors(const thr_metrics *t, thr_errors *out)
{
    double n = (double)t->examples;
    if (!t->numbers)
        return false;
    *out = (thr_errors){
        .mse = t->squared / n,
        .rmse = sqrt(t->squared / n),
        .mae = t->absolute / n,
        .r2 = t->spread > 0 ? 1 - t->squared / t->spread : NAN,
    };
    return true;
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
    if (!t->cells || truth >= t->labels.n || predicted >= t->labels.n)
        return 0;
    return find_cell(t, (uint32_t)truth, (uint32_t)predicted)->n;
}

uint64_t thr_metrics_truths(const thr_metrics *t, size_t label)
{
    return label < t->total_room ? t->total[label].truths : 0;
}

static double ratio(double part, double whole)
{
    return whole > 0 ? part / whole : 0;
}

void thr_metrics_prf(const thr_metrics *t, size_t label, double out[3])
{
    struct thr_total none = {0}, *total = label < t->total_room ? &t->total[label] : &none;
    double hits = (double)total->hits, truths = (double)total->truths;
    double predictions = (double)total->predictions;
    out[0] = ratio(hits, predictions);
    out[1] = ratio(hits, truths);
    out[2] = ratio(2 * hits, predictions + truths);
}

bool thr_metrics_multilabel(const thr_metrics *t)
{
    return t->multilabel;
}

double thr_metrics_hamming(const thr_metrics *t)
{
    double wrong = (double)(t->multilabel ? t->wrong_pairs : 2 * t->mistakes);
    return ratio(wrong, (double)t->examples * t->labels.n);
}

double thr_metrics_micro_f1(const thr_metrics *t)
{
    double hits = 0, all = 0;
    for (size_t l = 0; l < t->labels.n && l < t->total_room; l++) {
        hits += (double)t->total[l].hits;
        all += (double)t->total[l].truths + (double)t->total[l].predictions;
    }
    return ratio(2 * hits, all);
}

double thr_metrics_macro_f1(const thr_metrics *t)
{
    double sum = 0, prf[3];
    for (size_t l = 0; l < t->labels.n; l++) {
        thr_metrics_prf(t, l, prf);
        sum += prf[2];
    }
    return ratio(sum, t->labels.n);
}
