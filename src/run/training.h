/* A training run: its state, and the steps that the files of a run share. train_plan.c refuses what is not
 * possible before the model is touched; train.c makes the passes over a stream or a store; train_memory.c
 * runs them over examples that are in memory already. */
#ifndef THR_RUN_TRAINING_H
#define THR_RUN_TRAINING_H

#include "base/crew.h"
#include "chain/chain.h"
#include "input/cache_build.h"
#include "measure/pac.h"
#include "measure/runs.h"
#include "run/train.h"

/* Where an example was read. Kept for stored examples if there is a listener for updates. */
typedef struct thr_origin {
    const char *file; /* borrowed from the input */
    uint64_t line;
} thr_origin;

typedef struct thr_run {
    thr_model *m;
    thr_workspace work;
    thr_chain chain;            /* in place of it where sentences are learned */
    thr_crew *crew;             /* threads that parse and learn; NULL: the caller's alone */
    const thr_input *in;        /* the data, or the cache that has replaced it */
    const thr_train_options *o; /* completed with defaults */
    thr_train_report *report;
    thr_error *err;
    thr_stream *stream;     /* while the data is being read */
    const thr_watch *watch; /* or NULL */
    thr_store *store;       /* used if examples are stored */
    const thr_corpus *kept; /* which the store is a view of, or NULL */
    thr_cache_build cache;  /* the cache that is being made or read; all zero: none */
    bool read;              /* the input has been read once */
    bool ceiling;           /* max-features is set */
    uint64_t pass_mistakes, pass_examples, pass_updates;
    double squared, absolute; /* regression: sums of squared and absolute errors */
    thr_origin *place;       /* of the stored examples, or NULL */
    size_t places, place_room;
    thr_pac pac;             /* --pac: the hypothesis at hand */
    thr_label_runs runs;     /* of the labels of the first pass, in the order learned */
    bool promises, accepted; /* --pac was given; a hypothesis has been accepted */
} thr_run;

/* Prepares a run that has its options (r->o), and checks whether it is possible. */
int thr_run_plan(thr_run *r);
/* Refuses what does not work with stored examples. */
int thr_run_plan_stored(const thr_run *r);
/* Begins the cache that was asked for, or reads it if it exists; or begins a temporary one for later passes. */
int thr_run_plan_cache(thr_run *r, bool stored);
/* Every pass, over the stored examples or over the data; then the end of training. */
int thr_run_passes(thr_run *r, bool stored);

#endif
