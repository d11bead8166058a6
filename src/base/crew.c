/* Jobs are given out by one atomic number, the ticket: which run it is, how many jobs the run has,
 * and how many of them have been taken.
 *
 *     | 63 ... 32 | 31 ... 16 | 15 ... 0 |
 *       run         jobs        taken
 *
 * A thread takes a job by raising `taken` with a compare and swap. While a job is taken the run
 * cannot end, so `run` and `user` are those of the ticket. A thread that finds no job spins for a
 * moment, in case the next run is near, and then sleeps until it is woken. */
#include "base/crew.h"

#include "base/error.h"

#include <pthread.h>
#include <stdlib.h>

#define MOST_THREADS 64
#define SPINS        2000 /* looks at the ticket before a thread sleeps: some tens of microseconds */

struct thr_crew {
    size_t threads; /* beside the caller */
    pthread_t thread[MOST_THREADS];
    uint64_t ticket; /* atomic */
    size_t left;     /* atomic: jobs of this run that have not ended */
    size_t sleepers; /* atomic: threads that wait for `work` */
    bool waiting;    /* atomic: the caller waits for `done` */
    bool stop;       /* atomic */
    pthread_mutex_t lock;
    pthread_cond_t work, done;
    int (*run)(void *user, size_t job, thr_error *err);
    void *user;
    int code[MOST_THREADS];          /* per job */
    thr_error failure[MOST_THREADS]; /* per job that failed */
};

static void rest(void)
{
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
}

static size_t jobs_left(uint64_t ticket)
{
    return (ticket >> 16 & 0xffff) - (ticket & 0xffff);
}

/* Takes a job and runs it. False: there is none. */
static bool work_once(thr_crew *c)
{
    uint64_t ticket = __atomic_load_n(&c->ticket, __ATOMIC_ACQUIRE);
    do {
        if (jobs_left(ticket) == 0)
            return false;
    } while (!__atomic_compare_exchange_n(&c->ticket, &ticket, ticket + 1, true, __ATOMIC_ACQ_REL,
                                          __ATOMIC_ACQUIRE));
    size_t job = ticket & 0xffff;
    c->code[job] = c->run(c->user, job, &c->failure[job]);
    /* The caller sets `waiting` before it looks at `left` again, and this is the other order: one
     * of the two sees the other. */
    if (__atomic_sub_fetch(&c->left, 1, __ATOMIC_SEQ_CST) == 0 &&
        __atomic_load_n(&c->waiting, __ATOMIC_SEQ_CST)) {
        pthread_mutex_lock(&c->lock);
        pthread_cond_signal(&c->done);
        pthread_mutex_unlock(&c->lock);
    }
    return true;
}

/* Spins until there is a job or the crew ends; false if neither has come. */
static bool spin(const thr_crew *c)
{
    for (int i = 0; i < SPINS; i++) {
        if (jobs_left(__atomic_load_n(&c->ticket, __ATOMIC_RELAXED)) ||
            __atomic_load_n(&c->stop, __ATOMIC_RELAXED))
            return true;
        rest();
    }
    return false;
}

/* The order is that of `waiting`: a sleeper counts itself before it looks at the ticket once more,
 * and thr_crew_run changes the ticket before it looks for sleepers. */
static void sleep_until_called(thr_crew *c)
{
    pthread_mutex_lock(&c->lock);
    __atomic_add_fetch(&c->sleepers, 1, __ATOMIC_SEQ_CST);
    while (jobs_left(__atomic_load_n(&c->ticket, __ATOMIC_SEQ_CST)) == 0 &&
           !__atomic_load_n(&c->stop, __ATOMIC_SEQ_CST))
        pthread_cond_wait(&c->work, &c->lock);
    __atomic_sub_fetch(&c->sleepers, 1, __ATOMIC_SEQ_CST);
    pthread_mutex_unlock(&c->lock);
}

static void *stand_by(void *arg)
{
    thr_crew *c = arg;
    while (!__atomic_load_n(&c->stop, __ATOMIC_ACQUIRE))
        if (!work_once(c) && !spin(c))
            sleep_until_called(c);
    return NULL;
}

static void call_sleepers(thr_crew *c)
{
    if (__atomic_load_n(&c->sleepers, __ATOMIC_SEQ_CST) == 0)
        return;
    pthread_mutex_lock(&c->lock);
    pthread_cond_broadcast(&c->work);
    pthread_mutex_unlock(&c->lock);
}

thr_crew *thr_crew_new(unsigned threads)
{
    size_t wanted = threads < MOST_THREADS ? threads : MOST_THREADS;
    thr_crew *c = calloc(1, sizeof *c);
    if (!c)
        return NULL;
    pthread_mutex_init(&c->lock, NULL);
    pthread_cond_init(&c->work, NULL);
    pthread_cond_init(&c->done, NULL);
    while (c->threads + 1 < wanted &&
           pthread_create(&c->thread[c->threads], NULL, stand_by, c) == 0)
        c->threads++;
    if (c->threads)
        return c;
    thr_crew_free(c);
    return NULL;
}

void thr_crew_free(thr_crew *c)
{
    if (!c)
        return;
    __atomic_store_n(&c->stop, true, __ATOMIC_SEQ_CST);
    call_sleepers(c);
    for (size_t i = 0; i < c->threads; i++)
        pthread_join(c->thread[i], NULL);
    pthread_cond_destroy(&c->work);
    pthread_cond_destroy(&c->done);
    pthread_mutex_destroy(&c->lock);
    free(c);
}

size_t thr_crew_size(const thr_crew *c)
{
    return c ? c->threads + 1 : 1;
}

static void wait_for_others(thr_crew *c)
{
    for (int i = 0; i < SPINS && __atomic_load_n(&c->left, __ATOMIC_ACQUIRE); i++)
        rest();
    if (__atomic_load_n(&c->left, __ATOMIC_ACQUIRE) == 0)
        return;
    pthread_mutex_lock(&c->lock);
    __atomic_store_n(&c->waiting, true, __ATOMIC_SEQ_CST);
    while (__atomic_load_n(&c->left, __ATOMIC_SEQ_CST))
        pthread_cond_wait(&c->done, &c->lock);
    __atomic_store_n(&c->waiting, false, __ATOMIC_SEQ_CST);
    pthread_mutex_unlock(&c->lock);
}

int thr_crew_run(thr_crew *c, size_t jobs, int (*run)(void *user, size_t job, thr_error *err),
                 void *user, thr_error *err)
{
    /* Only the caller begins runs. */
    uint64_t number = (__atomic_load_n(&c->ticket, __ATOMIC_RELAXED) >> 32) + 1;
    c->run = run;
    c->user = user;
    __atomic_store_n(&c->left, jobs, __ATOMIC_RELAXED);
    __atomic_store_n(&c->ticket, number << 32 | (uint64_t)jobs << 16, __ATOMIC_SEQ_CST);
    call_sleepers(c);
    while (work_once(c))
        ;
    wait_for_others(c);
    for (size_t job = 0; job < jobs; job++)
        if (c->code[job]) {
            if (err)
                *err = c->failure[job];
            return c->code[job];
        }
    return 0;
}
