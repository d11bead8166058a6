/* exp, log and pow from additions, multiplications and divisions, which IEEE 754 rounds the
 * same everywhere. The order of operations is part of the result: do not rearrange an
 * expression here, and compile with -ffp-contract=off.
 *
 *   exp   x = k ln 2 + r with |r| <= ln(2)/2; the Taylor series of exp(r); times 2^k.
 *   log   x = 2^k m with m in [sqrt(1/2), sqrt(2)); with s = (m-1)/(m+1),
 *         log m = 2 atanh s = 2 (s + s^3/3 + s^5/5 + ...); plus k ln 2.
 *   pow   exp(y log x) with the logarithm as a sum of two doubles (about 2^-64 relative), so that
 *         large exponents do not magnify its rounding. Exact results come out exact. */
#include "base/mathx.h"

#include "base/wide.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

_Static_assert(FLT_EVAL_METHOD == 0, "float and double must be computed as such");

/* ln 2 = LN2_HI + LN2_LO. The last 20 bits of LN2_HI are zero, so that its product with an
 * exponent k, of at most 11 bits, is exact. */
#define LN2_HI         0x1.62e42fefp-1
#define LN2_LO         0x1.473de6af278edp-34
#define INV_LN2        0x1.71547652b82fep+0
#define SQRT2          0x1.6a09e667f3bcdp+0
#define SQRT_HALF_BITS UINT64_C(0x3fe6a09e667f3bcd) /* SQRT2 / 2 as an integer */
#define FOUR           4                            /* lanes of a vector */
#define NEAR           0.34                         /* < ln(2)/2, so that k = 0 in exp */
#define MANY           32 /* from so many numbers on, testing for k = 0 pays */

/* The unevaluated sum hi + lo, |lo| at most about half a unit in the last place of hi. */
typedef struct pair {
    double hi, lo;
} pair;

/* a + b as a pair, without error if |a| >= |b| (Dekker 1971). */
static pair quick_sum(double a, double b)
{
    double s = a + b;
    return (pair){s, b - (s - a)};
}

/* a + b as a pair, without error for any a and b (Knuth). */
static inline pair sum(double a, double b)
{
    double s = a + b, t = s - a;
    return (pair){s, (a - (s - t)) + (b - t)};
}

/* The upper half of the bits of a (Veltkamp). */
static double upper(double a)
{
    double t = a * 0x1.0000002p+27;
    return t - (t - a);
}

/* a * b as a pair, without error (Dekker). Splitting avoids the fused multiply-add, which not
 * every CPU has. */
static pair product(double a, double b)
{
    double p = a * b, ah = upper(a), bh = upper(b), al = a - ah, bl = b - bh;
    return (pair){p, ((ah * bh - p) + ah * bl + al * bh) + al * bl};
}

static pair pair_add(pair a, pair b)
{
    pair s = sum(a.hi, b.hi);
    return quick_sum(s.hi, s.lo + (a.lo + b.lo));
}

static pair pair_mul(pair a, pair b)
{
    pair p = product(a.hi, b.hi);
    return quick_sum(p.hi, p.lo + (a.hi * b.lo + a.lo * b.hi));
}

/* 2^k for a normal result. */
static double power_of_2(int k)
{
    uint64_t bits = (uint64_t)(k + 1023) << 52;
    double v;
    memcpy(&v, &bits, sizeof v);
    return v;
}

/* c[0] + c[1] x + ... + c[11] x^11 by Estrin's scheme: products that do not wait for each other. */
static inline double polynomial(const double c[12], double x)
{
    double x2 = x * x, x4 = x2 * x2;
    double a = (c[0] + c[1] * x) + (c[2] + c[3] * x) * x2;
    double b = (c[4] + c[5] * x) + (c[6] + c[7] * x) * x2;
    double d = (c[8] + c[9] * x) + (c[10] + c[11] * x) * x2;
    return a + (b + d * x4) * x4;
}

/* exp(hi + lo), |lo| small against hi. `tail` has the coefficients behind 1 + x, from 1/2! on, for
 * |x| <= 0.35. Adding and subtracting 1.5 * 2^52 rounds to the nearest integer k. 2^k is multiplied
 * in as two factors, since 2^k itself may be outside the range of normal numbers where the result
 * is not; at most one of the two products is rounded. */
