/* Queries: counts, labels, features and weights by name, kept examples, the clauses of a list, and
 * the standing of a panel's experts. Nothing here changes a model. */
#include "model/decision.h"
#include "model/inside.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const thr_member *thr_model_explaining_member(const thr_model *m)
{
    const double *weight = thr_model_mixes(m) ? m->panel.mixture.weight : m->panel.log_weight;
    uint32_t best = 0;
    for (uint32_t k = 1; k < m->members; k++)
        if (weight[k] > weight[best])
            best = k;
    return &m->member[best];
}

/* Whether the model's predictions change only when it updates, which the PAC argument of
 * measure/pac.h needs: a hypothesis must stay the same while it survives examples. Else THR_EUSE
 * with the reason. */
int thr_model_conservative(const thr_model *m, thr_error *err)
{
    char names[256] = ""; /* of the learners whose predictions change only with an update */
    size_t n = 0;
    const thr_rule *r = &m->member[0].rule;
    bool combines = thr_model_combines(m);
    bool flagged = m->members == 1 && !combines && (r->learner->flags & THR_CONSERVATIVE);
    const char *why = flagged && r->learner->drifts ? r->learner->drifts(r) : NULL;
    for (size_t i = 0; thr_learners[i] && n < sizeof names; i++)
        if (thr_learners[i]->flags & THR_CONSERVATIVE)
            n += (size_t)snprintf(names + n, sizeof names - n, "%s%s", n ? ", " : "",
                                  thr_learners[i]->name);
    if (!flagged)
        return thr_fail(err, THR_EUSE,
                        "what %s says may change with every example, not only when it updates, so "
                        "no hypothesis of it survives anything; these keep theirs between updates: "
                        "%s",
                        m->members == 1 && !combines ? r->learner->name : "panel", names);
    if (why)
        return thr_fail(err, THR_EUSE, "%s: %s", r->learner->name, why);
    const char *leaves_out = thr_model_leaves_out(m);
    if (leaves_out)
        return thr_fail(err, THR_EUSE,
                        "with %s what is predicted changes as features come and go, not only when "
                        "the rule updates",
                        leaves_out);
    return 0;
}

const thr_format *thr_model_format(const thr_model *m)
{
    const thr_format *named = thr_format_find(thr_settings_get(m->settings, "format"));
    return named ? named : thr_format_find(m->seen.format);
}

const thr_features *thr_model_features_of(const thr_model *m)
{
    return &m->reader.features;
}

/* The hashed form: how full its slots are and what collisions cost. The number of names is
 * estimated from the number of used slots, as in linear counting (Whang et al. 1990). */
static void hash_stats(const thr_model *m, thr_stats *out)
{
    const thr_lexicon *x = &m->lexicon;
    const thr_member *k = thr_model_explaining_member(m);
    if (!x->hash_bits)
        return;
    double slots = ldexp(1, (int)x->hash_bits), used = x->n - 1.0, all = 0, shared = 0;
    out->hash_slots = UINT64_C(1) << x->hash_bits;
    out->hash_used = x->n - 1;
    for (uint32_t id = 1; id < x->n; id++) {
        double mass = 0;
        for (uint32_t l = 0; l < thr_model_columns(m); l++)
            mass += fabs(thr_member_weight(k, &m->labels, id, l, m->known));
        all += mass;
        shared += thr_lexicon_collided(x, id) ? mass : 0;
        out->hash_shared += thr_lexicon_collided(x, id);
    }
    /* used = slots (1 - (1 - 1/slots)^names), solved for names. If all slots are used there is no
     * solution: there are at least as many names as slots. */
    out->hash_names = used < slots ? log1p(-used / slots) / log1p(-1 / slots) : slots;
    out->hash_shared_mass = all > 0 ? shared / all : 0;
}

/* For two labels the difference of their logits is a s + b, where s is half of the difference of
 * their scores, or all of it if each has a function of its own. */
static void sigmoid_stats(const thr_model *m, thr_stats *out)
{
    const thr_member *k = &m->member[0];
    const thr_calibration *c = thr_model_mixes(m) ? &m->panel.fit : &k->calibration;
    bool shared = !thr_model_mixes(m) && thr_member_shares(k, &m->labels);
    out->slope = (shared ? 2 : 1) * c->slope.value / thr_calibration_size(c);
    out->slope_given = c->fixed;
}

