/* Signs of sums, and bounds on margins, in double precision with rounding errors counted in.
 *
 * A sum of n products, each of a float, a double and a scale, computed in double precision differs
 * from the true sum by at most (n + 6) 2^-53 times the sum of the absolute values of its terms
 * (Higham 2002, section 3.1), plus what underflows. So the interval sum +- that error contains the
 * true value. If the interval does not contain 0, the sign is proved; otherwise the sum is
 * computed again in integers. That happens only for points that are nearly on the boundary, so
 * checking a separator costs little more than scoring the data. */
#include "exact/exact.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#ifdef THR_HAVE_GMP
#include <gmp.h>
#endif

/* Twice the unit roundoff 2^-53; the factor 2 covers the rounding of the error bound itself. */
#define UNIT DBL_EPSILON

/* The next double below or above: a result of one rounded operation becomes a safe bound. */
static double down(double v)
{
    return nextafter(v, -INFINITY);
}

static double up(double v)
{
    return nextafter(v, INFINITY);
}

/* An interval that contains the true value of sum x (w_y - w_l), without the scale. */
typedef struct between {
    double low, high;
} between;

static between margin_of(const thr_points *p, size_t point, const double *w)
{
    thr_point_row r = thr_points_row(p, thr_points_example(p, point));
    size_t k = thr_points_functions(p), other = k > 1 ? thr_points_other(p, point) : 0;
    double sum = 0, size = 0, sign = k > 1 || r.label == p->positive ? 1 : -1;
    for (size_t i = 0; i < r.n; i++) {
        const double *row = w + r.id[i] * k;
        double x = r.x ? (double)r.x[i] : 1;
        sum += x * (k > 1 ? row[r.label] - row[other] : sign * row[0]);
        size += fabs(x) * (k > 1 ? fabs(row[r.label]) + fabs(row[other]) : fabs(row[0]));
    }
    double off = (double)(r.n + 6) * (UNIT * size + DBL_MIN);
    return (between){down(sum - off), up(sum + off)};
}

/* ---- the sign of one sum ------------------------------------------------------------------ */

#ifdef THR_HAVE_GMP
bool thr_exact_available(void)
{
    return true;
}

/* A sum of products a * x * 2^1400, as the difference of two integers of fixed size, so that
 * nothing is allocated: GMP would end the process when memory is short.
 *
 * The float x is an integer times a power of two not below 2^-149, the double a one not below
 * 2^-1074. frexp yields them with mantissas of 24 and 53 bits, whose exponents together are not
 * below -1298, so the shift by 1400 leaves an integer. A product is below 2^(128 + 1024 + 1400),
 * and fewer than 2^64 are added: 2616 bits. All terms have the same factor 2^1400, which does not
 * change the sign of the sum. */
#define LIMBS (2624 / GMP_NUMB_BITS + 3)

typedef struct exact_sum {
    mp_limb_t side[2][LIMBS]; /* what was added, and what was subtracted */
} exact_sum;

static void add_product(exact_sum *s, float x, double a)
{
    int ex, ea;
    double mx = ldexp(frexp((double)x, &ex), 24), ma = ldexp(frexp(a, &ea), 53);
    if (x == 0 || a == 0)
        return;
    uint64_t m = (uint64_t)fabs(ma), f = (uint64_t)fabs(mx);
    uint64_t low = (m & UINT32_MAX) * f, high = (m >> 32) * f + (low >> 32);
    unsigned shift = (unsigned)(ex - 24 + ea - 53 + 1400);
    mp_limb_t term[LIMBS] = {0};
    /* 32 bits at a time, whatever the size of a limb. */
    const uint32_t part[] = {(uint32_t)low, (uint32_t)high, (uint32_t)(high >> 32)};
    for (unsigned i = 0; i < 3; i++)
        term[i * 32 / GMP_NUMB_BITS] |= (mp_limb_t)part[i] << i * 32 % GMP_NUMB_BITS;
    unsigned whole = shift / GMP_NUMB_BITS, bits = shift % GMP_NUMB_BITS;
    if (bits)
        mpn_lshift(term, term, LIMBS, bits);
    if (whole)
        mpn_copyd(term + whole, term, LIMBS - whole);
    if (whole)
        mpn_zero(term, whole);
    mp_limb_t *side = s->side[(mx < 0) != (ma < 0)];
    mpn_add_n(side, side, term, LIMBS);
}

/* The sign of z.w (without the scale) in exact arithmetic: -1, 0 or 1. */
static int sign_of(const thr_points *p, size_t point, const double *w)
{
    thr_point_row r = thr_points_row(p, thr_points_example(p, point));
    size_t k = thr_points_functions(p), other = k > 1 ? thr_points_other(p, point) : 0;
    double sign = k > 1 || r.label == p->positive ? 1 : -1;
    exact_sum s = {0};
    for (size_t i = 0; i < r.n; i++) {
        const double *row = w + r.id[i] * k;
        float x = r.x ? r.x[i] : 1;
        add_product(&s, x, k > 1 ? row[r.label] : sign * row[0]);
        if (k > 1)
            add_product(&s, -x, row[other]);
    }
    int result = mpn_cmp(s.side[0], s.side[1], LIMBS);
    return (result > 0) - (result < 0);
}
#else
bool thr_exact_available(void)
{
    return false;
}
#endif

