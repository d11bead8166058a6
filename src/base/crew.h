/* A crew: threads that stand by for short pieces of work. Unlike jobs (jobs.h), which start threads
 * for each run, a crew lives for as long as there is work to share, and a run of it may take a
 * tenth of a millisecond.
 *
 * Runs. The caller takes part: at the end it takes the jobs for which no thread has come. So a run
 * never waits for a thread that has not begun. Jobs are begun in their order. A job must do the
 * same whichever thread runs it. If several fail, the failure of the lowest is returned.
 *
 * A background. Between runs the threads do work that can wait: the parsing of later blocks, while
 * runs learn from the present one (input/stream.h). So there are never more threads at work than
 * the crew has. A thread in the background leaves a run to the caller, which need not wait for it.
 *
 * One thread at a time may call these functions, except thr_crew_wake. */
#ifndef THR_BASE_CREW_H
#define THR_BASE_CREW_H

#include "thresh.h"

typedef struct thr_crew thr_crew;

/* A crew of `threads`, the caller among them. NULL: there is no memory, or the system refuses
 * threads; then the caller does the work alone. */
thr_crew *thr_crew_new(unsigned threads);
/* Ends the threads, which have no work. Accepts NULL. */
void thr_crew_free(thr_crew *c);
/* Its threads, with the caller; 1 for NULL. */
size_t thr_crew_size(const thr_crew *c);
/* Begins a background: each thread that has no job calls `work` as long as that returns true. When
 * it returned false there was nothing to do; after thr_crew_wake it is called again. */
void thr_crew_begin(thr_crew *c, bool (*work)(void *user), void *user);
void thr_crew_wake(thr_crew *c);
/* Ends the background; waits for threads that are in it. */
void thr_crew_end(thr_crew *c);
/* Starts jobs 0 to jobs - 1, at most as many as the crew has threads. The caller goes on with other
 * work. */
void thr_crew_start(thr_crew *c, size_t jobs, int (*run)(void *user, size_t job, thr_error *err),
                    void *user);
/* Runs the jobs that no thread has begun, and waits for all that were started. */
int thr_crew_finish(thr_crew *c, thr_error *err);
/* Both. */
int thr_crew_run(thr_crew *c, size_t jobs, int (*run)(void *user, size_t job, thr_error *err),
                 void *user, thr_error *err);

#endif
