/* Mixing: one model from several that have learned from different examples (iterative parameter
 * mixing; McDonald, Hall, Mann 2010). In this order:
 *
 *   paused     members that some model has paused are taken out of clones of the others
 *              (mix_paused.c)
 *   check      the models have the same rules and settings, and descend from the base
 *   labels     the result gets the labels of all models; a model that lacks some is cloned, and the
 *              clone is told of them as in training, so that all have the same functions
 *   features   the result gets the features of all models, with the ids that training on all
 *              examples, model after model, would have given
 *   units      of features, and the models' numbers converted into these (mix_units.c)
 *   counts     examples, mistakes, classes, occurrences, marks of examples, the panel
 *   members    one by one (mix_member.c)
 *
 * With a base, from which all models were trained further, the base's labels, features and kept
 * examples come first, and every sum is the base's plus what each model has added to it. descent.h
 * says how it is checked that they were. In the arrays below the base is one part more, behind
 * those of the models. */
#include "combine/compatible.h"
#include "combine/descent.h"
#include "combine/mix.h"
#include "model/counts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- life --------------------------------------------------------------------------------- */

static void mix_clear(thr_mix *x)
{
    for (size_t i = 0; x->part && i < x->all; i++) {
        thr_model_free(x->part[i].own);
        free(x->part[i].fresh);
        free(x->part[i].id);
        free(x->part[i].label);
        free(x->part[i].to);
    }
    free(x->part);
    free(x->share);
    free(x->times);
    free(x->rule);
    free(x->panel);
    free(x->calibration);
    free(x->in);
    thr_model_free(x->out);
}

static int check(const thr_mix *x, const double *weights, thr_error *err)
{
    const thr_model *base = x->base ? x->base->m : NULL;
    for (size_t i = 0; i < x->n; i++) {
        const thr_model *m = x->part[i].m;
        if (weights && !(weights[i] >= 1e-9 && weights[i] <= 1e9))
            return thr_fail(err, THR_EUSE, "the weight of a model is a number from 1e-9 to 1e9");
        if (m->lean)
            return thr_fail(err, THR_EUSE,
                            "model %zu is lean: what mixing needs has been left out of it", i + 1);
        int code = thr_model_touch_all(m, err);
        if (code == 0 && base)
            code = thr_models_compatible(base, m, "the base", i + 1, err);
        if (code == 0)
            code = thr_models_compatible(x->part[0].m, m, "the first", i + 1, err);
        if (code == 0 && base)
            code = thr_model_descends(m, base, i + 1, err);
        if (code)
            return code;
    }
    if (base && base->lean)
        return thr_fail(err, THR_EUSE,
                        "the base is lean: what mixing needs has been left out of it");
    return base ? thr_model_touch_all(base, err) : 0;
}

/* Examples that a model has learned from since the base. */
static double examples_since(const thr_model *m, const thr_model *base)
{
    return (double)(m->seen.examples - (base ? base->seen.examples : 0));
}

/* Without weights a model's share is proportional to the examples it has learned from, and each
 * example counts once in sums, so counts stay whole. With weights the share is the weight, and
 * examples count so often that each model's part in a sum agrees with its share. A model that has
 * learned nothing since the base has no share. */
static void find_shares(thr_mix *x, const double *weights)
{
    const thr_model *base = x->base ? x->base->m : NULL;
    double all = 0, examples = 0;
    for (size_t i = 0; i < x->n; i++) {
        double own = examples_since(x->part[i].m, base);
        x->share[i] = !weights || (base && own == 0) ? own : weights[i];
        all += x->share[i];
        examples += own;
    }
    for (size_t i = 0; i < x->n; i++) {
        double own = examples_since(x->part[i].m, base);
        x->share[i] = all > 0 ? x->share[i] / all : 1 / (double)x->n;
        x->times[i] = !weights ? 1 : own > 0 ? x->share[i] * examples / own : 0;
    }
    if (base)
        x->share[x->n] = x->times[x->n] = 1;
}

/* ---- labels and features ------------------------------------------------------------------ */

/* The part whose labels and features come i-th in the result: the base is first. */
static size_t in_turn(const thr_mix *x, size_t i)
{
    return !x->base ? i : i == 0 ? x->n : i - 1;
}

int thr_mix_own(thr_mix_part *p, thr_error *err)
{
    if (!p->own)
        p->own = thr_model_clone(p->m, err);
    p->m = p->own ? p->own : p->m;
    return p->own ? 0 : err->code;
}

/* Makes p->m a model with all labels: itself, or a clone to which those that it lacks are added.
 * They begin with start values for all features (learner->begin is told of none), else the result
 * would depend on the order in which models are mixed.
 * Then matches the numbers of its labels with those of the result. */
