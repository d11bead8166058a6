/* Tagging a whole stream, sentence by sentence. */
#include "base/mathx.h"
#include "chain/explain.h"
#include "measure/chunks.h"
#include "run/greedy.h"
#include "run/walk.h"
#include "sentence/sentence.h"
#include "step/names.h"

#include <math.h>
#include <stdlib.h>

typedef struct walk {
    thr_walk all; /* first: `use_batch` is given its address */
    thr_chain chain;
    thr_greedy greedy; /* used in place of it by a model that tags from left to right */
    size_t tokens;     /* of the sentence at hand */
    const uint32_t *predicted;
    bool needs_label;
    thr_tagged_fn *fn;
    void *user;
    thr_chunks *chunks; /* of a test, or NULL */
    thr_sequence_options o;
    thr_tagged_reasons_fn *explain; /* in place of fn; or NULL */
    /* The sentence at hand. */
    thr_str *tag, *true_tag;
    const char **tag_text, **true_text, **text;
    size_t *text_n;
    char *letter;
    thr_arena arena;
    double *probability;
    uint32_t *path; /* of the best taggings */
    double *sum;
    struct thr_tagging_found *found;
    const char **found_text;
    thr_chain_reasons why; /* of the token at hand */
    thr_tag_reasons *reasons;
    thr_tag_part *part; /* of all tokens */
    size_t parts, reasons_room, part_room;
    size_t probability_room, path_room, sum_room, found_room, found_text_room;
    size_t tag_room, true_room, tag_text_room, true_text_room, text_room, text_n_room, letter_room;
} walk;

static bool make_room(walk *w, size_t n)
{
    return thr_grow(&w->tag, &w->tag_room, n, sizeof *w->tag) &&
           thr_grow(&w->true_tag, &w->true_room, n, sizeof *w->true_tag) &&
           thr_grow(&w->tag_text, &w->tag_text_room, n, sizeof *w->tag_text) &&
           thr_grow(&w->true_text, &w->true_text_room, n, sizeof *w->true_text) &&
           thr_grow(&w->text, &w->text_room, n, sizeof *w->text) &&
           thr_grow(&w->text_n, &w->text_n_room, n, sizeof *w->text_n) &&
           thr_grow(&w->letter, &w->letter_room, n, 1);
}

static void walk_clear(walk *w)
{
    thr_chain_clear(&w->chain);
    thr_greedy_clear(&w->greedy);
    thr_arena_clear(&w->arena);
    free(w->tag);
    free(w->true_tag);
    free(w->tag_text);
    free(w->true_text);
    free(w->text);
    free(w->text_n);
    free(w->letter);
    free(w->probability);
    free(w->path);
    free(w->sum);
    free(w->found);
    free(w->found_text);
    free(w->why.part);
    free(w->reasons);
    free(w->part);
}

/* Tags as they were learned become those of the data: C strings in `text`, the same in `tag`. */
static bool turn_back(walk *w, thr_str *tag, const char **text, size_t n)
{
    enum thr_scheme scheme = (enum thr_scheme)thr_model_reader(w->all.m)->features.scheme;
    bool chunks = scheme == THR_TAGS_BIO || scheme == THR_TAGS_IOB1;
    if (chunks)
        thr_tags_outside(scheme, tag, n, w->letter);
    for (size_t t = 0; t < n; t++) {
        char *copy = thr_arena_copy(&w->arena, tag[t].p, tag[t].n);
        if (!copy)
            return false;
        if (chunks && tag[t].n)
            *copy = w->letter[t];
        text[t] = copy;
    }
    for (size_t t = 0; t < n; t++)
        tag[t].p = text[t];
    return true;
}

/* The names of the tags of a path, in the scheme of the data. */
static bool name_path(walk *w, const uint32_t *path, const char **text, size_t n)
{
    for (size_t t = 0; t < n; t++)
        w->tag[t] = thr_str_of(thr_model_label(w->all.m, path[t]));
    return turn_back(w, w->tag, text, n);
}

/* The probabilities of the predicted tags. */
static bool take_probabilities(walk *w, size_t n, double *log_z, thr_tagged *out)
{
    size_t labels = thr_model_labels(w->all.m);
    if (!thr_model_chain(w->all.m)) {
        out->probability = w->greedy.probability;
        return true;
    }
    const double *p = thr_chain_probabilities(&w->chain, log_z);
    if (!p || !thr_grow(&w->probability, &w->probability_room, n, sizeof *w->probability))
        return false;
    for (size_t t = 0; t < n; t++)
        w->probability[t] = p[t * labels + w->predicted[t]];
    out->probability = w->probability;
    return true;
}

