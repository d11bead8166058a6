/* Two versions of the fast parser: by words of eight bytes, and with AVX2 three features at a time.
 *
 * Both avoid a branch for each byte. Where a number ends is hard to predict, and a misprediction
 * costs about as much as converting the number. So lengths are computed, digits are moved to where
 * a fixed computation expects them, and one test at the end tells whether all of it was right.
 *
 * The AVX2 version loads 64 bytes from the start of a feature, in which three features mostly end.
 * Three comparisons give bit masks of blanks, colons and points. For a line that goes on with
 * `12:3.75 7:-20 1004:0.5 `
 *
 *     position    0         1         2
 *                 01234567890123456789012
 *     text        12:3.75 7:-20 1004:0.5_         _ is a blank
 *     blanks      .......1.....1........1
 *     colons      ..1......1........1....
 *     points      ....1...............1..
 *
 * the first feature has its colon at 2, its value from 3 on, and its point 1 byte later. Counting
 * trailing zeros finds the next bit of a mask, clearing the lowest bit moves on to the next
 * feature, and no byte is looked at by itself. Then, in vectors of 16 bytes:
 *
 *     load at 3, minus '0'     3  .  7  5  _  7  :  ...        each byte a digit, or more than 9
 *     remove byte 1            0  3  7  5  _  7  :  ...        a shuffle from `without`
 *     move 4 bytes to the end  0  0  ...  0  0  3  7  5        a shuffle from `to_the_end`
 *     join pairs               0 ... 3 75                      x 10 + y
 *     join fours               0 ... 375                       x 100 + y
 *     join eights              375                             x 10000 + y
 *
 * and 375 / 10^2 is the value. Ids go the same way, without a point. The ids and values of three
 * features are joined and divided together. If any byte is not a digit, any number is too long, or
 * digits do not make an exact float, the whole result is dropped; the features are then taken one
 * by one (take_singly), and what is still not usual is left to svmlight.c. */
#include "format/svmlight_quick.h"

#include "base/number.h"
#include "base/scan.h"

#include <float.h>
#include <stddef.h>

#if THR_WIDE
#include <immintrin.h>
#endif

#if THR_SCANS

#define MOST_DIGITS 15 /* any number of so many digits is an exact double */

/* Powers of ten, and the same with a minus for negative values: a sign selects a table instead of a
 * branch, which would often be mispredicted. */
static const double powers[2][16] = {
    {1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15},
    {-1e0, -1e1, -1e2, -1e3, -1e4, -1e5, -1e6, -1e7, -1e8, -1e9, -1e10, -1e11, -1e12, -1e13, -1e14,
     -1e15}};
static const float small_powers[2][16] = {
    {1e0f, 1e1f, 1e2f, 1e3f, 1e4f, 1e5f, 1e6f, 1e7f, 1e8f, 1e9f, 1e10f},
    {-1e0f, -1e1f, -1e2f, -1e3f, -1e4f, -1e5f, -1e6f, -1e7f, -1e8f, -1e9f, -1e10f}};

/* The value digits / 10^behind, where there are at most fifteen digits. A quotient of two exact
 * numbers is correctly rounded (Clinger 1990). If both are exact floats it is computed as a float.
 * Else it is computed as a double and rounded again to a float. This second rounding can be wrong
 * only if the double lies exactly between two floats, since the exact quotient may be on either
 * side of it; then the function returns false, and the general parser decides. */
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

/* The key of an id whose n digits are at text[at]. */
static inline uint64_t key_of(uint64_t id, size_t at, size_t n)
{
    return id <= UINT32_MAX ? thr_key_integer((uint32_t)id) : thr_key_digits(at, n);
}

/* Features may be taken that begin before this. */
static const char *last_start(const char *end, const char *limit)
{
    return limit - end >= THR_QUICK ? end : limit - THR_QUICK + 1;
}

/* ---- by the word -------------------------------------------------------------------------- */

/* Reads up to fifteen digits at p and returns how many there are: eight by one word, the others one
 * by one. Returns 16 if there are more than fifteen. */
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

/* Reads the id at `at`. Returns its colon, or NULL if it is not usual. */
static inline const char *take_id(const char *at, const char *text, uint64_t *key)
{
    uint64_t id = 0;
    unsigned n = take_digits(at, &id);
    if (n - 1u >= MOST_DIGITS || at[n] != ':' || (id > UINT32_MAX && *at == '0'))
        return NULL;
    *key = key_of(id, (size_t)(at - text), n);
    return at + n;
}

/* Reads the feature at `at`. Returns the blank behind it, or NULL if it is not usual. */
static inline const char *take_feature(const char *at, const char *text, const char *end,
                                       uint64_t *key, float *value)
{
    static const uint64_t scale[] = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000};
    const char *v = take_id(at, text, key);
    uint64_t digits = 0, fraction = 0;
    unsigned n, behind = 0;
    if (!v)
        return NULL;
    v++;
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

