/* Any bytes as a log of updates, as `why` reads it: nothing crashes, and what is passed on makes
 * sense. What the command would print is thrown away. */
#include "../../cli/cli.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds)
{
    if (!holds)
        abort();
}

/* These print in the command. */
int cli_fail(const thr_error *err)
{
    require(err->code && err->message[0] && err->file[0] && err->line);
    return EXIT_BAD;
}

int cli_usage_error(const char *format, ...)
{
    (void)format;
    return EXIT_USAGE;
}

int cli_say(const char *format, ...)
{
    (void)format;
    return EXIT_BAD;
}

static void check_word(const cli_logged_word *w)
{
    require(!w->n || w->text);
    for (size_t i = 0; i < w->n; i++)
        require(w->text[i]);
}

static int take(void *user, const cli_logged *u, thr_error *err)
{
    (void)user, (void)err;
    require(u->example && u->rule && u->pushed >= -1 && u->pushed <= 1);
    check_word(&u->truth);
    check_word(&u->prediction);
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[64];
    int fd = memfd_create("log", 0);
    require(fd >= 0 && write(fd, data, size) == (ssize_t)size);
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    int status = cli_log_read(path, take, NULL);
    require(status == 0 || status == EXIT_BAD || status == EXIT_USAGE);
    close(fd);
    return 0;
}
