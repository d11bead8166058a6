/* How much the examples of each label count.
 *
 * The weight of its label multiplies an example's importance before any rule sees it: by name
 * (`spam=2,ham=0.5`; labels not named have 1), or balanced, n / (labels * n_label) with the counts
 * so far, this example among them, so that the model depends on nothing but the examples. */
#ifndef THR_MODEL_CLASSES_H
#define THR_MODEL_CLASSES_H

#include "multiclass/labels.h"

typedef struct thr_classes {
    bool balanced;
    struct thr_class_weight {
        char *name; /* owned */
        double weight;
    } * named;
    size_t n_named, named_room;
    uint64_t *count; /* S  examples met, per label */
    uint32_t n;
    size_t room;
} thr_classes;

/* From the setting `class-weights`. On failure nothing is left to clear. */
int thr_classes_init(thr_classes *c, const char *spec, thr_error *err);
void thr_classes_clear(thr_classes *c);
int thr_classes_copy(const thr_classes *c, thr_classes *out, thr_error *err);
/* Room for the counts of so many labels. */
int thr_classes_reserve(thr_classes *c, uint32_t labels, thr_error *err);
int thr_classes_widen(thr_classes *c, uint32_t labels, thr_error *err);
/* Counts an example of a label in. */
void thr_classes_count(thr_classes *c, uint32_t label);
/* Whether any label counts for more or less than another. */
static inline bool thr_classes_differ(const thr_classes *c)
{
    return c->balanced || c->n_named;
}
/* The weight of an example of that label, counted in already. */
double thr_classes_weight(const thr_classes *c, const thr_labels *labels, uint32_t label);

#endif
