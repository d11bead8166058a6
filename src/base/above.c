/* Looking for large numbers among many (above.h). */
#include "base/above.h"

#include "base/wide.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

/* Vectors of the compiler, as in mathx.c. */
typedef double four __attribute__((vector_size(32)));
typedef int64_t four_mask __attribute__((vector_size(32)));

enum { FOUR = 4, EIGHT = 8, FEW = 32 };

#define INLINE __attribute__((always_inline)) static inline

/* Replaces elements of v by those of x that are greater. Written with masks: of a comparison of
 * single numbers the compiler may make a branch, which is mispredicted often. */
INLINE void raise_to(four *v, const four *x)
{
    const four_mask above = *x > *v;
    *v = (four)(((four_mask)*x & above) | ((four_mask)*v & ~above));
}

/* Eight numbers, two vectors of four. */
INLINE void raise_both(four *a, four *b, const double *x)
{
    four low, high;
    memcpy(&low, x, sizeof low);
    memcpy(&high, x + FOUR, sizeof high);
    raise_to(a, &low);
    raise_to(b, &high);
}

/* The greatest number of each lane, in a and b; number i is in lane i modulo 8. Returns how many
 * numbers that were: all but those that do not fill a round. */
INLINE uint32_t find_lanes(const double *x, uint32_t n, four *a, four *b)
{
    const double none = -INFINITY;
    uint32_t i = 0;
    *a = *b = (four){none, none, none, none};
    for (; i < n && n - i >= EIGHT; i += EIGHT)
        raise_both(a, b, x + i);
    return i;
}

/* The last round may include numbers that have been looked at before. */
THR_CLONED double thr_greatest(const double *x, uint32_t n)
{
    four a, b;
    double most = -INFINITY;
    for (uint32_t i = 0; n < EIGHT && i < n; i++)
        most = x[i] > most ? x[i] : most;
    if (n < EIGHT)
        return most;
    if (find_lanes(x, n, &a, &b) < n)
        raise_both(&a, &b, x + n - EIGHT);
    raise_to(&a, &b);
    b = (four){a[2], a[3], a[0], a[1]};
    raise_to(&a, &b);
    b = (four){a[1], a[0], a[3], a[2]};
    raise_to(&a, &b);
    return a[0];
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

/* ---- the greatest few ------------------------------------------------------------------------ */

/* rank[i]: how many of n <= FEW numbers are greater than number i. x has room for FEW. Every number
 * is compared with every other, eight at a time, so nothing branches: to keep a short list in order
 * while looking at one number after another takes several times as long, since which of them enter
 * it cannot be predicted. */
INLINE void rank_all(double *x, uint32_t n, int64_t *rank)
{
    for (uint32_t i = n; i % EIGHT; i++)
        x[i] = -INFINITY;
    for (uint32_t i = 0; i < n; i += EIGHT) {
        four a, b;
        four_mask above_a = {0}, above_b = {0};
        memcpy(&a, x + i, sizeof a);
        memcpy(&b, x + i + FOUR, sizeof b);
        for (uint32_t k = 0; k < n; k++) {
            const four all = {x[k], x[k], x[k], x[k]};
            above_a -= all > a; /* true is -1 */
            above_b -= all > b;
        }
        memcpy(rank + i, &above_a, sizeof above_a);
        memcpy(rank + i + FOUR, &above_b, sizeof above_b);
    }
}

/* As thr_places_of_greatest, for n <= FEW numbers in an array of FEW. If the first `most` ranks
 * have one number each, these are the greatest numbers, and no other one is equal to any of them.
 */
INLINE bool places_of(double *x, uint32_t n, uint32_t most, uint32_t *place)
{
    int64_t rank[FEW];
    uint32_t at[FEW], met = 0;
    uint64_t ranks = 0, wanted = (UINT64_C(1) << most) - 1;
    rank_all(x, n, rank);
    for (uint32_t i = 0; i < n; i++) {
        at[rank[i]] = i;
        ranks |= UINT64_C(1) << rank[i];
        met += rank[i] < most;
    }
    if (met != most || (ranks & wanted) != wanted)
        return false;
    memcpy(place, at, most * sizeof *place);
    return true;
}

/* The places of the numbers that may be among the `most` greatest, and these numbers: those not
 * less than the maximum of a lane that has the last of these ranks. Returns how many there are; 0
 * if there are too many of them, or the maxima are not different. */
INLINE uint32_t collect(const double *x, uint32_t n, uint32_t most, double *some, uint32_t *place)
{
    double lane[FEW];
    four a, b;
    uint32_t i = find_lanes(x, n, &a, &b), met = 0;
    memcpy(lane, &a, sizeof a);
    memcpy(lane + FOUR, &b, sizeof b);
    for (; i < n; i++)
        lane[i % EIGHT] = x[i] > lane[i % EIGHT] ? x[i] : lane[i % EIGHT];
    if (!places_of(lane, EIGHT, most, place))
        return 0;
    double least = lane[place[most - 1]];
    for (i = first(x, 0, n, least, true); i < n; i = first(x, i + 1, n, least, true)) {
        if (met == FEW)
            return 0;
        place[met] = i;
        some[met++] = x[i];
    }
    return met;
}

THR_CLONED bool thr_places_of_greatest(const double *x, uint32_t n, uint32_t most, uint32_t *place)
{
    double some[FEW];
    uint32_t of[FEW];
    if (n <= FEW) {
        memcpy(some, x, n * sizeof *x);
        return places_of(some, n, most, place);
    }
    n = collect(x, n, most, some, of);
    bool found = places_of(some, n, most, place);
    for (uint32_t k = 0; k < most && found; k++)
        place[k] = of[place[k]];
    return found;
}
