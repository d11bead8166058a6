/* The kernels with AVX2: eight features a round, lanes 0 to 3 of a sum in one register and 4 to 7
 * in another. The order of operations is that of the plain kernels. */
#include "weights/kernels.h"

#if THR_WIDE

#include <immintrin.h>
#include <math.h>
#include <string.h>

#define WIDE   __attribute__((target("avx2")))
#define INLINE __attribute__((target("avx2"), always_inline)) static inline

INLINE __m256d load_wide(char *const *row, size_t at)
{
    const void *a = row[0] + at, *b = row[1] + at, *c = row[2] + at, *d = row[3] + at;
    __m128d low = _mm_loadh_pd(_mm_load_sd(a), b), high = _mm_loadh_pd(_mm_load_sd(c), d);
    return _mm256_insertf128_pd(_mm256_castpd128_pd256(low), high, 1);
}

INLINE __m256d load_narrow(char *const *row, size_t at)
{
    const void *a = row[0] + at, *b = row[1] + at, *c = row[2] + at, *d = row[3] + at;
    __m128 v = _mm_load_ss(a);
    v = _mm_insert_ps(v, _mm_load_ss(b), 1 << 4);
    v = _mm_insert_ps(v, _mm_load_ss(c), 2 << 4);
    v = _mm_insert_ps(v, _mm_load_ss(d), 3 << 4);
    return _mm256_cvtps_pd(v);
}

INLINE __m256d load_values(const float *x)
{
    return _mm256_cvtps_pd(_mm_loadu_ps(x));
}

/* Eight lanes of a sum. */
typedef struct lanes {
    __m256d low, high;
} lanes;

INLINE lanes no_lanes(void)
{
    return (lanes){_mm256_setzero_pd(), _mm256_setzero_pd()};
}

/* a + w x for eight rows; without x, + w. */
INLINE lanes add_eight(lanes a, char *const *row, const float *x, size_t at, bool wide)
{
    __m256d low = wide ? load_wide(row, at) : load_narrow(row, at);
    __m256d high = wide ? load_wide(row + 4, at) : load_narrow(row + 4, at);
    if (x) {
        low = _mm256_mul_pd(low, load_values(x));
        high = _mm256_mul_pd(high, load_values(x + 4));
    }
    return (lanes){_mm256_add_pd(a.low, low), _mm256_add_pd(a.high, high)};
}

/* The sum of the lanes, the features from `from` on, fewer than eight, added the plain way. */
INLINE double sum_of(lanes a, const thr_example *e, const float *x, size_t from, size_t at,
                     bool wide)
{
    double lane[THR_LANES];
    _mm256_storeu_pd(lane, a.low);
    _mm256_storeu_pd(lane + 4, a.high);
    for (size_t k = 0; from + k < e->n; k++) {
        const void *p = e->row[from + k] + at;
        double w = wide ? *(const double *)p : (double)*(const float *)p;
        lane[k] += x ? w * (double)x[from + k] : w;
    }
    return thr_lanes_sum(lane) * e->scale;
}

/* Of two places of a row; each is f64 or f32. */
INLINE void dot_both(const thr_example *e, const float *x, size_t first, bool first_wide,
                     size_t second, bool second_wide, double *first_out, double *second_out)
{
    lanes a = no_lanes(), b = no_lanes();
    size_t i = 0;
    for (; i + THR_LANES <= e->n; i += THR_LANES) {
        a = add_eight(a, e->row + i, x ? x + i : NULL, first, first_wide);
        if (second_out)
            b = add_eight(b, e->row + i, x ? x + i : NULL, second, second_wide);
    }
    *first_out = sum_of(a, e, x, i, first, first_wide);
    if (second_out)
        *second_out = sum_of(b, e, x, i, second, second_wide);
}

INLINE double dot(const thr_example *e, const float *x, size_t at, bool wide)
{
    double sum;
    dot_both(e, x, at, wide, 0, false, &sum, NULL);
    return sum;
}

WIDE static double dot_wide(const thr_example *e, size_t at)
{
    return e->x ? dot(e, e->x, at, true) : dot(e, NULL, at, true);
}

