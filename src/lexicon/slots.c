/* The table of names of a model file: slots of 32 bytes, which have a short name in them. It is
 * laid out when a model is saved, and searched where it is mapped until the lexicon adds names. */
#include "lexicon/slots.h"

#include "base/hash.h"
#include "lexicon/keys.h"

#include <stdlib.h>
#include <string.h>

/* ---- finding a name ----------------------------------------------------------------------- */

/* Whether a slot, whose id is not 0, holds this name. A long name is compared in the heap. */
static bool slot_is(const thr_lexicon *x, const thr_slot *s, uint32_t tag, uint32_t ns,
                    thr_str name)
{
    if (s->tag != tag || s->ns != ns)
        return false;
    if (s->n != THR_LONG_NAME)
        return s->n == name.n && name.n <= THR_SLOT_TEXT && thr_same_bytes(s->text, name.p, name.n);
    return name.n > THR_SLOT_TEXT && thr_name_is(x, s->id, ns, name);
}

/* A table in a damaged file may be full, so the number of tries is limited. Without a table the
 * mask is SIZE_MAX, mask + 1 is 0, and nothing is tried. */
uint32_t thr_slots_find(const thr_lexicon *x, uint32_t ns, thr_str name, uint64_t hash)
{
    uint32_t tag = (uint32_t)thr_name_hash(hash, ns), found = THR_NONE;
    size_t mask = x->slots - 1, tries = 0;
    for (; tries < mask + 1; tries++) {
        const thr_slot *s = &x->slot[(tag + tries) & mask];
        if (!thr_touch(x, s, sizeof *s) || !s->id)
            break;
        if (slot_is(x, s, tag, ns, name)) {
            found = s->id < x->n ? s->id : THR_NONE;
            break;
        }
    }
    if (tries > THR_TRIES)
        thr_strain_tries(x, tries);
    return found;
}

/* ---- laying out the table ----------------------------------------------------------------- */

size_t thr_lexicon_names(const thr_lexicon *x)
{
    size_t names = 0;
    for (uint32_t id = 1; id < x->n; id++)
        names += !(x->origin[id] & (THR_FROM_INTEGER | THR_FROM_HASH));
    return names;
}

/* At most 2/3 full. */
size_t thr_lexicon_table_size(size_t names)
{
    size_t slots = names ? 16 : 0;
    while (slots * 2 < names * 3)
        slots *= 2;
    return slots;
}

static thr_slot slot_of(uint32_t id, uint64_t hash, uint32_t ns, thr_str name)
{
    thr_slot s = {.id = id, .tag = (uint32_t)hash, .ns = (uint16_t)ns, .n = THR_LONG_NAME};
    if (name.n <= THR_SLOT_TEXT) {
        s.n = (uint16_t)name.n;
        memcpy(s.text, name.p, name.n);
    }
    return s;
}

/* The first empty slot from `at` on. skip[i], where it is not 0, says that so many slots from i on
 * are full; each search leaves that behind for the slots that it has passed, so that names that are
 * made to collide are not searched one behind the other. Without memory for `skip` they are. */
static size_t empty_slot(const thr_slot *slot, size_t mask, size_t at, uint32_t **skip)
{
    size_t most = at + THR_TRIES, step;
    while (slot[at & mask].id && at < most)
        at++;
    if (!slot[at & mask].id)
        return at & mask;
    if (!*skip)
        *skip = calloc(mask + 1, sizeof **skip);
    size_t end = at;
    while (slot[end & mask].id)
        end += *skip && (*skip)[end & mask] ? (*skip)[end & mask] : 1;
    for (; *skip && at < end; at += step) {
        step = (*skip)[at & mask] ? (*skip)[at & mask] : 1;
        (*skip)[at & mask] = end - at < UINT32_MAX ? (uint32_t)(end - at) : UINT32_MAX;
    }
    return end & mask;
}

/* Large integers are names in a file, whatever table they have here. */
void thr_lexicon_table_fill(const thr_lexicon *x, thr_slot *slot, size_t slots)
{
    uint32_t *skip = NULL;
    memset(slot, 0, slots * sizeof *slot);
    for (uint32_t id = 1; id < x->n; id++) {
        if (x->origin[id] & (THR_FROM_INTEGER | THR_FROM_HASH))
            continue;
        uint32_t ns;
        thr_str name = thr_heap_name(x, x->origin[id], &ns);
        uint64_t hash = thr_name_hash(thr_hash(name.p, name.n, x->seed), ns);
        slot[empty_slot(slot, slots - 1, (uint32_t)hash, &skip)] = slot_of(id, hash, ns, name);
    }
    free(skip);
}
