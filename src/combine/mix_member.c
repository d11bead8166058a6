/* Mixing one member of several models: its state and calibration, its rows, and the examples that
 * it keeps. mix.c has matched labels and features before. Every number is made from those that
 * stand for the same feature, function and slot in the models, by the rule's own mixer
 * (learner/mix.h).
 *
 * Labels may have another order in a model than in the result. Then functions have other numbers
 * there, and the two sides of a shared function may be exchanged ("turned"): its numbers are
 * mirrored as in a split (multiclass/split.h). */
#include "combine/descent.h"
#include "combine/mix.h"
#include "multiclass/split.h"
#include "weights/lists.h"

#include <stdlib.h>

/* ---- functions ---------------------------------------------------------------------------- */

/* The number that function f of member `to` has in member `from`, where label l is numbered
 * label[l]; and whether its sides are exchanged there. A regressor has no sides. */
static uint32_t function_in(const thr_member *from, const thr_member *to, const thr_labels *labels,
                            const uint32_t *label, uint32_t f, bool *turned)
{
    if (!thr_member_shares(to, labels)) {
        uint32_t g = to->rule.policy->renumber(f, label, turned);
        *turned ^= thr_rule_side(&from->rule, g) != thr_rule_side(&to->rule, f);
        return g;
    }
    *turned = label[to->anchor] != from->anchor && !(to->rule.learner->flags & THR_REGRESSION);
    return 0;
}

/* The function that is reversed in the result (multiclass/split.h): the one that is reversed in all
 * parts that have learned anything. Where they differ, the same function learns "this label" in one
 * part and "not that label" in another, which have no mean. */
static int find_reversed(const thr_mix *x, uint32_t k, uint32_t *out, thr_error *err)
{
    bool first = true;
    *out = THR_NONE;
    for (size_t i = 0; i < x->all; i++) {
        const thr_mix_part *p = &x->part[i];
        const thr_rule *r = &p->m->member[k].rule;
        if (r->clock == 0)
            continue;
        uint32_t own = r->reversed == THR_NONE ? THR_NONE : p->to[r->reversed];
        if (!first && own != *out)
            return thr_fail(err, THR_EUSE,
                            "%s: with more than two labels its functions mean the same only in "
                            "models that learned from the same first two labels, in the same order",
                            r->learner->name);
        *out = own;
        first = false;
    }
    return 0;
}

/* Where the numbers of part i for a feature are, in one slot. */
static double *row_of(const thr_mix *x, size_t i, unsigned slot)
{
    return x->row + (i * THR_MAX_SLOTS + slot) * x->functions;
}

/* Reads the numbers of a feature of the result in all parts. A part without the feature has start
 * values. All parts have the same labels, and so the same functions. */
static void read_rows(const thr_mix *x, uint32_t k, uint32_t id)
{
    for (size_t i = 0; i < x->all; i++) {
        const thr_weights *w = &x->part[i].m->member[k].weights;
        for (unsigned s = 0; s < w->n_slots; s++)
            thr_weights_read(w, x->part[i].id[id], s, row_of(x, i, s));
    }
}

/* Collects the numbers of function f of the result from all parts in x->in. Returns whether some
 * are not the start values. */
static bool gather(const thr_mix *x, uint32_t k, uint32_t f)
{
    bool moved = false;
    for (size_t i = 0; i < x->all; i++) {
        const thr_mix_part *p = &x->part[i];
        const thr_member *from = &p->m->member[k];
        const thr_weights *w = &from->weights;
        double *in = x->in + i * THR_MAX_SLOTS, value[THR_MAX_SLOTS] = {0};
        bool turned;
        uint32_t g = function_in(from, &x->out->member[k], &x->out->labels, p->label, f, &turned);
        for (unsigned s = 0; s < w->n_slots; s++) {
            value[s] = row_of(x, i, s)[g];
            moved |= value[s] != w->slot[s].start;
        }
        for (unsigned s = 0; s < w->n_slots; s++)
            in[s] = turned ? thr_mirrored(w, s, value) : value[s];
    }
    return moved;
}

/* ---- one member --------------------------------------------------------------------------- */

/* A part's state for function f of the result. Where the part has the function with its sides
 * exchanged, an antisymmetric rule has the same state; any other rule counts as new (gather). */
static const double *function_state(const thr_mix *x, const thr_mix_part *p, uint32_t k, uint32_t f)
{
    bool turned;
    const thr_member *from = &p->m->member[k];
    uint32_t g = function_in(from, &x->out->member[k], &x->out->labels, p->label, f, &turned);
    static const double none[THR_MAX_STATE];
    bool same = !turned || (from->rule.learner->flags & THR_ANTISYMMETRIC);
    return same ? thr_rule_state(&from->rule, g) : none;
}

/* Adds what p has beyond the base (NULL: all of it) to the result's state, `times` times; clock,
 * mistakes and updates once. */
