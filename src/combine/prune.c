/* Pruning: features that weigh little, or occur seldom, are dropped after training.
 *
 * Dropping a feature of value 1 changes the score of label l by d_l, its effective weight minus
 * that of a feature never seen. A change that all labels' scores have in common decides nothing, so
 * a feature weighs max over l of |d_l - mean d|, which is the absolute weight where two labels
 * share a function. For multi-label data each label decides for itself, and the mean is taken as
 * 0. */
#include "combine/prune.h"

#include "model/inside.h"
#include "model/subset.h"

#include <math.h>
#include <stdlib.h>

#define TOGETHER    64u /* features weighed in one call */
#define MOST_ROUNDS 64u /* of selection, before it falls back on sorting */

/* The number of scores that a feature contributes to. */
static uint32_t scores_of(const thr_model *m)
{
    return thr_model_regression(m) || m->labels.n == 0 ? 1 : m->labels.n;
}

/* The weight of a feature that adds change[l] to each score, where one never seen adds unseen[l].
 * Overwrites `change` with d. */
static double weight_of(const thr_model *m, double *change, const double *unseen)
{
    uint32_t n = scores_of(m);
    bool own = n == 1 || m->reader.multilabel; /* each label decides for itself */
    double mean = 0, most = 0;
    for (uint32_t l = 0; l < n; l++)
        change[l] -= unseen[l];
    for (uint32_t l = 0; l < n && !own; l++)
        mean += change[l] / n;
    for (uint32_t l = 0; l < n; l++) {
        double far = fabs(change[l] - mean);
        most = far > most ? far : most;
    }
    return most;
}

/* Weighs all features by member k and keeps the greatest weight over all members. Members' scores
 * have different scales, so in a panel they are divided by the weight of the heaviest feature. */
static void weigh(const thr_model *m, const thr_member *k, uint32_t n, thr_feature_weight *load,
                  double *room)
{
    uint32_t scores = scores_of(m);
    double most = 0, *own = room, *unseen = own + n, *change = unseen + scores;
    double *rest = change + TOGETHER * (size_t)scores;
    for (uint32_t l = 0; l < scores; l++)
        unseen[l] = thr_member_weight(k, &m->labels, THR_NONE, l, m->known);
    for (uint32_t i = 0; i + 1 < n; i += TOGETHER) {
        uint32_t some = n - 1 - i < TOGETHER ? n - 1 - i : TOGETHER;
        thr_member_weigh(k, &m->labels, i + 1, some, m->known, change, rest);
        for (uint32_t j = 0; j < some; j++) {
            own[i + j] = weight_of(m, change + (size_t)j * scores, unseen);
            most = own[i + j] > most ? own[i + j] : most;
        }
    }
    double unit = thr_model_alone(m) ? 1 : most;
    for (uint32_t i = 0; i + 1 < n && unit > 0; i++) {
        double share = own[i] / unit;
        load[i].weight = share > load[i].weight ? share : load[i].weight;
    }
}

int thr_feature_weights(const thr_model *m, uint32_t n, thr_feature_weight *load, thr_error *err)
{
    /* Scratch that weigh() needs: n weights, the scores of TOGETHER features and of one never seen,
     * and what the member needs itself. */
    size_t most = 0;
    for (uint32_t k = 0; k < m->members; k++) {
        size_t own = thr_member_weigh_room(&m->member[k], TOGETHER);
        most = own > most ? own : most;
    }
    double *room = malloc((n + (TOGETHER + 1) * (size_t)scores_of(m) + most) * sizeof *room);
    if (!room)
        return thr_fail_memory(err);
    for (uint32_t i = 0; i + 1 < n; i++)
        load[i] = (thr_feature_weight){0, thr_model_count(m, i + 1), i + 1};
    for (uint32_t k = 0; k < m->members; k++)
        weigh(m, &m->member[k], n, load, room);
    free(room);
    return 0;
}

static int by_load(const void *a, const void *b)
{
    const thr_feature_weight *x = a, *y = b;
    if (x->weight != y->weight)
        return x->weight < y->weight ? -1 : 1;
    if (x->count != y->count)
        return x->count < y->count ? -1 : 1;
    return x->id < y->id ? -1 : x->id > y->id;
}

void thr_feature_weights_sort(thr_feature_weight *load, size_t n)
{
    qsort(load, n, sizeof *load, by_load);
}

static void swap(thr_feature_weight *a, thr_feature_weight *b)
{
    thr_feature_weight kept = *a;
    *a = *b;
    *b = kept;
}

/* Partitions [from, to) about the median of its first, middle and last element; returns where that
 * element ends up. */
