/* Recording predictions beside the truth, merging tests, and the figures that follow. */
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
    thr_secret_draw(&t->secret);
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
    free(t->ranked);
    free(t->led);
    free(t);
}

/* ---- recording ---------------------------------------------------------------------------- */

static struct thr_cell *find_cell(const thr_metrics *t, uint32_t truth, uint32_t predicted)
{
    uint64_t pair = (uint64_t)truth << 32 | predicted;
    size_t mask = t->cells - 1, at = thr_mix64(pair + t->secret.key[1]) & mask;
    while (t->cell[at].n && (t->cell[at].truth != truth || t->cell[at].predicted != predicted))
        at = (at + 1) & mask;
    return &t->cell[at];
}

/* Room for one more cell. At most half of the cells are used, so a search ends soon. */
static bool cells_ready(thr_metrics *t)
{
    if ((t->cells_used + 1) * 2 <= t->cells)
        return true;
    thr_metrics larger = {.cells = t->cells ? t->cells * 2 : 64, .secret = t->secret};
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

/* Room for the totals of all labels; those of new labels are 0. */
static bool totals_ready(thr_metrics *t)
{
    size_t old = t->total_room;
    if (!thr_grow(&t->total, &t->total_room, t->labels.n, sizeof *t->total))
        return false;
    if (t->total_room > old)
        memset(t->total + old, 0, (t->total_room - old) * sizeof *t->total);
    return true;
}

static void count(thr_metrics *t, uint32_t truth, uint32_t predicted, uint64_t n)
{
    struct thr_cell *c = find_cell(t, truth, predicted);
    t->cells_used += c->n == 0;
    *c = (struct thr_cell){truth, predicted, c->n + n};
}

double thr_lead_of(const double *probability, uint32_t n, uint32_t label)
{
    double other = 0;
    for (uint32_t l = 0; l < n; l++)
        if (l != label && probability[l] > other)
            other = probability[l];
    return label < n ? probability[label] - other : 0;
}

/* The probability that label l is as chosen. */
static double as_chosen(const double *probability, const bool *chosen, uint32_t l)
{
    return chosen[l] ? probability[l] : 1 - probability[l];
}

double thr_set_probability(const double *probability, const bool *chosen, uint32_t n)
{
    double all = 1;
    for (uint32_t l = 0; l < n; l++)
        all *= as_chosen(probability, chosen, l);
    return all;
}

double thr_lead_of_set(const double *probability, const bool *chosen, uint32_t n)
{
    double least = 1;
    for (uint32_t l = 0; l < n; l++)
        least = fmin(least, 2 * as_chosen(probability, chosen, l) - 1);
    return least;
}

static double log_loss_of(double p)
{
    return -log(p > THR_LEAST_PROBABILITY ? p : THR_LEAST_PROBABILITY);
}

static void put_in_bin(thr_metrics *t, double p, bool right)
{
    size_t bin = (size_t)(p * THR_BINS);
    struct thr_sums *b = &t->bin[bin < THR_BINS ? bin : THR_BINS - 1];
    b->examples++;
    b->right += right;
    b->confidence += p;
}

/* Adds one example to log loss, Brier score and calibration bins. A true label that the model does
 * not know has probability 0. */
static void judge(thr_metrics *t, uint32_t truth, const thr_answer *a)
{
    const double *p = a->probability;
    double square = truth < t->known ? 0 : 1;
    for (uint32_t l = 0; l < t->known; l++)
        square += (p[l] - (l == truth)) * (p[l] - (l == truth));
    t->log_loss += log_loss_of(truth < t->known ? p[truth] : 0);
    t->brier += square;
    bool right = a->label == truth;
    put_in_bin(t, a->label < t->known ? p[a->label] : 0, right);
    t->led[t->n_led++] = (struct thr_led){thr_lead_of(p, t->known, a->label), !right};
}

int thr_metrics_record(thr_metrics *t, thr_str truth, const thr_answer *a, thr_error *err)
{
    uint32_t label, predicted = a->label;
    int code = thr_labels_add(&t->labels, truth, &label, err);
    if (code)
        return code;
    if (!cells_ready(t) || !totals_ready(t))
        return thr_fail_memory(err);
    t->examples++;
    t->mistakes += label != predicted;
    t->unknown += label >= t->known;
    t->total[label].truths++;
    if (predicted < t->labels.n) {
        count(t, label, predicted, 1);
        t->total[predicted].predictions++;
        t->total[label].hits += label == predicted;
    }
    if (a->probability && t->known) {
        if (!thr_grow(&t->led, &t->led_room, t->n_led + 1, sizeof *t->led))
            return thr_fail_memory(err);
        judge(t, label, a);
    }
    if (t->known != 2 || label >= 2)
        return 0;
    if (!thr_grow(&t->scored, &t->scored_room, t->n_scored + 1, sizeof *t->scored))
        return thr_fail_memory(err);
    double score = isnan(a->score) ? 0 : a->score; /* a damaged model may give NaN */
    t->scored[t->n_scored++] = (struct thr_scored){score, label == t->labels.positive};
    return 0;
}

/* ---- multi-label data --------------------------------------------------------------------- */

/* Makes sure that all true labels of an example have numbers and places in every array. */
static int add_truths(thr_metrics *t, const thr_batch *b, size_t e, thr_error *err)
{
    const thr_example_info *a = &b->about[e];
    size_t old = t->marked_room;
    uint32_t label;
    int code = a->label.p ? thr_labels_add(&t->labels, a->label, &label, err) : 0;
    for (size_t i = 0; i < a->more.n && code == 0; i++)
        code = thr_labels_add(&t->labels, b->listed[a->more.from + i], &label, err);
    if (code == 0 && (!totals_ready(t) || !thr_grow(&t->marked, &t->marked_room, t->labels.n, 1)))
        code = thr_fail_memory(err);
    if (code == 0)
        memset(t->marked + old, 0, t->marked_room - old);
    return code;
}

/* Counts one true label; returns whether it was missed. A label that is listed twice counts
 * once. */
static bool count_truth(thr_metrics *t, thr_str name, const bool *chosen, uint64_t *unknown)
{
    uint32_t label = thr_labels_find(&t->labels, name);
    if (t->marked[label])
        return false;
    t->marked[label] = true;
    t->total[label].truths++;
    bool hit = label < t->known && chosen[label];
    t->total[label].hits += hit;
    *unknown += label >= t->known;
    return !hit;
}

/* Room for counts of n ranks; new ones are 0. */
static bool ranks_ready(thr_metrics *t, size_t n)
{
    if (!thr_grow(&t->ranked, &t->ranked_room, n, sizeof *t->ranked))
        return false;
    for (; t->ranks < n; t->ranks++)
        t->ranked[t->ranks] = 0;
    return true;
}

/* Counts the ranks that the true labels have among all labels, the likeliest first; of equals the
 * one that was met first. */
static void rank_truths(thr_metrics *t, const double *p)
{
    for (uint32_t l = 0; l < t->known; l++) {
        size_t before = 0;
        if (!t->marked[l])
            continue;
        for (uint32_t k = 0; k < t->known; k++)
            before += p[k] > p[l] || (p[k] == p[l] && k < l);
        t->ranked[before]++;
    }
}

/* Adds every pair of this example and a label of the model, as a prediction of its own: the label
 * is true (marked) with probability p[l]. `missed` true labels are not in the model: they have
 * probability 0. */
static void judge_set(thr_metrics *t, const bool *chosen, const double *p, uint64_t missed,
                      bool wrong)
{
    for (uint32_t l = 0; l < t->known; l++) {
        double apart = p[l] - t->marked[l];
        t->log_loss += log_loss_of(t->marked[l] ? p[l] : 1 - p[l]);
        t->brier += apart * apart;
        put_in_bin(t, p[l], t->marked[l]);
    }
    rank_truths(t, p);
    t->log_loss += (double)missed * log_loss_of(0);
    t->brier += (double)missed;
    t->led[t->n_led++] = (struct thr_led){thr_lead_of_set(p, chosen, t->known), wrong};
}

int thr_metrics_record_set(thr_metrics *t, const thr_batch *b, size_t e, const bool *chosen,
                           const double *probability, thr_error *err)
{
    const thr_example_info *a = &b->about[e];
    uint64_t unknown = 0;
    int code = add_truths(t, b, e, err);
    if (code)
        return code;
    if (!ranks_ready(t, t->known) || !thr_grow(&t->led, &t->led_room, t->n_led + 1, sizeof *t->led))
        return thr_fail_memory(err);
    uint64_t wrong = a->label.p ? count_truth(t, a->label, chosen, &unknown) : 0;
    for (size_t i = 0; i < a->more.n; i++)
        wrong += count_truth(t, b->listed[a->more.from + i], chosen, &unknown);
    for (uint32_t l = 0; l < t->known; l++) {
        t->total[l].predictions += chosen[l];
        wrong += chosen[l] && !t->marked[l];
    }
    if (probability && t->known)
        judge_set(t, chosen, probability, unknown, wrong > 0);
    memset(t->marked, 0, t->labels.n * sizeof *t->marked);
    t->examples++;
    t->mistakes += wrong > 0;
    t->unknown += unknown > 0;
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

/* ---- several tests as one ----------------------------------------------------------------- */

static int merge_counts(thr_metrics *t, const thr_metrics *other, const uint32_t *label)
{
    if (!totals_ready(t))
        return THR_EMEM;
    for (uint32_t l = 0; l < other->labels.n && l < other->total_room; l++) {
        struct thr_total *to = &t->total[label[l]], *from = &other->total[l];
        to->hits += from->hits;
        to->truths += from->truths;
        to->predictions += from->predictions;
    }
    for (size_t i = 0; i < other->cells; i++) {
        const struct thr_cell *c = &other->cell[i];
        if (c->n == 0)
            continue;
        if (!cells_ready(t))
            return THR_EMEM;
        count(t, label[c->truth], label[c->predicted], c->n);
    }
    return 0;
}

/* Scores for the ROC curve, and what was recorded of probabilities. */
static int merge_scores(thr_metrics *t, const thr_metrics *other)
{
    size_t scored = t->known == 2 ? other->n_scored : 0;
    if (scored && !thr_grow(&t->scored, &t->scored_room, t->n_scored + scored, sizeof *t->scored))
        return THR_EMEM;
    if (scored)
        memcpy(t->scored + t->n_scored, other->scored, scored * sizeof *t->scored);
    t->n_scored += scored;
    if (!thr_grow(&t->led, &t->led_room, t->n_led + other->n_led, sizeof *t->led))
        return THR_EMEM;
    if (!ranks_ready(t, other->ranks))
        return THR_EMEM;
    for (size_t i = 0; i < other->ranks; i++)
        t->ranked[i] += other->ranked[i];
    if (other->n_led)
        memcpy(t->led + t->n_led, other->led, other->n_led * sizeof *t->led);
    t->n_led += other->n_led;
    t->log_loss += other->log_loss;
    t->brier += other->brier;
    for (size_t i = 0; i < THR_BINS; i++) {
        t->bin[i].examples += other->bin[i].examples;
        t->bin[i].right += other->bin[i].right;
        t->bin[i].confidence += other->bin[i].confidence;
    }
    return 0;
}

/* Of numbers: the mean, and the sum of squares about it, of two samples as one (Chan, Golub and
 * LeVeque 1979). */
int thr_metrics_merge(thr_metrics *t, const thr_metrics *other, thr_error *err)
{
    uint32_t *label = malloc(((size_t)other->labels.n + 1) * sizeof *label);
    int code = label ? 0 : THR_EMEM;
    for (uint32_t i = 0; i < other->labels.n && code == 0; i++)
        code = thr_labels_add(&t->labels, thr_str_of(other->labels.name[i]), &label[i], err);
    if (code == 0)
        code = merge_counts(t, other, label);
    if (code == 0)
        code = merge_scores(t, other);
    double n = (double)t->examples, more = (double)other->examples, apart = other->mean - t->mean;
    if (other->numbers && more > 0) {
        t->numbers = true;
        t->squared += other->squared;
        t->absolute += other->absolute;
        t->spread += other->spread + apart * apart * n * more / (n + more);
        t->mean += apart * more / (n + more);
    }
    t->examples += other->examples;
    t->mistakes += other->mistakes;
    t->unknown += other->unknown;
    t->multilabel |= other->multilabel;
    t->wrong_pairs += other->wrong_pairs;
    free(label);
    return code == THR_EMEM ? thr_fail_memory(err) : code;
}

/* ---- area under the ROC curve ------------------------------------------------------------- */

static int by_score(const void *a, const void *b)
{
    double x = ((const struct thr_scored *)a)->score, y = ((const struct thr_scored *)b)->score;
    return (x > y) - (x < y);
}

/* The area under the ROC curve is the probability that a positive example scores above a negative
 * one; equal scores count half (Mann and Whitney 1947). `here` counts negatives and positives with
 * the same score. */
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

/* ---- probabilities ------------------------------------------------------------------------ */

/* The number of predictions that were judged: examples or, for multi-label data, pairs of example
 * and label. */
static double pairs(const thr_metrics *t)
{
    return (double)t->n_led * (t->multilabel ? t->labels.n : 1);
}

double thr_metrics_log_loss(const thr_metrics *t)
{
    return t->n_led ? t->log_loss / pairs(t) : NAN;
}

double thr_metrics_brier(const thr_metrics *t)
{
    return t->n_led ? t->brier / pairs(t) : NAN;
}

/* Expected calibration error: the mean over examples of |accuracy - mean probability| in their
 * bin. */
double thr_metrics_ece(const thr_metrics *t)
{
    double sum = 0;
    uint64_t n = 0;
    for (size_t i = 0; i < THR_BINS; i++) {
        sum += fabs((double)t->bin[i].right - t->bin[i].confidence);
        n += t->bin[i].examples;
    }
    return n ? sum / (double)n : NAN;
}

bool thr_metrics_bin(const thr_metrics *t, size_t i, thr_bin *out)
{
    if (i >= THR_BINS)
        return false;
    const struct thr_sums *b = &t->bin[i];
    double n = b->examples ? (double)b->examples : 1;
    *out = (thr_bin){.from = (double)i / THR_BINS,
                     .to = (double)(i + 1) / THR_BINS,
                     .examples = b->examples,
                     .confidence = b->confidence / n,
                     .accuracy = (double)b->right / n};
    return true;
}

void thr_metrics_covered(const thr_metrics *t, double reject, uint64_t *examples,
                         uint64_t *mistakes)
{
    *examples = *mistakes = 0;
    for (size_t i = 0; i < t->n_led; i++)
        if (t->led[i].lead >= reject) {
            ++*examples;
            *mistakes += t->led[i].wrong;
        }
}

/* ---- results ------------------------------------------------------------------------------ */

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

/* Precision, recall and their harmonic mean F1 = 2 hits / (predictions + truths). */
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

/* The fraction of pairs of example and label that are wrong. With one label per example a mistake
 * makes two pairs wrong: the true label and the predicted one. */
double thr_metrics_hamming(const thr_metrics *t)
{
    double wrong = (double)(t->multilabel ? t->wrong_pairs : 2 * t->mistakes);
    return ratio(wrong, (double)t->examples * t->labels.n);
}

/* F1 of all labels' counts together; macro: the mean of the labels' own F1. */
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

double thr_metrics_precision_at(const thr_metrics *t, size_t k)
{
    uint64_t hits = 0;
    for (size_t i = 0; i < k && i < t->ranks; i++)
        hits += t->ranked[i];
    return ratio((double)hits, (double)k * (double)t->examples);
}
