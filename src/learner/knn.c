/* Nearest neighbours (memory-based learning; Daelemans and van den Bosch 2005, TiMBL's IB1): every
 * example is kept, and those nearest to a new one vote on its label.
 *
 *     distance(x, z) = sum over fields f of w_f d(x_f, z_f)
 *     d = [x_f != z_f] for values that are names, |x_f - z_f| / (max_f - min_f) for numbers
 *
 * Fields and their weights w are those of fields.h. k counts distances, not examples: all examples
 * at the k nearest distances vote, each with its importance. At a tie those at the next distance
 * vote too; if it remains, the label with most examples wins, then the one met first. Numbers far
 * outside max - min are not cut off.
 *
 * Each w d is rounded to a multiple of 2^-40, so that sums of them, and differences, are exact and
 * equal distances are equal. That allows
 *     distance(x, z) = alone(x) + alone(z) - shared(x, z),
 * where alone() is the distance to an example that has nothing and shared() is worked out from the
 * postings of x's features alone. Fields that every example has are left out of alone(z). */
#include "learner/fields.h"

#include "example/batch.h"
#include "weights/postings.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { K, WEIGHTS, VOTE };
enum { EQUAL, LINEAR, INVERSE };

static const thr_option_info options[] = {
    {"k", "1", "examples at the k nearest distances vote", THR_INT, NULL, 1, 1000},
    {"weights", "gain", "of the fields: information gain, gain ratio or all alike", THR_CHOICE,
     "gain|ratio|none", 0, 2},
    {"vote", "equal", "of an example: equal, falling linearly with its distance, or its inverse",
     THR_CHOICE, "equal|linear|inverse", 0, 2},
    {0},
};

/* What differences weigh as things stand. */
typedef struct metric {
    double *feature; /* per feature: weight of its field; 0 for fields that all examples have */
    double *group;   /* per group; 0 for broken ones */
    double *alone;   /* per kept example */
    double complete; /* sum of the weights of fields that all examples have */
    bool plain;      /* there are no others: `feature` and `alone` are all 0, and not filled in */
} metric;

typedef struct knn {
    thr_fields fields;
    thr_postings by_feature, by_group;
    metric metric; /* valid while the rule is finished */
    size_t feature_room, group_room, alone_room;
    uint32_t *id; /* the example at hand, each feature once */
    float *x;
    bool *taken; /* per feature: while it is made */
    size_t id_room, x_room, taken_room, n_taken;
} knn;

static int setup(thr_rule *r, thr_error *err)
{
    (void)r, (void)err;
    return 0;
}

/* ---- the metric --------------------------------------------------------------------------- */

static double rounded(double d)
{
    return rint(d * 0x1p40) * 0x1p-40;
}

/* Distance of two values of a feature that is a field of its own. */
static double differ(const knn *x, const metric *m, uint32_t id, double a, double b)
{
    double range = thr_fields_range(&x->fields, id);
    return range > 0 ? rounded(m->feature[id] * (fabs(a - b) / range)) : 0;
}

static void weigh_groups(const thr_rule *r, const knn *x, metric *m)
{
    const thr_fields *f = &x->fields;
    enum thr_field_weights kind = (enum thr_field_weights)r->option[WEIGHTS];
    m->complete = 0;
    m->plain = !f->loose;
    for (uint32_t g = 0; g < f->groups; g++) {
        bool used = g && !f->group[g].broken && f->group[g].examples;
        m->group[g] = used ? rounded(thr_fields_group_weight(f, g, kind)) : 0;
        if (used && thr_fields_complete(f, g))
            m->complete += m->group[g];
        else if (used)
            m->plain = false;
    }
}

static void weigh_features(const thr_rule *r, const knn *x, metric *m, double *scratch)
{
    const thr_fields *f = &x->fields;
    enum thr_field_weights kind = (enum thr_field_weights)r->option[WEIGHTS];
    for (uint32_t id = 0; id < f->features; id++) {
        uint32_t g = f->feature[id].examples ? thr_fields_group(f, id) : 0;
        if (!f->feature[id].examples || (g && thr_fields_complete(f, g)))
            m->feature[id] = 0;
        else
            m->feature[id] = g ? m->group[g] : rounded(thr_fields_weight(f, id, kind, scratch));
    }
}

