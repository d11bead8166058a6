#include "weights/weights.h"

#include "example/batch.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void thr_weights_init(thr_weights *w, const thr_slot_spec *slots, unsigned n)
{
    *w = (thr_weights){.n_slots = n};
    for (unsigned i = 0; i < n; i++) {
        w->slot[i] = slots[i];
        w->n_wide += slots[i].wide;
    }
    thr_weights_widen(w, 1);
}

void thr_weights_clear(thr_weights *w)
{
    for (size_t i = 0; i < w->segments; i++)
        if (!w->segment[i].borrowed)
            free(w->segment[i].rows);
    free(w->segment);
    *w = (thr_weights){0};
}

/* Rows with a wide slot keep 8-byte alignment. */
size_t thr_weights_stride(const thr_weights *w, uint32_t width)
{
    size_t bytes = thr_weights_offset(w, w->n_slots, width);
    return w->n_wide ? (bytes + 7) & ~(size_t)7 : bytes;
}

/* ---- widths ------------------------------------------------------------------------------- */

/* 1, 2, 3, 4, 6, 8, 12, 16, 24, ...: labels that come one by one copy a segment rarely. */
static uint32_t roomy_width(uint32_t functions)
{
    uint32_t width = 1;
    while (width < functions)
        width += width < 4 ? 1 : (width & (width - 1)) ? width / 3 : width / 2;
    return width;
}

static size_t rows_in(const thr_weights *w, size_t segment)
{
    size_t first = segment << THR_SEGMENT_BITS;
    size_t n = w->rows > first ? w->rows - first : 0;
    return n < THR_SEGMENT ? n : THR_SEGMENT;
}

/* A borrowed segment is written in its private map, unless it must grow or widen. */
static bool is_odd(const thr_weights *w, size_t segment)
{
    const thr_segment *s = &w->segment[segment];
    return s->width != w->width || (s->borrowed && rows_in(w, segment) < THR_SEGMENT);
}

static void count_odd(thr_weights *w)
{
    w->odd = 0;
    for (size_t i = 0; i < w->segments; i++)
        w->odd += is_odd(w, i);
}

static void set_width(thr_weights *w, uint32_t width)
{
    w->width = width;
    w->stride = thr_weights_stride(w, width);
    for (unsigned s = 0; s < w->n_slots; s++)
        w->offset[s] = thr_weights_offset(w, s, width);
    count_odd(w);
}

void thr_weights_widen(thr_weights *w, uint32_t functions)
{
    w->functions = functions;
    set_width(w, roomy_width(functions));
}

int thr_weights_borrow(thr_weights *w, char *rows, size_t n, thr_error *err)
{
    size_t segments = w->n_slots ? (n + THR_SEGMENT - 1) / THR_SEGMENT : 0;
    if (!thr_grow(&w->segment, &w->segment_room, segments, sizeof *w->segment))
        return thr_fail_memory(err);
    set_width(w, w->functions);
    for (size_t i = 0; i < segments; i++)
        w->segment[i] = (thr_segment){
            .rows = rows + i * THR_SEGMENT * w->stride, .width = w->width, .borrowed = true};
    w->segments = segments;
    w->rows = segments ? n : 0;
    count_odd(w);
    return 0;
}

/* ---- making rows -------------------------------------------------------------------------- */

static void fill_start(const thr_weights *w, char *row, uint32_t width, uint32_t from)
{
    for (unsigned s = 0; s < w->n_slots; s++) {
        char *at = row + thr_weights_offset(w, s, width);
        size_t size = s < w->n_wide ? sizeof(double) : sizeof(float);
        if (w->slot[s].start == 0) {
            memset(at + from * size, 0, (width - from) * size);
            continue;
        }
        for (uint32_t f = from; f < width; f++)
            if (s < w->n_wide)
                ((double *)(void *)at)[f] = w->slot[s].start;
            else
                ((float *)(void *)at)[f] = (float)w->slot[s].start;
    }
}

