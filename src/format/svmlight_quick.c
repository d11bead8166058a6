#include "format/svmlight_quick.h"

#include "base/number.h"
#include "base/scan.h"

#include <float.h>
#include <stddef.h>

#if THR_WIDE
#include <immintrin.h>
#endif

#if THR_SCANS

#define MOST_DIGITS 15 /* as many are an exact double */

/* With a minus for values that have one: no branch, since signs are hard to foresee. */
static const double powers[2][16] = {
    {1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15},
    {-1e0, -1e1, -1e2, -1e3, -1e4, -1e5, -1e6, -1e7, -1e8, -1e9, -1e10, -1e11, -1e12, -1e13, -1e14,
     -1e15}};
static const float small_powers[2][16] = {
    {1e0f, 1e1f, 1e2f, 1e3f, 1e4f, 1e5f, 1e6f, 1e7f, 1e8f, 1e9f, 1e10f},
    {-1e0f, -1e1f, -1e2f, -1e3f, -1e4f, -1e5f, -1e6f, -1e7f, -1e8f, -1e9f, -1e10f}};

/* digits / 10^behind, where there are at most fifteen digits. A quotient of two exact numbers is
 * correctly rounded (Clinger 1990): as a float where both are exact floats; else as a double, of
 * which rounding once more goes wrong only at the midpoint of two floats, which is given away. */
static inline bool quotient(uint64_t digits, unsigned behind, uint64_t negative, float *out)
{
    if (digits >> FLT_MANT_DIG == 0 && behind <= 10) {
        *out = (float)(int32_t)digits / small_powers[negative][behind];
        return true;
    }
    const uint64_t spare = UINT64_C(1) << (DBL_MANT_DIG - FLT_MANT_DIG);
    double v = (double)(int64_t)digits / powers[negative][behind];
    uint64_t bits;
    memcpy(&bits, &v, sizeof bits);
    *out = (float)v;
    return (bits & (spare - 1)) != spare / 2;
}

/* Of an id whose n digits stand at text[at]. */
static inline uint64_t key_of(uint64_t id, size_t at, size_t n)
{
    return id <= UINT32_MAX ? thr_key_integer((uint32_t)id) : thr_key_digits(at, n);
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

/* Behind the id at `at`, or NULL where it is not usual. */
static inline const char *take_id(const char *at, const char *text, uint64_t *key)
{
    uint64_t id = 0;
    unsigned n = take_digits(at, &id);
    if (n - 1u >= MOST_DIGITS || at[n] != ':' || (id > UINT32_MAX && *at == '0'))
        return NULL;
    *key = key_of(id, (size_t)(at - text), n);
    return at + n;
}

/* Behind the feature at `at`, or NULL where it is not usual. */
static inline const char *take_feature(const char *at, const char *text, const char *end,
                                       uint64_t *key, float *value)
{
    static const uint64_t scale[] = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000};
    const char *v = take_id(at, text, key);
    uint64_t digits = 0, fraction = 0;
    unsigned n, behind = 0;
    if (!v++)
        return NULL;
    uint64_t negative = *v == '-';
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
    if (n - 1u >= MOST_DIGITS || (*v != ' ' && v != end) ||
        !quotient(digits, behind, negative, value))
        return NULL;
    return v;
}

const char *thr_quick_take_plain(const char *at, const char *end, const char *limit, uint64_t *key,
                                 float *value, thr_quick_found *found)
{
    const char *last = last_start(end, limit), *from = at, *after;
    size_t n = 0;
    found->named = false;
    for (; at < last && (after = take_feature(at, from, end, key + n, value + n)); at = after + 1)
        found->named |= key[n++] >= THR_KEY_NAME;
    found->n = n;
    return at < end ? at : end;
}

/* ---- by 64 bytes -------------------------------------------------------------------------- */

#if THR_WIDE

/* Tables side by side, which one register points at. They are looked into before it is known
 * whether a feature is usual, with any number of a place in 64 bytes: hence what is around them. */
#define PLACES 64
#define B      0x80

