/* Text is folded piece by piece: pieces of ASCII by a simple loop, the others by utf8proc.
 *
 * A piece may end before an ASCII character, since none combines with the character before it.
 * It may not end before any other: a combining mark would be separated from its base. The last
 * ASCII character before a non-ASCII one therefore belongs to the latter's piece. */
#include "example/tokens.h"

#include "base/text.h"

#include <stdlib.h>
#include <string.h>

#if THR_HAVE_UTF8PROC
#include <utf8proc.h>
#endif

/* Bytes of a non-ASCII piece at most. utf8proc sorts runs of marks in quadratic time; this
 * bounds the time that an endless run can take. */
#define PIECE 4096

/* ---- UTF-8 -------------------------------------------------------------------------------- */

static bool is_ascii(char c)
{
    return (unsigned char)c < 0x80;
}

/* Where the run of ASCII that begins at `at` ends. Looks at 64, then at 8 bytes at a time. */
static const char *ascii_end(const char *at, const char *limit)
{
    uint64_t eight[8];
    for (; limit - at >= 64; at += 64) {
        memcpy(eight, at, sizeof eight);
        for (int i = 1; i < 8; i++)
            eight[0] |= eight[i];
        if (eight[0] & UINT64_C(0x8080808080808080))
            break;
    }
    for (; limit - at >= 8; at += 8) {
        memcpy(eight, at, 8);
        if (eight[0] & UINT64_C(0x8080808080808080))
            break;
    }
    while (at < limit && is_ascii(*at))
        at++;
    return at;
}

bool thr_is_ascii(thr_str text)
{
    return ascii_end(text.p, text.p + text.n) == text.p + text.n;
}

uint64_t thr_utf8_bad(thr_str text, size_t *first)
{
    const char *at = text.p, *limit = text.p + text.n;
    uint64_t bad = 0;
    while ((at = ascii_end(at, limit)) < limit) {
        size_t n = thr_utf8_length(at, limit);
        if (n == 0 && bad++ == 0)
            *first = (size_t)(at - text.p);
        at += n ? n : 1;
    }
    return bad;
}

/* ---- kinds of characters ------------------------------------------------------------------ */

enum kind {
    BLANK,
    LETTER,
    MARK,       /* belongs to the character before it */
    NUMBER,     /* part of a word, but not a letter: digits, connectors such as `_` */
    APOSTROPHE, /* part of a word between letters, else a symbol */
    JOINER,     /* invisible; part of a word between its characters */
    SYMBOL,     /* any other visible character */
    HIDDEN,     /* control characters and the like: never part of a word */
};

static enum kind ascii_kind(char c)
{
    if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'))
        return LETTER;
    if ((c >= '0' && c <= '9') || c == '_')
        return NUMBER;
    if (c == ' ' || (c >= '\t' && c <= '\r'))
        return BLANK;
    if (c == '\'')
        return APOSTROPHE;
    return c > ' ' && c < 0x7F ? SYMBOL : HIDDEN;
}

#if THR_HAVE_UTF8PROC

static enum kind point_kind(int32_t point)
{
    switch (utf8proc_category(point)) {
    case UTF8PROC_CATEGORY_LU:
    case UTF8PROC_CATEGORY_LL:
    case UTF8PROC_CATEGORY_LT:
    case UTF8PROC_CATEGORY_LM:
    case UTF8PROC_CATEGORY_LO:
        return LETTER;
    case UTF8PROC_CATEGORY_MN:
    case UTF8PROC_CATEGORY_MC:
    case UTF8PROC_CATEGORY_ME:
        return MARK;
    case UTF8PROC_CATEGORY_ND:
    case UTF8PROC_CATEGORY_NL:
    case UTF8PROC_CATEGORY_NO:
    case UTF8PROC_CATEGORY_PC:
        return NUMBER;
    case UTF8PROC_CATEGORY_ZS:
    case UTF8PROC_CATEGORY_ZL:
    case UTF8PROC_CATEGORY_ZP:
        return BLANK;
    case UTF8PROC_CATEGORY_CC:
        return point == 0x85 ? BLANK : HIDDEN; /* next line */
    case UTF8PROC_CATEGORY_CF:
        return point == 0x200B ? HIDDEN : JOINER; /* the zero-width space separates words */
    default:
        return point == 0x2019 ? APOSTROPHE : SYMBOL;
    }
}