/* Is z.w > 0? First by the interval, and only in doubt by GMP. */
static enum thr_exact_answer decide(const thr_points *p, size_t point, const double *w)
{
    between m = margin_of(p, point, w);
    if (m.low > 0)
        return THR_EXACT_YES;
    if (m.high <= 0)
        return THR_EXACT_NO;
#ifdef THR_HAVE_GMP
    if (isfinite(m.low) && isfinite(m.high))
        return sign_of(p, point, w) > 0 ? THR_EXACT_YES : THR_EXACT_NO;
#endif
    return THR_EXACT_OPEN;
}

enum thr_exact_answer thr_exact_separates(const thr_points *p, const double *w, size_t *worst)
{
    enum thr_exact_answer answer = THR_EXACT_YES;
    for (size_t k = 0, n = thr_points_count(p); k < n; k++) {
        enum thr_exact_answer one = decide(p, k, w);
        if (one == THR_EXACT_YES)
            continue;
        answer = one;
        if (worst)
            *worst = k;
        if (one == THR_EXACT_NO)
            break;
    }
    return answer;
}

/* ---- bounds ------------------------------------------------------------------------------- */

/* A computed sum of n non-negative terms (squares or absolute values) is within a factor 1 +- slip
 * of the true sum: nothing cancels. */
static double slip(size_t n)
{
    return (double)(n + 8) * UNIT;
}

/* A lower bound on a / b, given small <= b <= large: a positive a is divided by the largest b, a
 * negative one by the smallest. */
static double quotient_below(double a, double small, double large)
{
    double q = down(a > 0 ? a / large : a / small);
    return isnan(q) ? -INFINITY : q;
}

thr_margins thr_exact_low(const thr_points *p, const double *w)
{
    double least = INFINITY, sum = 0, squares = 0, largest = 0;
    size_t dims = thr_points_dims(p);
    for (size_t k = 0, n = thr_points_count(p); k < n; k++) {
        thr_point_row r = thr_points_row(p, thr_points_example(p, k));
        double m = down(margin_of(p, k, w).low * r.scale);
        if (!(m >= least))
            least = m;
    }
    /* Dividing by the largest weight keeps the squares from overflowing and underflowing. */
    for (size_t i = 0; i < dims; i++)
        largest = fmax(largest, fabs(w[i]));
    for (size_t i = 0; i < dims; i++) {
        sum += fabs(w[i]);
        squares += (w[i] / largest) * (w[i] / largest);
    }
    if (!(largest > 0) || !isfinite(sum) || !isfinite(least))
        return (thr_margins){-INFINITY, -INFINITY};
    double e = slip(dims), length = largest * sqrt(squares);
    return (thr_margins){quotient_below(least, length * (1 - e), length * (1 + e)),
                         quotient_below(least, sum * (1 - e), sum * (1 + e))};
}

/* size += |a z| in every coordinate, and terms counts how many were added: both enter the bound on
 * the rounding error of the sum in that coordinate. */
static void add_sizes(const thr_points *p, size_t point, double a, double *size, double *terms)
{
    thr_point_row r = thr_points_row(p, thr_points_example(p, point));
    size_t k = thr_points_functions(p), other = k > 1 ? thr_points_other(p, point) : 0;
    for (size_t i = 0; i < r.n; i++) {
        double v = fabs(a * thr_row_value(&r, i));
        size_t at = r.id[i] * k + (k > 1 ? r.label : 0);
        size[at] += v;
        terms[at]++;
        if (k > 1) {
            size[r.id[i] * k + other] += v;
            terms[r.id[i] * k + other]++;
        }
    }
}

int thr_exact_high(const thr_points *p, const double *a, thr_margins *out, thr_error *err)
{
    size_t dims = thr_points_dims(p), n = thr_points_count(p), used = 0;
    double *room = calloc(3 * dims + 1, sizeof *room);
    double *sum = room, *size = room + dims, *terms = room + 2 * dims;
    double total = 0, largest = 0, squares = 0;
    *out = (thr_margins){INFINITY, INFINITY};
    if (!room)
        return thr_fail_memory(err);
    thr_points_sum(p, a, sum);
    bool proper = true;
    for (size_t k = 0; k < n; k++) {
        proper = proper && a[k] >= 0 && isfinite(a[k]);
        if (a[k] == 0)
            continue;
        add_sizes(p, k, a[k], size, terms);
        total += a[k];
        used++;
    }
    /* From here on sum[i] is an upper bound on the absolute value of the true sum. */
    for (size_t i = 0; i < dims; i++) {
        sum[i] =
            up(fabs(sum[i]) + (terms[i] + 6) * (UNIT * size[i] + (terms[i] > 0 ? DBL_MIN : 0)));
        largest = fmax(largest, sum[i]);
    }
    for (size_t i = 0; i < dims; i++)
        squares += (sum[i] / largest) * (sum[i] / largest);
    double below = total * (1 - slip(used));
    if (proper && below > 0 && isfinite(below) && isfinite(largest)) {
        out->gamma = up(largest * sqrt(squares) * (1 + slip(dims)) / below);
        out->g = up(largest / below);
    }
    free(room);
    return 0;
}
