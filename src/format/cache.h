/* What the reader (cache.c) and the writer (cache_write.c) of the binary cache share. cache.c has
 * the layout of the file. */
#ifndef THR_FORMAT_CACHE_H
#define THR_FORMAT_CACHE_H

#include "format/format.h"

#define THR_CACHE_MAGIC   "thrcache"
#define THR_CACHE_VERSION 4u
#define THR_CACHE_STAMP   "made-from=" /* begins the last line of the head's text, if present */

/* Bits of a frame's `has`: columns that are left out if all of the frame's examples have the value
 * given here. */
enum {
    THR_CACHE_VALUES = 1,     /* every value is 1 */
    THR_CACHE_IMPORTANCE = 2, /* every importance is 1 */
    THR_CACHE_TEXT = 4,       /* no feature was made from running text */
    THR_CACHE_TAGS = 8,       /* no tags */
    THR_CACHE_LISTS = 16,     /* at most one label each, and no list of candidates */
};

/* Appends the feature settings that a cache and its reader must agree on, as text, one a line.
 * False: out of memory. */
bool thr_cache_fingerprint(const thr_features *f, thr_bytes *out);
/* The greatest size of a head: fixed part, text, hash. */
#define THR_CACHE_HEAD_MOST (16u + 65536u + 8u)
/* What a cache's head says about the data it was made from. */
typedef struct thr_cache_origin {
    const thr_format *format; /* the format of that data, or NULL if it is not known */
    uint64_t stamp;           /* a hash that identifies the data; 0: not known */
} thr_cache_origin;
/* Whether p[0..n) begins with the whole head of a cache that was made with these settings. */
bool thr_cache_head(const char *p, size_t n, const thr_features *f, thr_cache_origin *out);
/* The `write` and `write_end` of the format. */
int thr_cache_write(thr_writer *w, size_t e);
int thr_cache_write_end(thr_writer *w);

#endif
