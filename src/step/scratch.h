/* The scratch: what one thread of a caller needs beside a model. It holds the workspace in which
 * examples are worked out, and owns the memory of every answer that is returned by pointer
 * (predictions, explanations, thr_working). Such an answer is valid until the scratch is next
 * used. */
#ifndef THR_STEP_SCRATCH_H
#define THR_STEP_SCRATCH_H

#include "example/features.h"
#include "learner/learner.h"
#include "step/workspace.h"

struct thr_scratch {
    thr_workspace work;
    thr_bytes text;    /* true label, tag and further true labels, each ended by a NUL */
    const char **list; /* labels predicted, then true ones: pointers into `text` and the model */
    size_t list_room;
    thr_contribution *part; /* the parts of an explanation */
    size_t part_room;
    char **name; /* names shown in an explanation, owned; thr_scratch_forget_names frees them */
    size_t name_room, names;
    thr_reason *reason;        /* what explains a rule without weights ... */
    thr_justification *ground; /* ... and the rule's own form of it */
    size_t reason_room, ground_room;
    thr_batch batch; /* holds the text that thr_classify was given */
    thr_feature_scratch features;
    struct thr_work { /* what thr_work_out returns */
        size_t *feature;
        float *value;
        double *term; /* terms of the first sums, of the second sums, then the offsets */
        thr_function *function;
        size_t feature_room, value_room, term_room, function_room;
    } shown;
};

/* Frees the names of the last explanation. */
void thr_scratch_forget_names(thr_scratch *s);

#endif
