/* Independent jobs in several threads. Job i does the same and leaves its result in the same place
 * whatever the threads; of several failures that of the lowest job is the one returned. */
#ifndef THR_BASE_JOBS_H
#define THR_BASE_JOBS_H

#include "thresh.h"

#include <pthread.h>

typedef struct thr_jobs {
    size_t n;
    unsigned threads; /* 0: one per core */
    int (*run)(void *user, size_t job, struct thr_jobs *jobs, thr_error *err);
    void *user;
    uint64_t work; /* examples to visit in all, for the progress told */
    thr_progress_fn *progress;
    void *progress_user;
    /* the rest is its own */
    pthread_mutex_t lock; /* guards next, limit, code, failure */
    size_t next, limit;   /* no job from here on is begun */
    int code;
    thr_error *failure;
    pthread_t caller;
    uint64_t done;
    bool stop;
} thr_jobs;

int thr_jobs_run(thr_jobs *j, thr_error *err);
/* For jobs, now and then: so many examples more have been visited. True: somebody wants to stop,
 * and the job should return THR_ECANCEL. */
bool thr_jobs_tell(thr_jobs *j, uint64_t examples);
/* The same as the progress callback of a training that is the job; `user` is a thr_job_progress. */
typedef struct thr_job_progress {
    thr_jobs *jobs;
    uint64_t told;
} thr_job_progress;
bool thr_job_tell(void *user, const thr_progress *now);
unsigned thr_jobs_threads(unsigned wanted, size_t jobs); /* how many there will be */

#endif
