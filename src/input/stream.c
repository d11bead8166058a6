/* The slots, the workers and the delivery of batches (stream.h explains the whole).
 *
 * There are three locks. `reader` is held while a block is read, which may take long from a pipe;
 * so nobody waits for it, threads only try to lock it. `settler` is held while names get ids; only
 * the caller waits for it. `lock` guards the states of the slots and is held only for moments. A
 * thread that needs one of the others too locks that first. */
#include "input/crossed.h"
#include "input/stream.h"

#include "base/crew.h"
#include "base/error.h"
#include "input/blocks.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MAX_THREADS 64

/* The state of a slot says who may use the rest of it:
 *
 *   EMPTY    nobody; a thread that is about to read the next block makes it BUSY
 *   BUSY     the thread that reads and parses the block
 *   READY    the caller, who gives it back as EMPTY when it wants the next batch
 *
 * The end of the input, or an error, occupies a slot like a block, and stays there. */
enum state { EMPTY, BUSY, READY };

typedef struct slot {
    enum state state;
    uint64_t number; /* of its block, once it is READY */
    int code;        /* 1: a batch; 0: the end of the input; negative: the error in err */
    thr_error err;
    thr_block block; /* the bytes that names in the batch point into */
    thr_batch batch;
    thr_parser parser; /* its scratch memory is reused from block to block */
} slot;

struct thr_stream {
    const thr_input *in;
    thr_reader_settings settings;
    thr_blocks blocks;
    thr_lookup names; /* where parsers look names up; .lexicon NULL: they do not */
    slot *slot;
    size_t slots;
    uint64_t reading;        /* number of the next block to read */
    uint64_t giving;         /* number of the next batch to deliver; only the caller uses it */
    thr_crew *crew;          /* the workers; NULL: there are none, and no locking is needed */
    bool own_crew;           /* the crew belongs to the stream */
    pthread_mutex_t reader;  /* guards blocks, reading, finished */
    pthread_mutex_t lock;    /* guards the states of the slots */
    pthread_cond_t moved;    /* the state of some slot has changed */
    pthread_mutex_t settler; /* guards the next four */
    thr_settle_fn *settle;   /* gives ids ahead of the caller; NULL: nobody does */
    void *settle_user;
    uint64_t settling; /* number of the next batch whose names get ids; atomic */
    bool left;         /* it is left to the caller */
    bool finished;     /* there are no more blocks */
    /* The rest is used by the caller's thread alone, except for `bytes`. */
    slot *given;           /* the slot of the batch delivered last, or NULL */
    uint64_t line;         /* lines of its part before the block */
    thr_names *cached;     /* table of names of the cache that is being read, or NULL */
    size_t cached_part;    /* its part */
    thr_reading counts;    /* problems so far */
    thr_crossed crossed;   /* crosses that have matched */
    unsigned formats;      /* formats met so far: bit i stands for thr_formats[i] */
    int pending;           /* the code of an error to return at the next call, or 0 */
    thr_error pending_err; /* that error */
    uint64_t bytes;        /* bytes read so far; atomic */
};

/* ---- reading and parsing ------------------------------------------------------------------ */

/* Parses the block of a slot that is BUSY. Several threads do so at once, each with its own
 * slot. Batches of a cache are not looked up here: their names refer to a table that is
 * complete up to this block only when the batch is delivered. */
static void parse(thr_stream *s, slot *k)
{
    thr_batch_reset(&k->batch);
    k->parser.batch = &k->batch;
    k->parser.header = k->block.header;
    k->parser.settings = k->block.settings;
    k->parser.scratch.max_active = s->in->max_active;
    const char *at = k->block.bytes.p;
    thr_format_parse(k->block.format, &k->parser, at, at + k->block.bytes.n);
    if (s->names.lexicon && !k->batch.names && !k->batch.failed) {
        k->batch.failed = thr_lookup_find(&s->names, &k->batch, NULL) != 0;
        k->batch.looked_up = true;
    }
    if (k->batch.failed)
        k->code = thr_fail_memory(&k->err);
}

