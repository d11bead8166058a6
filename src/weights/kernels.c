/* The hot loops over the rows of an example: dot products of weights and values, and updates of
 * the weights along the example. This file has the plain C kernels and the functions of
 * weights.h that call them; kernels_wide.c has the same kernels for AVX2.
 *
 * Floating-point addition is not associative, so a sum has the same bits on every machine only
 * if its terms are added in the same order. For one function the order is fixed as eight lanes:
 *
 *     lane k = x_k w_k + x_(k+8) w_(k+8) + x_(k+16) w_(k+16) + ...           k = 0 .. 7
 *     sum = ((lane 0 + lane 1) + (lane 2 + lane 3)) + ((lane 4 + lane 5) + (lane 6 + lane 7))
 *
 * Eight independent lanes are two AVX2 registers of four doubles, and hide the latency of the
 * addition; a machine with narrower registers, or none, computes the same lanes one by one. For
 * several functions the terms of each are added in the order of the example, and it is the
 * functions that are side by side in a register.
 *
 * Plain and vector code agree to the bit because every number is the result of the same IEEE
 * 754 operations on the same operands in the same order:
 *
 *   - Weights and values are converted to double before they are multiplied. The product of two
 *     floats is exact in a double; of a wide weight it is rounded once, in the same way.
 *   - Nothing is compiled to a fused multiply-add, which rounds once instead of twice, and the
 *     compiler may not reorder sums (-ffp-contract=off, no fast-math).
 *   - Where vector code has fewer than four terms left it fills up with +0. A lane is never -0:
 *     it starts as +0, and +0 plus -0, or x plus -x, is +0. So adding +0 changes nothing.
 *   - Where all values are 1 the multiplication is left out: w times 1 is w.
 *   - The example's scale multiplies the whole sum, once, at the end. thr_weights_dot_known,
 *     which adds to numbers that are there already, scales each value instead. */
#include "weights/kernels.h"

#include "base/wide.h"
#include "weights/lists.h"

#include <math.h>
#include <string.h>

/* The value of feature i without the example's scale. */
static inline double raw_value(const thr_example *e, size_t i)
{
    return e->x ? (double)e->x[i] : 1;
}

static inline double *wide_at(const thr_example *e, size_t i, size_t at)
{
    return (double *)(void *)(e->row[i] + at);
}

static inline float *narrow_at(const thr_example *e, size_t i, size_t at)
{
    return (float *)(void *)(e->row[i] + at);
}

/* ---- one function ------------------------------------------------------------------------- */

static double dot_wide(const thr_example *e, size_t wide)
{
    double lane[THR_LANES] = {0};
    for (size_t i = 0; i < e->n; i++)
        lane[i % THR_LANES] += *wide_at(e, i, wide) * raw_value(e, i);
    return thr_lanes_sum(lane) * e->scale;
}

static double dot_narrow(const thr_example *e, size_t narrow)
{
    double lane[THR_LANES] = {0};
    for (size_t i = 0; i < e->n; i++)
        lane[i % THR_LANES] += (double)*narrow_at(e, i, narrow) * raw_value(e, i);
    return thr_lanes_sum(lane) * e->scale;
}

static void dot_pair(const thr_example *e, size_t wide, size_t narrow, double *wide_out,
                     double *narrow_out)
{
    *wide_out = dot_wide(e, wide);
    *narrow_out = dot_narrow(e, narrow);
}

static void dot_two(const thr_example *e, size_t first, size_t second, double *first_out,
                    double *second_out)
{
    *first_out = dot_narrow(e, first);
    *second_out = dot_narrow(e, second);
}

/* The wide slot sums how far the stored weight went, after clamping and rounding. With the
 * distance that was asked for, the mean would drift away from the weights that were in
 * force. */
static void move_pair(const thr_example *e, size_t wide, size_t narrow, double step, double clock)
{
    for (size_t i = 0; i < e->n; i++) {
        float *now = narrow_at(e, i, narrow);
        double before = (double)*now;
        float after = (float)thr_weight_clamp(before + step * thr_example_value(e, i));
        *now = after;
        *wide_at(e, i, wide) += clock * ((double)after - before);
    }
}

static void add_narrow(const thr_example *e, size_t narrow, double step)
{
    for (size_t i = 0; i < e->n; i++) {
        float *at = narrow_at(e, i, narrow);
        *at = (float)thr_weight_clamp((double)*at + step * raw_value(e, i));
    }
}

static void take(char *const *row, size_t n, size_t first, size_t second, double *a, double *b)
{
    for (size_t i = 0; i < n; i++) {
        a[i] = (double)*(const float *)(const void *)(row[i] + first);
        b[i] = (double)*(const float *)(const void *)(row[i] + second);
    }
}