WIDE static double dot_narrow(const thr_example *e, size_t at)
{
    return e->x ? dot(e, e->x, at, false) : dot(e, NULL, at, false);
}

WIDE static void dot_pair(const thr_example *e, size_t wide, size_t narrow, double *wide_out,
                          double *narrow_out)
{
    if (e->x)
        dot_both(e, e->x, wide, true, narrow, false, wide_out, narrow_out);
    else
        dot_both(e, NULL, wide, true, narrow, false, wide_out, narrow_out);
}

WIDE static void dot_two(const thr_example *e, size_t first, size_t second, double *first_out,
                         double *second_out)
{
    if (e->x)
        dot_both(e, e->x, first, false, second, false, first_out, second_out);
    else
        dot_both(e, NULL, first, false, second, false, first_out, second_out);
}

/* ---- many functions ----------------------------------------------------------------------- */

INLINE __m256d load_quad(const char *row, bool wide)
{
    const void *p = row;
    return wide ? _mm256_loadu_pd(p) : _mm256_cvtps_pd(_mm_loadu_ps(p));
}

/* The sums of n quads + x times what is at p. */
INLINE void add_quads(__m256d *sum, const char *p, bool wide, unsigned n, bool times, __m256d x)
{
    for (unsigned q = 0; q < n; q++) {
        __m256d w = load_quad(p + q * (wide ? 32 : 16), wide);
        sum[q] = _mm256_add_pd(sum[q], times ? _mm256_mul_pd(w, x) : w);
    }
}

INLINE void load_sums(__m256d *sum, unsigned n, const double *from)
{
    for (unsigned q = 0; q < n; q++)
        sum[q] = _mm256_loadu_pd(from + 4 * q);
}

INLINE void store_sums(const __m256d *sum, unsigned n, double *to)
{
    for (unsigned q = 0; q < n; q++)
        _mm256_storeu_pd(to + 4 * q, sum[q]);
}

/* Inlined for each number of quads and each kind. */
INLINE void walk(const thr_example *e, const float *x, size_t at, bool wide, bool known, unsigned n,
                 double *out)
{
    __m256d sum[THR_QUADS], value = _mm256_set1_pd(e->scale);
    load_sums(sum, n, out);
    for (size_t i = 0; i < e->n; i++) {
        if (known && e->id[i] >= e->known)
            continue;
        if (x)
            value = _mm256_set1_pd(known ? e->scale * (double)x[i] : (double)x[i]);
        add_quads(sum, e->row[i] + at, wide, n, x || known, value);
    }
    store_sums(sum, n, out);
}

INLINE void walk_kind(const thr_example *e, size_t at, bool wide, bool known, unsigned n,
                      double *out)
{
    if (known && wide)
        walk(e, e->x, at, true, true, n, out);
    else if (known)
        walk(e, e->x, at, false, true, n, out);
    else if (wide && e->x)
        walk(e, e->x, at, true, false, n, out);
    else if (wide)
        walk(e, NULL, at, true, false, n, out);
    else if (e->x)
        walk(e, e->x, at, false, false, n, out);
    else
        walk(e, NULL, at, false, false, n, out);
}

WIDE static void quads(const thr_example *e, size_t at, bool wide, bool known, unsigned n,
                       double *out)
{
    switch (n) {
    case 1:
        walk_kind(e, at, wide, known, 1, out);
        break;
    case 2:
        walk_kind(e, at, wide, known, 2, out);
        break;
    case 3:
        walk_kind(e, at, wide, known, 3, out);
        break;
    case 4:
        walk_kind(e, at, wide, known, 4, out);
        break;
    default:
        walk_kind(e, at, wide, known, THR_QUADS, out);
    }
}

INLINE void walk_pair(const thr_example *e, const float *x, size_t wide, size_t narrow, unsigned n,
                      double *wide_out, double *narrow_out)
{
    __m256d a[THR_QUADS], b[THR_QUADS], value = _mm256_setzero_pd();
    load_sums(a, n, wide_out);
    load_sums(b, n, narrow_out);
    for (size_t i = 0; i < e->n; i++) {
        if (x)
            value = _mm256_set1_pd((double)x[i]);
        add_quads(a, e->row[i] + wide, true, n, x, value);
        add_quads(b, e->row[i] + narrow, false, n, x, value);
    }
    store_sums(a, n, wide_out);
    store_sums(b, n, narrow_out);
}