static double exp_pair(double hi, double lo)
{
    static const double tail[12] = {1.0 / 2,        1.0 / 6,         1.0 / 24,
                                    1.0 / 120,      1.0 / 720,       1.0 / 5040,
                                    1.0 / 40320,    1.0 / 362880,    1.0 / 3628800,
                                    1.0 / 39916800, 1.0 / 479001600, 1.0 / 6227020800};
    if (hi > 710)
        return INFINITY;
    if (hi < -746)
        return 0;
    double k = (hi * INV_LN2 + 0x1.8p52) - 0x1.8p52;
    pair r = sum(hi - k * LN2_HI, lo - k * LN2_LO);
    double x = r.hi, y = 1 + (x + (x * x * polynomial(tail, x) + r.lo));
    int e = (int)k, half = e / 2;
    return y * power_of_2(half) * power_of_2(e - half);
}

/* Returns m in [sqrt(1/2), sqrt(2)) with x = 2^k m. x is positive and finite; a subnormal x is
 * scaled up first, so that its exponent can be read from its bits. */
static double split(double x, int *k)
{
    uint64_t bits;
    *k = 0;
    if (x < DBL_MIN) {
        x *= 0x1p54;
        *k = -54;
    }
    memcpy(&bits, &x, sizeof bits);
    *k += (int)(bits >> 52) - 1023;
    bits = (bits & UINT64_C(0xfffffffffffff)) | (uint64_t)1023 << 52;
    double m;
    memcpy(&m, &bits, sizeof m);
    if (m < SQRT2)
        return m;
    ++*k;
    return m / 2;
}

/* 2/5 z + 2/7 z^2 + ... for z = s^2 <= 0.0295: what follows 2/3 in the series of log m. */
static inline double atanh_tail(double z)
{
    static const double c[12] = {2.0 / 5,  2.0 / 7,  2.0 / 9,  2.0 / 11, 2.0 / 13, 2.0 / 15,
                                 2.0 / 17, 2.0 / 19, 2.0 / 21, 2.0 / 23, 2.0 / 25, 2.0 / 27};
    return z * polynomial(c, z);
}

/* log x as a pair, for pow. The quotient s = (m-1)/(m+1) is corrected by its remainder. */
static pair log_pair(double x)
{
    const pair two_thirds = {2.0 / 3, 0x1.5555555555555p-55};
    int k;
    double m = split(x, &k), f = m - 1;
    pair d = sum(m, 1);
    double q = f / d.hi;
    pair back = product(q, d.hi);
    pair s = quick_sum(q, (((f - back.hi) - back.lo) - q * d.lo) / d.hi);
    pair z = pair_mul(s, s);
    pair c = pair_add(two_thirds, (pair){atanh_tail(z.hi), 0});
    pair rest = pair_mul(pair_mul(s, z), c);
    pair log_m = pair_add((pair){2 * s.hi, 2 * s.lo}, rest);
    pair log_2k = quick_sum(k * LN2_HI, k * LN2_LO);
    return pair_add(log_2k, log_m);
}

double thr_exp(double x)
{
    return isnan(x) ? x : exp_pair(x, 0);
}

/* log(2^k (1 + f)). With s = f / (2 + f), 2s = f - s f: f is exact and carries most of the
 * result, so the rounding error of the quotient s counts little. */
double thr_log(double x)
{
    if (isnan(x) || x < 0)
        return NAN;
    if (x == 0)
        return -INFINITY;
    if (isinf(x))
        return x;
    int k;
    double f = split(x, &k) - 1, s = f / (2 + f), z = s * s;
    double r = z * (2.0 / 3 + atanh_tail(z));
    return k * LN2_HI + (f - (s * (f - r) - k * LN2_LO));
}

double thr_pow(double x, double y)
{
    if (y == 0 || x == 1)
        return 1;
    if (isnan(x) || isnan(y) || x < 0)
        return NAN;
    if (y == 1)
        return x;
    if (x == 0 || isinf(x))
        return (x == 0) == (y < 0) ? INFINITY : 0;
    pair l = log_pair(x);
    double about = y * l.hi;
    if (about > 710 || about < -746)
        return exp_pair(about, 0);
    pair t = product(y, l.hi);
    return exp_pair(t.hi, t.lo + y * l.lo);
}

