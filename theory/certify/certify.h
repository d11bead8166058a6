/* Certifying a data set: what is kept between reading, proving (theory/certify.h) and running the
 * rules (certify_rules.c). */
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
    thr_data_arrays at; /* the data's */
    int unit;           /* thr_certificate_unit */
    thr_labels labels;  /* of the examples; their numbers in `points` may be others: */
    const char **name;  /* by number in `points`; of two the second is positive */
    uint32_t *label;
    double *scale;
    thr_points points; /* all examples */
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
    double started;
    bool cancelled; /* by the progress callback */
};

double thr_certify_seconds(const thr_certify *c); /* since it began */
/* Runs every rule and holds it against its bound. */
int thr_certify_rules(thr_certify *c, thr_error *err);

#endif
