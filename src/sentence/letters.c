/* Kinds of characters, and what is made of a word by them (letters.h). */
#include "sentence/letters.h"

#include "base/text.h"

#ifdef THR_HAVE_UTF8PROC
#include <utf8proc.h>
#endif

static enum thr_letter ascii_kind(unsigned char c)
{
    return c >= 'a' && c <= 'z'              ? THR_LETTER_LOWER
           : c >= 'A' && c <= 'Z'            ? THR_LETTER_UPPER
           : c >= '0' && c <= '9'            ? THR_LETTER_DIGIT
           : c == ' ' || (c >= 9 && c <= 13) ? THR_LETTER_SPACE
           : c > ' ' && c < 127              ? THR_LETTER_PUNCTUATION
                                             : THR_LETTER_NONE;
}

#ifdef THR_HAVE_UTF8PROC
static enum thr_letter unicode_kind(int32_t point)
{
    switch (utf8proc_category(point)) {
    case UTF8PROC_CATEGORY_LU:
    case UTF8PROC_CATEGORY_LT: return THR_LETTER_UPPER;
    case UTF8PROC_CATEGORY_LL: return THR_LETTER_LOWER;
    case UTF8PROC_CATEGORY_LM:
    case UTF8PROC_CATEGORY_LO:
    case UTF8PROC_CATEGORY_MN:
    case UTF8PROC_CATEGORY_MC:
    case UTF8PROC_CATEGORY_ME: return THR_LETTER_PLAIN;
    case UTF8PROC_CATEGORY_ND:
    case UTF8PROC_CATEGORY_NL:
    case UTF8PROC_CATEGORY_NO: return THR_LETTER_DIGIT;
    case UTF8PROC_CATEGORY_PC:
    case UTF8PROC_CATEGORY_PD:
    case UTF8PROC_CATEGORY_PS:
    case UTF8PROC_CATEGORY_PE:
    case UTF8PROC_CATEGORY_PI:
    case UTF8PROC_CATEGORY_PF:
    case UTF8PROC_CATEGORY_PO:
    case UTF8PROC_CATEGORY_SM:
    case UTF8PROC_CATEGORY_SC:
    case UTF8PROC_CATEGORY_SK:
    case UTF8PROC_CATEGORY_SO: return THR_LETTER_PUNCTUATION;
    case UTF8PROC_CATEGORY_ZS:
    case UTF8PROC_CATEGORY_ZL:
    case UTF8PROC_CATEGORY_ZP: return THR_LETTER_SPACE;
    default: return THR_LETTER_NONE;
    }
}

/* Writes the lower case of a character; returns its length. */
static size_t put_lower(int32_t point, char *to)
{
    return (size_t)utf8proc_encode_char(utf8proc_tolower(point), (utf8proc_uint8_t *)to);
}
#else
static enum thr_letter unicode_kind(int32_t point)
{
    (void)point;
    return THR_LETTER_PLAIN;
}
#endif

size_t thr_letter_at(const char *at, const char *end, enum thr_letter *kind)
{
    int32_t point;
    size_t n = 1;
    if ((unsigned char)*at < 0x80)
        *kind = ascii_kind((unsigned char)*at);
    else if ((n = thr_utf8_decode(at, end, &point)))
        *kind = unicode_kind(point);
    else {
        *kind = THR_LETTER_NONE;
        return 1;
    }
    return n;
}

/* Backwards: to the byte before, and from there over the bytes that continue a character. What is
 * not UTF-8 counts byte by byte. */
const char *thr_letter_before(const char *start, const char *at)
{
    const char *from = at - 1;
    enum thr_letter kind;
    while (from > start && at - from < 4 && ((unsigned char)*from & 0xC0) == 0x80)
        from--;
    return from + thr_letter_at(from, at, &kind) == at ? from : at - 1;
}

/* The lower case of a character has at most four bytes, and of one byte has one; so of a character
 * of two bytes it is at most twice as long. */
size_t thr_letters_lower(thr_str word, char *to)
{
    const char *at = word.p, *end = word.p + word.n;
    char *start = to;
    while (at < end) {
        enum thr_letter kind;
        size_t n = thr_letter_at(at, end, &kind);
#ifdef THR_HAVE_UTF8PROC
        int32_t point;
        if (n > 1 && kind == THR_LETTER_UPPER && thr_utf8_decode(at, end, &point)) {
            to += put_lower(point, to);
            at += n;
            continue;
        }
#endif
        for (const char *next = at + n; at < next; at++)
            *to++ = *at >= 'A' && *at <= 'Z' ? (char)(*at + 'a' - 'A') : *at;
    }
    return (size_t)(to - start);
}

size_t thr_letters_shape(thr_str word, char *to)
{
    const char *at = word.p, *end = word.p + word.n;
    char *start = to;
    while (at < end) {
        enum thr_letter kind;
        size_t n = thr_letter_at(at, end, &kind);
        bool run = thr_letter_is_alpha(kind) || kind == THR_LETTER_DIGIT;
        char mark = kind == THR_LETTER_UPPER ? 'X' : kind == THR_LETTER_DIGIT ? 'd' : 'x';
        if (!run) {
            memmove(to, at, n);
            to += n;
        } else if (to == start || to[-1] != mark)
            *to++ = mark;
        at += n;
    }
    return (size_t)(to - start);
}

bool thr_letters_prefix(thr_str word, unsigned n, thr_str *out)
{
    const char *at = word.p, *end = word.p + word.n;
    enum thr_letter kind;
    for (; n && at < end; n--)
        at += thr_letter_at(at, end, &kind);
    *out = thr_slice(word.p, at);
    return n == 0;
}

bool thr_letters_suffix(thr_str word, unsigned n, thr_str *out)
{
    const char *at = word.p + word.n;
    for (; n && at > word.p; n--)
        at = thr_letter_before(word.p, at);
    *out = thr_slice(at, word.p + word.n);
    return n == 0;
}
