/* Numbers from and to text.
 *
 * Reading collects up to 19 significant digits in an integer and needs one or two
 * floating-point operations for nearly every number met in data. Where that is not proven to
 * round correctly, the digits go to strtod in the form `DDDeN`, which has no decimal point and
 * so means the same in every locale.
 *
 * Printing tries increasing precisions until the text reads back as the same number. */
#include "base/number.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

_Static_assert(FLT_EVAL_METHOD == 0, "float and double must be computed as such");

#define QUICK_DIGITS 19 /* always fit into 64 bits */
/* No midpoint between two doubles has more than 767 significant digits. Digits beyond that can
 * only decide on which side of a midpoint the number lies, so a single digit 1 replaces all of
 * them if any is not zero. */
#define EXACT_DIGITS 770
#define EXPONENT_CAP 1000000000000000 /* more than any number of digits that fit in memory */

/* A number as it was read. Its value is digits * 10^(exponent + dropped); if digits were
 * dropped, the true value is larger by less than one unit of the last digit taken. */
struct decimal {
    const char *mantissa, *mantissa_end; /* its digits in the text, with the decimal point */
    uint64_t digits;
    int64_t exponent; /* of the last digit of the text */
    int64_t dropped;  /* how many digits come behind the first 19 significant ones */
    bool negative;
};

/* The powers of ten that a double represents exactly. */
static const double powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
#define MAX_POWER 22

static bool is_digit(char c)
{
    return (unsigned char)(c - '0') < 10;
}

static bool is_word_char(char c)
{
    char lower = (char)(c | 0x20);
    return is_digit(c) || (lower >= 'a' && lower <= 'z') || c == '_' || (c & 0x80);
}

#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
/* Appends the digits at p to *w and returns where they end. Eight bytes are converted at a
 * time, without a branch for each: neighbouring digits are joined to pairs, pairs to fours,
 * fours to eight. If only n < 8 of them are digits, the shift moves these to the top behind
 * zeros. The last bytes before `limit` are read one by one. *w may overflow; scan() then reads
 * it again. */
static inline const char *take_digits(const char *p, const char *limit, uint64_t *w)
{
    static const uint32_t scale[] = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000};
    int n = 8;
    while (n == 8 && limit - p >= 8) {
        uint64_t t;
        memcpy(&t, p, sizeof t);
        t ^= UINT64_C(0x3030303030303030);
        /* The lowest byte that is not a digit gets its top bit set. Carries may spoil the bytes
         * above it, which do not matter. */
        uint64_t other = ((t + UINT64_C(0x7676767676767676)) | t) & UINT64_C(0x8080808080808080);
        if (other)
            n = __builtin_ctzll(other) / 8;
        if (n == 0)
            return p;
        t <<= 64 - 8 * n;
        t = (t * 10 + (t >> 8)) & UINT64_C(0x00ff00ff00ff00ff);
        t = (t * 100 + (t >> 16)) & UINT64_C(0x0000ffff0000ffff);
        t = (t * 10000 + (t >> 32)) & UINT64_C(0x00000000ffffffff);
        *w = *w * scale[n] + t;
        p += n;
    }
    for (; n == 8 && p < limit && is_digit(*p); p++)
        *w = *w * 10 + (uint64_t)(*p - '0');
    return p;
}
#else
static inline const char *take_digits(const char *p, const char *limit, uint64_t *w)
{
    for (; p < limit && is_digit(*p); p++)
        *w = *w * 10 + (uint64_t)(*p - '0');
    return p;
}
#endif

/* One of the words below, in upper or lower case, at the end of the text or before a character
 * that cannot be part of a word. */
static enum thr_number scan_word(const char *p, const char *limit, const char **end)
{
    static const char *const words[] = {"inf", "infinity", "nan"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        const char *word = words[i], *q = p;
        for (; q < limit && *word && (*q | 0x20) == *word; q++)
            word++;
        if (*word || (q < limit && is_word_char(*q)))
            continue;
        *end = q;
        return THR_NUMBER_NOT_FINITE;
    }
    return THR_NUMBER_NONE;
}

