/* Scaling values; units.h says how. */
#include "model/units.h"

#include "base/wide.h"
#include "weights/weights.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MOST_SCALED 1e15 /* size of a scaled value: no sum of them overflows */
#define COMPARED    64   /* features that are compared at once */

void thr_units_clear(thr_units *u)
{
    thr_paged_clear(&u->most);
    free(u->column);
    *u = (thr_units){0};
}

int thr_units_share(const thr_units *u, thr_units *out, thr_error *err)
{
    *out = *u;
    out->most = (thr_paged){0};
    out->column = NULL;
    out->column_room = out->columns = 0;
    if (!thr_grow(&out->column, &out->column_room, u->columns, sizeof *out->column))
        return thr_fail_memory(err);
    if (u->columns)
        memcpy(out->column, u->column, u->columns * sizeof *u->column);
    out->columns = u->columns;
    thr_paged_share(&u->most, &out->most);
    return 0;
}

/* ---- what is kept ------------------------------------------------------------------------- */

static inline float stored_most(const thr_units *u, uint32_t id)
{
    const float *page;
    if (id >= u->reach)
        return 0;
    page = (const float *)(const void *)u->most.page[id >> THR_PAGED_BITS];
    return page[id & (THR_PAGED - 1)];
}

static inline float most_of(const thr_units *u, uint32_t id)
{
    float met = stored_most(u, id);
    return met == 0 && id < u->began ? 1 : met;
}

float thr_units_stored(const thr_units *u, uint32_t id)
{
    return stored_most(u, id);
}

float thr_units_most(const thr_units *u, uint32_t id)
{
    return most_of(u, id);
}

bool thr_units_reach(thr_units *u, size_t n)
{
    if (!thr_paged_reach(&u->most, n, sizeof(float)))
        return false;
    u->reach = n > u->reach ? n : u->reach;
    return true;
}

bool thr_units_set(thr_units *u, uint32_t id, float most)
{
    if (!thr_paged_own(&u->most, id, sizeof most))
        return false;
    memcpy((char *)(uintptr_t)thr_paged_at(&u->most, id, sizeof most), &most, sizeof most);
    return true;
}

/* Columns are in the order of their ids: a new one has a greater id than those before it, unless
 * names are hashed. */
