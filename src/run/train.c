/* Training: from a stream of examples to a model.
 *
 * The usual case is one pass over data that is read in order:
 *
 *      thr_stream_next        a batch, parsed by some thread; names that were known at that moment
 *                             have ids (input/stream.h)
 *      make_ready             rejects examples that cannot be learned from, then gives ids to the
 *                             new names of the batch, in order of appearance; unless another thread
 *                             has done so ahead
 *      thr_cache_build_add    appends the batch to a cache, if one is being made
 *      learn_some             for each stretch of examples: predicts, compares with the labels,
 *                             updates (thr_model_learn), counts
 *      tell                   reports progress, and may cancel
 *
 * learn_stream is this loop. Further passes repeat it; thr_model_finish ends training.
 *
 * WHEN NAMES GET IDS. Names get ids by order of first appearance, and the model must not depend
 * on the moment at which they get them. In the usual case a whole batch gets its ids at once,
 * before its first example is learned. That is fast, and the ends of batches do not show in the
 * model: rules ask which features are `known`, and that advances example by example. Four cases
 * need another order:
 *
 *      max-features       Names are looked up example by example (thr_model_make_room). When there
 *                         are too many features the lightest are evicted, and the others get new
 *                         ids. An id that was found while parsing, or earlier in the same batch,
 *                         might then mean another feature. And which features are evicted must
 *                         depend on the examples, not on the ends of batches.
 *      --pac              Names are looked up example by example, and not while parsing. Training
 *                         stops in the middle of a batch as soon as a hypothesis is accepted, and
 *                         the names behind that example must not become features of the model.
 *      stored examples    A shuffled order, several passes over a pipe, and a watcher that wants to
 *                         see all examples first: the whole input is read into a store, with ids,
 *                         before the first example is learned; passes then run over the store. New
 *                         names have got their ids in the order of the input. This excludes
 *                         max-features, since the stored ids would not survive an eviction; --pac
 *                         with --shuffle accepts that all names have ids.
 *      caches             A block of a cache brings the names that are new in it ahead of its
 *                         examples, and they get ids all at once. Therefore --cache is refused
 *                         together with max-features or --pac.
 *
 * CACHES (input/cache_build.h). With --cache, or for the first of several passes, batches are
 * also written to a cache; when all data has been read, the cache replaces the input for the
 * passes that follow. A cache has neither the places in the data, which a log of updates needs,
 * nor bad lines, so that it could not count those that are skipped. thr_run_plan_cache lists all that
 * excludes a cache. */
#include "run/training.h"

#include "base/number.h"
#include "combine/ceiling.h"
#include "input/reject.h"
#include "input/stream.h"
#include "run/defaults.h"
#include "step/names.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define TOLD_EVERY    4096    /* stored examples between two reports of progress */
#define MANY_FEATURES 100000u /* fewer are not to blame if memory runs out */
#define MANY_LABELS   100     /* and fewer than this many examples for each, all of them numbers: */
#define FEW_EXAMPLES  20      /* then the labels look like numbers to be predicted */

static void set_means(thr_run *r)
{
    double n = r->report->examples ? (double)r->report->examples : 1;
    r->report->mean_squared = r->squared / n;
    r->report->mean_absolute = r->absolute / n;
}

/* Reports progress. Without a stream (stored examples) it is counted in examples, not bytes. */
static int tell(thr_run *r)
{
    set_means(r);
    if (!r->o->progress)
        return 0;
    thr_progress p = {
        .examples = r->report->examples,
        .mistakes = r->report->mistakes,
        .mean_squared = thr_model_regression(r->m) ? r->report->mean_squared : NAN,
        .pass = r->report->passes + 1,
    };
    if (r->stream)
        thr_stream_progress(r->stream, &p.bytes, &p.total_bytes);
    else {
        p.bytes = r->pass_examples;
        p.total_bytes = thr_store_size(r->store);
    }
    return r->o->progress(r->o->user, &p) ? thr_fail(r->err, THR_ECANCEL, "stopped") : 0;
}

/* The listener for updates is told where the example at hand was read. */
static void set_place(thr_run *r, thr_origin at)
{
    r->work.file = at.file;
    r->work.line = at.line;
}

static thr_origin place_in(const thr_run *r, const thr_batch *b, size_t e)
{
    return (thr_origin){thr_stream_file(r->stream), thr_stream_line(r->stream, b, e)};
}

