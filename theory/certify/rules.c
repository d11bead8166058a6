/* Runs each rule in the form its theorem is about, and compares what it does on this data with what
 * the theorem promises.
 *
 * All labels are declared before the first example. Otherwise the first example of a new label
 * would count as a mistake that no theorem knows of. */
#include "bounds/bounds.h"
#include "bounds/disjunction.h"
#include "certify/certify.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_VISITS 1e9        /* weights that one rule may visit: large data gets fewer passes */
#define ROUNDING    (1 + 1e-6) /* tolerance: the rules keep weights as floats */
#define PA_C        1.0
#define LEAST_ETA   1e-9 /* the rates that `balanced` accepts */
#define MOST_ETA    20.0

/* ---- running ------------------------------------------------------------------------------ */

/* Trains until a pass makes no mistake (or no update, if the bound is on updates) or the limit is
 * reached. The limit is one of work and not of time, so that it depends on the data alone.
 * r->mistakes and r->updates are those of the first pass, all_ those of all passes. */
static int run_passes(thr_certify *c, thr_model *m, thr_certify_rule *r, bool repeat,
                      thr_error *err)
{
    thr_train_options o = {.passes = 1, .progress = c->options.progress, .user = c->options.user};
    double each = (double)c->at.start[c->at.examples] * thr_points_functions(&c->points);
    double worth = fmax(5, MOST_VISITS / each);
    unsigned most = c->options.passes < worth ? c->options.passes : (unsigned)worth;
    r->repeated = repeat;
    while (r->passes < (repeat ? most : 1) && !r->converged) {
        thr_train_report t;
        int code = thr_train_data(m, c->data, &o, &t, err);
        if (code)
            return code;
        if (r->passes++ == 0) {
            r->mistakes = t.mistakes;
            r->updates = t.updates;
        }
        r->all_mistakes += t.mistakes;
        r->all_updates += t.updates;
        r->converged = (r->on_mistakes ? t.mistakes : t.updates) == 0;
    }
    return 0;
}

static int run_rule(thr_certify *c, const char *spec, bool repeat, thr_certify_rule *r,
                    thr_error *err)
{
    thr_settings *s = thr_settings_copy(c->settings);
    int code = s ? thr_settings_set(s, "learner", spec, err) : thr_fail_memory(err);
    thr_model *m = code ? NULL : thr_model_new(s, err);
    if (code == 0 && !m)
        code = err->code;
    for (uint32_t l = 0; l < c->labels.n && code == 0; l++)
        if (thr_model_declare_label(m, c->labels.name[l], err) < 0)
            code = err->code;
    if (code == 0)
        code = run_passes(c, m, r, repeat, err);
    /* The bound of a panel depends on its best expert, so it is known only after the run. */
    thr_panel_report p;
    if (code == 0 && thr_model_panel(m, &p))
        r->bound = p.bound;
    thr_model_free(m);
    thr_settings_free(s);
    return code;
}

/* ---- rows --------------------------------------------------------------------------------- */

static struct thr_certify_row *new_row(thr_certify *c, thr_error *err)
{
    if (!thr_grow(&c->row, &c->row_room, c->rows + 1, sizeof *c->row)) {
        thr_fail_memory(err);
        return NULL;
    }
    c->row[c->rows] = (struct thr_certify_row){.rule = {.bound = NAN, .hindsight = NAN}};
    return &c->row[c->rows];
}