/* Shuffles and powers of ten, in one struct so that one register can point at all of them. They are
 * indexed before it is known whether a feature is usual, when a length may be any number of bytes
 * within 64, in some cases negative. `before`, `behind` and the unused rows keep such an access
 * inside the struct; its result is dropped. B makes a shuffle write 0. */
#define PLACES 64
#define B      0x80

static const struct tables {
    uint8_t before[PLACES];
    uint8_t to_the_end[32]; /* 16 bytes from [n] on: moves the first n of 16 bytes to the end */
    uint8_t behind[PLACES];
    uint8_t without[PLACES + 1][16]; /* [n]: removes byte n; the bytes before it move up by one */
    float power[2 * PLACES];         /* [n + 1]: 10^n */
    float minus[2 * PLACES];         /* [n + 1]: -10^n */
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

/* Constants in registers. The empty asm statements below hide where they come from, so that the
 * compiler does not load them again in every iteration. */
typedef struct constants {
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

/* A bit for each of 64 bytes: whether it is c. */
WIDE_INLINE uint64_t where(__m256i low, __m256i high, __m256i c)
{
    uint32_t first = (uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(low, c));
    uint32_t second = (uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(high, c));
    return (uint64_t)second << 32 | first;
}

/* 16 bytes of text minus '0': digits become 0 to 9, all other bytes more than 9. */
WIDE_INLINE __m128i load_digits(const char *p, const constants *c)
{
    return _mm_add_epi8(c->minus_zero, _mm_loadu_si128((const __m128i *)(const void *)p));
}

WIDE_INLINE __m128i shuffle(__m128i x, const uint8_t *to)
{
    return _mm_shuffle_epi8(x, _mm_loadu_si128((const __m128i *)(const void *)to));
}

/* Where the parts of a feature are, as positions in the 64 bytes. */
typedef struct parts {
    uint64_t before, ids; /* the blank before the id, or -1; how many digits the id has */
    uint64_t first;       /* the first byte of the value, behind a minus */
    uint64_t whole;       /* bytes of the value before its point, or all if it has none */
    uint64_t total;       /* bytes of the value with its point, or with the blank behind it */
    uint64_t negative;    /* 1 if the value has a minus */
} parts;

/* Measures a feature from the positions of the blank before it, its colon, and the blank behind it
 * (`stop`); `marks` are points and blanks. `total` counts one byte that is not a digit in either
 * case, so that value_digits can always remove one. What is not a feature gives meaningless
 * lengths, but `ids` is between -PLACES and PLACES, and the others are at most PLACES + 1. */
WIDE_INLINE parts measure(const char *at, uint64_t before, uint64_t colon, uint64_t stop,
                          uint64_t marks)
{
    uint64_t negative = at[colon + 1] == '-', first = colon + 1 + negative;
    uint64_t whole = _tzcnt_u64(marks >> (first & 63));
    int64_t size = (int64_t)(stop - first), least = (int64_t)whole + 1;
    uint64_t total = (uint64_t)(size > least ? size : least);
    return (parts){before, colon - before - 1, first, whole, total, negative};
}

/* Less than 8 if the id has 1 to 8 bytes (1 to 16 with `large`) and the value has 1 to 8 digits.
 * Lengths out of range set higher bits, so the results of several features can be joined by `|`. */
WIDE_INLINE uint64_t excess(const parts *p, bool large)
{
    return (p->ids - 1) >> large | (p->total - 2);
}

/* The power of ten that the digits of the value are divided by, with the value's sign. */
WIDE_INLINE __m128 power_of(const parts *p, const constants *c)
{
    const void *power = (const uint8_t *)c->t + offsetof(struct tables, power);
    return _mm_broadcast_ss((const float *)power + 2 * PLACES * p->negative + p->total - p->whole);
}

/* Moves the first n of 16 bytes to the end, behind zeros. */
WIDE_INLINE __m128i to_the_end(__m128i x, uint64_t n, const constants *c)
{
    return shuffle(x, (const uint8_t *)c->t + offsetof(struct tables, to_the_end) + (int64_t)n);
}

/* The digits of a value at the end of 16 bytes. The point, or the blank if there is no point, is
 * removed, and a zero comes in at the front. */
WIDE_INLINE __m128i value_digits(const char *at, const parts *p, const constants *c)
{
    return to_the_end(shuffle(load_digits(at + p->first, c), c->t->without[p->whole]), p->total, c);
}

/* The digits of an id at the end of 16 bytes. */
WIDE_INLINE __m128i id_digits(const char *at, const parts *p, const constants *c)
{
    return to_the_end(load_digits(at + (p->before + 1), c), p->ids, c);
}

/* Joins digits to numbers of four digits, in 32 bits each. join_eights joins the fours of two
 * vectors to eights. */
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

/* Three features: their digits, at the end of 16 bytes each, and the powers their values are
 * divided by. */
typedef struct three {
    __m128i id[3], value[3];
    __m128 power;
} three;

/* Keys and values of three features with up to eight digits in each number. False if a byte is not
 * a digit, an id is not a small integer, or the digits of a value are not an exact float (both
 * limits are 2^24). Four keys and four values are written; the last have no meaning. */
WIDE_INLINE bool join_three(const three *t, const constants *c, uint64_t *key, float *value)
{
    __m256i x = side_by_side(_mm_unpackhi_epi64(t->id[0], t->value[0]),
                             _mm_unpackhi_epi64(t->id[1], t->value[1]));
    __m256i y = _mm256_zextsi128_si256(_mm_unpackhi_epi64(t->id[2], t->value[2]));
    /* n: id 0, value 0, id 2, value 2; id 1, value 1, 0, 0 */
    __m256i n = join_eights(join_fours(x), join_fours(y));
    __m256i wrong = _mm256_subs_epu8(_mm256_max_epu8(x, y), c->nine);
    wrong = _mm256_or_si256(wrong, _mm256_srli_epi32(n, THR_SMALL_BITS));
    n = _mm256_permutevar8x32_epi32(n, _mm256_setr_epi32(0, 4, 2, 6, 1, 5, 3, 7));
    _mm256_storeu_si256((__m256i *)(void *)key, _mm256_cvtepu32_epi64(_mm256_castsi256_si128(n)));
    __m128 digits = _mm_cvtepi32_ps(_mm256_extracti128_si256(n, 1));
    _mm_storeu_ps(value, _mm_div_ps(digits, t->power));
    return _mm256_testz_si256(wrong, wrong);
}

/* Keys of four ids from their first and their last eight digits, which are in the low half of each
 * 64 bits. An id that is not below 2^32 sets bits of *wrong. */
WIDE_INLINE __m256i join_keys(__m256i first, __m256i last, __m256i *wrong)
{
    const __m256i low = _mm256_set1_epi64x(UINT32_MAX);
    __m256i id = _mm256_add_epi64(_mm256_mul_epu32(first, _mm256_set1_epi64x(100000000)),
                                  _mm256_and_si256(last, low));
    __m256i large = _mm256_cmpgt_epi64(id, _mm256_set1_epi64x(THR_SMALL - 1));
    *wrong = _mm256_or_si256(*wrong, _mm256_andnot_si256(low, id));
    return _mm256_or_si256(id, _mm256_and_si256(large, _mm256_set1_epi64x(THR_KEY_LARGE)));
}

/* The same as join_three with up to sixteen digits in an id. */
WIDE_INLINE bool join_large(const three *t, const constants *c, uint64_t *key, float *value)
{
    __m256i x = side_by_side(t->id[0], t->id[1]);
    __m256i y = side_by_side(t->id[2], _mm_unpackhi_epi64(t->value[0], t->value[1]));
    __m256i z = _mm256_zextsi128_si256(t->value[2]), fours = join_fours(z);
    /* n: id 0 (first and last eight digits), id 2 likewise; id 1 likewise, value 0, value 1 */
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

/* A number of sixteen digits from its two eights. */
WIDE_INLINE uint64_t two_eights(__m128i x)
{
    uint64_t two = (uint64_t)_mm_cvtsi128_si64(x);
    return (two & UINT32_MAX) * 100000000 + (two >> 32);
}

/* One feature, whose id and value may have up to fifteen digits. False: it is not usual. */
WIDE_INLINE bool take_one(const char *at, const char *text, const parts *p, const constants *c,
                          uint64_t *key, float *value)
{
    const char *digits = at + (p->before + 1); /* `before` may be -1 */
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

/* Where blanks and colons are in 64 bytes, a bit each. Marks are points and blanks. */
typedef struct signs {
    uint64_t blanks, colons, marks;
} signs;

/* The end of the line counts as a blank, and blanks behind it are not counted. */
WIDE_INLINE signs find_signs(const char *at, const char *end, const constants *c)
{
    __m256i low = _mm256_loadu_si256((const __m256i *)(const void *)at);
    __m256i high = _mm256_loadu_si256((const __m256i *)(const void *)(at + 32));
    uint64_t blanks = where(low, high, c->blank), left = (uint64_t)(end - at);
    if (left < 64)
        blanks = _bzhi_u64(blanks, (unsigned)left) | UINT64_C(1) << left;
    return (signs){blanks, where(low, high, c->colon), blanks | where(low, high, c->point)};
}

/* What take_singly has read. */
typedef struct singles {
    size_t n;      /* features */
    uint64_t used; /* bytes; 0: the first feature is not usual */
    bool threes;   /* features like these can be taken by threes */
    bool large;    /* ... with large ids */
    bool named;    /* an id is 2^32 or greater */
} singles;

/* Reads the features that end in the next 64 bytes, one by one, and advises how to go on. */

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

/* Reads three features, if they end in the next 64 bytes and are usual, and moves *text behind
 * them. False: they are not, and what was written has no meaning; *text is then not valid. Each
 * feature is measured and its digits are collected before the next, so that all stays in registers.
 * `large` is a constant where this is inlined. */
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

/* Reads features three at a time as long as that succeeds and they begin before `last`. Adds their
 * number to *taken and returns the start of the next feature. */
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
    singles few = {.used = 1, .threes = true}; /* begin with threes of small ids */
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