static int match_labels(thr_mix_part *p, const thr_labels *all, thr_error *err)
{
    uint32_t label;
    int code = 0;
    if (p->m->labels.n != all->n) {
        uint32_t known = p->m->known;
        code = thr_mix_own(p, err);
        if (p->own)
            p->own->known = 0;
        for (uint32_t l = 0; l < all->n && code == 0; l++)
            code = thr_model_add_label(p->own, thr_str_of(all->name[l]), &label, err);
        if (p->own)
            p->own->known = known;
    }
    if (code)
        return code;
    size_t room = (size_t)all->n + 2;
    p->label = malloc(room * sizeof *p->label);
    p->to = malloc(room * sizeof *p->to);
    if (!p->label || !p->to)
        return thr_fail_memory(err);
    for (uint32_t l = 0; l < room; l++)
        p->label[l] = p->to[l] = l; /* a label not met yet has the same number for all */
    for (uint32_t l = 0; l < all->n; l++) {
        p->label[l] = thr_labels_find(&p->m->labels, thr_str_of(all->name[l]));
        p->to[p->label[l]] = l;
    }
    return 0;
}

/* m->known of the result is one more than the greatest id of a feature that some model has learned
 * from. */
static int unite_features(thr_mix *x, thr_error *err)
{
    int code = 0;
    thr_model *out = x->out;
    out->known = 0;
    for (size_t i = 0; i < x->all && code == 0; i++) {
        thr_mix_part *p = &x->part[in_turn(x, i)];
        p->fresh = malloc(p->m->lexicon.n * sizeof *p->fresh);
        code = p->fresh ? thr_lexicon_unite(&out->lexicon, &p->m->lexicon, p->fresh, err)
                        : thr_fail_memory(err);
        for (uint32_t id = 0; id < p->m->known && id < p->m->lexicon.n && code == 0; id++)
            out->known = p->fresh[id] >= out->known ? p->fresh[id] + 1 : out->known;
    }
    return code;
}

/* Inverts `fresh` of every part, once the result has all its features. A model that was trained
 * from the base has the base's features, with the same ids. The result has them with these ids too,
 * because the base came first. */
static int match_features(thr_mix *x, thr_error *err)
{
    uint32_t features = x->out->lexicon.n, n = x->base ? x->base->m->lexicon.n : 0;
    for (size_t i = 0; i < x->all; i++) {
        thr_mix_part *p = &x->part[i];
        p->id = malloc(features * sizeof *p->id);
        if (!p->id)
            return thr_fail_memory(err);
        for (uint32_t id = 0; id < features; id++)
            p->id[id] = THR_NONE;
        for (uint32_t id = 0; id < p->m->lexicon.n; id++)
            p->id[p->fresh[id]] = id;
    }
    for (size_t i = 0; i < x->n; i++)
        for (uint32_t id = 0; id < n; id++)
            if (x->part[i].id[id] != id)
                return thr_fail_descent_feature(x->base->m, id, x->part[i].id[id] == THR_NONE,
                                                i + 1, err);
    return 0;
}

/* Adds up occurrences, if they are counted; the rules are told how many features are below
 * min-count. */
static int add_counts(thr_mix *x, thr_error *err)
{
    thr_model *out = x->out;
    uint32_t n = out->lexicon.n;
    if (!out->min_count)
        return 0;
    if (!thr_counts_reach(out, n))
        return thr_fail_memory(err);
    for (uint32_t id = 0; id < n; id++) {
        uint64_t base = x->base ? thr_model_count(x->base->m, x->base->id[id]) : 0, sum = base;
        for (size_t i = 0; i < x->n; i++)
            sum += thr_model_count(x->part[i].m, x->part[i].id[id]) - base;
        *thr_counts_at(out, id) = sum < UINT32_MAX ? (uint32_t)sum : UINT32_MAX;
    }
    thr_model_count_waiting(out);
    return 0;
}

static int match_all(thr_mix *x, thr_error *err)
{
    uint32_t label;
    int code = 0;
    for (size_t i = 0; i < x->all; i++) {
        const thr_labels *of = &x->part[in_turn(x, i)].m->labels;
        for (uint32_t l = 0; l < of->n && code == 0; l++)
            code = thr_model_add_label(x->out, thr_str_of(of->name[l]), &label, err);
    }
    for (size_t i = 0; i < x->all && code == 0; i++)
        code = match_labels(&x->part[i], &x->out->labels, err);
    if (code == 0)
        code = unite_features(x, err);
    if (code == 0)
        code = match_features(x, err);
    for (size_t i = 0; i < x->n && x->base && code == 0; i++)
        code = thr_model_keeps(x->part[i].m, x->base->m, i + 1, err);
    return code ? code : add_counts(x, err);
}