/* Counts what has happened to example e of b. */
static int count_lesson(thr_run *r, const thr_batch *b, size_t e, const thr_lesson *lesson)
{
    r->report->examples++;
    r->report->sentences += thr_model_tags(r->m) && !b->about[e].joins;
    r->report->mistakes += lesson->mistake;
    r->report->updates += lesson->updates;
    r->pass_mistakes += lesson->mistake;
    r->pass_updates += lesson->updates;
    r->pass_examples++;
    r->squared += lesson->error * lesson->error;
    r->absolute += fabs(lesson->error);
    if (r->report->passes == 0 && lesson->label != THR_NONE &&
        !thr_label_runs_see(&r->runs, lesson->label))
        return thr_fail_memory(r->err);
    if (r->promises) {
        /* A mistake, an update or a new label ends the hypothesis. Updates count too, since a rule
         * may move without a mistake, at a tie for example. */
        bool ended = lesson->mistake || lesson->updates || lesson->new_label;
        r->accepted = thr_pac_see(&r->pac, ended);
        r->report->pac = (thr_pac_report){.accepted = r->accepted,
                                          .hypothesis = r->pac.hypothesis,
                                          .needed = r->pac.needed,
                                          .survived = r->pac.survived};
    }
    return r->watch ? r->watch->fn(r->watch->user, &r->work, b, e, lesson, r->err) : 0;
}

/* Learns the sentence that begins at example e: *learned tokens. */
static int learn_sentence(thr_run *r, const thr_batch *b, size_t e, size_t *learned)
{
    thr_chain_lesson lesson = {0};
    int code = thr_chain_learn(r->m, &r->chain, b, e, &lesson, r->err);
    if (code)
        return code;
    *learned = lesson.tokens;
    r->report->sentences++;
    r->report->examples += lesson.tokens;
    r->report->mistakes += lesson.wrong;
    r->report->updates += lesson.moved;
    r->pass_mistakes += lesson.wrong;
    r->pass_updates += lesson.moved;
    r->pass_examples += lesson.tokens;
    return 0;
}

/* Predicts and learns some examples from number e on, but none from `upto` on; *learned of them.
 * With an order these are places in it. With max-features the names of the first get their ids
 * here, and others may lose theirs. */
static int learn_some(thr_run *r, thr_batch *b, const size_t *order, size_t e, size_t upto,
                      size_t *learned)
{
    thr_lesson lesson[THR_LESSONS];
    size_t first = order ? order[e] : e;
    *learned = 0;
    if (thr_model_chain(r->m)) {
        int code = learn_sentence(r, b, first, learned);
        *learned = code == 0 && order ? 1 : *learned;
        return code;
    }
    int code = r->ceiling ? thr_model_make_room(r->m, b, first, r->err) : 0;
    if (code == 0 && r->watch && r->watch->before)
        code = r->watch->before(r->watch->user, &r->work, b, first, r->err);
    if (code == 0)
        code = thr_model_learn(r->m, &r->work, b, order, e, upto, lesson, learned, r->err);
    for (size_t i = 0; i < *learned; i++) {
        if (r->watch)
            r->work.at = &r->work.cases[i];
        int counted = count_lesson(r, b, order ? order[e + i] : e + i, &lesson[i]);
        code = counted ? counted : code;
    }
    return code;
}

/* Whether names get ids example by example because training may stop at any of them (--pac).
 * Shuffled examples are stored, and all their names have ids before the first is learned. */
static bool by_example(const thr_run *r)
{
    return r->promises && !r->o->shuffle;
}

/* Whether other threads may give ids to the names of later batches while this one learns: nobody
 * looks at names meanwhile, and no example can be rejected for its values. */
static bool may_settle(const thr_run *r)
{
    const thr_model *m = r->m;
    return !by_example(r) && !r->watch && !r->o->on_update && thr_model_resolves_ahead(m) &&
           !thr_model_minds(m) && !thr_model_reader(m)->empty_sets;
}

static bool settle(void *user, thr_batch *b)
{
    thr_run *r = user;
    return thr_reject_nothing(b) && thr_model_resolve_ahead(r->m, b);
}

/* Opens the stream. Parsing threads look up the names that are known already, unless ids must
 * be given example by example: then an id found ahead might be out of date, or useless. */
