/* The kernels in AVX2 intrinsics. For one function eight features are added per round: lanes 0
 * to 3 of a sum are one register and lanes 4 to 7 another. For many functions a register holds
 * four adjacent functions of one row. Every number is computed by the same operations, in the
 * same order, as in the plain kernels; kernels.c lists what makes them agree to the bit.
 *
 * The rows of an example are scattered in memory, so most of the work is to collect four
 * numbers in a register: by scalar loads and shuffles, or, where the two numbers of a feature
 * are adjacent (rows of one function), by one load for both.
 *
 * The loops are always_inline functions whose parameters are compile-time constants in each
 * caller: whether there are values, which slots are wide, how many quads there are. So each
 * caller gets its own loop, without branches inside. */
#include "weights/kernels.h"

#if THR_WIDE

#include <immintrin.h>
#include <math.h>
#include <string.h>

#define WIDE   __attribute__((target("avx2")))
#define INLINE __attribute__((target("avx2"), always_inline)) static inline

/* The f64 at offset `at` of four rows. */
INLINE __m256d load_wide(char *const *row, size_t at)
{
    const void *a = row[0] + at, *b = row[1] + at, *c = row[2] + at, *d = row[3] + at;
    __m128d low = _mm_loadh_pd(_mm_load_sd(a), b), high = _mm_loadh_pd(_mm_load_sd(c), d);
    return _mm256_insertf128_pd(_mm256_castpd128_pd256(low), high, 1);
}

/* The f32 at offset `at` of four rows, as double. */
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

/* ---- one function ------------------------------------------------------------------------- */

/* Which one or two numbers of a row a loop reads. Everything but the offsets is a constant
 * where the loops are inlined. */
typedef struct places {
    size_t first, second; /* offsets in bytes */
    bool wide, second_wide;
    bool alone;  /* there is no second */
    bool beside; /* the second, an f32, follows the first: rows of one function and two slots */
} places;

/* Two numbers of four rows each. */
typedef struct fours {
    __m256d first, second;
} fours;

/* The f64 at offset `at` of four rows, and the eight bytes behind each. Reading eight is safe
 * where only an f32 follows: rows with a wide slot are padded to a multiple of 8. */
INLINE fours load_beside(char *const *row, size_t at)
{
    const void *a = row[0] + at, *b = row[1] + at, *c = row[2] + at, *d = row[3] + at;
    __m256d even =
        _mm256_insertf128_pd(_mm256_castpd128_pd256(_mm_loadu_pd(a)), _mm_loadu_pd(c), 1);
    __m256d odd = _mm256_insertf128_pd(_mm256_castpd128_pd256(_mm_loadu_pd(b)), _mm_loadu_pd(d), 1);
    return (fours){_mm256_unpacklo_pd(even, odd), _mm256_unpackhi_pd(even, odd)};
}

/* The f32 in the first half of each eight bytes, as double. */
INLINE __m256d narrow_of(__m256d behind)
{
    __m256 v = _mm256_castpd_ps(behind);
    __m128 low = _mm256_castps256_ps128(v), high = _mm256_extractf128_ps(v, 1);
    return _mm256_cvtps_pd(_mm_shuffle_ps(low, high, _MM_SHUFFLE(2, 0, 2, 0)));
}

INLINE fours load_places(char *const *row, places p)
{
    if (p.beside) {
        fours v = load_beside(row, p.first);
        return (fours){v.first, narrow_of(v.second)};
    }
    __m256d first = p.wide ? load_wide(row, p.first) : load_narrow(row, p.first);
    if (p.alone)
        return (fours){first, first};
    return (fours){first, p.second_wide ? load_wide(row, p.second) : load_narrow(row, p.second)};
}

/* s + w x for four rows; s + w if x is NULL, which means that all values are 1. */
INLINE fours add_four(fours s, char *const *row, const float *x, places p)
{
    fours w = load_places(row, p);
    if (x) {
        __m256d value = load_values(x);
        w = (fours){_mm256_mul_pd(w.first, value), _mm256_mul_pd(w.second, value)};
    }
    return (fours){_mm256_add_pd(s.first, w.first), _mm256_add_pd(s.second, w.second)};
}

/* The lanes of a sum: 0 to 3 and 4 to 7. */
typedef struct lanes {
    __m256d low, high;
} lanes;

/* Adds v to the four lanes of the features from `from` on, a multiple of four. Places of v
 * without a feature are +0; a lane is never -0, so adding +0 does not change it. */
INLINE lanes add_lanes(lanes s, size_t from, __m256d v)
{
    if (from % THR_LANES)
        return (lanes){s.low, _mm256_add_pd(s.high, v)};
    return (lanes){_mm256_add_pd(s.low, v), s.high};
}

