/* A codec undoes one kind of compression. A codec whose library is absent from the build keeps
 * its name and magic bytes, so that its files are refused by name, and has no functions. */
#ifndef THR_SOURCE_CODEC_H
#define THR_SOURCE_CODEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define THR_MAGIC_ROOM 8
/* Decoders that would need more than this for their window are refused. */
#define THR_WINDOW_LOG_MAX 30

enum thr_step {
    THR_STEP_MORE, /* not at the end; without any progress: needs input */
    THR_STEP_END,  /* behind the last byte of a member */
    THR_STEP_DAMAGED,
    THR_STEP_TOO_BIG, /* needs more memory than is allowed */
    THR_STEP_MEMORY,
};

/* What one step may read and write; it moves both ends on. */
typedef struct thr_flow {
    const uint8_t *in;
    size_t in_size;
    uint8_t *out;
    size_t out_room;
} thr_flow;

/* The bytes by which a member begins: p & mask == bytes. A size of 0 matches nothing. */
typedef struct thr_magic {
    size_t size;
    uint8_t bytes[THR_MAGIC_ROOM], mask[THR_MAGIC_ROOM];
} thr_magic;

typedef struct thr_codec {
    const char *name;
    thr_magic magic[2];
    bool zero_padding; /* zero bytes may follow a member */
    /* Makes ready for a new member; *state is NULL before the first. False: out of memory. */
    bool (*open)(void **state);
    enum thr_step (*step)(void *state, thr_flow *flow);
    void (*close)(void *state); /* takes NULL */
} thr_codec;

extern const thr_codec thr_codec_gzip, thr_codec_zstd, thr_codec_xz;

#endif