static size_t partition(thr_feature_weight *load, size_t from, size_t to)
{
    size_t last = to - 1, middle = from + (last - from) / 2;
    if (by_load(&load[middle], &load[from]) < 0)
        swap(&load[middle], &load[from]);
    if (by_load(&load[last], &load[from]) < 0)
        swap(&load[last], &load[from]);
    if (by_load(&load[middle], &load[last]) < 0)
        swap(&load[middle], &load[last]); /* the median is the last one now */
    size_t at = from;
    for (size_t i = from; i < last; i++)
        if (by_load(&load[i], &load[last]) < 0)
            swap(&load[i], &load[at++]);
    swap(&load[at], &load[last]);
    return at;
}

/* Quickselect (Hoare 1961), in linear time on average. Data made for the purpose could make it
 * quadratic, so after many rounds the rest is sorted. */
void thr_feature_weights_split(thr_feature_weight *load, size_t n, size_t heavy)
{
    size_t from = 0, to = n, wanted = n - heavy;
    for (unsigned rounds = 0; to - from > 1 && wanted > 0 && wanted < n; rounds++) {
        if (rounds == MOST_ROUNDS) {
            thr_feature_weights_sort(load + from, to - from);
            return;
        }
        size_t at = partition(load, from, to);
        if (at == wanted)
            return;
        from = at < wanted ? at + 1 : from;
        to = at < wanted ? to : at;
    }
}

/* ---- which features to drop --------------------------------------------------------------- */

/* Most frequent first. */
static int by_count(const void *a, const void *b)
{
    const thr_feature_weight *x = a, *y = b;
    if (x->count != y->count)
        return x->count > y->count ? -1 : 1;
    return x->id < y->id ? -1 : x->id > y->id;
}

static int choose(const thr_model *m, const thr_prune_options *o, thr_feature_weight *load,
                  bool *keep, thr_error *err)
{
    size_t n = m->lexicon.n - 1;
    int code = thr_feature_weights(m, m->lexicon.n, load, err);
    if (code)
        return code;
    for (size_t id = 0; id <= n; id++)
        keep[id] = true;
    if (o->top_mass > 0) {
        /* Keep the most frequent features that together make up this share of all occurrences. */
        double all = 0, so_far = 0;
        for (size_t i = 0; i < n; i++)
            all += load[i].count;
        qsort(load, n, sizeof *load, by_count);
        for (size_t i = 0; i < n; i++) {
            keep[load[i].id] &= so_far < o->top_mass * all;
            so_far += load[i].count;
        }
    }
    /* Drop features lighter than o->least, then the lightest until o->top are left. */
    uint64_t left = 0;
    for (size_t i = 0; i < n; i++)
        left += keep[load[i].id] &= load[i].weight >= o->least;
    thr_feature_weights_sort(load, n);
    for (size_t i = 0; i < n && o->top && left > o->top; i++) {
        left -= keep[load[i].id];
        keep[load[i].id] = false;
    }
    return 0;
}

static int prunable(const thr_model *m, const thr_prune_options *o, thr_error *err)
{
    int code = thr_model_trainable(m, err);
    if (code == 0)
        code = thr_model_droppable(m, err);
    if (code)
        return code;
    if (!(o->least >= 0 && o->top_mass >= 0 && o->top_mass <= 1))
        return thr_fail(err, THR_EUSE,
                        "the least weight is not negative, and a share lies between 0 and 1");
    if (o->top_mass > 0 && m->min_count == 0)
        return thr_fail(err, THR_EUSE,
                        "this model does not count how often features come; train it with "
                        "min-count, 1 or more");
    return 0;
}

int thr_model_prune(thr_model *m, const thr_prune_options *o, uint64_t *dropped, thr_error *err)
{
    static const thr_prune_options nothing = {0};
    uint32_t before = m->lexicon.n;
    o = o ? o : &nothing;
    int code = THR_CHECK_RESERVED(thr_prune_options, o, err);
    if (code == 0)
        code = prunable(m, o, err);
    bool any = o->least > 0 || o->top > 0 || o->top_mass > 0;
    if (code == 0 && any)
        code = thr_model_touch_all(m, err);
    if (code == 0 && any) {
        thr_feature_weight *load = malloc(before * sizeof *load);
        bool *keep = malloc(before * sizeof *keep);
        code = load && keep ? choose(m, o, load, keep, err) : thr_fail_memory(err);
        free(load);
        if (code == 0)
            code = thr_model_drop(m, keep, err);
        free(keep);
    }
    if (dropped)
        *dropped = before - m->lexicon.n;
    return code;
}
