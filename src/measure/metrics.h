/* The results of a test: counts of (truth, prediction), and accuracy, precision, recall, area under
 * the ROC curve, log loss, Brier score and calibration error, which follow from them.
 *
 * Labels are numbered as in the model; labels that only the test data has come after those. One
 * thread records. Several tests can be merged, as in cross-validation. Once thr_metrics_finish has
 * been called, any number of threads may read. */
#ifndef THR_MEASURE_METRICS_H
#define THR_MEASURE_METRICS_H

#include "base/error.h"
#include "base/secret.h"
#include "example/batch.h"
#include "multiclass/labels.h"

struct thr_metrics {
    thr_labels labels; /* the model's, then those that only the test data has */
    uint32_t known;    /* how many are the model's */
    struct thr_cell {  /* the confusion matrix, sparse: open addressing; n 0 is an empty cell */
        uint32_t truth, predicted;
        uint64_t n;
    } * cell;
    size_t cells, cells_used;
    thr_secret secret; /* places of cells are secret, so that none can be made to collide */
    struct thr_total { /* per label */
        uint64_t hits, truths, predictions;
    } * total;
    size_t total_room;
    uint64_t examples, mistakes, unknown; /* unknown: examples with a label not in the model */
    bool multilabel;
    uint64_t wrong_pairs; /* multi-label: pairs of example and label that were predicted wrongly */
    uint64_t
        *ranked; /* multi-label, per rank from 0: true labels that had it by their probability */
    size_t ranks, ranked_room;
    bool *marked; /* multi-label, per label: true in this example; false between calls */
    size_t marked_room;
    struct thr_scored { /* two labels: score of the positive one, for the ROC curve */
        double score;
        bool positive;
    } * scored;
    size_t n_scored, scored_room;
    double auc;
    bool numbers;             /* the results are a regressor's: */
    double squared, absolute; /* sums of squared and of absolute errors */
    double mean, spread;      /* the mean of the truth, and the sum of squared distances from it */
    struct thr_led { /* per example: by how much the answer's probability led; was it wrong */
        double lead;
        bool wrong;
    } * led;
    size_t n_led, led_room;
    double log_loss, brier; /* sums over examples, or over pairs of example and label */
    struct thr_sums {       /* per bin of the answer's probability; multi-label: of each label's */
        uint64_t examples, right;
        double confidence; /* sum of the probabilities */
    } bin[THR_BINS];
};

/* The prediction for one example. */
typedef struct thr_answer {
    uint32_t label;            /* THR_NONE: none */
    double score;              /* two labels: how far the positive one leads */
    const double *probability; /* per label of the model, or NULL */
} thr_answer;

/* `labels` are the model's, and are copied. */
thr_metrics *thr_metrics_new(const thr_labels *labels, thr_error *err);
int thr_metrics_record(thr_metrics *t, thr_str truth, const thr_answer *a, thr_error *err);
/* The same for multi-label data: chosen[] says which of the model's labels are predicted;
 * `probability` may be NULL. */
int thr_metrics_record_set(thr_metrics *t, const thr_batch *b, size_t e, const bool *chosen,
                           const double *probability, thr_error *err);
void thr_metrics_record_number(thr_metrics *t, double truth, double predicted);
/* Computes what needs all examples at once: the area under the ROC curve. */
void thr_metrics_finish(thr_metrics *t);
/* Adds the results of another test, whose labels may be numbered differently. thr_metrics_finish
 * must be called again afterwards. */
int thr_metrics_merge(thr_metrics *t, const thr_metrics *other, thr_error *err);
/* The probability of a label minus that of the likeliest other one (0 if there is no other); 0 if
 * `label` is THR_NONE. */
double thr_lead_of(const double *probability, uint32_t n, uint32_t label);
/* For labels with independent probabilities: the probability that exactly the chosen ones are true;
 * and the least lead of a label's being as chosen over its not being so, min_l (2 p_l - 1), with
 * p_l the probability that label l is as chosen. */
double thr_set_probability(const double *probability, const bool *chosen, uint32_t n);
double thr_lead_of_set(const double *probability, const bool *chosen, uint32_t n);

#endif
