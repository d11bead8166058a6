/* Looking for large numbers among many (above.h). */
#include "base/above.h"

#include "base/wide.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

/* Vectors of the compiler, as in mathx.c. */
typedef double four __attribute__((vector_size(32)));
typedef int64_t four_mask __attribute__((vector_size(32)));

enum { FOUR = 4, EIGHT = 8 };

#define INLINE __attribute__((always_inline)) static inline

INLINE double greater(double a, double b)
{
    return b > a ? b : a;
}

THR_CLONED double thr_greatest(const double *x, uint32_t n)
{
    double lane[EIGHT], most = -INFINITY;
    uint32_t i = 0;
    for (uint32_t k = 0; k < EIGHT; k++)
        lane[k] = -INFINITY;
    for (; i + EIGHT <= n; i += EIGHT)
        for (uint32_t k = 0; k < EIGHT; k++)
            lane[k] = greater(lane[k], x[i + k]);
    for (; i < n; i++)
        most = greater(most, x[i]);
    for (uint32_t k = 0; k < EIGHT; k++)
        most = greater(most, lane[k]);
    return most;
}

INLINE bool is_any(const four_mask *m)
{
    return ((*m)[0] | (*m)[1] | (*m)[2] | (*m)[3]) != 0;
}

/* Whether one of eight numbers is greater, or, with `equal`, as great. */
INLINE bool is_any_above(const double *x, const four *than, bool equal)
{
    four a, b;
    memcpy(&a, x, sizeof a);
    memcpy(&b, x + FOUR, sizeof b);
    const four_mask above = equal ? (a >= *than) | (b >= *than) : (a > *than) | (b > *than);
    return is_any(&above);
}

INLINE uint32_t first(const double *x, uint32_t i, uint32_t n, double than, bool equal)
{
    const four all = {than, than, than, than};
    while (i < n && n - i >= EIGHT && !is_any_above(x + i, &all, equal))
        i += EIGHT;
    while (i < n && !(equal ? x[i] >= than : x[i] > than))
        i++;
    return i;
}

THR_CLONED uint32_t thr_first_at_least(const double *x, uint32_t n, double least)
{
    return first(x, 0, n, least, true);
}

THR_CLONED uint32_t thr_first_above(const double *x, uint32_t from, uint32_t n, double than)
{
    return first(x, from, n, than, false);
}
