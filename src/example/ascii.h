/* The words of plain ASCII text, found 64 bytes at a time with SIMD instructions.
 *
 * The words are those that thr_tokens_fold and thr_tokens_words find in the same text with
 * `symbols` off: runs of letters, digits and `_`, with apostrophes between letters. All four
 * functions give the same result; tests compare them. */
#ifndef THR_EXAMPLE_ASCII_H
#define THR_EXAMPLE_ASCII_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Whole vectors are stored, so more may be written than there is. */
#define THR_ASCII_SPARE 64 /* bytes at most that are written behind the copy of the text */
#define THR_ASCII_EDGES 32 /* edges at most that are written behind the last one */

/* Copies `text`, n bytes of ASCII, n < 2^32, to `copy`, in lower case if `fold`. `copy` has
 * room for n + THR_ASCII_SPARE bytes. Writes the offsets where words begin and end, in turns,
 * to `edge`, which has room for n + 2 + THR_ASCII_EDGES of them. Returns the number of words. */
size_t thr_ascii_words(const char *text, size_t n, bool fold, char *copy, uint32_t *edge);
/* The same with AVX2 at most, with SSE2 at most, and byte by byte: the definition. */
size_t thr_ascii_words_wide(const char *text, size_t n, bool fold, char *copy, uint32_t *edge);
size_t thr_ascii_words_narrow(const char *text, size_t n, bool fold, char *copy, uint32_t *edge);
size_t thr_ascii_words_plain(const char *text, size_t n, bool fold, char *copy, uint32_t *edge);

#endif
