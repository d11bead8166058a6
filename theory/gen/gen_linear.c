/* Points with real coordinates: the majority of k signs among n, unit vectors that keep a margin
 * from a hidden separator, and the rows of the unit matrix. */
#include "base/error.h"
#include "base/number.h"
#include "gen/gen.h"

#include <math.h>
#include <stdlib.h>

#define AUTO_ACTIVE 50
/* Values are stored as floats. The margin is enlarged by this much, so that rounding does not take
 * it below gamma. */
#define ROUNDING 0x1p-22

/* ---- majority ---- */

static int prepare_majority(thr_gen *g, thr_error *err)
{
    const thr_gen_values *v = &g->values;
    if (v->k % 2 == 0)
        return thr_fail(err, THR_EUSE,
                        "majority: k=%llu should be odd, so that there is "
                        "always a majority",
                        (unsigned long long)v->k);
    if (v->k > v->n)
        return thr_fail(err, THR_EUSE, "majority: k=%llu is more than the n=%llu variables",
                        (unsigned long long)v->k, (unsigned long long)v->n);
    g->target.n_vars = (size_t)v->k;
    g->target.var = calloc(g->target.n_vars, sizeof *g->target.var);
    return g->target.var ? 0 : thr_fail_memory(err);
}

static bool redraw_majority(thr_gen *g)
{
    thr_sample(&g->target_random, g->values.n, g->target.n_vars, g->target.var);
    bool ok = thr_bytes_printf(&g->words, "the majority of ");
    for (size_t i = 0; i < g->target.n_vars && ok; i++)
        ok = thr_bytes_printf(&g->words, "%sx%llu", i ? ", " : "",
                              (unsigned long long)g->target.var[i]);
    return ok;
}

static bool draw_majority(thr_gen *g, thr_point *p)
{
    size_t next = 0, up = 0;
    uint64_t bits = 0;
    for (uint64_t i = 0; i < g->values.n; i++, bits >>= 1) {
        if (i % 64 == 0)
            bits = thr_random_next(&g->point_random);
        bool plus = bits & 1;
        thr_point_add(p, i + 1, plus ? 1 : -1);
        if (next < g->target.n_vars && g->target.var[next] == i + 1) {
            up += plus;
            next++;
        }
    }
    return 2 * up > g->target.n_vars;
}

/* ---- margin ---- */

static int prepare_margin(thr_gen *g, thr_error *err)
{
    thr_gen_values *v = &g->values;
    thr_target *t = &g->target;
    if (v->active < 0)
        v->active = v->n < AUTO_ACTIVE ? (double)v->n : AUTO_ACTIVE;
    if (v->active < 1 || v->active > (double)v->n || v->active != floor(v->active))
        return thr_fail(err, THR_EUSE,
                        "margin: active=%.15g should be a whole number from 1 to n=%llu", v->active,
                        (unsigned long long)v->n);
    uint64_t active = (uint64_t)v->active;
    if (v->k == 0)
        v->k = active == v->n ? v->n : (active + 1) / 2;
    if (v->k > active)
        return thr_fail(err, THR_EUSE,
                        "margin: k=%llu relevant coordinates do not fit among "
                        "active=%.15g of a point",
                        (unsigned long long)v->k, v->active);
    t->n_vars = (size_t)v->k;
    t->n_others = (size_t)active - t->n_vars;
    t->var = calloc(t->n_vars, sizeof *t->var);
    t->weight = calloc(t->n_vars, sizeof *t->weight);
    t->others = calloc(t->n_others + 1, sizeof *t->others);
    t->value = calloc(t->n_vars + t->n_others, sizeof *t->value);
    return t->var && t->weight && t->others && t->value ? 0 : thr_fail_memory(err);
}

static double length(const double *v, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += v[i] * v[i];
    return sqrt(sum);
}

static bool redraw_margin(thr_gen *g)
{
    thr_target *t = &g->target;
    thr_sample(&g->target_random, g->values.n, t->n_vars, t->var);
    for (size_t i = 0; i < t->n_vars; i++)
        t->weight[i] = thr_random_normal(&g->target_random);
    double norm = length(t->weight, t->n_vars);
    bool ok = thr_bytes_printf(&g->words, "the sign of ");
    for (size_t i = 0; i < t->n_vars && ok; i++) {
        char digits[32];
        t->weight[i] /= norm;
        size_t n = thr_print_double(fabs(t->weight[i]), digits);
        const char *sign = t->weight[i] < 0 ? "- " : i ? "+ " : "";
        ok = thr_bytes_printf(&g->words, "%s%s%.*s*x%llu", i ? " " : "", sign, (int)n, digits,
                              (unsigned long long)t->var[i]);
    }
    return ok;
}