static void add_state(const thr_mix *x, const thr_mix_part *p, const thr_mix_part *base,
                      double times, uint32_t k)
{
    thr_member *to = &x->out->member[k];
    const thr_member *from = &p->m->member[k], *less = base ? &base->m->member[k] : NULL;
    unsigned per = to->rule.learner->function_state;
    to->rule.clock += from->rule.clock - (less ? less->rule.clock : 0);
    to->mistakes += from->mistakes - (less ? less->mistakes : 0);
    to->updates += from->updates - (less ? less->updates : 0);
    for (int s = 0; s < THR_MAX_STATE; s++)
        to->rule.state[s] += times * (from->rule.state[s] - (less ? less->rule.state[s] : 0));
    for (uint32_t f = 0; f < to->weights.functions && per; f++) {
        const double *has = function_state(x, p, k, f);
        const double *had = base ? function_state(x, base, k, f) : NULL;
        for (unsigned s = 0; s < per; s++)
            thr_rule_state(&to->rule, f)[s] += times * (has[s] - (had ? had[s] : 0));
    }
}

void thr_mix_calibration(const thr_mix *x, thr_calibration *to)
{
    for (size_t i = 0; i < x->all; i++) {
        x->calibration[i].label = x->part[i].label;
        x->calibration[i].share = x->share[i];
        x->calibration[i].times = x->times[i];
    }
    thr_calibration_mix(to, x->calibration, x->n, x->base ? &x->calibration[x->n] : NULL);
}

/* Counters and state of the rule, and the calibration. */
static void mix_state(const thr_mix *x, const thr_mixing *by, uint32_t k)
{
    thr_rule *r = &x->out->member[k].rule;
    if (x->base)
        add_state(x, x->base, NULL, 1, k);
    for (size_t i = 0; i < x->n; i++)
        add_state(x, &x->part[i], x->base, x->times[i], k);
    if (r->learner->mix->state)
        r->learner->mix->state(r, by);
    for (size_t i = 0; i < x->all; i++)
        x->calibration[i].from = &x->part[i].m->member[k].calibration;
    thr_mix_calibration(x, &x->out->member[k].calibration);
}

/* Makes the numbers of one feature and function from x->in. With a base every model must have seen
 * at least as much of the feature as the base. */
static int mix_weight(const thr_mix *x, const thr_mixing *by, uint32_t k, uint32_t id, double *out,
                      thr_error *err)
{
    const thr_rule *r = &x->out->member[k].rule;
    const thr_mixer *mixer = r->learner->mix;
    for (size_t i = 0; x->base && mixer->seen && i < x->n; i++)
        if (thr_mix_same_unit(x, i, id) && mixer->seen(by->from[i], x->in + i * THR_MAX_SLOTS) <
                                               mixer->seen(by->base, x->in + x->n * THR_MAX_SLOTS))
            return thr_fail_descent_seen(x->out, id, i + 1, err);
    mixer->weight(r, by, id, x->in, out);
    return 0;
}

/* Makes the row of a feature: the one in the table, or a plain row `row` of start values. */
static int mix_row(const thr_mix *x, const thr_mixing *by, uint32_t k, uint32_t id, char *row,
                   thr_error *err)
{
    thr_weights *w = &x->out->member[k].weights;
    double out[THR_MAX_SLOTS];
    int code = 0;
    read_rows(x, k, id);
    for (uint32_t f = 0; f < w->functions && code == 0; f++) {
        if (!gather(x, k, f) && row)
            continue; /* start values make start values */
        code = mix_weight(x, by, k, id, out, err);
        for (unsigned s = 0; s < w->n_slots && code == 0; s++) {
            char *slot = row ? row + thr_weights_offset(w, s, w->functions) : NULL;
            if (s < w->n_wide)
                (slot ? (double *)(void *)slot : thr_weights_row_wide(w, id, s))[f] = out[s];
            else
                (slot ? (float *)(void *)slot : thr_weights_row(w, id, s))[f] = (float)out[s];
        }
    }
    return code;
}

/* Row by row, so that the table has lists at once. */
static int mix_lists(const thr_mix *x, const thr_mixing *by, uint32_t k, thr_error *err)
{
    thr_weights *w = &x->out->member[k].weights;
    char *row = malloc(thr_weights_size(w, w->functions));
    int code = row ? 0 : thr_fail_memory(err);
    thr_weights_begin_lists(w);
    for (uint32_t id = 0; id < x->out->lexicon.n && code == 0; id++) {
        thr_weights_export(w, id, row); /* start values, since there is no such row yet */
        code = mix_row(x, by, k, id, row, err);
        if (code == 0)
            code = thr_weights_append(w, row, err);
    }
    free(row);
    return code;
}

