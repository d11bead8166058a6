/* The generator, and numbers of other distributions made from it. */
#include "base/random.h"

#include "base/mathx.h"

#include <math.h>

void thr_random_init(thr_random *r, uint64_t seed)
{
    for (int i = 0; i < 4; i++) {
        r->s[i] = thr_mix64(seed);
        seed += UINT64_C(0x9e3779b97f4a7c15);
    }
}

static uint64_t rotate(uint64_t x, int k)
{
    return (x << k) | (x >> (64 - k));
}

uint64_t thr_random_next(thr_random *r)
{
    uint64_t *s = r->s, result = rotate(s[1] * 5, 7) * 9, t = s[1] << 17;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = rotate(s[3], 45);
    return result;
}

/* 2^64 is not a multiple of n. The 2^64 mod n smallest values are rejected, so that every
 * remainder is equally likely. */
uint64_t thr_random_below(thr_random *r, uint64_t n)
{
    uint64_t least = -n % n, x;
    do
        x = thr_random_next(r);
    while (x < least);
    return x % n;
}

double thr_random_real(thr_random *r)
{
    return (double)(thr_random_next(r) >> 11) * 0x1p-53;
}

/* Marsaglia's polar method. IEEE 754 fixes the result of sqrt, and thr_log that of the
 * logarithm, so the numbers are the same everywhere. The second number of each pair, v times
 * the same factor, is discarded; keeping it would make it part of the generator's state. */
double thr_random_normal(thr_random *r)
{
    double u, v, q;
    do {
        u = 2 * thr_random_real(r) - 1;
        v = 2 * thr_random_real(r) - 1;
        q = u * u + v * v;
    } while (q >= 1 || q == 0);
    return u * sqrt(-2 * thr_log(q) / q);
}
