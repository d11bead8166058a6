/* Creating, completing and cleaning up new files (newfile.h). */
#include "base/newfile.h"

#include "base/error.h"
#include "base/mem.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define MARK       ".thresh-" /* between the name of the target and the process id */
#define END        ".tmp"
#define MOST_LINKS 40  /* as the kernel */
#define MOST_TRIES 100 /* temporary names */
/* Bytes of the target's name that the temporary name begins with; a name has at most 255 bytes. */
#define MOST_OF_NAME 200

struct thr_newfile {
    int fd;           /* -1: closed */
    bool replaces;    /* a file was there */
    mode_t mode;      /* its mode */
    thr_bytes given;  /* the path that the caller gave, for messages */
    thr_bytes path;   /* of the target, with links followed */
    thr_bytes beside; /* of the temporary file; empty: the target is written to directly */
};

/* ---- the target --------------------------------------------------------------------------- */

/* The bytes of the path up to and including its last slash. */
static size_t folder_length(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? (size_t)(slash - path) + 1 : 0;
}

static bool folder_of(const char *path, thr_bytes *out)
{
    size_t n = folder_length(path);
    return n ? thr_bytes_add(out, path, n) : thr_bytes_add(out, ".", 1);
}

/* Whether a link may be followed. In a folder that everybody may write to and that is sticky, such
 * as /tmp, only one's own links and those of the folder's owner: any other may be a trap. The
 * kernel has the same rule for opening files (protected_symlinks), which reading a link escapes. */
static bool may_follow(const char *link, const struct stat *st)
{
    struct stat folder;
    thr_bytes name = {0};
    bool known = folder_of(link, &name) && stat(name.p, &folder) == 0;
    thr_bytes_clear(&name);
    if (!known)
        return false;
    bool shared = (folder.st_mode & S_ISVTX) && (folder.st_mode & S_IWOTH);
    return !shared || st->st_uid == geteuid() || st->st_uid == folder.st_uid;
}

/* Replaces the last part of f->path, a link, by what the link says. */
static int follow(thr_newfile *f)
{
    char to[PATH_MAX];
    ssize_t n = readlink(f->path.p, to, sizeof to);
    if (n <= 0 || n == sizeof to) {
        errno = n < 0 ? errno : ENAMETOOLONG;
        return -1;
    }
    f->path.n = *to == '/' ? 0 : folder_length(f->path.p);
    if (thr_bytes_add(&f->path, to, (size_t)n))
        return 0;
    errno = ENOMEM;
    return -1;
}

/* Follows links, whether or not there is a file at their end. */
static int resolve(thr_newfile *f, const char *path)
{
    struct stat st;
    if (!thr_bytes_add(&f->path, path, strlen(path))) {
        errno = ENOMEM;
        return -1;
    }
    for (int i = 0; lstat(f->path.p, &st) == 0 && S_ISLNK(st.st_mode); i++) {
        errno = i == MOST_LINKS ? ELOOP : EACCES;
        if (i == MOST_LINKS || !may_follow(f->path.p, &st) || follow(f))
            return -1;
    }
    return 0;
}

/* ---- temporary files ---------------------------------------------------------------------- */

/* The part of a temporary file's name before the process id, without the folder. */
static bool temporary_prefix(const char *path, thr_bytes *out)
{
    const char *name = path + folder_length(path);
    size_t n = strlen(name);
    return thr_bytes_add(out, name, n < MOST_OF_NAME ? n : MOST_OF_NAME) &&
           thr_bytes_add(out, MARK, strlen(MARK));
}

/* The process id in a name PREFIX PID-N.tmp; 0: the name is not of this form. */
static pid_t maker_of(const char *name, const thr_bytes *prefix)
{
    if (strncmp(name, prefix->p, prefix->n) != 0)
        return 0;
    char *end;
    const char *digits = name + prefix->n;
    long pid = strtol(digits, &end, 10);
    if (*digits < '1' || *digits > '9' || pid <= 0 || pid > INT_MAX || *end != '-')
        return 0;
    size_t n = strspn(end + 1, "0123456789");
    return n && strcmp(end + 1 + n, END) == 0 ? (pid_t)pid : 0;
}

/* Removes a temporary file if its maker is gone: the process does not exist, and nobody holds the
 * lock. Processes of other containers cannot be seen, but their locks can. A file without a name
 * has been removed by another process meanwhile; its name may be that of a new file now, so it
 * stays. */
static void remove_if_stale(int folder, const char *name, pid_t maker)
{
    struct stat st;
    if (kill(maker, 0) == 0 || errno != ESRCH)
        return;
    int fd = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0)
        return;
    if (flock(fd, LOCK_EX | LOCK_NB) == 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) &&
        st.st_uid == geteuid() && st.st_nlink > 0)
        unlinkat(folder, name, 0);
    close(fd);
}

/* What cannot be looked at stays. */
static void remove_stale(const char *path)
{
    thr_bytes folder = {0}, prefix = {0};
    struct dirent *entry;
    DIR *list =
        folder_of(path, &folder) && temporary_prefix(path, &prefix) ? opendir(folder.p) : NULL;
    while (list && (entry = readdir(list))) {
        pid_t maker = maker_of(entry->d_name, &prefix);
        if (maker)
            remove_if_stale(dirfd(list), entry->d_name, maker);
    }
    if (list)
        closedir(list);
    thr_bytes_clear(&folder);
    thr_bytes_clear(&prefix);
}

