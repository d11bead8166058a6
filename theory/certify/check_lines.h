/* A certificate line by line, for its checker: words parted by one blank, numbers, names. */
#ifndef THR_CERTIFY_CHECK_LINES_H
#define THR_CERTIFY_CHECK_LINES_H

#include "base/error.h"
#include "base/mem.h"

typedef struct thr_lines {
    const char *at, *end, *file;
    uint64_t line;
    thr_str rest; /* of the line */
    thr_error *err;
    bool failed; /* out of memory */
} thr_lines;

/* First line and last, between which the file says what it says, looked at. */
int thr_lines_open(thr_lines *r, thr_str text, const char *file, thr_error *err);
bool thr_lines_next(thr_lines *r);                   /* false: there is no whole line more */
thr_str thr_lines_word(thr_lines *r);                /* the next of the line */
int thr_lines_wrong(thr_lines *r, const char *what); /* THR_EDATA, in this line */

bool thr_word_is(thr_str w, const char *text);
bool thr_word_number(thr_str w, uint64_t *out);
/* A copy with %XX taken back; false: it is none, or r->failed. */
bool thr_word_unescape(thr_lines *r, thr_str w, thr_bytes *out);

#endif
