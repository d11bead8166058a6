/* How the list is learned. Trying all clauses again after each one would be too slow; this is
 * the incremental scheme of fnTBL (Ngai and Florian 2001):
 *
 *   - For every feature, the importance of its examples is kept by pair (label so far, truth).
 *     From these cells the feature's best clause follows.
 *   - A tournament tree over the features has the best clause of all at its root.
 *   - Applying a clause relabels some examples. Only the cells of their features change, and
 *     only those features play their matches in the tree again. */
#include "learner/transform.h"

#include "example/batch.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Importance is counted in units of 2^-16 and at most 2^14: 2^30 units. There are fewer than
 * 2^32 examples, so no sum overflows an int64_t. */
#define UNIT            0x1p-16
#define MOST_IMPORTANCE 0x1p14

typedef struct cell {
    uint32_t now, truth;
    int64_t weight;
} cell;

/* The cells of a feature that are not 0. There are never more than it has examples, nor more
 * than there are pairs of labels, so their room is allocated once. */
typedef struct cells {
    size_t at;
    uint32_t n;
} cells;

/* A feature's best clause. */
typedef struct offer {
    int64_t gain;
    uint32_t from, to;
} offer;

typedef struct fit {
    const thr_memory *m;
    const thr_transform *t;
    size_t features;
    size_t *start;     /* feature k has example[start[k]] .. example[start[k + 1] - 1] */
    uint32_t *example; /* the examples of feature 0, then of feature 1, ... */
    cells *counts;     /* per feature */
    cell *cell;        /* the cells of all features */
    offer *best;       /* per feature */
    uint32_t *winner;  /* the tree: node i has the better feature of nodes 2i and 2i + 1 */
    size_t leaves;     /* a power of two; feature k is node leaves + k, the root is node 1 */
    uint32_t *now;     /* per example: its label so far */
    int64_t *right;    /* per label: scratch of best_of, all 0 between calls */
    uint32_t *touched; /* features whose cells the present clause has changed ... */
    bool *is_touched;  /* ... and whether a feature is among them */
    size_t n_touched;
} fit;

static void fit_clear(fit *f)
{
    free(f->start);
    free(f->example);
    free(f->counts);
    free(f->cell);
    free(f->best);
    free(f->winner);
    free(f->now);
    free(f->right);
    free(f->touched);
    free(f->is_touched);
}

static int64_t weight_of(const fit *f, size_t e)
{
    return (int64_t)rint(fmin((double)f->m->kept[e].importance, MOST_IMPORTANCE) / UNIT);
}

/* ---- which examples have a feature -------------------------------------------------------- */

/* Whether the feature at place i of the memory is present: its value is not 0. */
static bool has(const thr_memory *m, uint64_t i)
{
    return !m->has_values || m->x[i] != 0;
}

/* Lists the examples of every feature by a counting sort. start[k + 2] first counts feature k,
 * then start[k + 1] is where its next example goes, and in the end start[k] is where it
 * begins. */
static bool list_examples(fit *f)
{
    const thr_memory *m = f->m;
    uint64_t all = m->start[f->t->first];
    f->start = calloc(f->features + 2, sizeof *f->start);
    f->example = malloc(((size_t)all + 1) * sizeof *f->example);
    if (!f->start || !f->example)
        return false;
    for (uint64_t i = 0; i < all; i++)
        f->start[m->id[i] + 2] += has(m, i);
    for (size_t k = 2; k <= f->features + 1; k++)
        f->start[k] += f->start[k - 1];
    for (size_t e = 0; e < f->t->first; e++)
        for (uint64_t i = m->start[e]; i < m->start[e + 1]; i++)
            if (has(m, i))
                f->example[f->start[m->id[i] + 1]++] = (uint32_t)e;
    return true;
}

/* ---- counts ------------------------------------------------------------------------------- */

/* Adds to a cell of a feature. A cell that becomes 0 is removed. */
static void add(fit *f, uint32_t feature, uint32_t now, uint32_t truth, int64_t weight)
{
    cells *c = &f->counts[feature];
    cell *at = f->cell + c->at;
    for (uint32_t i = 0; i < c->n; i++)
        if (at[i].now == now && at[i].truth == truth) {
            at[i].weight += weight;
            if (at[i].weight == 0)
                at[i] = at[--c->n];
            return;
        }
    if (weight != 0)
        at[c->n++] = (cell){now, truth, weight};
}

/* Allocates the cells of all features and fills them. */
static bool make_cells(fit *f)
{
    size_t room = 0, pairs = (size_t)f->t->labels * f->t->labels;
    f->counts = calloc(f->features, sizeof *f->counts);
    for (size_t k = 0; f->counts && k < f->features; k++) {
        size_t examples = f->start[k + 1] - f->start[k];
        f->counts[k].at = room;
        room += examples < pairs ? examples : pairs;
    }
    f->cell = malloc((room + 1) * sizeof *f->cell);
    if (!f->counts || !f->cell)
        return false;
    for (uint32_t k = 0; k < f->features; k++)
        for (size_t i = f->start[k]; i < f->start[k + 1]; i++) {
            uint32_t e = f->example[i];
            add(f, k, f->now[e], f->m->kept[e].label, weight_of(f, e));
        }
    return true;
}

static bool comes_first(const offer *a, const offer *b)
{
    if (a->gain != b->gain)
        return a->gain > b->gain;
    return a->from != b->from ? a->from < b->from : a->to < b->to;
}

