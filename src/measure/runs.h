/* Runs of equal labels: does the order of a stream tell its labels?
 *
 * A run is a longest stretch of examples with one label. If T examples come in random order and n_l
 * of them have the label l, the number of runs has
 *
 *     mean      1 + (T^2 - S2)/T,      S2 = sum n_l^2,  S3 = sum n_l^3
 *     variance  (S2 (S2 + T (T + 1)) - 2 T S3 - T^3) / (T^2 (T - 1))
 *
 * (Wald and Wolfowitz 1940 for two labels, Barton and David 1957 for more). Labels come in bursts
 * if there are fewer than half as many runs as expected, and so few that chance does not explain
 * it. On such a stream a rule is right because it repeats the last label, so its mistakes while it
 * learns say nothing about other examples.
 *
 * For the same reason an example that repeats the label before it is weak evidence of how good a
 * rule is, if labels come in bursts. A panel's mixture and its probabilities therefore count it by
 *
 *     (runs + 1) / (expected runs + 1), at most 1,
 *
 * with the runs so far. In random order that is near 1. In a sorted file all examples of a run
 * together count for about the logarithm of their number. */
#ifndef THR_MEASURE_RUNS_H
#define THR_MEASURE_RUNS_H

#include "base/error.h"
#include "base/mem.h"

typedef struct thr_label_runs {
    uint64_t examples, runs;
    uint64_t *count; /* per label */
    double squares;  /* S2 */
    size_t labels, room;
    uint32_t last; /* label of the last example */
} thr_label_runs;

void thr_label_runs_clear(thr_label_runs *r);
int thr_label_runs_copy(const thr_label_runs *r, thr_label_runs *out, thr_error *err);
/* Makes room for `labels` labels; thr_label_runs_see cannot fail for these then. */
bool thr_label_runs_reserve(thr_label_runs *r, size_t labels);
/* Counts an example. False: out of memory. */
bool thr_label_runs_see(thr_label_runs *r, uint32_t label);
/* Counts an example of a label that there is room for, and returns by how much it counts as
 * evidence: in (0, 1]. */
double thr_label_runs_weigh(thr_label_runs *r, uint32_t label);
/* Adds n examples of a label to the counts, without a run of them. For files and mixed models. */
void thr_label_runs_add(thr_label_runs *r, uint32_t label, uint64_t n);
/* The number of runs expected in random order; 0 without examples. */
double thr_label_runs_expected(const thr_label_runs *r);
bool thr_label_runs_are_bursts(const thr_label_runs *r);

#endif
