/* Counts of (truth, prediction) and what follows from them. */
#ifndef THR_MEASURE_METRICS_H
#define THR_MEASURE_METRICS_H

#include "base/error.h"
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
    struct thr_sums {       /* per bin of the answer's probability */
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
void thr_metrics_record_number(thr_metrics *t, double truth, double predicted);
void thr_metrics_finish(thr_metrics *t);
/* Adds the counts of another test, whose labels may be numbered otherwise; finish again after. */
int thr_metrics_merge(thr_metrics *t, const thr_metrics *other, thr_error *err);
/* The probability of a label less that of the likeliest other one, 1 where there is none. */
double thr_lead_of(const double *probability, uint32_t n, uint32_t label);

#endif