/* Locks a file that was just created. Returns 0 if it is lost: somebody took it for a stale one and
 * locked it first, or has removed its name already. A negative number is a failure. A file system
 * without locks gives none to anybody, so that nobody removes anything. */
static int lock_created(int fd)
{
    struct stat st;
    if (flock(fd, LOCK_EX | LOCK_NB) && errno == EWOULDBLOCK)
        return 0;
    return fstat(fd, &st) ? -1 : st.st_nlink > 0;
}

static bool name_temporary(thr_newfile *f, unsigned number)
{
    f->beside.n = 0;
    return thr_bytes_add(&f->beside, f->path.p, folder_length(f->path.p)) &&
           temporary_prefix(f->path.p, &f->beside) &&
           thr_bytes_printf(&f->beside, "%ld-%u" END, (long)getpid(), number);
}

/* Creates the temporary file in the folder of the target, since a rename must stay within one file
 * system. */
static int create(thr_newfile *f)
{
    mode_t mode = f->replaces ? f->mode & 0777 : 0666;
    for (unsigned i = 0; i < MOST_TRIES; i++) {
        if (!name_temporary(f, i)) {
            errno = ENOMEM;
            return -1;
        }
        f->fd = open(f->beside.p, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
        if (f->fd < 0 && errno != EEXIST)
            break;
        int locked = f->fd >= 0 ? lock_created(f->fd) : 0;
        if (locked > 0)
            return 0;
        if (locked < 0)
            unlink(f->beside.p);
        if (f->fd >= 0)
            close(f->fd);
        f->fd = -1;
        if (locked < 0)
            break;
        errno = EEXIST;
    }
    f->beside.n = 0; /* there is none to remove */
    return -1;
}

/* ---- the public calls --------------------------------------------------------------------- */

static void free_all(thr_newfile *f)
{
    thr_bytes_clear(&f->given);
    thr_bytes_clear(&f->path);
    thr_bytes_clear(&f->beside);
    free(f);
}

static int fail(const char *path, thr_error *err)
{
    return errno == ENOMEM ? thr_fail_memory(err) : thr_fail_errno(err, "cannot write %s", path);
}

static int open_it(thr_newfile *f, const char *path, thr_error *err)
{
    struct stat st;
    bool there = stat(path, &st) == 0;
    if (!thr_bytes_add(&f->given, path, strlen(path)))
        return thr_fail_memory(err);
    if (there && S_ISDIR(st.st_mode))
        return thr_fail(err, THR_EIO, "cannot write %s: it is a directory", path);
    if (there && !S_ISREG(st.st_mode)) {
        f->fd = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
        return f->fd < 0 ? fail(path, err) : 0;
    }
    f->replaces = there;
    f->mode = there ? st.st_mode : 0;
    if (resolve(f, path))
        return fail(path, err);
    remove_stale(f->path.p);
    return create(f) ? fail(path, err) : 0;
}

thr_newfile *thr_newfile_open(const char *path, thr_error *err)
{
    thr_newfile *f = calloc(1, sizeof *f);
    if (!f) {
        thr_fail_memory(err);
        return NULL;
    }
    f->fd = -1;
    if (open_it(f, path, err) == 0)
        return f;
    free_all(f);
    return NULL;
}

int thr_newfile_descriptor(const thr_newfile *f)
{
    return f->fd;
}

const char *thr_newfile_temporary(const thr_newfile *f)
{
    return f->beside.n ? f->beside.p : NULL;
}

int thr_write_all(int fd, const void *bytes, size_t n)
{
    const char *at = bytes;
    while (n) {
        ssize_t done = write(fd, at, n);
        if (done < 0 && errno == EINTR)
            continue;
        if (done == 0)
            errno = EIO; /* write(2) leaves it unset then */
        if (done <= 0)
            return -1;
        at += done;
        n -= (size_t)done;
    }
    return 0;
}

/* Makes the rename durable. A failure is ignored: the file itself is complete and synced. */
static void sync_folder(const char *path)
{
    thr_bytes folder = {0};
    int fd = folder_of(path, &folder) ? open(folder.p, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
    thr_bytes_clear(&folder);
    if (fd >= 0) {
        fsync(fd);
        close(fd);
    }
}

/* Completes the file. The descriptor is closed even after a failure. */
static int complete(thr_newfile *f)
{
    bool direct = !f->beside.n;
    int failed = !direct && f->replaces && fchmod(f->fd, f->mode & 0777);
    if (!failed && !direct)
        failed = fsync(f->fd);
    int reason = errno;
    if (close(f->fd) && !failed) {
        failed = -1;
        reason = errno;
    }
    f->fd = -1;
    errno = reason;
    if (failed || direct)
        return failed;
    if (rename(f->beside.p, f->path.p))
        return -1;
    f->beside.n = 0; /* the name is gone */
    sync_folder(f->path.p);
    return 0;
}

int thr_newfile_close(thr_newfile *f, bool keep, thr_error *err)
{
    if (!f)
        return 0;
    int code = keep && complete(f) ? fail(f->given.p, err) : 0;
    if (f->fd >= 0)
        close(f->fd);
    if (f->beside.n)
        unlink(f->beside.p);
    free_all(f);
    return code;
}