/* ---- the model ---------------------------------------------------------------------------- */

/* Adds what `from` has counted beyond `less`. Maxima stay maxima, and so do shuffled passes. */
static void add_seen(thr_totals *to, const thr_totals *from, const thr_totals *less)
{
    to->examples += from->examples - less->examples;
    to->mistakes += from->mistakes - less->mistakes;
    to->updates += from->updates - less->updates;
    to->evicted += from->evicted - less->evicted;
    to->shuffles = from->shuffles > to->shuffles ? from->shuffles : to->shuffles;
    to->active += from->active - less->active;
    to->max_norm2 = fmax(to->max_norm2, from->max_norm2);
    to->max_value = fmax(to->max_value, from->max_value);
    to->squared += from->squared - less->squared;
    to->absolute += from->absolute - less->absolute;
    if (from->text && !to->text)
        memcpy(to->unicode, from->unicode, sizeof to->unicode);
    to->text |= from->text;
    if (!to->format[0])
        memcpy(to->format, from->format, sizeof to->format);
}

/* Examples of a label of the result that a part has met. */
static uint64_t class_count(const thr_mix_part *p, uint32_t label)
{
    return p->label[label] < p->m->classes.n ? p->m->classes.count[p->label[label]] : 0;
}

static void add_classes(thr_classes *to, const thr_mix_part *p, const thr_mix_part *base)
{
    for (uint32_t l = 0; l < to->n; l++)
        to->count[l] += class_count(p, l) - (base ? class_count(base, l) : 0);
}

static void add_thresholds(thr_thresholds *to, const thr_mix_part *p, const thr_mix_part *base)
{
    static const struct thr_label_threshold none = {0};
    for (uint32_t l = 0; l < to->n; l++) {
        const thr_thresholds *from = &p->m->thresholds, *less = base ? &base->m->thresholds : NULL;
        const struct thr_label_threshold *now =
            p->label[l] < from->n ? &from->of[p->label[l]] : &none;
        const struct thr_label_threshold *then =
            less && base->label[l] < less->n ? &less->of[base->label[l]] : &none;
        thr_thresholds_add(to, l, now->hits - then->hits, now->said - then->said);
    }
}

/* The same, of those that its mixture has learned from. */
static uint64_t order_count(const thr_mix_part *p, uint32_t label)
{
    const thr_label_runs *r = &p->m->panel.order;
    return p->label[label] < r->labels ? r->count[p->label[label]] : 0;
}

/* Runs of labels are added up like the panel's other counts. The result goes on after the last run
 * of the last model. */
static int mix_order(thr_mix *x, thr_error *err)
{
    thr_label_runs *to = &x->out->panel.order;
    if (!thr_label_runs_reserve(to, x->out->labels.n))
        return thr_fail_memory(err);
    uint64_t base_runs = x->base ? x->base->m->panel.order.runs : 0;
    to->runs = base_runs;
    for (uint32_t l = 0; l < x->out->labels.n; l++) {
        uint64_t before = x->base ? order_count(x->base, l) : 0, sum = before;
        for (size_t i = 0; i < x->n; i++)
            sum += order_count(&x->part[i], l) - before;
        thr_label_runs_add(to, l, sum);
    }
    for (size_t i = 0; i < x->n; i++) {
        const thr_label_runs *from = &x->part[i].m->panel.order;
        to->runs += from->runs - base_runs;
        if (from->examples)
            to->last = x->part[i].to[from->last];
    }
    return 0;
}

/* Marks of examples are hashes of ids and label numbers. A model whose numbers change in the result
 * loses its marks: examples that it has met count as new. Without a base only the marks of the
 * first model are kept, whose numbers never change. With a base `row` becomes the least of the
 * models that have learned since. */
static int mix_repeats(const thr_mix *x, thr_error *err)
{
    thr_repeats *to = &x->out->repeats;
    const thr_repeats *first = &(x->base ? x->base : x->part)->m->repeats;
    uint32_t row = UINT32_MAX;
    int code = thr_repeats_copy(first, to, err);
    for (size_t i = 0; i < x->n && x->base && code == 0; i++) {
        const thr_mix_part *p = &x->part[i];
        const thr_model *m = p->m;
        if (m->seen.examples == x->base->m->seen.examples)
            continue;
        row = m->repeats.row < row ? m->repeats.row : row;
        bool same_numbers = true;
        for (uint32_t id = 0; id < m->lexicon.n && same_numbers; id++)
            same_numbers = p->fresh[id] == id;
        for (uint32_t l = 0; l < x->out->labels.n && same_numbers; l++)
            same_numbers = p->label[l] == l;
        if (same_numbers)
            code = thr_repeats_unite(to, &m->repeats, err);
    }
    to->row = row < UINT32_MAX ? row : to->row;
    return code;
}

