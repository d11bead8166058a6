#include "model/model.h"

#include "model/counts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LEAST_ROWS 16 /* brought near at a time */

void thr_sheet_clear(thr_sheet *s)
{
    free(s->numbers);
    free(s->said);
    free(s->wrong);
    free(s->flags);
    free(s->found[0].row);
    free(s->found[1].row);
    free(s->own.row);
    free(s->view);
    free(s->spare);
    free(s->table);
    free(s->id);
    free(s->x);
    free(s->place);
    free(s->some);
    *s = (thr_sheet){0};
}

static size_t most_room(const thr_model *m)
{
    size_t most = 0;
    for (uint32_t k = 0; k < m->members; k++) {
        const thr_rule *r = &m->member[k].rule;
        size_t need = r->learner->room ? r->learner->room(r) : 0;
        most = need > most ? need : most;
    }
    return most;
}

bool thr_model_sits_out(const thr_model *m, uint32_t k)
{
    const thr_member *member = &m->member[k];
    return m->members > 1 && member->rule.nonnegative && member->weights.rows == 0;
}

/* In predicting, all of them: who sat out so far may have something to say. */
static bool is_listed(const thr_sheet *s, const thr_model *m, uint32_t k)
{
    return s != &m->sheet || !thr_model_sits_out(m, k);
}

static bool all_listed(const thr_sheet *s, const thr_model *m)
{
    size_t n = 0;
    for (uint32_t k = 0; k < m->members; k++)
        n += is_listed(s, m, k);
    return n == s->tables;
}

static void list_tables(thr_sheet *s, const thr_model *m)
{
    s->tables = 0;
    for (uint32_t k = 0; k < m->members; k++)
        if (is_listed(s, m, k))
            s->table[s->tables++] = &m->member[k].weights;
}

/* Who has a table once does not sit out again, unless labels come. */
static bool is_laid_out(const thr_sheet *s, const thr_model *m)
{
    const thr_layout *l = &m->layout;
    return s->layout.member == l->member && s->layout.labels == l->labels &&
           s->layout.members == l->members && s->layout.functions == l->functions &&
           s->layout.widest == l->widest && (!l->room || most_room(m) <= s->scratch) &&
           (s->tables == m->members || all_listed(s, m));
}

__attribute__((noinline)) static bool lay_out(thr_sheet *s, const thr_model *m)
{
    thr_layout l = m->layout;
    size_t labels = l.labels, experts = l.members + 1, scratch = most_room(m);
    size_t need = l.functions + l.widest + labels * (2 * l.members + experts + 3) + scratch;
    if (!thr_grow(&s->numbers, &s->numbers_room, need, sizeof *s->numbers) ||
        !thr_grow(&s->said, &s->said_room, 2 * experts, sizeof *s->said) ||
        !thr_grow(&s->wrong, &s->wrong_room, experts, sizeof *s->wrong) ||
        !thr_grow(&s->flags, &s->flag_room, 3 * labels, sizeof *s->flags) ||
        !thr_grow(&s->table, &s->table_room, l.members, sizeof *s->table) ||
        !thr_grow(&s->view, &s->view_room, l.members, sizeof *s->view) ||
        (s == &m->sheet && !thr_grow(&s->some, &s->some_room, l.members, sizeof *s->some)))
        return false;
    list_tables(s, m);
    s->truth = s->flags;
    s->chosen = s->truth + labels;
    s->candidate = s->chosen + labels;
    s->live = s->numbers;
    s->shown = s->live + l.functions;
    s->score = s->shown + l.widest;
    s->evidence = s->score + labels * l.members;
    s->log_p = s->evidence + labels * l.members;
    s->answer = m->members == 1 || m->race ? s->score : s->log_p + labels * experts;
    s->chances = s->log_p + labels * (experts + 1);
    s->probability = s->chances + labels;
    s->room = s->probability + labels;
    s->scratch = scratch;
    s->told = s->said + experts;
    s->layout = l;
    return true;
}

bool thr_sheet_lay_out(thr_sheet *s, const thr_model *m)
{
    return is_laid_out(s, m) || lay_out(s, m);
}

/* ---- rows --------------------------------------------------------------------------------- */