const char *thr_unicode_version(void)
{
    return utf8proc_unicode_version();
}

#else

static enum kind point_kind(int32_t point)
{
    (void)point;
    return LETTER;
}

const char *thr_unicode_version(void)
{
    return "none";
}

#endif

/* The kind of the character at `at`, and its length in *n. A byte that is not UTF-8 is a
 * letter, so that words in older encodings stay whole. */
static enum kind kind_at(const char *at, const char *limit, size_t *n)
{
    *n = 1;
    if (is_ascii(*at))
        return ascii_kind(*at);
    int32_t point;
    size_t length = thr_utf8_decode(at, limit, &point);
    if (length == 0)
        return LETTER;
    *n = length;
    return point_kind(point);
}

/* ---- folding ------------------------------------------------------------------------------ */

/* Appends a blank, unless the text ends in one. The folded text is never empty: it begins with
 * a blank. */
static bool put_blank(thr_bytes *to)
{
    return to->p[to->n - 1] == ' ' || thr_bytes_add(to, " ", 1);
}

/* out[-1] is valid, since the folded text is never empty. */
static bool fold_ascii(const thr_features *f, thr_bytes *to, const char *at, const char *end)
{
    if (!thr_grow(&to->p, &to->room, to->n + (size_t)(end - at) + 1, 1))
        return false;
    char *out = to->p + to->n;
    for (; at < end; at++) {
        char c = *at;
        if (c == ' ' || (c >= '\t' && c <= '\r')) {
            if (out[-1] != ' ')
                *out++ = ' ';
        } else {
            *out++ = f->fold && c >= 'A' && c <= 'Z' ? (char)(c + 'a' - 'A') : c;
        }
    }
    to->n = (size_t)(out - to->p);
    *out = '\0';
    return true;
}

#if THR_HAVE_UTF8PROC

static bool put_point(thr_bytes *to, int32_t point)
{
    if (point < 0x80 ? ascii_kind((char)point) == BLANK : point_kind(point) == BLANK)
        return put_blank(to);
    utf8proc_uint8_t bytes[4];
    return thr_bytes_add(to, bytes, (size_t)utf8proc_encode_char(point, bytes));
}

/* Whether normalising never combines a character with the one before it. Marks may combine, and
 * so may the jamo of Korean syllables (0x1100 to 0x11FF) and the characters that normalise to
 * either: compatibility jamo, and halfwidth forms. */
static bool stands_alone(int32_t point)
{
    return point_kind(point) != MARK && !(point >= 0x1100 && point <= 0x11FF) &&
           !(point >= 0x3131 && point <= 0x318E) && !(point >= 0xFF9E && point <= 0xFFDC);
}

/* The end of a piece of valid UTF-8 that begins at `at`: before an invalid byte, before an
 * ASCII character, in a long piece before a character that stands alone, or in any case after
 * PIECE bytes. */
static const char *piece_end(const char *at, const char *limit)
{
    const char *start = at;
    int32_t point;
    for (size_t n; at < limit && (n = thr_utf8_decode(at, limit, &point)) != 0; at += n) {
        size_t taken = (size_t)(at - start);
        if ((at > start && is_ascii(*at)) || taken >= PIECE ||
            (taken >= PIECE / 2 && stands_alone(point)))
            break;
    }
    return at;
}

/* utf8proc_decompose returns how many code points there are, even if there was no room for
 * them; it is then called again with enough room. */
static bool fold_piece(const thr_features *f, thr_feature_scratch *s, const char *at,
                       const char *end)
{
    int options = (f->fold ? UTF8PROC_CASEFOLD : 0) |
                  (f->normalize ? UTF8PROC_COMPAT | UTF8PROC_COMPOSE | UTF8PROC_STABLE : 0);
    const utf8proc_uint8_t *p = (const utf8proc_uint8_t *)at;
    for (;;) {
        long n = utf8proc_decompose(p, end - at, s->point, (long)s->point_room,
                                    (utf8proc_option_t)options);
        if (n < 0)
            return false;
        if ((size_t)n > s->point_room) {
            if (!thr_grow(&s->point, &s->point_room, (size_t)n, sizeof *s->point))
                return false;
            continue;
        }
        if (f->normalize)
            n = utf8proc_normalize_utf32(s->point, n, (utf8proc_option_t)options);
        for (long i = 0; i < n; i++)
            if (!put_point(&s->folded, s->point[i]))
                return false;
        return n >= 0;
    }
}

