/* Saving a model to a file or to memory.
 *
 * A file is written beside its target under a temporary name, synced, and renamed over the target;
 * then the folder is synced. So the target is at all times either the old file or the complete new
 * one, also after a crash, and a failure leaves it alone. The bytes are made by write.c. */
#include "file/file.h"
#include "model/inside.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int put_fd(void *to, const void *p, size_t n)
{
    int fd = *(int *)to;
    const char *at = p;
    while (n) {
        ssize_t done = write(fd, at, n);
        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0)
            return -1;
        at += done;
        n -= (size_t)done;
    }
    return 0;
}

static int put_memory(void *to, const void *p, size_t n)
{
    return thr_bytes_add(to, p, n) ? 0 : -1;
}

/* Makes the rename durable. A failure is ignored: the file itself is complete and synced. */
static void sync_folder(const char *path)
{
    char folder[PATH_MAX];
    const char *slash = strrchr(path, '/');
    snprintf(folder, sizeof folder, "%.*s", slash ? (int)(slash - path + 1) : 1,
             slash ? path : ".");
    int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd >= 0) {
        fsync(fd);
        close(fd);
    }
}

/* Opens a new file in the target's folder, since a rename must stay within one file system. Its
 * name has the process id, and a number in case such a file was left over. */
static int open_beside(const char *path, char *beside, size_t room)
{
    for (unsigned i = 0; i < 100; i++) {
        if ((size_t)snprintf(beside, room, "%s.%ld-%u.tmp", path, (long)getpid(), i) >= room) {
            errno = ENAMETOOLONG;
            return -1;
        }
        int fd = open(beside, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (fd >= 0 || errno != EEXIST)
            return fd;
    }
    return -1;
}

static int write_fd(const thr_model *m, int fd, const char *path, thr_error *err)
{
    int code = thr_model_write(m, put_fd, &fd);
    if (code == THR_EMEM)
        return thr_fail_memory(err);
    if (code)
        return thr_fail_errno(err, "cannot write %s", path);
    return 0;
}

/* `mode` is that of the file to be replaced, which the new one keeps; 0 if there is none. */
static int save_regular(const thr_model *m, const char *path, mode_t mode, thr_error *err)
{
    char beside[PATH_MAX];
    int fd = open_beside(path, beside, sizeof beside);
    if (fd < 0)
        return thr_fail_errno(err, "cannot write %s", path);
    int code = write_fd(m, fd, path, err);
    if (code == 0 && mode && fchmod(fd, mode & 0777))
        code = thr_fail_errno(err, "cannot write %s", path);
    if (code == 0 && fsync(fd))
        code = thr_fail_errno(err, "cannot write %s", path);
    if (close(fd) && code == 0)
        code = thr_fail_errno(err, "cannot write %s", path);
    if (code == 0 && rename(beside, path))
        code = thr_fail_errno(err, "cannot replace %s", path);
    if (code)
        unlink(beside);
    else
        sync_folder(path);
    return code;
}

/* A symbolic link is followed: the file it points to is replaced, not the link. Devices and pipes
 * cannot be replaced; they are written to directly. */
static int save_to(const thr_model *m, const char *path, thr_error *err)
{
    struct stat st;
    char real[PATH_MAX];
    if (stat(path, &st))
        return save_regular(m, path, 0, err);
    if (S_ISDIR(st.st_mode))
        return thr_fail(err, THR_EIO, "cannot write %s: it is a directory", path);
    if (S_ISREG(st.st_mode))
        return save_regular(m, realpath(path, real) ? real : path, st.st_mode, err);
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    if (fd < 0)
        return thr_fail_errno(err, "cannot write %s", path);
    int code = write_fd(m, fd, path, err);
    if (close(fd) && code == 0)
        code = thr_fail_errno(err, "cannot write %s", path);
    return code;
}

/* The model to write, if it is not m itself: with its rules finished, and lean if asked for. A rule
 * is unfinished if it must be fitted to all its kept examples before it is saved. m is const and
 * stays as it is, so that training can go on. The caller frees *copy, which is NULL if m itself is
 * to be written. All of a mapped model is checked first: damage must not be saved with valid
 * hashes. */
static int copy_to_write(const thr_model *m, bool lean, thr_model **copy, thr_error *err)
{
    thr_error local;
    err = err ? err : &local;
    *copy = NULL;
    if (thr_model_touch_all(m, err))
        return THR_EMODEL;
    bool unfinished = false;
    for (uint32_t k = 0; k < m->members; k++)
        unfinished |= m->member[k].rule.learner->fit && !m->member[k].rule.finished;
    thr_model *finished = unfinished ? thr_model_clone(m, err) : NULL;
    if (unfinished && (!finished || thr_model_finish(finished, err))) {
        thr_model_free(finished);
        return err->code;
    }
    *copy = finished;
    if (!lean || m->lean)
        return 0;
    *copy = thr_model_lean(finished ? finished : m, err);
    thr_model_free(finished);
    return *copy ? 0 : err->code;
}

int thr_model_save(const thr_model *m, const char *path, bool lean, thr_error *err)
{
    thr_model *copy;
    int code = copy_to_write(m, lean, &copy, err);
    if (code == 0)
        code = save_to(copy ? copy : m, path, err);
    thr_model_free(copy);
    return code;
}

int thr_model_dump(const thr_model *m, bool lean, void **bytes, size_t *size, thr_error *err)
{
    thr_model *copy;
    int code = copy_to_write(m, lean, &copy, err);
    if (code)
        return code;
    thr_bytes out = {0};
    code = thr_model_write(copy ? copy : m, put_memory, &out);
    thr_model_free(copy);
    if (code) {
        thr_bytes_clear(&out);
        return thr_fail_memory(err);
    }
    *bytes = out.p;
    *size = out.n;
    return 0;
}
