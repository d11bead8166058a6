/* The state of one certification, from reading the data through proving (prove.h) to running the
 * rules (rules.c). */
#ifndef THR_CERTIFY_CERTIFY_H
#define THR_CERTIFY_CERTIFY_H

#include "bounds/hindsight.h"
#include "certify/prove.h"
#include "multiclass/labels.h"

#include "thresh_theory.h"

#define THR_MOST_COMPARATORS 6

struct thr_certify {
    thr_settings *settings;
    thr_certify_options options;
    thr_data *data;
    thr_data_arrays at; /* the arrays of the data */
    int unit;           /* thr_certificate_unit */
    thr_labels labels;  /* in order of appearance. `points` numbers them differently if there are
                           two and the first is positive: there the second is always positive */
    const char **name;  /* names by the numbers of `points`; borrowed from `labels` */
    uint32_t *label;    /* for each example: its label by the numbers of `points` */
    double *scale;      /* for each example: 1, or 1 / length */
    thr_points points;  /* all examples, including duplicates */
    thr_findings found;
    thr_comparator comparator[THR_MOST_COMPARATORS];
    size_t comparators;
    thr_certify_report report;
    char proof[400];
    struct thr_certify_row {
        thr_certify_rule rule;
        char learner[96], theorem[96];
    } * row;
    size_t rows, row_room;
    thr_bytes text; /* the certificate */
    double started; /* monotonic clock, in seconds, when the search for proofs began */
    bool cancelled; /* by the progress callback */
};

double thr_certify_seconds(const thr_certify *c); /* since the search for proofs began */
/* Trains every rule on the data and compares its mistakes or updates with its bound (rules.c). */
int thr_certify_rules(thr_certify *c, thr_error *err);

#endif
