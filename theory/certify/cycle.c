/* The run. Weights are int64_t, with overflow detected; scores are 128 bits wide, which a sum of
 * products of 63 and 31 bits cannot overflow. */
#include "certify/cycle.h"

#include "base/mem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MOST_VALUE (INT64_C(1) << 31)
#define LOOK_EVERY 4096 /* updates between two checks of the limits */

typedef struct runner {
    const thr_points *p;
    thr_cycle *c;
    uint32_t functions;
    int32_t power;   /* values times 2^power are integers */
    int64_t *anchor; /* earlier weights, with which the current ones are compared */
    size_t differ;   /* number of coordinates in which the two differ; 0: they are equal */
    uint64_t since;  /* updates since the anchor was set */
    uint64_t reach;  /* the value of `since` at which it is set again; doubles each time */
    size_t *event;   /* the `since` points that were added since then */
    size_t event_room;
    __int128 *score; /* of the current example, for each function */
    uint64_t visits;
    bool overflow;
} runner;

/* ---- values ------------------------------------------------------------------------------- */

/* The number of binary digits behind the point; negative for multiples of higher powers of two. */
static int bits_behind(float v)
{
    int exponent;
    if (v == 0)
        return 0;
    int64_t digits = (int64_t)ldexp(frexp((double)v, &exponent), 24);
    return 24 - exponent - __builtin_ctzll((unsigned long long)(digits < 0 ? -digits : digits));
}

/* Finds the least power of two that makes all values integers. Returns false if an integer would
 * reach 2^31: then exact weights would overflow too soon to be useful. */
static bool find_power(runner *r)
{
    const thr_points *p = r->p;
    int behind = 0;
    double most = 1;
    for (size_t place = 0; p->x && place < p->examples; place++) {
        thr_point_row row = thr_points_row(p, p->pick ? p->pick[place] : place);
        for (size_t i = 0; i < row.n; i++) {
            int bits = bits_behind(row.x[i]);
            behind = bits > behind ? bits : behind;
            most = fmax(most, fabs((double)row.x[i]));
        }
    }
    r->power = behind;
    return ldexp(most, behind) < (double)MOST_VALUE;
}

static int64_t value(const runner *r, const thr_point_row *row, size_t i)
{
    return (int64_t)ldexp(row->x ? (double)row->x[i] : 1, r->power);
}

/* ---- one update --------------------------------------------------------------------------- */

/* w[at] += by, keeping `differ` up to date. */
static void add_to(runner *r, size_t at, int64_t by)
{
    int64_t *w = &r->c->w[at], before = *w;
    r->overflow |= __builtin_add_overflow(before, by, w);
    r->differ += (size_t)(*w != r->anchor[at]);
    r->differ -= (size_t)(before != r->anchor[at]);
}

/* Adds the point. The anchor is renewed before the update, not after, so that equality after an
 * update always spans at least one update. */
static int update(runner *r, const thr_point_row *row, size_t place, uint32_t other, thr_error *err)
{
    const thr_points *p = r->p;
    if (r->since == r->reach) {
        memcpy(r->anchor, r->c->w, thr_points_dims(p) * sizeof *r->anchor);
        r->differ = 0;
        r->since = 0;
        r->reach *= 2;
    }
    if (!thr_grow(&r->event, &r->event_room, r->since + 1, sizeof *r->event))
        return thr_fail_memory(err);
    r->event[r->since++] = thr_points_number(p, place, other);
    for (size_t i = 0; i < row->n; i++) {
        int64_t x = value(r, row, i);
        size_t at = (size_t)row->id[i] * r->functions;
        if (r->functions == 1) {
            add_to(r, at, row->label == p->positive ? x : -x);
            continue;
        }
        add_to(r, at + row->label, x);
        add_to(r, at + other, -x);
    }
    r->c->updates++;
    return 0;
}

/* ---- scoring ------------------------------------------------------------------------------ */

static void score(runner *r, const thr_point_row *row)
{
    memset(r->score, 0, r->functions * sizeof *r->score);
    for (size_t i = 0; i < row->n; i++) {
        int64_t x = value(r, row, i);
        const int64_t *w = r->c->w + (size_t)row->id[i] * r->functions;
        for (uint32_t f = 0; f < r->functions; f++)
            r->score[f] += (__int128)w[f] * x;
    }
    r->visits += row->n * r->functions;
}

