/* Jobs are given out by one atomic number, the ticket: which run it is, how many jobs the run has,
 * and how many of them have been taken.
 *
 *     | 63 ... 32 | 31 ... 16 | 15 ... 0 |
 *       run         jobs        taken
 *
 * A thread takes a job by raising `taken` with a compare and swap. While a job is taken the run
 * cannot end, so `run` and `user` are those of the ticket. After a job, and where there is none, a
 * thread works in the background: while it does, the caller may take the next job itself. If there
 * is nothing to do either, it spins for a moment, in case the next run is near, and then sleeps
 * until it is woken.
 *
 * No call is lost: a thread notes the number of calls before it looks for work, and sleeps only
 * while there was no call since. A sleeper counts itself before it looks at that number once more,
 * and whoever calls raises the number before looking for sleepers: one of the two sees the other.
 */
#include "base/crew.h"

#include "base/error.h"

#include <pthread.h>
#include <stdlib.h>

#define MOST_THREADS 64
#define SPINS        20000 /* looks for a call before a thread sleeps: some hundred microseconds */

struct thr_crew {
    size_t threads; /* beside the caller */
    pthread_t thread[MOST_THREADS];
    uint64_t ticket;      /* atomic */
    size_t left;          /* atomic: jobs of this run that have not ended */
    size_t calls;         /* atomic: runs begun, and calls of thr_crew_wake */
    size_t sleepers;      /* atomic: threads that wait for `called` */
    bool runs;            /* atomic: there has been a run, so that spinning may pay */
    bool waiting;         /* atomic: the caller waits for `done` */
    bool stop;            /* atomic */
    pthread_mutex_t lock; /* guards `background` and `inside` */
    pthread_cond_t called, done;
    bool (*background)(void *user); /* NULL: none */
    void *background_user;
    size_t inside; /* threads in the background */
    int (*run)(void *user, size_t job, thr_error *err);
    void *user;
    size_t jobs;                     /* of the run, for the caller */
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

/* Works in the background once. False: there is none, or nothing to do in it. */
static bool work_behind(thr_crew *c)
{
    pthread_mutex_lock(&c->lock);
    bool (*work)(void *user) = c->background;
    void *user = c->background_user;
    c->inside += work != NULL;
    pthread_mutex_unlock(&c->lock);
    if (!work)
        return false;
    bool done = work(user);
    pthread_mutex_lock(&c->lock);
    if (--c->inside == 0 && !c->background)
        pthread_cond_signal(&c->done);
    pthread_mutex_unlock(&c->lock);
    return done;
}

/* Spins until there is a call after number `calls`; false if none has come. */
static bool spin(const thr_crew *c, size_t calls)
{
    for (int i = 0; i < SPINS && __atomic_load_n(&c->runs, __ATOMIC_RELAXED); i++) {
        if (__atomic_load_n(&c->calls, __ATOMIC_RELAXED) != calls)
            return true;
        rest();
    }
    return false;
}

static void sleep_until_called(thr_crew *c, size_t calls)
{
    pthread_mutex_lock(&c->lock);
    __atomic_add_fetch(&c->sleepers, 1, __ATOMIC_SEQ_CST);
    while (__atomic_load_n(&c->calls, __ATOMIC_SEQ_CST) == calls)
        pthread_cond_wait(&c->called, &c->lock);
    __atomic_sub_fetch(&c->sleepers, 1, __ATOMIC_SEQ_CST);
    pthread_mutex_unlock(&c->lock);
}

static void *stand_by(void *arg)
{
    thr_crew *c = arg;
    for (;;) {
        /* Before everything that a call may be about, the end included. */
        size_t calls = __atomic_load_n(&c->calls, __ATOMIC_ACQUIRE);
        if (__atomic_load_n(&c->stop, __ATOMIC_ACQUIRE))
            return NULL;
        bool worked = work_once(c);
        if (!(work_behind(c) || worked) && !spin(c, calls))
            sleep_until_called(c, calls);
    }
}

void thr_crew_wake(thr_crew *c)
{
    __atomic_add_fetch(&c->calls, 1, __ATOMIC_SEQ_CST);
    if (__atomic_load_n(&c->sleepers, __ATOMIC_SEQ_CST) == 0)
        return;
    pthread_mutex_lock(&c->lock);
    pthread_cond_broadcast(&c->called);
    pthread_mutex_unlock(&c->lock);
}

thr_crew *thr_crew_new(unsigned threads)
{
    size_t wanted = threads < MOST_THREADS ? threads : MOST_THREADS;
    thr_crew *c = calloc(1, sizeof *c);
    if (!c)
        return NULL;
    pthread_mutex_init(&c->lock, NULL);
    pthread_cond_init(&c->called, NULL);
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
    thr_crew_wake(c);
    for (size_t i = 0; i < c->threads; i++)
        pthread_join(c->thread[i], NULL);
    pthread_cond_destroy(&c->called);
    pthread_cond_destroy(&c->done);
    pthread_mutex_destroy(&c->lock);
    free(c);
}

size_t thr_crew_size(const thr_crew *c)
{
    return c ? c->threads + 1 : 1;
}

void thr_crew_begin(thr_crew *c, bool (*work)(void *user), void *user)
{
    pthread_mutex_lock(&c->lock);
    c->background = work;
    c->background_user = user;
    pthread_mutex_unlock(&c->lock);
    thr_crew_wake(c);
}

void thr_crew_end(thr_crew *c)
{
    pthread_mutex_lock(&c->lock);
    c->background = NULL;
    while (c->inside)
        pthread_cond_wait(&c->done, &c->lock);
    pthread_mutex_unlock(&c->lock);
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

void thr_crew_start(thr_crew *c, size_t jobs, int (*run)(void *user, size_t job, thr_error *err),
                    void *user)
{
    /* Only the caller begins runs. */
    uint64_t number = (__atomic_load_n(&c->ticket, __ATOMIC_RELAXED) >> 32) + 1;
    c->run = run;
    c->user = user;
    c->jobs = jobs;
    __atomic_store_n(&c->left, jobs, __ATOMIC_RELAXED);
    __atomic_store_n(&c->ticket, number << 32 | (uint64_t)jobs << 16, __ATOMIC_SEQ_CST);
    __atomic_store_n(&c->runs, true, __ATOMIC_RELAXED);
    thr_crew_wake(c);
}

int thr_crew_finish(thr_crew *c, thr_error *err)
{
    while (work_once(c))
        ;
    wait_for_others(c);
    for (size_t job = 0; job < c->jobs; job++)
        if (c->code[job]) {
            if (err)
                *err = c->failure[job];
            return c->code[job];
        }
    return 0;
}

int thr_crew_run(thr_crew *c, size_t jobs, int (*run)(void *user, size_t job, thr_error *err),
                 void *user, thr_error *err)
{
    thr_crew_start(c, jobs, run, user);
    return thr_crew_finish(c, err);
}