static bool row_room(thr_found *f, const thr_sheet *s, size_t features)
{
    size_t rows;
    return !__builtin_mul_overflow(features, s->tables, &rows) &&
           thr_grow(&f->row, &f->room, rows, sizeof *f->row);
}

static void forget(thr_found *f)
{
    f->id = NULL;
    f->n = f->near = 0;
}

/* How often rows are brought nearer for an example: here, before each member scores and, in
 * learning, before it is judged and each member moves; in predicting, once it is made. */
static size_t steps(const thr_model *m, bool learning)
{
    return (learning ? 2 : 1) * (size_t)m->members + 2;
}

void thr_sheet_prefetch(const thr_model *m, thr_sheet *s, const thr_batch *b, size_t i,
                        bool learning)
{
    if (i >= b->n)
        return;
    const uint32_t *id = b->id + b->start[i];
    size_t n = b->start[i + 1] - b->start[i];
    thr_found *f = &s->found[s->turn ^= 1];
    forget(f);
    if (thr_sheet_lay_out(s, m) && row_room(f, s, n) &&
        thr_weights_ahead(s->table, s->tables, id, n, f->row, &f->how) &&
        !(learning && f->how.unseen)) {
        size_t times = steps(m, learning);
        f->id = id;
        f->n = n;
        f->portion = n / times + 1 > LEAST_ROWS ? n / times + 1 : LEAST_ROWS;
        thr_sheet_bring(s);
    }
}

void thr_sheet_bring_some(thr_sheet *s)
{
    thr_found *f = &s->found[s->turn];
    size_t left = f->n - f->near, n = left < f->portion ? left : f->portion;
    char *const *row = f->row + f->near;
    f->near += n;
    if (f->how.beside) {
        thr_weights_bring(row, n, f->how.beside);
        return;
    }
    for (size_t k = 0; k < s->tables; k++)
        thr_weights_bring(row + k * f->n, n, s->table[k]->size);
}

void thr_sheet_forget(thr_sheet *s)
{
    forget(&s->found[0]);
    forget(&s->found[1]);
}

static bool is_of(const thr_found *f, const thr_example *e)
{
    return f->id && f->id == e->id && f->n == e->n;
}

uint32_t thr_sheet_top(const thr_sheet *s, const thr_example *e)
{
    for (unsigned k = 0; k < 2; k++)
        if (is_of(&s->found[k], e))
            return s->found[k].how.top;
    return thr_weights_top(e->id, e->n);
}

/* The rows found ahead, those of features never seen made: these last until the next example, and
 * so what was found is good for once. */
static thr_found *rows_found(thr_sheet *s, thr_found *f)
{
    if (f->how.unseen) {
        size_t bytes = thr_weights_unseen(s->table, s->tables, f->n, f->row, NULL);
        if (!thr_grow(&s->spare, &s->spare_room, bytes + 1, 1))
            return NULL;
        thr_weights_unseen(s->table, s->tables, f->n, f->row, s->spare);
        f->id = NULL;
    }
    return f;
}

/* NULL: out of memory. */
static thr_found *rows_of(thr_sheet *s, const thr_example *whole)
{
    for (unsigned k = 0; k < 2; k++)
        if (is_of(&s->found[k], whole))
            return rows_found(s, &s->found[k]);
    if (!row_room(&s->own, s, whole->n + 1) ||
        !thr_grow(&s->spare, &s->spare_room, thr_weights_spare(s->table, s->tables, whole) + 1, 1))
        return NULL;
    thr_weights_find(s->table, s->tables, whole, s->own.row, s->spare);
    return &s->own;
}

bool thr_sheet_show(thr_sheet *s, const thr_model *m, const thr_example *whole, const thr_batch *b,
                    size_t i)
{
    const thr_found *f = rows_of(s, whole);
    size_t at = 0, t = 0;
    for (uint32_t k = 0; k < m->members && f; k++) {
        const thr_weights *w = &m->member[k].weights;
        bool sits_out = t == s->tables || s->table[t] != w;
        thr_member_view(&m->member[k], whole, m->unit, b->about[i].from_text, &s->view[k]);
        s->view[k].row = sits_out ? NULL : f->how.beside ? f->row : f->row + t * whole->n;
        s->view[k].at = at;
        at += f->how.beside && !sits_out ? thr_weights_aligned(w) : 0;
        t += !sits_out;
        s->view[k].room = s->room;
        s->view[k].some = s->some ? &s->some[k] : NULL;
    }
    return f;
}

