/* The bytes of an input as they are, for callers that have a format of their own. */
#include "base/error.h"
#include "input/stream.h"
#include "source/source.h"

#include <stdlib.h>

#define PIECE ((size_t)256 << 10)

static int read_part(const thr_input *in, size_t part, char *room, thr_piece_fn *fn, void *user,
                     thr_error *err)
{
    thr_source *source = thr_input_open_part(in, part, err);
    if (!source)
        return err->code ? err->code : THR_EIO;
    int code = 0;
    for (bool more = true, first = true; more && code >= 0; first = false) {
        long n = thr_source_read(source, room, PIECE, err);
        more = n > 0;
        thr_piece p = {.file = thr_input_name(in, part),
                       .bytes = room,
                       .size = more ? (size_t)n : 0,
                       .first = first,
                       .last = n == 0};
        code = n < 0 ? (int)n : fn(user, &p);
    }
    thr_source_close(source);
    return code < 0 ? code : 0;
}

int thr_input_pieces(const thr_input *in, thr_piece_fn *fn, void *user, thr_error *err)
{
    thr_error local = {0};
    err = err ? err : &local;
    if (in->shards > 1)
        return thr_fail(err, THR_EUSE, "bytes without a format cannot be cut into shards");
    char *room = malloc(PIECE);
    int code = room ? 0 : thr_fail_memory(err);
    for (size_t i = 0; i < in->n_parts && code == 0; i++)
        code = read_part(in, i, room, fn, user, err);
    free(room);
    return code;
}

size_t thr_input_max_line(const thr_input *in)
{
    return in->max_line;
}