/* Reads the next block into k. The caller holds `reader`. Returns whether there is one to
 * parse. */
static bool read_block(thr_stream *s, slot *k)
{
    k->code = thr_blocks_next(&s->blocks, &k->block, &k->err);
    __atomic_store_n(&s->bytes, thr_blocks_taken(&s->blocks), __ATOMIC_RELAXED);
    s->finished |= k->code <= 0;
    return k->code > 0;
}

/* Sets the state of a slot and wakes all threads that wait: they wait for different slots. */
static void put_slot(thr_stream *s, slot *k, enum state state)
{
    pthread_mutex_lock(&s->lock);
    k->state = state;
    pthread_cond_broadcast(&s->moved);
    pthread_mutex_unlock(&s->lock);
}

static enum state state_of(thr_stream *s, const slot *k)
{
    pthread_mutex_lock(&s->lock);
    enum state state = k->state;
    pthread_mutex_unlock(&s->lock);
    return state;
}

/* Whether there is a block to read, and a slot for it. The caller holds `reader`. */
static bool can_read(thr_stream *s)
{
    return !s->finished && state_of(s, &s->slot[s->reading % s->slots]) == EMPTY;
}

/* Reads the next block into its slot, unlocks `reader`, and parses the block. The caller has locked
 * `reader`, so that no other thread reads a later block meanwhile, and can_read. Other threads that
 * found the reader locked are called again if they could read now. The thread that meets the end,
 * or an error, still marks its slot READY for the caller to find. */
static void take_block(thr_stream *s)
{
    slot *k = &s->slot[s->reading % s->slots];
    put_slot(s, k, BUSY);
    bool some = read_block(s, k);
    k->number = s->reading++;
    bool more = can_read(s);
    pthread_mutex_unlock(&s->reader);
    if (more)
        thr_crew_wake(s->crew);
    if (some)
        parse(s, k);
    put_slot(s, k, READY);
}

/* Whether the next batch whose names get ids is ready, and is one that the worker may try. The
 * caller holds `settler`. */
static bool can_settle(thr_stream *s, const slot *k)
{
    return s->settle && !s->left && state_of(s, k) == READY && k->number == s->settling &&
           k->code > 0 && k->batch.looked_up && k->batch.n_problems == 0;
}

/* Has the names of one batch given their ids ahead of the caller. False: none is at hand, or
 * another thread does that. */
static bool settle_next(thr_stream *s)
{
    if (pthread_mutex_trylock(&s->settler))
        return false;
    slot *k = &s->slot[s->settling % s->slots];
    bool can = can_settle(s, k);
    if (can) {
        s->left = !s->settle(s->settle_user, &k->batch);
        if (!s->left)
            __atomic_store_n(&s->settling, s->settling + 1, __ATOMIC_RELEASE);
    }
    pthread_mutex_unlock(&s->settler);
    return can;
}

/* Reads and parses a block. False if another thread is reading, the next slot is not empty, or
 * there are no more blocks. */
static bool parse_next(thr_stream *s)
{
    if (pthread_mutex_trylock(&s->reader))
        return false;
    if (can_read(s)) {
        take_block(s);
        return true;
    }
    pthread_mutex_unlock(&s->reader);
    return false;
}

/* A worker's work in the background. */
static bool work(void *arg)
{
    return settle_next(arg) || parse_next(arg);
}

/* Lets the caller's thread read and parse a block instead of waiting for one. Returns false at
 * once if another thread is reading, if the next slot is not empty, or if the bytes come from a
 * pipe, where reading could wait for long while the caller's batch becomes ready. */
static bool help(thr_stream *s)
{
    if (pthread_mutex_trylock(&s->reader))
        return false;
    bool at_hand = s->blocks.source && !thr_source_live(s->blocks.source), can = can_read(s);
    if (at_hand && can) {
        take_block(s);
        return true;
    }
    pthread_mutex_unlock(&s->reader);
    if (can) /* a worker may have found the reader locked meanwhile */
        thr_crew_wake(s->crew);
    return false;
}

