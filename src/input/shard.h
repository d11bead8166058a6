/* Shards: of a file cut into N pieces, the records that begin in one of them.
 *
 *   header | piece 0 | piece 1 | ... | piece N - 1        pieces are equally long, to a byte
 *
 * A record belongs to the piece that holds its first byte. All shards compute the same cuts, so
 * that each record is read by exactly one of them. */
#ifndef THR_INPUT_SHARD_H
#define THR_INPUT_SHARD_H

#include "input/blocks.h"

/* Behind the header of a part whose format is known: finds the piece. Where records are lines, the
 * source then stands at the first of the shard and the carry is empty (b->seeks); else records are
 * to be picked (b->picks). */
int thr_shard_begin(thr_blocks *b, thr_error *err);
/* Of the carry's first n bytes, whole records: drops those before the shard and returns how many
 * bytes of those that remain belong to it. b->over: none after them does. */
size_t thr_shard_pick(thr_blocks *b, size_t n);

#endif
