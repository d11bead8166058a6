/* The lock on a model: whoever learns a model for a long time and writes it at the end holds a lock
 * on the file MODEL.lock, so that a second process does not learn from the same start and replace
 * what the first has learned.
 *
 * A program that knows nothing of the lock may still change or replace the model meanwhile. The
 * holder sees that by comparing the file with what it was, before it writes.
 *
 * The lock is flock's and ends with the process, however that ends. The file is removed when the
 * lock is given back; one that stayed behind after a crash is not locked, and disturbs nobody. */
#include "cli.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

static char *lock_name(const char *model)
{
    size_t n = strlen(model) + sizeof ".lock";
    char *name = malloc(n);
    if (name)
        snprintf(name, n, "%s.lock", model);
    return name;
}

/* The number of the process is in the file, for the message alone. */
static int in_use(int fd, const char *model)
{
    char who[16] = "";
    ssize_t n = pread(fd, who, sizeof who - 1, 0);
    who[n > 0 ? n : 0] = '\0';
    who[strspn(who, "0123456789")] = '\0';
    return cli_say("%s is being learned by another process%s%s, which would overwrite it", model,
                   *who ? ", number " : "", who);
}

/* Whether the open file is still the one with this name: its holder removes it. */
static bool is_current(int fd, const char *name)
{
    struct stat open_one, named;
    return fstat(fd, &open_one) == 0 && stat(name, &named) == 0 &&
           open_one.st_dev == named.st_dev && open_one.st_ino == named.st_ino;
}

static int take(cli_lock *l, const char *model)
{
    for (;;) {
        l->fd = open(l->name, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
        if (l->fd < 0) {
            return cli_say("cannot make %s: %s", l->name, strerror(errno));
        }
        if (flock(l->fd, LOCK_EX | LOCK_NB)) {
            int status = in_use(l->fd, model);
            close(l->fd);
            l->fd = -1;
            return status;
        }
        if (is_current(l->fd, l->name))
            break;
        close(l->fd);
    }
    char who[16];
    int n = snprintf(who, sizeof who, "%ld\n", (long)getpid());
    if (ftruncate(l->fd, 0) || pwrite(l->fd, who, (size_t)n, 0) < 0)
        errno = 0; /* the lock holds without the number */
    return 0;
}

int cli_lock_model(cli_lock *l, const char *model)
{
    *l = (cli_lock){.fd = -1};
    if (!model)
        return 0;
    l->name = lock_name(model);
    int status = l->name ? take(l, model) : cli_no_memory();
    cli_lock_note(l, model);
    if (status)
        cli_unlock_model(l);
    return status;
}

void cli_unlock_model(cli_lock *l)
{
    if (l->fd >= 0) {
        unlink(l->name);
        close(l->fd);
    }
    free(l->name);
    *l = (cli_lock){.fd = -1};
}

void cli_lock_note(cli_lock *l, const char *model)
{
    l->there = stat(model, &l->file) == 0;
}

bool cli_lock_changed(const cli_lock *l, const char *model)
{
    struct stat now;
    if (stat(model, &now))
        return false; /* it was removed: nothing is lost by writing it again */
    return !l->there || now.st_dev != l->file.st_dev || now.st_ino != l->file.st_ino ||
           now.st_size != l->file.st_size || now.st_mtim.tv_sec != l->file.st_mtim.tv_sec ||
           now.st_mtim.tv_nsec != l->file.st_mtim.tv_nsec;
}

int cli_model_is_free(const char *model)
{
    char *name = lock_name(model);
    int fd = name ? open(name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW) : -1;
    int status = fd >= 0 && flock(fd, LOCK_SH | LOCK_NB) ? in_use(fd, model) : 0;
    if (fd >= 0)
        close(fd);
    free(name);
    return status;
}
