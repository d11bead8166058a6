#include "model/model.h"

#include "base/number.h"
#include "multiclass/split.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* ---- life --------------------------------------------------------------------------------- */

int thr_model_assemble(thr_model *m, thr_error *err)
{
    const thr_settings *s = m->settings;
    int code = thr_settings_reader(s, &m->reader, err);
    if (code == 0)
        code = thr_rule_init(&m->rule, thr_settings_get(s, "learner"),
                             thr_settings_get(s, "multiclass"), err);
    if (code)
        return code;
    thr_features *f = &m->reader.features;
    f->bias = m->rule.bias;
    if (f->unit == -1 && !(m->rule.learner->flags & THR_LIKES_UNIT))
        f->unit = 0;
    thr_weights_init(&m->weights, m->rule.slot, m->rule.n_slots);
    return thr_labels_init(&m->labels, thr_settings_get(s, "positive"), err);
}

thr_model *thr_model_new(const thr_settings *s, thr_error *err)
{
    thr_model *m = calloc(1, sizeof *m);
    thr_settings *defaults = s ? NULL : thr_settings_new();
    if (m && (s || defaults))
        m->settings = thr_settings_copy(s ? s : defaults);
    thr_settings_free(defaults);
    int code = m && m->settings ? thr_model_assemble(m, err) : thr_fail_memory(err);
    if (code == 0) {
        unsigned bits = (unsigned)thr_settings_number(m->settings, "hash-bits");
        uint64_t seed = (uint64_t)thr_settings_number(m->settings, "hash-seed");
        code = thr_lexicon_init(&m->lexicon, seed, bits, err);
        m->known = m->lexicon.n;
    }
    if (code == 0)
        return m;
    thr_model_free(m);
    return NULL;
}

void thr_model_free(thr_model *m)
{
    if (!m)
        return;
    thr_weights_clear(&m->weights);
    thr_rule_clear(&m->rule);
    thr_labels_clear(&m->labels);
    thr_lexicon_clear(&m->lexicon);
    thr_settings_free(m->settings);
    free(m->score);
    free(m->guard.state);
    if (m->map)
        munmap(m->map, m->map_size);
    free(m);
}

int thr_model_intact(const thr_model *m, thr_error *err)
{
    if (!__atomic_load_n(&m->guard.failed, __ATOMIC_RELAXED))
        return 0;
    return thr_fail(err, THR_EMODEL,
                    "this model is damaged: a part of it does not match its checksum");
}

int thr_model_touch_all(const thr_model *m, thr_error *err)
{
    thr_guard *g = m->weights.guard;
    if (g)
        thr_guard_touch(g, g->base, g->size);
    return thr_model_intact(m, err);
}

thr_model *thr_model_clone(const thr_model *from, thr_error *err)
{
    if (thr_model_touch_all(from, err))
        return NULL;
    thr_model *m = calloc(1, sizeof *m);
    if (!m) {
        thr_fail_memory(err);
        return NULL;
    }
    m->settings = thr_settings_copy(from->settings);
    m->reader = from->reader;
    m->seen = from->seen;
    m->known = from->known;
    m->anchor = from->anchor;
    m->lean = from->lean;
    int code = m->settings ? 0 : thr_fail_memory(err);
    if (code == 0)
        code = thr_lexicon_copy(&from->lexicon, &m->lexicon, err);
    if (code == 0)
        code = thr_labels_copy(&from->labels, &m->labels, err);
    if (code == 0)
        code = thr_weights_copy(&from->weights, &m->weights, err);
    if (code == 0)
        code = thr_rule_copy(&from->rule, &m->weights, &m->rule, err);
    if (code == 0)
        return m;
    thr_model_free(m);
    return NULL;
}

/* ---- labels and functions ----------------------------------------------------------------- */

bool thr_model_shares(const thr_model *m)
{
    return (m->rule.learner->flags & THR_SHARES) && m->labels.n <= 2;
}

/* The side of the shared function that is positive is known by now; a rule that is not
 * antisymmetric has learned nothing but one label, and begins anew when it was the wrong one. */