static void copy_row(const thr_weights *w, char *to, uint32_t width, const char *from,
                     uint32_t old_width)
{
    uint32_t shared = old_width < width ? old_width : width;
    for (unsigned s = 0; s < w->n_slots; s++)
        memcpy(to + thr_weights_offset(w, s, width), from + thr_weights_offset(w, s, old_width),
               (s < w->n_wide ? sizeof(double) : sizeof(float)) * shared);
    fill_start(w, to, width, shared);
}

static bool starts_at_zero(const thr_weights *w)
{
    for (unsigned s = 0; s < w->n_slots; s++)
        if (w->slot[s].start != 0)
            return false;
    return true;
}

/* A segment of the wanted width with the old rows in it, or NULL. */
static char *segment_remade(const thr_weights *w, const thr_segment *old, uint32_t width,
                            size_t old_rows)
{
    size_t stride = thr_weights_stride(w, width), bytes;
    if (__builtin_mul_overflow(stride, (size_t)THR_SEGMENT, &bytes))
        return NULL;
    char *rows = calloc(1, bytes ? bytes : 1);
    if (!rows)
        return NULL;
    size_t old_stride = thr_weights_stride(w, old->width);
    for (size_t r = 0; r < old_rows; r++)
        copy_row(w, rows + r * stride, width, old->rows + r * old_stride, old->width);
    if (starts_at_zero(w) || old_rows == THR_SEGMENT)
        return rows;
    char *first = rows + old_rows * stride;
    fill_start(w, first, width, 0);
    for (size_t r = old_rows + 1; r < THR_SEGMENT; r++)
        memcpy(rows + r * stride, first, stride);
    return rows;
}

static int segment_ready(thr_weights *w, size_t segment, thr_error *err)
{
    size_t old = w->segments;
    if (segment >= old) {
        if (!thr_grow(&w->segment, &w->segment_room, segment + 1, sizeof *w->segment))
            return thr_fail_memory(err);
        memset(w->segment + old, 0, (segment + 1 - old) * sizeof *w->segment);
        w->segments = segment + 1;
        w->odd += w->segments - old;
    }
    thr_segment *s = &w->segment[segment];
    if (!is_odd(w, segment))
        return 0;
    char *rows = segment_remade(w, s, w->width, s->rows ? rows_in(w, segment) : 0);
    if (!rows)
        return thr_fail_memory(err);
    if (!s->borrowed)
        free(s->rows);
    *s = (thr_segment){.rows = rows, .width = w->width};
    w->odd--;
    return 0;
}

int thr_weights_ready(thr_weights *w, const thr_example *e, thr_error *err)
{
    if (w->n_slots == 0) /* a rule without weights: it keeps examples */
        return 0;
    for (size_t i = 0; i < e->n; i++) {
        size_t segment = e->id[i] >> THR_SEGMENT_BITS;
        if (segment >= w->segments || is_odd(w, segment)) {
            int code = segment_ready(w, segment, err);
            if (code)
                return code;
        }
        if (e->id[i] >= w->rows)
            w->rows = (size_t)e->id[i] + 1;
    }
    return 0;
}

int thr_weights_cover(thr_weights *w, const thr_example *e, uint32_t top, thr_error *err)
{
    if (w->odd)
        return thr_weights_ready(w, e, err);
    while (w->segments <= top >> THR_SEGMENT_BITS) {
        int code = segment_ready(w, w->segments, err);
        if (code)
            return code;
    }
    if (top >= w->rows)
        w->rows = (size_t)top + 1;
    return 0;
}

int thr_weights_settle(thr_weights *w, size_t n, thr_error *err)
{
    if (w->n_slots == 0)
        return 0;
    for (size_t s = 0; s << THR_SEGMENT_BITS < n; s++) {
        int code = segment_ready(w, s, err);
        if (code)
            return code;
    }
    if (n > w->rows)
        w->rows = n;
    return 0;
}

