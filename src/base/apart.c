/* One child, one pipe: a head of fixed size, then the bytes of the answer. An answer is taken only
 * if all of it has arrived, so nothing depends on the child's status, which the host may have
 * taken. */
#include "base/apart.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

typedef struct head {
    int code;
    size_t n; /* bytes that follow */
    thr_error err;
} head;

/* ---- the child ---------------------------------------------------------------------------- */

/* Signals that the host catches are given their defaults, as execve does: its handlers are not
 * meant for this process. */
static void reset_signals(void)
{
    for (int s = 1; s < NSIG; s++) {
        struct sigaction old, plain = {.sa_handler = SIG_DFL};
        if (sigaction(s, NULL, &old) == 0 && old.sa_handler != SIG_IGN)
            sigaction(s, &plain, NULL);
    }
}

/* A child that is ended by a signal prints nothing and leaves no core file, and none outlives its
 * parent. */
static void be_quiet(pid_t parent)
{
    setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
#ifdef __linux__
    prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
    if (getppid() != parent)
        _exit(1);
#else
    (void)parent;
#endif
    int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (nowhere >= 0)
        dup2(nowhere, STDERR_FILENO);
}

static bool write_all(int fd, const void *from, size_t n)
{
    const char *at = from;
    while (n) {
        ssize_t now = write(fd, at, n);
        if (now < 0 && errno != EINTR)
            return false;
        if (now > 0) {
            at += now;
            n -= (size_t)now;
        }
    }
    return true;
}

/* _exit: buffers of stdio that the host has filled are its own to write. */
static void send_answer(int to, thr_apart_fn *fn, const void *work)
{
    thr_bytes answer = {0};
    head h = {0};
    h.code = fn(work, &answer, &h.err);
    h.n = h.code ? 0 : answer.n;
    _exit(write_all(to, &h, sizeof h) && write_all(to, answer.p, h.n) ? 0 : 1);
}

/* ---- the parent --------------------------------------------------------------------------- */

static bool read_all(int fd, void *to, size_t n)
{
    char *at = to;
    while (n) {
        ssize_t now = read(fd, at, n);
        if (now == 0 || (now < 0 && errno != EINTR))
            return false;
        if (now > 0) {
            at += now;
            n -= (size_t)now;
        }
    }
    return true;
}

/* On failure `from` is closed by the caller before it waits, so that a child that still writes
 * ends. */
static int receive(int from, const char *doing, thr_bytes *answer, thr_error *err)
{
    head h;
    size_t before = answer->n, need;
    if (!read_all(from, &h, sizeof h))
        return thr_fail(err, THR_EMEM,
                        "the process for %s ended without an answer: memory may be short", doing);
    if (h.code) {
        if (err)
            *err = h.err;
        return h.code;
    }
    if (__builtin_add_overflow(before, h.n, &need) || need == SIZE_MAX ||
        !thr_grow(&answer->p, &answer->room, need + 1, 1))
        return thr_fail_memory(err);
    if (!read_all(from, answer->p + before, h.n))
        return thr_fail(err, THR_EMEM,
                        "the process for %s ended in its answer: memory may be short", doing);
    answer->n = need;
    answer->p[need] = '\0';
    return 0;
}

/* fork with all signals blocked, so that no handler of the host runs in the child. */
static pid_t fork_blocked(int to, thr_apart_fn *fn, const void *work)
{
    sigset_t all, before;
    pid_t parent = getpid();
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    pid_t child = fork();
    if (child == 0) {
        reset_signals();
        be_quiet(parent);
        pthread_sigmask(SIG_SETMASK, &before, NULL);
        send_answer(to, fn, work);
    }
    int number = errno;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    errno = number;
    return child;
}

#ifdef THR_NOT_APART /* see meson.build */
int thr_apart(thr_apart_fn *fn, const void *work, const char *doing, thr_bytes *answer,
              thr_error *err)
{
    (void)doing, (void)fork_blocked, (void)receive;
    return fn(work, answer, err);
}
#else
int thr_apart(thr_apart_fn *fn, const void *work, const char *doing, thr_bytes *answer,
              thr_error *err)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0)
        return thr_fail_errno(err, "no pipe for %s", doing);
    pid_t child = fork_blocked(ends[1], fn, work);
    int code = child > 0 ? 0
               : errno == ENOMEM ? thr_fail_memory(err)
                                 : thr_fail_errno(err, "no process for %s", doing);
    close(ends[1]);
    if (code == 0)
        code = receive(ends[0], doing, answer, err);
    close(ends[0]);
    while (child > 0 && waitpid(child, NULL, 0) < 0 && errno == EINTR)
        continue;
    return code;
}
#endif
