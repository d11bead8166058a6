/* Fields: which features are values of the same attribute. Rules that compare examples field by
 * field (knn, rules) need to know.
 *
 * The name decides. Two features belong to one field if they have the same namespace and the same
 * name up to the first `=`, such as `colour=red` and `colour=blue` from a column of a CSV file. A
 * feature of the empty namespace without `=` is a field of its own.
 *
 * The array `of` is shared with snapshots: the learner appends behind what they know. Hashed models
 * know no names and have no groups. */
#ifndef THR_MODEL_GROUPS_H
#define THR_MODEL_GROUPS_H

#include "base/secret.h"
#include "lexicon/lexicon.h"

typedef struct thr_groups {
    uint32_t *of; /* per feature: its group from 1 on; 0: a field of its own. A shared array */
    size_t n, room;
    bool view;              /* another owner appends to `of`: it must be copied before we do */
    struct thr_group_slot { /* hash table from field to group; not shared */
        uint64_t hash;
        uint32_t group; /* 0: the slot is empty */
    } * slot;
    size_t slots;      /* a power of two */
    uint32_t groups;   /* so far */
    thr_secret secret; /* places of fields are secret, so that none can be made to collide */
} thr_groups;

void thr_groups_clear(thr_groups *g);
/* Makes *out a view of the groups as they are now; `g` may still be extended. */
int thr_groups_share(const thr_groups *g, thr_groups *out, thr_error *err);
/* Gives groups to the features that were added to the lexicon since the last call. `of` may
 * move. */
int thr_groups_extend(thr_groups *g, const thr_lexicon *x, thr_error *err);

#endif