static double alone(const knn *x, const metric *m, const thr_example *z)
{
    double sum = 0;
    for (size_t i = 0; i < z->n; i++) {
        uint32_t id = z->id[i];
        sum += x->fields.feature[id].numbers ? differ(x, m, id, thr_example_value(z, i), 0)
                                             : m->feature[id];
    }
    return sum;
}

/* `scratch` has a number for each label; the arrays of m have room. */
static void make_metric(const thr_rule *r, const knn *x, metric *m, double *scratch)
{
    weigh_groups(r, x, m);
    if (m->plain)
        return;
    weigh_features(r, x, m, scratch);
    for (size_t k = 0; k < r->memory->n; k++) {
        thr_example z = thr_memory_example(r->memory, k);
        m->alone[k] = alone(x, m, &z);
    }
}

static int finish(thr_rule *r, thr_error *err)
{
    knn *x = r->extra;
    if (!x)
        return 0;
    metric *m = &x->metric;
    double *scratch = malloc(((size_t)r->labels + 1) * sizeof *scratch);
    bool ok = scratch &&
              thr_grow(&m->feature, &x->feature_room, x->fields.features, sizeof *m->feature) &&
              thr_grow(&m->group, &x->group_room, x->fields.groups, sizeof *m->group) &&
              thr_grow(&m->alone, &x->alone_room, r->memory->n, sizeof *m->alone);
    if (ok)
        make_metric(r, x, m, scratch);
    free(scratch);
    return ok ? 0 : thr_fail_memory(err);
}

/* ---- distances ---------------------------------------------------------------------------- */

/* Where one query is worked out, in e->room. */
typedef struct sheet {
    const thr_rule *r;
    const knn *x;
    metric m;
    double *distance; /* per kept example; less `base` */
    double base;
    double *near;  /* the nearest distances, ascending, each once */
    size_t n_near; /* at most k + 1 */
    double *votes; /* [distance][label] */
    double *total; /* per label */
    double *here;  /* per group: features of the query */
    double *scratch;
} sheet;

static size_t k_of(const thr_rule *r)
{
    return (size_t)r->option[K];
}

static size_t room(const thr_rule *r)
{
    const knn *x = r->extra;
    if (!x)
        return 0;
    return 2 * r->memory->n + (k_of(r) + 1) * ((size_t)r->labels + 1) + 2 * (size_t)r->labels +
           x->fields.features + 2 * x->fields.groups;
}

static sheet sheet_of(const thr_rule *r, const thr_example *e)
{
    const knn *x = r->extra;
    sheet s = {.r = r, .x = x, .distance = e->room};
    s.near = s.distance + r->memory->n;
    s.votes = s.near + k_of(r) + 1;
    s.total = s.votes + (k_of(r) + 1) * r->labels;
    s.scratch = s.total + r->labels;
    s.here = s.scratch + r->labels;
    s.m = x->metric;
    if (!r->finished) {
        s.m = (metric){.group = s.here + x->fields.groups};
        s.m.feature = s.m.group + x->fields.groups;
        s.m.alone = s.m.feature + x->fields.features;
        make_metric(r, x, &s.m, s.scratch);
    }
    return s;
}

static void take_off(const sheet *s, const thr_postings *p, uint32_t list, double by)
{
    const thr_posting_list *l = &p->list[list];
    const thr_posting *at = p->posting + l->at;
    for (uint32_t k = 0; k < l->n; k++)
        s->distance[at[k].serial] -= by;
}

/* A feature that is a field of its own. */
static void compare_feature(sheet *s, uint32_t id, double value)
{
    const knn *x = s->x;
    if (!x->fields.feature[id].numbers && value == 1) {
        s->base += s->m.feature[id];
        take_off(s, &x->by_feature, id, 2 * s->m.feature[id]);
        return;
    }
    const thr_posting_list *l = &x->by_feature.list[id];
    const thr_posting *at = x->by_feature.posting + l->at;
    double own = differ(x, &s->m, id, value, 0);
    s->base += own;
    for (uint32_t k = 0; k < l->n; k++) {
        double other = s->r->memory->kept[at[k].serial].scale * (double)at[k].x;
        s->distance[at[k].serial] -=
            own + differ(x, &s->m, id, other, 0) - differ(x, &s->m, id, value, other);
    }
}