static int open_stream(thr_run *r)
{
    thr_model *m = r->m;
    const thr_format *format = thr_model_format(m);
    thr_lookup names;
    const thr_reader_settings *reader = thr_model_reader(m);
    if (by_example(r) || r->ceiling)
        r->stream =
            thr_stream_open(r->in, reader, thr_model_lexicon(m)->seed, format, r->crew, r->err);
    else if (thr_model_open_to_readers(m, &names, r->err) == 0)
        r->stream = thr_stream_open_known(r->in, reader, &names, format, r->crew, r->err);
    if (r->stream && may_settle(r))
        thr_stream_settle_by(r->stream, settle, r);
    return r->stream ? 0 : r->err->code;
}

/* Rejects examples of a batch, also those that alone have more features than max-features allows.
 * Then gives ids to its names; not if that is done example by example (thr_model_resolve does
 * nothing with max-features). Rejecting comes first, so that the names of rejected examples get no
 * ids. Another thread may have done all that ahead (settle). */
static int make_ready(thr_run *r, thr_batch *b)
{
    if (thr_stream_is_settled(r->stream))
        return 0;
    int code = thr_reject_unusable(r->stream, r->m, b, true, r->err);
    if (code == 0 && r->ceiling) {
        for (size_t e = 0; e < b->n && code == 0; e++)
            if (thr_model_fits(r->m, b, e, r->err))
                code = thr_stream_reject(r->stream, b, e, r->err);
        thr_batch_sweep(b);
    }
    code = code || by_example(r) ? code : thr_model_resolve(r->m, b, r->err);
    thr_stream_has_settled(r->stream);
    return code;
}

/* The next batch of the stream, ready to be learned or stored. False: the data has ended, or *code
 * is an error. */
static bool next_batch(thr_run *r, thr_batch **b, int *code)
{
    int found = *code ? 0 : thr_stream_next(r->stream, b, r->err);
    if (found <= 0) {
        *code = *code ? *code : found;
        return false;
    }
    *code = thr_model_adopt(r->m, (*b)->plan, r->err);
    if (*code == 0)
        *code = make_ready(r, *b);
    if (*code == 0)
        *code = thr_cache_build_add(&r->cache, *b, r->err);
    return *code == 0;
}

/* Ends a reading of the data that came to `code`. If a cache has been completed, later passes read
 * the cache. */
static int close_stream(thr_run *r, int code)
{
    if (r->stream && !r->read) /* every pass meets the same problems; they are reported once */
        thr_stream_reading(r->stream, &r->report->reading);
    r->read |= r->stream != NULL;
    thr_stream_close(r->stream);
    r->stream = NULL;
    thr_model_close_to_readers(r->m);
    if (code == 0 && !r->accepted) /* all data has been read */
        code = thr_cache_build_finish(&r->cache, r->err);
    if (r->cache.input)
        r->in = r->cache.input;
    return code;
}

/* One pass over the data as it is read. The rows of the next example can be prefetched only if it
 * has ids already (`upto`). The prefetched addresses must be forgotten before the batch is freed.
 */
static int learn_stream(thr_run *r)
{
    thr_batch *b;
    int code = open_stream(r);
    while (!r->accepted && next_batch(r, &b, &code)) {
        for (size_t e = 0, n; e < b->n && code == 0 && !r->accepted; e += n) {
            if (by_example(r))
                code = thr_model_resolve_one(r->m, b, e, r->err);
            if (r->o->on_update)
                set_place(r, place_in(r, b, e));
            n = 0;
            if (code == 0 &&
                (code = learn_some(r, b, NULL, e, by_example(r) ? e + 1 : b->n, &n)) == THR_EDATA)
                thr_fail_at(r->err, place_in(r, b, e + n).file, place_in(r, b, e + n).line, 0);
        }
        thr_workspace_forget(&r->work);
        if (code == 0)
            code = tell(r);
    }
    return close_stream(r, code);
}

/* Whether the watcher wants all examples to be read before the first is learned. */
static bool gathers(const thr_run *r)
{
    return r->watch && r->watch->gathered;
}

/* Reads all examples into the store. */
static int store_stream(thr_run *r)
{
    thr_batch *b;
    int code = open_stream(r);
    while (next_batch(r, &b, &code)) {
        bool places = r->o->on_update;
        if (!thr_store_add(r->store, b) ||
            (places && !thr_grow(&r->place, &r->place_room, r->places + b->n, sizeof *r->place)))
            code = thr_fail_memory(r->err);
        for (size_t e = 0; e < b->n && code == 0 && places; e++)
            r->place[r->places++] = place_in(r, b, e);
        if (code == 0 && gathers(r))
            code = r->watch->gathered(r->watch->user, r->store, false, r->err);
        if (code == 0)
            code = tell(r);
    }
    return close_stream(r, code);
}

