/* How well sentences are tagged: tokens and whole sentences that are right and, where tags are those of
 * chunks, chunks found: precision, recall and F as conlleval counts them. A chunk is right if its first and
 * last token and its type are. */
#ifndef THR_MEASURE_CHUNKS_H
#define THR_MEASURE_CHUNKS_H

#include "base/error.h"
#include "sentence/tags.h"

struct thr_chunks {
    bool chunks;               /* tags are those of chunks */
    uint64_t sentences, exact; /* exact: with every tag right */
    uint64_t tokens, right;
    struct thr_chunk_type {
        char *name;                      /* owned */
        uint64_t truths, predicted, right; /* chunks */
    } * type;
    size_t types, type_room;
    struct thr_chunk_type all;
    thr_span_of_type *span[2]; /* scratch */
    size_t span_room[2];
};

thr_chunks *thr_chunks_new(int scheme);
/* Counts one sentence. False: out of memory. */
bool thr_chunks_see(struct thr_chunks *c, const thr_str *truth, const thr_str *predicted, size_t n);

#endif
