/* Products and sums over points, and a hash table that finds duplicate examples. */
#include "solve/points.h"

#include "base/random.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

uint32_t thr_points_functions(const thr_points *p)
{
    return p->labels <= 2 ? 1 : p->labels;
}

uint32_t thr_points_each(const thr_points *p)
{
    return p->labels <= 2 ? 1 : p->labels - 1;
}

size_t thr_points_count(const thr_points *p)
{
    return p->examples * thr_points_each(p);
}

size_t thr_points_dims(const thr_points *p)
{
    return (size_t)p->features * thr_points_functions(p);
}

/* From a place to a number in the arrays. */
static size_t at_place(const thr_points *p, size_t place)
{
    return p->pick ? p->pick[place] : place;
}

size_t thr_points_example(const thr_points *p, size_t point)
{
    return at_place(p, point / thr_points_each(p));
}

uint32_t thr_points_other(const thr_points *p, size_t point)
{
    uint32_t own = p->label[thr_points_example(p, point)];
    if (p->labels <= 2)
        return own == p->positive ? 1 - p->positive : p->positive;
    uint32_t other = (uint32_t)(point % thr_points_each(p));
    return other < own ? other : other + 1;
}

size_t thr_points_number(const thr_points *p, size_t place, uint32_t other)
{
    if (p->labels <= 2)
        return place;
    return place * thr_points_each(p) + (other < p->label[at_place(p, place)] ? other : other - 1);
}

thr_point_row thr_points_row(const thr_points *p, size_t example)
{
    uint64_t from = p->start[example];
    return (thr_point_row){.id = p->id + from,
                           .x = p->x ? p->x + from : NULL,
                           .n = (size_t)(p->start[example + 1] - from),
                           .scale = p->scale ? p->scale[example] : 1,
                           .label = p->label[example]};
}

/* ---- one point ---------------------------------------------------------------------------- */

static double side(const thr_points *p, const thr_point_row *r)
{
    return r->label == p->positive ? 1 : -1;
}

/* scale * (x.w) for the one function of two labels. */
static double dot_shared(const thr_point_row *r, const double *w)
{
    double sum = 0;
    if (r->x)
        for (size_t i = 0; i < r->n; i++)
            sum += (double)r->x[i] * w[r->id[i]];
    else
        for (size_t i = 0; i < r->n; i++)
            sum += w[r->id[i]];
    return sum * r->scale;
}

double thr_points_dot(const thr_points *p, size_t point, const double *w)
{
    thr_point_row r = thr_points_row(p, thr_points_example(p, point));
    if (p->labels <= 2)
        return side(p, &r) * dot_shared(&r, w);
    size_t k = p->labels, other = thr_points_other(p, point);
    double sum = 0;
    for (size_t i = 0; i < r.n; i++) {
        const double *row = w + r.id[i] * k;
        sum += (r.x ? (double)r.x[i] : 1) * (row[r.label] - row[other]);
    }
    return sum * r.scale;
}

void thr_points_add(const thr_points *p, size_t point, double a, double *w)
{
    thr_point_row r = thr_points_row(p, thr_points_example(p, point));
    if (p->labels <= 2) {
        a *= side(p, &r);
        for (size_t i = 0; i < r.n; i++)
            w[r.id[i]] += a * thr_row_value(&r, i);
        return;
    }
    size_t k = p->labels, other = thr_points_other(p, point);
    for (size_t i = 0; i < r.n; i++) {
        double *row = w + r.id[i] * k, v = a * thr_row_value(&r, i);
        row[r.label] += v;
        row[other] -= v;
    }
}

static double row_norm2(const thr_point_row *r)
{
    double sum = 0;
    for (size_t i = 0; i < r->n; i++)
        sum += thr_row_value(r, i) * thr_row_value(r, i);
    return sum;
}

static double row_norminf(const thr_point_row *r)
{
    double most = 0;
    for (size_t i = 0; i < r->n; i++) { /* fmax crashes gcc 12 for arm64 */
        double size = fabs(thr_row_value(r, i));
        most = size > most ? size : most;
    }
    return most;
}

double thr_points_norm2(const thr_points *p, size_t point)
{
    thr_point_row r = thr_points_row(p, thr_points_example(p, point));
    return (p->labels <= 2 ? 1 : 2) * row_norm2(&r);
}

double thr_points_norminf(const thr_points *p, size_t point)
{
    thr_point_row r = thr_points_row(p, thr_points_example(p, point));
    return row_norminf(&r);
}

double thr_points_product(const thr_points *p, size_t a, size_t b, double *room)
{
    thr_points_add(p, a, 1, room);
    double product = thr_points_dot(p, b, room);
    thr_point_row r = thr_points_row(p, thr_points_example(p, a));
    size_t k = thr_points_functions(p);
    for (size_t i = 0; i < r.n; i++)
        memset(room + r.id[i] * k, 0, k * sizeof *room);
    return product;
}

/* ---- all points --------------------------------------------------------------------------- */

void thr_points_score(const thr_points *p, size_t example, const double *w, double *out)
{
    thr_point_row r = thr_points_row(p, example);
    size_t k = thr_points_functions(p);
    if (k == 1) {
        out[0] = dot_shared(&r, w);
        return;
    }
    memset(out, 0, k * sizeof *out);
    for (size_t i = 0; i < r.n; i++) {
        const double *row = w + r.id[i] * k;
        double x = thr_row_value(&r, i);
        for (size_t f = 0; f < k; f++)
            out[f] += x * row[f];
    }
}

