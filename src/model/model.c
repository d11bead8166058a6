/* A model put together from its settings, and taken apart again; labels and members that are added.
 *
 * thr_model_new makes an empty model. Reading a file (file/open.c) assembles the same parts from
 * the settings in the file and then fills them. */
#include "base/number.h"
#include "model/inside.h"
#include "model/subset.h"
#include "multiclass/policy.h"
#include "weights/stored.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- life --------------------------------------------------------------------------------- */

/* For the setting textbook: `name:` followed by the options of the rule's plain form and then by
 * the options that were given. Of two values for one option the later holds, so the user's win. The
 * caller frees the result; NULL: out of memory. */
static char *plain_spec(const char *spec, size_t n)
{
    size_t name = strcspn(spec, ":+");
    name = name < n ? name : n;
    const thr_learner *l = thr_learner_find(spec, name);
    bool options = name < n && spec[name] == ':';
    if (!l || !l->textbook)
        return strndup(spec, n);
    char *out = NULL;
    int length = asprintf(&out, "%.*s:%s%s%.*s", (int)name, spec, l->textbook, options ? "," : "",
                          options ? (int)(n - name - 1) : 0, spec + name + options);
    return length < 0 ? NULL : out;
}

/* In the plain form no option is chosen automatically: one that is still "auto" must be given. */
static int nothing_automatic(const thr_rule *r, thr_error *err)
{
    const thr_option_info *o = r->learner->options;
    for (size_t i = 0; o[i].name; i++)
        if (isnan(r->option[i]))
            return thr_fail(err, THR_EUSE,
                            "textbook: %s needs %s=..., which is found automatically "
                            "otherwise",
                            r->learner->name, o[i].name);
    return 0;
}

/* Growing the array may move the members that are there, and rule.memory points into its own. */
static int add_member(thr_model *m, const char *spec, size_t n, bool in_panel, thr_error *err)
{
    thr_member *grown = realloc(m->member, (m->members + 1) * sizeof *grown);
    if (!grown)
        return thr_fail_memory(err);
    m->member = grown;
    for (uint32_t k = 0; k < m->members; k++)
        if (grown[k].rule.memory)
            grown[k].rule.memory = &grown[k].memory;
    const char *policy = thr_settings_get(m->settings, "multiclass");
    bool apart = m->reader.multilabel || thr_model_chain(m);
    int code = thr_member_init(&grown[m->members], spec, n, m->reader.multilabel ? thr_one_vs_all.name : policy,
                               thr_settings_rules(m->settings), in_panel, apart, err);
    if (code)
        thr_member_clear(&grown[m->members]);
    else
        m->members++;
    return code;
}

/* Adds a member as it was asked for or, with the setting textbook, in its plain form. */
static int add_rule(thr_model *m, const char *spec, size_t n, bool in_panel, thr_error *err)
{
    if (thr_settings_number(m->settings, "textbook") == 0)
        return add_member(m, spec, n, in_panel, err);
    char *plain = plain_spec(spec, n);
    int code = plain ? add_member(m, plain, strlen(plain), in_panel, err) : thr_fail_memory(err);
    if (code == 0)
        code = nothing_automatic(&m->member[m->members - 1].rule, err);
    free(plain);
    return code;
}

/* The members are listed like `A+B:k=v+C`. Only a plus sign before a lower-case letter begins the
 * next member, so that a value may be 1e+3. Two members with the same options would vote alike for
 * ever, and reports could not tell them apart. */
static int assemble_panel(thr_model *m, const double *option, thr_error *err)
{
    const char *spec = thr_settings_get(m->settings, "members");
    int code = 0;
    while (*spec && code == 0) {
        size_t n = 0;
        while (spec[n] && !(spec[n] == '+' && spec[n + 1] >= 'a' && spec[n + 1] <= 'z'))
            n++;
        code = m->members < THR_MOST_MEMBERS
                   ? add_rule(m, spec, n, true, err)
                   : thr_fail(err, THR_EUSE, "a panel has at most %u members", THR_MOST_MEMBERS);
        for (uint32_t k = 0; code == 0 && k + 1 < m->members; k++)
            if (strcmp(m->member[k].spec, m->member[m->members - 1].spec) == 0)
                code = thr_fail(err, THR_EUSE,
                                "a panel cannot have %s twice: both would learn the same",
                                m->member[k].spec);
        spec += n + (spec[n] == '+');
    }
    if (code == 0 && m->members == 0)
        code = thr_fail(err, THR_EUSE, "a panel needs members");
    if (code)
        return code;
    unsigned rules = thr_settings_rules(m->settings);
    code = thr_panel_init(&m->panel, m->members, option, rules < THR_RULES_LANES, err);
    if (rules < THR_RULES_FAR)
        m->panel.mixture.most = INFINITY;
    return code;
}

