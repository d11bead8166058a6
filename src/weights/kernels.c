/* The hot loops over the rows of an example: dot products, and moves along it.
 *
 * Feature i adds into lane i mod THR_LANES and the lanes are added pairwise, at every width of the
 * machine's registers, so that all of them give the same sums to the bit. */
#include "weights/kernels.h"

#include "base/wide.h"

#include <math.h>
#include <string.h>

/* The scale is one factor of the whole sum. */
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

/* Values are finite, so that a plain comparison does for fmaxf. */
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

const thr_kernels thr_kernels_plain = {
    .dot_wide = dot_wide,
    .dot_narrow = dot_narrow,
    .dot_pair = dot_pair,
    .move_pair = move_pair,
    .measure = measure,
};

/* ---- many functions ----------------------------------------------------------------------- */

#define TILE 8 /* functions scored together, their sums in registers; or half as many */

/* out[f] += sum_i x_i w_i[f] for `tile` functions from `offset` on, in the order of the example.
 * Terms of features that were not known before are left out if `known` is given. Inlined for each
 * kind. */
__attribute__((always_inline)) static inline void dot_tile(const thr_example *e, size_t offset,
                                                           int tile, bool wide, bool values,
                                                           bool scaled, bool known, double *out)
{
    double sum[TILE];
    memcpy(sum, out, (size_t)tile * sizeof *sum);
    for (size_t i = 0; i < e->n; i++) {
        const char *at = e->row[i] + offset;
        double x = values ? (double)e->x[i] : 1;
        if (known && e->id[i] >= e->known)
            continue;
        x = scaled ? e->scale * x : x;
        if (wide)
            for (int f = 0; f < tile; f++)
                sum[f] += ((const double *)(const void *)at)[f] * x;
        else
            for (int f = 0; f < tile; f++)
                sum[f] += (double)((const float *)(const void *)at)[f] * x;
    }
    memcpy(out, sum, (size_t)tile * sizeof *sum);
}

THR_CLONED static void dot_tile_narrow(const thr_example *e, size_t offset, double *out)
{
    if (e->x)
        dot_tile(e, offset, TILE, false, true, false, false, out);
    else
        dot_tile(e, offset, TILE, false, false, false, false, out);
}

THR_CLONED static void dot_tile_wide(const thr_example *e, size_t offset, double *out)
{
    if (e->x)
        dot_tile(e, offset, TILE, true, true, false, false, out);
    else
        dot_tile(e, offset, TILE, true, false, false, false, out);
}

THR_CLONED static void dot_half_narrow(const thr_example *e, size_t offset, double *out)
{
    if (e->x)
        dot_tile(e, offset, TILE / 2, false, true, false, false, out);
    else
        dot_tile(e, offset, TILE / 2, false, false, false, false, out);
}

THR_CLONED static void dot_half_wide(const thr_example *e, size_t offset, double *out)
{
    if (e->x)
        dot_tile(e, offset, TILE / 2, true, true, false, false, out);
    else
        dot_tile(e, offset, TILE / 2, true, false, false, false, out);
}

THR_CLONED static void dot_tile_known(const thr_example *e, size_t offset, double *out)
{
    if (e->x)
        dot_tile(e, offset, TILE, true, true, true, true, out);
    else
        dot_tile(e, offset, TILE, true, false, true, true, out);
}

/* The functions of one row from `first` on: those that fill no tile. */
static void add_row(const thr_weights *w, unsigned slot, const char *row, uint32_t first, double x,
                    double *out)
{
    const char *at = row + w->offset[slot];
    if (slot < w->n_wide)
        for (uint32_t f = first; f < w->functions; f++)
            out[f] += ((const double *)(const void *)at)[f] * x;
    else
        for (uint32_t f = first; f < w->functions; f++)
            out[f] += (double)((const float *)(const void *)at)[f] * x;
}

/* Tiles may reach beyond the functions as far as rows do; what is there does not count. */
static void dot_many(const thr_weights *w, unsigned slot, const thr_example *e, double *out)
{
    bool wide = slot < w->n_wide;
    size_t offset = w->offset[slot], size = wide ? sizeof(double) : sizeof(float);
    uint32_t f = 0;
    memset(out, 0, w->functions * sizeof *out);
    for (; f + TILE <= w->functions; f += TILE)
        (wide ? dot_tile_wide : dot_tile_narrow)(e, offset + f * size, out + f);
    if (f < w->functions && f + TILE / 2 <= w->width) {
        bool half = f + TILE / 2 >= w->functions;
        double last[TILE] = {0};
        if (half)
            (wide ? dot_half_wide : dot_half_narrow)(e, offset + f * size, last);
        else if (f + TILE <= w->width)
            (wide ? dot_tile_wide : dot_tile_narrow)(e, offset + f * size, last);
        if (half || f + TILE <= w->width) {
            memcpy(out + f, last, (w->functions - f) * sizeof *out);
            f = w->functions;
        }
    }
    for (size_t i = 0; i < e->n && f < w->functions; i++)
        add_row(w, slot, e->row[i], f, raw_value(e, i), out);
    for (f = 0; f < w->functions && e->scale != 1; f++)
        out[f] *= e->scale;
}

void thr_weights_dot_both(const thr_weights *w, unsigned wide, unsigned narrow,
                          const thr_example *e, double *wide_out, double *narrow_out)
{
    if (w->functions == 1) {
        thr_kernels_here()->dot_pair(e, w->offset[wide], w->offset[narrow], wide_out, narrow_out);
        return;
    }
    dot_many(w, wide, e, wide_out);
    dot_many(w, narrow, e, narrow_out);
}

void thr_weights_dot(const thr_weights *w, unsigned slot, const thr_example *e, double *out)
{
    const thr_kernels *k = thr_kernels_here();
    if (w->functions > 1)
        dot_many(w, slot, e, out);
    else
        *out = (slot < w->n_wide ? k->dot_wide : k->dot_narrow)(e, w->offset[slot]);
}

/* The same for two functions, in f64. */
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
    uint32_t f = 0;
    if (w->functions == 2 && slot < w->n_wide) {
        dot_two_known(e, w->offset[slot], out);
        return;
    }
    for (; slot < w->n_wide && f + TILE <= w->functions; f += TILE)
        dot_tile_known(e, w->offset[slot] + f * sizeof(double), out + f);
    for (size_t i = 0; i < e->n && f < w->functions; i++)
        if (e->id[i] < e->known)
            add_row(w, slot, e->row[i], f, thr_example_value(e, i), out);
}

void thr_weights_add(thr_weights *w, unsigned slot, const thr_example *e, uint32_t function,
                     double step)
{
    step *= e->scale;
    if (slot < w->n_wide) {
        for (size_t i = 0; i < e->n; i++)
            thr_row_wide(w, e, i, slot)[function] += step * raw_value(e, i);
        return;
    }
    for (size_t i = 0; i < e->n; i++) {
        float *at = thr_row(w, e, i, slot) + function;
        *at = (float)thr_weight_clamp((double)*at + step * raw_value(e, i));
    }
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
    k->move_pair(e, w->offset[wide] + function * sizeof(double),
                 w->offset[narrow] + function * sizeof(float), step, clock);
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