static void choose_anchor(thr_model *m)
{
    if (m->rule.learner->flags & THR_ANTISYMMETRIC)
        return;
    if (m->labels.n == 2 && m->anchor != m->labels.positive) {
        thr_weights fresh;
        thr_weights_init(&fresh, m->rule.slot, m->rule.n_slots);
        thr_weights_clear(&m->weights);
        m->weights = fresh;
    }
    m->anchor = m->labels.positive;
}

int thr_model_add_label(thr_model *m, thr_str name, uint32_t *label, thr_error *err)
{
    bool shared = thr_model_shares(m);
    uint32_t before = m->labels.n;
    int code = thr_labels_add(&m->labels, name, label, err);
    if (code || m->labels.n == before)
        return code;
    if (thr_model_shares(m)) {
        choose_anchor(m);
        return 0;
    }
    if (shared)
        return thr_split(&m->rule, &m->weights, m->anchor, err);
    m->weights.functions = m->labels.n;
    return thr_rule_widen(&m->rule, m->labels.n, err);
}

int thr_model_trainable(const thr_model *m, thr_error *err)
{
    if (m->lean)
        return thr_fail(
            err, THR_EUSE,
            "a lean model keeps only what predicting needs and cannot be trained further");
    if (m->read_only)
        return thr_fail(err, THR_EUSE, "this model was opened for predicting only");
    return 0;
}

int thr_model_declare_label(thr_model *m, const char *name, thr_error *err)
{
    uint32_t label;
    int code = thr_model_trainable(m, err);
    if (code == 0)
        code = thr_model_add_label(m, thr_str_of(name), &label, err);
    return code ? code : (int)label;
}

/* ---- scoring ------------------------------------------------------------------------------ */

const thr_format *thr_model_format(const thr_model *m)
{
    const thr_format *named = thr_format_find(thr_settings_get(m->settings, "format"));
    return named ? named : thr_format_find(m->seen.format);
}

const thr_features *thr_model_features_of(const thr_model *m)
{
    return &m->reader.features;
}

thr_example thr_model_example(const thr_model *m, const thr_batch *b, size_t e)
{
    size_t from = b->start[e];
    return (thr_example){
        .id = b->id + from,
        .x = b->has_values ? b->value + from : NULL,
        .n = b->start[e + 1] - from,
        .label = THR_NONE,
        .known = m->known,
        .importance = b->about[e].importance,
    };
}

int thr_model_check(const thr_model *m, const thr_batch *b, size_t e, thr_error *err)
{
    if (!m->rule.nonnegative || !b->has_values)
        return 0;
    for (size_t i = b->start[e]; i < b->start[e + 1]; i++) {
        if (b->value[i] >= 0)
            continue;
        char digits[24];
        thr_str ns, name = thr_batch_name_of(b, i, digits, &ns);
        return thr_fail(err, THR_EDATA,
                        "feature '%.*s' has the value %g, and %s with these options cannot take "
                        "negative values",
                        (int)(name.n < 64 ? name.n : 64), name.p, (double)b->value[i],
                        m->rule.learner->name);
    }
    return 0;
}

/* The label the scores speak for. A shared function speaks for a side, 0 or 1, whose label may
 * not be known yet; at 0 it says "positive". */
static uint32_t decide(const thr_model *m, const double *function, const double *label)
{
    uint32_t n = m->labels.n;
    if (thr_model_shares(m)) {
        double s = function[0];
        bool antisymmetric = m->rule.learner->flags & THR_ANTISYMMETRIC;
        uint32_t tie = antisymmetric ? m->labels.positive : m->anchor;
        return s == 0 ? tie : s > 0 ? m->anchor : 1 - m->anchor;
    }
    if (n == 0)
        return THR_NONE;
    uint32_t best = n > 1 ? m->labels.positive : 0; /* wins ties, as it did with two labels */
    for (uint32_t i = 0; i < n; i++)
        if (label[i] > label[best])
            best = i;
    return best;
}

static void spread(const thr_model *m, const double *function, double *label)
{
    for (uint32_t i = 0; i < m->labels.n; i++)
        label[i] = !thr_model_shares(m) ? function[i] : i == m->anchor ? function[0] : -function[0];
}

