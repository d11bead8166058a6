/* The characters of a word, by kind. Kinds are those of Unicode (utf8proc); a build without utf8proc
 * knows those of ASCII, and takes any other character for a letter without case. A byte that is not
 * UTF-8 is a character of its own, of no kind. */
#ifndef THR_SENTENCE_LETTERS_H
#define THR_SENTENCE_LETTERS_H

#include "base/mem.h"

enum thr_letter {
    THR_LETTER_NONE,  /* none of these */
    THR_LETTER_UPPER, /* title case counts as upper */
    THR_LETTER_LOWER,
    THR_LETTER_PLAIN, /* a letter without case, or a mark on one */
    THR_LETTER_DIGIT,
    THR_LETTER_PUNCTUATION, /* or a symbol */
    THR_LETTER_SPACE,
};

/* The length in bytes of the character at `at`, which is before `end`, and its kind. */
size_t thr_letter_at(const char *at, const char *end, enum thr_letter *kind);
/* Where the character begins that ends at `at`, which is behind `start`. */
const char *thr_letter_before(const char *start, const char *at);
static inline bool thr_letter_is_alpha(enum thr_letter kind)
{
    return kind == THR_LETTER_UPPER || kind == THR_LETTER_LOWER || kind == THR_LETTER_PLAIN;
}

/* Writes the word in lower case to `to`, which has room for three times its bytes, and returns how
 * many bytes that are. */
size_t thr_letters_lower(thr_str word, char *to);
/* Writes its shape: each run of upper case letters as X, of other letters as x, of digits as d;
 * other characters as they are. At most as many bytes as the word has. */
size_t thr_letters_shape(thr_str word, char *to);
/* Its first or last n characters; false if it has fewer. */
bool thr_letters_prefix(thr_str word, unsigned n, thr_str *out);
bool thr_letters_suffix(thr_str word, unsigned n, thr_str *out);

#endif
