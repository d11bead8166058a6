/* The difference of two taggings (difference.h). */
#include "chain/difference.h"

#include <math.h>
#include <stdlib.h>

void thr_difference_clear(thr_difference *d)
{
    free(d->id);
    free(d->row);
    free(d->amount);
    free(d->label);
    free(d->column);
    free(d->slot);
    free(d->part_id);
    free(d->part_row);
    free(d->part_x);
    *d = (thr_difference){0};
}

bool thr_difference_begin(thr_difference *d, size_t features, uint32_t labels)
{
    size_t slots = 64;
    while (slots < 2 * features)
        slots *= 2;
    d->slots = slots;
    d->n = d->columns = 0;
    d->labels = labels;
    if (!thr_grow(&d->id, &d->id_room, features, sizeof *d->id) ||
        !thr_grow(&d->row, &d->row_room, features, sizeof *d->row) ||
        !thr_grow(&d->label, &d->label_room, labels, sizeof *d->label) ||
        !thr_grow(&d->column, &d->column_room, labels, sizeof *d->column) ||
        !thr_grow(&d->slot, &d->slot_room, slots, sizeof *d->slot) ||
        !thr_grow(&d->part_id, &d->part_id_room, features, sizeof *d->part_id) ||
        !thr_grow(&d->part_row, &d->part_row_room, features, sizeof *d->part_row) ||
        !thr_grow(&d->part_x, &d->part_x_room, features, sizeof *d->part_x))
        return false;
    memset(d->slot, 0, slots * sizeof *d->slot);
    for (uint32_t y = 0; y < labels; y++)
        d->column[y] = THR_NONE;
    return true;
}

void thr_difference_name(thr_difference *d, uint32_t label)
{
    if (d->column[label] != THR_NONE)
        return;
    d->column[label] = d->columns;
    d->label[d->columns++] = label;
}

bool thr_difference_reserve(thr_difference *d)
{
    size_t n;
    return !__builtin_mul_overflow(d->id_room, d->columns, &n) &&
           thr_grow(&d->amount, &d->amount_room, n, sizeof *d->amount);
}

/* The amounts of a feature, which is added if it is new. */
static double *amounts_of(thr_difference *d, uint32_t id, char *row)
{
    size_t at = (id * UINT64_C(0x9E3779B97F4A7C15) >> 32) & (d->slots - 1);
    while (d->slot[at] && d->id[d->slot[at] - 1] != id)
        at = (at + 1) & (d->slots - 1);
    size_t i = d->slot[at] ? d->slot[at] - 1 : d->n;
    double *amount = d->amount + i * d->columns;
    if (i < d->n)
        return amount;
    d->slot[at] = (uint32_t)++d->n;
    d->id[i] = id;
    d->row[i] = row;
    memset(amount, 0, d->columns * sizeof *amount);
    return amount;
}

void thr_difference_add(thr_difference *d, const uint32_t *id, char *const *row, const float *x,
                        size_t n, uint32_t label, double amount)
{
    uint32_t column = d->column[label];
    for (size_t i = 0; i < n; i++)
        if (id[i] != THR_NONE)
            amounts_of(d, id[i], row[i])[column] += x ? (double)x[i] * amount : amount;
}

void thr_difference_add_all(thr_difference *d, const uint32_t *id, char *const *row, const float *x,
                            size_t n, const double *amount)
{
    for (size_t i = 0; i < n; i++) {
        if (id[i] == THR_NONE)
            continue;
        double *sum = amounts_of(d, id[i], row[i]), value = x ? (double)x[i] : 1;
        for (uint32_t c = 0; c < d->columns; c++)
            sum[c] += value * amount[c];
    }
}

double thr_difference_norm2(const thr_difference *d)
{
    double sum = 0;
    for (size_t i = 0; i < d->n * d->columns; i++)
        sum += d->amount[i] * d->amount[i];
    return sum;
}

/* ---- moving ------------------------------------------------------------------------------- */

/* The features of a column with an amount of that sign; of both signs if it is 0. With a sign the
 * amounts lose it. */
static void gather(thr_difference *d, uint32_t column, int sign, thr_example *e)
{
    size_t n = 0;
    const double *amount = d->amount + column;
    for (size_t i = 0; i < d->n; i++, amount += d->columns) {
        float x = (float)*amount;
        if (x == 0 || (sign && (x > 0) != (sign > 0)))
            continue;
        d->part_id[n] = d->id[i];
        d->part_row[n] = d->row[i];
        d->part_x[n++] = sign ? fabsf(x) : x;
    }
    e->id = d->part_id;
    e->row = d->part_row;
    e->x = d->part_x;
    e->n = n;
}

static int ready_part(thr_rule *r, thr_weights *w, const thr_example *e, thr_error *err)
{
    return e->n ? thr_rule_ready(r, w, e, err) : 0;
}

/* The sum over all parts, for a rule that asks for it. */
static int measure(thr_difference *d, thr_rule *r, thr_weights *w, thr_example *e, double *sum,
                   thr_error *err)
{
    int code = 0;
    *sum = 0;
    for (uint32_t c = 0; c < d->columns && code == 0; c++) {
        gather(d, c, 0, e);
        code = ready_part(r, w, e, err);
        if (code == 0 && e->n)
            *sum += thr_rule_measure(r, w, e, d->label[c]);
    }
    return code;
}

/* Where falling is not the reverse of rising, as with two factors of their own (winnow), what falls is a
 * part of its own. */
int thr_difference_move(thr_difference *d, thr_rule *r, thr_weights *w, const thr_example *like,
                        double margin, double step, thr_error *err)
{
    static const int once[] = {0}, twice[] = {1, -1};
    bool apart = !(r->learner->flags & THR_ANTISYMMETRIC);
    const int *sign = apart ? twice : once;
    thr_example e = *like;
    double sum;
    bool measured = r->learner->measure != NULL;
    int code = measured ? measure(d, r, w, &e, &sum, err) : 0;
    for (uint32_t c = 0; c < d->columns; c++)
        for (int part = 0; part <= apart && code == 0; part++) {
            gather(d, c, sign[part], &e);
            code = ready_part(r, w, &e, err);
            if (code == 0 && e.n)
                thr_rule_move_one(r, w, &e, d->label[c], margin, sign[part] < 0 ? -step : step,
                                  measured ? &sum : NULL);
        }
    return code;
}