/* Draws a random unit vector x. If it is closer than gamma to the hyperplane u.x = 0, it is rotated
 * in the plane of u and x until its distance is gamma: x = +-s u + sqrt(1 - s^2) z / ||z||,  z = x
 * - (u.x) u,  s = max(|u.x|, gamma). Returns the label, the sign of u.x. */
static bool draw_direction(thr_gen *g)
{
    thr_target *t = &g->target;
    size_t n = t->n_vars + t->n_others;
    double dot = 0;
    for (size_t i = 0; i < n; i++)
        t->value[i] = thr_random_normal(&g->point_random);
    double whole = length(t->value, n);
    for (size_t i = 0; i < t->n_vars; i++)
        dot += t->weight[i] * t->value[i];
    for (size_t i = 0; i < t->n_vars; i++)
        t->value[i] -= dot * t->weight[i];
    double aside = length(t->value, n), s = fabs(dot) / whole;
    if (s < g->values.gamma + ROUNDING)
        s = g->values.gamma + ROUNDING;
    if (n == 1 || !(aside > 0) || s > 1)
        s = 1;
    double spread = s < 1 ? sqrt(1 - s * s) / aside : 0;
    for (size_t i = 0; i < n; i++)
        t->value[i] *= spread;
    for (size_t i = 0; i < t->n_vars; i++)
        t->value[i] += (dot < 0 ? -s : s) * t->weight[i];
    return !(dot < 0);
}

/* The other active variables are first drawn as ranks among the irrelevant variables. Each rank is
 * then increased by the number of relevant variables before it. */
static bool draw_margin(thr_gen *g, thr_point *p)
{
    thr_target *t = &g->target;
    thr_sample(&g->point_random, g->values.n - t->n_vars, t->n_others, t->others);
    for (size_t i = 0, before = 0; i < t->n_others; i++) {
        while (before < t->n_vars && t->var[before] <= t->others[i] + before)
            before++;
        t->others[i] += before;
    }
    bool label = draw_direction(g);
    for (size_t i = 0, j = 0; i < t->n_vars || j < t->n_others;) {
        bool relevant = j == t->n_others || (i < t->n_vars && t->var[i] < t->others[j]);
        double value = t->value[relevant ? i : t->n_vars + j];
        thr_point_add(p, relevant ? t->var[i++] : t->others[j++], (float)value);
    }
    return label;
}

/* ---- unit rows ---- */

static int prepare_unit_rows(thr_gen *g, thr_error *err)
{
    (void)g, (void)err;
    return 0;
}

static bool redraw_unit_rows(thr_gen *g)
{
    return thr_bytes_printf(&g->words, "always +1");
}

static bool draw_unit_rows(thr_gen *g, thr_point *p)
{
    thr_point_add(p, g->drawn % g->values.n + 1, 1);
    return true;
}

/* ---- table entries ---- */

static const thr_gen_option majority_options[] = {
    THR_GEN_N("100"),
    THR_GEN_K("3", "number of variables that vote; odd"),
    THR_GEN_NOISE,
    THR_GEN_DRIFT,
};

static const thr_gen_option margin_options[] = {
    THR_GEN_N("20"),
    {{"gamma", "0.1", "least distance of a point from the separator", THR_REAL, NULL, 1e-6, 0.999},
     offsetof(thr_gen_values, gamma)},
    {{"active", "auto", "coordinates of a point that are not 0; auto: all, at most 50", THR_REAL,
      "auto", 1, 1e7},
     offsetof(thr_gen_values, active)},
    {{"k", "auto", "coordinates of the separator that are not 0; auto: all, or half of active",
      THR_INT, "auto", 1, 1e7},
     offsetof(thr_gen_values, k)},
    THR_GEN_NOISE,
    THR_GEN_DRIFT,
};

static const thr_gen_option unit_rows_options[] = {
    THR_GEN_N("100"),
    THR_GEN_NOISE,
};

const thr_gen_kind thr_gen_majority = {
    .name = "majority",
    .help = "points of {-1,1}^n labelled by the majority of k coordinates",
    .option = majority_options,
    .n_options = sizeof majority_options / sizeof *majority_options,
    .has_values = true,
    .prepare = prepare_majority,
    .redraw = redraw_majority,
    .draw = draw_majority,
};

const thr_gen_kind thr_gen_margin = {
    .name = "margin",
    .help = "unit vectors at least gamma away from a hidden plane through the origin",
    .option = margin_options,
    .n_options = sizeof margin_options / sizeof *margin_options,
    .has_values = true,
    .prepare = prepare_margin,
    .redraw = redraw_margin,
    .draw = draw_margin,
};

const thr_gen_kind thr_gen_unit_rows = {
    .name = "unit-rows",
    .help = "the rows of the unit matrix in turn, all positive",
    .option = unit_rows_options,
    .n_options = sizeof unit_rows_options / sizeof *unit_rows_options,
    .prepare = prepare_unit_rows,
    .redraw = redraw_unit_rows,
    .draw = draw_unit_rows,
};
