/* One input, read from its beginning to its end.
 *
 * Raw bytes pass through a window [p, limit): all bytes of a memory source, or the part of a file
 * that is in the buffer. Bytes that are not compressed are copied from the window; when it is empty
 * they are read directly into the caller's memory, without the buffer. Compressed bytes go through
 * the codec whose magic bytes they begin with, member after member:
 *
 *     AT_START --+--> IN_PLAIN ---------------------> AT_END
 *                |                                      ^
 *                +--> IN_MEMBER <--> BETWEEN -----------+          FAILED from anywhere
 *
 * A failure is kept and reported again by every later read. Bytes that were decoded before it are
 * delivered first. */
#include "source/source.h"

#include "source/codec.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define BUFFER    ((size_t)1 << 18)
#define READ_MOST ((size_t)1 << 30) /* bytes in one read, so that a long can count them */

enum phase {
    AT_START,  /* no byte has been read yet */
    IN_PLAIN,  /* the bytes are not compressed */
    IN_MEMBER, /* inside a compressed member */
    BETWEEN,   /* behind a member: another one or the end follows */
    AT_END,
    FAILED, /* `failure` says why */
};

struct thr_source {
    char *name;               /* for error messages */
    int fd;                   /* -1: the source is memory or a callback */
    thr_read_fn *read;        /* the callback, or NULL */
    void *user;               /* its argument */
    bool fd_is_ours;          /* close it in the end: it is not standard input */
    bool regular;             /* a regular file, which is complete */
    uint8_t *buffer;          /* of BUFFER bytes; NULL: the source is memory */
    const uint8_t *p, *limit; /* raw bytes that are there and not used yet */
    const uint8_t *memory;    /* the first byte of a memory source; else NULL */
    bool raw_end;             /* no bytes follow `limit` */
    enum phase phase;
    const thr_codec *codec; /* NULL: not compressed, or not known yet */
    void *state;            /* the codec's */
    uint64_t taken;         /* raw bytes used so far */
    thr_error failure;
};

static const thr_codec *const codecs[] = {&thr_codec_gzip, &thr_codec_zstd, &thr_codec_xz};

/* The codec whose magic bytes these begin with, or NULL. *undecided: there are too few bytes, and
 * with more of them there may be a codec. A codec has fewer magic numbers than there is room for;
 * the size of the others is 0. */
static const thr_codec *codec_of(const uint8_t *p, size_t n, bool *undecided)
{
    *undecided = false;
    for (size_t c = 0; c < sizeof codecs / sizeof *codecs; c++)
        for (size_t m = 0; m < sizeof codecs[c]->magic / sizeof *codecs[c]->magic; m++) {
            const thr_magic *magic = &codecs[c]->magic[m];
            size_t same = 0; /* bytes that agree */
            while (same < n && same < magic->size &&
                   (p[same] & magic->mask[same]) == magic->bytes[same])
                same++;
            if (magic->size && same == magic->size)
                return codecs[c];
            *undecided |= same < magic->size && same == n;
        }
    return NULL;
}

/* Bytes in the window. */
static size_t waiting(const thr_source *s)
{
    return (size_t)(s->limit - s->p);
}

static void advance(thr_source *s, size_t n)
{
    s->p += n;
    s->taken += n;
}

/* s->failure has the message already; this adds the name of the source. */
static long fail(thr_source *s)
{
    s->phase = FAILED;
    return thr_fail_at(&s->failure, s->name, 0, 0);
}

/* Reads at least one byte, unless the end has come; returns how many. Waits if the descriptor is
 * non-blocking, and tries again after a signal. */
static long read_some(thr_source *s, void *to, size_t n)
{
    if (s->read) { /* the user's callback is not trusted: what it returns is checked */
        int64_t got = s->read(s->user, to, n);
        if (got >= 0 && (uint64_t)got <= n)
            return (long)got;
        if (got > 0)
            thr_fail(&s->failure, THR_EUSE,
                     "the read callback returned %lld, more than the %zu bytes it was asked for",
                     (long long)got, n);
        else
            thr_fail(&s->failure, got < INT_MIN ? THR_EIO : (int)got,
                     "the read callback failed with code %lld", (long long)got);
        return fail(s);
    }
    for (;;) {
        ssize_t got = read(s->fd, to, n);
        if (got >= 0)
            return (long)got;
        if (errno == EAGAIN || errno == EWOULDBLOCK) {
            struct pollfd ready = {.fd = s->fd, .events = POLLIN};
            if (poll(&ready, 1, -1) >= 0)
                continue;
        }
        if (errno != EINTR) {
            thr_fail_errno(&s->failure, "cannot read");
            return fail(s);
        }
    }
}

