/* What reading and writing a cache share. */
#ifndef THR_FORMAT_CACHE_H
#define THR_FORMAT_CACHE_H

#include "format/format.h"

#define THR_CACHE_MAGIC   "thrcache"
#define THR_CACHE_VERSION 4u
#define THR_CACHE_STAMP   "made-from=" /* begins the last line of a head, if it is there */

/* Columns that a frame may leave out, where every example is as is usual. */
enum {
    THR_CACHE_VALUES = 1,     /* 1 */
    THR_CACHE_IMPORTANCE = 2, /* 1 */
    THR_CACHE_TEXT = 4,       /* no feature was made of running text */
    THR_CACHE_TAGS = 8,       /* none */
    THR_CACHE_LISTS = 16,     /* one label at most, all are candidates */
};

/* The feature settings as text: those that a cache and its reader must agree on. */
/* A cache begins with the format that its examples came from, then these settings. */
bool thr_cache_fingerprint(const thr_features *f, thr_bytes *out);
/* The longest head; and what the head of a cache says, if there is a whole one in p[0..n) that was
 * made with these settings. */
#define THR_CACHE_HEAD_MOST (16u + 65536u + 8u)
typedef struct thr_cache_origin {
    const thr_format *format; /* that the examples came from, or NULL */
    uint64_t stamp;           /* of the data, 0: not known */
} thr_cache_origin;
bool thr_cache_head(const char *p, size_t n, const thr_features *f, thr_cache_origin *out);
int thr_cache_write(thr_writer *w, size_t e);
int thr_cache_write_end(thr_writer *w);

#endif
