/* Work in a child process: what comes back, and that nothing that happens there happens here. */
#include "base/apart.h"

#include "model_help.h"

#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LARGE = 1 << 20 }; /* more than a pipe holds */

static int count_up(const void *work, thr_bytes *answer, thr_error *err)
{
    size_t n = *(const size_t *)work;
    bool ok = true;
    for (size_t i = 0; i < n && ok; i++)
        ok = thr_bytes_add(answer, &(unsigned char){(unsigned char)(i * 7)}, 1);
    return ok ? 0 : thr_fail_memory(err);
}

static void an_answer_arrives_whole(void **state)
{
    (void)state;
    const size_t sizes[] = {0, 1, 4096, LARGE};
    for (size_t s = 0; s < 4; s++) {
        thr_bytes answer = {0};
        assert_true(thr_bytes_add(&answer, "before", 6));
        assert_int_equal(thr_apart(count_up, &sizes[s], "counting", &answer, NULL), 0);
        assert_int_equal(answer.n, 6 + sizes[s]);
        assert_memory_equal(answer.p, "before", 6);
        for (size_t i = 0; i < sizes[s]; i++)
            assert_int_equal((unsigned char)answer.p[6 + i], (unsigned char)(i * 7));
        thr_bytes_clear(&answer);
    }
}

static int refuse(const void *work, thr_bytes *answer, thr_error *err)
{
    (void)work;
    thr_bytes_add(answer, "half", 4);
    thr_fail(err, THR_EDATA, "no good");
    return thr_fail_at(err, "file", 3, 4);
}

static void an_error_arrives_with_its_place(void **state)
{
    (void)state;
    thr_bytes answer = {0};
    thr_error err = {0};
    assert_int_equal(thr_apart(refuse, NULL, "refusing", &answer, &err), THR_EDATA);
    assert_int_equal(err.code, THR_EDATA);
    assert_string_equal(err.message, "no good");
    assert_string_equal(err.file, "file");
    assert_int_equal(err.line, 3);
    assert_int_equal(answer.n, 0);
    assert_int_equal(thr_apart(refuse, NULL, "refusing", &answer, NULL), THR_EDATA);
    thr_bytes_clear(&answer);
}

/* Ends itself as *work says. */
static int end(const void *work, thr_bytes *answer, thr_error *err)
{
    (void)answer, (void)err;
    int how = *(const int *)work;
    if (how)
        raise(how);
    _exit(0);
}

static volatile sig_atomic_t handled;

static void handle(int number)
{
    handled = number;
}

/* Aborted, crashed, killed or gone without a word; the host's handlers are not for the child. */
static void what_ends_the_child_is_an_error_here(void **state)
{
    (void)state;
    const int ways[] = {SIGABRT, SIGSEGV, SIGKILL, SIGTERM, 0};
    void (*before)(int) = signal(SIGTERM, handle);
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        thr_bytes answer = {0};
        thr_error err = {0};
        assert_int_equal(thr_apart(end, &ways[i], "ending", &answer, &err), THR_EMEM);
        assert_non_null(strstr(err.message, "the process for ending ended without an answer"));
        assert_int_equal(answer.n, 0);
    }
    signal(SIGTERM, before);
    assert_int_equal(handled, 0);
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1); /* no child is left */
}

/* A host that ignores SIGCHLD takes the status away. */
static void the_status_is_not_needed(void **state)
{
    (void)state;
    const size_t n = 100;
    thr_bytes answer = {0};
    void (*before)(int) = signal(SIGCHLD, SIG_IGN);
    assert_int_equal(thr_apart(count_up, &n, "counting", &answer, NULL), 0);
    signal(SIGCHLD, before);
    assert_int_equal(answer.n, 100);
    thr_bytes_clear(&answer);
}

static void without_a_process_it_says_so(void **state)
{
    (void)state;
    struct rlimit before, none = {0};
    const size_t n = 1;
    thr_bytes answer = {0};
    thr_error err = {0};
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
    none.rlim_max = before.rlim_max;
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
    assert_int_equal(thr_apart(count_up, &n, "counting", &answer, &err), THR_EIO);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
    assert_non_null(strstr(err.message, "no pipe for counting"));
}

/* Others allocate all the while. */
static void *many(void *user)
{
    for (int i = 0; i < 50; i++) {
        size_t n = (size_t)(1000 + 100 * i);
        thr_bytes answer = {0};
        bool ok = thr_apart(count_up, &n, "counting", &answer, NULL) == 0 && answer.n == n;
        thr_bytes_clear(&answer);
        if (!ok)
            return user;
    }
    return NULL;
}

static void threads_do_not_disturb_each_other(void **state)
{
    (void)state;
    pthread_t thread[4];
    for (int i = 0; i < 4; i++)
        assert_int_equal(pthread_create(&thread[i], NULL, many, &thread), 0);
    for (int i = 0; i < 4; i++) {
        void *wrong;
        assert_int_equal(pthread_join(thread[i], &wrong), 0);
        assert_null(wrong);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_answer_arrives_whole),
        cmocka_unit_test(an_error_arrives_with_its_place),
        cmocka_unit_test(what_ends_the_child_is_an_error_here),
        cmocka_unit_test(the_status_is_not_needed),
        cmocka_unit_test(without_a_process_it_says_so),
        cmocka_unit_test(threads_do_not_disturb_each_other),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
