/* Lists of kept examples by feature: making room, adding, forgetting, dot products. */
#include "weights/postings.h"

#include "example/batch.h"

#include <stdlib.h>
#include <string.h>

#define FIRST_ROOM 2u /* postings of a new list */

void thr_postings_clear(thr_postings *p)
{
    thr_paged_clear(&p->list);
    thr_array_free(p->posting);
    *p = (thr_postings){0};
}

void thr_postings_share(const thr_postings *p, thr_postings *out)
{
    *out = *p;
    out->view = true;
    thr_paged_share(&p->list, &out->list);
    thr_array_share(p->posting);
}

int thr_postings_own(thr_postings *p, thr_error *err)
{
    bool ok = thr_array_own(&p->posting, p->room, sizeof *p->posting);
    for (size_t i = 0; i < p->lists && ok; i += THR_PAGED)
        ok = thr_paged_own(&p->list, i, sizeof(thr_posting_list));
    p->view &= !ok;
    return ok ? 0 : thr_fail_memory(err);
}

/* A list to write to. Its page belongs to p alone: thr_postings_ready or _own has seen to
 * it. */
static thr_posting_list *list_of(thr_postings *p, size_t i)
{
    return (thr_posting_list *)(uintptr_t)thr_postings_list(p, i);
}

static float stored_value(const thr_example *e, size_t i)
{
    return e->x ? e->x[i] : 1;
}

/* ---- making room -------------------------------------------------------------------------- */

/* Makes the lists of e's features exist, on pages that belong to p alone. */
static bool lists_ready(thr_postings *p, const thr_example *e)
{
    size_t need = p->lists;
    for (size_t i = 0; i < e->n; i++)
        if (e->id[i] >= need)
            need = (size_t)e->id[i] + 1;
    bool ok = thr_paged_reach(&p->list, need, sizeof(thr_posting_list));
    for (size_t i = 0; i < e->n && ok; i++)
        ok = thr_paged_own(&p->list, e->id[i], sizeof(thr_posting_list));
    p->lists = ok ? need : p->lists;
    return ok;
}

static uint32_t grown_room(uint32_t room)
{
    return room ? room * 2 : FIRST_ROOM;
}

/* Elements that `l` will take from the end of the array while it grows by l->coming postings:
 * each time it is full it moves to twice the room. SIZE_MAX if it cannot become so long. */
static size_t places_for(const thr_posting_list *l)
{
    uint64_t need = (uint64_t)l->n + l->coming;
    size_t places = 0;
    for (uint32_t room = l->room; room < need;) {
        if (room > UINT32_MAX / 2)
            return SIZE_MAX;
        room = grown_room(room);
        places += room;
    }
    return places;
}

int thr_postings_ready(thr_postings *p, const thr_example *e, thr_error *err)
{
    if (p->view && thr_postings_own(p, err))
        return THR_EMEM;
    size_t need = p->used;
    bool ok = lists_ready(p, e);
    if (!ok)
        return thr_fail_memory(err);
    for (size_t i = 0; i < e->n; i++) /* hashed features may share an id, and so a list */
        list_of(p, e->id[i])->coming++;
    for (size_t i = 0; i < e->n; i++) {
        thr_posting_list *l = list_of(p, e->id[i]);
        if (l->coming)
            ok = !__builtin_add_overflow(need, places_for(l), &need) && ok;
        l->coming = 0;
    }
    ok = ok && thr_array_grow(&p->posting, &p->room, need, sizeof *p->posting);
    return ok ? 0 : thr_fail_memory(err);
}

int thr_postings_build(thr_postings *p, const thr_memory *m, thr_error *err)
{
    int code = 0;
    for (size_t k = 0; k < m->n && code == 0; k++) {
        thr_example e = thr_memory_example(m, k);
        code = thr_postings_ready(p, &e, err);
        if (code == 0)
            thr_postings_add(p, &e, (uint32_t)k);
    }
    return code;
}

/* ---- adding and forgetting ---------------------------------------------------------------- */

void thr_postings_add(thr_postings *p, const thr_example *e, uint32_t example)
{
    for (size_t i = 0; i < e->n; i++) {
        thr_posting_list *l = list_of(p, e->id[i]);
        if (l->n == l->room) { /* full: it moves to the end of the array */
            if (l->n)
                memcpy(p->posting + p->used, p->posting + l->at, l->n * sizeof *p->posting);
            l->at = p->used;
            l->room = grown_room(l->room);
            p->used += l->room;
        }
        p->posting[l->at + l->n++] = (thr_posting){example + p->gone, stored_value(e, i)};
    }
}

/* The oldest example is the first posting in each of its lists. */
void thr_postings_forget(thr_postings *p, const thr_example *e)
{
    for (size_t i = 0; i < e->n; i++) {
        thr_posting_list *l = list_of(p, e->id[i]);
        thr_posting *first = p->posting + l->at;
        memmove(first, first + 1, --l->n * sizeof *first);
    }
    p->gone++;
}

/* ---- looking up --------------------------------------------------------------------------- */

void thr_postings_dots(const thr_postings *p, const thr_example *e, double *out)
{
    for (size_t i = 0; i < e->n; i++) {
        if (e->id[i] >= p->lists)
            continue;
        const thr_posting_list *l = thr_postings_list(p, e->id[i]);
        const thr_posting *at = p->posting + l->at;
        double x = (double)stored_value(e, i);
        for (uint32_t k = 0; k < l->n; k++)
            out[(uint32_t)(at[k].serial - p->gone)] += x * (double)at[k].x;
    }
}

static bool is_kept_as(const thr_memory *m, uint32_t example, const thr_example *e)
{
    thr_example k = thr_memory_example(m, example);
    if (k.n != e->n || k.label != e->label || k.scale != e->scale || k.norm2 != e->norm2 ||
        memcmp(k.id, e->id, k.n * sizeof *k.id) != 0)
        return false;
    for (size_t i = 0; i < k.n; i++)
        if (stored_value(&k, i) != stored_value(e, i))
            return false;
    return true;
}

/* An example that is kept is in the list of each of its features, so it is enough to search the
 * shortest of these. An example without features is never found. */
uint32_t thr_postings_find(const thr_postings *p, const thr_memory *m, const thr_example *e)
{
    const thr_posting_list *shortest = NULL;
    for (size_t i = 0; i < e->n; i++) {
        if (e->id[i] >= p->lists)
            return THR_NONE;
        const thr_posting_list *l = thr_postings_list(p, e->id[i]);
        if (!shortest || l->n < shortest->n)
            shortest = l;
    }
    for (uint32_t k = 0; shortest && k < shortest->n; k++) {
        uint32_t example = p->posting[shortest->at + k].serial - p->gone;
        if (is_kept_as(m, example, e))
            return example;
    }
    return THR_NONE;
}