bool thr_sheet_ready(thr_sheet *s, const thr_model *m, const thr_example *whole, const thr_batch *b,
                     size_t i)
{
    return thr_sheet_lay_out(s, m) && thr_sheet_show(s, m, whole, b, i);
}

void thr_sheet_tell(thr_sheet *s, uint32_t members, const thr_example *whole)
{
    for (uint32_t k = 0; k < members; k++) {
        s->view[k].label = whole->label;
        s->view[k].importance = whole->importance;
        s->view[k].truth = whole->truth;
    }
}

/* ---- the example -------------------------------------------------------------------------- */

/* Whether a batch has values depends on its other examples, which must not show. */
static const float *values_of(const thr_batch *b, size_t i)
{
    for (size_t f = b->start[i]; b->has_values && f < b->start[i + 1]; f++)
        if (b->value[f] != 1)
            return b->value + b->start[i];
    return NULL;
}

void thr_model_outline(const thr_model *m, const thr_batch *b, size_t i, thr_example *e)
{
    size_t from = b->start[i];
    *e = (thr_example){
        .id = b->id ? b->id + from : NULL, /* not yet, where only values are checked */
        .x = values_of(b, i),
        .n = b->start[i + 1] - from,
        .scale = 1,
        .label = THR_NONE,
        .target = thr_model_numbers(m) ? thr_about_number(&b->about[i]) : NAN,
        .known = m->known,
        .importance = b->about[i].importance,
        .distinct = m->lexicon.hash_bits == 0,
    };
}

void thr_model_example(const thr_model *m, const thr_batch *b, size_t i, thr_example *e)
{
    thr_model_outline(m, b, i, e);
    thr_example_measure(e, &e->norm2, &e->greatest);
}

int thr_model_view(const thr_model *m, thr_sheet *s, const thr_batch *b, size_t i, thr_example *out,
                   thr_error *err)
{
    thr_example whole;
    thr_model_example(m, b, i, &whole);
    if (!thr_counts_filter(m, s, &whole))
        return thr_fail_memory(err);
    thr_member_view(thr_model_speaker(m), &whole, m->unit, b->about[i].from_text, out);
    return 0;
}

/* ---- its labels --------------------------------------------------------------------------- */

/* Marks the labels of a list, as far as they are known. */
static bool mark(const thr_model *m, const thr_batch *b, thr_list list, bool *flag)
{
    bool any = false;
    for (size_t i = 0; i < list.n; i++) {
        uint32_t label = thr_labels_find(&m->labels, b->listed[list.from + i]);
        if (label != THR_NONE)
            flag[label] = any = true;
    }
    return any;
}

/* The labels that may be the answer; again after a label has been added. */
void thr_sheet_restrict(const thr_model *m, thr_sheet *s, const thr_batch *b, size_t i,
                        thr_example *whole)
{
    s->restricted = b->about[i].candidates.n > 0;
    whole->candidate = s->restricted ? s->candidate : NULL;
    if (!s->restricted)
        return;
    memset(s->candidate, 0, m->labels.n * sizeof *s->candidate);
    mark(m, b, b->about[i].candidates, s->candidate);
    for (uint32_t k = 0; k < m->members; k++)
        s->view[k].candidate = s->candidate;
}

void thr_sheet_mark_truth(const thr_model *m, thr_sheet *s, const thr_batch *b, size_t i)
{
    uint32_t label = thr_labels_find(&m->labels, b->about[i].label);
    memset(s->truth, 0, m->labels.n * sizeof *s->truth);
    if (label != THR_NONE)
        s->truth[label] = true;
    mark(m, b, b->about[i].more, s->truth);
}

bool thr_sheet_chooses(const thr_sheet *s, const double *score, uint32_t label)
{
    return score[label] > 0 && (!s->restricted || s->candidate[label]);
}

void thr_sheet_choose(const thr_model *m, thr_sheet *s)
{
    for (uint32_t l = 0; l < m->labels.n; l++)
        s->chosen[l] = thr_sheet_chooses(s, s->answer, l);
}
