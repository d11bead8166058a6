/* A source of bytes: a file, a pipe, memory, or a callback of the user. Compressed data (gzip,
 * zstd, xz) is recognised by its magic bytes and decompressed; several members in a row are one
 * stream. A source is used by one thread at a time. */
#ifndef THR_SOURCE_SOURCE_H
#define THR_SOURCE_SOURCE_H

#include "base/error.h"

typedef struct thr_source thr_source;

/* The three ways to make a source. Each returns NULL and sets *err on failure.
 *
 * thr_source_open opens a file; "-" is standard input. A directory is refused. */
thr_source *thr_source_open(const char *path, thr_error *err);
/* thr_source_memory reads bytes that belong to the caller and must outlive the source. `name`,
 * which may be NULL, is for error messages. */
thr_source *thr_source_memory(const void *bytes, size_t size, const char *name, thr_error *err);
/* thr_source_reader reads what the callback delivers. It can be read only once. */
thr_source *thr_source_reader(thr_read_fn *read, void *user, const char *name, thr_error *err);
void thr_source_close(thr_source *s); /* takes NULL */
/* Reads up to n bytes and returns how many; 0 at the end; a negative code on failure, also for
 * truncated or damaged compressed data. May return less than n before the end. */
long thr_source_read(thr_source *s, void *to, size_t n, thr_error *err);
/* Whether the bytes may still be being written, as in a pipe or terminal: a short read then means
 * that there are no more for now. False for files, memory and compressed data. */
bool thr_source_live(const thr_source *s);
/* The number of raw bytes used so far, that is before decompression. */
uint64_t thr_source_taken(const thr_source *s);
/* Whether reading can continue at any byte, and the size in bytes: true for files and memory that
 * are not compressed. To be called after the first read, which recognises compressed data. */
bool thr_source_seekable(const thr_source *s, uint64_t *size);
/* Makes the next read begin at byte `at`, which becomes thr_source_taken. The source must be
 * seekable. */
int thr_source_seek(thr_source *s, uint64_t at, thr_error *err);
/* Whether the path can be opened again and read from the start: not a pipe or standard input. */
bool thr_source_rereadable(const char *path);

#endif
