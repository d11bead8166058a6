/* 64 bytes of text become three bit masks, one bit per byte: letters, other characters of
 * words, apostrophes. Shifts and logic on the masks then say where words begin and end:
 *
 *   text    don't  stop          (from the lowest bit on)
 *   word    111110011110         letter | other | apostrophe between two letters
 *   edges   100001010001         word ^ (word << 1): a 1 where a run begins or has ended
 *
 * The last bits of one mask are carried into the next (struct before), and an apostrophe in the
 * last byte looks ahead at the first byte of the next 64. */
#include "example/ascii.h"

#include "base/scan.h"

#include <stdint.h>
#include <string.h>

#if THR_WIDE
#include <immintrin.h>
#elif defined(__SSE2__)
#include <emmintrin.h>
#endif

static bool is_letter(char c)
{
    return (unsigned char)((c | 0x20) - 'a') < 26;
}

size_t thr_ascii_words_plain(const char *text, size_t n, bool fold, char *copy, uint32_t *edge)
{
    size_t edges = 0;
    bool inside = false;
    for (size_t i = 0; i < n; i++) {
        char c = text[i];
        bool word = is_letter(c) || (unsigned char)(c - '0') < 10 || c == '_';
        if (c == '\'') /* part of a word between letters */
            word = i > 0 && i + 1 < n && is_letter(text[i - 1]) && is_letter(text[i + 1]);
        copy[i] = fold && c >= 'A' && c <= 'Z' ? (char)(c + 'a' - 'A') : c;
        if (word != inside)
            edge[edges++] = (uint32_t)i;
        inside = word;
    }
    if (inside)
        edge[edges++] = (uint32_t)n;
    return edges / 2;
}

#if defined(__SSE2__)

/* Bit i of a mask says what byte i of the 64 is. `other`: digits and `_`. */
typedef struct kinds {
    uint64_t letter, other, apostrophe;
} kinds;

/* What the last byte of the previous 64 was: 0 or 1 each. */
typedef struct before {
    uint64_t letter, word;
} before;

/* The 64 bytes from text[i] on. At the end of the text they are copied to `last` and padded
 * with blanks, so that nothing behind the text is read. */
static inline const char *next_64(const char *text, size_t n, size_t i, char *last)
{
    if (n - i >= 64)
        return text + i;
    memset(last, ' ', 64);
    return memcpy(last, text + i, n - i);
}

/* The edges among 64 bytes; updates *b for the next. */
static inline uint64_t edges_of(kinds k, const char *text, size_t n, size_t i, before *b)
{
    uint64_t word = k.letter | k.other;
    if (k.apostrophe) {
        uint64_t after = n - i > 64 ? (uint64_t)is_letter(text[i + 64]) << 63 : 0;
        word |= k.apostrophe & (k.letter << 1 | b->letter) & (k.letter >> 1 | after);
    }
    uint64_t edges = word ^ (word << 1 | b->word);
    *b = (before){k.letter >> 63, word >> 63};
    return edges;
}

/* low <= v <= high in each byte, by a single comparison. SSE2 compares signed bytes: `high`
 * becomes the greatest of them, 127, and larger ASCII characters wrap around to negative. */
static inline __m128i between(__m128i v, char low, char high)
{
    return _mm_cmpgt_epi8(_mm_add_epi8(v, _mm_set1_epi8((char)(127 - high))),
                          _mm_set1_epi8((char)(126 - high + low)));
}

static inline uint64_t bits_of(__m128i v, int i)
{
    return (uint64_t)(uint32_t)_mm_movemask_epi8(v) << (16 * i);
}

