/* A fast parser for the usual features of svmlight. A feature is usual if it is
 *
 *     an id of 1 to 15 digits, ':', perhaps '-', a value of 1 to 15 digits with or without a point,
 *     and one blank or the end of the line
 *
 * It stops at the first feature that is anything else, correct or not. svmlight.c parses that one
 * with its general parser, which also reports errors, and then calls the fast parser again. Values
 * are the same as those of thr_parse_float, bit for bit.
 *
 * An id below 2^32 becomes the key that thr_key_integer gives it (example/batch.h). A greater id,
 * which must not begin with a zero, becomes a key that tells where its digits are, counted from the
 * start of the text (thr_key_digits); the caller makes names of these. */
#ifndef THR_FORMAT_SVMLIGHT_QUICK_H
#define THR_FORMAT_SVMLIGHT_QUICK_H

#include "format/format.h"

typedef struct thr_quick_found {
    size_t n;   /* features */
    bool named; /* some of their ids are 2^32 or greater */
} thr_quick_found;

/* Reads features from `at`, where a feature begins, as long as they are usual. `end` is the end of
 * the line, `limit` the end of the bytes that may be read. Returns the start of the next feature,
 * or `end`.
 *
 * Up to THR_QUICK bytes from the start of a feature are read, even beyond the end of its line, so a
 * feature that begins less than THR_QUICK bytes before `limit` is not taken. A feature has at least
 * four bytes ("1:1 "), and up to THR_QUICK_MORE elements behind the last may be overwritten: key
 * and value need room for (end - at + 1) / 4 + THR_QUICK_MORE elements. */
#define THR_QUICK      96
#define THR_QUICK_MORE 4
const char *thr_quick_take(const char *at, const char *end, const char *limit, uint64_t *key,
                           float *value, thr_quick_found *found);
/* The same without AVX2: for other processors, and for tests that compare the two. */
const char *thr_quick_take_plain(const char *at, const char *end, const char *limit, uint64_t *key,
                                 float *value, thr_quick_found *found);

#endif