#else

static const char *piece_end(const char *at, const char *limit)
{
    return at + thr_utf8_length(at, limit);
}

static bool fold_piece(const thr_features *f, thr_feature_scratch *s, const char *at,
                       const char *end)
{
    if (is_ascii(*at))
        return fold_ascii(f, &s->folded, at, end);
    return thr_bytes_add(&s->folded, at, (size_t)(end - at));
}

#endif

bool thr_tokens_fold(const thr_features *f, thr_feature_scratch *s, thr_str text)
{
    const char *at = text.p, *limit = text.p + text.n;
    s->folded.n = 0;
    if (!thr_bytes_add(&s->folded, " ", 1))
        return false;
    while (at < limit) {
        const char *foreign = ascii_end(at, limit);
        /* the last ASCII character goes with what follows: a mark may combine with it */
        const char *plain = foreign < limit && foreign > at ? foreign - 1 : foreign;
        if (!fold_ascii(f, &s->folded, at, plain))
            return false;
        if (plain == limit)
            break;
        at = piece_end(plain, limit);
        bool bad = at == plain; /* an invalid byte is copied as it is */
        at += bad;
        if (!(bad ? thr_bytes_add(&s->folded, plain, 1) : fold_piece(f, s, plain, at)))
            return false;
    }
    return put_blank(&s->folded);
}

/* ---- words -------------------------------------------------------------------------------- */

static bool in_word(enum kind kind)
{
    return kind == LETTER || kind == MARK || kind == NUMBER;
}

/* Whether a word continues across an apostrophe or a joiner. */
static bool bridges(enum kind before, enum kind kind, enum kind after)
{
    if (kind == APOSTROPHE)
        return (before == LETTER || before == MARK) && after == LETTER;
    return kind == JOINER && in_word(after);
}

/* `at` is at the first character of a word. */
static const char *word_end(const char *at, const char *limit)
{
    enum kind before = LETTER;
    while (at < limit) {
        size_t n, next;
        enum kind kind = kind_at(at, limit, &n);
        if (!in_word(kind) &&
            (at + n >= limit || !bridges(before, kind, kind_at(at + n, limit, &next))))
            break;
        before = kind;
        at += n;
    }
    return at;
}

static bool add_word(thr_feature_scratch *s, const char *at, const char *end)
{
    if (!thr_grow(&s->word, &s->word_room, s->n_words + 1, sizeof *s->word))
        return false;
    s->word[s->n_words++] = (thr_span){(size_t)(at - s->folded.p), (size_t)(end - at)};
    return true;
}

bool thr_tokens_words(const thr_features *f, thr_feature_scratch *s)
{
    const char *at = s->folded.p, *limit = s->folded.p + s->folded.n;
    s->n_words = 0;
    if (f->tokens == THR_TOKENS_SPACES) {
        for (const char *end; ++at < limit; at = end) { /* the text begins and ends in a blank */
            end = memchr(at, ' ', (size_t)(limit - at));
            if (!add_word(s, at, end))
                return false;
        }
        return true;
    }
    while (at < limit) {
        size_t n;
        enum kind kind = kind_at(at, limit, &n);
        const char *end = in_word(kind) ? word_end(at, limit) : at + n;
        bool marked = !in_word(kind) && kind != BLANK; /* marks behind it belong to it */
        bool visible = in_word(kind) || (f->symbols && (kind == SYMBOL || kind == APOSTROPHE));
        while (marked && end < limit && kind_at(end, limit, &n) == MARK)
            end += n;
        if (visible && !add_word(s, at, end))
            return false;
        at = end;
    }
    return true;
}

bool thr_tokens_characters(thr_feature_scratch *s, size_t *n)
{
    const char *start = s->folded.p, *limit = start + s->folded.n;
    if (!thr_grow(&s->index, &s->index_room, s->folded.n + 1, sizeof *s->index))
        return false;
    *n = 0;
    for (const char *at = start; at < limit;) {
        size_t length = thr_utf8_length(at, limit);
        s->index[(*n)++] = (size_t)(at - start);
        at += length ? length : 1;
    }
    s->index[*n] = s->folded.n;
    return true;
}
