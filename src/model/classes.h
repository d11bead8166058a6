/* Class weights: how much the examples of each label count (the setting class-weights).
 *
 * An example's importance is multiplied by the weight of its label before any rule sees it. Weights
 * are given by name (`spam=2,ham=0.5`; other labels have 1), or they are balanced:
 *
 *     weight(l) = n / (K n_l)
 *
 * where n examples have been met so far, n_l of them with label l, and K labels have been met; the
 * current example is counted in. Counts so far, and not those of the whole data, keep learning
 * online: the model depends on the examples and their order alone. */
#ifndef THR_MODEL_CLASSES_H
#define THR_MODEL_CLASSES_H

#include "multiclass/labels.h"
#include "multiclass/values.h"

typedef struct thr_classes {
    bool balanced;
    thr_label_values named;
    double *given;   /* per label: its weight by name, or 1 */
    uint64_t *count; /* S  per label: examples met */
    uint32_t n;      /* labels */
    size_t given_room, room;
} thr_classes;

/* From the setting `class-weights`. On failure nothing is left to clear. */
int thr_classes_init(thr_classes *c, const char *spec, thr_error *err);
void thr_classes_clear(thr_classes *c);
int thr_classes_copy(const thr_classes *c, thr_classes *out, thr_error *err);
/* Makes room for the counts of `labels` labels, without adding them. */
int thr_classes_reserve(thr_classes *c, uint32_t labels, thr_error *err);
/* From now on there are these labels; new ones have been met 0 times. Cannot fail after a
 * reserve. */
int thr_classes_widen(thr_classes *c, const thr_labels *labels, thr_error *err);
/* Counts an example of this label. */
void thr_classes_count(thr_classes *c, uint32_t label);
/* Whether weights were asked for at all. */
static inline bool thr_classes_differ(const thr_classes *c)
{
    return c->balanced || c->named.n;
}
/* The weight of an example of this label, which has been counted already. */
double thr_classes_weight(const thr_classes *c, uint32_t label);
/* Its logarithm; a weight of 0 counts as one too small to win. 0 if no weights were asked for. */
double thr_classes_log_weight(const thr_classes *c, uint32_t label);
/* Adds that of every label to of[label]. */
void thr_classes_add_logs(const thr_classes *c, double *of);

#endif
