/* For tests with threads: the newest snapshot of a model, handed over under a lock. */
#ifndef SNAPSHOT_HELP_H
#define SNAPSHOT_HELP_H

#include "model_help.h"

#include <pthread.h>

typedef struct newest {
    pthread_mutex_t lock;
    const thr_model *snapshot; /* NULL: none yet */
} newest;

/* To be freed by the caller, who may be any thread. NULL: none yet. */
static inline const thr_model *newest_take(newest *s)
{
    pthread_mutex_lock(&s->lock);
    const thr_model *m = s->snapshot ? thr_model_retain(s->snapshot) : NULL;
    pthread_mutex_unlock(&s->lock);
    return m;
}

/* Called by the thread that runs the test, which is also the one that learns. */
static inline void newest_publish(newest *s, thr_model *m)
{
    thr_error err = {0};
    const thr_model *fresh = thr_model_snapshot(m, &err);
    if (!fresh)
        fail_msg("%s", err.message);
    pthread_mutex_lock(&s->lock);
    const thr_model *old = s->snapshot;
    s->snapshot = fresh;
    pthread_mutex_unlock(&s->lock);
    thr_model_free(old);
}

#endif
