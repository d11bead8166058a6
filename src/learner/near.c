/* Nearest neighbours: the weights of fields at one moment, and distances from postings. */
#include "learner/near.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define OFTEN 256 /* alone() is recomputed when the examples have grown by 1/256 */

void thr_near_init(thr_near *x, enum thr_field_weights kind)
{
    *x = (thr_near){.kind = kind};
    thr_fields_init(&x->fields);
}

void thr_near_clear(thr_near *x)
{
    thr_fields_clear(&x->fields);
    thr_postings_clear(&x->by_feature);
    thr_postings_clear(&x->by_group);
    free(x->then.feature);
    free(x->then.range);
    free(x->then.group);
    free(x->alone);
    free(x->scratch);
    *x = (thr_near){0};
}

int thr_near_share(const thr_near *x, thr_near *out, thr_error *err)
{
    bool ok = true;
    *out = *x;
    out->fields = (thr_fields){0};
    out->then.feature = thr_copy(x->then.feature, x->features, sizeof *x->then.feature, &ok);
    out->then.range = thr_copy(x->then.range, x->features, sizeof *x->then.range, &ok);
    out->then.group = thr_copy(x->then.group, x->group_room, sizeof *x->then.group, &ok);
    out->alone = thr_copy(x->alone, x->alone_room, sizeof *x->alone, &ok);
    out->scratch = thr_copy(x->scratch, x->scratch_room, sizeof *x->scratch, &ok);
    out->feature_room = out->range_room = x->features;
    thr_postings_share(&x->by_feature, &out->by_feature);
    thr_postings_share(&x->by_group, &out->by_group);
    int code = ok ? thr_fields_share(&x->fields, &out->fields, err) : thr_fail_memory(err);
    if (code)
        thr_near_clear(out);
    return code;
}

/* ---- the metric --------------------------------------------------------------------------- */

/* d, rounded to a multiple of 2^-40. */
static double rounded(double d)
{
    return rint(d * 0x1p40) * 0x1p-40;
}

/* The weighted difference of two values of a feature that is a field of its own. */
static double differ(const thr_metric *m, uint32_t id, double a, double b)
{
    double range = m->range[id];
    return range > 0 ? rounded(m->feature[id] * (fabs(a - b) / range)) : 0;
}

/* The weight of the field that a feature is, or is a value of; 0 if that field is complete. */
static double weight_of(const thr_near *x, const thr_metric *m, uint32_t id, double *scratch)
{
    const thr_fields *f = &x->fields;
    if (!f->feature[id].examples)
        return 0;
    uint32_t g = thr_fields_group(f, id);
    if (!g)
        return rounded(thr_fields_weight(f, id, x->kind, scratch));
    return thr_fields_complete(f, g) ? 0 : m->group[g];
}

/* Fills in m. `scratch` has room for one number per label; the arrays of m have room. */
static void weigh(const thr_near *x, thr_metric *m, double *scratch)
{
    const thr_fields *f = &x->fields;
    m->complete = 0;
    m->plain = !f->loose;
    for (uint32_t g = 0; g < f->groups; g++) {
        bool used = g && !f->group[g].broken && f->group[g].examples;
        m->group[g] = used ? rounded(thr_fields_group_weight(f, g, x->kind)) : 0;
        if (used && thr_fields_complete(f, g))
            m->complete += m->group[g];
        else if (used)
            m->plain = false;
    }
    for (uint32_t id = 0; id < f->features && !m->plain; id++) {
        m->feature[id] = weight_of(x, m, id, scratch);
        m->range[id] = thr_fields_range(f, id);
    }
}

/* alone() of a kept example, by the weights of m. */
static double alone(const thr_near *x, const thr_metric *m, const thr_memory *memory,
                    size_t example)
{
    double sum = 0;
    for (uint64_t i = memory->start[example]; i < memory->start[example + 1]; i++) {
        uint32_t id = memory->id[i];
        double stored = memory->has_values ? (double)memory->x[i] : 1;
        if (x->fields.feature[id].numbers)
            sum += differ(m, id, memory->kept[example].scale * stored, 0);
        else
            sum += m->feature[id];
    }
    return sum;
}

/* The most that the weight of any feature has fallen since `then`. Infinite if there are fields
 * of numbers: these change with the range as well, so there is no such bound. */
static double greatest_fall(const thr_near *x, const thr_metric *now)
{
    double most = 0;
    if (x->fields.n_numbers)
        return INFINITY;
    for (size_t id = 0; id < x->fields.features; id++)
        most = fmax(most, x->then.feature[id] - now->feature[id]);
    return most;
}

/* ---- keeping up --------------------------------------------------------------------------- */

