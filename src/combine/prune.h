/* What features weigh, and which are dropped for it. */
#ifndef THR_COMBINE_PRUNE_H
#define THR_COMBINE_PRUNE_H

#include "model/model.h"

/* A feature in the order of dropping: lightest first, then the one seen least, where that is
 * counted, then the oldest. */
typedef struct thr_load {
    double weight;
    uint32_t count, id;
} thr_load;

/* The features 1 to n - 1 as they stand, load[0] being feature 1. */
int thr_loads(const thr_model *m, uint32_t n, thr_load *load, thr_error *err);
void thr_loads_sort(thr_load *load, size_t n);
/* Puts the `heavy` heaviest behind the others, each part in any order. */
void thr_loads_split(thr_load *load, size_t n, size_t heavy);

#endif
