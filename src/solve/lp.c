/* CLP is given the dual program, because its columns are the points themselves:
 *
 *   max  sum a_k    so that  -1 <= sum a_k z_k <= 1 in every coordinate,  0 <= a_k <= C c_k
 *
 * It has one row for each weight and one column for each point, and needs neither slacks nor the
 * splitting of u_j into two parts. a = 0 is feasible, so the primal simplex method needs no first
 * phase. The dual prices of the rows are u. If the program is unbounded, the ray along which it
 * grows satisfies sum a_k z_k = 0: this is Farkas' proof that no separator exists.
 *
 * With finite C the dual simplex method is much faster, as it moves many a_k from one bound to the
 * other in one step. */
#include "solve/lp.h"

#include "base/apart.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

const char *thr_lp_why(enum thr_lp_end end)
{
    static const char *const why[] = {
        [THR_LP_SOLVED] = "solved",
        [THR_LP_NONE] = "there is no separator",
        [THR_LP_LIMIT] = "the linear program was not solved in the time given",
        [THR_LP_BEYOND] = "beyond the linear program's reach",
        [THR_LP_ABSENT] = ("linear programs need COIN-OR CLP, which is not on this machine "
                           "(libClp.so.1, Debian package coinor-libclp1)"),
        [THR_LP_TROUBLE] = "the linear program could not be solved",
    };
    return why[end];
}

void thr_lp_clear(thr_lp *out)
{
    free(out->w);
    free(out->alpha);
    *out = (thr_lp){0};
}

#ifdef THR_HAVE_CLP
#include <coin/Clp_C_Interface.h>
#include <dlfcn.h>
#include <locale.h>

/* The functions of CLP that are used, with the types of its header. */
typedef struct clp {
    void *library;
    __typeof__(Clp_newModel) *new_model;
    __typeof__(Clp_deleteModel) *delete_model;
    __typeof__(Clp_loadProblem) *load_problem;
    __typeof__(Clp_setLogLevel) *set_log_level;
    __typeof__(Clp_setMaximumSeconds) *set_maximum_seconds;
    __typeof__(Clp_primal) *primal;
    __typeof__(Clp_dual) *dual;
    __typeof__(Clp_status) *status;
    __typeof__(Clp_objectiveValue) *objective_value;
    __typeof__(Clp_numberIterations) *number_iterations;
    __typeof__(Clp_dualRowSolution) *dual_row_solution;
    __typeof__(Clp_primalColumnSolution) *primal_column_solution;
    __typeof__(Clp_unboundedRay) *unbounded_ray;
    __typeof__(Clp_freeRay) *free_ray;
} clp;

/* Sets *absent if this machine has no such library, or one that lacks a function. In the C locale,
 * since the reason is known by its text alone: memory may be short too. */
static int clp_load(clp *c, bool *absent, thr_error *err)
{
    const struct {
        const char *name;
        void *to;
    } wanted[] = {
        {"Clp_newModel", &c->new_model},
        {"Clp_deleteModel", &c->delete_model},
        {"Clp_loadProblem", &c->load_problem},
        {"Clp_setLogLevel", &c->set_log_level},
        {"Clp_setMaximumSeconds", &c->set_maximum_seconds},
        {"Clp_primal", &c->primal},
        {"Clp_dual", &c->dual},
        {"Clp_status", &c->status},
        {"Clp_objectiveValue", &c->objective_value},
        {"Clp_numberIterations", &c->number_iterations},
        {"Clp_dualRowSolution", &c->dual_row_solution},
        {"Clp_primalColumnSolution", &c->primal_column_solution},
        {"Clp_unboundedRay", &c->unbounded_ray},
        {"Clp_freeRay", &c->free_ray},
    };
    /* It is never unloaded: the child process ends. */
    c->library = dlopen("libClp.so.1", RTLD_NOW | RTLD_LOCAL);
    const char *why = c->library ? "" : dlerror();
    *absent = why && strstr(why, "No such file or directory");
    if (!c->library && !*absent)
        return thr_fail(err, THR_EIO, "%s", why ? why : "libClp.so.1 cannot be loaded");
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted && !*absent; i++) {
        void *found = dlsym(c->library, wanted[i].name);
        *absent = !found;
        memcpy(wanted[i].to, &found, sizeof found);
    }
    return 0;
}

