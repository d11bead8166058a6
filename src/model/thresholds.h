/* Thresholds of multi-label data: a label is predicted if its probability is at least its own
 * (the setting threshold).
 *
 * They are given, one for all labels or some by name, or they are learned so that F1 becomes large.
 * With true probabilities F1 = 2 hits / (truths + predictions) is greatest if a label is predicted
 * whenever its probability is at least half of that greatest F1 (Lipton, Elkan, Naryanaswamy
 * 2014). The online form (Busa-Fekete, Szörényi, Dembczyński, Hüllermeier 2015) takes
 * what F1 has been so far:
 *
 *     threshold_l = hits_l / (truths_l + predictions_l),
 *
 * counted over the predictions that were made before each example was learned. Here one hit is
 * counted beforehand, so that the threshold starts at 1/2. With micro F1 the counts are those of
 * all labels together. Only examples met for the first time count (model/repeats.h). */
#ifndef THR_MODEL_THRESHOLDS_H
#define THR_MODEL_THRESHOLDS_H

#include "multiclass/labels.h"
#include "multiclass/values.h"

typedef struct thr_thresholds {
    enum { THR_GIVEN, THR_OWN_F1, THR_MICRO_F1 } kind;
    double all; /* given for labels that are not named */
    thr_label_values named;
    struct thr_label_threshold {
        double given;
        uint64_t hits, said; /* S  said: truths and predictions together */
    } * of;                  /* per label */
    uint64_t hits, said;     /* their sums */
    uint32_t n;
    size_t room;
} thr_thresholds;

/* From the setting: P, LABEL=P,..., both with a comma between them, `f1` or `micro-f1`. On failure
 * nothing is left to clear. */
int thr_thresholds_init(thr_thresholds *t, const char *spec, thr_error *err);
void thr_thresholds_clear(thr_thresholds *t);
int thr_thresholds_copy(const thr_thresholds *t, thr_thresholds *out, thr_error *err);
int thr_thresholds_reserve(thr_thresholds *t, uint32_t labels, thr_error *err);
/* From now on there are these labels. Cannot fail after a reserve. */
int thr_thresholds_widen(thr_thresholds *t, const thr_labels *labels, thr_error *err);
static inline bool thr_thresholds_learn(const thr_thresholds *t)
{
    return t->kind != THR_GIVEN;
}
double thr_thresholds_of(const thr_thresholds *t, uint32_t label);
/* Counts one label of an example: whether it is true, and whether it was predicted. */
void thr_thresholds_count(thr_thresholds *t, uint32_t label, bool truth, bool chosen);
/* Adds counts of one label, which another model or a file has. */
void thr_thresholds_add(thr_thresholds *t, uint32_t label, uint64_t hits, uint64_t said);

#endif
