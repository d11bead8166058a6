/* A crew: threads that stand by for short pieces of work. Unlike jobs (jobs.h), which start threads
 * for each run, a crew lives for as long as there is work to share, and a run of it may take a
 * tenth of a millisecond.
 *
 * The caller takes part: it begins with job 0, and takes the other jobs too if no thread has come
 * for them. So a run never waits for a thread that has not begun. A job must do the same whichever
 * thread runs it. If several fail, the failure of the lowest is returned.
 *
 * One thread at a time may call thr_crew_run. */
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
/* Runs jobs 0 to jobs - 1, at most as many as the crew has threads, and waits for all. */
int thr_crew_run(thr_crew *c, size_t jobs, int (*run)(void *user, size_t job, thr_error *err),
                 void *user, thr_error *err);

#endif
