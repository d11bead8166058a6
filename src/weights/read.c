/* Reading rows: single numbers, whole rows, and rows as the model file has them. A row that does
 * not exist, or lacks functions, is read as start values. */
#include "weights/stored.h"

#include <string.h>

#define READ_AHEAD 8 /* rows that thr_weights_read prefetches ahead */

/* Of a number in a slot. */
static size_t slot_bytes(const thr_weights *w, unsigned slot)
{
    return slot < w->n_wide ? sizeof(double) : sizeof(float);
}

void thr_row_start(const thr_weights *w, char *row, uint32_t width, uint32_t from)
{
    if (width == THR_LISTED_WIDTH) {
        memset(row, 0, sizeof(thr_entries *));
        return;
    }
    for (unsigned s = 0; s < w->n_slots; s++) {
        char *at = row + thr_weights_offset(w, s, width);
        size_t size = slot_bytes(w, s);
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

void thr_row_copy(const thr_weights *w, char *to, uint32_t width, const char *from,
                  uint32_t old_width)
{
    uint32_t shared = old_width < width ? old_width : width;
    for (unsigned s = 0; s < w->n_slots; s++)
        memcpy(to + thr_weights_offset(w, s, width), from + thr_weights_offset(w, s, old_width),
               slot_bytes(w, s) * shared);
    thr_row_start(w, to, width, shared);
}

const thr_segment *thr_segment_of(const thr_weights *w, uint32_t id)
{
    size_t segment = id >> THR_SEGMENT_BITS;
    if (id >= w->rows || segment >= w->segments)
        return NULL;
    const thr_segment *s = thr_segment_at(w, segment);
    if (!s->rows)
        return NULL;
    if (w->guard && !s->block)
        thr_guard_touch(w->guard, s->rows + (id & (THR_SEGMENT - 1)) * s->stride, s->stride);
    return s;
}

static char *row_at(const thr_segment *s, uint32_t id)
{
    return s->rows + (id & (THR_SEGMENT - 1)) * s->stride;
}

char *thr_slot_at(const thr_weights *w, const thr_segment *s, uint32_t id, unsigned slot)
{
    return row_at(s, id) + thr_weights_offset(w, slot, s->width);
}

float *thr_weights_row(const thr_weights *w, uint32_t id, unsigned slot)
{
    return (float *)(void *)thr_slot_at(w, thr_segment_at(w, id >> THR_SEGMENT_BITS), id, slot);
}

double *thr_weights_row_wide(const thr_weights *w, uint32_t id, unsigned slot)
{
    return (double *)(void *)thr_slot_at(w, thr_segment_at(w, id >> THR_SEGMENT_BITS), id, slot);
}

double thr_weights_get(const thr_weights *w, uint32_t id, unsigned slot, uint32_t function)
{
    const thr_segment *s = id == THR_NONE ? NULL : thr_segment_of(w, id);
    const char *at = NULL;
    if (s && s->width == THR_STORED_WIDTH)
        return thr_stored_get(w, row_at(s, id), slot, function);
    if (s && s->width == THR_LISTED_WIDTH) {
        at = thr_list_entry(w, thr_row_entries(row_at(s, id)), function);
        at = at ? at + thr_weights_offset(w, slot, 1) : NULL;
    } else if (s && function < s->width)
        at = thr_slot_at(w, s, id, slot) + function * slot_bytes(w, slot);
    if (!at)
        return w->slot[slot].start;
    return slot < w->n_wide ? *(const double *)(const void *)at
                            : (double)*(const float *)(const void *)at;
}

void thr_weights_read(const thr_weights *w, uint32_t id, unsigned slot, double *out)
{
    const thr_segment *s = id == THR_NONE ? NULL : thr_segment_of(w, id);
    if (s && s->width == THR_LISTED_WIDTH) {
        thr_list_read(w, thr_row_entries(row_at(s, id)), slot, out);
        return;
    }
    if (s && s->width == THR_STORED_WIDTH) {
        thr_stored_read(w, row_at(s, id), slot, out);
        return;
    }
    uint32_t n = !s ? 0 : s->width < w->functions ? s->width : w->functions;
    const char *at = s ? thr_slot_at(w, s, id, slot) : NULL;
    size_t ahead = s ? READ_AHEAD * s->stride : 0; /* callers mostly read all rows in order */
    for (size_t line = 0; line < n * sizeof *out && s; line += THR_CACHE_LINE)
        __builtin_prefetch(at + ahead + line);
    if (slot < w->n_wide)
        for (uint32_t f = 0; f < n; f++)
            out[f] = ((const double *)(const void *)at)[f];
    else
        for (uint32_t f = 0; f < n; f++)
            out[f] = (double)((const float *)(const void *)at)[f];
    for (uint32_t f = n; f < w->functions; f++)
        out[f] = w->slot[slot].start;
}

void thr_weights_export(const thr_weights *w, uint32_t id, char *to)
{
    const thr_segment *s = thr_segment_of(w, id);
    memset(to, 0, thr_weights_size(w, w->functions));
    if (s && s->width < THR_STORED_WIDTH) {
        thr_row_copy(w, to, w->functions, thr_slot_at(w, s, id, 0), s->width);
        return;
    }
    thr_row_start(w, to, w->functions, 0);
    if (s && s->width == THR_STORED_WIDTH)
        thr_stored_expand(w, row_at(s, id), to, w->functions);
    else if (s)
        thr_list_expand(w, thr_row_entries(row_at(s, id)), to, w->functions);
}
