/* A codec decompresses one kind of data. A compressed file is a sequence of members (gzip), frames
 * (zstd) or streams (xz), all called members here; each is decoded from its magic bytes to its end.
 *
 * A codec whose library was not there when thresh was built has no functions. It keeps its name and
 * magic bytes, so that its files are recognised and refused with a clear message. */
#ifndef THR_SOURCE_CODEC_H
#define THR_SOURCE_CODEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define THR_MAGIC_ROOM 8
/* Data that needs a window of more than 2^30 bytes to be decoded is refused: a small file must not
 * be able to ask for any amount of memory. */
#define THR_WINDOW_LOG_MAX 30

/* What one step of decoding came to. */
enum thr_step {
    THR_STEP_MORE, /* not at the end; if nothing was read or written, it needs more input */
    THR_STEP_END,  /* the last byte of a member was read, and all its output written */
    THR_STEP_DAMAGED,
    THR_STEP_TOO_BIG, /* the data needs more memory than is allowed */
    THR_STEP_MEMORY,  /* out of memory */
};

/* What one step may read and write. The step moves `in` and `out` on, and reduces the sizes. */
typedef struct thr_flow {
    const uint8_t *in;
    size_t in_size; /* bytes left to read */
    uint8_t *out;
    size_t out_room; /* bytes left to write */
} thr_flow;

/* The bytes that a member begins with: p[i] & mask[i] == bytes[i]. A size of 0 matches nothing. */
typedef struct thr_magic {
    size_t size;
    uint8_t bytes[THR_MAGIC_ROOM], mask[THR_MAGIC_ROOM];
} thr_magic;

typedef struct thr_codec {
    const char *name;
    thr_magic magic[2];
    bool zero_padding; /* zero bytes may follow a member */
    /* Prepares for a new member. *state is NULL before the first member, and is then reused for the
     * others. False: out of memory. */
    bool (*open)(void **state);
    enum thr_step (*step)(void *state, thr_flow *flow);
    void (*close)(void *state); /* frees the state, which may be NULL */
} thr_codec;

extern const thr_codec thr_codec_gzip, thr_codec_zstd, thr_codec_xz;

#endif
