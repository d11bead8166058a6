/* Where the numbers of a list are (the picture in lists.h). */
#ifndef THR_WEIGHTS_ENTRIES_H
#define THR_WEIGHTS_ENTRIES_H

#include "weights/lists.h"

/* How many entries a list of a class has room for: 1, 2, 3, 4, 6, 8, 12, 16, 20, 24, 28, 32, 40,
 * ...: the widths of plain rows. */
static inline uint32_t thr_list_room(unsigned class)
{
    static const uint8_t first[8] = {1, 2, 3, 4, 6, 8, 12, 16};
    if (class < 8)
        return first[class];
    uint32_t octave = UINT32_C(16) << (class - 8) / 4;
    return octave + ((class - 8) % 4 + 1) * (octave / 4);
}

/* Entry k. */
static inline char *thr_entry_at(const thr_weights *w, const thr_entries *l, uint32_t k)
{
    return (char *)(uintptr_t)(l + 1) + k * w->entry;
}

/* The functions that the entries of a sparse list belong to. */
static inline uint32_t *thr_list_functions(const thr_weights *w, const thr_entries *l)
{
    return (uint32_t *)(void *)thr_entry_at(w, l, thr_list_room(l->class));
}

/* The number of an entry in a slot. */
static inline double thr_entry_number(const thr_weights *w, const char *at, unsigned slot)
{
    return slot < w->n_wide ? *(const double *)(const void *)at
                            : (double)*(const float *)(const void *)at;
}

/* What a function without an entry has in a slot, as a row holds it. */
static inline double thr_list_start(const thr_weights *w, unsigned slot)
{
    double start = w->slot[slot].start;
    return slot < w->n_wide ? start : (double)(float)start;
}

#endif
