/* The layout of a case (step/case.h), which follows from the labels and members of a model. */
#ifndef THR_MODEL_LAYOUT_H
#define THR_MODEL_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>

/* What the sizes of a case's arrays depend on. */
typedef struct thr_layout {
    const void *member; /* the model's */
    size_t labels, members, functions, widest;
    bool room;   /* some rule asks for scratch, and for more as it learns */
    bool groups; /* some rule compares fields */
} thr_layout;

#endif