/* Adds the exponent to *exponent and returns where it ends. `p` is at the letter e; if no digit
 * follows, the number has ended before it, and p is returned. */
static const char *scan_exponent(const char *p, const char *limit, int64_t *exponent)
{
    const char *q = p + 1;
    bool negative = q < limit && *q == '-';
    if (q < limit && (*q == '-' || *q == '+'))
        q++;
    if (q == limit || !is_digit(*q))
        return p;
    int64_t e = 0;
    for (; q < limit && is_digit(*q); q++)
        if (e < EXPONENT_CAP)
            e = e * 10 + (*q - '0');
    *exponent += negative ? -e : e;
    return q;
}

/* For more than 19 digits: takes the first 19 behind leading zeros and counts the others. */
static void take_leading_digits(struct decimal *d)
{
    int taken = 0;
    d->digits = 0;
    for (const char *q = d->mantissa; q < d->mantissa_end; q++) {
        if (*q == '.' || (*q == '0' && !taken))
            continue;
        if (taken == QUICK_DIGITS) {
            d->dropped++;
        } else {
            d->digits = d->digits * 10 + (uint64_t)(*q - '0');
            taken++;
        }
    }
}

static inline enum thr_number scan(const char *p, const char *limit, const char **end,
                                   struct decimal *d)
{
    const char *q = p;
    uint64_t w = 0;
    *end = p;
    *d = (struct decimal){.negative = q < limit && *q == '-'};
    if (q < limit && (*q == '-' || *q == '+'))
        q++;
    d->mantissa = q;
    for (; q < limit && is_digit(*q); q++)
        w = w * 10 + (uint64_t)(*q - '0');
    ptrdiff_t n = q - d->mantissa;
    if (q < limit && *q == '.') {
        const char *fraction = ++q;
        q = take_digits(q, limit, &w);
        d->exponent = fraction - q;
        n += q - fraction;
    }
    if (n == 0)
        return scan_word(d->mantissa, limit, end);
    d->mantissa_end = q;
    d->digits = w;
    if (n > QUICK_DIGITS)
        take_leading_digits(d);
    if (q < limit && (*q | 0x20) == 'e')
        q = scan_exponent(q, limit, &d->exponent);
    *end = q;
    return THR_NUMBER_OK;
}

/* One operation on two exact operands is correctly rounded (Clinger 1990). Numbers with dropped
 * digits never get here: their first 19 digits are above 2^53. */
static inline bool quick_double(const struct decimal *d, double *out)
{
    if (d->digits > (uint64_t)1 << DBL_MANT_DIG || d->exponent < -MAX_POWER ||
        d->exponent > MAX_POWER)
        return false;
    double w = (double)d->digits;
    *out = d->exponent < 0 ? w / powers[-d->exponent] : w * powers[d->exponent];
    return true;
}

/* Computes in double and rounds to float. The double is off by at most four roundings, each
 * within one unit in its last place, and by a hundredth of a unit for the dropped digits.
 * Rounding it to float can therefore go wrong only if it lies within `margin` units of the
 * midpoint of two floats. Such numbers, and those outside the normal range of a float, are left
 * to strtof. */
static inline bool quick_float(const struct decimal *d, float *out)
{
    const int64_t spare = (int64_t)1 << (DBL_MANT_DIG - FLT_MANT_DIG), margin = 8;
    int64_t k = d->exponent + d->dropped;
    if (d->digits == 0) {
        *out = 0;
        return true;
    }
    if (k < -2 * MAX_POWER || k > 2 * MAX_POWER)
        return false;
    double v = (double)d->digits;
    for (; k > MAX_POWER; k -= MAX_POWER)
        v *= powers[MAX_POWER];
    for (; k < -MAX_POWER; k += MAX_POWER)
        v /= powers[MAX_POWER];
    v = k < 0 ? v / powers[-k] : v * powers[k];
    uint64_t bits;
    memcpy(&bits, &v, sizeof bits);
    int64_t from_middle = (int64_t)(bits & (uint64_t)(spare - 1)) - spare / 2;
    if (v < FLT_MIN || v >= FLT_MAX || (from_middle >= -margin && from_middle <= margin))
        return false;
    *out = (float)v;
    return true;
}

