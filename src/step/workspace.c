/* Laying a workspace out for a model, and finding the rows of an example in the members' tables. */
#include "step/workspace.h"

#include "model/inside.h"
#include "step/trace.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void thr_workspace_clear(thr_workspace *w)
{
    for (size_t i = 0; i < w->n_cases; i++)
        thr_case_clear(&w->cases[i]);
    free(w->cases);
    free(w->table);
    thr_prefetch_clear(&w->ahead);
    thr_trace_free(w->trace);
    *w = (thr_workspace){0};
}

/* ---- tables ------------------------------------------------------------------------------- */

bool thr_model_sits_out(const thr_model *m, uint32_t k)
{
    const thr_member *member = &m->member[k];
    return m->members > 1 && member->rule.nonnegative && !member->scaled &&
           member->weights.rows == 0;
}

/* Predicting lists every member: one without rows still predicts, from start values. */
static bool is_listed(const thr_model *m, uint32_t k, bool learning)
{
    return !learning || !thr_model_sits_out(m, k);
}

static size_t count_listed(const thr_model *m, bool learning)
{
    size_t n = 0;
    for (uint32_t k = 0; k < m->members; k++)
        n += is_listed(m, k, learning);
    return n;
}

/* Whether the list of tables is the one for this model and purpose. A member that has been given
 * rows keeps them until a new label arrives, so while the layout is the same a full list stays full
 * and the members need not be counted. */
static inline bool is_listing(const thr_workspace *w, const thr_model *m, bool learning)
{
    return w->member == m->member && w->learning == learning &&
           (w->tables == m->members || w->tables == count_listed(m, learning));
}

/* Rare, and kept out of line so that the test before it stays small. A new list invalidates the
 * addresses found so far. A new purpose invalidates the cases too, since only learning has
 * `gathered`. */
__attribute__((noinline)) static bool list_tables(thr_workspace *w, const thr_model *m,
                                                  bool learning)
{
    if (!thr_grow(&w->table, &w->table_room, m->members, sizeof *w->table))
        return false;
    w->tables = 0;
    for (uint32_t k = 0; k < m->members; k++)
        if (is_listed(m, k, learning))
            w->table[w->tables++] = &m->member[k].weights;
    thr_prefetch_forget(&w->ahead);
    w->ahead.table = w->table;
    w->ahead.tables = w->tables;
    for (size_t i = 0; i < w->n_cases && w->learning != learning; i++)
        w->cases[i].layout = (thr_layout){0};
    w->member = m->member;
    w->learning = learning;
    return true;
}

__attribute__((noinline)) static bool make_cases(thr_workspace *w, size_t cases)
{
    thr_case *grown = realloc(w->cases, cases * sizeof *grown);
    if (!grown)
        return false;
    memset(grown + w->n_cases, 0, (cases - w->n_cases) * sizeof *grown);
    w->cases = grown;
    w->n_cases = cases;
    return true;
}

/* The slow path of thr_workspace_prepare: something has changed. */
__attribute__((noinline)) static bool prepare(thr_workspace *w, const thr_model *m, size_t cases,
                                              bool learning)
{
    bool ok = (w->n_cases >= cases || make_cases(w, cases)) &&
              (is_listing(w, m, learning) || list_tables(w, m, learning));
    for (size_t i = 0; i < cases && ok; i++)
        ok = thr_case_lay_out(&w->cases[i], m, learning);
    return ok;
}

bool thr_workspace_prepare(thr_workspace *w, const thr_model *m, size_t cases, bool learning)
{
    bool prepared =
        cases == 1 && w->n_cases && is_listing(w, m, learning) && thr_case_is_laid_out(w->cases, m);
    return prepared || prepare(w, m, cases, learning);
}

/* ---- rows --------------------------------------------------------------------------------- */

/* `portions` is the number of parts that the next example's rows are divided into, one per call of
 * thr_prefetch_some in a step: before each member scores; in learning, before the example is
 * recorded and before each member moves; in predicting, at the start. thr_prefetch_example makes
 * one call more. If a step gets or loses a call, this must follow, or the last rows are not
 * prefetched. */
void thr_workspace_prefetch(thr_workspace *w, const thr_model *m, const thr_batch *b, size_t i,
                            bool learning)
{
    bool named = !learning || !m->max_features; /* else the next example has no ids yet */
    size_t portions = (learning ? 2 : 1) * (size_t)m->members + 2;
    if (i < b->n && named && (is_listing(w, m, learning) || list_tables(w, m, learning)))
        thr_prefetch_example(&w->ahead, b, i, portions, learning);
}

void thr_workspace_forget(thr_workspace *w)
{
    thr_prefetch_forget(&w->ahead);
}

/* The addresses found ahead. Features that were never seen have none: they get rows of start values
 * in c->spare. That memory is reused by the next example, so the list must not be found a second
 * time; it is made unrecognisable. This happens in predicting only. NULL: out of memory. */
static char **rows_ahead(thr_workspace *w, thr_case *c, thr_row_list *f)
{
    if (f->how.unseen) {
        size_t bytes = thr_weights_unseen(w->table, w->tables, f->n, f->row, NULL);
        if (!thr_grow(&c->spare, &c->spare_room, bytes + 1, 1))
            return NULL;
        thr_weights_unseen(w->table, w->tables, f->n, f->row, c->spare);
        f->id = NULL;
    }
    return f->row;
}

/* The addresses of an example that was not announced. NULL: out of memory. */
static char **rows_now(thr_workspace *w, thr_case *c, const thr_example *whole)
{
    size_t rows;
    if (__builtin_mul_overflow(whole->n + 1, w->tables, &rows) ||
        !thr_grow(&c->row, &c->row_room, rows + 1, sizeof *c->row) || /* one at least */
        !thr_grow(&c->spare, &c->spare_room, thr_weights_spare(w->table, w->tables, whole) + 1, 1))
        return NULL;
    thr_weights_find(w->table, w->tables, whole, c->row, c->spare);
    return c->row;
}

/* Rows that lie side by side have one list of addresses, that of the first table; the row of each
 * further member begins `at` bytes behind it. Else every listed member has a list of its own. A
 * member that sits out gets no rows: it cannot take the example, so they are never read. */
bool thr_workspace_find(thr_workspace *w, const thr_model *m, thr_case *c, const thr_example *whole,
                        const thr_batch *b, size_t i)
{
    thr_row_list *f = thr_prefetch_rows(&w->ahead, whole);
    char **row = f ? rows_ahead(w, c, f) : rows_now(w, c, whole);
    size_t beside = f ? f->how.beside : 0, at = 0, t = 0;
    if (!row || !thr_case_scale(m, c, whole, b, i, row))
        return false;
    if (thr_model_mixes(m)) {
        double length2 = c->formed ? c->form[0].length2 : whole->length2;
        c->length = length2 > 0 ? sqrt(length2) : 1;
    }
    for (uint32_t k = 0; k < m->members; k++) {
        const thr_weights *table = &m->member[k].weights;
        bool sits_out = t == w->tables || w->table[t] != table;
        thr_example *view = &c->view[k];
        const thr_example *form = c->formed ? thr_case_form(m, c, k, whole) : whole;
        thr_member_view(&m->member[k], form, m->unit, b->about[i].from_text, view);
        view->row = sits_out ? NULL : beside ? row : row + t * whole->n;
        view->at = at;
        at += beside && !sits_out ? thr_weights_aligned(table) : 0;
        t += !sits_out;
        view->room = c->room;
        view->gathered = c->gathered ? &c->gathered[k] : NULL;
    }
    return true;
}