/* The best taggings of the sentence. */
static bool take_best(walk *w, size_t n, double log_z, thr_tagged *out)
{
    size_t most = w->o.best, found = 0;
    if (!thr_grow(&w->path, &w->path_room, most * n, sizeof *w->path) ||
        !thr_grow(&w->sum, &w->sum_room, most, sizeof *w->sum) ||
        !thr_grow(&w->found, &w->found_room, most, sizeof *w->found) ||
        !thr_grow(&w->found_text, &w->found_text_room, most * n, sizeof *w->found_text) ||
        !thr_lattice_several(&w->chain.lattice, most, w->path, w->sum, &found))
        return false;
    for (size_t i = 0; i < found; i++) {
        const char **text = w->found_text + i * n;
        if (!name_path(w, w->path + i * n, text, n))
            return false;
        w->found[i] = (struct thr_tagging_found){
            text, w->sum[i], w->o.probabilities ? thr_exp(w->sum[i] - log_z) : NAN};
    }
    out->best = found;
    out->found = w->found;
    return true;
}

/* Fills in what the caller is told of the sentence. False: out of memory. */
static bool take_out(walk *w, const thr_batch *b, size_t from, thr_tagged *out)
{
    size_t n = w->tokens;
    bool known = n && w->predicted[0] != THR_NONE, truth = b->about[from].label.p != NULL;
    thr_arena_reset(&w->arena);
    if (!make_room(w, n))
        return false;
    for (size_t t = 0; t < n; t++) {
        w->text[t] = b->about[from + t].text.p;
        w->text_n[t] = b->about[from + t].text.n;
        w->true_tag[t] = b->about[from + t].label;
    }
    double log_z = 0;
    if ((truth && !turn_back(w, w->true_tag, w->true_text, n)) ||
        (known && w->o.probabilities && !take_probabilities(w, n, &log_z, out)) ||
        (known && w->o.best && !take_best(w, n, log_z, out)) ||
        (known && !name_path(w, w->predicted, w->tag_text, n)))
        return false;
    out->tokens = n;
    out->tag = known ? w->tag_text : NULL;
    out->truth = truth ? w->true_text : NULL;
    out->text = w->text;
    out->text_n = w->text_n;
    out->tail = b->about[from + n - 1].tag.p;
    out->tail_n = b->about[from + n - 1].tag.n;
    out->format = b->format;
    out->file = thr_stream_file(w->all.stream);
    out->line = thr_stream_line(w->all.stream, b, from);
    return true;
}

/* Predicts the sentence that begins at example `from`. */
static int predict(walk *w, const thr_batch *b, size_t from, double *score)
{
    bool chain = thr_model_chain(w->all.m);
    int code = chain ? thr_chain_predict(w->all.m, &w->chain, b, from, score, w->all.err)
                     : thr_greedy_predict(w->all.m, &w->greedy, b, from, score, w->all.err);
    w->tokens = thr_chain_length(b, from);
    w->predicted = chain ? w->chain.path : w->greedy.path;
    return code;
}

/* ---- reasons ------------------------------------------------------------------------------ */

/* The name of a feature and its namespace, as C strings that last as long as the sentence. */
static bool name_part(walk *w, const thr_chain_part *p, thr_tag_part *out)
{
    char digits[24];
    thr_str ns, name;
    *out = (thr_tag_part){.space = "", .at = p->at, .lead = p->lead};
    if (p->id == 0)
        return true;
    name = thr_lexicon_name(thr_model_lexicon(w->all.m), p->id, digits, &ns);
    out->name = thr_arena_copy(&w->arena, name.p, name.n);
    out->space = thr_arena_copy(&w->arena, ns.p ? ns.p : "", ns.n);
    return out->name && out->space;
}

/* The reasons of token t. Their parts are appended to w->part; `part` is set when all are there. */
static bool take_reasons(walk *w, size_t t)
{
    thr_tag_reasons *r = &w->reasons[t];
    if (!thr_chain_explain(w->all.m, &w->chain, t, &w->why) ||
        !thr_grow(&w->part, &w->part_room, w->parts + w->why.n, sizeof *w->part))
        return false;
    *r = (thr_tag_reasons){.tag = w->tag_text[t], .lead = w->why.lead, .n = w->why.n};
    if (w->why.against != THR_NONE)
        r->against = thr_model_label(w->all.m, w->why.against);
    for (size_t i = 0; i < w->why.n; i++)
        if (!name_part(w, &w->why.part[i], &w->part[w->parts++]))
            return false;
    return true;
}

static int tell_reasons(walk *w, const thr_tagged *s)
{
    bool ok = thr_grow(&w->reasons, &w->reasons_room, s->tokens, sizeof *w->reasons);
    w->parts = 0;
    for (size_t t = 0; t < s->tokens && ok && s->tag; t++)
        ok = take_reasons(w, t);
    if (!ok)
        return thr_fail_memory(w->all.err);
    const thr_tag_part *part = w->part;
    for (size_t t = 0; t < s->tokens && s->tag; t++) {
        w->reasons[t].part = part;
        part += w->reasons[t].n;
    }
    return s->tag ? w->explain(w->user, s, w->reasons) : 0;
}

