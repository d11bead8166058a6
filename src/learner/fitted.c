/* Rules that a solver finds: turns kept examples into points, and a solution into rows. */
#include "learner/fitted.h"

#include "example/batch.h"

#include <math.h>
#include <stdlib.h>

enum { LENGTH }; /* state: Euclidean length of the weights */

void thr_fitted_slots(thr_rule *r)
{
    r->slot[0] = (thr_slot_spec){.name = "w", .wide = true, .mirror = THR_MIRROR_NEGATE};
    r->n_slots = 1;
}

/* ---- fitting ------------------------------------------------------------------------------ */

/* What thr_points needs in addition to the columns of the memory; freed after the fit. */
typedef struct columns {
    uint32_t *label;
    double *scale, *cost, *w;
} columns;

/* The first n kept examples as points. Labels and features that only later examples have are
 * left out, so that the result depends on these n examples alone, whenever it is computed. */
static bool columns_make(columns *c, const thr_memory *m, size_t n, thr_fitting *f)
{
    c->label = calloc(n + 1, sizeof *c->label);
    c->scale = calloc(n + 1, sizeof *c->scale);
    c->cost = calloc(n + 1, sizeof *c->cost);
    if (!c->label || !c->scale || !c->cost)
        return false;
    *f = (thr_fitting){
        .points = {.examples = n, .start = m->start, .id = m->id, .x = m->has_values ? m->x : NULL},
        .cost = c->cost};
    for (size_t i = 0; i < n; i++) {
        c->label[i] = m->kept[i].label;
        c->scale[i] = m->kept[i].scale;
        c->cost[i] = (double)m->kept[i].importance;
        if (c->label[i] >= f->points.labels)
            f->points.labels = c->label[i] + 1;
    }
    for (size_t i = 0; n && i < m->start[n]; i++)
        if (m->id[i] >= f->points.features)
            f->points.features = m->id[i] + 1;
    f->points.label = c->label;
    f->points.scale = c->scale;
    c->w = calloc(thr_points_dims(&f->points) + 1, sizeof *c->w);
    return c->w;
}

/* The weight of a feature in function f. With two labels the solution is one vector, that of
 * the first label; the second has its negative. Labels not in the points weigh 0. */
static double weight_of(const thr_points *p, const double *w, uint32_t id, uint32_t f)
{
    if (id >= p->features || f >= p->labels)
        return 0;
    if (p->labels <= 2)
        return thr_weight_clamp(f == 0 ? w[id] : -w[id]);
    return thr_weight_clamp(w[(size_t)id * p->labels + f]);
}

/* Writes the solution to all rows, which are ready. */
static void write_rows(thr_rule *r, const thr_points *p, const double *from, thr_weights *w)
{
    double squares = 0;
    for (size_t i = 0, n = thr_points_dims(p); i < n; i++)
        squares += thr_weight_clamp(from[i]) * thr_weight_clamp(from[i]);
    r->state[LENGTH] = sqrt(squares);
    for (uint32_t id = 0; id < w->rows; id++) {
        double *row = thr_weights_row_wide(w, id, 0);
        for (uint32_t f = 0; f < w->functions; f++)
            row[f] = weight_of(p, from, id, f);
    }
}

int thr_fitted_fit(thr_rule *r, thr_weights *w, size_t first, thr_fitted_solve *solve,
                   thr_error *err)
{
    columns c = {0};
    thr_fitting f = {0};
    int code = columns_make(&c, r->memory, first, &f) ? 0 : thr_fail_memory(err);
    size_t rows = f.points.features > w->rows ? f.points.features : w->rows;
    if (code == 0 && first)
        code = solve(r, &f, c.w, err);
    if (code == 0)
        code = thr_weights_settle(w, rows, err);
    if (code == 0)
        write_rows(r, &f.points, c.w, w);
    free(c.label);
    free(c.scale);
    free(c.cost);
    free(c.w);
    return code;
}

/* ---- learning and predicting -------------------------------------------------------------- */

void thr_fitted_score(const thr_rule *r, const thr_weights *w, const thr_example *e, double *live,
                      double *shown)
{
    (void)r;
    thr_weights_dot(w, 0, e, shown);
    for (uint32_t f = 0; f < w->functions; f++)
        live[f] = shown[f];
}

double thr_fitted_weight(const thr_rule *r, const thr_weights *w, uint32_t id, uint32_t f,
                         uint32_t known)
{
    (void)r, (void)known;
    return thr_weights_get(w, id, 0, f);
}

double thr_fitted_extent(const thr_rule *r, const thr_example *e)
{
    double extent = r->state[LENGTH] * sqrt(e->norm2);
    return extent > 0 && isfinite(extent) ? extent : 1;
}

int thr_fitted_ready(thr_rule *r, const thr_example *e, uint32_t f, thr_error *err)
{
    (void)f;
    return thr_learner_counts(e) ? thr_memory_ready(r->memory, e, 0, err) : 0;
}

bool thr_fitted_learn(thr_rule *r, thr_weights *w, const thr_example *e, uint32_t f,
                      const double *live)
{
    (void)w, (void)f, (void)live;
    if (thr_learner_counts(e))
        thr_memory_add(r->memory, e);
    return thr_learner_counts(e);
}

/* There is nothing derived to share: the rule consists of weights and examples. */
int thr_fitted_share(const thr_rule *from, thr_rule *to, thr_error *err)
{
    (void)from, (void)to, (void)err;
    return 0;
}

/* Nothing is derived, but the labels in the file are checked: solvers index by them. */
int thr_fitted_rebuild(thr_rule *r, const thr_weights *w, thr_error *err)
{
    (void)w;
    for (size_t i = 0; i < r->memory->n; i++)
        if (r->memory->kept[i].label >= r->labels)
            return thr_fail(err, THR_EMODEL,
                            "this model is damaged: an example it keeps has no label");
    return 0;
}