static void say(char *out, size_t room, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static void say(char *out, size_t room, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(out, room, format, args);
    va_end(args);
}

/* Runs the rule of a row and judges its bound. On separable data a bound holds for any number of
 * passes together, otherwise for the first pass. */
static int finish_row(thr_certify *c, struct thr_certify_row *row, bool repeat, thr_error *err)
{
    thr_certify_rule *r = &row->rule;
    bool yes = c->found.separable == THR_YES;
    int code = run_rule(c, row->learner, repeat && c->found.separable != THR_NO, r, err);
    if (code)
        return code;
    if (isinf(r->bound))
        r->bound = NAN;
    uint64_t once = r->on_mistakes ? r->mistakes : r->updates;
    uint64_t all = r->on_mistakes ? r->all_mistakes : r->all_updates;
    r->ratio = (double)once / r->bound;
    r->vacuous = r->bound > (double)c->report.examples;
    r->holds = isnan(r->bound) || (double)(yes ? all : once) <= r->bound * ROUNDING;
    if (!isnan(r->hindsight))
        r->holds &= (double)once <= r->hindsight * ROUNDING;
    c->rows++;
    return 0;
}

/* ---- bounds ------------------------------------------------------------------------------- */

/* The greatest length of a point. With more than two labels f(x,y) - f(x,y') is sqrt(2) times as
 * long as x. */
static double radius(const thr_certify *c)
{
    return c->report.R * (c->labels.n > 2 ? sqrt(2) : 1);
}

/* The least bound over all comparators. Each is valid, so the least is. */
static thr_hindsight best_of(const thr_certify *c,
                             thr_hindsight (*of)(const thr_certify *c, const thr_comparator *k,
                                                 double more),
                             double more)
{
    thr_hindsight best = {.bound = INFINITY};
    for (size_t i = 0; i < c->comparators; i++) {
        thr_hindsight h = of(c, &c->comparator[i], more);
        best = h.bound < best.bound ? h : best;
    }
    return best;
}

static thr_hindsight of_perceptron(const thr_certify *c, const thr_comparator *k, double margin)
{
    return thr_hindsight_perceptron(k, radius(c), margin, 1);
}

static thr_hindsight of_pa(const thr_certify *c, const thr_comparator *k, double C)
{
    return thr_hindsight_pa(k, radius(c), C);
}

static thr_hindsight of_balanced(const thr_certify *c, const thr_comparator *k, double N)
{
    return thr_hindsight_balanced(k, c->report.X, N);
}

/* Sets the bound of a row: from the proven margin if there is a separator, else from the best
 * comparator in hindsight. */
static void settle(const thr_certify *c, struct thr_certify_row *row, double margin_bound,
                   double hindsight, const char *formula, const char *hindsight_formula)
{
    bool yes = c->found.separable == THR_YES;
    row->rule.bound = yes ? margin_bound : hindsight;
    row->rule.hindsight = isinf(hindsight) ? NAN : hindsight;
    say(row->theorem, sizeof row->theorem, "%s", yes ? formula : hindsight_formula);
}

/* ---- the table ---------------------------------------------------------------------------- */

static int perceptron_row(thr_certify *c, const char *learner, double margin, thr_error *err)
{
    struct thr_certify_row *row = new_row(c, err);
    if (!row)
        return THR_EMEM;
    say(row->learner, sizeof row->learner, "%s", learner);
    settle(c, row, thr_bound_perceptron_margin(radius(c), c->report.gamma_low, margin, 1),
           best_of(c, of_perceptron, margin).bound,
           margin > 0 ? "(R^2 + 2m/r)/gamma^2" : "R^2/gamma^2", "((R + D)/gamma)^2, in hindsight");
    return finish_row(c, row, true, err);
}

static int pa_row(thr_certify *c, bool hard, thr_error *err)
{
    struct thr_certify_row *row = new_row(c, err);
    if (!row)
        return THR_EMEM;
    double norm = 1 / c->report.gamma_low; /* of the u with least margin 1 */
    row->rule.on_mistakes = true;
    if (hard) {
        say(row->learner, sizeof row->learner, "pa:C=inf,averaged=off");
        settle(c, row, thr_bound_pa(radius(c), norm), INFINITY, "R^2 |u|^2",
               "no bound: it needs a separator");
    } else {
        say(row->learner, sizeof row->learner, "pa:C=%g,averaged=off", PA_C);
        settle(c, row, thr_bound_pa_soft(radius(c), PA_C, norm, 0), best_of(c, of_pa, PA_C).bound,
               "max(R^2, 1/C) |u|^2", "max(R^2, 1/C)(|u|^2 + 2C loss), in hindsight");
    }
    return finish_row(c, row, true, err);
}

/* The theorem prescribes the rate eta = g / X^2, with g the proven margin, or the one that makes
 * the bound in hindsight least. If the rule cannot have that rate, no bound is claimed. */
static int balanced_row(thr_certify *c, thr_error *err)
{
    struct thr_certify_row *row = new_row(c, err);
    if (!row)
        return THR_EMEM;
    double X = c->report.X, N = (double)thr_points_dims(&c->points);
    thr_hindsight h = best_of(c, of_balanced, N);
    bool yes = c->found.separable == THR_YES;
    double g = yes ? c->report.g_low : h.margin, wanted = g / (X * X);
    double eta = fmin(MOST_ETA, fmax(LEAST_ETA, wanted));
    say(row->learner, sizeof row->learner, "balanced:margin=0,eta=%.9g", eta);
    settle(c, row, thr_bound_balanced(X, N, g, 0), yes ? INFINITY : h.bound, "2 X^2 ln(2N)/g^2",
           "2 X^2 ln(2N)/g^2 + 2 loss/g, in hindsight");
    if (eta != wanted) {
        row->rule.bound = row->rule.hindsight = NAN;
        say(row->theorem, sizeof row->theorem, "no bound: the rule cannot have the rate %.3g",
            wanted);
    }
    return finish_row(c, row, true, err);
}

/* Winnow beside the best disjunction found, on Boolean data with two labels. If that disjunction is
 * never wrong the bound holds for any number of passes, otherwise for one. */
static int winnow_row(thr_certify *c, thr_error *err)
{
    thr_disjunction d;
    double n = (double)c->report.features;
    thr_winnow_setting w = {2, 0.5, n, 1};
    if (c->labels.n != 2 || !c->report.boolean || c->unit == 1 || n < 1)
        return 0;
    struct thr_certify_row *row = new_row(c, err);
    int code = row ? thr_disjunction_find(&c->points, 0, log2(2 * n), &d, err) : THR_EMEM;
    if (code)
        return code;
    bool never_wrong = d.missed + d.stray == 0;
    row->rule.bound = thr_bound_winnow(w, n, (double)d.k, (double)d.missed, (double)d.stray);
    say(row->learner, sizeof row->learner, "winnow:theta=%.0f,start=1", n);
    if (never_wrong)
        say(row->theorem, sizeof row->theorem, "3 k log2(2n) + 2, a disjunction of k = %zu", d.k);
    else
        say(row->theorem, sizeof row->theorem, "3 (k log2(2n) + %llu) + 2, in hindsight, k = %zu",
            (unsigned long long)(d.missed + d.stray), d.k);
    thr_disjunction_clear(&d);
    return finish_row(c, row, never_wrong, err);
}

static int panel_row(thr_certify *c, thr_error *err)
{
    struct thr_certify_row *row = new_row(c, err);
    if (!row)
        return THR_EMEM;
    row->rule.on_mistakes = true;
    say(row->learner, sizeof row->learner, "panel:decide=vote");
    say(row->theorem, sizeof row->theorem, "that of the weighted vote, beside its best expert");
    return finish_row(c, row, false, err);
}

int thr_certify_rules(thr_certify *c, thr_error *err)
{
    int code = perceptron_row(c, "perceptron", 0, err);
    if (code == 0)
        code = perceptron_row(c, "perceptron:margin=1", 1, err);
    if (code == 0)
        code = perceptron_row(c, "averaged", 0, err);
    if (code == 0)
        code = pa_row(c, true, err);
    if (code == 0)
        code = pa_row(c, false, err);
    if (code == 0)
        code = balanced_row(c, err);
    if (code == 0)
        code = winnow_row(c, err);
    return code ? code : panel_row(c, err);
}
