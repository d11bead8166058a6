/* Units of mixed models (model/units.h).
 *
 * The result has the units that training on all examples would have found: of a sparse feature the
 * greatest value that any model met, of a numeric column the mean and deviation of all values. The
 * weights of a model belong to its own units. Where these are smaller, the weights are converted as
 * if the model had now met the greater value, by the rule's own `rescale`. That is done in a clone,
 * which shares all rows that stay as they are. Weights of numeric columns are left alone, as in
 * training, where means and deviations move with every example. */
#include "combine/mix.h"

#include <math.h>

bool thr_mix_same_unit(const thr_mix *x, size_t i, uint32_t id)
{
    const thr_mix_part *p = &x->part[i], *b = x->base;
    if (p->id[id] == THR_NONE || b->id[id] == THR_NONE)
        return true;
    float now = thr_units_most(&p->m->units, p->id[id]);
    float before = thr_units_most(&b->m->units, b->id[id]);
    return fabsf(now) == fabsf(before) && p->m->units.active == b->m->units.active;
}

/* The scale of a feature in a part: 0 if it was not met, NaN for a number, negative as in units.h.
 */
static float scale_in(const thr_mix_part *p, uint32_t id)
{
    uint32_t own = p->id[id];
    if (own == THR_NONE)
        return 0;
    float most = thr_units_most(&p->m->units, own);
    return p->m->units.active || most != 0 ? most : 1; /* else it has met values of 1 only */
}

/* ---- the units of the result --------------------------------------------------------------- */

/* A column of numbers as the sums that can be added up. */
typedef struct sums {
    double n, x, x2;
} sums;

static sums sums_of(const thr_mix_part *p, uint32_t id, thr_number_column *seen)
{
    uint32_t own = p->id[id];
    const thr_number_column *c = own == THR_NONE ? NULL : thr_units_column(&p->m->units, own);
    if (!c)
        return (sums){0, 0, 0};
    seen->varied |= c->varied || (seen->first != 0 && c->first != 0 && c->first != seen->first);
    seen->first = seen->first != 0 ? seen->first : c->first;
    return (sums){c->n, c->n * c->mean, c->sum2 + c->n * c->mean * c->mean};
}

/* A column as if its model had met the values of all. The base's are counted once. */
static bool mix_column(thr_mix *x, uint32_t id)
{
    thr_number_column c = {.id = id};
    sums less = x->base ? sums_of(x->base, id, &c) : (sums){0, 0, 0}, all = less;
    for (size_t i = 0; i < x->n; i++) {
        sums more = sums_of(&x->part[i], id, &c);
        all.n += more.n - less.n;
        all.x += more.x - less.x;
        all.x2 += more.x2 - less.x2;
    }
    c.n = fmax(all.n, 0);
    c.mean = c.n > 0 ? all.x / c.n : 0;
    c.sum2 = fmax(all.x2 - c.n * c.mean * c.mean, 0);
    return thr_units_add_column(&x->out->units, &c);
}

/* The scale of a sparse feature is the greatest of all models. */
static bool mix_scale(thr_mix *x, uint32_t id)
{
    float size = 0;
    bool negative = false, number = false;
    for (size_t i = 0; i < x->all; i++) {
        float most = scale_in(&x->part[i], id);
        number |= (bool)isnan(most);
        negative |= most < 0;
        size = fmaxf(size, fabsf(most)); /* fmaxf ignores NaN */
    }
    if (number)
        return thr_units_set(&x->out->units, id, NAN) && mix_column(x, id);
    return thr_units_set(&x->out->units, id, negative ? -size : size);
}

/* ---- the weights of a part ----------------------------------------------------------------- */

/* Every member that sees scaled values converts its row of a feature. */
static int convert(thr_model *m, uint32_t id, double ratio, thr_error *err)
{
    const thr_growth grown = {.ratio = ratio};
    int code = 0;
    for (uint32_t k = 0; k < m->members && code == 0; k++) {
        thr_member *member = &m->member[k];
        thr_weights *w = &member->weights;
        char *row;
        thr_example e = {.id = &id, .n = 1};
        if (!member->scaled || !member->rule.learner->rescale)
            continue;
        code = thr_weights_ready(w, &e, err);
        if (code)
            break;
        thr_weights_find(&w, 1, &e, &row, NULL, 0);
        e.row = &row;
        code = thr_rule_rescale(&member->rule, w, &e, &grown, 1, err);
        if (code)
            break;
    }
    return code;
}

static int convert_part(const thr_mix *x, thr_mix_part *p, thr_error *err)
{
    int code = 0;
    for (uint32_t id = 1; id < x->out->lexicon.n && code == 0; id++) {
        float has = fabsf(scale_in(p, id)), gets = fabsf(thr_units_most(&x->out->units, id));
        if (!(has > 0 && has < gets)) /* also for numbers, whose scale is NaN */
            continue;
        code = thr_mix_own(p, err);
        if (code == 0)
            code = convert(p->own, p->id[id], (double)has / (double)gets, err);
    }
    return code;
}

int thr_mix_units(thr_mix *x, thr_error *err)
{
    thr_units *to = &x->out->units;
    for (size_t i = 0; i < x->all; i++)
        to->active |= x->part[i].m->units.active;
    if (!to->active)
        return 0;
    bool ok = thr_units_reach(to, x->out->lexicon.n);
    for (uint32_t id = 1; id < x->out->lexicon.n && ok; id++)
        ok = mix_scale(x, id);
    int code = ok ? 0 : thr_fail_memory(err);
    for (size_t i = 0; i < x->all && code == 0; i++)
        code = convert_part(x, &x->part[i], err);
    return code;
}