/* Extends `then` to all features; new ones have the weight 0. */
static bool grow_then(thr_near *x)
{
    size_t need = x->fields.features;
    if (!thr_grow(&x->then.feature, &x->feature_room, need, sizeof *x->then.feature) ||
        !thr_grow(&x->then.range, &x->range_room, need, sizeof *x->then.range) ||
        !thr_grow(&x->then.group, &x->group_room, x->fields.groups, sizeof *x->then.group))
        return false;
    for (; x->features < need; x->features++) {
        x->then.feature[x->features] = 0;
        x->then.range[x->features] = 1;
    }
    return true;
}

/* The groups of e's features, in the form of an example, for the postings by group. */
static thr_example groups_of(thr_fields *f, const thr_example *e)
{
    f->n_met = 0;
    for (size_t i = 0; i < e->n; i++)
        if (thr_fields_group(f, e->id[i]))
            f->met[f->n_met++] = thr_fields_group(f, e->id[i]);
    return (thr_example){.id = f->met, .n = f->n_met, .scale = 1};
}

int thr_near_ready(thr_near *x, const thr_example *e, const uint32_t *group, uint32_t labels,
                   thr_error *err)
{
    int code = thr_fields_ready(&x->fields, e, group, labels, err);
    if (code)
        return code;
    thr_example groups = groups_of(&x->fields, e);
    code = thr_postings_ready(&x->by_feature, e, err);
    if (code == 0)
        code = thr_postings_ready(&x->by_group, &groups, err);
    if (code)
        return code;
    bool ok = grow_then(x) && thr_grow(&x->scratch, &x->scratch_room, labels, sizeof *x->scratch) &&
              thr_grow(&x->alone, &x->alone_room, x->fields.examples + 1, sizeof *x->alone);
    return ok ? 0 : thr_fail_memory(err);
}

void thr_near_add(thr_near *x, const thr_example *e, uint32_t example)
{
    thr_fields_count(&x->fields, e); /* before groups_of: it may break groups */
    thr_example groups = groups_of(&x->fields, e);
    thr_postings_add(&x->by_feature, e, example);
    thr_postings_add(&x->by_group, &groups, example);
    x->alone[example] = 0;
    for (size_t i = 0; i < e->n; i++)
        x->alone[example] += x->then.feature[e->id[i]];
}

void thr_near_refresh(thr_near *x, const thr_memory *m)
{
    weigh(x, &x->then, x->scratch);
    for (size_t k = 0; k < m->n; k++)
        x->alone[k] = x->then.plain ? 0 : alone(x, &x->then, m, k);
    x->made = m->n;
}

void thr_near_refresh_in_time(thr_near *x, const thr_memory *m)
{
    if (x->fields.n_numbers == 0 && m->n - x->made > x->made / OFTEN)
        thr_near_refresh(x, m);
}

/* ---- searching ---------------------------------------------------------------------------- */

typedef struct query {
    const thr_near *x;
    const thr_memory *m;
    const thr_example *e;
    bool twice;
    thr_metric now; /* the weights in force; `then` itself if it is up to date */
    bool old;       /* x->alone is that of older weights */
    double fall;
    double *here; /* per group: how many features of e; -1: done */
    thr_found found;
} query;

size_t thr_near_room(const thr_near *x, const thr_memory *m, size_t most)
{
    return m->n + most + x->fields.by_label.functions + 2 * x->fields.groups +
           2 * x->fields.features;
}

/* Prepares a search: divides the room, and computes the weights if they have changed. */
static query query_of(const thr_near *x, const thr_memory *m, const thr_example *e, size_t most,
                      double *room)
{
    query q = {.x = x, .m = m, .e = e, .now = x->then};
    q.found = (thr_found){.distance = room, .near = room + m->n};
    q.here = q.found.near + most;
    if (x->made == m->n)
        return q;
    q.now.group = q.here + x->fields.groups;
    q.now.feature = q.now.group + x->fields.groups;
    q.now.range = q.now.feature + x->fields.features;
    weigh(x, &q.now, q.now.range + x->fields.features);
    q.old = !q.now.plain;
    q.fall = q.old ? greatest_fall(x, &q.now) : 0;
    return q;
}

/* Subtracts `by` from the distance of every example in a list. Nothing is ever forgotten here,
 * so serial numbers are those of the memory. */
static void take_off(const query *q, const thr_postings *p, uint32_t list, double by)
{
    const thr_posting_list *l = thr_postings_list(p, list);
    const thr_posting *at = p->posting + l->at;
    for (uint32_t k = 0; k < l->n; k++)
        q->found.distance[at[k].serial] -= by;
}

