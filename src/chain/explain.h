/* Why a token has its tag: what each feature of the sentence adds to the lead of the tags that were predicted
 * over the best ones in which this token has another tag. */
#ifndef THR_CHAIN_EXPLAIN_H
#define THR_CHAIN_EXPLAIN_H

#include "chain/chain.h"

typedef struct thr_chain_part {
    uint32_t id;
    long at;     /* the token that has the feature, from the one that is explained */
    double lead; /* what it adds */
} thr_chain_part;

typedef struct thr_chain_reasons {
    uint32_t tag, against; /* labels; against: THR_NONE if no other is allowed */
    double lead;
    thr_chain_part *part; /* with something to add, the greatest first */
    size_t n, room;
} thr_chain_reasons;

/* Of token t of the sentence that c has predicted last. False: out of memory. */
bool thr_chain_explain(const thr_model *m, thr_chain *c, size_t t, thr_chain_reasons *out);

#endif
