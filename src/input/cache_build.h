/* Caches that are written while the data is read.
 *
 * Parsing text is slow compared with reading a cache (format/cache.c), so a run that reads its
 * data anyway writes the parsed examples to a cache at the same time:
 *
 *      first pass     data --> stream --> batch --> ids --> learn
 *                                                    |
 *                                                    +--> thr_cache_build_add --> temporary file
 *
 *      end of data    thr_cache_build_finish renames the temporary file to PATH (base/newfile.h)
 *
 *      later passes   k->input --> stream --> batch --> ids --> learn
 *      later runs     (names are numbers in the cache's table; nothing is parsed)
 *
 * Batches are added after the lexicon has given ids to their names. The cache has numbers of
 * its own for names, by order of first appearance. As long as an id stands for one name only,
 * the number of a name is found in an array indexed by id. With hashed names two names may
 * share an id, so names are then looked up by their text.
 *
 * There are two kinds:
 *
 *      named        A file that lasts (--cache FILE). Its head holds a stamp of the data, and the
 *                   feature settings. A later run that has the same data and settings reads the
 *                   cache instead; any other run writes it again. Failing to write it is an error.
 *      temporary    For the later passes of one run. The file has no name, so that nothing is left
 *                   behind however the run ends, and it is mapped for reading. If it cannot be
 *                   written, or would exceed a limit, it is given up without an error, and the
 *                   later passes read the data.
 *
 * The stamp is a hash of how the data is read (format, columns, shard, kind of labels) and, for
 * each file, of its size, its time of modification and its first and last 64 KiB. It is
 * computed again when the data has been read: a cache of a file that changed meanwhile is not
 * kept, which is an error. Data from a pipe or from memory has no stamp, and cannot have a named
 * cache.
 *
 * A cache holds no bad lines and no places, and its names come a block at a time, ahead of
 * their examples. Training makes none where that matters (run/train.c). */
#ifndef THR_INPUT_CACHE_BUILD_H
#define THR_INPUT_CACHE_BUILD_H

#include "format/format.h"
#include "input/stream.h"

/* All zero: there is no cache, and adding to it does nothing. The writer points into the
 * struct, which must not move while the cache is being written. */
typedef struct thr_cache_build {
    bool on;             /* the cache is being written */
    thr_input *input;    /* not NULL: the cache is complete, read this instead of the data. Owned */
    const thr_input *of; /* the data; borrowed */
    thr_reader_settings reader;
    const char *path;           /* borrowed; NULL: a temporary cache */
    const thr_train_options *o; /* of a named cache; borrowed */
    thr_newfile *file;          /* of a named cache, while it is being written */
    int fd;               /* of the file that is being written, or of a temporary cache; -1: none */
    uint64_t stamp;       /* of the data; 0: it has none */
    uint64_t size, limit; /* bytes written so far; the most that may be written */
    thr_writer writer;
    void *map; /* a complete temporary cache */
    size_t map_size;
} thr_cache_build;

/* Begins a named cache, o->cache. If the file is a cache of this data and these settings, sets
 * k->input. If it is another cache, or does not exist, begins to write one. If it is anything
 * else, or one of the files that are read as data, fails with THR_EUSE and leaves it alone.
 * `prefer`: only a cache that was made from this format will do; may be NULL. `by_id`: an id
 * stands for one name only. */
int thr_cache_build_open(thr_cache_build *k, const thr_train_options *o, const thr_input *of,
                         const thr_reader_settings *reader, const thr_format *prefer, bool by_id,
                         thr_error *err);
/* Begins a temporary cache of at most `limit` bytes. If no file can be opened there is none;
 * that is no error. */
void thr_cache_build_temporary(thr_cache_build *k, uint64_t limit, const thr_input *of,
                               const thr_reader_settings *reader, bool by_id);
/* Appends the examples of a batch whose ids have been filled in. */
int thr_cache_build_add(thr_cache_build *k, const thr_batch *b, thr_error *err);
/* To be called when all of the data has been read and added. Completes the cache and sets
 * k->input, which stays NULL if the cache was given up. */
int thr_cache_build_finish(thr_cache_build *k, thr_error *err);
/* Frees everything, and removes a cache that is not complete. */
void thr_cache_build_clear(thr_cache_build *k);

#endif