static const struct tables {
    uint8_t before[PLACES];
    uint8_t to_the_end[32]; /* from n on: moves n of 16 bytes to the end, behind zeros */
    uint8_t behind[PLACES];
    uint8_t without[PLACES + 1][16]; /* n: takes byte n out of 16, those before it move up */
    float power[2 * PLACES];         /* n + 1: 10^n */
    float minus[2 * PLACES];         /* the same with a minus */
} tables = {
    .to_the_end = {B, B, B, B, B, B, B, B, B, B, B,  B,  B,  B,  B,  B,
                   0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15},
    .without =
        {
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
        },
    .power = {0, 1e0f, 1e1f, 1e2f, 1e3f, 1e4f, 1e5f, 1e6f, 1e7f, 1e8f},
    .minus = {0, -1e0f, -1e1f, -1e2f, -1e3f, -1e4f, -1e5f, -1e6f, -1e7f, -1e8f},
};
#undef B

#define WIDE        __attribute__((target("avx2,bmi,bmi2")))
#define WIDE_INLINE __attribute__((target("avx2,bmi,bmi2"), always_inline)) static inline

typedef struct constants { /* the compiler is not to make them anew in every round */
    __m256i blank, colon, point, nine;
    __m128i minus_zero;
    const struct tables *t;
} constants;

WIDE_INLINE constants constants_make(void)
{
    constants c = {_mm256_set1_epi8(' '), _mm256_set1_epi8(':'), _mm256_set1_epi8('.'),
                   _mm256_set1_epi8(9),   _mm_set1_epi8(-'0'),   &tables};
    __asm__("" : "+x"(c.blank), "+x"(c.colon), "+x"(c.point), "+x"(c.nine), "+x"(c.minus_zero));
    __asm__("" : "+r"(c.t));
    return c;
}

/* Which of 64 bytes are c, by bits. */
WIDE_INLINE uint64_t where(__m256i low, __m256i high, __m256i c)
{
    uint32_t first = (uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(low, c));
    uint32_t second = (uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(high, c));
    return (uint64_t)second << 32 | first;
}

/* 16 bytes of text as digits; what is none is more than 9. */
WIDE_INLINE __m128i load_digits(const char *p, const constants *c)
{
    return _mm_add_epi8(c->minus_zero, _mm_loadu_si128((const __m128i *)(const void *)p));
}

WIDE_INLINE __m128i shuffle(__m128i x, const uint8_t *to)
{
    return _mm_shuffle_epi8(x, _mm_loadu_si128((const __m128i *)(const void *)to));
}

/* Where the parts of a feature are, from where the bytes looked at begin. */
typedef struct parts {
    uint64_t before, ids; /* the blank before the id, the digits of that */
    uint64_t first;       /* of the value, behind a minus */
    uint64_t whole;       /* digits before its point, or before the blank */
    uint64_t total;       /* bytes, with the point or the blank */
    uint64_t negative;
} parts;

/* `marks` are points and blanks. Anything may come of what is not a feature, but ids are within
 * PLACES either way of 0, and the others at most PLACES + 1. */
WIDE_INLINE parts measure(const char *at, uint64_t before, uint64_t colon, uint64_t stop,
                          uint64_t marks)
{
    uint64_t negative = at[colon + 1] == '-', first = colon + 1 + negative;
    uint64_t whole = _tzcnt_u64(marks >> (first & 63));
    int64_t size = (int64_t)(stop - first), least = (int64_t)whole + 1;
    uint64_t total = (uint64_t)(size > least ? size : least);
    return (parts){before, colon - before - 1, first, whole, total, negative};
}

/* Less than 8 where id and value have one to eight digits, as far as they are digits; of large ids
 * up to sixteen. */
WIDE_INLINE uint64_t excess(const parts *p, bool large)
{
    return (p->ids - 1) >> large | (p->total - 2);
}

/* What the digits of the value are to be divided by, with its sign. */
WIDE_INLINE __m128 power_of(const parts *p, const constants *c)
{
    const void *power = (const uint8_t *)c->t + offsetof(struct tables, power);
    return _mm_broadcast_ss((const float *)power + 2 * PLACES * p->negative + p->total - p->whole);
}

