/* The scratch: what one thread of a caller needs beside a model. It holds the workspace that
 * examples are worked out in, and the memory of the answers that are returned by pointer. */
#ifndef THR_STEP_SCRATCH_H
#define THR_STEP_SCRATCH_H

#include "example/features.h"
#include "learner/learner.h"
#include "step/workspace.h"

/* Room for learning, scoring and explaining; one per thread. */
struct thr_scratch {
    thr_workspace work;
    thr_bytes text;
    const char **list; /* labels predicted, then true ones */
    size_t list_room;
    thr_contribution *part;
    size_t part_room;
    char **name; /* owned names of the parts */
    size_t name_room, names;
    thr_reason *reason;
    thr_justification *ground;
    size_t reason_room, ground_room;
    thr_batch batch; /* of the text that is classified */
    thr_feature_scratch features;
    struct thr_work { /* what thr_work_out shows */
        size_t *feature;
        float *value;
        double *term; /* first, second and offset */
        thr_function *function;
        size_t feature_room, value_room, term_room, function_room;
    } shown;
};

/* Names shown last are given back. */
void thr_scratch_forget_names(thr_scratch *s);

#endif