bool thr_scratch_ready(thr_scratch *s, const thr_model *m)
{
    size_t need = m->labels.n > m->weights.functions ? m->labels.n : m->weights.functions;
    size_t room = s->room;
    if (!thr_grow(&s->live, &room, need * 3 + 3, sizeof *s->live))
        return false;
    s->room = room;
    s->shown = s->live + need + 1;
    s->label = s->shown + need + 1;
    return true;
}

uint32_t thr_model_score(const thr_model *m, thr_scratch *s, const thr_example *e)
{
    m->rule.learner->score(&m->rule, &m->weights, e, s->live, s->shown);
    spread(m, s->shown, s->label);
    uint32_t best = decide(m, s->shown, s->label);
    if (best < m->labels.n)
        return best;
    return m->labels.n ? 0 : THR_NONE; /* the only label known */
}

/* ---- learning ----------------------------------------------------------------------------- */

static bool score_room(thr_model *m)
{
    size_t most = m->labels.n > m->weights.functions ? m->labels.n : m->weights.functions;
    return thr_grow(&m->score, &m->score_room, 3 * (most + 1), sizeof *m->score);
}

/* What is remembered of every example, whatever the rule made of it. */
static void look(thr_model *m, const thr_batch *b, size_t i, const thr_example *e)
{
    thr_seen *s = &m->seen;
    s->examples++;
    s->active += (double)e->n - (m->rule.bias ? 1 : 0);
    s->max_norm2 = fmax(s->max_norm2, thr_example_norm2(e));
    s->max_value = fmax(s->max_value, thr_example_max(e));
    if (b->about[i].from_text && !s->text) {
        s->text = true;
        snprintf(s->unicode, sizeof s->unicode, "%s", thr_unicode_version());
    }
    if (b->format && !s->format[0])
        snprintf(s->format, sizeof s->format, "%s", b->format);
    for (size_t k = 0; k < e->n; k++)
        if (e->id[k] >= m->known)
            m->known = e->id[k] + 1;
}

/* Was the prediction, made before the label was known, right? Before the first label, side 0 of a
 * shared function is the positive one. */
static bool was_right(const thr_model *m, uint32_t predicted, uint32_t label, uint32_t labels_then)
{
    if (labels_then == 0 && (m->rule.learner->flags & THR_SHARES))
        return (predicted == 0) == (m->labels.positive == 0);
    return predicted == label;
}

static uint32_t predict(const thr_model *m, const thr_example *e)
{
    double *live = m->score, *shown = live + m->score_room / 3, *label = shown + m->score_room / 3;
    m->rule.learner->score(&m->rule, &m->weights, e, live, shown);
    spread(m, shown, label);
    return decide(m, shown, label);
}

int thr_model_learn(thr_model *m, const thr_batch *b, size_t i, uint32_t *predicted, bool *mistake,
                    thr_error *err)
{
    thr_example e = thr_model_example(m, b, i);
    thr_str name = b->about[i].label;
    uint32_t labels_then = m->labels.n;
    int code = thr_weights_ready(&m->weights, &e, err);
    if (code || !score_room(m))
        return code ? code : thr_fail_memory(err);
    *predicted = predict(m, &e);
    e.label = thr_labels_find(&m->labels, name);
    if (e.label == THR_NONE) { /* met for the first time, after the prediction */
        code = thr_model_add_label(m, name, &e.label, err);
        if (code == 0)
            code = thr_weights_ready(&m->weights, &e, err);
        if (code || !score_room(m))
            return code ? code : thr_fail_memory(err);
        predict(m, &e);
    }
    bool shared = thr_model_shares(m);
    uint32_t function = shared ? 0 : e.label;
    if (m->rule.learner->ready && (code = m->rule.learner->ready(&m->rule, &e, function, err)))
        return code;
    int sign = shared && e.label != m->anchor ? -1 : 1;
    m->seen.updates += thr_rule_learn(&m->rule, &m->weights, &e, function, sign, m->score);
    *mistake = !was_right(m, *predicted, e.label, labels_then);
    if (*predicted >= labels_then)
        *predicted = THR_NONE;
    m->seen.mistakes += *mistake;
    look(m, b, i, &e);
    return 0;
}