/* The kinds of 64 bytes; copies them to `to`, in lower case with `fold`. */
static inline kinds classify(const char *from, bool fold, char *to)
{
    kinds k = {0};
    for (int i = 0; i < 4; i++) {
        __m128i v = _mm_loadu_si128((const __m128i *)(const void *)(from + 16 * i));
        __m128i lower = _mm_or_si128(v, _mm_set1_epi8(0x20));
        __m128i letter = between(lower, 'a', 'z');
        __m128i other = _mm_or_si128(between(v, '0', '9'), _mm_cmpeq_epi8(v, _mm_set1_epi8('_')));
        __m128i folded = _mm_or_si128(v, _mm_and_si128(letter, _mm_set1_epi8(0x20)));
        _mm_storeu_si128((__m128i *)(void *)(to + 16 * i), fold ? folded : v);
        k.letter |= bits_of(letter, i);
        k.other |= bits_of(other, i);
        k.apostrophe |= bits_of(_mm_cmpeq_epi8(v, _mm_set1_epi8('\'')), i);
    }
    return k;
}

size_t thr_ascii_words_narrow(const char *text, size_t n, bool fold, char *copy, uint32_t *edge)
{
    uint32_t *next = edge;
    before b = {0};
    char last[64];
    for (size_t i = 0; i < n; i += 64) {
        kinds k = classify(next_64(text, n, i, last), fold, copy + i);
        for (uint64_t edges = edges_of(k, text, n, i, &b); edges; edges &= edges - 1)
            *next++ = (uint32_t)i + (uint32_t)__builtin_ctzll(edges);
    }
    if (b.word)
        *next++ = (uint32_t)n;
    return (size_t)(next - edge) / 2;
}

#else

size_t thr_ascii_words_narrow(const char *text, size_t n, bool fold, char *copy, uint32_t *edge)
{
    return thr_ascii_words_plain(text, n, fold, copy, edge);
}

#endif

#if THR_WIDE

/* ---- the same with AVX2 ------------------------------------------------------------------- */

#define WIDE __attribute__((target("avx2,bmi,popcnt")))

WIDE static inline __m256i between_wide(__m256i v, char low, char high)
{
    return _mm256_cmpgt_epi8(_mm256_add_epi8(v, _mm256_set1_epi8((char)(127 - high))),
                             _mm256_set1_epi8((char)(126 - high + low)));
}

WIDE static inline uint64_t bits_wide(__m256i first, __m256i second)
{
    return (uint32_t)_mm256_movemask_epi8(first) | (uint64_t)(uint32_t)_mm256_movemask_epi8(second)
                                                       << 32;
}

WIDE static inline kinds classify_wide(const char *from, bool fold, char *to)
{
    __m256i letter[2], other[2], apostrophe[2];
    for (int i = 0; i < 2; i++) {
        __m256i v = _mm256_loadu_si256((const __m256i *)(const void *)(from + 32 * i));
        letter[i] = between_wide(_mm256_or_si256(v, _mm256_set1_epi8(0x20)), 'a', 'z');
        other[i] =
            _mm256_or_si256(between_wide(v, '0', '9'), _mm256_cmpeq_epi8(v, _mm256_set1_epi8('_')));
        apostrophe[i] = _mm256_cmpeq_epi8(v, _mm256_set1_epi8('\''));
        __m256i folded = _mm256_or_si256(v, _mm256_and_si256(letter[i], _mm256_set1_epi8(0x20)));
        _mm256_storeu_si256((__m256i *)(void *)(to + 32 * i), fold ? folded : v);
    }
    return (kinds){bits_wide(letter[0], letter[1]), bits_wide(other[0], other[1]),
                   bits_wide(apostrophe[0], apostrophe[1])};
}

/* Writes the positions of the set bits. Always in groups of eight, so that the number of
 * iterations is easier to predict; positions that are too many are overwritten by the next
 * call. */
WIDE static inline uint32_t *put_edges(uint64_t edges, uint32_t from, uint32_t *to)
{
    size_t n = (size_t)_mm_popcnt_u64(edges);
    for (size_t i = 0; i < n; i += 8)
        for (size_t j = i; j < i + 8; j++) {
            to[j] = from + (uint32_t)_tzcnt_u64(edges);
            edges = _blsr_u64(edges);
        }
    return to + n;
}

WIDE static size_t words_wide(const char *text, size_t n, bool fold, char *copy, uint32_t *edge)
{
    uint32_t *next = edge;
    before b = {0};
    char last[64];
    for (size_t i = 0; i < n; i += 64) {
        kinds k = classify_wide(next_64(text, n, i, last), fold, copy + i);
        next = put_edges(edges_of(k, text, n, i, &b), (uint32_t)i, next);
    }
    if (b.word)
        *next++ = (uint32_t)n;
    return (size_t)(next - edge) / 2;
}