/* n of 16 bytes move to the end. */
WIDE_INLINE __m128i to_the_end(__m128i x, uint64_t n, const constants *c)
{
    return shuffle(x, (const uint8_t *)c->t + offsetof(struct tables, to_the_end) + (int64_t)n);
}

/* The digits of a value at the end of 16 bytes; what comes behind those before its point leaves a
 * zero in front. */
WIDE_INLINE __m128i value_digits(const char *at, const parts *p, const constants *c)
{
    return to_the_end(shuffle(load_digits(at + p->first, c), c->t->without[p->whole]), p->total, c);
}

WIDE_INLINE __m128i id_digits(const char *at, const parts *p, const constants *c)
{
    return to_the_end(load_digits(at + p->before + 1, c), p->ids, c);
}

/* Pairs are joined, then fours; eights when these are packed. */
WIDE_INLINE __m256i join_fours(__m256i x)
{
    x = _mm256_maddubs_epi16(x, _mm256_set1_epi16(10 | 1 << 8));
    return _mm256_madd_epi16(x, _mm256_set1_epi32(100 | 1 << 16));
}

WIDE_INLINE __m256i join_eights(__m256i x, __m256i y)
{
    return _mm256_madd_epi16(_mm256_packus_epi32(x, y), _mm256_set1_epi32(10000 | 1 << 16));
}

WIDE_INLINE __m256i side_by_side(__m128i first, __m128i second)
{
    return _mm256_inserti128_si256(_mm256_castsi128_si256(first), second, 1);
}

/* Digits of three features, at the end of 16 bytes each, and what their values are divided by. */
typedef struct three {
    __m128i id[3], value[3];
    __m128 power;
} three;

/* Of eight digits in id and value each, of which the values make exact floats; false where some do
 * not, or are no digits. Four are written, the last of no meaning. */
WIDE_INLINE bool join_three(const three *t, const constants *c, uint64_t *key, float *value)
{
    __m256i x = side_by_side(_mm_unpackhi_epi64(t->id[0], t->value[0]),
                             _mm_unpackhi_epi64(t->id[1], t->value[1]));
    __m256i y = _mm256_zextsi128_si256(_mm_unpackhi_epi64(t->id[2], t->value[2]));
    /* id, value of the first, of the third; id, value of the second, zeros */
    __m256i n = join_eights(join_fours(x), join_fours(y));
    __m256i wrong = _mm256_subs_epu8(_mm256_max_epu8(x, y), c->nine);
    wrong = _mm256_or_si256(wrong, _mm256_srli_epi32(n, THR_SMALL_BITS));
    n = _mm256_permutevar8x32_epi32(n, _mm256_setr_epi32(0, 4, 2, 6, 1, 5, 3, 7));
    _mm256_storeu_si256((__m256i *)(void *)key, _mm256_cvtepu32_epi64(_mm256_castsi256_si128(n)));
    __m128 digits = _mm_cvtepi32_ps(_mm256_extracti128_si256(n, 1));
    _mm_storeu_ps(value, _mm_div_ps(digits, t->power));
    return _mm256_testz_si256(wrong, wrong);
}

/* Keys of ids below 2^32, from their first and their last eight digits in every other place. */
WIDE_INLINE __m256i join_keys(__m256i first, __m256i last, __m256i *wrong)
{
    const __m256i low = _mm256_set1_epi64x(UINT32_MAX);
    __m256i id = _mm256_add_epi64(_mm256_mul_epu32(first, _mm256_set1_epi64x(100000000)),
                                  _mm256_and_si256(last, low));
    __m256i large = _mm256_cmpgt_epi64(id, _mm256_set1_epi64x(THR_SMALL - 1));
    *wrong = _mm256_or_si256(*wrong, _mm256_andnot_si256(low, id));
    return _mm256_or_si256(id, _mm256_and_si256(large, _mm256_set1_epi64x(THR_KEY_LARGE)));
}

