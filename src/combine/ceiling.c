/* A ceiling on the number of features, for streams whose names never end.
 *
 * When an example's new features would bring the number of features above N, the lightest are
 * dropped (prune.c says what a feature weighs) until 9/10 N are left, or fewer if the example needs
 * more room. Among equally light ones, those that occurred least go first, then the oldest.
 * Features of the current example stay. Dropping a tenth at a time spreads the cost of one pass
 * over all weights over many examples.
 *
 * Names are resolved example by example. If a whole batch were resolved at once, later examples'
 * names would fill the lexicon early, and what is dropped would depend on where a batch ends. */
#include "combine/ceiling.h"

#include "combine/prune.h"
#include "model/inside.h"
#include "model/subset.h"
#include "step/names.h"

#include <stdlib.h>
#include <string.h>

/* Marks what stays: the example's features that are known, then the heaviest, `left` in all. New
 * features (ids from m->known on) are not marked; the example is resolved again afterwards and adds
 * them behind the rest. */
static int choose(const thr_model *m, const thr_batch *b, size_t e, size_t left, bool *keep,
                  thr_error *err)
{
    uint32_t n = m->known - 1;
    thr_feature_weight *load = malloc((n ? n : 1) * sizeof *load);
    int code = load ? thr_feature_weights(m, m->known, load, err) : thr_fail_memory(err);
    if (code == 0) {
        for (size_t f = b->start[e]; f < b->start[e + 1]; f++)
            if (b->id[f] && b->id[f] < m->known) {
                keep[b->id[f]] = true;
                left--;
            }
        size_t others = 0;
        for (size_t i = 0; i < n; i++)
            if (!keep[load[i].id])
                load[others++] = load[i];
        left = left < others ? left : others;
        thr_feature_weights_split(load, others, left);
        for (size_t i = others - left; i < others; i++)
            keep[load[i].id] = true;
    }
    free(load);
    return code;
}

/* Drops features until there is room for the new ones of example e: those that have an id, but were
 * in no example learned from. 9/10 of the ceiling are left, but at least the known features that
 * the example has, and at most what its new ones leave room for. Ids change, so the example must be
 * resolved again. */
static int evict(thr_model *m, thr_batch *b, size_t e, thr_error *err)
{
    uint32_t known = m->known;
    size_t features = b->start[e + 1] - b->start[e] - 1, fresh = 0;
    for (size_t f = b->start[e]; f < b->start[e + 1]; f++)
        fresh += b->id[f] >= known;
    size_t most = m->max_features, left = most - most / 10;
    if (left < features - fresh)
        left = features - fresh;
    if (left > most - fresh)
        left = most - fresh;
    bool *keep = calloc(m->lexicon.n, sizeof *keep);
    int code = keep ? choose(m, b, e, left, keep, err) : thr_fail_memory(err);
    if (code == 0)
        code = thr_model_drop(m, keep, err);
    free(keep);
    if (code)
        return code;
    m->seen.evicted += known - m->known;
    return thr_model_resolve_one(m, b, e, err);
}

int thr_model_fits(const thr_model *m, const thr_batch *b, size_t e, thr_error *err)
{
    size_t features = b->start[e + 1] - b->start[e] - 1;
    if (m->max_features == 0 || features <= m->max_features)
        return 0;
    return thr_fail(err, THR_EDATA,
                    "this example has %zu features, more than the %u that max-features allows",
                    features, m->max_features);
}

int thr_model_make_room(thr_model *m, thr_batch *b, size_t e, thr_error *err)
{
    if (m->max_features == 0)
        return 0;
    if (b->names)
        return thr_fail(err, THR_EUSE,
                        "max-features does not work with a cache, whose names come ahead of their "
                        "examples");
    int code = thr_model_resolve_one(m, b, e, err);
    if (code || m->lexicon.n - 1 <= m->max_features)
        return code;
    code = thr_model_fits(m, b, e, err);
    return code ? code : evict(m, b, e, err);
}
