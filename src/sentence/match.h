/* The small regular expressions of template files: `\d*` and the like, as Wapiti has them.
 *
 *   .          any character                 \d \a \w \l \u \p \s   digit, letter, letter or digit,
 *   c?         c or nothing, c if possible                          lower, upper, punctuation, space
 *   c*         c any number of times, as few as possible            \D and so on: any other
 *   ^ and $    at the two ends: the ends of the text                \c      otherwise: c itself
 *
 * The match that begins first is taken. Matching takes time in proportion to the product of both
 * lengths, whatever they are. */
#ifndef THR_SENTENCE_MATCH_H
#define THR_SENTENCE_MATCH_H

#include "base/error.h"
#include "base/mem.h"

#define THR_MATCH_ATOMS 64

typedef struct thr_atom {
    char text[4];    /* a character */
    unsigned char n; /* its length; 0: a class */
    char class;      /* of \d and so on, `.` for any character */
    char count;      /* 0: once; `?` or `*` */
} thr_atom;

typedef struct thr_expression {
    thr_atom atom[THR_MATCH_ATOMS];
    unsigned n;
    bool from_start, to_end; /* ^ and $ */
} thr_expression;

int thr_expression_parse(thr_str text, thr_expression *out, thr_error *err);
/* The part of the text that matches; false if there is none. */
bool thr_expression_find(const thr_expression *x, thr_str text, thr_str *found);

#endif
