/* A cache made in passing: what a pass reads is written down parsed, and read from there next time.
 *
 * With a path it is a file that lasts: written beside its target, renamed when it is complete, and
 * used again by whoever reads the same data with the same settings. Without one it is a temporary
 * file that has no name, for the later passes of this run; one that would grow beyond the limit, or
 * cannot be written, is given up, and the data is read again. */
#ifndef THR_INPUT_CACHE_BUILD_H
#define THR_INPUT_CACHE_BUILD_H

#include "format/format.h"
#include "input/stream.h"

typedef struct thr_cache_build {
    bool on;             /* being written */
    thr_input *input;    /* complete: what to read instead of the data; NULL: not yet */
    const thr_input *of; /* the data */
    thr_reader_settings reader;
    const char *path; /* NULL: temporary */
    char *beside;
    int fd;
    uint64_t stamp; /* of the data, 0: none */
    uint64_t size, limit;
    thr_writer writer;
    void *map; /* a temporary one, to be read */
    size_t map_size;
} thr_cache_build;

/* Looks whether `path` is a cache of this data and to be read (k->input), else begins to make one.
 * A file that is something else is an error. `by_id`: a feature's id stands for one name only. */
int thr_cache_build_open(thr_cache_build *k, const char *path, const thr_input *of,
                         const thr_reader_settings *reader, const thr_format *prefer, bool by_id,
                         thr_error *err);
/* A temporary one. Cannot fail: then there is none. */
void thr_cache_build_temporary(thr_cache_build *k, uint64_t limit, const thr_input *of,
                               const thr_reader_settings *reader, bool by_id);
/* A batch, its ids looked up. */
int thr_cache_build_add(thr_cache_build *k, const thr_batch *b, thr_error *err);
/* The data has been read to its end: k->input, or still NULL where it was given up. */
int thr_cache_build_finish(thr_cache_build *k, thr_error *err);
void thr_cache_build_clear(thr_cache_build *k); /* removes what is not complete */

#endif