/* Whether a member sees scaled values: as the setting says or, if it is auto, if the rule benefits
 * or the panel mixes. The textbook forms are about values as they are. */
static void scale_member(thr_model *m, thr_member *k)
{
    enum { AUTO, ON };
    double scale = thr_settings_number(m->settings, "scale");
    bool textbook = thr_settings_number(m->settings, "textbook") != 0;
    bool benefits = (k->rule.learner->flags & THR_LIKES_SCALE) || thr_model_mixes(m);
    k->scaled = scale == ON || (scale == AUTO && benefits && !textbook);
    m->units.on |= k->scaled;
}

static int assemble_members(thr_model *m, thr_error *err)
{
    const char *spec = thr_settings_get(m->settings, "learner");
    thr_rule rule;
    int code = thr_rule_init_under(&rule, spec, NULL, thr_settings_rules(m->settings), err);
    if (code)
        return code;
    if (rule.learner->flags & THR_PANEL)
        code = assemble_panel(m, rule.option, err);
    else
        code = add_rule(m, spec, strlen(spec), false, err);
    thr_rule_clear(&rule);
    for (uint32_t k = 0; k < m->members && code == 0; k++)
        scale_member(m, &m->member[k]);
    thr_model_lay_out(m);
    return code;
}

static int cannot_multilabel(const thr_learner *l, thr_error *err)
{
    thr_bytes can = {0};
    for (size_t i = 0; thr_learners[i]; i++)
        if (thr_learner_multilabel(thr_learners[i]))
            thr_bytes_printf(&can, "%s%s", can.n ? ", " : "", thr_learners[i]->name);
    thr_fail(err, THR_EUSE, "%s cannot learn several labels per example; these can: %s", l->name,
             can.p ? can.p : "none");
    thr_bytes_clear(&can);
    return THR_EUSE;
}

static int default_learner(thr_model *m, const char *name, thr_error *err)
{
    bool given = thr_settings_given(m->settings, "learner");
    return given ? 0 : thr_settings_set(m->settings, "learner", name, err);
}

/* The default members for multi-label data: of those of other data, the ones that can learn it. */
#define SETS_MEMBERS "adagrad+arow"

/* For multi-label data: refuses settings that do not go with it, and chooses members that can learn
 * it if none were given. Before the second rules a panel could not, and `adagrad` was the
 * default. */
static int prepare_multilabel(thr_model *m, thr_error *err)
{
    thr_settings *s = m->settings;
    const char *policy = thr_settings_get(s, "multiclass");
    bool first = thr_settings_rules(s) == THR_RULES_FIRST;
    if (!m->reader.multilabel)
        return 0;
    if (strcmp(policy, "auto") != 0 && strcmp(policy, thr_one_vs_all.name) != 0)
        return thr_fail(err, THR_EUSE, "several labels per example are taught %s, not %s",
                        thr_one_vs_all.name, policy);
    if (*thr_settings_get(s, "class-weights"))
        return thr_fail(err, THR_EUSE, "class-weights are for one label per example");
    int code = first ? default_learner(m, thr_learner_adagrad.name, err) : 0;
    const char *spec = thr_settings_get(s, "learner");
    const thr_learner *l = thr_learner_find(spec, strcspn(spec, ":"));
    if (code == 0 && l && !(l->flags & THR_PANEL) && !thr_learner_multilabel(l))
        code = cannot_multilabel(l, err);
    if (code == 0 && l && (l->flags & THR_PANEL) && !thr_settings_given(s, "members"))
        code = thr_settings_set(s, "members", SETS_MEMBERS, err);
    return code;
}

/* Whether every member can learn multi-label data, and a panel decides by a mixture. */
static int check_multilabel(const thr_model *m, thr_error *err)
{
    for (uint32_t k = 0; k < m->members; k++)
        if (!thr_learner_multilabel(m->member[k].rule.learner))
            return cannot_multilabel(m->member[k].rule.learner, err);
    return m->panel.experts == 0 || thr_panel_mixes(&m->panel)
               ? 0
               : thr_fail(err, THR_EUSE,
                          "a panel learns several labels per example with decide=mix, not by vote");
}

/* A tagger has one rule, which moves along differences: by a margin it asks for, or by the log loss. */
static bool can_tag(const thr_learner *l)
{
    return l->asks || l->steps;
}