INLINE void walk_pair_kind(const thr_example *e, size_t wide, size_t narrow, unsigned n,
                           double *wide_out, double *narrow_out)
{
    if (e->x)
        walk_pair(e, e->x, wide, narrow, n, wide_out, narrow_out);
    else
        walk_pair(e, NULL, wide, narrow, n, wide_out, narrow_out);
}

WIDE static void quads_pair(const thr_example *e, size_t wide, size_t narrow, unsigned n,
                            double *wide_out, double *narrow_out)
{
    switch (n) {
    case 1:
        walk_pair_kind(e, wide, narrow, 1, wide_out, narrow_out);
        break;
    case 2:
        walk_pair_kind(e, wide, narrow, 2, wide_out, narrow_out);
        break;
    case 3:
        walk_pair_kind(e, wide, narrow, 3, wide_out, narrow_out);
        break;
    case 4:
        walk_pair_kind(e, wide, narrow, 4, wide_out, narrow_out);
        break;
    default:
        walk_pair_kind(e, wide, narrow, THR_QUADS, wide_out, narrow_out);
    }
}

/* ---- moving ------------------------------------------------------------------------------- */

INLINE void store_wide(char *const *row, size_t at, __m256d v)
{
    void *a = row[0] + at, *b = row[1] + at, *c = row[2] + at, *d = row[3] + at;
    __m128d low = _mm256_castpd256_pd128(v), high = _mm256_extractf128_pd(v, 1);
    _mm_store_sd(a, low);
    _mm_storeh_pd(b, low);
    _mm_store_sd(c, high);
    _mm_storeh_pd(d, high);
}

INLINE void store_narrow(char *const *row, size_t at, __m128 v)
{
    const int bits[] = {_mm_extract_ps(v, 0), _mm_extract_ps(v, 1), _mm_extract_ps(v, 2),
                        _mm_extract_ps(v, 3)};
    for (int k = 0; k < 4; k++)
        memcpy(row[k] + at, &bits[k], sizeof bits[k]);
}

/* Four rows; `by` is step times value. */
INLINE void move_four(char *const *row, size_t wide, size_t narrow, __m256d by, __m256d clock)
{
    const __m256d most = _mm256_set1_pd(THR_WEIGHT_MAX), least = _mm256_set1_pd(-THR_WEIGHT_MAX);
    __m256d before = load_narrow(row, narrow), to = _mm256_add_pd(before, by);
    __m128 after = _mm256_cvtpd_ps(_mm256_max_pd(_mm256_min_pd(to, most), least));
    __m256d went = _mm256_sub_pd(_mm256_cvtps_pd(after), before);
    __m256d sum = _mm256_add_pd(load_wide(row, wide), _mm256_mul_pd(clock, went));
    store_narrow(row, narrow, after);
    store_wide(row, wide, sum);
}

/* What is left over goes the plain way. */
WIDE static void move_pair(const thr_example *e, size_t wide, size_t narrow, double step,
                           double clock)
{
    __m256d steps = _mm256_set1_pd(step), scale = _mm256_set1_pd(e->scale);
    __m256d clocks = _mm256_set1_pd(clock), by = _mm256_mul_pd(steps, scale);
    size_t i = 0;
    for (; i + 4 <= e->n; i += 4) {
        if (e->x)
            by = _mm256_mul_pd(steps, _mm256_mul_pd(scale, load_values(e->x + i)));
        move_four(e->row + i, wide, narrow, by, clocks);
    }
    thr_example left = *e;
    left.row += i;
    left.x += e->x ? i : 0;
    left.n -= i;
    thr_kernels_plain.move_pair(&left, wide, narrow, step, clock);
}

/* ---- numbers of one function ------------------------------------------------------------- */

