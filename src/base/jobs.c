/* Threads take the next job under a lock until there are no more. */
#include "base/jobs.h"

#include "base/error.h"

#include <unistd.h>

#define MOST_THREADS 64

unsigned thr_jobs_threads(unsigned wanted, size_t jobs)
{
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    size_t n = wanted ? wanted : cores > 0 ? (size_t)cores : 1;
    n = n < MOST_THREADS ? n : MOST_THREADS;
    return (unsigned)(n < jobs ? n : jobs ? jobs : 1);
}

/* Runs jobs until none is left. After a failure no later job is begun. Jobs are begun in order,
 * so all jobs below the one that failed have been begun and run to their end: if one of them
 * fails too, its error replaces the other. */
static void *work(void *arg)
{
    thr_jobs *j = arg;
    pthread_mutex_lock(&j->lock);
    while (j->next < j->limit) {
        size_t job = j->next++;
        pthread_mutex_unlock(&j->lock);
        thr_error err = {0};
        int code = j->run(j->user, job, j, &err);
        pthread_mutex_lock(&j->lock);
        if (code && job < j->limit) {
            j->limit = job;
            j->code = code;
            if (j->failure)
                *j->failure = err;
        }
    }
    pthread_mutex_unlock(&j->lock);
    return NULL;
}

/* If the system refuses threads, the others do the work. */
int thr_jobs_run(thr_jobs *j, thr_error *err)
{
    pthread_t thread[MOST_THREADS];
    unsigned wanted = thr_jobs_threads(j->threads, j->n), begun = 0;
    j->next = 0;
    j->limit = j->n;
    j->code = 0;
    j->failure = err;
    j->caller = pthread_self();
    pthread_mutex_init(&j->lock, NULL);
    while (begun + 1 < wanted && pthread_create(&thread[begun], NULL, work, j) == 0)
        begun++;
    work(j);
    while (begun > 0)
        pthread_join(thread[--begun], NULL);
    pthread_mutex_destroy(&j->lock);
    return j->code;
}

bool thr_jobs_progress(thr_jobs *j, uint64_t examples)
{
    uint64_t done = __atomic_add_fetch(&j->done, examples, __ATOMIC_RELAXED);
    if (j->progress && pthread_equal(j->caller, pthread_self())) {
        thr_progress p = {.bytes = done, .total_bytes = j->work, .examples = done, .pass = 1};
        if (j->progress(j->progress_user, &p))
            __atomic_store_n(&j->stop, true, __ATOMIC_RELAXED);
    }
    return __atomic_load_n(&j->stop, __ATOMIC_RELAXED);
}

bool thr_job_tell(void *user, const thr_progress *now)
{
    thr_job_progress *t = user;
    uint64_t more = now->examples - t->told;
    t->told = now->examples;
    return thr_jobs_progress(t->jobs, more);
}