/* ---- life --------------------------------------------------------------------------------- */

unsigned thr_input_threads(const thr_input *in)
{
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    unsigned threads = in->threads ? in->threads : cores > 0 ? (unsigned)cores : 1;
    return threads < MAX_THREADS ? threads : MAX_THREADS;
}

static thr_stream *stream_new(const thr_input *in, const thr_reader_settings *base,
                              uint64_t hash_seed, const thr_format *prefer, thr_error *err)
{
    thr_stream *s = calloc(1, sizeof *s);
    size_t threads = thr_input_threads(in);
    size_t slots = threads > 1 ? threads * 2 : 1;
    if (s)
        s->slot = calloc(slots, sizeof *s->slot);
    if (!s || !s->slot) {
        free(s);
        thr_fail_memory(err);
        return NULL;
    }
    s->in = in;
    s->slots = slots;
    s->settings = *base;
    if (in->columns.given)
        s->settings.columns = in->columns;
    s->settings.labelled = in->labelled;
    /* Where a set of labels may be empty, no label is a label set like any other. */
    s->settings.detect = in->labelled && in->detect_labels && !s->settings.empty_sets;
    s->settings.strict = in->strict;
    s->settings.on_error = in->on_error;
    s->settings.max_line = in->max_line;
    for (size_t i = 0; i < slots; i++)
        s->slot[i].batch.hash_seed = hash_seed;
    thr_blocks_init(&s->blocks, in, &s->settings, prefer);
    pthread_mutex_init(&s->reader, NULL);
    pthread_mutex_init(&s->settler, NULL);
    pthread_mutex_init(&s->lock, NULL);
    pthread_cond_init(&s->moved, NULL);
    return s;
}

/* Starts the workers. If the system refuses threads, the caller reads and parses by itself. */
static thr_stream *start(thr_stream *s, thr_crew *crew)
{
    if (!s || s->slots == 1)
        return s;
    s->own_crew = !crew;
    s->crew = crew ? crew : thr_crew_new((unsigned)(s->slots / 2));
    if (s->crew)
        thr_crew_begin(s->crew, THR_CREW_BEHIND, work, s);
    return s;
}

thr_stream *thr_stream_open(const thr_input *in, const thr_reader_settings *base,
                            uint64_t hash_seed, const thr_format *prefer, thr_crew *crew,
                            thr_error *err)
{
    return start(stream_new(in, base, hash_seed, prefer, err), crew);
}

thr_stream *thr_stream_open_known(const thr_input *in, const thr_reader_settings *base,
                                  const thr_lookup *names, const thr_format *prefer, thr_crew *crew,
                                  thr_error *err)
{
    thr_stream *s = stream_new(in, base, names->lexicon->seed, prefer, err);
    /* With one thread the caller resolves a batch right after parsing it. Looking names up
     * while parsing would then do the same work twice. */
    bool twice = names->readers && s && s->slots == 1;
    if (s && !twice)
        s->names = *names;
    return start(s, crew);
}

void thr_stream_close(thr_stream *s)
{
    if (!s)
        return;
    if (s->crew)
        thr_crew_end(s->crew, THR_CREW_BEHIND);
    if (s->own_crew)
        thr_crew_free(s->crew);
    for (size_t i = 0; i < s->slots; i++) {
        thr_bytes_clear(&s->slot[i].block.bytes);
        thr_batch_release(&s->slot[i].batch);
        thr_feature_scratch_clear(&s->slot[i].parser.scratch);
        thr_sentence_clear(&s->slot[i].parser.sentence);
        thr_bytes_clear(&s->slot[i].parser.buffer);
    }
    thr_blocks_clear(&s->blocks);
    pthread_cond_destroy(&s->moved);
    pthread_mutex_destroy(&s->settler);
    pthread_mutex_destroy(&s->lock);
    pthread_mutex_destroy(&s->reader);
    free(s->slot);
    free(s);
}

