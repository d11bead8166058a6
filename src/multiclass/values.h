/* Numbers that a setting gives to labels by name, such as `spam=2,ham=0.5`. A setting may come with
 * a model file from anywhere, and it may be as long as the list of labels; so a label's number is
 * found by hashing (base/index.h), not by going through the list. */
#ifndef THR_MULTICLASS_VALUES_H
#define THR_MULTICLASS_VALUES_H

#include "base/error.h"
#include "base/index.h"
#include "base/mem.h"

typedef struct thr_label_values { /* all zero is empty */
    struct thr_label_value {
        thr_str key; /* in `keys` */
        double value;
    } * of;
    size_t n, room;
    thr_arena keys;
    thr_index index; /* from keys to places in `of` */
} thr_label_values;

void thr_label_values_clear(thr_label_values *v);
/* On failure nothing is left to clear. */
int thr_label_values_copy(const thr_label_values *v, thr_label_values *out, thr_error *err);
/* The number of the label that this name means (thr_label_same), or NULL. */
double *thr_label_values_find(const thr_label_values *v, thr_str label);
/* Gives a number to a label that has none. */
int thr_label_values_add(thr_label_values *v, thr_str label, double value, thr_error *err);

#endif
