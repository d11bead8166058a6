/* Several models as one, by name: what one has learned from some examples and another from others
 * (iterative parameter mixing; McDonald, Hall, Mann 2010).
 *
 * Each model first gets the labels of all, as if it had met them, in a copy where it lacks some.
 * Then every number of the result is made from those that stand for the same feature, label and
 * slot in the models, by the rule's own mixer (learner/mix.h). Ids are those that training on all
 * examples, model after model, would have given. */
#include "learner/mix.h"
#include "model/alike.h"
#include "multiclass/split.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct part {
    const thr_model *m;
    thr_model *own;  /* m, if it is a copy */
    uint32_t *fresh; /* per feature: its number in the result */
    uint32_t *id;    /* per feature of the result: its number here, or THR_NONE */
    uint32_t *label; /* per label of the result, of two at least: its number here */
    uint32_t *to;    /* the other way */
} part;

typedef struct mix {
    size_t n;
    part *part;
    double *share, *times;
    const thr_rule **rule; /* of the member at hand */
    const thr_panel **panel;
    thr_calibration_part *calibration;
    double *in; /* [model][slot] */
    thr_model *out;
} mix;

/* ---- life --------------------------------------------------------------------------------- */

static int mix_init(mix *x, size_t n, thr_error *err)
{
    *x = (mix){.n = n,
               .part = calloc(n, sizeof *x->part),
               .share = calloc(n, sizeof *x->share),
               .times = calloc(n, sizeof *x->times),
               .rule = calloc(n, sizeof *x->rule),
               .panel = calloc(n, sizeof *x->panel),
               .calibration = calloc(n, sizeof *x->calibration),
               .in = calloc(n, THR_MAX_SLOTS * sizeof *x->in)};
    bool ok = x->part && x->share && x->times && x->rule && x->panel && x->calibration && x->in;
    return ok ? 0 : thr_fail_memory(err);
}

