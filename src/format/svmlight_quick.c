#include "format/svmlight_quick.h"

#include "base/number.h"
#include "base/scan.h"

#include <float.h>

#if THR_WIDE
#include <immintrin.h>
#endif

#if THR_SCANS

#define MOST_DIGITS 15 /* as many are an exact double */

static const double powers[] = {1e0, 1e1, 1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};
static const float small_powers[] = {1e0f, 1e1f, 1e2f, 1e3f, 1e4f, 1e5f,
                                     1e6f, 1e7f, 1e8f, 1e9f, 1e10f};

/* digits / 10^behind, where there are at most fifteen digits. A quotient of two exact numbers is
 * correctly rounded (Clinger 1990): as a float where both are exact floats; else as a double, of
 * which rounding once more goes wrong only at the midpoint of two floats, which is given away. */
static inline bool quotient(uint64_t digits, unsigned behind, float *out)
{
    if (digits >> FLT_MANT_DIG == 0 && behind <= 10) {
        *out = (float)(int32_t)digits / small_powers[behind];
        return true;
    }
    const uint64_t spare = UINT64_C(1) << (DBL_MANT_DIG - FLT_MANT_DIG);
    double v = (double)(int64_t)digits / powers[behind];
    uint64_t bits;
    memcpy(&bits, &v, sizeof bits);
    *out = (float)v;
    return (bits & (spare - 1)) != spare / 2;
}

static inline float with_sign(float value, uint32_t negative)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    bits |= negative << 31;
    memcpy(&value, &bits, sizeof bits);
    return value;
}

/* Features may begin before this. */
static const char *last_start(const char *end, const char *limit)
{
    return limit - end >= THR_QUICK ? end : limit - THR_QUICK + 1;
}

/* ---- by the word -------------------------------------------------------------------------- */

/* Up to fifteen digits; returns their number, more than that where there are more. */
static inline unsigned take_digits(const char *p, uint64_t *digits)
{
    unsigned n = thr_count_digits(p), more;
    if (n == 0)
        return 0;
    *digits = thr_join_digits(p, n);
    if (n < 8)
        return n;
    more = thr_count_digits(p + 8);
    for (unsigned i = 0; i < more && more < 8; i++)
        *digits = *digits * 10 + (uint64_t)(p[8 + i] - '0');
    return 8 + more;
}

/* Behind the feature at `at`, or NULL where it is not usual. */
static inline const char *take_feature(const char *at, const char *end, uint64_t *key, float *value)
{
    static const uint64_t scale[] = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000};
    unsigned n = thr_count_digits(at), behind = 0;
    uint64_t digits = 0, fraction = 0;
    if (n == 0 || at[n] != ':')
        return NULL;
    *key = thr_join_digits(at, n);
    const char *v = at + n + 1;
    uint32_t negative = *v == '-';
    v += negative;
    n = take_digits(v, &digits);
    v += n;
    if (*v == '.' && n < 8) {
        behind = take_digits(v + 1, &fraction);
        if (n + behind > MOST_DIGITS)
            return NULL;
        for (unsigned i = behind; i > 7; i--)
            digits *= 10;
        digits = digits * scale[behind < 7 ? behind : 7] + fraction;
        v += behind + 1;
        n += behind;
    }
    if (n - 1u >= MOST_DIGITS || *key >= THR_SMALL || (*v != ' ' && v != end) ||
        !quotient(digits, behind, value))
        return NULL;
    *value = with_sign(*value, negative);
    return v;
}

const char *thr_quick_take_plain(const char *at, const char *end, const char *limit, uint64_t *key,
                                 float *value, size_t *n)
{
    const char *last = last_start(end, limit), *after;
    for (*n = 0; at < last && (after = take_feature(at, end, key + *n, value + *n)); ++*n)
        at = after + 1;
    return at < end ? at : end;
}

/* ---- by 32 bytes -------------------------------------------------------------------------- */

#if THR_WIDE

/* Bytes from here + n on move n of 16 bytes to the end, behind zeros. */
static const uint8_t to_the_end[32] = {
    0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80,
    0,    1,    2,    3,    4,    5,    6,    7,    8,    9,    10,   11,   12,   13,   14,   15,
};

