/* Finding a name in the table of a model file. Private to the lexicon. */
#ifndef THR_LEXICON_SLOTS_H
#define THR_LEXICON_SLOTS_H

#include "lexicon/cells.h"

/* The id of a name in x->slot, or THR_NONE. The hash is that of its bytes. */
uint32_t thr_slots_find(const thr_lexicon *x, uint32_t ns, thr_str name, uint64_t hash);

#endif