int thr_weights_copy(const thr_weights *w, thr_weights *out, thr_error *err)
{
    *out = *w;
    out->guard = NULL;
    out->segment_room = w->segments;
    out->segment = calloc(w->segments ? w->segments : 1, sizeof *out->segment);
    if (!out->segment) {
        *out = (thr_weights){0};
        return thr_fail_memory(err);
    }
    for (size_t i = 0; i < w->segments; i++) {
        if (!w->segment[i].rows)
            continue;
        out->segment[i].width = w->segment[i].width;
        out->segment[i].rows =
            segment_remade(w, &w->segment[i], w->segment[i].width, rows_in(w, i));
        if (!out->segment[i].rows) {
            thr_weights_clear(out);
            return thr_fail_memory(err);
        }
    }
    count_odd(out);
    return 0;
}

/* ---- reading rows ------------------------------------------------------------------------- */

static const thr_segment *segment_of(const thr_weights *w, uint32_t id)
{
    size_t segment = id >> THR_SEGMENT_BITS;
    if (id >= w->rows || segment >= w->segments || !w->segment[segment].rows)
        return NULL;
    const thr_segment *s = &w->segment[segment];
    if (w->guard) {
        size_t stride = thr_weights_stride(w, s->width);
        thr_guard_touch(w->guard, s->rows + (id & (THR_SEGMENT - 1)) * stride, stride);
    }
    return s;
}

static char *slot_at(const thr_weights *w, const thr_segment *s, uint32_t id, unsigned slot)
{
    return s->rows + (id & (THR_SEGMENT - 1)) * thr_weights_stride(w, s->width) +
           thr_weights_offset(w, slot, s->width);
}

float *thr_weights_row(const thr_weights *w, uint32_t id, unsigned slot)
{
    return (float *)(void *)slot_at(w, &w->segment[id >> THR_SEGMENT_BITS], id, slot);
}

double *thr_weights_row_wide(const thr_weights *w, uint32_t id, unsigned slot)
{
    return (double *)(void *)slot_at(w, &w->segment[id >> THR_SEGMENT_BITS], id, slot);
}

double thr_weights_get(const thr_weights *w, uint32_t id, unsigned slot, uint32_t function)
{
    const thr_segment *s = id == THR_NONE ? NULL : segment_of(w, id);
    if (!s || function >= s->width)
        return w->slot[slot].start;
    const char *at = slot_at(w, s, id, slot);
    return slot < w->n_wide ? ((const double *)(const void *)at)[function]
                            : ((const float *)(const void *)at)[function];
}

int thr_weights_take(thr_weights *w, uint32_t fresh, const thr_weights *from, uint32_t id,
                     thr_error *err)
{
    const thr_segment *s = from->n_slots ? segment_of(from, id) : NULL;
    thr_example e = {.id = &fresh, .n = 1};
    int code = s ? thr_weights_ready(w, &e, err) : 0;
    if (s && code == 0)
        copy_row(w, slot_at(w, segment_of(w, fresh), fresh, 0), w->width, slot_at(from, s, id, 0),
                 s->width);
    return code;
}

void thr_weights_export(const thr_weights *w, uint32_t id, char *to)
{
    const thr_segment *s = segment_of(w, id);
    memset(to, 0, thr_weights_stride(w, w->functions));
    if (s)
        copy_row(w, to, w->functions, slot_at(w, s, id, 0), s->width);
    else
        fill_start(w, to, w->functions, 0);
}

void thr_weights_prefetch(const thr_weights *w, const uint32_t *id, size_t n)
{
    size_t rows = w->odd || w->guard ? 0 : w->rows;
    for (size_t i = 0; i < n; i++)
        if (id[i] < rows)
            __builtin_prefetch(w->segment[id[i] >> THR_SEGMENT_BITS].rows +
                               (id[i] & (THR_SEGMENT - 1)) * w->stride);
}

static bool fits(const thr_weights *w, const thr_segment *s)
{
    return s && s->width == w->width;
}

