#include "input/stream.h"

#include "base/error.h"
#include "input/blocks.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MAX_THREADS 64

/* One block on its way: EMPTY -> (read, parsed) -> READY -> EMPTY. Slot i holds the blocks whose
 * number is i modulo the number of slots, so order needs no sorting. */
enum state { EMPTY, BUSY, READY };

typedef struct slot {
    enum state state;
    int code; /* 1: a batch, 0: the end, negative: err */
    thr_error err;
    thr_block block;
    thr_batch batch;
    thr_parser parser;
} slot;

struct thr_stream {
    const thr_input *in;
    thr_reader_settings settings;
    thr_blocks blocks;
    thr_lookup names; /* looked up where they are parsed, if there is a lexicon */
    slot *slot;
    size_t slots;
    uint64_t reading; /* number of the next block to read */
    uint64_t giving;  /* number of the next batch to give */
    pthread_t thread[MAX_THREADS];
    size_t threads;
    pthread_mutex_t reader; /* guards blocks, reading, finished */
    pthread_mutex_t lock;   /* guards the slots' states and stop */
    pthread_cond_t moved;
    bool finished, stop; /* no more blocks; the caller leaves */
    /* of the batch given last */
    slot *given;
    uint64_t line;     /* lines before it in its part */
    thr_names *cached; /* names of the cache that is being read, or NULL */
    size_t cached_part;
    thr_reading counts;
    unsigned formats; /* met so far: bits, by place in thr_formats */
    int pending;      /* an error to return at the next call */
    thr_error pending_err;
    uint64_t bytes; /* read so far, as last seen under the lock */
};

/* ---- reading and parsing ------------------------------------------------------------------ */

static void parse(thr_stream *s, slot *k)
{
    thr_batch_reset(&k->batch);
    k->parser.batch = &k->batch;
    k->parser.header = k->block.header;
    const char *at = k->block.bytes.p;
    thr_format_parse(k->block.format, &k->parser, at, at + k->block.bytes.n);
    if (s->names.lexicon && !k->batch.names && !k->batch.failed) {
        k->batch.failed = thr_lookup_find(&s->names, &k->batch, NULL) != 0;
        k->batch.looked_up = true;
    }
    if (k->batch.failed)
        k->code = thr_fail_memory(&k->err);
}

/* Reads the next block into k; call with the reader's lock held. Returns whether there is one to
 * parse. */
static bool read_block(thr_stream *s, slot *k)
{
    k->code = thr_blocks_next(&s->blocks, &k->block, &k->err);
    __atomic_store_n(&s->bytes, thr_blocks_taken(&s->blocks), __ATOMIC_RELAXED);
    s->finished |= k->code <= 0;
    return k->code > 0;
}

/* Waits until the slot is empty; false when the caller leaves meanwhile. */
static bool take_slot(thr_stream *s, slot *k)
{
    pthread_mutex_lock(&s->lock);
    while (k->state != EMPTY && !s->stop)
        pthread_cond_wait(&s->moved, &s->lock);
    bool go = !s->stop;
    if (go)
        k->state = BUSY; /* no later block may come here before this one has been given */
    pthread_mutex_unlock(&s->lock);
    return go;
}

static void put_slot(thr_stream *s, slot *k, enum state state)
{
    pthread_mutex_lock(&s->lock);
    k->state = state;
    pthread_cond_broadcast(&s->moved);
    pthread_mutex_unlock(&s->lock);
}

/* Reads the next block and parses it; the reader's lock is held at first. False: there is none, or
 * the caller leaves. */
static bool take_block(thr_stream *s)
{
    slot *k = &s->slot[s->reading % s->slots];
    bool go = !s->finished && take_slot(s, k);
    bool some = go && read_block(s, k);
    s->reading += go;
    pthread_mutex_unlock(&s->reader);
    if (some)
        parse(s, k);
    if (go)
        put_slot(s, k, READY);
    return go;
}

static void *work(void *arg)
{
    thr_stream *s = arg;
    bool more = true;
    while (more) {
        pthread_mutex_lock(&s->reader);
        more = take_block(s);
    }
    return NULL;
}

static enum state state_of(thr_stream *s, const slot *k)
{
    pthread_mutex_lock(&s->lock);
    enum state state = k->state;
    pthread_mutex_unlock(&s->lock);
    return state;
}

/* Who waits for batches may as well make one, if nobody is reading and there is a place for it. Not
 * of a pipe, where reading may wait for long while a batch becomes ready. */
static bool help(thr_stream *s)
{
    if (pthread_mutex_trylock(&s->reader))
        return false;
    bool at_hand = s->blocks.source && !thr_source_live(s->blocks.source);
    if (at_hand && !s->finished && state_of(s, &s->slot[s->reading % s->slots]) == EMPTY)
        return take_block(s);
    pthread_mutex_unlock(&s->reader);
    return false;
}

