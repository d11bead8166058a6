/* The features of links: for a link's name and the tag before, the id of `after TAG` and that name.
 *
 * A tagger tries every tag, at every token. So what it has found is kept: a table from names to lists of
 * ids, one for each tag. Ids that were not known are looked up again when the lexicon has grown. */
#ifndef THR_CHAIN_PAST_H
#define THR_CHAIN_PAST_H

#include "lexicon/lexicon.h"
#include "multiclass/labels.h"

typedef struct thr_past_entry {
    uint64_t hash;
    thr_str name;   /* in the arena; .p is NULL: the entry is free */
    uint32_t *id;   /* [label]; in the arena */
    uint32_t known; /* features of the lexicon when it was filled in */
} thr_past_entry;

typedef struct thr_past {
    const void *model; /* that it belongs to */
    uint32_t labels;
    thr_past_entry *entry; /* open addressing, at most half full */
    size_t used;
    thr_str *after;        /* [label]: the namespace */
    uint32_t *space;       /* [label]: its number in the lexicon */
    size_t after_room, space_room;
    thr_arena names, arena;
} thr_past;

/* The ids behind each label for a link, labels->n of them, THR_NONE where there is no such feature. They
 * last until the next call. NULL: out of memory. */
const uint32_t *thr_past_find(thr_past *p, const void *model, const thr_lexicon *x,
                              const thr_labels *labels, thr_str link);
void thr_past_clear(thr_past *p);

#endif