/* The result has lists if a part has. Their rules make start values of start values. */
static int mix_rows(thr_mix *x, const thr_mixing *by, uint32_t k, thr_error *err)
{
    thr_member *to = &x->out->member[k];
    thr_weights *w = &to->weights;
    bool lists = false;
    if (w->n_slots == 0 || !to->rule.learner->mix->weight)
        return 0;
    x->functions = w->functions;
    x->row = calloc(x->all * THR_MAX_SLOTS, x->functions * sizeof *x->row);
    int code = x->row ? 0 : thr_fail_memory(err);
    for (size_t i = 0; i < x->all; i++)
        lists |= thr_weights_is_listed(&x->part[i].m->member[k].weights);
    if (code == 0 && lists)
        code = mix_lists(x, by, k, err);
    else if (code == 0)
        code = thr_weights_settle(w, x->out->lexicon.n, err);
    for (uint32_t id = 0; id < x->out->lexicon.n && code == 0 && !lists; id++)
        code = mix_row(x, by, k, id, NULL, err);
    free(x->row);
    x->row = NULL;
    return code;
}

/* Adds the examples of `from` from number `first` on, with ids and labels of the result. */
static int keep_examples(thr_memory *to, const thr_memory *from, size_t first,
                         const thr_mix_part *p, double times, thr_error *err)
{
    uint32_t *id = NULL;
    size_t room = 0;
    int code = 0;
    for (size_t i = first; i < from->n && code == 0; i++) {
        thr_example e = thr_memory_example(from, i);
        if (!thr_grow(&id, &room, e.n + 1, sizeof *id)) {
            code = thr_fail_memory(err);
            break;
        }
        for (size_t j = 0; j < e.n; j++)
            id[j] = p->fresh[e.id[j]];
        e.id = id;
        e.label = e.label == THR_NONE ? THR_NONE : p->to[e.label];
        e.importance = (float)((double)e.importance * times);
        code = thr_memory_ready(to, &e, 0, err);
        if (code == 0)
            thr_memory_add(to, &e);
    }
    free(id);
    return code;
}

/* Adds the examples and notes that part i keeps beyond those of `base` (NULL: all of them); the
 * base's come first in both. A note's step is multiplied by the part's share. Its time of birth is
 * shifted by `before`, the number of examples that other models have learned since the base: notes
 * stay in order as if the models had been trained one after another. */
static int add_memory(const thr_mix *x, uint32_t k, size_t i, const thr_mix_part *base,
                      double before, thr_error *err)
{
    const thr_mix_part *p = &x->part[i];
    const thr_member *from = &p->m->member[k];
    thr_member *to = &x->out->member[k];
    size_t old = base ? base->m->member[k].memory.n : 0, first = to->memory.n;
    size_t old_notes = base ? base->m->member[k].memory.notes : 0;
    int code = keep_examples(&to->memory, &from->memory, old, p, x->times[i], err);
    if (code == 0)
        code = thr_memory_ready(&to->memory, &(thr_example){0}, from->memory.notes, err);
    for (size_t j = old_notes; j < from->memory.notes && code == 0; j++) {
        thr_note note = from->memory.note[j];
        bool turned;
        note.function = function_in(to, from, &p->m->labels, p->to, note.function, &turned);
        note.example += note.example < old ? 0 : (uint32_t)(first - old);
        note.step *= turned ? -x->share[i] : x->share[i];
        note.born += before;
        thr_memory_note(&to->memory, note);
    }
    return code;
}

/* The examples of the base, then those of each model. */
static int mix_memory(const thr_mix *x, const thr_mixing *by, uint32_t k, thr_error *err)
{
    double before = 0;
    if (!x->out->member[k].rule.memory)
        return 0;
    int code = x->base ? add_memory(x, k, x->n, NULL, 0, err) : 0;
    for (size_t i = 0; i < x->n && code == 0; i++) {
        code = add_memory(x, k, i, x->base, before, err);
        before += thr_mix_clock(by, i);
    }
    return code;
}

/* The order matters: a mixer's `weight` needs clock and state of the result, `rebuild` needs rows
 * and kept examples, `derive` needs all of these. */
int thr_mix_member(thr_mix *x, uint32_t k, thr_error *err)
{
    thr_member *to = &x->out->member[k];
    thr_rule *r = &to->rule;
    const thr_mixer *mixer = r->learner->mix;
    for (size_t i = 0; i < x->all; i++)
        x->rule[i] = &x->part[i].m->member[k].rule;
    thr_mixing by = {.n = x->n,
                     .from = x->rule,
                     .base = x->base ? x->rule[x->n] : NULL,
                     .share = x->share,
                     .times = x->times};
    int code = mixer->check ? mixer->check(&by, err) : 0;
    if (code == 0)
        code = find_reversed(x, k, &r->reversed, err);
    if (code)
        return code;
    mix_state(x, &by, k);
    code = mix_rows(x, &by, k, err);
    if (code == 0)
        code = mix_memory(x, &by, k, err);
    if (code == 0 && r->learner->rebuild)
        code = r->learner->rebuild(r, &to->weights, err);
    if (code == 0 && mixer->derive)
        mixer->derive(r, &to->weights, x->out->known);
    return code ? code : thr_member_finish(to, err);
}
