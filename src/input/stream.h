/* The way in: an input becomes batches, in order, whatever the number of threads.
 *
 *   source -> block of whole records -> batch          reading is serial, parsing is not
 *
 * With several threads each takes the next block under a lock, parses it outside, and the caller
 * receives the batches by number. A batch is the caller's until the next call. */
#ifndef THR_INPUT_STREAM_H
#define THR_INPUT_STREAM_H

#include "format/format.h"
#include "lexicon/lexicon.h"

#define THR_DEFAULT_MAX_LINE ((size_t)256 << 20)

typedef struct thr_input_part {
    char *path;        /* NULL: memory, or a callback: */
    thr_read_fn *read; /* NULL: none */
    void *user;
    const void *bytes;
    size_t size;
    char *name;
} thr_input_part;

struct thr_input {
    thr_input_part *part;
    size_t n_parts, part_room;
    const thr_format *format; /* NULL: detect */
    thr_columns columns;
    size_t max_line;
    unsigned threads;
    unsigned shard, shards; /* of every part, the records of this one; 0 or 1 of them: all */
    bool labelled, strict;
    enum thr_on_error on_error;
    thr_problem_fn *problem;
    void *user;
};

/* The bytes of one part, unpacked; NULL with the error. */
struct thr_source *thr_input_open_part(const thr_input *in, size_t part, thr_error *err);

typedef struct thr_stream thr_stream;

/* `base` gives the feature settings; columns given by the input override it. `prefer` is tried
 * first where the format is not named. */
thr_stream *thr_stream_open(const thr_input *in, const thr_reader_settings *base,
                            uint64_t hash_seed, const thr_format *prefer, thr_error *err);
/* The same where threads that parse also look names up, but for those of caches
 * (batch->looked_up). Where the lexicon is open to readers, the caller resolves each batch in it
 * and nothing else changes it: the threads then look up what is known by then. Ids must last. */
thr_stream *thr_stream_open_known(const thr_input *in, const thr_reader_settings *base,
                                  const thr_lookup *names, const thr_format *prefer,
                                  thr_error *err);
void thr_stream_close(thr_stream *s);
/* 1 and a batch, 0 at the end, or a negative code. */
int thr_stream_next(thr_stream *s, thr_batch **b, thr_error *err);
/* Adds the place of example e of the last batch to an error, whose column it keeps. */
int thr_stream_place(const thr_stream *s, const thr_batch *b, size_t e, thr_error *err);
/* An example that cannot be used, with what is wrong in err: with THR_STOP its place is added and
 * its code returned, else it is counted, reported and marked for thr_batch_sweep. */
int thr_stream_reject(thr_stream *s, thr_batch *b, size_t e, thr_error *err);
int thr_stream_unlabelled(thr_stream *s, thr_batch *b, size_t e, thr_error *err); /* ... no label */
const char *thr_stream_file(const thr_stream *s); /* of the last batch */
uint64_t thr_stream_line(const thr_stream *s, const thr_batch *b, size_t e);
void thr_stream_reading(const thr_stream *s, thr_reading *out);
void thr_stream_progress(const thr_stream *s, uint64_t *bytes, uint64_t *total);
/* Can the input be read again from the start? */
bool thr_input_rereadable(const thr_input *in);
/* What messages call a part. */
const char *thr_input_name(const thr_input *in, size_t part);

#endif