/* Adds in the order of thr_lanes_sum: hadd gives (0+1, 4+5, 2+3, 6+7), the sum of the two
 * halves (0+1)+(2+3) and (4+5)+(6+7). */
INLINE double lanes_sum(lanes s)
{
    __m256d pairs = _mm256_hadd_pd(s.low, s.high);
    __m128d halves = _mm_add_pd(_mm256_castpd256_pd128(pairs), _mm256_extractf128_pd(pairs, 1));
    return halves[0] + halves[1];
}

/* Adds the features from `from` on, fewer than four, then the lanes, and scales the sum. */
INLINE double sum_of(lanes s, const thr_example *e, const float *x, size_t from, size_t at,
                     bool wide)
{
    double left[4] = {0};
    for (size_t i = from; i < e->n; i++) {
        const void *p = e->row[i] + at;
        double w = wide ? *(const double *)p : (double)*(const float *)p;
        left[i - from] = x ? w * (double)x[i] : w;
    }
    if (from < e->n)
        s = add_lanes(s, from, _mm256_loadu_pd(left));
    return lanes_sum(s) * e->scale;
}

/* One or two dot products. The last four features that do not fill a round belong to the low
 * lanes: their number within the round is below four. */
INLINE void dot(const thr_example *e, const float *x, places p, double *first, double *second)
{
    fours low = {_mm256_setzero_pd(), _mm256_setzero_pd()}, high = low;
    size_t i = 0;
    for (; i + THR_LANES <= e->n; i += THR_LANES) {
        low = add_four(low, e->row + i, x ? x + i : NULL, p);
        high = add_four(high, e->row + i + 4, x ? x + i + 4 : NULL, p);
    }
    if (i + 4 <= e->n) {
        low = add_four(low, e->row + i, x ? x + i : NULL, p);
        i += 4;
    }
    *first = sum_of((lanes){low.first, high.first}, e, x, i, p.first, p.wide);
    if (!p.alone)
        *second = sum_of((lanes){low.second, high.second}, e, x, i, p.second, p.second_wide);
}

/* One loop for examples with values, and one for those whose values are all 1. */
INLINE void dot_kind(const thr_example *e, places p, double *first, double *second)
{
    if (e->x)
        dot(e, e->x, p, first, second);
    else
        dot(e, NULL, p, first, second);
}

WIDE static double dot_wide(const thr_example *e, size_t at)
{
    double sum;
    dot_kind(e, (places){.first = at, .wide = true, .alone = true}, &sum, NULL);
    return sum;
}

WIDE static double dot_narrow(const thr_example *e, size_t at)
{
    double sum;
    dot_kind(e, (places){.first = at, .alone = true}, &sum, NULL);
    return sum;
}

static bool is_beside(size_t wide, size_t narrow)
{
    return narrow == wide + sizeof(double);
}

WIDE static void dot_pair(const thr_example *e, size_t wide, size_t narrow, double *wide_out,
                          double *narrow_out)
{
    places p = {.first = wide, .wide = true, .second = narrow};
    if (is_beside(wide, narrow)) {
        p.beside = true;
        dot_kind(e, p, wide_out, narrow_out);
    } else
        dot_kind(e, p, wide_out, narrow_out);
}

WIDE static void dot_two(const thr_example *e, size_t first, size_t second, double *first_out,
                         double *second_out)
{
    dot_kind(e, (places){.first = first, .second = second}, first_out, second_out);
}

/* ---- many functions ----------------------------------------------------------------------- */

INLINE __m256d load_quad(const char *row, bool wide)
{
    const void *p = row;
    return wide ? _mm256_loadu_pd(p) : _mm256_cvtps_pd(_mm_loadu_ps(p));
}

/* Adds x w to the sums of n quads, w being the numbers at p; without `times` it adds w. */
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

/* The sums of n quads over all features. Inlined for each n and each kind of slot and values,
 * so that the sums stay in registers from the first feature to the last. */
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

/* The rows of four features, taken from the list before any row is written to: as far as the
 * compiler knows, writing to a row could change the list. */
typedef struct four_rows {
    char *row[4];
} four_rows;

INLINE four_rows rows_from(char *const *row)
{
    return (four_rows){{row[0], row[1], row[2], row[3]}};
}

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
    const four_rows to = rows_from(row);
    const int bits[] = {_mm_extract_ps(v, 0), _mm_extract_ps(v, 1), _mm_extract_ps(v, 2),
                        _mm_extract_ps(v, 3)};
    for (int k = 0; k < 4; k++)
        memcpy(to.row[k] + at, &bits[k], sizeof bits[k]);
}

