/* Templates: from the columns of a sentence to the names of its features.
 *
 * A template has one pattern a line, as in CRF++ and Wapiti:
 *
 *   U02:%x[0,0]            a feature of a token, for each tag
 *   B                      a feature of a tag and the tag before it
 *   B01:%x[0,1]            the same, with something that is seen at the token
 *   T                      a feature of a tag and the two tags before it (decode=greedy)
 *   *:%x[0,0]              both, as U and as B
 *
 * The name of the feature is the line with its macros replaced by what they stand for:
 *
 *   %x[ROW,COLUMN]         the column of the token ROW places further; columns count from 0
 *   %X[ROW,COLUMN]         the same in lower case
 *   %t[ROW,COLUMN,"RE"]    true or false: whether the regular expression matches (match.h)
 *   %m[ROW,COLUMN,"RE"]    what it matches, nothing if it does not; %M in lower case
 *   %s[ROW,COLUMN]         the shape of it (letters.h)
 *   %p[ROW,COLUMN,N]       its first N characters, `_` if it has fewer; %P in lower case
 *   %e[ROW,COLUMN,N]       its last N characters; %E in lower case
 *
 * @ before a ROW counts from the start of the sentence, which is @1, or from its end, @-1. Outside the sentence a
 * macro stands for _B-1, _B-2 and so on before it, and _B+1, _B+2 behind it. Lines that are empty or
 * begin with # are left out.
 *
 * Whatever is made of one column of one token is computed once for each sentence: it is a derived
 * column, and patterns refer to these. */
#ifndef THR_SENTENCE_TEMPLATE_H
#define THR_SENTENCE_TEMPLATE_H

#include "base/error.h"
#include "sentence/match.h"

#define THR_TEMPLATE_LINES   1000 /* patterns */
#define THR_TEMPLATE_PIECES  32   /* macros of a pattern */
#define THR_TEMPLATE_DERIVED 1000
#define THR_TEMPLATE_ROWS    100 /* a macro reaches at most so far */
#define THR_TEMPLATE_COLUMNS 1000

enum thr_derived_kind {
    THR_DERIVED_SAME,
    THR_DERIVED_TEST,
    THR_DERIVED_MATCH,
    THR_DERIVED_SHAPE,
    THR_DERIVED_PREFIX,
    THR_DERIVED_SUFFIX,
};

/* A derived column: a function of one column, computed for every token. */
typedef struct thr_derived {
    enum thr_derived_kind kind;
    bool lower;
    unsigned column;
    unsigned n;                 /* of a prefix or suffix: its characters */
    thr_str source;             /* of a regular expression: its text */
    thr_expression *expression; /* owned */
} thr_derived;

/* A derived column of some token, behind a piece of fixed text. */
typedef struct thr_macro {
    thr_str text;
    unsigned derived;
    int row;
    bool absolute;
} thr_macro;

typedef struct thr_pattern {
    unsigned line;          /* of the template, from 1 */
    unsigned before;        /* how many tags before a token's own take part: 0, 1 or 2 */
    unsigned first, pieces; /* in thr_template.piece */
    thr_str rest;           /* the text behind the last piece */
} thr_pattern;

typedef struct thr_template {
    char *text; /* owned: what the slices point into */
    thr_pattern *pattern; /* ordered by `before` */
    size_t n, pattern_room;
    size_t with[3]; /* how many have `before` 0, 1 and 2 */
    thr_macro *piece;
    size_t pieces, piece_room;
    thr_derived *derived;
    size_t n_derived, derived_room;
    unsigned columns; /* that a sentence must have */
    bool apart;       /* two patterns never make the same name */
} thr_template;

/* Reads a template of n bytes. Errors have the line and the column, but no file. */
int thr_template_parse(const char *text, size_t n, thr_template **out, thr_error *err);
void thr_template_free(thr_template *t);
/* A template in one line, and back: line ends are `\n`, and a backslash is `\\`. Both are malloc'ed; NULL:
 * out of memory. */
char *thr_template_fold(const char *text);
char *thr_template_unfold(const char *line);

#endif