/* ---- the same with AVX-512 ---------------------------------------------------------------- */

#define WIDEST __attribute__((target("avx512bw,avx512vbmi2,bmi,popcnt")))

/* Comparisons give masks of 64 bits at once. The end of the text is loaded as far as it goes, with
 * zeros behind. */
WIDEST static inline kinds classify_widest(const char *from, size_t n, bool fold, char *to)
{
    __mmask64 there = n < 64 ? ((__mmask64)1 << n) - 1 : ~(__mmask64)0;
    __m512i v = _mm512_maskz_loadu_epi8(there, from);
    __m512i lower = _mm512_or_si512(v, _mm512_set1_epi8(0x20));
    __mmask64 letter =
        _mm512_cmplt_epu8_mask(_mm512_sub_epi8(lower, _mm512_set1_epi8('a')), _mm512_set1_epi8(26));
    __mmask64 digit =
        _mm512_cmplt_epu8_mask(_mm512_sub_epi8(v, _mm512_set1_epi8('0')), _mm512_set1_epi8(10));
    _mm512_storeu_si512(to, fold ? _mm512_mask_blend_epi8(letter, v, lower) : v);
    return (kinds){letter, digit | _mm512_cmpeq_epi8_mask(v, _mm512_set1_epi8('_')),
                   _mm512_cmpeq_epi8_mask(v, _mm512_set1_epi8('\''))};
}

/* Adds `from` to each of 32 positions. */
WIDEST static inline void put_32(__m256i at, uint32_t from, uint32_t *to)
{
    __m512i first = _mm512_cvtepu8_epi32(_mm256_castsi256_si128(at));
    __m512i second = _mm512_cvtepu8_epi32(_mm256_extracti128_si256(at, 1));
    _mm512_storeu_si512(to, _mm512_add_epi32(first, _mm512_set1_epi32((int)from)));
    _mm512_storeu_si512(to + 16, _mm512_add_epi32(second, _mm512_set1_epi32((int)from)));
}

/* Writes the positions of the set bits: the numbers 0 to 63 are compressed to those whose bits are
 * set. Always 32 of them; more are rare. */
WIDEST static inline uint32_t *put_edges_widest(uint64_t edges, uint32_t from, uint32_t *to)
{
    static const uint8_t places[64] = {
        0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21,
        22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43,
        44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63};
    __m512i at = _mm512_maskz_compress_epi8(edges, _mm512_loadu_si512(places));
    size_t n = (size_t)_mm_popcnt_u64(edges);
    put_32(_mm512_castsi512_si256(at), from, to);
    if (n > 32)
        put_32(_mm512_extracti64x4_epi64(at, 1), from, to + 32);
    return to + n;
}

WIDEST static size_t words_widest(const char *text, size_t n, bool fold, char *copy, uint32_t *edge)
{
    uint32_t *next = edge;
    before b = {0};
    for (size_t i = 0; i < n; i += 64) {
        kinds k = classify_widest(text + i, n - i, fold, copy + i);
        next = put_edges_widest(edges_of(k, text, n, i, &b), (uint32_t)i, next);
    }
    if (b.word)
        *next++ = (uint32_t)n;
    return (size_t)(next - edge) / 2;
}

#endif

size_t thr_ascii_words_wide(const char *text, size_t n, bool fold, char *copy, uint32_t *edge)
{
#if THR_WIDE
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi"))
        return words_wide(text, n, fold, copy, edge);
#endif
    return thr_ascii_words_narrow(text, n, fold, copy, edge);
}

size_t thr_ascii_words(const char *text, size_t n, bool fold, char *copy, uint32_t *edge)
{
#if THR_WIDE
    if (__builtin_cpu_supports("avx512vbmi2") && __builtin_cpu_supports("avx512bw"))
        return words_widest(text, n, fold, copy, edge);
#endif
    return thr_ascii_words_wide(text, n, fold, copy, edge);
}