/* Writes the decimal, without sign, as `DDDeN` for strtod. */
static void write_exact(const struct decimal *d, char text[EXACT_DIGITS + 32])
{
    size_t n = 0;
    int64_t dropped = 0;
    bool rest = false;
    for (const char *q = d->mantissa; q < d->mantissa_end; q++) {
        if (*q == '.' || (*q == '0' && !n))
            continue;
        if (n < EXACT_DIGITS) {
            text[n++] = *q;
        } else {
            dropped++;
            rest |= *q != '0';
        }
    }
    if (rest) {
        text[n++] = '1';
        dropped--;
    }
    int64_t k = d->exponent + dropped;
    k = k > 99999 ? 99999 : k < -99999 ? -99999 : k;
    text[n++] = 'e';
    if (k < 0)
        text[n++] = '-';
    thr_print_u64((uint64_t)(k < 0 ? -k : k), text + n);
}

enum thr_number thr_parse_float(const char *p, const char *limit, const char **end, float *out)
{
    struct decimal d;
    enum thr_number result = scan(p, limit, end, &d);
    if (result != THR_NUMBER_OK)
        return result;
    float v;
    if (!quick_float(&d, &v)) {
        char text[EXACT_DIGITS + 32];
        write_exact(&d, text);
        v = strtof(text, NULL);
        if (isinf(v))
            return THR_NUMBER_RANGE;
    }
    *out = d.negative ? -v : v;
    return THR_NUMBER_OK;
}

enum thr_number thr_parse_double(const char *p, const char *limit, const char **end, double *out)
{
    struct decimal d;
    enum thr_number result = scan(p, limit, end, &d);
    if (result != THR_NUMBER_OK)
        return result;
    double v = 0;
    if (d.digits && !quick_double(&d, &v)) {
        char text[EXACT_DIGITS + 32];
        write_exact(&d, text);
        v = strtod(text, NULL);
        if (isinf(v))
            return THR_NUMBER_RANGE;
    }
    *out = d.negative ? -v : v;
    return THR_NUMBER_OK;
}

enum thr_number thr_parse_u64(const char *p, const char *limit, const char **end, uint64_t *out)
{
    const char *q = p;
    uint64_t v = 0;
    bool over = false;
    for (; q < limit && is_digit(*q); q++) {
        uint64_t digit = (uint64_t)(*q - '0');
        if (q - p < QUICK_DIGITS)
            v = v * 10 + digit;
        else
            over = over || __builtin_mul_overflow(v, (uint64_t)10, &v) ||
                   __builtin_add_overflow(v, digit, &v);
    }
    *end = q;
    if (q == p)
        return THR_NUMBER_NONE;
    if (over)
        return THR_NUMBER_RANGE;
    *out = v;
    return THR_NUMBER_OK;
}

size_t thr_print_u64(uint64_t v, char *out)
{
    char reversed[20];
    size_t n = 0;
    do
        reversed[n++] = (char)('0' + v % 10);
    while (v /= 10);
    for (size_t i = 0; i < n; i++)
        out[i] = reversed[n - 1 - i];
    out[n] = '\0';
    return n;
}

static char *put(char *to, const char *p, int n)
{
    memcpy(to, p, (size_t)n);
    return to + n;
}

static char *put_zeros(char *to, int n)
{
    for (; n > 0; n--)
        *to++ = '0';
    return to;
}

