/* Output files. A file is written to PATH.PID.tmp and renamed to PATH when it is complete, so that
 * a failure or an interrupt leaves an existing file as it was. Devices and pipes are written to
 * directly: a rename would replace them by a regular file. */
#include "cli.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int cannot(const char *what, const char *path)
{
    fprintf(stderr, "thresh: cannot %s %s: %s\n", what, path, strerror(errno));
    return EXIT_BAD;
}

int cli_output_open(cli_output *o, const char *path)
{
    struct stat st;
    *o = (cli_output){.path = path, .special = stat(path, &st) == 0 && !S_ISREG(st.st_mode)};
    if (snprintf(o->beside, sizeof o->beside, "%s.%ld.tmp", path, (long)getpid()) >=
        (int)sizeof o->beside)
        return cli_usage_error("the path %s is too long", path);
    o->to = fopen(o->special ? path : o->beside, "wb");
    if (!o->to)
        return cannot("write", path);
    cli_set_unfinished(o->special ? "" : o->beside);
    return 0;
}

int cli_output_close(cli_output *o, int status)
{
    bool failed = ferror(o->to);
    if ((fclose(o->to) || failed) && status == 0)
        status = cannot("write", o->path);
    if (status == 0 && !o->special && rename(o->beside, o->path))
        status = cannot("replace", o->path);
    if (status && !o->special)
        unlink(o->beside);
    cli_set_unfinished("");
    return status;
}
