/* Output files. The library writes them under a temporary name and renames them when they are
 * complete (thr_newfile), so that a failure or an interrupt leaves an existing file as it was. Here
 * the descriptor becomes a FILE, and the temporary file is removed when a signal ends the
 * process. */
#include "cli.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

static int cannot_write(const char *path)
{
    return cli_say("cannot write %s: %s", path, strerror(errno));
}

int cli_output_open(cli_output *o, const char *path)
{
    thr_error err;
    *o = (cli_output){.path = path, .file = thr_newfile_open(path, &err)};
    if (!o->file)
        return cli_fail(&err);
    o->unfinished = cli_unfinished_add(thr_newfile_temporary(o->file));
    /* The library closes its descriptor, and fclose closes that of the FILE: they are two. */
    int fd = dup(thr_newfile_descriptor(o->file));
    o->to = fd >= 0 ? fdopen(fd, "wb") : NULL;
    if (o->to)
        return 0;
    int status = cannot_write(path);
    if (fd >= 0)
        close(fd);
    thr_newfile_close(o->file, false, NULL);
    cli_unfinished_drop(o->unfinished);
    return status;
}

int cli_output_close(cli_output *o, int status)
{
    thr_error err;
    bool failed = ferror(o->to);
    if ((fclose(o->to) || failed) && status == 0)
        status = cannot_write(o->path);
    if (thr_newfile_close(o->file, status == 0, &err))
        status = cli_fail(&err);
    cli_unfinished_drop(o->unfinished);
    return status;
}
