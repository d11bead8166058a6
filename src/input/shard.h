/* Shards: a file is cut into N pieces of equal length, and a shard has the records that begin
 * in one of them. Several processes can so read one file without splitting it.
 *
 *   header | piece 0 | piece 1 | ... | piece N - 1        lengths differ by a byte at most
 *
 * A record belongs to the piece that holds its first byte. All shards compute the same cuts
 * from the size of the file, so each record is read by exactly one of them. */
#ifndef THR_INPUT_SHARD_H
#define THR_INPUT_SHARD_H

#include "input/blocks.h"

/* Finds the shard of a part whose header has just been read. If records are lines, the source
 * is moved to the first line of the shard and the carry emptied (b->seeks). If records may span
 * lines, as in CSV with quotes, no place in the middle of the file is known to begin a record:
 * the part is then read from its start, and the records of the shard are picked (b->picks).
 * Fails with THR_EUSE if the part is a cache, or cannot be sought in. */
int thr_shard_begin(thr_blocks *b, thr_error *err);
/* With b->picks: the first n bytes of the carry are whole records. Removes those before the
 * shard from the carry and returns how many of the bytes that remain belong to the shard. Sets
 * b->over if all its records have been picked. */
size_t thr_shard_pick(thr_blocks *b, size_t n);

#endif
