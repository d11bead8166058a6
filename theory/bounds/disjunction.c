/* The greedy search, with the gain of every feature kept up to date as positives become covered. */
#include "bounds/disjunction.h"

#include "base/mem.h"

#include <stdlib.h>

typedef struct search {
    const thr_points *p;
    int64_t *gain; /* of each feature: positives that it would newly cover minus negatives that have
                      it */
    uint64_t *from; /* of each feature f: its positives are has[from[f]] to has[from[f+1]-1] */
    size_t *has;    /* positive examples, feature after feature */
    bool *covered;  /* of each positive example: one of its features is chosen */
    uint32_t bias;
} search;

static bool is_positive(const thr_points *p, size_t e)
{
    return p->label[e] == p->positive;
}

/* Computes the gains and lists the positives of each feature, by counting sort. Counts go to
 * from[f + 2], so that after the prefix sum from[f + 1] is where the list of f begins. Filling
 * advances it to where the list ends, which is where that of f + 1 begins. */
static bool index_all(search *s)
{
    const thr_points *p = s->p;
    size_t entries = p->examples ? (size_t)p->start[p->examples] : 0;
    s->gain = calloc((size_t)p->features + 1, sizeof *s->gain);
    s->from = calloc((size_t)p->features + 2, sizeof *s->from);
    s->has = malloc((entries + 1) * sizeof *s->has);
    s->covered = calloc(p->examples + 1, sizeof *s->covered);
    if (!s->gain || !s->from || !s->has || !s->covered)
        return false;
    for (size_t e = 0; e < p->examples; e++)
        for (uint64_t i = p->start[e]; i < p->start[e + 1]; i++) {
            s->gain[p->id[i]] += is_positive(p, e) ? 1 : -1;
            s->from[p->id[i] + 2] += is_positive(p, e);
        }
    for (size_t f = 2; f < (size_t)p->features + 2; f++)
        s->from[f] += s->from[f - 1];
    for (size_t e = 0; e < p->examples; e++)
        for (uint64_t i = p->start[e]; i < p->start[e + 1] && is_positive(p, e); i++)
            s->has[s->from[p->id[i] + 1]++] = e;
    return true;
}

static bool best_feature(const search *s, double cost, uint32_t *out)
{
    bool any = false;
    for (uint32_t f = 0; f < s->p->features; f++)
        if (f != s->bias && (double)s->gain[f] > cost && (!any || s->gain[f] > s->gain[*out])) {
            *out = f;
            any = true;
        }
    return any;
}

/* Marks the positives of f as covered; the other features of each no longer gain by it. */
static void cover(search *s, uint32_t f)
{
    const thr_points *p = s->p;
    for (uint64_t k = s->from[f]; k < s->from[f + 1]; k++) {
        size_t e = s->has[k];
        for (uint64_t i = p->start[e]; i < p->start[e + 1] && !s->covered[e]; i++)
            s->gain[p->id[i]]--;
        s->covered[e] = true;
    }
}

static void count_errors(const search *s, const bool *in, thr_disjunction *out)
{
    const thr_points *p = s->p;
    for (size_t e = 0; e < p->examples; e++) {
        uint64_t active = 0;
        for (uint64_t i = p->start[e]; i < p->start[e + 1]; i++)
            active += in[p->id[i]];
        if (is_positive(p, e))
            out->missed += active == 0;
        else
            out->stray += active;
    }
}

int thr_disjunction_find(const thr_points *p, uint32_t bias, double cost, thr_disjunction *out,
                         thr_error *err)
{
    search s = {.p = p, .bias = bias};
    uint32_t f = bias;
    size_t room = 0;
    *out = (thr_disjunction){0};
    bool *in = calloc((size_t)p->features + 1, sizeof *in);
    bool ok = in && index_all(&s);
    while (ok && best_feature(&s, cost, &f)) {
        ok = thr_grow(&out->feature, &room, out->k + 1, sizeof *out->feature);
        if (ok)
            out->feature[out->k++] = f;
        in[f] = true;
        cover(&s, f);
    }
    if (ok)
        count_errors(&s, in, out);
    free(in);
    free(s.gain);
    free(s.from);
    free(s.has);
    free(s.covered);
    if (ok)
        return 0;
    thr_disjunction_clear(out);
    return thr_fail_memory(err);
}

void thr_disjunction_clear(thr_disjunction *d)
{
    free(d->feature);
    *d = (thr_disjunction){0};
}