/* Writes each number back to where load_beside has read it. */
INLINE void store_beside(char *const *row, size_t at, fours v)
{
    void *a = row[0] + at, *b = row[1] + at, *c = row[2] + at, *d = row[3] + at;
    __m256d even = _mm256_unpacklo_pd(v.first, v.second);
    __m256d odd = _mm256_unpackhi_pd(v.first, v.second);
    _mm_storeu_pd(a, _mm256_castpd256_pd128(even));
    _mm_storeu_pd(b, _mm256_castpd256_pd128(odd));
    _mm_storeu_pd(c, _mm256_extractf128_pd(even, 1));
    _mm_storeu_pd(d, _mm256_extractf128_pd(odd, 1));
}

/* Replaces the f32 in the first half of each eight bytes; the second half, which may belong to
 * another slot, is kept. */
INLINE __m256d with_narrow(__m256d behind, __m128 v)
{
    __m256 fresh = _mm256_castsi256_ps(_mm256_cvtepu32_epi64(_mm_castps_si128(v)));
    return _mm256_castps_pd(_mm256_blend_ps(_mm256_castpd_ps(behind), fresh, 0x55));
}

/* Four weights after adding `by` (step times value): clamped and rounded to float. Adds clock
 * times the distance they went to *sum. */
INLINE __m128 moved(__m256d before, __m256d by, __m256d clock, __m256d *sum)
{
    const __m256d most = _mm256_set1_pd(THR_WEIGHT_MAX), least = _mm256_set1_pd(-THR_WEIGHT_MAX);
    __m256d to = _mm256_add_pd(before, by);
    __m128 after = _mm256_cvtpd_ps(_mm256_max_pd(_mm256_min_pd(to, most), least));
    __m256d went = _mm256_sub_pd(_mm256_cvtps_pd(after), before);
    *sum = _mm256_add_pd(*sum, _mm256_mul_pd(clock, went));
    return after;
}

INLINE void move_quad(char *const *of, places p, __m256d by, __m256d clock)
{
    const four_rows rows = rows_from(of);
    char *const *row = rows.row;
    if (p.beside) {
        fours v = load_beside(row, p.first);
        __m128 after = moved(narrow_of(v.second), by, clock, &v.first);
        store_beside(row, p.first, (fours){v.first, with_narrow(v.second, after)});
    } else {
        __m256d sum = load_wide(row, p.first);
        store_narrow(row, p.second, moved(load_narrow(row, p.second), by, clock, &sum));
        store_wide(row, p.first, sum);
    }
}

/* Moves four features at a time; the plain kernel moves the last one to three. */
INLINE void move(const thr_example *e, const float *x, places p, double step, double clock)
{
    __m256d steps = _mm256_set1_pd(step), scale = _mm256_set1_pd(e->scale);
    __m256d clocks = _mm256_set1_pd(clock), by = _mm256_mul_pd(steps, scale);
    char *const *row = e->row;
    size_t i = 0, n = e->n;
    for (; i + 4 <= n; i += 4) {
        if (x)
            by = _mm256_mul_pd(steps, _mm256_mul_pd(scale, load_values(x + i)));
        move_quad(row + i, p, by, clocks);
    }
    if (i == n)
        return;
    thr_example left = *e;
    left.row += i;
    if (x)
        left.x += i;
    left.n -= i;
    thr_kernels_plain.move_pair(&left, p.first, p.second, step, clock);
}

WIDE static void move_pair(const thr_example *e, size_t wide, size_t narrow, double step,
                           double clock)
{
    places p = {.first = wide, .second = narrow};
    if (is_beside(wide, narrow) && e->x) {
        p.beside = true;
        move(e, e->x, p, step, clock);
    } else if (is_beside(wide, narrow)) {
        p.beside = true;
        move(e, NULL, p, step, clock);
    } else
        move(e, e->x, p, step, clock);
}

/* Four features at a time, as in `move`; the plain kernel adds to the last one to three. */
INLINE void add_some(const thr_example *e, const float *x, size_t narrow, double step)
{
    const __m256d most = _mm256_set1_pd(THR_WEIGHT_MAX), least = _mm256_set1_pd(-THR_WEIGHT_MAX);
    __m256d steps = _mm256_set1_pd(step), by = steps;
    char *const *row = e->row;
    size_t i = 0, n = e->n;
    for (; i + 4 <= n; i += 4) {
        const four_rows rows = rows_from(row + i);
        if (x)
            by = _mm256_mul_pd(steps, load_values(x + i));
        __m256d to = _mm256_add_pd(load_narrow(rows.row, narrow), by);
        store_narrow(rows.row, narrow,
                     _mm256_cvtpd_ps(_mm256_max_pd(_mm256_min_pd(to, most), least)));
    }
    if (i == n)
        return;
    thr_example left = *e;
    left.row += i;
    if (x)
        left.x += i;
    left.n -= i;
    thr_kernels_plain.add_narrow(&left, narrow, step);
}

