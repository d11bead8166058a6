/* Reads a certificate line by line, for its checker: words separated by single blanks, numbers, and
 * names with escapes. Nothing is copied; lines and words are slices of the text. */
#ifndef THR_CERTIFY_CHECK_LINES_H
#define THR_CERTIFY_CHECK_LINES_H

#include "base/error.h"
#include "base/mem.h"

typedef struct thr_lines {
    const char *at, *end, *file; /* next line; where the last line begins; name */
    uint64_t line;               /* number of the current line, from 1 */
    thr_str rest;                /* what is left of the current line */
    thr_error *err;
    bool failed; /* out of memory: thr_lines_wrong then reports that instead */
} thr_lines;

/* Checks the first line (the format) and the last (a hash of everything before it), and leaves the
 * reader after the first. The last line is not delivered. */
int thr_lines_open(thr_lines *r, thr_str text, const char *file, thr_error *err);
bool thr_lines_next(thr_lines *r);                   /* false: no complete line is left */
thr_str thr_lines_word(thr_lines *r);                /* the next word of the line */
int thr_lines_wrong(thr_lines *r, const char *what); /* fails with THR_EDATA and this line */

bool thr_word_is(thr_str w, const char *text);
bool thr_word_number(thr_str w, uint64_t *out);
/* Copies w to `out` and decodes %XX. False if an escape is malformed, or if out of memory
 * (r->failed). */
bool thr_word_unescape(thr_lines *r, thr_str w, thr_bytes *out);

#endif
