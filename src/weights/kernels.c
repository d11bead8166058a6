/* The hot loops over the rows of an example: dot products, and moves along it.
 *
 * Feature i adds into lane i mod THR_LANES and the lanes are added pairwise, at every width of the
 * machine's registers, so that all of them give the same sums to the bit. */
#include "base/wide.h"
#include "weights/weights.h"

#include <math.h>
#include <string.h>

static double lanes_sum(const double lane[THR_LANES])
{
    return ((lane[0] + lane[1]) + (lane[2] + lane[3])) +
           ((lane[4] + lane[5]) + (lane[6] + lane[7]));
}

/* The scale is one factor of the whole sum. */
static inline double raw_value(const thr_example *e, size_t i)
{
    return e->x ? (double)e->x[i] : 1;
}

static inline double number_at(const char *at, bool wide)
{
    return wide ? *(const double *)(const void *)at : (double)*(const float *)(const void *)at;
}

/* Inlined for each kind of slot. */
__attribute__((always_inline)) static inline double dot_one(const thr_example *e, size_t offset,
                                                            bool wide, bool values)
{
    double lane[THR_LANES] = {0};
    size_t i = 0;
    for (; i + THR_LANES <= e->n; i += THR_LANES)
        for (size_t k = 0; k < THR_LANES; k++)
            lane[k] += number_at(e->row[i + k] + offset, wide) * (values ? (double)e->x[i + k] : 1);
    for (; i < e->n; i++)
        lane[i % THR_LANES] += number_at(e->row[i] + offset, wide) * raw_value(e, i);
    return lanes_sum(lane) * e->scale;
}

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

/* dot_one of a wide and of a narrow slot, in one walk over the rows. */
__attribute__((always_inline)) static inline void dot_pair(const thr_example *e, size_t wide,
                                                           size_t narrow, bool values,
                                                           double *wide_out, double *narrow_out)
{
    double a[THR_LANES] = {0}, b[THR_LANES] = {0};
    size_t i = 0;
    for (; i + THR_LANES <= e->n; i += THR_LANES)
        for (size_t k = 0; k < THR_LANES; k++) {
            double x = values ? (double)e->x[i + k] : 1;
            a[k] += number_at(e->row[i + k] + wide, true) * x;
            b[k] += number_at(e->row[i + k] + narrow, false) * x;
        }
    for (; i < e->n; i++) {
        double x = values ? (double)e->x[i] : 1;
        a[i % THR_LANES] += number_at(e->row[i] + wide, true) * x;
        b[i % THR_LANES] += number_at(e->row[i] + narrow, false) * x;
    }
    *wide_out = lanes_sum(a) * e->scale;
    *narrow_out = lanes_sum(b) * e->scale;
}

void thr_weights_dot_both(const thr_weights *w, unsigned wide, unsigned narrow,
                          const thr_example *e, double *wide_out, double *narrow_out)
{
    if (w->functions > 1) {
        dot_many(w, wide, e, wide_out);
        dot_many(w, narrow, e, narrow_out);
    } else if (e->x)
        dot_pair(e, w->offset[wide], w->offset[narrow], true, wide_out, narrow_out);
    else
        dot_pair(e, w->offset[wide], w->offset[narrow], false, wide_out, narrow_out);
}

void thr_weights_dot(const thr_weights *w, unsigned slot, const thr_example *e, double *out)
{
    size_t offset = w->offset[slot];
    if (w->functions > 1)
        dot_many(w, slot, e, out);
    else if (slot < w->n_wide)
        *out = e->x ? dot_one(e, offset, true, true) : dot_one(e, offset, true, false);
    else
        *out = e->x ? dot_one(e, offset, false, true) : dot_one(e, offset, false, false);
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
    return e->scale * lanes_sum(lane);
}

THR_CLONED double thr_example_norm2(const thr_example *e)
{
    if (!e->x)
        return e->scale * e->scale * (double)e->n;
    double lane[THR_LANES] = {0};
    size_t i = 0;
    for (; i + THR_LANES <= e->n; i += THR_LANES)
        for (size_t k = 0; k < THR_LANES; k++)
            lane[k] += (double)e->x[i + k] * (double)e->x[i + k];
    for (; i < e->n; i++)
        lane[i % THR_LANES] += (double)e->x[i] * (double)e->x[i];
    return e->scale * e->scale * lanes_sum(lane);
}

/* Values are finite, so that a plain comparison does for fmaxf. */
THR_CLONED double thr_example_max(const thr_example *e)
{
    if (!e->x)
        return e->n ? e->scale : 0;
    float lane[THR_LANES] = {0};
    size_t i = 0;
    for (; i + THR_LANES <= e->n; i += THR_LANES)
        for (size_t k = 0; k < THR_LANES; k++) {
            float size = fabsf(e->x[i + k]);
            lane[k] = size > lane[k] ? size : lane[k];
        }
    for (; i < e->n; i++)
        lane[0] = fabsf(e->x[i]) > lane[0] ? fabsf(e->x[i]) : lane[0];
    for (size_t k = 1; k < THR_LANES; k++)
        lane[0] = lane[k] > lane[0] ? lane[k] : lane[0];
    return e->scale * (double)lane[0];
}
