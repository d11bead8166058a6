/* Stamping the data, recognising an existing cache, writing a new one (cache_build.h). */
#include "input/cache_build.h"

#include "base/error.h"
#include "base/hash.h"
#include "base/newfile.h"
#include "format/cache.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define PEEK  ((size_t)1 << 16) /* bytes at each end of a file that the stamp covers */
#define FLUSH ((size_t)1 << 20) /* bytes gathered before they are written */

/* ---- the stamp of the data ---------------------------------------------------------------- */

/* Reads up to n bytes at offset `at` and sets *got to how many there were. False: errno says why
 * they cannot be read. A stamp of fewer bytes would be that of other data. */
static bool peek(int fd, uint64_t at, char *to, size_t n, size_t *got)
{
    *got = 0;
    while (*got < n) {
        ssize_t some = pread(fd, to + *got, n - *got, (off_t)(at + *got));
        if (some < 0 && errno == EINTR)
            continue;
        if (some <= 0)
            return some == 0;
        *got += (size_t)some;
    }
    return true;
}

/* Hashes both ends of a file of that size. */
static bool hash_ends(int fd, uint64_t size, char *room, uint64_t *hash)
{
    size_t n;
    if (!peek(fd, 0, room, PEEK, &n))
        return false;
    *hash = thr_hash(room, n, 0);
    if (!peek(fd, size > PEEK ? size - PEEK : 0, room, PEEK, &n))
        return false;
    *hash = thr_hash(room, n, *hash);
    return true;
}

/* Appends size, time of modification and a hash of both ends of a file. *regular becomes false if
 * it is something else. O_NONBLOCK keeps the open of a named pipe from waiting for its writer. */
static int stamp_file(const char *path, char *room, thr_bytes *out, bool *regular, thr_error *err)
{
    struct stat st;
    uint64_t hash;
    int code = 0, fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    if (fd < 0 || fstat(fd, &st))
        code = thr_fail_errno(err, "cannot read %s", path);
    else if (!S_ISREG(st.st_mode))
        *regular = false;
    else if (!hash_ends(fd, (uint64_t)st.st_size, room, &hash))
        code = thr_fail_errno(err, "cannot read %s", path);
    else if (!thr_bytes_printf(out, "%llu %lld.%09ld %016llx\n", (unsigned long long)st.st_size,
                               (long long)st.st_mtim.tv_sec, st.st_mtim.tv_nsec,
                               (unsigned long long)hash))
        code = thr_fail_memory(err);
    if (fd >= 0)
        close(fd);
    return code;
}

/* A hash of the data and of how it is read. *stamp is 0 if some part is not a file, so that it
 * cannot be recognised later. The feature settings are not in it: the head of the cache has them as
 * text. */
static int stamp_of(const thr_input *in, const thr_reader_settings *s, uint64_t *stamp,
                    thr_error *err)
{
    const thr_columns *c = in->columns.given ? &in->columns : &s->columns;
    thr_bytes text = {0};
    char *room = malloc(PEEK);
    bool ok =
        room && thr_bytes_printf(&text, "%s %d %d %d %d\n", in->format ? in->format->name : "auto",
                                 c->given, in->labelled, s->multilabel, s->numbers);
    for (size_t i = 0; i < c->n && ok; i++)
        ok = thr_bytes_printf(&text, "%d %u ", c->chosen[i].role, c->chosen[i].number) &&
             thr_bytes_add(&text, c->names + c->chosen[i].at, c->chosen[i].size) &&
             thr_bytes_add(&text, "\n", 1);
    int code = ok ? 0 : thr_fail_memory(err);
    bool files = true;
    for (size_t i = 0; i < in->n_parts && files && code == 0; i++)
        if (!in->part[i].path || strcmp(in->part[i].path, "-") == 0)
            files = false;
        else
            code = stamp_file(in->part[i].path, room, &text, &files, err);
    if (code == 0 && in->shards > 1 &&
        !thr_bytes_printf(&text, "shard %u %u\n", in->shard, in->shards))
        code = thr_fail_memory(err);
    *stamp = code == 0 && files ? thr_hash(text.p, text.n, 0) : 0;
    free(room);
    thr_bytes_clear(&text);
    return code;
}

/* ---- an existing cache -------------------------------------------------------------------- */

/* An input that reads the complete cache in the way the data was to be read. */
static thr_input *reading(const thr_cache_build *k)
{
    thr_input *in = thr_input_new();
    if (!in)
        return NULL;
    in->format = &thr_format_cache;
    in->threads = k->of->threads;
    in->labelled = k->of->labelled;
    in->on_error = k->of->on_error;
    in->problem = k->of->problem;
    in->user = k->of->user;
    int code = k->path ? thr_input_add_file(in, k->path, NULL)
                       : thr_input_add_memory(in, k->map, k->map_size, "the cache", NULL);
    if (code == 0)
        return in;
    thr_input_free(in);
    return NULL;
}

