/* Counts of (truth, prediction) and what follows from them. */
#ifndef THR_MEASURE_METRICS_H
#define THR_MEASURE_METRICS_H

#include "base/error.h"
#include "example/batch.h"
#include "multiclass/labels.h"

struct thr_metrics {
    thr_labels labels; /* the model's, then those met only here */
    uint32_t known;    /* how many are the model's */
    struct thr_cell {  /* open addressing over (truth, predicted); n 0 is empty */
        uint32_t truth, predicted;
        uint64_t n;
    } * cell;
    size_t cells, cells_used;
    struct thr_total { /* per label */
        uint64_t hits, truths, predictions;
    } * total;
    size_t total_room;
    uint64_t examples, mistakes, unknown;
    bool multilabel;
    uint64_t wrong_pairs; /* of example and label, where several may be true */
    bool *marked;         /* per label; all false between calls */
    size_t marked_room;
    struct thr_scored { /* two classes: score of the positive one */
        double score;
        bool positive;
    } * scored;
    size_t n_scored, scored_room;
    double auc;
    bool numbers;             /* a regressor's: */
    double squared, absolute; /* errors, summed */
    double mean, spread;      /* of the truth: its mean, and the squares about it, summed */
    struct thr_led { /* by how much the answer's probability led, and whether it was wrong */
        double lead;
        bool wrong;
    } * led;
    size_t n_led, led_room;
    double log_loss, brier; /* sums */
    struct thr_sums {       /* per bin of the answer's probability, or of each label's of several */
        uint64_t examples, right;
        double confidence;
    } bin[THR_BINS];
};

/* What is predicted of one example. */
typedef struct thr_answer {
    uint32_t label;            /* THR_NONE: none */
    double score;              /* of two labels that of the positive one */
    const double *probability; /* per label of the model, or NULL */
} thr_answer;

thr_metrics *thr_metrics_new(const thr_labels *labels, thr_error *err);
int thr_metrics_record(thr_metrics *t, thr_str truth, const thr_answer *a, thr_error *err);
/* The same for a set: chosen[label] of the model's labels, and their probabilities. */
int thr_metrics_record_set(thr_metrics *t, const thr_batch *b, size_t e, const bool *chosen,
                           const double *probability, thr_error *err);
void thr_metrics_record_number(thr_metrics *t, double truth, double predicted);
void thr_metrics_finish(thr_metrics *t);
/* Adds the counts of another test, whose labels may be numbered otherwise; finish again after. */
int thr_metrics_merge(thr_metrics *t, const thr_metrics *other, thr_error *err);
/* The probability of a label less that of the likeliest other one, 1 where there is none; 0 where
 * no label could be said. */
double thr_lead_of(const double *probability, uint32_t n, uint32_t label);
/* Of labels that are each for itself: the probability that exactly these are true, and the least
 * lead of one of them being as chosen over its not being so. */
double thr_set_probability(const double *probability, const bool *chosen, uint32_t n);
double thr_lead_of_set(const double *probability, const bool *chosen, uint32_t n);

#endif
