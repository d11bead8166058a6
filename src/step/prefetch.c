/* The prefetcher: prefetch.h explains when it runs and when its addresses become invalid. */
#include "step/prefetch.h"

#include "base/mem.h"
#include "weights/lists.h"

#include <stdlib.h>

/* Cache lines requested at a time, at least. Most lines of narrow rows are in some cache already,
 * and a call for each few rows costs more than it gains. With 128, wide rows of text took longer.
 */
#define LEAST_LINES 80

void thr_prefetch_clear(thr_prefetch *a)
{
    free(a->found[0].row);
    free(a->found[1].row);
    *a = (thr_prefetch){0};
}

static void forget_rows(thr_row_list *f)
{
    f->id = NULL;
    f->n = f->near = f->lists = 0;
}

void thr_prefetch_forget(thr_prefetch *a)
{
    forget_rows(&a->found[0]);
    forget_rows(&a->found[1]);
}

/* Rounded up, so that `times` portions cover all n rows. */
static size_t portion_of(size_t n, size_t lines, size_t times)
{
    size_t least = LEAST_LINES / lines + 1;
    return n / times + 1 > least ? n / times + 1 : least;
}

void thr_prefetch_example(thr_prefetch *a, const thr_batch *b, size_t i, size_t times,
                          bool learning)
{
    if (i >= b->n)
        return;
    const uint32_t *id = b->id + b->start[i];
    size_t n = b->start[i + 1] - b->start[i];
    bool moved = false;
    /* The first write to a segment after a snapshot copies it. Doing that now, and not when the
     * example is learned, keeps the addresses below valid. A copy may also have moved rows of the
     * example at hand, whose addresses were computed a turn before. */
    if (learning && thr_weights_foreign(a->table, a->tables) &&
        thr_weights_own(a->table, a->tables, id, n, &moved, NULL))
        return;
    if (moved)
        thr_prefetch_forget(a);
    thr_row_list *f = &a->found[a->turn ^= 1];
    forget_rows(f);
    size_t rows; /* one address per table and feature, also where the tables lie side by side */
    if (__builtin_mul_overflow(n, a->tables, &rows) ||
        !thr_grow(&f->row, &f->room, rows + 1, sizeof *f->row) || /* one at least */
        !thr_weights_find_ahead(a->table, a->tables, id, n, f->row, &f->how) ||
        (learning && f->how.unseen))
        return;
    f->id = id;
    f->n = n;
    size_t lines = (f->how.beside ? f->how.beside : a->table[0]->size) / THR_CACHE_LINE + 1;
    f->portion = n * lines <= LEAST_LINES ? n : portion_of(n, lines, times);
    for (size_t k = 0; k < a->tables; k++)
        f->lists = thr_weights_is_listed(a->table[k]) ? n : f->lists;
    thr_prefetch_some(a);
}

/* Requests the lists of some features. Their rows, which point to them, have been requested
 * before. */
static void request_lists(const thr_prefetch *a, thr_row_list *f)
{
    size_t n = f->lists < f->portion ? f->lists : f->portion, at = 0;
    f->lists -= n;
    for (size_t k = 0; k < a->tables; k++) {
        const thr_weights *w = a->table[k];
        char *const *row = f->row + (f->how.beside ? 0 : k * f->n) + f->lists;
        for (size_t i = 0; thr_weights_is_listed(w) && i < n; i++)
            thr_list_prefetch(row[i] + at);
        at += f->how.beside ? thr_weights_aligned(w) : 0;
    }
}

void thr_prefetch_portion(thr_prefetch *a)
{
    thr_row_list *f = &a->found[a->turn];
    if (f->near == f->n) {
        request_lists(a, f);
        return;
    }
    size_t left = f->n - f->near, n = left < f->portion ? left : f->portion;
    char *const *row = f->row + f->near;
    f->near += n;
    if (f->how.beside) {
        thr_weights_prefetch(row, n, f->how.beside);
        return;
    }
    for (size_t k = 0; k < a->tables; k++)
        thr_weights_prefetch(row + k * f->n, n, a->table[k]->size);
}

thr_row_list *thr_prefetch_rows(thr_prefetch *a, const thr_example *e)
{
    for (unsigned k = 0; k < 2; k++) {
        thr_row_list *f = &a->found[k];
        if (f->id && f->id == e->id && f->n == e->n)
            return f;
    }
    return NULL;
}