static void mix_clear(mix *x)
{
    for (size_t i = 0; x->part && i < x->n; i++) {
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

static int check(const thr_model *const *models, size_t n, const double *weights, thr_error *err)
{
    if (n == 0)
        return thr_fail(err, THR_EUSE, "there is no model to mix");
    for (size_t i = 0; i < n; i++) {
        if (weights && !(weights[i] >= 1e-9 && weights[i] <= 1e9))
            return thr_fail(err, THR_EUSE, "the weight of a model is a number from 1e-9 to 1e9");
        if (models[i]->lean)
            return thr_fail(err, THR_EUSE,
                            "model %zu is lean: what mixing needs has been left out of it", i + 1);
        int code = thr_model_touch_all(models[i], err);
        if (code == 0)
            code = thr_models_alike(models[0], models[i], i + 1, err);
        if (code)
            return code;
    }
    return 0;
}

/* A model's share of means, and how often its examples count in sums: once, unless weights say
 * otherwise, so that counts stay whole. */
static void find_shares(mix *x, const thr_model *const *models, const double *weights)
{
    double all = 0, examples = 0;
    for (size_t i = 0; i < x->n; i++) {
        x->share[i] = weights ? weights[i] : (double)models[i]->seen.examples;
        all += x->share[i];
        examples += (double)models[i]->seen.examples;
    }
    for (size_t i = 0; i < x->n; i++) {
        double own = (double)models[i]->seen.examples;
        x->share[i] = all > 0 ? x->share[i] / all : 1 / (double)x->n;
        x->times[i] = !weights ? 1 : own > 0 ? x->share[i] * examples / own : 0;
    }
}

/* ---- labels and features ------------------------------------------------------------------ */

static int unite_labels(mix *x, const thr_model *const *models, thr_error *err)
{
    uint32_t label;
    int code = 0;
    for (size_t i = 0; i < x->n; i++)
        for (uint32_t l = 0; l < models[i]->labels.n && code == 0; l++)
            code = thr_model_add_label(x->out, thr_str_of(models[i]->labels.name[l]), &label, err);
    return code;
}

/* The model with all labels: itself, or a copy that has been told of them. */
static int widen_part(part *p, const thr_model *m, const thr_labels *all, thr_error *err)
{
    uint32_t label;
    p->m = m;
    if (m->labels.n == all->n)
        return 0;
    p->m = p->own = thr_model_clone(m, err);
    int code = p->own ? 0 : err ? err->code : THR_EMEM;
    for (uint32_t l = 0; l < all->n && code == 0; l++)
        code = thr_model_add_label(p->own, thr_str_of(all->name[l]), &label, err);
    return code;
}

static int match_labels(part *p, const thr_labels *all, thr_error *err)
{
    size_t room = (size_t)all->n + 2;
    p->label = malloc(room * sizeof *p->label);
    p->to = malloc(room * sizeof *p->to);
    if (!p->label || !p->to)
        return thr_fail_memory(err);
    for (uint32_t l = 0; l < room; l++)
        p->label[l] = p->to[l] = l; /* a label still unknown is the second for all */
    for (uint32_t l = 0; l < all->n; l++) {
        p->label[l] = thr_labels_find(&p->m->labels, thr_str_of(all->name[l]));
        p->to[p->label[l]] = l;
    }
    return 0;
}

static int unite_features(mix *x, thr_error *err)
{
    int code = 0;
    thr_model *out = x->out;
    out->known = 0;
    for (size_t i = 0; i < x->n && code == 0; i++) {
        part *p = &x->part[i];
        p->fresh = malloc(p->m->lexicon.n * sizeof *p->fresh);
        code = p->fresh ? thr_lexicon_unite(&out->lexicon, &p->m->lexicon, p->fresh, err)
                        : thr_fail_memory(err);
        for (uint32_t id = 0; id < p->m->known && id < p->m->lexicon.n && code == 0; id++)
            out->known = p->fresh[id] >= out->known ? p->fresh[id] + 1 : out->known;
    }
    return code;
}

/* Once all features are known. */
static int match_features(part *p, uint32_t features, thr_error *err)
{
    p->id = malloc(features * sizeof *p->id);
    if (!p->id)
        return thr_fail_memory(err);
    for (uint32_t id = 0; id < features; id++)
        p->id[id] = THR_NONE;
    for (uint32_t id = 0; id < p->m->lexicon.n; id++)
        p->id[p->fresh[id]] = id;
    return 0;
}

/* Occurrences, where they are counted; so the rules know how many features do not count yet. */
static int add_counts(mix *x, thr_error *err)
{
    thr_model *out = x->out;
    uint32_t n = out->lexicon.n;
    if (!out->min_count)
        return 0;
    if (!thr_grow(&out->count, &out->count_room, n, sizeof *out->count))
        return thr_fail_memory(err);
    out->counted = n;
    for (uint32_t id = 0; id < n; id++) {
        uint64_t sum = 0;
        for (size_t i = 0; i < x->n; i++)
            sum += thr_model_count(x->part[i].m, x->part[i].id[id]);
        out->count[id] = sum < UINT32_MAX ? (uint32_t)sum : UINT32_MAX;
    }
    thr_model_count_waiting(out);
    return 0;
}

static int match_all(mix *x, const thr_model *const *models, thr_error *err)
{
    int code = unite_labels(x, models, err);
    for (size_t i = 0; i < x->n && code == 0; i++) {
        code = widen_part(&x->part[i], models[i], &x->out->labels, err);
        if (code == 0)
            code = match_labels(&x->part[i], &x->out->labels, err);
    }
    if (code == 0)
        code = unite_features(x, err);
    for (size_t i = 0; i < x->n && code == 0; i++)
        code = match_features(&x->part[i], x->out->lexicon.n, err);
    return code ? code : add_counts(x, err);
}

/* ---- functions ---------------------------------------------------------------------------- */

/* What function f of member `to` is in member `from`, whose labels have the numbers `label`; and
 * whether the sides of it are exchanged. */
static uint32_t function_in(const thr_member *from, const thr_member *to, const thr_labels *labels,
                            const uint32_t *label, uint32_t f, bool *turned)
{
    if (!thr_member_shares(to, labels))
        return to->rule.policy->renumber(f, label, turned);
    *turned = label[to->anchor] != from->anchor && !(to->rule.learner->flags & THR_REGRESSION);
    return 0;
}

static void gather(const mix *x, uint32_t k, uint32_t id, uint32_t f)
{
    for (size_t i = 0; i < x->n; i++) {
        const part *p = &x->part[i];
        const thr_member *from = &p->m->member[k];
        const thr_weights *w = &from->weights;
        double *in = x->in + i * THR_MAX_SLOTS, value[THR_MAX_SLOTS] = {0};
        bool turned;
        uint32_t g = function_in(from, &x->out->member[k], &x->out->labels, p->label, f, &turned);
        for (unsigned s = 0; s < w->n_slots; s++)
            value[s] = thr_weights_get(w, p->id[id], s, g);
        for (unsigned s = 0; s < w->n_slots; s++)
            in[s] = turned ? thr_mirrored(w, s, value) : value[s];
    }
}

/* ---- one member --------------------------------------------------------------------------- */

static void mix_state(const mix *x, const thr_mixing *by, uint32_t k)
{
    thr_member *to = &x->out->member[k];
    thr_rule *r = &to->rule;
    unsigned per = r->learner->function_state;
    for (size_t i = 0; i < x->n; i++) {
        const thr_member *from = &x->part[i].m->member[k];
        r->clock += from->rule.clock;
        for (int s = 0; s < THR_MAX_STATE; s++)
            r->state[s] += x->times[i] * from->rule.state[s];
        for (uint32_t f = 0; f < to->weights.functions && per; f++) {
            bool turned;
            uint32_t g = function_in(from, to, &x->out->labels, x->part[i].label, f, &turned);
            for (unsigned s = 0; s < per; s++)
                thr_rule_state(r, f)[s] += x->times[i] * thr_rule_state(&from->rule, g)[s];
        }
        to->mistakes += from->mistakes;
        to->updates += from->updates;
    }
    if (r->learner->mix->state)
        r->learner->mix->state(r, by);
}

static int mix_rows(const mix *x, const thr_mixing *by, uint32_t k, thr_error *err)
{
    thr_member *to = &x->out->member[k];
    thr_weights *w = &to->weights;
    double out[THR_MAX_SLOTS];
    if (w->n_slots == 0 || !to->rule.learner->mix->weight)
        return 0;
    int code = thr_weights_settle(w, x->out->lexicon.n, err);
    for (uint32_t id = 0; id < x->out->lexicon.n && code == 0; id++)
        for (uint32_t f = 0; f < w->functions; f++) {
            gather(x, k, id, f);
            to->rule.learner->mix->weight(&to->rule, by, id, x->in, out);
            for (unsigned s = 0; s < w->n_slots; s++)
                if (s < w->n_wide)
                    thr_weights_row_wide(w, id, s)[f] = out[s];
                else
                    thr_weights_row(w, id, s)[f] = (float)out[s];
        }
    return code;
}

static int keep_examples(thr_memory *to, const thr_memory *from, const part *p, double times,
                         thr_error *err)
{
    uint32_t *id = NULL;
    size_t room = 0;
    int code = 0;
    for (size_t i = 0; i < from->n && code == 0; i++) {
        thr_example e = thr_memory_example(from, i);
        if (!thr_grow(&id, &room, e.n + 1, sizeof *id)) {
            code = thr_fail_memory(err);
            break;
        }
        for (size_t j = 0; j < e.n; j++)
            id[j] = p->fresh[e.id[j]];
        e.id = id;
        e.label = e.label == THR_NONE ? THR_NONE : p->to[e.label];
        e.importance = (float)((double)e.importance * times);
        code = thr_memory_ready(to, &e, 0, err);
        if (code == 0)
            thr_memory_add(to, &e);
    }
    free(id);
    return code;
}

/* Examples of all models, each in its turn; what they moved they move by the model's share. */
static int mix_memory(const mix *x, uint32_t k, thr_error *err)
{
    thr_member *to = &x->out->member[k];
    double before = 0;
    int code = 0;
    for (size_t i = 0; i < x->n && to->rule.memory && code == 0; i++) {
        const part *p = &x->part[i];
        const thr_member *from = &p->m->member[k];
        size_t first = to->memory.n;
        code = keep_examples(&to->memory, &from->memory, p, x->times[i], err);
        if (code == 0)
            code = thr_memory_ready(&to->memory, &(thr_example){0}, from->memory.notes, err);
        for (size_t j = 0; j < from->memory.notes && code == 0; j++) {
            thr_note note = from->memory.note[j];
            bool turned;
            note.function = function_in(to, from, &p->m->labels, p->to, note.function, &turned);
            note.example += (uint32_t)first;
            note.step *= turned ? -x->share[i] : x->share[i];
            note.born += before;
            thr_memory_note(&to->memory, note);
        }
        before += from->rule.clock;
    }
    return code;
}

static void mix_calibration(const mix *x, uint32_t k)
{
    for (size_t i = 0; i < x->n; i++)
        x->calibration[i] = (thr_calibration_part){.from = &x->part[i].m->member[k].calibration,
                                                   .label = x->part[i].label,
                                                   .share = x->share[i],
                                                   .times = x->times[i]};
    thr_calibration_mix(&x->out->member[k].calibration, x->calibration, x->n);
}

static int mix_member(const mix *x, uint32_t k, thr_error *err)
{
    thr_member *to = &x->out->member[k];
    thr_rule *r = &to->rule;
    const thr_mixer *mixer = r->learner->mix;
    thr_mixing by = {.n = x->n, .from = x->rule, .share = x->share, .times = x->times};
    for (size_t i = 0; i < x->n; i++)
        x->rule[i] = &x->part[i].m->member[k].rule;
    int code = mixer->check ? mixer->check(&by, err) : 0;
    if (code)
        return code;
    mix_state(x, &by, k);
    mix_calibration(x, k);
    code = mix_rows(x, &by, k, err);
    if (code == 0)
        code = mix_memory(x, k, err);
    if (code == 0 && r->learner->rebuild)
        code = r->learner->rebuild(r, &to->weights, err);
    if (code == 0 && mixer->derive)
        mixer->derive(r, &to->weights, x->out->known);
    return code ? code : thr_member_finish(to, err);
}

/* ---- the whole ---------------------------------------------------------------------------- */

static void add_seen(thr_seen *to, const thr_seen *from)
{
    to->examples += from->examples;
    to->mistakes += from->mistakes;
    to->updates += from->updates;
    to->evicted += from->evicted;
    to->shuffles = from->shuffles > to->shuffles ? from->shuffles : to->shuffles;
    to->active += from->active;
    to->max_norm2 = fmax(to->max_norm2, from->max_norm2);
    to->max_value = fmax(to->max_value, from->max_value);
    to->squared += from->squared;
    to->absolute += from->absolute;
    if (from->text && !to->text)
        memcpy(to->unicode, from->unicode, sizeof to->unicode);
    to->text |= from->text;
    if (!to->format[0])
        memcpy(to->format, from->format, sizeof to->format);
}

/* Of all features together the lightest make room, as in training. */
static int keep_below_ceiling(thr_model *m, thr_error *err)
{
    uint64_t dropped = 0;
    thr_prune_options o = {.top = m->max_features};
    if (m->max_features == 0 || m->lexicon.n - 1 <= m->max_features)
        return 0;
    int code = thr_model_prune(m, &o, &dropped, err);
    m->seen.evicted += dropped;
    return code;
}

static void add_classes(thr_classes *to, const part *p)
{
    const thr_classes *from = &p->m->classes;
    for (uint32_t l = 0; l < to->n; l++)
        to->count[l] += p->label[l] < from->n ? from->count[p->label[l]] : 0;
}

/* Marks of examples are made of ids, which only the first model's keep: of the others it is not
 * remembered that they were met. */
static int mix_model(mix *x, thr_error *err)
{
    thr_model *out = x->out;
    int code = thr_repeats_copy(&x->part[0].m->repeats, &out->repeats, err);
    if (code == 0)
        code = thr_model_group(out, err);
    for (size_t i = 0; i < x->n; i++) {
        add_seen(&out->seen, &x->part[i].m->seen);
        add_classes(&out->classes, &x->part[i]);
        x->panel[i] = &x->part[i].m->panel;
    }
    if (code == 0 && out->panel.experts)
        thr_panel_mix(&out->panel, x->panel, x->share, x->n);
    for (uint32_t k = 0; k < out->members && code == 0; k++)
        code = mix_member(x, k, err);
    thr_model_lay_out(out);
    return code ? code : keep_below_ceiling(out, err);
}

thr_model *thr_model_mix(const thr_model *const *models, size_t n, const double *weights,
                         thr_error *err)
{
    mix x = {0};
    thr_error local = {0};
    err = err ? err : &local;
    if (check(models, n, weights, err))
        return NULL;
    if (n == 1)
        return thr_model_clone(models[0], err);
    int code = mix_init(&x, n, err);
    if (code == 0) {
        find_shares(&x, models, weights);
        x.out = thr_model_new(models[0]->settings, err);
        code = x.out ? 0 : err->code;
    }
    if (code == 0)
        code = match_all(&x, models, err);
    if (code == 0)
        code = mix_model(&x, err);
    thr_model *out = code ? NULL : x.out;
    if (out)
        x.out = NULL;
    mix_clear(&x);
    return out;
}
