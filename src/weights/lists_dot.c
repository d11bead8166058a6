/* Dot products of lists (lists.h): the entries of each feature's list are added into a dense vector
 * of functions, in the order of the example. */
#include "base/wide.h"
#include "weights/entries.h"

#include <string.h>

#define LISTS_AHEAD 8   /* lists that are prefetched while one is added up */
#define REST_AHEAD  512 /* bytes of a dense list that are; the processor foresees what follows */

THR_CLONED static void add_to_all(double *out, size_t n, double by)
{
    for (size_t f = 0; f < n; f++)
        out[f] += by;
}

/* The numbers of a dense list, `stride` numbers apart. */
THR_CLONED static void add_dense_narrow(double *out, size_t n, const float *at, size_t stride,
                                        double x)
{
    if (stride == 1)
        for (size_t f = 0; f < n; f++)
            out[f] += (double)at[f] * x;
    else if (stride == 2)
        for (size_t f = 0; f < n; f++)
            out[f] += (double)at[2 * f] * x;
    else
        for (size_t f = 0; f < n; f++)
            out[f] += (double)at[stride * f] * x;
}

THR_CLONED static void add_dense_wide(double *out, size_t n, const double *at, size_t stride,
                                      double x)
{
    if (stride == 2)
        for (size_t f = 0; f < n; f++)
            out[f] += at[2 * f] * x;
    else
        for (size_t f = 0; f < n; f++)
            out[f] += at[stride * f] * x;
}

/* The numbers of a sparse list. No function occurs twice, so the sums do not wait for each other;
 * the loops are unrolled by hand, since a compiler does not know that. */
static void add_sparse_narrow(double *out, const uint32_t *f, size_t n, const float *at,
                              size_t stride, double x)
{
    size_t k = 0;
    for (; k + 4 <= n; k += 4, at += 4 * stride) {
        double a = out[f[k]] + (double)at[0] * x, b = out[f[k + 1]] + (double)at[stride] * x;
        double c = out[f[k + 2]] + (double)at[2 * stride] * x;
        double d = out[f[k + 3]] + (double)at[3 * stride] * x;
        out[f[k]] = a;
        out[f[k + 1]] = b;
        out[f[k + 2]] = c;
        out[f[k + 3]] = d;
    }
    for (; k < n; k++, at += stride)
        out[f[k]] += (double)at[0] * x;
}

static void add_sparse_wide(double *out, const uint32_t *f, size_t n, const double *at,
                            size_t stride, double x)
{
    size_t k = 0;
    for (; k + 4 <= n; k += 4, at += 4 * stride) {
        double a = out[f[k]] + at[0] * x, b = out[f[k + 1]] + at[stride] * x;
        double c = out[f[k + 2]] + at[2 * stride] * x, d = out[f[k + 3]] + at[3 * stride] * x;
        out[f[k]] = a;
        out[f[k + 1]] = b;
        out[f[k + 2]] = c;
        out[f[k + 3]] = d;
    }
    for (; k < n; k++, at += stride)
        out[f[k]] += at[0] * x;
}

/* out[f] += x times the number of function f in a slot, for every entry of a list. */
static void add_entries(const thr_weights *w, const thr_entries *l, unsigned slot, double x,
                        double *out)
{
    const void *at = thr_entry_at(w, l, 0) + thr_weights_offset(w, slot, 1);
    size_t wide = w->entry / sizeof(double), narrow = w->entry / sizeof(float);
    if (slot < w->n_wide && l->dense)
        add_dense_wide(out, l->n, at, wide, x);
    else if (slot < w->n_wide)
        add_sparse_wide(out, thr_list_functions(w, l), l->n, at, wide, x);
    else if (l->dense)
        add_dense_narrow(out, l->n, at, narrow, x);
    else
        add_sparse_narrow(out, thr_list_functions(w, l), l->n, at, narrow, x);
}

/* The same where functions without an entry have a start value that is not 0: what the entries make
 * of their sums waits in `room` while the start value is added to all. */
static void add_all(const thr_weights *w, const thr_entries *l, unsigned slot, double x,
                    double *out, double *room)
{
    double start = thr_list_start(w, slot);
    uint32_t entries = l ? l->n : 0;
    if (l && l->dense) {
        add_entries(w, l, slot, x, out);
        add_to_all(out + entries, w->functions - entries, start * x);
        return;
    }
    const char *at = l ? thr_entry_at(w, l, 0) + thr_weights_offset(w, slot, 1) : NULL;
    for (uint32_t k = 0; k < entries; k++)
        room[k] =
            out[thr_list_functions(w, l)[k]] + thr_entry_number(w, at + k * w->entry, slot) * x;
    add_to_all(out, w->functions, start * x);
    for (uint32_t k = 0; k < entries; k++)
        out[thr_list_functions(w, l)[k]] = room[k];
}

static void prefetch_list(const thr_example *e, size_t i)
{
    const char *l = i < e->n ? (const char *)thr_row_entries(e->row[i] + e->at) : NULL;
    if (!l)
        return;
    __builtin_prefetch(l);
    __builtin_prefetch(l + THR_CACHE_LINE);
}

/* Prefetches the rest of a dense list, whose beginning has come. */
static void prefetch_rest(const thr_weights *w, const thr_example *e, size_t i)
{
    const thr_entries *l = i < e->n ? thr_row_entries(e->row[i] + e->at) : NULL;
    if (!l || !l->dense)
        return;
    size_t end = sizeof *l + l->n * w->entry;
    for (size_t at = 2 * THR_CACHE_LINE; at < end && at < REST_AHEAD; at += THR_CACHE_LINE)
        __builtin_prefetch((const char *)l + at);
}

void thr_lists_dot(const thr_weights *w, unsigned slot, const thr_example *e, bool known,
                   double *out)
{
    bool plain = thr_list_start(w, slot) == 0;
    for (size_t i = 0; i < LISTS_AHEAD; i++)
        prefetch_list(e, i);
    for (size_t i = 0; i < e->n; i++) {
        const thr_entries *l = thr_row_entries(e->row[i] + e->at);
        prefetch_list(e, i + LISTS_AHEAD);
        prefetch_rest(w, e, i + LISTS_AHEAD / 2);
        if (known && e->id[i] >= e->known)
            continue;
        double x = known ? thr_example_value(e, i) : e->x ? (double)e->x[i] : 1;
        if (!plain)
            add_all(w, l, slot, x, out, e->room);
        else if (l)
            add_entries(w, l, slot, x, out);
    }
}

void thr_list_read(const thr_weights *w, const thr_entries *l, unsigned slot, double *out)
{
    size_t at = thr_weights_offset(w, slot, 1);
    for (uint32_t f = 0; f < w->functions; f++)
        out[f] = w->slot[slot].start;
    for (uint32_t k = 0; l && k < l->n; k++)
        out[l->dense ? k : thr_list_functions(w, l)[k]] =
            thr_entry_number(w, thr_entry_at(w, l, k) + at, slot);
}
