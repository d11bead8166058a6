/* Nearest neighbours (memory-based learning; Daelemans and van den Bosch 2005, TiMBL's IB1):
 * every example is kept, and those nearest to a new one vote on its label,
 *     label = argmax over l of the sum of v(d(x, z)) importance(z)
 *             over the examples z of label l at the k least distances,
 * with v = 1, or falling linearly from 1 to 0, or 1/d (the option `vote`). near.h defines the
 * distance d and finds the nearest examples; fields.h weighs the fields that it compares.
 *
 * k counts distances, not examples: all examples at the k least distances vote. At a tie the
 * examples at the next distance vote too. If the tie remains, the label with the most examples
 * wins among those with the most votes, then the label met first. */
#include "example/batch.h"
#include "learner/mix.h"
#include "learner/near.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { K, WEIGHTS, VOTE };
enum { EQUAL, LINEAR, INVERSE }; /* vote */

static const thr_option_info options[] = {
    {"k", "1", "number of smallest distances whose examples vote", THR_INT, NULL, 1, 1000},
    {"weights", "gain", "field weights: gain (information gain), ratio (gain ratio) or none",
     THR_CHOICE, "gain|ratio|none", 0, 2},
    {"vote", "equal", "vote of an example by distance: equal, linear (falling) or inverse",
     THR_CHOICE, "equal|linear|inverse", 0, 2},
    {0},
};

typedef struct knn {
    thr_near near;
    uint32_t *id; /* scratch of `unique`: the features of an example, each once ... */
    float *x;     /* ... and their values */
    bool *taken;  /* per feature: whether it is in `id`; all false between calls */
    size_t id_room, x_room, taken_room, n_taken;
} knn;

static int setup(thr_rule *r, thr_error *err)
{
    (void)r, (void)err;
    return 0;
}

/* ---- the vote ----------------------------------------------------------------------------- */

static size_t k_of(const thr_rule *r)
{
    return (size_t)r->option[K];
}

/* How many distances are searched for: one more than k, for ties. */
static size_t most_of(const thr_rule *r)
{
    return k_of(r) + 1;
}

/* e->room holds what the search needs, then the votes [distance][label] and their totals. */
static size_t room(const thr_rule *r)
{
    const knn *x = r->extra;
    if (!x)
        return 0;
    return thr_near_room(&x->near, r->memory, most_of(r)) + (most_of(r) + 1) * (size_t)r->labels;
}

/* Without groups names are hashed, and two features of an example may have the same id. */
static thr_found search(const thr_rule *r, const thr_example *e)
{
    const knn *x = r->extra;
    return thr_near_search(&x->near, r->memory, e, !r->group, most_of(r), e->room);
}

typedef struct ballot {
    const thr_rule *r;
    const thr_example *e;
    thr_found found;
    double *votes; /* [distance][label]: importance of the examples there */
    double *total; /* per label: weighted sum over the distances that count */
} ballot;

/* Searches, and counts the votes at each distance. */
static ballot ballot_of(const thr_rule *r, const thr_example *e)
{
    const knn *x = r->extra;
    const thr_memory *m = r->memory;
    ballot b = {.r = r, .e = e, .found = search(r, e)};
    b.votes = e->room + thr_near_room(&x->near, m, most_of(r));
    b.total = b.votes + most_of(r) * r->labels;
    memset(b.votes, 0, b.found.n * r->labels * sizeof *b.votes);
    for (size_t k = 0; k < m->n && b.found.n; k++)
        if (b.found.distance[k] <= b.found.near[b.found.n - 1])
            b.votes[thr_found_place(&b.found, b.found.distance[k]) * r->labels +
                    m->kept[k].label] += (double)m->kept[k].importance;
    return b;
}

/* The weight of a vote at distance i of the n distances that count. */
static double weight_at(const ballot *b, size_t i, size_t n)
{
    const double *near = b->found.near;
    if (b->r->option[VOTE] == LINEAR)
        return i == 0 ? 1 : (near[n - 1] - near[i]) / (near[n - 1] - near[0]);
    if (b->r->option[VOTE] == INVERSE)
        return 1 / (fmax(0, b->found.base + near[i]) + DBL_EPSILON);
    return 1;
}

/* The candidate label with the most votes at the n least distances; of equals the one with the
 * most examples, then the first. Sets b->total of all labels, and *tie if there are equals. */
static uint32_t winner(ballot *b, size_t n, bool *tie)
{
    const thr_fields *f = &((const knn *)b->r->extra)->near.fields;
    uint32_t best = THR_NONE, labels = b->r->labels;
    memset(b->total, 0, labels * sizeof *b->total);
    for (size_t i = 0; i < n; i++) {
        double weight = weight_at(b, i, n);
        for (uint32_t l = 0; l < labels; l++)
            b->total[l] += weight * b->votes[i * labels + l];
    }
    *tie = false;
    for (uint32_t l = 0; l < f->by_label.functions; l++) {
        if (b->e->candidate && !b->e->candidate[l])
            continue;
        if (best == THR_NONE || b->total[l] > b->total[best]) {
            best = l;
            *tie = false;
        } else if (b->total[l] == b->total[best]) {
            *tie = true;
            best = f->label[l] > f->label[best] ? l : best;
        }
    }
    return best;
}

/* The score of a label is its share of the votes. The winner of a tie that remains gets the
 * least possible amount more, so that it wins. */