static int use_sentence(walk *w, thr_batch *b, size_t from)
{
    thr_tagged out = {.score = 0};
    if (w->needs_label && !b->about[from].label.p) {
        thr_fail(w->all.err, THR_EDATA, "the tags are missing");
        return thr_stream_place(w->all.stream, b, from, w->all.err);
    }
    int code = predict(w, b, from, &out.score);
    if (code == 0 && !take_out(w, b, from, &out))
        code = thr_fail_memory(w->all.err);
    if (code == 0 && w->chunks && out.tag &&
        !thr_chunks_see(w->chunks, w->true_tag, w->tag, out.tokens))
        code = thr_fail_memory(w->all.err);
    if (code)
        return code;
    w->all.told.examples += out.tokens;
    if (w->explain)
        return tell_reasons(w, &out);
    return w->fn ? w->fn(w->user, &out) : 0;
}

static int use_batch(thr_walk *all, thr_batch *b)
{
    walk *w = (walk *)all;
    int code = 0;
    for (size_t e = 0; e < b->n && code == 0; e += w->tokens)
        code = use_sentence(w, b, e);
    return code;
}

static int walk_all(walk *w, thr_input *in, thr_reading *reading)
{
    if (!thr_model_tags(w->all.m))
        return thr_fail(w->all.err, THR_EUSE, "this model does not tag sentences");
    w->all.use = use_batch;
    int code = thr_walk_input(&w->all, in, reading);
    walk_clear(w);
    return code;
}

bool thr_model_tags_with_probabilities(const thr_model *m)
{
    return thr_model_tags(m) && (!thr_model_chain(m) || thr_chain_has_probabilities(m));
}

int thr_sequence_predict(const thr_model *m, thr_input *in, const thr_sequence_options *o,
                         thr_tagged_fn *fn, void *user, thr_progress_fn *progress,
                         void *progress_user, thr_reading *reading, thr_error *err)
{
    static const thr_sequence_options none;
    o = o ? o : &none;
    int code = THR_CHECK_RESERVED(thr_sequence_options, o, err);
    if (code == 0 && o->best && thr_model_tags(m) && !thr_model_chain(m))
        code = thr_fail(err, THR_EUSE, "from left to right there is one tagging only: the best need viterbi");
    if (code == 0 && o->probabilities && thr_model_chain(m) && !thr_chain_has_probabilities(m))
        code = thr_fail(err, THR_EUSE, "%s has no probabilities of tags: logistic has",
                        thr_model_learner(m)->name);
    if (code)
        return code;
    walk w = {.all.m = m,
              .o = *o,
              .all.err = err,
              .all.progress = progress,
              .all.progress_user = progress_user,
              .fn = fn,
              .user = user};
    return walk_all(&w, in, reading);
}

int thr_sequence_explain(const thr_model *m, thr_input *in, thr_tagged_reasons_fn *fn, void *user,
                         thr_reading *reading, thr_error *err)
{
    walk w = {.all.m = m, .all.err = err, .explain = fn, .user = user};
    if (thr_model_tags(m) && !thr_model_chain(m))
        return thr_fail(err, THR_EUSE, "from left to right each token is an example of its own: its tag "
                                       "cannot be explained by sentences");
    return walk_all(&w, in, reading);
}

/* ---- tests -------------------------------------------------------------------------------- */

thr_chunks *thr_sequence_test(const thr_model *m, thr_input *in, thr_tagged_fn *fn, void *user,
                              thr_progress_fn *progress, void *progress_user, thr_reading *reading,
                              thr_error *err)
{
    walk w = {.all.m = m,
              .all.err = err,
              .all.progress = progress,
              .all.progress_user = progress_user,
              .needs_label = true,
              .fn = fn,
              .user = user,
              .chunks = thr_chunks_new(thr_model_reader(m)->features.scheme)};
    int code = w.chunks ? walk_all(&w, in, reading) : thr_fail_memory(err);
    if (code == 0)
        return w.chunks;
    thr_chunks_free(w.chunks);
    return NULL;
}

static void fill(const struct thr_chunk_type *t, thr_chunk_counts *out)
{
    double right = (double)t->right;
    *out = (thr_chunk_counts){.type = t->name,
                              .truths = t->truths,
                              .predicted = t->predicted,
                              .right = t->right,
                              .precision = t->predicted ? right / (double)t->predicted : 0,
                              .recall = t->truths ? right / (double)t->truths : 0};
    uint64_t both = t->truths + t->predicted;
    out->f1 = both ? 2 * right / (double)both : 0;
}

void thr_chunks_report(const thr_chunks *c, thr_tagging *out)
{
    *out = (thr_tagging){.sentences = c->sentences,
                         .exact = c->exact,
                         .tokens = c->tokens,
                         .right = c->right,
                         .types = c->types};
    fill(&c->all, &out->all);
}

void thr_chunks_type(const thr_chunks *c, size_t i, thr_chunk_counts *out)
{
    fill(&c->type[i], out);
}
