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

/* Length in bytes of the UTF-8 character at `at`, and its code point; 0 if the bytes before `limit`
 * are not valid: overlong forms, surrogates and code points above 0x10FFFF are not. */
static inline size_t thr_utf8_decode(const char *at, const char *limit, int32_t *point)
{
    const unsigned char *p = (const unsigned char *)at;
    size_t n = p[0] < 0x80 ? 1 : p[0] < 0xC2 ? 0 : p[0] < 0xE0 ? 2 : p[0] < 0xF0 ? 3 : 4;
    if (n == 0 || p[0] > 0xF4 || (size_t)(limit - at) < n)
        return 0;
    int32_t c = n == 1 ? p[0] : p[0] & (0x7F >> n);
    for (size_t i = 1; i < n; i++) {
        if ((p[i] & 0xC0) != 0x80)
            return 0;
        c = c << 6 | (p[i] & 0x3F);
    }
    bool surrogate = c >= 0xD800 && c <= 0xDFFF;
    if ((n == 3 && c < 0x800) || (n == 4 && (c < 0x10000 || c > 0x10FFFF)) || surrogate)
        return 0;
    *point = c;
    return n;
}

static inline size_t thr_utf8_length(const char *at, const char *limit)
{
    int32_t point;
    return thr_utf8_decode(at, limit, &point);
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
