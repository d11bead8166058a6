/* The owners of rows: tables list shelves, shelves list segments, segments lie in row memory. Each
 * of the three is counted, so that a table and its snapshots can share them; weights.h,
 * "Snapshots", explains when they are copied and freed. */
#include "base/large.h"
#include "weights/lists.h"
#include "weights/slab.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

void thr_row_memory_release(thr_row_memory *b)
{
    if (!b || !thr_owners_drop(&b->users))
        return;
    thr_large_free(b->rows, b->bytes);
    free(b);
}

void thr_segment_release(thr_segment *s)
{
    thr_row_memory_release(s->block);
    thr_pool_release(s->pool);
    *s = (thr_segment){0};
}

static void shelf_release(thr_shelf *s)
{
    if (!thr_owners_drop(&s->owners))
        return;
    for (size_t i = 0; i < THR_SHELF; i++)
        thr_segment_release(&s->segment[i]);
    free(s);
}

void thr_weights_clear(thr_weights *w)
{
    for (size_t i = 0; i < w->shelves; i++)
        shelf_release(w->shelf[i]);
    free(w->shelf);
    free(w->cell);
    free(w->opened);
    free(w->apart);
    thr_slab_drop(w->slab);
    *w = (thr_weights){0};
}

bool thr_shelf_own(thr_weights *w, size_t i)
{
    thr_shelf *old = w->shelf[i], *fresh;
    if (thr_owners_alone(&old->owners))
        return true;
    if (!(fresh = malloc(sizeof *fresh)))
        return false;
    *fresh = *old;
    fresh->owners = 1;
    for (size_t k = 0; k < THR_SHELF; k++) {
        if (fresh->segment[k].block)
            thr_owners_add(&fresh->segment[k].block->users);
        if (fresh->segment[k].pool)
            thr_pool_share(fresh->segment[k].pool);
    }
    shelf_release(old);
    w->shelf[i] = fresh;
    return true;
}

bool thr_shelves_reach(thr_weights *w, size_t segments)
{
    size_t need = (segments + THR_SHELF - 1) >> THR_SHELF_BITS;
    if (!thr_grow(&w->shelf, &w->shelf_room, need, sizeof *w->shelf))
        return false;
    for (thr_shelf *fresh; w->shelves < need; w->shelf[w->shelves++] = fresh) {
        if (!(fresh = calloc(1, sizeof *fresh)))
            return false;
        fresh->owners = 1;
    }
    return true;
}

/* ---- sharing ------------------------------------------------------------------------------ */

/* Gives the table a new epoch, so that no segment may be written to before it is copied.
 * Returns the epoch. The table is const to those who share it, and several threads may do so at
 * once, so epoch and `foreign` are changed atomically, as a count of owners is. No thread
 * writes to the table meanwhile, and the order of these changes does not matter: hence
 * relaxed. */
static uint64_t next_epoch(const thr_weights *shared, size_t used)
{
    thr_weights *w = (thr_weights *)(uintptr_t)shared;
    __atomic_store_n(&w->shared, used, __ATOMIC_RELAXED);
    __atomic_store_n(&w->foreign, used, __ATOMIC_RELAXED);
    return __atomic_add_fetch(&w->epoch, 1, __ATOMIC_RELAXED);
}

int thr_weights_share(const thr_weights *w, thr_weights *out, bool keeps_learning, thr_error *err)
{
    size_t used = w->n_slots ? (w->rows + THR_SEGMENT - 1) >> THR_SEGMENT_BITS : 0;
    memcpy(out, w, offsetof(thr_weights, epoch)); /* other threads may be changing the rest */
    out->cell = NULL;
    out->cell_room = 0;
    out->opened = NULL;
    out->opened_room = 0;
    out->apart = NULL;
    out->apart_room = 0;
    out->slab = NULL;
    out->shelf_room = w->shelves;
    out->shelf = malloc((w->shelves ? w->shelves : 1) * sizeof *out->shelf);
    if (!out->shelf) {
        *out = (thr_weights){0};
        return thr_fail_memory(err);
    }
    for (size_t i = 0; i < w->shelves; i++) {
        out->shelf[i] = w->shelf[i];
        thr_owners_add(&w->shelf[i]->owners);
    }
    out->epoch = keeps_learning ? next_epoch(w, used) : w->epoch + 1;
    out->shared = out->foreign = used;
    /* The copy keeps the segments that have rows. Those made ahead, for rows to come, stay with the
     * table it was shared from, which goes on filling them. */
    size_t contiguous = out->contiguous < used ? out->contiguous : used;
    out->segments = used;
    if (out->unready || out->unreadable)
        thr_weights_set_stride(out, out->stride); /* also sets `contiguous` to 0 */
    out->contiguous = contiguous;
    return 0;
}