/* Where stored example e was read, if that is known. */
static thr_origin stored_place(const thr_run *r, size_t e)
{
    if (r->kept)
        return (thr_origin){r->kept->place[e].file, r->kept->place[e].line};
    return e < r->places ? r->place[e] : (thr_origin){0};
}

/* One pass over the stored examples, in an order that depends on the seed and on the number of
 * shuffled passes the model has had: a resumed run continues with the orders of a single one. */
static int learn_stored(thr_run *r)
{
    if (!thr_store_order(r->store, r->o->shuffle ? &r->o->seed : NULL, thr_model_shuffles(r->m)))
        return thr_fail_memory(r->err);
    const size_t *order = r->store->order;
    size_t size = r->store->ordered, told = 0;
    int code = 0;
    for (size_t i = 0, n; i < size && code == 0 && !r->accepted; i += n) {
        if (r->o->on_update)
            set_place(r, stored_place(r, order[i]));
        code = learn_some(r, &r->store->all, order, i, size, &n);
        if (code == THR_EDATA)
            thr_fail_at(r->err, stored_place(r, order[i + n]).file,
                        stored_place(r, order[i + n]).line, 0);
        if (code == 0 && (i == 0 || i + n >= told + TOLD_EVERY)) {
            told = i + n;
            code = tell(r);
        }
    }
    thr_workspace_forget(&r->work);
    return code;
}

/* ---- until clean --------------------------------------------------------------------------
 *
 * A pass counts mistakes of weights that move during the pass. A rule that updates without a
 * mistake, at a tie or within its margin, may leave the pass with weights that err on its first
 * examples. So --until-clean ends only when the weights that training ends with have been seen to
 * make no mistake. */

/* Whether the weights that this pass, which made no mistake, ended with are those of all its
 * predictions. Then they need no check. The first pass also learns units and labels, which change
 * predictions without an update. */
static bool pass_changed_nothing(const thr_run *r)
{
    thr_error unused;
    return r->report->passes > 0 && r->pass_updates == 0 &&
           thr_model_conservative(r->m, &unused) == 0;
}

static int check_stream(thr_run *r, bool *wrong)
{
    thr_batch *b;
    int code = open_stream(r);
    while (!*wrong && next_batch(r, &b, &code)) {
        if (r->ceiling) /* its names have not been looked up */
            code = thr_model_find(r->m, b, r->err);
        for (size_t e = 0; e < b->n && code == 0 && !*wrong; e++) {
            thr_workspace_prefetch(&r->work, r->m, b, e + 1);
            code = thr_model_errs(r->m, &r->work, b, e, wrong, r->err);
        }
        thr_workspace_forget(&r->work);
        if (code == 0)
            code = tell(r);
    }
    return close_stream(r, code);
}

static int check_stored_examples(thr_run *r, bool *wrong)
{
    int code = 0;
    for (size_t e = 0; e < thr_store_size(r->store) && code == 0 && !*wrong; e++)
        code = thr_model_errs(r->m, &r->work, &r->store->all, e, wrong, r->err);
    return code;
}

/* After a pass without a mistake: whether the model as it is now makes none on the same data. It is
 * finished first, since rules made from all examples predict with what `finish` computes; learning
 * goes on as if it had not been. Stops at the first mistake. */
static int check_clean(thr_run *r, bool stored)
{
    bool wrong = false;
    int code = 0;
    if (!pass_changed_nothing(r)) {
        code = thr_model_finish(r->m, r->err);
        if (code == 0)
            code = stored ? check_stored_examples(r, &wrong) : check_stream(r, &wrong);
    }
    r->report->clean = code == 0 && !wrong;
    return code;
}

/* The number of labels if they look like numbers to be predicted rather than names of classes, else
 * 0. Classes that have numbers for names are whole numbers, and each has many examples. */
static uint64_t count_numeric_labels(const thr_run *r)
{
    thr_stats s;
    uint64_t all = r->report->examples;
    size_t labels = thr_model_labels(r->m);
    if (labels <= MANY_LABELS || thr_model_reader(r->m)->multilabel)
        return 0;
    thr_model_stats(r->m, &s);
    uint64_t examples = s.examples - all + all / r->report->passes;
    bool whole = true;
    for (size_t i = 0; i < labels; i++) {
        const char *name = thr_model_label(r->m, i), *end, *limit = name + strlen(name);
        double v;
        if (thr_parse_double(name, limit, &end, &v) != THR_NUMBER_OK || end != limit)
            return 0;
        whole &= v == floor(v);
    }
    return !whole || labels > examples / FEW_EXAMPLES ? labels : 0;
}

