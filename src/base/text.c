#include "base/text.h"

#include "base/number.h"
#include "thresh.h"

#include <string.h>

/* ---- text that may be shown --------------------------------------------------------------- */

/* The length of the UTF-8 sequence that begins the n bytes at p; 0: they are not valid (overlong
 * forms and surrogates are not). n is not 0. */
static size_t utf8_length(const unsigned char *p, size_t n)
{
    size_t length = p[0] < 0x80                   ? 1
                    : p[0] >= 0xc2 && p[0] < 0xe0 ? 2
                    : p[0] >= 0xe0 && p[0] < 0xf0 ? 3
                    : p[0] >= 0xf0 && p[0] < 0xf5 ? 4
                                                  : 0;
    if (length > n)
        return 0;
    for (size_t i = 1; i < length; i++)
        if ((p[i] & 0xc0) != 0x80)
            return 0;
    if ((p[0] == 0xe0 && p[1] < 0xa0) || (p[0] == 0xed && p[1] > 0x9f) ||
        (p[0] == 0xf0 && p[1] < 0x90) || (p[0] == 0xf4 && p[1] > 0x8f))
        return 0;
    return length;
}

/* Whether a valid sequence may stand for itself. Not: C0, DEL and C1 (U+0080 to U+009F); the
 * separators of lines and paragraphs (U+2028, U+2029), which some programs take for line ends; and
 * the marks that change the direction of text (U+202A to U+202E, U+2066 to U+2069), by which what
 * is shown can differ from what is there. */
static bool is_shown(const unsigned char *p, size_t length)
{
    if (length == 1)
        return *p >= 0x20 && *p != 0x7f && *p != '\\';
    if (length == 2)
        return !(p[0] == 0xc2 && p[1] < 0xa0);
    if (length == 3 && p[0] == 0xe2)
        return !(p[1] == 0x80 && p[2] >= 0xa8 && p[2] <= 0xae) &&
               !(p[1] == 0x81 && p[2] >= 0xa6 && p[2] <= 0xa9);
    return true;
}

/* Writes one byte as an escape; returns its length. */
static size_t escape_byte(unsigned char c, char out[4])
{
    static const char hex[] = "0123456789abcdef";
    const char *letter = c == '\n' ? "n" : c == '\t' ? "t" : c == '\r' ? "r" : "\\";
    out[0] = '\\';
    if (c == '\n' || c == '\t' || c == '\r' || c == '\\') {
        out[1] = *letter;
        return 2;
    }
    out[1] = 'x';
    out[2] = hex[c >> 4];
    out[3] = hex[c & 15];
    return 4;
}

/* Appends n bytes where they and a NUL fit, together with all bytes before them. */
static size_t append(size_t at, const char *p, size_t n, char *out, size_t room)
{
    if (at + n < room) {
        memcpy(out + at, p, n);
        out[at + n] = '\0';
    }
    return at + n;
}

size_t thr_escape_bytes(thr_str s, char *out, size_t room)
{
    const unsigned char *p = (const unsigned char *)s.p;
    size_t at = 0;
    if (room)
        *out = '\0';
    for (size_t i = 0, n; i < s.n; i += n) {
        char escaped[16];
        size_t length = utf8_length(p + i, s.n - i);
        n = length ? length : 1;
        if (length && is_shown(p + i, length)) {
            at = append(at, s.p + i, n, out, room);
            continue;
        }
        size_t used = 0;
        for (size_t k = 0; k < n; k++)
            used += escape_byte(p[i + k], escaped + used);
        at = append(at, escaped, used, out, room);
    }
    return at;
}

size_t thr_escape(const char *text, char *out, size_t room)
{
    return thr_escape_bytes((thr_str){text, strlen(text)}, out, room);
}

#define QUOTED_BYTES 48

thr_quoted thr_quote(thr_str s)
{
    thr_quoted q;
    size_t n = s.n <= QUOTED_BYTES ? s.n : QUOTED_BYTES;
    while (n > 0 && n < s.n && ((unsigned char)s.p[n] & 0xc0) == 0x80) /* inside a character */
        n--;
    size_t used = thr_escape_bytes((thr_str){s.p, n}, q.text, sizeof q.text);
    memcpy(q.text + used, s.n > n ? "..." : "", s.n > n ? 4 : 1);
    return q;
}

bool thr_looks_numeric(thr_str token)
{
    const char *end;
    double v;
    return token.n > 0 &&
           thr_parse_double(token.p, token.p + token.n, &end, &v) != THR_NUMBER_NONE &&
           end == token.p + token.n;
}