static int check_tagger(const thr_model *m, thr_error *err)
{
    const thr_learner *l = m->member[0].rule.learner;
    if (thr_model_mixes(m) || m->members > 1 || !can_tag(l)) {
        thr_bytes can = {0};
        for (size_t i = 0; thr_learners[i]; i++)
            if (can_tag(thr_learners[i]))
                thr_bytes_printf(&can, "%s%s", can.n ? ", " : "", thr_learners[i]->name);
        thr_fail(err, THR_EUSE, "%s cannot tag sentences; these can: %s",
                 m->members > 1 ? "a panel" : l->name, can.p ? can.p : "none");
        thr_bytes_clear(&can);
        return THR_EUSE;
    }
    return m->reader.multilabel ? thr_fail(err, THR_EUSE, "a token has one tag: multilabel is for examples")
                                : 0;
}

static int check_ceiling(const thr_model *m, thr_error *err)
{
    if (thr_settings_number(m->settings, "hash-bits") > 0)
        return thr_fail(err, THR_EUSE,
                        "hash-bits already bounds the number of features; max-features cannot be "
                        "had beside it");
    return thr_model_droppable(m, err);
}

/* A panel's probabilities are made of its members' fitted ones. */
static int fix_slope(thr_model *m, thr_error *err)
{
    double slope = thr_settings_number(m->settings, "slope");
    if (isnan(slope))
        return 0;
    if (m->members > 1 || thr_model_regression(m))
        return thr_fail(err, THR_EUSE,
                        "slope is for one rule that predicts labels: choose it with "
                        "the setting learner");
    thr_member_fix_slope(&m->member[0], &m->labels, slope);
    return 0;
}

int thr_model_assemble(thr_model *m, thr_error *err)
{
    const thr_settings *s = m->settings;
    int code = thr_settings_reader(s, &m->reader, err);
    if (code == 0)
        code = prepare_multilabel(m, err);
    if (code == 0 && thr_settings_number(s, "textbook") != 0)
        code = default_learner(m, thr_learner_perceptron.name, err);
    if (code == 0)
        code = assemble_members(m, err);
    if (code == 0 && m->reader.multilabel)
        code = check_multilabel(m, err);
    if (code == 0 && thr_model_chain(m))
        code = check_tagger(m, err);
    if (code)
        return code;
    m->min_count = (uint32_t)thr_settings_number(s, "min-count");
    m->beam = (uint32_t)thr_settings_number(s, "beam");
    m->max_features = (uint32_t)thr_settings_number(s, "max-features");
    code = m->max_features ? check_ceiling(m, err) : 0;
    if (code)
        return code;
    m->unit = m->reader.features.unit;
    if (thr_settings_number(s, "textbook") != 0 && m->unit == -1)
        m->unit = 0;
    m->reader.features.unit = 0; /* examples are read whole: each member's view scales them */
    m->reader.features.bias = true;
    m->reader.numbers = thr_model_regression(m);
    if (thr_model_regression(m) && *thr_settings_get(s, "class-weights"))
        return thr_fail(err, THR_EUSE, "class-weights are for labels, and %s predicts numbers",
                        m->member[0].rule.learner->name);
    code = thr_thresholds_init(&m->thresholds, thr_settings_get(s, "threshold"), err);
    if (code == 0 && !m->reader.multilabel && thr_settings_given(s, "threshold"))
        code = thr_fail(err, THR_EUSE, "threshold is for several labels per example (multilabel)");
    if (code)
        return code;
    code = thr_classes_init(&m->classes, thr_settings_get(s, "class-weights"), err);
    if (code == 0)
        code = thr_labels_init(&m->labels, thr_settings_get(s, "positive"), err);
    return code ? code : fix_slope(m, err);
}

thr_model *thr_model_blank(void)
{
    thr_model *m = calloc(1, sizeof *m);
    if (m)
        m->owners = 1;
    return m;
}

