/* Any bytes read to their end as an input, plain or compressed: from memory, from a file, and from
 * a callback that hands over a few bytes at a time, fails or claims too many. All of them give the
 * same bytes, or the same refusal, and what is plain can be read again from any place. The first
 * byte sets how much is asked for at a time. */
#include "base/hash.h"
#include "source/source.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define MOST ((uint64_t)1 << 22) /* a small input can unpack to a great deal */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds)
{
    if (!holds)
        abort();
}

/* What came of reading. */
typedef struct outcome {
    uint64_t total, hash;
    long last; /* 0 at the end, or a code */
} outcome;

/* Reads to the end, or until it is too much. */
static outcome drain(thr_source *s, const char *name, size_t piece, size_t size)
{
    static char room[65536];
    thr_error err = {0};
    outcome o = {0};
    while ((o.last = thr_source_read(s, room, piece, &err)) > 0 && o.total < MOST) {
        require((size_t)o.last <= piece);
        for (long i = 0; i < o.last; i++) /* whatever the pieces */
            o.hash = o.hash * 31 + (uint8_t)room[i];
        o.total += (uint64_t)o.last;
    }
    require(thr_source_taken(s) <= size);
    if (o.last == 0)
        require(thr_source_taken(s) == size);
    if (o.last < 0)
        require(err.code == o.last && err.message[0] && strcmp(err.file, name) == 0);
    return o;
}

/* A source that is not compressed can go back to its middle and deliver the rest again. */
static void read_again(thr_source *s, const char *name, size_t piece, size_t size)
{
    thr_error err = {0};
    uint64_t known;
    if (!thr_source_seekable(s, &known))
        return;
    require(known == size && thr_source_seek(s, size / 2, &err) == 0);
    require(drain(s, name, piece, size).total == size - size / 2);
}

static outcome from_memory(const uint8_t *data, size_t size, size_t piece)
{
    thr_error err = {0};
    thr_source *s = thr_source_memory(data, size, "fuzz", &err);
    require(s && !thr_source_live(s));
    outcome o = drain(s, "fuzz", piece, size);
    if (o.last == 0)
        read_again(s, "fuzz", piece, size);
    thr_source_close(s);
    return o;
}

static outcome from_file(const uint8_t *data, size_t size, size_t piece)
{
    char path[64];
    thr_error err = {0};
    int fd = memfd_create("source", 0);
    require(fd >= 0 && write(fd, data, size) == (ssize_t)size);
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    require(thr_source_rereadable(path) && !thr_source_rereadable("-"));
    thr_source *s = thr_source_open(path, &err);
    require(s && !thr_source_live(s));
    outcome o = drain(s, path, piece, size);
    if (o.last == 0)
        read_again(s, path, piece, size);
    thr_source_close(s);
    close(fd);
    return o;
}

/* What a callback hands over, and how it misbehaves. */
typedef struct giver {
    const uint8_t *at, *end;
    size_t piece;
    size_t calls;     /* until it misbehaves; SIZE_MAX: never */
    int64_t nonsense; /* what it returns then */
} giver;

static int64_t give(void *user, void *to, size_t n)
{
    giver *g = user;
    size_t left = (size_t)(g->end - g->at), some = n < g->piece ? n : g->piece;
    if (g->calls == 0)
        return g->nonsense > 0 ? (int64_t)n + g->nonsense : g->nonsense;
    g->calls -= g->calls != SIZE_MAX;
    some = some < left ? some : left;
    if (some)
        memcpy(to, g->at, some);
    g->at += some;
    return (int64_t)some;
}

static outcome from_callback(giver *g, size_t piece)
{
    thr_error err = {0};
    size_t size = (size_t)(g->end - g->at);
    uint64_t known;
    thr_source *s = thr_source_reader(give, g, "fuzz", &err);
    require(s && thr_source_live(s) && !thr_source_seekable(s, &known));
    outcome o = drain(s, "fuzz", piece, size);
    require(o.last >= 0 || thr_source_read(s, &known, 1, &err) == o.last); /* it stays refused */
    thr_source_close(s);
    return o;
}

/* Before a refusal some ways may hand over more bytes than others. */
static void require_same(outcome a, outcome b)
{
    require((a.last < 0) == (b.last < 0));
    require(a.last != 0 || (a.total == b.total && a.hash == b.hash));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const int64_t nonsense[] = {1, THR_EIO, INT64_MIN, INT64_MAX / 2};
    thr_error err = {0};
    if (size == 0) {
        require(!thr_source_open("/proc/self", &err) && err.message[0]);
        thr_source_close(NULL);
        return 0;
    }
    size_t piece = (size_t)1 << (*data++ % 17);
    const uint8_t *end = data + --size;
    uint64_t mark = thr_hash(data, size, 0);
    giver good = {data, end, 1 + mark % 37, SIZE_MAX, 0};
    giver bad = {data, end, 1 + mark % 61, mark % 5, nonsense[mark / 64 % 4]};
    outcome o = from_memory(data, size, piece);
    require_same(o, from_file(data, size, piece));
    require_same(o, from_callback(&good, piece));
    from_callback(&bad, piece);
    return 0;
}