/* Whether the example is not strictly on its right side, and in *other the best wrong label. A tie
 * is a mistake: separation needs z.w > 0, and from w = 0 nothing would ever move. */
static bool is_wrong(const runner *r, const thr_point_row *row, uint32_t *other)
{
    const thr_points *p = r->p;
    if (r->functions == 1) {
        *other = 0;
        return row->label == p->positive ? r->score[0] <= 0 : r->score[0] >= 0;
    }
    uint32_t best = row->label == 0 ? 1 : 0;
    for (uint32_t l = best + 1; l < p->labels; l++)
        if (l != row->label && r->score[l] > r->score[best])
            best = l;
    *other = best;
    return r->score[row->label] <= r->score[best];
}

/* ---- the run ------------------------------------------------------------------------------ */

static bool at_limit(const runner *r, const thr_cycle_limits *limits)
{
    return r->c->updates >= limits->updates || r->visits >= limits->visits ||
           (limits->stop && limits->stop(limits->user));
}

/* Goes through the examples once. Sets c->end, and *decided if the run is over. */
static int one_pass(runner *r, const thr_cycle_limits *limits, bool *decided, thr_error *err)
{
    thr_cycle *c = r->c;
    uint64_t before = c->updates;
    uint32_t other;
    c->passes++;
    for (size_t place = 0; place < r->p->examples; place++) {
        thr_point_row row = thr_points_row(r->p, r->p->pick ? r->p->pick[place] : place);
        score(r, &row);
        if (!is_wrong(r, &row, &other))
            continue;
        int code = update(r, &row, place, other, err);
        if (code)
            return code;
        /* Overflow is looked at first, as overflowed weights prove nothing. */
        bool look = c->updates % LOOK_EVERY == 0 || r->visits >= limits->visits;
        c->end = r->overflow ? THR_CYCLE_UNFIT : r->differ == 0 ? THR_CYCLE_FOUND : THR_CYCLE_LIMIT;
        *decided = c->end != THR_CYCLE_LIMIT || (look && at_limit(r, limits));
        if (*decided)
            return 0;
    }
    *decided = c->updates == before || at_limit(r, limits);
    c->end = c->updates == before ? THR_CYCLE_SEPARATED : THR_CYCLE_LIMIT;
    return 0;
}

static int by_number(const void *a, const void *b)
{
    size_t x = *(const size_t *)a, y = *(const size_t *)b;
    return (x > y) - (x < y);
}

/* Turns the list of added points into ascending points with counts. */
static int combine(runner *r, thr_error *err)
{
    thr_cycle *c = r->c;
    c->length = r->since;
    c->point = malloc(r->since * sizeof *c->point);
    c->count = malloc(r->since * sizeof *c->count);
    if (!c->point || !c->count)
        return thr_fail_memory(err);
    qsort(r->event, r->since, sizeof *r->event, by_number);
    for (size_t i = 0; i < r->since; i++) {
        if (c->terms == 0 || c->point[c->terms - 1] != r->event[i]) {
            c->point[c->terms] = r->event[i];
            c->count[c->terms++] = 0;
        }
        c->count[c->terms - 1]++;
    }
    return 0;
}

int thr_cycle_run(const thr_points *p, const thr_cycle_limits *limits, thr_cycle *out,
                  thr_error *err)
{
    *out = (thr_cycle){.end = THR_CYCLE_UNFIT};
    runner r = {.p = p, .c = out, .functions = thr_points_functions(p), .reach = 1};
    size_t dims = thr_points_dims(p);
    bool decided = false;
    if (!find_power(&r))
        return 0;
    out->w = calloc(dims + 1, sizeof *out->w);
    r.anchor = calloc(dims + 1, sizeof *r.anchor);
    r.score = calloc(r.functions, sizeof *r.score);
    int code = out->w && r.anchor && r.score ? 0 : thr_fail_memory(err);
    while (!decided && code == 0)
        code = one_pass(&r, limits, &decided, err);
    if (code == 0 && out->end == THR_CYCLE_FOUND)
        code = combine(&r, err);
    free(r.anchor);
    free(r.event);
    free(r.score);
    if (code)
        thr_cycle_clear(out);
    return code;
}

void thr_cycle_clear(thr_cycle *c)
{
    free(c->w);
    free(c->point);
    free(c->count);
    *c = (thr_cycle){.end = THR_CYCLE_UNFIT};
}
