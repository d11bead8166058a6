/* From the names of links to ids (past.h). */
#include "chain/past.h"

#include "base/hash.h"
#include "sentence/sentence.h"

#include <stdlib.h>

#define ENTRIES 4096 /* when half of them are in use, all are forgotten */

void thr_past_clear(thr_past *p)
{
    free(p->entry);
    free(p->after);
    free(p->space);
    thr_arena_clear(&p->names);
    thr_arena_clear(&p->arena);
    *p = (thr_past){0};
}

/* Makes the names of the namespaces, and an empty table. */
static bool begin(thr_past *p, const void *model, const thr_labels *labels)
{
    thr_arena_reset(&p->names);
    if (!p->entry)
        p->entry = malloc(ENTRIES * sizeof *p->entry);
    p->labels = 0;
    if (!p->entry || !thr_grow(&p->after, &p->after_room, labels->n, sizeof *p->after) ||
        !thr_grow(&p->space, &p->space_room, labels->n, sizeof *p->space))
        return false;
    for (uint32_t y = 0; y < labels->n; y++) {
        size_t front = sizeof THR_AFTER - 1, n = strlen(labels->name[y]);
        char *name = thr_arena_take(&p->names, front + n);
        if (!name)
            return false;
        memcpy(name, THR_AFTER, front);
        memcpy(name + front, labels->name[y], n);
        p->after[y] = (thr_str){name, front + n};
        p->space[y] = THR_NONE;
    }
    p->model = model;
    p->labels = labels->n;
    p->used = ENTRIES; /* full: to be emptied */
    return true;
}

static void make_empty(thr_past *p)
{
    thr_arena_reset(&p->arena);
    memset(p->entry, 0, ENTRIES * sizeof *p->entry);
    p->used = 0;
}

static thr_past_entry *place_of(thr_past *p, thr_str link, uint64_t hash)
{
    size_t at = hash & (ENTRIES - 1);
    while (p->entry[at].name.p &&
           (p->entry[at].hash != hash || !thr_str_eq(p->entry[at].name, link)))
        at = (at + 1) & (ENTRIES - 1);
    return &p->entry[at];
}

static bool add(thr_past *p, thr_past_entry *e, thr_str link, uint64_t hash)
{
    char *name = thr_arena_copy(&p->arena, link.p, link.n);
    char *room = thr_arena_take(&p->arena, (p->labels + 1) * sizeof *e->id);
    if (!name || !room)
        return false;
    size_t off = (uintptr_t)room % sizeof *e->id; /* the arena does not align */
    *e = (thr_past_entry){.hash = hash,
                          .name = {name, link.n},
                          .id = (uint32_t *)(void *)(room + (off ? sizeof *e->id - off : 0))};
    for (uint32_t y = 0; y < p->labels; y++)
        e->id[y] = THR_NONE;
    p->used++;
    return true;
}

const uint32_t *thr_past_find(thr_past *p, const void *model, const thr_lexicon *x,
                              const thr_labels *labels, thr_str link)
{
    if ((p->model != model || p->labels != labels->n) && !begin(p, model, labels))
        return NULL;
    if (p->used >= ENTRIES / 2)
        make_empty(p);
    uint64_t hash = thr_hash(link.p, link.n, 0);
    thr_past_entry *e = place_of(p, link, hash);
    if (!e->name.p && !add(p, e, link, hash))
        return NULL;
    if (e->known < __atomic_load_n(&x->n, __ATOMIC_RELAXED))
        e->known = thr_lexicon_find_each(x, p->after, p->space, p->labels, link, e->id);
    return e->id;
}
