/* Ceilings on what learning may make of a model.
 *
 * A row of weights has a number for each label, so an input of half a megabyte with a label for
 * every line would take gigabytes. Memory is computed from the numbers of names, labels and slots,
 * and not asked of the system: the same input meets a ceiling at the same example on every machine.
 *
 * A ceiling stops growth, so it is looked at wherever labels or names are added; a model that is
 * beyond it already, because it was made with a higher one, still learns from examples that bring
 * nothing new. A run of training that meets a ceiling gives up its model. Whoever teaches a model
 * batch by batch and keeps it, as `thresh online` does, must not have half of a refused example in
 * it: for these thr_model_check_batch looks ahead, before anything is added. */
#include "model/inside.h"

#include <stdlib.h>

void thr_model_limit(thr_model *m, thr_limits limits)
{
    m->limits = limits;
}

void thr_model_set_max_labels(thr_model *m, size_t labels)
{
    m->limits.labels = labels < UINT32_MAX ? (uint32_t)labels : UINT32_MAX;
}

void thr_model_set_memory(thr_model *m, uint64_t bytes)
{
    m->limits.memory = bytes;
}

/* ---- the ceilings --------------------------------------------------------------------------- */

/* So many rows of weights, as wide as the labels need. */
static uint64_t rows_bytes(const thr_member *k, const thr_labels *labels, uint64_t rows)
{
    uint64_t functions = thr_member_functions(k, labels);
    return functions > UINT32_MAX ? UINT64_MAX
                                  : thr_weights_bytes(&k->weights, (uint32_t)functions, rows);
}

static int check_labels(const thr_model *m, uint32_t labels, thr_error *err)
{
    if (!m->limits.labels || labels <= m->limits.labels)
        return 0;
    return thr_fail(err, THR_EDATA,
                    "more than %u different labels (see --max-labels); are they numbers to be "
                    "predicted, or is the label in another column?",
                    m->limits.labels);
}

/* Whether so many labels and features, with names that take so many bytes, stay within the memory
 * that is allowed. There is a limit. */
static int check_memory(const thr_model *m, uint32_t labels, uint64_t features, uint64_t names,
                        thr_error *err)
{
    thr_labels all = m->labels;
    uint64_t bytes = names;
    all.n = labels;
    for (uint32_t k = 0; k < m->members; k++)
        if (__builtin_add_overflow(bytes, rows_bytes(&m->member[k], &all, features), &bytes))
            bytes = UINT64_MAX;
    if (bytes <= m->limits.memory)
        return 0;
    return thr_fail(err, THR_EDATA,
                    "%llu features and %u labels would take %.4g MiB, more than the %.4g MiB "
                    "allowed (see --memory)",
                    (unsigned long long)features - 1, labels, (double)bytes / 1048576,
                    (double)m->limits.memory / 1048576);
}

int thr_model_check_limits(const thr_model *m, thr_error *err)
{
    int code = check_labels(m, m->labels.n, err);
    if (code || !m->limits.memory)
        return code;
    return check_memory(m, m->labels.n, m->lexicon.n, thr_lexicon_bytes(&m->lexicon, NULL), err);
}

/* ---- looking ahead -------------------------------------------------------------------------- */

/* Adds a label to `fresh`, unless the model knows it. */
static int note_label(const thr_model *m, thr_labels *fresh, thr_str name, thr_error *err)
{
    uint32_t number;
    bool is_new = name.p && thr_labels_find(&m->labels, name) == THR_NONE;
    return is_new ? thr_labels_add(fresh, name, &number, err) : 0;
}

/* How many labels of the batch the model does not know. */
static int count_labels(const thr_model *m, const thr_batch *b, uint32_t *n, thr_error *err)
{
    thr_labels fresh;
    int code = thr_labels_init(&fresh, NULL, err);
    for (size_t e = 0; e < b->n && code == 0; e++) {
        thr_list more = b->about[e].more;
        code = note_label(m, &fresh, b->about[e].label, err);
        for (size_t k = 0; k < more.n && code == 0; k++)
            code = note_label(m, &fresh, b->listed[more.from + k], err);
    }
    *n = fresh.n;
    thr_labels_clear(&fresh);
    return code;
}

/* Makes `fresh` a lexicon of the names of the batch that the model does not know. It must be
 * cleared unless this fails. */
static int gather_names(const thr_model *m, thr_batch *b, thr_lexicon *fresh, thr_error *err)
{
    int code = thr_lexicon_find(&m->lexicon, b, err);
    if (code == 0)
        code = thr_lexicon_init(fresh, m->lexicon.seed, 0, err);
    if (code)
        return code;
    uint32_t id, *spaces = thr_lexicon_spaces(fresh, b);
    code = spaces ? 0 : thr_fail_memory(err);
    for (size_t f = 0; f < b->n_features && code == 0; f++)
        if (b->id[f] == THR_NONE)
            code = thr_lexicon_add_feature(fresh, b, spaces, f, &id, err);
    free(spaces);
    if (code)
        thr_lexicon_clear(fresh);
    return code;
}

/* In the hashed form there are never more names than slots, and their memory is there already. */
static int check_ahead(const thr_model *m, thr_batch *b, uint32_t labels, thr_error *err)
{
    const thr_lexicon *x = &m->lexicon;
    thr_lexicon fresh;
    int code = gather_names(m, b, &fresh, err);
    if (code)
        return code;
    uint64_t features = (uint64_t)x->n + fresh.n - 1, slots = UINT64_C(1) << x->hash_bits;
    if (x->hash_bits && features > slots + 1)
        features = slots + 1;
    if (fresh.n > 1 || labels > m->labels.n)
        code = check_memory(m, labels, features, thr_lexicon_bytes(x, x->hash_bits ? NULL : &fresh),
                            err);
    thr_lexicon_clear(&fresh);
    return code;
}

int thr_model_check_batch(const thr_model *m, thr_batch *b, const thr_str *label, thr_error *err)
{
    uint32_t more = 0;
    int code = 0;
    if (!m->limits.labels && !m->limits.memory)
        return 0;
    if (label)
        more = thr_labels_find(&m->labels, *label) == THR_NONE;
    else if (!thr_model_numbers(m))
        code = count_labels(m, b, &more, err);
    if (code == 0 && more)
        code = check_labels(m, m->labels.n + more, err);
    return code || !m->limits.memory ? code : check_ahead(m, b, m->labels.n + more, err);
}
