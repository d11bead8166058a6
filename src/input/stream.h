/* The input pipeline: files, pipes and memory become batches of examples. The batches and their
 * order are the same for any number of threads.
 *
 *      the parts of an input, one after the other
 *             |
 *             |  source/    bytes, decompressed             serial: one thread at a time
 *             |  blocks.c   cut into blocks of whole        holds the lock `reader`
 *             |             records, numbered 0, 1, 2 ...
 *             v
 *      block i, in slot i mod 2N
 *             |
 *             |  format/    parse the block into the        parallel: no lock, the slot
 *             |             batch of the slot               belongs to the thread that
 *             |  lexicon/   look up the names that are      took the block
 *             |             known already (optional)
 *             v
 *      batch i, ready
 *             |
 *             |  thr_stream_next: waits for the slot        serial: the caller's thread
 *             |             of batch i, then of i + 1
 *             v
 *      the caller: rejects examples, gives ids to new names, learns or predicts
 *
 * THREADS. With N threads (in->threads; 0 means one per processor) there are N - 1 workers, the
 * threads of a crew (base/crew.h), and the caller's thread is the N-th. A worker that finds the
 * slot for the next block empty locks the reader, reads the block, unlocks the reader, parses the
 * block and marks the slot ready. The same threads take part in learning, which comes first:
 *
 *      N = 3     time -->
 *      worker 1  read 0   parse 0 ......   read 3   parse 3 ......   read 5   parse 5
 *      worker 2           read 1   parse 1 ......   read 4   parse 4 ......   read 6
 *      caller                      read 2  parse 2 ......   learn 0  learn 1  learn 2
 *
 * A caller whose next batch is not ready does not just wait. If nobody is reading and the next
 * slot is empty, it takes a block and parses it too (block 2 above). It does not read from a
 * pipe, though: such a read might wait for a writer long after the batch has become ready. With
 * N = 1 there are no workers and one slot; thr_stream_next reads and parses by itself.
 *
 * ORDER. Block i goes to slot i mod 2N, and the caller takes the slots in turn, so batches need
 * not be sorted. While the next slot is occupied nobody can read any further, and the memory in use
 * stays bounded by 2N blocks and their batches; when the caller gives the slot back, it wakes the
 * crew. There are two slots per thread, so that each thread can parse one block while another of
 * its blocks waits to be taken.
 *
 * OWNERSHIP. A batch that thr_stream_next returned belongs to the caller until the next call,
 * or until the stream is closed; then its slot is used for another block. Names, labels and
 * tags in it are slices of the block, and go with it. What a format makes of the head of a file
 * lives until the stream is closed. The input must outlive the stream and must not change
 * meanwhile.
 *
 * NAMES. Looking names up in a large lexicon is a good part of all the work. A stream that was
 * opened by thr_stream_open_known therefore does it in the parallel part too. There are two
 * cases:
 *
 *      the lexicon is constant      each id is final; THR_NONE is a name that the model does not
 *      (predict, test)              know
 *      the caller adds to it        an id that is found is final; THR_NONE is a name that was not
 *      (train, convert)             known at that moment, and the caller resolves it
 *
 * In the second case the workers read the lexicon while the caller adds to it (lexicon.h says
 * why that is safe). How many names they find depends on timing, the ids do not: only the
 * caller gives ids, to the names of batch 0, 1, 2 ... in order of appearance, and a name that a
 * worker has found is simply one that need not be looked up again. This requires that an id,
 * once given, never changes while the stream is open.
 *
 * IDS AHEAD. Giving ids to new names is serial, but it need not be the caller who does it. If
 * thr_stream_settle_by has named a function, a worker calls it for the next batch that is ready,
 * and then for those behind it, one after the other, while the caller learns from earlier ones. A
 * batch that the function leaves alone, or that has problems, is resolved by the caller when it
 * comes; those behind it wait until then. So names still get their ids in the order of batches:
 *
 *      worker    parse 3 ....   ids of 3   parse 4 ....   ids of 4
 *      caller    learn 2 ..................   learn 3 .................
 *
 * ERRORS. A parser thread records problems in its batch, and calls no callback. When the batch
 * is delivered, thr_stream_next turns them into errors with file and line. With THR_STOP it
 * first returns the examples before the problem and fails at the next call; otherwise it counts
 * the problems and reports them to in->problem, from the caller's thread. Errors are therefore
 * also the same for any number of threads. */
#ifndef THR_INPUT_STREAM_H
#define THR_INPUT_STREAM_H

#include "format/format.h"
#include "lexicon/lexicon.h"
#include "model/model.h"

#define THR_DEFAULT_MAX_LINE   ((size_t)64 << 20)
#define THR_DEFAULT_MAX_LABELS 10000u