WIDE static void add_narrow(const thr_example *e, size_t narrow, double step)
{
    if (e->x)
        add_some(e, e->x, narrow, step);
    else
        add_some(e, NULL, narrow, step);
}

/* ---- numbers of one function ------------------------------------------------------------- */

/* Eight bytes that hold two f32; may_alias, since they are read as one double. */
typedef double eight __attribute__((may_alias));

/* Eight bytes of each of two rows. _mm_loadh_pd and _mm_storeh_pd would do the same, but
 * compilers then compute each address in a register first. */
INLINE __m128 load_halves(char *const *row, size_t at)
{
    const void *low = row[0] + at, *high = row[1] + at;
    return _mm_castpd_ps(_mm_setr_pd(*(const eight *)low, *(const eight *)high));
}

INLINE void store_halves(char *const *row, size_t at, __m128 v)
{
    const __m128d both = _mm_castps_pd(v);
    double low = both[0], high = both[1];
    memcpy(row[0] + at, &low, sizeof low);
    memcpy(row[1] + at, &high, sizeof high);
}

/* Two f32 of four rows, as double. Inlined for adjacent numbers and for others. */
INLINE fours load_two(char *const *row, places p)
{
    if (!p.beside)
        return (fours){load_narrow(row, p.first), load_narrow(row, p.second)};
    __m128 low = load_halves(row, p.first), high = load_halves(row + 2, p.first);
    return (fours){_mm256_cvtps_pd(_mm_shuffle_ps(low, high, _MM_SHUFFLE(2, 0, 2, 0))),
                   _mm256_cvtps_pd(_mm_shuffle_ps(low, high, _MM_SHUFFLE(3, 1, 3, 1)))};
}

INLINE void store_two(char *const *row, places p, fours v)
{
    __m128 first = _mm256_cvtpd_ps(v.first), second = _mm256_cvtpd_ps(v.second);
    if (p.beside) {
        store_halves(row, p.first, _mm_unpacklo_ps(first, second));
        store_halves(row + 2, p.first, _mm_unpackhi_ps(first, second));
    } else {
        store_narrow(row, p.first, first);
        store_narrow(row, p.second, second);
    }
}

INLINE void take_fours(char *const *row, size_t n, places p, double *a, double *b)
{
    size_t i = 0;
    for (; i + 4 <= n; i += 4) {
        fours v = load_two(row + i, p);
        _mm256_storeu_pd(a + i, v.first);
        _mm256_storeu_pd(b + i, v.second);
    }
    thr_kernels_plain.take(row + i, n - i, p.first, p.second, a + i, b + i);
}

WIDE static void take(char *const *row, size_t n, size_t first, size_t second, double *a, double *b)
{
    if (second == first + sizeof(float))
        take_fours(row, n, (places){.first = first, .second = second, .beside = true}, a, b);
    else
        take_fours(row, n, (places){.first = first, .second = second}, a, b);
}

INLINE void put_fours(char *const *row, size_t n, places p, const double *a, const double *b)
{
    size_t i = 0;
    for (; i + 4 <= n; i += 4)
        store_two(row + i, p, (fours){_mm256_loadu_pd(a + i), _mm256_loadu_pd(b + i)});
    thr_kernels_plain.put(row + i, n - i, p.first, p.second, a + i, b + i);
}

WIDE static void put(char *const *row, size_t n, size_t first, size_t second, const double *a,
                     const double *b)
{
    if (second == first + sizeof(float))
        put_fours(row, n, (places){.first = first, .second = second, .beside = true}, a, b);
    else
        put_fours(row, n, (places){.first = first, .second = second}, a, b);
}

/* Gathers the numbers and values of four features, and returns sum + w x for both numbers; sum
 * + w if x is NULL. */
INLINE fours take_add(fours sum, const thr_example *e, const float *x, size_t i, places p,
                      thr_gathered *s)
{
    fours w = load_two(e->row + i, p);
    __m256d scale = _mm256_set1_pd(e->scale), value = x ? load_values(x + i) : scale;
    _mm256_storeu_pd(s->a + i, w.first);
    _mm256_storeu_pd(s->b + i, w.second);
    _mm256_storeu_pd(s->x + i, x ? _mm256_mul_pd(scale, value) : scale);
    if (x)
        w = (fours){_mm256_mul_pd(w.first, value), _mm256_mul_pd(w.second, value)};
    return (fours){_mm256_add_pd(sum.first, w.first), _mm256_add_pd(sum.second, w.second)};
}