/* ---- the program -------------------------------------------------------------------------- */

/* The program in the sparse column format of Clp_loadProblem. */
typedef struct program {
    size_t columns, rows, entries;
    CoinBigIndex *start; /* entries of column k: start[k] <= i < start[k+1] */
    int *index;          /* row of each entry */
    double *value;       /* of each entry */
    /* For each column: the upper limit of a_k, and its coefficient in the objective. For each row:
     * its limits. */
    double *most, *price, *low, *high;
} program;

static void program_clear(program *g)
{
    free(g->start);
    free(g->index);
    free(g->value);
    free(g->most);
    free(g->price);
    free(g->low);
    free(g->high);
}

static bool program_room(program *g)
{
    g->start = calloc(g->columns + 1, sizeof *g->start);
    g->index = calloc(g->entries + 1, sizeof *g->index);
    g->value = calloc(g->entries + 1, sizeof *g->value);
    g->most = calloc(g->columns + 1, sizeof *g->most);
    g->price = calloc(g->columns + 1, sizeof *g->price);
    g->low = calloc(g->rows + 1, sizeof *g->low);
    g->high = calloc(g->rows + 1, sizeof *g->high);
    return g->start && g->index && g->value && g->most && g->price && g->low && g->high;
}

static void put(program *g, size_t row, double value, size_t *at)
{
    g->index[*at] = (int)row;
    g->value[(*at)++] = value;
}

static void fill(program *g, const thr_points *p, const thr_lp_options *o)
{
    size_t at = 0, n = thr_points_functions(p);
    for (size_t k = 0; k < g->columns; k++) {
        size_t example = thr_points_example(p, k), other = n > 1 ? thr_points_other(p, k) : 0;
        thr_point_row r = thr_points_row(p, example);
        for (size_t i = 0; i < r.n; i++) {
            double x = thr_row_value(&r, i);
            if (n == 1)
                put(g, r.id[i], r.label == p->positive ? x : -x, &at);
            else {
                put(g, r.id[i] * n + r.label, x, &at);
                put(g, r.id[i] * n + other, -x, &at);
            }
        }
        g->start[k + 1] = (CoinBigIndex)at;
        g->price[k] = -1; /* CLP minimises */
        g->most[k] = o->box > 0 ? o->box * (o->cost ? o->cost[example] : 1) : 1e300;
    }
    for (size_t i = 0; i < g->rows; i++) {
        g->low[i] = -1;
        g->high[i] = 1;
    }
}

/* ---- solving ------------------------------------------------------------------------------ */

/* The signs of prices and objective are turned, since -sum a was minimised. */
static void take_solution(const clp *c, Clp_Simplex *model, const program *g, thr_lp *out)
{
    const double *price = c->dual_row_solution(model), *a = c->primal_column_solution(model);
    for (size_t i = 0; i < g->rows; i++)
        out->w[i] = -price[i];
    for (size_t k = 0; k < g->columns; k++)
        out->alpha[k] = a[k] > 0 ? a[k] : 0;
    out->objective = -c->objective_value(model);
    out->end = THR_LP_SOLVED;
}

static void take_ray(const clp *c, Clp_Simplex *model, const program *g, thr_lp *out)
{
    double *ray = c->unbounded_ray(model);
    out->end = ray ? THR_LP_NONE : THR_LP_TROUBLE;
    for (size_t k = 0; k < g->columns && ray; k++)
        out->alpha[k] = ray[k] > 0 ? ray[k] : 0;
    if (ray)
        c->free_ray(model, ray);
}

static void run(const clp *c, const program *g, const thr_lp_options *o, thr_lp *out)
{
    enum { OPTIMAL, INFEASIBLE, UNBOUNDED, STOPPED };
    Clp_Simplex *model = c->new_model();
    c->set_log_level(model, 0);
    if (o->seconds > 0)
        c->set_maximum_seconds(model, o->seconds);
    c->load_problem(model, (int)g->columns, (int)g->rows, g->start, g->index, g->value, NULL,
                    g->most, g->price, g->low, g->high);
    if (o->box > 0)
        c->dual(model, 0);
    else
        c->primal(model, 0);
    out->steps = (uint64_t)c->number_iterations(model);
    int status = c->status(model);
    if (status == OPTIMAL)
        take_solution(c, model, g, out);
    else if (status == UNBOUNDED)
        take_ray(c, model, g, out);
    else
        out->end = status == STOPPED ? THR_LP_LIMIT : THR_LP_TROUBLE;
    c->delete_model(model);
}

