/* Which features are values of one field, by their names: those of one namespace, and within it
 * those whose names are alike up to the first `=` (as `colour=red` of a CSV column). A feature of
 * the empty namespace without `=` is a field of its own. */
#ifndef THR_MODEL_GROUPS_H
#define THR_MODEL_GROUPS_H

#include "lexicon/lexicon.h"

typedef struct thr_groups {
    uint32_t *of; /* per feature: its group from 1 on, 0: a field of its own; a shared array */
    size_t n, room;
    bool view; /* somebody else appends to it */
    struct thr_group_slot {
        uint64_t hash;
        uint32_t group; /* 0: empty */
    } * slot;
    size_t slots; /* a power of two */
    uint32_t groups;
} thr_groups;

void thr_groups_clear(thr_groups *g);
/* The groups as they are now; `g` may still be extended. */
int thr_groups_share(const thr_groups *g, thr_groups *out, thr_error *err);
/* Features that have come to the lexicon get their groups. */
int thr_groups_extend(thr_groups *g, const thr_lexicon *x, thr_error *err);

#endif