INLINE void take_dot_kind(const thr_example *of, const float *x, places p, thr_gathered *s,
                          double *first, double *second)
{
    /* A copy: as far as the compiler knows, writing to s could change *of. */
    const thr_example v = *of, *e = &v;
    fours low = {_mm256_setzero_pd(), _mm256_setzero_pd()}, high = low;
    size_t i = 0;
    for (; i + THR_LANES <= e->n; i += THR_LANES) {
        low = take_add(low, e, x, i, p, s);
        high = take_add(high, e, x, i + 4, p, s);
    }
    if (i + 4 <= e->n) {
        low = take_add(low, e, x, i, p, s);
        i += 4;
    }
    for (size_t k = i; k < e->n; k++) {
        thr_kernels_plain.take(e->row + k, 1, p.first, p.second, s->a + k, s->b + k);
        s->x[k] = thr_example_value(e, k);
    }
    *first = sum_of((lanes){low.first, high.first}, e, x, i, p.first, false);
    if (!p.alone)
        *second = sum_of((lanes){low.second, high.second}, e, x, i, p.second, false);
}

/* In rows of one function the two numbers are adjacent, so this is the case worth a loop. */
WIDE static void take_dot(const thr_example *e, size_t first, size_t second, thr_gathered *s,
                          double *first_out, double *second_out)
{
    places p = {.first = first, .second = second, .beside = true};
    if (second != first + sizeof(float))
        thr_kernels_plain.take_dot(e, first, second, s, first_out, second_out);
    else if (second_out && e->x)
        take_dot_kind(e, e->x, p, s, first_out, second_out);
    else if (second_out)
        take_dot_kind(e, NULL, p, s, first_out, second_out);
    else {
        p.alone = true;
        if (e->x)
            take_dot_kind(e, e->x, p, s, first_out, NULL);
        else
            take_dot_kind(e, NULL, p, s, first_out, NULL);
    }
}

/* ---- the example itself ------------------------------------------------------------------- */

/* The last n < 8 values, followed by zeros. */
INLINE __m256 load_left(const float *x, size_t n)
{
    static const int mask[16] = {-1, -1, -1, -1, -1, -1, -1, -1};
    const void *from = mask + THR_LANES - n;
    return _mm256_maskload_ps(x, _mm256_loadu_si256(from));
}

INLINE float greatest_of(__m256 v)
{
    __m128 most = _mm_max_ps(_mm256_castps256_ps128(v), _mm256_extractf128_ps(v, 1));
    most = _mm_max_ps(most, _mm_movehl_ps(most, most));
    return _mm_cvtss_f32(_mm_max_ss(most, _mm_movehdup_ps(most)));
}

/* Adds the squares of eight values, and finds the greatest in each place. */
INLINE void measure_eight(__m256 x, lanes *sum, __m256 *most)
{
    __m256d low = _mm256_cvtps_pd(_mm256_castps256_ps128(x));
    __m256d high = _mm256_cvtps_pd(_mm256_extractf128_ps(x, 1));
    sum->low = _mm256_add_pd(sum->low, _mm256_mul_pd(low, low));
    sum->high = _mm256_add_pd(sum->high, _mm256_mul_pd(high, high));
    *most = _mm256_max_ps(*most, _mm256_andnot_ps(_mm256_set1_ps(-0.0f), x));
}

WIDE static void measure(const float *x, size_t n, double *squares, float *greatest)
{
    __m256 most = _mm256_setzero_ps();
    lanes sum = {_mm256_setzero_pd(), _mm256_setzero_pd()};
    size_t i = 0;
    for (; i + THR_LANES <= n; i += THR_LANES)
        measure_eight(_mm256_loadu_ps(x + i), &sum, &most);
    if (i < n)
        measure_eight(load_left(x + i, n - i), &sum, &most);
    *greatest = greatest_of(most);
    *squares = lanes_sum(sum);
}

const thr_kernels thr_kernels_wide = {
    .dot_wide = dot_wide,
    .dot_narrow = dot_narrow,
    .dot_pair = dot_pair,
    .dot_two = dot_two,
    .move_pair = move_pair,
    .add_narrow = add_narrow,
    .take = take,
    .put = put,
    .take_dot = take_dot,
    .quads = quads,
    .quads_pair = quads_pair,
    .measure = measure,
};

#endif
