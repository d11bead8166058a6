/* From running text to folded text, and from folded text to words and characters.
 *
 * Folded text is what names are cut from. It is normalised and case-folded as the settings say;
 * every run of white space has become one blank, and there is one blank at each end (empty text
 * becomes one blank). ASCII text takes a short cut that gives the same bytes. In a build
 * without utf8proc only ASCII is folded, and every other character counts as a letter. */
#ifndef THR_EXAMPLE_TOKENS_H
#define THR_EXAMPLE_TOKENS_H

#include "example/features.h"

/* A slice of a text, by offset and length. */
typedef struct thr_span {
    size_t at, n;
} thr_span;

bool thr_is_ascii(thr_str text);
/* How many bytes are not UTF-8. If there are any, *first is the offset of the first. */
uint64_t thr_utf8_bad(thr_str text, size_t *first);

/* The results are left in the scratch. All return false when memory runs out. */
bool thr_tokens_fold(const thr_features *f, thr_feature_scratch *s, thr_str text); /* s->folded */
bool thr_tokens_words(const thr_features *f, thr_feature_scratch *s); /* s->word, from s->folded */
/* Character i of the folded text is folded[index[i]..index[i + 1]), for i < *n. */
bool thr_tokens_characters(thr_feature_scratch *s, size_t *n);

#endif
