/* Running text to folded text, and folded text to words and characters.
 *
 * Folded text is what names are cut from: normalised and case-folded as the settings say, every
 * run of white space made one blank, one blank at each end (empty text is one blank). Text
 * of ASCII only takes a short way that gives the same bytes. Without utf8proc only ASCII is
 * folded, and every other character counts as a letter. */
#ifndef THR_EXAMPLE_TOKENS_H
#define THR_EXAMPLE_TOKENS_H

#include "example/features.h"

typedef struct thr_span {
    size_t at, n;
} thr_span;

/* Length of the UTF-8 character at `at`, before `limit`; 0 where there is none. */
size_t thr_utf8_length(const char *at, const char *limit);
/* How many bytes are not UTF-8; *first is the offset of the first of them. */
bool thr_is_ascii(thr_str text);
uint64_t thr_utf8_bad(thr_str text, size_t *first);

/* These return false when memory runs out. */
bool thr_tokens_fold(const thr_features *f, thr_feature_scratch *s, thr_str text); /* -> folded */
bool thr_tokens_words(const thr_features *f, thr_feature_scratch *s); /* folded -> word */
/* Character i of the folded text is folded[index[i]..index[i + 1]), i < *n. */
bool thr_tokens_characters(thr_feature_scratch *s, size_t *n);

#endif