/* A field of names; a query that has two of its values has none that any example has. */
static void compare_group(sheet *s, uint32_t g, uint32_t id)
{
    double w = s->m.group[g];
    if (!thr_fields_complete(&s->x->fields, g) && s->here[g] > 0) {
        s->base += w;
        take_off(s, &s->x->by_group, g, w);
    }
    if (s->here[g] == 1)
        take_off(s, &s->x->by_feature, id, w);
    s->here[g] = -1; /* done */
}

/* Whether a kept example has had feature i; a name that is hashed may come twice. */
static bool is_known(const sheet *s, const thr_example *e, size_t i)
{
    uint32_t id = e->id[i];
    if (id >= e->known || id >= s->x->fields.features || !s->x->fields.feature[id].examples)
        return false;
    for (size_t k = 0; !s->r->group && k < i; k++)
        if (e->id[k] == id)
            return false;
    return true;
}

static void look_at_groups(sheet *s, const thr_example *e)
{
    const thr_fields *f = &s->x->fields;
    for (uint32_t g = 0; g < f->groups; g++)
        s->here[g] = 0;
    for (size_t i = 0; i < e->n; i++)
        if (is_known(s, e, i))
            s->here[thr_fields_group(f, e->id[i])] += thr_example_value(e, i) == 1 ? 1 : 2;
}

static void measure(sheet *s, const thr_example *e)
{
    const thr_fields *f = &s->x->fields;
    size_t n = s->r->memory->n;
    s->base = s->m.complete;
    if (s->m.plain)
        memset(s->distance, 0, n * sizeof *s->distance);
    else
        memcpy(s->distance, s->m.alone, n * sizeof *s->distance);
    if (f->groups)
        look_at_groups(s, e);
    for (size_t i = 0; i < e->n; i++) {
        if (!is_known(s, e, i))
            continue;
        uint32_t g = thr_fields_group(f, e->id[i]);
        if (g)
            compare_group(s, g, e->id[i]);
        else
            compare_feature(s, e->id[i], thr_example_value(e, i));
    }
}

/* ---- neighbours --------------------------------------------------------------------------- */

