/* Which tags may follow one another: in chunks a tag like I-NP goes on with what has begun. Derived from
 * the names of the labels. */
#ifndef THR_CHAIN_RULES_H
#define THR_CHAIN_RULES_H

#include "multiclass/labels.h"
#include "sentence/tags.h"

typedef struct thr_rules {
    const void *of;  /* the labels that they have been made for ... */
    uint32_t labels; /* ... and how many these were */
    bool any;        /* something is forbidden */
    bool *follows;   /* [before * labels + label] */
    bool *begins, *ends;
    size_t follows_room, begins_room, ends_room;
} thr_rules;

/* Brings them up to date. False: out of memory. */
bool thr_rules_make(thr_rules *r, const thr_labels *labels, enum thr_scheme scheme);
void thr_rules_clear(thr_rules *r);

#endif