/* Fails if the file is one of those that are read as data. */
static int check_no_data(const thr_cache_build *k, const struct stat *st, thr_error *err)
{
    struct stat part;
    for (size_t i = 0; i < k->of->n_parts; i++) {
        const char *path = k->of->part[i].path;
        if (path && stat(path, &part))
            return thr_fail_errno(err, "cannot read %s", path);
        if (path && part.st_dev == st->st_dev && part.st_ino == st->st_ino)
            return thr_fail(err, THR_EUSE, "%s is read as data: write the cache somewhere else",
                            k->path);
    }
    return 0;
}

/* 1 if the n bytes begin a cache of this data; 0: another cache or nothing, to be overwritten;
 * negative: something that must not be. */
static int recognise(const thr_cache_build *k, const char *head, size_t n, const thr_format *prefer,
                     thr_error *err)
{
    thr_cache_origin from;
    if (n && (n < 8 || memcmp(head, THR_CACHE_MAGIC, 8) != 0))
        return thr_fail(err, THR_EUSE, "%s exists and is not a cache; remove it first", k->path);
    return thr_cache_head(head, n, &k->reader.features, &from) && from.stamp == k->stamp &&
           (!prefer || prefer == from.format);
}

/* Looks at the file at k->path. 1: a cache of this data; 0: another cache, an empty file or
 * none, to be written; negative: a file that must not be overwritten. */
