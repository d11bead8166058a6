/* Random sets and coin tosses, at a cost proportional to their result where it is small. */
#include "base/mathx.h"
#include "gen/gen.h"

#include <math.h>
#include <stdlib.h>

/* Below this probability of heads it is cheaper to draw the distance to the next head. */
#define SPARSE_COINS 0.25

static int ascending(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

void thr_sample(thr_random *r, uint64_t n, size_t k, uint64_t *out)
{
    size_t have = 0;
    /* Knuth's selection sampling: takes each number with probability (still needed) / (still left),
     * which makes all sets equally likely. */
    for (uint64_t i = 0; k > n / 2 && have < k; i++)
        if (thr_random_below(r, n - i) < k - have)
            out[have++] = i + 1;
    /* Draws independently until k numbers are distinct. All numbers are treated alike, so all sets
     * are equally likely. With k <= n/2 few draws are repeated. */
    while (have < k) {
        while (have < k)
            out[have++] = thr_random_below(r, n) + 1;
        qsort(out, k, sizeof *out, ascending);
        have = 0;
        for (size_t i = 0; i < k; i++)
            if (have == 0 || out[have - 1] != out[i])
                out[have++] = out[i];
    }
}

void thr_coins_init(thr_coins *c, thr_random *r, uint64_t n, double p)
{
    *c = (thr_coins){.random = r, .p = p, .n = n};
    if (p > 0 && p < SPARSE_COINS)
        c->log_tails = thr_log(1 - p);
}

uint64_t thr_coins_next(thr_coins *c)
{
    while (c->p >= SPARSE_COINS && c->at < c->n) {
        c->at++;
        if (thr_random_real(c->random) < c->p)
            return c->at;
    }
    /* The number of tails before a head has a geometric distribution, drawn by inversion. For p
     * below 2^-53, 1 - p rounds to 1 and no head ever comes. With dense coins log_tails is 0. */
    if (!(c->log_tails < 0))
        return 0;
    double tails = floor(thr_log(1 - thr_random_real(c->random)) / c->log_tails);
    if (tails >= (double)(c->n - c->at)) {
        c->at = c->n;
        return 0;
    }
    c->at += (uint64_t)tails + 1;
    return c->at;
}