/* ---- delivery ----------------------------------------------------------------------------- */

/* The slot of the next batch, once it is READY; without workers, read and parsed here. After
 * the end or an error the same slot is returned again, since `giving` no longer advances. */
static slot *wait_for_next(thr_stream *s)
{
    slot *k = &s->slot[s->giving % s->slots];
    if (!s->crew) {
        if (!s->finished && read_block(s, k))
            parse(s, k);
        return k;
    }
    while (state_of(s, k) != READY && help(s))
        ;
    pthread_mutex_lock(&s->lock);
    while (k->state != READY)
        pthread_cond_wait(&s->moved, &s->lock);
    pthread_mutex_unlock(&s->lock);
    return k;
}

/* Returns the slot of the last batch to the workers. */
static void give_back(thr_stream *s)
{
    if (!s->given)
        return;
    s->line += s->given->batch.lines;
    put_slot(s, s->given, EMPTY);
    s->given = NULL;
    if (s->crew)
        thr_crew_wake(s->crew);
}

static void problem_error(const thr_stream *s, const slot *k, const thr_problem *p, thr_error *err)
{
    thr_fail(err, THR_EDATA, "%s", p->message);
    thr_fail_at(err, thr_input_name(s->in, k->block.part), s->line + p->line + 1, p->column);
}

/* Reports the problems of a batch. With THR_STOP the first becomes the error of the next call,
 * so that the examples before it are delivered first. A problem in a cache means that the file
 * is damaged, and always stops. */
static void note_problems(thr_stream *s, slot *k)
{
    const thr_batch *b = &k->batch;
    if (b->n_problems && (s->settings.on_error == THR_STOP || b->names)) {
        problem_error(s, k, &b->problem[0], &s->pending_err);
        s->pending = THR_EDATA;
        return;
    }
    for (size_t i = 0; i < b->n_problems; i++) {
        s->counts.skipped++;
        if (s->in->problem) {
            thr_error e;
            problem_error(s, k, &b->problem[i], &e);
            s->in->problem(s->in->user, &e);
        }
    }
}

static int bad_cache(const thr_stream *s, size_t part, const char *what, thr_error *err)
{
    thr_fail(err, THR_EDATA, "%s", what);
    thr_fail_at(err, s->in->part[part].name, 0, 0);
    return THR_EDATA;
}

/* Appends the fresh names of a cache's block to its table. Blocks come in order, so the numbers
 * must follow on without a gap, and nothing may come behind the last block. */
static int take_names(thr_stream *s, const slot *k, thr_error *err)
{
    s->cached = k->batch.names;
    s->cached_part = k->block.part;
    if (!s->cached)
        return 0;
    if (k->batch.first_fresh != s->cached->n || s->cached->ended)
        return bad_cache(s, k->block.part, "this cache is damaged", err);
    return thr_names_extend(s->cached, &k->batch) ? 0 : thr_fail_memory(err);
}

/* Where labels are given as sets, an example without a label has an empty one. */
static void note_empty_sets(thr_batch *b)
{
    for (size_t e = 0; e < b->n; e++)
        b->about[e].none = !b->about[e].label.p;
}

