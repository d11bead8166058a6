#include "example/ascii.h"

#include <stdint.h>
#include <string.h>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

static bool is_letter(char c)
{
    return (unsigned char)((c | 0x20) - 'a') < 26;
}

static bool is_in_word(const char *text, size_t n, size_t i)
{
    char c = text[i];
    if (c == '\'') /* between letters */
        return i > 0 && i + 1 < n && is_letter(text[i - 1]) && is_letter(text[i + 1]);
    return is_letter(c) || (unsigned char)(c - '0') < 10 || c == '_';
}

size_t thr_ascii_words_plain(const char *text, size_t n, bool fold, char *copy, uint32_t *edge)
{
    size_t edges = 0;
    bool inside = false;
    for (size_t i = 0; i < n; i++) {
        bool word = is_in_word(text, n, i);
        copy[i] = fold && text[i] >= 'A' && text[i] <= 'Z' ? (char)(text[i] + 'a' - 'A') : text[i];
        if (word != inside)
            edge[edges++] = (uint32_t)i;
        inside = word;
    }
    if (inside)
        edge[edges++] = (uint32_t)n;
    return edges / 2;
}

#if defined(__SSE2__)

/* Where in 64 bytes letters, other characters of words, and apostrophes are. */
typedef struct kinds {
    uint64_t letter, other, apostrophe;
} kinds;

static inline __m128i between(__m128i v, char low, char high)
{
    return _mm_and_si128(_mm_cmpgt_epi8(v, _mm_set1_epi8((char)(low - 1))),
                         _mm_cmplt_epi8(v, _mm_set1_epi8((char)(high + 1))));
}

static inline uint64_t bits_of(__m128i v, int i)
{
    return (uint64_t)(uint32_t)_mm_movemask_epi8(v) << (16 * i);
}

static inline kinds look_at(const char *from, bool fold, char *to)
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

size_t thr_ascii_words(const char *text, size_t n, bool fold, char *copy, uint32_t *edge)
{
    uint32_t *next = edge;
    uint64_t before_letter = 0, before_word = 0; /* the last byte before these 64 */
    for (size_t i = 0; i < n; i += 64) {
        char last[64];
        const char *from = text + i;
        if (n - i < 64) {
            memset(last, ' ', sizeof last);
            from = memcpy(last, from, n - i);
        }
        kinds k = look_at(from, fold, copy + i);
        uint64_t after = n - i > 64 ? (uint64_t)is_letter(text[i + 64]) << 63 : 0;
        uint64_t bridges = k.apostrophe & (k.letter << 1 | before_letter) & (k.letter >> 1 | after);
        uint64_t word = k.letter | k.other | bridges;
        for (uint64_t edges = word ^ (word << 1 | before_word); edges; edges &= edges - 1)
            *next++ = (uint32_t)i + (uint32_t)__builtin_ctzll(edges);
        before_letter = k.letter >> 63;
        before_word = word >> 63;
    }
    if (before_word)
        *next++ = (uint32_t)n;
    return (size_t)(next - edge) / 2;
}

#else

size_t thr_ascii_words(const char *text, size_t n, bool fold, char *copy, uint32_t *edge)
{
    return thr_ascii_words_plain(text, n, fold, copy, edge);
}

#endif
