/* Usual decimals, read eight digits at a time (base/scan.h): a number as JSON has it, of at most 19
 * digits. Anything else, and what cannot be computed exactly enough here, is left to the caller's
 * general parser. */
#ifndef THR_FORMAT_DECIMAL_H
#define THR_FORMAT_DECIMAL_H

#include "base/scan.h"

#include <float.h>

#if THR_SCANS && !defined(THR_NO_WIDE)
#define THR_DECIMALS 1
#else
#define THR_DECIMALS 0 /* this build has none of this: all is left to the general parser */
#endif

#define THR_DECIMAL_DIGITS 19u /* always fit into 64 bits */
#define THR_DECIMAL_POWER  22  /* 10^22 is an exact double */
#define THR_DECIMAL_MARGIN 8   /* units of a double's last place; see thr_decimal_float */

/* digits * 10^exponent */
typedef struct thr_decimal {
    uint64_t digits;
    int exponent;
    bool negative, whole; /* whole: without a point and an exponent */
} thr_decimal;

static const double thr_decimal_powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                            1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                            1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
static const uint32_t thr_decimal_scale[] = {1,      10,      100,      1000,     10000,
                                             100000, 1000000, 10000000, 100000000};

/* Appends the digits at p to *digits, and their number to *n. Beyond THR_DECIMAL_DIGITS they may
 * overflow; the caller then refuses them. Up to 8 bytes behind the last are read. */
static inline const char *thr_decimal_digits(const char *p, uint64_t *digits, unsigned *n)
{
    for (unsigned more = 8; more == 8; p += more, *n += more)
        if ((more = thr_count_digits(p)))
            *digits = *digits * thr_decimal_scale[more] + thr_join_digits(p, more);
    return p;
}

static inline const char *thr_decimal_exponent(const char *at, int *exponent)
{
    bool negative = *at == '-';
    at += *at == '-' || *at == '+';
    uint64_t digits = 0;
    unsigned n = 0;
    at = thr_decimal_digits(at, &digits, &n);
    if (n - 1u >= 3)
        return NULL;
    *exponent += negative ? -(int)digits : (int)digits;
    return at;
}

/* Reads the number at `at`. Returns what follows it, or NULL. Bytes must be readable up to 8 behind
 * the first byte that is no part of a number, and there must be such a byte. */
static inline const char *thr_decimal_take(const char *at, thr_decimal *out)
{
    unsigned n = 0;
    *out = (thr_decimal){.negative = *at == '-'};
    at += out->negative;
    const char *first = at;
    if ((unsigned char)(*at - '0') < 10 && at[1] == '.') { /* most often */
        out->digits = (uint64_t)(*at++ - '0');
        n = 1;
    } else
        at = thr_decimal_digits(at, &out->digits, &n);
    unsigned before = n;
    if (n == 0 || (n > 1 && *first == '0'))
        return NULL;
    if (*at == '.') {
        at = thr_decimal_digits(at + 1, &out->digits, &n);
        if (n == before)
            return NULL;
    }
    out->whole = n == before;
    if (n > THR_DECIMAL_DIGITS - out->whole) /* every whole number fits into a signed word */
        return NULL;
    out->exponent = (int)before - (int)n;
    if ((*at | 0x20) != 'e')
        return at;
    out->whole = false;
    return thr_decimal_exponent(at + 1, &out->exponent);
}

/* The double nearest to digits * 10^exponent, with its sign; false if one operation on two exact
 * operands, which is correctly rounded (Clinger 1990), does not give it. The sign is multiplied,
 * since a branch would be mispredicted for every other number. */
static inline bool thr_decimal_double(const thr_decimal *x, double *out)
{
    static const double signs[] = {1, -1};
    if (x->digits > (uint64_t)1 << DBL_MANT_DIG || x->exponent < -THR_DECIMAL_POWER ||
        x->exponent > THR_DECIMAL_POWER)
        return false;
    double v = (double)(int64_t)x->digits * signs[x->negative];
    *out = x->exponent < 0 ? v / thr_decimal_powers[-x->exponent]
                           : v * thr_decimal_powers[x->exponent];
    return true;
}

/* Whether a double and the number it is near to are rounded to the same float: it is 0, or it is a
 * normal float and not within `margin` units of the middle of two floats. */
static inline bool thr_decimal_rounds(double v, int64_t margin)
{
    const int64_t spare = (int64_t)1 << (DBL_MANT_DIG - FLT_MANT_DIG);
    uint64_t bits;
    memcpy(&bits, &v, sizeof bits);
    int64_t from_middle = (int64_t)(bits & (uint64_t)(spare - 1)) - spare / 2;
    double size = __builtin_fabs(v); /* without a branch on the sign, which nobody can foresee */
    return (v == 0 || (size >= (double)FLT_MIN && size < (double)FLT_MAX)) &&
           (from_middle < -margin || from_middle > margin);
}

/* The float nearest to the number, where it is also the float nearest to the double nearest to it.
 * More digits than a double has are rounded twice, each time by half a unit at most. */
static inline bool thr_decimal_float(const thr_decimal *x, float *out)
{
    double v;
    int64_t margin = 0;
    if (!thr_decimal_double(x, &v)) {
        if (x->exponent < -THR_DECIMAL_POWER || x->exponent > THR_DECIMAL_POWER)
            return false;
        v = x->negative ? -(double)x->digits : (double)x->digits;
        v = x->exponent < 0 ? v / thr_decimal_powers[-x->exponent]
                            : v * thr_decimal_powers[x->exponent];
        margin = THR_DECIMAL_MARGIN;
    }
    *out = (float)v;
    return thr_decimal_rounds(v, margin) && !(x->whole && x->negative && x->digits == 0);
}

/* Reads the most usual form at once: one digit, a point and one to seven digits, with or without a
 * minus sign. Returns what follows, or NULL where the number may have another form or is not exact
 * enough; thr_decimal_take and thr_decimal_float give the same value then. Bytes must be readable
 * as there. */
static inline const char *thr_decimal_usual(const char *at, float *out)
{
    static const double signs[] = {1, -1};
    bool negative = *at == '-';
    at += negative;
    unsigned first = (unsigned char)(at[0] - '0');
    if (first > 9 || at[1] != '.')
        return NULL;
    unsigned n = thr_count_digits(at + 2);
    if (n - 1 > 6 || (at[2 + n] | 0x20) == 'e')
        return NULL;
    uint32_t digits = first * thr_decimal_scale[n] + thr_join_digits(at + 2, n);
    double v = (double)digits * signs[negative] / thr_decimal_powers[n];
    *out = (float)v;
    return thr_decimal_rounds(v, 0) ? at + 2 + n : NULL;
}

#endif
