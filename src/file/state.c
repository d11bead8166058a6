/* The section STATE of a model file. One walk over the fields serves writing and reading, so the
 * two cannot disagree about their order.
 *
 * Reading trusts nothing. After the first problem `bad` is set and every further call does nothing,
 * so the walk needs no checks in between; but a number that was read must not be used as a size
 * while `bad` is set. A count is compared with the bytes that are left before anything is
 * allocated. */
#include "file/file.h"
#include "model/counts.h"
#include "model/inside.h"
#include "model/review.h"

#include <math.h>
#include <string.h>

/* Of one label. The sum over all labels, of which a file has less than 2^24, does not overflow. */
#define MOST_EXAMPLES (UINT64_C(1) << 40)

/* Clocks are counts, and are taken for whole numbers (combine/descent.c). */
#define MOST_CLOCK 0x1p63

typedef struct walk {
    thr_bytes *out;       /* where to write; NULL: reading */
    const char *at, *end; /* reading: what is left of the section */
    bool bad, memory;     /* something makes no sense; it was memory that ran out */
} walk;

/* Writes n bytes from p, or reads them to p. */
static void bytes(walk *w, void *p, size_t n)
{
    if (n == 0 || w->bad)
        return;
    if (w->out) {
        w->bad = w->memory = !thr_bytes_add(w->out, p, n);
        return;
    }
    w->bad = (size_t)(w->end - w->at) < n;
    if (w->bad)
        return;
    memcpy(p, w->at, n);
    w->at += n;
}

static void whole(walk *w, uint64_t *v)
{
    bytes(w, v, sizeof *v);
}

static void small(walk *w, uint32_t *v)
{
    bytes(w, v, sizeof *v);
}

static void real(walk *w, double *v)
{
    bytes(w, v, sizeof *v);
}

/* A count of elements that follow, of `size` bytes each. A file's count must fit into what is left
 * of the section, so a forged one cannot cause a huge allocation. */
static void count(walk *w, uint32_t *n, size_t size)
{
    small(w, n);
    if (!w->out && !w->bad && *n > (size_t)(w->end - w->at) / size)
        w->bad = true;
}

/* An allocation that must have worked. */
static void need(walk *w, bool ok)
{
    if (!ok)
        w->bad = w->memory = true;
}

/* ---- the parts ---------------------------------------------------------------------------- */

/* Strings are ended here in case the file does not. */
static void walk_seen(walk *w, thr_totals *s)
{
    uint32_t text = s->text, zero = 0;
    whole(w, &s->examples);
    whole(w, &s->mistakes);
    whole(w, &s->updates);
    whole(w, &s->shuffles);
    real(w, &s->active);
    real(w, &s->max_norm2);
    real(w, &s->max_value);
    real(w, &s->squared);
    real(w, &s->absolute);
    small(w, &text);
    small(w, &zero);
    bytes(w, s->unicode, sizeof s->unicode);
    bytes(w, s->format, sizeof s->format);
    if (w->out)
        return;
    s->text = text != 0;
    s->unicode[sizeof s->unicode - 1] = s->format[sizeof s->format - 1] = '\0';
}

static void walk_fit(walk *w, thr_fit *f)
{
    real(w, &f->value);
    real(w, &f->curvature);
    real(w, &f->cross);
}

/* The number of experts follows from the settings; the file must agree. */
static void walk_panel(walk *w, thr_panel *p)
{
    uint32_t experts = p->experts;
    small(w, &experts);
    w->bad |= experts != p->experts;
    whole(w, &p->examples);
    whole(w, &p->wrong);
    real(w, &p->expected);
    for (uint32_t k = 0; k < p->experts && !w->bad; k++) {
        real(w, &p->log_weight[k]);
        whole(w, &p->mistakes[k]);
    }
    bytes(w, p->power, p->members * sizeof *p->power);
    bytes(w, p->curvature, (size_t)p->members * p->members * sizeof *p->curvature);
    w->bad |= !w->out && !thr_panel_sound(p);
    if (!w->out)
        thr_panel_weigh(p);
}

