/* Reading a corpus, and translating its numbers into the ids of a run's lexicon. */
#include "input/corpus.h"

#include "input/reject.h"

#include <stdlib.h>
#include <string.h>

/* ---- keeping ------------------------------------------------------------------------------ */

void thr_corpus_clear(thr_corpus *k)
{
    thr_store_clear(&k->store);
    thr_lexicon_clear(&k->names);
    thr_batch_release(&k->list);
    free(k->place);
    *k = (thr_corpus){0};
}

/* Fills k->list. The names are slices of the lexicon's memory, which does not move any more:
 * all names have been added. Names of digits become integer keys again. */
static int list_names(thr_corpus *k, thr_error *err)
{
    char digits[24];
    k->list.hash_seed = k->names.seed;
    for (uint32_t id = 1; id < k->names.n && !k->list.failed; id++) {
        thr_str ns, name = thr_lexicon_name(&k->names, id, digits, &ns);
        thr_batch_named(&k->list, thr_batch_namespace(&k->list, ns), name, 1);
    }
    return k->list.failed ? thr_fail_memory(err) : 0;
}

typedef struct reading {
    thr_corpus *k;
    const thr_model *rule; /* examples that it cannot take are rejected; NULL: none are */
    thr_stream *s;
    thr_progress_fn *progress;
    void *user;
    thr_error *err;
} reading;

/* Keeps the examples of a batch and their places, and reports progress. */
static int keep_batch(const reading *r, thr_batch *b)
{
    thr_corpus *k = r->k;
    size_t n = k->store.all.n;
    int code = thr_reject_unusable(r->s, r->rule, b, true, r->err);
    if (code == 0 && !thr_grow(&k->place, &k->place_room, n + b->n, sizeof *k->place))
        code = thr_fail_memory(r->err);
    for (size_t e = 0; e < b->n && code == 0; e++)
        k->place[n + e] = (struct thr_place){thr_stream_file(r->s), thr_stream_line(r->s, b, e)};
    if (code == 0)
        code = thr_lexicon_resolve(&k->names, b, r->err);
    if (code == 0 && !thr_store_add(&k->store, b))
        code = thr_fail_memory(r->err);
    if (code || !r->progress)
        return code;
    thr_progress p = {.examples = k->store.all.n, .pass = 1};
    thr_stream_progress(r->s, &p.bytes, &p.total_bytes);
    return r->progress(r->user, &p) ? thr_fail(r->err, THR_ECANCEL, "stopped") : 0;
}

int thr_corpus_read(thr_corpus *k, const thr_model *m, bool strict, const thr_input *in,
                    thr_progress_fn *progress, void *user, thr_error *err)
{
    *k = (thr_corpus){.limits = in->limits};
    thr_batch_init(&k->store.all);
    thr_batch_init(&k->list);
    uint64_t seed = thr_model_lexicon(m)->seed;
    int code = thr_lexicon_init(&k->names, seed, 0, err);
    if (code)
        return code;
    reading r = {k, strict ? m : NULL, NULL, progress, user, err};
    r.s = thr_stream_open(in, thr_model_reader(m), seed, thr_model_format(m), NULL, err);
    if (!r.s)
        return THR_EMEM;
    thr_batch *b;
    while ((code = thr_stream_next(r.s, &b, err)) > 0)
        if ((code = keep_batch(&r, b)))
            break;
    thr_stream_reading(r.s, &k->reading);
    thr_stream_close(r.s);
    if (code == 0 && k->store.all.n == 0) {
        thr_fail(err, THR_EDATA, "there is no example in it");
        code = thr_fail_at(err, in->n_parts ? in->part[0].name : NULL, 0, 0);
    }
    return code ? code : list_names(k, err);
}

/* ---- a run's own view --------------------------------------------------------------------- */

int thr_view_open(thr_view *v, const thr_corpus *k, const thr_model *m, thr_error *err)
{
    *v = (thr_view){.kept = k, .store.all = k->store.all};
    v->store.all.id = malloc((k->store.all.n_features + 1) * sizeof *v->store.all.id);
    v->id_of = malloc(k->names.n * sizeof *v->id_of);
    v->spaces = thr_lexicon_spaces(thr_model_lexicon(m), &k->list);
    if (!v->store.all.id || !v->id_of || !v->spaces)
        return thr_fail_memory(err);
    v->id_of[0] = 0; /* the bias */
    for (uint32_t i = 1; i < k->names.n; i++)
        v->id_of[i] = THR_NONE;
    return 0;
}

void thr_view_close(thr_view *v)
{
    free(v->store.all.id);
    free(v->store.order);
    free(v->id_of);
    free(v->spaces);
    *v = (thr_view){0};
}

/* Each name is looked up in the model's lexicon only once per view; from then on id_of has it. */
int thr_view_resolve(thr_view *v, thr_model *m, const size_t *pick, size_t n, thr_error *err)
{
    const thr_batch *b = &v->kept->store.all;
    v->store.pick = pick;
    v->store.picked = n;
    uint32_t before = thr_model_lexicon(m)->n;
    thr_model_limit(m, v->kept->limits);
    for (size_t i = 0; i < thr_store_size(&v->store); i++) {
        size_t e = pick ? pick[i] : i;
        for (size_t f = b->start[e]; f < b->start[e + 1]; f++) {
            uint32_t *id = &v->id_of[b->id[f]];
            int code = *id != THR_NONE
                           ? 0
                           : thr_lexicon_add_feature(thr_model_growing_lexicon(m), &v->kept->list,
                                                     v->spaces, b->id[f] - 1, id, err);
            if (code)
                return code;
            v->store.all.id[f] = *id;
        }
    }
    return thr_model_lexicon(m)->n > before ? thr_model_check_limits(m, err) : 0;
}

void thr_view_find(thr_view *v, const thr_model *m, const size_t *pick, size_t n)
{
    const thr_batch *b = &v->kept->store.all;
    v->store.pick = pick;
    v->store.picked = n;
    for (size_t i = 0; i < thr_store_size(&v->store); i++) {
        size_t e = pick ? pick[i] : i;
        for (size_t f = b->start[e]; f < b->start[e + 1]; f++) {
            uint32_t number = b->id[f], id = v->id_of[number];
            if (id == THR_NONE) /* not met in learning; a hashed name may share a slot that was */
                id = thr_lexicon_find_feature(thr_model_lexicon(m), &v->kept->list, v->spaces,
                                              number - 1);
            v->store.all.id[f] = id;
        }
    }
}
