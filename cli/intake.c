/* Lines of standard input, one at a time, for a command that must not lose what it has learned: it
 * waits for a line, for a signal, or until a moment has come.
 *
 * SIGTERM, SIGINT and SIGHUP only set a flag. They are blocked between the test of the flag and the
 * wait, and ppoll unblocks them while it waits, so that no signal is missed in between. SIGPIPE is
 * ignored: a closed pipe then shows as an error of the output. */
#include "cli.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define AT_ONCE 65536 /* bytes asked for in one read */

static const int stopping[] = {SIGTERM, SIGINT, SIGHUP};
#define STOPPING (sizeof stopping / sizeof *stopping)

static volatile sig_atomic_t came; /* the last of these signals, or 0 */

static void note_signal(int number)
{
    came = number;
}

void cli_intake_open(cli_intake *in, size_t max_line)
{
    *in = (cli_intake){.max_line = max_line};
    struct sigaction noting = {.sa_handler = note_signal, .sa_flags = SA_RESTART}, before;
    for (size_t i = 0; i < STOPPING; i++)
        if (sigaction(stopping[i], NULL, &before) == 0 && before.sa_handler != SIG_IGN)
            sigaction(stopping[i], &noting, NULL); /* nohup has SIGHUP ignored */
    signal(SIGPIPE, SIG_IGN);
}

void cli_intake_close(cli_intake *in)
{
    free(in->buffer);
    *in = (cli_intake){0};
}

int cli_intake_signal(void)
{
    return came;
}

void cli_die_by(int number)
{
    signal(number, SIG_DFL);
    raise(number);
}

/* Waits for input, at most `seconds` (negative: for ever). */
static enum cli_intake_result wait_for_input(double seconds)
{
    struct pollfd input = {.fd = STDIN_FILENO, .events = POLLIN};
    struct timespec most = {.tv_sec = (time_t)seconds,
                            .tv_nsec = (long)((seconds - (double)(time_t)seconds) * 1e9)};
    sigset_t signals, before;
    sigemptyset(&signals);
    for (size_t i = 0; i < STOPPING; i++)
        sigaddset(&signals, stopping[i]);
    sigprocmask(SIG_BLOCK, &signals, &before);
    int ready = came ? -1 : ppoll(&input, 1, seconds < 0 ? NULL : &most, &before);
    sigprocmask(SIG_SETMASK, &before, NULL);
    return came ? CLI_INTAKE_SIGNAL : ready == 0 ? CLI_INTAKE_TIME : CLI_INTAKE_LINE;
}

/* Appends what can be read now. False: *result says why there will be no more. */
static bool read_more(cli_intake *in, enum cli_intake_result *result)
{
    if (in->from)
        memmove(in->buffer, in->buffer + in->from, in->n - in->from);
    in->n -= in->from;
    in->from = 0;
    if (in->room - in->n <= AT_ONCE) { /* one byte more, for the NUL behind the last line */
        size_t room = in->room + in->room / 2 + 2 * AT_ONCE;
        char *grown = realloc(in->buffer, room);
        if (!grown) {
            errno = ENOMEM;
            *result = CLI_INTAKE_FAILED;
            return false;
        }
        in->buffer = grown;
        in->room = room;
    }
    ssize_t n = read(STDIN_FILENO, in->buffer + in->n, AT_ONCE);
    if (n < 0 && errno != EINTR && errno != EAGAIN) {
        *result = CLI_INTAKE_FAILED;
        return false;
    }
    in->n += n > 0 ? (size_t)n : 0;
    in->ended = n == 0;
    return true;
}

/* Takes a whole line out of the buffer, if there is one. */
static bool take_line(cli_intake *in, char **line, size_t *n)
{
    size_t there = in->n - in->from;
    char *at = there ? in->buffer + in->from : NULL, *newline = NULL;
    if (there)
        newline = memchr(at + in->searched, '\n', there - in->searched);
    in->searched = newline ? 0 : there;
    if (!newline && !(in->ended && there))
        return false;
    *line = at;
    *n = newline ? (size_t)(newline - at) : there;
    in->from += newline ? *n + 1 : *n;
    in->searched = 0;
    *n -= *n && at[*n - 1] == '\r';
    at[*n] = '\0';
    return true;
}

enum cli_intake_result cli_intake_next(cli_intake *in, double seconds, char **line, size_t *n)
{
    enum cli_intake_result result = CLI_INTAKE_LINE;
    for (;;) {
        if (came)
            return CLI_INTAKE_SIGNAL;
        if (take_line(in, line, n)) {
            bool over = in->skipping;
            in->skipping = false;
            if (!over)
                return *n > in->max_line ? CLI_INTAKE_TOO_LONG : CLI_INTAKE_LINE;
            continue;
        }
        if (in->n - in->from > in->max_line) {
            bool told = in->skipping;
            in->skipping = true;
            in->from = in->n = in->searched = 0;
            if (!told)
                return CLI_INTAKE_TOO_LONG;
        }
        if (in->ended)
            return CLI_INTAKE_END;
        result = wait_for_input(seconds);
        if (result != CLI_INTAKE_LINE || !read_more(in, &result))
            return result;
    }
}