/* Every pass, over the stored examples or over the data; then the end of training. */
int thr_run_passes(thr_run *r, bool stored)
{
    for (unsigned pass = 0; pass < r->o->passes; pass++) {
        r->pass_mistakes = r->pass_examples = r->pass_updates = 0;
        int code = stored ? learn_stored(r) : learn_stream(r);
        set_means(r);
        if (code == 0 && r->pass_examples == 0) {
            thr_fail(r->err, THR_EDATA, "there is no example in it");
            const char *name = r->in && r->in->n_parts ? r->in->part[0].name : NULL;
            code = thr_fail_at(r->err, name, 0, 0);
        }
        if (code)
            return code;
        if (r->o->shuffle)
            thr_model_count_shuffle(r->m);
        if (pass == 0) {
            r->report->label_runs = r->runs.runs;
            r->report->expected_label_runs = thr_label_runs_expected(&r->runs);
            r->report->bursts = thr_label_runs_are_bursts(&r->runs);
        }
        r->report->last_pass_mistakes = r->pass_mistakes;
        r->report->clean = r->pass_mistakes == 0 && !thr_model_regression(r->m);
        if (r->o->until_clean && r->report->clean)
            code = check_clean(r, stored);
        r->report->passes++;
        if (code || (r->o->until_clean && r->report->clean))
            return code ? code : thr_model_finish(r->m, r->err);
    }
    r->report->numeric_labels = count_numeric_labels(r);
    return thr_model_finish(r->m, r->err);
}

/* Adds advice to the error if an ever growing number of features has used up the memory. */
static int advise(const thr_run *r, int code)
{
    bool bounded = thr_model_lexicon(r->m)->hash_bits || r->ceiling;
    if (code != THR_EMEM || bounded || thr_model_features(r->m) < MANY_FEATURES)
        return code;
    return thr_fail(r->err, code,
                    "out of memory at %zu different features: hash-bits or max-features keep their "
                    "number within bounds",
                    thr_model_features(r->m) - 1);
}

/* The threads that read also learn, if the model has several members. */
static void call_crew(thr_run *r, const thr_input *in)
{
    r->crew = thr_crew_new(thr_input_threads(in));
    if (thr_model_members(r->m) > 1 && !r->work.single && !r->o->on_update)
        r->work.crew = r->crew;
}

static void end_work(thr_run *r)
{
    thr_chain_clear(&r->chain);
    thr_workspace_clear(&r->work);
    thr_crew_free(r->crew);
}

int thr_train_watched(thr_model *m, thr_input *in, const thr_train_options *o,
                      const thr_watch *watch, thr_train_report *report, thr_error *err)
{
    thr_error local;
    thr_train_report unused;
    thr_train_options full;
    thr_store store = {0};
    thr_run r = {.m = m,
             .in = in,
             .o = &full,
             .report = report ? report : &unused,
             .err = err ? err : &local,
             .watch = watch,
             .store = &store};
    *r.report = (thr_train_report){0};
    thr_model_limit(m, in->limits);
    store.sentences = thr_model_chain(m);
    int code = thr_train_complete(o, &full, r.err);
    if (code == 0)
        code = thr_run_plan(&r);
    if (code)
        return code;
    bool again = full.passes > 1 || full.until_clean;
    bool stored = full.shuffle || gathers(&r) || (again && !thr_input_rereadable(in));
    code = stored ? thr_run_plan_stored(&r) : 0;
    if (code == 0)
        code = thr_run_plan_cache(&r, stored);
    if (code == 0)
        call_crew(&r, in);
    if (code == 0 && stored)
        code = store_stream(&r);
    if (code == 0 && gathers(&r))
        code = watch->gathered(watch->user, &store, true, r.err);
    if (code == 0)
        code = thr_run_passes(&r, stored);
    code = advise(&r, code);
    end_work(&r);
    thr_label_runs_clear(&r.runs);
    free(r.place);
    thr_cache_build_clear(&r.cache);
    thr_store_clear(&store);
    return code;
}

int thr_train(thr_model *m, thr_input *in, const thr_train_options *o, thr_train_report *report,
              thr_error *err)
{
    return thr_train_watched(m, in, o, NULL, report, err);
}