/* The same with sixteen digits in ids. */
WIDE_INLINE bool join_large(const three *t, const constants *c, uint64_t *key, float *value)
{
    __m256i x = side_by_side(t->id[0], t->id[1]);
    __m256i y = side_by_side(t->id[2], _mm_unpackhi_epi64(t->value[0], t->value[1]));
    __m256i z = _mm256_zextsi128_si256(t->value[2]), fours = join_fours(z);
    /* first and last of the first id, of the third; of the second id, two values */
    __m256i n = join_eights(join_fours(x), join_fours(y));
    __m128i third = _mm_srli_epi64(_mm256_castsi256_si128(join_eights(fours, fours)), 32);
    __m128i values = _mm_unpackhi_epi64(_mm256_extracti128_si256(n, 1), third);
    __m256i wrong = _mm256_subs_epu8(_mm256_max_epu8(_mm256_max_epu8(x, y), z), c->nine);
    wrong = _mm256_or_si256(wrong, _mm256_zextsi128_si256(_mm_srli_epi32(values, THR_SMALL_BITS)));
    __m256i first = _mm256_permutevar8x32_epi32(n, _mm256_setr_epi32(0, 0, 4, 4, 2, 2, 0, 0));
    __m256i last = _mm256_permutevar8x32_epi32(n, _mm256_setr_epi32(1, 1, 5, 5, 3, 3, 1, 1));
    _mm256_storeu_si256((__m256i *)(void *)key, join_keys(first, last, &wrong));
    _mm_storeu_ps(value, _mm_div_ps(_mm_cvtepi32_ps(values), t->power));
    return _mm256_testz_si256(wrong, wrong);
}

WIDE_INLINE uint64_t two_eights(__m128i x)
{
    uint64_t two = (uint64_t)_mm_cvtsi128_si64(x);
    return (two & UINT32_MAX) * 100000000 + (two >> 32);
}

/* One feature, whose id and value may have fifteen digits; false where it is not usual. */
WIDE_INLINE bool take_one(const char *at, const char *text, const parts *p, const constants *c,
                          uint64_t *key, float *value)
{
    const char *digits = at + p->before + 1;
    if (p->ids - 1 >= MOST_DIGITS || p->total - 2 >= MOST_DIGITS)
        return false;
    __m256i x = _mm256_inserti128_si256(_mm256_castsi128_si256(value_digits(at, p, c)),
                                        id_digits(at, p, c), 1);
    __m256i wrong = _mm256_subs_epu8(x, _mm256_set1_epi8(9)), fours = join_fours(x);
    __m256i n = join_eights(fours, fours);
    uint64_t id = two_eights(_mm256_extracti128_si256(n, 1));
    *key = key_of(id, (size_t)(digits - text), p->ids);
    return _mm256_testz_si256(wrong, wrong) && (id <= UINT32_MAX || *digits != '0') &&
           quotient(two_eights(_mm256_castsi256_si128(n)), (unsigned)(p->total - p->whole - 1),
                    p->negative, value);
}

/* Of 64 bytes, by bits: where they are. */
typedef struct signs {
    uint64_t blanks, colons, marks; /* marks are points and blanks */
} signs;

/* A line's end is a blank, and the last. */
WIDE_INLINE signs find_signs(const char *at, const char *end, const constants *c)
{
    __m256i low = _mm256_loadu_si256((const __m256i *)(const void *)at);
    __m256i high = _mm256_loadu_si256((const __m256i *)(const void *)(at + 32));
    uint64_t blanks = where(low, high, c->blank), left = (uint64_t)(end - at);
    if (left < 64)
        blanks = _bzhi_u64(blanks, (unsigned)left) | UINT64_C(1) << left;
    return (signs){blanks, where(low, high, c->colon), blanks | where(low, high, c->point)};
}

/* The features that end in the next 64 bytes, one by one. */
typedef struct singles {
    size_t n;
    uint64_t used; /* bytes */
    bool threes;   /* the like of them can be taken by three ... */
    bool large;    /* ... with large ids */
    bool named;
} singles;