/* ---- in a child process ------------------------------------------------------------------- */

/* CLP throws when memory is short, and nothing in C can catch that. */
typedef struct task {
    const thr_points *points;
    const thr_lp_options *options;
    size_t columns, rows, entries;
} task;

/* The answer is a thr_lp, then the numbers of w and of alpha. */
static int solve_apart(const void *work, thr_bytes *answer, thr_error *err)
{
    const task *t = work;
    program g = {.columns = t->columns, .rows = t->rows, .entries = t->entries};
    thr_lp lp = {.end = THR_LP_ABSENT};
    bool absent;
    clp c;
    setlocale(LC_ALL, "C");
    int code = clp_load(&c, &absent, err);
    lp.w = calloc(g.rows + 1, sizeof *lp.w);
    lp.alpha = calloc(g.columns + 1, sizeof *lp.alpha);
    if (code == 0 && !(lp.w && lp.alpha && program_room(&g)))
        code = thr_fail_memory(err);
    if (code == 0 && !absent) {
        fill(&g, t->points, t->options);
        run(&c, &g, t->options, &lp);
    }
    if (code == 0 && !(thr_bytes_add(answer, &lp, sizeof lp) &&
                       thr_bytes_add(answer, lp.w, g.rows * sizeof *lp.w) &&
                       thr_bytes_add(answer, lp.alpha, g.columns * sizeof *lp.alpha)))
        code = thr_fail_memory(err);
    program_clear(&g);
    thr_lp_clear(&lp);
    return code;
}

static int take_answer(const task *t, const thr_bytes *answer, thr_lp *out, thr_error *err)
{
    const char *w = answer->p + sizeof *out, *alpha = w + t->rows * sizeof *out->w;
    bool ok = true;
    memcpy(out, answer->p, sizeof *out);
    out->w = thr_copy(w, t->rows, sizeof *out->w, &ok);
    out->alpha = thr_copy(alpha, t->columns, sizeof *out->alpha, &ok);
    if (ok)
        return 0;
    thr_lp_clear(out);
    return thr_fail_memory(err);
}

int thr_lp_solve(const thr_points *p, const thr_lp_options *o, thr_lp *out, thr_error *err)
{
    size_t reach = o->reach ? o->reach : THR_LP_REACH;
    size_t each = thr_points_each(p), copies = p->labels <= 2 ? 1 : 2;
    task t = {p, o, .columns = thr_points_count(p), .rows = thr_points_dims(p)};
    for (size_t k = 0; k < p->examples; k++)
        t.entries += thr_points_row(p, thr_points_example(p, k * each)).n * copies * each;
    *out = (thr_lp){.end = THR_LP_BEYOND};
    if (t.entries > reach || t.columns >= INT_MAX || t.rows >= INT_MAX)
        return 0;
    thr_bytes answer = {0};
    int code = thr_apart(solve_apart, &t, "solving a linear program", &answer, err);
    code = code ? code : take_answer(&t, &answer, out, err);
    thr_bytes_clear(&answer);
    return code;
}

static int load_apart(const void *work, thr_bytes *answer, thr_error *err)
{
    clp c;
    bool absent;
    (void)work, (void)answer;
    setlocale(LC_ALL, "C");
    int code = clp_load(&c, &absent, err);
    return code ? code : absent ? THR_EUSE : 0;
}

bool thr_lp_available(void)
{
    thr_bytes nothing = {0};
    int code = thr_apart(load_apart, NULL, "loading CLP", &nothing, NULL);
    thr_bytes_clear(&nothing);
    return code == 0;
}
#else
bool thr_lp_available(void)
{
    return false;
}

int thr_lp_solve(const thr_points *p, const thr_lp_options *o, thr_lp *out, thr_error *err)
{
    (void)p, (void)o, (void)err;
    *out = (thr_lp){.end = THR_LP_ABSENT};
    return 0;
}
#endif