/* Eight bytes of each of two rows. */
INLINE __m128 load_halves(char *const *row, size_t at)
{
    const void *low = row[0] + at, *high = row[1] + at;
    return _mm_loadh_pi(_mm_castsi128_ps(_mm_loadu_si64(low)), high);
}

INLINE void store_halves(char *const *row, size_t at, __m128 v)
{
    void *low = row[0] + at, *high = row[1] + at;
    _mm_storel_pi(low, v);
    _mm_storeh_pi(high, v);
}

WIDE static void take(char *const *row, size_t n, size_t first, size_t second, double *a, double *b)
{
    bool beside = second == first + sizeof(float);
    size_t i = 0;
    for (; i + 4 <= n && beside; i += 4) {
        __m128 low = load_halves(row + i, first), high = load_halves(row + i + 2, first);
        __m128 firsts = _mm_shuffle_ps(low, high, _MM_SHUFFLE(2, 0, 2, 0));
        __m128 seconds = _mm_shuffle_ps(low, high, _MM_SHUFFLE(3, 1, 3, 1));
        _mm256_storeu_pd(a + i, _mm256_cvtps_pd(firsts));
        _mm256_storeu_pd(b + i, _mm256_cvtps_pd(seconds));
    }
    for (; i + 4 <= n; i += 4) {
        _mm256_storeu_pd(a + i, load_narrow(row + i, first));
        _mm256_storeu_pd(b + i, load_narrow(row + i, second));
    }
    thr_kernels_plain.take(row + i, n - i, first, second, a + i, b + i);
}

WIDE static void put(char *const *row, size_t n, size_t first, size_t second, const double *a,
                     const double *b)
{
    bool beside = second == first + sizeof(float);
    size_t i = 0;
    for (; i + 4 <= n; i += 4) {
        __m128 firsts = _mm256_cvtpd_ps(_mm256_loadu_pd(a + i));
        __m128 seconds = _mm256_cvtpd_ps(_mm256_loadu_pd(b + i));
        if (beside) {
            store_halves(row + i, first, _mm_unpacklo_ps(firsts, seconds));
            store_halves(row + i + 2, first, _mm_unpackhi_ps(firsts, seconds));
        } else {
            store_narrow(row + i, first, firsts);
            store_narrow(row + i, second, seconds);
        }
    }
    thr_kernels_plain.put(row + i, n - i, first, second, a + i, b + i);
}

/* ---- the example itself ------------------------------------------------------------------- */

WIDE static void measure(const float *x, size_t n, double *squares, float *greatest)
{
    const __m256 sign = _mm256_set1_ps(-0.0f);
    __m256 most = _mm256_setzero_ps();
    lanes a = no_lanes();
    double lane[THR_LANES];
    float sizes[THR_LANES];
    size_t i = 0;
    for (; i + THR_LANES <= n; i += THR_LANES) {
        __m256d low = load_values(x + i), high = load_values(x + i + 4);
        a.low = _mm256_add_pd(a.low, _mm256_mul_pd(low, low));
        a.high = _mm256_add_pd(a.high, _mm256_mul_pd(high, high));
        most = _mm256_max_ps(most, _mm256_andnot_ps(sign, _mm256_loadu_ps(x + i)));
    }
    _mm256_storeu_pd(lane, a.low);
    _mm256_storeu_pd(lane + 4, a.high);
    _mm256_storeu_ps(sizes, most);
    for (; i < n; i++) {
        lane[i % THR_LANES] += (double)x[i] * (double)x[i];
        sizes[0] = fabsf(x[i]) > sizes[0] ? fabsf(x[i]) : sizes[0];
    }
    *squares = thr_lanes_sum(lane);
    *greatest = thr_greatest_lane(sizes);
}

const thr_kernels thr_kernels_wide = {
    .dot_wide = dot_wide,
    .dot_narrow = dot_narrow,
    .dot_pair = dot_pair,
    .dot_two = dot_two,
    .move_pair = move_pair,
    .take = take,
    .put = put,
    .quads = quads,
    .quads_pair = quads_pair,
    .measure = measure,
};

#endif