/* Writes 0.DDD * 10^point with n digits as 1500, 1.5, 0.0015, 1.5e20 or 1.5e-20. */
static size_t lay_out(const char *digits, int n, int point, char *out)
{
    char *to = out;
    if (point > 16 || point < -4) {
        to = put(to, digits, 1);
        if (n > 1)
            *to++ = '.';
        to = put(to, digits + 1, n - 1);
        *to++ = 'e';
        int e = point - 1;
        if (e < 0)
            *to++ = '-';
        return (size_t)(to - out) + thr_print_u64((uint64_t)(e < 0 ? -e : e), to);
    }
    if (point <= 0) {
        to = put_zeros(put(to, "0.", 2), -point);
        to = put(to, digits, n);
    } else if (n <= point) {
        to = put_zeros(put(to, digits, n), point - n);
    } else {
        to = put(to, digits, point);
        *to++ = '.';
        to = put(to, digits + point, n - point);
    }
    *to = '\0';
    return (size_t)(to - out);
}

/* v > 0 with `precision` significant digits, without trailing zeros. Only digits are taken from
 * what snprintf writes, so the decimal point of the locale does not matter. */
static size_t print_digits(double v, int precision, char *out)
{
    char text[64], digits[32];
    int n = 0;
    snprintf(text, sizeof text, "%.*e", precision - 1, v);
    const char *p = text;
    for (; *p != 'e'; p++)
        if (is_digit(*p))
            digits[n++] = *p;
    int exponent = (int)strtol(p + 1, NULL, 10);
    while (n > 1 && digits[n - 1] == '0')
        n--;
    return lay_out(digits, n, exponent + 1, out);
}

/* Integers below whole_limit, up to which every integer has a floating-point value of its own,
 * and "nan" and "inf". Returns 0 for any other number. `v` is not negative. */
static size_t print_plain(double v, double whole_limit, char *out)
{
    if (isnan(v) || isinf(v)) {
        memcpy(out, isnan(v) ? "nan" : "inf", 4);
        return 3;
    }
    if (v < whole_limit && v == floor(v))
        return thr_print_u64((uint64_t)v, out);
    return 0;
}

size_t thr_print_float(float v, char *out)
{
    size_t sign = signbit(v) && !isnan(v);
    if (sign)
        *out++ = '-';
    v = fabsf(v);
    size_t n = print_plain(v, 0x1p24, out);
    /* A decimal of up to FLT_DIG digits survives conversion to a normal float and back. A
     * shorter text therefore appears as FLT_DIG digits with trailing zeros, which print_digits
     * drops. FLT_DECIMAL_DIG digits always identify the float. */
    for (int precision = v < FLT_MIN ? 1 : FLT_DIG; !n; precision++) {
        const char *end;
        float back = 0;
        n = print_digits(v, precision, out);
        if (precision < FLT_DECIMAL_DIG &&
            (thr_parse_float(out, out + n, &end, &back) || back != v))
            n = 0;
    }
    return sign + n;
}

size_t thr_print_double(double v, char *out)
{
    size_t sign = signbit(v) && !isnan(v);
    if (sign)
        *out++ = '-';
    v = fabs(v);
    size_t n = print_plain(v, 0x1p53, out);
    for (int precision = v < DBL_MIN ? 1 : DBL_DIG; !n; precision++) {
        const char *end;
        double back = 0;
        n = print_digits(v, precision, out);
        if (precision < DBL_DECIMAL_DIG &&
            (thr_parse_double(out, out + n, &end, &back) || back != v))
            n = 0;
    }
    return sign + n;
}

const char *thr_number_problem(enum thr_number n)
{
    switch (n) {
    case THR_NUMBER_OK:
        return "is a number";
    case THR_NUMBER_NONE:
        return "is not a number";
    case THR_NUMBER_RANGE:
        return "is too large";
    case THR_NUMBER_NOT_FINITE:
        return "is not finite";
    }
    return "is not a number";
}