/* Moves the bytes in the window to the front of the buffer and reads more behind them. The window
 * must not fill the buffer. False: reading failed. */
static bool refill(thr_source *s)
{
    size_t n = waiting(s);
    memmove(s->buffer, s->p, n);
    s->p = s->buffer;
    s->limit = s->buffer + n;
    long got = read_some(s, s->buffer + n, BUFFER - n);
    if (got < 0)
        return false;
    s->limit += got;
    s->raw_end = got == 0;
    return true;
}

/* Finds the codec for the bytes that come next. Reads no more bytes than are needed to decide,
 * because a person may be typing them. False: reading failed. */
static bool recognise(thr_source *s, const thr_codec **codec)
{
    bool undecided;
    for (;;) {
        *codec = codec_of(s->p, waiting(s), &undecided);
        if (!undecided || s->raw_end)
            return true;
        if (!refill(s))
            return false;
    }
}

static void start_member(thr_source *s)
{
    s->phase = IN_MEMBER;
    if (!s->codec->open) {
        thr_fail(&s->failure, THR_EDATA, "this build cannot read %s", s->codec->name);
        fail(s);
    } else if (!s->codec->open(&s->state)) {
        thr_fail_memory(&s->failure);
        fail(s);
    }
}

static long copy_plain(thr_source *s, uint8_t *to, size_t n)
{
    size_t here = waiting(s);
    if (here) {
        n = n < here ? n : here;
        memcpy(to, s->p, n);
        advance(s, n);
        return (long)n;
    }
    long got = s->raw_end ? 0 : read_some(s, to, n);
    if (got > 0)
        s->taken += (uint64_t)got;
    if (got == 0)
        s->phase = AT_END;
    return got;
}

/* One step of the codec; returns the number of bytes decoded. A codec may hold back output when its
 * input is used up, so more input is read only after a step that neither read nor wrote a byte. If
 * there is no more input then, the data is cut short. Bytes decoded before a failure count. */
static long decode(thr_source *s, uint8_t *to, size_t n)
{
    thr_flow flow = {s->p, waiting(s), to, n};
    enum thr_step result = s->codec->step(s->state, &flow);
    size_t made = n - flow.out_room, used = waiting(s) - flow.in_size;
    const char *name = s->codec->name;
    advance(s, used);
    unsigned long long at = s->taken;
    if (result == THR_STEP_END)
        s->phase = BETWEEN;
    if (result == THR_STEP_END || (result == THR_STEP_MORE && (made || used)))
        return (long)made;
    if (result == THR_STEP_MORE && !s->raw_end) {
        refill(s);
        return 0;
    }
    if (result == THR_STEP_MEMORY)
        thr_fail_memory(&s->failure);
    else if (result == THR_STEP_TOO_BIG)
        thr_fail(&s->failure, THR_EDATA, "the %s data needs over %d MiB of memory to be read", name,
                 1 << (THR_WINDOW_LOG_MAX - 20));
    else if (result == THR_STEP_DAMAGED)
        thr_fail(&s->failure, THR_EDATA, "the %s data is damaged near byte %llu", name, at);
    else
        thr_fail(&s->failure, THR_EDATA, "the %s data is cut short after byte %llu", name, at);
    fail(s);
    return (long)made;
}

/* Behind a member comes another one of the same kind, or the end. Anything else is an error. */
static void start_next(thr_source *s)
{
    const thr_codec *codec;
    for (;;) {
        while (s->codec->zero_padding && waiting(s) && *s->p == 0)
            advance(s, 1);
        if (waiting(s) || s->raw_end)
            break;
        if (!refill(s))
            return;
    }
    if (!waiting(s)) {
        s->phase = AT_END;
        return;
    }
    if (!recognise(s, &codec))
        return;
    if (codec == s->codec) {
        start_member(s);
        return;
    }
    thr_fail(&s->failure, THR_EDATA, "what follows the %s data at byte %llu is not %s",
             s->codec->name, (unsigned long long)s->taken + 1, s->codec->name);
    fail(s);
}

/* Runs through the phases until a byte has been delivered. A negative `got` means that a phase has
 * failed; the next iteration then reports the failure. */
