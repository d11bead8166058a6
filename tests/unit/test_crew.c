/* A crew of threads: every piece of work is done once, whoever takes it; what is in front comes
 * first; threads that sleep are woken, and so is a caller that waits for them. */
#include "base/crew.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <time.h>

#include <cmocka.h>

#define THREADS 4

typedef struct pieces {
    size_t left, done; /* atomic */
} pieces;

static bool take_one(void *user)
{
    pieces *p = user;
    size_t left = __atomic_load_n(&p->left, __ATOMIC_ACQUIRE);
    while (left && !__atomic_compare_exchange_n(&p->left, &left, left - 1, false, __ATOMIC_ACQ_REL,
                                                __ATOMIC_ACQUIRE))
        ;
    __atomic_add_fetch(&p->done, left != 0, __ATOMIC_RELEASE);
    return left != 0;
}

static size_t done(const pieces *p)
{
    return __atomic_load_n(&p->done, __ATOMIC_ACQUIRE);
}

static void offer(thr_crew *c, pieces *p, size_t n)
{
    __atomic_store_n(&p->left, n, __ATOMIC_RELEASE);
    thr_crew_wake(c);
}

/* The caller takes part, and waits only while the others are at work. */
static void test_each_piece_is_done_once(void **state)
{
    (void)state;
    thr_crew *c = thr_crew_new(THREADS);
    assert_non_null(c);
    assert_int_equal(thr_crew_size(c), THREADS);
    pieces p = {0};
    size_t all = 0;
    thr_crew_begin(c, THR_CREW_FRONT, take_one, &p);
    for (unsigned round = 0; round < 20000; round++) {
        all += 1 + round % THREADS;
        offer(c, &p, 1 + round % THREADS);
        for (size_t worked = thr_crew_worked(c); done(&p) < all; worked = thr_crew_worked(c))
            if (!take_one(&p) && done(&p) < all)
                thr_crew_wait(c, worked);
        assert_int_equal(done(&p), all);
    }
    thr_crew_end(c, THR_CREW_FRONT);
    thr_crew_free(c);
}

static const struct timespec long_enough = {.tv_nsec = 5000000};

/* Takes long enough for a caller that waits to fall asleep. */
static bool take_one_slowly(void *user)
{
    nanosleep(&long_enough, NULL);
    return take_one(user);
}

static void test_who_sleeps_is_woken(void **state)
{
    (void)state;
    thr_crew *c = thr_crew_new(2);
    assert_non_null(c);
    pieces p = {0};
    thr_crew_begin(c, THR_CREW_FRONT, take_one_slowly, &p);
    for (size_t round = 1; round <= 20; round++) {
        nanosleep(&long_enough, NULL);
        size_t worked = thr_crew_worked(c);
        offer(c, &p, 1);
        thr_crew_wait(c, worked);
        assert_int_equal(done(&p), round);
        assert_int_equal(thr_crew_worked(c), round);
    }
    thr_crew_end(c, THR_CREW_FRONT);
    thr_crew_free(c); /* while they sleep */
}

/* A thread asks in front before each piece behind. */
typedef struct both {
    pieces front, behind;
    size_t behind_too_early; /* pieces taken behind while there was work in front */
} both;

static bool take_in_front(void *user)
{
    return take_one(&((both *)user)->front);
}

static bool take_behind(void *user)
{
    both *b = user;
    b->behind_too_early += __atomic_load_n(&b->front.left, __ATOMIC_ACQUIRE) > 0;
    return take_one(&b->behind);
}

static void test_what_is_in_front_comes_first(void **state)
{
    (void)state;
    thr_crew *c = thr_crew_new(2);
    assert_non_null(c);
    both b = {0};
    __atomic_store_n(&b.front.left, 1000, __ATOMIC_RELEASE);
    __atomic_store_n(&b.behind.left, 1000, __ATOMIC_RELEASE);
    thr_crew_begin(c, THR_CREW_FRONT, take_in_front, &b);
    thr_crew_begin(c, THR_CREW_BEHIND, take_behind, &b);
    while (done(&b.front) < 1000 || done(&b.behind) < 1000)
        nanosleep(&(struct timespec){.tv_nsec = 1000}, NULL);
    thr_crew_end(c, THR_CREW_FRONT);
    thr_crew_end(c, THR_CREW_BEHIND);
    assert_true(b.behind_too_early <= 1); /* it may have looked in front before work was offered */
    thr_crew_free(c);
}

/* Whatever its threads do at that moment: begin, look for work, or fall asleep. */
static void test_a_crew_ends_at_any_moment(void **state)
{
    (void)state;
    pieces p = {0};
    for (unsigned i = 0; i < 20000; i++) {
        thr_crew *c = thr_crew_new(2);
        assert_non_null(c);
        thr_crew_begin(c, THR_CREW_BEHIND, take_one, &p);
        for (volatile unsigned moment = 0; moment < i * 37 % 2000; moment++)
            ;
        thr_crew_end(c, THR_CREW_BEHIND);
        thr_crew_free(c);
    }
}

/* Threads that found nothing to do come back when they are woken, with work in front in between or
 * not, and nobody is at work behind when it has ended. */
static void test_work_behind_is_done_when_woken(void **state)
{
    (void)state;
    thr_crew *c = thr_crew_new(THREADS);
    assert_non_null(c);
    pieces front = {0}, behind = {0};
    thr_crew_begin(c, THR_CREW_BEHIND, take_one, &behind);
    for (size_t round = 1; round <= 2000; round++) {
        offer(c, &behind, 3);
        if (round % 2) {
            thr_crew_begin(c, THR_CREW_FRONT, take_one, &front);
            offer(c, &front, 3);
        }
        while (done(&behind) < 3 * round || done(&front) < 3 * ((round + 1) / 2))
            nanosleep(&(struct timespec){.tv_nsec = 1000}, NULL);
        thr_crew_end(c, THR_CREW_FRONT);
    }
    thr_crew_end(c, THR_CREW_BEHIND);
    offer(c, &behind, 3);
    nanosleep(&long_enough, NULL);
    assert_int_equal(behind.left, 3);
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
        cmocka_unit_test(test_each_piece_is_done_once),
        cmocka_unit_test(test_who_sleeps_is_woken),
        cmocka_unit_test(test_what_is_in_front_comes_first),
        cmocka_unit_test(test_a_crew_ends_at_any_moment),
        cmocka_unit_test(test_work_behind_is_done_when_woken),
        cmocka_unit_test(test_one_thread_is_no_crew),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