/* Runs of labels. S2 and the number of examples follow from the counts. */
static void walk_order(walk *w, thr_label_runs *r, uint32_t labels)
{
    uint32_t n = (uint32_t)r->labels, zero = 0;
    whole(w, &r->runs);
    small(w, &r->last);
    small(w, &zero);
    count(w, &n, sizeof *r->count);
    small(w, &zero);
    w->bad |= n > labels || r->last >= (n ? n : 1);
    if (!w->out && !w->bad)
        need(w, thr_label_runs_reserve(r, n));
    for (uint32_t l = 0; l < n && !w->bad; l++) {
        uint64_t examples = r->count[l];
        whole(w, &examples);
        w->bad |= examples > MOST_EXAMPLES;
        if (!w->out && !w->bad)
            thr_label_runs_add(r, l, examples);
    }
    w->bad |= r->runs > r->examples;
}

static void walk_calibration(walk *w, thr_calibration *c, uint32_t labels)
{
    uint32_t n = c->n;
    real(w, &c->seen);
    real(w, &c->log_size);
    real(w, &c->again);
    real(w, &c->log_now);
    walk_fit(w, &c->slope);
    count(w, &n, 3 * sizeof(double));
    w->bad |= n != labels;
    if (!w->out && !w->bad)
        need(w, thr_calibration_widen(c, n, NULL) == 0);
    for (uint32_t l = 0; l < n && !w->bad; l++) {
        thr_fit offset = thr_calibration_offset(c, l);
        walk_fit(w, &offset);
        if (!w->out)
            thr_calibration_set_offset(c, l, offset);
    }
    w->bad |= !w->out && !thr_calibration_sound(c);
}

/* The members that the panel has paused. Reading takes them out of the model. */
static void walk_paused(walk *w, thr_model *m, uint32_t n)
{
    thr_panel *p = &m->panel;
    w->bad |= !w->out && n >= m->members;
    for (uint32_t i = 0; i < n && !w->bad; i++) {
        uint32_t zero = 0;
        thr_paused x = w->out ? p->paused[i] : (thr_paused){0};
        small(w, &x.place);
        small(w, &zero);
        whole(w, &x.examples);
        whole(w, &x.mistakes);
        w->bad |= !w->out && (x.place < i || x.place - i >= m->members ||
                              (i && x.place <= p->paused[i - 1].place));
        if (w->out || w->bad)
            continue;
        thr_model_take_out(m, x.place - i, x.examples);
        p->paused[i].mistakes = x.mistakes;
    }
}

/* A panel that mixes has the mixture's numbers in place of those of the vote. */
static void walk_mixture(walk *w, thr_model *m)
{
    thr_panel *p = &m->panel;
    thr_mixture *x = &p->mixture;
    uint32_t experts = p->experts, paused = p->n_paused, labels = m->labels.n;
    bool pauses = thr_settings_rules(m->settings) >= THR_RULES_PAUSE;
    small(w, &experts);
    small(w, &paused);
    if (pauses)
        walk_paused(w, m, paused);
    w->bad |= experts != p->experts;
    for (uint32_t k = 0; k < p->experts && pauses && !w->bad; k++)
        whole(w, &p->reviewed[k]);
    whole(w, &p->examples);
    whole(w, &p->wrong);
    for (uint32_t k = 0; k < p->experts && !w->bad; k++) {
        real(w, &x->lost[k]);
        whole(w, &p->mistakes[k]);
    }
    real(w, &x->gap);
    real(w, &x->loss);
    real(w, &x->counted);
    if (pauses)
        real(w, &x->beyond);
    walk_calibration(w, &p->fit, labels);
    walk_order(w, &p->order, labels);
    for (uint32_t k = 0; k < p->experts && !w->bad; k++)
        w->bad = p->reviewed[k] > p->mistakes[k];
    w->bad |= !w->out && !thr_panel_sound(p);
    if (!w->out && !w->bad)
        thr_mixture_weigh(x);
}

