#include "base/text.h"

#include "base/number.h"
#include "thresh.h"

#include <string.h>

/* ---- text that may be shown --------------------------------------------------------------- */

/* Whether a character may stand for itself. Not: C0, DEL and C1; the separators of lines and
 * paragraphs (U+2028, U+2029), which some programs take for line ends; and the marks that change
 * the direction of text (U+202A to U+202E, U+2066 to U+2069), by which what is shown can differ
 * from what is there. */
static bool is_shown(int32_t point)
{
    return point >= 0x20 && point != '\\' && !(point >= 0x7f && point < 0xa0) &&
           !(point >= 0x2028 && point <= 0x202e) && !(point >= 0x2066 && point <= 0x2069);
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
    size_t at = 0;
    if (room)
        *out = '\0';
    for (size_t i = 0, n; i < s.n; i += n) {
        char escaped[16];
        int32_t point;
        size_t length = thr_utf8_decode(s.p + i, s.p + s.n, &point);
        n = length ? length : 1;
        if (length && is_shown(point)) {
            at = append(at, s.p + i, n, out, room);
            continue;
        }
        size_t used = 0;
        for (size_t k = 0; k < n; k++)
            used += escape_byte((unsigned char)s.p[i + k], escaped + used);
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
