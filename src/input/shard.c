/* Computing the cuts, and finding records by line ends or one by one. */
#include "input/shard.h"

#include "base/error.h"

#include <string.h>

#define CHUNK ((size_t)1 << 14) /* bytes read at a time in search of a line end */

/* The offset where piece i of n begins, in a file of `size` bytes whose header takes up `head`.
 * The division comes first, so that the product cannot overflow. */
static uint64_t cut_at(uint64_t head, uint64_t size, unsigned i, unsigned n)
{
    uint64_t length = size - head;
    return head + length / n * i + length % n * i / n;
}

/* *start is where the first line begins that begins at `at` or later, or the end of the file.
 * Both ends of a shard are found this way: the end of one is the start of the next. */
static int line_start(thr_source *s, uint64_t head, uint64_t at, uint64_t *start, thr_error *err)
{
    char chunk[CHUNK];
    const char *newline = NULL;
    long n = 0;
    *start = at;
    if (at <= head)
        return 0;
    int code = thr_source_seek(s, --*start, err); /* a line begins at `at` if this is a newline */
    while (code == 0 && !newline && (n = thr_source_read(s, chunk, sizeof chunk, err)) > 0) {
        newline = memchr(chunk, '\n', (size_t)n);
        *start += newline ? (uint64_t)(newline - chunk) + 1 : (uint64_t)n;
    }
    return code ? code : n < 0 ? (int)n : 0;
}

/* Moves the cuts to the starts of lines and the source to the first of them. */
static int seek_lines(thr_blocks *b, uint64_t head, thr_error *err)
{
    uint64_t from, to;
    int code = line_start(b->source, head, b->from, &from, err);
    if (code == 0)
        code = line_start(b->source, head, b->to, &to, err);
    if (code == 0)
        code = thr_source_seek(b->source, from, err);
    if (code)
        return code;
    b->begin = b->from = from;
    b->to = to;
    b->carry.n = 0;
    b->at_end = false;
    b->seeks = true;
    return 0;
}

int thr_shard_begin(thr_blocks *b, thr_error *err)
{
    const thr_input *in = b->in;
    uint64_t size, head = thr_source_taken(b->source) - b->carry.n;
    const char *why = b->format->parse_block
                          ? "a cache cannot be cut into shards, because the names of its features "
                            "are spread over all of it: cut the data it was made from"
                      : !thr_source_seekable(b->source, &size)
                          ? "only a file or memory that is not compressed can be cut into shards, "
                            "not a pipe, a callback or compressed data: unpack it into a file"
                          : NULL;
    if (why) {
        thr_fail(err, THR_EUSE, "%s", why);
        return thr_fail_at(err, thr_input_name(in, b->part), 0, 0);
    }
    size = size < head ? head : size; /* the file may have shrunk since the header was read */
    b->from = cut_at(head, size, in->shard, in->shards);
    b->to = cut_at(head, size, in->shard + 1, in->shards);
    if (!b->format->record_end)
        return seek_lines(b, head, err);
    b->picks = true;
    return 0;
}

/* Among the first n bytes of the carry, the end of the last record that begins before offset
 * `limit` of the file. The carry begins at offset `at`. */
static size_t records_before(const thr_blocks *b, uint64_t at, size_t n, uint64_t limit)
{
    size_t end = 0;
    while (end < n && at + end < limit)
        end = (size_t)(b->format->record_end(b->carry.p + end, b->carry.p + n) - b->carry.p);
    return end;
}

size_t thr_shard_pick(thr_blocks *b, size_t n)
{
    uint64_t at = thr_source_taken(b->source) - b->carry.n;
    size_t before = records_before(b, at, n, b->from);
    b->carry.n -= before;
    memmove(b->carry.p, b->carry.p + before, b->carry.n);
    size_t left = n - before, mine = records_before(b, at + before, left, b->to);
    b->over = mine < left;
    return mine;
}