/* Row n takes byte n out of 16: those before it move up. Row 16 takes out none. */
#define B 0x80
static const uint8_t without[17][16] = {
    {B, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15},
    {B, 0, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15},
    {B, 0, 1, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15},
    {B, 0, 1, 2, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15},
    {B, 0, 1, 2, 3, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15},
    {B, 0, 1, 2, 3, 4, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15},
    {B, 0, 1, 2, 3, 4, 5, 7, 8, 9, 10, 11, 12, 13, 14, 15},
    {B, 0, 1, 2, 3, 4, 5, 6, 8, 9, 10, 11, 12, 13, 14, 15},
    {B, 0, 1, 2, 3, 4, 5, 6, 7, 9, 10, 11, 12, 13, 14, 15},
    {B, 0, 1, 2, 3, 4, 5, 6, 7, 8, 10, 11, 12, 13, 14, 15},
    {B, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 12, 13, 14, 15},
    {B, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 13, 14, 15},
    {B, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 14, 15},
    {B, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 14, 15},
    {B, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 15},
    {B, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14},
    {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15},
};
#undef B

#define WIDE __attribute__((target("avx2,bmi,bmi2")))

WIDE static inline __m256i load_two(const void *low, const void *high)
{
    return _mm256_inserti128_si256(_mm256_castsi128_si256(_mm_loadu_si128(low)),
                                   _mm_loadu_si128(high), 1);
}

/* 32 times c, which the compiler is not to make anew in every round. */
WIDE static inline __m256i all(char c)
{
    __m256i v = _mm256_set1_epi8(c);
    __asm__("" : "+x"(v));
    return v;
}

WIDE static inline uint32_t where(__m256i w, __m256i c)
{
    return (uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(w, c));
}

/* Colon, point and blank of a feature are found at once, so that the next can begin before this one
 * is read; then id and value are joined to numbers side by side. */
WIDE static const char *take_wide(const char *at, const char *end, const char *limit, uint64_t *key,
                                  float *value, size_t *n)
{
    const __m256i blank = all(' '), colon = all(':'), point = all('.'), zero = all('0'),
                  nine = all(9);
    const char *last = last_start(end, limit);
    size_t i = 0;
    for (; at < last; i++) {
        __m256i w = _mm256_loadu_si256((const __m256i *)(const void *)at);
        uint32_t stop = _tzcnt_u32(where(w, _mm256_min_epu8(w, blank)));
        uint32_t ids = _tzcnt_u32(where(w, colon)), negative = at[ids + 1] == '-';
        uint32_t first = ids + 1 + negative, size = stop - first;
        uint32_t whole = _tzcnt_u32(where(w, point) >> (first & 31));
        if (ids - 1 >= 8 || size - 1 >= MOST_DIGITS || (size | whole) == 1 ||
            (at[stop] != ' ' && at + stop != end))
            break;
        uint32_t row = whole < size ? whole : 16, behind = whole < size ? size - 1 - whole : 0;
        /* The digits of both, at the end of 16 bytes each; a point leaves a zero before its own. */
        __m256i x = _mm256_sub_epi8(load_two(at, at + first), zero);
        x = _mm256_shuffle_epi8(x, load_two(without[16], without[row]));
        x = _mm256_shuffle_epi8(x, load_two(to_the_end + ids, to_the_end + size));
        __m256i over = _mm256_subs_epu8(x, nine);
        x = _mm256_maddubs_epi16(x, _mm256_set1_epi16(10 | 1 << 8));
        x = _mm256_madd_epi16(x, _mm256_set1_epi32(100 | 1 << 16));
        x = _mm256_packus_epi32(x, x);
        x = _mm256_madd_epi16(x, _mm256_set1_epi32(10000 | 1 << 16));
        uint64_t id = (uint64_t)_mm_cvtsi128_si64(_mm256_castsi256_si128(x)) >> 32;
        uint64_t two = (uint64_t)_mm_cvtsi128_si64(_mm256_extracti128_si256(x, 1));
        uint64_t digits = (two & UINT32_MAX) * 100000000 + (two >> 32);
        if (!_mm256_testz_si256(over, over) || id >= THR_SMALL ||
            !quotient(digits, behind, value + i))
            break;
        key[i] = id;
        value[i] = with_sign(value[i], negative);
        at += stop + 1;
    }
    *n = i;
    return at < end ? at : end;
}

#endif

const char *thr_quick_take(const char *at, const char *end, const char *limit, uint64_t *key,
                           float *value, size_t *n)
{
#if THR_WIDE
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2"))
        return take_wide(at, end, limit, key, value, n);
#endif
    return thr_quick_take_plain(at, end, limit, key, value, n);
}

#else

const char *thr_quick_take_plain(const char *at, const char *end, const char *limit, uint64_t *key,
                                 float *value, size_t *n)
{
    (void)end, (void)limit, (void)key, (void)value;
    *n = 0;
    return at;
}

const char *thr_quick_take(const char *at, const char *end, const char *limit, uint64_t *key,
                           float *value, size_t *n)
{
    return thr_quick_take_plain(at, end, limit, key, value, n);
}

#endif
