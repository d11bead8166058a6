/* What signals do. Results are written to temporary files and renamed when they are complete, so
 * stopping at any moment leaves existing files as they were; only the temporary files have to be
 * removed.
 *
 *   SIGINT, SIGTERM    remove them, say so, exit with 130
 *   SIGHUP, SIGPIPE    remove them and end as the signal does; ignored signals stay ignored
 *   SIGBUS             a mapped model has become shorter: remove them, say so, exit with 1
 *   SIGXFSZ            ignored: writing beyond the limit then fails with EFBIG, and is reported
 *
 * The handlers call only functions that POSIX allows there. */
#include "cli.h"

#include <signal.h>
#include <string.h>
#include <unistd.h>

#define MOST_FILES 8

/* The temporary files that are being written; "": none. The handlers read it. */
static char unfinished[MOST_FILES][4096];

int cli_unfinished_add(const char *path)
{
    size_t n = path ? strlen(path) : 0;
    for (int k = 0; k < MOST_FILES && n && n < sizeof unfinished[0]; k++)
        if (!unfinished[k][0]) {
            /* The first byte is set last, so that a signal in between finds "" and not half of a
             * path. */
            for (size_t i = n + 1; i-- > 0;)
                ((volatile char *)unfinished[k])[i] = path[i];
            return k;
        }
    return -1;
}

void cli_unfinished_drop(int number)
{
    if (number >= 0)
        ((volatile char *)unfinished[number])[0] = '\0';
}

void cli_on_temporary(void *user, const char *path)
{
    int *number = user;
    if (path)
        *number = cli_unfinished_add(path);
    else
        cli_unfinished_drop(*number);
}

static void remove_unfinished(void)
{
    for (int k = 0; k < MOST_FILES; k++)
        if (unfinished[k][0])
            unlink(unfinished[k]);
}

_Noreturn void cli_leave(const char *text, int status)
{
    remove_unfinished();
    ssize_t ignored = write(STDERR_FILENO, text, strlen(text));
    (void)ignored;
    _exit(status);
}

static void interrupted(int number)
{
    (void)number;
    cli_leave("\nthresh: interrupted\n", EXIT_INTERRUPTED);
}

static void bus_error(int number)
{
    (void)number;
    cli_leave(
        "thresh: a file in use became shorter or could not be read (bus error); a model must not "
        "be changed in place while it is used\n",
        EXIT_BAD);
}

/* SA_RESETHAND and SA_NODEFER: the signal, raised again, has its usual effect. */
static void ended(int number)
{
    remove_unfinished();
    raise(number);
}

static void end_by(int number)
{
    struct sigaction before, action = {.sa_handler = ended, .sa_flags = SA_RESETHAND | SA_NODEFER};
    if (sigaction(number, NULL, &before) == 0 && before.sa_handler != SIG_IGN)
        sigaction(number, &action, NULL);
}

void cli_catch_signals(void)
{
    struct sigaction on_interrupt = {.sa_handler = interrupted};
    struct sigaction on_bus_error = {.sa_handler = bus_error};
    struct sigaction ignore = {.sa_handler = SIG_IGN};
    sigaction(SIGINT, &on_interrupt, NULL);
    sigaction(SIGTERM, &on_interrupt, NULL);
    sigaction(SIGBUS, &on_bus_error, NULL);
    sigaction(SIGXFSZ, &ignore, NULL);
    end_by(SIGHUP);
    end_by(SIGPIPE);
}
