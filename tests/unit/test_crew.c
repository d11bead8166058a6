/* A crew of threads: every job of a run is run once, whoever takes it; failures do not depend on
 * timing; threads that sleep are woken. */
#include "base/crew.h"

#include "base/error.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <time.h>

#include <cmocka.h>

#define THREADS 4

typedef struct work {
    unsigned times[THREADS]; /* each job has a place of its own */
    unsigned fails;          /* bits: jobs that fail */
} work;

static int count(void *user, size_t job, thr_error *err)
{
    work *w = user;
    w->times[job]++;
    return w->fails >> job & 1 ? thr_fail(err, THR_EDATA, "job %zu", job) : 0;
}

static void test_each_run_does_each_job_once(void **state)
{
    (void)state;
    thr_crew *c = thr_crew_new(THREADS);
    assert_non_null(c);
    assert_int_equal(thr_crew_size(c), THREADS);
    work w = {0};
    for (unsigned run = 0; run < 20000; run++) {
        size_t jobs = 1 + run % THREADS;
        work before = w;
        assert_int_equal(thr_crew_run(c, jobs, count, &w, NULL), 0);
        for (size_t job = 0; job < THREADS; job++)
            assert_int_equal(w.times[job], before.times[job] + (job < jobs));
    }
    thr_crew_free(c);
}

static void test_the_lowest_failure_is_returned(void **state)
{
    (void)state;
    thr_crew *c = thr_crew_new(THREADS);
    assert_non_null(c);
    for (unsigned run = 0; run < 200; run++) {
        thr_error err = {0};
        work w = {.fails = 0xc};
        assert_int_equal(thr_crew_run(c, THREADS, count, &w, &err), THR_EDATA);
        assert_string_equal(err.message, "job 2");
        w.fails = 0; /* and the next run is as if none had failed */
        assert_int_equal(thr_crew_run(c, THREADS, count, &w, &err), 0);
    }
    thr_crew_free(c);
}

static void test_threads_that_sleep_are_woken(void **state)
{
    (void)state;
    const struct timespec long_enough = {.tv_nsec = 5000000};
    thr_crew *c = thr_crew_new(THREADS);
    assert_non_null(c);
    work w = {0};
    for (unsigned run = 0; run < 20; run++) {
        nanosleep(&long_enough, NULL);
        assert_int_equal(thr_crew_run(c, THREADS, count, &w, NULL), 0);
    }
    for (size_t job = 0; job < THREADS; job++)
        assert_int_equal(w.times[job], 20);
    nanosleep(&long_enough, NULL);
    thr_crew_free(c); /* while they sleep */
}

typedef struct background {
    size_t left, done; /* atomic */
} background;

static bool take_one(void *user)
{
    background *b = user;
    size_t left = __atomic_load_n(&b->left, __ATOMIC_ACQUIRE);
    while (left && !__atomic_compare_exchange_n(&b->left, &left, left - 1, false, __ATOMIC_ACQ_REL,
                                                __ATOMIC_ACQUIRE))
        ;
    __atomic_add_fetch(&b->done, left != 0, __ATOMIC_RELEASE);
    return left != 0;
}

/* Whatever its threads do at that moment: begin, look for work, or fall asleep. */
static void test_a_crew_ends_at_any_moment(void **state)
{
    (void)state;
    background b = {0};
    for (unsigned i = 0; i < 20000; i++) {
        thr_crew *c = thr_crew_new(2);
        assert_non_null(c);
        thr_crew_begin(c, take_one, &b);
        for (volatile unsigned moment = 0; moment < i * 37 % 2000; moment++)
            ;
        thr_crew_end(c);
        thr_crew_free(c);
    }
}

/* Threads that found nothing to do come back when they are woken, runs or not in between, and
 * nobody is in the background when it has ended. */
static void test_the_background_is_worked_on_when_woken(void **state)
{
    (void)state;
    thr_crew *c = thr_crew_new(THREADS);
    assert_non_null(c);
    background b = {0};
    work w = {0};
    thr_crew_begin(c, take_one, &b);
    for (size_t round = 1; round <= 2000; round++) {
        __atomic_store_n(&b.left, 3, __ATOMIC_RELEASE);
        thr_crew_wake(c);
        if (round % 2)
            assert_int_equal(thr_crew_run(c, THREADS, count, &w, NULL), 0);
        while (__atomic_load_n(&b.done, __ATOMIC_ACQUIRE) < 3 * round)
            nanosleep(&(struct timespec){.tv_nsec = 1000}, NULL);
    }
    thr_crew_end(c);
    __atomic_store_n(&b.left, 3, __ATOMIC_RELEASE);
    thr_crew_wake(c);
    assert_int_equal(thr_crew_run(c, THREADS, count, &w, NULL), 0);
    assert_int_equal(b.left, 3);
    thr_crew_free(c);
}

static void test_one_thread_is_no_crew(void **state)
{
    (void)state;
    assert_null(thr_crew_new(1));
    assert_int_equal(thr_crew_size(NULL), 1);
    thr_crew_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_each_run_does_each_job_once),
        cmocka_unit_test(test_the_lowest_failure_is_returned),
        cmocka_unit_test(test_threads_that_sleep_are_woken),
        cmocka_unit_test(test_a_crew_ends_at_any_moment),
        cmocka_unit_test(test_the_background_is_worked_on_when_woken),
        cmocka_unit_test(test_one_thread_is_no_crew),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