int thr_stream_next(thr_stream *s, thr_batch **b, thr_error *err)
{
    give_back(s);
    if (s->pending) {
        if (err)
            *err = s->pending_err;
        return s->pending;
    }
    slot *k = wait_for_next(s);
    if (k->code < 0) {
        /* thr_blocks counts lines from the start of the block. `first` makes sure that a second
         * call does not add the lines before it again. */
        k->err.line += k->err.line && !k->block.first ? s->line : 0;
        k->block.first = true;
        if (err)
            *err = k->err;
        return k->code;
    }
    bool part_ended = k->code == 0 || k->block.first;
    if (part_ended && s->cached && !s->cached->ended)
        return bad_cache(s, s->cached_part, "this cache is cut short", err);
    if (k->code == 0)
        return 0;
    s->giving++;
    s->given = k;
    if (k->block.first) {
        s->line = k->block.header_lines;
        s->counts.unlabelled += k->block.settings->found_bare;
    }
    int code = take_names(s, k, err);
    if (code)
        return code;
    for (size_t i = 0; thr_formats[i]; i++)
        s->formats |= thr_formats[i] == k->block.format ? 1u << i : 0;
    s->counts.bad_utf8 += k->batch.bad_utf8;
    s->counts.nul_bytes += k->batch.nul_bytes;
    if (s->settings.features.n_crosses || s->settings.features.negate[0])
        thr_crossed_note(&s->crossed, &s->settings.features, &k->batch,
                         k->block.format == &thr_format_cache);
    note_problems(s, k);
    if (s->settings.labelled && s->settings.empty_sets)
        note_empty_sets(&k->batch);
    if (s->pending && k->batch.n == 0)
        return thr_stream_next(s, b, err);
    *b = &k->batch;
    return 1;
}

/* ---- ids ahead ---------------------------------------------------------------------------- */

void thr_stream_settle_by(thr_stream *s, thr_settle_fn *settle, void *user)
{
    pthread_mutex_lock(&s->settler);
    s->settle = settle;
    s->settle_user = user;
    pthread_mutex_unlock(&s->settler);
}

static bool has_ids(const thr_stream *s)
{
    return __atomic_load_n(&s->settling, __ATOMIC_ACQUIRE) >= s->giving;
}

/* Later batches may be under way without the caller having to wait. */
bool thr_stream_is_settled(thr_stream *s)
{
    if (has_ids(s))
        return true;
    pthread_mutex_lock(&s->settler);
    if (!has_ids(s))
        return false;
    pthread_mutex_unlock(&s->settler);
    return true;
}

void thr_stream_has_settled(thr_stream *s)
{
    s->left = false;
    __atomic_store_n(&s->settling, s->giving, __ATOMIC_RELEASE);
    pthread_mutex_unlock(&s->settler);
}

const char *thr_stream_file(const thr_stream *s)
{
    return thr_input_name(s->in, s->given->block.part);
}

uint64_t thr_stream_line(const thr_stream *s, const thr_batch *b, size_t e)
{
    return s->line + b->about[e].line + 1;
}

int thr_stream_place(const thr_stream *s, const thr_batch *b, size_t e, thr_error *err)
{
    return thr_fail_at(err, thr_input_name(s->in, s->given->block.part), thr_stream_line(s, b, e),
                       err ? err->column : 0);
}

int thr_stream_reject(thr_stream *s, thr_batch *b, size_t e, thr_error *err)
{
    int code = thr_stream_place(s, b, e, err);
    if (s->settings.on_error == THR_STOP)
        return code;
    s->counts.skipped++;
    b->about[e].rejected = true;
    if (s->in->problem && err)
        s->in->problem(s->in->user, err);
    return 0;
}

int thr_stream_unlabelled(thr_stream *s, thr_batch *b, size_t e, thr_error *err)
{
    thr_error local;
    err = err ? err : &local;
    thr_fail(err, THR_EDATA, "no label, and one is needed (read as %s)",
             b->format ? b->format : "cache");
    err->column = 1;
    return thr_stream_reject(s, b, e, err);
}

void thr_stream_reading(const thr_stream *s, thr_reading *out)
{
    *out = s->counts;
    thr_crossed_report(&s->crossed, &s->settings.features, out);
    size_t at = 0;
    for (size_t i = 0; thr_formats[i]; i++)
        if (s->formats & 1u << i)
            at += (size_t)snprintf(out->formats + at, sizeof out->formats - at, "%s%s",
                                   at ? "," : "", thr_formats[i]->name);
}

void thr_stream_progress(const thr_stream *s, uint64_t *bytes, uint64_t *total)
{
    *bytes = __atomic_load_n(&s->bytes, __ATOMIC_RELAXED);
    *total = s->blocks.total;
}
