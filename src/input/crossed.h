/* Which crosses have matched an example, whether a variable to be negated was met, and for a
 * message about the others which namespaces the examples have. */
#ifndef THR_INPUT_CROSSED_H
#define THR_INPUT_CROSSED_H

#include "example/features.h"

typedef struct thr_crossed {
    uint32_t matched; /* bit i: cross number i */
    bool negated;     /* an example has a variable that is to be negated */
    bool any;         /* there was an example */
    bool without_ns;  /* with a feature of the empty namespace */
    bool cut;         /* `names` has no room for all */
    char names[200];  /* the other namespaces, comma-separated, while a cross has not matched */
    size_t n;
} thr_crossed;

/* Notes a batch. One that was read from a cache has its crosses already: they count as matched. */
void thr_crossed_note(thr_crossed *c, const thr_features *f, const thr_batch *b, bool cached);
/* Fills reading->unmatched, reading->namespaces and reading->never_negated. */
void thr_crossed_report(const thr_crossed *c, const thr_features *f, thr_reading *reading);

#endif
