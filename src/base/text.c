#include "base/text.h"

#include "base/number.h"

#include <string.h>

#define QUOTED_BYTES 48

thr_quoted thr_quote(thr_str s)
{
    thr_quoted q;
    size_t n = s.n <= QUOTED_BYTES ? s.n : QUOTED_BYTES;
    while (n > 0 && n < s.n && ((unsigned char)s.p[n] & 0xc0) == 0x80) /* inside a character */
        n--;
    for (size_t i = 0; i < n; i++) {
        unsigned char c = (unsigned char)s.p[i];
        q.text[i] = c < 0x20 || c == 0x7f ? '?' : s.p[i];
    }
    memcpy(q.text + n, s.n > n ? "..." : "", s.n > n ? 4 : 1);
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