long thr_source_read(thr_source *s, void *to, size_t n, thr_error *err)
{
    long got = 0;
    n = n < READ_MOST ? n : READ_MOST;
    while (n && got <= 0) {
        switch (s->phase) {
        case AT_START:
            if (!recognise(s, &s->codec))
                break;
            if (s->codec)
                start_member(s);
            else
                s->phase = IN_PLAIN;
            break;
        case IN_PLAIN:
            got = copy_plain(s, to, n);
            break;
        case IN_MEMBER:
            got = decode(s, to, n);
            break;
        case BETWEEN:
            start_next(s);
            break;
        case AT_END:
            return 0;
        case FAILED:
            if (err)
                *err = s->failure;
            return s->failure.code;
        }
    }
    return got;
}

static thr_source *source_new(const char *name, thr_error *err)
{
    thr_source *s = calloc(1, sizeof *s);
    char *copy = strdup(name);
    if (!s || !copy) {
        free(s);
        free(copy);
        thr_fail_memory(err);
        return NULL;
    }
    s->name = copy;
    s->fd = -1;
    return s;
}

thr_source *thr_source_open(const char *path, thr_error *err)
{
    bool is_stdin = strcmp(path, "-") == 0;
    thr_source *s = source_new(is_stdin ? "standard input" : path, err);
    if (!s)
        return NULL;
    do
        s->fd = is_stdin ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    while (s->fd < 0 && errno == EINTR);
    s->fd_is_ours = !is_stdin && s->fd >= 0;
    struct stat st;
    int code = 0;
    if (s->fd < 0 || fstat(s->fd, &st) != 0)
        code = thr_fail_errno(err, "cannot open");
    else if (S_ISDIR(st.st_mode))
        code = thr_fail(err, THR_EIO, "is a directory, not a file");
    else if (!(s->buffer = malloc(BUFFER)))
        code = thr_fail_memory(err);
    if (code) {
        thr_fail_at(err, s->name, 0, 0);
        thr_source_close(s);
        return NULL;
    }
    s->regular = S_ISREG(st.st_mode);
    s->p = s->limit = s->buffer;
    return s;
}

thr_source *thr_source_memory(const void *bytes, size_t size, const char *name, thr_error *err)
{
    thr_source *s = source_new(name ? name : "<memory>", err);
    if (!s)
        return NULL;
    s->p = s->memory = bytes ? bytes : (const void *)"";
    s->limit = s->p + size;
    s->raw_end = true;
    return s;
}

thr_source *thr_source_reader(thr_read_fn *read, void *user, const char *name, thr_error *err)
{
    thr_source *s = source_new(name ? name : "<reader>", err);
    uint8_t *buffer = s ? malloc(BUFFER) : NULL;
    if (s && !buffer) {
        thr_source_close(s);
        thr_fail_memory(err);
        return NULL;
    }
    if (s) {
        s->p = s->limit = s->buffer = buffer;
        s->read = read;
        s->user = user;
    }
    return s;
}

void thr_source_close(thr_source *s)
{
    if (!s)
        return;
    if (s->codec && s->codec->close)
        s->codec->close(s->state);
    if (s->fd_is_ours)
        close(s->fd);
    free(s->buffer);
    free(s->name);
    free(s);
}

bool thr_source_live(const thr_source *s)
{
    return (s->fd >= 0 || s->read) && !s->regular && !s->codec;
}

uint64_t thr_source_taken(const thr_source *s)
{
    return s->taken;
}

/* Standard input is not seekable here even if it is a file: its offset belongs to others, too. */
bool thr_source_seekable(const thr_source *s, uint64_t *size)
{
    struct stat st;
    bool plain = !s->codec && (s->phase == IN_PLAIN || s->phase == AT_END);
    if (!plain || s->read || (!s->memory && (!s->regular || !s->fd_is_ours)))
        return false;
    if (s->memory) {
        *size = (uint64_t)(s->limit - s->memory);
        return true;
    }
    bool known = fstat(s->fd, &st) == 0;
    *size = known ? (uint64_t)st.st_size : 0;
    return known;
}

int thr_source_seek(thr_source *s, uint64_t at, thr_error *err)
{
    if (s->memory)
        s->p = s->memory + at;
    else if (lseek(s->fd, (off_t)at, SEEK_SET) < 0) {
        thr_fail_errno(err, "cannot read");
        return thr_fail_at(err, s->name, 0, 0);
    } else {
        s->p = s->limit = s->buffer;
        s->raw_end = false;
    }
    s->phase = IN_PLAIN;
    s->taken = at;
    return 0;
}

bool thr_source_rereadable(const char *path)
{
    struct stat st;
    return strcmp(path, "-") != 0 && stat(path, &st) == 0 &&
           (S_ISREG(st.st_mode) || S_ISBLK(st.st_mode));
}