/* ---- four at once ------------------------------------------------------------------------- */

/* Vectors of the compiler (GCC and clang). Each lane does the operations of the scalar
 * functions above in the same order, so the bits are the same. Arguments outside the range that
 * a vector function handles send the whole array to the scalar one. */
typedef double four __attribute__((vector_size(32)));
typedef uint64_t four_bits __attribute__((vector_size(32)));
typedef int64_t four_mask __attribute__((vector_size(32))); /* lanes of all ones or zeros */
typedef int64_t two_mask __attribute__((vector_size(16)));

#define INLINE __attribute__((always_inline)) static inline
#define EACH(v)                                                                                    \
    {                                                                                              \
        v, v, v, v                                                                                 \
    }

INLINE void get(four *v, const double *from)
{
    memcpy(v, from, sizeof *v);
}

INLINE void put(const four *v, double *to)
{
    memcpy(to, v, sizeof *v);
}

INLINE bool is_all(const four_mask *m)
{
    two_mask half[2];
    memcpy(half, m, sizeof half);
    half[0] &= half[1];
    return (half[0][0] & half[0][1]) != 0;
}

/* polynomial() in each lane. */
INLINE void polynomials(const four *c, const four *of, four *out)
{
    const four x = *of, x2 = x * x, x4 = x2 * x2;
    const four a = (c[0] + c[1] * x) + (c[2] + c[3] * x) * x2;
    const four b = (c[4] + c[5] * x) + (c[6] + c[7] * x) * x2;
    const four d = (c[8] + c[9] * x) + (c[10] + c[11] * x) * x2;
    *out = a + (b + d * x4) * x4;
}

/* The constants of a vector function, each repeated in every lane. They stay in memory, as
 * operands of the instructions that use them: there are more of them than registers, and on a
 * short array loading them all before the loop would take as long as the function itself. */
typedef struct constants {
    four inv_ln2, round, ln2_hi, ln2_lo, one, two, last, tail[12];
    four_bits bias, half, exponent;
} constants;

static const constants exp_constants = {
    .inv_ln2 = EACH(INV_LN2),
    .round = EACH(0x1.8p52),
    .ln2_hi = EACH(LN2_HI),
    .ln2_lo = EACH(LN2_LO),
    .one = EACH(1),
    .tail = {EACH(1.0 / 2), EACH(1.0 / 6), EACH(1.0 / 24), EACH(1.0 / 120), EACH(1.0 / 720),
             EACH(1.0 / 5040), EACH(1.0 / 40320), EACH(1.0 / 362880), EACH(1.0 / 3628800),
             EACH(1.0 / 39916800), EACH(1.0 / 479001600), EACH(1.0 / 6227020800)},
    .bias = EACH(1023),
};

static const constants log_constants = {
    .ln2_hi = EACH(LN2_HI),
    .ln2_lo = EACH(LN2_LO),
    .one = EACH(1),
    .two = EACH(2),
    .round = EACH(0x1p52 + 1023),
    .last = EACH(2.0 / 3),
    .tail = {EACH(2.0 / 5), EACH(2.0 / 7), EACH(2.0 / 9), EACH(2.0 / 11), EACH(2.0 / 13),
             EACH(2.0 / 15), EACH(2.0 / 17), EACH(2.0 / 19), EACH(2.0 / 21), EACH(2.0 / 23),
             EACH(2.0 / 25), EACH(2.0 / 27)},
    .bias = EACH(1023),
    .half = EACH(((uint64_t)1023 << 52) - SQRT_HALF_BITS),
    .exponent = EACH((uint64_t)1075 << 52),
};

/* Hides from the compiler which constants n points to, so that it cannot hoist them (see
 * above). */
INLINE const constants *unhoisted(const constants *n)
{
    __asm__("" : "+r"(n)); /* claims to change n */
    return n;
}

typedef void function_of_four(const constants *n, four *x);

/* exp where 2^k is a normal number. The low bits of sum_k, as an integer, are k: shifted into
 * the exponent they make 2^k without a conversion. */
