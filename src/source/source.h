/* Bytes in: one file, pipe or memory area, decompressed by its magic bytes (gzip, zstd, xz;
 * several members in a row are one stream). */
#ifndef THR_SOURCE_SOURCE_H
#define THR_SOURCE_SOURCE_H

#include "base/error.h"

typedef struct thr_source thr_source;

/* `path` "-" is standard input. A directory is refused with a sentence. */
thr_source *thr_source_open(const char *path, thr_error *err);
/* Borrowed bytes. */
thr_source *thr_source_memory(const void *bytes, size_t size, const char *name, thr_error *err);
/* Bytes that the callback delivers; it is not rewound and may be read once. */
thr_source *thr_source_reader(thr_read_fn *read, void *user, const char *name, thr_error *err);
void thr_source_close(thr_source *s);
/* Reads up to n bytes; 0 at the end, negative code on failure (also for truncated or damaged
 * compressed data). */
long thr_source_read(thr_source *s, void *to, size_t n, thr_error *err);
/* Whether bytes come as somebody writes them: a short read is then all there is for now. */
bool thr_source_live(const thr_source *s);
/* Raw (compressed) bytes taken so far. */
uint64_t thr_source_taken(const thr_source *s);
/* Whether reading can go on at any byte: a file or memory, not compressed; and its size. To be
 * asked after the first read, which recognises compressed data. */
bool thr_source_seekable(const thr_source *s, uint64_t *size);
/* The next read begins at that byte; thr_source_taken counts from there. */
int thr_source_seek(thr_source *s, uint64_t at, thr_error *err);
/* Whether it can be read again from the start by opening it anew. */
bool thr_source_rereadable(const char *path);

#endif