static int look(const thr_cache_build *k, const thr_format *prefer, thr_error *err)
{
    struct stat st;
    size_t n = 0;
    int fd = open(k->path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    if (fd < 0)
        return errno == ENOENT ? 0 : thr_fail_errno(err, "cannot open %s", k->path);
    char *head = malloc(THR_CACHE_HEAD_MOST);
    int found = 0;
    if (!head)
        found = thr_fail_memory(err);
    else if (fstat(fd, &st))
        found = thr_fail_errno(err, "cannot read %s", k->path);
    else if (!S_ISREG(st.st_mode))
        found = thr_fail(err, THR_EUSE, "%s exists and is not a cache; remove it first", k->path);
    else if (!peek(fd, 0, head, THR_CACHE_HEAD_MOST, &n))
        found = thr_fail_errno(err, "cannot read %s", k->path);
    else
        found = check_no_data(k, &st, err);
    if (found == 0)
        found = recognise(k, head, n, prefer, err);
    close(fd);
    free(head);
    return found;
}

/* ---- writing ------------------------------------------------------------------------------ */

static void begin(thr_cache_build *k, const thr_input *of, const thr_reader_settings *reader,
                  bool by_id)
{
    k->of = of;
    k->reader = *reader;
    k->writer = (thr_writer){.features = &k->reader.features, .by_id = by_id, .stamp = k->stamp};
}

/* Whether all files of the input exist and can be read. */
static bool all_there(const thr_input *in)
{
    struct stat st;
    for (size_t i = 0; i < in->n_parts; i++)
        if (in->part[i].path && strcmp(in->part[i].path, "-") != 0 &&
            (stat(in->part[i].path, &st) != 0 || access(in->part[i].path, R_OK) != 0))
            return false;
    return true;
}

/* Tells the caller of the temporary file, or with NULL that it is gone. */
static void tell(const thr_cache_build *k, const char *temporary)
{
    if (k->o && k->o->on_temporary)
        k->o->on_temporary(k->o->temporary_user, temporary);
}

int thr_cache_build_open(thr_cache_build *k, const thr_train_options *o, const thr_input *of,
                         const thr_reader_settings *reader, const thr_format *prefer, bool by_id,
                         thr_error *err)
{
    *k = (thr_cache_build){.path = o->cache, .o = o, .fd = -1, .limit = UINT64_MAX};
    int code = stamp_of(of, reader, &k->stamp, err);
    begin(k, of, reader, by_id);
    if (k->stamp == 0 && !all_there(of)) /* the stream will fail with a better message */
        return 0;
    if (code)
        return code;
    if (k->stamp == 0)
        return thr_fail(err, THR_EUSE,
                        "a cache is made from files that can be read: what comes from a pipe "
                        "cannot be known again");
    int found = look(k, prefer, err);
    if (found) {
        k->input = found > 0 ? reading(k) : NULL;
        return found < 0 ? found : k->input ? 0 : thr_fail_memory(err);
    }
    k->file = thr_newfile_open(k->path, err);
    if (!k->file)
        return err ? err->code : THR_EIO;
    tell(k, thr_newfile_temporary(k->file));
    k->fd = thr_newfile_descriptor(k->file);
    k->on = true;
    return 0;
}

/* The file has no name, and is in TMPDIR or /tmp. The system frees it when the process ends, even
 * if it crashes. File systems without O_TMPFILE get a file that is unlinked at once. */
void thr_cache_build_temporary(thr_cache_build *k, uint64_t limit, const thr_input *of,
                               const thr_reader_settings *reader, bool by_id)
{
    const char *folder = getenv("TMPDIR");
    char path[4096];
    folder = folder && *folder ? folder : "/tmp";
    int fd = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (fd < 0 && snprintf(path, sizeof path, "%s/thresh-XXXXXX", folder) < (int)sizeof path) {
        fd = mkstemp(path);
        if (fd >= 0)
            unlink(path);
    }
    *k = (thr_cache_build){.fd = fd, .limit = limit};
    begin(k, of, reader, by_id);
    k->on = k->fd >= 0;
}

/* Completes or removes the file of a named cache. */
static int close_named(thr_cache_build *k, bool keep, thr_error *err)
{
    int code = thr_newfile_close(k->file, keep, err);
    k->file = NULL;
    k->fd = -1;
    tell(k, NULL);
    return code;
}

/* Abandons the cache: frees the writer, and closes and removes the file. */
static void give_up(thr_cache_build *k)
{
    k->on = false;
    k->writer.err = NULL;
    thr_cache_write_end(&k->writer);
    thr_bytes_clear(&k->writer.out);
    if (k->file)
        close_named(k, false, NULL);
    else if (k->fd >= 0)
        close(k->fd);
    k->fd = -1;
}

/* Gives up after a failed system call. For a named cache that is an error, with errno. A
 * temporary one only saves time, so its failure is ignored. */
static int stop(thr_cache_build *k, const char *what, thr_error *err)
{
    int reason = errno;
    give_up(k);
    errno = reason;
    return k->path ? thr_fail_errno(err, "cannot %s %s", what, k->path) : 0;
}

static int put_out(thr_cache_build *k, thr_error *err)
{
    thr_bytes *out = &k->writer.out;
    if (thr_write_all(k->fd, out->p, out->n))
        return stop(k, "write", err);
    k->size += out->n;
    out->n = 0;
    if (k->size > k->limit)
        give_up(k);
    return 0;
}

int thr_cache_build_add(thr_cache_build *k, const thr_batch *b, thr_error *err)
{
    int code = 0;
    if (!k->on)
        return 0;
    if (!k->path && b->names) { /* the data is a cache itself: another would save nothing */
        give_up(k);
        return 0;
    }
    k->writer.batch = b;
    k->writer.err = err;
    for (size_t e = 0; e < b->n && code == 0; e++)
        code = thr_cache_write(&k->writer, e);
    if (code) {
        give_up(k);
        return k->path ? code : 0;
    }
    k->writer.written += b->n;
    return k->writer.out.n > FLUSH ? put_out(k, err) : 0;
}

/* Makes a complete cache the input of the passes that follow. A named cache gets its name now:
 * readers see the old file or the new one, never a part of it. A temporary one is mapped. Input
 * files are never mapped, since a file that shrinks while it is mapped kills the process; but no
 * other process can open this one. If mapping fails, k->input stays NULL and the data is read
 * again. */
static int read_back(thr_cache_build *k, thr_error *err)
{
    if (!k->path) {
        void *at = mmap(NULL, (size_t)k->size, PROT_READ, MAP_PRIVATE, k->fd, 0);
        if (at == MAP_FAILED)
            return 0;
        k->map = at;
        k->map_size = (size_t)k->size;
        k->input = reading(k);
        return 0;
    }
    int code = close_named(k, true, err);
    if (code)
        return code;
    k->input = reading(k);
    return k->input ? 0 : thr_fail_memory(err);
}

/* A file that was changed while it was read would get a cache that fits neither version. */
static int check_unchanged(const thr_cache_build *k, thr_error *err)
{
    uint64_t now;
    int code = stamp_of(k->of, &k->reader, &now, err);
    if (code == 0 && now != k->stamp)
        code = thr_fail(err, THR_EDATA,
                        "the data was changed while it was read: no cache is "
                        "written to %s",
                        k->path);
    return code;
}

int thr_cache_build_finish(thr_cache_build *k, thr_error *err)
{
    if (!k->on)
        return 0;
    k->writer.err = err;
    bool any = k->writer.written > 0;
    int code = any && k->path ? check_unchanged(k, err) : 0;
    if (any && code == 0)
        code = thr_cache_write_end(&k->writer);
    if (any && code == 0)
        code = put_out(k, err);
    if (code || !any || !k->on) {
        if (k->on)
            give_up(k);
        return k->path ? code : 0;
    }
    k->on = false;
    thr_bytes_clear(&k->writer.out);
    return read_back(k, err);
}

void thr_cache_build_clear(thr_cache_build *k)
{
    if (k->on)
        give_up(k);
    thr_input_free(k->input);
    if (k->map)
        munmap(k->map, k->map_size);
    if (k->file)
        close_named(k, false, NULL);
    else if (k->fd > 0)
        close(k->fd);
    *k = (thr_cache_build){0};
}