double thr_points_least(const thr_points *p, const double *w, size_t *worst)
{
    double least = INFINITY;
    for (size_t k = 0, n = thr_points_count(p); k < n; k++) {
        double s = thr_points_dot(p, k, w);
        if (s < least) {
            least = s;
            if (worst)
                *worst = k;
        }
    }
    return least;
}

void thr_points_sum(const thr_points *p, const double *a, double *w)
{
    memset(w, 0, thr_points_dims(p) * sizeof *w);
    for (size_t k = 0, n = thr_points_count(p); k < n; k++)
        if (a[k] != 0)
            thr_points_add(p, k, a[k], w);
}

double thr_points_radius2(const thr_points *p)
{
    double most = 0;
    for (size_t i = 0; i < p->examples; i++) {
        thr_point_row r = thr_points_row(p, at_place(p, i));
        most = fmax(most, row_norm2(&r));
    }
    return most;
}

double thr_points_extent(const thr_points *p)
{
    double most = 0;
    for (size_t i = 0; i < p->examples; i++) {
        thr_point_row r = thr_points_row(p, at_place(p, i));
        most = fmax(most, row_norminf(&r));
    }
    return most;
}

/* ---- duplicates and contradictions -------------------------------------------------------- */

/* Depends on features and values but not on their order: the terms are hashed, then added. */
static uint64_t hash_row(const thr_point_row *r)
{
    uint64_t sum = r->n;
    for (size_t i = 0; i < r->n; i++) {
        float x = r->x ? r->x[i] : 1;
        uint32_t bits;
        memcpy(&bits, &x, sizeof bits);
        sum += thr_mix64((uint64_t)r->id[i] << 32 | bits);
    }
    return thr_mix64(sum);
}

/* Whether two examples have the same features and values, in time linear in their number. `at` has
 * one entry for each feature, all 0 before and after; in between it holds the position of the
 * feature in `a`, plus 1. */
static bool same_features(const thr_point_row *a, const thr_point_row *b, uint32_t *at)
{
    bool same = a->n == b->n;
    for (size_t i = 0; i < a->n && same; i++)
        at[a->id[i]] = (uint32_t)i + 1;
    for (size_t i = 0; i < b->n && same; i++) {
        uint32_t k = at[b->id[i]];
        same = k && (a->x ? a->x[k - 1] : 1) == (b->x ? b->x[i] : 1);
    }
    for (size_t i = 0; i < a->n; i++)
        at[a->id[i]] = 0;
    return same;
}

/* A hash table of the places kept so far. slot[] and next[] hold places plus 1; 0 ends a chain. */
typedef struct same_table {
    uint32_t *slot, *next, *at;
    uint64_t *hash;
    size_t mask;
} same_table;

static bool table_init(same_table *t, const thr_points *p)
{
    size_t slots = 16;
    while (slots < 2 * p->examples)
        slots *= 2;
    t->mask = slots - 1;
    t->slot = calloc(slots, sizeof *t->slot);
    t->next = calloc(p->examples + 1, sizeof *t->next);
    t->hash = calloc(p->examples + 1, sizeof *t->hash);
    t->at = calloc((size_t)p->features + 1, sizeof *t->at);
    return t->slot && t->next && t->hash && t->at;
}

static void table_clear(same_table *t)
{
    free(t->slot);
    free(t->next);
    free(t->hash);
    free(t->at);
}

/* Whether the example at `place` is no duplicate. The search continues past examples with other
 * labels, so that a contradiction does not hide a duplicate. */
static bool is_new(same_table *t, const thr_points *p, size_t place, size_t clash[2])
{
    thr_point_row r = thr_points_row(p, at_place(p, place));
    uint64_t hash = t->hash[place];
    for (uint32_t k = t->slot[hash & t->mask]; k; k = t->next[k - 1]) {
        if (t->hash[k - 1] != hash)
            continue;
        size_t earlier = at_place(p, k - 1);
        thr_point_row other = thr_points_row(p, earlier);
        if (!same_features(&other, &r, t->at))
            continue;
        if (other.label == r.label && other.scale == r.scale)
            return false;
        if (other.label != r.label && clash[0] == SIZE_MAX) {
            clash[0] = earlier;
            clash[1] = at_place(p, place);
        }
    }
    return true;
}

int thr_points_distinct(const thr_points *p, uint32_t *pick, size_t *n, size_t clash[2],
                        thr_error *err)
{
    same_table t = {0};
    *n = 0;
    clash[0] = clash[1] = SIZE_MAX;
    if (p->examples >= UINT32_MAX || !table_init(&t, p)) {
        table_clear(&t);
        return thr_fail_memory(err);
    }
    for (size_t i = 0; i < p->examples; i++) {
        thr_point_row r = thr_points_row(p, at_place(p, i));
        t.hash[i] = hash_row(&r);
        if (!is_new(&t, p, i, clash))
            continue;
        pick[(*n)++] = (uint32_t)at_place(p, i);
        t.next[i] = t.slot[t.hash[i] & t.mask];
        t.slot[t.hash[i] & t.mask] = (uint32_t)i + 1;
    }
    table_clear(&t);
    return 0;
}
