/* Writes numbers as %.9g does, most of them without calling printf, which is slower.
 *
 * v = d 10^(e-8) with nine digits d. The product of v and the power of ten has a relative error
 * below 2^-52, so rounding it to the nearest whole number gives d, unless it is close to halfway
 * between two whole numbers. Those cases, numbers below 1e-4 or from 99999999 on, and NaN and
 * infinity are left to printf. */
#include "cli.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define DIGITS 9

static const double powers[] = {1e0, 1e1, 1e2, 1e3,  1e4,  1e5,  1e6,
                                1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13};

/* The nine digits of v > 0 and the power of ten of the first; false: use printf. */
static bool take_digits(double v, uint64_t *digits, int *exponent)
{
    if (!(v >= 1e-4 && v < 99999999))
        return false;
    int e = -4;
    while (e < DIGITS - 1 && v >= (e < -1 ? 1 / powers[-e - 1] : powers[e + 1]))
        e++;
    double scaled = v * powers[DIGITS - 1 - e], whole = floor(scaled), part = scaled - whole;
    if (fabs(part - 0.5) < 1e-5)
        return false;
    *digits = (uint64_t)whole + (part > 0.5);
    *exponent = e;
    return *digits >= 100000000 && *digits < 1000000000; /* else rounding changed e */
}

size_t cli_real_text(double v, char text[CLI_REAL])
{
    uint64_t digits;
    int exponent, last = DIGITS;
    char digit[DIGITS], *to = text;
    if (!take_digits(fabs(v), &digits, &exponent))
        return (size_t)snprintf(text, CLI_REAL, "%.9g", v);
    for (int i = DIGITS; i-- > 0; digits /= 10)
        digit[i] = (char)('0' + digits % 10);
    while (last > 1 && digit[last - 1] == '0')
        last--;
    if (v < 0)
        *to++ = '-';
    if (exponent < 0)
        *to++ = '0';
    for (int i = 0; i <= exponent; i++)
        *to++ = i < last ? digit[i] : '0';
    int from = exponent < 0 ? 0 : exponent + 1;
    if (from < last)
        *to++ = '.';
    for (int i = -1; i > exponent; i--)
        *to++ = '0';
    for (int i = from; i < last; i++)
        *to++ = digit[i];
    *to = '\0';
    return (size_t)(to - text);
}

void cli_put_real(FILE *to, double v)
{
    char text[CLI_REAL];
    fwrite(text, 1, cli_real_text(v, text), to);
}
