/* Training's inner doors: with somebody watching, and over examples in memory. */
#ifndef THR_RUN_TRAIN_H
#define THR_RUN_TRAIN_H

#include "input/store.h"
#include "input/stream.h"
#include "step/step.h"

/* Called after each example was predicted and learned; what the members said is still in the
 * workspace. A negative return stops and is passed on. */
typedef struct thr_watch {
    int (*fn)(void *user, const thr_workspace *w, const thr_batch *b, size_t e,
              const thr_lesson *lesson, thr_error *err);
    void *user;
    /* May be NULL: before the example is predicted; its features have numbers. */
    int (*before)(void *user, const thr_workspace *w, const thr_batch *b, size_t e, thr_error *err);
    /* May be NULL; else all examples are read before the first is learned: when that is done, and
     * after each part of it, `done` being false. */
    int (*gathered)(void *user, const thr_store *s, bool done, thr_error *err);
} thr_watch;

/* As thr_train; `watch` may be NULL. */
int thr_train_watched(thr_model *m, thr_input *in, const thr_train_options *o,
                      const thr_watch *watch, thr_train_report *report, thr_error *err);
/* Over the examples of a store, whose ids are those of the model's lexicon; the same model as the
 * same examples read from a file give. */
int thr_train_stored(thr_model *m, thr_store *store, const thr_train_options *o,
                     const thr_watch *watch, thr_train_report *report, thr_error *err);

#endif