size_t thr_weights_spare(const thr_weights *w, const thr_example *e)
{
    size_t rows = 1;
    for (size_t i = 0; w->odd && i < e->n; i++)
        rows += e->id[i] != THR_NONE && !fits(w, segment_of(w, e->id[i]));
    return rows * w->stride;
}

/* The row of a feature that has none of its own, or one of another width. The first spare row is
 * that of features never seen. */
static char *made_row(const thr_weights *w, const thr_segment *s, uint32_t id, char *spare,
                      size_t *made)
{
    char *row = s ? spare + ++*made * w->stride : spare;
    if (s)
        copy_row(w, row, w->width, slot_at(w, s, id, 0), s->width);
    else
        fill_start(w, row, w->width, 0);
    return row;
}

/* All segments are of the width in use: the usual case, and where time is spent. */
static void find_plain(const thr_weights *w, const thr_example *e, char **row, char *spare)
{
    size_t made = 0, rows = w->rows, stride = w->stride;
    const thr_segment *segment = w->segment;
    for (size_t i = 0; i < e->n; i++) {
        uint32_t id = e->id[i];
        if (id < rows) {
            row[i] = segment[id >> THR_SEGMENT_BITS].rows + (id & (THR_SEGMENT - 1)) * stride;
        } else
            row[i] = made_row(w, NULL, id, spare, &made);
    }
}

void thr_weights_find(const thr_weights *w, const thr_example *e, char **row, char *spare)
{
    size_t made = 0;
    if (w->odd == 0 && !w->guard) {
        find_plain(w, e, row, spare);
        return;
    }
    for (size_t i = 0; i < e->n; i++) {
        const thr_segment *s = e->id[i] == THR_NONE ? NULL : segment_of(w, e->id[i]);
        row[i] = fits(w, s) ? s->rows + (e->id[i] & (THR_SEGMENT - 1)) * w->stride
                            : made_row(w, s, e->id[i], spare, &made);
    }
}

/* ---- kernels ------------------------------------------------------------------------------ */

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

static void add_row(const thr_weights *w, unsigned slot, const char *row, double x, double *out)
{
    const char *at = row + w->offset[slot];
    if (slot < w->n_wide)
        for (uint32_t f = 0; f < w->functions; f++)
            out[f] += ((const double *)(const void *)at)[f] * x;
    else
        for (uint32_t f = 0; f < w->functions; f++)
            out[f] += (double)((const float *)(const void *)at)[f] * x;
}

void thr_weights_dot(const thr_weights *w, unsigned slot, const thr_example *e, double *out)
{
    size_t offset = w->offset[slot];
    if (w->functions == 1) {
        if (slot < w->n_wide)
            *out = e->x ? dot_one(e, offset, true, true) : dot_one(e, offset, true, false);
        else
            *out = e->x ? dot_one(e, offset, false, true) : dot_one(e, offset, false, false);
        return;
    }
    memset(out, 0, w->functions * sizeof *out);
    for (size_t i = 0; i < e->n; i++)
        add_row(w, slot, e->row[i], raw_value(e, i), out);
    for (uint32_t f = 0; f < w->functions && e->scale != 1; f++)
        out[f] *= e->scale;
}

void thr_weights_dot_known(const thr_weights *w, unsigned slot, const thr_example *e, double *out)
{
    for (size_t i = 0; i < e->n; i++)
        if (e->id[i] < e->known)
            add_row(w, slot, e->row[i], thr_example_value(e, i), out);
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

double thr_example_norm2(const thr_example *e)
{
    if (!e->x)
        return e->scale * e->scale * (double)e->n;
    double lane[THR_LANES] = {0};
    for (size_t i = 0; i < e->n; i++)
        lane[i % THR_LANES] += (double)e->x[i] * (double)e->x[i];
    return e->scale * e->scale * lanes_sum(lane);
}

double thr_example_max(const thr_example *e)
{
    if (!e->x)
        return e->n ? e->scale : 0;
    double most = 0;
    for (size_t i = 0; i < e->n; i++)
        most = fmax(most, fabs((double)e->x[i]));
    return e->scale * most;
}