/* Place of the first of the nearest distances that is not below d. */
static size_t place_of(const sheet *s, double d)
{
    size_t low = 0, high = s->n_near;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (s->near[middle] < d)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void find_nearest(sheet *s)
{
    size_t most = k_of(s->r) + 1;
    s->n_near = 0;
    for (size_t e = 0; e < s->r->memory->n; e++) {
        double d = s->distance[e];
        if (isnan(d) || (s->n_near == most && d >= s->near[most - 1]))
            continue;
        size_t at = place_of(s, d);
        if (at < s->n_near && s->near[at] == d)
            continue;
        s->n_near += s->n_near < most;
        memmove(s->near + at + 1, s->near + at, (s->n_near - at - 1) * sizeof *s->near);
        s->near[at] = d;
    }
}

static void count_votes(sheet *s)
{
    const thr_memory *m = s->r->memory;
    memset(s->votes, 0, s->n_near * s->r->labels * sizeof *s->votes);
    for (size_t e = 0; e < m->n; e++)
        if (s->n_near && s->distance[e] <= s->near[s->n_near - 1])
            s->votes[place_of(s, s->distance[e]) * s->r->labels + m->kept[e].label] +=
                (double)m->kept[e].importance;
}

/* What a vote at the i-th of n distances weighs. */
static double weight_at(const sheet *s, size_t i, size_t n)
{
    double d = fmax(0, s->base + s->near[i]);
    switch ((int)s->r->option[VOTE]) {
    case LINEAR:
        return i == 0 ? 1 : (s->near[n - 1] - s->near[i]) / (s->near[n - 1] - s->near[0]);
    case INVERSE:
        return 1 / (d + DBL_EPSILON);
    default:
        return 1;
    }
}

/* Adds up the votes at the n nearest distances. Returns the label with most of them among the
 * candidates, and whether another has as many. */
static uint32_t winner(sheet *s, const thr_example *e, size_t n, bool *tie)
{
    uint32_t best = THR_NONE, labels = s->r->labels;
    const double *frequency = s->x->fields.label;
    memset(s->total, 0, labels * sizeof *s->total);
    for (size_t i = 0; i < n; i++) {
        double weight = weight_at(s, i, n);
        for (uint32_t l = 0; l < labels; l++)
            s->total[l] += weight * s->votes[i * labels + l];
    }
    *tie = false;
    for (uint32_t l = 0; l < labels && l < s->x->fields.by_label.functions; l++) {
        if (e->candidate && !e->candidate[l])
            continue;
        if (best == THR_NONE || s->total[l] > s->total[best]) {
            best = l;
            *tie = false;
        } else if (s->total[l] == s->total[best]) {
            *tie = true;
            best = frequency[l] > frequency[best] ? l : best;
        }
    }
    return best;
}

/* A tie that remains is won by as little as there is. */
static void decide(sheet *s, const thr_example *e, uint32_t functions, double *shown)
{
    bool tie, still;
    size_t k = k_of(s->r), n = s->n_near < k ? s->n_near : k;
    uint32_t best = winner(s, e, n, &tie);
    if (tie && s->n_near > n) {
        winner(s, e, n + 1, &still);
        if (still)
            best = winner(s, e, n, &tie);
        else
            tie = false;
    }
    double all = 0;
    for (uint32_t l = 0; l < s->r->labels; l++)
        all += s->total[l];
    for (uint32_t l = 0; l < functions; l++)
        shown[l] = l < s->r->labels && all > 0 ? s->total[l] / all : 0;
    if (tie && best < functions)
        shown[best] = nextafter(shown[best], 2);
}

static void score(const thr_rule *r, const thr_weights *w, const thr_example *e, double *live,
                  double *shown)
{
    for (uint32_t f = 0; f < w->functions; f++)
        shown[f] = 0;
    if (r->memory->n) {
        sheet s = sheet_of(r, e);
        measure(&s, e);
        find_nearest(&s);
        count_votes(&s);
        decide(&s, e, w->functions, shown);
    }
    memcpy(live, shown, w->functions * sizeof *live);
}

static int by_distance(const void *a, const void *b)
{
    const thr_ground *x = a, *y = b;
    if (x->distance != y->distance)
        return x->distance < y->distance ? -1 : 1;
    return x->number < y->number ? -1 : x->number > y->number;
}

static size_t grounds(const thr_rule *r, const thr_example *e, thr_ground *out, size_t most)
{
    size_t n = 0;
    if (r->memory->n == 0)
        return 0;
    sheet s = sheet_of(r, e);
    measure(&s, e);
    find_nearest(&s);
    size_t last = s.n_near < k_of(r) ? s.n_near : k_of(r);
    for (size_t i = 0; i < r->memory->n && last; i++) {
        if (!(s.distance[i] <= s.near[last - 1]))
            continue;
        if (n < most)
            out[n] = (thr_ground){.number = (uint32_t)i,
                                  .from = THR_NONE,
                                  .to = r->memory->kept[i].label,
                                  .distance = fmax(0, s.base + s.distance[i])};
        n++;
    }
    if (n && n <= most)
        qsort(out, n, sizeof *out, by_distance);
    return n;
}

/* ---- learning ----------------------------------------------------------------------------- */

static bool counts(const thr_example *e)
{
    return e->importance > 0 && e->label != THR_NONE;
}

static int begin(thr_rule *r, thr_error *err)
{
    if (r->extra)
        return 0;
    knn *x = r->extra = calloc(1, sizeof *x);
    if (!x)
        return thr_fail_memory(err);
    thr_fields_init(&x->fields);
    return 0;
}

static int unique_ready(knn *x, const thr_example *e, thr_error *err)
{
    size_t old = x->n_taken, need = old;
    for (size_t i = 0; i < e->n; i++)
        need = e->id[i] >= need ? (size_t)e->id[i] + 1 : need;
    if (!thr_grow(&x->id, &x->id_room, e->n + 1, sizeof *x->id) ||
        !thr_grow(&x->x, &x->x_room, e->n + 1, sizeof *x->x) ||
        !thr_grow(&x->taken, &x->taken_room, need + 1, sizeof *x->taken))
        return thr_fail_memory(err);
    memset(x->taken + old, 0, (need - old) * sizeof *x->taken);
    x->n_taken = need;
    return 0;
}

/* Names that are hashed may fall together; of those that do, the first counts. */
static thr_example unique(knn *x, const thr_example *e)
{
    thr_example u = *e;
    u.n = 0;
    u.id = x->id;
    u.x = e->x ? x->x : NULL;
    for (size_t i = 0; i < e->n; i++) {
        if (x->taken[e->id[i]])
            continue;
        x->taken[e->id[i]] = true;
        x->id[u.n] = e->id[i];
        x->x[u.n++] = e->x ? e->x[i] : 1;
    }
    for (size_t i = 0; i < u.n; i++)
        x->taken[u.id[i]] = false;
    return u;
}

/* The groups that e's features are values of, as features of an example. */
static thr_example groups_of(knn *x, const thr_example *e)
{
    thr_fields *f = &x->fields;
    f->n_met = 0;
    for (size_t i = 0; i < e->n; i++)
        if (thr_fields_group(f, e->id[i]))
            f->met[f->n_met++] = thr_fields_group(f, e->id[i]);
    return (thr_example){.id = f->met, .n = f->n_met, .scale = 1};
}

/* Room for counting e, each of whose features comes once. */
static int index_ready(thr_rule *r, const thr_example *e, thr_error *err)
{
    knn *x = r->extra;
    int code = thr_fields_ready(&x->fields, e, r->group, r->labels, err);
    if (code)
        return code;
    thr_example groups = groups_of(x, e);
    code = thr_postings_ready(&x->by_feature, e, err);
    return code ? code : thr_postings_ready(&x->by_group, &groups, err);
}

static void index_add(knn *x, const thr_example *e, uint32_t number)
{
    thr_fields_count(&x->fields, e); /* which may break groups */
    thr_example groups = groups_of(x, e);
    thr_postings_add(&x->by_feature, e, number);
    thr_postings_add(&x->by_group, &groups, number);
}

static int ready(thr_rule *r, const thr_example *e, uint32_t f, thr_error *err)
{
    (void)f;
    if (!counts(e))
        return 0;
    int code = begin(r, err);
    if (code == 0)
        code = unique_ready(r->extra, e, err);
    if (code)
        return code;
    thr_example u = unique(r->extra, e);
    code = index_ready(r, &u, err);
    return code ? code : thr_memory_ready(r->memory, &u, 0, err);
}

static bool learn(thr_rule *r, thr_weights *w, const thr_example *e, uint32_t f, const double *live)
{
    (void)w, (void)f, (void)live;
    if (!counts(e))
        return false;
    thr_example u = unique(r->extra, e);
    index_add(r->extra, &u, thr_memory_add(r->memory, &u));
    return true;
}

static void release(thr_rule *r)
{
    knn *x = r->extra;
    if (!x)
        return;
    thr_fields_clear(&x->fields);
    thr_postings_clear(&x->by_feature);
    thr_postings_clear(&x->by_group);
    free(x->metric.feature);
    free(x->metric.group);
    free(x->metric.alone);
    free(x->id);
    free(x->x);
    free(x->taken);
    free(x);
    r->extra = NULL;
}

static bool makes_sense(const thr_rule *r, const thr_example *e)
{
    for (size_t i = 0; i < e->n; i++)
        if (!isfinite(thr_example_value(e, i)))
            return false;
    return counts(e) && e->label < r->labels;
}

/* All examples are counted again in their order, so that every sum has the same bits. */
static int rebuild(thr_rule *r, const thr_weights *w, thr_error *err)
{
    (void)w;
    release(r);
    int code = begin(r, err);
    for (size_t i = 0; i < r->memory->n && code == 0; i++) {
        thr_example e = thr_memory_example(r->memory, i);
        if (!makes_sense(r, &e))
            return thr_fail(err, THR_EMODEL,
                            "this model is damaged: the examples it keeps make no sense");
        code = index_ready(r, &e, err);
        if (code == 0)
            index_add(r->extra, &e, (uint32_t)i);
    }
    return code == 0 && r->finished ? finish(r, err) : code;
}

const thr_learner thr_knn = {
    .name = "knn",
    .help = "keeps all examples, and the nearest ones vote (memory-based learning)",
    .options = options,
    .flags = THR_KEEPS | THR_NOT_LINEAR | THR_GROUPS,
    .policy = "one-vs-all",
    .setup = setup,
    .score = score,
    .learn = learn,
    .ready = ready,
    .rebuild = rebuild,
    .release = release,
    .room = room,
    .finish = finish,
    .grounds = grounds,
};
