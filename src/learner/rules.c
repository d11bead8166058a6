/* Transformation rules (Brill 1995): every example is kept, and an ordered list of clauses is
 * learned from them (transform.h),
 *     "if the example has FEATURE and its label so far is FROM, make it TO".
 * To predict, an example starts with the most frequent label, and each clause in turn may
 * change it.
 *
 * A list is learned from all examples at once, which would be too slow at every example. So it
 * is learned again when their number has doubled: while example t is predicted, the list is
 * that of the first 2^j examples, with the greatest 2^j < t - 1. When training ends, it is
 * learned from all examples; when training is resumed, it is first set back to that of the last
 * doubling. So the model does not depend on stops in between. */
#include "example/batch.h"
#include "learner/mix.h"
#include "learner/transform.h"

#include <stdlib.h>
#include <string.h>

enum { LEAST_GAIN, MOST_RULES };

static const thr_option_info options[] = {
    {"min-gain", "2", "smallest net gain of a rule: errors it corrects minus errors it introduces",
     THR_REAL, NULL, 1e-3, 1e9},
    {"max-rules", "10000", "largest number of rules in the list", THR_INT, NULL, 0, 1e7},
    {0},
};

/* An index of the clauses by feature, so that predicting looks only at those whose feature the
 * example has: sorted by feature, then by number. It is rule->extra. */
typedef struct place {
    uint32_t feature, clause;
} place;

typedef struct places {
    place *at;
    size_t n, room;
} places;

static int setup(thr_rule *r, thr_error *err)
{
    (void)err;
    r->start = THR_NONE;
    return 0;
}

/* ---- learning the list -------------------------------------------------------------------- */

static int by_feature(const void *a, const void *b)
{
    const place *x = a, *y = b;
    if (x->feature != y->feature)
        return x->feature < y->feature ? -1 : 1;
    return x->clause < y->clause ? -1 : x->clause > y->clause;
}

/* Builds the index. */
static int find_places(thr_rule *r, thr_error *err)
{
    places *p = r->extra;
    if (!p && !(p = r->extra = calloc(1, sizeof *p)))
        return thr_fail_memory(err);
    p->n = 0;
    if (!thr_grow(&p->at, &p->room, r->clauses + 1, sizeof *p->at))
        return thr_fail_memory(err);
    for (; p->n < r->clauses; p->n++)
        p->at[p->n] = (place){r->clause[p->n].feature, (uint32_t)p->n};
    qsort(p->at, p->n, sizeof *p->at, by_feature);
    return 0;
}

static int fit(thr_rule *r, thr_weights *w, size_t first, thr_error *err)
{
    (void)w;
    thr_transform t = {.least = r->option[LEAST_GAIN],
                       .most = (size_t)r->option[MOST_RULES],
                       .first = first,
                       .labels = r->labels};
    int code = thr_transform_fit(r, &t, err);
    return code ? code : find_places(r, err);
}

/* ---- learning ----------------------------------------------------------------------------- */

static int ready(thr_rule *r, const thr_example *e, uint32_t f, thr_error *err)
{
    (void)f;
    return thr_learner_counts(e) ? thr_memory_ready(r->memory, e, 0, err) : 0;
}

static bool learn(thr_rule *r, thr_weights *w, const thr_example *e, uint32_t f, const double *live)
{
    (void)w, (void)f, (void)live;
    if (thr_learner_counts(e))
        thr_memory_add(r->memory, e);
    return thr_learner_counts(e);
}

static int rebuild(thr_rule *r, const thr_weights *w, thr_error *err)
{
    (void)w;
    for (size_t i = 0; i < r->memory->n; i++)
        if (r->memory->kept[i].label >= r->labels)
            return thr_fail(err, THR_EMODEL,
                            "this model is damaged: an example it keeps has no label");
    return find_places(r, err);
}

static int share(const thr_rule *from, thr_rule *to, thr_error *err)
{
    return from->extra ? find_places(to, err) : 0;
}

static void release(thr_rule *r)
{
    places *p = r->extra;
    free(p ? p->at : NULL);
    free(p);
    r->extra = NULL;
}

/* ---- predicting --------------------------------------------------------------------------- */

/* One mark per clause. */
static size_t room(const thr_rule *r)
{
    return r->clauses;
}

/* The first entry of the index for this feature, or for a greater one. */
static size_t first_place(const places *p, uint32_t feature)
{
    size_t low = 0, high = p->n;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (p->at[middle].feature < feature)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Marks the clauses whose feature e has. */
static void mark(const thr_rule *r, const thr_example *e, double *marked)
{
    const places *p = r->extra;
    memset(marked, 0, r->clauses * sizeof *marked);
    for (size_t i = 0; i < e->n && r->clauses; i++)
        if (thr_example_value(e, i) != 0)
            for (size_t k = first_place(p, e->id[i]); k < p->n && p->at[k].feature == e->id[i]; k++)
                marked[p->at[k].clause] = 1;
}

/* The label of e. The clauses that fire are counted in *n; the first `most` of them are written
 * to `out`. */
static uint32_t label_of(const thr_rule *r, const thr_example *e, thr_justification *out,
                         size_t most, size_t *n)
{
    uint32_t now = r->start;
    mark(r, e, e->room);
    for (size_t i = 0; i < r->clauses; i++) {
        const thr_clause *c = &r->clause[i];
        if (e->room[i] == 0 || c->from != now)
            continue;
        now = c->to;
        if (*n < most)
            out[*n] = (thr_justification){.number = (uint32_t)i, .from = c->from, .to = c->to};
        ++*n;
    }
    return now;
}

/* 1 for the label predicted, 0 for the others. */
static void score(const thr_rule *r, const thr_weights *w, const thr_example *e, double *live,
                  double *shown)
{
    size_t fired = 0;
    uint32_t label = label_of(r, e, NULL, 0, &fired);
    for (uint32_t l = 0; l < w->functions; l++)
        live[l] = shown[l] = l == label;
}

static size_t justify(const thr_rule *r, const thr_example *e, thr_justification *out, size_t most)
{
    size_t fired = 0;
    label_of(r, e, out, most, &fired);
    return fired;
}

const thr_learner thr_learner_rules = {
    .name = "rules",
    .help = "ordered list of rules, each correcting errors of the rules before it (Brill)",
    .options = options,
    .flags = THR_KEEPS | THR_NOT_LINEAR | THR_LISTS,
    .policy = "one-vs-all",
    .setup = setup,
    .score = score,
    .learn = learn,
    .ready = ready,
    .rebuild = rebuild,
    .share = share,
    .release = release,
    .room = room,
    .fit = fit,
    .justify = justify,
    .mix = &thr_memory_mixer,
};