INLINE void exp_four(const constants *n, four *x)
{
    const four none = {0}, sum_k = *x * n->inv_ln2 + n->round, k = sum_k - n->round;
    const four a = *x - k * n->ln2_hi, b = none - k * n->ln2_lo;
    const four h = a + b, t = h - a, low = (a - (h - t)) + (b - t); /* see sum() */
    four y;
    polynomials(n->tail, &h, &y);
    y = n->one + (h + (h * h * y + low));
    *x = y * (four)(((four_bits)sum_k + n->bias) << 52);
}

/* exp where k is 0: the same operations without those that then change nothing. */
INLINE void exp_four_near(const constants *n, four *x)
{
    four y;
    polynomials(n->tail, x, &y);
    *x = n->one + (*x + *x * *x * y);
}

/* log of normal positive numbers. Adding `half` carries into the exponent where the mantissa is
 * sqrt(2) or more, as split() decides. The exponent k becomes a double without a conversion:
 * its bits are put into the mantissa of 2^52, and 2^52 + 1023 is subtracted. */
INLINE void log_four(const constants *n, four *x)
{
    const four_bits bits = (four_bits)*x, up = (bits + n->half) >> 52; /* k + 1023 */
    const four m = (four)(bits - ((up - n->bias) << 52)), k = (four)(up | n->exponent) - n->round;
    const four f = m - n->one, s = f / (n->two + f), z = s * s;
    four r;
    polynomials(n->tail, &z, &r);
    r = z * (n->last + z * r);
    *x = k * n->ln2_hi + (f - (s * (f - r) - k * n->ln2_lo));
}

/* Applies the function to x[0..n), n >= 4. The last vector may overlap the one before it; it is
 * loaded first, before the loop overwrites part of it. */
INLINE void apply_to_all(function_of_four *function, const constants *c, double *x, size_t n)
{
    four v, last;
    get(&last, x + n - FOUR);
    for (size_t i = 0; i + FOUR <= n; i += FOUR) {
        get(&v, x + i);
        function(c, &v);
        put(&v, x + i);
    }
    if (n % FOUR) {
        function(c, &last);
        put(&last, x + n - FOUR);
    }
}

/* Whether all of x[0..n), n >= 4, are in [least, most]. NaN is not. */
INLINE bool is_all_within(const double *x, size_t n, double least, double most)
{
    const four low = EACH(least), high = EACH(most);
    four v;
    get(&v, x + n - FOUR);
    four_mask within = (v >= low) & (v <= high);
    for (size_t i = 0; i + FOUR < n; i += FOUR) {
        get(&v, x + i);
        within &= (v >= low) & (v <= high);
    }
    return is_all(&within);
}

__attribute__((noinline)) static void exp_each(double *x, size_t n)
{
    for (size_t i = 0; i < n; i++)
        x[i] = thr_exp(x[i]);
}

INLINE void exp_all(double *x, size_t n)
{
    if (n >= MANY && is_all_within(x, n, -NEAR, NEAR))
        apply_to_all(exp_four_near, unhoisted(&exp_constants), x, n);
    else if (is_all_within(x, n, -700, 700))
        apply_to_all(exp_four, unhoisted(&exp_constants), x, n);
    else
        exp_each(x, n);
}

__attribute__((noinline)) static void log_each(double *x, size_t n)
{
    for (size_t i = 0; i < n; i++)
        x[i] = thr_log(x[i]);
}

INLINE void log_all(double *x, size_t n)
{
    if (is_all_within(x, n, DBL_MIN, DBL_MAX))
        apply_to_all(log_four, unhoisted(&log_constants), x, n);
    else
        log_each(x, n);
}

typedef void function_of_all(double *x, size_t n);

/* Calls `all` for any n; fewer than four numbers are padded with ones. */
INLINE void of_many(function_of_all *all, double *x, size_t n)
{
    double few[FOUR];
    if (n >= FOUR) {
        all(x, n);
        return;
    }
    for (size_t i = 0; i < FOUR; i++)
        few[i] = i < n ? x[i] : 1;
    all(few, FOUR);
    for (size_t i = 0; i < n; i++)
        x[i] = few[i];
}

THR_CLONED void thr_exp_many(double *x, size_t n)
{
    of_many(exp_all, x, n);
}

THR_CLONED void thr_log_many(double *x, size_t n)
{
    of_many(log_all, x, n);
}
