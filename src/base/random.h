/* Random numbers: xoshiro256** seeded by splitmix64 (Blackman and Vigna 2018). A seed gives the
 * same numbers on every machine; shuffled orders and generated data depend on that. */
#ifndef THR_BASE_RANDOM_H
#define THR_BASE_RANDOM_H

#include <stdint.h>

typedef struct thr_random {
    uint64_t s[4];
} thr_random;

void thr_random_init(thr_random *r, uint64_t seed);
uint64_t thr_random_next(thr_random *r);
uint64_t thr_random_below(thr_random *r, uint64_t n); /* uniform in [0, n), n >= 1 */
double thr_random_real(thr_random *r);                /* uniform in [0, 1) */
double thr_random_normal(thr_random *r);              /* mean 0, variance 1 */
/* One splitmix64 step: a bijection of 64-bit words that mixes well, also used as a hash. */
static inline uint64_t thr_mix64(uint64_t x)
{
    x += UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31);
}

#endif
