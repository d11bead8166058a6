/* What a training run may do, checked before the model is touched (training.h). */
#include "run/training.h"

#include "combine/ceiling.h"

static bool is_share(double p)
{
    return p > 0 && p < 1;
}

/* max-features does not work with stored examples: their ids would not survive an eviction. */
int thr_run_plan_stored(const thr_run *r)
{
    if (!r->ceiling)
        return 0;
    return thr_fail(r->err, THR_EUSE,
                    "max-features needs a stream that is read in order: it does not work with a "
                    "shuffled order, several passes over a pipe, or examples kept in memory");
}

/* What goes by single examples is not for sentences. A cache does not keep where they end. */
static int plan_sentences(const thr_run *r)
{
    const thr_train_options *o = r->o;
    const char *not_for = r->watch          ? "a comparison of models"
                          : r->kept         ? "data in memory"
                          : o->on_update    ? "a log of updates"
                          : o->until_clean  ? "until-clean"
                          : r->promises     ? "pac"
                          : o->cache        ? "a cache"
                          : r->ceiling      ? "max-features"
                                            : NULL;
    return not_for ? thr_fail(r->err, THR_EUSE, "%s is for examples, not for sentences", not_for)
                   : 0;
}

/* Prepares a run that has its options, and checks whether it is possible. The bound of --pac holds
 * for examples that the hypothesis has not been trained on, so there can be one pass only, by a
 * model that has not learned from any (what it met before is not known example by example), and for
 * rules that do not change while they are right (thr_model_conservative). */
int thr_run_plan(thr_run *r)
{
    const thr_train_options *o = r->o;
    r->work.on_update = o->on_update;
    r->work.update_user = o->update_user;
    r->promises = o->pac_eps != 0 || o->pac_delta != 0;
    r->work.single = (r->watch && !r->watch->late) || r->promises;
    r->work.shown = r->watch != NULL;
    r->ceiling = thr_model_ceiling(r->m) != 0;
    thr_pac_init(&r->pac, o->pac_eps, o->pac_delta, THR_PAC_CORRECTED);
    int code = thr_model_trainable(r->m, r->err);
    if (code == 0 && thr_model_chain(r->m))
        code = plan_sentences(r);
    if (code == 0 && o->until_clean && thr_model_regression(r->m))
        code = thr_fail(r->err, THR_EUSE,
                        "%s predicts numbers, and no pass over them is without an error: leave "
                        "--until-clean out",
                        thr_model_learner(r->m)->name);
    if (code || !r->promises)
        return code;
    if (!is_share(o->pac_eps) || !is_share(o->pac_delta))
        return thr_fail(r->err, THR_EUSE, "pac needs two numbers between 0 and 1: eps, delta");
    if (o->passes > 1 || o->until_clean)
        return thr_fail(r->err, THR_EUSE,
                        "pac is for one pass: being right on examples met before promises nothing "
                        "about new ones");
    thr_stats seen;
    thr_model_stats(r->m, &seen);
    if (seen.examples)
        return thr_fail(r->err, THR_EUSE,
                        "pac is for a new model: this one has learned %llu examples, and being "
                        "right on examples met before promises nothing about new ones",
                        (unsigned long long)seen.examples);
    return thr_model_conservative(r->m, r->err);
}

/* Begins the cache that was asked for, or reads it if it exists. Otherwise begins a temporary
 * one if there will be later passes to read it. `never` says why this run can neither make nor use
 * a cache (see the top of the file). */
int thr_run_plan_cache(thr_run *r, bool stored)
{
    const char *never =
        r->ceiling        ? "max-features does not work with a cache, whose names come ahead "
                            "of their examples"
        : r->o->on_update ? "a log of updates tells the places in the data, which are not in "
                            "a cache: leave one of the two out"
        : r->promises     ? "pac may stop in the middle of the data, and names of a cache "
                            "come ahead of their examples"
        : thr_model_chain(r->m) ? "a cache does not keep where sentences end"
        : r->in->on_error != THR_STOP
            ? "a cache is made of data without bad lines: it cannot leave lines out"
            : NULL;
    bool by_id = thr_model_lexicon(r->m)->hash_bits == 0;
    if (r->o->cache && never)
        return thr_fail(r->err, THR_EUSE, "%s", never);
    if (r->o->cache) {
        int code = thr_cache_build_open(&r->cache, r->o, r->in, thr_model_reader(r->m),
                                        thr_model_format(r->m), by_id, r->err);
        r->in = r->cache.input ? r->cache.input : r->in;
        return code;
    }
    if (!never && !stored && r->o->passes > 1 && r->o->cache_limit)
        thr_cache_build_temporary(&r->cache, r->o->cache_limit, r->in, thr_model_reader(r->m),
                                  by_id);
    return 0;
}
