/* The model file, as docs/model-format.md describes it.
 *
 *   head | index | sections, each at a multiple of 64 | hashes of every 64 KiB before | hash
 *
 * Its bytes are a function of settings and examples only. */
#ifndef THR_FILE_FILE_H
#define THR_FILE_FILE_H

#include "base/guard.h"
#include "model/model.h"

#define THR_FILE_MAGIC   "THRMODEL"
#define THR_FILE_VERSION 1u
#define THR_FILE_LEAN    1u
#define THR_FILE_ALIGN   64u
#define THR_CHECK_ALL    ((size_t)64 << 20) /* smaller files are checked entirely at opening */

enum thr_section {
    THR_SECTION_SETTINGS,
    THR_SECTION_LABELS,
    THR_SECTION_STATE,
    THR_SECTION_SPACES,
    THR_SECTION_PAGES,
    THR_SECTION_SLOTS,
    THR_SECTION_ORIGIN,
    THR_SECTION_HEAP,
    THR_SECTION_BUCKETS,
    THR_SECTIONS
};

/* After these, for each member in turn. */
enum thr_member_section { THR_SECTION_ROWS, THR_SECTION_MEMORY, THR_MEMBER_SECTIONS };
#define THR_MOST_MEMBERS  64u
#define THR_MOST_SECTIONS (THR_SECTIONS + THR_MEMBER_SECTIONS * THR_MOST_MEMBERS)

typedef struct thr_file_head {
    char magic[8];
    uint32_t version, flags;
    uint64_t size;   /* of the whole file */
    uint64_t hashes; /* where they begin */
    uint32_t sections, zero;
    uint64_t reserved[2];
    uint64_t hash; /* of all the above */
} thr_file_head;

typedef struct thr_file_section {
    uint64_t offset, size;
} thr_file_section;

typedef struct thr_file_bucket {
    uint32_t mark, shared;
} thr_file_bucket;

/* The section STATE: what a model has counted and what its rules keep beside their rows. Reading
 * returns false for what makes no sense or does not fit in memory (then *memory). */
bool thr_state_write(const thr_model *m, thr_bytes *out);
bool thr_state_read(thr_model *m, const char *p, size_t n, bool *memory);

/* Takes n bytes; not 0 when it cannot. */
typedef int thr_put_fn(void *to, const void *p, size_t n);

/* Returns 0, THR_EMEM, or THR_EIO when `put` failed. */
int thr_model_write(const thr_model *m, thr_put_fn *put, void *to);
/* A copy without the features that no prediction depends on. */
thr_model *thr_model_lean(const thr_model *m, thr_error *err);

#endif
