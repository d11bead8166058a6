/* Linear probing. */
#include "base/index.h"

#include <stdlib.h>
#include <string.h>

void thr_index_clear(thr_index *x)
{
    free(x->slot);
    *x = (thr_index){0};
}

void thr_index_empty(thr_index *x)
{
    if (x->n)
        memset(x->slot, 0, x->slots * sizeof *x->slot);
    x->n = 0;
}

/* The slot of the name, or the empty one where it belongs. */
static struct thr_index_slot *slot_of(const thr_index *x, thr_str name)
{
    size_t at = (size_t)thr_secret_hash(&x->secret, name.p, name.n) & (x->slots - 1);
    while (x->slot[at].name.p && !thr_str_eq(x->slot[at].name, name))
        at = (at + 1) & (x->slots - 1);
    return &x->slot[at];
}

uint32_t thr_index_find(const thr_index *x, thr_str name)
{
    const struct thr_index_slot *s = x->n ? slot_of(x, name) : NULL;
    return s && s->name.p ? s->number : UINT32_MAX;
}

static bool grow(thr_index *x)
{
    thr_index larger = {.slots = x->slots ? x->slots * 2 : 64, .n = x->n, .secret = x->secret};
    thr_secret_draw(&larger.secret);
    larger.slot = calloc(larger.slots, sizeof *larger.slot);
    if (!larger.slot)
        return false;
    for (size_t i = 0; i < x->slots; i++)
        if (x->slot[i].name.p)
            *slot_of(&larger, x->slot[i].name) = x->slot[i];
    free(x->slot);
    *x = larger;
    return true;
}

bool thr_index_add(thr_index *x, thr_str name, uint32_t number)
{
    if ((x->n + 1) * 2 > x->slots && !grow(x))
        return false;
    *slot_of(x, name) = (struct thr_index_slot){name, number};
    x->n++;
    return true;
}
