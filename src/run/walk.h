/* A walk over an input with a const model: batches are read, their names looked up, and each is handed to `use`. */
#ifndef THR_RUN_WALK_H
#define THR_RUN_WALK_H

#include "input/stream.h"

typedef struct thr_walk {
    const thr_model *m;
    thr_stream *stream; /* while the walk lasts */
    thr_error *err;
    thr_progress_fn *progress; /* or NULL */
    void *progress_user;
    thr_progress told; /* the counts so far, as they are reported */
    /* May reject examples of the batch. */
    int (*check)(struct thr_walk *w, thr_batch *b);
    int (*use)(struct thr_walk *w, thr_batch *b);
} thr_walk;

/* `reading` may be NULL. */
int thr_walk_input(thr_walk *w, thr_input *in, thr_reading *reading);

#endif
