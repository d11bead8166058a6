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
};

thr_metrics *thr_metrics_new(const thr_labels *labels, thr_error *err);
/* `score` is that of the positive label of two. */
int thr_metrics_record(thr_metrics *t, thr_str truth, uint32_t predicted, double score,
                       thr_error *err);
/* The same for a set: chosen[label] of the model's labels. */
int thr_metrics_record_set(thr_metrics *t, const thr_batch *b, size_t e, const bool *chosen,
                           thr_error *err);
void thr_metrics_record_number(thr_metrics *t, double truth, double predicted);
void thr_metrics_finish(thr_metrics *t);

#endif