void thr_model_stats(const thr_model *m, thr_stats *out)
{
    const thr_totals *s = &m->seen;
    *out = (thr_stats){
        .examples = s->examples,
        .mistakes = s->mistakes,
        .updates = s->updates,
        .shuffles = s->shuffles,
        .features = m->lexicon.n - 1,
        .waiting = m->min_count > 1 ? m->lexicon.n - 1 - m->eligible : 0,
        .evicted = s->evicted,
        .labels = m->labels.n,
        .mean_active = s->examples ? s->active / (double)s->examples : 0,
        .max_norm2 = sqrt(s->max_norm2),
        .max_norminf = s->max_value,
        .mean_squared = s->examples ? s->squared / (double)s->examples : 0,
        .mean_absolute = s->examples ? s->absolute / (double)s->examples : 0,
    };
    hash_stats(m, out);
    if (m->members && !thr_model_numbers(m))
        sigmoid_stats(m, out);
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

double thr_model_threshold(const thr_model *m, size_t label)
{
    bool has = thr_model_by_probability(m) && label < m->thresholds.n;
    return has ? thr_thresholds_of(&m->thresholds, (uint32_t)label) : NAN;
}

size_t thr_model_features(const thr_model *m)
{
    return m->lexicon.n;
}

int thr_model_find_label(const thr_model *m, const char *name)
{
    uint32_t label = name ? thr_labels_find(&m->labels, thr_str_of(name)) : THR_NONE;
    return label == THR_NONE ? -1 : (int)label;
}

/* The name goes through a batch of one feature, so that it is parsed and looked up exactly as in an
 * example. */
int thr_model_find_feature(const thr_model *m, const char *ns, const char *name, size_t *feature,
                           thr_error *err)
{
    thr_batch b;
    *feature = THR_UNKNOWN_FEATURE;
    if (!name)
        return thr_fail(err, THR_EUSE, "a feature's name is missing");
    thr_batch_init(&b);
    b.tight_names = true; /* bytes behind the caller's string must not be read */
    thr_batch_open(&b, 0);
    thr_batch_named(&b, ns && *ns ? thr_batch_namespace(&b, thr_str_of(ns)) : 0, thr_str_of(name),
                    1);
    thr_batch_close(&b);
    int code = b.failed ? thr_fail_memory(err) : thr_lexicon_find(&m->lexicon, &b, err);
    if (code == 0 && b.id[0] != THR_NONE)
        *feature = b.id[0];
    thr_batch_release(&b);
    return code ? code : thr_model_intact(m, err);
}

/* Writes n bytes at out[at], as far as they fit; returns where they end. */
static size_t put(char *out, size_t room, size_t at, const char *p, size_t n)
{
    size_t left = at < room ? room - at : 0;
    if (n && left)
        memcpy(out + at, p, n < left ? n : left);
    return at + n;
}

/* `namespace|name`; the length is returned even if it does not fit, as by snprintf. */
size_t thr_model_feature(const thr_model *m, size_t feature, char *out, size_t room)
{
    char digits[24];
    thr_str ns = {0}, name = {0};
    if (feature == 0)
        name = thr_str_of("(bias)");
    else if (feature < m->lexicon.n)
        name = thr_lexicon_name(&m->lexicon, (uint32_t)feature, digits, &ns);
    size_t n = 0;
    if (ns.n) {
        n = put(out, room, n, ns.p, ns.n);
        n = put(out, room, n, "|", 1);
    }
    n = put(out, room, n, name.p, name.n);
    if (room)
        out[n < room ? n : room - 1] = '\0';
    return n;
}

/* The number of a feature that a caller names; THR_NONE stands for any that is unknown. */
static int id_of(const thr_model *m, size_t feature, uint32_t *id, thr_error *err)
{
    *id = feature < m->lexicon.n ? (uint32_t)feature : THR_NONE;
    if (feature >= m->lexicon.n && feature != THR_UNKNOWN_FEATURE)
        return thr_fail(err, THR_EUSE, "there is no feature %zu: the model has %u", feature,
                        m->lexicon.n);
    return 0;
}

static int decision_weights(const thr_model *m, size_t feature, double *weights, thr_error *err)
{
    uint32_t id;
    double *work = malloc((m->labels.n + 1) * sizeof *work);
    int code = work ? id_of(m, feature, &id, err) : thr_fail_memory(err);
    if (code == 0)
        thr_decision_weights(m, id, weights, work);
    free(work);
    return code ? code : thr_model_intact(m, err);
}

int thr_model_weights(const thr_model *m, size_t feature, double *weights, thr_error *err)
{
    if (thr_model_is_one(m))
        return decision_weights(m, feature, weights, err);
    return thr_model_member_weights(m, (size_t)(thr_model_explaining_member(m) - m->member),
                                    feature, weights, err);
}

bool thr_model_alone(const thr_model *m)
{
    return m->members + m->panel.n_paused == 1;
}

size_t thr_model_members(const thr_model *m)
{
    return m->members;
}

const char *thr_model_member(const thr_model *m, size_t member)
{
    return member < m->members ? m->member[member].spec : NULL;
}

int thr_model_check_linear(const thr_model *m, size_t member, thr_error *err)
{
    if (member >= m->members)
        return thr_fail(err, THR_EUSE, "there is no member %zu: the model has %u", member,
                        m->members);
    const thr_learner *l = m->member[member].rule.learner;
    if (l->flags & THR_NOT_LINEAR)
        return thr_fail(err, THR_EUSE, "%s has no weights of features", l->name);
    return 0;
}

int thr_model_member_weights(const thr_model *m, size_t member, size_t feature, double *weights,
                             thr_error *err)
{
    int code = thr_model_check_linear(m, member, err);
    if (code)
        return code;
    const thr_member *k = &m->member[member];
    uint32_t id;
    code = id_of(m, feature, &id, err);
    if (code)
        return code;
    for (uint32_t l = 0; l < thr_model_columns(m); l++)
        weights[l] = thr_member_weight(k, &m->labels, id, l, m->known);
    return thr_model_intact(m, err);
}

bool thr_model_linear(const thr_model *m)
{
    return thr_model_is_one(m) ||
           !(thr_model_explaining_member(m)->rule.learner->flags & THR_NOT_LINEAR);
}

bool thr_model_explains(const thr_model *m)
{
    return thr_model_linear(m) || thr_model_explaining_member(m)->rule.learner->justify;
}

uint64_t thr_model_kept(const thr_model *m, int label)
{
    const thr_memory *kept = &thr_model_explaining_member(m)->memory;
    uint64_t n = 0;
    for (size_t i = 0; i < kept->n; i++)
        n += label < 0 || kept->kept[i].label == (uint32_t)label;
    return n;
}

const char *thr_model_list_start(const thr_model *m)
{
    const thr_rule *r = &thr_model_explaining_member(m)->rule;
    bool list = r->learner->flags & THR_LISTS;
    return list && r->start != THR_NONE ? m->labels.name[r->start] : NULL;
}

bool thr_model_list_rule(const thr_model *m, size_t i, thr_list_rule *out)
{
    const thr_rule *r = &thr_model_explaining_member(m)->rule;
    if (i >= r->clauses)
        return false;
    const thr_clause *c = &r->clause[i];
    *out = (thr_list_rule){c->feature, m->labels.name[c->from], m->labels.name[c->to], c->gain};
    return true;
}

/* ---- panels ------------------------------------------------------------------------------- */

/* A lean mixture is one function, whose parts can no longer be told. */
size_t thr_model_experts(const thr_model *m)
{
    bool alone = m->members == 1 && (m->lean || !thr_model_combines(m));
    return alone ? 0 : m->panel.experts;
}

bool thr_model_expert(const thr_model *m, size_t i, thr_expert *out)
{
    const thr_panel *p = &m->panel;
    if (i >= thr_model_experts(m))
        return false;
    *out = (thr_expert){
        .name = i < m->members ? m->member[i].spec : "blend",
        .mistakes = p->mistakes[i],
        .weight = thr_panel_weight(p, (uint32_t)i),
    };
    return true;
}

bool thr_model_paused(const thr_model *m, size_t i, thr_expert *out)
{
    const thr_panel *p = &m->panel;
    if (i >= p->n_paused)
        return false;
    const thr_paused *x = &p->paused[i];
    *out = (thr_expert){.name = x->spec, .mistakes = x->mistakes, .paused = x->examples};
    return true;
}

bool thr_model_panel(const thr_model *m, thr_panel_report *out)
{
    const thr_panel *p = &m->panel;
    if (p->experts == 0)
        return false;
    bool noticed = p->examples < m->seen.examples;
    uint64_t mistaken = thr_repeats_mistaken(&m->repeats, noticed);
    *out = (thr_panel_report){
        .examples = p->examples,
        .mistakes = p->wrong,
        .best = thr_panel_best(p, p->experts),
        .best_member = thr_panel_best(p, p->members),
        .bound = thr_panel_bound(p),
        .expected = p->expected,
        .expected_bound = thr_panel_expected_bound(p),
        .drawn = p->random,
        .mixed = thr_panel_mixes(p),
        .one_function = thr_model_is_one(m),
        .estimated = noticed || mistaken,
        .first = p->examples - (mistaken < p->examples ? mistaken : 0),
        .counted = p->mixture.counted,
        .log_loss = p->mixture.loss,
        .regret = thr_panel_mixes(p) ? thr_mixture_regret(&p->mixture) : 0,
    };
    return true;
}