thr_model *thr_model_new(const thr_settings *s, thr_error *err)
{
    thr_model *m = thr_model_blank();
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

/* The parameter is const because owners of a snapshot have only a const pointer. Whoever drops the
 * last reference is alone with the model, so the cast is safe. */
void thr_model_free(const thr_model *model)
{
    thr_model *m = (thr_model *)(uintptr_t)model;
    if (!m || !thr_owners_drop(&m->owners))
        return;
    for (uint32_t k = 0; k < m->members; k++)
        thr_member_clear(&m->member[k]);
    free(m->member);
    thr_panel_clear(&m->panel);
    thr_units_clear(&m->units);
    thr_repeats_clear(&m->repeats);
    thr_groups_clear(&m->groups);
    thr_paged_clear(&m->count);
    thr_labels_clear(&m->labels);
    thr_classes_clear(&m->classes);
    thr_thresholds_clear(&m->thresholds);
    thr_lexicon_clear(&m->lexicon);
    thr_settings_free(m->settings);
    thr_map_free(m->map);
    free(m);
}

void thr_map_free(thr_map *map)
{
    if (!map || !thr_owners_drop(&map->owners))
        return;
    free(map->guard.good);
    munmap(map->p, map->size);
    if (map->fd >= 0)
        close(map->fd);
    free(map);
}

/* Whether a mapped file has been written to since it was opened. */
static bool is_changed(const thr_map *map)
{
    struct stat now;
    return map->fd >= 0 && (fstat(map->fd, &now) || (size_t)now.st_size != map->size ||
                            now.st_mtim.tv_sec != map->written.tv_sec ||
                            now.st_mtim.tv_nsec != map->written.tv_nsec);
}

/* Another thread that predicts with the same model may set the flag at any moment. */
int thr_model_intact(const thr_model *m, thr_error *err)
{
    if (!m->map)
        return 0;
    if (is_changed(m->map))
        return thr_fail(err, THR_EMODEL, "the file of this model was changed while it was in use");
    if (__atomic_load_n(&m->map->guard.failed, __ATOMIC_RELAXED))
        return thr_fail(err, THR_EMODEL,
                        "this model is damaged: a part of it does not match its checksum");
    return 0;
}

int thr_model_touch_all(const thr_model *m, thr_error *err)
{
    thr_guard *g = m->lexicon.guard;
    if (!g || __atomic_load_n(&m->map->checked, __ATOMIC_RELAXED))
        return thr_model_intact(m, err);
    thr_guard_touch(g, g->base, g->size);
    int code = thr_model_intact(m, err);
    if (code == 0)
        code = thr_lexicon_check(&m->lexicon, err);
    for (uint32_t k = 0; k < m->members && code == 0; k++)
        if (!thr_weights_stored_sound(&m->member[k].weights))
            code = thr_fail(err, THR_EMODEL,
                            "this model is damaged: its lists of weights make no sense");
    if (code == 0)
        __atomic_store_n(&m->map->checked, true, __ATOMIC_RELAXED);
    return code;
}

/* A hashed model has no names, so it has no fields either. */
int thr_model_group(thr_model *m, thr_error *err)
{
    if (!m->layout.groups || m->lexicon.hash_bits)
        return 0;
    int code = m->groups.n < m->lexicon.n ? thr_groups_extend(&m->groups, &m->lexicon, err) : 0;
    for (uint32_t k = 0; k < m->members; k++)
        m->member[k].rule.group = m->groups.of;
    return code;
}

/* ---- finishing ---------------------------------------------------------------------------- */

/* Called when training ends; thr_model_learn resumes the rules if more is learned afterwards. */
int thr_model_finish(thr_model *m, thr_error *err)
{
    int code = 0;
    for (uint32_t k = 0; k < m->members && code == 0; k++)
        code = thr_member_finish(&m->member[k], err);
    return code;
}

/* ---- labels and functions ----------------------------------------------------------------- */

void thr_model_lay_out(thr_model *m)
{
    thr_layout l = {.member = m->member, .labels = (size_t)m->labels.n + 2, .members = m->members};
    for (uint32_t k = 0; k < m->members; k++) {
        m->member[k].at = l.functions;
        l.functions += m->member[k].weights.functions;
        l.room |= m->member[k].rule.learner->room != NULL;
        l.groups |= m->member[k].rule.learner->flags & THR_GROUPS;
    }
    m->layout = l;
}

/* Room is made in all parts first. Only when nothing can fail any more are they changed, so they
 * always agree on the number of labels. */
int thr_model_widen(thr_model *m, uint32_t before, thr_error *err)
{
    int code = thr_classes_reserve(&m->classes, m->labels.n, err);
    if (code == 0 && m->reader.multilabel)
        code = thr_thresholds_reserve(&m->thresholds, m->labels.n, err);
    if (code == 0 && thr_model_mixes(m))
        code = thr_calibration_reserve(&m->panel.fit, m->labels.n, err);
    for (uint32_t k = 0; k < m->members && code == 0; k++)
        code = thr_member_widen_ready(&m->member[k], &m->labels, before, m->known, err);
    if (code) {
        thr_labels_drop(&m->labels, before);
        return code;
    }
    for (uint32_t k = 0; k < m->members; k++)
        thr_member_widen(&m->member[k], &m->labels, before, m->known);
    thr_classes_widen(&m->classes, &m->labels, NULL);
    if (m->reader.multilabel)
        thr_thresholds_widen(&m->thresholds, &m->labels, NULL);
    if (thr_model_mixes(m))
        thr_calibration_widen(&m->panel.fit, m->labels.n, NULL);
    thr_model_lay_out(m);
    return 0;
}

int thr_model_add_label(thr_model *m, thr_str name, uint32_t *label, thr_error *err)
{
    uint32_t before = m->labels.n;
    int code = thr_labels_add(&m->labels, name, label, err);
    if (code || m->labels.n == before)
        return code;
    code = thr_model_check_limits(m, err);
    if (code)
        thr_labels_drop(&m->labels, before);
    return code ? code : thr_model_widen(m, before, err);
}

int thr_model_trainable(const thr_model *m, thr_error *err)
{
    if (m->lean)
        return thr_fail(
            err, THR_EUSE,
            "a lean model keeps only what predicting needs and cannot be trained further");
    if (m->snapshot)
        return thr_fail(err, THR_EUSE, "a snapshot does not learn: clone it, and teach the clone");
    if (m->read_only)
        return thr_fail(err, THR_EUSE, "this model was opened for predicting only");
    return 0;
}

int thr_model_declare_label(thr_model *m, const char *name, thr_error *err)
{
    uint32_t label;
    int code = thr_model_trainable(m, err);
    if (code == 0 && thr_model_regression(m))
        code = thr_fail(err, THR_EUSE, "%s predicts numbers and has no labels",
                        m->member[0].rule.learner->name);
    if (code == 0)
        code = thr_model_add_label(m, thr_str_of(name), &label, err);
    return code ? code : (int)label;
}

bool thr_model_regression(const thr_model *m)
{
    return thr_model_numbers(m);
}

uint32_t thr_model_columns(const thr_model *m)
{
    return thr_model_regression(m) ? 1 : m->labels.n;
}

/* ---- members added and removed ------------------------------------------------------------ */

/* Even a first member makes it a race; the layout is renewed also after a failure, since the member
 * array may have moved. */
int thr_model_enter(thr_model *m, const char *spec, bool lenient, thr_error *err)
{
    const thr_learner *l = thr_learner_find(spec, strcspn(spec, ":"));
    if (m->reader.multilabel && l && !thr_learner_multilabel(l))
        return cannot_multilabel(l, err);
    int code = add_rule(m, spec, strlen(spec), lenient, err);
    m->race = true;
    if (code == 0)
        scale_member(m, &m->member[m->members - 1]);
    thr_model_lay_out(m);
    return code;
}

/* A member of a mixture has learned from scaled values, and its probabilities from scores divided
 * by the length of examples. By itself it must be told to go on like that. */
static int leave_mixture(thr_model *m, thr_member *k, thr_error *err)
{
    const thr_learner *l = k->rule.learner;
    bool scaled = thr_settings_number(m->settings, "scale") == 0 && !(l->flags & THR_LIKES_SCALE);
    char *spec = NULL;
    if (l->extent &&
        asprintf(&spec, "%s%cextent=length", k->spec, strchr(k->spec, ':') ? ',' : ':') < 0)
        return thr_fail_memory(err);
    thr_rule rule = {0};
    int code = scaled ? thr_settings_set(m->settings, "scale", "on", err) : 0;
    if (code == 0 && spec)
        code = thr_rule_init_under(&rule, spec, NULL, k->rule.rules, err);
    if (code == 0 && spec) {
        memcpy(k->rule.option, rule.option, sizeof rule.option);
        free(k->spec);
        k->spec = spec;
        spec = NULL;
    }
    thr_rule_clear(&rule);
    free(spec);
    return code;
}

/* The model becomes that of its best member, as if this had been trained alone: settings, counts of
 * mistakes and updates are that member's. */
int thr_model_keep_best(thr_model *m, thr_error *err)
{
    if (m->panel.experts == 0)
        return thr_fail(err, THR_EUSE, "only a panel has a best member");
    uint32_t best = thr_panel_best(&m->panel, m->members);
    int code = thr_model_mixes(m) ? leave_mixture(m, &m->member[best], err) : 0;
    if (code == 0)
        code = thr_settings_set(m->settings, "learner", m->member[best].spec, err);
    if (code)
        return code;
    thr_settings_unset(m->settings, "members");
    for (uint32_t k = 0; k < m->members; k++)
        if (k != best)
            thr_member_clear(&m->member[k]);
    if (best)
        thr_member_move(&m->member[best], &m->member[0]);
    m->members = 1;
    thr_panel_clear(&m->panel);
    thr_model_lay_out(m);
    m->seen.mistakes = m->member[0].mistakes;
    m->seen.updates = m->member[0].updates;
    return 0;
}