__attribute__((noinline)) WIDE static singles
take_singly(const char *at, const char *text, const char *end, uint64_t *key, float *value)
{
    const constants c = constants_make();
    signs s = find_signs(at, end, &c);
    uint64_t before = UINT64_MAX, stop, most = 0, keys = 0;
    size_t i = 0;
    for (; (stop = _tzcnt_u64(s.blanks)) < 64; before = stop, i++) {
        parts p = measure(at, before, _tzcnt_u64(s.colons), stop, s.marks);
        most |= excess(&p, true);
        if (!take_one(at, text, &p, &c, key + i, value + i))
            break;
        keys |= key[i];
        s.blanks = _blsr_u64(s.blanks);
        s.colons = _blsr_u64(s.colons);
    }
    bool named = keys >= THR_KEY_NAME;
    return (singles){i, before + 1, most < 8 && !named, keys >= THR_SMALL, named};
}

/* Three features mostly end in 64 bytes. Each is measured and its digits are gathered before the
 * next, so that all of it stays in registers. Inlined for small ids and large. */
WIDE_INLINE bool take_three(const char **text, const char *end, const constants *c, uint64_t *key,
                            float *value, bool large)
{
    const char *at = *text;
    signs s = find_signs(at, end, c);
    uint64_t stop = UINT64_MAX, far = 0;
    three t;
#pragma GCC unroll 3
    for (int i = 0; i < 3; i++) {
        uint64_t before = stop;
        stop = _tzcnt_u64(s.blanks);
        parts p = measure(at, before, _tzcnt_u64(s.colons), stop, s.marks);
        far |= excess(&p, large);
        t.id[i] = id_digits(at, &p, c);
        t.value[i] = value_digits(at, &p, c);
        __m128 power = power_of(&p, c);
        t.power = i == 0   ? power
                  : i == 1 ? _mm_blend_ps(t.power, power, 1 << 1)
                           : _mm_blend_ps(t.power, power, 1 << 2);
        s.blanks = _blsr_u64(s.blanks);
        s.colons = _blsr_u64(s.colons);
    }
    *text = at + stop + 1;
    bool usual = large ? join_large(&t, c, key, value) : join_three(&t, c, key, value);
    return usual && (far | (stop & 64)) < 8;
}

/* Threes of features that begin before `last`, as long as they are usual; their number is added to
 * *taken. Returns behind them. */
WIDE_INLINE const char *take_threes(const char *at, const char *last, const char *end,
                                    uint64_t *key, float *value, size_t *taken, bool large)
{
    const constants c = constants_make();
    const char *next = at;
    size_t i = *taken;
    for (; at < last && take_three(&next, end, &c, key + i, value + i, large); at = next)
        i += 3;
    *taken = i;
    return at;
}

__attribute__((noinline)) WIDE static const char *take_large(const char *at, const char *last,
                                                             const char *end, uint64_t *key,
                                                             float *value, size_t *taken)
{
    return take_threes(at, last, end, key, value, taken, true);
}

WIDE static const char *take_wide(const char *at, const char *end, const char *limit, uint64_t *key,
                                  float *value, thr_quick_found *found)
{
    const char *last = last_start(end, limit), *text = at;
    bool named = false;
    size_t i = 0;
    singles few = {.used = 1, .threes = true}; /* as far as is known */
    while (at < last && few.used) {
        if (few.threes)
            at = few.large ? take_large(at, last, end, key, value, &i)
                           : take_threes(at, last, end, key, value, &i, false);
        if (at >= last)
            break;
        few = take_singly(at, text, end, key + i, value + i);
        i += few.n;
        at += few.used;
        named |= few.named;
    }
    *found = (thr_quick_found){i, named};
    return at < end ? at : end;
}

#endif

const char *thr_quick_take(const char *at, const char *end, const char *limit, uint64_t *key,
                           float *value, thr_quick_found *found)
{
#if THR_WIDE
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2"))
        return take_wide(at, end, limit, key, value, found);
#endif
    return thr_quick_take_plain(at, end, limit, key, value, found);
}

#else

const char *thr_quick_take_plain(const char *at, const char *end, const char *limit, uint64_t *key,
                                 float *value, thr_quick_found *found)
{
    (void)end, (void)limit, (void)key, (void)value;
    *found = (thr_quick_found){0};
    return at;
}

const char *thr_quick_take(const char *at, const char *end, const char *limit, uint64_t *key,
                           float *value, thr_quick_found *found)
{
    return thr_quick_take_plain(at, end, limit, key, value, found);
}

#endif