static size_t column_place(const thr_units *u, uint32_t id)
{
    size_t low = 0, high = u->columns;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (u->column[middle].id < id)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

const thr_number_column *thr_units_column(const thr_units *u, uint32_t id)
{
    size_t at = column_place(u, id);
    return at < u->columns && u->column[at].id == id ? &u->column[at] : NULL;
}

bool thr_units_add_column(thr_units *u, const thr_number_column *c)
{
    size_t at = column_place(u, c->id);
    if (!thr_grow(&u->column, &u->column_room, u->columns + 1, sizeof *u->column))
        return false;
    memmove(u->column + at + 1, u->column + at, (u->columns - at) * sizeof *u->column);
    u->column[at] = *c;
    u->columns++;
    return true;
}

float *thr_units_page(thr_units *u, uint32_t id)
{
    return (float *)(void *)u->most.page[id >> THR_PAGED_BITS];
}

/* Exactly the features with a column are numbers, and all else is finite. */
bool thr_units_sound(const thr_units *u)
{
    size_t numbers = 0;
    bool sound = true;
    for (uint32_t id = 0; id < u->reach && sound; id++) {
        float most = stored_most(u, id);
        if (isfinite(most))
            continue;
        sound = isnan(most) && thr_units_column(u, id);
        numbers++;
    }
    return sound && numbers == u->columns;
}

bool thr_number_column_sound(const thr_number_column *c)
{
    return isfinite(c->first) && c->n >= 0 && isfinite(c->n) && isfinite(c->mean) && c->sum2 >= 0 &&
           isfinite(c->sum2);
}

bool thr_units_positive(const thr_units *u, uint32_t id)
{
    return !u->active || id == 0 || thr_units_most(u, id) >= 0; /* false for NaN */
}

/* ---- learning ----------------------------------------------------------------------------- */

bool thr_units_needed(const thr_units *u, const thr_example *e, const thr_batch *b, size_t example)
{
    bool needed = u->on && (u->active || e->x);
    if (needed || !u->on || !thr_batch_has_numbers(b))
        return needed;
    for (size_t f = b->start[example]; f < b->start[example + 1] && !needed; f++)
        needed = thr_batch_is_number(b, f);
    return needed;
}

void thr_units_prefetch(const thr_units *u, const uint32_t *id, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (id[i] < u->reach)
            __builtin_prefetch(thr_paged_at(&u->most, id[i], sizeof(float)), 1);
}

static void see_number(thr_number_column *c, double x)
{
    double from = x - c->mean;
    c->n++;
    c->mean += from / c->n;
    c->sum2 += from * (x - c->mean);
    c->varied |= x != 0 && c->first != 0 && x != c->first;
    c->first = c->first != 0 ? c->first : x;
}

/* Whether a value changes what is kept of its feature: it is greater than all before, or the first
 * negative one, or the feature is a number (`most` is NaN, and the comparison is false). Of a
 * feature that has not been negative, -most is at most 0. */
static inline bool changes(float most, float x)
{
    return !(fabsf(x) <= (x < 0 ? -most : fabsf(most)));
}

/* The same of n features, in a loop that can be vectorised. The bias has no scale. */
THR_CLONED static void mark_changes(const float *most, const float *x, const uint32_t *id, size_t n,
                                    uint32_t *mark)
{
    for (size_t i = 0; i < n; i++) {
        float value = x ? x[i] : 1, bound = value < 0 ? -most[i] : fabsf(most[i]);
        mark[i] = !(fabsf(value) <= bound) & (id[i] != 0);
    }
}

/* Lists the features whose units may change, in order, and returns how many there are. No branch
 * depends on a value: signs are as good as random. */
static size_t find_changes(const thr_example *e, const float *most, thr_growth *list)
{
    uint32_t mark[COMPARED];
    size_t n = 0;
    for (size_t from = 0; from < e->n; from += COMPARED) {
        size_t some = e->n - from < COMPARED ? e->n - from : COMPARED;
        mark_changes(most + from, e->x ? e->x + from : NULL, e->id + from, some, mark);
        for (size_t i = 0; i < some; i++) {
            list[n].feature = from + i;
            n += mark[i];
        }
    }
    return n;
}

/* Whether feature `place` of a batch is a number; most batches have none. */
static inline bool is_number(const thr_batch *b, bool numbers, size_t place)
{
    return numbers && thr_batch_is_number(b, place);
}

/* Makes everything exist that see_values will write to: the page of each feature in the list, and a
 * column for each number met for the first time. Features that do not change after all are taken
 * off the list. */
static bool make_ready(thr_units *u, const thr_example *e, const thr_batch *b, size_t from,
                       const size_t *place, bool fixed, thr_growth *list, size_t *n)
{
    size_t kept = 0;
    bool ok = true, numbers = thr_batch_has_numbers(b);
    for (size_t k = 0; k < *n && ok; k++) {
        size_t i = list[k].feature;
        uint32_t id = e->id[i];
        float most = most_of(u, id);
        bool number = most == 0 && is_number(b, numbers, from + (place ? place[i] : i));
        if ((fixed && !number && !isnan(most)) || !changes(most, e->x ? e->x[i] : 1))
            continue;
        ok = thr_paged_own(&u->most, id, sizeof(float));
        if (ok && number) {
            ok = thr_units_column(u, id) || thr_units_add_column(u, &(thr_number_column){.id = id});
            ok = ok && thr_units_set(u, id, NAN);
        }
        list[kept++].feature = i;
    }
    *n = kept;
    return ok;
}

/* The list is that of the features that change, and becomes that of the features that have grown. A
 * feature that has been negative once stays marked as such. The pages are owned. kept[i] becomes
 * what is kept of feature i. */
static size_t see_values(thr_units *u, const thr_example *e, float *kept, thr_growth *list,
                         size_t n)
{
    size_t grown = 0;
    for (size_t k = 0; k < n; k++) {
        size_t i = list[k].feature;
        uint32_t id = e->id[i];
        float *at = &thr_units_page(u, id)[id & (THR_PAGED - 1)];
        float x = e->x ? e->x[i] : 1, most = most_of(u, id), before = fabsf(most), size = fabsf(x);
        if (isnan(most)) {
            see_number(&u->column[column_place(u, id)], (double)x);
            kept[i] = NAN;
            continue;
        }
        float now = size > before ? size : before;
        bool negative = most < 0 || x < 0;
        if (now != before || negative != (most < 0))
            kept[i] = *at = negative ? -now : now;
        float ratio = before > 0 ? before / now : 1;
        list[grown] = (thr_growth){i, (double)ratio};
        grown += ratio != 1;
    }
    return grown;
}

/* In a loop without a branch, for ids within reach. */
static void read_all(const thr_units *u, const uint32_t *id, size_t n, float *most)
{
    char *const *page = u->most.page;
    for (size_t i = 0; i < n; i++)
        most[i] = ((const float *)(const void *)page[id[i] >> THR_PAGED_BITS])[id[i] % THR_PAGED];
}

int thr_units_see(thr_units *u, const thr_example *e, const thr_batch *b, size_t example,
                  const size_t *place, uint32_t known, bool fixed, float *most, thr_growth *grown,
                  size_t *n_grown, thr_error *err)
{
    uint32_t top = thr_weights_top(e->id, e->n), before = u->began;
    *n_grown = 0;
    if (top >= u->reach && !thr_units_reach(u, (size_t)top + 1))
        return thr_fail_memory(err);
    read_all(u, e->id, e->n, most);
    size_t n = find_changes(e, most, grown);
    u->began = u->active ? u->began : known;
    if (n && !make_ready(u, e, b, b->start[example], place, fixed, grown, &n)) {
        u->began = before;
        return thr_fail_memory(err);
    }
    u->active = true;
    *n_grown = see_values(u, e, most, grown, n);
    if (n && !e->distinct) /* another feature may have the id of one that changed */
        read_all(u, e->id, e->n, most);
    return 0;
}

/* ---- scaling ------------------------------------------------------------------------------ */

/* Predicting may meet values far beyond those that were learned. */
static float narrow(double x)
{
    return (float)fmin(fmax(x, -MOST_SCALED), MOST_SCALED);
}

/* A column that has not varied is x / first: 0 or 1. */
static double standardised(const thr_number_column *c, double x)
{
    if (!c->varied)
        return c->first != 0 ? x / c->first : 0;
    double deviation = sqrt(c->sum2 / c->n);
    return deviation > 0 ? (x - c->mean) / deviation : 0;
}

/* A feature without s_i has weights at their start values. It is scaled as if it were met now. */
static float in_units(float x, float most)
{
    double size = most != 0 ? fabs((double)most) : fabs((double)x);
    return size > 0 ? narrow((double)x / size) : 0;
}

/* Numbers, which are few, and found by search. */
static void scale_numbers(const thr_units *u, const thr_example *e, double times, float *scaled)
{
    for (size_t i = 0; i < e->n; i++) {
        const thr_number_column *c = NULL;
        if (e->id[i] && isnan(most_of(u, e->id[i])))
            c = thr_units_column(u, e->id[i]);
        if (c)
            scaled[i] = narrow(times * standardised(c, e->x ? (double)e->x[i] : 1));
    }
}

/* What rules for positive values see: 0 in place of features that have been negative (`most` is
 * below 0 then) and of numbers (NaN). Returns whether some value differs. No branch depends on a
 * value: signs are as good as random. */
THR_CLONED static bool keep_positive(const float *scaled, const float *most, float *positive,
                                     size_t n)
{
    int differ = 0;
    for (size_t i = 0; i < n; i++) {
        float size = most[i], to = scaled[i];
        float upper = ((size >= 0) & (to >= 0)) ? to : 0;
        differ |= upper != to;
        positive[i] = upper;
    }
    return differ != 0;
}

void thr_units_read(const thr_units *u, const thr_example *e, char *const *row, float *most)
{
    bool beside = row && u->beside;
    for (size_t i = 0; i < e->n && beside; i++)
        most[i] = *(const float *)(const void *)(row[i] + u->beside);
    for (size_t i = 0; i < e->n && !beside; i++)
        most[i] = stored_most(u, e->id[i]);
}

/* The usual case, without a branch: every feature has a scale and none is a number. False: some
 * feature is different, and nothing was computed that counts. */
THR_CLONED static bool divide_values(const float *x, const float *most, size_t n, float *scaled)
{
    int strange = 0;
    for (size_t i = 0; i < n; i++) {
        scaled[i] = x[i] / fabsf(most[i]);
        strange |= !(fabsf(scaled[i]) <= (float)MOST_SCALED);
    }
    return !strange;
}

/* s_i, for an example that is only predicted too: until scaling has begun, features that were met
 * were met with the value 1, and only `known` tells which these are. */
static inline float most_before(const thr_units *u, const thr_example *e, uint32_t id)
{
    return !u->active && id < e->known ? 1 : most_of(u, id);
}

/* Every case, one by one. Returns whether some feature is a number. */
static bool scale_each(const thr_units *u, const thr_example *e, bool fixed, float *scaled,
                       float *scale)
{
    bool numbers = false;
    for (size_t i = 0; i < e->n; i++) {
        uint32_t id = e->id[i];
        float x = e->x ? e->x[i] : 1, most = most_before(u, e, id), to = x / fabsf(most);
        if (!(fabsf(to) <= MOST_SCALED) || fixed || id == 0) { /* also without a scale, or NaN */
            bool number = id && isnan(most);
            numbers |= number;
            to = number ? 0 : fixed || id == 0 ? x : in_units(x, most);
        }
        scaled[i] = to;
        scale[i] = most;
    }
    return numbers;
}

/* The bias, if there is one, is last, and is not scaled. */
double thr_units_scale(const thr_units *u, const thr_example *e, bool fixed, bool unit, float *most,
                       float *scaled, float *positive, bool *differ)
{
    double length2 = 0;
    bool bias = e->n > 0 && e->id[e->n - 1] == 0, numbers = false;
    size_t n = e->n - bias;
    if (e->x && !fixed && divide_values(e->x, most, n, scaled)) {
        if (bias) {
            scaled[n] = e->x[n];
            most[n] = 0;
        }
    } else
        numbers = scale_each(u, e, fixed, scaled, most);
    for (size_t i = 0; i < e->n; i++)
        length2 += (double)scaled[i] * (double)scaled[i];
    *differ = (positive && keep_positive(scaled, most, positive, e->n)) || numbers;
    if (numbers)
        scale_numbers(u, e, unit && length2 > 0 ? sqrt(length2) : 1, scaled);
    return length2;
}
