/* Blocks: the bytes of all parts of an input, cut at ends of records. Serial. */
#ifndef THR_INPUT_BLOCKS_H
#define THR_INPUT_BLOCKS_H

#include "input/stream.h"
#include "source/source.h"

typedef struct thr_block {
    thr_bytes bytes; /* whole records */
    size_t start;    /* of the first one */
    size_t part;
    const thr_format *format;
    const void *header;
    bool first;            /* of its part */
    uint64_t header_lines; /* that came before it, if first */
} thr_block;

typedef struct thr_blocks {
    const thr_input *in;
    const thr_reader_settings *settings;
    const thr_format *prefer;
    size_t part; /* being read */
    thr_source *source;
    const thr_format *format;
    void *header;
    thr_bytes carry;
    bool first, at_end;
    uint64_t begin;        /* of the part's shard: bytes before it, ... */
    uint64_t from, to;     /* ... and where its records begin: at `from` or later, before `to` */
    bool seeks, picks;     /* it was found by its lines; its records are picked */
    bool over;             /* the last of them has been picked */
    uint64_t taken, total; /* bytes of finished parts; of all, 0 if not known */
    struct thr_read_header {
        const thr_format *format;
        void *header;
    } * kept; /* headers, until the end: blocks point to them */
    size_t n_kept, kept_room;
} thr_blocks;

void thr_blocks_init(thr_blocks *b, const thr_input *in, const thr_reader_settings *settings,
                     const thr_format *prefer);
void thr_blocks_clear(thr_blocks *b);
/* 1 and a block, 0 at the end, or a negative code with the place in err, whose line is counted from
 * where the block would begin, or from the top of the part if it is the first. */
int thr_blocks_next(thr_blocks *b, thr_block *block, thr_error *err);
uint64_t thr_blocks_taken(const thr_blocks *b);

#endif