/* Counts from which thresholds are learned; present if they are. */
static void walk_thresholds(walk *w, thr_thresholds *t, const thr_labels *labels)
{
    if (!w->out)
        need(w, thr_thresholds_widen(t, labels, NULL) == 0);
    for (uint32_t l = 0; thr_thresholds_learn(t) && l < t->n && !w->bad; l++) {
        uint64_t hits = t->of[l].hits, said = t->of[l].said;
        whole(w, &hits);
        whole(w, &said);
        w->bad |= hits > said / 2 || said > 2 * MOST_EXAMPLES;
        if (!w->out && !w->bad)
            thr_thresholds_add(t, l, hits, said);
    }
}

static void walk_clauses(walk *w, thr_rule *r, uint32_t features)
{
    uint32_t n = (uint32_t)r->clauses;
    small(w, &r->start);
    w->bad |= r->start != THR_NONE && r->start >= r->labels;
    count(w, &n, 3 * sizeof(uint32_t) + sizeof(double));
    if (!w->out && !w->bad)
        need(w, thr_grow(&r->clause, &r->clause_room, n, sizeof *r->clause));
    for (uint32_t i = 0; i < n && !w->bad; i++) {
        thr_clause *c = &r->clause[i];
        small(w, &c->feature);
        small(w, &c->from);
        small(w, &c->to);
        real(w, &c->gain);
        w->bad |= c->feature >= features || c->from >= r->labels || c->to >= r->labels;
    }
    if (!w->out)
        r->clauses = n;
}

/* The anchor, 0 or 1; and in the bits above it the number of the reversed function plus 1, or 0. */
static void walk_anchor(walk *w, thr_member *k, const thr_labels *labels)
{
    uint32_t both = k->anchor | (k->rule.reversed + 1) << 1;
    small(w, &both);
    if (!w->out) {
        k->anchor = both & 1;
        k->rule.reversed = (both >> 1) - 1;
    }
    bool none = k->rule.reversed == THR_NONE,
         antisymmetric = k->rule.learner->flags & THR_ANTISYMMETRIC;
    w->bad |= !none && (antisymmetric || labels->n < 3 || k->rule.reversed >= labels->n);
}

/* The number of functions follows from labels and policy; the file must agree. The tables get their
 * functions here, and their rows later (open.c, read_member). */
static void walk_member(walk *w, thr_member *k, const thr_labels *labels, uint32_t features)
{
    uint32_t functions = k->weights.functions;
    walk_anchor(w, k, labels);
    small(w, &functions);
    w->bad |= functions != thr_member_functions(k, labels) || functions > THR_MOST_FUNCTIONS;
    whole(w, &k->mistakes);
    whole(w, &k->updates);
    real(w, &k->rule.clock);
    w->bad |= !w->out && !(k->rule.clock >= 0 && k->rule.clock < MOST_CLOCK);
    bytes(w, k->rule.state, sizeof k->rule.state);
    walk_calibration(w, &k->calibration, labels->n);
    if (!w->out && !w->bad) {
        k->rule.labels = labels->n;
        thr_weights_widen(&k->weights, functions);
        need(w, thr_rule_widen(&k->rule, functions, NULL) == 0);
    }
    if (!w->bad)
        bytes(w, k->rule.function,
              (size_t)functions * k->rule.learner->function_state * sizeof(double));
    if (!w->bad && (k->rule.learner->flags & THR_LISTS))
        walk_clauses(w, &k->rule, features);
    if (!w->out)
        k->rule.finished = true; /* only finished rules are saved */
}

/* One occurrence count per id; present only with min-count. */
static void walk_counts(walk *w, thr_model *m)
{
    uint32_t n = m->lexicon.n;
    count(w, &n, sizeof(uint32_t));
    w->bad |= n != m->lexicon.n;
    if (!w->out && !w->bad)
        need(w, thr_counts_reach(m, n));
    for (uint32_t id = 0; id < n && !w->bad; id++) {
        uint32_t c = w->out ? thr_model_count(m, id) : 0;
        small(w, &c);
        if (!w->out && !w->bad)
            *thr_counts_at(m, id) = c; /* cannot fail: the pages are not shared yet */
    }
}

static void walk_column(walk *w, thr_number_column *c)
{
    uint32_t varied = c->varied;
    small(w, &c->id);
    small(w, &varied);
    real(w, &c->first);
    real(w, &c->n);
    real(w, &c->mean);
    real(w, &c->sum2);
    c->varied = varied != 0;
    w->bad |= !w->out && !thr_number_column_sound(c);
}