static int mix_counts(thr_mix *x, thr_error *err)
{
    static const thr_totals none = {0};
    thr_model *out = x->out;
    const thr_totals *less = x->base ? &x->base->m->seen : &none;
    if (x->base) {
        add_seen(&out->seen, less, &none);
        add_classes(&out->classes, x->base, NULL);
        add_thresholds(&out->thresholds, x->base, NULL);
    }
    for (size_t i = 0; i < x->n; i++) {
        add_seen(&out->seen, &x->part[i].m->seen, less);
        add_classes(&out->classes, &x->part[i], x->base);
        add_thresholds(&out->thresholds, &x->part[i], x->base);
        x->panel[i] = &x->part[i].m->panel;
    }
    if (!out->panel.experts)
        return 0;
    for (size_t i = 0; i < x->all; i++)
        x->calibration[i].from = &x->part[i].m->panel.fit;
    if (thr_panel_mixes(&out->panel))
        thr_mix_calibration(x, &out->panel.fit);
    return thr_panel_mix(&out->panel, x->panel, x->share, x->n, x->base ? &x->base->m->panel : NULL,
                         err);
}

/* With max-features the lightest features are dropped at the end, as in training. */
static int mix_model(thr_mix *x, thr_error *err)
{
    thr_model *out = x->out;
    int code = mix_repeats(x, err);
    if (code == 0 && out->units.on)
        code = thr_mix_units(x, err);
    if (code == 0 && thr_panel_mixes(&out->panel))
        code = mix_order(x, err);
    if (code == 0)
        code = thr_model_group(out, err);
    if (code == 0)
        code = mix_counts(x, err);
    for (uint32_t k = 0; k < out->members && code == 0; k++)
        code = thr_mix_member(x, k, err);
    thr_model_lay_out(out);
    if (code || out->max_features == 0 || out->lexicon.n - 1 <= out->max_features)
        return code;
    uint64_t dropped = 0;
    code = thr_model_prune(out, &(thr_prune_options){.top = out->max_features}, &dropped, err);
    out->seen.evicted += dropped;
    return code;
}

/* Makes room for all parts. */
static int begin(thr_mix *x, const thr_model *const *models, size_t n, const thr_model *base,
                 thr_error *err)
{
    size_t all = n + (base != NULL);
    *x = (thr_mix){.n = n,
                   .all = all,
                   .part = calloc(all, sizeof *x->part),
                   .share = calloc(all, sizeof *x->share),
                   .times = calloc(all, sizeof *x->times),
                   .rule = calloc(all, sizeof *x->rule),
                   .panel = calloc(all, sizeof *x->panel),
                   .calibration = calloc(all, sizeof *x->calibration),
                   .in = calloc(all, THR_MAX_SLOTS * sizeof *x->in)};
    if (!x->part || !x->share || !x->times || !x->rule || !x->panel || !x->calibration || !x->in)
        return thr_fail_memory(err);
    for (size_t i = 0; i < n; i++)
        x->part[i].m = models[i];
    if (base) {
        x->base = &x->part[n];
        x->base->m = base;
    }
    return 0;
}

/* Matches members, labels and features of all parts; what remains is arithmetic. */
static int prepare(thr_mix *x, const double *weights, thr_error *err)
{
    int code = thr_mix_paused(x, err);
    if (code == 0)
        code = check(x, weights, err);
    if (code)
        return code;
    find_shares(x, weights);
    x->out = thr_model_new(x->part[0].m->settings, err);
    if (!x->out)
        return err->code;
    thr_mix_pause_result(x);
    return match_all(x, err);
}

/* A single model is cloned. With a base it still goes through all checks first. */
thr_model *thr_model_mix(const thr_model *const *models, size_t n, const double *weights,
                         const thr_model *base, thr_error *err)
{
    thr_mix x = {0};
    thr_error local = {0};
    err = err ? err : &local;
    if (n == 0) {
        thr_fail(err, THR_EUSE, "there is no model to mix");
        return NULL;
    }
    int code = begin(&x, models, n, base, err);
    if (code == 0)
        code = n == 1 && !base ? check(&x, weights, err) : prepare(&x, weights, err);
    if (code == 0 && n > 1)
        code = mix_model(&x, err);
    for (size_t i = 0; i < n && code == 0; i++)
        code = thr_model_intact(models[i], err);
    if (code == 0 && base)
        code = thr_model_intact(base, err);
    thr_model *out = code ? NULL : n > 1 ? x.out : thr_model_clone(models[0], err);
    if (out == x.out)
        x.out = NULL;
    mix_clear(&x);
    return out;
}