static void put(char *const *row, size_t n, size_t first, size_t second, const double *a,
                const double *b)
{
    for (size_t i = 0; i < n; i++) {
        *(float *)(void *)(row[i] + first) = (float)a[i];
        *(float *)(void *)(row[i] + second) = (float)b[i];
    }
}

static void take_dot(const thr_example *e, size_t first, size_t second, thr_gathered *s,
                     double *first_out, double *second_out)
{
    take(e->row, e->n, first, second, s->a, s->b);
    for (size_t i = 0; i < e->n; i++)
        s->x[i] = thr_example_value(e, i);
    *first_out = dot_narrow(e, first);
    if (second_out)
        *second_out = dot_narrow(e, second);
}

/* The values are finite, so a plain comparison gives the same as fmaxf. */
static void measure(const float *x, size_t n, double *squares, float *greatest)
{
    double lane[THR_LANES] = {0};
    float most = 0;
    for (size_t i = 0; i < n; i++) {
        lane[i % THR_LANES] += (double)x[i] * (double)x[i];
        most = fabsf(x[i]) > most ? fabsf(x[i]) : most;
    }
    *squares = thr_lanes_sum(lane);
    *greatest = most;
}

static inline double weight_at(const thr_example *e, size_t i, size_t at, bool wide, size_t f)
{
    return wide ? wide_at(e, i, at)[f] : (double)narrow_at(e, i, at)[f];
}

static void quads(const thr_example *e, size_t at, bool wide, bool known, unsigned n, double *out)
{
    for (size_t i = 0; i < e->n; i++) {
        double x = known ? thr_example_value(e, i) : raw_value(e, i);
        for (size_t f = 0; f < 4 * n && !(known && e->id[i] >= e->known); f++)
            out[f] += weight_at(e, i, at, wide, f) * x;
    }
}

static void quads_pair(const thr_example *e, size_t wide, size_t narrow, unsigned n,
                       double *wide_out, double *narrow_out)
{
    quads(e, wide, true, false, n, wide_out);
    quads(e, narrow, false, false, n, narrow_out);
}

