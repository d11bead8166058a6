/* The model's lexicon, as the steps use it. */
#include "step/names.h"

#include "base/hash.h"
#include "base/random.h"
#include "model/inside.h"

#define PIECE 65536 /* features */

/* Gives ids to the features from..to. The memory for new names and their rows may be limited; then
 * it is checked at every PIECE features, since conjunctions can make millions of a few lines. */
static int resolve(thr_model *m, thr_batch *b, size_t from, size_t to, thr_error *err)
{
    if (!m->limits.memory)
        return thr_lexicon_resolve_some(&m->lexicon, b, from, to, err);
    int code;
    do { /* once at least: a block of a cache may bring names without features */
        uint32_t before = m->lexicon.n;
        size_t end = to - from < PIECE ? to : from + PIECE;
        code = thr_lexicon_resolve_some(&m->lexicon, b, from, end, err);
        if (code == 0 && m->lexicon.n > before)
            code = thr_model_check_limits(m, err);
        from = end;
    } while (from < to && code == 0);
    return code;
}

int thr_model_resolve(thr_model *m, thr_batch *b, thr_error *err)
{
    return m->max_features ? 0 : resolve(m, b, 0, b->n_features, err);
}

bool thr_model_resolves_ahead(const thr_model *m)
{
    return !m->max_features && !m->limits.memory && !m->layout.groups;
}

bool thr_model_resolve_ahead(thr_model *m, thr_batch *b)
{
    const thr_lexicon *x = &m->lexicon;
    return !x->borrowed && !x->view && thr_model_resolve(m, b, NULL) == 0;
}

int thr_model_resolve_one(thr_model *m, thr_batch *b, size_t e, thr_error *err)
{
    return resolve(m, b, b->start[e], b->start[e + 1], err);
}

int thr_model_find(const thr_model *m, thr_batch *b, thr_error *err)
{
    return thr_lexicon_find(&m->lexicon, b, err);
}

int thr_model_find_one(const thr_model *m, thr_batch *b, size_t example, thr_error *err)
{
    int code = thr_batch_usable(m, b, err);
    if (code == 0 && example >= b->n)
        code = thr_fail(err, THR_EUSE, "the batch has only %zu examples", b->n);
    return code ? code : thr_model_find(m, b, err);
}

thr_lookup thr_model_lookup(const thr_model *m)
{
    return (thr_lookup){.lexicon = &m->lexicon};
}

int thr_model_open_to_readers(thr_model *m, thr_lookup *out, thr_error *err)
{
    return thr_lexicon_open_to_readers(&m->lexicon, out, err);
}

void thr_model_close_to_readers(thr_model *m)
{
    thr_lexicon_close_to_readers(&m->lexicon);
}

/* The bias, id 0, has no name and is in every example. */
uint64_t thr_model_mark(const thr_model *m, const thr_example *e)
{
    uint64_t mark = thr_mix64(e->label);
    char digits[24];
    if (e->target == e->target)
        mark ^= thr_hash(&e->target, sizeof e->target, 0);
    if (e->x)
        mark = thr_hash(e->x, e->n * sizeof *e->x, mark);
    for (size_t i = 0; i < e->n; i++)
        if (e->id[i]) {
            thr_str ns, name = thr_lexicon_name(&m->lexicon, e->id[i], digits, &ns);
            mark = thr_hash(name.p, name.n, thr_hash(ns.p, ns.n, mark));
        }
    return mark;
}