/* How values are scaled; present if the model scales any. Columns are in the order of their ids,
 * and exactly their features have NaN for a scale. */
static void walk_units(walk *w, thr_units *u, uint32_t features)
{
    uint32_t active = u->active, columns = (uint32_t)u->columns, n = u->active ? features : 0;
    small(w, &active);
    small(w, &u->began);
    count(w, &n, sizeof(float));
    w->bad |= n != (active ? features : 0) || active > 1;
    count(w, &columns, 40);
    if (!w->out && !w->bad)
        need(w, thr_units_reach(u, n));
    for (uint32_t i = 0; i < columns && !w->bad; i++) {
        thr_number_column c = w->out ? u->column[i] : (thr_number_column){0};
        walk_column(w, &c);
        w->bad |= !w->out && (c.id >= n || (u->columns && c.id <= u->column[u->columns - 1].id));
        if (!w->out && !w->bad)
            need(w, thr_units_add_column(u, &c));
    }
    for (uint32_t id = 0; id < n && w->out; id++) {
        float most = thr_units_stored(u, id); /* 0 for ids beyond those that were met */
        bytes(w, &most, sizeof most);
    }
    if (w->out || w->bad)
        return;
    for (uint32_t id = 0; id < n; id += (uint32_t)THR_PAGED)
        bytes(w, thr_units_page(u, id), (n - id < THR_PAGED ? n - id : THR_PAGED) * sizeof(float));
    w->bad |= !thr_units_sound(u);
    u->active = active;
}

/* ---- all of it ---------------------------------------------------------------------------- */

static void walk_all(walk *w, thr_model *m)
{
    thr_repeats *repeats = &m->repeats;
    thr_classes *classes = &m->classes;
    walk_seen(w, &m->seen);
    small(w, &m->lexicon.n);
    small(w, &m->known);
    w->bad |= m->lexicon.n == 0 || m->known == 0;
    /* A lean model keeps `known` though it has fewer features. It is not trained further, and
     * nothing that indexes by `known` is done to it. */
    w->bad |= !w->out && m->known > m->lexicon.n && !m->lean;
    if (m->max_features)
        whole(w, &m->seen.evicted);
    if (m->min_count)
        walk_counts(w, m);
    if (m->units.on)
        walk_units(w, &m->units, m->lexicon.n);
    small(w, &repeats->row);
    count(w, &repeats->n, sizeof *repeats->mark);
    w->bad |= repeats->n > THR_REPEATS_SAMPLE;
    if (!w->out && !w->bad)
        need(w, thr_grow(&repeats->mark, &repeats->room, repeats->n, sizeof *repeats->mark));
    bytes(w, repeats->mark, w->bad ? 0 : repeats->n * sizeof *repeats->mark);
    w->bad |= !w->out && !w->bad && !thr_repeats_sound(repeats);
    if (!w->out && !w->bad)
        need(w, thr_classes_widen(classes, &m->labels, NULL) == 0);
    bytes(w, classes->count, w->bad ? 0 : (size_t)classes->n * sizeof *classes->count);
    if (!w->bad && m->reader.multilabel)
        walk_thresholds(w, &m->thresholds, &m->labels);
    if (!w->bad && thr_panel_mixes(&m->panel))
        walk_mixture(w, m);
    else if (!w->bad)
        walk_panel(w, &m->panel);
    for (uint32_t k = 0; k < m->members && !w->bad; k++)
        walk_member(w, &m->member[k], &m->labels, m->lexicon.n);
}

/* The cast is safe because the walk only reads the model when it writes the file; several threads
 * may write one const model at once. */
bool thr_state_write(const thr_model *m, thr_bytes *out)
{
    walk w = {.out = out};
    walk_all(&w, (thr_model *)(uintptr_t)m);
    return !w.bad;
}

bool thr_state_read(thr_model *m, const char *p, size_t n, bool *memory)
{
    walk w = {.at = p, .end = p + n};
    walk_all(&w, m);
    *memory = w.memory;
    thr_model_lay_out(m);
    thr_model_count_waiting(m);
    return !w.bad && w.at == w.end;
}
