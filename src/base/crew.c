/* The threads of a crew look for work in front, then behind. If there is none they spin for a
 * moment, in case some comes soon, and then sleep until they are woken.
 *
 * No call is lost: a thread notes the number of calls before it looks for work, and sleeps only
 * while there was no call since. A sleeper counts itself before it looks at that number once more,
 * and whoever calls raises the number before looking for sleepers: one of the two sees the other.
 * A caller that waits for the threads does the same with the number of pieces they have done.
 */
#include "base/crew.h"

#include <pthread.h>
#include <stdlib.h>

#define MOST_THREADS 64
#define SPINS        20000 /* looks for a call before a thread sleeps: some hundred microseconds */
#define PLACES       2

/* Work that is offered. */
typedef struct offer {
    bool (*work)(void *user); /* NULL: none */
    void *user;
    size_t inside; /* threads at work in it */
} offer;

struct thr_crew {
    size_t threads; /* beside the caller */
    pthread_t thread[MOST_THREADS];
    size_t calls;         /* atomic: calls of thr_crew_wake, by others or from here */
    size_t sleepers;      /* atomic: threads that wait for `called` */
    size_t worked;        /* atomic: pieces that were done in front */
    bool fronts;          /* atomic: there has been work in front, so that spinning may pay */
    bool waiting;         /* atomic: the caller waits for `done` */
    bool stop;            /* atomic */
    pthread_mutex_t lock; /* guards `offer` */
    pthread_cond_t called, done;
    offer offer[PLACES];
};

static void rest(void)
{
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
}

/* Does one piece of work. False: none is offered, or there is nothing to do. */
static bool work_once(thr_crew *c, enum thr_crew_place place)
{
    offer *o = &c->offer[place];
    pthread_mutex_lock(&c->lock);
    bool (*work)(void *user) = o->work;
    void *user = o->user;
    o->inside += work != NULL;
    pthread_mutex_unlock(&c->lock);
    if (!work)
        return false;
    bool done = work(user);
    pthread_mutex_lock(&c->lock);
    if (--o->inside == 0 && !o->work)
        pthread_cond_signal(&c->done);
    pthread_mutex_unlock(&c->lock);
    return done;
}

/* Counts a piece that was done in front, for a caller that waits. */
static void count_work(thr_crew *c)
{
    __atomic_add_fetch(&c->worked, 1, __ATOMIC_SEQ_CST);
    if (!__atomic_load_n(&c->waiting, __ATOMIC_SEQ_CST))
        return;
    pthread_mutex_lock(&c->lock);
    pthread_cond_signal(&c->done);
    pthread_mutex_unlock(&c->lock);
}

/* Spins until there is a call after number `calls`; false if none has come. */
static bool spin(const thr_crew *c, size_t calls)
{
    for (int i = 0; i < SPINS && __atomic_load_n(&c->fronts, __ATOMIC_RELAXED); i++) {
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
        if (work_once(c, THR_CREW_FRONT))
            count_work(c);
        else if (!work_once(c, THR_CREW_BEHIND) && !spin(c, calls))
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

void thr_crew_begin(thr_crew *c, enum thr_crew_place place, bool (*work)(void *user), void *user)
{
    pthread_mutex_lock(&c->lock);
    c->offer[place].work = work;
    c->offer[place].user = user;
    pthread_mutex_unlock(&c->lock);
    if (place == THR_CREW_FRONT)
        __atomic_store_n(&c->fronts, true, __ATOMIC_RELAXED);
    thr_crew_wake(c);
}

void thr_crew_end(thr_crew *c, enum thr_crew_place place)
{
    offer *o = &c->offer[place];
    pthread_mutex_lock(&c->lock);
    o->work = NULL;
    while (o->inside)
        pthread_cond_wait(&c->done, &c->lock);
    pthread_mutex_unlock(&c->lock);
}

size_t thr_crew_worked(const thr_crew *c)
{
    return __atomic_load_n(&c->worked, __ATOMIC_ACQUIRE);
}

void thr_crew_wait(thr_crew *c, size_t worked)
{
    for (int i = 0; i < SPINS && __atomic_load_n(&c->worked, __ATOMIC_ACQUIRE) == worked; i++)
        rest();
    if (__atomic_load_n(&c->worked, __ATOMIC_ACQUIRE) != worked)
        return;
    pthread_mutex_lock(&c->lock);
    __atomic_store_n(&c->waiting, true, __ATOMIC_SEQ_CST);
    while (__atomic_load_n(&c->worked, __ATOMIC_SEQ_CST) == worked)
        pthread_cond_wait(&c->done, &c->lock);
    __atomic_store_n(&c->waiting, false, __ATOMIC_SEQ_CST);
    pthread_mutex_unlock(&c->lock);
}