/* ---- life --------------------------------------------------------------------------------- */

static size_t threads_wanted(const thr_input *in)
{
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    size_t n = in->threads ? in->threads : cores > 0 ? (size_t)cores : 1;
    return n < MAX_THREADS ? n : MAX_THREADS;
}

static thr_stream *stream_new(const thr_input *in, const thr_reader_settings *base,
                              uint64_t hash_seed, const thr_format *prefer, thr_error *err)
{
    thr_stream *s = calloc(1, sizeof *s);
    size_t threads = threads_wanted(in);
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
    s->settings.strict = in->strict;
    s->settings.on_error = in->on_error;
    s->settings.max_line = in->max_line;
    for (size_t i = 0; i < slots; i++) {
        s->slot[i].parser.settings = &s->settings;
        s->slot[i].batch.hash_seed = hash_seed;
    }
    thr_blocks_init(&s->blocks, in, &s->settings, prefer);
    pthread_mutex_init(&s->reader, NULL);
    pthread_mutex_init(&s->lock, NULL);
    pthread_cond_init(&s->moved, NULL);
    return s;
}

static thr_stream *start(thr_stream *s)
{
    if (!s)
        return NULL;
    size_t threads = s->slots / 2;
    while (s->threads + 1 < threads && pthread_create(&s->thread[s->threads], NULL, work, s) == 0)
        s->threads++;
    return s;
}

thr_stream *thr_stream_open(const thr_input *in, const thr_reader_settings *base,
                            uint64_t hash_seed, const thr_format *prefer, thr_error *err)
{
    return start(stream_new(in, base, hash_seed, prefer, err));
}

thr_stream *thr_stream_open_known(const thr_input *in, const thr_reader_settings *base,
                                  const thr_lookup *names, const thr_format *prefer, thr_error *err)
{
    thr_stream *s = stream_new(in, base, names->lexicon->seed, prefer, err);
    /* A caller that is alone and resolves each batch does so right after parsing: looking names up
     * before that would only be done twice. */
    bool twice = names->readers && s && s->slots == 1;
    if (s && !twice)
        s->names = *names;
    return start(s);
}

void thr_stream_close(thr_stream *s)
{
    if (!s)
        return;
    pthread_mutex_lock(&s->lock);
    s->stop = true;
    pthread_cond_broadcast(&s->moved);
    pthread_mutex_unlock(&s->lock);
    for (size_t i = 0; i < s->threads; i++)
        pthread_join(s->thread[i], NULL);
    for (size_t i = 0; i < s->slots; i++) {
        thr_bytes_clear(&s->slot[i].block.bytes);
        thr_batch_release(&s->slot[i].batch);
        thr_feature_scratch_clear(&s->slot[i].parser.scratch);
        thr_bytes_clear(&s->slot[i].parser.buffer);
    }
    thr_blocks_clear(&s->blocks);
    pthread_cond_destroy(&s->moved);
    pthread_mutex_destroy(&s->lock);
    pthread_mutex_destroy(&s->reader);
    free(s->slot);
    free(s);
}

/* ---- giving ------------------------------------------------------------------------------- */

/* The slot with the next number, once it is ready. Alone, the caller reads and parses. The slot
 * with the end or an error is never given back. */
static slot *wait_for_next(thr_stream *s)
{
    slot *k = &s->slot[s->giving % s->slots];
    if (s->threads == 0) {
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

static void give_back(thr_stream *s)
{
    if (!s->given)
        return;
    s->line += s->given->batch.lines;
    put_slot(s, s->given, EMPTY);
    s->given = NULL;
}

static void problem_error(const thr_stream *s, const slot *k, const thr_problem *p, thr_error *err)
{
    thr_fail(err, THR_EDATA, "%s", p->message);
    thr_fail_at(err, thr_input_name(s->in, k->block.part), s->line + p->line + 1, p->column);
}

/* With THR_STOP the examples before the problem are given first. */
static void note_problems(thr_stream *s, slot *k)
{
    const thr_batch *b = &k->batch;
    if (b->n_problems &&
        (s->settings.on_error == THR_STOP || b->names)) { /* no line of a cache is bad alone */
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

/* A cache's names are taken in order; there must be no gap. */
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
        k->err.line += k->err.line && !k->block.first ? s->line : 0;
        k->block.first = true; /* is said once more when asked once more */
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
    if (k->block.first)
        s->line = k->block.header_lines;
    int code = take_names(s, k, err);
    if (code)
        return code;
    for (size_t i = 0; thr_formats[i]; i++)
        s->formats |= thr_formats[i] == k->block.format ? 1u << i : 0;
    s->counts.bad_utf8 += k->batch.bad_utf8;
    note_problems(s, k);
    if (s->pending && k->batch.n == 0)
        return thr_stream_next(s, b, err);
    *b = &k->batch;
    return 1;
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