const thr_kernels thr_kernels_plain = {
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

/* ---- many functions ----------------------------------------------------------------------- */

/* out[f] += x w[f] for the functions first .. last - 1 of one row, which do not fill a quad. */
__attribute__((always_inline)) static inline void add_row(const char *at, bool wide, uint32_t first,
                                                          uint32_t last, double x, double *out)
{
    if (wide)
        for (uint32_t f = first; f < last; f++)
            out[f] += ((const double *)(const void *)at)[f] * x;
    else
        for (uint32_t f = first; f < last; f++)
            out[f] += (double)((const float *)(const void *)at)[f] * x;
}

/* How many groups of four functions (quads) are computed together. The last group may include
 * numbers beyond `functions` if the rows are wide enough to hold them; their sums are
 * discarded. */
static uint32_t quads_of(const thr_weights *w)
{
    uint32_t up = (w->functions + 3) / 4;
    return up * 4 <= w->width ? up : w->functions / 4;
}

/* How many of `all` quads the pass that begins with quad q computes. */
static unsigned quads_from(uint32_t q, uint32_t all)
{
    return all - q < THR_QUADS ? all - q : THR_QUADS;
}

/* Bytes of the sums of n quads from quad q on, without those beyond the last function. */
static size_t bytes_of(const thr_weights *w, uint32_t q, unsigned n)
{
    uint32_t left = w->functions - 4 * q;
    return (left < 4 * n ? left : 4 * n) * sizeof(double);
}

/* Adds to out[f] for the functions of all quads. `out` has room for `functions` numbers only,
 * so the last group is summed in `beyond` if it reaches further. */
static void dot_quads(const thr_weights *w, unsigned slot, const thr_example *e, bool known,
                      double *out)
{
    bool wide = slot < w->n_wide;
    uint32_t all = quads_of(w);
    for (uint32_t q = 0; q < all; q += THR_QUADS) {
        unsigned n = quads_from(q, all);
        bool whole = 4 * (q + n) <= w->functions;
        double beyond[4 * THR_QUADS], *some = whole ? out + 4 * q : beyond;
        if (!whole) {
            memset(beyond, 0, sizeof beyond);
            memcpy(beyond, out + 4 * q, bytes_of(w, q, n));
        }
        thr_kernels_here()->quads(e, thr_place(w, e, slot, 4 * q), wide, known, n, some);
        if (!whole)
            memcpy(out + 4 * q, beyond, bytes_of(w, q, n));
    }
}

THR_CLONED static void scale_all(double *out, size_t n, double scale)
{
    for (size_t i = 0; i < n; i++)
        out[i] *= scale;
}

/* Adds the functions that quads leave over, and multiplies all sums by the example's scale. */
static void dot_rest(const thr_weights *w, unsigned slot, const thr_example *e, double *out)
{
    uint32_t done = quads_of(w) * 4, all = w->functions;
    size_t at = thr_place(w, e, slot, 0);
    bool wide = slot < w->n_wide;
    for (size_t i = 0; done < all && i < e->n; i++)
        add_row(e->row[i] + at, wide, done, all, raw_value(e, i), out);
    if (e->scale != 1)
        scale_all(out, w->functions, e->scale);
}

/* The same where rows are lists: for each function the terms are added in the same order. */
static void dot_lists(const thr_weights *w, unsigned slot, const thr_example *e, double *out)
{
    memset(out, 0, w->functions * sizeof *out);
    thr_lists_dot(w, slot, e, false, out);
    if (e->scale != 1)
        scale_all(out, w->functions, e->scale);
}

static void dot_many(const thr_weights *w, unsigned slot, const thr_example *e, double *out)
{
    if (thr_weights_is_listed(w)) {
        dot_lists(w, slot, e, out);
        return;
    }
    memset(out, 0, w->functions * sizeof *out);
    dot_quads(w, slot, e, false, out);
    dot_rest(w, slot, e, out);
}

void thr_weights_dot_both(const thr_weights *w, unsigned wide, unsigned narrow,
                          const thr_example *e, double *wide_out, double *narrow_out)
{
    const thr_kernels *k = thr_kernels_here();
    if (thr_weights_is_listed(w)) {
        dot_lists(w, wide, e, wide_out);
        dot_lists(w, narrow, e, narrow_out);
        return;
    }
    size_t at = thr_place(w, e, wide, 0), beside = thr_place(w, e, narrow, 0);
    uint32_t all = quads_of(w);
    if (w->functions == 1) {
        k->dot_pair(e, at, beside, wide_out, narrow_out);
        return;
    }
    memset(wide_out, 0, w->functions * sizeof *wide_out);
    memset(narrow_out, 0, w->functions * sizeof *narrow_out);
    for (uint32_t q = 0; q < all; q += THR_QUADS) {
        unsigned n = quads_from(q, all);
        size_t a_at = at + 4 * q * sizeof(double), b_at = beside + 4 * q * sizeof(float);
        if (4 * (q + n) <= w->functions) {
            k->quads_pair(e, a_at, b_at, n, wide_out + 4 * q, narrow_out + 4 * q);
            continue;
        }
        double a[4 * THR_QUADS] = {0}, b[4 * THR_QUADS] = {0};
        k->quads_pair(e, a_at, b_at, n, a, b);
        memcpy(wide_out + 4 * q, a, bytes_of(w, q, n));
        memcpy(narrow_out + 4 * q, b, bytes_of(w, q, n));
    }
    dot_rest(w, wide, e, wide_out);
    dot_rest(w, narrow, e, narrow_out);
}

void thr_weights_dot(const thr_weights *w, unsigned slot, const thr_example *e, double *out)
{
    const thr_kernels *k = thr_kernels_here();
    if (w->functions > 1)
        dot_many(w, slot, e, out);
    else
        *out = (slot < w->n_wide ? k->dot_wide : k->dot_narrow)(e, thr_place(w, e, slot, 0));
}

static void dot_two_slots(const thr_weights *w, const thr_example *e, double *first, double *second)
{
    if (w->functions == 1)
        thr_kernels_here()->dot_two(e, thr_place(w, e, 0, 0), thr_place(w, e, 1, 0), first, second);
    else {
        dot_many(w, 0, e, first);
        dot_many(w, 1, e, second);
    }
}

/* thr_weights_dot_known for two functions in a wide slot, which fill no quad: naive Bayes with
 * two labels. */
static void dot_two_known(const thr_example *e, size_t offset, double *out)
{
    double a = out[0], b = out[1];
    for (size_t i = 0; i < e->n; i++) {
        const double *at = (const double *)(const void *)(e->row[i] + offset);
        double x = thr_example_value(e, i);
        if (e->id[i] < e->known) {
            a += at[0] * x;
            b += at[1] * x;
        }
    }
    out[0] = a;
    out[1] = b;
}

void thr_weights_dot_known(const thr_weights *w, unsigned slot, const thr_example *e, double *out)
{
    if (thr_weights_is_listed(w)) {
        thr_lists_dot(w, slot, e, true, out);
        return;
    }
    uint32_t done = quads_of(w) * 4, all = w->functions;
    size_t at = thr_place(w, e, slot, 0);
    bool wide = slot < w->n_wide;
    if (all == 2 && wide) {
        dot_two_known(e, at, out);
        return;
    }
    dot_quads(w, slot, e, true, out);
    for (size_t i = 0; i < e->n && done < all; i++)
        if (e->id[i] < e->known)
            add_row(e->row[i] + at, wide, done, all, thr_example_value(e, i), out);
}

void thr_weights_add(thr_weights *w, unsigned slot, const thr_example *e, uint32_t function,
                     double step)
{
    step *= e->scale;
    if (slot < w->n_wide) {
        for (size_t i = 0; i < e->n; i++)
            *thr_row_wide(w, e, i, slot, function) += step * raw_value(e, i);
        return;
    }
    const thr_kernels *k = e->distinct ? thr_kernels_here() : &thr_kernels_plain;
    k->add_narrow(e, thr_place(w, e, slot, function), step);
}

double thr_example_sum(const thr_example *e)
{
    if (!e->x)
        return e->scale * (double)e->n;
    double lane[THR_LANES] = {0};
    for (size_t i = 0; i < e->n; i++)
        lane[i % THR_LANES] += (double)e->x[i];
    return e->scale * thr_lanes_sum(lane);
}

void thr_weights_move(thr_weights *w, unsigned wide, unsigned narrow, const thr_example *e,
                      uint32_t function, double step, double clock)
{
    const thr_kernels *k = e->distinct ? thr_kernels_here() : &thr_kernels_plain;
    k->move_pair(e, thr_place(w, e, wide, function), thr_place(w, e, narrow, function), step,
                 clock);
}

/* x[i] = value of feature from + i, with the scale. */
THR_CLONED static void take_values(const thr_example *e, size_t from, size_t n, double *x)
{
    if (e->x)
        for (size_t i = 0; i < n; i++)
            x[i] = e->scale * (double)e->x[from + i];
    else
        for (size_t i = 0; i < n; i++)
            x[i] = e->scale;
}

/* Sets the range of features and pads the arrays; x, a and b are still to be filled. The
 * padding changes no sum (x is 0) and no quotient is undefined (a and b are 1). */
static void some_begin(thr_gathered *s, const thr_example *e, size_t from)
{
    s->from = from;
    s->n = e->n - from < THR_GATHERED ? e->n - from : THR_GATHERED;
    s->round = (s->n + 3) & ~(size_t)3;
    for (size_t i = s->n; i < s->round; i++) {
        s->x[i] = 0;
        s->a[i] = s->b[i] = 1;
    }
}

void thr_gathered_dot(const thr_weights *w, const thr_example *e, double *first, double *second)
{
    thr_gathered *s = e->gathered;
    bool keeps = s && w->functions == 1 && e->distinct && e->n <= THR_GATHERED;
    if (s)
        s->row = keeps ? e->row : NULL;
    if (keeps) {
        some_begin(s, e, 0);
        thr_kernels_here()->take_dot(e, thr_place(w, e, 0, 0), thr_place(w, e, 1, 0), s, first,
                                     second);
    } else if (second)
        dot_two_slots(w, e, first, second);
    else
        thr_weights_dot(w, 0, e, first);
}

thr_gathered *thr_gathered_take(thr_gathered *s, const thr_weights *w, const thr_example *e,
                                uint32_t function, size_t from)
{
    if (e->gathered && e->gathered->row == e->row && e->gathered->n == e->n)
        return e->gathered; /* scoring left all features, of the only function */
    some_begin(s, e, from);
    take_values(e, from, s->n, s->x);
    thr_kernels_here()->take(e->row + from, s->n, thr_place(w, e, 0, function),
                             thr_place(w, e, 1, function), s->a, s->b);
    return s;
}

void thr_gathered_put(thr_gathered *s, thr_weights *w, const thr_example *e, uint32_t function)
{
    s->row = NULL;
    thr_kernels_here()->put(e->row + s->from, s->n, thr_place(w, e, 0, function),
                            thr_place(w, e, 1, function), s->a, s->b);
}

void thr_example_measure(const thr_example *e, double *norm2, double *greatest)
{
    double squares = (double)e->n;
    float most = e->n > 0;
    if (e->x)
        thr_kernels_here()->measure(e->x, e->n, &squares, &most);
    *norm2 = e->scale * e->scale * squares;
    *greatest = e->scale * (double)most;
}

double thr_example_norm2(const thr_example *e)
{
    double norm2, greatest;
    thr_example_measure(e, &norm2, &greatest);
    return norm2;
}

double thr_example_max(const thr_example *e)
{
    double norm2, greatest;
    thr_example_measure(e, &norm2, &greatest);
    return greatest;
}