/* One file, callback or piece of memory. */
typedef struct thr_input_part {
    char *path;        /* a file, "-" for standard input; NULL: see below */
    thr_read_fn *read; /* a callback, called with `user`; NULL: `bytes` */
    void *user;
    const void *bytes; /* borrowed */
    size_t size;
    char *name; /* for messages */
} thr_input_part;

struct thr_input {
    thr_input_part *part; /* read one after the other */
    size_t n_parts, part_room;
    const thr_format *format; /* of all parts; NULL: detected for each */
    thr_columns columns;      /* .given: they override those of the model */
    size_t max_line;          /* longest record, in bytes */
    size_t max_active;        /* most features that crosses and conjunctions make in an example */
    thr_limits limits;        /* of a model that is trained on it */
    unsigned threads;         /* 0: one per processor */
    unsigned shard, shards;   /* read only shard number `shard` of every part; shards <= 1: all */
    bool labelled, strict;    /* examples have labels; text that is not UTF-8 is a problem */
    bool detect_labels;       /* a part may lack labels, if its beginning shows that it does */
    bool empty_sets;          /* an example without a label has the empty set of labels */
    enum thr_on_error on_error;
    thr_problem_fn *problem; /* told of problems unless on_error is THR_STOP; may be NULL */
    void *user;
};

/* The bytes of one part, unpacked; NULL with the error. */
struct thr_source *thr_input_open_part(const thr_input *in, size_t part, thr_error *err);

typedef struct thr_stream thr_stream;
struct thr_crew;

/* Starts the workers; nothing is reported about the input yet. They are the threads of `crew`,
 * which read and parse in its background while it has no other work, or if that is NULL a crew of
 * the stream's own. `base` has the feature settings, and columns given by the input override it.
 * `prefer` is tried first where a format must be detected, and may be NULL. `hash_seed` is that of
 * the lexicon in which the batches will be looked up. NULL: out of memory. */
thr_stream *thr_stream_open(const thr_input *in, const thr_reader_settings *base,
                            uint64_t hash_seed, const thr_format *prefer, struct thr_crew *crew,
                            thr_error *err);
/* The same, but names are looked up by the threads that parse (see NAMES above);
 * batch->looked_up says that it was done. Batches of a cache are left to the caller. If the
 * lexicon is open to readers, the caller must resolve each batch in it, and nothing else may
 * change the lexicon. */
thr_stream *thr_stream_open_known(const thr_input *in, const thr_reader_settings *base,
                                  const thr_lookup *names, const thr_format *prefer,
                                  struct thr_crew *crew, thr_error *err);
/* Gives ids to the names of a batch whose known names have been looked up. Called by any thread,
 * but by one at a time, and in the order of batches. False: it is left to the caller. */
typedef bool thr_settle_fn(void *user, thr_batch *b);
void thr_stream_settle_by(thr_stream *s, thr_settle_fn *settle, void *user);
/* Whether the names of the batch that thr_stream_next returned last have their ids. If not, nobody
 * else gives any until the caller, who now does, calls thr_stream_has_settled. */
bool thr_stream_is_settled(thr_stream *s);
void thr_stream_has_settled(thr_stream *s);
/* How many threads read, the caller's among them. */
unsigned thr_input_threads(const thr_input *in);
/* Stops the workers and frees everything. Waits for a worker that is blocked in reading. */
void thr_stream_close(thr_stream *s);
/* Returns 1 and the next batch, 0 at the end, or a negative code. A failure is final: calling
 * again returns the same error. */
int thr_stream_next(thr_stream *s, thr_batch **b, thr_error *err);

/* The functions below refer to the batch that thr_stream_next returned last, and are called by
 * the same thread. */

/* Adds file and line of example e to an error, and keeps its column. Returns the code. */
int thr_stream_place(const thr_stream *s, const thr_batch *b, size_t e, thr_error *err);
/* Reports that example e cannot be used, for the reason in *err. With THR_STOP adds the place
 * and returns the code. Otherwise counts and reports the example, marks it for thr_batch_sweep
 * and returns 0. */
int thr_stream_reject(thr_stream *s, thr_batch *b, size_t e, thr_error *err);
/* The same for an example without a label. */
int thr_stream_unlabelled(thr_stream *s, thr_batch *b, size_t e, thr_error *err);
const char *thr_stream_file(const thr_stream *s);
uint64_t thr_stream_line(const thr_stream *s, const thr_batch *b, size_t e); /* from 1 */
/* What has been counted so far, beside examples. */
void thr_stream_reading(const thr_stream *s, thr_reading *out);
/* Bytes read so far (they run ahead of the batches) and in all, 0 if that is not known. */
void thr_stream_progress(const thr_stream *s, uint64_t *bytes, uint64_t *total);
/* Whether the input can be read again from the start: it has no pipe and no callback. */
bool thr_input_rereadable(const thr_input *in);
/* The name of a part in messages. */
const char *thr_input_name(const thr_input *in, size_t part);

#endif
