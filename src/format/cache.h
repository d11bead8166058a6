/* What reading and writing a cache share. */
#ifndef THR_FORMAT_CACHE_H
#define THR_FORMAT_CACHE_H

#include "format/format.h"

#define THR_CACHE_MAGIC   "thrcache"
#define THR_CACHE_VERSION 2u

/* The feature settings as text: those that a cache and its reader must agree on. */
/* A cache begins with the format that its examples came from, then these settings. */
bool thr_cache_fingerprint(const thr_features *f, thr_bytes *out);
int thr_cache_write(thr_writer *w, size_t e);
int thr_cache_write_end(thr_writer *w);

#endif
