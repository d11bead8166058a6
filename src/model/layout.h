/* The layout of a case (step/case.h): the sizes of its arrays, which follow from the labels and
 * members of a model. The model keeps it up to date (thr_model_lay_out); a case remembers the one
 * that it was laid out for, and compares. */
#ifndef THR_MODEL_LAYOUT_H
#define THR_MODEL_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>

typedef struct thr_layout {
    const void *member; /* address of the model's member array: identifies the model */
    /* labels: places per label, the number of labels and 2 more (step/case.h says why);
     * functions: of all members together. */
    size_t labels, members, functions;
    bool room;   /* some rule needs scratch to score, and may need more as it learns */
    bool groups; /* some rule compares fields */
} thr_layout;

#endif
