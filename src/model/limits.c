/* Ceilings on what learning may make of a model.
 *
 * A row of weights has a number for each label, so an input of half a megabyte with a label for
 * every line would take gigabytes. Memory is computed from the numbers of names, labels and slots,
 * and not asked of the system: the same input meets a ceiling at the same example on every machine.
 */
#include "model/inside.h"

void thr_model_limit(thr_model *m, thr_limits limits)
{
    m->limits = limits;
}

/* Names, and what finds them. */
static uint64_t names_bytes(const thr_lexicon *x)
{
    uint64_t bytes = (x->slots + x->old_slots) * sizeof *x->slot + x->heap.n;
    bytes += (uint64_t)x->n * (sizeof *x->origin + sizeof(uint32_t));
    if (x->integers)
        bytes += x->integers->buckets * THR_INTEGERS * sizeof *x->integers->slot;
    return bytes + (x->bucket ? (uint64_t)sizeof *x->bucket << x->hash_bits : 0);
}

/* As many functions as the labels need, for every name. */
static uint64_t rows_bytes(const thr_model *m, const thr_member *k)
{
    uint64_t functions = thr_member_functions(k, &m->labels), bytes;
    if (functions > UINT32_MAX ||
        __builtin_mul_overflow((uint64_t)thr_weights_size(&k->weights, (uint32_t)functions),
                               m->lexicon.n, &bytes))
        return UINT64_MAX;
    return bytes;
}

int thr_model_check_limits(const thr_model *m, thr_error *err)
{
    if (m->limits.labels && m->labels.n > m->limits.labels)
        return thr_fail(err, THR_EDATA,
                        "more than %u different labels (see --max-labels); are they numbers to be "
                        "predicted, or is the label in another column?",
                        m->limits.labels);
    if (!m->limits.memory)
        return 0;
    uint64_t bytes = names_bytes(&m->lexicon);
    for (uint32_t k = 0; k < m->members; k++)
        if (__builtin_add_overflow(bytes, rows_bytes(m, &m->member[k]), &bytes))
            bytes = UINT64_MAX;
    if (bytes <= m->limits.memory)
        return 0;
    return thr_fail(err, THR_EDATA,
                    "%u features and %u labels would take %.4g MiB, more than the %.4g MiB allowed "
                    "(see --memory)",
                    m->lexicon.n - 1, m->labels.n, (double)bytes / 1048576,
                    (double)m->limits.memory / 1048576);
}