/* The best clause of a feature. If all its clauses lose, `from` is THR_NONE and the gain 0. */
static offer best_of(fit *f, uint32_t feature)
{
    const cells *c = &f->counts[feature];
    const cell *at = f->cell + c->at;
    offer best = {.from = THR_NONE};
    for (uint32_t i = 0; i < c->n; i++)
        if (at[i].now == at[i].truth)
            f->right[at[i].now] = at[i].weight;
    for (uint32_t i = 0; i < c->n; i++) {
        offer this = {at[i].weight - f->right[at[i].now], at[i].now, at[i].truth};
        if (this.from != this.to && comes_first(&this, &best))
            best = this;
    }
    for (uint32_t i = 0; i < c->n; i++)
        f->right[at[i].now] = 0;
    return best;
}

/* ---- the tournament ----------------------------------------------------------------------- */

/* The feature with the greater gain wins; of equals the left one, which has the lower number. */
static void play(fit *f, size_t place)
{
    uint32_t left = f->winner[2 * place], right = f->winner[2 * place + 1];
    if (left == THR_NONE || right == THR_NONE)
        f->winner[place] = left == THR_NONE ? right : left;
    else
        f->winner[place] = f->best[right].gain > f->best[left].gain ? right : left;
}

static bool begin_tournament(fit *f)
{
    for (f->leaves = 1; f->leaves < f->features;)
        f->leaves *= 2;
    f->best = malloc(f->features * sizeof *f->best);
    f->winner = malloc(2 * f->leaves * sizeof *f->winner);
    if (!f->best || !f->winner)
        return false;
    for (uint32_t k = 0; k < f->features; k++)
        f->best[k] = best_of(f, k);
    for (size_t k = 0; k < f->leaves; k++)
        f->winner[f->leaves + k] = k < f->features ? (uint32_t)k : THR_NONE;
    for (size_t place = f->leaves; place-- > 1;)
        play(f, place);
    return true;
}

/* ---- applying a clause -------------------------------------------------------------------- */

/* Moves an example from one label to another, in the cells of all its features. It is
 * subtracted first and added second, so that the cells never need more room. */
static void relabel(fit *f, uint32_t e, uint32_t to)
{
    const thr_memory *m = f->m;
    uint32_t truth = m->kept[e].label, from = f->now[e];
    int64_t weight = weight_of(f, e);
    f->now[e] = to;
    for (uint64_t i = m->start[e]; i < m->start[e + 1]; i++) {
        uint32_t feature = m->id[i];
        if (!has(m, i))
            continue;
        add(f, feature, from, truth, -weight);
        add(f, feature, to, truth, weight);
        if (!f->is_touched[feature])
            f->touched[f->n_touched++] = feature;
        f->is_touched[feature] = true;
    }
}

/* Relabels the examples that the clause applies to. The features of these get a new best clause,
 * and their matches are replayed up to the root. */
static void apply(fit *f, const thr_clause *c)
{
    for (size_t i = f->start[c->feature]; i < f->start[c->feature + 1]; i++)
        if (f->now[f->example[i]] == c->from)
            relabel(f, f->example[i], c->to);
    while (f->n_touched) {
        uint32_t feature = f->touched[--f->n_touched];
        f->is_touched[feature] = false;
        f->best[feature] = best_of(f, feature);
        for (size_t place = (f->leaves + feature) / 2; place > 0; place /= 2)
            play(f, place);
    }
}

/* ---- the whole list ----------------------------------------------------------------------- */

/* Labels all examples with the label of the greatest importance, the lowest of equals. */
static bool begin_labels(fit *f, uint32_t *start)
{
    f->now = malloc((f->t->first + 1) * sizeof *f->now);
    f->right = calloc((size_t)f->t->labels + 1, sizeof *f->right);
    f->touched = malloc(f->features * sizeof *f->touched);
    f->is_touched = calloc(f->features, sizeof *f->is_touched);
    if (!f->now || !f->right || !f->touched || !f->is_touched)
        return false;
    for (size_t e = 0; e < f->t->first; e++)
        f->right[f->m->kept[e].label] += weight_of(f, e);
    *start = 0;
    for (uint32_t l = 1; l < f->t->labels; l++)
        if (f->right[l] > f->right[*start])
            *start = l;
    for (size_t e = 0; e < f->t->first; e++)
        f->now[e] = *start;
    memset(f->right, 0, f->t->labels * sizeof *f->right);
    return true;
}

/* Takes the best clause and applies it, until no clause gains enough. */
static int make_list(fit *f, thr_rule *r, thr_error *err)
{
    while (r->clauses < f->t->most) {
        uint32_t feature = f->winner[1];
        const offer *best = &f->best[feature];
        thr_clause next = {feature, best->from, best->to, (double)best->gain * UNIT};
        if (!(next.gain >= f->t->least))
            break;
        if (!thr_grow(&r->clause, &r->clause_room, r->clauses + 1, sizeof *r->clause))
            return thr_fail_memory(err);
        r->clause[r->clauses++] = next;
        apply(f, &next);
    }
    return 0;
}

int thr_transform_fit(thr_rule *r, const thr_transform *t, thr_error *err)
{
    r->start = THR_NONE;
    r->clauses = 0;
    if (t->first == 0)
        return 0;
    fit f = {.m = r->memory, .t = t, .features = 1};
    for (uint64_t i = 0; i < f.m->start[t->first]; i++)
        f.features = f.m->id[i] >= f.features ? (size_t)f.m->id[i] + 1 : f.features;
    bool ok =
        list_examples(&f) && begin_labels(&f, &r->start) && make_cells(&f) && begin_tournament(&f);
    int code = ok ? make_list(&f, r, err) : thr_fail_memory(err);
    fit_clear(&f);
    return code;
}
