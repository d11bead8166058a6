/* Why a token has its tag (explain.h). */
#include "chain/explain.h"

#include "model/inside.h"

#include <math.h>
#include <stdlib.h>

/* Finds the best tags in which token t has another one: they go to c->truth. Returns their sum. */
static double find_other(thr_chain *c, size_t t)
{
    thr_lattice *l = &c->lattice;
    double *node = &l->node[t * l->labels + c->path[t]], kept = *node;
    *node = -INFINITY;
    double sum = thr_lattice_best(l, c->truth);
    *node = kept;
    return sum;
}

static bool add(thr_chain_reasons *out, thr_chain_part part)
{
    if (part.id == THR_NONE || part.lead == 0)
        return true;
    if (!thr_grow(&out->part, &out->room, out->n + 1, sizeof *out->part))
        return false;
    out->part[out->n++] = part;
    return true;
}

/* What n features add: those of tag y weigh for it, those of z against it. */
static bool add_some(const thr_model *m, const uint32_t *id, const float *x, size_t n, uint32_t y,
                     uint32_t z, long at, thr_chain_reasons *out)
{
    bool ok = true;
    for (size_t i = 0; i < n && ok; i++) {
        if (id[i] == THR_NONE)
            continue;
        double lead = y == THR_NONE ? 0 : thr_member_weight(m->member, &m->labels, id[i], y, m->known);
        if (z != THR_NONE)
            lead -= thr_member_weight(m->member, &m->labels, id[i], z, m->known);
        ok = add(out, (thr_chain_part){id[i], at, x ? (double)x[i] * lead : lead});
    }
    return ok;
}

/* The features of token u, and its links: both taggings may come from the same tag before. */
static bool add_token(const thr_model *m, const thr_chain *c, size_t u, long at, thr_chain_reasons *out)
{
    const thr_chain_token *k = &c->token[u];
    uint32_t y = c->path[u], z = c->truth[u];
    const float *values = c->has_values ? c->x + k->first : NULL;
    bool ok = y == z || add_some(m, c->id + k->first, values, k->n, y, z, at, out);
    if (u == 0 || !ok)
        return ok;
    const thr_chain_links *l = &c->links[k->link];
    const uint32_t *id = c->link_id + l->first;
    uint32_t x = c->path[u - 1], w = c->truth[u - 1];
    if (x == w)
        return y == z || add_some(m, id + x * l->n, NULL, l->n, y, z, at, out);
    return add_some(m, id + x * l->n, NULL, l->n, y, THR_NONE, at, out) &&
           add_some(m, id + w * l->n, NULL, l->n, THR_NONE, z, at, out);
}

static int by_lead(const void *a, const void *b)
{
    const thr_chain_part *x = a, *y = b;
    double p = fabs(x->lead), q = fabs(y->lead);
    return p > q ? -1 : p < q ? 1 : x->at != y->at ? (x->at > y->at) - (x->at < y->at)
                                                    : (x->id > y->id) - (x->id < y->id);
}

bool thr_chain_explain(const thr_model *m, thr_chain *c, size_t t, thr_chain_reasons *out)
{
    bool ok = true;
    double other = find_other(c, t);
    out->n = 0;
    out->tag = c->path[t];
    out->against = other > -INFINITY ? c->truth[t] : THR_NONE;
    out->lead = INFINITY;
    if (out->against == THR_NONE)
        return true;
    out->lead = thr_lattice_sum(&c->lattice, c->path) - other;
    for (size_t u = 0; u < c->tokens && ok; u++)
        ok = add_token(m, c, u, (long)u - (long)t, out);
    if (out->n)
        qsort(out->part, out->n, sizeof *out->part, by_lead);
    return ok;
}
