/* Independent jobs in several threads. A job must do the same, and leave its result in a place
 * of its own, whichever thread runs it; the outcome then does not depend on the number of
 * threads. If several jobs fail, the failure of the lowest one is returned, so that errors do
 * not depend on it either. */
#ifndef THR_BASE_JOBS_H
#define THR_BASE_JOBS_H

#include "thresh.h"

#include <pthread.h>

typedef struct thr_jobs {
    size_t n;
    unsigned threads; /* 0: one per core */
    int (*run)(void *user, size_t job, struct thr_jobs *jobs, thr_error *err);
    void *user;
    uint64_t work;             /* examples that all jobs together will visit, for the progress */
    thr_progress_fn *progress; /* called only from the thread of thr_jobs_run; may be NULL */
    void *progress_user;
    /* The rest is private, and 0 before thr_jobs_run. */
    pthread_mutex_t lock; /* guards next, limit, code, failure */
    size_t next, limit;   /* the next job to begin; no job from `limit` on is begun */
    int code;             /* of the lowest job that failed */
    thr_error *failure;   /* its error */
    pthread_t caller;
    uint64_t done; /* examples visited so far; atomic */
    bool stop;     /* the progress callback wants to stop; atomic */
} thr_jobs;

/* Runs jobs 0 to n - 1 in j->threads threads, one of them the caller's, and waits for all. */
int thr_jobs_run(thr_jobs *j, thr_error *err);
/* To be called by jobs now and then: `examples` more have been visited. If it returns true the
 * user wants to stop, and the job should return THR_ECANCEL. */
bool thr_jobs_progress(thr_jobs *j, uint64_t examples);
/* The same as a progress callback for a training run inside a job; `user` is a
 * thr_job_progress. */
typedef struct thr_job_progress {
    thr_jobs *jobs;
    uint64_t told; /* examples of this job that have been reported */
} thr_job_progress;
bool thr_job_tell(void *user, const thr_progress *now);
unsigned thr_jobs_threads(unsigned wanted, size_t jobs); /* threads that thr_jobs_run will use */

#endif
