/* Small things about text: blanks and tokens, and bytes of the input quoted in messages. */
#ifndef THR_BASE_TEXT_H
#define THR_BASE_TEXT_H

#include "base/mem.h"

static inline bool thr_is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

static inline bool thr_is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static inline const char *thr_skip_blanks(const char *at, const char *end)
{
    while (at < end && thr_is_blank(*at))
        at++;
    return at;
}

/* To the next blank. */
static inline const char *thr_skip_token(const char *at, const char *end)
{
    while (at < end && !thr_is_blank(*at))
        at++;
    return at;
}

static inline thr_str thr_slice(const char *from, const char *to)
{
    return (thr_str){from, (size_t)(to - from)};
}

/* thr_escape (thresh.h) of bytes that may include NUL. */
size_t thr_escape_bytes(thr_str s, char *out, size_t room);
/* A piece of the input as it may stand in a message: shortened to 48 bytes, each of which may
 * become an escape of four, and `...`. A C string by value, so that a call can be an argument. */
typedef struct thr_quoted {
    char text[200];
} thr_quoted;
thr_quoted thr_quote(thr_str s);
/* Whether all of the token is a number, even one that is not finite or too large. */
bool thr_looks_numeric(thr_str token);

#endif