static void decide(ballot *b, double *shown)
{
    bool tie, still;
    size_t n = b->found.n < k_of(b->r) ? b->found.n : k_of(b->r);
    uint32_t best = winner(b, n, &tie);
    if (tie && b->found.n > n) {
        winner(b, n + 1, &still);
        if (still)
            best = winner(b, n, &tie);
        else
            tie = false;
    }
    double all = 0;
    for (uint32_t l = 0; l < b->r->labels; l++)
        all += b->total[l];
    for (uint32_t l = 0; l < b->r->labels && all > 0; l++)
        shown[l] = b->total[l] / all;
    if (tie)
        shown[best] = nextafter(shown[best], 2);
}

static void score(const thr_rule *r, const thr_weights *w, const thr_example *e, double *live,
                  double *shown)
{
    for (uint32_t f = 0; f < w->functions; f++)
        shown[f] = 0;
    if (r->memory->n) {
        ballot b = ballot_of(r, e);
        decide(&b, shown);
    }
    memcpy(live, shown, w->functions * sizeof *live);
}

/* ---- neighbours --------------------------------------------------------------------------- */

static int by_distance(const void *a, const void *b)
{
    const thr_justification *x = a, *y = b;
    if (x->distance != y->distance)
        return x->distance < y->distance ? -1 : 1;
    return x->number < y->number ? -1 : x->number > y->number;
}

static size_t justify(const thr_rule *r, const thr_example *e, thr_justification *out, size_t most)
{
    size_t n = 0;
    if (r->memory->n == 0)
        return 0;
    thr_found f = search(r, e);
    size_t last = f.n < k_of(r) ? f.n : k_of(r);
    for (size_t i = 0; i < r->memory->n && last; i++) {
        if (!(f.distance[i] <= f.near[last - 1]))
            continue;
        if (n < most)
            out[n] = (thr_justification){.number = (uint32_t)i,
                                         .from = THR_NONE,
                                         .to = r->memory->kept[i].label,
                                         .distance = fmax(0, f.base + f.distance[i])};
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
    thr_near_init(&x->near, (enum thr_field_weights)r->option[WEIGHTS]);
    return 0;
}

/* Makes room for `unique`. */
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

/* e with each feature once: of hashed features with the same id, the first counts. The result
 * points into x and is valid until the next call. */
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
    knn *x = r->extra;
    thr_example u = unique(x, e);
    code = thr_near_ready(&x->near, &u, r->group, r->labels, err);
    return code ? code : thr_memory_ready(r->memory, &u, 0, err);
}

static bool learn(thr_rule *r, thr_weights *w, const thr_example *e, uint32_t f, const double *live)
{
    (void)w, (void)f, (void)live;
    knn *x = r->extra;
    if (!counts(e))
        return false;
    thr_example u = unique(x, e);
    thr_near_add(&x->near, &u, thr_memory_add(r->memory, &u));
    thr_near_refresh_in_time(&x->near, r->memory);
    return true;
}

/* After training no weight changes any more, so one refresh makes every prediction cheap. */
static int finish(thr_rule *r, thr_error *err)
{
    (void)err;
    knn *x = r->extra;
    if (x && r->memory->n)
        thr_near_refresh(&x->near, r->memory);
    return 0;
}

static void release(thr_rule *r)
{
    knn *x = r->extra;
    if (!x)
        return;
    thr_near_clear(&x->near);
    free(x->id);
    free(x->x);
    free(x->taken);
    free(x);
    r->extra = NULL;
}

static int share(const thr_rule *from, thr_rule *to, thr_error *err)
{
    const knn *x = from->extra;
    if (!x)
        return 0;
    knn *copy = calloc(1, sizeof *copy);
    if (!copy)
        return thr_fail_memory(err);
    int code = thr_near_share(&x->near, &copy->near, err);
    if (code)
        free(copy);
    else
        to->extra = copy;
    return code;
}

/* Counts all kept examples again, in their order, so that every sum has the bits it had. */
static int rebuild(thr_rule *r, const thr_weights *w, thr_error *err)
{
    (void)w;
    release(r);
    int code = begin(r, err);
    for (size_t i = 0; i < r->memory->n && code == 0; i++) {
        knn *x = r->extra;
        thr_example e = thr_memory_example(r->memory, i);
        bool valid = counts(&e) && e.label < r->labels;
        for (size_t k = 0; k < e.n; k++)
            valid &= isfinite(thr_example_value(&e, k)) != 0;
        if (!valid)
            return thr_fail(err, THR_EMODEL,
                            "this model is damaged: the examples it keeps make no sense");
        code = thr_near_ready(&x->near, &e, r->group, r->labels, err);
        if (code == 0)
            thr_near_add(&x->near, &e, (uint32_t)i);
    }
    return code ? code : finish(r, err);
}

const thr_learner thr_learner_knn = {
    .name = "knn",
    .help = "k nearest neighbours: keeps all examples, and the nearest ones vote",
    .options = options,
    .flags = THR_KEEPS | THR_NOT_LINEAR | THR_GROUPS,
    .policy = "one-vs-all",
    .textbook = "weights=none,vote=equal",
    .setup = setup,
    .score = score,
    .learn = learn,
    .ready = ready,
    .rebuild = rebuild,
    .share = share,
    .release = release,
    .room = room,
    .finish = finish,
    .justify = justify,
    .mix = &thr_memory_mixer,
};
