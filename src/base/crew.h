/* A crew: threads that stand by for short pieces of work. Unlike jobs (jobs.h), which start threads
 * for each run, a crew lives for as long as there is work to share, and a piece may take a tenth of
 * a millisecond.
 *
 * Work comes in two kinds, which may both be there at the same time. Whoever offers some gives a
 * function that does one piece of it, or says that there is none. Threads ask in front first: there
 * lies what the caller waits for, such as members of a panel that are to learn. Behind lies what
 * can wait: the parsing of later blocks, while the present one is learned from (input/stream.h). So
 * there are never more threads at work than the crew has. The caller may do pieces itself, by
 * calling its own function; so it need not wait for a thread that is busy behind.
 *
 * One thread at a time may call these functions, except thr_crew_wake. */
#ifndef THR_BASE_CREW_H
#define THR_BASE_CREW_H

#include "thresh.h"

typedef struct thr_crew thr_crew;

enum thr_crew_place { THR_CREW_FRONT, THR_CREW_BEHIND };

/* A crew of `threads`, the caller among them. NULL: there is no memory, or the system refuses
 * threads; then the caller does the work alone. */
thr_crew *thr_crew_new(unsigned threads);
/* Ends the threads, which have no work. Accepts NULL. */
void thr_crew_free(thr_crew *c);
/* Its threads, with the caller; 1 for NULL. */
size_t thr_crew_size(const thr_crew *c);
/* Offers work: threads call `work` as long as it returns true. When it returned false there was
 * nothing to do; after thr_crew_wake it is called again. */
void thr_crew_begin(thr_crew *c, enum thr_crew_place place, bool (*work)(void *user), void *user);
void thr_crew_wake(thr_crew *c);
/* Withdraws it; waits for threads that are in it. */
void thr_crew_end(thr_crew *c, enum thr_crew_place place);
/* How many pieces of work the threads have done in front. A caller that finds nothing to do waits
 * until there are more than it counted before it looked. */
size_t thr_crew_worked(const thr_crew *c);
void thr_crew_wait(thr_crew *c, size_t worked);

#endif