/* Accounts for a feature that is a field of its own: adds its part of alone(x) to base, and
 * subtracts shared(x, z) from every z that has it. That is 2 w if the feature is present in
 * both; for numbers it is alone of x plus alone of z minus their difference. */
static void compare_feature(query *q, uint32_t id, double value)
{
    if (!q->x->fields.feature[id].numbers && value == 1) {
        q->found.base += q->now.feature[id];
        take_off(q, &q->x->by_feature, id, 2 * q->now.feature[id]);
        return;
    }
    const thr_posting_list *l = thr_postings_list(&q->x->by_feature, id);
    const thr_posting *at = q->x->by_feature.posting + l->at;
    double own = differ(&q->now, id, value, 0);
    q->found.base += own;
    for (uint32_t k = 0; k < l->n; k++) {
        double other = q->m->kept[at[k].serial].scale * (double)at[k].x;
        q->found.distance[at[k].serial] -=
            own + differ(&q->now, id, other, 0) - differ(&q->now, id, value, other);
    }
}

/* Accounts for a group, whose values are names. Examples that have the group differ by w, not
 * by 2 w; examples with the same value differ by nothing. A query with two values of the group,
 * or with a value other than 1 (both count as 2 in `here`), has a value that no example has. */
static void compare_group(query *q, uint32_t g, uint32_t id)
{
    double w = q->now.group[g];
    if (!thr_fields_complete(&q->x->fields, g) && q->here[g] > 0) {
        q->found.base += w;
        take_off(q, &q->x->by_group, g, w);
    }
    if (q->here[g] == 1)
        take_off(q, &q->x->by_feature, id, w);
    q->here[g] = -1; /* done */
}

/* Whether feature i of the query counts: a kept example has it, and it is no repetition. */
static bool is_known(const query *q, size_t i)
{
    uint32_t id = q->e->id[i];
    if (id >= q->e->known || id >= q->x->fields.features || !q->x->fields.feature[id].examples)
        return false;
    for (size_t k = 0; q->twice && k < i; k++)
        if (q->e->id[k] == id)
            return false;
    return true;
}

/* Sets every distance to alone(z) by the weights of `then`, minus shared(x, z) by those of
 * now. */
static void compare_all(query *q)
{
    const thr_fields *f = &q->x->fields;
    q->found.base = q->now.complete;
    memcpy(q->found.distance, q->x->alone, q->m->n * sizeof *q->found.distance);
    for (uint32_t g = 0; g < f->groups; g++)
        q->here[g] = 0;
    for (size_t i = 0; i < q->e->n; i++)
        if (is_known(q, i))
            q->here[thr_fields_group(f, q->e->id[i])] += thr_example_value(q->e, i) == 1 ? 1 : 2;
    for (size_t i = 0; i < q->e->n; i++) {
        if (!is_known(q, i))
            continue;
        uint32_t g = thr_fields_group(f, q->e->id[i]);
        if (g)
            compare_group(q, g, q->e->id[i]);
        else
            compare_feature(q, q->e->id[i], thr_example_value(q->e, i));
    }
}

size_t thr_found_place(const thr_found *f, double d)
{
    size_t low = 0, high = f->n;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (f->near[middle] < d)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Inserts d among the `most` least distances, unless it is there already or too large. */
static void insert_distance(thr_found *f, size_t most, double d)
{
    size_t at = thr_found_place(f, d);
    if (at == most || (at < f->n && f->near[at] == d))
        return;
    f->n += f->n < most;
    memmove(f->near + at + 1, f->near + at, (f->n - at - 1) * sizeof *f->near);
    f->near[at] = d;
}

/* Brings the distance of a kept example up to date, unless it must be above `limit` by the
 * bound of near.h. Returns whether it is at most `limit`. */
static bool settle(query *q, size_t example, double limit)
{
    double *d = &q->found.distance[example];
    if (q->old) {
        double size = (double)(q->m->start[example + 1] - q->m->start[example]);
        if (*d - size * q->fall > limit) {
            *d = INFINITY;
            return false;
        }
        *d += alone(q->x, &q->now, q->m, example) - q->x->alone[example];
    }
    return *d <= limit; /* false for NaN */
}

thr_found thr_near_search(const thr_near *x, const thr_memory *m, const thr_example *e, bool twice,
                          size_t most, double *room)
{
    query q = query_of(x, m, e, most, room);
    q.twice = twice;
    compare_all(&q);
    for (size_t k = 0; k < m->n; k++) {
        double limit = q.found.n == most ? q.found.near[most - 1] : INFINITY;
        if (settle(&q, k, limit))
            insert_distance(&q.found, most, q.found.distance[k]);
    }
    return q.found;
}
