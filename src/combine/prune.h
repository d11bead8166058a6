/* What a feature weighs in a model, and the order in which light features are dropped. */
#ifndef THR_COMBINE_PRUNE_H
#define THR_COMBINE_PRUNE_H

#include "model/model.h"

/* A feature and its weight. The order of dropping is total: lightest first, then fewest occurrences
 * (0 if they are not counted), then lowest id. */
typedef struct thr_feature_weight {
    double weight;
    uint32_t count, id;
} thr_feature_weight;

/* Weighs the features 1 to n - 1: load[i] is feature i + 1. n must be at most the number of ids. */
int thr_feature_weights(const thr_model *m, uint32_t n, thr_feature_weight *load, thr_error *err);
/* Sorts by the order of dropping. */
void thr_feature_weights_sort(thr_feature_weight *load, size_t n);
/* Moves the `heavy` last ones in that order behind the others. Within the two parts the order is
 * unspecified, but which feature is in which part is not. */
void thr_feature_weights_split(thr_feature_weight *load, size_t n, size_t heavy);

#endif
