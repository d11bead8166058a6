/* Blocks: the bytes of all parts of an input, cut behind whole records, so that blocks can be
 * parsed independently of each other.
 *
 *   read    | record | record | record | rec      bytes are read into `carry`
 *   block   | record | record | record |          whole records become a block
 *   carry                              | rec      the rest stays and begins the next block
 *
 * A block never spans two parts. The functions are called by one thread at a time; the stream
 * sees to that. */
#ifndef THR_INPUT_BLOCKS_H
#define THR_INPUT_BLOCKS_H

#include "input/stream.h"
#include "source/source.h"

typedef struct thr_block {
    thr_bytes bytes; /* whole records; owned, reused when the block is filled again */
    size_t start;    /* not used */
    size_t part;     /* index of the part it comes from */
    const thr_format *format;
    const void *header; /* made by format->header, or NULL; belongs to thr_blocks */
    const thr_reader_settings *settings; /* how its records are read; belongs to thr_blocks */
    bool first;                          /* the first block of its part */
    uint64_t header_lines;               /* lines of the header before it, if first */
} thr_block;

typedef struct thr_blocks {
    const thr_input *in;
    const thr_reader_settings *settings;
    thr_reader_settings bare;       /* the same for parts that are found to have no labels */
    const thr_reader_settings *now; /* of the part being read: one of these two */
    const thr_format *prefer;
    size_t part;              /* index of the part being read */
    thr_source *source;       /* of that part; NULL: it has not been opened yet */
    const thr_format *format; /* of that part; NULL: not known yet */
    void *header;             /* of that part, or NULL */
    thr_bytes carry;          /* bytes read that no block has got yet */
    bool first, at_end;       /* no block has been cut from the part; the source has ended */
    /* The shard of the part (shard.h): the records whose first byte is in [from, to). */
    uint64_t begin;        /* where reading began, for the progress */
    uint64_t from, to;     /* offsets in the part */
    bool seeks, picks;     /* reading began at the shard; or its records are picked while reading */
    bool over;             /* with picks: no more records belong to the shard */
    uint64_t taken, total; /* bytes of the finished parts; of all parts, 0 if not known */
    struct thr_read_header {
        const thr_format *format;
        void *header;
    } * kept; /* all headers; blocks point to them, so they are freed at the end */
    size_t n_kept, kept_room;
} thr_blocks;

void thr_blocks_init(thr_blocks *b, const thr_input *in, const thr_reader_settings *settings,
                     const thr_format *prefer);
void thr_blocks_clear(thr_blocks *b);
/* Returns 1 and fills *block, 0 at the end of the last part, or a negative code. The line in
 * *err is counted from the start of the block, or from the top of the part if the block is its
 * first: how many lines the blocks before have is known only once they are parsed. */
int thr_blocks_next(thr_blocks *b, thr_block *block, thr_error *err);
uint64_t thr_blocks_taken(const thr_blocks *b); /* bytes read so far, before decompression */

#endif
