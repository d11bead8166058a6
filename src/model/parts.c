/* Access to those parts of a model that other folders need: how its input is read, its names and
 * labels, and the few facts that decide how a run goes. model.h describes each function. */
#include "model/inside.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool thr_model_tags(const thr_model *m)
{
    return m->reader.features.chain;
}

bool thr_model_chain(const thr_model *m)
{
    return m->reader.features.chain && !m->reader.features.greedy;
}

int thr_model_by_example(const thr_model *m, thr_error *err)
{
    return thr_model_tags(m) ? thr_fail(err, THR_EUSE, "this model tags sentences: use thresh tag")
                              : 0;
}

int thr_model_adopt(thr_model *m, const thr_plan *plan, thr_error *err)
{
    thr_features *f = &m->reader.features;
    thr_reader_settings now;
    char label[32];
    int code = 0;
    if (!plan || (f->scheme && f->template && m->reader.columns.given))
        return 0;
    if (!f->scheme)
        code = thr_settings_set(m->settings, "tags", thr_scheme_name(plan->scheme), err);
    if (code == 0 && !f->template)
        code = thr_settings_set(m->settings, "template", plan->template->text, err);
    snprintf(label, sizeof label, "label=%zu", plan->label + 1);
    if (code == 0 && !m->reader.columns.given)
        code = thr_settings_set(m->settings, "columns", label, err);
    if (code == 0)
        code = thr_settings_reader(m->settings, &now, err);
    if (code)
        return code;
    f->scheme = now.features.scheme;
    f->template = now.features.template;
    m->reader.columns = now.columns;
    return 0;
}

const thr_reader_settings *thr_model_reader(const thr_model *m)
{
    return &m->reader;
}

const thr_lexicon *thr_model_lexicon(const thr_model *m)
{
    return &m->lexicon;
}

thr_lexicon *thr_model_growing_lexicon(thr_model *m)
{
    return &m->lexicon;
}

const thr_labels *thr_model_label_set(const thr_model *m)
{
    return &m->labels;
}

const thr_learner *thr_model_learner(const thr_model *m)
{
    return m->member[0].rule.learner;
}

int thr_model_unit(const thr_model *m)
{
    return m->unit;
}

uint32_t thr_model_ceiling(const thr_model *m)
{
    return m->max_features;
}

const char *thr_model_leaves_out(const thr_model *m)
{
    return m->max_features ? "max-features" : m->min_count > 1 ? "min-count" : NULL;
}

uint64_t thr_model_shuffles(const thr_model *m)
{
    return m->seen.shuffles;
}

void thr_model_count_shuffle(thr_model *m)
{
    m->seen.shuffles++;
}

int thr_model_declare_positive(thr_model *m, const char *name, thr_error *err)
{
    if (m->labels.n || m->labels.declared)
        return 0;
    m->labels.declared = strdup(name);
    return m->labels.declared ? 0 : thr_fail_memory(err);
}

double thr_model_weight(const thr_model *m, const thr_member *k, uint32_t id, uint32_t label)
{
    return thr_member_weight(k, &m->labels, id, label, m->known);
}

void thr_model_race(thr_model *m)
{
    m->race = true;
}

bool thr_model_races(const thr_model *m)
{
    return m->race;
}

uint64_t thr_model_member_updates(const thr_model *m, uint32_t k)
{
    return m->race ? m->member[k].updates : m->seen.updates;
}
