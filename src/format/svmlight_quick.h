/* The usual features of svmlight, read quickly: an id of up to fifteen digits, a colon, up to
 * fifteen digits with or without a point, one blank. Whatever else there may be, a mistake or not,
 * is left to the slow way, which says what is wrong and where. Values are those of thr_parse_float,
 * to the bit.
 *
 * The key of an id below 2^32 is thr_key_integer's (example/batch.h). That of a greater one, which
 * must not begin with a zero, says where its digits stand: thr_key_digits, counted from `at`. */
#ifndef THR_FORMAT_SVMLIGHT_QUICK_H
#define THR_FORMAT_SVMLIGHT_QUICK_H

#include "format/format.h"

typedef struct thr_quick_found {
    size_t n;
    bool named; /* some ids are not below 2^32 */
} thr_quick_found;

/* Reads features from `at`, where one begins, as long as they are usual. Up to THR_QUICK bytes from
 * the start of one are looked at, so none is taken that begins later before `limit`; `end` is the
 * line's. key and value have room for THR_QUICK_MORE beyond (end - at + 1) / 4. Returns behind the
 * last one and its blank, or at the end. */
#define THR_QUICK      96
#define THR_QUICK_MORE 4
const char *thr_quick_take(const char *at, const char *end, const char *limit, uint64_t *key,
                           float *value, thr_quick_found *found);
/* The same without what only some processors can do. */
const char *thr_quick_take_plain(const char *at, const char *end, const char *limit, uint64_t *key,
                                 float *value, thr_quick_found *found);

#endif