/* ---- what is in it ------------------------------------------------------------------------ */

double thr_model_weight(const thr_model *m, uint32_t id, uint32_t label)
{
    if (!thr_model_shares(m))
        return m->rule.learner->weight(&m->rule, &m->weights, id, label, m->known);
    double w = m->rule.learner->weight(&m->rule, &m->weights, id, 0, m->known);
    return label == m->anchor ? w : -w;
}

double thr_model_rest(const thr_model *m, const thr_example *e, uint32_t label)
{
    if (!m->rule.learner->rest)
        return 0;
    if (!thr_model_shares(m))
        return m->rule.learner->rest(&m->rule, e, label);
    double rest = m->rule.learner->rest(&m->rule, e, 0);
    return label == m->anchor ? rest : -rest;
}

static void hash_stats(const thr_model *m, thr_stats *out)
{
    const thr_lexicon *x = &m->lexicon;
    if (!x->hash_bits)
        return;
    double slots = ldexp(1, (int)x->hash_bits), used = x->n - 1.0, all = 0, shared = 0;
    out->hash_slots = UINT64_C(1) << x->hash_bits;
    out->hash_used = x->n - 1;
    for (uint32_t id = 1; id < x->n; id++) {
        double mass = 0;
        for (uint32_t l = 0; l < m->labels.n; l++)
            mass += fabs(thr_model_weight(m, id, l));
        all += mass;
        shared += x->shared[id] ? mass : 0;
        out->hash_shared += x->shared[id];
    }
    /* used = slots (1 - (1 - 1/slots)^names), solved for names; full slots say only "more" */
    out->hash_names = used < slots ? log1p(-used / slots) / log1p(-1 / slots) : slots;
    out->hash_shared_mass = all > 0 ? shared / all : 0;
}

void thr_model_stats(const thr_model *m, thr_stats *out)
{
    const thr_seen *s = &m->seen;
    *out = (thr_stats){
        .examples = s->examples,
        .mistakes = s->mistakes,
        .updates = s->updates,
        .shuffles = s->shuffles,
        .features = m->lexicon.n - 1,
        .labels = m->labels.n,
        .mean_active = s->examples ? s->active / (double)s->examples : 0,
        .max_norm2 = sqrt(s->max_norm2),
        .max_norminf = s->max_value,
    };
    hash_stats(m, out);
}

const char *thr_model_setting(const thr_model *m, const char *name)
{
    return thr_settings_get(m->settings, name);
}

size_t thr_model_labels(const thr_model *m)
{
    return m->labels.n;
}

const char *thr_model_label(const thr_model *m, size_t label)
{
    return label < m->labels.n ? m->labels.name[label] : NULL;
}

int thr_model_positive(const thr_model *m)
{
    return m->labels.n == 2 ? (int)m->labels.positive : -1;
}

size_t thr_model_features(const thr_model *m)
{
    return m->lexicon.n;
}

size_t thr_model_feature(const thr_model *m, size_t feature, char *out, size_t room)
{
    char digits[24];
    thr_bytes text = {0};
    if (feature == 0)
        thr_bytes_add(&text, "(bias)", 6);
    else if (feature < m->lexicon.n) {
        thr_str ns, name = thr_lexicon_name(&m->lexicon, (uint32_t)feature, digits, &ns);
        if (ns.n && thr_bytes_add(&text, ns.p, ns.n))
            thr_bytes_add(&text, "|", 1);
        thr_bytes_add(&text, name.p, name.n);
    }
    size_t n = text.n, fits = n < room ? n : room ? room - 1 : 0;
    if (room) {
        if (fits)
            memcpy(out, text.p, fits);
        out[fits] = '\0';
    }
    thr_bytes_clear(&text);
    return n;
}

int thr_model_weights(const thr_model *m, size_t feature, double *weights)
{
    if (feature >= m->lexicon.n)
        return THR_EUSE;
    for (uint32_t l = 0; l < m->labels.n; l++)
        weights[l] = thr_model_weight(m, (uint32_t)feature, l);
    return thr_model_intact(m, NULL);
}
