/* Training for other files of the library: with callbacks around each example, and over
 * examples that are in memory already. train.c explains a training run. */
#ifndef THR_RUN_TRAIN_H
#define THR_RUN_TRAIN_H

#include "input/corpus.h"
#include "input/store.h"
#include "input/stream.h"
#include "step/step.h"

/* Callbacks of a training run, all called from the thread that trains. A negative return stops
 * the run and is passed on. */
typedef struct thr_watch {
    /* Called after example e of b was predicted and learned. The scores of the members are
     * still in w->at. */
    int (*fn)(void *user, const thr_workspace *w, const thr_batch *b, size_t e,
              const thr_lesson *lesson, thr_error *err);
    void *user;
    /* `fn` looks at nothing that was learned, so that it may be called later: after examples behind
     * e have been learned too. */
    bool late;
    /* May be NULL. Called before the example is predicted; its features have ids. */
    int (*before)(void *user, const thr_workspace *w, const thr_batch *b, size_t e, thr_error *err);
    /* May be NULL. Otherwise all examples are read into a store before the first is learned.
     * Called after each batch with `done` false, and with `done` true when all have been read. */
    int (*gathered)(void *user, const thr_store *s, bool done, thr_error *err);
} thr_watch;

/* The same as thr_train; `watch` may be NULL. */
int thr_train_watched(thr_model *m, thr_input *in, const thr_train_options *o,
                      const thr_watch *watch, thr_train_report *report, thr_error *err);
/* Trains on the examples of a view, whose ids are those of the model's lexicon. Gives the same
 * model as reading the same examples from a file. `report` must not be NULL. */
int thr_train_view(thr_model *m, thr_view *v, const thr_train_options *o, const thr_watch *watch,
                   thr_train_report *report, thr_error *err);

#endif
