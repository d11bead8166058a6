/* Eligibility (SNoW): with min-count N a feature takes part from its N-th occurrence on. Until then
 * it is left out of examples, in scoring and in learning (thr_case_filter). Occurrences are counted
 * example by example as they are learned, so it makes no difference where the stream was cut into
 * batches or resumed.
 *
 * Rules that sum over all features must know how many known features do not take part yet
 * (rule.waiting = known - eligible); this file keeps that number up to date.
 *
 * Counts live in a paged array that is shared with snapshots, copy on write. */
#include "model/counts.h"

#include "model/inside.h"

uint32_t thr_model_count(const thr_model *m, uint32_t id)
{
    const uint32_t *count = thr_paged_at(&m->count, id, sizeof *count);
    return id < m->counted && count ? *count : 0;
}

bool thr_counts_reach(thr_model *m, size_t n)
{
    if (!thr_paged_reach(&m->count, n, sizeof(uint32_t)))
        return false;
    m->counted = n > m->counted ? n : m->counted;
    return true;
}

uint32_t *thr_counts_at(thr_model *m, uint32_t id)
{
    if (!thr_paged_own(&m->count, id, sizeof(uint32_t)))
        return NULL;
    return (uint32_t *)(uintptr_t)thr_paged_at(&m->count, id, sizeof(uint32_t));
}

bool thr_counts_enough(const thr_model *m, uint32_t id)
{
    return id == 0 || (id != THR_NONE && thr_model_count(m, id) >= m->min_count);
}

/* The bias is id 0 and is neither known nor eligible here. */
static void tell_rules(thr_model *m)
{
    uint32_t known = m->known > 0 ? m->known - 1 : 0;
    for (uint32_t k = 0; k < m->members; k++)
        m->member[k].rule.waiting =
            m->min_count > 1 && known > m->eligible ? known - m->eligible : 0;
}

void thr_model_count_waiting(thr_model *m)
{
    m->eligible = 0;
    for (uint32_t id = 1; id < m->counted; id++)
        m->eligible += thr_model_count(m, id) >= m->min_count;
    tell_rules(m);
}

/* All pages are made this model's own first, which can fail; counting then cannot, so a failure
 * leaves no example half counted. */
int thr_counts_add(thr_model *m, const thr_example *whole, thr_error *err)
{
    size_t most = m->counted;
    for (size_t i = 0; i < whole->n && m->min_count; i++)
        most = whole->id[i] >= most ? (size_t)whole->id[i] + 1 : most;
    bool ok = thr_counts_reach(m, most);
    for (size_t i = 0; i < whole->n && m->min_count && ok; i++)
        ok = thr_counts_at(m, whole->id[i]);
    if (!ok)
        return thr_fail_memory(err);
    for (size_t i = 0; i < whole->n && m->min_count; i++) {
        uint32_t *count = thr_counts_at(m, whole->id[i]); /* cannot fail: owned above */
        *count += *count < UINT32_MAX;
        m->eligible += whole->id[i] && *count == m->min_count;
    }
    tell_rules(m);
    return 0;
}

void thr_counts_known(thr_model *m)
{
    if (m->min_count > 1)
        tell_rules(m);
}
