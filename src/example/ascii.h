/* The words of plain ASCII text, found 64 bytes at a time: as thr_tokens_fold and thr_tokens_words
 * find them where symbols are no words. */
#ifndef THR_EXAMPLE_ASCII_H
#define THR_EXAMPLE_ASCII_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define THR_ASCII_SPARE 64 /* bytes written behind the text at most */
#define THR_ASCII_EDGES 8  /* edges written behind the last at most */

/* Copies `text`, all ASCII and below 4 GiB, to `copy`, in lower case if `fold`; copy has room for
 * THR_ASCII_SPARE bytes more. Writes where words begin and end in turns to `edge`, which has room
 * for n + 2 and THR_ASCII_EDGES more, and returns how many words there are. */
size_t thr_ascii_words(const char *text, size_t n, bool fold, char *copy, uint32_t *edge);
/* The same without what only some processors can do; and byte by byte. */
size_t thr_ascii_words_narrow(const char *text, size_t n, bool fold, char *copy, uint32_t *edge);
size_t thr_ascii_words_plain(const char *text, size_t n, bool fold, char *copy, uint32_t *edge);

#endif
