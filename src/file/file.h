/* The model file. docs/model-format.md specifies every byte of it; this is the overview.
 *
 *   offset   part        what it holds
 *   ------   ---------   ----------------------------------------------------------------------
 *   0        head        64 bytes: magic, version, flags, sizes, hash of the head
 *   64       index       offset and size of each section, 16 bytes each
 *            settings    lines of text                          -.
 *            labels      names                                   | small: checked and copied
 *            state       counters, panel, members' numbers       | at opening
 *            spaces      namespaces and their page numbers      -'
 *            pages       small integers to ids, if not bare     -.
 *            slots       hash table of names, if not bare        | used where they lie in the map;
 *            origin      ids to names                            | in the hashed form, buckets are
 *            heap        the bytes of the names                  | copied
 *            buckets     hashed form only                       -'
 *            rows 0      weights of member 0                    plain rows: used where they lie;
 *                                                               lists: copied, unless mapped
 *            memory 0    examples that member 0 keeps           checked and copied
 *            rows 1 ...  two sections for each further member
 *   hashes              XXH3 of every 64 KiB of all the above, one u64 each
 *   size - 8            XXH3 of these hashes
 *
 * Every section begins at a multiple of 64; the gaps are zero. Numbers are little-endian, as the
 * machine has them in memory.
 *
 * The promise: the bytes are a function of the settings and the examples, in order, and of nothing
 * else. There is no time, path, thread count, address or capacity in the file. Tables are laid out
 * from the ids (thr_lexicon_table_fill), not copied from memory, where their form depends on how
 * they grew; rows are written at the width in use, without the room that tables keep for further
 * labels. So training in one go and training that was saved and resumed give the same file.
 *
 * Nothing in a file may be trusted. Where sizes are checked before they are used:
 *
 *   the file's own size, position of the hashes, number of sections   open.c, read_head
 *   offset and size of each section                                   open.c, read_index
 *   number of sections against number of members                      open.c, read_state
 *   counts inside the state                                           state.c, count
 *   origin, buckets and rows against the number of ids; slots are     open.c, read_lexicon,
 *     a power of two                                                  read_buckets, read_member
 *   page numbers, lengths of names and labels                         open.c, read_space, take_text
 *   kept examples                                                     weights/memory.c
 *   lists of weights                                                  weights/stored.c
 *   every name and every id in the tables, and that these are not     lexicon.c,
 *     full; of a large model, when all of it is first read            thr_lexicon_check
 *
 * Damage is found by the hashes, which a forged file can satisfy; the checks above hold for forged
 * files too. */
#ifndef THR_FILE_FILE_H
#define THR_FILE_FILE_H

#include "base/guard.h"
#include "model/model.h"

#define THR_FILE_MAGIC "THRMODEL"
/* The first version has plain rows only. A file is of the second if a table in it is stored as
 * lists, so that earlier versions of thresh can read the others. */
#define THR_FILE_PLAIN  1u
#define THR_FILE_LISTED 2u
#define THR_FILE_LEAN   1u  /* a flag of the head */
#define THR_FILE_BARE   2u  /* another: names without tables; the reader makes them */
#define THR_FILE_ALIGN  64u /* of sections */
/* Files smaller than this are read into memory and checked entirely at opening; larger ones, opened
 * for predicting, are mapped, and a chunk is checked when it is first touched. */
#define THR_CHECK_ALL ((size_t)64 << 20)

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

/* The sections of each member, which follow in turn. */
enum thr_member_section { THR_SECTION_ROWS, THR_SECTION_MEMORY, THR_MEMBER_SECTIONS };
#define THR_MOST_SECTIONS (THR_SECTIONS + THR_MEMBER_SECTIONS * THR_MOST_MEMBERS)
_Static_assert(THR_MOST_MEMBERS <= 64, "head.listed has a bit for each");

typedef struct thr_file_head {
    char magic[8];
    uint32_t version, flags;
    uint64_t size;   /* of the whole file */
    uint64_t hashes; /* offset of the hashes */
    uint32_t sections, zero;
    uint64_t listed; /* bit k: the table of member k is stored as lists (weights/stored.h) */
    uint64_t reserved;
    uint64_t hash; /* of the 56 bytes before */
} thr_file_head;

typedef struct thr_file_section {
    uint64_t offset, size;
} thr_file_section;

typedef struct thr_file_bucket {
    uint32_t mark, shared;
} thr_file_bucket;

/* The section STATE: what a model has counted, and what its rules keep beside their rows. Writing
 * returns false if memory runs out. Reading returns false for a state that makes no sense or, with
 * *memory set, does not fit in memory; settings and labels have been read by then. */
bool thr_state_write(const thr_model *m, thr_bytes *out);
bool thr_state_read(thr_model *m, const char *p, size_t n, bool *memory);

/* What a model is opened for, and whether all of it is checked at once: the first two check all,
 * and THR_LAZILY, which is for predicting, checks a chunk when it is first touched. */
enum thr_opened { THR_TO_TRAIN, THR_TO_PREDICT, THR_LAZILY };
/* A model from bytes, which are copied. */
thr_model *thr_model_load_as(const void *bytes, size_t size, enum thr_opened as, thr_error *err);

/* Takes n bytes of output; returns a value other than 0 if it cannot. */
typedef int thr_put_fn(void *to, const void *p, size_t n);

/* Writes m. Its rules should be finished (thr_model_finish): a reader takes them to be. Returns 0,
 * THR_EMEM, or THR_EIO if `put` failed. A snapshot can be written while the model it was taken from
 * learns. */
int thr_model_write(const thr_model *m, thr_put_fn *put, void *to);
/* A copy of m without the features that no prediction depends on, flagged as lean. The caller frees
 * it. */
thr_model *thr_model_lean(const thr_model *m, thr_error *err);

#endif
