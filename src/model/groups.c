/* Fields from names. A field is identified by a 64-bit hash alone. If two fields ever collide they
 * become one field that has two values in an example; the rules that use fields can handle several
 * values, so a collision does no harm beyond that. */
#include "model/groups.h"

#include "base/hash.h"
#include "base/random.h"

#include <stdlib.h>
#include <string.h>

#define FIRST_SLOTS 16

void thr_groups_clear(thr_groups *g)
{
    thr_array_free(g->of);
    free(g->slot);
    *g = (thr_groups){0};
}

int thr_groups_share(const thr_groups *g, thr_groups *out, thr_error *err)
{
    *out = *g;
    out->slot = g->slots ? malloc(g->slots * sizeof *g->slot) : NULL;
    if (g->slots && !out->slot) {
        *out = (thr_groups){0};
        return thr_fail_memory(err);
    }
    if (g->slots)
        memcpy(out->slot, g->slot, g->slots * sizeof *g->slot);
    thr_array_share(g->of);
    out->view = true;
    return 0;
}

/* The hash of the field that a feature belongs to; 0: the feature is a field of its own. */
static uint64_t field_hash(thr_str ns, thr_str name)
{
    const char *sign = name.n ? memchr(name.p, '=', name.n) : NULL;
    if (!sign && ns.n == 0)
        return 0;
    uint64_t hash = thr_mix64(thr_hash(ns.p, ns.n, 1));
    if (sign)
        hash = thr_mix64(hash + thr_hash(name.p, (size_t)(sign - name.p), 2));
    return hash ? hash : 1;
}

static struct thr_group_slot *slot_of(const thr_secret *secret, struct thr_group_slot *slot,
                                      size_t slots, uint64_t hash)
{
    size_t at = (size_t)thr_secret_number(secret, hash) & (slots - 1);
    while (slot[at].group && slot[at].hash != hash)
        at = (at + 1) & (slots - 1);
    return &slot[at];
}

/* Room for one more group. At most half of the slots are in use, so a search ends soon. */
static bool slots_ready(thr_groups *g)
{
    if (((size_t)g->groups + 1) * 2 <= g->slots)
        return true;
    size_t slots = g->slots ? g->slots * 2 : FIRST_SLOTS;
    struct thr_group_slot *fresh = calloc(slots, sizeof *fresh);
    if (!fresh)
        return false;
    thr_secret_draw(&g->secret);
    for (size_t i = 0; i < g->slots; i++)
        if (g->slot[i].group)
            *slot_of(&g->secret, fresh, slots, g->slot[i].hash) = g->slot[i];
    free(g->slot);
    g->slot = fresh;
    g->slots = slots;
    return true;
}

/* A view makes `of` its own before it appends: the other owner appends to the same memory. */
int thr_groups_extend(thr_groups *g, const thr_lexicon *x, thr_error *err)
{
    if (!thr_array_grow(&g->of, &g->room, x->n, sizeof *g->of) ||
        (g->view && !thr_array_own(&g->of, g->room, sizeof *g->of)))
        return thr_fail_memory(err);
    g->view = false;
    while (g->n < x->n) {
        char digits[24];
        thr_str ns = {"", 0}, name = {"", 0};
        if (g->n) /* the bias has no name */
            name = thr_lexicon_name(x, (uint32_t)g->n, digits, &ns);
        uint64_t hash = field_hash(ns, name);
        uint32_t group = 0;
        if (hash) {
            if (!slots_ready(g))
                return thr_fail_memory(err);
            struct thr_group_slot *s = slot_of(&g->secret, g->slot, g->slots, hash);
            if (!s->group)
                *s = (struct thr_group_slot){hash, ++g->groups};
            group = s->group;
        }
        g->of[g->n++] = group;
    }
    return 0;
}
